"""The rq jobs, one a file, and the relay."""
