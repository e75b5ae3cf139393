"""What the ids of actions mean.

A move is a path of ids: one id where a ruleset has few moves, several where it has very many. Every legal move has
exactly one path, and no path is the beginning of another. They depend on nothing but the ruleset, its options and the
number of seats.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from hashlib import sha256
from itertools import groupby
from typing import Any

from plyscribe.domain.ruleset import AnyRuleset

Path = tuple[int, ...]
"""The ids chosen so far for a move, or all of them."""


class Actions(ABC):
    """The ids 0 .. size - 1 of a ruleset under its options."""

    version: int = 1
    """Goes up when an id changes its meaning."""
    size: int
    longest: int
    """The most ids that a move takes."""

    @abstractmethod
    def list_ids(self, ruleset: AnyRuleset, state: Any, path: Path) -> list[int]:
        """The ids that continue this path towards a legal move, ascending; empty exactly if nobody decides.

        `path` must be empty or made of ids that were listed.
        """

    @abstractmethod
    def find_move(self, ruleset: AnyRuleset, state: Any, path: Path) -> Any | None:
        """The legal move at the end of this path; None while it needs more ids."""

    @abstractmethod
    def find_path(self, ruleset: AnyRuleset, state: Any, move: Any) -> Path:
        """The path of a legal move; inverse of find_move."""

    @abstractmethod
    def describe(self, id: int) -> str:
        """What the id means, in any state."""

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of all ids with their meaning, in hex: equal exactly if all ids mean the same."""
        lines = (f"{id} {self.describe(id)}\n" for id in range(self.size))
        return sha256("".join(lines).encode()).hexdigest()


class Catalogue(Actions):
    """One id for each notation that a move can ever have, in a fixed order."""

    longest = 1

    def __init__(self, notations: Iterable[str]) -> None:
        self.notations = tuple(notations)
        self._ids = {notation: id for id, notation in enumerate(self.notations)}
        self.size = len(self.notations)
        if len(self._ids) < self.size:
            raise ValueError("a notation is listed twice: give each move one id")

    def list_ids(self, ruleset: AnyRuleset, state: Any, path: Path) -> list[int]:
        """The ids of the legal moves."""
        return sorted([self._find_id(ruleset.format_move(state, move)) for move in ruleset.legal_moves(state)])

    def find_move(self, ruleset: AnyRuleset, state: Any, path: Path) -> Any | None:
        """The move with this notation."""
        return ruleset.parse_move(state, self.notations[path[0]]) if path else None

    def find_path(self, ruleset: AnyRuleset, state: Any, move: Any) -> Path:
        """Its one id."""
        return (self._find_id(ruleset.format_move(state, move)),)

    def describe(self, id: int) -> str:
        """The notation."""
        return self.notations[id]

    def _find_id(self, notation: str) -> int:
        try:
            return self._ids[notation]
        except KeyError:
            raise LookupError(
                f"the legal move {notation!r} has no id: add its notation to the catalogue of the ruleset's moves"
            ) from None


END = 0
FIRST, LAST = 0x20, 0x7E


class Spelling(Actions):
    """The notation of a move, one printable ASCII character an id, then id 0: for any ruleset.

    Id 1 is the blank, and each further id the next character of ASCII. All moves are listed once for each decision, so
    a ruleset with very many moves is slow; an action space of its own is better then.
    """

    size = LAST - FIRST + 2
    longest = 256

    def __init__(self) -> None:
        self._known: tuple[Any, dict[str, Any]] = (None, {})

    def list_ids(self, ruleset: AnyRuleset, state: Any, path: Path) -> list[int]:
        """The characters with which the notation of a legal move goes on; 0 where it ends."""
        start, length = _spell(path), len(path)
        notations = [text for text in self._list_moves(ruleset, state) if text.startswith(start)]
        return sorted({ord(text[length]) - FIRST + 1 if len(text) > length else END for text in notations})

    def find_move(self, ruleset: AnyRuleset, state: Any, path: Path) -> Any | None:
        """The move that is spelled out, once id 0 was chosen."""
        return self._list_moves(ruleset, state)[_spell(path[:-1])] if path and path[-1] == END else None

    def find_path(self, ruleset: AnyRuleset, state: Any, move: Any) -> Path:
        """Its characters, then 0."""
        return (*(ord(character) - FIRST + 1 for character in ruleset.format_move(state, move)), END)

    def describe(self, id: int) -> str:
        """The character in quotation marks, or `end`."""
        return repr(chr(id + FIRST - 1)) if id else "end"

    def _list_moves(self, ruleset: AnyRuleset, state: Any) -> dict[str, Any]:
        known, moves = self._known
        if known is not state:
            moves = {ruleset.format_move(state, move): move for move in ruleset.legal_moves(state)}
            self._known = state, moves
        return moves


def _spell(path: Path) -> str:
    return "".join(chr(id + FIRST - 1) for id in path)


def shorten(ids: Sequence[int]) -> str:
    """Ids as ranges, for messages.

    >>> shorten([0, 1, 2, 7])
    '0-2 7'
    """
    return " ".join(_list_ranges(ids))


def _list_ranges(ids: Sequence[int]) -> Iterator[str]:
    for _, group in groupby(enumerate(ids), lambda pair: pair[1] - pair[0]):
        run = [id for _, id in group]
        yield str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}"
