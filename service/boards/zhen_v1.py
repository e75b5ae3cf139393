"""The board of Zhen, version 1: tiles in a line that winds upwards, stacks of cubes on them, a goal at each end."""

import re
from collections.abc import Iterator
from functools import cache
from operator import itemgetter
from typing import Any, NamedTuple

from plyscribe.domain.phrases import Phrase, say
from plyscribe.service.boards.board import Board, Explained, LastMove, Reason, Touches
from plyscribe.service.boards.reserves import arrange_reserve
from plyscribe.service.boards.strokes import Point, format_points

TILE = 50.0
"""Half the width of a tile. Tiles touch each other along their sides."""
GOAL = 66.0
"""Half the width of a goal."""
THICK = 9.0
"""How thick tiles and goals are."""
EDGE = 26.0
"""The length of each edge of a cube: how much higher the next cube of a stack stands."""
ASIDE = 23.0
"""How far the stacks of the two seats stand from the middle of a tile."""
COUNTED = 4
"""Stacks of this many cubes or more show their number. Stacks in goals always do."""
BADGE = 22.0

SIDE = 34.0
"""The distance from the outermost tiles to the sides of the drawing."""
ROW = 160.0
"""The distance between two rows of tiles."""
LANE = 51.0
"""How far below the middle of a tile the last move is drawn."""
BOTTOM = 72.0
"""How far the wood reaches below the middle of a tile."""
TRAY = 46.0

_MOVE = re.compile(r"\+(?P<put>T)|(?P<source>T)-(?:(?P<target>T)|goal)".replace("T", "(?:[1-9]|1[0-9]|20)"))

GOAL_OF_MOVER = "goal"
"""The goal in notations: that of the seat which moves."""


class Cube(NamedTuple):
    """A cube, by the middle of its foot, and its number in its stack from below."""

    seat: int
    number: int
    x: float
    y: float


class Count(NamedTuple):
    """The number of a seat's cubes above their stack."""

    seat: int
    number: int
    x: float
    y: float


class Stop(NamedTuple):
    """A tile, or the goal of a seat (0: a tile), by its middle, with its cubes."""

    place: str
    seat: int
    x: float
    y: float
    outline: str
    cubes: list[Cube]
    counts: list[Count]


class Line(NamedTuple):
    """Where the stops are, from the goal of the seat that looks to the other one, and the size of the drawing."""

    middles: tuple[Point, ...]
    rows: tuple[int, ...]
    """The row of each stop, from 0 at the bottom."""
    width: float
    height: float
    highest: float
    """How much higher the top cube of a stack may stand than the bottom one; higher stacks are pressed together."""


def arrange(view: dict[str, Any], last: LastMove | None, seat: int | None = None) -> dict[str, Any]:
    """The context of zhen_v1.svg."""
    seat, tiles = seat or 1, view["tiles"]
    line = lay_line(len(tiles))
    # Place 0 is the goal of seat 1. Seat 2 looks at the line from its other end.
    heaps = [view["goals"][0], *tiles, view["goals"][1]]
    places = range(len(heaps)) if seat == 1 else range(len(heaps) - 1, -1, -1)
    stops = [
        _stop(place, len(tiles), heaps[place], seat, middle, line.highest)
        for place, middle in zip(places, line.middles, strict=True)
    ]
    return {
        "width": line.width,
        "height": line.height,
        "ground": line.height - TRAY - 4,
        "wood": format_points(_corners(line)),
        # What is farther away is drawn first: stacks of nearer rows may hide it.
        "stops": [stop for _, stop in sorted(zip(line.rows, stops, strict=True), key=itemgetter(0), reverse=True)],
        "reserves": list(_reserves(view["reserve"], seat, line)),
        **_mark(stops, line, last),
    }


