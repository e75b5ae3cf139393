"""Rings, all but moving and fighting, clause by clause: each test name begins with the clause that it holds."""

import json
import re
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from plyscribe.domain.errors import BadNotation, IllegalMove, NotInPlay, OptionError, RollError
from plyscribe.domain.ruleset import Decision, Over, Roll
from plyscribe.domain.rulesets.rings_v1 import RINGS_V1
from tests.domain.rings_tables import (
    ALLIES,
    FLAT,
    draw,
    legal,
    look,
    over,
    play,
    refuse,
    round_roll,
    spell_dice,
    spell_supply,
    start,
    table,
    turn,
)

DOCS = (Path(__file__).parents[2] / "docs/rulesets/rings.md").read_text()
ISLAND = ["LHHHHHH", "HHHHHHH", "HHHHHHH", "HHHHHHH"]
RIDGE = ["HHHHHHH", "HHHHHHH", "HHHHHHH", "HHHMLMH"]
CORNERED = "d4:1W d5:2B d6:3W top:2B"
"""On the ridge seat 1 can do nothing but propose an alliance."""


# ---- setup


def test_ri1_all_units_start_in_supply() -> None:
    state = start(4)
    assert [spell_supply(state, seat) for seat in (1, 2, 3, 4)] == ["RRWWWWWBB"] * 4
    assert (draw(state), look(state, "starts"), look(state, "points")) == ("", [None] * 4, [0] * 4)


def test_ri3_random_terrain_is_rolled_ring_by_ring_and_given_terrain_is_laid_at_once() -> None:
    state = start(terrain="random")
    for number in range(4):
        assert turn(state) == Roll(210, 1, "terrain", None)
        assert look(state, "terrain")[number:] == [None] * (4 - number)
        state = play(state, (number + 1,))
    assert look(state, "terrain") == ["HHLLLMM", "HHLLMLM", "HHLLMML", "HHLMLLM"]
    assert turn(state) == Decision(2)
    terrain = ["LLLMMHH", "MMHHLLL", "LMHLMHL", "HLHLMLM"]
    assert look(start(terrain=terrain), "terrain") == terrain


def test_ri3_each_value_is_an_arrangement_in_alphabetical_order() -> None:
    arrangements = sorted({"".join(letters) for letters in permutations("HHLLLMM")})
    assert [look(play(start(), (value,)), "terrain")[0] for value in range(1, 211)] == arrangements


def test_ri4_the_highest_seat_attaches_its_start_first() -> None:
    state = start(3, terrain=FLAT)
    assert turn(state) == Decision(3)
    assert legal(state) == [f"start a{slot}" for slot in range(1, 8)]
    state = play(state, "start a4", "start a2")
    assert (turn(state), look(state, "starts")) == (Decision(1), [None, 2, 4])
    assert legal(state) == ["start a1", "start a3", "start a5", "start a6", "start a7"]
    assert look(play(state, "start a7"), "starts") == [7, 2, 4]


def test_ri4_no_two_starts_share_a_slot_and_nothing_else_is_played_before() -> None:
    state = play(start(terrain=FLAT), "start a4")
    for text in ("start a4", "start b1", "start top", "T start a1", "drop R", "R +warrior"):
        refuse(state, text, "RI4")
    refuse(table(), "start a2", "RI4")


# ---- rounds and turns


def test_ri5_every_seat_rolls_four_dice_in_seat_order() -> None:
    state = play(start(3, terrain=FLAT), "start a1", "start a2", "start a3")
    assert (turn(state), look(state, "round"), look(state, "pass")) == (round_roll(1), 1, 1)
    state = play(state, (1, 2, 3, 4), (5, 6, 5, 6))
    assert turn(state) == round_roll(3)
    state = play(state, (2, 4, 6, 6))
    assert [spell_dice(state, seat) for seat in (1, 2, 3)] == ["RRMM", "TTTT", "RMTT"]
    assert (turn(state), look(state, "uses")) == (Decision(1), 2)


def test_ri5_moves_wait_for_the_dice() -> None:
    state = play(start(terrain=FLAT), "start a1", "start a2")
    refuse(state, "R +warrior", "RI5")
    refuse(start(), "start a1", "RI3")
    for values in ((1, 2, 3), (1, 2, 3, 7), (0, 1, 2, 3), (1, 2, 3, 4, 5)):
        with pytest.raises(RollError):
            play(state, values)


