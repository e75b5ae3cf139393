"""Portals, retold."""

from collections.abc import Sequence

from plyscribe.domain.effects import Effect
from plyscribe.testing.retelling import View, is_over

CHANGING = frozenset(
    {"PO3", "PO4", "PO6", "PO7", "PO8", "PO9", "PO11", "PO12", "PO13", "PO14", "PO15", "PO16", "PO17", "PO19", "PO20"}
)


def spell(field: str) -> tuple[str, int]:
    """By row, then by number, as fields are listed."""
    return field[0], int(field[1:])


def place(view: View, effect: Effect) -> None:
    """PO4: a platform is empty, and no arrow joins a new element yet. CENTER and START are there from the beginning."""
    if effect.piece == "portal":
        view["portals"][effect.target] = {"in": [], "out": []}
    else:
        view["platforms"][effect.target] = {"start": None, "center": False, "colour": None, "pawns": 0}


def join(view: View, effect: Effect) -> None:
    """PO4: an arrow leads from a platform into a portal, its entry, or from a portal to a platform, its exit."""
    if effect.word == "entry":
        portal, platform, side = effect.target, effect.source, "in"
    else:
        portal, platform, side = effect.source, effect.target, "out"
    assert platform in view["platforms"]
    listed = view["portals"][portal][side]
    assert platform not in listed
    listed[:] = sorted([*listed, platform], key=spell)


def launch(view: View, effect: Effect) -> None:
    """PO6: what it moves has effects of its own."""
    assert effect.target in view["portals"]


def colour_of(effect: Effect) -> int | str | None:
    return "demon" if effect.piece == "demon" else effect.seat


def take(view: View, field: str | None, colour: int | str | None, pawns: int) -> None:
    platform = view["platforms"][field]
    assert platform["colour"] == colour
    platform["pawns"] -= pawns
    assert platform["pawns"] >= 0
    if not platform["pawns"]:
        platform["colour"] = None


def put(view: View, field: str | None, colour: int | str | None) -> None:
    """PO10: two colours never share a platform."""
    platform = view["platforms"][field]
    assert platform["colour"] in (None, colour)
    platform["colour"] = colour
    platform["pawns"] += 1


def consume(view: View, effect: Effect) -> None:
    take(view, effect.source, colour_of(effect), 1)


def banish(view: View, effect: Effect) -> None:
    take(view, effect.source, "demon", 1)


def summon(view: View, effect: Effect) -> None:
    """PO14: the supply of demons is unlimited."""
    put(view, effect.target, "demon")


def arrive(view: View, effect: Effect) -> None:
    put(view, effect.target, colour_of(effect))


def pay(view: View, seat: int | None, pawns: int | None) -> None:
    """Pawns come to the pool, or leave it where the number is negative."""
    assert seat
    assert pawns
    view["pool"][seat - 1] += pawns
    assert view["pool"][seat - 1] >= 0


def give_back(view: View, effect: Effect) -> None:
    assert effect.target == "pool"
    pay(view, effect.seat, effect.amount)


def supply(view: View, effect: Effect) -> None:
    assert effect.source == "pool"
    assert effect.amount
    pay(view, effect.seat, -effect.amount)


def enter(view: View, effect: Effect) -> None:
    """PO7: only on the own START."""
    assert view["platforms"][effect.target]["start"] == effect.seat
    pay(view, effect.seat, -1)
    put(view, effect.target, effect.seat)


def exit_center(view: View, effect: Effect) -> None:
    """PO8: only from CENTER."""
    assert view["platforms"][effect.source]["center"]
    take(view, effect.source, effect.seat, 1)
    pay(view, effect.seat, 1)


def fulfil(view: View, effect: Effect) -> None:
    view["centered"][effect.seat - 1] = True


def pass_over(view: View, effect: Effect) -> None:
    """PO20: the roll is used up."""
    view["d8"] = None


def roll(view: View, effect: Effect) -> None:
    if effect.word == "first":
        view["contest"][effect.seat - 1] = effect.amount
    else:
        view["d8"] = effect.amount


def tie(view: View, effect: Effect) -> None:
    """PO3: the seat is to roll again."""
    view["contest"][effect.owner - 1] = None


def drop(view: View, effect: Effect) -> None:
    view["contest"][effect.owner - 1] = "out"


def start(view: View, effect: Effect) -> None:
    view["contest"] = None


def leave(view: View, effect: Effect) -> None:
    """PO13: in a contest, the seat is out at once."""
    if view["contest"]:
        drop(view, effect)


def remove(view: View, effect: Effect) -> None:
    """PO13: pawns of who left."""
    assert effect.target == "pool"
    assert effect.amount
    take(view, effect.source, effect.owner, effect.amount)
    pay(view, effect.owner, effect.amount)


RETOLD = {
    "placed": place,
    "joined": join,
    "launched": launch,
    "consumed": consume,
    "banished": banish,
    "summoned": summon,
    "arrived": arrive,
    "returned": give_back,
    "supplied": supply,
    "entered": enter,
    "exited": exit_center,
    "centered": fulfil,
    "passed": pass_over,
    "rolled": roll,
    "tied": tie,
    "outrolled": drop,
    "started": start,
    "left": leave,
    "removed": remove,
    "lapsed": pass_over,
}


def settle(view: View, effects: Sequence[Effect]) -> None:
    """PO19: a roll is for one move. When the match is over, no roll is awaited or used."""
    if effects[0].chosen or is_over(effects):
        view["d8"] = None
    if is_over(effects):
        view["contest"] = None
