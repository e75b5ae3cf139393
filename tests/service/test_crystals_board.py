"""The board picture of Crystals: the loop, the acting seat, tower cover, attacks, and notations in words."""

import re
from collections.abc import Callable, Iterator
from itertools import islice, pairwise
from math import dist
from random import Random
from typing import Any

import pytest

from plyscribe.domain.ruleset import Decision, Roll
from plyscribe.domain.rulesets.crystals_v1 import CRYSTALS_V1
from plyscribe.service.boards import draw_board, explain_move
from plyscribe.service.boards.board import LastMove
from plyscribe.service.boards.crystals_v1 import BOARD
from plyscribe.service.boards.loop import Loop

CLASSES = ["archer", "miner", "rider", "scout", "tower"]


def positions(seats: int, **options: int) -> Iterator[tuple[Any, LastMove | None]]:
    randbelow, last = Random(seats).randrange, None
    state = CRYSTALS_V1.initial_state(CRYSTALS_V1.parse_options(options), seats)
    while True:
        yield state, last
        match CRYSTALS_V1.turn(state):
            case Decision(seat):
                move = CRYSTALS_V1.sample_move(state, randbelow)
                last = LastMove(seat, CRYSTALS_V1.format_move(state, move), CRYSTALS_V1.view(state))
                state = CRYSTALS_V1.apply_move(state, move)
            case Roll(sides, _):
                state = CRYSTALS_V1.apply_roll(state, (1 + randbelow(sides),))
            case _:
                return


def find(is_sought: Callable[[dict[str, Any]], object], seats: int = 4) -> tuple[Any, LastMove | None, dict[str, Any]]:
    for state, last in positions(seats):
        if is_sought(view := CRYSTALS_V1.view(state)):
            return state, last, view
    raise LookupError("no such position")


def tokens(state: Any) -> list[str]:
    return re.findall(r'data-token="([^"]+)"', draw_board(CRYSTALS_V1, state))


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("section", [8, 10, 20])
def test_every_field_has_its_number_and_all_of_it_is_in_the_frame(seats, section):
    for state, last in islice(positions(seats, section=section), 0, 300, 60):
        picture = draw_board(CRYSTALS_V1, state, last)
        labels = [int(text) for text in re.findall(r'font-size="12.5">(\d+)<', picture)]
        assert labels == list(range(1, seats * section + 1))
        width, height = map(float, re.search(r'viewBox="0 0 (\S+) (\S+)"', picture).groups())
        for points in re.findall(r'points="([^"]+)"', picture):
            assert all(0 <= x <= width and 0 <= y <= height for x, y in map(read_point, points.split()))


def read_point(text: str) -> tuple[float, float]:
    x, y = text.split(",")
    return float(x), float(y)


def test_each_character_has_a_title_with_its_seat_level_and_field():
    state, _, view = find(lambda view: view["ply"] == 150)
    picture = draw_board(CRYSTALS_V1, state)
    for seat, own in enumerate(view["characters"], 1):
        for name, character in own.items():
            place = "in the base" if character["at"] == "base" else f"on field {character['at']}"
            assert f"<title>{name.capitalize()} of seat {seat}, level {character['level']}, {place}</title>" in picture


def test_a_seat_that_chooses_its_attacker_can_click_both():
    state, _, _ = find(lambda view: view["phase"] == "choose")
    assert sorted(tokens(state)) == CLASSES


def test_the_characters_of_the_seat_that_moves_can_be_clicked_on_the_loop_and_on_its_mat():
    state, _, view = find(lambda view: view["phase"] == "move" and view["ply"] > 100)
    own = view["characters"][view["on_turn"] - 1]
    on_loop = [name for name, character in own.items() if character["at"] != "base"]
    assert sorted(tokens(state)) == sorted([*own, *on_loop])


def test_a_seat_that_gives_experience_can_click_its_own_characters():
    state, _, view = find(lambda view: view["phase"] == "xp" and not view["due"][view["on_turn"] - 1])
    actor = CRYSTALS_V1.turn(state).seat
    assert actor != view["on_turn"]
    assert set(tokens(state)) == set(view["characters"][actor - 1])
    assert f"Seat {actor} learns" in draw_board(CRYSTALS_V1, state)


@pytest.mark.parametrize("phase", ["first", "roll", "defence"])
def test_nothing_can_be_clicked_while_a_roll_is_due(phase):
    assert tokens(find(lambda view: view["phase"] == phase)[0]) == []


def test_what_a_tower_covers_is_shown_unless_it_stands_on_a_start():
    for state, _ in islice(positions(4), 0, 400, 5):
        view = CRYSTALS_V1.view(state)
        places = [own["tower"]["at"] for own in view["characters"]]
        covering = [seat for seat, at in enumerate(places, 1) if at != "base" and at not in view["starts"]]
        assert [seat for seat, _, _ in BOARD.arrange(view, None)["covered"]] == covering


