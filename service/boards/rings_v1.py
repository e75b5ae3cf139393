"""The board of Rings, version 1: four rings of seven sectors around the middle, the STARTs outside, the seats below."""

import re
from collections.abc import Iterator
from math import cos, dist, pi, sin
from typing import Any, NamedTuple

from plyscribe.service.boards.board import Board, Explained, LastMove
from plyscribe.service.boards.strokes import Point, find_between, format_points, shape_arrow

WIDTH = 668.0
CENTRE = WIDTH / 2
RINGS = "abcd"
SLOTS = 7
SLOT = 2 * pi / SLOTS
RIMS = (276.0, 222.0, 166.0, 108.0, 42.0)
"""The outer radius of each ring, then of `top`. Inner rings have shorter fields, so they are broader."""
START = (RIMS[0] + 4, RIMS[0] + 46)
START_HALF = 0.4 * SLOT

PLACE = "[a-d][1-7]|top|s[1-4]"
KINDS = ("runner", "warrior", "blocker")
DICE = {"R": "recruit", "M": "move", "T": "turn"}
TERRAIN = {"L": "light", "M": "medium", "H": "heavy"}
HATCHES = {"M": (10, 24, 38), "H": (7, 14, 21, 28, 35)}
"""The distances of hatching from the inner rim: a few dotted lines for M, many solid ones for H."""

PANEL = (316.0, 84.0)
GUTTER = 12.0
PANELS = WIDTH + 32
"""Where the panels of the seats start."""


class Piece(NamedTuple):
    """The units of one kind on a field, with their number."""

    kind: str
    seat: int
    number: int
    at: Point
    scale: float


class Field(NamedTuple):
    """A sector, the middle, or a START: its outline, its labels, and its pieces."""

    name: str
    shape: str
    terrain: str | None
    seat: int | None
    name_at: Point
    terrain_at: Point | None
    hatch: list[str]
    pieces: list[Piece]

    @property
    def title(self) -> str:
        """The field in words."""
        ground = f", {TERRAIN[self.terrain]}" if self.terrain else ""
        units = ", ".join(f"{piece.number} {piece.kind}{'s' if piece.number > 1 else ''}" for piece in self.pieces)
        return f"{self.name}{ground}: {units} of seat {self.pieces[0].seat}" if units else f"{self.name}{ground}"


class Arrow(NamedTuple):
    """The arrow of an attack, or of the last move."""

    points: str
    last: bool


class Seat(NamedTuple):
    """What the picture shows about a seat below the board."""

    seat: int
    at: Point
    points: int
    dice: str
    supply: list[tuple[str, int]]
    left: bool
    last: bool


def arrange(view: dict[str, Any], last: LastMove | None, seat: int | None = None) -> dict[str, Any]:
    """The context of rings_v1.svg: fields with their units, ring handles, arrows, notes, and the seats below."""
    marked = _find_marked(last) if last else set()
    fields = [*_list_ring_fields(view), _lay_top(view), *_list_starts(view)]
    rows = (len(view["points"]) + 1) // 2
    return {
        "width": WIDTH,
        "height": PANELS + rows * (PANEL[1] + GUTTER),
        "centre": CENTRE,
        "panel": PANEL,
        "fields": fields,
        "marked": [field for field in fields if field.name in marked],
        "handles": [(ring, _place(_find_rims(ring)[0], -SLOT / 2)) for ring in RINGS],
        "arrows": list(_list_arrows(view, last)),
        "spin": _lay_spin(last),
        "seats": list(_list_seats(view, last)),
        "note": _note(view),
        "round": view["round"],
        "pass": view["pass"],
        "uses": view["uses"],
        "kinds": KINDS,
        "dice": DICE,
        "terrain": TERRAIN,
    }


def _place(radius: float, angle: float) -> Point:
    """The point at this distance from the middle; the angle is clockwise from straight up."""
    return CENTRE + radius * sin(angle), CENTRE - radius * cos(angle)


def _find_track(ring: str) -> float:
    """How far from the middle of the board the units of a ring stand: below the labels at its outer rim."""
    outer, inner = _find_rims(ring)
    return (outer + inner) / 2 - 8


def _find_rims(ring: str) -> tuple[float, float]:
    """The outer and the inner radius of a ring."""
    return RIMS[RINGS.index(ring)], RIMS[RINGS.index(ring) + 1]


def _angle(slot: int) -> float:
    return SLOT * (slot - 1)


