"""The explorer: what was played from each position, and a search for positions and effects in all counted matches."""
