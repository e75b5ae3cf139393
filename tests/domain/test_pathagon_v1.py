"""Pathagon, clause by clause: each test name begins with the clause that it holds."""

import json
import re
from pathlib import Path
from random import Random

import pytest

from plyscribe.domain.errors import BadNotation, IllegalMove, OptionError
from plyscribe.domain.ruleset import Decision, Over
from plyscribe.domain.rulesets.pathagon_v1 import PATHAGON_V1, Setup, State, lay_board
from tests.domain.rules import Rules

RULES = Rules(PATHAGON_V1)
start, legal, refuse = RULES.start, RULES.legal, RULES.refuse
DOCS = (Path(__file__).parents[2] / "docs/rulesets/pathagon.md").read_text()


def play(state: State, moves: str) -> State:
    return RULES.play(state, *moves.split())


def position(
    drawing: str, seat: int = 1, *, pieces: int = 10, closed: str = "", resting: str = "", ply_limit: int = 400
) -> State:
    """The state that the drawing shows, top row first, with `seat` on turn."""
    rows = drawing.split()
    board = lay_board(len(rows))
    drawn = {f"{chr(97 + i)}{len(rows) - j}": mark for j, row in enumerate(rows) for i, mark in enumerate(row)}
    named = {name: square for square, name in board.names.items()}
    own, enemy = (sum(named[name] for name in drawn if drawn[name] == str(mark)) for mark in (seat, 3 - seat))
    shut, rest = sum(named[name] for name in closed.split()), named.get(resting, 0)
    return State(Setup(board, pieces, ply_limit), 99 + seat, own, enemy, shut, rest, 0, None)


def board_of(state: State) -> str:
    return " ".join(PATHAGON_V1.view(state)["board"])


# ---- board


def test_pa1_columns_are_letters_from_the_left_and_rows_numbers_from_the_bottom_sorted_in_that_order() -> None:
    assert board_of(play(start(), "a1 g7")) == "......2 ....... ....... ....... ....... ....... 1......"
    assert legal(start(size=5))[:7] == ["a1", "a2", "a3", "a4", "a5", "b1", "b2"]


def test_pa2_seat_1_plays_first_and_the_seats_alternate() -> None:
    assert PATHAGON_V1.turn(start()) == Decision(1)
    assert PATHAGON_V1.turn(play(start(), "a1")) == Decision(2)
    assert PATHAGON_V1.turn(play(start(), "a1 b1")) == Decision(1)


def test_pa2_seat_1_joins_bottom_to_top_and_seat_2_the_first_column_to_the_last() -> None:
    state = play(position("..1.. ..1.. ..1.. ..1.. 2...2"), "c1")
    assert PATHAGON_V1.turn(state) == Over("path", (1, 2))
    state = play(position("..1.. ..... 222.2 ..... ..1..", seat=2), "d3")
    assert PATHAGON_V1.turn(state) == Over("path", (2, 1))
    state = play(position("..... ..... 111.1 ..... ....."), "d3")
    assert PATHAGON_V1.turn(state) == Decision(2)


def test_pa3_a_chain_does_not_bend_at_corners_and_no_piece_is_trapped_along_a_diagonal() -> None:
    state = play(position("...1. ..1.. ..1.. ..1.. ....."), "c1")
    assert PATHAGON_V1.turn(state) == Decision(2)
    state = play(position("..... ...1. ..2.. ..... ....."), "b2")
    assert board_of(state) == "..... ...1. ..2.. .1... ....."


# ---- turn


def test_pa4_a_seat_with_a_reserve_places_on_any_empty_square_and_moves_nothing() -> None:
    state = position("12... ..... ..... ..... .....", pieces=5)
    assert len(legal(state)) == 23
    assert all(len(text) == 2 for text in legal(state))
    refuse(position("12... ..... ..... ..... ....."), "a5-a4", "PA4")


def test_pa4_a_seat_without_a_reserve_moves_a_piece_to_any_empty_square() -> None:
    state = position("11111 ..... ..... ..... 22222", pieces=5)
    assert len(legal(state)) == 5 * 15
    assert board_of(play(state, "a5-e2")) == ".1111 ..... ..... ....1 22222"


