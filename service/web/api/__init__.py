"""The HTTP API: parse, call, dump."""
