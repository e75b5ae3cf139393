"""The board of Crystals: the track, tower cover, attacks, mats, what can be touched, and notations in words."""

import re
from collections.abc import Callable, Iterator
from itertools import islice, pairwise
from math import dist
from typing import Any
from xml.etree import ElementTree

import pytest

from plyscribe.domain.rulesets.crystals_v1 import CRYSTALS_V1
from plyscribe.service.boards import draw_board, explain_move
from plyscribe.service.boards.board import LastMove, Reason
from plyscribe.service.boards.crystals_v1 import BOARD
from plyscribe.service.boards.loop import Loop
from tests.service.test_boards import random_positions

SVG = "{http://www.w3.org/2000/svg}"
ENDS = re.compile(r"(?:[MLQ]|A\S+ \S+ 0 0 [01] )(-?[\d.]+) (-?[\d.]+)")
"""The points on a path of lines and arcs."""


def positions(seats: int, **options: int) -> Iterator[tuple[Any, LastMove | None]]:
    return random_positions(CRYSTALS_V1, seats, seats, options)


def find(is_sought: Callable[[dict[str, Any]], object], seats: int = 4) -> tuple[Any, LastMove | None, dict[str, Any]]:
    for state, last in positions(seats):
        if is_sought(view := CRYSTALS_V1.view(state)):
            return state, last, view
    raise LookupError("no such position")


def find_points(path: str) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for x, y in ENDS.findall(path)]


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("section", [8, 10, 20])
def test_every_field_has_its_number_and_all_of_it_is_in_the_frame(seats, section):
    for state, last in islice(positions(seats, section=section), 0, 300, 60):
        for seat in range(1, seats + 1):
            root = ElementTree.fromstring(draw_board(CRYSTALS_V1, state, last, seat=seat))
            context = BOARD.arrange(CRYSTALS_V1.view(state), last, seat)
            texts = [each.text for each in root.iter(f"{SVG}text")]
            assert {str(field) for field in range(1, seats * section + 1)} <= set(texts)
            outlines = [field.outline for field in context["fields"]]
            for path in [*outlines, *(wall for _, _, wall in context["covered"])]:
                assert all(0 <= x <= context["width"] and 0 <= y <= context["height"] for x, y in find_points(path))


def test_each_seat_sees_its_start_at_the_bottom_its_home_inside_the_loop_and_fields_that_go_round_clockwise():
    _, last, view = find(lambda view: view["ply"] == 100)
    for seat in (1, 2, 3, 4):
        context = BOARD.arrange(view, last, seat)
        (left, top), fields = context["centre"], [field.at for field in context["fields"]]
        x, y = fields[view["starts"][seat - 1] - 1]
        assert x == pytest.approx(context["width"] / 2)
        assert y > top
        assert [mat["seat"] for mat in context["mats"]] == [1 + (seat - 1 + turn) % 4 for turn in range(4)]
        assert context["mats"][0]["height"] > context["mats"][1]["height"]
        turned = sum(
            (x - left) * (below - top) - (y - top) * (right - left)
            for (x, y), (right, below) in pairwise([*fields, fields[0]])
        )
        assert turned > 0
        for of, gate in context["gates"]:
            start, before = (fields[view["starts"][of - 1] - back] for back in (1, 2))
            assert dist(gate, start) == pytest.approx(dist(gate, before), rel=0.1)
            assert dist(gate, context["centre"]) < dist(start, context["centre"])


def test_each_character_stands_on_its_field_or_in_its_base_with_its_level():
    state, _, view = find(lambda view: view["ply"] == 150)
    root = ElementTree.fromstring(draw_board(CRYSTALS_V1, state))
    keys = {each.attrib["data-key"]: each for each in root.iter() if "data-key" in each.attrib}
    for seat, own in enumerate(view["characters"], 1):
        for name, character in own.items():
            figure = keys[f"{name}-{seat}-{character['at']}-{character['level']}"]
            in_base = character["at"] == "base"
            assert figure.attrib["data-at"] == (f"base-{seat}" if in_base else str(character["at"]))
            assert figure.attrib["data-owner"] == str(seat)
            assert figure.find(f"{SVG}text").text == str(seat)
            assert f"xp-{seat}-{name}-{character['xp']}" in keys


def test_mines_and_crystals_are_where_they_are():
    state, _, view = find(lambda view: any(view["mines"]) and any(view["crystals"]))
    keys = re.findall(r'data-key="((?:mine|crystal)-[^"]+)"', draw_board(CRYSTALS_V1, state))
    mines = [f"mine-{seat}-{field}" for seat, own in enumerate(view["mines"], 1) for field in own]
    stock = [f"mine-{seat}-stock-{n}" for seat, own in enumerate(view["mines"], 1) for n in range(1, 5 - len(own))]
    bank = [f"crystal-bank-{number}" for number in range(1, view["bank"] + 1)]
    won = [f"crystal-{seat}-{n}" for seat, count in enumerate(view["crystals"], 1) for n in range(1, count + 1)]
    assert sorted(keys) == sorted(mines + stock + bank + won)


