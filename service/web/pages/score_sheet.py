"""Events as people read them: on the score sheet of the match page, and in the log of the play page."""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple
from zlib import crc32

from plyscribe.domain.chain import StoredEvent
from plyscribe.domain.codec import parse_event
from plyscribe.domain.events import (
    DRAW_AGREED,
    DiceRolled,
    DrawAgreed,
    DrawDeclined,
    DrawOffered,
    EventData,
    MatchAborted,
    MatchAnnulled,
    MatchEnded,
    MatchStarted,
    MoveMade,
    MovesTakenBack,
    RecordConfirmed,
    SeatTaken,
    SeatWithdrawn,
    StepsTakenBack,
)
from plyscribe.domain.line import TracedStep, trace_line
from plyscribe.domain.ruleset import AnyRuleset
from plyscribe.service.boards import explain_move
from plyscribe.service.rulebooks import Clause, read_clauses

WITHDRAWALS = {
    "resigned": "resigns",
    "time": "runs out of time",
    "absent": "is absent",
    "disqualified": "is disqualified",
}
"""Each of WITHDRAWAL_CAUSES in words that follow the number of the seat."""

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


NameJudge = Callable[[str], str | None]
"""The name of the organiser who is the actor of an event, as a sentence begins with it; None for any other actor."""


def format_event(data: EventData) -> str | None:
    """What happened, in words that follow the number of the event's seat if it has one; None if it is not for players.

    A move is its notation. Of a roll this says which dice were rolled; its values are shown beside it.
    """
    match data:
        case MoveMade(move=move):
            return move
        case DiceRolled(sides, count, purpose):
            return f"{count}d{sides} for {format_word(purpose)}"
        case SeatTaken():
            return "joins the match"
        case SeatWithdrawn(cause=cause, why=why):
            return WITHDRAWALS.get(cause, f"leaves the match: {cause}") + _format_why(why)
        case DrawOffered():
            return "offers a draw"
        case DrawAgreed():
            return "accepts the draw"
        case DrawDeclined():
            return "declines the draw"
        case MovesTakenBack(ply):
            return f"Moves taken back to ply {ply}"
        case StepsTakenBack(steps):
            return "The last step is taken back" if steps == 1 else f"The last {steps} steps are taken back"
        case RecordConfirmed():
            return "The record is confirmed"
        case MatchStarted():
            return "The match begins"
        case MatchEnded(reason=reason):
            return f"The match is over: {format_word(reason)}"
        case MatchAborted(cause, seat, why) if seat is not None:
            left = "runs out of time" if cause == "time" else "leaves"
            return f"{left} before the match counts, so it is called off{_format_why(why)}"
        case MatchAborted(cause):
            return f"The match is called off{_format_cause(cause)}"
        case MatchAnnulled(why):
            return f"The match is annulled: {why}"
    return None


def name_step(data: EventData) -> str | None:
    """A step of a match in words, as something to take back: "roll 5 3"; None if the event is no step."""
    match data:
        case MoveMade(move=move):
            return f"move {move}"
        case DiceRolled(values=values):
            return f"roll {' '.join(map(str, values))}"
        case SeatWithdrawn(seat):
            return f"withdrawal of seat {seat}"
        case MatchEnded(reason) if reason == DRAW_AGREED:
            return "agreed draw"
    return None


def format_judgement(data: EventData, judge: str, names: Sequence[str]) -> str | None:
    """What an organiser decided and why, in a sentence; None if the event is not for players to judge."""
    match data:
        case SeatWithdrawn(seat, cause, why=why):
            return f"{judge} withdrew {_find_name(seat, names)}: {cause}{_format_why(why)}"
        case MatchAborted(cause, seat, why) if seat is not None:
            withdrew = f"{judge} withdrew {_find_name(seat, names)}: {cause}{_format_why(why)}"
            return f"{withdrew}. The match did not count yet and is called off"
        case MatchAborted(cause):
            return f"{judge} called the match off{_format_cause(cause)}"
        case MatchAnnulled(why):
            return f"{judge} annulled the match: {why}"
        case MatchStarted():
            return f"{judge} started the match"
    return None


def _find_name(seat: int, names: Sequence[str]) -> str:
    return names[seat - 1] if seat <= len(names) else f"seat {seat}"


def _format_why(why: str | None) -> str:
    return "" if why is None else f", '{why}'"


def _format_cause(cause: str) -> str:
    return "" if cause == CALLED_OFF else f": {cause}"


def format_outcome(reason: str, ranks: Sequence[int], names: Sequence[str]) -> str:
    """Who won and why, in a sentence: "Ann wins (path)."."""
    winners = [name for name, rank in zip(names, ranks, strict=True) if rank == 1]
    if len(winners) == len(ranks):
        result = "A draw"
    elif len(winners) == 1:
        result = f"{winners[0]} wins"
    else:
        result = f"{' and '.join(winners)} share first place"
    return f"{result} ({format_word(reason)})."