def test_ri6_two_passes_of_two_uses_make_a_round() -> None:
    state = play(start(terrain=FLAT), "start a1", "start a2", (1, 1, 5, 5), (1, 1, 5, 5))
    seats = []
    for number in range(8):
        decision = turn(state)
        assert isinstance(decision, Decision)
        seats.append((decision.seat, look(state, "pass"), look(state, "uses")))
        state = play(state, "R +warrior" if number < 4 else "T spin a +")
    assert seats == [(seat, pass_, uses) for pass_ in (1, 2) for seat in (1, 2) for uses in (2, 1)]
    assert (turn(state), look(state, "round"), look(state, "pass"), look(state, "uses")) == (round_roll(1), 2, 1, 0)


def test_ri6_a_turn_ends_when_the_dice_are_gone_and_can_spend_those_of_the_second_pass() -> None:
    state = table("a1:1W", dice={1: "TTTT", 2: "RM"})
    state = play(state, "TT warrior a1-b1", "TT warrior b1-c1")
    assert (turn(state), spell_dice(state, 1)) == (Decision(2), "")
    assert turn(play(state, "R +warrior", "drop M")) == round_roll(1)
    state = play(table(dice={1: "R", 2: "R"}, pass_=2), "R +warrior")
    assert (turn(state), look(state, "uses")) == (Decision(2), 2)


def test_ri7_any_die_may_be_dropped_as_a_use_and_in_the_second_pass_those_without_use_expire() -> None:
    state = play(table("a1:1W", dice="RMT"), "drop M")
    assert (spell_dice(state, 1), look(state, "uses")) == ("RT", 1)
    assert legal(state, "drop") == ["drop R", "drop T"]
    refuse(state, "drop M", "RI7")
    state = table("a1:1B", dice={1: "RM", 2: "R"}, supply={1: "R"}, pass_=2, terrain=ISLAND)
    assert turn(play(state, "R +runner")) == Decision(1)
    expired = play(state, "drop R")
    assert (spell_dice(expired, 1), turn(expired)) == ("", Decision(2))


def test_ri7_in_the_first_pass_dice_without_use_stay_and_have_to_be_dropped() -> None:
    state = table(dice="MM", supply={1: ""})
    assert (turn(state), legal(state)) == (Decision(1), ["drop M"])
    refuse(state, "decline", "RI17")
    state = play(table("a1:1B", dice="RRMM", supply={1: ""}, terrain=ISLAND), "drop R")
    assert (turn(state), legal(state)) == (Decision(1), ["drop R", "drop M"])


def test_ri7_expired_dice_end_a_turn_that_scores_and_without_dice_there_is_none() -> None:
    for units, dice, terrain, points in (
        ("top:2B", {1: "M", 2: "M"}, ISLAND, [0, 1]),
        ("top:2R", {1: "M"}, FLAT, [0, 0]),
    ):
        after = play(table(units, dice=dice, pass_=2, terrain=terrain), "drop M")
        assert (look(after, "points"), turn(after)) == (points, round_roll(1))


def test_ri7_a_proposal_that_could_be_made_keeps_the_dice() -> None:
    state = play(table(CORNERED, seats=3, dice={1: "MM", 2: "R"}, pass_=2, terrain=RIDGE), "drop M")
    assert legal(state) == ["M ally 3 d4xd5", "M ally 3 d4xtop", "drop M"]
    declined = play(state, "M ally 3 d4xd5", "decline")
    assert (turn(declined), spell_dice(declined, 1), look(declined, "declined")) == (Decision(2), "", False)


def test_ri8_moves_cost_m_or_tt_recruits_r_and_ring_actions_t() -> None:
    state = table("a1:1W", dice="RMTT")
    assert [text.split()[0] for text in legal(state) if text.endswith("warrior a1-a2")] == ["M", "TT"]
    assert legal(state, "R +") == ["R +runner", "R +warrior", "R +blocker"]
    assert {text.split()[0] for text in legal(state) if re.search("spin|swap|start", text)} == {"T"}
    for text in ("R warrior a1-a2", "T warrior a1-a2", "M +warrior", "TT +warrior", "T +warrior"):
        refuse(state, text, "RI8")
    for text in ("R spin a +", "M start a2", "TT swap a1 a7"):
        refuse(table(dice="RMTT"), text, "RI8")
    refuse(table("a1:1W", dice="T"), "TT warrior a1-a2", "RI8")
    assert spell_dice(play(state, "TT warrior a1-a2"), 1) == "RM"


