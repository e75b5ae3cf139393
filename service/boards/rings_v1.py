"""The board of Rings, version 1: four turning discs with terrain around a summit, the STARTs at the rim, and the mats.

The START of the seat that looks at the board is at the bottom, and its mat below. Only units, supply and dice of
the seat on turn can be touched; whose turn it is follows from the view. A touch of other units is one of their field.
"""

import re
from collections.abc import Iterator
from math import cos, dist, sin
from operator import itemgetter
from typing import Any, NamedTuple

from markupsafe import Markup

from plyscribe.domain.phrases import Phrase, say
from plyscribe.service.boards.board import Board, Explained, LastMove, Reason, Touches
from plyscribe.service.boards.discs import (
    CENTRE,
    FRAME,
    LOWEST,
    RIMS,
    RINGS,
    SLOT,
    SLOTS,
    START,
    START_HALF,
    WIDTH,
    draw_ground,
    find_angle,
    find_place,
    find_rims,
    find_track,
    shape_arc,
    shape_field,
    shape_head,
    shape_sector,
)
from plyscribe.service.boards.figures import KINDS, Thing, draw_unit, mark_thing
from plyscribe.service.boards.mats import list_mats
from plyscribe.service.boards.strokes import Point, find_between, shape_arrow

View = dict[str, Any]

HEIGHT = 810.0
PLACE = "[a-d][1-7]|top|s[1-4]"
ALL_DICE = 4
SIZES = {"a": 45, "b": 45, "c": 40, "d": 35, "t": 55, "s": 40}
"""How wide units are: on each ring, on `top`, on a START. They are a fifth higher."""
CROWD, CROWDED = 5, 34
"""More units than this, as only a START can hold, are this wide."""
HANDLE = {"a": 78.0, "b": 70.0, "c": 58.0, "d": 48.0}
"""How long the handles are that turn rings."""
TURN_AT = SLOT
"""How far from straight up the handles that turn rings are, on the side that they turn to."""


class Group(NamedTuple):
    """The units of one kind on a field. Those of the seat on turn have a touch and an outline of their own."""

    touch: str | None
    shape: str
    units: list[Thing]


class Field(NamedTuple):
    """A field of a ring."""

    name: str
    ground: Markup
    groups: list[Group]


class Ring(NamedTuple):
    """A ring, and the degrees by which the last move turned it, clockwise."""

    name: str
    outer: float
    inner: float
    fields: list[Field]
    turned: float | None


class Start(NamedTuple):
    """A START on the board."""

    seat: int
    marks: Markup
    shape: str
    wall: str
    sign: Point
    groups: list[Group]


class Handle(NamedTuple):
    """What turns a ring: its outline, and an arrow."""

    touch: str
    shape: str
    shaft: str
    head: str


def arrange(view: View, last: LastMove | None, seat: int | None = None) -> dict[str, Any]:
    """The context of rings_v1.svg."""
    home = seat or 1
    lowest = view["starts"][home - 1] or LOWEST
    mover = find_mover(view)
    turned = _find_turned(last)
    return {
        "width": WIDTH,
        "height": HEIGHT,
        "centre": CENTRE,
        "frame": FRAME,
        "summit": RIMS[-1],
        "rings": [_lay_ring(view, ring, lowest, mover, turned) for ring in RINGS],
        "columns": _list_borders(RIMS[-1] - 6, lowest),
        "studs": _list_borders(sum(FRAME) / 2, lowest),
        "top": _list_groups(view, "top", 0.0, mover),
        "starts": list(_list_starts(view, lowest, mover)),
        "numbers": [
            (slot, _round(find_place(sum(FRAME) / 2, find_angle(slot, lowest)))) for slot in range(1, SLOTS + 1)
        ],
        "letters": [(ring, _round(find_place(find_track(ring), 0))) for ring in RINGS],
        "marks": [shape for name in _list_marked(last) if (shape := _shape_field(view, name, lowest))],
        "turn": _lay_turn(*turned) if turned else None,
        "arrows": list(_list_arrows(view, last, lowest)),
        "first": _list_first(view, lowest, mover),
        "handles": _list_handles(view, mover),
        "decline": _place_decline(view, lowest),
        "mats": list(list_mats(view, last, home, mover)),
        "round": view["round"],
        "pass": view["pass"],
    }


