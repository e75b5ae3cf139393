"""Clocks: the deadline of the seat on turn, in matches with limits.

`move_ms` is a seat's time for one decision. `match_ms` is its time for all decisions together, as on a chess clock; it
grows by `increment_ms`, if there is one, with each move that the seat makes. The deadline is when the first of them
runs out. The clock of a decision starts with the event that made it due. Only recorded times count, so every replay
finds the same deadlines.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from plyscribe.domain.errors import WrongValue
from plyscribe.domain.events import BuiltIn, Limits
from plyscribe.domain.match import Match, Play
from plyscribe.domain.ruleset import Decision

MIN_LIMIT_MS = 1_000
MAX_MOVE_MS = 30 * 24 * 3600 * 1000
MAX_MATCH_MS = 365 * 24 * 3600 * 1000
MAX_INCREMENT_MS = 3600 * 1000
_LONGEST = {"move_ms": MAX_MOVE_MS, "match_ms": MAX_MATCH_MS, "increment_ms": MAX_INCREMENT_MS}


class Deadline(NamedTuple):
    """The seat on turn, and when its time runs out (UTC milliseconds)."""

    seat: int
    at: int


def parse_limits(limits: Mapping[str, Any]) -> Limits:
    """The limits with both times, None for one that is not set, and with the increment if one is set.

    WrongValue when they are out of range or both unset, or when there is no time that the increment could add to.
    """
    complete = Limits(move_ms=limits.get("move_ms"), match_ms=limits.get("match_ms"))
    if limits.keys() - _LONGEST.keys() or not any(value is not None for value in complete.values()):
        raise WrongValue("limits/none", "limits have move_ms, match_ms or both, and perhaps increment_ms")
    increment_ms = limits.get("increment_ms")
    if increment_ms is not None:
        complete["increment_ms"] = increment_ms
        if complete["match_ms"] is None:
            raise WrongValue("limits/increment", "increment_ms adds to match_ms, so give both")
    for name, value in complete.items():
        if value is not None and not (type(value) is int and MIN_LIMIT_MS <= value <= _LONGEST[name]):
            raise WrongValue("limits/range", f"{name} must be {MIN_LIMIT_MS}..{_LONGEST[name]} milliseconds")
    return complete


def find_deadline(match: Match) -> Deadline | None:
    """The deadline of the decision that is due; None when none is due, without limits, and for a built-in bot.

    A built-in bot is late only when the server is, and the seat must not suffer for that.
    """
    turn, play = match.turn, match.play
    if play is None or not isinstance(turn, Decision) or match.life.created.limits is None:
        return None
    if isinstance(match.life.seats[turn.seat - 1].occupant, BuiltIn):
        return None
    return Deadline(turn.seat, play.since + _time_left(match.life.created.limits, play, turn.seat))


def time_used(match: Match, seat: int) -> int:
    """The milliseconds that the seat has used: for its moves, and for the decision during which it left the match.

    The latter counts up to its deadline at most, since the seat had no more time. 0 for a match that cannot be read.
    """
    play, limits = match.play, match.life.created.limits
    if play is None:
        return 0
    used = play.time_used(seat)
    for leaver, ms in play.unmade:
        if leaver == seat:
            used += ms if limits is None else min(ms, _time_left(limits, play, seat))
    return used


def time_left(match: Match, seat: int) -> int | None:
    """The milliseconds that the seat has left of its time for the whole match; None without such a limit."""
    limits, play = match.life.created.limits, match.play
    whole = None if limits is None or play is None else _time_for_match(limits, play, seat)
    return None if whole is None else max(0, whole - time_used(match, seat))


def _time_left(limits: Limits, play: Play, seat: int) -> int:
    """The milliseconds left to a seat for its next decision, after the moves that it has made."""
    for_move, for_match = limits["move_ms"], _time_for_match(limits, play, seat)
    left = [for_move] if for_move is not None else []
    if for_match is not None:
        left.append(max(0, for_match - play.time_used(seat)))
    shortest: int = min(left)
    return shortest


def _time_for_match(limits: Limits, play: Play, seat: int) -> int | None:
    """The milliseconds that a seat has had so far for all its decisions; None without such a limit."""
    whole, increment = limits["match_ms"], limits.get("increment_ms", 0)
    return whole + increment * play.count_moves(seat) if whole is not None and increment else whole