def test_ri8_with_an_empty_supply_or_no_units_on_the_board_other_dice_are_taken() -> None:
    state = table("a1:2W", dice="MTT")
    assert [text for text in legal(state) if "+w" in text] == ["M +warrior", "TT +warrior"]
    assert [text for text in legal(play(state, "TT +warrior")) if "+" in text] == []
    refuse(table("s1:1W", dice="M"), "M +warrior", "RI8")
    state = table(ALLIES, seats=3, dice="R", supply={1: ""})
    assert "R warrior b3-b2" in legal(state)
    assert legal(state, "R ally") == ["R ally 3 b3xb4"]
    refuse(table(ALLIES, seats=3, dice="R"), "R ally 3 b3xb4", "RI8")


def test_ri9_a_recruit_appears_on_the_own_start_out_of_the_supply_runners_from_the_third_round_on() -> None:
    state = play(table("a1:1W", dice="RR"), "R +blocker", "R +runner")
    assert (draw(state), spell_supply(state, 1)) == ("a1:1W s1:1RB", "RWWWWB")
    refuse(table("s1:1BB", dice="R"), "R +blocker", "RI9")
    for number in (1, 2):
        early = table(dice="R", round=number)
        assert legal(early, "R +") == ["R +warrior", "R +blocker"]
        refuse(early, "R +runner", "RI9")
    assert "R +runner" in legal(table(dice="R", round=3))


# ---- ring actions


def test_ri19_a_ring_turns_either_way_with_terrain_and_units_but_starts_stay() -> None:
    state = table("b1:1W b7:2B c1:2R", terrain=["LLLMMHH", "LMHMHLL", "LLLMMHH", "LLLMMHH"], dice="TT")
    for way, terrain, units in (("+", "LLMHMHL", "b1:2B b2:1W c1:2R"), ("-", "MHMHLLL", "b6:2B b7:1W c1:2R")):
        turned = play(state, f"T spin b {way}")
        assert (look(turned, "terrain")[1], draw(turned)) == (terrain, units)
    state = play(table("s1:1W a1:2W", dice="T"), "T spin a +")
    assert (look(state, "starts"), draw(state)) == ([1, 3], "a2:2W s1:1W")


def test_ri20_the_own_start_moves_to_a_free_slot_with_its_units() -> None:
    state = table("s1:1WB", dice="TT")
    assert legal(state, "T start") == [f"T start a{slot}" for slot in (2, 4, 5, 6, 7)]
    moved = play(state, "T start a5")
    assert (look(moved, "starts"), draw(moved)) == ([5, 3], "s1:1WB")
    for text in ("T start a1", "T start a3", "T start b2"):
        refuse(state, text, "RI20")


def test_ri21_adjacent_fields_of_different_terrain_are_swapped() -> None:
    terrain = ["LLLMMHH", "MLLMLHH", "LLLMMHH", "LLLMMHH"]
    state = table("a1:1R", terrain=terrain, dice="TT")
    assert look(play(state, "T swap a1 b1"), "terrain")[:2] == ["MLLMMHH", "LLLMLHH"]
    assert look(play(state, "T swap a1 a7"), "terrain")[0] == "HLLMMHL"
    assert draw(play(state, "T swap a1 a7")) == "a1:1R"
    for text in ("T swap a1 a2", "T swap a1 a3", "T swap a1 c1", "T swap d1 top"):
        refuse(state, text, "RI21")


@pytest.mark.parametrize(
    ("units", "text"),
    [
        ("a3:2B", "T swap a3 a4"),
        ("a4:2W", "T swap a4 a5"),
        ("a5:1W", "T swap a5 a6"),
        ("a1:1RB", "T swap a1 a7"),
        ("a2:2B", "T swap a1 a2"),
    ],
)
def test_ri21_no_unit_of_any_seat_may_be_left_on_ground_that_it_cannot_enter(units: str, text: str) -> None:
    terrain = {"T swap a4 a5": ["LLLMHHM", *FLAT[1:]], "T swap a1 a2": ["HLLLMMH", *FLAT[1:]]}.get(text, FLAT)
    refuse(table(units, terrain=terrain, dice="T"), text, "RI21")
    assert text in legal(table(units.split(":")[0] + ":1R", terrain=terrain, dice="T"))