def _list_borders(radius: float, lowest: int) -> list[Point]:
    """The points between two slots at this distance from the centre."""
    return [_round(find_place(radius, find_angle(slot, lowest) + SLOT / 2)) for slot in range(1, SLOTS + 1)]


def find_mover(view: View) -> int | None:
    """The seat that decides, or the one that would in a match that ended; None while dice are due.

    In the first pass of a round, a seat whose turn is still to come has all four dice, in the second a seat whose turn
    is over has none.
    """
    seats = [seat for seat in range(1, len(view["points"]) + 1) if seat not in view["left"]]
    if not view["round"]:
        waiting = [seat for seat in seats if view["starts"][seat - 1] is None]
        return waiting[-1] if waiting and view["terrain"][-1] else None
    if view["alliance"]:
        return None if "with" in view["alliance"] else view["alliance"]["ally"]
    held = {seat: number for seat in seats if (number := sum(view["dice"][seat - 1].values()))}
    if not view["uses"] or not held:
        return None
    if view["pass"] == 1 and view["uses"] == 1:
        return max((seat for seat in held if held[seat] < ALL_DICE), default=None)
    fresh = [seat for seat in held if held[seat] == ALL_DICE]
    return fresh[0] if view["pass"] == 1 and fresh else min(held)


# ---- the discs


def _find_turned(last: LastMove | None) -> tuple[str, int] | None:
    """The ring that the last move turned, and 1 for clockwise or -1."""
    found = last and re.search("spin ([a-d]) ([+-])", last.move)
    return (found[1], 1 if found[2] == "+" else -1) if found else None


def _lay_ring(view: View, ring: str, lowest: int, mover: int | None, turned: tuple[str, int] | None) -> Ring:
    letters = view["terrain"][RINGS.index(ring)] or [None] * SLOTS
    fields = [
        Field(name, draw_ground(name, letter, lowest), _list_groups(view, name, find_angle(slot, lowest), mover))
        for slot, letter in enumerate(letters, 1)
        for name in (f"{ring}{slot}",)
    ]
    degrees = round(turned[1] * 360 / SLOTS, 2) if turned and turned[0] == ring else None
    return Ring(ring, *find_rims(ring), fields, degrees)


def _list_groups(view: View, name: str, angle: float, mover: int | None) -> list[Group]:
    """The units on a field, side by side along its ring, those of a kind together."""
    units = view["units"].get(name)
    if not units:
        return []
    number = sum(units[kind] for kind in KINDS)
    radius, width = find_track(name), SIZES[name[0]] if number <= CROWD else CROWDED
    step = _find_step(name[0], number, width, angle)
    aside, groups = -step * number / 2, []
    for kind in KINDS:
        if count := units[kind]:
            offsets = [aside + step * (at + 0.5) for at in range(count)]
            places = [find_place(radius, angle + offset / radius) if radius else CENTRE for offset in offsets]
            places.sort(key=lambda place: place[1])
            things = [draw_unit(kind, units["seat"], name, at, place, width) for at, place in enumerate(places, 1)]
            shape = _shape_group(name, angle + (aside + count * step / 2) / (radius or 1), count * step)
            touch = f"{kind}:{name}" if units["seat"] == mover else None
            groups.append((places[-1][1], Group(touch, shape, things)))
            aside += count * step
    return [group for _, group in sorted(groups, key=itemgetter(0))]  # Lower ones stand in front.


def _find_step(ring: str, number: int, width: int, angle: float) -> float:
    """How far apart units stand along their ring: as far as they are wide or high there, if there is room."""
    if ring == "t":
        return width
    room = (
        2 * START_HALF * sum(START) / 2 - 42 if ring == "s" else SLOT * find_track(ring) - (14 if ring == "d" else 26)
    )
    return min(width * (abs(cos(angle)) * 0.9 + abs(sin(angle)) * 1.05), room / number)


def _round(place: Point) -> Point:
    return round(place[0], 1), round(place[1], 1)


