"""The board picture of Rings: discs with terrain, units, mats, attacks under way, the last move, and touches."""

import re
from math import dist
from xml.etree import ElementTree

import pytest

from plyscribe.domain.ruleset import Decision
from plyscribe.domain.rulesets.rings_v1 import RINGS_V1
from plyscribe.domain.rulesets.rings_v1.board import NAMES
from plyscribe.service.boards import draw_board, explain_move, rings_v1
from plyscribe.service.boards.board import LastMove
from plyscribe.service.boards.discs import CENTRE, RIMS
from tests.domain.rings_tables import ALLIES, play, start, table
from tests.service.test_board_contract import find_refusal, some_steps
from tests.service.test_portals_board import SVG, named, words_in


def draw(state, *last, seat=None):
    return ElementTree.fromstring(draw_board(RINGS_V1, state, LastMove(*last) if last else None, None, seat))


def arrange(state, *last, seat=None):
    return rings_v1.arrange(RINGS_V1.view(state), LastMove(*last) if last else None, seat)


def middle_of(element):
    """The middle of the first box in an element."""
    box = next(each for each in element.iter() if "width" in each.attrib)
    x, y, width, height = (float(box.attrib[name]) for name in ("x", "y", "width", "height"))
    return x + width / 2, y + height / 2


def find_thing(state, key, seat=None):
    return middle_of(named(draw(state, seat=seat), "data-key")[key])


def mat_of(state, seat, *last, viewer=None):
    return next(mat for mat in arrange(state, *last, seat=viewer)["mats"] if mat.seat == seat)


def test_slots_go_clockwise_and_rings_inwards():
    state = table("a4:1R a5:2R b4:1W")
    a4, a5, b4 = (find_thing(state, key) for key in ("runner-1-a4-1", "runner-2-a5-1", "warrior-1-b4-1"))
    assert dist(a4, CENTRE) > dist(b4, CENTRE)
    turned = (a4[0] - CENTRE[0]) * (a5[1] - CENTRE[1]) - (a4[1] - CENTRE[1]) * (a5[0] - CENTRE[0])
    assert turned > 0


@pytest.mark.parametrize("seat", [1, 2, 3, 4])
def test_the_start_of_the_seat_that_looks_is_straight_down(seat):
    state = table("s1:1R s2:2R s3:3R s4:4R", seats=4, starts=(4, 6, 2, 7))
    x, y = find_thing(state, f"runner-{seat}-s{seat}-1", seat)
    assert abs(x - CENTRE[0]) < 25
    assert y > CENTRE[1] + RIMS[0]


def test_a_start_lies_outside_the_field_that_it_is_attached_to():
    outer = " ".join(f"a{slot}:2R" for slot in range(1, 8))
    for slot in range(1, 8):
        state = table(f"s1:1R {outer}", starts=[slot, slot % 7 + 1])
        at = find_thing(state, "runner-1-s1-1")
        near = min(range(1, 8), key=lambda other: dist(at, find_thing(state, f"runner-2-a{other}-1")))
        assert near == slot
        assert dist(at, CENTRE) > RIMS[0]


def test_rings_are_lettered_once_and_have_no_terrain_before_it_is_laid():
    words = words_in(draw(table()))
    assert all(words.count(ring) == 1 for ring in "abcd")
    assert not set(NAMES) & set(words)
    assert "17" in words_in(draw(table(round=17))), "the round"
    assert not [key for key in named(draw(start()), "data-key") if key.startswith("terrain")]


def test_terrain_differs_by_what_grows_on_it_and_not_by_colour_alone():
    things = named(draw(table()), "data-key")
    shapes = [
        {use.attrib["href"] for use in things[key].iter(f"{SVG}use")}
        for key in ("terrain-a1-L", "terrain-a4-M", "terrain-a6-H")
    ]
    assert shapes == [{"#rings-tuft"}, {"#rings-tree"}, {"#rings-peak"}]


