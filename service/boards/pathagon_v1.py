"""The board of Pathagon, version 1: a wooden board of octagons, whose rails show which edges a seat joins."""

import re
from collections.abc import Iterator
from math import sqrt
from typing import Any, NamedTuple

from plyscribe.domain.phrases import Phrase, say
from plyscribe.service.boards.board import Board, Explained, LastMove, Reason, Touches
from plyscribe.service.boards.reserves import arrange_reserve
from plyscribe.service.boards.strokes import Point, draw_arrow, format_points, octagon

CELL = 60.0
FIELD = 57.0
"""The width of an octagon; what is left of its cell is the groove around it."""
SIDE = round(FIELD * (sqrt(2) - 1), 1)
SLOPE = round((FIELD - SIDE) / 2, 1)
OCTAGON = f"h{SIDE}l{SLOPE},{SLOPE}v{SIDE}l-{SLOPE},{SLOPE}h-{SIDE}l-{SLOPE},-{SLOPE}v-{SIDE}z"
"""The outline of a field, clockwise from the left end of its upper side."""
RAIL = 15.0
"""How thick the coloured edges are."""
FRAME = 24.0
"""How thick the wood around them is. It carries the coordinates."""
MARGIN = 4.0
ROW = 42.0
"""The height of a row of reserves, above and below the board."""
LEFT = MARGIN + FRAME + RAIL
TOP = ROW + FRAME + RAIL
"""Where the fields begin."""

EMPTY = "."
Place = tuple[int, int]
"""Column and row of a field, from 0 at a1."""

_MOVE = re.compile(r"([a-i][1-9])(?:-(?!\1)([a-i][1-9]))?")


class Ground(NamedTuple):
    """The board of one size, as a seat sees it: seat 2 from column a, which is at the bottom then."""

    size: int
    seat: int

    @property
    def width(self) -> float:
        """The width of all fields together."""
        return self.size * CELL

    def middle(self, place: tuple[float, float]) -> Point:
        """The middle of a field."""
        right, up = place if self.seat == 1 else (self.size - 1 - place[1], place[0])
        return LEFT + (right + 0.5) * CELL, TOP + (self.size - up - 0.5) * CELL


class Mark(NamedTuple):
    """An octagon around a field, by its middle and its points."""

    field: str
    x: float
    y: float
    points: str


class Piece(NamedTuple):
    """A piece on the board. `rests` means that it rests under PA5, `wins` that it is part of the winning path."""

    seat: int
    field: str
    x: float
    y: float
    rests: bool
    wins: bool


class Link(NamedTuple):
    """A bridge between two pieces of a seat, or from a piece to an edge of its own seat, by its middle."""

    seat: int
    field: str
    other: str
    x: float
    y: float
    upright: bool


class Rail(NamedTuple):
    """The coloured edge of a seat on one side: its outline and the middles of its inlays."""

    seat: int
    points: str
    inlays: list[Point]


def arrange(view: dict[str, Any], last: LastMove | None, seat: int | None = None) -> dict[str, Any]:
    """The context of pathagon_v1.svg."""
    rows = view["board"]
    size = len(rows)
    ground = Ground(size, seat or 1)
    middle = ground.middle
    fields = {_name((i, j)): (i, j) for i in range(size) for j in range(size)}
    pieces = {place: int(mark) for place in fields.values() if (mark := rows[size - 1 - place[1]][place[0]]) != EMPTY}
    path = find_path(pieces, size)
    came, went = (_mark(name, fields, ground) for name in _ends(last))
    resting = {view["resting"], view["resting_other"]}
    around = FRAME + RAIL
    width, height = ground.width + 2 * (MARGIN + around), ground.width + 2 * (ROW + around)
    return {
        "width": width,
        "height": height,
        "frame": (MARGIN, ROW, ground.width + 2 * around),
        "rails": list(_rails(ground)),
        "inside": (LEFT, TOP, ground.width),
        "fields": [(name, _outline(middle(place))) for name, place in fields.items()],
        "links": list(_links(pieces, ground)),
        "pieces": [
            Piece(owner, _name(place), *middle(place), _name(place) in resting, place in path)
            for place, owner in pieces.items()
        ],
        "path": _glow(path, pieces, ground),
        "closed": [(name, *middle(fields[name])) for name in view["closed"]],
        "arrow": draw_arrow((came.x, came.y), (went.x, went.y), 0.46 * CELL, 15) if came and went else None,
        "came": came,
        "went": went,
        "coordinates": list(_coordinates(ground)),
        "reserves": _reserves(view["reserve"], ground.seat, width, height),
    }


