"""Variations: steps on a position without a match, in every game."""

from random import Random

import pytest

from plyscribe.domain.effects import Rolled, Withdrew
from plyscribe.domain.errors import BadNotation, IllegalMove, NotInPlay, OptionError, RollError
from plyscribe.domain.mcts import search, weigh_moves
from plyscribe.domain.ruleset import AnyRuleset, Over, Roll
from plyscribe.domain.rulesets import RULESETS, find_ruleset
from plyscribe.domain.variation import Tried, begin, follow

PATHAGON = find_ruleset("pathagon", 1)

every_ruleset = pytest.mark.parametrize("ruleset", RULESETS, ids=lambda each: f"{each.id}_v{each.version}")


def play(ruleset: AnyRuleset, seed: int, most: int) -> tuple[list[Tried], list[object]]:
    """Random steps, and the states after each of them."""
    random, state = Random(seed), begin(ruleset, {}, ruleset.min_seats).state
    steps: list[Tried] = []
    states: list[object] = [state]
    while len(steps) < most and not isinstance(turn := ruleset.turn(state), Over):
        if isinstance(turn, Roll):
            values = tuple(1 + random.randrange(turn.sides) for _ in range(turn.count))
            state, step = ruleset.apply_roll(state, values), Rolled(values)
        else:
            move = ruleset.sample_move(state, random.randrange)
            step, state = ruleset.format_move(state, move), ruleset.apply_move(state, move)
        steps.append(step)
        states.append(state)
    return steps, states


@every_ruleset
def test_a_variation_reaches_what_the_rules_make_of_its_steps(ruleset):
    for seed in range(5):
        steps, states = play(ruleset, seed, 60)
        reached = follow(begin(ruleset, {}, ruleset.min_seats), steps)
        assert reached.state == states[-1]
        assert reached.ply == sum(isinstance(step, str) for step in steps)
        assert reached.last is not None
        assert (reached.last.before, reached.last.after) == (states[-2], states[-1])
        assert reached.last.list_effects(ruleset)


@every_ruleset
def test_a_variation_goes_on_from_where_another_ended(ruleset):
    steps, _ = play(ruleset, 7, 40)
    start = begin(ruleset, {}, ruleset.min_seats)
    assert follow(follow(start, steps[:20]), steps[20:]) == follow(start, steps)


def test_the_first_refused_step_is_named():
    start = begin(PATHAGON, {}, 2)
    with pytest.raises(IllegalMove) as refused:
        follow(start, ["d4", "d4", "nonsense"])
    assert (refused.value.clause, refused.value.details["step"]) == ("PA4", 1)
    with pytest.raises(BadNotation) as unread:
        follow(start, ["d4", "nonsense"])
    assert unread.value.details["step"] == 1
    with pytest.raises(RollError) as rolled:
        follow(start, [Rolled((1,))])
    assert rolled.value.details["step"] == 0


def test_a_seat_can_leave_once():
    start = begin(PATHAGON, {}, 2)
    assert isinstance(PATHAGON.turn(follow(start, ["d4", Withdrew(2)]).state), Over)
    with pytest.raises(NotInPlay) as refused:
        follow(start, [Withdrew(2), Withdrew(2)])
    assert refused.value.details["step"] == 1


def test_a_variation_begins_with_options_and_seats_that_fit():
    assert len(PATHAGON.view(begin(PATHAGON, {"size": 5}, 2).state)["board"]) == 5
    for options, seats in (({"size": 99}, 2), ({"nonsense": 1}, 2), ({}, 3)):
        with pytest.raises(OptionError):
            begin(PATHAGON, options, seats)


@every_ruleset
def test_the_best_suggestion_is_the_move_of_the_search(ruleset):
    _, states = play(ruleset, 3, 25)
    state = next(each for each in reversed(states) if next(ruleset.legal_moves(each), None) is not None)
    found = weigh_moves(ruleset, state, 40, Random("a").randrange)
    assert found[0].move == search(ruleset, state, 40, Random("a").randrange)
    assert sum(each.share for each in found) == pytest.approx(1)
    assert [each.share for each in found] == sorted((each.share for each in found), reverse=True)
    assert all(-1 <= each.gain <= 1 for each in found)