# ---- points and ends


@pytest.mark.parametrize(
    ("units", "dice", "steps", "points"),
    [
        ("top:1R", "MM", ["drop M", "drop M"], 2),
        ("top:1W", "MM", ["drop M", "drop M"], 1),
        ("top:1B", "MM", ["drop M", "drop M"], 1),
        ("d1:1R", "MM", ["M runner d1-top"], 0),
        ("d1:1R", "MM", ["M runner d1-top", "drop M"], 2),
        ("top:2R", "R", ["R +warrior"], 0),  # turns of others do not count
    ],
)
def test_ri22_a_turn_that_ends_on_top_scores(units: str, dice: str, steps: list[str], points: int) -> None:
    state = play(table(units, dice={1: dice, 2: "RR"}), *steps)
    assert look(state, "points") == [points, 0]


def test_ri22_who_has_the_target_wins_at_once() -> None:
    state = table("top:1R", dice={1: "MMR", 2: "RR"}, target=12, points=(10, 11), uses=1)
    won = play(state, "drop M")
    assert over(won) == Over("points", (1, 2))
    assert (look(won, "points"), look(won, "uses"), spell_dice(won, 1)) == ([12, 11], 0, "RM")
    refuse(won, "drop M", "RI22")


def test_ri23_countdown_counts_a_point_for_any_unit() -> None:
    state = play(table("top:1R", dice="MM", scoring="countdown"), "drop M", "drop M")
    assert look(state, "points") == [1, 0]


@pytest.mark.parametrize(("leaver", "ranks"), [(None, (1, 2, 3)), (2, (1, 3, 2))])
def test_ri23_the_point_that_ends_the_countdown_wins_and_points_of_seats_that_left_stay_subtracted(leaver, ranks):
    state = table("top:1R", seats=3, dice="M", scoring="countdown", target=9, points=(1, 5, 2))
    state = RINGS_V1.withdraw(state, leaver) if leaver else state
    assert over(play(state, "drop M")) == Over("countdown", ranks)


def test_ri24_points_go_before_the_ply_limit_at_which_they_rank() -> None:
    state = play(table(seats=4, points=(3, 7, 3, 0), dice={1: "RR"}, ply_limit=1), "drop R")
    assert over(state) == Over("ply-limit", (2, 1, 2, 4))
    assert RINGS_V1.standing(table(seats=3, points=(0, 1, 0))) == (2, 1, 2)
    state = table("top:1R", dice="M", target=2, ply_limit=1)
    assert over(play(state, "drop M")).reason == "points"


def test_ri24_at_the_ply_limit_the_view_stays_with_what_was_due_next() -> None:
    state = play(table("a1:1WW a2:2B", dice="MM", ply_limit=1), "M warrior a1-a2")
    assert over(state).reason == "ply-limit"
    assert (look(state, "engaged"), look(state, "uses")) == ({"at": "a2", "from": "a1"}, 1)
    asked = play(table(ALLIES, seats=3, ply_limit=1), "M ally 3 b3xb4")
    assert look(asked, "alliance") == {"ally": 3, "from": "b3", "at": "b4", "pay": "M"}
    rolled = play(start(ply_limit=2, terrain=FLAT), "start a1", "start a2")
    assert (over(rolled).reason, look(rolled, "round"), look(rolled, "pass")) == ("ply-limit", 1, 1)


# ---- withdrawal


def test_ri25_all_that_is_the_seats_leaves_and_its_points_stay() -> None:
    state = table("a1:1W a2:2B s2:2W top:2R", seats=3, dice={1: "M", 2: "MM"}, points=(0, 4, 0))
    gone = RINGS_V1.withdraw(state, 2)
    assert (draw(gone), spell_supply(gone, 2), spell_dice(gone, 2)) == ("a1:1W", "", "")
    assert (look(gone, "starts"), look(gone, "points"), look(gone, "left")) == ([1, None, 5], [0, 4, 0], [2])
    assert turn(gone) == Decision(1)
    assert "T start a3" in legal(RINGS_V1.withdraw(table(seats=3, dice="T"), 2))


