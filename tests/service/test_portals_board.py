"""The board picture of Portals: hexagons, the net of arrows, pawns and demons, and the last move."""

from math import dist
from xml.etree import ElementTree

import pytest

from plyscribe.domain.rulesets.portals_v1 import PORTALS_V1
from plyscribe.domain.rulesets.portals_v1.board import lay_board
from plyscribe.service.boards import draw_board, explain_move
from plyscribe.service.boards.board import LastMove
from plyscribe.service.boards.colours import DARK, LIGHT
from tests.domain.portals import position, start

SVG = "{http://www.w3.org/2000/svg}"
NET = ["portal d3 <e3 >c3", "portal b3 <a3 >c3", "platform d2 <d3", "portal b1 >c2", "platform c2 >d3"]


def draw(state, *last):
    return ElementTree.fromstring(draw_board(PORTALS_V1, state, LastMove(*last) if last else None))


def fields_of(picture):
    return {group.attrib["data-token"]: group for group in picture.iter(f"{SVG}g") if "data-token" in group.attrib}


def middle_of(field):
    points = read_points(field[0])
    return sum(x for x, _ in points) / 6, sum(y for _, y in points) / 6


def read_points(polygon):
    return [tuple(map(float, pair.split(","))) for pair in polygon.attrib["points"].split()]


def arrows_of(picture):
    return [element for element in picture.iter() if "data-from" in element.attrib]


def classes_in(element):
    return {name for each in element.iter() for name in each.attrib.get("class", "").split()}


def words_in(element):
    return [text.text or "" for text in element.iter(f"{SVG}text")]


@pytest.mark.parametrize("radius", [2, 4, 8])
def test_every_field_is_a_hexagon_that_its_notation_names(radius):
    fields = fields_of(draw(start(radius=radius)))
    assert set(fields) == set(lay_board(radius).numbers)
    assert {field[0].tag for field in fields.values()} == {f"{SVG}polygon"}
    assert {len(read_points(field[0])) for field in fields.values()} == {6}


def test_the_six_neighbours_of_a_field_lie_around_it_at_one_distance():
    fields = fields_of(draw(start(radius=4)))
    steps = {name: dist(middle_of(fields[name]), middle_of(fields["e5"])) for name in fields if name != "e5"}
    assert set(sorted(steps, key=steps.__getitem__)[:6]) == {"e4", "e6", "d5", "f5", "d4", "f6"}
    assert max(steps[name] for name in ("e4", "e6", "d5", "f5", "d4", "f6")) < 1.01 * min(steps.values())


def test_row_a_is_the_lowest_and_numbers_run_to_the_right():
    fields = fields_of(draw(start(radius=4)))
    assert middle_of(fields["a1"])[1] > middle_of(fields["i5"])[1]
    assert middle_of(fields["e1"])[0] < middle_of(fields["e9"])[0]
    assert middle_of(fields["e5"])[0] == pytest.approx(middle_of(fields["a3"])[0], abs=0.1)


def test_every_arrow_of_the_net_is_drawn_once():
    arrows = [(each.attrib["data-from"], each.attrib["data-to"]) for each in arrows_of(draw(position(NET)))]
    assert sorted(arrows) == [
        *(("a3", "b3"), ("b1", "c2"), ("b3", "c3"), ("c2", "d3"), ("d3", "c3"), ("d3", "d2"), ("e3", "d3")),
    ]


def test_an_arrow_points_from_where_it_begins_to_where_it_leads():
    picture = draw(position(NET))
    fields = fields_of(picture)
    for arrow in arrows_of(picture):
        source, target = (middle_of(fields[arrow.attrib[end]]) for end in ("data-from", "data-to"))
        tip = read_points(arrow)[3]
        assert dist(tip, target) < dist(tip, source)
        assert dist(source, tip) + dist(tip, target) == pytest.approx(dist(source, target), abs=0.2)


def test_a_pawn_shows_its_seat_and_how_many_stand_there():
    picture = draw(position(NET, "c3:222 e3:1", capacity=None))
    assert words_in(fields_of(picture)["c3"]) == ["2"]
    assert "seat-2" in classes_in(fields_of(picture)["c3"])
    assert [word for word in words_in(picture) if word.startswith("×")] == ["×3"]


