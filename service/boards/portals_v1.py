"""The board of Portals, version 1: a stone floor of hexagons with daises, gates, and arrows inlaid between them."""

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from plyscribe.domain.phrases import Phrase, say
from plyscribe.service.boards.board import Board, Explained, LastMove, Reason, Touches
from plyscribe.service.boards.hexagons import Ground, lay_ground, list_neighbours
from plyscribe.service.boards.strokes import Point

FOOT = (14.5, 23.4)
"""The middle of a field, from the upper left corner of a pawn on it."""
CROWD = ((0.0, 2.0), (-12.0, -3.0), (12.0, -3.0))
"""Where the first pawns of a platform stand. A number counts them if there are more than one."""

TRAY = (90.0, 40.0)
"""The width and height of a pool, before it is scaled."""
COLUMNS = 4
SHOWN = 2 * COLUMNS
"""The most pawns of a pool that are drawn."""

FIELD = "[a-q](?:[1-9]|1[0-7])"
LIST = f"{FIELD}(?:,{FIELD})*"
NAME = re.compile(FIELD)
LINK = re.compile(f"{FIELD}>{FIELD}")
BUILD = re.compile(f"(portal|platform) ({FIELD})(?= )(?: <({LIST}))?(?: >({LIST}))?")
LAUNCH = re.compile(f"launch ({FIELD})(?: demons ({LIST}))?")
ACTIONS = {**dict.fromkeys((1, 2, 3), "build"), **dict.fromkeys((4, 5, 6), "launch"), 7: "enter", 8: "exit"}
"""What each roll of the eight-sided die is for (PO19)."""


class Way(NamedTuple):
    """An arrow of the net by its ends, its middle, and its direction in steps of sixty degrees clockwise."""

    source: str
    target: str
    x: float
    y: float
    direction: int
    last: bool


class Home(NamedTuple):
    """The START of a seat, or CENTER."""

    name: str
    seat: int | None
    x: float
    y: float
    outline: str
    taken: bool


class Figure(NamedTuple):
    """A pawn or a demon by its upper left corner."""

    shape: str
    key: str
    at: str
    owner: int | None
    x: float
    y: float


class Pool(NamedTuple):
    """What lies beside the board for a seat: the tray by its upper left corner, and the pawns in it."""

    seat: int
    x: float
    y: float
    pawns: list[Figure]
    number: int
    centered: bool
    left: bool
    roll: int | str | None
    """The roll for who plays first: a number, `"?"` if it is still due, `"-"` for a seat that is out, or None."""


def arrange(view: dict[str, Any], last: LastMove | None, seat: int | None = None) -> dict[str, Any]:
    """The context of portals_v1.svg."""
    platforms, portals = view["platforms"], view["portals"]
    starts = _find_starts(view)
    ground = lay_ground(view["radius"], starts[seat or 1])
    middles, outlines = ground.middles, ground.outlines
    marked = _find_marked(view, last)
    center = _find_center(view)
    fixed = {center, *starts.values()}
    return {
        "ground": ground,
        "homes": [
            Home(name, owner, *middles[name], outlines[name], platforms[name]["pawns"] > 0)
            for owner, name in starts.items()
        ],
        "center": Home(center, None, *middles[center], outlines[center], platforms[center]["pawns"] > 0),
        "marked": None if marked is None else outlines[marked],
        "grooves": "".join(_list_grooves(view["portals"], middles)),
        "ways": list(_list_ways(view, ground, None if last and last.move in ("enter", "exit") else marked)),
        "daises": [(name, *middles[name]) for name in platforms if name not in fixed],
        "gates": [(name, *middles[name]) for name in portals],
        "figures": list(_list_figures(view, ground)),
        "crowds": [(name, *middles[name], each["pawns"]) for name, each in platforms.items() if each["pawns"] > 1],
        "pools": [_arrange_pool(view, ground, owner, middles[name]) for owner, name in starts.items()],
        "tray": [round(side * ground.scale, 1) for side in TRAY],
        "d8": view["d8"],
        "action": ACTIONS.get(view["d8"]),
    }


def _find_starts(view: dict[str, Any]) -> dict[int, str]:
    """The START of each seat, by seat."""
    found = {platform["start"]: name for name, platform in view["platforms"].items() if platform["start"]}
    return dict(sorted(found.items()))


