"""A loop of fields in the shape of a rounded rectangle, as points for a template."""

from math import atan2, cos, degrees, pi, sin
from typing import NamedTuple

from plyscribe.service.boards.strokes import Point, format_points

FINE = 6.0
"""The distance between two points of an outline."""


class Loop(NamedTuple):
    """The middle line of the loop. Positions on it are measured clockwise from the middle of the top left corner."""

    left: float
    top: float
    width: float
    height: float
    radius: float

    @property
    def length(self) -> float:
        """The length of one round."""
        return 2 * (self.width + self.height) + (2 * pi - 8) * self.radius

    def locate(self, way: float, out: float = 0.0) -> Point:
        """The point at a position of the loop, moved outwards at right angles by `out`."""
        x, y, across, down = self._stand(way)
        return x + across * out, y + down * out

    def angle(self, way: float) -> float:
        """The direction of the loop at a position, in degrees clockwise from right."""
        _, _, across, down = self._stand(way)
        return degrees(atan2(across, -down))

    def cut(self, start: float, end: float, inner: float, outer: float) -> str:
        """The outline of the strip between two positions and two distances from the middle line, as a polygon."""
        steps = 1 + round((end - start) / FINE)
        ways = [start + (end - start) * step / steps for step in range(steps + 1)]
        rim = [self.locate(way, outer) for way in ways]
        return format_points(rim + [self.locate(way, inner) for way in reversed(ways)])

    def _stand(self, way: float) -> tuple[float, float, float, float]:
        """A point of the middle line, and the direction outwards at that point."""
        r, arc = self.radius, self.radius * pi / 2
        rest = (way + arc / 2) % self.length
        right, bottom = self.left + self.width - r, self.top + self.height - r
        left, top = self.left + r, self.top + r
        centres = [(left, top), (right, top), (right, bottom), (left, bottom)]
        for corner, (x, y) in enumerate(centres):
            begin = pi + corner * pi / 2
            if rest < arc:
                turned = begin + rest / r
                return x + r * cos(turned), y + r * sin(turned), cos(turned), sin(turned)
            rest -= arc
            side = (self.width if corner % 2 == 0 else self.height) - 2 * r
            across, down = cos(begin + pi / 2), sin(begin + pi / 2)
            if rest < side:
                return x + across * r - down * rest, y + down * r + across * rest, across, down
            rest -= side
        return self._stand(0.0)
