"""Shapes that several boards draw, as points for a template."""

from collections.abc import Callable
from math import cos, hypot, pi, sin
from typing import NamedTuple

Point = tuple[float, float]


def format_points(points: list[Point]) -> str:
    """Points as SVG reads them, to a tenth of a unit."""
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)


def find_between(start: Point, end: Point, part: float) -> Point:
    """The point that lies this part of the way from one to the other."""
    return start[0] + part * (end[0] - start[0]), start[1] + part * (end[1] - start[1])


def octagon(centre: Point, width: float) -> str:
    """The points of a regular octagon that lies on a side."""
    radius = width / 2 / cos(pi / 8)
    angles = [pi / 8 + step * pi / 4 for step in range(8)]
    return format_points([(centre[0] + radius * cos(a), centre[1] + radius * sin(a)) for a in angles])


class Arrow(NamedTuple):
    """A straight arrow: where its line begins and ends, and the points of its head."""

    start: Point
    end: Point
    head: str


def draw_arrow(source: Point, target: Point, leave: float, head: float) -> Arrow:
    """An arrow that keeps the distance `leave` from both places, with a head of that length."""
    length, at = _measure(source, target)
    tip = length - leave
    points = [at(tip, 0), at(tip - head, head / 2), at(tip - head, -head / 2)]
    return Arrow(at(min(leave, tip - head), 0), at(tip - head / 2, 0), format_points(points))


def shape_arrow(tail: Point, tip: Point, width: float) -> str:
    """The points of an arrow in one piece, with a shaft of that width and a head three times as wide and as long."""
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
    """How far it is, and how to find the point that lies so far along the way and so far aside of it."""
    length = hypot(end[0] - start[0], end[1] - start[1])
    right, down = (end[0] - start[0]) / length, (end[1] - start[1]) / length

    def at(along: float, aside: float) -> Point:
        return start[0] + along * right - aside * down, start[1] + along * down + aside * right

    return length, at
