"""Arrows as polygons: markers are not drawn alike by all renderers."""

from math import hypot
from typing import NamedTuple


class Point(NamedTuple):
    """A place of the drawing, in its units, right and down."""

    x: float
    y: float


def spell_points(points: list[Point]) -> str:
    """The points of a polygon as SVG spells them."""
    return " ".join(f"{point.x:.1f},{point.y:.1f}" for point in points)


def shape_arrow(tail: Point, tip: Point, width: float) -> str:
    """The polygon of an arrow with a shaft of that width, and a head that is three times as wide and as long."""
    length = hypot(tip.x - tail.x, tip.y - tail.y)
    right, down = (tip.x - tail.x) / length, (tip.y - tail.y) / length
    neck = length - min(3 * width, 0.6 * length)
    outline = [(0, 0.5), (neck, 0.5), (neck, 1.5), (length, 0), (neck, -1.5), (neck, -0.5), (0, -0.5)]
    return spell_points(
        [
            Point(tail.x + along * right - beside * width * down, tail.y + along * down + beside * width * right)
            for along, beside in outline
        ]
    )
