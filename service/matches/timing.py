"""Whether the moves of a new match are timed."""

from dataclasses import replace

from plyscribe.domain.commands import CreateMatch
from plyscribe.domain.layouts import TIMED_MOVES
from plyscribe.domain.limits import choose_lag


def time_moves(command: CreateMatch, layout: int) -> CreateMatch:
    """The command that creates a match, so that its moves say how long they took, if it has limits.

    While an older release works on the same store, whose data has an older `layout`, they do not: it could not read
    them.
    """
    if command.limits is None or layout < TIMED_MOVES:
        return command
    return replace(command, lag_ms=choose_lag(command.limits))
