"""Tricky positions: distinct, reachable, the same ones every time, and of every kind that a ruleset has."""

from functools import cache

from plyscribe.domain.proofs.perft import fixed_dice
from plyscribe.domain.proofs.tricky import REASONS, find_tricky_positions, list_settings
from plyscribe.domain.ruleset import AnyRuleset, Decision, Roll
from tests.domain.prove import every_ruleset
from tests.domain.toy import TOY_V1

WANTED = 30
find_once = cache(lambda ruleset: find_tricky_positions(ruleset, WANTED))


@every_ruleset
def test_there_are_as_many_as_wanted_all_of_them_distinct_and_to_be_decided(ruleset: AnyRuleset):
    found = find_once(ruleset)
    assert len({(str(each.options), each.seats, each.state) for each in found}) == len(found) == WANTED
    for each in found:
        assert ruleset.turn(each.state) == Decision(each.seat)
        assert ruleset.view(each.state)["ply"] == len(each.moves)


@every_ruleset
def test_they_are_the_same_ones_every_time(ruleset: AnyRuleset):
    assert find_tricky_positions(ruleset, WANTED) == find_once(ruleset)


def test_options_stand_at_their_bounds_and_seats_are_few_and_many():
    settings = [(options["dice"], options["ply_limit"], seats) for options, seats in list_settings(TOY_V1)]
    defaults = [(2, 100, seats) for seats in (2, 3, 4)]
    bounds = [(dice, 100, seats) for dice in (0, 3) for seats in (2, 4)]
    assert settings == [*defaults, *bounds, (2, 1, 2), (2, 1, 4), (2, None, 2), (2, None, 4)]


def test_every_reason_is_known_and_the_likely_ones_are_there():
    found = {each.reason for each in find_tricky_positions(TOY_V1, 60)}
    assert found <= set(REASONS)
    assert found >= {"start", "last decision", "longest list", "after a roll", "after a withdrawal"}


def test_positions_without_dice_and_withdrawals_follow_from_their_moves():
    for each in find_tricky_positions(TOY_V1, 60):
        if each.options["dice"] or each.state.left:
            continue
        state = TOY_V1.initial_state(each.options, each.seats)
        for text in each.moves:
            while isinstance(turn := TOY_V1.turn(state), Roll):
                state = TOY_V1.apply_roll(state, fixed_dice("", 0, turn))
            state = TOY_V1.apply_move(state, TOY_V1.parse_move(state, text))
        assert state == each.state
