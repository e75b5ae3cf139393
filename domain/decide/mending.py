"""Decisions that put a recorded match right where it went wrong: what came after the mistake is entered again."""

from collections.abc import Mapping
from typing import Any

from plyscribe.domain.commands import Correct, CorrectedStep, EnteredStep, MakeMove, RecordRoll, Withdraw
from plyscribe.domain.decide import play as playing
from plyscribe.domain.decide.play import drawn_ranks, require_may_take_back
from plyscribe.domain.decide.who import Deciders, require_playing
from plyscribe.domain.draft import Draft
from plyscribe.domain.errors import DomainError, WrongTime, WrongValue
from plyscribe.domain.events import DRAW_AGREED, MatchEnded, SeatWithdrawn, StepsTakenBack
from plyscribe.domain.match import Interlude, Lifecycle, PlayedMove
from plyscribe.domain.ruleset import AnyRuleset, format_turn

MAX_CORRECTED = 1000
"""How many steps one correction can reach back."""


def _decide_correct(command: Correct, life: Lifecycle, draft: Draft) -> None:
    play = draft.play
    require_may_take_back(command.actor, life, play)
    draft.require_room()
    count, replaced, dropped = command.take_back, command.replaced, command.dropped
    most = min(play.length, MAX_CORRECTED)
    if not 1 <= count <= most:
        raise WrongValue("correction/reach", f"take_back is 1..{most}, not {count}", ply=play.ply)
    if min(replaced, dropped) < 0 or replaced + dropped > count:
        raise WrongValue("correction/extent", f"replaced and dropped are together at most {count}", ply=play.ply)
    kept = play.list_last(count)[dropped : count - replaced][::-1]
    draft.emit(StepsTakenBack(count))
    for number, step in enumerate((*command.steps, *kept)):
        try:
            if isinstance(step, PlayedMove | Interlude):
                _require_same_turn(draft, play.ruleset, step)
                _enter(command, draft, _read_kept(step))
            else:
                _enter(command, draft, step)
        except DomainError as error:
            error.details["step"] = number
            raise


def _require_same_turn(draft: Draft, ruleset: AnyRuleset, step: PlayedMove | Interlude) -> None:
    """WrongTime unless a kept move is made by the same seat, and kept dice are rolled for the same purpose."""
    is_left = isinstance(step, Interlude) and not step.values
    turn = draft.play.turn
    if not is_left and turn != ruleset.turn(step.state):
        why = "this step does not follow any more: somebody else is on turn, other dice are due, or the match is over"
        raise WrongTime("correction/does-not-follow", why, turn=format_turn(turn))


def _read_kept(step: PlayedMove | Interlude) -> CorrectedStep:
    if isinstance(step, PlayedMove):
        return step.move
    return step.values or step.left or MatchEnded(DRAW_AGREED, ())


def _enter(command: Correct, draft: Draft, step: CorrectedStep) -> None:
    life = draft.match.life
    if isinstance(step, MatchEnded):
        require_playing(life)
        return draft.end(DRAW_AGREED, drawn_ranks(len(life.seats), draft.play.left))
    base = {name: getattr(command, name) for name in ("actor", "at", "id", "secret", "rolls", "again")}
    alone = command_of_step(step, base)
    return playing.DECIDERS[type(alone)](alone, life, draft)


def command_of_step(step: EnteredStep, base: Mapping[str, Any]) -> MakeMove | RecordRoll | Withdraw:
    """The command that enters the step alone; `base` has the fields that all commands have."""
    match step:
        case str():
            return MakeMove(**base, move=step)
        case SeatWithdrawn(seat, cause, fault, why):
            return Withdraw(**base, seat=seat, cause=cause, fault=fault, why=why)
    return RecordRoll(**base, values=step)


DECIDERS: Deciders = {Correct: _decide_correct}
"""The decider of this module, by command type."""
