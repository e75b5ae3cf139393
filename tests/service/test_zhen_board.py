"""The board picture of Zhen."""

from xml.etree import ElementTree

from plyscribe.domain.rulesets import find_ruleset
from plyscribe.service.boards import draw_board, explain_move
from plyscribe.service.boards.board import LastMove
from plyscribe.service.boards.zhen_v1 import BOARD

ZHEN = find_ruleset("zhen", 1)
EMPTY = [0, 0]


def arrange(tiles, goals=(EMPTY, EMPTY), last=None, ply=0):
    return BOARD.arrange({"ply": ply, "tiles": tiles, "goals": list(goals), "reserve": [3, 2]}, last)


def start():
    return ZHEN.initial_state(ZHEN.parse_options({"tiles": 4}), 2)


def test_a_stack_has_the_cubes_of_both_seats_and_their_numbers():
    _, first, *_ = arrange([[2, 1], EMPTY, EMPTY, EMPTY])["stops"]
    assert [cube.seat for cube in first.cubes] == [1, 1, 2]
    assert [(seat, count) for seat, count, _ in first.counts] == [(1, 2), (2, 1)]
    heights = [cube.y for cube in first.cubes]
    assert heights == sorted(heights, reverse=True)


def test_the_highest_stack_stays_in_the_picture():
    context = arrange([EMPTY] * 4, ([30, 30], EMPTY))
    assert len(context["stops"][0].cubes) == 60
    assert min(cube.y for cube in context["stops"][0].cubes) > 36


def test_tiles_have_their_numbers_as_tokens_and_the_seat_on_turn_can_click_its_goal():
    def tokens(ply):
        return [stop.token for stop in arrange([EMPTY] * 4, ply=ply)["stops"]]

    assert tokens(0) == ["goal", "1", "2", "3", "4", ""]
    assert tokens(1) == ["", "1", "2", "3", "4", "goal"]


def test_the_shape_of_a_tile_comes_first():
    picture = ElementTree.fromstring(draw_board(ZHEN, start()))
    tiles = [each for each in picture.iter() if each.attrib.get("data-token", "").isdigit()]
    assert [each[0].attrib["class"] for each in tiles] == ["field"] * 4


def test_the_last_move_is_an_arrow_from_tile_to_tile():
    context = arrange([EMPTY] * 4, last=LastMove(2, "1-3"))
    assert (context["came"].token, context["went"].token) == ("1", "3")


def test_the_arrow_of_a_placement_comes_from_the_reserve():
    context = arrange([[0, 1], *[EMPTY] * 3], last=LastMove(2, "+1"))
    assert (context["came"], context["went"].token) == (None, "1")


def test_an_arrow_into_the_goal_ends_at_the_goal_of_the_seat_that_moved():
    assert arrange([EMPTY] * 4, last=LastMove(1, "2-goal"))["went"].seat == 1
    assert arrange([EMPTY] * 4, last=LastMove(2, "2-goal"))["went"].seat == 2


def test_moves_are_explained_in_words():
    assert explain_move(ZHEN, "+5").sentence == "Puts a cube from the reserve on tile 5."
    assert explain_move(ZHEN, "5-3").sentence == "Moves the cubes on tile 5 by 2 steps to tile 3."
    assert explain_move(ZHEN, "5-6").sentence == "Moves the cubes on tile 5 by 1 step to tile 6."
    assert explain_move(ZHEN, "2-goal") == ("Moves the cubes on tile 2 into the goal.", "ZH3")
    assert explain_move(ZHEN, "21-goal") is None
    assert explain_move(ZHEN, "5-5") is None
