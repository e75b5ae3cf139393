"""Events as people read them: on the score sheet of the match page, and in the log of the play page."""

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple, TypeGuard

from plyscribe.domain.chain import StoredEvent
from plyscribe.domain.codec import parse_event
from plyscribe.domain.events import (
    DRAW_AGREED,
    BuildDeclared,
    ClockAdjusted,
    DiceRolled,
    DrawAgreed,
    DrawDeclined,
    DrawOffered,
    EventData,
    MatchAborted,
    MatchAnnulled,
    MatchEnded,
    MatchPaused,
    MatchResumed,
    MatchStarted,
    MoveMade,
    MovesTakenBack,
    RecordConfirmed,
    SeatTaken,
    SeatWithdrawn,
    StepsTakenBack,
)
from plyscribe.domain.line import TracedStep, trace_line
from plyscribe.service.web.pages.speech import gettext, gettext_noop, ngettext
from plyscribe.service.web.pages.times import format_duration

WITHDRAWALS = {
    "resigned": gettext_noop("%(name)s resigns"),
    "time": gettext_noop("%(name)s runs out of time"),
    "absent": gettext_noop("%(name)s is absent"),
    "disqualified": gettext_noop("%(name)s is disqualified"),
}
"""Each of WITHDRAWAL_CAUSES in a sentence."""

CALLED_OFF = "called off"
"""The cause of an abort that nobody gave a reason for."""

_KINDS: dict[type[EventData], str] = {
    MoveMade: "move",
    DiceRolled: "roll",
    SeatWithdrawn: "left",
    MatchEnded: "end",
    MatchAborted: "end",
}
"""The events that have a row on the score sheet."""

_parse_again = lru_cache(1024)(parse_event)
"""Everybody who follows a match is shown its events anew after every move."""

_Step = MoveMade | DiceRolled | SeatWithdrawn | MatchEnded

NameJudge = Callable[[str], str | None]
"""The name of the organiser who is the actor of an event, as a sentence begins with it; None for any other actor."""


def format_event(data: EventData, names: Sequence[str]) -> str | None:
    """What happened, in a sentence; None if it is not for players. A move is its notation."""
    match data:
        case MoveMade(move=move):
            return move
        case DiceRolled(seat=None):
            return gettext("Dice are rolled")
        case DiceRolled(seat=int(seat)):
            return gettext("%(name)s rolls", name=find_name(seat, names))
        case SeatTaken(seat=seat):
            return gettext("%(name)s joins the match", name=find_name(seat, names))
        case SeatWithdrawn(seat, cause, why=why):
            return format_withdrawal(find_name(seat, names), cause) + _format_why(why)
        case BuildDeclared(seat, build):
            name = find_name(seat, names)
            return gettext("A program plays for %(name)s: %(build)s", name=name, build=str(build))
        case DrawOffered(seat=seat):
            return gettext("%(name)s offers a draw", name=find_name(seat, names))
        case DrawAgreed(seat=seat):
            return gettext("%(name)s accepts the draw", name=find_name(seat, names))
        case DrawDeclined(seat=seat):
            return gettext("%(name)s declines the draw", name=find_name(seat, names))
        case MovesTakenBack(ply):
            return gettext("The moves after move %(ply)s are taken back", ply=ply)
        case StepsTakenBack(steps):
            return ngettext("The last step is taken back", "The last %(num)s steps are taken back", steps)
        case RecordConfirmed():
            return gettext("The record is confirmed")
        case MatchStarted():
            return gettext("The match begins")
        case MatchEnded():
            return gettext("The match is over")
        case MatchPaused() | MatchResumed() | ClockAdjusted():
            return _format_clock_change(data, names)
        case MatchAborted(cause, seat, why) if seat is not None:
            name = find_name(seat, names)
            if cause == "time":
                said = gettext("%(name)s runs out of time before the match counts, so it is called off", name=name)
            else:
                said = gettext("%(name)s leaves before the match counts, so it is called off", name=name)
            return said + _format_why(why)
        case MatchAborted(cause):
            return gettext("The match is called off") + _format_cause(cause)
        case MatchAnnulled(why):
            return gettext("The match is annulled: %(why)s", why=why)
    return None


