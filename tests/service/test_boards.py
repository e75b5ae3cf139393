"""Positions of random matches to draw, and the moves in them, which the boards explain."""

from collections.abc import Iterator
from itertools import islice
from random import Random
from typing import Any

import pytest

from plyscribe.domain.ruleset import AnyRuleset, Decision, Over, Roll
from plyscribe.domain.rulesets import RULESETS
from plyscribe.service.boards import BOARDS, explain_move
from plyscribe.service.boards.board import LastMove
from plyscribe.service.rulebooks import read_clauses

DRAWN = [each for each in RULESETS if (each.id, each.version) in BOARDS]


def name_of(ruleset: AnyRuleset) -> str:
    return f"{ruleset.id}_v{ruleset.version}"


def random_positions(
    ruleset: AnyRuleset, seats: int, seed: int, options: dict[str, int] | None = None
) -> Iterator[tuple[Any, LastMove | None]]:
    """All states of a random match, each with the move that led to it."""
    randbelow, last = Random(seed).randrange, None
    state = ruleset.initial_state(ruleset.parse_options(options or {}), seats)
    while True:
        yield state, last
        match ruleset.turn(state):
            case Decision(seat):
                move = ruleset.sample_move(state, randbelow)
                last = LastMove(seat, ruleset.format_move(state, move), ruleset.view(state))
                state = ruleset.apply_move(state, move)
            case Roll(sides, count):
                state = ruleset.apply_roll(state, tuple(1 + randbelow(sides) for _ in range(count)))
            case Over():
                return


def some_positions(ruleset: AnyRuleset, every: int = 7) -> Iterator[tuple[Any, LastMove | None]]:
    for seats in range(ruleset.min_seats, ruleset.max_seats + 1):
        yield from islice(random_positions(ruleset, seats, seats), 0, 300, every)


@pytest.mark.parametrize("ruleset", DRAWN, ids=name_of)
def test_every_legal_move_is_explained_by_a_clause_of_the_rules_and_nothing_else_is(ruleset):
    clauses = read_clauses(ruleset.id, ruleset.version)
    for state, _ in some_positions(ruleset, every=20):
        for move in islice(ruleset.legal_moves(state), 300):
            explained = explain_move(ruleset, ruleset.format_move(state, move))
            assert explained is not None, ruleset.format_move(state, move)
            assert explained.clause in clauses
            assert explained.sentence.endswith(".")
    assert explain_move(ruleset, "no move of any game") is explain_move(ruleset, "") is None
