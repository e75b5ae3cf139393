"""Estimates how long the built-in bots of a match keep a worker busy. The unit is a playout, about half a millisecond."""

from plyscribe.domain.events import BuiltIn
from plyscribe.domain.match import Match
from plyscribe.workers.fair_line import SHARE, TOGETHER

CHEAP = 4
"""What a decision of a bot without playouts counts. It takes less than three milliseconds in all our rulesets."""

PLIES = 100
"""How many decisions a match without people has left."""


def estimate_effort(match: Match) -> int:
    """The playouts that the next job in the match makes: at least one decision, and then as many as the job has time for.

    Where a person plays, each bot decides once before that person's turn.
    """
    seats = match.life.seats
    decisions = [seat.occupant.playouts or CHEAP for seat in seats if isinstance(seat.occupant, BuiltIn)]
    if match.life.players:
        return max(*decisions, min(SHARE, sum(decisions)))
    return max(*decisions, min(SHARE // TOGETHER, sum(decisions) * PLIES // len(decisions)))