def _shape_group(name: str, angle: float, span: float) -> str:
    """The outline of the part of a field that is this long."""
    if name == "top":
        return _shape_circle(RIMS[-1] - 10)
    outer, inner = (START[1], START[0]) if name[0] == "s" else find_rims(name[0])
    return shape_sector(inner + 2, outer - 2, angle, span / find_track(name) / 2)


def _shape_circle(radius: float) -> str:
    half = f"a{radius:g} {radius:g} 0 0 1 "
    return f"M{CENTRE[0] - radius:g} {CENTRE[1]:g}{half}{2 * radius:g} 0{half}{-2 * radius:g} 0Z"


def _list_starts(view: View, lowest: int, mover: int | None) -> Iterator[Start]:
    for seat, slot in enumerate(view["starts"], 1):
        if slot is not None:
            angle = find_angle(slot, lowest)
            yield Start(
                seat,
                mark_thing(f"start-{seat}-a{slot}", f"a{slot}", seat),
                shape_sector(*START, angle, START_HALF),
                shape_arc(START[1] - 2, angle - START_HALF, angle + START_HALF),
                _round(find_place(find_track("s"), angle - START_HALF + 0.055)),
                _list_groups(view, f"s{seat}", angle + 0.04, mover),
            )


def _find_middle(view: View, name: str, lowest: int) -> Point | None:
    """The middle of a field; None for the START of a seat that left."""
    if name[0] == "s":
        slot = view["starts"][int(name[1:]) - 1]
        return slot and find_place(START[0] + 6, find_angle(slot, lowest))
    return CENTRE if name == "top" else find_place(find_track(name), find_angle(int(name[1:]), lowest))


def _shape_field(view: View, name: str, lowest: int) -> str | None:
    """The outline of a field; None for the START of a seat that left."""
    if name == "top":
        return _shape_circle(RIMS[-1])
    if name[0] == "s":
        slot = view["starts"][int(name[1:]) - 1]
        return slot and shape_sector(*START, find_angle(slot, lowest), START_HALF)
    return shape_field(name, lowest)


# ---- what just happened, and what goes on


def _list_marked(last: LastMove | None) -> list[str]:
    """The fields that the last move named, or the START of its seat if the START or a new unit was placed."""
    if last is None:
        return []
    if re.search(r"start|\+\w", last.move):
        return [f"s{last.seat}"]
    return re.findall(PLACE, last.move)


def _list_arrows(view: View, last: LastMove | None, lowest: int) -> Iterator[tuple[bool, str]]:
    """The attacks under way, and the last move from field to field: whether it is that, and the points."""
    attacks = [attack for attack in (view["engaged"], view["alliance"]) if attack]
    ways = [(attack[end], attack["at"]) for attack in attacks for end in ("from", "with") if end in attack]
    moved = last and re.search(f"({PLACE})[-x]({PLACE})", last.move)
    last_way = moved and (moved[1], moved[2])
    for source, target in dict.fromkeys([*ways, *([last_way] if last_way else [])]):
        tail, tip = _find_middle(view, source, lowest), _find_middle(view, target, lowest)
        if tail and tip:
            end = max(0.5, 1 - 22 / dist(tail, tip))  # It ends before the units if there is room.
            yield (
                (source, target) == last_way,
                shape_arrow(find_between(tail, tip, 0.2), find_between(tail, tip, end), 8),
            )


def _list_first(view: View, lowest: int, mover: int | None) -> list[Thing]:
    """The first warrior of a pair, which stands on no field (RI16)."""
    engaged = view["engaged"]
    source = engaged and _find_middle(view, engaged["from"], lowest)
    target = engaged and _find_middle(view, engaged["at"], lowest)
    if mover is None or not source or not target:
        return []
    return [draw_unit("warrior", mover, engaged["at"], "first", find_between(source, target, 0.5), SIZES["c"])]


def _lay_turn(ring: str, way: int) -> dict[str, Any]:
    """The rims of the ring that turned, and arrows between its fields, except where its letter and the handles are."""
    outer, inner = find_rims(ring)
    radius = (outer + inner) / 2
    half = 20 / radius
    arrows = []
    for slot in (2, 3, 4, 5):
        angle = slot * SLOT
        arrows.append(
            (
                shape_arc(radius, angle - way * half, angle + way * half * 0.4),
                shape_head(radius, angle + way * half * 0.3, way, 14),
            )
        )
    return {"rims": (outer - 1.5, inner + 1.5), "arrows": arrows}


