"""The transcripts on file are what the rulesets do."""

from dataclasses import replace
from difflib import unified_diff
from itertools import islice

import pytest

from plyscribe.domain.errors import RulesetError
from plyscribe.domain.proofs.cases import Cases, behaviour_lines, playthrough_file
from plyscribe.domain.proofs.playthrough import (
    PlaythroughCase,
    Withdrawal,
    choose_steps,
    format_case,
    format_playthrough,
    read_steps,
)
from plyscribe.domain.ruleset import AnyRuleset
from tests.domain.prove import command_for, every_ruleset, read_cases, read_proof, what_to_do
from tests.domain.toy import TOY_V1

DIFF_LINES = 40


@every_ruleset
def test_the_matches_on_file_play_again_as_they_are_told(ruleset: AnyRuleset) -> None:
    for case in read_cases(ruleset).playthroughs:
        name = playthrough_file(case)
        told = read_proof(ruleset, name)
        assert f"case {format_case(case)}" in told.splitlines(), f"{name}: its case changed: run {command_for(ruleset)}"
        difference = compare(ruleset, case, told)
        assert not difference, f"{name}: {difference}"


def compare(ruleset: AnyRuleset, case: PlaythroughCase, told: str) -> str:
    """How the match goes now, beside what the transcript tells, and what to do; empty when it goes alike."""
    try:
        played = format_playthrough(ruleset, case, read_steps(told))
    except RulesetError as error:
        return f"a step is refused now: {error}\n{what_to_do(ruleset)}"
    difference = unified_diff(told.splitlines(), played.splitlines(), "on file", "now", lineterm="", n=1)
    lines = list(islice(difference, DIFF_LINES))
    drawn = behaviour_lines(told) == behaviour_lines(played)
    advice = f"Only the drawing changed: run {command_for(ruleset)}" if drawn else what_to_do(ruleset)
    return "\n".join([*lines, advice]) if lines else ""


def test_a_transcript_is_a_function_of_its_case() -> None:
    case = PlaythroughCase("plain", 3, seed=8)
    steps = choose_steps(TOY_V1, case)
    assert choose_steps(TOY_V1, case) == steps
    assert choose_steps(TOY_V1, replace(case, seed=9)) != steps
    assert read_steps(format_playthrough(TOY_V1, case, steps)) == steps


def test_a_changed_behaviour_shows_as_a_difference() -> None:
    case = PlaythroughCase("plain", 2, seed=8, options={"dice": 0})
    told = format_playthrough(TOY_V1, case, choose_steps(TOY_V1, case))
    assert compare(TOY_V1, case, told) == ""
    assert "-ply 1: seat 1 decides" in compare(TOY_V1, case, told.replace("ply 1: seat 2", "ply 1: seat 1"))
    assert "refused" in compare(TOY_V1, case, told.replace("> move", "> move give 1 1\n> move", 1))


def test_a_changed_drawing_shows_as_no_change_of_behaviour() -> None:
    case = PlaythroughCase("plain", 2, seed=8)
    told = format_playthrough(TOY_V1, case, choose_steps(TOY_V1, case))
    assert "Only the drawing changed" in compare(TOY_V1, case, told.replace("| 1 |1", "| 1 |I"))


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


def test_a_script_that_the_match_outruns_is_refused() -> None:
    case = PlaythroughCase("late", 2, seed=1, options={"ply_limit": 3}, withdrawals=(Withdrawal(4, 1),))
    with pytest.raises(ValueError, match="before withdrawals"):
        choose_steps(TOY_V1, case)


def test_a_match_that_ends_otherwise_than_its_case_says_is_refused() -> None:
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


@every_ruleset
def test_some_match_on_file_ends_by_withdrawal_and_some_at_the_ply_limit(ruleset: AnyRuleset) -> None:
    cases: Cases = read_cases(ruleset)
    ends = [read_proof(ruleset, playthrough_file(case)) for case in cases.playthroughs]
    for reason in ("withdrawal", "ply-limit"):
        assert any(f": over, {reason}, " in text for text in ends), f"no playthrough of {ruleset.id} ends by {reason}"
