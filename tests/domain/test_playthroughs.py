"""Playthroughs: how they are chosen, told and compared. The plugin `plyscribe.testing` plays those on file again."""

from dataclasses import replace

import pytest

from plyscribe.domain.proofs.playthrough import (
    PlaythroughCase,
    Withdrawal,
    choose_steps,
    format_playthrough,
    read_steps,
)
from plyscribe.testing.proofs import compare
from tests.domain.prove import subject_of
from tests.domain.toy import TOY_V1

TOY = subject_of(TOY_V1)


def test_a_transcript_is_a_function_of_its_case() -> None:
    case = PlaythroughCase("plain", 3, seed=8)
    steps = choose_steps(TOY_V1, case)
    assert choose_steps(TOY_V1, case) == steps
    assert choose_steps(TOY_V1, replace(case, seed=9)) != steps
    assert read_steps(format_playthrough(TOY_V1, case, steps)) == steps


def test_a_changed_behaviour_shows_as_a_difference() -> None:
    case = PlaythroughCase("plain", 2, seed=8, options={"dice": 0})
    told = format_playthrough(TOY_V1, case, choose_steps(TOY_V1, case))
    assert compare(TOY, case, told) == ""
    assert "-ply 1: seat 1 decides" in compare(TOY, case, told.replace("ply 1: seat 2", "ply 1: seat 1"))
    assert "refused" in compare(TOY, case, told.replace("> move", "> move give 1 1\n> move", 1))


def test_a_changed_drawing_shows_as_no_change_of_behaviour() -> None:
    case = PlaythroughCase("plain", 2, seed=8)
    told = format_playthrough(TOY_V1, case, choose_steps(TOY_V1, case))
    assert "Only the drawing changed" in compare(TOY, case, told.replace("| 1 |1", "| 1 |I"))


def test_moves_rolls_and_withdrawals_come_as_scripted() -> None:
    case = PlaythroughCase(
        "scripted",
        seats=3,
        seed=1,
        moves=("push", "hold"),
        rolls=((7, 7), (1,), (2,), (3,), (4, 5)),
        withdrawals=(Withdrawal(1, 3, "decision"),),
    )
    assert choose_steps(TOY_V1, case)[:8] == [
        *("roll 7 7", "roll 1", "roll 2", "roll 3"),
        *("move push", "roll 4 5", "withdraw 3", "move hold"),
    ]


def test_a_withdrawal_can_await_the_roll_of_one_seat() -> None:
    rolls = ((7, 7), (1,), (2,))
    case = PlaythroughCase("scripted", 3, seed=1, rolls=rolls, withdrawals=(Withdrawal(0, 3, "roll 3"),))
    assert choose_steps(TOY_V1, case)[:4] == ["roll 7 7", "roll 1", "roll 2", "withdraw 3"]


def test_a_script_that_the_match_outruns_or_that_ends_otherwise_is_refused() -> None:
    case = PlaythroughCase("late", 2, seed=1, options={"ply_limit": 3}, withdrawals=(Withdrawal(4, 1),))
    with pytest.raises(ValueError, match="before withdrawals"):
        choose_steps(TOY_V1, case)
    with pytest.raises(ValueError, match="ended by 'ply-limit', not by 'finish'"):
        choose_steps(TOY_V1, PlaythroughCase("short", 2, seed=1, options={"ply_limit": 1}, ends="finish"))


def test_greedy_play_takes_what_looks_better() -> None:
    case = PlaythroughCase("race", 4, seed=5, options={"dice": 0})
    assert "move hold" in choose_steps(TOY_V1, case)
    assert set(choose_steps(TOY_V1, replace(case, greedy=9))) == {"move push"}


def test_a_sparse_transcript_still_pins_every_view() -> None:
    case = PlaythroughCase("sparse", 2, seed=1, options={"dice": 0}, every=4)
    lines = format_playthrough(TOY_V1, case, choose_steps(TOY_V1, case)).splitlines()
    plies = [line for line in lines if line.startswith("ply ")]
    views = [line for line in lines if line.startswith(("  ruleset ", "view sha256 "))]
    assert len(plies) == len(views)
