"""The board of Crystals, version 1: a track round a cave of crystals, and a mat for each seat, the looker's first.

Touches: a character of the seat that decides, on its mat as `scout`, on the track as `scout:track`; one of another
seat, as `scout:2` and `scout:2:track`; the attackers to choose from, as `rider`; a field without a character, as `7`.
"""

import re
from collections.abc import Iterator
from math import dist
from typing import Any, NamedTuple

from plyscribe.domain.phrases import Phrase, say
from plyscribe.service.boards.board import Board, Explained, LastMove, Reason, Touches, View
from plyscribe.service.boards.crystals_ground import (
    DEPTH,
    RADIUS,
    WIDTH,
    Ground,
    cut_cover,
    lay_ground,
    list_arcs,
    list_fields,
    list_gates,
)
from plyscribe.service.boards.strokes import Point, draw_arrow, find_between

OWN_MAT, MAT = 66.0, 50.0
"""The height of the mat of the looker, and that of the others."""
SLOTS = (45.0, 112.0, 179.0, 246.0)
"""The left edge of each character's slot on a mat, the attacker last."""

STOCK, ENOUGH = 4, 3
"""The mines of a seat (CR4), and the crystals needed to win (CR8)."""
MOST = 5
"""The most experience of a class (CR3)."""

MOVE = re.compile("choose (?:rider|archer)|(?:spawn|move|xp) (?:scout|miner|tower|rider|archer)")
CHOICES = {"rider": -38.0, "archer": 38.0}
"""The attackers to choose from, and how far they stand beside the middle of the cave."""
SENTENCES = {
    "choose": ("Chooses the {} as its attacker.", "CR5"),
    "spawn": ("Puts its {} from the base on START.", "CR6"),
    "move": ("Moves its {} by the roll.", "CR7"),
    "xp": ("Gives a point of experience to its {}.", "CR19"),
}
DECISIONS = {
    "choose": ("choose", "CR5"),
    "deploy": ("spawn", "CR5"),
    "spawn": ("spawn", "CR6"),
    "move": ("move", "CR7"),
    "xp": ("xp", "CR19"),
    "respawn": ("spawn", "CR6"),
}
"""The verb of each phase in which a seat decides, and the clause behind it."""
GEMS = (
    (0, 9, 3),
    (-14, -12, -5),
    (14, -12, 6),
    (-29, 8, -7),
    (29, 8, 5),
    (-43, -10, -9),
    (43, -10, 10),
    (-57, 9, -4),
    (57, 9, 8),
)
"""Where the crystals in the middle stand, and the angles by which they lean. The last is taken first."""


class Piece(NamedTuple):
    """A character, drawn at `at`; `place` is its field (None: the base). `touch` is its name on the mat."""

    seat: int
    name: str
    level: int
    xp: int
    at: Point
    scale: float
    place: int | None
    touch: str
    moved: bool
    fell: bool


class Slot(NamedTuple):
    """The place of a character on a mat, with its experience. The frame is its left and top edge, width and height."""

    piece: Piece
    frame: tuple[float, float, float, float]
    stretch: float
    """The height of the experience track, where 1 is that of the template."""


class Marks(NamedTuple):
    """Who acts, and what is known about the last move.

    `moved` is a seat and a class, `fallen` has the field of each killed enemy, `paid` is the seat that got a crystal.
    """

    actor: int | None
    moved: tuple[int, str] | None
    origin: int | None
    fallen: dict[tuple[int, str], int]
    paid: int | None


class Die(NamedTuple):
    """A die in the cave, of the seat that rolls it; it has no value before the roll, nor if the seat is out."""

    seat: int | None
    value: int | None
    x: float
    is_out: bool


