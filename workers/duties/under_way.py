"""Which events say that a match may be under way, or that it is over."""

from plyscribe.domain.chain import StoredEvent
from plyscribe.domain.codec import find_type

CLOCK = {"match-paused", "match-resumed", "clock-adjusted"}
UNDER_WAY = {"match-started", "move-made", "dice-rolled", "seat-withdrawn", *CLOCK}
"""Events that change which decision is due, or by when. Draw offers and answers leave the turn and its clock alone."""

DRAWS = {"draw-offered", "draw-declined", "draw-agreed"}
OVER = {"match-ended", "match-aborted"}


def may_be_under_way(newest: StoredEvent) -> bool:
    """Whether a match with this newest event may be under way, so that it is worth folding."""
    return find_type(newest) in UNDER_WAY | DRAWS
