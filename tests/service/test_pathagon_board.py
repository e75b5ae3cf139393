"""The board of Pathagon."""

import re
from random import Random

import pytest

from plyscribe.domain.effects import Moved
from plyscribe.domain.ruleset import Over
from plyscribe.domain.rulesets import find_ruleset
from plyscribe.service.boards import draw_board, explain_move
from plyscribe.service.boards.board import LastMove
from plyscribe.service.boards.pathagon_v1 import BOARD, find_path
from tests.service.test_board_contract import find_refusal

PATHAGON = find_ruleset("pathagon", 1)
EMPTY_VIEW = {"ply": 5, "reserve": [7, 8], "closed": [], "resting": None, "resting_other": None}
MARKS = {"closed": "closed", "rested": "rest"}


def view_of(rows: str, **more):
    return {**EMPTY_VIEW, "board": rows.split(), **more}


def arrange(rows: str, last: LastMove | None = None, seat: int | None = None, **more):
    return BOARD.arrange(view_of(rows, **more), last, seat)


def play(moves: str, **options):
    state = PATHAGON.initial_state(PATHAGON.parse_options(options), 2)
    for move in moves.split():
        state = PATHAGON.apply_move(state, PATHAGON.parse_move(state, move))
    return state


def keys_of(state):
    return set(re.findall(r'data-key="([^"]+)"', draw_board(PATHAGON, state)))


def pieces_of(rows: str):
    lines = rows.split()[::-1]
    return {(i, j): int(mark) for j, line in enumerate(lines) for i, mark in enumerate(line) if mark != "."}


def test_seat_1_has_row_1_at_the_bottom_and_seat_2_column_a():
    def middles(seat):
        return {each.field: (each.x, each.y) for each in arrange("1...2 ..... ..... ..... 2...1", seat=seat)["pieces"]}

    one, two = middles(1), middles(2)
    assert one == middles(None)
    assert one["a1"][1] == one["e1"][1] > one["a5"][1]
    assert two["a1"][1] == two["a5"][1] > two["e1"][1]
    # A turn by 90 degrees, no mirror: seat 2 sits on the left of seat 1's board.
    assert (two["a5"], two["a1"], two["e1"], two["e5"]) == (one["a1"], one["e1"], one["e5"], one["a5"])
    empty = "..... ..... ..... ..... ....."
    corners = [[text for text, *_ in arrange(empty, seat=seat)["coordinates"][:2]] for seat in (1, 2)]
    assert corners == [["a", "1"], ["5", "a"]]


@pytest.mark.parametrize("seat", [1, 2])
def test_the_rails_of_the_seat_that_looks_are_at_the_top_and_at_the_bottom(seat):
    context = arrange("..... ..... ..... ..... .....", seat=seat)
    assert [rail.seat for rail in context["rails"]] == [seat, 3 - seat] * 2
    assert [reserve.seat for reserve in sorted(context["reserves"], key=lambda each: each.y)] == [3 - seat, seat]


def test_the_winning_path_glows_from_rail_to_rail():
    context = arrange("..1..  2.12.  211..  .12..  .1..2")
    assert [each.seat for each in context["pieces"] if each.wins] == [1] * 6
    assert len(context["path"].split()) == 6 + 2
    assert arrange("..1..  2.12.  211..  .12..  ....2")["path"] == ""


@pytest.mark.parametrize(
    ("rows", "path"),
    [
        (".....  1.1..  22222  22.22  .....", [(column, 2) for column in range(5)]),
        (".....  .....  11111  .....  2....", []),
        ("1....  1....  1....  1....  .1...", []),
    ],
)
def test_the_path_is_the_shortest_chain_between_the_edges_of_its_seat(rows, path):
    assert find_path(pieces_of(rows), 5) == path


@pytest.mark.parametrize("seat", [1, 2])
def test_neighbours_of_a_seat_are_linked_and_pieces_at_its_edges_with_the_rail(seat):
    links = arrange(".....  .11..  .2...  .2...  1...2", seat=seat)["links"]
    assert {(each.seat, each.field, each.other) for each in links} == {
        (1, "b4", "c4"),
        (1, "a1", "rail"),
        (2, "b2", "b3"),
        (2, "e1", "rail"),
    }
    assert {each.upright for each in links if each.field in ("a1", "b2")} == {seat == 1}


