"""Crystals, clause by clause: each test name begins with the clause that it holds. Here CR1 to CR10, CR14 and CR15."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from plyscribe.domain.errors import BadNotation, OptionError
from plyscribe.domain.ruleset import Decision
from plyscribe.domain.rulesets.crystals_v1 import CRYSTALS_V1
from plyscribe.domain.rulesets.crystals_v1.state import State
from plyscribe.domain.rulesets.crystals_v1.track import steps_home
from tests.domain.crystals import begun, draw, is_over, legal, play, position, refuse, require_board, roll_for, start

DOCS = (Path(__file__).parents[2] / "docs/rulesets/crystals.md").read_text()
turn = CRYSTALS_V1.turn


def view(state: State) -> dict[str, Any]:
    return CRYSTALS_V1.view(state)


# ---- track


@pytest.mark.parametrize(
    ("seats", "options", "fields", "starts", "teleports"),
    [
        (2, {}, 20, [1, 11], [6, 16]),
        (4, {}, 40, [1, 11, 21, 31], [6, 16, 26, 36]),
        (3, {"section": 8, "teleport": 7}, 24, [1, 9, 17], [8, 16, 24]),
        (2, {"section": 20, "teleport": 1}, 40, [1, 21], [2, 22]),
    ],
)
def test_cr1_the_loop_has_a_section_for_each_seat(seats, options, fields, starts, teleports):
    shown = view(start(seats, **options))
    assert (shown["fields"], shown["starts"], shown["teleports"]) == (fields, starts, teleports)


def test_cr1_home_lies_directly_before_the_own_start_and_a_round_away_from_it() -> None:
    assert [steps_home(20, 1, at) for at in (20, 19, 2, 1)] == [1, 2, 19, 20]
    assert [steps_home(20, 11, at) for at in (10, 1, 20, 11)] == [1, 10, 11, 20]


def test_cr2_characters_move_clockwise_round_the_loop_over_all_others_and_every_field_counts() -> None:
    state = position(". 1s 2s 1m . . . . . .\n2r . . . . . . . . .", roll=3)
    require_board(play(state, "move scout", "spawn tower"), "1t . 2s 1m 1s . . . . .\n2r . . . . . . . . .")
    state = position("1s . . . . . . . . .\n2r . . . . . . . . 2s", seat=2, roll=4)
    require_board(play(state, "move scout"), "1s . . 2s . . . . . .\n2r . . . . . . . . .")


def test_cr3_all_characters_begin_in_the_base_with_one_experience() -> None:
    begin = {"at": "base", "xp": 1, "level": 1}
    assert view(start(3))["characters"] == [{"scout": begin, "miner": begin, "tower": begin}] * 3
    chosen = play(start(), "choose archer", "choose rider")
    assert [list(own) for own in view(chosen)["characters"]] == [
        ["scout", "miner", "tower", "archer"],
        ["scout", "miner", "tower", "rider"],
    ]


@pytest.mark.parametrize(("xp", "level"), [(1, 1), (2, 2), (3, 2), (4, 2), (5, 3)])
def test_cr3_levels_go_by_experience(xp: int, level: int) -> None:
    state = position("1s . . . . . . .\n2s . . . . . . .", xp={"1t": xp})
    assert view(state)["characters"][0]["tower"] == {"at": "base", "xp": xp, "level": level}


def test_cr3_a_level_survives_death() -> None:
    state = position("1s 2m . . . . . . .\n. . . . . . . . .", roll=1, xp={"2m": 5})
    assert view(play(state, "move scout"))["characters"][1]["miner"] == {"at": "base", "xp": 5, "level": 3}


@pytest.mark.parametrize(("seats", "bank"), [(2, 5), (3, 7), (4, 9)])
def test_cr4_two_crystals_a_seat_and_one_more_lie_in_the_middle(seats: int, bank: int) -> None:
    shown = view(start(seats))
    assert (shown["bank"], shown["crystals"], shown["mines"]) == (bank, [0] * seats, [[]] * seats)


# ---- opening


def test_cr5_seats_choose_then_deploy_then_roll_in_seat_order() -> None:
    state, seen = start(3), []
    for step in ("choose rider", "choose archer", "choose rider", "spawn scout", "spawn archer", "spawn tower", 4, 2):
        seen.append((view(state)["phase"], turn(state)))
        state = play(state, step)
    assert seen == [
        *(("choose", Decision(seat)) for seat in (1, 2, 3)),
        *(("deploy", Decision(seat)) for seat in (1, 2, 3)),
        *(("first", roll_for("first", seat)) for seat in (1, 2)),
    ]
    require_board(state, "1s . . . . . . . . .\n2a . . . . . . . . .\n3t . . . . . . . . .")
    assert (view(state)["contest"], view(state)["on_turn"]) == ([4, 2, None], None)


def test_cr5_the_lowest_roll_begins_and_a_six_gives_nothing_in_the_contest() -> None:
    state = play(begun(2, first=2))
    assert (turn(state), view(state)["contest"], view(state)["roll"]) == (roll_for("turn", 2), None, None)
    state = play(start(), "choose rider", "choose rider", "spawn scout", "spawn scout", 6, 5)
    assert (turn(state), view(state)["extra"]) == (roll_for("turn", 2), False)


def test_cr5_seats_tied_for_the_lowest_roll_again_among_themselves() -> None:
    opening = [*["choose rider"] * 4, *["spawn scout"] * 4]
    state = play(start(4), *opening, 3, 2, 2, 2)
    assert (turn(state), view(state)["contest"]) == (roll_for("first", 2), ["out", None, None, None])
    state = play(state, 5, 1, 1)
    assert (turn(state), view(state)["contest"]) == (roll_for("first", 3), ["out", "out", None, None])
    assert turn(play(state, 6, 5)) == roll_for("turn", 4)


def test_cr5_only_a_rider_or_an_archer_is_chosen_and_only_it_can_be_spawned() -> None:
    assert legal(start()) == ["choose rider", "choose archer"]
    state = play(start(), "choose archer", "choose rider")
    assert legal(state) == ["spawn scout", "spawn miner", "spawn tower", "spawn archer"]
    refuse(state, "spawn rider", "CR5")


# ---- turn


def test_cr6_a_turn_begins_with_a_spawn_where_start_is_empty() -> None:
    state = position(". 1s . . . . . . . .\n2s 2m . . . . . . . .", seat=2, roll=3)
    state = play(state, "move miner")
    assert (turn(state), view(state)["phase"], view(state)["roll"]) == (Decision(1), "spawn", None)
    assert legal(state) == ["spawn miner", "spawn tower", "spawn rider"]
    refuse(state, "spawn scout", "CR6")
    refuse(state, "spawn archer", "CR6")
    state = play(state, "spawn tower")
    assert turn(state) == roll_for("turn", 1)
    assert draw(state).startswith("1t 1s")


@pytest.mark.parametrize("drawing", ["2t 1s . . . . . . . .", ". 1s 1m 1t 1r . . . . ."])
def test_cr6_nobody_is_spawned_where_an_enemy_is_on_start_or_the_base_is_empty(drawing: str) -> None:
    state = position(f"{drawing}\n2s 2m . . . . . . . .", seat=2, roll=3)
    assert turn(play(state, "move miner")) == roll_for("turn", 1)


def test_cr7_the_seat_moves_one_of_its_characters_by_its_roll_if_one_is_on_the_track() -> None:
    state = play(position("1s . 1t . . . . . . .\n2s . . . . . . . . ."), 4)
    assert (turn(state), view(state)["phase"], view(state)["roll"]) == (Decision(1), "move", 4)
    assert legal(state) == ["move scout", "move tower"]
    assert legal(state, "move t") == ["move tower"]
    refuse(state, "move miner", "CR7")
    refuse(state, "move archer", "CR7")
    require_board(play(state, "move tower"), "1s . . . . . 1t . . .\n2s . . . . . . . . .")
    idle = play(position("2t . . . . . . . . .\n2s . . . . . . . . ."), 4)
    assert (turn(idle), view(idle)["roll"]) == (roll_for("turn", 2), None)


@pytest.mark.parametrize("roll", [1, 2, 3, 6])
def test_cr8_a_roll_of_at_least_the_distance_brings_a_character_home(roll: int) -> None:
    state = play(position("1m . . . . . . . . .\n2s . . . . . . . 1s .", roll=roll), "move scout")
    require_board(state, f"1m . . . . . . . . .\n2s . . . . . . . . {'1s' if roll == 1 else '.'}")
    assert (view(state)["crystals"], view(state)["bank"]) == (([0, 0], 5) if roll == 1 else ([1, 0], 4))


def test_cr8_the_third_crystal_wins_at_once() -> None:
    state = position(". . . . . . . . . .\n2s . . . . . . . . 1s", roll=6, crystals=(2, 2))
    state = play(state, "move scout")
    assert is_over(state, "crystals", 1, 2)
    assert (view(state)["crystals"], view(state)["phase"], view(state)["on_turn"]) == ([3, 2], "over", None)
    assert (view(state)["roll"], view(state)["extra"]) == (None, False)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("1m . . 1s . . . . . .\n2s . . . . . . . . .", "1m . . . . . . . . .\n2s . . . . 1s . . . ."),
        # The seat's own piece stands at the far end, so the scout stops on the near teleport and attacks there.
        ("1m . . 1s . . . . . .\n2s . . . . 1r . . . .", "1m . . . . 1s . . . .\n2s . . . . 1r . . . ."),
        ("1m . . 1s . 2r . . . .\n2s . . . . 1r . . . .", "1m . . . . 1s . . . .\n2s . . . . 1r . . . ."),
        # Nothing is touched on the teleport that is gone on from.
        ("1m . . 1s . 2r . . . .\n2s . . . . . . . . .", "1m . . . . 2r . . . .\n2s . . . . 1s . . . ."),
        ("1m . . 1s . *2 . . . .\n2s . . . . . . . . .", "1m . . . . *2 . . . .\n2s . . . . 1s . . . ."),
        ("1m . . 1s . 1t . . . .\n2s . . . . . . . . .", "1m . . . . 1t . . . .\n2s . . . . 1s . . . ."),
        # From the last teleport to the first, past its home without a crystal.
        ("1m . . . . . . . . .\n2s . . 1s . . . . . .", "1m . . . . 1s . . . .\n2s . . . . . . . . ."),
    ],
)
def test_cr9_a_roll_that_ends_on_a_teleport_leads_to_the_next_one(before: str, after: str) -> None:
    state = play(position(before, roll=2), "move scout")
    require_board(state, after)
    assert view(state)["crystals"] == [0, 0]
    assert view(state)["due"] == [int("2r" in before and "2r" not in after), 0]


def test_cr10_no_move_ends_on_a_character_of_the_own_seat_or_on_two_teleports_with_such() -> None:
    state = position("1s . 1t . . . . . . .\n2s . . . . . . . . .", roll=2)
    assert legal(state) == ["move tower"]
    refuse(state, "move scout", "CR10")
    refuse(position("1m . . 1s . 1t . . . .\n2s . . . . 1r . . . .", roll=2), "move scout", "CR10")


# ---- order


def test_cr14_a_character_is_spawned_at_the_end_of_the_turn_by_the_seat_on_turn_alone() -> None:
    state = play(position("1s . . . . . . . . .\n. . . . . . . . . .", roll=3), "move scout")
    assert (turn(state), view(state)["phase"], view(state)["roll"]) == (Decision(1), "respawn", 3)
    assert legal(state) == ["spawn miner", "spawn tower", "spawn rider"]
    refuse(state, "spawn scout", "CR6")
    state = play(state, "spawn rider")
    assert (turn(state), view(state)["phase"], view(state)["roll"]) == (Decision(2), "spawn", None)
    home = play(position(". 1m 1t 1r . . . . . .\n2s . . . . . . . . 1s", roll=2), "move scout")
    assert legal(home) == ["spawn scout"]


@pytest.mark.parametrize("text", ["choose rider", "spawn scout", "move scout", "xp scout"])
def test_cr14_a_verb_of_another_phase_is_refused_and_every_one_during_a_roll_and_after_the_end(text: str) -> None:
    if text != "move scout":
        refuse(position("1s . . . . . . . . .\n2s . . . . . . . . .", roll=3), text, "CR14")
    refuse(begun(2), text, "CR14")
    refuse(CRYSTALS_V1.withdraw(begun(2), 1), text, "CR14")


def test_cr14_experience_comes_before_the_spawn_and_the_spawn_before_the_next_turn() -> None:
    state = position("1s . 2m . . . . . . .\n2s . . . . . . . . .", roll=2)
    phases = []
    for step in ("move scout", "xp tower", "spawn tower"):
        state = play(state, step)
        phases.append(view(state)["phase"])
    assert phases == ["xp", "respawn", "roll"]
    assert turn(state) == roll_for("turn", 2)


def test_cr15_a_six_gives_an_extra_turn_without_end_though_nothing_could_move() -> None:
    state = begun(2)
    for steps in (["move scout", "spawn miner"], ["move scout"], ["move scout"]):
        state = play(state, 6)
        assert view(state)["extra"] is True
        state = play(state, *steps)
        assert (turn(state), view(state)["extra"], view(state)["roll"]) == (roll_for("turn", 1), False, None)
    assert turn(play(state, 2, "move miner", "spawn tower")) == roll_for("turn", 2)
    idle = play(position("2t . . . . . . . . .\n2s . . . . . . . . ."), 6)
    assert (turn(idle), view(idle)["extra"]) == (roll_for("turn", 1), False)


# ---- options, notation, view


@pytest.mark.parametrize("raw", [{"teleport": 10}, {"section": 8, "teleport": 8}, {"section": 20, "teleport": 20}])
def test_a_teleport_beyond_the_section_is_refused_by_name(raw: dict[str, object]) -> None:
    with pytest.raises(OptionError, match="option 'teleport'"):
        CRYSTALS_V1.parse_options(raw)


BAD_NOTATIONS = ["", "move", "choose tower", "choose scout", "Move scout", "move  scout", "move scout ", "move 5"]
BAD_NOTATIONS += ["pass", "xp", "xp home", "spawn rider archer", "choose", "move scout\n", "moves cout", "move hero"]


@pytest.mark.parametrize("text", BAD_NOTATIONS, ids=ascii)
def test_what_the_grammar_does_not_know_is_bad_notation(text: str) -> None:
    for state in (start(), begun(2), CRYSTALS_V1.withdraw(start(), 1)):
        with pytest.raises(BadNotation):
            CRYSTALS_V1.parse_move(state, text)


def test_the_drawing_shows_the_loop_the_seats_and_what_is_pending() -> None:
    state = position("1s *2 . 2t . . . . . .\n. . . . . . . . 1a .", roll=6, xp={"2t": 3}, crystals=(1, 0))
    assert CRYSTALS_V1.render_text(state).splitlines() == [
        "   1   2   3   4   5   6   7   8   9  10",
        " 1s1  *2   . 2t2   .   .   .   .   .   .",
        "  ^1                  =>",
        "  11  12  13  14  15  16  17  18  19  20",
        "   .   .   .   .   .   .   .   . 1a1   .",
        "  ^2                  =>",
        "",
        "        scout          miner          tower          attacker              crystals  mines",
        ">seat 1 1 (1xp) at 1   1 (1xp) base   1 (1xp) base   archer 1 (1xp) at 19         1      4",
        " seat 2 1 (1xp) base   1 (1xp) base   2 (3xp) at 4   rider 1 (1xp) base           0      3",
        "",
        "^ START, => teleport, 2s1 scout of seat 2 on level 1, *2 mine of seat 2.",
        "Crystals in the middle: 4.",
        "Rolled: 6, and an extra turn follows.",
    ]
    contest = play(start(3), *["choose rider"] * 3, *["spawn scout"] * 3, 2)
    assert CRYSTALS_V1.render_text(contest).splitlines()[-1] == "The lowest roll begins: seat 1 2, seat 2 -, seat 3 -."
    attack = play(position("1s . . . . . . .\n. . . . . . . .\n. . . 3t . . . ."), 3)
    assert "attacks" not in CRYSTALS_V1.render_text(attack)
    attack = play(position("1r . . 2s 2t . . . . .\n. . . . . . . . . .", roll=3), "move rider")
    assert CRYSTALS_V1.render_text(attack).splitlines()[-1] == (
        "The rider attacks the scout of seat 2, whose tower covers it."
    )
    assert CRYSTALS_V1.render_text(play(attack, 6)).splitlines()[-1] == "Experience to give out: seat 1 1."


# ---- documentation


def test_the_opening_in_the_documentation_is_legal_and_its_view_is_true() -> None:
    [told] = re.findall(r"An opening and first turn, .*?:(.*?)\. Seat 2", DOCS, re.DOTALL)
    steps = [text or int(roll) for text, roll in re.findall(r"`(.*?)`|\((\d)\)", told)]
    example = json.loads(re.findall(r"```json\n(.*?)```", DOCS, re.DOTALL)[0])
    assert view(play(start(section=8), *steps)) == example
    assert list(example) == re.findall(r"^\| `(\w+)` \|", DOCS.split("## View")[1], re.MULTILINE)
