"""Keys of positions: one for each look of the board, and one for all that symmetries carry into each other."""

from random import Random
from typing import Any

import pytest

from plyscribe.domain.positions import KEY_LENGTH, fold_move, fold_position, position_key, unfold_move
from plyscribe.domain.ruleset import AnyRuleset
from plyscribe.domain.rulesets import find_ruleset
from plyscribe.testing.conformance import sample_positions
from tests.domain.prove import every_ruleset, subject_of

PATHAGON, PORTALS = find_ruleset("pathagon"), find_ruleset("portals")


def follow(ruleset: AnyRuleset, moves: str, **options: Any) -> Any:
    state = ruleset.initial_state(ruleset.parse_options(options), 2)
    for text in filter(None, moves.split(";")):
        state = ruleset.apply_move(state, ruleset.parse_move(state, text))
    return state


def key_of(moves: str) -> str:
    return position_key(PATHAGON, follow(PATHAGON, moves))


def test_a_key_stays_the_same_whatever_led_to_the_position() -> None:
    assert key_of("d4") == "yuectsjkombw6b4ekw5hfq4n"
    assert len(key_of("")) == KEY_LENGTH
    assert key_of("a1;g7;b2;g1") == key_of("b2;g1;a1;g7")
    assert key_of("a1;b2") != key_of("b2;a1")
    assert key_of("a1") != key_of("a1;b2")
    state = follow(PATHAGON, "a1;b2;c3")
    assert position_key(PATHAGON, state._replace(ply=state.ply + 2)) == position_key(PATHAGON, state)


def test_mirrored_positions_have_one_key_and_positions_of_the_other_seat_another() -> None:
    assert len({key_of(move) for move in ("b2", "f2", "b6", "f6")}) == 1
    # A quarter turn would swap the edges of the seats.
    assert key_of("a4") != key_of("d1")


def test_moves_that_a_symmetry_of_the_position_carries_into_each_other_are_one() -> None:
    start = follow(PATHAGON, "")
    folded = fold_position(PATHAGON, start)
    texts = {
        text: fold_move(PATHAGON, folded, PATHAGON.parse_move(start, text)) for text in ("a1", "a7", "g1", "g7", "d4")
    }
    assert set(texts.values()) == {"a1", "d4"}
    assert unfold_move(PATHAGON, folded, start, "g7") == "a1"


def test_a_move_is_unfolded_to_how_the_position_lies() -> None:
    for first, expected in (("b2", "a1"), ("f2", "g1"), ("b6", "a7"), ("f6", "g7")):
        state = follow(PATHAGON, first)
        folded = fold_position(PATHAGON, state)
        assert (
            unfold_move(PATHAGON, folded, state, fold_move(PATHAGON, folded, PATHAGON.parse_move(state, expected)))
            == expected
        )


def test_what_is_no_legal_move_of_the_folded_position_is_unfolded_to_nothing() -> None:
    state = follow(PATHAGON, "d4")
    folded = fold_position(PATHAGON, state)
    assert unfold_move(PATHAGON, folded, state, "d4") is None
    assert unfold_move(PATHAGON, folded, state, "z9") is None


def test_the_mirror_of_portals_runs_through_the_starts_of_two_seats() -> None:
    state = follow(PORTALS, "", first=1)
    [mirror] = PORTALS.symmetries(state)
    assert mirror.map_state(state) == state
    moves = list(PORTALS.legal_moves(state))
    fixed = [PORTALS.format_move(state, move) for move in moves if mirror.map_move(move) == move]
    assert 0 < len(fixed) < len(moves)
    three = PORTALS.initial_state(PORTALS.parse_options({"first": 1}), 3)
    assert PORTALS.symmetries(three) == ()


@every_ruleset
def test_every_legal_move_folds_and_unfolds_to_one_that_leads_to_the_same(ruleset: AnyRuleset) -> None:
    random = Random(5)
    for position in sample_positions(subject_of(ruleset))[::4]:
        state, moves = position.state, position.moves(30)
        folded = fold_position(ruleset, state)
        for move in random.sample(moves, min(3, len(moves))):
            text = unfold_move(ruleset, folded, state, fold_move(ruleset, folded, move))
            assert text is not None
            here, there = (ruleset.apply_move(state, each) for each in (move, ruleset.parse_move(state, text)))
            assert position_key(ruleset, here) == position_key(ruleset, there)
        for symmetry in ruleset.symmetries(state):
            assert position_key(ruleset, symmetry.map_state(state)) == folded.key


@pytest.mark.parametrize("ruleset", ["crystals", "rings", "zhen"])
def test_games_whose_boards_have_no_symmetry_fold_nothing(ruleset: str) -> None:
    rules = find_ruleset(ruleset)
    assert rules.symmetries(rules.initial_state(rules.parse_options({}), 2)) == ()
