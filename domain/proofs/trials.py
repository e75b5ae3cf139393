"""Trials: legal matches to hold rules against, drawn at random or taken from other matches.

A trial has its steps as transcripts have them: `move d4`, `roll 3 5`, `withdraw 2`.
"""

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from plyscribe.domain.errors import NotInPlay, OptionError
from plyscribe.domain.events import DiceRolled, MoveMade, SeatWithdrawn
from plyscribe.domain.proofs.perft import fixed_dice, fixed_randbelow
from plyscribe.domain.proofs.playthrough import apply_step
from plyscribe.domain.record.values import UNKNOWN_NAME, Line, Record
from plyscribe.domain.record.values import Step as RecordStep
from plyscribe.domain.ruleset import AnyRuleset, Decision, Over, RandBelow, Roll, Turn

LEAVES_ONE_IN = 20
GREEDY_SAMPLES = 4

MOVE, ROLL, WITHDRAW = "move ", "roll ", "withdraw "
"""How the text of a step begins."""


class Trial(NamedTuple):
    """The seats, the complete options and the steps of a match. It may stop anywhere."""

    seats: int
    options: dict[str, Any]
    steps: tuple[str, ...] = ()


class Walk(NamedTuple):
    """A legal trial with its states: `states[n]` stands after n steps."""

    trial: Trial
    states: tuple[Any, ...]

    def cut(self, steps: int) -> "Walk":
        """The walk that stops after so many steps."""
        return Walk(self.trial._replace(steps=self.trial.steps[:steps]), self.states[: steps + 1])


def walk(ruleset: AnyRuleset, trial: Trial, most: int | None = None) -> Walk | None:
    """The trial as far as the rules allow it, in at most so many steps; None if they refuse its options or seats.

    A step that is not legal is left out. If dice are due and no roll of the trial fits, they all show a one.
    """
    try:
        start = ruleset.initial_state(trial.options, trial.seats)
    except OptionError:
        return None
    walker = _Walker(ruleset, start, most)
    for step in trial.steps:
        walker.follow(step)
    return Walk(trial._replace(steps=tuple(walker.steps)), tuple(walker.states))


def walk_by_seats(ruleset: AnyRuleset, walked: Walk, dropped: range, most: int, turned: int = 0) -> Walk:
    """The walk without some of its steps, where each seat keeps the order of its own steps, as the dice keep theirs.

    A seat that has none left, or none that is legal, makes its first legal move. With `turned`, seats pass their steps
    on to the seat so many places further.
    """
    trial, states = walked
    waiting: dict[int, deque[str]] = {}
    for place, step in enumerate(trial.steps):
        if place not in dropped:
            seat = _find_seat(ruleset.turn(states[place]))
            waiting.setdefault(seat and (seat - 1 + turned) % trial.seats + 1, deque()).append(step)
    walker = _Walker(ruleset, states[0], most)
    while any(waiting.values()) and walker.go_on(waiting):
        pass
    return Walk(trial._replace(steps=tuple(walker.steps)), tuple(walker.states))


def _find_seat(turn: Turn) -> int:
    """The seat that makes a move; 0 for dice."""
    return turn.seat if isinstance(turn, Decision) else 0


class _Walker:
    def __init__(self, ruleset: AnyRuleset, start: Any, most: int | None) -> None:
        self._ruleset = ruleset
        self._most = most
        self.steps: list[str] = []
        self.states = [start]

    def follow(self, step: str) -> None:
        """Take the step if it is legal, after the rolls that are due before it."""
        if step.startswith(ROLL):
            if self._due() and not self._take(step):
                self._roll_ones()
            return
        while step.startswith(MOVE) and self._due() and self._roll_ones():
            pass
        self._take(step)

    def go_on(self, waiting: Mapping[int, deque[str]]) -> bool:
        """Take the first legal step that waits for the present turn, or else the simplest; False if there is none."""
        steps = waiting.get(_find_seat(self._ruleset.turn(self.states[-1])), deque())
        while steps:
            if self._take(steps.popleft()):
                return True
        return self._roll_ones() or self._make_first_move()

    def _make_first_move(self) -> bool:
        state = self.states[-1]
        move = next(self._ruleset.legal_moves(state), None)
        return move is not None and self._take(MOVE + self._ruleset.format_move(state, move))

    def _due(self) -> Roll | None:
        turn = self._ruleset.turn(self.states[-1])
        return turn if isinstance(turn, Roll) else None

    def _roll_ones(self) -> bool:
        due = self._due()
        return due is not None and self._take(format_roll((1,) * due.count))

    def _take(self, step: str) -> bool:
        if self._most is not None and len(self.steps) >= self._most:
            return False
        try:
            state = apply_step(self._ruleset, self.states[-1], step)
        except Exception:
            # The rules may be the faulty ones that somebody is looking for, so they may fail in any way.
            return False
        self.steps.append(step)
        self.states.append(state)
        return True


