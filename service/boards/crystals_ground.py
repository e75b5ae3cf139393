"""The ground of Crystals: the loop with its fields, homes, teleports and what towers cover, as shapes."""

from functools import cache, lru_cache
from math import pi
from typing import NamedTuple

from plyscribe.service.boards.loop import Loop
from plyscribe.service.boards.strokes import Point, draw_arrow

WIDTH = 480.0
MARGIN = 6.0
DEPTH = 60.0
"""The size of a field across the loop."""
RADIUS = 84.0
GAP = 2.4
"""The distance of the edge of a tile from that of its field."""
LANE = 4.5
"""The distance between the walls that show what towers cover. Each seat has its own lane."""

COVER = 4
"""How far a tower covers in each direction (CR12)."""


class Field(NamedTuple):
    """A field of the loop: its outline, the place of its pieces, and the place of its number."""

    number: int
    outline: str
    at: Point
    label: Point
    start: int | None
    teleport: bool
    turned: float


class Ground(NamedTuple):
    """The loop, divided into the fields of one match. The middle of `home` is the middle of the bottom side."""

    loop: Loop
    fields: int
    home: int

    @property
    def pitch(self) -> float:
        """The distance from one field to the next."""
        return self.loop.length / self.fields

    @property
    def scale(self) -> float:
        """The size of characters that fit the fields; 1 is a height of 36."""
        return min(1.12, (self.pitch - 1) / 36)

    @property
    def centre(self) -> Point:
        """The middle of the cave."""
        return self.loop.left + self.loop.width / 2, self.loop.top + self.loop.height / 2

    def way(self, field: float) -> float:
        """How far along the loop the middle of a field is."""
        return self.loop.bottom + (field - self.home) * self.pitch

    def middle(self, field: int) -> Point:
        """Where the pieces of a field stand: a little inwards, as its number is at the outer edge."""
        return self.loop.locate(self.way(field), -10)


@cache
def lay_ground(fields: int, home: int) -> Ground:
    """With more fields, the loop gets higher and the fields get narrower."""
    width = WIDTH - 2 * MARGIN - DEPTH
    height = (880 + 16 * fields) / 2 - width + (4 - pi) * RADIUS
    edge = MARGIN + DEPTH / 2
    return Ground(Loop(edge, edge, width, height, RADIUS), fields, home)


@lru_cache(maxsize=128)
def list_fields(ground: Ground, starts: tuple[int, ...], teleports: tuple[int, ...]) -> list[Field]:
    """All fields in order, each of which is a tile with a gap to the next."""
    fields = []
    for field in range(1, ground.fields + 1):
        way, start = ground.way(field), starts.index(field) + 1 if field in starts else None
        begin, end = ground.way(field - 0.5) + GAP, ground.way(field + 0.5) - GAP
        outline = ground.loop.cut(begin, end, GAP - DEPTH / 2, DEPTH / 2 - GAP)
        label, turned = ground.loop.locate(way, DEPTH / 2 - 10), ground.loop.angle(way)
        fields.append(Field(field, outline, ground.middle(field), label, start, field in teleports, turned))
    return fields


@lru_cache(maxsize=128)
def list_gates(ground: Ground, starts: tuple[int, ...]) -> list[tuple[int, Point]]:
    """The home of each seat, inside the loop and directly before its START (CR1)."""
    places = [ground.loop.locate(ground.way(start - 0.5), -DEPTH / 2 - 13) for start in starts]
    return list(enumerate(places, 1))


@lru_cache(maxsize=1024)
def cut_cover(ground: Ground, seat: int, tower: int) -> tuple[str, str]:
    """What a tower on this field covers (CR12): the outline of the fields, and the wall along them."""
    begin, end = ground.way(tower - COVER - 0.5) + GAP, ground.way(tower + COVER + 0.5) - GAP
    area = ground.loop.cut(begin, end, GAP - DEPTH / 2, DEPTH / 2 - GAP)
    return area, ground.loop.run(begin + 2, end - 2, LANE * seat - DEPTH / 2)


@lru_cache(maxsize=128)
def list_arcs(ground: Ground, teleports: tuple[int, ...]) -> list[tuple[list[Point], str]]:
    """The way from each teleport to the next (CR9), inside the loop: points of a curve, and the head of an arrow."""
    arcs = []
    for number, source in enumerate(teleports):
        target = teleports[(number + 1) % len(teleports)]
        begin, end = ground.way(source) + 8, ground.way(target) - 8
        end += ground.loop.length if end < begin else 0
        # With few teleports, arcs must stay close to the loop to leave room for the crystals in the middle.
        apart, close = 0.37 - 0.5 / len(teleports), 80 / len(teleports) - 40
        parts = [(0.0, -2.0), (0.5 - apart, close), (0.5 + apart, close), (1.0, -3.0)]
        curve = [ground.loop.locate(begin + (end - begin) * part, out - DEPTH / 2) for part, out in parts]
        arcs.append((curve, draw_arrow(_follow(curve, 0.9), curve[-1], 0, 14).head))
    return arcs


def _follow(curve: list[Point], part: float) -> Point:
    """The point of a cubic Bézier curve at this part of its way."""
    weights = [(1 - part) ** 3, 3 * (1 - part) ** 2 * part, 3 * (1 - part) * part**2, part**3]
    x, y = (sum(weight * point[axis] for weight, point in zip(weights, curve, strict=True)) for axis in (0, 1))
    return x, y
