"""The board of Portals: hexagons, the net of arrows, pawns and demons, the last move, and what touches mean."""

from math import dist
from xml.etree import ElementTree

import pytest

from plyscribe.domain.rulesets.portals_v1 import PORTALS_V1
from plyscribe.domain.rulesets.portals_v1.board import lay_board
from plyscribe.service.boards import draw_board, explain_move
from plyscribe.service.boards.board import LastMove
from plyscribe.service.boards.hexagons import list_fields, list_neighbours
from plyscribe.service.boards.portals_v1 import BOARD
from tests.domain.portals import legal, position, start
from tests.service.test_board_contract import find_refusal, list_ways, some_choices

SVG = "{http://www.w3.org/2000/svg}"
NET = ["portal d3 <e3 >c3", "portal b3 <a3 >c3", "platform d2 <d3", "portal b1 >c2", "platform c2 >d3"]
HAUNTED = ["portal d3 <c3", "platform d2 <d3", "platform d4 <d3"]
"""With a demon and a pawn on the entry, one of two exits gets the demon."""


def draw(state, *last, seat=None):
    text = draw_board(PORTALS_V1, state, LastMove(*last) if last else None, seat=seat)
    return ElementTree.fromstring(text)


def named(picture, attribute):
    return {each.attrib[attribute]: each for each in picture.iter() if attribute in each.attrib}


def keys_of(picture, beginning=""):
    return sorted(key for key in named(picture, "data-key") if key.startswith(beginning))


def middles_of(picture):
    """The middles of the fields, from their outlines: the left corner is half the width left of the middle."""
    fields = {name: each for name, each in named(picture, "data-place").items() if "-" not in name}
    return {name: read_corner(each[0]) for name, each in fields.items()}


def read_corner(outline):
    x, y = outline.attrib["d"].removeprefix("M").partition("l")[0].split(",")
    return float(x) + 34, float(y)


def at_of(element):
    return float(element.attrib["x"]), float(element.attrib["y"])


def marked_in(picture):
    """The fields that the last move is marked on."""
    middles = middles_of(picture)
    outlines = [read_corner(each) for each in picture.iter(f"{SVG}path") if each.attrib.get("class") == "last"]
    return {name for name, middle in middles.items() if middle in outlines}


def words_in(element):
    return [text.text or "" for text in element.iter(f"{SVG}text")]


@pytest.mark.parametrize("radius", [2, 4, 8])
def test_the_neighbours_of_a_field_are_those_of_the_rules_and_lie_around_it_at_one_distance(radius):
    board, middles = lay_board(radius), middles_of(draw(start(radius=radius)))
    assert [name for name, _ in list_fields(radius)] == list(board.numbers)
    for name, number in board.numbers.items():
        beside = [board.names[number + step] for step in board.steps if number + step in board.names]
        assert list_neighbours(radius, name) == beside
        assert {round(dist(middles[name], middles[other])) for other in beside} == {59}


@pytest.mark.parametrize("seats", range(2, 7))
def test_the_start_of_the_seat_that_looks_is_at_the_bottom(seats):
    state = start(seats, radius=4)
    for seat in range(1, seats + 1):
        middles = middles_of(draw(state, seat=seat))
        homes = BOARD.resolve(PORTALS_V1.view(state), seat)
        assert max(middles, key=lambda name: middles[name][1]) == homes["start"]
        assert middles[homes["start"]][0] == middles[homes["center"]][0]


@pytest.mark.parametrize("seat", range(1, 7))
def test_every_row_has_its_letter_and_every_line_its_number_at_the_edge_alone(seat):
    picture = draw(start(6, radius=4), seat=seat)
    labels = [each for each in picture.iter(f"{SVG}text") if each.attrib.get("class") == "portals-label"]
    assert sorted(each.text for each in labels) == sorted("abcdefghi123456789")
    middles = middles_of(picture)
    for each in labels:
        x, y = at_of(each)
        [field] = [name for name, middle in middles.items() if dist(middle, (x, y - 5)) < 45]
        assert each.text in (field[0], field[1:])
        assert dist(middles[field], (x, y - 5)) > 38


