"""Forks: the line of a match up to a ply, which another match begins with."""

from collections.abc import Iterable, Sequence

from plyscribe.domain.chain import StoredEvent
from plyscribe.domain.codec import parse_event
from plyscribe.domain.events import (
    DiceRolled,
    LineCopied,
    LineStep,
    MatchEnded,
    MoveMade,
    MovesTakenBack,
    SeatWithdrawn,
)


def trace_line(entries: Iterable[StoredEvent], ply: int) -> tuple[LineStep, ...]:
    """What led from the first position of a match to the one just before move `ply` + 1 on its surviving line.

    A withdrawal that ended the match is left out, as an agreed draw is: from there on another match can be played.
    The events must be those of a match up to any version without a fault.
    """
    line: list[LineStep] = []
    last_withdrawal = ""
    for entry in entries:
        event = parse_event(entry)
        match event.data:
            case LineCopied(steps):
                line = list(steps)
            case MoveMade() | DiceRolled() as step:
                line.append(step)
            case SeatWithdrawn() as step:
                line.append(step)
                last_withdrawal = event.cause
            case MovesTakenBack(to):
                line = _cut(line, to)
            case MatchEnded() if event.cause == last_withdrawal and isinstance(line[-1], SeatWithdrawn):
                del line[-1]
    return tuple(_cut(line, ply))


def _cut(line: Sequence[LineStep], ply: int) -> list[LineStep]:
    """The steps before move `ply` + 1; all, where there is no such move."""
    moves = [place for place, step in enumerate(line) if isinstance(step, MoveMade)]
    return list(line[: moves[ply]]) if ply < len(moves) else list(line)
