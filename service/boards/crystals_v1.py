"""The board of Crystals, version 1: the loop with its pieces, the phase in its middle, and a mat for each seat."""

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from math import pi
from typing import Any, NamedTuple

from plyscribe.service.boards.board import Board, Explained, LastMove
from plyscribe.service.boards.loop import Loop
from plyscribe.service.boards.strokes import Point, draw_arrow, format_points

WIDTH = 480.0
MARGIN = 6.0
DEPTH = 60.0
"""The size of a field across the loop."""
RADIUS = 84.0
LANE = 5.0
"""The distance between the lines that show what towers cover. Each seat has its own lane."""
MAT = 66.0
SLOTS = (84.0, 158.0, 232.0, 306.0)
"""Where each character of a seat stands on its mat, the attacker last."""

ON_MAT = 1.06
"""The scale of characters on a mat."""

COVER = 4
"""How far a tower covers in each direction (CR12)."""
STOCK, ENOUGH = 4, 3
"""The mines of a seat (CR4), and the crystals needed to win (CR8)."""

MOVE = re.compile("choose (?:rider|archer)|(?:spawn|move|xp) (?:scout|miner|tower|rider|archer)")
CHOICES = {"rider": -12.0, "archer": 28.0}
"""The attackers to choose from, and how far they are drawn beside the place of the attacker."""
NOVICE = {"at": "base", "xp": 1, "level": 1}
SENTENCES = {
    "choose": ("Chooses the {} as its attacker.", "CR5"),
    "spawn": ("Puts its {} from the base on START.", "CR6"),
    "move": ("Moves its {} by the roll.", "CR7"),
    "xp": ("Gives a point of experience to its {}.", "CR19"),
}
SAVES = {1: "A 1", 2: "1 or 2", 3: "1 to 3"}
"""The rolls that save, by the level of the tower (CR12)."""
STATUS = {
    "choose": ("Seat {} chooses", "a rider or an archer"),
    "deploy": ("Seat {} spawns", "a character on its START"),
    "first": ("Lowest roll begins", ""),
    "spawn": ("Seat {} spawns", "a character on its START"),
    "roll": ("Seat {} rolls", ""),
    "move": ("Seat {} moves", ""),
    "defence": ("Seat {} defends", ""),
    "xp": ("Seat {} learns", "a point for one of its classes"),
    "respawn": ("Seat {} spawns", "a character on its START"),
    "over": ("The match is over", ""),
}
"""What the middle of the board says in each phase."""


class Piece(NamedTuple):
    """A character, drawn at `at`; `scale` is 1 for a radius of 16, `place` is its field (None: the base)."""

    seat: int
    name: str
    level: int
    xp: int
    at: Point
    scale: float
    place: int | None
    acts: bool
    moved: bool
    fell: bool


class Marks(NamedTuple):
    """Who acts, and what is known about the last move.

    `moved` is a seat and a class, `fallen` has the field of each killed enemy, `paid` is the seat that got a crystal.
    """

    actor: int | None
    moved: tuple[int, str] | None
    origin: int | None
    fallen: dict[tuple[int, str], int]
    paid: int | None


class Field(NamedTuple):
    """A field of the loop: its outline, the place of its pieces, and the place of its number."""

    number: int
    points: str
    at: Point
    label: Point
    start: int | None
    teleport: bool
    turned: float


class Ground(NamedTuple):
    """The loop, divided into the fields of one match."""

    loop: Loop
    fields: int

    @property
    def pitch(self) -> float:
        """The distance from one field to the next."""
        return self.loop.length / self.fields

    def way(self, field: float) -> float:
        """How far along the loop the middle of a field is."""
        return (field - 1) * self.pitch

    def middle(self, field: int) -> Point:
        """Where the pieces of a field stand: a little inwards, as its number is at the outer edge."""
        return self.loop.locate(self.way(field), -8)


