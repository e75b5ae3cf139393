"""Plyscribe, the match server for board games."""

__version__ = "0.2.0"
