"""The moves of Rings and their notation, legal or not.

A move has its payment: `R`, `M`, `T` or `TT`. A kind of unit is what it adds to a field's number; a field is a number.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from plyscribe.domain.phrases import say
from plyscribe.domain.rulesets.rings_v1.board import (
    BORDERS,
    FIELDS,
    KIND_NAMES,
    KINDS,
    NAMES,
    RINGS,
    SLOTS,
    TOP,
    start_of,
)


@dataclass(frozen=True, slots=True)
class Settle:
    """RI4: `start a3`."""

    field: int


@dataclass(frozen=True, slots=True)
class Recruit:
    """RI9: `R +runner`."""

    pay: str
    kind: int


@dataclass(frozen=True, slots=True)
class Walk:
    """RI10: `M warrior a1-b2`."""

    pay: str
    kind: int
    source: int
    target: int


@dataclass(frozen=True, slots=True)
class Propose:
    """RI17: `M ally 3 b3xb4`."""

    pay: str
    ally: int
    source: int
    at: int


@dataclass(frozen=True, slots=True)
class Accept:
    """RI17: `accept b5`."""

    source: int


@dataclass(frozen=True, slots=True)
class Decline:
    """RI17: `decline`."""


@dataclass(frozen=True, slots=True)
class Spin:
    """RI19: `T spin b +`; `step` is 1 or -1."""

    pay: str
    ring: int
    step: int


@dataclass(frozen=True, slots=True)
class Attach:
    """RI20: `T start a5`."""

    pay: str
    field: int


@dataclass(frozen=True, slots=True)
class Swap:
    """RI21: `T swap a1 b1`; the fields are in order."""

    pay: str
    one: int
    two: int


@dataclass(frozen=True, slots=True)
class Drop:
    """RI7: `drop R`."""

    die: str


Use = Drop | Recruit | Walk | Spin | Attach | Swap
Move = Use | Settle | Propose | Accept | Decline
walk = cache(Walk)
"""The Walk with these arguments, cached because a listing has dozens of them."""
SPINS = tuple(Spin("T", ring, step) for ring in range(len(RINGS)) for step in (1, -1))
ATTACHES = tuple(Attach("T", field) for field in range(SLOTS))
SWAPS = tuple(Swap("T", one, two) for one, two in BORDERS)
EXPECTED = say(
    "R +runner, M warrior s1-b2, M ally 3 b3xb4, accept b5, decline, T spin b +, T start a5, T swap a1 b1, drop R "
    "or, before the first round, start a3"
)

_PAY = "(?P<pay>R|M|TT?)"
_UNIT = "(?P<kind>runner|warrior|blocker)"
_FORMS: dict[type[Move], str] = {
    Settle: "start {field}",
    Recruit: rf"{_PAY} \+{_UNIT}",
    Walk: f"{_PAY} {_UNIT} {{source}}-{{target}}",
    Propose: f"{_PAY} ally (?P<ally>[1-4]) {{source}}x{{at}}",
    Accept: "accept {source}",
    Decline: "decline",
    Spin: rf"{_PAY} spin (?P<ring>[a-d]) (?P<step>[+-])",
    Attach: f"{_PAY} start {{field}}",
    Swap: f"{_PAY} swap {{one}} {{two}}",
    Drop: "drop (?P<die>[RMT])",
}
_PLACES = ("field", "source", "target", "at", "one", "two")
_FIELD_GROUPS = {place: f"(?P<{place}>[a-d][1-7]|top|s[1-4])" for place in _PLACES}
_NOTATION: list[tuple[type[Move], re.Pattern[str]]] = [
    (kind, re.compile(form.format(**_FIELD_GROUPS))) for kind, form in _FORMS.items()
]
_READ: dict[str, Callable[[str], Any]] = {
    **dict.fromkeys(_PLACES, FIELDS.__getitem__),
    "kind": KINDS.__getitem__,
    "ally": int,
    "ring": RINGS.index,
    "step": {"+": 1, "-": -1}.__getitem__,
}


def read_move(text: str, seats: int) -> Move | None:
    """The move in this notation, at a table with this number of seats; None if it is not well-formed."""
    return _read_move(text, seats) if len(text) <= LONGEST else None


LONGEST = 32
"""No notation has more characters."""


@lru_cache(4096)
def _read_move(text: str, seats: int) -> Move | None:
    for kind, notation in _NOTATION:
        if found := notation.fullmatch(text):
            move = kind(**{name: _READ.get(name, str)(value) for name, value in found.groupdict().items()})
            return move if _exists(move, seats) else None
    return None


def _exists(move: Move, seats: int) -> bool:
    """Whether everything that the move names exists, and its fields are in order."""
    if isinstance(move, Swap) and _order(move.one) >= _order(move.two):
        return False
    named = [getattr(move, place, TOP) for place in _PLACES]
    return max(named) <= start_of(seats) and getattr(move, "ally", 1) <= seats


def _order(field: int) -> tuple[str, str]:
    return NAMES[field][0], NAMES[field][1:]


def format_move(move: Move) -> str:
    """The notation of a move; inverse of read_move."""
    match move:
        case Settle(field):
            return f"start {NAMES[field]}"
        case Recruit(pay, kind):
            return f"{pay} +{KIND_NAMES[kind]}"
        case Walk(pay, kind, source, target):
            return f"{pay} {KIND_NAMES[kind]} {NAMES[source]}-{NAMES[target]}"
        case Propose(pay, ally, source, at):
            return f"{pay} ally {ally} {NAMES[source]}x{NAMES[at]}"
        case Accept(source):
            return f"accept {NAMES[source]}"
        case Decline():
            return "decline"
        case Spin(pay, ring, step):
            return f"{pay} spin {RINGS[ring]} {'+' if step > 0 else '-'}"
        case Attach(pay, field):
            return f"{pay} start {NAMES[field]}"
        case Swap(pay, one, two):
            return f"{pay} swap {NAMES[one]} {NAMES[two]}"
        case Drop(die):
            return f"drop {die}"
