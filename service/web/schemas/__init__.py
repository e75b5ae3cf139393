"""The shapes of what comes in and goes out: requests are parsed with them, `openapi.yaml` is generated from them."""