def test_ri25_the_turn_of_the_seat_ends_without_a_point_and_the_last_of_a_pass_hands_over() -> None:
    state = table("top:1R", seats=3, dice={1: "MM", 2: "MM"}, uses=1)
    gone = RINGS_V1.withdraw(state, 1)
    assert (turn(gone), look(gone, "uses"), look(gone, "points")) == (Decision(2), 2, [0, 0, 0])
    state = table("a1:1W", seats=3, on_turn=3, dice={1: "M", 3: "MM"})
    gone = RINGS_V1.withdraw(state, 3)
    assert (turn(gone), look(gone, "pass")) == (Decision(1), 2)


def test_ri25_a_start_or_a_roll_that_is_waited_for_is_skipped() -> None:
    state = start(3, terrain=FLAT)
    gone = RINGS_V1.withdraw(state, 3)
    assert (turn(gone), look(gone, "starts")) == (Decision(2), [None] * 3)
    gone = RINGS_V1.withdraw(state, 2)
    assert turn(play(gone, "start a1")) == Decision(1)
    gone = RINGS_V1.withdraw(play(state, "start a1", "start a2"), 1)
    assert (turn(gone), look(gone, "round")) == (round_roll(2), 1)
    state = play(start(3, terrain=FLAT), "start a1", "start a2", "start a3", (1, 1, 1, 1))
    assert turn(RINGS_V1.withdraw(state, 2)) == round_roll(3)
    assert turn(RINGS_V1.withdraw(state, 1)) == round_roll(2)
    assert turn(RINGS_V1.withdraw(play(state, (1, 1, 1, 1)), 3)) == Decision(1)
    assert turn(RINGS_V1.withdraw(start(3), 2)) == Roll(210, 1, "terrain", None)


@pytest.mark.parametrize("seat", [2, 3])
def test_ri25_a_proposal_is_void_when_ally_or_attacked_seat_leaves(seat: int) -> None:
    asked = play(table(ALLIES, seats=4, dice={1: "MM", 2: "M"}), "M ally 3 b3xb4")
    void = RINGS_V1.withdraw(asked, seat)
    assert (turn(void), look(void, "alliance"), look(void, "declined")) == (Decision(1), None, False)
    assert (look(void, "uses"), spell_dice(void, 1)) == (2, "MM")


def test_ri25_a_refusal_is_forgotten_with_the_turn_and_dice_expire_when_nothing_is_left_for_them() -> None:
    state = play(table(ALLIES, seats=4, dice={1: "MM", 4: "R"}), "M ally 3 b3xb4", "decline")
    assert look(RINGS_V1.withdraw(state, 2), "declined") is True
    assert look(RINGS_V1.withdraw(state, 1), "declined") is False
    state = table(CORNERED, seats=4, dice={1: "M", 2: "R"}, pass_=2, terrain=RIDGE)
    assert turn(RINGS_V1.withdraw(state, 4)) == Decision(1)
    assert turn(RINGS_V1.withdraw(state, 3)) == Decision(2)


@pytest.mark.parametrize("seat", [2, 3])
def test_ri25_between_acceptance_and_die_the_payment_is_lost_and_nobody_removed(seat: int) -> None:
    accepted = play(table(ALLIES, seats=4, dice={1: "MM", 4: "R"}), "M ally 3 b3xb4", "accept b5")
    void = RINGS_V1.withdraw(accepted, seat)
    assert (turn(void), look(void, "uses"), spell_dice(void, 1)) == (Decision(1), 1, "M")
    assert draw(void) == {2: "b3:1W b5:3W", 3: "b3:1W b4:2B"}[seat]
    last = play(table(ALLIES, seats=4, dice={1: "MM", 4: "R"}, uses=1), "M ally 3 b3xb4", "accept b5")
    assert turn(RINGS_V1.withdraw(last, seat)) == Decision(4)


def test_ri25_a_proposal_is_void_when_the_proposer_leaves_and_stays_open_when_a_fourth_seat_does() -> None:
    asked = play(table(ALLIES, seats=4, dice={1: "MM", 4: "R"}), "M ally 3 b3xb4")
    accepted = play(asked, "accept b5")
    for state in (asked, accepted):
        gone = RINGS_V1.withdraw(state, 1)
        assert (turn(gone), look(gone, "alliance"), draw(gone)) == (Decision(4), None, "b4:2B b5:3W")
    assert turn(RINGS_V1.withdraw(asked, 4)) == Decision(3)
    assert turn(RINGS_V1.withdraw(accepted, 4)) == Roll(6, 1, "alliance", 1)


