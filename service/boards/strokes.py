"""Shapes that several boards draw, as points for a template."""

from collections.abc import Callable
from math import cos, hypot, pi, sin
from typing import NamedTuple

Point = tuple[float, float]


def format_points(points: list[Point]) -> str:
    """Points in the format of SVG, to a tenth of a unit."""
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)


def find_between(start: Point, end: Point, part: float) -> Point:
    """The point at this part of the way from one point to another."""
    return start[0] + part * (end[0] - start[0]), start[1] + part * (end[1] - start[1])


def octagon(centre: Point, width: float) -> str:
    """The points of a regular octagon that rests on one side."""
    radius = width / 2 / cos(pi / 8)
    angles = [pi / 8 + step * pi / 4 for step in range(8)]
    return format_points([(centre[0] + radius * cos(a), centre[1] + radius * sin(a)) for a in angles])


class Arrow(NamedTuple):
    """A straight arrow: the start and end of its line, and the points of its head."""

    start: Point
    end: Point
    head: str


def draw_arrow(source: Point, target: Point, leave: float, head: float) -> Arrow:
    """An arrow that keeps a distance of `leave` from both points, with a head of this length."""
    length, at = _measure(source, target)
    tip = length - leave
    points = [at(tip, 0), at(tip - head, head / 2), at(tip - head, -head / 2)]
    return Arrow(at(min(leave, tip - head), 0), at(tip - head / 2, 0), format_points(points))


def shape_arrow(tail: Point, tip: Point, width: float) -> str:
    """The outline of an arrow whose head is three times as wide and as long as the shaft is wide."""
    length, at = _measure(tail, tip)
    neck = length - min(3 * width, 0.6 * length)
    half = width / 2
    outline = [
        (0.0, half),
        (neck, half),
        (neck, 3 * half),
        (length, 0.0),
        (neck, -3 * half),
        (neck, -half),
        (0.0, -half),
    ]
    return format_points([at(along, aside) for along, aside in outline])


def _measure(start: Point, end: Point) -> tuple[float, Callable[[float, float], Point]]:
    """The distance, and a function that finds the point at a distance along the way and aside of it."""
    length = hypot(end[0] - start[0], end[1] - start[1])
    right, down = (end[0] - start[0]) / length, (end[1] - start[1]) / length

    def at(along: float, aside: float) -> Point:
        return start[0] + along * right - aside * down, start[1] + along * down + aside * right

    return length, at