def test_a_tower_covers_four_fields_to_each_side():
    _, _, view = find(lambda view: view["characters"][0]["tower"]["at"] == 6)
    (points,) = (area for seat, area, _ in BOARD.arrange(view, None)["covered"] if seat == 1)
    outline = [read_point(point) for point in points.split()]
    fields = {
        field.number: [read_point(point) for point in field.points.split()]
        for field in BOARD.arrange(view, None)["fields"]
    }
    begin, end = outline[0], outline[len(outline) // 2 - 1]
    assert dist(begin, fields[2][0]) < 1
    assert dist(end, fields[10][len(fields[10]) // 2 - 1]) < 1


def test_an_attack_that_waits_for_the_die_is_an_arrow_to_its_target():
    state, last, view = find(lambda view: view["attack"])
    context = BOARD.arrange(view, last)
    target = view["attack"]["target"]
    field = view["characters"][target["seat"] - 1][target["class"]]["at"]
    assert context["attack"]["aim"] == context["fields"][field - 1].at
    assert f"Seat {target['seat']} defends" in draw_board(CRYSTALS_V1, state, last)


def test_the_field_of_the_character_that_moved_last_is_marked():
    _state, last, view = find(lambda view: view["phase"] == "respawn" and view["ply"] > 50)
    name = last.move.split()[1]
    field = view["characters"][last.seat - 1][name]["at"]
    context = BOARD.arrange(view, last)
    assert context["moved"] == context["fields"][field - 1].points


def moves() -> Iterator[tuple[dict[str, Any], LastMove, dict[str, Any]]]:
    """The view after each move, the move, and the context of the template."""
    for seats in (3, 4, 2):
        for state, last in positions(seats):
            if last is not None and last.move.startswith("move") and last.before["ply"] + 1 == state.ply:
                view = CRYSTALS_V1.view(state)
                yield view, last, BOARD.arrange(view, last)


def test_the_field_that_a_character_left_is_marked_if_the_view_before_is_known():
    for view, last, context in islice(moves(), 300):
        name = last.move.split()[1]
        source, target = (each["characters"][last.seat - 1][name]["at"] for each in (last.before, view))
        assert context["origin"] == (None if source == target else context["fields"][source - 1].points)
        assert BOARD.arrange(view, last._replace(before=None))["origin"] is None


def test_a_killed_character_is_crossed_out_on_its_mat_and_on_its_field():
    killed = 0
    for view, last, context in islice(moves(), 600):
        crossed = [(one.seat, one.name) for mat in context["mats"] for one in mat["pieces"] if one.fell]
        for seat, name in crossed:
            assert seat != last.seat
            assert last.before["characters"][seat - 1][name]["at"] != "base"
            assert view["characters"][seat - 1][name]["at"] == "base"
        killed += len(crossed)
        assert len(context["fallen"]) <= len(crossed)
    assert killed > 20


def test_characters_of_a_seat_that_withdrew_are_not_crossed_out():
    for view, last, _ in moves():
        for seat in {1, 2, 3} - {last.seat}:
            gone = {name: {**character, "at": "base"} for name, character in view["characters"][seat - 1].items()}
            characters = [gone if each == seat else own for each, own in enumerate(view["characters"], 1)]
            context = BOARD.arrange({**view, "left": [seat], "characters": characters}, last)
            assert not any(one.fell for one in context["mats"][seat - 1]["pieces"])
        return


def test_a_crystal_that_was_just_taken_is_marked():
    for view, last, context in moves():
        before, after = (each["crystals"][last.seat - 1] for each in (last.before, view))
        assert context["mats"][last.seat - 1]["taken"] == (after - 1 if after > before else None)


def test_a_seat_that_withdrew_is_shown_as_such():
    state, _, _ = find(lambda view: view["ply"] == 60)
    assert ">left<" in draw_board(CRYSTALS_V1, CRYSTALS_V1.withdraw(state, 3))


@pytest.mark.parametrize(
    ("move", "sentence", "clause"),
    [
        ("choose archer", "Chooses the archer as its attacker.", "CR5"),
        ("spawn miner", "Puts its miner from the base on START.", "CR6"),
        ("move tower", "Moves its tower by the roll.", "CR7"),
        ("xp scout", "Gives a point of experience to its scout.", "CR19"),
    ],
)
def test_a_notation_is_explained_in_words(move, sentence, clause):
    assert explain_move(CRYSTALS_V1, move) == (sentence, clause)


@pytest.mark.parametrize("text", ["move", "choose tower", "Move tower", "move 5", "move  tower", "move tower\n"])
def test_a_text_that_is_no_notation_is_not_explained(text):
    assert explain_move(CRYSTALS_V1, text) is None


def test_places_along_a_loop_are_even_and_come_round():
    loop = Loop(10, 10, 300, 200, 60)
    places = [loop.locate(loop.length * step / 400) for step in range(401)]
    assert places[0] == pytest.approx(places[-1])
    gaps = [dist(one, other) for one, other in pairwise(places)]
    assert max(gaps) == pytest.approx(loop.length / 400, rel=1e-3)
    assert min(gaps) == pytest.approx(max(gaps), rel=1e-2)


def test_a_loop_goes_right_along_its_top_and_back_along_its_bottom():
    loop = Loop(0, 0, 300, 200, 50)
    quarter = loop.length / 4
    assert loop.angle(quarter / 2) == pytest.approx(0)
    assert loop.angle(0) == pytest.approx(-45)
    assert abs(loop.angle(2.5 * quarter)) == pytest.approx(180)
    assert loop.locate(100, 7)[1] == pytest.approx(-7)
