"""The board picture of Rings: sectors and their terrain, units, attacks under way, and the last move."""

from xml.etree import ElementTree

import pytest

from plyscribe.domain.rulesets.rings_v1 import RINGS_V1
from plyscribe.domain.rulesets.rings_v1.board import NAMES
from plyscribe.service.boards import draw_board, explain_move, rings_v1
from plyscribe.service.boards.board import LastMove
from tests.domain.rings_tables import ALLIES, play, start, table

SVG = "{http://www.w3.org/2000/svg}"


def draw(state, *last):
    return ElementTree.fromstring(draw_board(RINGS_V1, state, LastMove(*last) if last else None))


def arrange(state, *last):
    return rings_v1.arrange(RINGS_V1.view(state), LastMove(*last) if last else None)


def tokens_of(picture):
    return {group.attrib["data-token"]: group for group in picture.iter(f"{SVG}g") if "data-token" in group.attrib}


def words_in(element):
    return [text.text or "" for text in element.iter(f"{SVG}text")]


def titles_of(picture):
    return {title.text for title in picture.iter(f"{SVG}title")}


def drawn_field(state, name):
    return next(field for field in arrange(state)["fields"] if field.name == name)


def test_every_field_and_every_ring_is_named_by_its_notation():
    tokens = tokens_of(draw(table(seats=4)))
    assert set(tokens) == {*NAMES, *"abcd"}
    assert {tokens[name][0].tag for name in NAMES} == {f"{SVG}path"}


def test_slots_go_clockwise_and_rings_inwards():
    a1, a2, b1 = (drawn_field(table(), name) for name in ("a1", "a2", "b1"))
    assert a1.name_at[0] < a2.name_at[0]
    assert a1.name_at[1] < b1.name_at[1]


def test_a_start_lies_outside_the_field_that_it_is_attached_to():
    outer = " ".join(f"a{slot}:2R" for slot in range(1, 8))
    for slot in range(1, 8):
        state = table(f"s1:1R {outer}", starts=[slot, slot % 7 + 1])
        places = {field.name: field.pieces[0].at for field in arrange(state)["fields"] if field.pieces}
        at = places.pop("s1")
        assert min(places, key=lambda name: _gap(at, places[name])) == f"a{slot}"
        assert _gap(at, (rings_v1.CENTRE, rings_v1.CENTRE)) > rings_v1.RIMS[0] ** 2


def _gap(one, two):
    return (one[0] - two[0]) ** 2 + (one[1] - two[1]) ** 2


def test_terrain_is_shown_by_letter_and_hatching_and_not_by_tone_alone():
    tokens = tokens_of(draw(table()))
    assert [words_in(tokens[name]) for name in ("a1", "a4", "a6")] == [["a1", "L"], ["a4", "M"], ["a6", "H"]]
    assert [len(tokens[name].findall(f"{SVG}path")) for name in ("a1", "a4", "a6")] == [1, 4, 6]


def test_a_ring_that_is_not_laid_has_no_terrain():
    assert words_in(tokens_of(draw(start()))["a1"]) == ["a1"]


def test_the_three_kinds_stand_side_by_side_with_their_seat_and_count():
    field = drawn_field(table("a2:2RRWWWBB"), "a2")
    assert [(piece.kind, piece.seat, piece.number) for piece in field.pieces] == [
        ("runner", 2, 2),
        ("warrior", 2, 3),
        ("blocker", 2, 2),
    ]
    assert len({piece.at for piece in field.pieces}) == 3


@pytest.mark.parametrize("field", ["a3", "b3", "c3", "d3", "s2"])
def test_pieces_of_one_field_do_not_cover_each_other(field):
    pieces = drawn_field(table(f"{field}:2RW" + ("B" if field != "d3" else "")), field).pieces
    for one in pieces:
        for other in pieces:
            assert one is other or _gap(one.at, other.at) > (25 * one.scale) ** 2


def test_a_field_has_its_pieces_in_its_title():
    titles = titles_of(draw(table("b1:1WW top:2R")))
    assert {"b1, light: 2 warriors of seat 1", "top: 1 runner of seat 2", "b7, heavy", "s1"} <= titles


def test_the_possessions_of_a_seat_are_shown_below():
    first, second = arrange(table("b1:1WW", dice={1: "RMT", 2: "TT"}, points=(7, 1)))["seats"]
    assert (first.points, first.dice, first.supply) == (7, "RMT", [("runner", 2), ("warrior", 3), ("blocker", 2)])
    assert (second.points, second.dice) == (1, "TT")