def test_ri25_between_two_moves_the_attacker_takes_its_first_warrior_along_or_it_stands_on_the_field() -> None:
    state = play(table("a1:1WW a2:2B", seats=3, dice={1: "MM", 2: "M"}), "M warrior a1-a2")
    gone = RINGS_V1.withdraw(state, 1)
    assert (turn(gone), look(gone, "engaged"), draw(gone)) == (Decision(2), None, "a2:2B")
    gone = RINGS_V1.withdraw(state, 2)
    assert (turn(gone), look(gone, "engaged"), draw(gone)) == (Decision(1), None, "a1:1W a2:1W")
    assert "drop M" in legal(gone)
    assert legal(RINGS_V1.withdraw(state, 3)) == ["M warrior a1-a2"]


def test_ri25_of_two_seats_the_other_one_wins() -> None:
    state = table("top:1R a1:2W", points=(9, 0))
    gone = RINGS_V1.withdraw(state, 1)
    assert over(gone) == Over("withdrawal", (2, 1))
    assert (draw(gone), look(gone, "uses"), look(gone, "starts")) == ("a1:2W", 0, [None, 3])
    with pytest.raises(NotInPlay):
        RINGS_V1.withdraw(gone, 2)
    engaged = play(table("a1:1WW a2:2B"), "M warrior a1-a2")
    assert draw(RINGS_V1.withdraw(engaged, 2)) == "a1:1W a2:1W"


def test_ri25_who_left_ranks_below_all_others_who_left_last_first() -> None:
    state = table("top:1R", seats=4, dice="M", points=(0, 9, 8, 5), target=2)
    state = RINGS_V1.withdraw(RINGS_V1.withdraw(state, 2), 3)
    assert RINGS_V1.standing(state) == (2, 4, 3, 1)
    assert over(play(state, "drop M")) == Over("points", (1, 4, 3, 2))


# ---- exhaustion


def test_ri26_with_casualties_out_the_last_unit_or_its_withdrawal_ends_the_match() -> None:
    state = table("a1:1W a2:2W", supply={1: "", 2: ""}, casualties="out", points=(1, 3))
    ended = play(state, "M warrior a1-a2")
    assert over(ended) == Over("exhausted", (2, 1))
    assert (draw(ended), look(ended, "uses")) == ("", 0)
    assert turn(play(table("a1:1W a2:2W", supply={1: "", 2: "B"}, casualties="out"), "M warrior a1-a2")) == Decision(1)
    assert turn(play(table("a1:1W a2:2W", supply={1: "", 2: ""}), "M warrior a1-a2")) == Decision(1)
    state = table("a1:3W", seats=3, supply={1: "", 2: "", 3: ""}, casualties="out", points=(1, 2, 9))
    assert over(RINGS_V1.withdraw(state, 3)) == Over("exhausted", (2, 1, 3))


# ---- options, notation, view


@pytest.mark.parametrize(
    "raw",
    [
        {"terrain": "Random"},
        *({"terrain": rows} for rows in (["LLLMMHH"] * 3, ["LLLMMHH"] * 5, ["LLLLMHH"] * 4, ["lllmmhh"] * 4)),
        *({"terrain": other} for other in ([1, 2, 3, 4], None)),
        {"scoring": "points"},
        {"casualties": True},
        {"target": 101},
    ],
)
def test_options_out_of_range_are_refused_by_name(raw: dict[str, Any]) -> None:
    with pytest.raises(OptionError, match=f"option '{list(raw)[-1]}'"):
        RINGS_V1.parse_options(raw)


BAD_NOTATIONS = ["", "+runner", "R +Runner", "R+runner", "R  +runner", "r +runner", "MM +runner", "drop TT", "drop"]
BAD_NOTATIONS += [
    "M warrior a1-a8",
    "M warrior a0-a1",
    "M warrior e1-a1",
    "M warrior a1 a2",
    "M warrior a1-a2 ",
    "M a1-a2",
]
BAD_NOTATIONS += ["T swap b1 a1", "T swap a1 a1", "T swap a7 a1", "T swap a1", "T spin a", "T spin e +", "T spin top +"]
BAD_NOTATIONS += [
    "M ally 4 b3xb4",
    "M ally 0 b3xb4",
    "M ally b3xb4",
    "M runner s4-a1",
    "start s4",
    "accept",
    "start a01",
]
BAD_NOTATIONS += ["start ａ1", "M warrior a1-a²", "x" * 100_000, "\x00", "\ud800"]


