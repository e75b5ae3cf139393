"""The bars with the players around a board, and the seat that looks at it."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from flask import request

from plyscribe.domain.deadlines import find_deadline, time_left, time_stopped
from plyscribe.domain.events import Account
from plyscribe.domain.imported import is_address
from plyscribe.domain.match import Match
from plyscribe.domain.ruleset import Decision, Roll

SEEN = "seen"
"""The parameter of the query with the seat that the board is seen from."""


def choose_view(state: Match, held: Sequence[int]) -> int:
    """The seat that the board is seen from: the one in the query, or else the visitor's own, or else seat 1."""
    asked = request.args.get(SEEN, type=int)
    if asked is not None and 1 <= asked <= len(state.life.seats):
        return asked
    return held[0] if held else 1


def format_view() -> str:
    """The part of the query that keeps the seat which was asked for: `&seen=2`, or nothing."""
    asked = request.args.get(SEEN, type=int)
    return "" if asked is None else f"&{SEEN}={asked}"


def turn_query(view: int, count: int) -> str:
    """The query of this page with the board seen from the next of `count` seats."""
    return f"?{urlencode({**request.args, SEEN: view % max(1, count) + 1})}"


Bar = dict[str, Any]


def describe_bars(state: Match, names: Sequence[str], held: Sequence[int], view: int) -> dict[str, list[Bar]]:
    """The bars above the board and below it. The seat that looks is below, the next ones are above, in order.

    A recorder holds every seat and is none of the players, so no bar says `you` to them.
    """
    count = len(names)
    own = held if len(held) < count else ()
    left = state.play.left if state.play else []
    bars = [_describe_bar(state, seat, names, own, left) for seat in range(1, count + 1)]
    order = [(view - 1 + step) % count for step in range(count)]
    return {"above": [bars[each] for each in order[1:]], "below": [bars[each] for each in order[:1]]}


def _describe_bar(state: Match, seat: int, names: Sequence[str], held: Sequence[int], left: Sequence[int]) -> Bar:
    life, turn = state.life, state.turn
    deadline, stopped, who = find_deadline(state), time_stopped(state), life.seats[seat - 1].occupant
    is_playing = life.status == "playing" and state.fault is None
    return {
        "seat": seat,
        "name": names[seat - 1],
        "player": who.player if isinstance(who, Account) and not is_address(state.stream) else None,
        "is_mine": seat in held,
        "is_invited": who is not None and not life.seats[seat - 1].seated,
        "is_on_turn": is_playing and isinstance(turn, Decision | Roll) and turn.seat == seat,
        "left": seat in left,
        "rank": life.outcome.ranks[seat - 1] if life.outcome else None,
        "left_ms": stopped.left_ms if stopped and stopped.seat == seat else time_left(state, seat),
        "deadline": deadline.at if deadline and deadline.seat == seat else None,
    }