@pytest.mark.parametrize("text", ["a3", "a5-b5", "a5-a1", "a5-a5", "a1-a3", "a3-a4"])
def test_pa4_a_seat_without_a_reserve_moves_only_its_own_pieces_and_to_empty_squares(text: str) -> None:
    refuse(position("11111 ..... ..... ..... 22222", pieces=5), text, "PA4")
    refuse(play(start(), "d4"), "d4", "PA4")


def test_pa5_a_piece_that_was_moved_rests_in_the_seats_next_turn() -> None:
    state = play(position("11111 ..... ..... ..... 22222", pieces=5), "a5-a3 a1-b3")
    refuse(state, "a3-a4", "PA5")
    assert PATHAGON_V1.view(state)["resting"] == "a3"
    assert PATHAGON_V1.view(state)["resting_other"] == "b3"
    assert "a3-a4" in legal(play(state, "e5-e3 b1-c3"))


def test_pa5_a_piece_that_was_placed_does_not_rest_and_the_rest_of_another_lapses() -> None:
    state = play(position("1111. ..... ..... ..... 22222", pieces=5), "e5 a1-a2")
    assert PATHAGON_V1.view(state)["resting"] is None
    assert "e5-e4" in legal(state)
    state = position("11111 ..2.. ..... ..... 2.22.", seat=2, pieces=5, resting="c4")
    assert PATHAGON_V1.view(state)["resting"] == "c4"
    lapsed = play(state, "e1 a5-a3")
    assert PATHAGON_V1.view(lapsed)["resting"] is None
    assert "c4-c3" in legal(lapsed)


def test_pa5_nothing_rests_after_the_resting_piece_was_trapped() -> None:
    moved = play(position("1.11. ..... .1... 2.... .2222", seat=2, pieces=5), "c1-c3")
    assert PATHAGON_V1.view(moved)["resting_other"] == "c3"
    trapped = play(moved, "d3")
    assert PATHAGON_V1.view(trapped)["closed"] == ["c3"]
    assert PATHAGON_V1.view(trapped)["resting"] is None
    assert PATHAGON_V1.view(play(trapped, "a3 a5-a4"))["resting"] is None


def test_pa6_the_square_of_a_trapped_piece_is_closed_to_its_owner_for_one_turn() -> None:
    trapped = play(position("..... ..... .12.. ..... ....."), "d3")
    assert PATHAGON_V1.view(trapped)["closed"] == ["c3"]
    refuse(trapped, "c3", "PA6")
    assert len(legal(trapped)) == 25 - 2 - 1
    later = play(trapped, "a1")
    assert PATHAGON_V1.view(later)["closed"] == []
    assert "c3" in legal(later)
    assert "c3" in legal(play(later, "e5"))


def test_pa6_all_squares_of_several_pieces_are_closed_and_open_even_while_lost_pieces_still_wait() -> None:
    state = play(position("..1.. ..2.. 12.21 ..... ....."), "c3")
    assert PATHAGON_V1.view(state)["closed"] == ["b3", "c4", "d3"]
    for text in ("b3", "c4", "d3"):
        refuse(state, text, "PA6")
    state = play(position("..1.. ..2.. 12... 2.... 222..", pieces=6), "c3 e1 e5")
    assert PATHAGON_V1.view(state)["reserve"][1] == 1
    assert {"b3", "c4"} <= set(legal(state))


def test_pa6_a_seat_that_lost_a_piece_must_place_it() -> None:
    state = play(position("..... ..... .12.. ..... 2222.", pieces=5), "d3")
    refuse(state, "a1-a2", "PA4")


def test_pa7_pieces_lost_at_once_come_back_one_a_turn() -> None:
    state = play(position("..1.. ..2.. 12... 2.... 222..", pieces=6), "c3")
    reserves = []
    for moves in ("e1", "e5", "e2", "e4"):
        reserves.append(PATHAGON_V1.view(state)["reserve"][1])
        state = play(state, moves)
    assert reserves == [2, 1, 1, 0]


# ---- traps