@pytest.mark.parametrize("text", BAD_NOTATIONS, ids=lambda text: ascii(text[:20]))
def test_what_the_grammar_does_not_know_is_bad_notation(text: str) -> None:
    for state in (table(seats=3), start(3), RINGS_V1.withdraw(table(), 1)):
        with pytest.raises(BadNotation):
            RINGS_V1.parse_move(state, text)


def test_a_listing_goes_from_recruits_over_units_to_rings_and_drops() -> None:
    state = table("a3:1B s1:1R", dice="RMTT")
    heads = [text.split()[1].rstrip("s") for text in legal(state)]
    order = ["+runner", "+warrior", "+blocker", "blocker", "runner", "spin", "start", "swap"]
    assert list(dict.fromkeys(head for head in heads if head in order)) == order
    assert legal(state)[-3:] == ["drop R", "drop M", "drop T"]


def test_a_move_of_a_match_that_is_over_names_the_clause_of_its_end() -> None:
    with pytest.raises(IllegalMove, match="RI25, the match is over"):
        RINGS_V1.parse_move(RINGS_V1.withdraw(table(), 1), "drop M")


def test_an_end_by_agreement_brings_the_first_warrior_back() -> None:
    draw_agreed = Over("draw-agreed", (1, 1))
    state = RINGS_V1.end(play(table("a1:1WW a2:2B"), "M warrior a1-a2"), draw_agreed)
    assert (turn(state), draw(state), look(state, "engaged")) == (draw_agreed, "a1:1WW a2:2B", None)
    state = RINGS_V1.end(play(table(ALLIES, seats=3), "M ally 3 b3xb4", "decline"), draw_agreed)
    assert (look(state, "declined"), look(state, "uses")) == (False, 0)


def test_the_drawing_shows_rings_starts_units_dice_points_and_fights_under_way() -> None:
    state = table("a1:2WB s1:1RRWWWWWBB top:2R", seats=3, dice={1: "RMT", 2: "T"}, points=(4, 0, 12))
    assert RINGS_V1.render_text(state).splitlines() == [
        "       1            2            3            4            5            6            7",
        "START  s1 RRWWWWWBB              s2                        s3",
        "a      L 2WB        L            L            M            M            H            H",
        "b      L            L            L            M            M            H            H",
        "c      L            L            L            M            M            H            H",
        "d      L            L            L            M            M            H            H",
        "top    2R",
        "",
        "seat   points   dice    supply",
        "1      4        RMT     -",
        "2      0        T       RWWWWB",
        "3      12       -       RRWWWWWBB",
        "",
        "Round 5, pass 1: seat 1 decides. Uses left: 2.",
        "L light, M medium, H heavy ground; R runner, W warrior, B blocker behind the number of their seat",
    ]
    engaged = RINGS_V1.render_text(play(table("a1:1WW a2:2B"), "M warrior a1-a2"))
    assert "A warrior from a1 attacks a2; a second one has to follow." in engaged
    asked = play(table(ALLIES, seats=3), "M ally 3 b3xb4")
    assert "Seat 1 attacks b4 from b3, paid with M, if seat 3 helps." in RINGS_V1.render_text(asked)
    accepted = RINGS_V1.render_text(play(asked, "accept b5"))
    assert "seat 1 rolls for alliance" in accepted
    assert "if seat 3 helps with the warrior on b5." in accepted


# ---- documentation


def test_the_view_in_the_documentation_is_true() -> None:
    example = json.loads(re.findall(r"```json\n(.*?)```", DOCS, re.DOTALL)[0])
    state = play(
        start(terrain=FLAT), "start a2", "start a1", (1, 2, 3, 5), (3, 4, 5, 6), "R +warrior", "M warrior s1-b1"
    )
    assert RINGS_V1.view(state) == example
    assert list(example) == list(RINGS_V1.view(state))
