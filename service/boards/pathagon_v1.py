"""The board of Pathagon, version 1: octagons with small squares between them, chains as lines, edges in colour."""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

from plyscribe.domain.phrases import Phrase, say
from plyscribe.service.boards.board import Board, Explained, LastMove, Reason, Touches
from plyscribe.service.boards.reserves import arrange_reserves
from plyscribe.service.boards.strokes import Point, draw_arrow, format_points, octagon

CELL = 60.0
BAND = 18.0
"""How thick the coloured edges are."""
LEFT = 34.0
TOP = 8.0
LETTERS = 30.0
PANEL = 84.0
"""The height of the reserves and notes below the letters."""

EMPTY = "."
Place = tuple[int, int]
"""Column and row of a field, from 0 at a1."""

_MOVE = re.compile(r"([a-i][1-9])(?:-(?!\1)([a-i][1-9]))?")


class Ground(NamedTuple):
    """The board of one size."""

    size: int

    def middle(self, place: tuple[float, float]) -> Point:
        """The middle of a field."""
        return LEFT + BAND + (place[0] + 0.5) * CELL, TOP + BAND + (self.size - place[1] - 0.5) * CELL


class Field(NamedTuple):
    """An octagon by its middle and its points."""

    name: str
    x: float
    y: float
    points: str


class Piece(NamedTuple):
    """A piece on the board. `rests` means that it rests under PA5, `wins` that it is part of the winning path."""

    seat: int
    x: float
    y: float
    rests: bool
    wins: bool


class Link(NamedTuple):
    """A line between two pieces of a seat, or from a piece to an edge of its own seat."""

    seat: int
    start: Point
    end: Point
    wins: bool


def arrange(view: dict[str, Any], last: LastMove | None, seat: int | None = None) -> dict[str, Any]:
    """The context of pathagon_v1.svg."""
    rows = view["board"]
    size = len(rows)
    ground = Ground(size)
    middle = ground.middle
    fields = {_name((i, j)): (i, j) for i in range(size) for j in range(size)}
    pieces = {place: int(mark) for place in fields.values() if (mark := rows[size - 1 - place[1]][place[0]]) != EMPTY}
    path = find_path(pieces, size)
    came, went = (None if name is None else _field(name, middle(fields[name]), CELL - 7) for name in _ends(last))
    resting = {view["resting"], view["resting_other"]}
    right, bottom = LEFT + size * CELL + 2 * BAND, TOP + size * CELL + 2 * BAND
    return {
        "width": right + TOP,
        "height": bottom + LETTERS + PANEL,
        "edges": _edges(right, bottom),
        "inside": (LEFT + BAND, TOP + BAND, size * CELL),
        "fields": [_field(name, middle(place), CELL) for name, place in fields.items()],
        "links": _links(pieces, path, ground),
        "pieces": [
            Piece(seat, *middle(place), _name(place) in resting, place in path) for place, seat in pieces.items()
        ],
        "closed": [middle(fields[name]) for name in view["closed"]],
        "loser": 1 + view["ply"] % 2,
        "arrow": draw_arrow((came.x, came.y), (went.x, went.y), 0.4 * CELL, 13) if came and went else None,
        "came": came,
        "went": went,
        "letters": [("abcdefghi"[i], middle((i, 0))[0], bottom + 22) for i in range(size)],
        "numbers": [(j + 1, LEFT - 15, middle((0, j))[1] + 6) for j in range(size)],
        "reserves": arrange_reserves(view["reserve"], LEFT, right, bottom + LETTERS + 24),
        "notes": (_note(view, path, pieces), LEFT, bottom + LETTERS + 68),
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


def _field(name: str, middle: Point, width: float) -> Field:
    return Field(name, *middle, octagon(middle, width))


def _edges(right: float, bottom: float) -> list[tuple[int, str, Point]]:
    """The bands along the sides: their seats (PA2), their points, and the places of the seats' numbers."""
    outer = [(LEFT, TOP), (right, TOP), (right, bottom), (LEFT, bottom)]
    inner = [
        (LEFT + BAND, TOP + BAND),
        (right - BAND, TOP + BAND),
        (right - BAND, bottom - BAND),
        (LEFT + BAND, bottom - BAND),
    ]
    edges = []
    for side in range(4):
        corners = [outer[side], outer[(side + 1) % 4], inner[(side + 1) % 4], inner[side]]
        middle = (sum(x for x, _ in corners) / 4, sum(y for _, y in corners) / 4)
        edges.append((1 + side % 2, format_points(corners), middle))
    return edges


def _links(pieces: dict[Place, int], path: list[Place], ground: Ground) -> list[Link]:
    size, middle = ground.size, ground.middle
    winning = {frozenset(pair) for pair in pairwise(path)}
    links = []
    for (i, j), seat in pieces.items():
        for other in ((i + 1, j), (i, j + 1)):
            if pieces.get(other) == seat:
                links.append(Link(seat, middle((i, j)), middle(other), frozenset(((i, j), other)) in winning))
        # A piece at an edge of its own seat is linked to the band.
        along = (i, j)[seat % 2]
        for end, outside in ((0, -0.5), (size - 1, size - 0.5)):
            if along == end:
                beyond = (i, outside) if seat == 1 else (outside, j)
                is_end = bool(path) and (i, j) == (path[-1] if end else path[0])
                links.append(Link(seat, middle((i, j)), middle(beyond), is_end))
    return links


def _ends(last: LastMove | None) -> tuple[str | None, str | None]:
    """The field that the last move came from (None: from the reserve), and the field that it went to."""
    if last is None:
        return None, None
    *source, target = last.move.split("-")
    return (source[0] if source else None), target


def _note(view: dict[str, Any], path: list[Place], pieces: dict[Place, int]) -> str:
    notes = []
    if path:
        notes.append(f"Path of seat {pieces[path[0]]}")
    if view["closed"]:
        notes.append(f"Closed: {' '.join(view['closed'])}")
    if resting := sorted(filter(None, (view["resting"], view["resting_other"]))):
        notes.append(f"Resting: {' '.join(resting)}")
    return "  ·  ".join(notes)


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
    """A placement of a piece, or a shift."""
    yield "-".join(touches[:2])


def read(view: dict[str, Any]) -> dict[str, Phrase]:
    """What each field holds."""
    rows = view["board"]
    size = len(rows)
    return {
        _name((column, row)): _read_field(_name((column, row)), rows[size - 1 - row][column])
        for column in range(size)
        for row in range(size)
    }


def _read_field(name: str, mark: str) -> Phrase:
    if mark == EMPTY:
        return say("{field}, empty", field=name)
    return say("{field}, a piece of {owner}", field=name, owner=int(mark))


BOARD = Board(arrange, explain, trace, guess, read)
