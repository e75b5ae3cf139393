"""The board of Portals: hexagons, the net of arrows, pawns and demons, the last move, and what touches mean."""

from itertools import islice
from math import dist
from random import Random
from xml.etree import ElementTree

import pytest

from plyscribe.domain.errors import IllegalMove
from plyscribe.domain.ruleset import Decision, Over
from plyscribe.domain.rulesets.portals_v1 import PORTALS_V1
from plyscribe.domain.rulesets.portals_v1.board import lay_board
from plyscribe.service.boards import draw_board, explain_move
from plyscribe.service.boards.board import LastMove, Reason
from plyscribe.service.boards.colours import DARK, LIGHT
from plyscribe.service.boards.hexagons import list_fields, list_neighbours
from plyscribe.service.boards.portals_v1 import BOARD
from tests.domain.portals import legal, position, start

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


# ---- fields


@pytest.mark.parametrize("radius", [2, 4, 8])
def test_every_field_is_a_hexagon_that_its_notation_names(radius):
    picture = draw(start(radius=radius))
    names = set(lay_board(radius).numbers)
    for attribute in ("data-touch", "data-place"):
        assert set(named(picture, attribute)) == names | {"pool-1", "pool-2"}
    assert all(named(picture, "data-touch")[name][0].tag == f"{SVG}path" for name in names)


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


def test_of_two_seats_the_other_one_is_at_the_top():
    middles = middles_of(draw(start(radius=3), seat=2))
    assert (
        min(middles, key=lambda name: middles[name][1]) == BOARD.resolve(PORTALS_V1.view(start(radius=3)), 1)["start"]
    )


@pytest.mark.parametrize("seat", range(1, 7))
def test_every_row_has_its_letter_and_every_line_its_number_at_the_edge_alone(seat):
    picture = draw(start(6, radius=4), seat=seat)
    labels = [each for each in picture.iter(f"{SVG}text") if each.attrib.get("class") == "portals-label"]
    assert sorted(each.text for each in labels) == sorted("abcdefghi123456789")
    middles = middles_of(picture)
    for each in labels:
        x, y = at_of(each)
        inside = [name for name, middle in middles.items() if dist(middle, (x, y - 5)) < 45]
        assert len(inside) == 1
        assert each.text in (inside[0][0], inside[0][1:])
        assert dist(middles[inside[0]], (x, y - 5)) > 38


# ---- things


def test_every_arrow_of_the_net_is_drawn_once():
    assert keys_of(draw(position(NET)), "arrow") == [
        *("arrow-a3-b3", "arrow-b1-c2", "arrow-b3-c3", "arrow-c2-d3", "arrow-d3-c3", "arrow-d3-d2", "arrow-e3-d3"),
    ]


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


def test_platforms_and_portals_that_were_built_stand_on_their_fields():
    picture = draw(position(NET))
    middles, things = middles_of(picture), named(picture, "data-key")
    assert keys_of(picture, "portal") == ["portal-b1", "portal-b3", "portal-d3"]
    assert keys_of(picture, "platform") == ["platform-c2", "platform-d2"]
    for key in [*keys_of(picture, "portal"), *keys_of(picture, "platform")]:
        field = key.partition("-")[2]
        assert at_of(things[key]) == middles[field]
        assert things[key].attrib["data-at"] == field


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


def test_pawns_in_front_hide_those_behind():
    picture = draw(position(["platform d4", "platform b2"], "d4:1 b2:2 e3:1 a3:2"))
    heights = [
        at_of(each)[1]
        for each in picture.iter()
        if "pool" not in each.get("data-at", "pool") and "width" in each.attrib
    ]
    assert len(heights) == 4
    assert heights == sorted(heights)


def test_a_home_shows_the_number_of_its_seat_whoever_stands_there():
    assert {"1", "2", "3"} <= set(words_in(draw(start(3))))
    taken = draw(position([], "a3:1"))
    assert "2" in [each.text for each in taken.iter(f"{SVG}tspan")]


def test_two_seats_never_share_a_colour():
    for colours in (LIGHT, DARK):
        assert len(set(colours["seats"])) == PORTALS_V1.max_seats


# ---- beside the board


def test_a_pool_shows_its_pawns_and_how_many_they_are():
    picture = draw(position(NET, "e3:1", pool=12))
    pools = named(picture, "data-place")
    assert "×11" in words_in(pools["pool-1"])
    assert "×12" in words_in(pools["pool-2"])
    assert len(keys_of(picture, "pawn-2-pool")) == 8
    few = draw(position(NET, "e3:1", pool=3))
    assert keys_of(few, "pawn-1-pool") == ["pawn-1-pool-1", "pawn-1-pool-2"]


def test_a_star_shows_who_has_been_to_center():
    assert keys_of(draw(position(NET, "e3:1", centered=[2])), "star-") == ["star-2"]


