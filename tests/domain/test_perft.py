"""Perft: leaf counts, and the file that they are kept in. The plugin `plyscribe.testing` compares those on file."""

from dataclasses import replace

import pytest

from plyscribe.domain.proofs.perft import PerftCase, count_case, divide, explain_mismatch, parse_perft, perft
from tests.domain.toy import TOY_V1


def test_perft_counts_sequences_of_moves_and_no_rolls() -> None:
    plain = TOY_V1.initial_state(TOY_V1.parse_options({"dice": 0}), 2)
    # push and hold; after seat 1 held and seat 2 moved, seat 1 may give its coin too.
    assert [perft(TOY_V1, plain, depth) for depth in range(4)] == [1, 2, 4, 10]
    rolled = TOY_V1.initial_state(TOY_V1.parse_options({}), 2)
    assert perft(TOY_V1, rolled, 1) == 2


def test_a_match_that_is_over_has_no_moves_to_count() -> None:
    case = PerftCase("over", 2, {"dice": 0, "ply_limit": 2})
    assert count_case(TOY_V1, case, 3).counts == (2, 4, 0)


def test_a_divide_adds_up_to_the_perft() -> None:
    state = TOY_V1.initial_state(TOY_V1.parse_options({}), 3)
    by_move = divide(TOY_V1, state, 4, "any")
    assert list(by_move) == ["push", "hold"]
    assert sum(by_move.values()) == perft(TOY_V1, state, 4, "any")


def test_other_dice_count_another_tree() -> None:
    case = PerftCase("dice", 2)
    trees = {count_case(TOY_V1, replace(case, dice=dice), 7).counts for dice in ("a", "b", "c", "a")}
    assert 1 < len(trees) <= 3


def test_a_mismatch_tells_the_depth_and_divides_by_move() -> None:
    expected = count_case(TOY_V1, PerftCase("wrong", 2, {"dice": 0}, moves=("hold", "push")), 3)
    counts = (expected.counts[0], expected.counts[1] + 1, expected.counts[2])
    message = explain_mismatch(TOY_V1, replace(expected, counts=counts))
    assert message == (
        "perft 2 of toy version 1, 'wrong': expected 8, found 7. Divide:\n  push: 2\n  hold: 2\n  give 2 1: 3"
    )


@pytest.mark.parametrize("line", ["perft 2 4", "perft 1 x", "colour red", "seats two", "options {"])
def test_a_perft_file_with_a_line_that_makes_no_sense_is_refused(line: str) -> None:
    with pytest.raises(ValueError, match=r"line|invalid literal|Expecting"):
        parse_perft(f"id a\nseats 2\n{line}\n")
