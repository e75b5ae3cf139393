"""The commands of `plyscribe`, one file a topic, and the demo."""