def find_path(pieces: dict[Place, int], size: int) -> list[Place]:
    """The shortest chain that joins the two edges of a seat, from one to the other (PA10); empty if nobody has one."""
    for seat, axis in ((1, 1), (2, 0)):
        own = {place for place, other in pieces.items() if other == seat}
        if path := _search(own, axis, size - 1):
            return path
    return []


def _search(own: set[Place], axis: int, last: int) -> list[Place]:
    """The shortest chain of these fields from 0 to `last` on an axis, found breadth first; empty if none is whole."""
    queue = sorted(place for place in own if place[axis] == 0)
    came_from: dict[Place, Place | None] = dict.fromkeys(queue)
    for place in queue:
        if place[axis] == last:
            return _trace(came_from, place)
        i, j = place
        for neighbour in ((i - 1, j), (i, j - 1), (i + 1, j), (i, j + 1)):
            if neighbour in own and neighbour not in came_from:
                came_from[neighbour] = place
                queue.append(neighbour)
    return []


def _trace(came_from: dict[Place, Place | None], end: Place) -> list[Place]:
    path: list[Place] = []
    place: Place | None = end
    while place is not None:
        path.append(place)
        place = came_from[place]
    return path[::-1]


def _name(place: Place) -> str:
    return f"{'abcdefghi'[place[0]]}{place[1] + 1}"


def _mark(name: str | None, fields: dict[str, Place], ground: Ground) -> Mark | None:
    if name is None:
        return None
    middle = ground.middle(fields[name])
    return Mark(name, *middle, octagon(middle, CELL - 5))


def _outline(middle: Point) -> str:
    return f"M{middle[0] - SIDE / 2:.1f},{middle[1] - FIELD / 2:.1f}{OCTAGON}"


def _rails(ground: Ground) -> Iterator[Rail]:
    """The rails from the top on, clockwise. The seat that looks has the top and the bottom (PA2)."""
    size, near, far = ground.size, (LEFT, TOP), (LEFT + ground.width, TOP + ground.width)
    inner = [near, (far[0], near[1]), far, (near[0], far[1])]
    outward = [(-RAIL, -RAIL), (RAIL, -RAIL), (RAIL, RAIL), (-RAIL, RAIL)]
    outer = [(x + right, y + down) for (x, y), (right, down) in zip(inner, outward, strict=True)]
    steps = [(number + 0.5) * CELL for number in range(size)]
    half = RAIL / 2
    inlays = [
        [(near[0] + step, near[1] - half) for step in steps],
        [(far[0] + half, near[1] + step) for step in steps],
        [(near[0] + step, far[1] + half) for step in steps],
        [(near[0] - half, near[1] + step) for step in steps],
    ]
    for side in range(4):
        after = (side + 1) % 4
        corners = [outer[side], outer[after], inner[after], inner[side]]
        owner = ground.seat if side % 2 == 0 else 3 - ground.seat
        yield Rail(owner, format_points(corners), inlays[side])


def _links(pieces: dict[Place, int], ground: Ground) -> Iterator[Link]:
    size, middle = ground.size, ground.middle
    for (i, j), seat in pieces.items():
        for (right, up), other in (((i + 0.5, j), (i + 1, j)), ((i, j + 0.5), (i, j + 1))):
            if pieces.get(other) == seat:
                # Seat 2 sees the columns of seat 1 as rows.
                upright = (right == i) == (ground.seat == 1)
                yield Link(seat, _name((i, j)), _name(other), *middle((right, up)), upright)
        # A piece at an edge of its own seat is linked to the rail.
        along = (i, j)[seat % 2]
        for end, outside in ((0, -0.4), (size - 1, size - 0.6)):
            if along == end:
                beyond = (i, outside) if seat == 1 else (outside, j)
                yield Link(seat, _name((i, j)), "rail", *middle(beyond), seat == ground.seat)


def _glow(path: list[Place], pieces: dict[Place, int], ground: Ground) -> str:
    """The points of the winning path from rail to rail; empty if nobody has won."""
    if not path:
        return ""
    (i, j), (k, m), last = path[0], path[-1], ground.size - 0.5
    ends = ((i, -0.5), (k, last)) if pieces[path[0]] == 1 else ((-0.5, j), (last, m))
    points = [ground.middle(place) for place in (ends[0], *path, ends[1])]
    return format_points(points)