def test_moves_closed_fields_and_resting_pieces_of_both_seats_are_marked():
    context = arrange("..1.. ..... 2.1.. ..... 1....", resting="c3", resting_other="a3", closed=["c4"])
    assert {each.field for each in context["pieces"] if each.rests} == {"a3", "c3"}
    assert [name for name, *_ in context["closed"]] == ["c4"]
    moved = arrange("..... ..... 2.1.. ..... .....", LastMove(1, "e1-c3"))
    assert (moved["came"].field, moved["went"].field) == ("e1", "c3")
    assert moved["arrow"] is not None
    placed = arrange("..... ..... 2.1.. ..... .....", LastMove(1, "c3"))
    assert (placed["came"], placed["went"].field, placed["arrow"]) == (None, "c3", None)


def test_every_piece_in_reserve_is_drawn_and_counted_and_fits_beside_the_board():
    context = arrange("..... ..... ..... ..... .....", reserve=[38, 0])
    one, two = context["reserves"]
    assert (len(one.pieces), one.number, len(two.pieces), two.number) == (38, 38, 0, 0)
    assert max(one.end, two.end) < context["width"] - 14


SHIFTING = "a1 a5 b2 b5 c3 c5 d4 d5 e1 e2"
SMALL = {"size": 5, "pieces": 5}


@pytest.mark.parametrize(
    ("moves", "options", "touches", "clause", "why"),
    [
        ("a1 b2", {}, ("a1",), "PA4", "Place it"),
        ("a1", {}, ("a1",), "PA4", "a1 is not empty"),
        ("a1 b1 c1", {}, ("b1",), "PA6", ""),
        (SHIFTING, SMALL, ("a2",), "PA4", "Move a piece on the board"),
        (SHIFTING, SMALL, ("a5",), "PA4", "no piece of the seat on turn"),
        (SHIFTING, SMALL, ("a1", "b2"), "PA4", "is not empty"),
        (f"{SHIFTING} a1-a2 e2-e3", SMALL, ("a2",), "PA5", ""),
    ],
)
def test_touches_that_are_no_move_get_a_reason(moves, options, touches, clause, why):
    found = find_refusal(PATHAGON, play(moves, **options), touches)
    assert found.clause == clause
    assert why in str(found.why)


def test_pieces_and_marks_have_the_keys_that_effects_name():
    random, state, kinds = Random(5), play("", size=5, pieces=6), set()
    while not isinstance(PATHAGON.turn(state), Over):
        before, keys = state, keys_of(state)
        move = PATHAGON.sample_move(state, random.randrange)
        state = PATHAGON.apply_move(state, move)
        for effect in PATHAGON.effects(before, Moved(move), state):
            kinds.add(effect.kind)
            if effect.kind in ("placed", "moved"):
                assert f"piece-{effect.seat}-{effect.target}" in keys_of(state) - keys
            if effect.kind in ("trapped", "moved"):
                assert f"piece-{effect.owner or effect.seat}-{effect.source}" in keys - keys_of(state)
            if effect.kind in MARKS:
                assert f"{MARKS[effect.kind]}-{effect.target}" in keys_of(state)
    assert kinds >= {"placed", "moved", "trapped", *MARKS}


def test_fields_and_reserves_are_read_out():
    said = BOARD.read(view_of("..... ..... 2.1.. ..... 1....", ply=6, closed=["b2"], resting="c3"))
    wanted = {
        "a1": "a1, a piece of seat 1",
        "b1": "b1, empty",
        "b2": "b2, closed to seat 1 for this turn",
        "c3": "c3, a piece of seat 1 that rests",
        "reserve-2": "the reserve of seat 2, pieces: 8",
    }
    assert {name: str(said[name]) for name in wanted} == wanted
    won = BOARD.read(view_of("..1.. ..1.. 2.1.. ..1.. 1.1.."))
    assert [str(won[name]) for name in ("c3", "a1")] == [
        "c3, a piece of seat 1 on the winning path",
        "a1, a piece of seat 1",
    ]


def test_moves_are_explained_in_words():
    assert explain_move(PATHAGON, "d4-b6").sentence == "Moves the piece from d4 to b6."
    assert explain_move(PATHAGON, "d4").sentence == "Places a piece from the reserve on d4."
    assert explain_move(PATHAGON, "d4-d4") is None
    assert explain_move(PATHAGON, "d4-b6-c1") is None
