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


class Stopped(NamedTuple):
    """The seat on turn in a pause, and the milliseconds that it has left."""

    seat: int
    left_ms: int


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
    """The deadline of the decision that is due; None without one, without limits, in a pause, and for a built-in bot.

    A built-in bot is late only when the server is, and the seat must not suffer for that.
    """
    turn, play = match.turn, match.play
    if play is None or play.pause or not isinstance(turn, Decision) or match.life.created.limits is None:
        return None
    if isinstance(match.life.seats[turn.seat - 1].occupant, BuiltIn):
        return None
    return Deadline(turn.seat, play.since + _time_left(match.life.created.limits, play, turn.seat, play.length))


def time_for_decision(match: Match) -> int | None:
    """The milliseconds that the seat on turn has for the decision that is due, from its beginning, also in a pause.

    None when no clock runs down: none is due, there are no limits, or a built-in bot is on turn.
    """
    without_pause = match._replace(play=match.play._replace(pause=None)) if match.play else match
    deadline = find_deadline(without_pause)
    return None if deadline is None or match.play is None else deadline.at - match.play.since


def time_stopped(match: Match) -> Stopped | None:
    """The seat on turn during a pause, and the milliseconds that it has left when its clock runs again.

    None without a pause, and where no clock runs down.
    """
    play, turn, whole = match.play, match.turn, time_for_decision(match)
    if play is None or play.pause is None or whole is None or not isinstance(turn, Decision):
        return None
    return Stopped(turn.seat, max(0, whole - play.elapsed_at(play.pause.at)))


def time_used(match: Match, seat: int) -> int:
    """The milliseconds that the seat has used: for its moves, and for the decision during which it left the match.

    The latter counts up to its deadline at most, since the seat had no more time. 0 for a match that cannot be read.
    """
    play, limits = match.play, match.life.created.limits
    if play is None:
        return 0
    used = play.time_used(seat)
    for leaver, ms, length in play.unmade:
        if leaver == seat:
            used += ms if limits is None else min(ms, _time_left(limits, play, seat, length))
    return used


def time_left(match: Match, seat: int) -> int | None:
    """The milliseconds that the seat has left of its time for the whole match; None without such a limit."""
    limits, play = match.life.created.limits, match.play
    whole = None if limits is None or play is None else _time_for_match(limits, play, seat)
    return None if whole is None else max(0, whole - time_used(match, seat))


def find_time_left(match: Match, seat: int, at: int) -> int | None:
    """The milliseconds that the seat has left at this time, with its clock running or not; never negative.

    Of its time for the whole match, or without such a limit of its time for the decision that is due. None without
    limits.
    """
    limits, play = match.life.created.limits, match.play
    if limits is None or play is None:
        return None
    left = time_left(match, seat)
    if left is None:
        left = _time_left(limits, play, seat, play.length)
    return max(0, left - (play.elapsed_at(at) if play.turn == Decision(seat) else 0))


def _time_left(limits: Limits, play: Play, seat: int, length: int) -> int:
    """The milliseconds left to a seat for a decision after so many steps of the line, after the moves it has made."""
    for_move, for_match = limits["move_ms"], _time_for_match(limits, play, seat)
    if for_move is not None and for_match is None:
        for_move += sum(each.add_ms for each in play.adjustments if each.seat == seat and each.length == length)
    left = [for_move] if for_move is not None else []
    if for_match is not None:
        left.append(max(0, for_match - play.time_used(seat)))
    shortest: int = min(left)
    return shortest


def _time_for_match(limits: Limits, play: Play, seat: int) -> int | None:
    """The milliseconds that a seat has had so far for all its decisions; None without such a limit."""
    whole, increment = limits["match_ms"], limits.get("increment_ms", 0)
    if whole is None:
        return None
    if increment:
        whole += increment * play.count_moves(seat)
    return whole + sum(each.add_ms for each in play.adjustments if each.seat == seat)
