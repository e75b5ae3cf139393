"""Rings, moving and fighting, clause by clause: each test name begins with the clause that it holds."""

import pytest

from plyscribe.domain.ruleset import Decision, Roll
from tests.domain.rings_tables import (
    ALLIES,
    draw,
    ends,
    legal,
    look,
    play,
    refuse,
    spell_dice,
    spell_supply,
    table,
    turn,
)


@pytest.mark.parametrize(
    ("units", "prefix", "targets"),
    [
        ("b2:1B", "M blocker b2-", "a2 b1 b3 c2"),
        ("b1:1R", "M runner b1-a", "1 2 3 6 7"),  # slot 7 is next to slot 1
        ("top:1R", "M runner top-d", "1 2 3 4 5 6 7"),
        ("top:1B", "M blocker top-", "d1 d2 d3"),
        # A START is next to the field that it is attached to.
        ("s1:1RWB", "M blocker s1-", "a2"),
        ("s1:1RWB", "M warrior s1-", "a1 a2 a3 b2"),
        ("s1:1RWB", "M runner s1-", "a1 a2 a3 a4 a7 b1 b2 b3 c2"),
    ],
)
def test_ri2_neighbours_are_beside_and_further_in_or_out(units: str, prefix: str, targets: str) -> None:
    assert ends(table(units, starts=(2, 4)) if units[0] == "s" else table(units), prefix) == targets


def test_ri2_slot_7_is_next_to_slot_1_and_top_to_all_of_the_innermost_ring() -> None:
    assert "M warrior c1-c7" in legal(table("c1:1W", terrain=["LMHHMLL"] * 4))
    assert "M warrior d5-top" in legal(table("d5:1W"))


def test_ri10_a_runner_moves_three_steps_a_warrior_two_a_blocker_one() -> None:
    state = table("a2:1RWB")
    assert ends(state, "M runner a2-") == "a1 a3 a4 a5 a6 a7 b1 b2 b3 b4 b7 c1 c2 c3 d2"
    assert ends(state, "M warrior a2-") == "a1 a3 a4 b1 b2 b3 c2"
    assert ends(state, "M blocker a2-") == "a1 a3 b2"


@pytest.mark.parametrize(
    "text",
    [
        "warrior a1-a1",
        "warrior a1-s1",
        "runner a1-s2",
        "blocker a1-a2",
        "warrior a3-a4",
        "runner a1-top",
        "blocker b1-b2",
    ],
)
def test_ri10_only_what_stands_there_moves_and_to_another_field_within_reach_but_no_start(text: str) -> None:
    refuse(table("a1:1RW a3:2BW"), f"M {text}", "RI10")


def test_ri10_top_can_be_passed() -> None:
    assert "M warrior d1-d5" in legal(table("d1:1W"))
    assert "M warrior d1-d5" not in legal(table("d1:1W top:2R"))
    assert "M runner c1-d5" in legal(table("c1:1R top:2W"))


def test_ri11_a_runner_enters_all_terrain_and_passes_over_anybody() -> None:
    state = table("s1:1R a1:2W b1:2B a2:2R a7:2W")
    assert ends(state, "M runner s1-") == "a3 a6 b2 b7 c1"


@pytest.mark.parametrize(
    ("unit", "enemy", "clause"),
    [*(("R", enemy, "RI11") for enemy in ("2R", "2W", "2B")), *(("B", enemy, "RI13") for enemy in ("2W", "2B", "2RW"))],
)
def test_ri11_a_runner_keeps_off_all_enemies_and_ri13_a_blocker_off_warriors_and_blockers(unit, enemy, clause):
    name = {"R": "runner", "B": "blocker"}[unit]
    refuse(table(f"a1:1{unit} a2:{enemy}"), f"M {name} a1-a2", clause)


def test_ri12_a_warrior_enters_light_and_medium_ground_with_each_step() -> None:
    state = table("a4:1W", terrain=["LLLMMHH", "LLLHMMH", "LLLMMHH", "LLLMMHH"])
    assert ends(state, "M warrior a4-") == "a2 a3 a5 b3 b5"
    refuse(state, "M warrior a4-b4", "RI12")
    refuse(state, "M warrior a4-c4", "RI12")
    refuse(state, "M warrior a4-a6", "RI12")