def _shape_sector(inner: float, outer: float, middle: float, half: float) -> str:
    """The outline of a part of a ring."""
    corners = [_place(outer, middle - half), _place(outer, middle + half)]
    corners += [_place(inner, middle + half), _place(inner, middle - half)]
    one, two, three, four = (f"{x:.1f} {y:.1f}" for x, y in corners)
    return f"M{one} A{outer} {outer} 0 0 1 {two} L{three} A{inner} {inner} 0 0 0 {four} Z"


def _shape_arc(radius: float, middle: float, half: float) -> str:
    (x, y), (end_x, end_y) = _place(radius, middle - half), _place(radius, middle + half)
    return f"M{x:.1f} {y:.1f} A{radius} {radius} 0 0 1 {end_x:.1f} {end_y:.1f}"


def _list_ring_fields(view: dict[str, Any]) -> Iterator[Field]:
    for ring, letters in zip(RINGS, view["terrain"], strict=True):
        outer, inner = _find_rims(ring)
        aside = SLOT / 2 - 20 / (outer - 13)
        for slot in range(1, SLOTS + 1):
            middle, terrain = _angle(slot), letters and letters[slot - 1]
            yield Field(
                f"{ring}{slot}",
                _shape_sector(inner, outer, middle, SLOT / 2),
                terrain,
                None,
                _place(outer - 13, middle - aside),
                _place(outer - 13, middle + aside),
                [_shape_arc(inner + along, middle, SLOT / 2) for along in HATCHES.get(terrain, ())],
                list(_list_pieces(view, f"{ring}{slot}", _find_track(ring), middle, 0.88 if ring == "d" else 1.0)),
            )


def _lay_top(view: dict[str, Any]) -> Field:
    radius = RIMS[-1]
    half = f"a{radius} {radius} 0 0 1 0"
    shape = f"M{CENTRE} {CENTRE - radius} {half} {2 * radius} {half} {-2 * radius} Z"
    return Field("top", shape, None, None, (CENTRE, CENTRE - 26), None, [], list(_list_pieces(view, "top", 0, 0)))


def _list_starts(view: dict[str, Any]) -> Iterator[Field]:
    for seat, slot in enumerate(view["starts"], 1):
        if slot is not None:
            name, middle, radius = f"s{seat}", _angle(slot), sum(START) / 2
            shape = _shape_sector(*START, middle, START_HALF)
            pieces = list(_list_pieces(view, name, radius, middle + 0.05, apart=52))
            yield Field(name, shape, None, seat, _place(radius, middle - 0.8 * START_HALF), None, [], pieces)


def _list_pieces(
    view: dict[str, Any], name: str, radius: float, middle: float, scale: float = 1.0, apart: float = 34
) -> Iterator[Piece]:
    """The pieces on a field, side by side along its ring."""
    units = view["units"].get(name, {})
    kinds = [kind for kind in KINDS if units.get(kind)]
    for place, kind in enumerate(kinds):
        aside = (place - (len(kinds) - 1) / 2) * apart * scale
        at = _place(radius, middle + (aside / radius if radius else 0))
        yield Piece(kind, units["seat"], units[kind], at, scale)


def _find_middle(view: dict[str, Any], name: str) -> Point | None:
    """Where arrows to and from a field end; None for the START of a seat that left."""
    if name == "top":
        return CENTRE, CENTRE
    if name.startswith("s"):
        slot = view["starts"][int(name[1:]) - 1]
        return slot and _place(START[0] + 6, _angle(slot))
    return _place(_find_track(name[0]), _angle(int(name[1:])))


def _find_marked(last: LastMove) -> set[str]:
    """The fields that the last move named, or the START of its seat if the START or a new unit was placed."""
    if re.search(r"start|\+\w", last.move):
        return {f"s{last.seat}"}
    return set(re.findall(PLACE, last.move))


def _list_arrows(view: dict[str, Any], last: LastMove | None) -> Iterator[Arrow]:
    """The attacks under way, and the last move from field to field."""
    attacks = [attack for attack in (view["engaged"], view["alliance"]) if attack]
    ways = [(attack[end], attack["at"]) for attack in attacks for end in ("from", "with") if end in attack]
    moved = last and re.search(f"({PLACE})[-x]({PLACE})", last.move)
    last_way = moved and (moved[1], moved[2])
    for source, target in dict.fromkeys([*ways, *([last_way] if last_way else [])]):
        tail, tip = _find_middle(view, source), _find_middle(view, target)
        if tail and tip:
            end = max(0.5, 1 - 20 / dist(tail, tip))  # It ends before the pieces if there is room.
            points = shape_arrow(find_between(tail, tip, 0.15), find_between(tail, tip, end), 7)
            yield Arrow(points, (source, target) == last_way)


