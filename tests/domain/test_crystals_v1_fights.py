"""Crystals, clause by clause: attacks, mines, abilities and experience, CR11 to CR13 and CR16 to CR19."""

from itertools import product
from typing import Any

import pytest

from plyscribe.domain.ruleset import Decision
from plyscribe.domain.rulesets.crystals_v1 import CRYSTALS_V1
from plyscribe.domain.rulesets.crystals_v1.state import State
from tests.domain.crystals import is_over, legal, play, position, refuse, require_board, roll_for

turn = CRYSTALS_V1.turn


def view(state: State) -> dict[str, Any]:
    return CRYSTALS_V1.view(state)


# ---- attack


@pytest.mark.parametrize(
    ("roll", "before", "after"),
    [
        (2, "1s . 2m . . . . . . .\n2s . . . . . . . . .", ". . 1s . . . . . . .\n2s . . . . . . . . ."),
        # on any START
        (
            1,
            "1m . . . . . . . . .\n2s . . . . . . . . 1s\n2m . . . . . . . . .",
            "1m . . . . . . . . .\n2s . . . . . . . . .\n1s . . . . . . . . .",
        ),
        # on the far teleport
        (2, "1m . . 1s . . . . . .\n2s . . . . 2m . . . .", "1m . . . . . . . . .\n2s . . . . 1s . . . ."),
    ],
)
def test_cr11_an_enemy_where_the_move_ends_is_killed_for_one_experience(roll: int, before: str, after: str) -> None:
    state = play(position(before, roll=roll), "move scout")
    require_board(state, after)
    assert (view(state)["due"][0], view(state)["phase"], turn(state)) == (1, "xp", Decision(1))


# ---- cover


@pytest.mark.parametrize(
    ("roll", "covered", "drawing"),
    [
        (3, True, "1s . . 2m . . . 2t . .\n2s . . . . . . . . ."),
        (3, False, "1s . . 2m . . . . 2t .\n2s . . . . . . . . ."),
        (1, True, ". . . 2t . . 1s 2m . .\n2s . . . . . . . . ."),
        (1, False, ". . 2t . . . 1s 2m . .\n2s . . . . . . . . ."),
        (3, True, ". . . . . . 1s . . 2m\n2s . . 2t . . . . . ."),
        (2, True, ". . . . . . . 2t 1s .\n2m . . . . . . . . ."),
        (3, True, "1s . . 2t . . . . . .\n2s . . . . . . . . ."),  # itself
        (1, True, "1m . . . . . . . . 1s\n2m . 2t . . . . . . ."),  # who stands on a START
        (2, False, "1m . . . . 1s . 2m . .\n2t . . . . . . . . ."),  # but not from its own START
        (2, False, "2t . 1s . 2m . . . . .\n2s . . . . . . . . ."),  # or another seat's
        (1, False, "1m . . . . . . . . 1s\n2t . . . . . . . . ."),  # not even itself
        (2, False, "1m . 1s . 2m . . . . .\n2s . . . . . . . . ."),  # nor from its base
    ],
)
def test_cr12_a_tower_covers_itself_and_four_fields_either_way_but_not_from_a_start_or_its_base(roll, covered, drawing):
    state = play(position(drawing, roll=roll), "move scout")
    assert turn(state) == (roll_for("defence", 2) if covered else Decision(1))


def test_cr12_a_tower_covers_round_the_end_of_the_numbering() -> None:
    state = position(". 1m . . . . . . . .\n2r . . . . . . . 1t 2s", seat=2, roll=2)
    assert turn(play(state, "move scout")) == roll_for("defence", 1)


@pytest.mark.parametrize(("xp", "value"), list(product((1, 2, 5), range(1, 7))))
def test_cr12_a_roll_up_to_the_towers_level_saves(xp: int, value: int) -> None:
    level = {1: 1, 2: 2, 5: 3}[xp]
    state = position("1s . . 2m . 2t . . . .\n2s . . . . . . . . .", roll=3, xp={"2t": xp}, teleport=9)
    after = play(state, "move scout", value)
    if value <= level:
        require_board(after, ". . 1s 2m . 2t . . . .\n2s . . . . . . . . .")
        assert view(after)["due"] == [0, 1]
    else:
        require_board(after, ". . . 1s . 2t . . . .\n2s . . . . . . . . .")
        assert view(after)["due"] == [1, 0]