def _format_clock_change(data: MatchPaused | MatchResumed | ClockAdjusted, names: Sequence[str]) -> str:
    match data:
        case MatchPaused(why):
            return gettext("The match is paused: %(why)s", why=why)
        case MatchResumed(why):
            return gettext("The match goes on") + _format_why(why)
        case ClockAdjusted(seat, add_ms, why):
            said = {"name": find_name(seat, names), "time": format_duration(abs(add_ms)), "why": why}
            if add_ms < 0:
                return gettext("%(name)s has %(time)s less: %(why)s", **said)
            return gettext("%(name)s has %(time)s more: %(why)s", **said)


def format_withdrawal(name: str, cause: str) -> str:
    """That a player left the match, and how."""
    if cause in WITHDRAWALS:
        return gettext(WITHDRAWALS[cause], name=name)
    return gettext("%(name)s leaves the match: %(cause)s", name=name, cause=cause)


def _is_step(data: EventData) -> TypeGuard[_Step]:
    """Whether this event is something to take back: with a draw, that both agreed to it."""
    is_draw = isinstance(data, MatchEnded) and data.reason == DRAW_AGREED
    return is_draw or isinstance(data, MoveMade | DiceRolled | SeatWithdrawn)


def _name_step(step: _Step, names: Sequence[str]) -> str:
    """A step of a match in words, as something to take back: "roll 5 3"."""
    match step:
        case MoveMade(move=move):
            return gettext("move %(move)s", move=move)
        case DiceRolled(values=values):
            return name_roll(values)
        case SeatWithdrawn(seat):
            return name_withdrawal(find_name(seat, names))
        case MatchEnded():
            return gettext("agreed draw")


def name_roll(values: Sequence[int]) -> str:
    """A roll as something to take back."""
    return gettext("roll %(values)s", values=" ".join(map(str, values)))


def name_withdrawal(name: str) -> str:
    """A withdrawal as something to take back."""
    return gettext("withdrawal of %(name)s", name=name)


def format_judgement(data: EventData, judge: str, names: Sequence[str]) -> str | None:
    """What an organiser decided and why, in a sentence; None if the event is not for players to judge."""
    match data:
        case SeatWithdrawn(seat, cause, why=why):
            return _format_removal(judge, find_name(seat, names), cause) + _format_why(why)
        case MatchAborted(cause, seat, why) if seat is not None:
            withdrew = _format_removal(judge, find_name(seat, names), cause) + _format_why(why)
            called_off = gettext("The match did not count yet and is called off")
            return f"{withdrew}. {called_off}"
        case MatchAborted(cause):
            return gettext("%(judge)s called the match off", judge=judge) + _format_cause(cause)
        case MatchAnnulled(why):
            return gettext("%(judge)s annulled the match: %(why)s", judge=judge, why=why)
        case MatchStarted():
            return gettext("%(judge)s started the match", judge=judge)
        case MatchPaused(why):
            return gettext("%(judge)s paused the match: %(why)s", judge=judge, why=why)
        case MatchResumed(why):
            return gettext("%(judge)s let the match go on", judge=judge) + _format_why(why)
        case ClockAdjusted(seat, add_ms, why):
            said = {"judge": judge, "name": find_name(seat, names), "time": format_duration(abs(add_ms)), "why": why}
            if add_ms < 0:
                return gettext("%(judge)s took %(time)s from %(name)s: %(why)s", **said)
            return gettext("%(judge)s gave %(name)s %(time)s more: %(why)s", **said)
    return None


def _format_removal(judge: str, name: str, cause: str) -> str:
    return gettext("%(judge)s withdrew %(name)s: %(cause)s", judge=judge, name=name, cause=name_cause(cause))


_CAUSES = {
    "resigned": gettext_noop("resigned"),
    "time": gettext_noop("out of time"),
    "absent": gettext_noop("absent"),
    "disqualified": gettext_noop("disqualified"),
}


def name_cause(cause: str) -> str:
    """Why somebody leaves a match, in a word or two."""
    return gettext(_CAUSES[cause]) if cause in _CAUSES else format_word(cause)


def find_name(seat: int, names: Sequence[str]) -> str:
    """The name of the player in a seat; its number if it has no name."""
    return names[seat - 1] if seat <= len(names) else gettext("seat %(number)s", number=seat)


def _format_why(why: str | None) -> str:
    return "" if why is None else f", '{why}'"


def _format_cause(cause: str) -> str:
    return "" if cause == CALLED_OFF else f": {cause}"