def arrange(view: View, last: LastMove | None, seat: int | None = None) -> dict[str, Any]:
    """The context of crystals_v1.svg."""
    looker = seat or 1
    ground, marks = lay_ground(view["fields"], view["starts"][looker - 1]), _find_marks(view, last)
    loop = ground.loop
    fields = list_fields(ground, tuple(view["starts"]), tuple(view["teleports"]))
    pieces = list(_list_pieces(view, ground, marks))
    stood_on = {piece.place for piece in pieces}
    mats = list(_list_mats(view, looker, marks, loop.top + loop.height + DEPTH / 2 + 8))
    return {
        "width": WIDTH,
        "height": mats[-1]["bottom"] + 3,
        "track": (loop.left, loop.top, loop.width, loop.height),
        "depth": DEPTH,
        "radius": RADIUS,
        "fields": fields,
        "stood_on": stood_on,
        "gates": list_gates(ground, tuple(view["starts"])),
        "covered": list(_list_covers(view, ground)),
        "arcs": list_arcs(ground, tuple(view["teleports"])),
        "mines": [(seat, field, ground.middle(field)) for seat, own in enumerate(view["mines"], 1) for field in own],
        "pieces": pieces,
        "size": ground.scale,
        "origin": None if marks.origin is None else fields[marks.origin - 1].outline,
        "moved": next((fields[piece.place - 1].outline for piece in pieces if piece.moved and piece.place), None),
        "fallen": [fields[field - 1].at for field in marks.fallen.values() if field not in stood_on],
        "attack": _draw_attack(view, ground),
        "centre": ground.centre,
        "zoom": min(1.7, max(0.9, (loop.height - DEPTH) / 210)),
        "dice": list(_list_dice(view)),
        "saves": _count_saves(view),
        "extra": view["extra"],
        "choices": _list_choices(view, marks),
        "bank": sorted(enumerate(GEMS[: view["bank"]], 1), key=lambda gem: gem[1][1]),
        "mats": mats,
    }


def _list_covers(view: View, ground: Ground) -> Iterator[tuple[int, str, str]]:
    """What each tower covers (CR12): its seat, the outline of the fields, and a wall along them."""
    for seat, own in enumerate(view["characters"], 1):
        tower = own["tower"]["at"]
        if tower != "base" and tower not in view["starts"]:
            yield seat, *cut_cover(ground, seat, tower)


def _list_pieces(view: View, ground: Ground, marks: Marks) -> Iterator[Piece]:
    """The characters on the loop."""
    for seat, own in enumerate(view["characters"], 1):
        for name, character in own.items():
            if character["at"] != "base":
                yield _draw_piece(seat, name, character, marks, ground.middle(character["at"]), ground.scale)


def _draw_piece(seat: int, name: str, character: dict[str, Any], marks: Marks, at: Point, scale: float) -> Piece:
    place = None if character["at"] == "base" else character["at"]
    touch = _name_touch(seat, name, marks.actor)
    moved, fell = (seat, name) == marks.moved, (seat, name) in marks.fallen
    return Piece(seat, name, character["level"], character["xp"], at, scale, place, touch, moved, fell)


def _name_touch(seat: int, name: str, actor: int | None) -> str:
    return name if seat == actor else f"{name}:{seat}"


def _find_marks(view: View, last: LastMove | None) -> Marks:
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


def _find_fallen(view: View, mover: int, before: View) -> dict[tuple[int, str], int]:
    """The enemies that a move killed, with their fields."""
    return {
        (seat, name): character["at"]
        for seat, own in enumerate(before["characters"], 1)
        for name, character in own.items()
        if seat != mover and seat not in view["left"]
        if character["at"] != "base" == view["characters"][seat - 1][name]["at"]
    }


def _find_actor(view: View) -> int | None:
    """The seat that decides; None while a roll is due and after the end."""
    if view["phase"] in ("first", "roll", "defence", "over"):
        return None
    if view["phase"] != "xp":
        return int(view["on_turn"])
    due, first = view["due"], view["on_turn"] - 1
    return next(1 + seat % len(due) for seat in range(first, first + len(due)) if due[seat % len(due)])


def _list_dice(view: View) -> Iterator[Die]:
    """The dice in the cave: those of the contest, that of a due defence, or that of the turn."""
    if view["phase"] == "first":
        rolls = view["contest"]
        for seat, roll in enumerate(rolls, 1):
            yield Die(seat, None if roll == "out" else roll, (seat - 0.5 - len(rolls) / 2) * 47, roll == "out")
    elif view["attack"]:
        yield Die(view["attack"]["target"]["seat"], None, -62.0, is_out=False)
    elif view["roll"] or view["phase"] == "roll":
        yield Die(view["on_turn"], view["roll"], 0.0, is_out=False)