# ---- handles


def _list_handles(view: View, mover: int | None) -> list[Handle]:
    """What turns rings, if the seat on turn has a turn die."""
    if mover is None or view["alliance"] or view["engaged"] or not view["dice"][mover - 1]["T"]:
        return []
    return [_lay_handle(ring, way) for ring in RINGS for way in (1, -1)]


def _lay_handle(ring: str, way: int) -> Handle:
    outer, inner = find_rims(ring)
    radius, angle = (outer + inner) / 2, way * TURN_AT
    half = HANDLE[ring] / radius / 2
    base = angle + way * (half - 21 / radius)
    return Handle(
        f"turn:{ring}{'+' if way > 0 else '-'}",
        shape_sector(inner + 4, outer - 4, angle, half),
        shape_arc(radius, angle - way * (half - 9 / radius), base),
        shape_head(radius, base, way, 15),
    )


def _place_decline(view: View, lowest: int) -> Point | None:
    """Where the handle is that declines an alliance: beside the field that is to be attacked."""
    alliance = view["alliance"]
    if not alliance or "with" in alliance:
        return None
    name = alliance["at"]
    if name == "top":
        return _round(find_place(RIMS[-1], SLOT))
    return _round(find_place(find_track(name), find_angle(int(name[1:]), lowest) + SLOT / 2))


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


# ---- touches

UNIT, FROM, TO = "(runner|warrior|blocker)", f"({PLACE})", f"({PLACE})"


def trace(move: str) -> list[Touches]:
    """The ways to touch a move. Payments are not touched, so moves that differ in that alone have the same touches.

    A unit is touched itself, or by its field.
    """
    if found := re.fullmatch(rf"(?:R|M|TT?) {UNIT} {FROM}-{TO}", move):
        kind, source, target = found.groups()
        return [(f"{kind}:{source}", target), (source, target)]
    if found := re.fullmatch(f"(?:R|M|TT?) ally [1-4] {FROM}x{TO}", move):
        return [(f"warrior:{found[1]}", found[2]), (found[1], found[2])]
    if found := re.fullmatch(f"accept {FROM}", move):
        return [(f"warrior:{found[1]}",), (found[1],)]
    pay, _, rest = move.partition(" ")
    match [pay, *rest.split()]:
        case ["start", field]:
            return [(field,)]
        case [_, "start", field]:
            return [("start", field)]
        case [_, "spin", ring, way]:
            return [(f"turn:{ring}{way}",)]
        case [_, "swap", one, two]:
            return [(one, two), (two, one)]
        case ["drop", die]:
            return [(f"die:{die}",)]
        case ["decline"]:
            return [("decline",)]
        case [_, unit] if unit.startswith("+"):
            return [(f"{unit[1:]}:supply",)]
    return []


def resolve(view: View, seat: int) -> dict[str, str]:
    """A START that moves is that of the seat on turn, which its notation leaves out."""
    return {"start": f"s{seat}"}


def guess(view: View, touches: Touches) -> Iterator[str | Reason]:
    """What the seat on turn means by these touches, in each phase of a match."""
    seat = find_mover(view)
    first, second = (*touches, "")[:2]
    if seat is None:
        yield ANYTHING
    elif not view["round"]:
        yield from _guess_settling(first, second)
    elif view["alliance"]:
        yield from _guess_answer(first, second)
    elif view["engaged"]:
        yield from _guess_second(view, seat, first, second)
    else:
        yield from _guess_use(view, seat, first, second)


ANYTHING = "drop R"
"""A move that is refused with what has to be done first: dice, a START, an answer, or the second attack of a pair."""


def _guess_settling(first: str, second: str) -> Iterator[str | Reason]:
    if second:
        yield Reason("RI4", say("a START is attached by one touch. Choose a field of ring a."))
    yield ANYTHING if ":" in first else f"start {first}"


def _guess_answer(first: str, second: str) -> Iterator[str]:
    kind, thing, place = _split(first)
    if not second and not thing and kind in ("", "warrior"):
        yield f"accept {place}"
    yield ANYTHING