def test_the_experience_that_is_due_is_shown_at_the_mat_of_its_seat():
    state, _, view = find(lambda view: view["phase"] == "xp" and not view["due"][view["on_turn"] - 1])
    assert f"+{view['due'][CRYSTALS_V1.turn(state).seat - 1]}<" in draw_board(CRYSTALS_V1, state)


def test_there_is_no_english_in_the_picture():
    for state, last in islice(positions(3), 0, 600, 7):
        root = ElementTree.fromstring(draw_board(CRYSTALS_V1, state, last))
        assert all(re.fullmatch(r"\+?\d+", text.text) for text in root.iter(f"{SVG}text"))


@pytest.mark.parametrize(
    ("phase", "clause"),
    [("choose", "CR5"), ("deploy", "CR5"), ("spawn", "CR6"), ("move", "CR7"), ("xp", "CR19"), ("respawn", "CR6")],
)
def test_a_touch_of_a_field_or_of_a_foreign_character_says_what_to_touch(phase, clause):
    state, _, view = find(lambda view: view["phase"] == phase and view["ply"] != 0)
    other = 1 + CRYSTALS_V1.turn(state).seat % 4
    for touches in [("7",), (f"scout:{other}",), (f"tower:{other}:track",), ("Scout", "7")]:
        (reason,) = BOARD.guess(view, touches)
        assert isinstance(reason, Reason)
        assert reason.clause == clause
    (reason,) = BOARD.guess(view, (f"scout:{other}:track",))
    assert str(reason.why) == f"that is seat {other}'s scout. Touch one of your own."
    if phase in ("spawn", "move", "xp"):
        assert list(BOARD.guess(view, ("scout",))) == [f"{phase} scout"]


def test_the_board_is_read_out_for_those_who_cannot_see_it():
    _, _, view = find(lambda view: any(view["mines"]) and view["characters"][0]["scout"]["at"] not in ("base", 1))
    said = {name: str(phrase) for name, phrase in BOARD.read(view).items()}
    assert said["16"].startswith("16, teleport to 26: ")
    assert said["21"].startswith("21, START of seat 3: ")
    seat = next(seat for seat, own in enumerate(view["mines"], 1) if own)
    assert said[str(view["mines"][seat - 1][0])].endswith(f": a mine of seat {seat}")
    scout, name = view["characters"][0]["scout"], "scout" if "scout:2" in said and "scout:1" not in said else "scout:1"
    assert said[name] == said[f"{name}:track"]
    assert f"seat 1's scout on {scout['at']}, {41 - scout['at']} from home, level {scout['level']}" in said[name]
    assert said[str(scout["at"])].endswith(f": seat 1's scout, level {scout['level']}")
    assert said["bank"] == f"crystals in the middle: {view['bank']}"


