"""Completing a move step by step: what may follow the part that was chosen so far.

A notation is cut into steps. A step is a name (a word, a number, or a field such as d4) with the signs before it, or
the signs at the end: `portal`, ` d4`, ` <c3`, `,c4`, ` >d5`. This works for any game: steps come from its legal moves.
"""

import re
from itertools import islice
from typing import Any, NamedTuple

from plyscribe.domain.ruleset import AnyRuleset

MOST = 60_000
"""The most legal moves that are examined. Portals has the most, some 40,000 in positions built to have many."""

_match_step = re.compile(r"([^A-Za-z0-9]*)([A-Za-z][0-9]+|[A-Za-z]+(?![0-9])|[0-9]+)|([^A-Za-z0-9]+)").match


class NextStep(NamedTuple):
    """A step: its text, the name in it (or else its signs), and whether it completes a legal move."""

    text: str
    token: str
    completes: bool


class Composition(NamedTuple):
    """The steps that may follow a text, and what it is already.

    `complete`: the text is a legal move. `finish`: the only legal move that begins with the text, if there is just one.
    `truncated`: not all moves were examined, so steps may be missing.
    """

    steps: list[NextStep]
    complete: bool
    finish: str | None
    truncated: bool


def compose(ruleset: AnyRuleset, state: Any, text: str, most: int = MOST) -> Composition:
    """The steps that may follow `text` in a legal move, in the order of the moves; none if no move begins with it.

    A name at the end of the text counts as complete if it can: after `d1` come the steps after d1, and the 0 of d10
    only if no move has d1 there.
    """
    found = [ruleset.format_move(state, move) for move in islice(ruleset.legal_moves(state, text), most + 1)]
    whole, within = _Branch(), _Branch()
    known, branch = "\0", whole
    for move in found[:most]:
        # Moves that share a step mostly come together; the sign after the step shows that it is the same one.
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
    """The moves that continue in the same way: with a new step, or within a name."""

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
    """The bounds of the first step of the move that ends behind the text, its prefix; the move's end if none does."""
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
