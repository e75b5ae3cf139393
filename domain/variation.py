"""Variations: steps tried on a position, without a match."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from plyscribe.domain.effects import Moved, Rolled, Step, Withdrew
from plyscribe.domain.errors import RulesetError
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
    for number, step in enumerate(steps):
        try:
            reached = _take(reached, step)
        except RulesetError as error:
            error.details["step"] = number
            raise
    return reached


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