def test_every_unit_stands_on_its_field_with_its_kind_and_seat():
    units = [each for each in named(draw(table("a2:2RRWWWBB")), "data-key").values() if each.get("data-at") == "a2"]
    kinds = ["blocker"] * 2 + ["runner"] * 2 + ["warrior"] * 3
    assert sorted(each.get("href", "") for each in units) == ["", *(f"#rings-{kind}-2" for kind in kinds)]
    assert {each.get("data-owner") for each in units} == {"2", None}


@pytest.mark.parametrize("units", ["a3:2RRWWW", "b3:2RWWB", "c3:2RWB", "d3:2RW", "s2:2RWWWB"])
@pytest.mark.parametrize("seat", [1, 2])
def test_units_of_one_field_do_not_hide_each_other(units, seat):
    things = named(draw(table(units, starts=(1, 5)), seat=seat), "data-key").values()
    places = [middle_of(each) for each in things if "2" in each.attrib.get("href", "")]
    assert len(places) == len(units.split(":2")[1])
    assert all(dist(one, other) > 24 for one in places for other in places if one != other)


def test_own_units_of_a_kind_are_touched_together_and_those_of_others_by_their_field():
    touches = named(draw(table("b3:1WWR b4:2B")), "data-touch")
    assert len(touches["warrior:b3"].findall(f"{SVG}use")) == 2
    assert touches["warrior:b3"] in list(touches["b3"].iter())
    assert "blocker:b4" not in touches
    assert touches["b4"].findall(f"{SVG}use")


def test_the_possessions_of_a_seat_are_on_its_mat_where_its_start_waits_and_who_left_is_faded():
    state = table("b1:1WW", dice={1: "RMMT", 2: "TT"}, points=(7, 1))
    first, second = (mat_of(state, seat) for seat in (1, 2))
    assert (first.points, [(each.number) for each in first.supply]) == (7, [2, 3, 2])
    assert [(each.touch, len(each.dice)) for each in first.dice] == [("die:R", 1), ("die:M", 2), ("die:T", 1)]
    assert [(each.touch, len(each.dice)) for each in second.dice] == [("die:T", 2)]
    attached = play(start(terrain=["LLLMMHH"] * 4), "start a3")
    assert [(mat.seat, mat.waits) for mat in arrange(attached)["mats"]] == [(1, True), (2, False)]
    left = RINGS_V1.withdraw(table("b1:2W", seats=3), 2)
    assert mat_of(left, 2).left
    assert "opacity" in ElementTree.tostring(draw(left), encoding="unicode")


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_the_mat_of_the_seat_that_looks_is_below_and_the_others_are_in_corners(seats):
    for seat in range(1, seats + 1):
        mats = arrange(table(seats=seats), seat=seat)["mats"]
        assert mats[0].seat == seat
        assert sorted(mat.seat for mat in mats) == [*range(1, seats + 1)]
        assert len({mat.plan for mat in mats}) == seats


def test_the_mat_of_the_seat_on_turn_shows_its_uses():
    assert [(mat.seat, mat.uses) for mat in arrange(table(on_turn=2))["mats"]] == [(1, 0), (2, 2)]
    proposed = play(table(ALLIES, seats=3), "M ally 3 b3xb4")
    assert [(mat.seat, mat.uses, mat.moves) for mat in arrange(proposed)["mats"]] == [
        (1, 2, False),
        (2, 0, False),
        (3, 0, True),
    ]


def test_a_first_warrior_on_its_way_and_a_proposal_are_shown_until_they_are_answered():
    state = play(table("b3:1W b5:1W b4:2B"), "M warrior b3-b4")
    assert [is_last for is_last, _ in arrange(state)["arrows"]] == [False]
    assert named(draw(state), "data-key")["warrior-1-b4-first"].attrib["data-at"] == "b4"
    proposed = play(table(ALLIES, seats=3), "M ally 3 b3xb4")
    assert (len(arrange(proposed)["arrows"]), "decline" in named(draw(proposed), "data-touch")) == (1, True)
    accepted = play(proposed, "accept b5")
    assert (len(arrange(accepted)["arrows"]), "decline" in named(draw(accepted), "data-touch")) == (2, False)
    assert arrange(play(proposed, "decline"))["arrows"] == []


