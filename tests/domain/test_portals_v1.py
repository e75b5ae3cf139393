"""Portals, clause by clause: each test name begins with the clause that it holds."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from plyscribe.domain.errors import OptionError
from plyscribe.domain.ruleset import Decision, Roll
from plyscribe.domain.rulesets.portals_v1 import PORTALS_V1
from tests.domain.portals import ends, legal, look, pawns_of, play, position, refuse, start

DOCS = (Path(__file__).parents[2] / "docs/rulesets/portals.md").read_text()

DOUBLE = ["portal d3 <e3 >c3", "portal b3 <a3 >c3"]
"""A portal from each START to CENTER."""


# ---- board: PO1, PO2


def test_po1_rows_are_letters_and_numbers_run_along_them() -> None:
    names = list(start(radius=4).setup.board.names.values())
    assert len(names) == 61
    assert [name for name in names if name[0] in "aei"] == [
        *("a1", "a2", "a3", "a4", "a5"),
        *("e1", "e2", "e3", "e4", "e5", "e6", "e7", "e8", "e9"),
        *("i5", "i6", "i7", "i8", "i9"),
    ]


@pytest.mark.parametrize(("radius", "fields", "last"), [(2, 19, "e5"), (3, 37, "g7"), (8, 217, "q17")])
def test_po1_a_radius_has_so_many_fields(radius: int, fields: int, last: str) -> None:
    names = list(start(radius=radius).setup.board.names.values())
    assert (len(names), names[-1]) == (fields, last)


def test_po1_neighbours_differ_by_one_in_row_or_number_or_alike_in_both_and_end_with_the_row() -> None:
    builds = legal(start(), "portal")
    beside_center = {text.split(" ")[1] for text in builds if "c3" in text}
    assert beside_center == {"c2", "c4", "b3", "d3", "d4", "b2"}
    state = position(["portal c5 >c4"], "")
    assert {text.split(" ")[1] for text in legal(state, "platform")} == {"b4", "c4", "d5"}


def test_po2_center_and_start_are_platforms_from_the_beginning() -> None:
    assert look(start(), "platforms") == {
        "a3": {"start": 2, "center": False, "colour": None, "pawns": 0},
        "c3": {"start": None, "center": True, "colour": None, "pawns": 0},
        "e3": {"start": 1, "center": False, "colour": None, "pawns": 0},
    }


@pytest.mark.parametrize(
    ("seats", "corners"),
    [(2, "i5 a5"), (3, "i5 e9 a1"), (4, "i5 i9 a5 a1"), (5, "i5 i9 e9 a5 a1"), (6, "i5 i9 e9 a5 a1 e1")],
)
def test_po2_start_lies_on_corners_in_seat_order(seats: int, corners: str) -> None:
    platforms = look(start(seats, radius=4), "platforms")
    assert {p["start"]: name for name, p in platforms.items() if p["start"]} == dict(enumerate(corners.split(), 1))
    assert len(platforms) == seats + 1


def test_po2_other_corners_are_ordinary_fields() -> None:
    assert "platform e5 <e4" in legal(position(["portal e4 <e3"]))


# ---- who plays first


def test_po3_each_seat_rolls_a_d8_in_seat_order_and_the_highest_roll_starts() -> None:
    state = start(3, first="roll")
    refuse(state, "enter", "PO3")
    for seat, roll in enumerate((5, 7, 2), 1):
        assert PORTALS_V1.turn(state) == Roll(8, 1, "first", seat)
        assert look(state, "contest") == [5, 7, None][: seat - 1] + [None] * (4 - seat)
        state = play(state, roll)
    assert (PORTALS_V1.turn(state), look(state, "contest")) == (Decision(2), None)


def test_po3_seats_tied_for_the_highest_roll_again_among_themselves() -> None:
    state = play(start(3, first="roll"), 7, 2, 7)
    assert look(state, "contest") == [None, "out", None]
    assert PORTALS_V1.turn(state) == Roll(8, 1, "first", 1)
    again = play(state, 3)
    assert PORTALS_V1.turn(again) == Roll(8, 1, "first", 3)
    assert PORTALS_V1.turn(play(again, 3)) == Roll(8, 1, "first", 1)
    assert PORTALS_V1.turn(play(again, 4)) == Decision(3)


def test_po3_with_a_seat_named_nobody_rolls_and_turns_go_round_in_seat_order() -> None:
    state = start(3, first=2)
    assert look(state, "contest") is None
    assert not PORTALS_V1.has_chance(PORTALS_V1.parse_options({"first": 2}))
    for seat in (2, 3, 1, 2):
        assert PORTALS_V1.turn(state) == Decision(seat)
        state = play(state, legal(state, "portal")[-1])


def test_po3_a_seat_that_is_not_at_the_table_cannot_be_first() -> None:
    with pytest.raises(OptionError, match="first"):
        start(2, first=3)


# ---- building


@pytest.mark.parametrize(
    ("net", "builds", "portals"),
    [
        ([], ["portal d3 <e3 >c3"], {"d3": {"in": ["e3"], "out": ["c3"]}}),
        (
            ["portal d3 <e3", "portal c2 >c3"],
            ["platform d2 <d3 >c2"],
            {"c2": {"in": ["d2"], "out": ["c3"]}, "d3": {"in": ["e3"], "out": ["d2"]}},
        ),
        (
            ["portal d3 <e3", "portal b3 <a3"],
            ["platform d4 <d3", "platform b4 >b3"],
            {"b3": {"in": ["a3", "b4"], "out": []}, "d3": {"in": ["e3"], "out": ["d4"]}},
        ),
    ],
)
def test_po4_arrows_join_a_new_portal_or_platform_to_platforms_or_portals_beside_it(net, builds, portals):
    assert look(play(position(net), *builds), "portals") == portals


def test_po4_each_neighbour_gets_an_arrow_one_way_or_the_other_or_none() -> None:
    assert legal(start(), "portal d3") == [
        *("portal d3 <c3", "portal d3 <e3", "portal d3 <c3,e3", "portal d3 >c3", "portal d3 <e3 >c3"),
        *("portal d3 >e3", "portal d3 <c3 >e3", "portal d3 >c3,e3"),
    ]
    builds = legal(position([f"platform {field}" for field in ("c3", "c4", "d3", "d5", "e4", "e5")]), "portal d4")
    assert len(builds) == len(set(builds)) == 3**6 - 1


@pytest.mark.parametrize(
    "text",
    [
        "portal d3",  # no arrow
        "portal d3 <e3 >e3",  # two for one pair
        "portal d3 >d4",  # to an empty field
        "portal d3 >a1",  # to a field far away
        "portal b2 <c2",  # to a portal
        "platform d2 >d3",  # to a platform
        "portal c2 >c3",  # on a portal
        "platform c3 <c2",  # on a platform
        "platform d2",
    ],
)
def test_po4_other_builds_are_illegal(text: str) -> None:
    refuse(position(["portal c2 >c3", "platform d3 >c2"]), text, "PO4")


def test_po5_a_portal_is_joined_to_no_other_seats_start_but_launched_where_it_is() -> None:
    for text in ("portal b3 <a3", "portal b3 >a3", "portal b3 <c3 >a3"):
        refuse(start(), text, "PO5")
        assert text in legal(position(seat=2))
    assert legal(start(), "portal b3") == ["portal b3 <c3", "portal b3 >c3"]
    state = play(position(["portal b3 <c3 >a3"], "c3:*", demons=True), "launch b3")
    assert pawns_of(state) == "a3:*"
    assert pawns_of(play(position(["portal b3 >a3"]), "launch b3")) == "a3:1"


# ---- launching


ENTRIES = ["portal d3 <e3", "platform d2 >d3"]


@pytest.mark.parametrize(
    ("net", "pawns", "pool", "after", "pools"),
    [
        ([*ENTRIES, "platform d4 <d3", "portal b3 <a3", "platform c2 <d3"], "e3:1 d2:1", 8, "c2:1 d4:1", [6, 8]),
        (["portal d3 <e3 >c3", "platform d2 >d3"], "e3:1 d2:1", 8, "c3:1", [7, 8]),  # surplus goes to the pool
        (["portal d3 <e3 >c3", "platform d2 <d3"], "e3:1", 2, "c3:1 d2:1", [0, 2]),  # and what lacks comes from it
        (
            [*ENTRIES, "platform d4 <d3", "platform c2 <d3"],
            "e3:1 d2:1",
            2,
            "c2:1 d4:1",
            [0, 2],
        ),  # from launched ones first
        (ENTRIES, "e3:1 d2:1", 8, "", [8, 8]),
        (["portal d3 >c3", "platform d2 <d3"], "", 8, "c3:1 d2:1", [6, 8]),
    ],
)
def test_po6_a_pawn_leaves_every_entry_and_one_arrives_on_every_exit_by_way_of_the_pool(net, pawns, pool, after, pools):
    state = play(position(net, pawns, pool=pool), "launch d3")
    assert (pawns_of(state), look(state, "pool")) == (after, pools)


def test_po6_a_launch_takes_a_portal_and_a_pawn_on_every_entry() -> None:
    net = ["portal d3 <e3 >c3", "platform d2 >d3"]
    refuse(position(net, "e3:1"), "launch d3", "PO6")
    refuse(position(net, "e3:1 d2:2"), "launch d3", "PO6")
    assert "launch d3" in legal(position(net, "e3:1 d2:1"))
    for text in ("launch d3", "launch c3"):
        refuse(start(), text, "PO6")


def test_po6_a_pool_that_cannot_pay_forbids_the_launch() -> None:
    refuse(position(["portal d3 <e3 >c3", "platform d2 <d3"], "e3:1", pool=1), "launch d3", "PO6")
    refuse(position(["portal d3 >c3", "platform d2 <d3"], pool=1), "launch d3", "PO6")


# ---- entering and leaving


def test_po7_a_pawn_from_the_pool_enters_on_the_own_start_unless_the_pool_is_empty() -> None:
    state = play(start(), "enter", "enter")
    assert (pawns_of(state), look(state, "pool")) == ("a3:2 e3:1", [7, 7])
    refuse(position(DOUBLE, "d2:1", pool=1, full=True), "enter", "PO7")


def test_po8_pawns_on_center_must_exit_one_a_turn() -> None:
    state = position(DOUBLE, "c3:1 e3:1")
    assert legal(state) == ["exit"]
    refuse(state, "enter", "PO8")
    after = play(state, "exit")
    assert (pawns_of(after), look(after, "pool"), look(after, "centered")) == ("e3:1", [7, 8], [True, False])
    several = play(position(DOUBLE, "c3:111", capacity=3), "exit", "enter")
    assert (pawns_of(several), legal(several)) == ("a3:2 c3:11", ["exit"])


def test_po8_nobody_exits_without_a_pawn_on_center_and_a_portal_is_no_exit() -> None:
    refuse(start(), "exit", "PO8")
    refuse(position(DOUBLE, "c3:2"), "exit", "PO8")
    refuse(position(DOUBLE, d8=8, dice=True), "exit", "PO8")
    state = play(position(["portal d3 <c3"], "c3:1", d8=5, dice=True), "launch d3")
    assert pawns_of(state) == ""
    assert look(state, "centered") == [False, False]


# ---- no action: PO9

STUCK = ["portal d3 <e3", "platform d4 <d3"]
"""On a full board a pawn goes from e3 to d4, and no further."""


def test_po9_a_seat_without_a_legal_move_is_passed_over() -> None:
    state = position(["portal d3 <e3"], "e3:1 b2:2", pool=1, full=True)
    assert legal(state) == ["launch d3"]
    after = play(state, "launch d3")
    assert (PORTALS_V1.turn(after), legal(after)) == (Decision(1), ["enter"])
    three = position(["portal d3 <e3"], "e3:1 d2:2", pool=1, seats=3, full=True, seat=3)
    assert PORTALS_V1.turn(PORTALS_V1.withdraw(three, 3)) == Decision(1)


@pytest.mark.parametrize(
    ("fields", "ranks"),
    [({}, (1, 1)), ({"centered": [2]}, (2, 1)), ({"ply_limit": 1}, (1, 1)), ({"dice": True, "d8": 4}, (1, 1))],
)
def test_po9_when_nobody_could_act_the_match_ends_by_standing(fields: dict[str, Any], ranks: tuple[int, int]) -> None:
    state = position(STUCK, "e3:1 b2:2", pool=1, full=True, **fields)
    assert ends(play(state, "launch d3"), "stalemate", *ranks)


def test_po9_while_somebody_could_act_on_some_roll_or_the_match_is_won_there_is_no_stalemate() -> None:
    state = play(position(STUCK, "e3:1 b2:22", pool=2, capacity=2, full=True), "enter")
    assert PORTALS_V1.turn(state) == Decision(1)
    assert ends(play(state, "launch d3", "launch d3"), "stalemate", 1, 1)
    alive = position(["portal d3 <e3"], "e3:1 b2:2", pool=1, full=True, dice=True, d8=4)
    assert PORTALS_V1.turn(play(alive, "launch d3")) == Roll(8, 1, "action", 2)
    won = position(["portal d3 <e3"], "e3:1 a3:2", pool=1, full=True, centered=[1], ply_limit=1)
    assert ends(play(won, "launch d3"), "cleared", 1, 2)


def test_po9_a_stalemate_is_looked_for_after_each_withdrawal() -> None:
    state = position([], "d2:1 b2:2", pool=1, seats=3, full=True, dice=True)
    assert ends(PORTALS_V1.withdraw(state, 3), "stalemate", 1, 1, 3)


# ---- what a platform takes


@pytest.mark.parametrize(("pawns", "capacity"), [("e3:1", 1), ("e3:2", 1), ("e3:11", 2), ("e3:2", 2), ("e3:*", 2)])
def test_po10_a_platform_takes_only_pawns_of_its_own_colour_and_only_while_it_has_room(pawns, capacity):
    refuse(position([], pawns, capacity=capacity, demons="*" in pawns), "enter", "PO10")


@pytest.mark.parametrize(("capacity", "pawns"), [(2, "e3:1"), (None, "e3:1111111")])
def test_po10_with_room_it_takes_another_one(capacity: int | None, pawns: str) -> None:
    assert pawns_of(play(position([], pawns, capacity=capacity), "enter")) == pawns + "1"


@pytest.mark.parametrize("mark", "12")
def test_po10_every_exit_of_a_launch_needs_room(mark: str) -> None:
    refuse(position(["portal d3 <e3 >c3", "platform d2 <d3"], f"e3:1 d2:{mark}"), "launch d3", "PO10")


def test_po10_center_is_no_exception() -> None:
    net = ["portal d3 >c3"]
    refuse(position(net, "c3:2"), "launch d3", "PO10")
    refuse(position(net, "c3:2", capacity=9), "launch d3", "PO10")
    full = position(net, "c3:11", capacity=2, dice=True, d8=5)
    refuse(full, "launch d3", "PO10")


def test_po10_demons_are_a_colour() -> None:
    net = ["portal d3 >c3"]
    refuse(position(net, "c3:1", capacity=2, demons=True, dice=True, d8=5), "launch d3", "PO10")
    assert pawns_of(play(position(net, "c3:*", capacity=2, demons=True), "launch d3")) == "c3:**"
    refuse(position(net, "c3:**", capacity=2, demons=True), "launch d3", "PO10")


# ---- the end: PO11, PO12


def test_po11_who_exits_with_the_last_pawn_on_the_board_wins_and_no_move_is_legal_any_more() -> None:
    assert ends(play(position(DOUBLE, "c3:2 e3:1", seat=2, seats=3), "exit"), "cleared", 2, 1, 2)
    over = play(position(DOUBLE, "c3:1"), "exit")
    assert legal(over) == []
    refuse(over, "enter", "PO11")


def test_po11_who_was_at_the_centre_wins_with_the_last_pawn_gone_and_nobody_else() -> None:
    net = ["portal d3 <e3"]
    assert PORTALS_V1.turn(play(position(net, "e3:1 d2:1", centered=[1]), "launch d3")) == Decision(2)
    assert ends(play(position(net, "e3:1", centered=[1]), "launch d3"), "cleared", 1, 2)
    assert PORTALS_V1.turn(play(position(net, "e3:1"), "launch d3")) == Decision(2)


def test_po11_a_portal_without_entries_wins_in_three_turns_unless_another_seat_gives_it_one() -> None:
    built = play(start(), "portal d3 >c3")
    assert ends(play(built, "enter", "launch d3", "portal b3 <a3", "exit"), "cleared", 1, 2)
    assert legal(play(built, "platform d4 >d3"), "launch") == []


def test_po12_first_come_those_who_were_at_the_centre_then_fewer_pawns_also_at_the_ply_limit() -> None:
    state = position(DOUBLE, "e3:1 d2:1 d4:2 c2:3", seats=4, centered=[1], full=True)
    assert PORTALS_V1.standing(state) == (1, 3, 3, 2)
    assert ends(play(start(ply_limit=1), "enter"), "ply-limit", 2, 1)


# ---- withdrawal: PO13


def test_po13_its_pawns_go_to_its_pool_and_its_start_stays_closed() -> None:
    state = position([], "e3:111 c5:2 c3:*", seats=3, capacity=3, demons=True, centered=[1])
    state = PORTALS_V1.withdraw(state, 1)
    assert pawns_of(state) == "c3:* c5:2"
    assert look(state, "pool")[0] == 8
    assert look(state, "centered") == [True, False, False]
    assert look(state, "left") == [1]
    assert PORTALS_V1.turn(state) == Decision(2)
    state = PORTALS_V1.withdraw(position([], "e3:*", seats=3, demons=True), 1)
    assert look(state, "platforms")["e3"] == {"start": 1, "center": False, "colour": "demon", "pawns": 1}
    refuse(state, "portal d3 <e3", "PO5")


def test_po13_who_is_alone_wins_and_leavers_are_last() -> None:
    state = PORTALS_V1.withdraw(PORTALS_V1.withdraw(start(3), 2), 1)
    assert ends(state, "withdrawal", 2, 3, 1)


def test_po13_when_another_seat_leaves_turn_and_roll_stay_and_else_the_roll_is_dropped() -> None:
    assert PORTALS_V1.turn(PORTALS_V1.withdraw(start(3), 2)) == Decision(1)
    assert PORTALS_V1.turn(PORTALS_V1.withdraw(start(3, dice=True), 2)) == Roll(8, 1, "action", 1)
    rolled = position(["portal d3 >c3"], seats=3, dice=True, d8=5)
    for seat, then in ((2, (Decision(1), 5)), (1, (Roll(8, 1, "action", 2), None))):
        state = PORTALS_V1.withdraw(rolled, seat)
        assert (PORTALS_V1.turn(state), look(state, "d8")) == then


def test_po13_in_a_contest_who_leaves_is_out_and_the_others_decide_it() -> None:
    contest = start(4, first="roll")
    state = PORTALS_V1.withdraw(play(contest, 3), 2)
    assert (look(state, "contest"), PORTALS_V1.turn(state)) == ([3, "out", None, None], Roll(8, 1, "first", 3))
    three = start(3, first="roll")
    assert PORTALS_V1.turn(PORTALS_V1.withdraw(play(three, 7, 2, 7), 1)) == Decision(3)
    assert PORTALS_V1.turn(PORTALS_V1.withdraw(play(three, 2, 7), 3)) == Decision(2)
    assert look(PORTALS_V1.withdraw(play(three, 7, 7), 3), "contest") == [None, None, "out"]


# ---- demons: PO14, PO15, PO16, PO17, PO18


def test_po14_a_portal_without_entries_puts_demons_on_its_exits() -> None:
    state = play(position(["portal d3 >c3", "platform d2 <d3"], "b2:1", pool=1, demons=True, full=True), "launch d3")
    assert pawns_of(state) == "b2:1 c3:* d2:*"
    assert look(state, "pool") == [0, 1]


def test_po15_a_demon_on_an_entry_counts_for_the_seat_on_turn() -> None:
    net = ["portal d3 <c3", "platform d2 >d3", "platform d4 <d3", "platform c2 <d3"]
    for pawns, after in (("c3:* d2:1", "c2:* d4:1"), ("c3:* d2:*", "c2:* d4:*")):
        state = position(net, pawns, demons=True)
        assert pawns_of(play(state, legal(state, "launch")[0])) == after
    refuse(position(net, "c3:* d2:2", demons=True), "launch d3", "PO6")


CHOICE = ["portal d3 <c3", "platform d2 >d3", "platform d4 <d3", "platform c2 <d3"]


def test_po16_the_seat_chooses_the_exits_of_demons() -> None:
    state = position(CHOICE, "c3:* d2:1", demons=True)
    assert legal(state, "launch") == ["launch d3 demons c2", "launch d3 demons d4"]
    assert pawns_of(play(state, "launch d3 demons c2")) == "c2:* d4:1"
    assert pawns_of(play(state, "launch d3 demons d4")) == "c2:1 d4:*"


@pytest.mark.parametrize("text", ["launch d3", "launch d3 demons c2,d4", "launch d3 demons d2", "launch d3 demons a1"])
def test_po16_as_many_exits_are_named_as_there_are_demons(text: str) -> None:
    refuse(position(CHOICE, "c3:* d2:1", demons=True), text, "PO16")


def test_po16_own_pawns_that_lack_come_from_the_pool_and_surplus_ones_return_to_it() -> None:
    net = ["portal d3 <c3", "platform d4 <d3"]
    after = play(position([*net, "platform c2 <d3"], "c3:*", demons=True), "launch d3 demons c2")
    assert (pawns_of(after), look(after, "pool")) == ("c2:* d4:1", [7, 8])
    poor = position([*net, "platform c2 <d3"], "c3:* a1:1", demons=True, full=True, pool=1)
    refuse(poor, "launch d3 demons c2", "PO6")
    surplus = play(position([*net, "platform d2 >d3"], "c3:* d2:1", demons=True), "launch d3")
    assert (pawns_of(surplus), look(surplus, "pool")) == ("d4:*", [8, 8])


def test_po16_each_exit_must_take_the_colour_that_it_gets() -> None:
    state = position(CHOICE, "c3:* d2:1 d4:*", demons=True, capacity=2)
    assert legal(state, "launch") == ["launch d3 demons d4"]
    refuse(state, "launch d3 demons c2", "PO10")
    assert pawns_of(play(state, "launch d3 demons d4")) == "c2:1 d4:**"
    assert legal(position(CHOICE, "c3:* d2:1 d4:1", demons=True, capacity=2), "launch") == ["launch d3 demons c2"]


def test_po16_nothing_is_named_where_demons_take_every_exit_or_none() -> None:
    every = position(CHOICE, "c3:* d2:*", demons=True)
    assert legal(every, "launch") == ["launch d3"]
    refuse(every, "launch d3 demons c2,d4", "PO16")
    assert legal(position(["portal d3 <e3 >c3"], "e3:1", demons=True), "launch") == ["launch d3"]
    refuse(position(["portal d3 >c3"], demons=True), "launch d3 demons c3", "PO16")
    refuse(position(["portal d3 <e3 >c3"], "e3:1"), "launch d3 demons c3", "PO16")


def test_po17_demons_leave_through_a_portal_without_exits_and_else_each_needs_one() -> None:
    assert pawns_of(play(position(["portal d3 <c3,e3"], "c3:* e3:1", demons=True), "launch d3")) == ""
    net = ["portal d3 <c3", "platform d2 >d3", "platform d4 <d3"]
    refuse(position(net, "c3:* d2:*", demons=True), "launch d3", "PO17")


def test_po18_demons_never_exit_and_are_no_seats_pawns() -> None:
    refuse(position(DOUBLE, "c3:*", demons=True), "exit", "PO18")
    refuse(position(DOUBLE, "c3:*", demons=True, dice=True, d8=8), "exit", "PO18")
    state = position(["portal d3 <e3"], "e3:1 d2:*", demons=True, centered=[1])
    assert ends(play(state, "launch d3"), "cleared", 1, 2)
    assert PORTALS_V1.standing(position([], "d2:***", demons=True, capacity=None, full=True)) == (1, 1)


# ---- dice: PO19, PO20


def test_po19_every_turn_starts_with_a_d8() -> None:
    state = start(dice=True)
    assert PORTALS_V1.turn(state) == Roll(8, 1, "action", 1)
    rolled = play(state, 7)
    assert (PORTALS_V1.turn(rolled), look(rolled, "d8")) == (Decision(1), 7)
    after = play(rolled, "enter")
    assert (PORTALS_V1.turn(after), look(after, "d8")) == (Roll(8, 1, "action", 2), None)
    refuse(after, "enter", "PO19")


@pytest.mark.parametrize(
    ("d8", "words"),
    [(1, "portal platform"), (3, "portal platform"), (4, "launch"), (6, "launch"), (7, "enter"), (8, "enter")],
)
def test_po19_the_roll_says_what_is_legal(d8: int, words: str) -> None:
    state = play(position(["portal d3 >c3"], dice=True), d8)
    assert {text.split(" ")[0] for text in legal(state)} == set(words.split())
    for text in ("portal d4 <c3", "platform d2 <d3", "launch d3", "enter"):
        if text.split(" ")[0] not in words:
            refuse(state, text, "PO19")


def test_po19_on_an_8_a_pawn_on_center_exits_and_else_it_stays_and_may_be_an_entry() -> None:
    state = play(position(DOUBLE, "c3:1", dice=True), 8)
    assert legal(state) == ["exit"]
    refuse(state, "enter", "PO8")
    other = position(["portal d3 <c3", "portal b3 >c3"], "c3:1", dice=True)
    assert legal(play(other, 5)) == ["launch d3"]
    assert legal(play(other, 7)) == ["enter"]
    refuse(play(other, 7), "exit", "PO19")


def test_po20_a_roll_without_a_possible_action_ends_the_turn() -> None:
    state = play(start(3, dice=True), 5)
    assert (PORTALS_V1.turn(state), look(state, "d8"), look(state, "ply")) == (Roll(8, 1, "action", 2), None, 0)
    state = play(position(["portal d3 <e3"], "e3:1 b2:2", pool=1, full=True, dice=True), 4, "launch d3")
    assert PORTALS_V1.turn(state) == Roll(8, 1, "action", 2)
    assert PORTALS_V1.turn(play(state, 7)) == Roll(8, 1, "action", 1)


# ---- documentation


def test_the_view_and_the_drawing_in_the_documentation_are_true() -> None:
    state = play(start(pool=3), "portal d3 <e3 >c3", "enter", "enter", "portal b3 <a3", "launch d3")
    assert PORTALS_V1.view(state) == json.loads(re.findall(r"```json\n(.*?)```", DOCS, re.DOTALL)[0])
    assert re.findall(r"```\n(  .*?)\n```", DOCS, re.DOTALL)[0] in PORTALS_V1.render_text(state)
