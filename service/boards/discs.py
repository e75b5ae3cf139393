"""The board of Rings as shapes: four discs of seven sectors around a summit, seen from any slot, and their scenery."""

from collections.abc import Iterator
from functools import cache
from math import cos, pi, sin

from markupsafe import Markup

from plyscribe.service.boards.strokes import Point, format_points

WIDTH = 720.0
CENTRE = (WIDTH / 2, 354.0)
RINGS = "abcd"
SLOTS = 7
SLOT = 2 * pi / SLOTS
RIMS = (274.0, 218.0, 163.0, 109.0, 56.0)
"""The outer radius of each ring, then of `top`."""
FRAME = (275.0, 297.0)
"""The radii of the frame around the rings, which has the numbers of the slots."""
START = (299.0, 345.0)
START_HALF = 0.38 * SLOT
LOWEST = 4
"""The slot that is straight down for those who have no START."""

TERRAIN = {"L": "light", "M": "medium", "H": "heavy"}
SCENERY = {
    "L": ("tuft", 20, 12, (5, 4, 3, 2)),
    "M": ("tree", 20, 24, (7, 6, 4, 2)),
    "H": ("peak", 38, 28, (5, 4, 3, 1)),
}
"""What each terrain has: its shape, width and height, and how often it is on a field of each ring."""


def find_place(radius: float, angle: float) -> Point:
    """The point at this distance from the centre; the angle is clockwise from straight up."""
    return CENTRE[0] + radius * sin(angle), CENTRE[1] - radius * cos(angle)


def find_angle(slot: int, lowest: int) -> float:
    """The direction of a slot when another is straight down."""
    return pi + SLOT * (slot - lowest)


def find_rims(ring: str) -> tuple[float, float]:
    """The outer and the inner radius of a ring."""
    at = RINGS.index(ring)
    return RIMS[at], RIMS[at + 1]


def find_track(name: str) -> float:
    """How far from the centre the middle of a field is."""
    if name == "top":
        return 0.0
    return sum(START) / 2 if name[0] == "s" else sum(find_rims(name[0])) / 2


def shape_sector(inner: float, outer: float, angle: float, half: float) -> str:
    """The outline of a part of a ring."""
    corners = [find_place(outer, angle - half), find_place(outer, angle + half)]
    corners += [find_place(inner, angle + half), find_place(inner, angle - half)]
    one, two, three, four = (f"{x:.0f} {y:.0f}" for x, y in corners)
    return f"M{one}A{outer:g} {outer:g} 0 0 1 {two}L{three}A{inner:g} {inner:g} 0 0 0 {four}Z"


def shape_arc(radius: float, start: float, end: float) -> str:
    """A part of a circle, less than half of it, from one direction to another."""
    (x, y), (end_x, end_y) = find_place(radius, start), find_place(radius, end)
    return f"M{x:.0f} {y:.0f}A{radius:g} {radius:g} 0 0 {int(end > start)} {end_x:.0f} {end_y:.0f}"


def shape_head(radius: float, angle: float, way: int, length: float) -> str:
    """The head of an arrow on a circle that points clockwise, or the other way; its base is at `angle`."""
    tip = angle + way * length / radius
    return format_points(
        [find_place(radius, tip), find_place(radius + 0.65 * length, angle), find_place(radius - 0.65 * length, angle)]
    )


@cache
def shape_field(name: str, lowest: int) -> str:
    """The outline of a field of a ring."""
    outer, inner = find_rims(name[0])
    return shape_sector(inner, outer, find_angle(int(name[1]), lowest), SLOT / 2)


@cache
def draw_ground(name: str, terrain: str | None, lowest: int) -> Markup:
    """A field of a ring as SVG: its outline, and what grows or rises on it, from the back to the front."""
    ground = f'<path class="rings-{TERRAIN[terrain] if terrain else "bare"}" d="{shape_field(name, lowest)}"/>'
    if not terrain:
        return Markup(ground)  # noqa: S704
    shape, width, height, numbers = SCENERY[terrain]
    places = sorted(_scatter(name, numbers[RINGS.index(name[0])], (width, height), lowest), key=lambda place: place[1])
    uses = "".join(f'<use href="#rings-{shape}" x="{x:.0f}" y="{y:.0f}"/>' for x, y in places)
    return Markup(f'{ground}<g data-key="terrain-{name}-{terrain}" data-at="{name}">{uses}</g>')  # noqa: S704


def _scatter(name: str, number: int, size: Point, lowest: int) -> Iterator[Point]:
    """Places all over a field for things of this size, in two rows where there is room."""
    outer, inner = find_rims(name[0])
    for step in range(number):
        angle = find_angle(int(name[1]), lowest) + (step - (number - 1) / 2) / number * SLOT
        room = (outer - inner) / 2 - 3 - (abs(sin(angle)) * size[0] + abs(cos(angle)) * size[1]) / 2
        yield find_place((outer + inner) / 2 + (room if step % 2 else -room), angle)