def _find_center(view: dict[str, Any]) -> str:
    return str(next(name for name, platform in view["platforms"].items() if platform["center"]))


def _find_marked(view: dict[str, Any], last: LastMove | None) -> str | None:
    """The field that the last move was about: the one that it names, the START of its seat, or CENTER."""
    if last is None:
        return None
    if last.move == "enter":
        return _find_starts(view)[last.seat]
    if last.move == "exit":
        return _find_center(view)
    return str(last.move.split()[1])


def _list_grooves(portals: dict[str, Any], middles: dict[str, Point]) -> Iterator[str]:
    """The steps of a path from the middle of each portal to those of its platforms."""
    for portal, passage in portals.items():
        x, y = middles[portal]
        for name in (*passage["in"], *passage["out"]):
            yield f"M{x},{y}L{middles[name][0]},{middles[name][1]}"


def _list_ways(view: dict[str, Any], ground: Ground, marked: str | None) -> Iterator[Way]:
    for portal, passage in view["portals"].items():
        for entry in passage["in"]:
            yield _lay_way(ground, entry, portal, marked in (entry, portal))
        for exit in passage["out"]:
            yield _lay_way(ground, portal, exit, marked in (portal, exit))


def _lay_way(ground: Ground, source: str, target: str, last: bool) -> Way:
    (x, y), (to_x, to_y) = ground.middles[source], ground.middles[target]
    direction = DIRECTIONS[_sign(to_x - x), _sign(to_y - y)]
    return Way(source, target, round((x + to_x) / 2, 1), round((y + to_y) / 2, 1), direction, last)


DIRECTIONS = {(0, -1): 0, (1, -1): 1, (1, 1): 2, (0, 1): 3, (-1, 1): 4, (-1, -1): 5}
"""The direction of an arrow by the signs of its steps right and down: straight up, then clockwise."""


def _sign(step: float) -> int:
    return (step > 1) - (step < -1)


def _list_figures(view: dict[str, Any], ground: Ground) -> Iterator[Figure]:
    """The pawns and demons on the board; those in front come last."""
    crowded = [(ground.middles[name], name, each) for name, each in view["platforms"].items() if each["pawns"]]
    for middle, name, platform in sorted(crowded, key=lambda each: each[0][1]):
        colour = platform["colour"]
        shape = "demon" if colour == "demon" else f"pawn-{colour}"
        for number in range(min(platform["pawns"], len(CROWD)), 0, -1):
            x, y = (at + aside - foot for at, aside, foot in zip(middle, CROWD[number - 1], FOOT, strict=True))
            owner = None if colour == "demon" else colour
            yield Figure(shape, f"{shape}-{name}-{number}", name, owner, round(x, 1), round(y, 1))


def _arrange_pool(view: dict[str, Any], ground: Ground, seat: int, start: Point) -> Pool:
    count, place = view["pool"][seat - 1], f"pool-{seat}"
    x, y = _place_tray(ground, start)
    inside = _list_pool_points(ground, x, y, min(count, SHOWN))
    pawns = [
        Figure(f"pawn-{seat}", f"pawn-{seat}-pool-{number}", place, seat, *point)
        for number, point in enumerate(inside, 1)
    ]
    return Pool(seat, x, y, pawns, count, view["centered"][seat - 1], seat in view["left"], _find_roll(view, seat))


def _place_tray(ground: Ground, start: Point) -> Point:
    """The upper left corner of the tray beside a START. Those of START at the top and bottom are nearer the middle."""
    width, height = (side * ground.scale for side in TRAY)
    right, down = start[0] - ground.width / 2, start[1] - ground.height / 2
    inner = abs(right) < 1
    across = (70 if inner else 166) * ground.scale
    on_right = down < 0 if inner else right > 0
    x = ground.width / 2 + (across if on_right else -across - width)
    edge = 3 if inner else 22
    y = edge * ground.scale if down < 0 else ground.height - edge * ground.scale - height
    return round(x, 1), round(y, 1)


def _list_pool_points(ground: Ground, x: float, y: float, count: int) -> Iterator[Point]:
    """The upper left corners of pawns in a tray, in one row or two."""
    down = 8.0 if count <= COLUMNS else 1.0
    for number in range(count):
        row, column = divmod(number, COLUMNS)
        yield round(x + (17 + 10 * column) * ground.scale, 1), round(y + (down + 15 * row) * ground.scale, 1)