@pytest.mark.parametrize(
    ("move", "marked"),
    [
        *(("start a2", 1), ("T start a2", 1), ("R +warrior", 1), ("M warrior b3-c3", 2), ("M runner d1-top", 2)),
        *(("T swap a1 a7", 2), ("accept b5", 1), ("T spin b +", 0), ("drop R", 0), ("decline", 0)),
    ],
)
def test_the_last_move_marks_the_fields_that_it_touched_or_its_mat(move, marked):
    arranged = arrange(table(), 2, move)
    assert len(set(arranged["marks"])) == marked
    assert [mat.last for mat in arranged["mats"]] == [False, move in ("drop R", "decline")]


def test_a_unit_that_moved_leaves_an_arrow_but_not_from_the_start_of_a_seat_that_left():
    assert [is_last for is_last, _ in arrange(table(), 1, "M warrior b3-c3")["arrows"]] == [True]
    left = RINGS_V1.withdraw(table("a2:1R", seats=3), 1)
    assert arrange(left, 1, "M runner s1-a2")["arrows"] == []


@pytest.mark.parametrize(("way", "degrees"), [("+", 51.43), ("-", -51.43)])
def test_a_turned_ring_says_by_how_much_and_shows_which_way(way, degrees):
    picture = draw(table(), 1, f"T spin b {way}")
    turned = [each for each in picture.iter() if "data-turn" in each.attrib]
    assert [(each.attrib["data-place"], float(each.attrib["data-turn"])) for each in turned] == [("b", degrees)]
    there, back = (arrange(table(), 1, f"T spin b {each}")["turn"] for each in (way, "+" if way == "-" else "-"))
    assert there["rims"] == back["rims"]
    assert there["arrows"] != back["arrows"]


def test_the_view_says_which_seat_decides():
    for step in some_steps(RINGS_V1):
        turn, view = RINGS_V1.turn(step.before.state), RINGS_V1.view(step.before.state)
        assert rings_v1.find_mover(view) == (turn.seat if isinstance(turn, Decision) else None)


@pytest.mark.parametrize(
    ("move", "ways"),
    [
        ("start a3", [("a3",)]),
        ("R +runner", [("runner:supply",)]),
        ("M runner s1-b2", [("runner:s1", "b2"), ("s1", "b2")]),
        ("TT warrior a1-top", [("warrior:a1", "top"), ("a1", "top")]),
        ("M ally 3 b3xb4", [("warrior:b3", "b4"), ("b3", "b4")]),
        ("accept b5", [("warrior:b5",), ("b5",)]),
        ("decline", [("decline",)]),
        ("T spin b +", [("turn:b+",)]),
        ("T spin c -", [("turn:c-",)]),
        ("T start a5", [("start", "a5")]),
        ("T swap a1 b1", [("a1", "b1"), ("b1", "a1")]),
        ("drop M", [("die:M",)]),
    ],
)
def test_a_move_is_touched_so(move, ways):
    assert list(rings_v1.trace(move)) == ways


def test_rings_are_turned_by_handles_44_pixels_wide_on_a_board_of_800_and_only_with_a_turn_die():
    assert not [name for name in named(draw(table(dice="RM")), "data-touch") if name.startswith("turn:")]
    touches = named(draw(table(dice="RT")), "data-touch")
    handles = {name: each for name, each in touches.items() if name.startswith("turn:")}
    assert handles.keys() == {f"turn:{ring}{way}" for ring in "abcd" for way in "+-"}
    for name, handle in handles.items():
        outline = [float(part) for part in re.findall(r"[\d.]+", handle[0].attrib["d"])]
        first, second, third = outline[:2], outline[7:9], outline[9:11]
        assert dist(first, second) * 800 / 720 >= 44, name
        assert dist(second, third) * 800 / 720 >= 44, name


