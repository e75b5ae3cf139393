"""A query for steps that was read: tests of single steps, and what a match must have so that they can hold.

`query_language` makes it from text, and `step_search` carries it out.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

Effects = Sequence[Sequence[Any]]
"""Effects as they are stored: their fields in order."""


class TestedStep(NamedTuple):
    """A step as a query sees it."""

    ply: int
    seat: int | None
    move: str | None
    effects: Effects
    position: str | None
    """The key of the position before it; None beyond the opening, and for a step that is no move."""


Test = Callable[[TestedStep], bool]
EffectTest = Callable[[Sequence[Any]], bool]


class Need(NamedTuple):
    """A match has one of these terms, or came through one of these positions; or else no step of it can pass."""

    terms: frozenset[str] = frozenset()
    positions: frozenset[str] = frozenset()


class Query(NamedTuple):
    """What is searched for: steps that pass the last test, after one that passed the test before it, and so on."""

    tests: tuple[Test, ...]
    needs: tuple[Need, ...]