def _find_roll(view: dict[str, Any], seat: int) -> int | str | None:
    if view["contest"] is None:
        return None
    roll = view["contest"][seat - 1]
    return "?" if roll is None else "-" if roll == "out" else int(roll)


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


def trace(move: str) -> list[Touches]:
    """The field of what is built, then its arrows; a portal that is launched, then the exits that get demons.

    A pawn enters by START or by the pool, and exits by CENTER.
    """
    if move == "enter":
        return [("start",), ("pool",)]
    if move == "exit":
        return [("center",)]
    word, field, *lists = move.split(" ")
    if word == "launch":
        return [(field, *lists[1].split(","))] if lists else [(field,)]
    touches = [field]
    for listed in lists:
        into = listed[0] == "<"
        touches += [f"{end}>{field}" if into else f"{field}>{end}" for end in listed[1:].split(",")]
    return [tuple(touches)]


def begin(view: dict[str, Any], touch: str) -> Sequence[str]:
    """A build on an empty field, a launch of a portal, or what happens on START, in the pool or on CENTER."""
    if touch in view["portals"]:
        return (f"launch {touch}",)
    platform = view["platforms"].get(touch)
    if touch.startswith("pool-") or (platform and platform["start"]):
        return ("enter",)
    if platform:
        return ("exit",) if platform["center"] else ()
    if not NAME.fullmatch(touch):
        return ()
    beside = list_neighbours(view["radius"], touch)
    kinds = ("portal", "platforms"), ("platform", "portals")
    return tuple(f"{kind} {touch} " for kind, others in kinds if any(name in view[others] for name in beside))


def resolve(view: dict[str, Any], seat: int) -> dict[str, str]:
    """The START and the pool of the seat, and CENTER."""
    return {"start": _find_starts(view)[seat], "pool": f"pool-{seat}", "center": _find_center(view)}


def guess(view: dict[str, Any], touches: Touches) -> Iterator[str | Reason]:
    """What can be done with what was touched first, and why the rest does not fit."""
    first, *others = touches
    if ">" in first:
        yield Reason("PO4", say("an arrow belongs to what is built. Touch the field to build on first."))
    elif first.startswith("pool-"):
        yield "enter"
        yield _refuse_entry(int(first.removeprefix("pool-")), bool(others))
    elif first in view["portals"]:
        yield from _guess_launch(first, others)
    elif first in view["platforms"]:
        yield from _guess_platform(view, first, bool(others))
    else:
        yield from _guess_build(view, first, others)


def _refuse_entry(owner: int, more: bool) -> Reason:
    if more:
        return Reason("PO7", say("a pawn comes from the pool to START, and there is nothing more to choose."))
    return Reason("PO7", say("a pawn enters on the START of its own player. This one belongs to {owner}.", owner=owner))


def _guess_launch(portal: str, others: Sequence[str]) -> Iterator[str | Reason]:
    if not others:
        yield f"launch {portal}"
    elif all(NAME.fullmatch(other) for other in others):
        yield f"launch {portal} demons {','.join(sorted(set(others), key=_order))}"
    yield Reason(
        "PO6", say("a launch of {field} uses all its arrows, and there is nothing more to choose.", field=portal)
    )


def _order(field: str) -> tuple[str, int]:
    """The order of fields in a list."""
    return field[0], int(field[1:])


def _guess_platform(view: dict[str, Any], field: str, more: bool) -> Iterator[str | Reason]:
    platform = view["platforms"][field]
    if platform["start"]:
        yield "enter"
        yield _refuse_entry(platform["start"], more)
    elif platform["center"]:
        yield "exit"
        yield Reason("PO8", say("a pawn leaves CENTER for the pool, and there is nothing more to choose."))
    else:
        ahead = [name for name, passage in view["portals"].items() if field in passage["in"]]
        yield from (f"launch {portal}" for portal in ahead)
        if ahead:
            yield Reason("PO6", say("pawns leave {field} when a portal is launched. Touch the portal.", field=field))
        else:
            yield Reason("PO6", say("no arrow leads from {field} into a portal. Build one.", field=field))