@pytest.mark.parametrize(
    ("before", "move", "after", "reserve"),
    [
        ("..... ..... .12.. ..... .....", "d3", "..... ..... .1.1. ..... .....", [8, 10]),
        ("1.... ..... .12.. ..... 1...1", "a5-d3", "..... ..... .1.1. ..... 1...1", None),
        ("..... ..... 122.. ..... .....", "d3", "..... ..... 1221. ..... .....", None),  # two are safe
        ("..1.. ..2.. 12.21 ..2.. ..1..", "c3", "..1.. ..... 1.1.1 ..... ..1..", [5, 10]),
    ],
)
def test_pa8_a_piece_between_two_enemies_is_trapped(before, move, after, reserve):
    state = play(position(before, pieces=4) if "-" in move else position(before), move)
    assert board_of(state) == after
    assert reserve in (None, PATHAGON_V1.view(state)["reserve"])


def test_pa9_stepping_in_between_two_enemies_is_safe_and_a_moved_piece_no_partner_on_its_old_square() -> None:
    state = play(position("..... ..... .1.1. ..... .....", seat=2), "c3")
    assert board_of(state) == "..... ..... .121. ..... ....."
    state = play(position("1.... ..... .12.. ..... 1...1", pieces=4), "b3-d3")
    assert board_of(state) == "1.... ..... ..21. ..... 1...1"


@pytest.mark.parametrize("text", ["b3", "d1", "b5", "e4"])
def test_pa9_the_edge_traps_nothing(text: str) -> None:
    drawing = ["2...2", ".....", "2....", ".....", "....2"]
    state = play(position(" ".join(drawing)), text)
    assert board_of(state).count("2") == 4


# ---- end


@pytest.mark.parametrize(
    ("drawing", "move", "fields"),
    [
        ("1.... 111.. ..1.. .11.. .....", "b1", {}),
        ("..1.. ..1.. 2...1 ..1.. ..1..", "e3-c3", {"pieces": 5}),
        ("..1.. ..1.. ..1.. ..1.. .....", "c1", {"ply_limit": 101}),
    ],
)
def test_pa10_a_chain_from_edge_to_edge_wins_however_it_winds(drawing: str, move: str, fields: dict[str, int]) -> None:
    state = play(position(drawing, **fields), move)
    assert PATHAGON_V1.turn(state) == Over("path", (1, 2))
    assert legal(state) == []


def test_pa10_only_a_chain_that_is_whole_wins() -> None:
    state = play(position("..1.. ..1.. ..... .1... .1..."), "c3")
    assert PATHAGON_V1.turn(state) == Decision(2)
    state = play(position("..2.. ..2.. .12.. ..2.. ....."), "d3")
    assert PATHAGON_V1.turn(play(state, "c1")) == Decision(1)


def test_pa11_at_the_ply_limit_all_are_equal_and_without_one_a_match_goes_on() -> None:
    state = play(start(ply_limit=3), "a1 b1 a2")
    assert PATHAGON_V1.turn(state) == Over("ply-limit", (1, 1))
    assert PATHAGON_V1.standing(state) == PATHAGON_V1.standing(start()) == (1, 1)
    state, random = start(ply_limit=None, size=9, pieces=9), Random(4)
    for _ in range(500):
        if isinstance(PATHAGON_V1.turn(state), Over):
            assert PATHAGON_V1.turn(state) == Over("path", PATHAGON_V1.standing(state))
            state = start(ply_limit=None, size=9, pieces=9)
        state = PATHAGON_V1.apply_move(state, PATHAGON_V1.sample_move(state, random.randrange))


# ---- options, notation, view


@pytest.mark.parametrize(("size", "pieces"), [(5, 10), (6, 14), (7, 14), (9, 14)])
def test_the_default_of_pieces_follows_the_size(size: int, pieces: int) -> None:
    expected = {"size": size, "pieces": pieces, "ply_limit": 400}
    assert PATHAGON_V1.parse_options({"size": size}) == expected