def arrange(view: dict[str, Any], last: LastMove | None, seat: int | None = None) -> dict[str, Any]:
    """The context of crystals_v1.svg."""
    ground, marks = _lay_ground(view["fields"]), _find_marks(view, last)
    loop, seats = ground.loop, range(1, len(view["starts"]) + 1)
    bottom = loop.top + loop.height + DEPTH / 2 + 10
    fields = _list_fields(ground, tuple(view["starts"]), tuple(view["teleports"]))
    pieces = list(_list_pieces(view, ground, marks))
    stood_on = {piece.place for piece in pieces}
    status, detail = STATUS[view["phase"]]
    return {
        "width": WIDTH,
        "height": bottom + MAT * len(seats) + 2,
        "inside": (loop.left, loop.top, loop.width, loop.height, RADIUS),
        "fields": fields,
        "covered": list(_list_covers(view, ground)),
        "arcs": list(_list_arcs(view["teleports"], ground)),
        "mines": [(seat, ground.middle(field)) for seat in seats for field in view["mines"][seat - 1]],
        "pieces": pieces,
        "size": _scale(ground),
        "origin": None if marks.origin is None else fields[marks.origin - 1].points,
        "moved": next((fields[piece.place - 1].points for piece in pieces if piece.moved and piece.place), None),
        "fallen": [fields[field - 1].at for field in marks.fallen.values() if field not in stood_on],
        "attack": _draw_attack(view, ground),
        "centre": (WIDTH / 2, loop.top + loop.height / 2),
        "zoom": min(1.3, 1 + max(0.0, loop.height - 260) / 500),
        "status": status.format(_find_roller(view) or marks.actor),
        "detail": _format_detail(view) or detail,
        "roll": view["roll"],
        "contest": view["contest"] if view["phase"] == "first" else None,
        "bank": view["bank"],
        "mats": [_draw_mat(view, seat, marks, bottom + MAT * (seat - 1)) for seat in seats],
    }


@cache
def _lay_ground(fields: int) -> Ground:
    """With more fields, the loop gets higher and the fields get narrower."""
    width = WIDTH - 2 * MARGIN - DEPTH
    height = (880 + 16 * fields) / 2 - width + (4 - pi) * RADIUS
    edge = MARGIN + DEPTH / 2
    return Ground(Loop(edge, edge, width, height, RADIUS), fields)


def _scale(ground: Ground) -> float:
    return min(17.0, 0.43 * ground.pitch) / 16


@lru_cache(maxsize=64)
def _list_fields(ground: Ground, starts: tuple[int, ...], teleports: tuple[int, ...]) -> list[Field]:
    fields = []
    for field in range(1, ground.fields + 1):
        way, start = ground.way(field), starts.index(field) + 1 if field in starts else None
        outline = ground.loop.cut(ground.way(field - 0.5), ground.way(field + 0.5), -DEPTH / 2, DEPTH / 2)
        label, turned = ground.loop.locate(way, DEPTH / 2 - 11), ground.loop.angle(way)
        fields.append(Field(field, outline, ground.middle(field), label, start, field in teleports, turned))
    return fields


def _list_covers(view: dict[str, Any], ground: Ground) -> Iterator[tuple[int, str, str]]:
    """What each tower covers (CR12): its seat, the outline of the fields, and a line along them."""
    for seat, own in enumerate(view["characters"], 1):
        tower = own["tower"]["at"]
        if tower != "base" and tower not in view["starts"]:
            reach = min(COVER + 0.5, ground.fields / 2)
            begin, end = ground.way(tower - reach), ground.way(tower + reach)
            inner = -DEPTH / 2 - 2 - LANE * (seat - 0.5)
            line = [ground.loop.locate(begin + (end - begin) * step / 40, inner) for step in range(41)]
            yield seat, ground.loop.cut(begin, end, -DEPTH / 2, DEPTH / 2), format_points(line)


def _list_arcs(teleports: list[int], ground: Ground) -> Iterator[tuple[list[Point], str]]:
    """The way from each teleport to the next (CR9), inside the loop: points of a curve, and the head of an arrow."""
    for number, source in enumerate(teleports):
        target = teleports[(number + 1) % len(teleports)]
        begin, end = ground.way(source) + 8, ground.way(target) - 8
        end += ground.loop.length if end < begin else 0
        # With few teleports, arcs must stay close to the loop to leave room for the text in the middle.
        apart, close = 0.37 - 0.5 / len(teleports), 80 / len(teleports) - 40
        parts = [(0.0, 0.0), (0.5 - apart, close), (0.5 + apart, close), (1.0, -1.0)]
        curve = [ground.loop.locate(begin + (end - begin) * part, out - DEPTH / 2) for part, out in parts]
        yield curve, draw_arrow(_follow(curve, 0.9), curve[-1], 0, 13).head


def _follow(curve: list[Point], part: float) -> Point:
    """The point of a cubic Bézier curve at this part of its way."""
    weights = [(1 - part) ** 3, 3 * (1 - part) ** 2 * part, 3 * (1 - part) * part**2, part**3]
    x, y = (sum(weight * point[axis] for weight, point in zip(weights, curve, strict=True)) for axis in (0, 1))
    return x, y


def _list_pieces(view: dict[str, Any], ground: Ground, marks: Marks) -> Iterator[Piece]:
    """The characters on the loop."""
    for seat, own in enumerate(view["characters"], 1):
        for name, character in own.items():
            if character["at"] != "base":
                yield _draw_piece(seat, name, character, marks, ground.middle(character["at"]), _scale(ground))


