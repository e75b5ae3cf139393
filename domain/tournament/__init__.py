"""Tournaments: a kind of stream of their own, played in ordinary matches."""
