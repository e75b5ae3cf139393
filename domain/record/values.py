"""The values that make up a record, and the line of play that checks them."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any

from plyscribe.domain import effects
from plyscribe.domain.decide.play import drawn_ranks
from plyscribe.domain.errors import RollError, WrongTime, WrongValue
from plyscribe.domain.events import DRAW_AGREED, WITHDRAWAL_CAUSES, DiceRolled, LineStep, MoveMade, SeatWithdrawn
from plyscribe.domain.phrases import say
from plyscribe.domain.replay import TakenStep
from plyscribe.domain.ruleset import AnyRuleset, Decision, Over, Roll, Turn
from plyscribe.domain.rulesets import find_ruleset

UNKNOWN_NAME = "?"
"""The name of an unknown player, or of an empty seat."""


@dataclass(frozen=True, slots=True)
class AgreedDraw:
    """All seats in play agreed to a draw, which ends the match."""


Step = LineStep | AgreedDraw
"""A step of a match, in the shape of its event where there is one."""


@dataclass(frozen=True, slots=True)
class Comment:
    """A remark made after `after` steps."""

    after: int
    text: str


@dataclass(frozen=True, slots=True)
class Record:
    """A match as on a score sheet: names, options and every step of the surviving line, but no times and no actors.

    `options` are complete; `seats` are names; `about` are all further headers (date, place, ..). `comments` are in
    order. `outcome` follows from the steps; None if the match is unfinished.
    """

    ruleset: str
    ruleset_version: int
    options: dict[str, Any]
    seats: tuple[str, ...]
    about: dict[str, str]
    steps: tuple[Step, ...] = ()
    comments: tuple[Comment, ...] = ()
    outcome: Over | None = None


class Line:
    """A match that grows step by step. A step that breaks the rules raises DomainError and changes nothing."""

    def __init__(self, ruleset: AnyRuleset, options: dict[str, Any], seats: int) -> None:
        self.ruleset = ruleset
        self.options = options
        self.state = ruleset.initial_state(options, seats)
        self.ply = 0
        self.steps: list[Step] = []
        self._seats = seats

    @classmethod
    def go_on(cls, ruleset: AnyRuleset, options: dict[str, Any], seats: int, state: Any, ply: int) -> "Line":
        """A line that begins with a position in which `ply` moves have been made."""
        line = cls(ruleset, options, seats)
        line.state, line.ply = state, ply
        return line

    @property
    def turn(self) -> Turn:
        """The decision or roll that is due, or the end."""
        return self.ruleset.turn(self.state)

    @property
    def outcome(self) -> Over | None:
        """How the match ended; None while it goes on."""
        turn = self.turn
        return turn if isinstance(turn, Over) else None

    def follow(self, step: Step) -> None:
        """Take the step of another line; this line decides its seat and what its dice are for."""
        match step:
            case MoveMade(move=text):
                self.move(text)
            case DiceRolled(values=values):
                self.roll(values)
            case SeatWithdrawn(seat, cause):
                self.withdraw(seat, cause)
            case AgreedDraw():
                self.agree_draw()

    def expect_decision(self) -> Decision:
        """The decision that is due; WrongTime if none is."""
        turn = self._expect_going_on()
        if isinstance(turn, Roll):
            raise WrongTime("move/roll-due", f"a roll is due first: {describe_turn(turn)}", ply=self.ply)
        return turn

    def move(self, text: str) -> None:
        """Make the move for the seat on turn."""
        turn = self.expect_decision()
        self.state = self.ruleset.apply_move(self.state, self.ruleset.parse_move(self.state, text))
        self.ply += 1
        self.steps.append(MoveMade(turn.seat, text))

    def roll(self, values: tuple[int, ...], purpose: str | None = None, seat: int | None = None) -> None:
        """Enter the values of the roll that is due; `purpose` and `seat`, if given, must be those of that roll."""
        turn = self._expect_going_on()
        if isinstance(turn, Decision):
            raise WrongTime("roll/not-due", f"no roll is due: {describe_turn(turn)}", ply=self.ply)
        if purpose not in (None, turn.purpose) or seat not in (None, turn.seat):
            raise RollError(say("another roll is due: {turn}", turn=describe_turn(turn)))
        self.state = self.ruleset.apply_roll(self.state, values)
        self.steps.append(DiceRolled(turn.sides, turn.count, turn.purpose, turn.seat, values))

    def withdraw(self, seat: int, cause: str) -> None:
        """Take a seat out of the match."""
        self._expect_going_on()
        if cause not in WITHDRAWAL_CAUSES:
            allowed = ", ".join(WITHDRAWAL_CAUSES)
            raise WrongValue("withdrawal/cause", f"cause is {cause!r}; allowed: {allowed}")
        self.state = self.ruleset.withdraw(self.state, seat)
        self.steps.append(SeatWithdrawn(seat, cause))

    def agree_draw(self) -> None:
        """End the match in a draw of all seats in play."""
        self._expect_going_on()
        left: Sequence[int] = self.ruleset.view(self.state)["left"]
        self.state = self.ruleset.end(self.state, Over(DRAW_AGREED, drawn_ranks(self._seats, left)))
        self.steps.append(AgreedDraw())

    def _expect_going_on(self) -> Decision | Roll:
        turn = self.turn
        if isinstance(turn, Over):
            raise WrongTime("match/over", f"nothing follows: {describe_turn(turn)}", ply=self.ply)
        return turn


def trace_steps(record: Record) -> Iterator[TakenStep]:
    """The steps of a record with the states around them. The version of a step is its number."""
    line = Line(find_ruleset(record.ruleset, record.ruleset_version), record.options, len(record.seats))
    for number, step in enumerate(record.steps, 1):
        before = line.state
        line.follow(step)
        done, seat, notation = _read_step(line.ruleset, before, step)
        yield TakenStep(number, line.ply, done, seat, notation, before, line.state)


def _read_step(ruleset: AnyRuleset, state: Any, step: Step) -> tuple[effects.Step, int | None, str | None]:
    match step:
        case MoveMade(seat, move):
            return effects.Moved(ruleset.parse_move(state, move)), seat, move
        case DiceRolled(seat=seat, values=values):
            return effects.Rolled(tuple(values)), seat, None
        case SeatWithdrawn(seat):
            return effects.Withdrew(seat), seat, None
    return effects.Ended(), None, None


def add_comments(record: Record, texts: Iterable[str]) -> Record:
    """The record with these comments, one for each step in order; an empty one, or one that is there, is not added."""
    known = set(record.comments)
    added = [Comment(after, text) for after, text in enumerate(texts, 1) if text]
    comments = [*(comment for comment in added if comment not in known), *record.comments]
    return replace(record, comments=tuple(sorted(comments, key=attrgetter("after"))))


def describe_turn(turn: Turn) -> str:
    """The turn in words."""
    match turn:
        case Decision(seat):
            return f"seat {seat} is to move"
        case Roll(sides, count, purpose, seat):
            return f"{count}d{sides} for {purpose}" + (f" of seat {seat}" if seat else "")
        case Over():
            return f"the match is over, {format_outcome(turn)}"


def format_outcome(outcome: Over | None) -> str:
    """The value of a result header: ranks by seat and the reason, `*` for an unfinished match."""
    return "*" if outcome is None else f"{'-'.join(map(str, outcome.ranks))} {outcome.reason}"