def test_ri12_a_warrior_passes_own_units_even_on_a_full_field_but_ends_its_move_at_enemies() -> None:
    assert "M warrior b1-d1" in legal(table("b1:1W c1:1WWW"))
    refuse(table("b1:1W c1:2R"), "M warrior b1-d1", "RI12")
    state = table("c1:1W d1:2R")
    assert "M warrior c1-d1" in legal(state)
    refuse(state, "M warrior c1-top", "RI12")


def test_ri13_a_blocker_enters_light_ground_only() -> None:
    state = table("c3:1B")
    assert ends(state, "M blocker c3-") == "b3 c2 d3"
    refuse(state, "M blocker c3-c4", "RI13")


@pytest.mark.parametrize(
    ("units", "text"),
    [
        ("a1:1W a2:1RRWWW", "M warrior a1-a2"),
        ("a2:1W b2:1WWWW", "M warrior a2-b2"),
        ("b2:1R c2:1WWW", "M runner b2-c2"),
        ("c2:1B d2:1WW", "M blocker c2-d2"),
        ("d2:1B top:1R", "M blocker d2-top"),
    ],
)
def test_ri14_fewer_units_have_room_the_further_in_a_field_is(units: str, text: str) -> None:
    refuse(table(units), text, "RI14")
    one_less = units[:-1].removesuffix(" top:1")
    assert text in legal(table(one_less))


def test_ri14_a_start_has_room_for_all() -> None:
    state = play(table("s1:1RRWWWWB", dice="R"), "R +blocker")
    assert draw(state) == "s1:1RRWWWWBB"


# ---- warriors


@pytest.mark.parametrize(
    ("units", "text", "options", "after", "supplies"),
    [
        ("a1:1WW a2:2WWR", "a1-a2", {}, "a1:1W a2:2RW", ["RRWWWWBB", "RWWWWBB"]),
        ("a1:1W a3:2RR", "a1-a3", {}, "a3:1W", ["RRWWWWBB", "RRWWWWWBB"]),
        ("a1:1W a2:2R", "a1-a2", {"casualties": "out"}, "a2:1W", ["RRWWWWBB", "RWWWWWBB"]),
    ],
)
def test_ri15_warriors_remove_each_other_one_by_one_and_all_runners(units, text, options, after, supplies):
    state = play(table(units, **options), f"M warrior {text}")
    assert draw(state) == after
    assert [spell_supply(state, seat) for seat in (1, 2)] == supplies


# ---- pairs


def test_ri16_two_warriors_remove_a_blocker_and_the_second_stays() -> None:
    first = play(table("a1:1W b2:1W a2:2B"), "M warrior a1-a2")
    assert look(first, "engaged") == {"at": "a2", "from": "a1"}
    assert draw(first) == "a2:2B b2:1W"
    assert legal(first) == ["M warrior b2-a2"]
    state = play(first, "M warrior b2-a2")
    assert draw(state) == "a2:1W"
    assert look(state, "engaged") is None
    assert spell_supply(state, 1) == "RRWWWWBB"
    assert spell_supply(state, 2) == "RRWWWWWBB"


def test_ri16_nothing_else_is_legal_between_the_two_moves() -> None:
    state = play(table("a1:1WW b2:1R a2:2B", dice="RMMT"), "M warrior a1-a2")
    assert legal(state) == ["M warrior a1-a2"]
    for text in ("drop R", "R +blocker", "M runner b2-b3", "M warrior a1-b1", "T spin a +", "decline", "start a2"):
        refuse(state, text, "RI17" if text == "decline" else "RI4" if text == "start a2" else "RI16")
    refuse(state, "M warrior b2-a2", "RI16")
    refuse(state, "R warrior a1-a2", "RI8")


@pytest.mark.parametrize(
    ("units", "possible"),
    [
        ("a1:1W a2:2B", False),
        ("a1:1W d2:1W a2:2B", False),
        ("a1:1WW a2:2B", True),
        ("a1:1W s1:1W a2:2B", True),
        ("a1:1W c2:1W a2:2B", True),
        ("a1:1W c2:1W b2:2R a2:2B", False),
    ],
)
def test_ri16_the_first_move_needs_a_second_warrior_within_reach(units: str, possible: bool) -> None:
    if possible:
        assert "M warrior a1-a2" in legal(table(units))
    else:
        refuse(table(units), "M warrior a1-a2", "RI16")