def format_word(word: str) -> str:
    """A reason, cause or purpose as it reads in a sentence."""
    return word.replace("-", " ")


# ------------------------------------------------------------------------------------------------------ the score sheet


class Row(NamedTuple):
    """A row of the score sheet, of kind `move`, `roll`, `left` or `end`, and the ply that the match had reached.

    `values` are what the dice of a roll showed.
    """

    kind: str
    ply: int
    seat: int | None
    text: str
    values: tuple[int, ...] = ()


def list_rows(
    entries: Iterable[StoredEvent],
    ply: int = 0,
    names: Sequence[str] = (),
    name_judge: NameJudge = lambda _: None,
) -> list[Row]:
    """The score sheet of these events, which begin at a ply; moves that were taken back are not on it."""
    return [_make_row(traced, names, name_judge) for traced in trace_line(entries, ply)]


def _make_row(traced: TracedStep, names: Sequence[str], name_judge: NameJudge) -> Row:
    step = traced.step
    judge = name_judge(traced.by)
    if judge and (judged := format_judgement(step, judge, names)):
        return Row(_KINDS[type(step)], traced.ply, None, judged)
    return Row(_KINDS[type(step)], traced.ply, _find_seat(step), format_event(step) or "", _find_values(step))


def _find_seat(data: EventData) -> int | None:
    return getattr(data, "seat", None)


def _find_values(data: EventData) -> tuple[int, ...]:
    return tuple(data.values) if isinstance(data, DiceRolled) else ()


# -------------------------------------------------------------------------------------------------------------- the log


class LogEntry(NamedTuple):
    """An event in the log. `values` are what the dice of a roll showed. `undone` says that the step was taken back."""

    version: int
    seat: int | None
    text: str
    is_move: bool = False
    values: tuple[int, ...] = ()
    undone: bool = False


def list_log(
    entries: Iterable[StoredEvent],
    names: Sequence[str] = (),
    name_judge: NameJudge = lambda _: None,
) -> list[LogEntry]:
    """What happened in these events that players care about, in order; corrections name the steps that they undo."""
    log: list[LogEntry] = []
    steps: list[tuple[int, str]] = []
    """The place in the log and the name of each step that was not taken back."""
    ended: list[int] = []
    """The place in the log of the end, if it is the latest entry."""
    for entry in entries:
        event = parse_event(entry)
        data, judge = event.data, name_judge(event.by)
        if step := name_step(data):
            steps.append((len(log), step))
        if judge and (judged := format_judgement(data, judge, names)):
            log.append(LogEntry(entry.version, None, judged))
            continue
        text = format_event(data)
        if text is None:
            continue
        if isinstance(data, StepsTakenBack) and data.steps <= len(steps):
            undone = [steps.pop() for _ in range(data.steps)]
            text = f"Taken back: {', '.join(name for _, name in reversed(undone))}"
            _mark_undone(log, [*(place for place, _ in undone), *ended])
        elif isinstance(data, StepsTakenBack | MovesTakenBack):
            steps.clear()
        ended = [len(log)] if isinstance(data, MatchEnded) else []
        log.append(LogEntry(entry.version, _find_seat(data), text, isinstance(data, MoveMade), _find_values(data)))
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


# -------------------------------------------------------------------------------------------------- what a move says


class Explanation(NamedTuple):
    """What a notation says: the element's id in a page, a sentence, and the clause if the rulebook has it."""

    id: str
    sentence: str
    clause: Clause | None


def explain_rows(ruleset: AnyRuleset, rows: Iterable[Row]) -> dict[str, Explanation]:
    """The explanation of each notation in these rows, by notation."""
    moves = dict.fromkeys(row.text for row in rows if row.kind == "move")
    return {move: found for move in moves if (found := find_explanation(ruleset, move)) is not None}


def find_explanation(ruleset: AnyRuleset, move: str) -> Explanation | None:
    """What a notation says, with its clause; None if the ruleset has no explanations."""
    explained = explain_move(ruleset, move)
    if explained is None:
        return None
    clause = read_clauses(ruleset.id, ruleset.version).get(explained.clause)
    # A checksum, as a notation may hold characters that an id cannot.
    return Explanation(f"t{crc32(move.encode()):x}", explained.sentence, clause)


def shorten_clause(clause: Clause) -> str:
    """The first paragraph of a clause as plain text."""
    paragraph = clause.text.partition("\n\n")[0]
    return " ".join(paragraph.replace("`", "").replace("**", "").split())
