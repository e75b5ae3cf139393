"""The board of Zhen."""

from itertools import pairwise
from random import Random
from xml.etree import ElementTree

import pytest

from plyscribe.domain.effects import Moved
from plyscribe.domain.ruleset import Over
from plyscribe.domain.rulesets import find_ruleset
from plyscribe.service.boards import draw_board, explain_move
from plyscribe.service.boards.board import LastMove
from plyscribe.service.boards.zhen_v1 import BOARD, EDGE, GOAL, TILE, lay_line
from tests.service.test_board_contract import find_refusal

ZHEN = find_ruleset("zhen", 1)
EMPTY = [0, 0]


def view_of(tiles, goals=(EMPTY, EMPTY), ply=0, reserve=(3, 2)):
    return {"ply": ply, "tiles": tiles, "goals": list(goals), "reserve": list(reserve)}


def arrange(tiles, goals=(EMPTY, EMPTY), last=None, ply=0, seat=None):
    return BOARD.arrange(view_of(tiles, goals, ply), last, seat)


def stops_of(*args, **more):
    return {stop.place: stop for stop in arrange(*args, **more)["stops"]}


def play(moves: str = "", **options):
    state = ZHEN.initial_state(ZHEN.parse_options(options), 2)
    for move in moves.split():
        state = ZHEN.apply_move(state, ZHEN.parse_move(state, move))
    return state


def keys_of(state) -> set[str]:
    picture = ElementTree.fromstring(draw_board(ZHEN, state))
    return {each.attrib["data-key"] for each in picture.iter() if "data-key" in each.attrib}


@pytest.mark.parametrize("tiles", range(4, 21))
def test_neighbours_touch_each_other_and_nothing_lies_on_anything_else(tiles):
    line = lay_line(tiles)
    assert 1 < line.width / line.height < 2.5, "neither a strip nor a tower"
    stops = list(zip(line.middles, [GOAL, *[TILE] * tiles, GOAL], strict=True))
    for ((x, y), half), ((right, up), other) in pairwise(stops):
        assert (abs(right - x), up - y) == (half + other, 0) or (right == x and up < y)
    for number, ((x, y), half) in enumerate(stops):
        assert half < x < line.width - half
        assert 0 < y - line.highest < y < line.height
        for (right, up), other in stops[:number]:
            assert up != y or abs(right - x) >= half + other


@pytest.mark.parametrize("seat", [1, 2])
def test_the_own_goal_is_at_the_lower_left_and_own_stacks_are_on_the_left(seat):
    stops = stops_of([[1, 1]] * 10, ([1, 1], [1, 1]), seat=seat)
    own = stops[f"goal-{seat}"]
    assert own.x == min(stop.x for stop in stops.values())
    assert own.y == max(stop.y for stop in stops.values())
    near = stops["1" if seat == 1 else "10"]
    assert (near.x - own.x, near.y) == (GOAL + TILE, own.y)
    for stop in stops.values():
        assert {cube.seat for cube in stop.cubes if cube.x < stop.x} == {seat}


def test_every_cube_is_drawn_with_the_seats_apart_and_high_stacks_and_all_in_goals_are_counted():
    cubes = stops_of([[2, 1], EMPTY, EMPTY, EMPTY])["1"].cubes
    assert [(cube.seat, cube.number) for cube in cubes] == [(1, 1), (1, 2), (2, 1)]
    one, two, other = cubes
    assert (two.x, two.y) == (one.x, one.y - EDGE)
    assert other.x > one.x
    stops = stops_of([[3, 4], EMPTY, EMPTY, EMPTY], ([1, 0], [0, 2]))
    counts = {place: [(count.seat, count.number) for count in stop.counts] for place, stop in stops.items()}
    assert (counts["1"], counts["goal-1"], counts["goal-2"]) == ([(2, 4)], [(1, 1)], [(2, 2)])


@pytest.mark.parametrize("tiles", [4, 6, 20])
@pytest.mark.parametrize("seat", [1, 2])
def test_the_highest_stack_stays_in_the_picture(tiles, seat):
    stops = stops_of([[30, 30]] * tiles, ([30, 30], [30, 30]), seat=seat)
    assert {len(stop.cubes) for stop in stops.values()} == {60}
    assert min(count.y for stop in stops.values() for count in stop.counts) > 12


def test_the_last_move_is_an_arrow_over_every_tile_on_its_way_from_the_reserve_or_to_the_goal_of_its_seat():
    placed = arrange([[0, 1], *[EMPTY] * 3], last=LastMove(2, "+1"))
    assert (placed["came"], placed["went"].place, placed["steps"]) == (None, "1", [])
    assert [arrange([EMPTY] * 4, last=LastMove(seat, "2-goal"))["went"].seat for seat in (1, 2)] == [1, 2]
    context = arrange([EMPTY] * 10, last=LastMove(2, "3-8"))
    assert (context["came"].place, context["went"].place) == ("3", "8")
    stops = {stop.place: stop for stop in context["stops"]}
    assert [x for x, _ in context["steps"]] == [stops[str(tile)].x for tile in range(3, 8)]


