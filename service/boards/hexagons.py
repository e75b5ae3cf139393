"""A board of hexagons in the shape of a hexagon, turned until one of its corners is at the bottom."""

from collections.abc import Iterator
from functools import cache
from math import sqrt
from typing import NamedTuple

from plyscribe.service.boards.strokes import Point, format_points

SIDE = 34.0
"""The side of a hexagon."""
STEP = SIDE * sqrt(3)
"""The distance between the middles of neighbours."""
RIM = 49.0
"""How far the slab reaches beyond the middles of the outermost fields."""
MARGIN = 5.0
LABEL = 42.0
"""The distance from the middle of the last field of a line to its label."""
USUAL = 4
"""Everything beside the board is as large, in proportion, as it is at this radius."""
SHADES = 3

Steps = tuple[int, int]
"""Rows up and numbers up."""
NEIGHBOURS: tuple[Steps, ...] = ((-1, -1), (-1, 0), (0, -1), (0, 1), (1, 0), (1, 1))


class Label(NamedTuple):
    """A letter or a number on the rim."""

    text: str
    x: float
    y: float


class Ground(NamedTuple):
    """The board of one radius as one side sees it."""

    radius: int
    scale: float
    """The width as a part of the usual width."""
    width: float
    height: float
    slab: str
    """The points of the slab, without the line that rounds its corners."""
    middles: dict[str, Point]
    outlines: dict[str, str]
    """The path of each hexagon; two of its corners are to the left and right."""
    shades: list[list[str]]
    """The fields by the shade of their stone."""
    labels: list[Label]


@cache
def lay_ground(radius: int, bottom: str) -> Ground:
    """The fields of this radius, with the field `bottom`, which is a corner, at the bottom."""
    points = {name: _point(*steps) for name, steps in list_fields(radius)}
    turn = -1j * abs(points[bottom]) / points[bottom]
    reach, usual = (1.5 * SIDE * each + RIM for each in (radius, USUAL))
    tip = reach * 2 / sqrt(3)
    width, height = 2 * (reach + MARGIN), 2 * (tip + MARGIN)
    rounding = RIM / 2

    def show(point: complex) -> Point:
        return round(width / 2 + point.real, 1), round(height / 2 - point.imag, 1)

    middles = {name: show(point * turn) for name, point in points.items()}
    corner = 1j * (tip - rounding * 2 / sqrt(3))
    shades: list[list[str]] = [[] for _ in range(SHADES)]
    for name, (row, number) in list_fields(radius):
        shades[(row * row + 2 * number * (row + number)) % 7 % SHADES].append(name)
    return Ground(
        radius,
        (reach + MARGIN) / (usual + MARGIN),
        round(width, 1),
        round(height, 1),
        format_points([show(corner * (0.5 + sqrt(3) / 2 * 1j) ** step) for step in range(6)]),
        middles,
        {name: _outline(*middle) for name, middle in middles.items()},
        shades,
        [Label(text, *show(point * turn)) for text, point in _list_labels(radius, turn)],
    )


def list_fields(radius: int) -> Iterator[tuple[str, Steps]]:
    """Each field with its row and number (PO1), counted from the centre."""
    for row in range(-radius, radius + 1):
        for number in range(max(-radius, row - radius), min(radius, row + radius) + 1):
            yield _name(radius, row, number), (row, number)


def list_neighbours(radius: int, name: str) -> list[str]:
    """The fields beside a field, in the order of notation."""
    row, number = ord(name[0]) - ord("a") - radius, int(name[1:]) - radius - 1
    beside = ((row + up, number + along) for up, along in NEIGHBOURS)
    return [_name(radius, *steps) for steps in beside if _is_within(radius, *steps)]


def _is_within(radius: int, row: int, number: int) -> bool:
    return max(abs(row), abs(number), abs(row - number)) <= radius


def _name(radius: int, row: int, number: int) -> str:
    return f"{chr(ord('a') + radius + row)}{radius + 1 + number}"


def _point(row: float, number: float) -> complex:
    """The middle of a field before the board is turned: rows are level, and the next higher one is half a step left."""
    return STEP * complex(number - row / 2, row * sqrt(3) / 2)


def _outline(x: float, y: float) -> str:
    return f"M{x - SIDE:.1f},{y:.1f}l17,-29.4h34l17,29.4l-17,29.4h-34z"


def _list_labels(radius: int, turn: complex) -> Iterator[tuple[str, complex]]:
    """A letter at one end of each row, and a number at one end of its line of fields.

    Letters and numbers are on different sides, rather below the board than above it.
    """
    row_end, line_end = -1, complex(0.5, -sqrt(3) / 2)
    sign = 1 if ((row_end + line_end) * turn).imag < 0 else -1
    for each in range(-radius, radius + 1):
        first = sign * max(-radius, sign * each - radius)
        yield chr(ord("a") + radius + each), _point(each, first) + sign * LABEL * row_end
        yield str(radius + 1 + each), _point(first, each) + sign * LABEL * line_end
