"""The event store: streams, the feed and the outbox of webhooks, each with an adapter for Redis and memory."""
