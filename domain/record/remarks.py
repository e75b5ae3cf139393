"""What a record says about time, in its comments: how long each move took, what was left, and pauses.

The commands in brackets are those of PGN: `[%emt 0:00:05]` is the time that a move took, `[%clk 0:09:58]` what its seat
has left after it.
"""

from collections.abc import Iterable, Iterator, Sequence

from plyscribe.domain.chain import StoredEvent
from plyscribe.domain.clocks import Timing, read_timing
from plyscribe.domain.codec import parse_event
from plyscribe.domain.events import ClockAdjusted, MatchPaused, MatchResumed, MoveMade
from plyscribe.domain.line import TracedStep
from plyscribe.domain.match import LINE, Match, Play
from plyscribe.domain.record.values import Comment

TIME_CONTROL = "time_control"
"""The header with the notation of the limits."""


def list_remarks(match: Match, steps: Sequence[TracedStep], entries: Iterable[StoredEvent]) -> tuple[Comment, ...]:
    """The comments on the times of a match with these steps and these events, in order; empty if nothing is to be said.

    Only in a match with limits do moves have comments.
    """
    found = list(_list_times(match, steps))
    for entry in entries:
        text = _describe_direction(entry)
        if text is not None:
            found.append(Comment(sum(step.version < entry.version for step in steps), " ".join(text.split())))
    return tuple(sorted(found, key=lambda comment: comment.after))


def _list_times(match: Match, steps: Sequence[TracedStep]) -> Iterator[Comment]:
    play, limits = match.play, match.life.created.limits
    if play is None or limits is None:
        return
    clocks = [_Clock(read_timing(limits, seat), play, seat) for seat in range(1, len(match.life.seats) + 1)]
    for number, traced in enumerate(steps, 1):
        if not isinstance(traced.step, MoveMade) or traced.version <= LINE or traced.ply > play.ply:
            continue
        took_ms = play.steps[traced.ply - 1].took_ms
        left_ms = clocks[traced.step.seat - 1].move(took_ms, number)
        said = f"[%emt {format_clock(took_ms)}]"
        yield Comment(number, said if left_ms is None else f"{said} [%clk {format_clock(left_ms)}]")


class _Clock:
    """The clock of a seat, move by move."""

    def __init__(self, timing: Timing, play: Play, seat: int) -> None:
        self._timing = timing
        self._adjustments = [(each.length, each.add_ms) for each in play.adjustments if each.seat == seat]
        self._moves = 0
        self._left_ms = timing.phases[0].add_ms if timing.phases else 0

    def move(self, took_ms: int, number: int) -> int | None:
        """What is left after a move, the step with this number, that took so long; None without time for the match."""
        if not self._timing.phases:
            return None
        self._left_ms -= self._timing.find_phase(self._moves).charge(took_ms)
        self._moves += 1
        self._left_ms += sum(phase.add_ms for phase in self._timing.phases if phase.after == self._moves)
        return max(0, self._left_ms + sum(add_ms for length, add_ms in self._adjustments if length < number))


_DIRECTIONS = tuple(f'"type":"{kind.type}"'.encode() for kind in (MatchPaused, MatchResumed, ClockAdjusted))


def _describe_direction(entry: StoredEvent) -> str | None:
    if not any(type in entry.e for type in _DIRECTIONS):
        return None
    match parse_event(entry).data:
        case MatchPaused(why):
            return f"Paused: {why}"
        case MatchResumed(None):
            return "Resumed"
        case MatchResumed(why):
            return f"Resumed: {why}"
        case ClockAdjusted(seat, add_ms, why):
            return f"Seat {seat} has {format_clock(abs(add_ms))} {'less' if add_ms < 0 else 'more'}: {why}"
    return None


def format_clock(ms: int) -> str:
    """Hours, minutes and seconds as PGN has them: `0:09:58`, `0:00:01.25`."""
    seconds, rest = divmod(ms, 1000)
    fraction = f".{rest:03}".rstrip("0") if rest else ""
    return f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}{fraction}"
