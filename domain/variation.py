"""Variations: steps tried on a position, without a match."""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from plyscribe.domain.effects import Moved, Rolled, Step, Withdrew
from plyscribe.domain.errors import RulesetError
from plyscribe.domain.events import DiceRolled, LineStep, MoveMade, SeatWithdrawn
from plyscribe.domain.replay import TakenStep
from plyscribe.domain.ruleset import AnyRuleset, Decision, Roll, require_seats


class Reached(NamedTuple):
    """A position that is reached without a match, and the step that led to it, if one did."""

    ruleset: AnyRuleset
    state: Any
    ply: int
    last: TakenStep | None = None


Tried = str | Rolled | Withdrew
"""A step to try: the notation of a move, what the dice show, or the seat that leaves."""


def begin(ruleset: AnyRuleset, options: dict[str, Any], seats: int) -> Reached:
    """The starting position; OptionError for wrong options or a wrong number of seats."""
    require_seats(ruleset, seats)
    return Reached(ruleset, ruleset.initial_state(ruleset.parse_options(options), seats), 0)


def follow(start: Reached, steps: Iterable[Tried]) -> Reached:
    """The position after these steps.

    MoveError, RollError or NotInPlay for the first that the rules refuse, with its number from 0 as the detail `step`.
    """
    reached = start
    for reached in trace(start, steps):  # noqa: B007 (the last one is wanted)
        pass
    return reached


def trace(start: Reached, steps: Iterable[Tried]) -> Iterator[Reached]:
    """The position after each of these steps; the errors of `follow`."""
    reached = start
    for number, step in enumerate(steps):
        try:
            reached = _take(reached, step)
        except RulesetError as error:
            error.details["step"] = number
            raise
        yield reached


def write_line(start: Reached, steps: Iterable[Tried]) -> tuple[LineStep, ...]:
    """The steps as the line that a match begins with; the errors of `follow`. Seats leave as if they resigned."""
    return tuple(_write_step(start.ruleset, reached.last) for reached in trace(start, steps) if reached.last)


def _write_step(ruleset: AnyRuleset, taken: TakenStep) -> LineStep:
    match taken.step:
        case Rolled(values):
            roll = ruleset.turn(taken.before)
            assert isinstance(roll, Roll)  # or no roll would be allowed
            return DiceRolled(roll.sides, roll.count, roll.purpose, roll.seat, values)
        case Withdrew(seat):
            return SeatWithdrawn(seat, "resigned")
    assert taken.seat is not None  # it has moved
    assert taken.notation is not None
    return MoveMade(taken.seat, taken.notation)


def read_line(line: Iterable[LineStep]) -> list[Tried]:
    """The steps of a line as steps to try."""
    return [_read_step(step) for step in line]


def _read_step(step: LineStep) -> Tried:
    match step:
        case MoveMade(move=move):
            return move
        case DiceRolled(values=values):
            return Rolled(values)
        case SeatWithdrawn(seat):
            return Withdrew(seat)


def _take(reached: Reached, tried: Tried) -> Reached:
    ruleset, before, turn = reached.ruleset, reached.state, reached.ruleset.turn(reached.state)
    step: Step
    match tried:
        case Rolled(values):
            after, step, seat = ruleset.apply_roll(before, values), tried, turn.seat if isinstance(turn, Roll) else None
        case Withdrew(leaver):
            after, step, seat = ruleset.withdraw(before, leaver), tried, leaver
        case str():
            move = ruleset.parse_move(before, tried)
            after, step = ruleset.apply_move(before, move), Moved(move)
            assert isinstance(turn, Decision)  # or no move would be legal
            seat = turn.seat
    notation = tried if isinstance(tried, str) else None
    ply = reached.ply + isinstance(step, Moved)
    return Reached(ruleset, after, ply, TakenStep(0, ply, step, seat, notation, before, after))