def test_the_round_the_pass_and_the_uses_are_shown():
    assert {"Round 5", "pass 1", "2 uses"} <= set(words_in(draw(table())))
    assert not [word for word in words_in(draw(start())) if word.startswith("Round")]


def test_a_seat_that_left_says_so():
    assert "left" in words_in(draw(RINGS_V1.withdraw(table(seats=3), 2)))


def test_a_first_warrior_that_waits_for_a_second_is_named_and_drawn():
    state = play(table("b3:1W b5:1W b4:2B"), "M warrior b3-b4")
    context = arrange(state)
    assert context["note"] == "A warrior from b3 attacks b4; a second one must follow."
    assert [arrow.last for arrow in context["arrows"]] == [False]


def test_a_proposal_is_shown_until_it_is_answered():
    proposed = play(table(ALLIES, seats=3), "M ally 3 b3xb4")
    assert arrange(proposed)["note"] == "Seat 1 asks seat 3 to attack b4 together."
    accepted = play(proposed, "accept b5")
    assert arrange(accepted)["note"] == "Seat 1 and seat 3 attack b4 together."
    assert len(arrange(accepted)["arrows"]) == 2
    assert arrange(play(proposed, "decline"))["note"] == "A proposal was declined."


@pytest.mark.parametrize(
    ("move", "marked"),
    [
        ("start a2", ["s2"]),
        ("T start a2", ["s2"]),
        ("R +warrior", ["s2"]),
        ("M warrior b3-c3", ["b3", "c3"]),
        ("M runner d1-top", ["d1", "top"]),
        ("T swap a1 a7", ["a1", "a7"]),
        ("accept b5", ["b5"]),
    ],
)
def test_the_last_move_marks_the_fields_that_it_touched(move, marked):
    assert [field.name for field in arrange(table(), 2, move)["marked"]] == marked


def test_a_unit_that_moved_leaves_an_arrow():
    assert [arrow.last for arrow in arrange(table(), 1, "M warrior b3-c3")["arrows"]] == [True]


def test_no_arrow_comes_from_the_start_of_a_seat_that_left():
    left = RINGS_V1.withdraw(table("a2:1R", seats=3), 1)
    assert arrange(left, 1, "M runner s1-a2")["arrows"] == []


def test_a_turned_ring_shows_which_way():
    there, back = (arrange(table(), 1, f"T spin b {way}")["spin"] for way in "+-")
    assert there["rims"] == back["rims"]
    assert there["heads"] != back["heads"]


@pytest.mark.parametrize("move", ["drop R", "decline"])
def test_a_move_without_a_field_marks_its_seat(move):
    assert [seat.last for seat in arrange(table(), 2, move)["seats"]] == [False, True]


@pytest.mark.parametrize(
    ("move", "sentence", "clause"),
    [
        ("start a3", "Attaches the START to a3.", "RI4"),
        ("R +runner", "Pays a recruit die: a runner comes from the supply to START.", "RI9"),
        ("M runner s1-b2", "Pays a move die: a runner goes from s1 to b2.", "RI11"),
        ("TT warrior a1-b2", "Pays two turn dice: a warrior goes from a1 to b2.", "RI12"),
        ("R blocker c1-d1", "Pays a recruit die: a blocker goes from c1 to d1.", "RI13"),
        (
            "M ally 3 b3xb4",
            "Asks seat 3 to attack b4 together, with the warrior on b3; would pay a move die.",
            "RI17",
        ),
        ("accept b5", "Joins the attack with the warrior on b5.", "RI17"),
        ("decline", "Declines to attack together.", "RI17"),
        ("T spin b +", "Pays a turn die: ring b turns clockwise by one slot.", "RI19"),
        ("T spin b -", "Pays a turn die: ring b turns counter-clockwise by one slot.", "RI19"),
        ("T start a5", "Pays a turn die: the START is attached to a5.", "RI20"),
        ("T swap a1 b1", "Pays a turn die: a1 and b1 swap their terrain.", "RI21"),
        ("drop R", "Lets a recruit die expire.", "RI7"),
    ],
)
def test_a_notation_is_explained_in_words(move, sentence, clause):
    assert explain_move(RINGS_V1, move) == (sentence, clause)