@pytest.mark.parametrize("seats", range(2, 7))
def test_pools_lie_beside_the_board_and_apart_from_each_other(seats):
    for seat in range(1, seats + 1):
        picture = draw(start(seats, radius=4), seat=seat)
        trays = [named(picture, "data-place")[f"pool-{each}"][0].attrib for each in range(1, seats + 1)]
        boxes = [tuple(float(tray[name]) for name in ("x", "y", "width", "height")) for tray in trays]
        _, _, width, height = map(float, picture.attrib["viewBox"].split())
        for number, (x, y, wide, high) in enumerate(boxes):
            assert x >= 0
            assert y >= 0
            assert x + wide <= width
            assert y + high <= height
            for middle in middles_of(picture).values():
                away = dist(middle, (min(max(middle[0], x), x + wide), min(max(middle[1], y), y + high)))
                assert away > 34
            for left, top, *_ in boxes[:number]:
                assert abs(left - x) >= wide or abs(top - y) >= high


@pytest.mark.parametrize("roll", range(1, 9))
def test_the_die_shows_the_roll_of_the_turn(roll):
    assert keys_of(draw(position(NET, "c3:1", dice=True, d8=roll)), "d8") == [f"d8-{roll}"]
    assert not keys_of(draw(position(NET)), "d8")


def test_the_rolls_for_the_first_turn_are_shown_at_the_seats():
    state = PORTALS_V1.apply_roll(start(3, first="roll"), (5,))
    assert keys_of(draw(state), "roll") == ["roll-1-5", "roll-2-?", "roll-3-?"]
    assert "roll-2--" in keys_of(draw(PORTALS_V1.withdraw(state, 2)))


def test_the_pool_of_a_seat_that_left_is_faint():
    pools = named(draw(PORTALS_V1.withdraw(start(3), 2)), "data-place")
    assert ["opacity" in pools[f"pool-{seat}"].attrib for seat in (1, 2, 3)] == [False, True, False]


# ---- the last move


def test_a_build_marks_the_element_and_its_arrows():
    picture = draw(position(NET), 1, "portal b3 <a3 >c3")
    assert marked_in(picture) == {"b3"}
    things = named(picture, "data-key")
    assert [key for key in keys_of(picture) if things[key].get("class") == "last-fill"] == [
        "arrow-a3-b3",
        "arrow-b3-c3",
    ]


@pytest.mark.parametrize(("move", "marked"), [("enter", "a3"), ("exit", "c3"), ("launch d3 demons d2", "d3")])
def test_another_move_marks_where_it_happened(move, marked):
    assert marked_in(draw(position(NET), 2, move)) == {marked}


@pytest.mark.parametrize("move", ["enter", "exit"])
def test_a_pawn_that_comes_or_goes_uses_no_arrow(move):
    assert "last-fill" not in {each.get("class") for each in draw(position(NET), 2, move).iter(f"{SVG}use")}


# ---- touches


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


def test_start_pool_and_center_are_those_of_the_seat_that_moves():
    assert BOARD.resolve(PORTALS_V1.view(start()), 2) == {"start": "a3", "pool": "pool-2", "center": "c3"}


def touched(state, move):
    names = BOARD.resolve(PORTALS_V1.view(state), PORTALS_V1.turn(state).seat)
    return [frozenset(names.get(touch, touch) for touch in way) for way in BOARD.trace(move)]


@pytest.mark.parametrize(
    "options", [{}, {"demons": True, "capacity": None, "radius": 3}, {"dice": True, "capacity": 2}]
)
def test_no_two_legal_moves_are_made_by_the_same_touches(options):
    for state in islice(walk(2, **options), 0, 120, 6):
        ways = [way for move in legal(state) for way in touched(state, move)]
        assert len(set(ways)) == len(ways)


def walk(seats, **options):
    """The positions of a random match in which a seat decides."""
    random, state = Random(4), start(seats, **options)
    while not isinstance(turn := PORTALS_V1.turn(state), Over):
        if isinstance(turn, Decision):
            yield state
            state = PORTALS_V1.apply_move(state, PORTALS_V1.sample_move(state, random.randrange))
        else:
            state = PORTALS_V1.apply_roll(state, (random.randint(1, 8),))


def test_a_first_touch_says_how_the_notation_begins():
    view = PORTALS_V1.view(position(NET))
    assert BOARD.begin(view, "d4") == ("portal d4 ", "platform d4 ")
    assert BOARD.begin(view, "c1") == ("portal c1 ", "platform c1 ")
    assert BOARD.begin(view, "c5") == ()
    assert BOARD.begin(view, "d3") == ("launch d3",)
    assert [BOARD.begin(view, touch) for touch in ("a3", "pool-1", "c3", "d2")] == [
        ("enter",),
        ("enter",),
        ("exit",),
        (),
    ]


def refuse(state, *touches):
    """The clause of the first guess that is refused, and why."""
    for guess in BOARD.guess(PORTALS_V1.view(state), touches):
        if isinstance(guess, Reason):
            return guess.clause, str(guess.why)
        try:
            PORTALS_V1.parse_move(state, guess)
        except IllegalMove as error:
            return error.clause, str(error.phrase.values["why"])
    return None


