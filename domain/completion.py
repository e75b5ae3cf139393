"""Putting a move together piece by piece: what may follow what was chosen so far.

A notation is cut into steps. A step is a name (a word, a number, or a field such as d4) with the signs before it, or
the signs at the end: `portal`, ` d4`, ` <c3`, `,c4`, ` >d5`. Nothing here knows any game: what may follow comes from
the legal moves.
"""

import re
from itertools import islice
from typing import Any, NamedTuple

from plyscribe.domain.ruleset import AnyRuleset

MOST = 60_000
"""So many legal moves are looked at. Portals has the most, some 40,000 where all is done for there to be many."""

_match_step = re.compile(r"([^A-Za-z0-9]*)([A-Za-z][0-9]+|[A-Za-z]+(?![0-9])|[0-9]+)|([^A-Za-z0-9]+)").match


class NextStep(NamedTuple):
    """What may be added: its text, the name in it (else its signs), and whether that completes a legal move."""

    text: str
    token: str
    completes: bool


class Composition(NamedTuple):
    """What may follow a text, and what it is already.

    `complete`: the text is a legal move. `finish`: the one legal move that begins so, where there is but one.
    `truncated`: there are more moves than are looked at, and perhaps more steps.
    """

    steps: list[NextStep]
    complete: bool
    finish: str | None
    truncated: bool


def compose(ruleset: AnyRuleset, state: Any, text: str, most: int = MOST) -> Composition:
    """The steps that may follow `text` in a legal move, in the order of the moves; none where no move begins so.

    A name at the end of the text is that name where it can be: after `d1` comes what follows d1, and the 0 of d10 only
    where no move names d1 there.
    """
    found = [ruleset.format_move(state, move) for move in islice(ruleset.legal_moves(state, text), most + 1)]
    whole, within = _Branch(), _Branch()
    known, branch = "\0", whole
    for move in found[:most]:
        # Moves that share a step mostly follow each other, and the sign after it tells that it is the same.
        if not move.startswith(known):
            start, end = _cut(move, text)
            branch = whole if start == len(text) else within
            if start < len(move):
                branch.add(move[len(text) : end], _name(move, start), end == len(move))
            known = "\0" if end == len(move) or move[end].isalnum() else move[: end + 1]
        branch.note(move)
    chosen = whole if whole.count else within
    truncated = len(found) > most
    finish = chosen.first if chosen.count == 1 and not truncated else None
    return Composition(list(chosen.steps.values()), text in found, finish, truncated)


class _Branch:
    """The moves that go on alike: with a new step, or within a name."""

    def __init__(self) -> None:
        self.steps: dict[str, NextStep] = {}
        self.first = ""
        self.count = 0

    def add(self, text: str, token: str, completes: bool) -> None:
        if completes or text not in self.steps:
            self.steps[text] = NextStep(text, token, completes)

    def note(self, move: str) -> None:
        self.first = self.first or move
        self.count += 1


def _cut(move: str, text: str) -> tuple[int, int]:
    """Where the step begins and ends that goes on beyond the text with which the move begins; its end, if none does."""
    start = 0
    while start < len(move):
        found = _match_step(move, start)
        assert found is not None
        if found.end() > len(text):
            return start, found.end()
        start = found.end()
    return start, start


def _name(move: str, start: int) -> str:
    found = _match_step(move, start)
    assert found is not None
    return found[2] or found[3].strip() or found[3]
