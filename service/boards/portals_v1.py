"""The board of Portals, version 1: hexagons, platforms as circles, portals as gates, arrows between them."""

import re
from collections.abc import Iterator
from math import dist, sqrt
from typing import Any, NamedTuple

from plyscribe.service.boards.board import Board, Explained, LastMove
from plyscribe.service.boards.strokes import Point, find_between, format_points, shape_arrow

SIDE = 34.0
"""The side of a hexagon."""
STEP = SIDE * sqrt(3)
"""The distance from a field to the next in its row."""
MARGIN = 36.0
USUAL = 9 * STEP + 2 * MARGIN
"""The width at radius 4. Everything beside the board grows with the width, so it looks the same on a phone."""

PLATFORM, PORTAL = 18.5, 13.5
"""The radius of a platform, and half the side of a portal."""
ARROW = 5.0
GAP = 2.5

FIELD = "[a-q](?:[1-9]|1[0-7])"
LIST = f"{FIELD}(?:,{FIELD})*"
BUILD = re.compile(f"(portal|platform) ({FIELD})(?= )(?: <({LIST}))?(?: >({LIST}))?")
LAUNCH = re.compile(f"launch ({FIELD})(?: demons ({LIST}))?")
ACTIONS = {**dict.fromkeys((1, 2, 3), "build"), **dict.fromkeys((4, 5, 6), "launch"), 7: "enter", 8: "exit or enter"}
"""What each roll of the eight-sided die allows (PO19)."""


class Field(NamedTuple):
    """A hexagon, with its platform and portal as in the view."""

    name: str
    at: Point
    corners: str
    platform: dict[str, Any] | None
    portal: bool
    last: bool


class Arrow(NamedTuple):
    """An arrow of the net."""

    source: str
    target: str
    points: str
    last: bool


class Seat(NamedTuple):
    """What the picture shows about a seat below the board."""

    seat: int
    at: Point
    pool: int
    centered: bool
    note: str | None


def arrange(view: dict[str, Any], last: LastMove | None, seat: int | None = None) -> dict[str, Any]:
    """The context of portals_v1.svg: fields, arrows, coordinates, and the seats below."""
    radius = view["radius"]
    width = (2 * radius + 1) * STEP + 2 * MARGIN
    scale = width / USUAL
    bottom = _locate(radius, 0, 1)[1] + SIDE + 30
    marked = _find_marked(view, last)
    used = set() if last is None or last.move in ("enter", "exit") else marked
    return {
        "width": round(width, 1),
        "height": round(bottom + 74 * scale, 1),
        "scale": scale,
        "step": STEP,
        "platform_radius": PLATFORM,
        "portal_half": PORTAL,
        "fields": list(_list_fields(view, marked)),
        "arrows": list(_list_arrows(view, used)),
        "labels": list(_list_labels(radius)),
        "seats": list(_list_seats(view, width, bottom + 24 * scale)),
        "die": view["d8"],
        "die_at": (width - 52 * scale, 40 * scale),
        "action": ACTIONS.get(view["d8"]),
    }


def _locate(radius: int, row: int, number: int) -> Point:
    """The middle of a field (PO1). Rows go up by letter, and each starts half a step to the left of the one below."""
    return MARGIN + STEP * (number - 0.5 + (radius - row) / 2), 12 + SIDE + 1.5 * SIDE * (2 * radius - row)


def _locate_name(radius: int, name: str) -> Point:
    return _locate(radius, ord(name[0]) - ord("a"), int(name[1:]))


def _list_rows(radius: int) -> Iterator[tuple[int, range]]:
    """Each row with its numbers, the lowest row first."""
    for row in range(2 * radius + 1):
        yield row, range(max(1, row - radius + 1), min(2 * radius + 1, row + radius + 1) + 1)


def _list_fields(view: dict[str, Any], marked: set[str]) -> Iterator[Field]:
    for row, numbers in _list_rows(view["radius"]):
        for number in numbers:
            name, at = f"{chr(ord('a') + row)}{number}", _locate(view["radius"], row, number)
            platform, portal = view["platforms"].get(name), name in view["portals"]
            yield Field(name, at, _shape_hexagon(at), platform, portal, name in marked)


