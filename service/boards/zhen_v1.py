"""The board of Zhen, version 1: stacks of cubes on a line of tiles, with a goal at each end."""

import re
from typing import Any, NamedTuple

from plyscribe.service.boards.board import Board, Explained, LastMove
from plyscribe.service.boards.reserves import arrange_reserves
from plyscribe.service.boards.strokes import Point, format_points

TILE = 50.0
GOAL = 82.0
MARGIN = 12.0
DEPTH = 10.0
"""How far the tops of tiles and cubes lean to the right and up."""
CUBE = 28.0
HIGHEST = 8
"""Higher stacks are squeezed to the height of this many cubes."""
BASE = 26 + HIGHEST * CUBE
"""Where the fronts of the tiles start."""
FRONT = 30.0
COUNTS = BASE + FRONT + 22
LANE = COUNTS + 10
"""Where the arrow of the last move starts, below the counts."""
RESERVES = LANE + 66
HEIGHT = RESERVES + 26

_MOVE = re.compile(r"\+(?P<put>T)|(?P<source>T)-(?:(?P<target>T)|goal)".replace("T", "(?:[1-9]|1[0-9]|20)"))


class Cube(NamedTuple):
    """A cube, by the lower left corner of its front."""

    seat: int
    x: float
    y: float


class Stop(NamedTuple):
    """A tile, or the goal of a seat, with its cubes. `token` is empty if no move can name it."""

    token: str
    seat: int
    middle: float
    outline: str
    front: str
    cubes: list[Cube]
    counts: list[tuple[int, int, float]]


def arrange(view: dict[str, Any], last: LastMove | None, seat: int | None = None) -> dict[str, Any]:
    """The context of zhen_v1.svg."""
    tiles, (first, second) = view["tiles"], view["goals"]
    turn = 1 + view["ply"] % 2
    end = MARGIN + GOAL + TILE * len(tiles)
    stops = [
        _stop("goal" if turn == 1 else "", 1, MARGIN, GOAL, first),
        *(_stop(str(number), 0, MARGIN + GOAL + TILE * (number - 1), TILE, on) for number, on in enumerate(tiles, 1)),
        _stop("goal" if turn == 2 else "", 2, end, GOAL, second),
    ]
    width = end + GOAL + MARGIN + DEPTH
    return {
        "width": width,
        "height": HEIGHT,
        "stops": stops,
        "reserves": arrange_reserves(view["reserve"], MARGIN, width - MARGIN, RESERVES),
        "number_y": BASE + FRONT - 8,
        "count_y": COUNTS,
        **_mark(stops, last),
    }


def _stop(token: str, seat: int, x: float, width: float, on: list[int]) -> Stop:
    """A tile, or the goal of a seat, whose front points outward."""
    middle, left, right = x + width / 2, x, x + width
    if seat == 1:
        left += FRONT / 2
    if seat == 2:
        right -= FRONT / 2
    below = [(right, BASE + FRONT), (left, BASE + FRONT)]
    if seat:
        below.insert(2 if seat == 1 else 0, (x if seat == 1 else x + width, BASE + FRONT / 2))
    top = [(left, BASE), (left + DEPTH, BASE - DEPTH), (right + DEPTH, BASE - DEPTH), (right, BASE)]
    return Stop(
        token,
        seat,
        middle,
        format_points(top + below),
        format_points([(left, BASE), (right, BASE), *below]),
        _stack(middle, *on),
        _count(middle, *on),
    )


def _stack(middle: float, one: int, two: int) -> list[Cube]:
    step = min(CUBE, (HIGHEST - 1) * CUBE / max(one + two - 1, 1))
    left = round(middle - CUBE / 2 - 1, 1)
    return [Cube(1 if number < one else 2, left, round(BASE - 3 - step * number, 1)) for number in range(one + two)]


def _count(middle: float, one: int, two: int) -> list[tuple[int, int, float]]:
    """The numbers below a stack: each seat, its cubes, and the place of the number."""
    apart = 12 if one and two else 0
    return [(seat, count, middle + aside) for seat, count, aside in ((1, one, -apart), (2, two, apart)) if count]


def _mark(stops: list[Stop], last: LastMove | None) -> dict[str, Any]:
    """The last move: where it came from, where it went, and the arrow below."""
    if last is None:
        return {"came": None, "went": None, "arrow": None}
    source, _, target = last.move.replace("+", "-").partition("-")
    goal = 0 if last.seat == 1 else len(stops) - 1
    went = stops[goal if target == "goal" else int(target)]
    came = stops[int(source)] if source else None
    tip: Point = (went.middle, LANE)
    if came is None:
        line = f"M{tip[0]},{LANE + 38}V{LANE + 8}"
    else:
        deep = LANE + 44
        line = f"M{came.middle},{LANE}C{came.middle},{deep} {tip[0]},{deep} {tip[0]},{LANE + 10}"
    head = format_points([tip, (tip[0] - 7, LANE + 13), (tip[0] + 7, LANE + 13)])
    return {"came": came, "went": went, "arrow": (line, head)}


def explain(move: str) -> Explained | None:
    """A notation of Zhen in words."""
    found = _MOVE.fullmatch(move)
    if found is None:
        return None
    put, source, target = found["put"], found["source"], found["target"]
    if put:
        return Explained(f"Puts a cube from the reserve on tile {put}.", "ZH4")
    if target is None:
        return Explained(f"Moves the cubes on tile {source} into the goal.", "ZH3")
    steps = abs(int(source) - int(target))
    if not steps:
        return None
    distance = "1 step" if steps == 1 else f"{steps} steps"
    return Explained(f"Moves the cubes on tile {source} by {distance} to tile {target}.", "ZH2")


BOARD = Board(arrange, explain)
