"""Positions of portals for tests: played to, or laid out; and what is legal in them."""

from collections.abc import Sequence
from typing import Any

from plyscribe.domain.ruleset import Over
from plyscribe.domain.rulesets.portals_v1 import PORTALS_V1
from plyscribe.domain.rulesets.portals_v1.state import DECISIONS, DEMONS, Flow, State, move_pawns
from tests.domain.rules import Rules

RULES = Rules(PORTALS_V1)
play, legal, refuse = RULES.play, RULES.legal, RULES.refuse
COLOURS = {"*": DEMONS, **{str(seat): seat for seat in range(1, 7)}}


def start(seats: int = 2, **options: Any) -> State:
    """A start at radius 2 where seat 1 plays first, unless the options say otherwise.

    e      e3  e4  e5         START of two seats: e3, a3
    d    d2  d3  d4  d5       of three: e3, c5, a1
    c  c1  c2  c3  c4  c5     CENTER: c3
    b    b1  b2  b3  b4
    a      a1  a2  a3
    """
    state: State = RULES.start(seats, **{"radius": 2, "first": 1, **options})
    return state


def position(
    builds: Sequence[str] = (),
    pawns: str = "",
    *,
    seat: int = 1,
    centered: Sequence[int] = (),
    d8: int | None = None,
    seats: int = 2,
    full: bool = False,
    **options: Any,
) -> State:
    """A position with `seat` on turn, in which these elements were built, by whomever; `pawns` such as `e3:1 c3:**`.

    If it is `full`, all other fields are platforms that no arrow joins.
    """
    state = start(seats, **options)
    board = state.setup.board
    for build in builds:
        word, name, *lists = build.split(" ")
        number, arrows = board.numbers[name], sum(board.spelled[name][text] for text in lists)
        if word == "portal":
            state = state._replace(
                portals=state.portals | 1 << number, net=state.net | board.of_portal[arrows] << number
            )
        else:
            state = state._replace(
                platforms=state.platforms | 1 << number, net=state.net | board.of_platform[arrows] << number
            )
    if full:
        state = state._replace(platforms=board.everywhere & ~state.portals)
    for pair in pawns.split():
        name, marks = pair.split(":")
        for mark in marks:
            state = put(state, COLOURS[mark], 1 << board.numbers[name])
    turn = DECISIONS[seat] if d8 else state.setup.turns[seat]
    return state._replace(turn=turn, d8=d8, centered=sum(1 << other for other in centered))


def put(state: State, colour: int, field: int) -> State:
    flow = Flow(on=field) if colour else Flow(demons_on=field)
    pawns, taken, piles, pool = move_pawns(state, colour or 1, flow)
    return state._replace(pawns=pawns, taken=taken, piles=piles, pool=pool)


def look(state: State, key: str) -> Any:
    return PORTALS_V1.view(state)[key]


def pawns_of(state: State) -> str:
    """Who stands where, as `position` takes it."""
    found = {name: (p["colour"], p["pawns"]) for name, p in look(state, "platforms").items() if p["pawns"]}
    return " ".join(f"{name}:{('*' if who == 'demon' else str(who)) * many}" for name, (who, many) in found.items())


def ends(state: State, reason: str, *ranks: int) -> bool:
    return PORTALS_V1.turn(state) == Over(reason, ranks)