@pytest.mark.parametrize(
    ("units", "dice", "touches", "clause", "says"),
    [
        ("b2:1W", "MM", ("warrior:b2", "b5"), "RI10", "too far"),
        ("b3:1W", "TT", ("b3", "b6"), "RI10", "too far"),
        ("b7:1B", "MM", ("blocker:b7", "b6"), "RI13", "not light"),
        ("b5:1W", "MM", ("warrior:b5", "b6"), "RI12", "heavy"),
        ("b2:1R b3:2W", "MM", ("runner:b2", "b3"), "RI11", "does not attack"),
        ("b2:1R", "RR", ("runner:b2",), "RI8", "no dice for it"),
        ("b3:1W", "MM", ("warrior:b3", "warrior:b3"), "RI10", "does not end on b3"),
        ("b3:2W", "MM", ("b3",), "RI10", "belong to seat 2"),
        ("b3:2W", "MM", ("c5",), "RI10", "no unit stands on c5"),
        ("b3:1W", "MM", ("s1",), "RI8", "this costs T"),
        ("b3:1W", "TM", ("s1", "a3"), "RI20", "has a START already"),
        ("b3:1W", "TM", ("s1", "b3"), "RI20", "not in ring a"),
        ("b3:1W", "TM", ("a1", "a2"), "RI21", "same terrain"),
        ("b3:1W", "MM", ("warrior:b3", "s1"), "RI10", "no unit moves to a START"),
        ("b3:1W", "MM", ("runner:supply",), "RI8", "no dice for it"),
        ("b3:1W", "RM", ("warrior:supply", "b3"), "RI9", "whole move"),
        ("b3:1W", "RM", ("warrior:b3", "runner:supply"), "RI10", "ends on a field"),
    ],
)
def test_a_touch_that_leads_to_no_move_says_why(units, dice, touches, clause, says):
    found = find_refusal(RINGS_V1, table(units, dice=dice), touches)
    assert found.clause == clause
    assert says in str(found.why)


def test_a_touch_between_the_moves_of_a_pair_or_before_an_answer_says_what_must_follow():
    between = play(table("b3:1W b5:1W c1:1W b4:2B"), "M warrior b3-b4")
    proposed = play(table(ALLIES, seats=3), "M ally 3 b3xb4")
    refused = [find_refusal(RINGS_V1, between, (touch,)) for touch in ("warrior:c1", "a7")]
    refused += [find_refusal(RINGS_V1, proposed, (touch,)) for touch in ("b1", "warrior:supply")]
    assert [each.clause for each in refused] == ["RI16", "RI16", "RI17", "RI17"]


def test_what_is_on_a_field_is_read_out():
    said = rings_v1.read(RINGS_V1.view(table("b1:1WWR top:2R", dice="RRT", points=(3, 0))))
    wanted = {
        "b1": "b1, light terrain: 1 runner, 2 warriors of seat 1",
        "warrior:b1": "2 warriors of seat 1 on b1",
        "b7": "b7, heavy terrain, empty",
        "top": "top, in the middle: 1 runner of seat 2",
        "s2": "START of seat 2 at a3, empty",
        "die:R": "2 recruit dice",
        "turn:b+": "turn ring b clockwise",
        "points-1": "points of seat 1: 3",
    }
    assert {name: str(said[name]) for name in wanted} == wanted


@pytest.mark.parametrize(
    ("move", "sentence", "clause"),
    [
        ("start a3", "Attaches the START to a3.", "RI4"),
        ("R +runner", "Pays a recruit die: a runner comes from the supply to START.", "RI9"),
        ("M runner s1-b2", "Pays a move die: a runner goes from s1 to b2.", "RI11"),
        ("TT warrior a1-b2", "Pays two turn dice: a warrior goes from a1 to b2.", "RI12"),
        ("R blocker c1-d1", "Pays a recruit die: a blocker goes from c1 to d1.", "RI13"),
        ("accept b5", "Joins the attack with the warrior on b5.", "RI17"),
        ("T spin b -", "Pays a turn die: ring b turns counter-clockwise by one slot.", "RI19"),
        ("T start a5", "Pays a turn die: the START is attached to a5.", "RI20"),
        ("T swap a1 b1", "Pays a turn die: a1 and b1 swap their terrain.", "RI21"),
        ("drop R", "Lets a recruit die expire.", "RI7"),
    ],
)
def test_a_notation_is_explained_in_words(move, sentence, clause):
    assert explain_move(RINGS_V1, move) == (sentence, clause)