def _guess_build(view: dict[str, Any], field: str, others: Sequence[str]) -> Iterator[str | Reason]:
    if others:
        ends = [_find_ends(field, other) for other in others]
        come = sorted({source for source, target in ends if target == field}, key=_order)
        go = sorted({target for source, target in ends if source == field}, key=_order)
        if come or go:
            yield _format_build(view, field, come, go)
        yield Reason("PO4", say("what is built on {field} needs an arrow. Touch one beside it.", field=field))
        return
    beside = [name for name in list_neighbours(view["radius"], field) if name in view["platforms"] | view["portals"]]
    if beside:
        yield from (_format_build(view, field, [name], []) for name in beside)
    else:
        # A build that is refused only if the seat cannot build at all now.
        yield from _find_build(view)
    yield Reason("PO4", say("nothing beside {field} can be joined. Build next to portals or platforms.", field=field))


def _find_ends(field: str, touch: str) -> tuple[str, str]:
    """The ends of an arrow that was touched; a touch of a field means an arrow that comes from there."""
    if LINK.fullmatch(touch):
        source, target = touch.split(">")
        return source, target
    return (touch, field) if NAME.fullmatch(touch) else ("", "")


def _format_build(view: dict[str, Any], field: str, come: Sequence[str], go: Sequence[str]) -> str:
    kind = "platform" if [*come, *go][0] in view["portals"] else "portal"
    return f"{kind} {field}" + (f" <{','.join(come)}" if come else "") + (f" >{','.join(go)}" if go else "")


def _find_build(view: dict[str, Any]) -> Iterator[str]:
    """A build that is open to every seat, if there is one."""
    platforms, portals = view["platforms"], view["portals"]
    for name in (*(name for name, platform in platforms.items() if not platform["start"]), *portals):
        for field in list_neighbours(view["radius"], name):
            if field not in platforms and field not in portals:
                yield _format_build(view, field, [name], [])
                return


def read(view: dict[str, Any]) -> dict[str, Phrase]:
    """What each field and each pool holds, and where the arrows of each portal come from and lead to."""
    found = {
        name: say("{field}, empty", field=name) for name in lay_ground(view["radius"], _find_starts(view)[1]).middles
    }
    found |= {name: _read_platform(name, platform) for name, platform in view["platforms"].items()}
    found |= {name: _read_portal(name, passage) for name, passage in view["portals"].items()}
    return found | {f"pool-{seat}": _read_pool(view, seat) for seat in range(1, len(view["pool"]) + 1)}


def _read_platform(name: str, platform: dict[str, Any]) -> Phrase:
    content = _read_content(platform["colour"], platform["pawns"])
    if platform["center"]:
        return say("{field}, CENTER, {content}", field=name, content=content)
    if platform["start"]:
        return say("{field}, START of {owner}, {content}", field=name, owner=platform["start"], content=content)
    return say("{field}, platform, {content}", field=name, content=content)


def _read_content(colour: int | str | None, pawns: int) -> Phrase:
    if colour is None:
        return say("empty")
    if colour == "demon":
        return say("a demon") if pawns == 1 else say("{pawns} demons", pawns=pawns)
    if pawns == 1:
        return say("a pawn of {owner}", owner=colour)
    return say("{pawns} pawns of {owner}", pawns=pawns, owner=colour)


def _read_portal(name: str, passage: dict[str, Any]) -> Phrase:
    entries, exits = ", ".join(passage["in"]), ", ".join(passage["out"])
    if not entries:
        return say("{field}, portal without entries, to {exits}", field=name, exits=exits)
    if not exits:
        return say("{field}, portal from {entries}, without exits", field=name, entries=entries)
    return say("{field}, portal from {entries} to {exits}", field=name, entries=entries, exits=exits)


def _read_pool(view: dict[str, Any], seat: int) -> Phrase:
    pawns = view["pool"][seat - 1]
    if view["centered"][seat - 1]:
        return say("pool of {owner}, pawns: {pawns}; {owner} has been to CENTER", owner=seat, pawns=pawns)
    return say("pool of {owner}, pawns: {pawns}", owner=seat, pawns=pawns)


BOARD = Board(arrange, explain, trace, guess, read, begin, resolve)
