"""The HTTP API: each view parses the request, calls the service and formats the answer."""
