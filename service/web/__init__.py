"""Everything that knows HTTP: the server, the application, the API, the pages and their schemas."""