def test_cr12_the_attacker_is_shown_where_it_came_from_while_a_defence_is_awaited() -> None:
    state = play(position("1s . . 2m . 2t . . . .\n2s . . . . . . . . .", roll=3), "move scout")
    require_board(state, "1s . . 2m . 2t . . . .\n2s . . . . . . . . .")
    assert (view(state)["phase"], view(state)["on_turn"], legal(state)) == ("defence", 1, [])
    assert view(state)["attack"] == {"attacker": "scout", "target": {"seat": 2, "class": "miner"}, "ranged": False}


@pytest.mark.parametrize(
    ("roll", "before", "after"),
    [
        (3, "1s 2r 1m 2m . 2t . . . .\n. . . . . . . . . .", "1s 2r 1m 2m . 2t . . . .\n. . . . . . . . . ."),
        (2, "1m . . . . . . . . 1s\n2s 2m 2t . . . . . . .", "1m . . . . . . . . 1s\n2s 2m 2t . . . . . . ."),
        # onto a START
        (2, "1m . . . . . . . . 1s\n. 2m 2t . . . . . . .", "1m . . . . . . . . .\n1s 2m 2t . . . . . . ."),
        # from the far end of a teleport
        (2, "1m . . 1s . . . . . .\n2s . . . . 2m 2t . . .", "1m . . . . . . . . .\n2s . . . 1s 2m 2t . . ."),
        # onto a teleport, which is not taken
        (3, "1m . . 1s . . 2m 2t . .\n2s . . . . . . . . .", "1m . . . . 1s 2m 2t . .\n2s . . . . . . . . ."),
    ],
)
def test_cr12_the_way_back_leads_to_the_first_field_without_a_character(roll: int, before: str, after: str) -> None:
    require_board(play(position(before, roll=roll), "move scout", 1), after)


def test_cr12_who_was_thrown_back_attacks_nobody_but_keeps_its_extra_turn() -> None:
    state = position("1m . 2r 1r . . 2m 2t . .\n2s . . . . . . . . .", roll=3, xp={"1r": 5}, teleport=9)
    saved = play(state, "move rider", 1)
    require_board(saved, "1m . 2r . . 1r 2m 2t . .\n2s . . . . . . . . .")
    assert view(saved)["due"] == [0, 1]
    state = position("1m . . 1s 2m 2t . . . .\n2s . . . . . . . . .", roll=1, teleport=9)
    state = play(state, "move scout", 1)
    require_board(state, "1m . . 1s 2m 2t . . . .\n2s . . . . . . . . .")
    assert view(state)["extra"] is True


@pytest.mark.parametrize(("mine", "after", "due"), [("*2", ". .", [0, 2]), ("*1", ". 1s", [1, 1])])
def test_cr12_the_way_back_leads_onto_a_mine(mine: str, after: str, due: list[int]) -> None:
    state = position(f"1m . . 1s . {mine} 2m 2t . .\n2s . . . . . . . . .", roll=3, teleport=9)
    back = play(state, "move scout", 1)
    require_board(back, f"1m . . . {after} 2m 2t . .\n2s . . . . . . . . .")
    assert view(back)["due"] == due


def test_cr12_nobody_is_saved_from_a_mine() -> None:
    state = position("1m . 1t 1s . *2 . . . .\n2s . . . . . . . . .", roll=2, teleport=9, xp={"1t": 5})
    assert turn(play(state, "move scout")) == Decision(2)


# ---- mines


@pytest.mark.parametrize(("owner", "after", "due"), [(2, ".", [0, 1]), (1, "1s", [1, 0])])
def test_cr13_a_mine_kills_a_stranger_and_returns_to_its_owner_with_experience(owner, after, due):
    state = play(position(f"1m 1s . *{owner} . . . . . .\n2s . . . . . . . . .", roll=2), "move scout")
    require_board(state, f"1m . . {after} . . . . . .\n2s . . . . . . . . .")
    assert (view(state)["due"], view(state)["mines"], turn(state)) == (due, [[], []], Decision(owner))


