"""The tournament: an aggregate of its own, whose matches are ordinary matches."""
