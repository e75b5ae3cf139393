"""Moves are put together step by step: every legal move can be reached, and nothing else."""

from collections.abc import Iterator
from itertools import islice
from random import Random
from typing import Any

import pytest

from plyscribe.domain.completion import Composition, NextStep, compose
from plyscribe.domain.ruleset import AnyRuleset, Decision, Over, Roll
from plyscribe.domain.rulesets import RULESETS, find_ruleset
from tests.domain.toy import TOY_V1


def name_of(ruleset: AnyRuleset) -> str:
    return f"{ruleset.id}_v{ruleset.version}"


def play(ruleset: AnyRuleset, moves: str, seats: int = 2, **options: Any) -> Any:
    state = ruleset.initial_state(ruleset.parse_options(options), seats)
    for move in filter(None, moves.split("|")):
        state = ruleset.apply_move(state, ruleset.parse_move(state, move))
    return state


class Listed:
    """As much of a ruleset as composing needs: these are the legal moves."""

    def __init__(self, *moves: str) -> None:
        self.moves = moves

    def legal_moves(self, _: Any, prefix: str) -> Iterator[str]:
        return (move for move in self.moves if move.startswith(prefix))

    def format_move(self, _: Any, move: str) -> str:
        return move


def random_decisions(ruleset: AnyRuleset, seed: int) -> Iterator[Any]:
    """States of a random match in which a move is due."""
    random = Random(seed)
    seats = random.randint(ruleset.min_seats, ruleset.max_seats)
    state = ruleset.initial_state(ruleset.parse_options({}), seats)
    while True:
        match ruleset.turn(state):
            case Decision():
                yield state
                state = ruleset.apply_move(state, ruleset.sample_move(state, random.randrange))
            case Roll(sides, count):
                state = ruleset.apply_roll(state, tuple(random.randint(1, sides) for _ in range(count)))
            case Over():
                return


def some_states(ruleset: AnyRuleset) -> Iterator[Any]:
    for seed in range(3):
        yield from islice(random_decisions(ruleset, seed), seed, 150, 23)


def reach_all(ruleset: AnyRuleset, state: Any, text: str = "") -> Iterator[str]:
    """All moves that steps lead to."""
    composed = compose(ruleset, state, text)
    if composed.complete:
        yield text
    for step in composed.steps:
        assert step.completes == compose(ruleset, state, text + step.text).complete
        yield from reach_all(ruleset, state, text + step.text)


def texts(composed: Composition) -> list[str]:
    return [step.text for step in composed.steps]


@pytest.mark.parametrize("ruleset", [*RULESETS, TOY_V1], ids=name_of)
def test_steps_lead_to_every_legal_move_once_and_to_nothing_else(ruleset):
    for state in islice(some_states(ruleset), 0, None, 3):
        legal = [ruleset.format_move(state, move) for move in ruleset.legal_moves(state)]
        if len(legal) < 500:
            assert sorted(reach_all(ruleset, state)) == sorted(legal)


@pytest.mark.parametrize("ruleset", [*RULESETS, TOY_V1], ids=name_of)
def test_whoever_takes_any_step_each_time_ends_with_a_legal_move(ruleset):
    random = Random(7)
    for state in some_states(ruleset):
        composed, text = compose(ruleset, state, ""), ""
        while composed.steps:
            text += random.choice(composed.steps).text
            composed = compose(ruleset, state, text)
        assert composed.complete
        ruleset.parse_move(state, text)


def test_a_step_is_a_name_with_the_signs_before_it():
    portals = find_ruleset("portals")
    state = play(portals, "", first=1, radius=2)
    assert {step.token for step in compose(portals, state, "").steps} == {"portal", "enter"}
    [field, *_] = compose(portals, state, "portal").steps
    assert (field.text, field.completes) == (f" {field.token}", False)
    [arrow, *_] = compose(portals, state, f"portal{field.text}").steps
    assert arrow.text in (f" <{arrow.token}", f" >{arrow.token}")
    assert arrow.completes


def test_signs_at_the_end_are_a_step_of_their_own():
    spin = [NextStep(" +", "+", True), NextStep(" -", "-", True)]
    rings = find_ruleset("rings")
    state = next(state for state in some_states(rings) if "T spin a +" in reach_all(rings, state))
    assert compose(rings, state, "T spin a").steps == spin


def test_a_sign_may_be_a_letter_between_two_fields():
    rings = Listed("M ally 3 b3xb4", "M ally 3 b3xb5")
    assert compose(rings, None, "M ally 3").steps == [NextStep(" b3", "b3", False)]
    assert compose(rings, None, "M ally 3 b3").steps == [NextStep("x", "x", False)]
    assert texts(compose(rings, None, "M ally 3 b3x")) == ["b4", "b5"]


def test_a_name_is_not_taken_for_the_beginning_of_a_longer_one():
    zhen = Listed("1-2", "10-2", "10-3", "T 1", "TT 1")
    assert texts(compose(zhen, None, "")) == ["1", "10", "T", "TT"]
    assert texts(compose(zhen, None, "1")) == ["-2"]
    assert compose(zhen, None, "1").finish == "1-2"
    assert texts(compose(zhen, None, "T")) == [" 1"]
    assert texts(compose(Listed("10-2", "12-2"), None, "1")) == ["0", "2"]


def test_what_is_typed_may_end_within_a_name_be_complete_or_lead_to_nothing():
    portals = find_ruleset("portals")
    state = play(portals, "", first=1)
    assert compose(portals, state, "por").steps == [NextStep("tal", "portal", False)]
    portals = Listed("launch d4", "launch d4 demons d5")
    assert compose(portals, None, "launch d4") == Composition([NextStep(" demons", "demons", False)], True, None, False)
    assert compose(portals, None, "launch").steps == [NextStep(" d4", "d4", True)]
    pathagon = find_ruleset("pathagon")
    for text in ("z9", "d4 ", "portal", "ä", "\n"):
        assert compose(pathagon, play(pathagon, "d4"), text) == Composition([], False, None, False)


def test_the_one_move_that_begins_so_is_told():
    pathagon = find_ruleset("pathagon")
    state = play(pathagon, "d4|e5")
    assert compose(pathagon, state, "").finish is None
    assert compose(pathagon, state, "a1").finish == "a1"
    assert compose(Listed("d4-e5", "d4-e6", "c4-e7"), None, "c").finish == "c4-e7"


def test_more_moves_than_are_looked_at_are_told_of():
    pathagon = find_ruleset("pathagon")
    state = play(pathagon, "")
    composed = compose(pathagon, state, "", most=5)
    assert composed.truncated
    assert len(composed.steps) == 5
    assert compose(pathagon, state, "d4", most=1) == Composition([], True, "d4", False)