def _guess_second(view: View, seat: int, first: str, second: str) -> Iterator[str]:
    kind, thing, place = _split(first)
    at = view["engaged"]["at"]
    if not second and not thing and kind in ("", "warrior") and _is_own(view, seat, place):
        yield f"{_pay_move(view, seat)} warrior {place}-{at}"
    yield ANYTHING


def _guess_use(view: View, seat: int, first: str, second: str) -> Iterator[str | Reason]:
    kind, thing, place = _split(first)
    _, other, target = _split(second)
    if thing and second:
        yield Reason(WHOLE[thing], say("this is a whole move already. Make it, or start with something else."))
    elif thing == "supply":
        yield f"{_pay_recruit(view, seat)} +{kind}"
    elif thing == "die":
        yield f"drop {place}"
    elif thing == "turn":
        yield f"T spin {place[0]} {place[1]}"
    elif other:
        yield Reason("RI10", say("a move ends on a field. Choose a field of a ring, or top."))
    elif _is_own(view, seat, place):
        yield from _guess_way(view, seat, kind, place, target)
    elif not kind and target not in ("", place):
        yield f"T swap {' '.join(sorted((place, target)))}"
    elif units := view["units"].get(place):
        say_whose = say(
            "the units on {field} belong to {owner}. Start with one of yours.", field=place, owner=units["seat"]
        )
        yield Reason("RI10", say_whose)
    else:
        yield Reason("RI10", say("no unit stands on {field}. Start where one of yours stands.", field=place))
    if second.partition(":")[0] in KINDS:
        yield Reason("RI10", say("a move ends on a field. Touch {field} beside its units.", field=target))


WHOLE = {"supply": "RI9", "die": "RI7", "turn": "RI19", "decline": "RI17"}
"""Things beside the fields that are a whole move, and the clause of that move."""


def _guess_way(view: View, seat: int, kind: str, place: str, target: str) -> Iterator[str]:
    """What somebody means who touched a unit, a field with units or the START, and perhaps another field."""
    there = view["units"].get(place, {})
    is_start = place[0] == "s"
    if is_start and not kind and (not there or (target[:1] == "a" and view["dice"][seat - 1]["T"])):
        yield f"T start {target or 'a1'}"
    for each in [kind] if kind else [kind for kind in KINDS if there.get(kind)]:
        yield f"{_pay_move(view, seat)} {each} {place}-{target or _find_inward(view, seat, place)}"


def _is_own(view: View, seat: int, place: str) -> bool:
    """Whether units of the seat stand there, or it is its START."""
    return place == f"s{seat}" or view["units"].get(place, {}).get("seat") == seat


def _find_inward(view: View, seat: int, place: str) -> str:
    """The field that lies further in."""
    if place == "top":
        return "d1"
    if place[0] == "s":
        return f"a{view['starts'][seat - 1]}"
    return "top" if place[0] == "d" else f"{RINGS[RINGS.index(place[0]) + 1]}{place[1]}"


def _pay_move(view: View, seat: int) -> str:
    """What the seat would pay with for a move (RI8)."""
    has_supply = any(view["supply"][seat - 1].values())
    return _choose_pay(view, seat, ["M", "TT"] if has_supply else ["M", "TT", "R"])


def _pay_recruit(view: View, seat: int) -> str:
    """What the seat would pay with for a recruit (RI8)."""
    has_units = any(units["seat"] == seat for units in view["units"].values())
    return _choose_pay(view, seat, ["R"] if has_units else ["R", "M", "TT"])


def _choose_pay(view: View, seat: int, payments: list[str]) -> str:
    """The first payment that the seat has the dice for, or the first of all."""
    dice = view["dice"][seat - 1]
    return next((pay for pay in payments if dice[pay[0]] >= len(pay)), payments[0])


def _split(touch: str) -> tuple[str, str, str]:
    """The kind of unit, the sort of thing beside the fields, and the field or what else a touch names."""
    head, _, rest = touch.partition(":")
    if head in KINDS:
        return (head, "supply", "") if rest == "supply" else (head, "", rest)
    if rest or head == "decline":
        return "", head, rest
    return "", "", head


# ---- reading aloud


