"""Estimates how long the built-in bots of a match keep a worker busy, in playouts: about half a millisecond each."""

from plyscribe.domain.events import BuiltIn
from plyscribe.domain.match import Match
from plyscribe.workers.fair_line import SHARE, TOGETHER

CHEAP = 2
"""What a decision of a bot without playouts counts. It takes a few milliseconds at most."""

PLIES = 100
"""How many decisions a match without people has left."""


def estimate_effort(match: Match) -> int:
    """The playouts of the next job in the match: at least one decision, and then as many as the job has time for.

    Where a person plays, each bot decides once before that person's turn.
    """
    seats = match.life.seats
    decisions = [seat.occupant.playouts or CHEAP for seat in seats if isinstance(seat.occupant, BuiltIn)]
    if match.life.players:
        return max(*decisions, min(SHARE, sum(decisions)))
    return max(*decisions, min(SHARE // TOGETHER, sum(decisions) * PLIES // len(decisions)))