def test_everything_that_was_built_is_drawn_once_and_stands_on_its_field():
    picture = draw(position(NET))
    middles, things = middles_of(picture), named(picture, "data-key")
    arrows = ("a3-b3", "b1-c2", "b3-c3", "c2-d3", "d3-c3", "d3-d2", "e3-d3")
    assert keys_of(picture, "arrow") == [f"arrow-{each}" for each in arrows]
    elements = keys_of(picture, "platform") + keys_of(picture, "portal")
    assert elements == ["platform-c2", "platform-d2", "portal-b1", "portal-b3", "portal-d3"]
    for key in elements:
        field = key.partition("-")[2]
        assert (at_of(things[key]), things[key].attrib["data-at"]) == (middles[field], field)


@pytest.mark.parametrize("seat", [1, 2])
def test_an_arrow_lies_between_its_ends_and_points_to_where_it_leads(seat):
    picture = draw(position(NET), seat=seat)
    middles, things = middles_of(picture), named(picture, "data-key")
    shapes = named(picture, "id")
    for key in keys_of(picture, "arrow"):
        source, target = (middles[name] for name in key.split("-")[1:])
        assert at_of(things[key]) == pytest.approx(((source[0] + target[0]) / 2, (source[1] + target[1]) / 2), abs=0.1)
        turn = shapes[things[key].attrib["href"][1:]].attrib["transform"]
        tip = complex(*at_of(things[key])) + turned_up(int(turn.removeprefix("rotate(").removesuffix(")")))
        assert abs(tip - complex(*target)) < abs(tip - complex(*source)) - 15


