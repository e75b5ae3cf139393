"""The fault campaign: kills and broken connections under load, and a check that nothing acknowledged was lost."""