def _count_saves(view: View) -> int:
    """The highest roll that saves the attacked character; 0 without an attack (CR12)."""
    if view["attack"] is None:
        return 0
    return int(view["characters"][view["attack"]["target"]["seat"] - 1]["tower"]["level"])


def _list_choices(view: View, marks: Marks) -> list[tuple[int, str, float]]:
    """The attackers that the seat to decide can choose: its seat, the class and the place."""
    return [(marks.actor, name, x) for name, x in CHOICES.items()] if view["phase"] == "choose" and marks.actor else []


def _draw_attack(view: View, ground: Ground) -> dict[str, Any] | None:
    """The attack that waits for a roll: an arrow from the attacker to its target."""
    attack = view["attack"]
    if attack is None:
        return None
    target = attack["target"]
    source = ground.middle(view["characters"][view["on_turn"] - 1][attack["attacker"]]["at"])
    aim = ground.middle(view["characters"][target["seat"] - 1][target["class"]]["at"])
    # Bent towards the middle of the cave, so that it can be seen between neighbours too.
    half, reach = find_between(source, aim, 0.5), dist(source, aim)
    bend = find_between(half, ground.centre, min(0.8, (62 + 0.12 * reach) / max(1.0, dist(half, ground.centre))))
    leave = 19 * ground.scale
    start, tip = draw_arrow(source, bend, leave, 1).start, draw_arrow(bend, aim, leave, 15)
    (x, y), (across, down), (right, bottom) = start, bend, tip.end
    return {
        "way": f"M{x:.1f},{y:.1f}Q{across:.1f},{down:.1f} {right:.1f},{bottom:.1f}",
        "head": tip.head,
        "aim": aim,
        "owner": target["seat"],
    }


def _list_mats(view: View, looker: int, marks: Marks, top: float) -> Iterator[dict[str, Any]]:
    """The mats from top to bottom: that of the looker, then the others in the order of turns."""
    seats = len(view["starts"])
    for number in range(seats):
        seat, height = 1 + (looker - 1 + number) % seats, MAT if number else OWN_MAT
        yield _draw_mat(view, seat, marks, top, height - 4)
        top += height


def _draw_mat(view: View, seat: int, marks: Marks, top: float, height: float) -> dict[str, Any]:
    """The mat of a seat: its characters with their experience, its crystals and its mines."""
    own, crystals = view["characters"][seat - 1], view["crystals"][seat - 1]
    scale, middle = (height - 12) / 40, top + height / 2
    return {
        "seat": seat,
        "top": top,
        "height": height,
        "bottom": top + height,
        "on_turn": seat == view["on_turn"],
        "left": seat in view["left"],
        "due": view["due"][seat - 1],
        "slots": [
            Slot(
                _draw_piece(seat, name, character, marks, (x + 23, middle), scale),
                (x, top + 4, 63.0, height - 8),
                (height - 15) / 56,
            )
            for x, (name, character) in zip(SLOTS, own.items(), strict=False)
        ],
        "empty": [(x, top + 4, 63.0, height - 8) for x in SLOTS[len(own) :]],
        "crystals": crystals,
        "taken": crystals - 1 if seat == marks.paid else None,
        "mines": STOCK - len(view["mines"][seat - 1]),
    }


def explain(move: str) -> Explained | None:
    """A notation of Crystals in words."""
    if not MOVE.fullmatch(move):
        return None
    verb, name = move.split()
    sentence, clause = SENTENCES[verb]
    return Explained(sentence.format(name), clause)


def trace(move: str) -> list[Touches]:
    """A touch of the character on its mat; a move is also one of the character on the track."""
    verb, name = move.split()
    return [(f"{name}:track",), (name,)] if verb == "move" else [(name,)]