@pytest.mark.parametrize(
    ("touches", "clause", "why"),
    [
        (["a1"], "PO4", "nothing beside a1 can be joined. Build next to portals or platforms."),
        (["a2"], "PO5", "a3 is the START of seat 2. Build a portal that is not joined to it."),
        (["d4", "a1"], "PO4", "a1 is not beside d4. Name neighbours of d4 only."),
        (["d4", "c3"], "PO4", "what is built on d4 needs an arrow. Touch one beside it."),
        (["d4", "c3>d4", "d4>d3"], "PO4", "d3 has no platform. Join a portal to neighbouring platforms only."),
        (["d4", "pool-1"], "PO4", "what is built on d4 needs an arrow. Touch one beside it."),
        (["d3"], "PO6", "no pawn of seat 1 is on the entry c2. Fill every entry before you launch."),
        (["d3", "c3"], "PO6", "no pawn of seat 1 is on the entry c2. Fill every entry before you launch."),
        (["d3", "pool-1"], "PO6", "a launch of d3 uses all its arrows, and there is nothing more to choose."),
        (["c2"], "PO6", "no pawn of seat 1 is on the entry c2. Fill every entry before you launch."),
        (["d2"], "PO6", "no arrow leads from d2 into a portal. Build one."),
        (["c3"], "PO8", "seat 1 has no pawn on CENTER. Bring one there before you exit."),
        (["a3"], "PO7", "a pawn enters on the START of its own player. This one belongs to seat 2."),
        (["pool-2"], "PO7", "a pawn enters on the START of its own player. This one belongs to seat 2."),
        (["e3", "d2"], "PO7", "a pawn comes from the pool to START, and there is nothing more to choose."),
    ],
)
def test_touches_that_are_no_move_get_a_reason(touches, clause, why):
    assert refuse(position(NET[:1] + NET[2:], seat=1), *touches) == (clause, why)


@pytest.mark.parametrize("touch", ["c3>d4", "d4>pool-1", "pool-1>d4"])
def test_an_arrow_is_not_touched_first(touch):
    state = position(NET)
    assert refuse(state, touch) == ("PO4", "an arrow belongs to what is built. Touch the field to build on first.")
    assert not [
        move for prefix in BOARD.begin(PORTALS_V1.view(state), touch) for move in legal(state, prefix) if touch in move
    ]


def test_a_pawn_whose_way_is_open_is_moved_by_its_portal():
    state = position(["portal d3 <d2 >c3", "platform d2"], "d2:1")
    assert refuse(state, "d2") == ("PO6", "pawns leave d2 when a portal is launched. Touch the portal.")


def test_a_start_that_is_taken_says_so():
    assert refuse(position([], "e3:1"), "e3")[0] == "PO10"
    assert refuse(position([], "e3:1"), "pool-1")[0] == "PO10"


@pytest.mark.parametrize("touch", ["a1", "d4", "e3", "d3", "d2", "pool-1"])
def test_a_pawn_on_center_must_leave_before_anything_else(touch):
    assert refuse(position(NET, "c3:1"), touch)[0] in ("PO8", "PO6")
    assert refuse(position(NET, "c3:1"), "a1")[0] == "PO8"


def test_a_roll_that_is_not_for_building_is_the_reason_on_every_empty_field():
    state = position(NET, dice=True, d8=7)
    assert {refuse(state, touch)[0] for touch in ("a1", "d4", "c1", "e5")} == {"PO19"}


def test_where_demons_go_is_touched_after_the_portal():
    state = position(HAUNTED, "c3:*", demons=True)
    assert legal(state, "launch") == ["launch d3 demons d2", "launch d3 demons d4"]
    assert refuse(state, "d3", "a1")[0] == "PO16"


# ---- words


def test_everything_is_read_out():
    state = position([*NET, "portal a1 <b1"], "c3:* e3:11 a3:2 d2:1 c2:**", demons=True, capacity=None, centered=[2])
    read = {name: str(phrase) for name, phrase in BOARD.read(PORTALS_V1.view(state)).items()}
    assert read["b2"] == "b2, empty"
    assert read["d3"] == "d3, portal from c2, e3 to c3, d2"
    assert read["b1"] == "b1, portal without entries, to c2"
    assert read["a1"] == "a1, portal from b1, without exits"
    assert read["c3"] == "c3, CENTER, a demon"
    assert read["c2"] == "c2, platform, 2 demons"
    assert read["d2"] == "d2, platform, a pawn of seat 1"
    assert read["e3"] == "e3, START of seat 1, 2 pawns of seat 1"
    assert str(BOARD.read(PORTALS_V1.view(start()))["a3"]) == "a3, START of seat 2, empty"
    assert read["pool-1"] == "pool of seat 1, pawns: 5"
    assert read["pool-2"] == "pool of seat 2, pawns: 7; seat 2 has been to CENTER"


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