def read(view: View) -> dict[str, Phrase]:
    """What is at each place, what each group of units is, and what each handle does."""
    mover = find_mover(view)
    seats = range(1, len(view["points"]) + 1)
    said = {"top": _read_place(view, "top", say("top, in the middle"))}
    for ring, letters in zip(RINGS, view["terrain"], strict=True):
        said[ring] = say("ring {ring}", ring=ring)
        for slot in range(1, SLOTS + 1):
            name = f"{ring}{slot}"
            said[name] = _read_place(view, name, _read_terrain(name, letters and letters[slot - 1]))
    for seat in seats:
        said |= _read_seat(view, seat)
    for place, units in view["units"].items():
        for kind in KINDS:
            if units[kind]:
                number = _count(kind, units[kind])
                said[f"{kind}:{place}"] = say(
                    "{units} of {owner} on {field}", units=number, owner=units["seat"], field=place
                )
    if mover is not None:
        said |= _read_handles(view, mover)
    return said


def _read_seat(view: View, seat: int) -> dict[str, Phrase]:
    slot = view["starts"][seat - 1]
    start = say("START of {owner}, not on the board", owner=seat)
    if slot is not None:
        start = _read_place(view, f"s{seat}", say("START of {owner} at {field}", owner=seat, field=f"a{slot}"))
    supply = _join([_count(kind, number) for kind, number in view["supply"][seat - 1].items() if number])
    dice = _join([_count(die, number) for die, number in view["dice"][seat - 1].items() if number])
    return {
        f"s{seat}": start,
        f"supply-{seat}": say("supply of {owner}: {units}", owner=seat, units=supply),
        f"dice-{seat}": say("dice of {owner}: {dice}", owner=seat, dice=dice),
        f"points-{seat}": say("points of {owner}: {amount}", owner=seat, amount=view["points"][seat - 1]),
    }


def _read_handles(view: View, seat: int) -> dict[str, Phrase]:
    said = {"decline": say("decline the alliance")}
    for kind, number in view["supply"][seat - 1].items():
        said[f"{kind}:supply"] = say("in the supply: {units}", units=_count(kind, number))
    for die, number in view["dice"][seat - 1].items():
        said[f"die:{die}"] = _count(die, number)
    for ring in RINGS:
        said[f"turn:{ring}+"] = say("turn ring {ring} clockwise", ring=ring)
        said[f"turn:{ring}-"] = say("turn ring {ring} counterclockwise", ring=ring)
    return said


def _read_terrain(name: str, letter: str | None) -> Phrase:
    match letter:
        case "L":
            return say("{field}, light terrain", field=name)
        case "M":
            return say("{field}, medium terrain", field=name)
        case "H":
            return say("{field}, heavy terrain", field=name)
    return say("{field}, without terrain", field=name)


def _read_place(view: View, name: str, where: Phrase) -> Phrase:
    units = view["units"].get(name)
    if not units:
        return say("{where}, empty", where=where)
    numbers = _join([_count(kind, units[kind]) for kind in KINDS if units[kind]])
    return say("{where}: {units} of {owner}", where=where, units=numbers, owner=units["seat"])


def _count(thing: str, number: int) -> Phrase:
    """A number of units of a kind, or of dice of a class."""
    match thing, number:
        case "runner", 1:
            return say("1 runner")
        case "warrior", 1:
            return say("1 warrior")
        case "blocker", 1:
            return say("1 blocker")
        case "R", 1:
            return say("1 recruit die")
        case "M", 1:
            return say("1 move die")
        case "T", 1:
            return say("1 turn die")
        case "runner", _:
            return say("{amount} runners", amount=number)
        case "warrior", _:
            return say("{amount} warriors", amount=number)
        case "blocker", _:
            return say("{amount} blockers", amount=number)
        case "R", _:
            return say("{amount} recruit dice", amount=number)
        case "M", _:
            return say("{amount} move dice", amount=number)
    return say("{amount} turn dice", amount=number)


def _join(parts: list[Phrase]) -> Phrase:
    match parts:
        case []:
            return say("none")
        case [first]:
            return first
        case [first, second]:
            return say("{first}, {second}", first=first, second=second)
    first, second, third = parts
    return say("{first}, {second}, {third}", first=first, second=second, third=third)


BOARD = Board(arrange, explain, trace, guess, read, resolve=resolve)
