"""Sentences for people, in English and German: what a step did, and why a move was refused."""