def _draw_piece(
    seat: int, name: str, character: dict[str, Any], marks: Marks, at: Point, scale: float = ON_MAT
) -> Piece:
    place = None if character["at"] == "base" else character["at"]
    acts, moved, fell = seat == marks.actor, (seat, name) == marks.moved, (seat, name) in marks.fallen
    return Piece(seat, name, character["level"], character["xp"], at, scale, place, acts, moved, fell)


def _find_marks(view: dict[str, Any], last: LastMove | None) -> Marks:
    """What to mark. Without the view before the last move, that is only the piece that moved."""
    actor = _find_actor(view)
    if last is None:
        return Marks(actor, None, None, {}, None)
    verb, name = last.move.split()
    moved, before, seat = (last.seat, name), last.before, last.seat - 1
    if verb != "move" or before is None:
        return Marks(actor, moved, None, {}, None)
    came, stands = (each["characters"][seat][name]["at"] for each in (before, view))
    origin = None if came == stands else came
    paid = last.seat if view["crystals"][seat] > before["crystals"][seat] else None
    return Marks(actor, moved, origin, _find_fallen(view, last.seat, before), paid)


def _find_fallen(view: dict[str, Any], mover: int, before: dict[str, Any]) -> dict[tuple[int, str], int]:
    """The enemies that a move killed, with their fields."""
    return {
        (seat, name): character["at"]
        for seat, own in enumerate(before["characters"], 1)
        for name, character in own.items()
        if seat != mover and seat not in view["left"]
        if character["at"] != "base" == view["characters"][seat - 1][name]["at"]
    }


def _find_actor(view: dict[str, Any]) -> int | None:
    """The seat that decides; None while a roll is due and after the end."""
    if view["phase"] in ("first", "roll", "defence", "over"):
        return None
    if view["phase"] != "xp":
        return int(view["on_turn"])
    due, first = view["due"], view["on_turn"] - 1
    return next(1 + seat % len(due) for seat in range(first, first + len(due)) if due[seat % len(due)])


def _find_roller(view: dict[str, Any]) -> int | None:
    """The seat that rolls now, in its turn or for its defence; None if none does."""
    attack = view["attack"]
    return attack["target"]["seat"] if attack else view["on_turn"] if view["phase"] == "roll" else None


def _draw_attack(view: dict[str, Any], ground: Ground) -> dict[str, Any] | None:
    """The attack that waits for a roll: an arrow from the attacker to its target."""
    attack = view["attack"]
    if attack is None:
        return None
    target = attack["target"]
    source = ground.middle(view["characters"][view["on_turn"] - 1][attack["attacker"]]["at"])
    aim = ground.middle(view["characters"][target["seat"] - 1][target["class"]]["at"])
    return {"arrow": draw_arrow(source, aim, 17 * _scale(ground), 12), "aim": aim}


def _format_detail(view: dict[str, Any]) -> str:
    attack = view["attack"]
    if attack:
        target = attack["target"]
        level = view["characters"][target["seat"] - 1]["tower"]["level"]
        return f"{SAVES[level]} saves its {target['class']}"
    return "and has another turn" if view["extra"] and view["phase"] == "move" else ""


def _draw_mat(view: dict[str, Any], seat: int, marks: Marks, y: float) -> dict[str, Any]:
    """The mat of a seat: its characters with their experience, its crystals and its mines."""
    own, crystals = view["characters"][seat - 1], view["crystals"][seat - 1]
    chooses = view["phase"] == "choose" and seat == marks.actor
    return {
        "seat": seat,
        "y": y,
        "on_turn": seat == view["on_turn"],
        "left": seat in view["left"],
        "due": view["due"][seat - 1],
        "pieces": [
            _draw_piece(seat, name, character, marks, (x, y + 24))
            for x, (name, character) in zip(SLOTS, own.items(), strict=False)
        ],
        "choices": [
            _draw_piece(seat, name, NOVICE, marks, (SLOTS[-1] + aside, y + 24))
            for name, aside in CHOICES.items()
            if chooses
        ],
        "crystals": [number < crystals for number in range(ENOUGH)],
        "taken": crystals - 1 if seat == marks.paid else None,
        "mines": [number < STOCK - len(view["mines"][seat - 1]) for number in range(STOCK)],
    }


def explain(move: str) -> Explained | None:
    """A notation of Crystals in words."""
    if not MOVE.fullmatch(move):
        return None
    verb, name = move.split()
    sentence, clause = SENTENCES[verb]
    return Explained(sentence.format(name), clause)


BOARD = Board(arrange, explain)