def test_a_demon_has_a_shape_of_its_own_and_no_number():
    fields = fields_of(draw(position(NET, "c3:* e3:1", demons=True)))
    assert words_in(fields["c3"]) == []
    assert fields["c3"].find(f".//{SVG}path") is not None
    assert fields["e3"].find(f".//{SVG}path") is None


def test_an_empty_start_has_the_number_and_the_colour_of_its_seat():
    fields = fields_of(draw(start(3)))
    assert [words_in(fields[name]) for name in ("e3", "c5", "a1")] == [["1"], ["2"], ["3"]]
    assert "seat-3" in classes_in(fields["a1"])


def test_two_seats_never_share_a_colour():
    for colours in (LIGHT, DARK):
        assert len(set(colours["seats"])) == PORTALS_V1.max_seats


def test_pools_and_the_first_condition_are_shown_below_the_board():
    titles = [title.text for title in draw(position(NET, "e3:1", centered=[1])).iter(f"{SVG}title")]
    assert "Seat 1: 7 in the pool, first condition fulfilled" in titles
    assert "Seat 2: 8 in the pool" in titles


def test_the_die_shows_what_the_turn_allows():
    assert {"5", "launch"} <= set(words_in(draw(position(NET, dice=True, d8=5))))


def test_the_rolls_for_the_first_turn_are_shown_at_the_seats():
    state = PORTALS_V1.apply_roll(start(3, first="roll"), (5,))
    assert [word for word in words_in(draw(state)) if "roll" in word] == ["rolled 5", "to roll", "to roll"]


def test_a_seat_that_left_says_so():
    assert "left" in words_in(draw(PORTALS_V1.withdraw(start(3), 2)))


def test_a_build_marks_the_element_and_its_arrows():
    picture = draw(position(NET), 1, "portal b3 <a3 >c3")
    assert {field for field, group in fields_of(picture).items() if "last-fill" in classes_in(group)} == {"b3"}
    marked = [(a.attrib["data-from"], a.attrib["data-to"]) for a in arrows_of(picture) if "last-fill" in classes_in(a)]
    assert sorted(marked) == [("a3", "b3"), ("b3", "c3")]


@pytest.mark.parametrize(("move", "marked"), [("enter", "a3"), ("exit", "c3"), ("launch d3 demons d2", "d3")])
def test_another_move_marks_where_it_happened(move, marked):
    fields = fields_of(draw(position(NET), 2, move))
    assert {field for field, group in fields.items() if "last-fill" in classes_in(group)} == {marked}


@pytest.mark.parametrize("move", ["enter", "exit"])
def test_a_pawn_that_comes_or_goes_uses_no_arrow(move):
    assert not [arrow for arrow in arrows_of(draw(position(NET), 2, move)) if "last-fill" in classes_in(arrow)]


@pytest.mark.parametrize(
    ("move", "sentence", "clause"),
    [
        ("portal d4 <c3 >d5", "Builds a portal on d4, with an arrow from c3 and one to d5.", "PO4"),
        ("portal d4 <c3 >d5,e5", "Builds a portal on d4, with an arrow from c3 and arrows to d5 and e5.", "PO4"),
        ("platform d4 >d5", "Builds a platform on d4, with an arrow to d5.", "PO4"),
        ("launch d4", "Launches the portal on d4: pawns leave its entries and reach its exits.", "PO6"),
        ("launch d4 demons d5,e5", "Launches the portal on d4, and demons go to d5 and e5.", "PO16"),
        ("enter", "Puts a pawn from the pool on the seat's START.", "PO7"),
        ("exit", "Takes a pawn off CENTER into the pool, which fulfils the first condition.", "PO8"),
    ],
)
def test_a_notation_is_explained_in_words(move, sentence, clause):
    assert explain_move(PORTALS_V1, move) == (sentence, clause)


def test_an_element_without_arrows_is_no_move():
    assert explain_move(PORTALS_V1, "portal d4") is None
