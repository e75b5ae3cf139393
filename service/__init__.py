"""Everything that talks: HTTP, the store, the command line."""
