"""What the board module of each ruleset provides."""

from collections.abc import Callable
from typing import Any, NamedTuple


class LastMove(NamedTuple):
    """The move that led to a position: its seat, its notation and, if known, the view before it.

    A board uses that view for what the notation leaves out, such as where a character came from.
    """

    seat: int
    move: str
    before: dict[str, Any] | None = None


class Explained(NamedTuple):
    """A notation in words, and the clause of the rules behind it."""

    sentence: str
    clause: str


class Board(NamedTuple):
    """How a ruleset version is drawn, and how its notation is explained.

    `arrange` turns a view, and the last move if one is to be marked, into the context of the version's template:
    coordinates in the drawing, classes, texts. `explain` explains the notation of a legal move; for a text that is no
    notation it returns None.
    """

    arrange: Callable[[dict[str, Any], LastMove | None], dict[str, Any]]
    explain: Callable[[str], Explained | None]
