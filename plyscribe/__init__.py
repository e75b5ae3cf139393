"""Plyscribe, the match server for board games."""