def test_ri16_the_way_of_the_second_warrior_leads_over_ground_that_it_may_enter() -> None:
    assert ends(table("s1:1WW a1:2B"), "M warrior s1-") == "a1"
    hills = ["LLLMMHH", "LHLLHMM", "LLLMMHH", "LLLMMHH"]
    refuse(table("a1:1W c2:1W a2:2B", terrain=hills), "M warrior a1-a2", "RI16")


@pytest.mark.parametrize(
    ("dice", "pays"), [("M", ""), ("MT", ""), ("MTT", "M TT"), ("TTTT", "TT"), ("TTT", ""), ("MM", "M"), ("MR", "")]
)
def test_ri16_the_first_move_needs_dice_for_the_second(dice: str, pays: str) -> None:
    state = table("a1:1WW a2:2B", dice=dice)
    assert [text.split()[0] for text in legal(state) if text.endswith("a1-a2")] == pays.split()


def test_ri16_the_last_use_of_a_turn_cannot_begin_it_and_a_recruit_die_pays_while_the_supply_is_empty() -> None:
    refuse(table("a1:1WW a2:2B", dice="MMM", uses=1), "M warrior a1-a2", "RI16")
    state = play(table("a1:1WW a2:2B", dice="MR", supply={1: ""}), "M warrior a1-a2")
    assert legal(state) == ["R warrior a1-a2"]


@pytest.mark.parametrize(
    ("defenders", "after"),
    [
        ("2B", "a2:1W"),
        ("2BB", "a2:2B s1:1W"),
        ("2RBB", "a2:2RB s1:1W"),
        ("2WB", ""),
        ("2RWWB", "a2:2RW"),
        ("2RRB", "a2:1W"),
        ("2WBB", "a2:2WB s1:1W"),
    ],
)
def test_ri16_the_survivor_meets_what_is_left(defenders: str, after: str) -> None:
    state = table(f"b2:1W s1:1W a2:{defenders}")
    assert draw(play(state, "M warrior b2-a2", "M warrior s1-a2")) == after


# ---- alliances


def test_ri17_the_seat_on_turn_proposes_to_another_with_a_warrior_beside_a_blocker() -> None:
    state = table(ALLIES, seats=3)
    assert "M ally 3 b3xb4" in legal(state)
    asked = play(state, "M ally 3 b3xb4")
    assert turn(asked) == Decision(3)
    assert look(asked, "alliance") == {"ally": 3, "from": "b3", "at": "b4", "pay": "M"}
    assert (look(asked, "uses"), spell_dice(asked, 1), look(asked, "ply")) == (2, "MM", 1)
    assert legal(asked) == ["accept b5", "decline"]


def test_ri17_nobody_proposes_where_two_play_and_in_the_last_use_it_ends_the_turn() -> None:
    state = table("b3:1W b4:2B")
    assert legal(state, "M ally") == []
    refuse(state, "M ally 2 b3xb4", "RI17")
    state = table(ALLIES, seats=3, dice={1: "MR", 2: "R"}, uses=1)
    after = play(state, "M ally 3 b3xb4", "accept b5", (6,))
    assert turn(after) == Decision(2)
    assert spell_dice(after, 1) == "R"


@pytest.mark.parametrize(
    ("units", "text"),
    [
        ("b3:1W b4:2B d5:3W", "M ally 3 b3xb4"),
        ("b3:1W b4:2B b5:3R", "M ally 3 b3xb4"),
        ("b3:1R b4:2B b5:3W", "M ally 3 b3xb4"),
        ("b3:1W b4:2W b5:3W", "M ally 3 b3xb4"),
        (ALLIES, "M ally 2 b3xb4"),
        (ALLIES, "M ally 1 b3xb4"),
        (ALLIES, "M ally 3 b5xb4"),
        (ALLIES, "M ally 3 s2xb4"),
        (ALLIES, "M ally 3 b3xs2"),
        ("b3:1W b4:1B b5:3W", "M ally 3 b3xb4"),
        ("b3:1W b4:2B c4:2W", "M ally 2 b3xb4"),
    ],
)
def test_ri17_it_takes_two_warriors_of_two_seats_and_a_blocker_of_a_third(units: str, text: str) -> None:
    state = table(units, seats=3)
    refuse(state, text, "RI17")
    assert legal(state, text) == []


