"""The arithmetic of clocks: how much time a seat has after the moves that it has made, whatever kind of clock it is.

A seat has a time for each move, a time for all its moves together, or both. The time for all moves comes in phases.
Each begins once the seat has made so many moves, adds its time and has a bonus of its own for each move from then on:

- an increment (Fischer) is added after each move, however long it took;
- a delay (US delay, "simple delay") passes before the clock of each move begins to run down;
- a Bronstein delay is added after each move, but never more than the move took: so the time never grows by a move.

A delay and a Bronstein delay of the same length leave the same time after a move. They differ in when time runs out:
only the former can still be waited for when the time for all moves is nearly over.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

BONUSES = ("increment_ms", "delay_ms", "bronstein_ms")
"""The names of the kinds of bonus in limits. A phase has at most one."""


class Phase(NamedTuple):
    """The time that is added once a seat has made `after` moves, and the bonus of its moves from then on (ms)."""

    after: int
    add_ms: int
    increment_ms: int = 0
    delay_ms: int = 0
    bronstein_ms: int = 0

    def charge(self, ms: int) -> int:
        """What a move that took so long takes from the time; with an increment it may be negative, which adds."""
        if self.increment_ms:
            return ms - self.increment_ms
        return max(0, ms - self.delay_ms - self.bronstein_ms)


class Timing(NamedTuple):
    """The time of a seat: for each move (None: no such limit), and for all moves in phases (empty: no such limit)."""

    move_ms: int | None
    phases: tuple[Phase, ...]

    def find_phase(self, moves: int) -> Phase:
        """The phase that holds for the next move after so many; needs phases."""
        return next(phase for phase in reversed(self.phases) if phase.after <= moves)

    def time_after(self, spent: Sequence[int]) -> int | None:
        """The time left after moves that took so long, in order; negative by as much as the last of them came late.

        None without a time for all moves.
        """
        if not self.phases:
            return None
        moves = len(spent)
        left = sum(phase.add_ms for phase in self.phases if phase.after <= moves)
        if len(self.phases) == 1:
            [only] = self.phases
            if not (only.delay_ms or only.bronstein_ms):
                return left + moves * only.increment_ms - sum(spent)
        return left - sum(self.find_phase(place).charge(ms) for place, ms in enumerate(spent))

    def time_for_next(self, moves: int, left: int | None, more_for_move: int = 0) -> int:
        """The time for the next move, from the time left for all moves; never negative.

        `more_for_move` is added to the time for each move.
        """
        limits = [] if self.move_ms is None else [self.move_ms + more_for_move]
        if left is not None:
            limits.append(left + self.find_phase(moves).delay_ms)
        return max(0, min(limits))

    def time_while(self, moves: int, left: int, ms: int) -> int:
        """What is left of the time for all moves while the next move has taken so long already; never negative."""
        return max(0, left - (max(0, ms - self.find_phase(moves).delay_ms)))


def read_timing(limits: Mapping[str, Any], seat: int) -> Timing:
    """The timing of a seat under the limits of its match."""
    for odds in limits.get("seats", ()):
        if odds["seat"] == seat:
            limits = odds
    if limits["match_ms"] is None:
        return Timing(limits["move_ms"], ())
    first = Phase(0, limits["match_ms"], *_read_bonus(limits))
    more = (Phase(each["after"], each["add_ms"], *_read_bonus(each)) for each in limits.get("phases", ()))
    return Timing(limits["move_ms"], (first, *more))


def _read_bonus(given: Mapping[str, Any]) -> list[int]:
    return [given.get(name, 0) for name in BONUSES]