@pytest.mark.parametrize("raw", [{"pieces": 6}, {"pieces": 23}, {"size": 5, "pieces": 11}, {"pieces": None}])
def test_pieces_that_do_not_go_with_the_size_are_refused_by_name(raw: dict[str, object]) -> None:
    with pytest.raises(OptionError, match="option 'pieces'"):
        PATHAGON_V1.parse_options(raw)


BAD_NOTATIONS = ["", "d", "4", "D4", "d04", "d0", "d8", "h1", "d4-", "-d4", "d4-e5-f6", "d4--e5", "d4–e5", "d4 - e5"]
BAD_NOTATIONS += [" d4", "d4 ", "d4\n", "+d4", "d4-goal", "d４", "d²", "\x00", "d4\x00", "\ud800"]
BAD_NOTATIONS += ["a1" * 100_000, "-" * 100_000]


@pytest.mark.parametrize("text", BAD_NOTATIONS, ids=lambda text: ascii(text[:9]))
@pytest.mark.parametrize("over", [False, True])
def test_what_is_no_square_is_bad_notation(text: str, over: bool) -> None:
    with pytest.raises(BadNotation):
        PATHAGON_V1.parse_move(PATHAGON_V1.withdraw(start(), 1) if over else start(), text)


def test_every_legal_move_is_sampled_alike() -> None:
    RULES.require_sampled_alike(position("11... 1.... ..... ..... ..222", pieces=3), 100)


def test_readable_moves_after_the_end_name_the_clause_of_the_end() -> None:
    won = play(position("..1.. ..1.. ..1.. ..1.. ....."), "c1")
    for over, clause in ((won, "PA10"), (play(start(ply_limit=1), "a1"), "PA11"), (position_left(), "PA10")):
        with pytest.raises(IllegalMove, match="the match is over") as refused:
            PATHAGON_V1.parse_move(over, "b2")
        assert refused.value.clause == clause


def position_left() -> State:
    return PATHAGON_V1.withdraw(start(), 2)


def test_the_view_has_exactly_these_keys() -> None:
    assert PATHAGON_V1.view(play(start(size=5), "c3 e1")) == {
        "ruleset": "pathagon",
        "ply": 2,
        "left": [],
        "board": [".....", ".....", "..1..", ".....", "....2"],
        "reserve": [9, 9],
        "closed": [],
        "resting": None,
        "resting_other": None,
    }


def test_the_view_after_the_end_says_nothing_of_a_seat_on_turn() -> None:
    moved = play(position("11111 ..... ..... 2.... .2222", pieces=5), "a5-a3 a2-b3")
    trapped = play(position("..... ..... .12.. ..... ....."), "d3")
    for state in (moved, trapped):
        view = PATHAGON_V1.view(PATHAGON_V1.withdraw(state, 1))
        assert (view["closed"], view["resting"], view["resting_other"]) == ([], None, None)
        assert view["board"] == PATHAGON_V1.view(state)["board"]


def test_evaluate_counts_the_pieces_that_a_path_still_needs() -> None:
    ahead = position("..1.. ..1.. ..... ..... 2....", seat=2)
    assert PATHAGON_V1.evaluate(ahead, 1) == -PATHAGON_V1.evaluate(ahead, 2) == 10 * (4 - 3) + 1
    assert PATHAGON_V1.evaluate(position_left(), 1) == 1_000_000


def test_the_drawing_shows_squares_and_reserves() -> None:
    state = play(position("11.11 ..... .12.. ..... 2222.", pieces=6), "d3")
    assert PATHAGON_V1.render_text(state).splitlines() == [
        "   a b c d e",
        "5  1 1 . 1 1  5",
        "4  . . . . .  4",
        "3  . 1 . 1 .  3",
        "2  . . . . .  2",
        "1  2 2 2 2 .  1",
        "   a b c d e",
        "",
        "Reserve: 0 of seat 1 (bottom to top), 2 of seat 2 (left to right).",
        "Closed: c3.",
    ]


# ---- documentation


def test_the_view_in_the_documentation_is_true() -> None:
    example = json.loads(re.findall(r"```json\n(.*?)```", DOCS, re.DOTALL)[0])
    assert PATHAGON_V1.view(play(start(size=5), "c3 c4 d1 a1 c5")) == example
