"""The read database: tables derived from the streams, their builds, and how far they have followed the feed."""
