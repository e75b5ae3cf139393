"""What the board module of each ruleset provides."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from plyscribe.domain.phrases import Phrase

View = dict[str, Any]

Touches = tuple[str, ...]
"""What somebody touched on a board, in order: the `data-touch` of each part."""


class LastMove(NamedTuple):
    """The move that led to a position: its seat, its notation and, if known, the view before it.

    A board uses that view for what the notation leaves out, such as where a character came from.
    """

    seat: int
    move: str
    before: View | None = None


class Explained(NamedTuple):
    """A notation in words, and the clause of the rules behind it."""

    sentence: str
    clause: str


class Reason(NamedTuple):
    """Why a touch leads to no move, and the clause of the rules behind it."""

    clause: str
    why: Phrase


class Board(NamedTuple):
    """How a ruleset version is drawn, how moves are made on the drawing, and how its notation is explained.

    `arrange` turns a view, the last move if one is to be marked, and the seat that looks at the board, into the context
    of the version's template: coordinates in the drawing, classes, texts. That seat is at the bottom; None is seat 1.

    `explain` explains the notation of a legal move; for a text that is no notation it returns None.

    `trace` lists the ways to make a legal move by touches, most have one. The first touch comes first, the others in
    any order. Moves with the same touches are told apart by a question.

    `guess` says what somebody means who touched this, likeliest first: notations, whose refusals say why they are no
    moves, or the reason itself. It yields at least one.

    `read` says what is to be seen at each place that can be touched, for those who cannot see the board.

    `begin` lists the prefixes of the notations that a first touch can stand for, so that not all moves must be listed.
    The moves with these prefixes include all that begin with this touch.

    `resolve` says what is touched for those names in `trace` that depend on the position and on the seat that moves,
    such as `start`. Other names are touched as they are.
    """

    arrange: Callable[[View, LastMove | None, int | None], dict[str, Any]]
    explain: Callable[[str], Explained | None]
    trace: Callable[[str], Sequence[Touches]] = lambda move: ()
    guess: Callable[[View, Touches], Iterator[str | Reason]] = lambda view, touches: iter(())
    read: Callable[[View], Mapping[str, Phrase]] = lambda view: {}
    begin: Callable[[View, str], Sequence[str]] = lambda view, touch: ("",)
    resolve: Callable[[View, int], Mapping[str, str]] = lambda view, seat: {}