def test_cr13_who_is_killed_uses_no_ability() -> None:
    scout = play(position("1m 1s *2 . . . . . . .\n2s . . . . . . . . .", roll=1), "move scout")
    assert view(scout)["extra"] is False
    miner = play(position("1s 1m *2 . . . . . . .\n2s . . . . . . . . .", roll=1), "move miner")
    assert view(miner)["mines"] == [[], []]
    rider = play(position("1m 1r 2m *2 . . . . . .\n2s . . . . . . . . .", roll=2), "move rider")
    assert view(rider)["due"] == [0, 1]


# ---- rider and archer


@pytest.mark.parametrize(("xp", "due"), [(1, 1), (2, 2), (5, 3)])
@pytest.mark.parametrize(
    ("name", "roll", "row"), [("rider", 5, "1m 1r . 2s 2m 2r . 3r . ."), ("archer", 2, "1m 1a 2r . 2s 2m 3m 3r . .")]
)
def test_cr16_a_rider_attacks_as_many_fields_behind_it_as_its_level_and_an_archer_before_it(xp, due, name, roll, row):
    state = position(
        f"{row}\n2t . . . . . . . . .\n3s . . . . . . . . .", roll=roll, xp={f"1{name[0]}": xp}, teleport=9
    )
    assert view(play(state, f"move {name}"))["due"] == [due, 0, 0]


def test_cr16_own_characters_and_empty_fields_do_not_stop_it_nor_the_end_of_the_loop_nor_a_start() -> None:
    state = position("1m 1a . . 1s . 2m . . .\n2t . . . . . . . . .", roll=2, xp={"1a": 5}, teleport=9)
    state = play(state, "move archer")
    require_board(state, "1m . . 1a 1s . . . . .\n2t . . . . . . . . .")
    state = position("1m . . . . . . . . .\n2r . . . . . . . . .\n. . . . . . 3a . . .", seat=3, roll=3, xp={"3a": 5})
    state = play(state, "move archer")
    require_board(state, ". . . . . . . . . .\n2r . . . . . . . . .\n. . . . . . . . . 3a")


def test_cr16_after_a_kill_where_it_lands_it_still_attacks() -> None:
    state = position("1m 1r . 2s 2m . . . . .\n2t . . . . . . . . .", roll=3, teleport=9)
    state = play(state, "move rider")
    require_board(state, "1m . . . 1r . . . . .\n2t . . . . . . . . .")
    assert view(state)["due"] == [2, 0]


def test_cr16_each_covered_target_rolls_for_itself_nearest_first() -> None:
    drawing = "1m 1a . . 2s 3m 2m 2t 3t .\n2r . . . . . . . . .\n3s . . . . . . . . ."
    state = play(position(drawing, roll=2, xp={"1a": 5}, teleport=9), "move archer")
    shown = []
    for value in (6, 1, 2):
        shown.append((turn(state), view(state)["attack"]["target"], view(state)["attack"]["ranged"]))
        state = play(state, value)
    assert shown == [
        (roll_for("defence", 2), {"seat": 2, "class": "scout"}, True),
        (roll_for("defence", 3), {"seat": 3, "class": "miner"}, True),
        (roll_for("defence", 2), {"seat": 2, "class": "miner"}, True),
    ]
    require_board(state, "1m . . 1a . 3m . 2t 3t .\n2r . . . . . . . . .\n3s . . . . . . . . .")
    assert view(state)["due"] == [2, 0, 1]


def test_cr16_the_attacker_is_shown_on_its_new_field_while_a_defence_from_afar_is_awaited() -> None:
    state = position("1m 1a . . 2s . . 2t . .\n2r . . . . . . . . .", roll=2, teleport=9)
    require_board(play(state, "move archer"), "1m . . 1a 2s . . 2t . .\n2r . . . . . . . . .")


