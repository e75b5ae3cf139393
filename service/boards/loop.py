"""A loop in the shape of a rounded rectangle, with the outlines of its parts as paths for a template."""

from itertools import pairwise
from math import atan2, cos, degrees, floor, pi, sin
from typing import NamedTuple

from plyscribe.service.boards.strokes import Point


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

    @property
    def bottom(self) -> float:
        """The position in the middle of the bottom side."""
        return self.length / 2 + self.radius * pi / 4 + self.width / 2 - self.radius

    def locate(self, way: float, out: float = 0.0) -> Point:
        """The point at a position of the loop, moved outwards at right angles by `out`."""
        x, y, across, down = self._stand(way)
        return x + across * out, y + down * out

    def angle(self, way: float) -> float:
        """The direction of the loop at a position, in degrees clockwise from right."""
        _, _, across, down = self._stand(way)
        return degrees(atan2(across, -down))

    def run(self, start: float, end: float, out: float) -> str:
        """The line between two positions at a distance from the middle line, as a path."""
        return _format("M", self.locate(start, out)) + self._follow(start, end, out)

    def cut(self, start: float, end: float, inner: float, outer: float) -> str:
        """The outline of the strip between two positions and two distances from the middle line, as a closed path."""
        turn = _format("L", self.locate(end, inner))
        return f"{self.run(start, end, outer)}{turn}{self._follow(end, start, inner)}Z"

    def _follow(self, start: float, end: float, out: float) -> str:
        """The way from one position to another, as lines and arcs."""
        low, high = min(start, end), max(start, end)
        ways = [low, *self._list_bends(low, high), high]
        radius, drawn = f"{self.radius + out:.1f}", ""
        for way, onward in pairwise(ways if start < end else ways[::-1]):
            arc = f"A{radius} {radius} 0 0 {int(start < end)} " if self._is_bent((way + onward) / 2) else "L"
            drawn += _format(arc, self.locate(onward, out))
        return drawn

    def _list_bends(self, low: float, high: float) -> list[float]:
        """The positions between these two where a side begins or ends, in order."""
        half, step = self.radius * pi / 4, self.length / 2
        corners = (0.0, 2 * half + self.width - 2 * self.radius)
        bends = [
            corner + side + rounds * step
            for rounds in range(floor(low / step) - 1, floor(high / step) + 2)
            for corner in corners
            for side in (-half, half)
        ]
        return [way for way in bends if low + 0.1 < way < high - 0.1]

    def _is_bent(self, way: float) -> bool:
        half = self.radius * pi / 4
        rest = (way + half) % (self.length / 2)
        corner = 2 * half + self.width - 2 * self.radius
        return rest < 2 * half or corner <= rest < corner + 2 * half

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


def _format(command: str, point: Point) -> str:
    return f"{command}{point[0]:.1f} {point[1]:.1f}"