@pytest.mark.parametrize(("move", "side"), [("5-6", 1), ("6-5", 1), ("10-11", -1), ("12-9", -1)])
def test_an_arrow_between_rows_runs_around_their_ends(move, side):
    line = lay_line(14)
    context = arrange([EMPTY] * 14, last=LastMove(1, move))
    xs = [float(point.partition(",")[0]) for point in context["way"].split()]
    assert line.rows[5] < line.rows[6]
    assert line.rows[10] < line.rows[11]
    tiles = [context["came"].x, context["went"].x, *(x for x, _ in context["steps"])]
    assert (max(xs) > max(tiles)) == (side == 1)
    assert (min(xs) < min(tiles)) == (side == -1)


def test_reserves_fit_beside_each_other():
    own, other = BOARD.arrange(view_of([EMPTY] * 6, reserve=(30, 30)), None, 2)["reserves"]
    assert (own.seat, len(own.pieces), other.seat, len(other.pieces)) == (2, 30, 1, 30)
    assert own.end + 12 < other.x - 14
    assert other.end + 12 < lay_line(6).width


def test_what_a_move_does_comes_and_goes_where_its_effects_say():
    random, seen = Random(4), set()
    for cubes in range(3, 9):
        state = play(cubes=cubes)
        while not isinstance(ZHEN.turn(state), Over):
            move = ZHEN.sample_move(state, random.randrange)
            before, known = keys_of(state), state
            state = ZHEN.apply_move(state, move)
            came, gone = keys_of(state) - before, before - keys_of(state)
            effects = [each for each in ZHEN.effects(known, Moved(move), state) if each.target]
            swept = any(each.kind == "swept" for each in effects)
            seen.update(each.kind for each in effects)
            for effect in effects:
                owner = effect.owner or effect.seat
                target = f"goal-{effect.seat}" if effect.target == "goal" else effect.target
                # What is swept at the end was elsewhere before, if it is what the move moved.
                if effect.target == "goal" or not swept:
                    assert sum(key.startswith(f"cube-{owner}-{target}-") for key in came) >= (effect.amount or 1)
                if effect.kind != "swept":
                    assert any(key.startswith(f"cube-{owner}-{effect.source or 'reserve'}-") for key in gone)
    assert seen == {"placed", "moved", "carried", "entered", "captured", "swept"}


@pytest.mark.parametrize(
    ("moves", "cubes", "touches", "clause", "why"),
    [
        ("+5 +2", 5, ("5", "3"), "ZH2", "5-4"),
        ("+5 +2 +4 +9", 2, ("1",), "ZH4", ""),
        ("+5", 5, ("5",), "ZH2", "no cube of the seat on turn"),
        ("+1 +5", 5, ("1",), "ZH3", ""),
        ("+5 +2", 5, ("goal-1",), "ZH2", ""),
        ("+5 +2", 5, ("goal-2",), "ZH1", "this is the goal of seat 2. Move towards the other end."),
        ("+5 +2", 5, ("5", "goal-2"), "ZH1", ""),
        ("+5 +2", 5, ("5", "goal-1"), "ZH2", ""),
    ],
)
def test_touches_that_are_no_move_get_a_reason(moves, cubes, touches, clause, why):
    found = find_refusal(ZHEN, play(moves, cubes=cubes), touches)
    assert found.clause == clause
    assert why in str(found.why)


def test_tiles_goals_and_reserves_are_read_out():
    view = view_of([[2, 1], EMPTY, [0, 3]], ([1, 4], EMPTY), 1)
    wanted = {
        "1": "tile 1, cubes: 2 of seat 1 and 1 of seat 2",
        "2": "tile 2, empty",
        "3": "tile 3, cubes: 3 of seat 2",
        "goal-1": "the goal of seat 1, cubes: 1 of seat 1 and 4 of seat 2",
        "goal-2": "the goal of seat 2, empty",
        "reserve-1": "the reserve of seat 1, cubes: 3",
    }
    said = BOARD.read(view)
    assert {name: str(said[name]) for name in wanted} == wanted


def test_moves_are_explained_in_words():
    assert explain_move(ZHEN, "+5").sentence == "Puts a cube from the reserve on tile 5."
    assert explain_move(ZHEN, "5-3").sentence == "Moves the cubes on tile 5 by 2 steps to tile 3."
    assert explain_move(ZHEN, "5-6").sentence == "Moves the cubes on tile 5 by 1 step to tile 6."
    assert explain_move(ZHEN, "2-goal") == ("Moves the cubes on tile 2 into the goal.", "ZH3")
    assert explain_move(ZHEN, "21-goal") is None
    assert explain_move(ZHEN, "5-5") is None