def test_cr16_a_tower_that_was_killed_first_covers_nobody_and_one_that_was_saved_still_covers() -> None:
    state = position("1m 1a . . 2t 2s . . . .\n2r . . . . . . . . .", roll=2, xp={"1a": 2}, teleport=9)
    killed = play(state, "move archer", 2)
    require_board(killed, "1m . . 1a . . . . . .\n2r . . . . . . . . .")
    assert (view(killed)["due"], view(killed)["phase"]) == ([2, 0], "xp")
    assert turn(play(state, "move archer", 1)) == roll_for("defence", 2)


def test_cr16_nobody_attacks_from_a_start_or_from_home() -> None:
    state = position("1m . . . . . . . 1a .\n. 2s . . . . . . . .", roll=2)
    assert view(play(state, "move archer"))["due"] == [0, 0]
    state = play(position("1m 2s . . . . . . . .\n2m . . . . . . . . 1a", roll=1, xp={"1a": 5}), "move archer")
    assert (view(state)["due"], view(state)["crystals"]) == ([0, 0], [1, 0])


# ---- scout and miner


BY_LEVEL = [(1, 1, True), (1, 2, False), (2, 2, True), (4, 3, False), (5, 3, True), (5, 4, False)]
"""Experience, roll, and whether the roll is at most the level."""


@pytest.mark.parametrize(("xp", "roll", "extra"), BY_LEVEL)
def test_cr17_a_scout_moved_by_a_roll_up_to_its_level_gives_an_extra_turn(xp: int, roll: int, extra: bool) -> None:
    state = position("1m 1s . . . . . . . .\n2s . . . . . . . . .", roll=roll, xp={"1s": xp})
    state = play(state, "move scout")
    assert turn(state) == roll_for("turn", 1 if extra else 2)


@pytest.mark.parametrize(
    ("drawing", "steps", "seat"),
    [
        ("1s 1t . . . . . .\n2s . . . . . . .", ["move tower"], 2),  # only a scout gives it
        ("1m . . . . . . .\n2s . . . . . . 1s", ["move scout"], 1),  # one that came home
        ("1s . . . . . . .\n2s . . . . . . .", ["move scout", "spawn miner"], 1),  # or set out from START
        ("1m . . . . . . 1s\n. 2s . . . . . .", ["move scout"], 2),  # but not one that ends on a START
    ],
)
def test_cr17_only_a_scout_that_does_not_end_on_a_start_gives_it(drawing: str, steps: list[str], seat: int) -> None:
    assert turn(play(position(drawing, roll=1), *steps)) == roll_for("turn", seat)


@pytest.mark.parametrize(("xp", "roll", "laid"), BY_LEVEL)
def test_cr18_a_miner_moved_by_a_roll_up_to_its_level_leaves_a_mine(xp: int, roll: int, laid: bool) -> None:
    state = position("1s 1m . . . . . . . .\n2s . . . . . . . . .", roll=roll, xp={"1m": xp}, teleport=9)
    assert view(play(state, "move miner"))["mines"] == [[2] if laid else [], []]


@pytest.mark.parametrize(
    ("drawing", "mines"),
    [
        ("1s . . . . 1m . . . .\n2s . . . . . . . . .", [6]),  # on a teleport
        ("1s . . . . . . . . .\n2s . . . . . . . . 1m", [20]),  # on the way home
        ("1m . . . . . . . . .\n2s . . . . . . . . .", []),  # not on a START
        ("1s . . . . . . . . 1m\n. 2s . . . . . . . .", []),  # nor by one that ends there
        ("1s 1m *1 *1 *1 *1 . . . .\n2s . . . . . . . . .", [4, 5, 6]),  # no fifth, though one is taken up
        ("1s 1m *1 *1 *1 . . . . .\n2s . . . . . . . . .", [2, 4, 5]),
    ],
)
def test_cr18_a_mine_is_left_anywhere_but_on_a_start_and_no_fifth(drawing: str, mines: list[int]) -> None:
    state = position(drawing, roll=1, teleport=9 if "*" in drawing else 5)
    assert view(play(state, "move miner"))["mines"] == [mines, []]