def format_word(word: str) -> str:
    """A word of a ruleset or a judge as it reads in a sentence."""
    return word.replace("-", " ")


# ------------------------------------------------------------------------------------------------------ the score sheet


class Row(NamedTuple):
    """A row of the score sheet, of kind `move`, `roll`, `left` or `end`, and the ply that the match had reached.

    `text` is the notation of a move, and what else happened in a sentence. `values` are what the dice of a roll showed.
    `sentence` says what a move or a roll did, if that was looked up. `spent_ms` is how long a move took; None if that
    means nothing, as in a match that was recorded at a table.
    """

    kind: str
    ply: int
    seat: int | None
    text: str
    values: tuple[int, ...] = ()
    sentence: str = ""
    spent_ms: int | None = None


def list_rows(
    entries: Iterable[StoredEvent],
    ply: int = 0,
    names: Sequence[str] = (),
    name_judge: NameJudge = lambda _: None,
) -> list[Row]:
    """The score sheet of these events, which begin at a ply; moves that were taken back are not on it."""
    return [_make_row(traced, names, name_judge) for traced in trace_line(entries, ply, _parse_again)]


def _make_row(traced: TracedStep, names: Sequence[str], name_judge: NameJudge) -> Row:
    step = traced.step
    judge = name_judge(traced.by)
    if judge and (judged := format_judgement(step, judge, names)):
        return Row(_KINDS[type(step)], traced.ply, None, judged)
    return Row(_KINDS[type(step)], traced.ply, _find_seat(step), format_event(step, names) or "", _find_values(step))


def _find_seat(data: EventData) -> int | None:
    return getattr(data, "seat", None)


def _find_values(data: EventData) -> tuple[int, ...]:
    return tuple(data.values) if isinstance(data, DiceRolled) else ()


# -------------------------------------------------------------------------------------------------------------- the log


class LogEntry(NamedTuple):
    """An event in the log. `undone` says that the step was taken back.

    `values` are what the dice of a roll showed, `sides` how many sides they have.
    """

    version: int
    seat: int | None
    text: str
    is_move: bool = False
    values: tuple[int, ...] = ()
    undone: bool = False
    sides: int = 0


def list_log(
    entries: Iterable[StoredEvent],
    names: Sequence[str] = (),
    name_judge: NameJudge = lambda _: None,
) -> list[LogEntry]:
    """What happened in these events that players care about, in order; corrections name the steps that they undo."""
    log: list[LogEntry] = []
    steps: list[tuple[int, _Step]] = []
    """The place in the log of each step that was not taken back, and what happened."""
    ended: list[int] = []
    """The place in the log of the end, if it is the latest entry."""
    for entry in entries:
        event = _parse_again(entry)
        data, judge = event.data, name_judge(event.by)
        if _is_step(data):
            steps.append((len(log), data))
        if judge and (judged := format_judgement(data, judge, names)):
            log.append(LogEntry(entry.version, None, judged))
            continue
        text = format_event(data, names)
        if text is None:
            continue
        if isinstance(data, StepsTakenBack) and data.steps <= len(steps):
            undone = [steps.pop() for _ in range(data.steps)]
            said = [_name_step(step, names) for _, step in reversed(undone)]
            text = gettext("Taken back: %(steps)s", steps=", ".join(said))
            _mark_undone(log, [*(place for place, _ in undone), *ended])
        elif isinstance(data, StepsTakenBack | MovesTakenBack):
            steps.clear()
        ended = [len(log)] if isinstance(data, MatchEnded) else []
        sides = data.sides if isinstance(data, DiceRolled) else 0
        seat, is_move = _find_seat(data), isinstance(data, MoveMade)
        log.append(LogEntry(entry.version, seat, text, is_move, _find_values(data), sides=sides))
    return log


def _mark_undone(log: list[LogEntry], places: Iterable[int]) -> None:
    for place in places:
        log[place] = log[place]._replace(undone=True)


def find_last_rolls(log: Sequence[LogEntry]) -> list[LogEntry]:
    """The latest run of rolls with nothing between them, in order, without those that were taken back."""
    rolls: list[LogEntry] = []
    for entry in reversed(log):
        if entry.undone:
            continue
        if entry.values:
            rolls.insert(0, entry)
        elif rolls:
            break
    return rolls