def guess(view: View, touches: Touches) -> Iterator[str | Reason]:
    """A move of the touched character; or why the touched field or character of another seat makes none."""
    *earlier, touch = touches
    name, *more = touch.lower().split(":")
    actor, (verb, clause) = _find_actor(view), DECISIONS.get(view["phase"], ("move", "CR7"))
    owner = next((int(each) for each in more if each.isdigit()), actor)
    if actor is None:
        yield "move scout"
    elif owner != actor:
        yield Reason(clause, say("that is {owner}'s {piece}. Touch one of your own.", owner=owner or 0, piece=name))
    elif earlier:
        yield Reason(clause, say("one touch is enough here: that of the character."))
    elif name.isdigit() or (verb == "xp" and "track" in more):
        yield Reason(clause, _say_what_to_touch(verb))
    else:
        # Before an attacker is chosen, nothing can be spawned: the refusal says what is due.
        yield f"{'spawn' if verb == 'choose' else verb} {name}"


def _say_what_to_touch(verb: str) -> Phrase:
    """What to touch in place of a field."""
    return {
        "choose": say("choose your attacker first: touch the rider or the archer in the middle."),
        "spawn": say("a character from your base goes on your START. Touch it on your mat."),
        "move": say("the roll says how far a character goes. Touch the one to move, not a field."),
        "xp": say("you give a point to one of your classes. Touch it on your mat."),
    }[verb]


def read(view: View) -> dict[str, Phrase]:
    """What each field holds, where each character is and what it has learned, and what lies beside the track."""
    found = {str(field): _read_field(view, field) for field in range(1, view["fields"] + 1)}
    found["bank"] = say("crystals in the middle: {number}", number=view["bank"])
    actor = _find_actor(view)
    for seat, own in enumerate(view["characters"], 1):
        found[f"crystals-{seat}"] = say(
            "crystals of {owner}: {number} of {most}", owner=seat, number=view["crystals"][seat - 1], most=ENOUGH
        )
        stock = STOCK - len(view["mines"][seat - 1])
        found[f"stock-{seat}"] = say("mines in the stock of {owner}: {number}", owner=seat, number=stock)
        for name, character in own.items():
            touch = _name_touch(seat, name, actor)
            found[touch] = _read_character(view, seat, name, character)
            if character["at"] != "base":
                found[f"{touch}:track"] = found[touch]
    if view["phase"] == "choose":
        found["rider"] = say("{piece}: attacks enemies behind it", piece="rider")
        found["archer"] = say("{piece}: attacks enemies before it", piece="archer")
    return found


def _read_field(view: View, field: int) -> Phrase:
    what: Phrase | None = None
    for seat, own in enumerate(view["characters"], 1):
        for name, character in own.items():
            if character["at"] == field:
                what = say("{owner}'s {piece}, level {level}", owner=seat, piece=name, level=character["level"])
    for seat, mines in enumerate(view["mines"], 1):
        if field in mines:
            what = say("a mine of {owner}", owner=seat)
    what = what or say("empty")
    if field in view["starts"]:
        return say("{field}, START of {owner}: {what}", field=field, owner=view["starts"].index(field) + 1, what=what)
    if field in view["teleports"]:
        onward = next((each for each in view["teleports"] if each > field), view["teleports"][0])
        return say("{field}, teleport to {to}: {what}", field=field, to=onward, what=what)
    return say("{field}: {what}", field=field, what=what)


def _read_character(view: View, seat: int, name: str, character: dict[str, Any]) -> Phrase:
    level, points, at = character["level"], character["xp"], character["at"]
    if at == "base":
        return say(
            "{owner}'s {piece} in the base, level {level}, experience {points}",
            owner=seat,
            piece=name,
            level=level,
            points=points,
        )
    steps = (view["starts"][seat - 1] - at) % view["fields"] or view["fields"]
    return say(
        "{owner}'s {piece} on {field}, {steps} from home, level {level}, experience {points}",
        owner=seat,
        piece=name,
        field=at,
        steps=steps,
        level=level,
        points=points,
    )


BOARD = Board(arrange, explain, trace, guess, read)