@pytest.mark.parametrize(
    ("roll", "before", "after"),
    [
        (1, "1s 1m 2s 2t . . . . . .", "1s 1m 2s 2t . . . . . ."),
        (2, "1s 1m . 2s 2t . . . . .", "1s *1 1m 2s 2t . . . . ."),
    ],
)
def test_cr18_a_miner_thrown_back_leaves_a_mine_unless_it_is_where_it_was(roll: int, before: str, after: str) -> None:
    state = position(f"{before}\n2m . . . . . . . . .", roll=roll, xp={"1m": roll})
    require_board(play(state, "move miner", 1), f"{after}\n2m . . . . . . . . .")


# ---- experience


def test_cr19_the_seat_on_turn_gives_its_points_first_then_the_others_clockwise() -> None:
    # Seat 2's archer kills on the field, is survived by seats 3 and 1, and steps on its own mine.
    drawing = "1m . . . . . . . . .\n2m 2a *2 1s 3s . 1t 3t . .\n3m . . . . . . . . ."
    state = position(drawing, seat=2, roll=1, xp={"2a": 2}, teleport=9)
    state = play(state, "move archer", 1, 1)
    assert view(state)["due"] == [1, 1, 1]
    seats = []
    while view(state)["phase"] == "xp":
        seats.append((turn(state), view(state)["on_turn"]))
        state = play(state, "xp miner")
    assert seats == [(Decision(2), 2), (Decision(3), 2), (Decision(1), 2)]
    assert [own["miner"]["xp"] for own in view(state)["characters"]] == [2, 2, 2]


def test_cr19_all_points_of_a_seat_come_before_those_of_the_next_and_may_win_in_anothers_turn() -> None:
    state = position("1m 1r . 2s 2m . . . . .\n2t . . . . . . . . .", roll=3, teleport=9)
    state = play(state, "move rider", "xp scout")
    assert (view(state)["due"], turn(state)) == ([1, 0], Decision(1))
    assert turn(play(state, "xp scout")) == roll_for("turn", 2)
    state = position("1m 1s *2 . . . . . . .\n2t . . . . . . . . .", roll=1, xp={"2s": 5, "2r": 5, "2t": 5, "2m": 4})
    state = play(state, "move scout")
    assert (turn(state), view(state)["on_turn"]) == (Decision(2), 1)
    assert is_over(play(state, "xp miner"), "experience", 2, 1)


def test_cr19_a_class_takes_no_more_than_five_and_one_that_is_left_is_still_a_decision() -> None:
    drawing = "1m 1s 2s . . . . . . .\n2t . . . . . . . . ."
    state = play(position(drawing, roll=1, xp={"1s": 5, "1r": 5, "1t": 4}), "move scout")
    assert legal(state) == ["xp miner", "xp tower"]
    refuse(state, "xp scout", "CR19")
    refuse(state, "xp archer", "CR19")
    state = position(drawing, roll=1, xp={"1s": 5, "1r": 5, "1t": 5, "1m": 3})
    assert legal(play(state, "move scout")) == ["xp miner"]


def test_cr19_four_classes_on_level_3_win_and_points_still_due_are_dropped() -> None:
    state = position(
        "1m 1r . 2s 2m . . . . .\n2t . . . . . . . . .",
        roll=3,
        xp={"1s": 5, "1r": 5, "1t": 5, "1m": 4},
        crystals=(0, 2),
        teleport=9,
    )
    state = play(state, "move rider", "xp miner")
    assert is_over(state, "experience", 1, 2)
    assert (view(state)["due"], view(state)["on_turn"], view(state)["roll"]) == ([0, 0], None, None)


def test_cr19_levels_gained_in_a_move_count_from_the_next_one_on() -> None:
    # The scout reaches level 2 by the experience of this move, which was made by a 2.
    state = position("1m 1s . 2s . . . . . .\n2t . . . . . . . . .", roll=2)
    assert turn(play(state, "move scout", "xp scout")) == roll_for("turn", 2)
