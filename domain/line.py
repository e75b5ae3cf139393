"""The surviving line of a match: the moves, rolls, withdrawals and endings that nobody took back."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from plyscribe.domain.chain import StoredEvent, canonical_json
from plyscribe.domain.codec import Event, dump_data, parse_event
from plyscribe.domain.events import (
    DRAW_AGREED,
    DiceRolled,
    LineCopied,
    LineStep,
    MatchAborted,
    MatchEnded,
    MoveMade,
    MovesTakenBack,
    SeatWithdrawn,
    StepsTakenBack,
)


class TracedStep(NamedTuple):
    """A step on the surviving line, with its event's version, time (UTC milliseconds), cause and actor.

    `ply` is the number of moves up to and including this step. All steps that a fork copied have the version, time,
    cause and actor of its line-copied event.
    """

    step: LineStep | MatchEnded | MatchAborted
    ply: int
    version: int
    at: int
    cause: str
    by: str


def trace_line(
    entries: Iterable[StoredEvent], ply: int = 0, parse: Callable[[StoredEvent], Event] = parse_event
) -> list[TracedStep]:
    """The steps of these events that were not taken back among them, in order.

    `ply` is that of the match before the first of these events. The events must be readable, and must include every
    step that they take back. `parse` reads them, for callers that read the same events again and again.
    """
    line: list[TracedStep] = []
    for entry in entries:
        event = parse(entry)
        data = event.data
        for step in data.steps if isinstance(data, LineCopied) else (data,):
            match step:
                case MoveMade() | DiceRolled() | SeatWithdrawn() | MatchEnded() | MatchAborted():
                    ply += isinstance(step, MoveMade)
                    line.append(TracedStep(step, ply, event.version, event.at, event.cause, event.by))
                case MovesTakenBack(to):
                    line, ply = _cut(line, to), to
                case StepsTakenBack(count):
                    ply -= _undo(line, count)
    return line


def measure_line(line: LineCopied) -> int:
    """The bytes that a fork with this line stores because of it: the line as canonical JSON.

    Its other events have about as many bytes as those of any new match.
    """
    return len(canonical_json(dump_data(line)))


def _cut(line: list[TracedStep], ply: int) -> list[TracedStep]:
    """The steps before move `ply` + 1; all of them if there is no such move."""
    moves = (place for place, traced in enumerate(line) if isinstance(traced.step, MoveMade) and traced.ply > ply)
    return line[: next(moves, len(line))]


def _undo(line: list[TracedStep], count: int) -> int:
    """Take the last steps from the line; the number of moves among them."""
    moves = 0
    while line and count:
        step = line.pop().step
        # An end by the rules goes with the step that led to it.
        if not isinstance(step, MatchEnded) or step.reason == DRAW_AGREED:
            count -= 1
            moves += isinstance(step, MoveMade)
    return moves


def copy_line(entries: Iterable[StoredEvent], ply: int) -> tuple[LineStep, ...]:
    """The line that a fork of the match at this ply begins with: the steps before move `ply` + 1.

    `entries` are the events of the match up to some version without a fault. An agreed draw, and a withdrawal that
    ended the match, are left out, so that the fork can go on.
    """
    line = trace_line(entries)
    if line and isinstance(line[-1].step, MatchEnded):
        ended_by = line.pop().cause
        if line and isinstance(line[-1].step, SeatWithdrawn) and line[-1].cause == ended_by:
            del line[-1]
    steps = (traced.step for traced in _cut(line, ply))
    return tuple(_without_time(step) for step in steps if not isinstance(step, MatchEnded | MatchAborted))


def _without_time(step: LineStep) -> LineStep:
    return MoveMade(step.seat, step.move) if isinstance(step, MoveMade) else step
