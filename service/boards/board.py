"""What a ruleset's board module gives."""

from collections.abc import Callable
from typing import Any, NamedTuple


class LastMove(NamedTuple):
    """The move that led to a position: who made it, its notation, and where known the view that it was made in.

    Of that view a board takes what a notation leaves out, such as where a character came from.
    """

    seat: int
    move: str
    before: dict[str, Any] | None = None


class Explained(NamedTuple):
    """A notation in words, and the clause of the rules that it comes under."""

    sentence: str
    clause: str


class Board(NamedTuple):
    """How a ruleset version is drawn and its notation told.

    `arrange` turns a view, and the last move if one is to be marked, into what the template of that version reads:
    places in units of the drawing, classes, texts. `explain` tells a legal move's notation, None for any other text.
    """

    arrange: Callable[[dict[str, Any], LastMove | None], dict[str, Any]]
    explain: Callable[[str], Explained | None]
