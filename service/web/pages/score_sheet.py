"""Events as people read them: on the score sheet of the match page, and in the log of the play page."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple
from zlib import crc32

from plyscribe.domain.chain import StoredEvent
from plyscribe.domain.codec import parse_event
from plyscribe.domain.events import (
    DiceRolled,
    DrawAgreed,
    DrawDeclined,
    DrawOffered,
    EventData,
    MatchAborted,
    MatchEnded,
    MatchStarted,
    MoveMade,
    MovesTakenBack,
    SeatTaken,
    SeatWithdrawn,
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
        case SeatWithdrawn(cause=cause):
            return WITHDRAWALS.get(cause, f"leaves the match: {cause}")
        case DrawOffered():
            return "offers a draw"
        case DrawAgreed():
            return "accepts the draw"
        case DrawDeclined():
            return "declines the draw"
        case MovesTakenBack(ply):
            return f"Moves taken back to ply {ply}"
        case MatchStarted():
            return "The match begins"
        case MatchEnded(reason=reason):
            return f"The match is over: {format_word(reason)}"
        case MatchAborted(cause):
            why = "" if cause == CALLED_OFF else f": {cause}"
            return f"The match is called off{why}"
    return None


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


def list_rows(entries: Iterable[StoredEvent], ply: int = 0) -> list[Row]:
    """The score sheet of these events, which begin at a ply; moves that were taken back are not on it."""
    return [_make_row(traced) for traced in trace_line(entries, ply)]


def _make_row(traced: TracedStep) -> Row:
    step = traced.step
    return Row(_KINDS[type(step)], traced.ply, _find_seat(step), format_event(step) or "", _find_values(step))


def _find_seat(data: EventData) -> int | None:
    return getattr(data, "seat", None)


def _find_values(data: EventData) -> tuple[int, ...]:
    return tuple(data.values) if isinstance(data, DiceRolled) else ()


# -------------------------------------------------------------------------------------------------------------- the log


class LogEntry(NamedTuple):
    """An event in the log. `explanation` says what a move does, `values` are what the dice of a roll showed."""

    version: int
    seat: int | None
    text: str
    is_move: bool = False
    explanation: str = ""
    values: tuple[int, ...] = ()


def list_log(ruleset: AnyRuleset | None, entries: Iterable[StoredEvent]) -> list[LogEntry]:
    """What happened in these events that players care about, in order."""
    log = []
    for entry in entries:
        data = parse_event(entry).data
        text, explanation, is_move = format_event(data), None, isinstance(data, MoveMade)
        if text is None:
            continue
        if ruleset is not None and is_move:
            explanation = explain_move(ruleset, text)
        sentence = explanation.sentence if explanation else ""
        log.append(LogEntry(entry.version, _find_seat(data), text, is_move, sentence, _find_values(data)))
    return log


def find_last_rolls(log: Sequence[LogEntry]) -> list[LogEntry]:
    """The latest run of rolls with nothing between them, in order."""
    rolls: list[LogEntry] = []
    for entry in reversed(log):
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
