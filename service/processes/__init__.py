"""The processes of a service: the embedded store, the children that `serve` runs, workers for one check."""