def _lay_spin(last: LastMove | None) -> dict[str, Any] | None:
    """The rims of the ring that turned, and arrow heads between its fields that show the direction."""
    turned = last and re.search("spin ([a-d]) ([+-])", last.move)
    if not turned:
        return None
    outer, inner = _find_rims(turned[1])
    middle, way = (outer + inner) / 2, 1 if turned[2] == "+" else -1
    heads = [_shape_head(middle, _angle(slot) + SLOT / 2, way) for slot in range(1, SLOTS + 1)]
    return {"rims": (outer, inner), "heads": heads}


def _shape_head(radius: float, angle: float, way: int) -> str:
    tip, base = angle + way * 12 / radius, angle - way * 8 / radius
    return format_points([_place(radius, tip), _place(radius + 12, base), _place(radius - 12, base)])


def _list_seats(view: dict[str, Any], last: LastMove | None) -> Iterator[Seat]:
    for seat, points in enumerate(view["points"], 1):
        row, column = divmod(seat - 1, 2)
        supply = view["supply"][seat - 1]
        yield Seat(
            seat,
            (GUTTER + column * (PANEL[0] + GUTTER), PANELS + row * (PANEL[1] + GUTTER)),
            points,
            "".join(die * view["dice"][seat - 1][die] for die in DICE),
            [(kind, supply[kind]) for kind in KINDS],
            seat in view["left"],
            last is not None and last.seat == seat and last.move.startswith(("drop", "decline")),
        )


def _note(view: dict[str, Any]) -> str | None:
    """What is going on, in words."""
    if engaged := view["engaged"]:
        return f"A warrior from {engaged['from']} attacks {engaged['at']}; a second one must follow."
    if alliance := view["alliance"]:
        proposer = view["units"][alliance["from"]]["seat"]
        if "with" in alliance:
            return f"Seat {proposer} and seat {alliance['ally']} attack {alliance['at']} together."
        return f"Seat {proposer} asks seat {alliance['ally']} to attack {alliance['at']} together."
    return "A proposal was declined." if view["declined"] else None


# ---- notation

WORDS = {
    "R": "a recruit die",
    "M": "a move die",
    "T": "a turn die",
    "TT": "two turn dice",
    "+": "clockwise",
    "-": "counter-clockwise",
}
"""What the signs of the notation mean. Everything else in it speaks for itself."""
WALKS = {"runner": "RI11", "warrior": "RI12", "blocker": "RI13"}

PAY = "(?P<pay>R|M|TT?)"
FIELD, ONE, TWO = (f"(?P<{name}>[a-d][1-7])" for name in ("field", "one", "two"))
SOURCE, TARGET = (f"(?P<{name}>{PLACE})" for name in ("source", "target"))

FORMS = {
    f"start {FIELD}": ("Attaches the START to {field}.", "RI4"),
    rf"{PAY} \+(?P<unit>runner|warrior|blocker)": ("Pays {pay}: a {unit} comes from the supply to START.", "RI9"),
    **{
        f"{PAY} {unit} {SOURCE}-{TARGET}": (f"Pays {{pay}}: a {unit} goes from {{source}} to {{target}}.", clause)
        for unit, clause in WALKS.items()
    },
    f"{PAY} ally (?P<ally>[1-4]) {SOURCE}x{TARGET}": (
        "Asks seat {ally} to attack {target} together, with the warrior on {source}; would pay {pay}.",
        "RI17",
    ),
    f"accept {SOURCE}": ("Joins the attack with the warrior on {source}.", "RI17"),
    "decline": ("Declines to attack together.", "RI17"),
    f"{PAY} spin (?P<ring>[a-d]) (?P<way>[+-])": ("Pays {pay}: ring {ring} turns {way} by one slot.", "RI19"),
    f"{PAY} start {FIELD}": ("Pays {pay}: the START is attached to {field}.", "RI20"),
    f"{PAY} swap {ONE} {TWO}": ("Pays {pay}: {one} and {two} swap their terrain.", "RI21"),
    "drop (?P<die>[RMT])": ("Lets {die} expire.", "RI7"),
}
"""Every form of the notation, with its meaning and its clause."""


def explain(move: str) -> Explained | None:
    """A notation of Rings in words."""
    for form, (sentence, clause) in FORMS.items():
        if found := re.fullmatch(form, move):
            return Explained(sentence.format_map({k: WORDS.get(v, v) for k, v in found.groupdict().items()}), clause)
    return None


BOARD = Board(arrange, explain)
