"""How many moves a position has: counted, or estimated from a sample where they are too many to list."""

from collections import Counter
from collections.abc import Iterable
from itertools import islice
from typing import Any, NamedTuple

from plyscribe.domain.ruleset import AnyRuleset, RandBelow

MOST_LISTED = 1000
"""A position with more moves than this is sampled."""

DRAWS = 1000
"""Moves that are drawn from such a position."""


class MoveCount(NamedTuple):
    """The number of legal moves of a position: exact, or an estimate that is rather too low than too high."""

    number: int
    is_exact: bool
    moves: list[Any]
    """All moves, or those that were drawn, each once."""


def count_moves(ruleset: AnyRuleset, state: Any, randbelow: RandBelow) -> MoveCount:
    """The number of legal moves of a state that waits for a decision."""
    moves = list(islice(ruleset.legal_moves(state), MOST_LISTED + 1))
    if len(moves) <= MOST_LISTED:
        return MoveCount(len(moves), True, moves)
    drawn = Counter(ruleset.sample_move(state, randbelow) for _ in range(DRAWS))
    return MoveCount(max(len(moves), round(estimate_kinds(drawn.values()))), False, list(drawn))


def estimate_kinds(counts: Iterable[int]) -> float:
    """How many kinds there are at least, from how often each of those that were drawn was drawn.

    Chao's estimate (1984), in the form that corrects its bias: seen + once (once - 1) / (2 (twice + 1)). It holds for
    any distribution: a lower bound, which all kinds being equally likely makes an estimate of the number itself.

    >>> estimate_kinds([1, 1, 1, 2, 5])
    6.5
    """
    seen = Counter(counts)
    once, twice = seen[1], seen[2]
    return seen.total() + once * (once - 1) / (2 * (twice + 1))
