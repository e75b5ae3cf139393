"""Child processes, and the embedded store and the servers that run in them."""
