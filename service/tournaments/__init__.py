"""Tournaments: how they are run, paired, queried and exported."""
