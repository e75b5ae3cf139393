"""The subcommands that are more than a few lines, one file a topic."""