def test_ri17_a_warrior_on_a_start_is_next_to_the_attached_field() -> None:
    state = table("s1:1W a3:2B a4:3W b3:3W", seats=3, starts=(3, 1, 5))
    asked = play(state, "M ally 3 s1xa3")
    assert legal(asked) == ["accept a4", "accept b3", "decline"]
    refuse(asked, "accept s1", "RI17")
    refuse(asked, "M warrior s1-a3", "RI17")
    back = table("s3:3W a3:2B a4:1W", seats=3, starts=(1, 2, 3))
    assert legal(play(back, "M ally 3 a4xa3")) == ["accept s3", "decline"]


def test_ri17_a_refusal_costs_nothing_but_the_right_to_propose_again_in_this_turn() -> None:
    units = "b3:1W b4:2B b5:3W c4:4W"
    state = play(table(units, seats=4), "M ally 3 b3xb4", "decline")
    assert turn(state) == Decision(1)
    assert (look(state, "uses"), spell_dice(state, 1), look(state, "declined")) == (2, "MM", True)
    refuse(state, "M ally 4 b3xb4", "RI17")
    assert legal(state, "M ally") == []
    done = play(state, "drop M", "drop M")
    assert look(done, "declined") is False


def test_ri17_the_payment_is_spent_when_the_ally_accepts_and_a_die_decides() -> None:
    state = play(table(ALLIES, seats=3, dice="TTM"), "TT ally 3 b3xb4", "accept b5")
    assert turn(state) == Roll(6, 1, "alliance", 1)
    assert (look(state, "uses"), spell_dice(state, 1)) == (1, "M")
    assert look(state, "alliance") == {"ally": 3, "from": "b3", "at": "b4", "pay": "TT", "with": "b5"}
    assert legal(state) == []
    refuse(state, "decline", "RI17")


@pytest.mark.parametrize("value", range(1, 7))
def test_ri17_on_1_to_3_the_proposer_loses_its_warrior_and_else_the_ally_does(value: int) -> None:
    state = play(table(ALLIES, seats=3), "M ally 3 b3xb4", "accept b5", (value,))
    assert draw(state) == ("b5:3W" if value <= 3 else "b4:1W")
    if value <= 3:
        assert [spell_supply(state, seat) for seat in (1, 2, 3)] == ["RRWWWWWBB", "RRWWWWWBB", "RRWWWWBB"]
    assert (turn(state), look(state, "alliance")) == (Decision(1), None)


@pytest.mark.parametrize("others", ["B", "W", "R"])
def test_ri17_it_does_not_move_in_while_enemies_are_left(others: str) -> None:
    units = f"b3:1W b4:2{''.join(sorted(others + 'B', key='RWB'.index))} b5:3W"
    state = play(table(units, seats=3), "M ally 3 b3xb4", "accept b5", (6,))
    assert draw(state) == f"b3:1W b4:2{others}"


# ---- pushes


@pytest.mark.parametrize(
    ("units", "text", "after"),
    [
        ("c1:1B c2:2RR", "c1-c2", "b2:2RR c2:1B"),
        ("d2:1B c2:2R", "d2-c2", "b2:2R c2:1B"),
        ("a1:1B a2:2RR", "a1-a2", "a2:1B s2:2RR"),  # to their START
        # Fields of other seats are skipped, and full ones, one runner at a time.
        ("c1:1B c2:2R b2:1W", "c1-c2", "a2:2R b2:1W c2:1B"),
        ("c1:1B c2:2R b2:1W a2:3R", "c1-c2", "a2:3R b2:1W c2:1B s2:2R"),
        ("d1:1B d2:2RR c2:2WW", "d1-d2", "b2:2R c2:2RWW d2:1B"),
        # The blocker has left its field before it pushes.
        ("b2:1B c2:2R", "b2-c2", "b2:2R c2:1B"),
        ("b2:1BB c2:2R", "b2-c2", "a2:2R b2:1B c2:1B"),
        # From TOP a runner goes where the blocker came from.
        ("d2:1B top:2R", "d2-top", "d2:2R top:1B"),
        ("d2:1BB top:2R", "d2-top", "c2:2R d2:1B top:1B"),
        ("d2:1BB c2:1W b2:1W a2:1W top:2R", "d2-top", "a2:1W b2:1W c2:1W d2:1B top:1B s2:2R"),
    ],
)
def test_ri18_runners_are_pushed_outwards_in_their_slot(units: str, text: str, after: str) -> None:
    assert draw(play(table(units, seats=3), f"M blocker {text}")) == after
