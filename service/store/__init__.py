"""The event store: streams, the feed, inboxes and list tables, each as a port with an adapter for Redis and memory."""