def _coordinates(ground: Ground) -> Iterator[tuple[str, float, float]]:
    """The letters and numbers on the frame, below and on the left."""
    letters, numbers = "abcdefghi"[: ground.size], [str(row + 1) for row in range(ground.size)]
    below, beside = (letters, numbers) if ground.seat == 1 else (numbers[::-1], letters)
    bottom, middle = TOP + ground.width + RAIL + 18, MARGIN + FRAME / 2
    for step, (under, by) in enumerate(zip(below, beside, strict=True)):
        yield under, LEFT + (step + 0.5) * CELL, bottom
        yield by, middle, TOP + ground.width - (step + 0.5) * CELL + 5


def _reserves(counts: list[int], seat: int, width: float, height: float) -> list[Any]:
    """The reserve of the seat that looks below the board, the other one above it."""
    rows = ((seat, height - ROW / 2), (3 - seat, ROW / 2))
    return [arrange_reserve(owner, counts[owner - 1], MARGIN + FRAME, width - MARGIN - FRAME, y) for owner, y in rows]


def _ends(last: LastMove | None) -> tuple[str | None, str | None]:
    """The field that the last move came from (None: from the reserve), and the field that it went to."""
    if last is None:
        return None, None
    *source, target = last.move.split("-")
    return (source[0] if source else None), target


def explain(move: str) -> Explained | None:
    """A notation of Pathagon in words."""
    found = _MOVE.fullmatch(move)
    if found is None:
        return None
    first, second = found.groups()
    if second is None:
        return Explained(f"Places a piece from the reserve on {first}.", "PA4")
    return Explained(f"Moves the piece from {first} to {second}.", "PA4")


def trace(move: str) -> list[Touches]:
    """A placement is a touch of its field, a shift one of each of its fields."""
    return [tuple(move.split("-"))]


def guess(view: dict[str, Any], touches: Touches) -> Iterator[str | Reason]:
    """Who touches two fields means a shift; one field, a placement, or with a piece on it the beginning of a shift."""
    first, *others = touches
    if others:
        yield f"{first}-{others[0]}"
        return
    marks = _list_marks(view)
    mark, turn = marks[first], str(1 + view["ply"] % 2)
    has_reserve = view["reserve"][int(turn) - 1] > 0
    if mark == turn or (mark != EMPTY and not has_reserve):
        # There is always an open field to go to: what is refused is the piece.
        target = next(name for name, other in marks.items() if other == EMPTY and name not in view["closed"])
        yield f"{first}-{target}"
    yield first


def read(view: dict[str, Any]) -> dict[str, Phrase]:
    """What each field holds, and each reserve."""
    marks = _list_marks(view)
    size = len(view["board"])
    fields = {(i, j): int(mark) for i in range(size) for j in range(size) if (mark := marks[_name((i, j))]) != EMPTY}
    path = {_name(place) for place in find_path(fields, size)}
    return {
        **{name: _read_field(view, name, mark, name in path) for name, mark in marks.items()},
        **{
            f"reserve-{seat}": say("the reserve of {owner}, pieces: {amount}", owner=seat, amount=amount)
            for seat, amount in enumerate(view["reserve"], 1)
        },
    }


def _read_field(view: dict[str, Any], name: str, mark: str, wins: bool) -> Phrase:
    if name in view["closed"]:
        return say("{field}, closed to {seat} for this turn", field=name, seat=1 + view["ply"] % 2)
    if mark == EMPTY:
        return say("{field}, empty", field=name)
    if wins:
        return say("{field}, a piece of {owner} on the winning path", field=name, owner=int(mark))
    if name in (view["resting"], view["resting_other"]):
        return say("{field}, a piece of {owner} that rests", field=name, owner=int(mark))
    return say("{field}, a piece of {owner}", field=name, owner=int(mark))


def _list_marks(view: dict[str, Any]) -> dict[str, str]:
    """What each field holds, column by column."""
    rows = view["board"][::-1]
    return {_name((i, j)): row[i] for i in range(len(rows)) for j, row in enumerate(rows)}


BOARD = Board(arrange, explain, trace, guess, read)