def test_four_fields_to_each_side_of_a_tower_are_covered_unless_it_stands_on_a_start():
    for state, _ in islice(positions(4), 0, 400, 5):
        view = CRYSTALS_V1.view(state)
        places = [own["tower"]["at"] for own in view["characters"]]
        covering = [seat for seat, at in enumerate(places, 1) if at != "base" and at not in view["starts"]]
        assert [seat for seat, _, _ in BOARD.arrange(view, None)["covered"]] == covering
    context = BOARD.arrange(find(lambda view: view["characters"][0]["tower"]["at"] == 6)[2], None)
    (area,) = (find_points(area) for seat, area, _ in context["covered"] if seat == 1)
    first, last = (find_points(context["fields"][number - 1].outline) for number in (2, 10))
    assert (area[0], area[-1]) == (first[0], first[-1])
    assert set(last) & set(area) >= {last[len(last) // 2 - 1], last[len(last) // 2]}


def test_an_attack_that_waits_for_the_die_is_an_arrow_to_its_target_with_the_rolls_that_save_it():
    _, last, view = find(lambda view: view["attack"])
    context, target = BOARD.arrange(view, last), view["attack"]["target"]
    own = view["characters"][target["seat"] - 1]
    assert context["attack"]["aim"] == context["fields"][own[target["class"]]["at"] - 1].at
    assert context["saves"] == own["tower"]["level"]
    assert [(die.seat, die.value) for die in context["dice"]] == [(target["seat"], None)]
    _, last, view = find(lambda view: view["attack"] and view["attack"]["ranged"])
    start, end, *_ = find_points(BOARD.arrange(view, last)["attack"]["way"].replace(",", " "))
    assert dist(start, end) > 15, "an arrow between neighbours is long enough to be seen"


def test_the_die_shows_the_roll_of_the_seat_on_turn_and_the_contest_has_one_for_each_seat():
    _, last, view = find(lambda view: view["phase"] == "move")
    assert [(die.seat, die.value) for die in BOARD.arrange(view, last)["dice"]] == [(view["on_turn"], view["roll"])]
    _, last, view = find(lambda view: view["phase"] == "first" and view["contest"][2])
    assert [die.value for die in BOARD.arrange(view, last)["dice"]] == view["contest"]


def moves() -> Iterator[tuple[dict[str, Any], LastMove, dict[str, Any]]]:
    """The view after each move, the move, and the context of the template."""
    for seats in (3, 4, 2):
        for state, last in positions(seats):
            if last is not None and last.move.startswith("move") and last.before["ply"] + 1 == state.ply:
                view = CRYSTALS_V1.view(state)
                yield view, last, BOARD.arrange(view, last)


def test_the_field_of_the_character_that_moved_last_is_marked_and_the_one_it_left_if_it_is_known():
    for view, last, context in islice(moves(), 300):
        name = last.move.split()[1]
        source, target = (each["characters"][last.seat - 1][name]["at"] for each in (last.before, view))
        assert context["origin"] == (None if source == target else context["fields"][source - 1].outline)
        assert BOARD.arrange(view, last._replace(before=None))["origin"] is None
        if target not in ("base", None):
            assert context["moved"] == context["fields"][target - 1].outline


def test_a_killed_character_is_crossed_out_on_its_mat_and_on_its_field():
    killed = 0
    for view, last, context in islice(moves(), 600):
        pieces = [slot.piece for mat in context["mats"] for slot in mat["slots"]]
        crossed = [(one.seat, one.name) for one in pieces if one.fell]
        for seat, name in crossed:
            assert seat != last.seat
            assert last.before["characters"][seat - 1][name]["at"] != "base"
            assert view["characters"][seat - 1][name]["at"] == "base"
        killed += len(crossed)
        assert len(context["fallen"]) <= len(crossed)
    assert killed > 20


def test_a_seat_that_withdrew_is_shown_as_such_and_its_characters_are_not_crossed_out():
    view, last, _ = next(moves())
    for seat in {1, 2, 3} - {last.seat}:
        gone = {name: {**character, "at": "base"} for name, character in view["characters"][seat - 1].items()}
        characters = [gone if each == seat else own for each, own in enumerate(view["characters"], 1)]
        mats = BOARD.arrange({**view, "left": [seat], "characters": characters}, last)["mats"]
        assert not any(slot.piece.fell for slot in mats[seat - 1]["slots"])
    state, _, _ = find(lambda view: view["ply"] == 60)
    mats = BOARD.arrange(CRYSTALS_V1.view(CRYSTALS_V1.withdraw(state, 3)), None)["mats"]
    assert [mat["seat"] for mat in mats if mat["left"]] == [3]


def test_a_crystal_that_was_just_taken_is_marked():
    for view, last, context in moves():
        before, after = (each["crystals"][last.seat - 1] for each in (last.before, view))
        assert context["mats"][last.seat - 1]["taken"] == (after - 1 if after > before else None)


def test_a_notation_is_explained_by_its_clause_and_no_other_text_is():
    clauses = {"choose archer": "CR5", "spawn miner": "CR6", "move tower": "CR7", "xp scout": "CR19"}
    assert {move: explain_move(CRYSTALS_V1, move).clause for move in clauses} == clauses
    for text in ("move", "choose tower", "Move tower", "move 5", "move  tower", "move tower\n"):
        assert explain_move(CRYSTALS_V1, text) is None


def test_places_along_a_loop_are_even_and_go_right_along_its_top_and_back_along_its_bottom():
    loop = Loop(10, 20, 300, 200, 60)
    places = [loop.locate(loop.length * step / 400) for step in range(401)]
    assert places[0] == pytest.approx(places[-1])
    gaps = [dist(one, other) for one, other in pairwise(places)]
    assert max(gaps) == pytest.approx(loop.length / 400, rel=1e-3)
    assert min(gaps) == pytest.approx(max(gaps), rel=1e-2)
    eighth = loop.length / 8
    assert [loop.angle(0), loop.angle(eighth)] == pytest.approx([-45, 0])
    assert abs(loop.angle(5 * eighth)) == pytest.approx(180)
    assert loop.locate(100, 7)[1] == pytest.approx(13)
    assert loop.locate(loop.bottom) == pytest.approx((160, 220))


@pytest.mark.parametrize(
    ("start", "end", "commands"),
    [(10, 70, "MAL"), (-40, 30, "MA"), (60, 200, "ML"), (200, 350, "MLAL"), (870, 980, "MAL")],
)
def test_a_line_or_strip_along_a_loop_goes_straight_at_its_sides_and_by_arcs_through_its_corners(start, end, commands):
    loop = Loop(10, 10, 300, 200, 60)
    path, strip = loop.run(start, end, 20), loop.cut(start, end, -15, 20)
    points = find_points(path)
    assert [points[0], points[-1]] == [pytest.approx(loop.locate(way, 20), abs=0.06) for way in (start, end)]
    assert "".join(re.findall("[A-Z]", path)) == commands
    assert set(re.findall(r"A(\S+ \S+) 0 0 1 ", path)) <= {"80.0 80.0"}
    assert (strip.startswith(path), strip[-1]) == (True, "Z")
    for way in (start, end):
        assert min(dist(loop.locate(way, -15), point) for point in find_points(strip)) < 0.1