def format_roll(values: Iterable[int]) -> str:
    """The step in which the due dice show these values."""
    return ROLL + " ".join(map(str, values))


def read_step(step: str) -> dict[str, Any]:
    """The step as JSON: `{"move": text}`, `{"roll": [values]}` or `{"withdraw": seat}`.

    >>> read_step("roll 3 5")
    {'roll': [3, 5]}
    """
    if step.startswith(MOVE):
        return {"move": step.removeprefix(MOVE)}
    if step.startswith(ROLL):
        return {"roll": [int(value) for value in step.removeprefix(ROLL).split()]}
    return {"withdraw": int(step.removeprefix(WITHDRAW))}


def draw_walk(
    ruleset: AnyRuleset, begun: Trial, seed: str, most: int, *, leaving: bool = False, greedy: int = 1
) -> Walk:
    """The trial, continued at random until the match is over or has `most` steps: a function of the arguments.

    Moves are drawn by sample_move, the best of `greedy` samples by `evaluate`. With `leaving`, seats may leave.
    OptionError if options and seats do not fit.
    """
    ruleset.initial_state(begun.options, begun.seats)
    walked = walk(ruleset, begun, most)
    assert walked is not None
    steps, states = list(walked.trial.steps), list(walked.states)
    moves = fixed_randbelow(f"{seed}/moves")
    leaves = fixed_randbelow(f"{seed}/leaving") if leaving else None
    while len(steps) < most and not isinstance(turn := ruleset.turn(states[-1]), Over):
        step = leaves and _draw_withdrawal(ruleset, states[-1], leaves)
        if not step and isinstance(turn, Roll):
            step = format_roll(fixed_dice(f"{seed}/rolls", len(steps), turn))
        if step:
            state = apply_step(ruleset, states[-1], step)
        else:
            state, step = _draw_move(ruleset, states[-1], turn.seat, moves, greedy)
        steps.append(step)
        states.append(state)
    return Walk(begun._replace(steps=tuple(steps)), tuple(states))


def _draw_withdrawal(ruleset: AnyRuleset, state: Any, randbelow: RandBelow) -> str | None:
    if randbelow(LEAVES_ONE_IN):
        return None
    seat = randbelow(len(ruleset.standing(state))) + 1
    try:
        ruleset.withdraw(state, seat)
    except NotInPlay:
        return None
    return f"{WITHDRAW}{seat}"


def _draw_move(ruleset: AnyRuleset, state: Any, seat: int | None, randbelow: RandBelow, greedy: int) -> tuple[Any, str]:
    """The state after a drawn move, and its step."""
    moves = [ruleset.sample_move(state, randbelow) for _ in range(greedy)]
    after = [(ruleset.apply_move(state, move), move) for move in moves]
    best, move = (
        after[0] if seat is None or greedy == 1 else max(after, key=lambda each: ruleset.evaluate(each[0], seat))
    )
    return best, MOVE + ruleset.format_move(state, move)


def trial_of(ruleset: AnyRuleset, seats: int, options: dict[str, Any], steps: Iterable[RecordStep]) -> Trial:
    """The trial with the steps of a recorded match. An agreed draw is left out: the match stops before it."""
    texts = [text for step in steps if (text := _format_step(step))]
    return Trial(seats, ruleset.parse_options(options), tuple(texts))


def _format_step(step: RecordStep) -> str | None:
    match step:
        case MoveMade(move=text):
            return MOVE + text
        case DiceRolled(values=values):
            return format_roll(values)
        case SeatWithdrawn(seat):
            return f"{WITHDRAW}{seat}"
    return None


def record_trial(ruleset: AnyRuleset, trial: Trial, names: Sequence[str] = ()) -> Record:
    """The record of a legal trial. RulesetError or Refusal at a step that is not legal."""
    line = Line(ruleset, trial.options, trial.seats)
    for step in map(read_step, trial.steps):
        match step:
            case {"move": text}:
                line.move(text)
            case {"roll": values}:
                line.roll(tuple(values))
            case {"withdraw": seat}:
                line.withdraw(seat, "resigned")
    seats = tuple(names) or (UNKNOWN_NAME,) * trial.seats
    return Record(ruleset.id, ruleset.version, trial.options, seats, {}, tuple(line.steps), (), line.outcome)
