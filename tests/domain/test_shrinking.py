"""Shrinking: what is left is legal, still shows it, and is as small as such a match can be."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from plyscribe.domain.proofs.playthrough import apply_step
from plyscribe.domain.proofs.shrinking import Shows, shrink
from plyscribe.domain.proofs.trials import Trial, Walk, draw_walk, walk
from plyscribe.domain.ruleset import AnyRuleset, Over
from plyscribe.domain.rulesets import find_ruleset
from plyscribe.testing.conformance import play_matches
from tests.domain.prove import every_ruleset, settings_of
from tests.domain.toy import TOY_V1, Hold, Push, Race, ToyMove, answering

PATHAGON, ZHEN = find_ruleset("pathagon"), find_ruleset("zhen")


def drawn(ruleset: AnyRuleset, seed: int = 0, seats: int = 2, most: int = 400, **options: Any) -> Trial:
    begun = Trial(seats, ruleset.parse_options(options))
    return draw_walk(ruleset, begun, str(seed), most, leaving=seats > 2).trial


def first(holds: Callable[[Any], object]) -> Shows:
    """It shows after the first step whose state is so."""
    return lambda walked: next((steps for steps, state in enumerate(walked.states) if holds(state)), None)


def ends_by(reason: str) -> Callable[[Any], bool]:
    return lambda state: state.over is not None and state.over.reason == reason


@pytest.mark.parametrize(
    ("ruleset", "holds", "steps"),
    [
        (PATHAGON, lambda state: state.closed, 3),  # one's own piece, an enemy's, one's own again
        (PATHAGON, lambda state: state.closed.bit_count() == 2, 5),
        (PATHAGON, lambda state: state.resting, 12),  # first five pieces of each seat are placed
        (PATHAGON, ends_by("path"), 9),  # five squares of one seat
        (PATHAGON, ends_by("ply-limit"), 1),
        (ZHEN, lambda state: state.line & 1023, 5),  # both seats' cubes meet on tile 1 and go into the goal
        (ZHEN, lambda state: state.line >> 10 & 31 == 2, 5),
    ],
    ids=["trap", "double trap", "rest", "path", "limit", "goal", "two cubes"],
)
def test_a_match_shrinks_to_the_fewest_steps(ruleset, holds, steps):
    shrunk = [shrink(ruleset, drawn(ruleset, seed), first(holds)) for seed in range(4)]
    assert {len(each.trial.steps) for each in shrunk if each} == {steps}
    assert all(each.is_done for each in shrunk if each)


@every_ruleset
def test_the_rest_is_legal_and_shows_it_after_its_last_step(ruleset):
    seats = ruleset.max_seats

    def holds(state: Any) -> bool:
        return ruleset.view(state)["ply"] >= 3

    shrunk = shrink(ruleset, drawn(ruleset, seats=seats, most=40), first(holds), most_runs=150)
    assert shrunk is not None
    (left, options, steps), states = shrunk.walk
    state = ruleset.initial_state(options, left)
    for step, after in zip(steps, states[1:], strict=True):
        assert not holds(state)
        state = apply_step(ruleset, state, step)
        assert state == after
    assert holds(state)
    assert left <= seats


def test_seats_and_options_that_do_not_matter_become_fewest_and_defaults_and_others_small():
    trial = drawn(TOY_V1, seats=4, most=9, dice=3, ply_limit=50)
    trial = trial._replace(steps=(*trial.steps, "withdraw 4"))
    shrunk = shrink(TOY_V1, trial, first(lambda state: TOY_V1.view(state)["left"]))
    assert shrunk is not None
    assert shrunk.trial == Trial(2, TOY_V1.parse_options({}), ("withdraw 2",))
    shrunk = shrink(PATHAGON, drawn(PATHAGON, ply_limit=31), first(ends_by("ply-limit")))
    assert shrunk is not None
    assert shrunk.trial.options["ply_limit"] == 1


def test_moves_and_dice_that_do_not_matter_become_the_simplest():
    shrunk = shrink(PATHAGON, drawn(PATHAGON), first(lambda state: state.ply == 2))
    assert shrunk is not None
    assert shrunk.trial.steps == ("move a1", "move a2")
    rolled = shrink(TOY_V1, drawn(TOY_V1), first(lambda state: state.ply == 1))
    assert rolled is not None
    assert {value for step in rolled.trial.steps if step.startswith("roll") for value in step.split()[1:]} <= {"1"}


def test_the_runs_are_bounded():
    runs = 0

    def shows(walked: Walk) -> int | None:
        nonlocal runs
        runs += 1
        return first(lambda state: state.resting)(walked)

    shrunk = shrink(PATHAGON, drawn(PATHAGON), shows, most_runs=20)
    assert shrunk is not None
    assert (runs, shrunk.runs, shrunk.is_done) == (20, 20, False)


def test_what_does_not_show_is_not_shrunk_and_the_same_arguments_give_the_same_match():
    assert shrink(PATHAGON, drawn(PATHAGON), lambda walked: None) is None
    one, two = (shrink(PATHAGON, drawn(PATHAGON, 3), first(lambda state: state.closed)) for _ in range(2))
    assert one == two


# ---- walks


def test_steps_that_are_not_legal_are_left_out_and_options_that_do_not_fit_make_no_walk():
    walked = walk(PATHAGON, Trial(2, PATHAGON.parse_options({}), ("move a1", "move a1", "move x", "roll 3", "move a2")))
    assert walked is not None
    assert walked.trial.steps == ("move a1", "move a2")
    assert len(walked.states) == 3
    assert walk(PATHAGON, Trial(3, PATHAGON.parse_options({}))) is None
    walked = walk(TOY_V1, Trial(2, TOY_V1.parse_options({"dice": 1}), ("roll 9 9", "move hold")))
    assert walked is not None
    assert walked.trial.steps == ("roll 1 1", "roll 1", "roll 1", "move hold")


def test_a_drawn_match_is_a_function_of_its_seed_and_ends_or_is_cut():
    trial = Trial(2, ZHEN.parse_options({}))
    assert draw_walk(ZHEN, trial, "a", 500) == draw_walk(ZHEN, trial, "a", 500)
    assert draw_walk(ZHEN, trial, "a", 500) != draw_walk(ZHEN, trial, "b", 500)
    assert isinstance(ZHEN.turn(draw_walk(ZHEN, trial, "a", 500).states[-1]), Over)
    assert len(draw_walk(ZHEN, trial, "a", 7, greedy=3).trial.steps) == 7


# ---- property tests


def count_a_hold_twice(after: Race, state: Race, move: ToyMove) -> Race:
    return replace(after, ply=after.ply + 1) if isinstance(move, Hold) and state.ply >= 2 else after


def break_at_a_push(after: Race, state: Race, move: ToyMove) -> Race:
    if isinstance(move, Push) and state.ply >= 2:
        raise LookupError("nobody pushes so late")
    return after


@pytest.mark.parametrize(
    ("fault", "last"), [(count_a_hold_twice, "move hold"), (break_at_a_push, "move push")], ids=["after", "during"]
)
def test_a_random_match_that_fails_is_shown_shrunk(fault, last):
    with pytest.raises((AssertionError, LookupError)) as caught:
        play_matches(answering("apply_move", fault)(), settings_of(TOY_V1), 600)
    [note] = caught.value.__notes__
    head, setting, *steps = note.splitlines()
    assert head.startswith("the smallest match that fails like this, 3 of ")
    assert setting == '2 seats, options {"dice":0,"ply_limit":100}'
    assert (len(steps), steps[-1]) == (3, last)


def test_a_sound_ruleset_has_nothing_to_shrink():
    assert play_matches(TOY_V1, settings_of(TOY_V1), 300)
