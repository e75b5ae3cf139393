"""Rings, what steps did: the effects in their order, as lines of a playthrough; test names begin with the clause."""

from plyscribe.domain.effects import Moved, Rolled, Step
from plyscribe.domain.proofs.playthrough import format_effect, take_step
from plyscribe.domain.rulesets.rings_v1 import RINGS_V1
from plyscribe.domain.rulesets.rings_v1.state import State
from tests.domain.rings_tables import ALLIES, play, table

PASS = {1: "MM", 2: "RR"}


def list_lines(state: State, step: Step) -> list[str]:
    effects = RINGS_V1.effects(state, step, take_step(RINGS_V1, state, step))
    return [format_effect(effect).removeprefix("= ") for effect in effects]


def after_move(state: State, text: str) -> list[str]:
    return list_lines(state, Moved(RINGS_V1.parse_move(state, text)))


def after_roll(state: State, *values: int) -> list[str]:
    return list_lines(state, Rolled(values))


def test_ri7_dice_that_expire_end_one_turn_after_another() -> None:
    state = table("top:2B", seats=3, dice={1: "RM", 2: "M", 3: "MM"}, pass_=2, supply={2: "R"}, terrain=["HHHHHHH"] * 4)
    assert after_move(state, "R +warrior") == [
        "recruited RI9* seat 1 piece warrior from supply to s1",
        "paid RI8 seat 1 amount 1 word recruit",
        "expired RI7 owner 1 amount 1 word move",
        "turn-ended RI6 owner 1",
        "turn-began RI6 owner 2",
        "expired RI7 owner 2 amount 1 word move",
        "turn-ended RI6 owner 2",
        "scored RI22 owner 2 piece blocker to top amount 1",
        "turn-began RI6 owner 3",
    ]


def test_ri17_an_alliance_from_the_proposal_to_the_die() -> None:
    state = table(ALLIES, seats=3, dice={1: "TTM"})
    assert after_move(state, "TT ally 3 b3xb4") == ["proposed RI17* seat 1 owner 3 from b3 to b4 amount 2 word turn"]
    asked = play(state, "TT ally 3 b3xb4")
    assert after_move(asked, "decline") == ["declined RI17* seat 3 owner 1"]
    assert after_move(asked, "accept b5") == [
        "accepted RI17* seat 3 owner 1 from b5 to b4",
        "paid RI8 seat 1 amount 2 word turn",
    ]
    accepted = play(asked, "accept b5")
    assert after_roll(accepted, 3) == [
        "rolled RI17 seat 1 amount 3 word alliance",
        "killed RI17 seat 1 owner 2 piece blocker from b4 word supply",
        "killed RI17 seat 1 owner 1 piece warrior from b3 word supply",
    ]
    assert after_roll(accepted, 4)[1:] == [
        "killed RI17 seat 1 owner 2 piece blocker from b4 word supply",
        "killed RI17 seat 1 owner 3 piece warrior from b5 word supply",
        "moved RI17 seat 1 piece warrior from b3 to b4",
    ]


def test_ri22_ri23_the_points_that_win_come_before_the_end() -> None:
    race = table("top:1R", dice=PASS, uses=1, target=2)
    assert after_move(race, "drop M") == [
        "dropped RI7* seat 1 word move",
        "scored RI22 owner 1 piece runner to top amount 2",
        "ended RI22 word points",
        "ranked RI22 owner 1 amount 1",
        "ranked RI22 owner 2 amount 2",
    ]
    countdown = table("top:1R", dice=PASS, uses=1, target=1, scoring="countdown")
    assert after_move(countdown, "drop M")[1:3] == [
        "scored RI23 owner 1 piece runner to top amount 1",
        "ended RI23 word countdown",
    ]


def test_ri26_the_last_units_to_fall_end_the_match() -> None:
    state = table("a1:1W a2:2W", supply={1: "", 2: ""}, casualties="out", dice="MM")
    assert after_move(state, "M warrior a1-a2")[2:] == [
        "killed RI15 seat 1 owner 2 piece warrior from a2 word out",
        "killed RI15 seat 1 owner 1 piece warrior from a2 word out",
        "ended RI26 word exhausted",
        "ranked RI26 owner 1 amount 1",
        "ranked RI26 owner 2 amount 1",
    ]