def _shape_hexagon(at: Point) -> str:
    corners = [(0, -1), (0.5, -0.5), (0.5, 0.5), (0, 1), (-0.5, 0.5), (-0.5, -0.5)]
    return format_points([(at[0] + STEP * right, at[1] + SIDE * down) for right, down in corners])


def _list_arrows(view: dict[str, Any], used: set[str]) -> Iterator[Arrow]:
    for portal, passage in view["portals"].items():
        for entry in passage["in"]:
            yield _lay_arrow(view["radius"], entry, portal, (PLATFORM, PORTAL), used)
        for exit in passage["out"]:
            yield _lay_arrow(view["radius"], portal, exit, (PORTAL, PLATFORM), used)


def _lay_arrow(radius: int, source: str, target: str, sizes: tuple[float, float], used: set[str]) -> Arrow:
    """The arrow from the rim of one element to the rim of another."""
    tail, tip = _locate_name(radius, source), _locate_name(radius, target)
    length = dist(tail, tip)
    begin, end = sizes[0] + GAP, length - sizes[1] - GAP
    points = shape_arrow(find_between(tail, tip, begin / length), find_between(tail, tip, end / length), ARROW)
    return Arrow(source, target, points, source in used or target in used)


def _list_labels(radius: int) -> Iterator[tuple[str, Point]]:
    """The letter before each row, and each number at the end of its line of fields."""
    for row, numbers in _list_rows(radius):
        first = _locate(radius, row, numbers[0])
        yield chr(ord("a") + row), (first[0] - 0.72 * STEP, first[1] + 6)
    for number in range(1, 2 * radius + 2):
        last = _locate(radius, max(0, number - radius - 1), number)
        yield str(number), (last[0] + 0.36 * STEP, last[1] + 1.24 * SIDE + 6)


def _find_marked(view: dict[str, Any], last: LastMove | None) -> set[str]:
    """The field that the last move was about: the one that it names, the START of its seat, or CENTER."""
    if last is None:
        return set()
    if last.move == "enter":
        return {name for name, platform in view["platforms"].items() if platform["start"] == last.seat}
    if last.move == "exit":
        return {name for name, platform in view["platforms"].items() if platform["center"]}
    return {last.move.split()[1]}


def _list_seats(view: dict[str, Any], width: float, y: float) -> Iterator[Seat]:
    pools = view["pool"]
    for seat, pool in enumerate(pools, 1):
        yield Seat(
            seat, (width * (seat - 0.5) / len(pools), y), pool, view["centered"][seat - 1], _note_seat(view, seat)
        )


def _note_seat(view: dict[str, Any], seat: int) -> str | None:
    if seat in view["left"]:
        return "left"
    if view["contest"] is None:
        return None
    roll = view["contest"][seat - 1]
    return "to roll" if roll is None else "out" if roll == "out" else f"rolled {roll}"


def explain(move: str) -> Explained | None:
    """A notation of Portals in words."""
    if move == "enter":
        return Explained("Puts a pawn from the pool on the seat's START.", "PO7")
    if move == "exit":
        return Explained("Takes a pawn off CENTER into the pool, which fulfils the first condition.", "PO8")
    if launch := LAUNCH.fullmatch(move):
        portal, demons = launch.groups()
        if demons:
            return Explained(f"Launches the portal on {portal}, and demons go to {_list_words(demons)}.", "PO16")
        return Explained(f"Launches the portal on {portal}: pawns leave its entries and reach its exits.", "PO6")
    build = BUILD.fullmatch(move)
    if build is None:
        return None
    kind, field, entries, exits = build.groups()
    arrows = [*_format_arrows("an arrow", "arrows", "from", entries)]
    arrows += _format_arrows("one" if arrows else "an arrow", "arrows", "to", exits)
    return Explained(f"Builds a {kind} on {field}, with {' and '.join(arrows)}.", "PO4")


def _format_arrows(one: str, more: str, way: str, ends: str | None) -> Iterator[str]:
    if ends:
        yield f"{more if ',' in ends else one} {way} {_list_words(ends)}"


def _list_words(fields: str) -> str:
    *others, final = fields.split(",")
    return f"{', '.join(others)} and {final}" if others else final


BOARD = Board(arrange, explain)
