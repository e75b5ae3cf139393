"""The board picture of Pathagon."""

from xml.etree import ElementTree

from plyscribe.domain.rulesets import find_ruleset
from plyscribe.service.boards import draw_board, explain_move
from plyscribe.service.boards.board import LastMove
from plyscribe.service.boards.pathagon_v1 import BOARD, find_path

PATHAGON = find_ruleset("pathagon", 1)
EMPTY_VIEW = {"ply": 5, "reserve": [7, 8], "closed": [], "resting": None, "resting_other": None}


def arrange(rows: str, last: LastMove | None = None, **more):
    return BOARD.arrange({**EMPTY_VIEW, "board": rows.split(), **more}, last)


def play(moves: str, **options):
    state = PATHAGON.initial_state(PATHAGON.parse_options(options), 2)
    for move in moves.split():
        state = PATHAGON.apply_move(state, PATHAGON.parse_move(state, move))
    return state


def pieces_of(rows: str):
    lines = rows.split()[::-1]
    return {(i, j): int(mark) for j, line in enumerate(lines) for i, mark in enumerate(line) if mark != "."}


def test_a_field_is_clicked_by_its_name_and_its_shape_comes_first():
    picture = ElementTree.fromstring(draw_board(PATHAGON, play("")))
    fields = {each.attrib["data-touch"]: each for each in picture.iter() if "data-touch" in each.attrib}
    assert fields.keys() == {f"{column}{row}" for column in "abcdefg" for row in range(1, 8)}
    assert {each[0].attrib["class"] for each in fields.values()} == {"field"}


def test_the_winning_path_is_drawn():
    context = arrange("..1..  2.12.  211..  .12..  .1..2")
    assert [each.seat for each in context["pieces"] if each.wins] == [1] * 6
    assert sum(each.wins for each in context["links"]) == 5 + 2
    assert context["notes"][0] == "Path of seat 1"


def test_of_all_chains_the_shortest_is_the_path():
    rows = ".....  1.1..  22222  22.22  ....."
    assert find_path(pieces_of(rows), 5) == [(0, 2), (1, 2), (2, 2), (3, 2), (4, 2)]


def test_a_chain_between_edges_of_the_other_seat_is_no_path():
    assert find_path(pieces_of(".....  .....  11111  .....  2...."), 5) == []
    assert find_path(pieces_of("1....  1....  1....  1....  .1..."), 5) == []


def test_neighbours_of_a_seat_are_linked_and_pieces_at_its_edges_with_them():
    links = arrange(".....  .11..  .2...  .2...  1...2")["links"]
    assert [(each.seat, each.wins) for each in links].count((1, False)) == 2
    assert [(each.seat, each.wins) for each in links].count((2, False)) == 2


def test_closed_fields_show_whose_pieces_were_trapped():
    context = arrange("..1.. ..... ..1.. ..... 2..1.", LastMove(1, "c5"), closed=["c4"])
    assert len(context["closed"]) == 1
    assert context["loser"] == 2
    assert context["notes"][0] == "Closed: c4"


def test_resting_pieces_are_marked_and_named():
    context = arrange("..... ..... 2.1.. ..... .....", resting="c3", resting_other="a3")
    assert [each.rests for each in context["pieces"]] == [True, True]
    assert context["notes"][0] == "Resting: a3 c3"


def test_a_shift_is_marked_from_field_to_field_and_a_placement_where_it_went():
    moved = arrange("..... ..... 2.1.. ..... .....", LastMove(1, "e1-c3"))
    assert (moved["came"].name, moved["went"].name) == ("e1", "c3")
    assert moved["arrow"] is not None
    placed = arrange("..... ..... 2.1.. ..... .....", LastMove(1, "c3"))
    assert (placed["came"], placed["went"].name, placed["arrow"]) == (None, "c3", None)


def test_every_piece_in_reserve_is_drawn_and_counted():
    reserves = arrange("..... ..... ..... ..... .....", reserve=[38, 0])["reserves"]
    assert [(len(each.pieces), each.number) for each in reserves] == [(38, 38), (0, 0)]
    assert reserves[0].end < reserves[1].x - 15


def test_moves_are_explained_in_words():
    assert explain_move(PATHAGON, "d4-b6").sentence == "Moves the piece from d4 to b6."
    assert explain_move(PATHAGON, "d4").sentence == "Places a piece from the reserve on d4."
    assert explain_move(PATHAGON, "d4-d4") is None
    assert explain_move(PATHAGON, "d4-b6-c1") is None
