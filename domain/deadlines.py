"""Deadlines: when the time of the seat on turn runs out, in matches with limits, and how much time each seat has.

`plyscribe.domain.clocks` says how much time a seat has after the moves that it made. Of the time for one decision and
that for all decisions together, the one that runs out first counts. The clock of a decision starts with the event that
made it due, and stands still during pauses. Only recorded times count, so every replay finds the same deadlines.
"""

from collections.abc import Sequence
from typing import NamedTuple

from plyscribe.domain.clocks import Timing, read_timing
from plyscribe.domain.events import BuiltIn, Limits
from plyscribe.domain.match import Match, Play
from plyscribe.domain.ruleset import Decision


class Deadline(NamedTuple):
    """The seat on turn, and when its time runs out (UTC milliseconds)."""

    seat: int
    at: int


class Stopped(NamedTuple):
    """The seat on turn in a pause, and the milliseconds that it has left."""

    seat: int
    left_ms: int


def find_deadline(match: Match) -> Deadline | None:
    """The deadline of the decision that is due; None without one, without limits, in a pause, and for a built-in bot.

    A built-in bot is late only when the server is, and the seat must not suffer for that.
    """
    turn, play = match.turn, match.play
    if play is None or play.pause or not isinstance(turn, Decision) or match.life.created.limits is None:
        return None
    if isinstance(match.life.seats[turn.seat - 1].occupant, BuiltIn):
        return None
    return Deadline(turn.seat, play.since + _time_for_next(match.life.created.limits, play, turn.seat, play.length))


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
    play = match.play
    return 0 if play is None else play.time_used(seat) + _time_unmade(match.life.created.limits, play, seat)


def time_left(match: Match, seat: int) -> int | None:
    """The milliseconds that the seat has left of its time for the whole match; None without such a limit."""
    limits, play = match.life.created.limits, match.play
    if limits is None or play is None:
        return None
    timing, spent = read_timing(limits, seat), play.list_spent(seat)
    left = _time_for_match(timing, play, seat, spent)
    return None if left is None else timing.time_while(len(spent), left, _time_unmade(limits, play, seat))


def find_time_left(match: Match, seat: int, at: int) -> int | None:
    """The milliseconds that the seat has left at this time, with its clock running or not; never negative.

    Of its time for the whole match, or without such a limit of its time for the decision that is due. None without
    limits.
    """
    limits, play = match.life.created.limits, match.play
    if limits is None or play is None:
        return None
    timing, spent = read_timing(limits, seat), play.list_spent(seat)
    left = _time_for_match(timing, play, seat, spent)
    running = play.elapsed_at(at) if play.turn == Decision(seat) else 0
    if left is None:
        return max(0, _time_for_next(limits, play, seat, play.length) - running)
    return timing.time_while(len(spent), left, running)


def _time_unmade(limits: Limits | None, play: Play, seat: int) -> int:
    """The milliseconds of decisions during which the seat left, up to their deadlines."""
    unmade = [(ms, length) for leaver, ms, length in play.unmade if leaver == seat]
    if limits is None:
        return sum(ms for ms, _ in unmade)
    return sum(min(ms, _time_for_next(limits, play, seat, length)) for ms, length in unmade)


def _time_for_next(limits: Limits, play: Play, seat: int, length: int) -> int:
    """The milliseconds that a seat has for its next decision, which is due after so many steps of the line."""
    timing, spent = read_timing(limits, seat), play.list_spent(seat)
    left, more = _time_for_match(timing, play, seat, spent), 0
    if left is None:
        more = sum(each.add_ms for each in play.adjustments if each.seat == seat and each.length == length)
    return timing.time_for_next(len(spent), left, more)


def _time_for_match(timing: Timing, play: Play, seat: int, spent: Sequence[int]) -> int | None:
    """The milliseconds left of a seat's time for all its moves after those that took so long; None without a limit."""
    left = timing.time_after(spent)
    return None if left is None else left + sum(each.add_ms for each in play.adjustments if each.seat == seat)
