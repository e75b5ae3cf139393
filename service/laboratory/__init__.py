"""The laboratory: studies of a ruleset by matches of bots, and reports of what they found for those who design it."""