@cache
def lay_line(tiles: int) -> Line:
    """The line of so many tiles in one, two or three rows: from left to right, then back, then to the right again."""
    rows = 1 if tiles <= 5 else 2 if tiles <= 12 else 3
    # In three rows, the second goal takes the place of a tile.
    row = -(-(tiles + rows // 3) // rows)
    across, at = [SIDE + GOAL], [0]
    x = SIDE + 2 * GOAL - TILE
    for number in range(tiles):
        level = number // row
        if number % row or not number:
            x += (-1) ** level * 2 * TILE
        across.append(x)
        at.append(level)
    across.append(x + (-1) ** at[-1] * (TILE + GOAL))
    at.append(at[-1])
    highest = (6 if rows == 1 else 2.9) * EDGE
    lowest = highest + 1.5 * EDGE + BADGE + 12 + (rows - 1) * ROW
    width = max(each + (GOAL if number == tiles + 1 else TILE) for number, each in enumerate(across)) + SIDE
    middles = [(each, lowest - level * ROW) for each, level in zip(across, at, strict=True)]
    return Line(tuple(middles), tuple(at), width, lowest + BOTTOM + TRAY, highest)


def _stop(place: int, tiles: int, heap: list[int], viewer: int, middle: Point, highest: float) -> Stop:
    """A tile, or a goal, with the stacks on it: that of the seat that looks is on the left."""
    x, y = middle
    owner = 1 if place == 0 else 2 if place > tiles else 0
    cubes: list[Cube] = []
    counts: list[Count] = []
    for seat, number in enumerate(heap, 1):
        left = x - ASIDE if seat == viewer else x + ASIDE
        step = min(EDGE, highest / max(number - 1, 1))
        cubes += [Cube(seat, each + 1, left, round(y - 2 - each * step, 1)) for each in range(number)]
        if number >= COUNTED or (owner and number):
            counts.append(Count(seat, number, left, round(y - 2 - (number - 1) * step - 1.5 * EDGE - 11, 1)))
    if owner:
        return Stop(f"goal-{owner}", owner, x, y, _outline(middle, GOAL), cubes, counts)
    return Stop(str(place), 0, x, y, _outline(middle, TILE), cubes, counts)


def _outline(middle: Point, half: float) -> str:
    """The outline of a hexagonal plate that lies flat, with its front."""
    x, y, deep = *middle, round(half * 0.34, 1)
    high = 2 * deep + THICK
    return f"M{x - half:.1f},{y - deep:.1f}l{half},-{deep}l{half},{deep}v{high}l-{half},{deep}l-{half},-{deep}z"


def _corners(line: Line) -> list[Point]:
    """The stops at which the line begins, turns and ends."""
    middles, rows = line.middles, line.rows
    turns = [n for n in range(1, len(rows)) if rows[n] != rows[n - 1]]
    return [middles[0], *(middles[n] for turn in turns for n in (turn - 1, turn)), middles[-1]]


def _reserves(counts: list[int], seat: int, line: Line) -> Iterator[Any]:
    """The reserves below the board: that of the seat that looks on the left."""
    half, y = line.width / 2, line.height - TRAY / 2 - 2
    for owner, left in ((seat, 10.0), (3 - seat, half + 5)):
        yield arrange_reserve(owner, counts[owner - 1], left, left + half - 15, y, 24.0)


def _mark(stops: list[Stop], line: Line, last: LastMove | None) -> dict[str, Any]:
    """The last move: where it came from, where it went, the way between, its steps, and the head of its arrow."""
    if last is None:
        return {"came": None, "went": None, "way": "", "steps": [], "head": ""}
    source, _, target = last.move.replace("+", "-").partition("-")
    named = {stop.place: number for number, stop in enumerate(stops)}
    end = named[f"goal-{last.seat}" if target == "goal" else target]
    went = stops[end]
    x, y = went.x, went.y + 0.68 * (GOAL if went.seat else TILE) + THICK
    head = format_points([(x, y), (x - 9, y + 13), (x + 9, y + 13)])
    if not source:
        return {"came": None, "went": went, "way": f"{x},{y + 8} {x},{y + 20}", "steps": [], "head": head}
    start = named[source]
    passed = list(range(start, end + 1) if start < end else range(start, end - 1, -1))
    return {
        "came": stops[start],
        "went": went,
        "way": format_points([*_follow(passed, line), (x, y + 8)]),
        "steps": [(stops[number].x, stops[number].y + LANE) for number in passed[:-1]],
        "head": head,
    }


def _follow(numbers: list[int], line: Line) -> Iterator[Point]:
    """The way along the lower sides of these stops; from row to row it runs around their ends."""
    for before, number in zip(numbers[:1] + numbers, numbers, strict=False):
        (x, y), lower = line.middles[number], min(line.rows[before], line.rows[number])
        if line.rows[before] != line.rows[number]:
            around = x + (-1) ** lower * (TILE + 14)
            yield around, line.middles[before][1] + LANE
            yield around, y + LANE
        yield x, y + LANE


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


def trace(move: str) -> list[Touches]:
    """A put is a touch of its tile; cubes are moved by touching their tile and where they go."""
    source, _, target = move.partition("-")
    return [(source, target)] if target else [(move.removeprefix("+"),)]


def resolve(view: dict[str, Any], seat: int) -> dict[str, str]:
    """The goal of a move is that of its seat."""
    return {GOAL_OF_MOVER: f"goal-{seat}"}


def guess(view: dict[str, Any], touches: Touches) -> Iterator[str | Reason]:
    """Who touches an empty tile means a put; a tile with cubes, to move them; a second one, to move them there."""
    turn = 1 + view["ply"] % 2
    own, enemy = f"goal-{turn}", f"goal-{3 - turn}"
    first, second = (*touches, "")[:2]
    if enemy in (first, second):
        yield Reason("ZH1", say("this is the goal of {other}. Move towards the other end.", other=3 - turn))
    elif first == own:
        yield Reason("ZH2", say("choose a tile first: its cubes move together towards the goal."))
    elif second:
        yield f"{first}-{GOAL_OF_MOVER if second == own else second}"
    elif any(view["tiles"][int(first) - 1]):
        yield f"{first}-{GOAL_OF_MOVER}"
    else:
        yield f"+{first}"


def read(view: dict[str, Any]) -> dict[str, Phrase]:
    """What lies on each tile, in each goal, and in each reserve."""
    return {
        **{str(tile): _read_heap(say("tile {tile}", tile=tile), heap) for tile, heap in enumerate(view["tiles"], 1)},
        **{
            f"goal-{seat}": _read_heap(say("the goal of {owner}", owner=seat), heap)
            for seat, heap in enumerate(view["goals"], 1)
        },
        **{
            f"reserve-{seat}": say("the reserve of {owner}, cubes: {amount}", owner=seat, amount=amount)
            for seat, amount in enumerate(view["reserve"], 1)
        },
    }


def _read_heap(name: Phrase, heap: list[int]) -> Phrase:
    one, two = heap
    if one and two:
        both = say("{amount} of {owner} and {count} of {other}", amount=one, owner=1, count=two, other=2)
        return say("{name}, cubes: {cubes}", name=name, cubes=both)
    if one or two:
        return say("{name}, cubes: {amount} of {owner}", name=name, amount=one or two, owner=1 if one else 2)
    return say("{name}, empty", name=name)


BOARD = Board(arrange, explain, trace, guess, read, resolve=resolve)