def turned_up(degrees):
    """A step of ten up, turned clockwise."""
    return -10j * complex(0.5, 3**0.5 / 2) ** (degrees // 60)


def test_pawns_of_a_platform_stand_side_by_side_and_are_counted():
    picture = draw(position(NET, "c3:222 e3:1 a3:22222", capacity=None))
    assert keys_of(picture, "pawn-2-c3") == ["pawn-2-c3-1", "pawn-2-c3-2", "pawn-2-c3-3"]
    assert len(keys_of(picture, "pawn-2-a3")) == 3
    assert keys_of(picture, "crowd") == ["crowd-a3-x5", "crowd-c3-x3"]
    assert {words_in(named(picture, "data-key")[key])[0] for key in keys_of(picture, "crowd")} == {"3", "5"}
    assert named(picture, "data-key")["pawn-1-e3-1"].attrib["data-owner"] == "1"


def test_a_pawn_shows_the_number_of_its_seat_and_a_demon_has_a_shape_without_a_number():
    picture = draw(position(NET, "c3:* e3:1", demons=True))
    things, shapes = named(picture, "data-key"), named(picture, "id")
    pawn, demon = (things[key] for key in ("pawn-1-e3-1", "demon-c3-1"))
    assert words_in(shapes[pawn.attrib["href"][1:]]) == ["1"]
    assert words_in(shapes[demon.attrib["href"][1:]]) == []
    assert "data-owner" not in demon.attrib
    taken = draw(position([], "a3:1"))
    assert "2" in [each.text for each in taken.iter(f"{SVG}tspan")], "a home shows the number of its seat"


def test_pawns_in_front_hide_those_behind():
    picture = draw(position(["platform d4", "platform b2"], "d4:1 b2:2 e3:1 a3:2"))
    pawns = [each for each in picture.iter() if "pool" not in each.get("data-at", "pool") and "width" in each.attrib]
    heights = [at_of(each)[1] for each in pawns]
    assert (len(heights), heights) == (4, sorted(heights))


def test_a_pool_shows_its_pawns_and_their_number_a_star_who_was_at_the_center_and_is_faint_if_its_seat_left():
    picture = draw(position(NET, "e3:1", pool=12))
    pools = named(picture, "data-place")
    assert ["×11" in words_in(pools["pool-1"]), "×12" in words_in(pools["pool-2"])] == [True, True]
    assert len(keys_of(picture, "pawn-2-pool")) == 8
    few = draw(position(NET, "e3:1", pool=3))
    assert keys_of(few, "pawn-1-pool") == ["pawn-1-pool-1", "pawn-1-pool-2"]
    assert keys_of(draw(position(NET, "e3:1", centered=[2])), "star-") == ["star-2"]
    pools = named(draw(PORTALS_V1.withdraw(start(3), 2)), "data-place")
    assert ["opacity" in pools[f"pool-{seat}"].attrib for seat in (1, 2, 3)] == [False, True, False]


def test_the_die_shows_the_roll_of_the_turn_and_the_seats_those_for_the_first():
    for roll in range(1, 9):
        assert keys_of(draw(position(NET, "c3:1", dice=True, d8=roll)), "d8") == [f"d8-{roll}"]
    assert not keys_of(draw(position(NET)), "d8")
    state = PORTALS_V1.apply_roll(start(3, first="roll"), (5,))
    assert keys_of(draw(state), "roll") == ["roll-1-5", "roll-2-?", "roll-3-?"]
    assert "roll-2--" in keys_of(draw(PORTALS_V1.withdraw(state, 2)))


@pytest.mark.parametrize("seats", range(2, 7))
def test_pools_lie_beside_the_board_and_apart_from_each_other(seats):
    for seat in range(1, seats + 1):
        picture = draw(start(seats, radius=4), seat=seat)
        trays = [named(picture, "data-place")[f"pool-{each}"][0].attrib for each in range(1, seats + 1)]
        boxes = [tuple(float(tray[name]) for name in ("x", "y", "width", "height")) for tray in trays]
        _, _, width, height = map(float, picture.attrib["viewBox"].split())
        for number, (x, y, wide, high) in enumerate(boxes):
            assert 0 <= x <= width - wide
            assert 0 <= y <= height - high
            for middle in middles_of(picture).values():
                assert dist(middle, (min(max(middle[0], x), x + wide), min(max(middle[1], y), y + high))) > 34
            for left, top, *_ in boxes[:number]:
                assert abs(left - x) >= wide or abs(top - y) >= high


@pytest.mark.parametrize(
    ("move", "marked", "arrows"),
    [
        *(("enter", "a3", []), ("exit", "c3", [])),
        ("portal b3 <a3 >c3", "b3", ["arrow-a3-b3", "arrow-b3-c3"]),
        ("launch d3 demons d2", "d3", ["arrow-c2-d3", "arrow-d3-c3", "arrow-d3-d2", "arrow-e3-d3"]),
    ],
)
def test_the_last_move_marks_where_it_happened_and_its_arrows(move, marked, arrows):
    picture = draw(position(NET), 2, move)
    assert marked_in(picture) == {marked}
    filled = [key for key, thing in named(picture, "data-key").items() if thing.get("class") == "last-fill"]
    assert sorted(filled) == arrows


@pytest.mark.parametrize(
    ("move", "ways"),
    [
        ("portal d4 <c3,c4 >d5", [("d4", "c3>d4", "c4>d4", "d4>d5")]),
        ("platform d4 >d5", [("d4", "d4>d5")]),
        ("launch d4", [("d4",)]),
        ("launch d4 demons d5,e6", [("d4", "d5", "e6")]),
        ("enter", [("start",), ("pool",)]),
        ("exit", [("center",)]),
    ],
)
def test_a_move_is_made_by_touches(move, ways):
    assert BOARD.trace(move) == ways


def test_no_two_legal_moves_are_made_by_the_same_touches():
    for step in some_choices(PORTALS_V1):
        ways = [frozenset(way) for _, way in list_ways(PORTALS_V1, step.before.state)]
        assert len(set(ways)) == len(ways)


def test_a_first_touch_says_how_the_notation_begins():
    view = PORTALS_V1.view(position(NET))
    touches = ("d4", "c5", "d3", "pool-1", "c3", "d2")
    assert [BOARD.begin(view, touch) for touch in touches] == [
        ("portal d4 ", "platform d4 "),
        (),
        ("launch d3",),
        ("enter",),
        ("exit",),
        (),
    ]


def refuse(state, *touches):
    """The clause and the reason that these touches are refused with."""
    found = find_refusal(PORTALS_V1, state, touches)
    return found.clause, str(found.why.values.get("why", found.why))


@pytest.mark.parametrize(
    ("touches", "clause", "why"),
    [
        (["a1"], "PO4", "nothing beside a1 can be joined"),
        (["a2"], "PO5", "a3 is the START of seat 2"),
        (["d4", "a1"], "PO4", "a1 is not beside d4"),
        (["d4", "c3"], "PO4", "what is built on d4 needs an arrow"),
        (["d4", "c3>d4", "d4>d3"], "PO4", "d3 has no platform"),
        (["d4", "pool-1"], "PO4", "what is built on d4 needs an arrow"),
        (["d3"], "PO6", "no pawn of seat 1 is on the entry c2"),
        (["d3", "c3"], "PO6", "no pawn of seat 1 is on the entry c2"),
        (["d3", "pool-1"], "PO6", "a launch of d3 uses all its arrows"),
        (["c2"], "PO6", "no pawn of seat 1 is on the entry c2"),
        (["d2"], "PO6", "no arrow leads from d2 into a portal"),
        (["c3"], "PO8", "seat 1 has no pawn on CENTER"),
        (["a3"], "PO7", "a pawn enters on the START of its own player"),
        (["pool-2"], "PO7", "a pawn enters on the START of its own player"),
        (["e3", "d2"], "PO7", "a pawn comes from the pool to START"),
    ],
)
def test_touches_that_are_no_move_get_a_reason(touches, clause, why):
    found = refuse(position(NET[:1] + NET[2:], seat=1), *touches)
    assert (found[0], found[1].startswith(why)) == (clause, True)


@pytest.mark.parametrize("touch", ["c3>d4", "d4>pool-1", "pool-1>d4"])
def test_an_arrow_is_not_touched_first(touch):
    state = position(NET)
    assert refuse(state, touch) == ("PO4", "an arrow belongs to what is built. Touch the field to build on first.")
    begun = BOARD.begin(PORTALS_V1.view(state), touch)
    assert not [move for prefix in begun for move in legal(state, prefix) if touch in move]


@pytest.mark.parametrize(
    ("state", "touches", "clauses"),
    [
        (position([], "e3:1"), ("e3", "pool-1"), {"PO10"}),
        (position(NET, "c3:1"), ("a1", "d4", "e3", "d2", "pool-1", "d3"), {"PO8", "PO6"}),
        (position(NET, "c3:1"), ("a1",), {"PO8"}),
        (position(NET, dice=True, d8=7), ("a1", "d4", "c1", "e5"), {"PO19"}),
    ],
)
def test_what_must_come_first_is_the_reason(state, touches, clauses):
    assert {refuse(state, touch)[0] for touch in touches} <= clauses


def test_pawns_are_moved_by_their_portal_and_where_demons_go_is_touched_after_it():
    state = position(["portal d3 <d2 >c3", "platform d2"], "d2:1")
    assert refuse(state, "d2") == ("PO6", "pawns leave d2 when a portal is launched. Touch the portal.")
    state = position(HAUNTED, "c3:*", demons=True)
    assert legal(state, "launch") == ["launch d3 demons d2", "launch d3 demons d4"]
    assert refuse(state, "d3", "a1")[0] == "PO16"


def test_everything_is_read_out():
    state = position([*NET, "portal a1 <b1"], "c3:* e3:11 a3:2 d2:1 c2:**", demons=True, capacity=None, centered=[2])
    read = {name: str(phrase) for name, phrase in BOARD.read(PORTALS_V1.view(state)).items()}
    wanted = {
        "b2": "b2, empty",
        "d3": "d3, portal from c2, e3 to c3, d2",
        "b1": "b1, portal without entries, to c2",
        "a1": "a1, portal from b1, without exits",
        "c3": "c3, CENTER, a demon",
        "c2": "c2, platform, 2 demons",
        "d2": "d2, platform, a pawn of seat 1",
        "e3": "e3, START of seat 1, 2 pawns of seat 1",
        "pool-1": "pool of seat 1, pawns: 5",
        "pool-2": "pool of seat 2, pawns: 7; seat 2 has been to CENTER",
    }
    assert {name: read[name] for name in wanted} == wanted
    assert str(BOARD.read(PORTALS_V1.view(start()))["a3"]) == "a3, START of seat 2, empty"


@pytest.mark.parametrize(
    ("move", "explained"),
    [
        ("portal d4 <c3 >d5", ("Builds a portal on d4, with an arrow from c3 and one to d5.", "PO4")),
        ("portal d4 <c3 >d5,e5", ("Builds a portal on d4, with an arrow from c3 and arrows to d5 and e5.", "PO4")),
        ("platform d4 >d5", ("Builds a platform on d4, with an arrow to d5.", "PO4")),
        ("launch d4", ("Launches the portal on d4: pawns leave its entries and reach its exits.", "PO6")),
        ("launch d4 demons d5,e5", ("Launches the portal on d4, and demons go to d5 and e5.", "PO16")),
        ("exit", ("Takes a pawn off CENTER into the pool, which fulfils the first condition.", "PO8")),
        ("portal d4", None),
    ],
)
def test_a_notation_is_explained_in_words(move, explained):
    assert explain_move(PORTALS_V1, move) == explained
