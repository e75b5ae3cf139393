"""What happened in a match, row by row, as the list of moves shows it."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple
from zlib import crc32

from plyscribe.domain.chain import StoredEvent
from plyscribe.domain.codec import parse_event
from plyscribe.domain.events import (
    DiceRolled,
    EventData,
    LineCopied,
    MatchAborted,
    MatchEnded,
    MoveMade,
    MovesTakenBack,
    SeatWithdrawn,
)
from plyscribe.domain.ruleset import AnyRuleset
from plyscribe.service.boards import explain_move
from plyscribe.service.rulebooks import Clause, read_clauses


class Row(NamedTuple):
    """A `move`, `roll`, `left` or `end`: the seat that it is of, if of one, its text, and the ply that it led to."""

    kind: str
    ply: int
    seat: int | None
    text: str

    @property
    def id(self) -> str:
        """What the explanation of this notation is called in a page."""
        return name_explanation(self.text)


class Told(NamedTuple):
    """A notation in words: its name in a page, the sentence, and the clause, None where the rulebook has none such."""

    id: str
    sentence: str
    clause: Clause | None


def name_explanation(move: str) -> str:
    """What the explanation of a notation is called in a page: the same for the same notation, whatever is in it."""
    return f"t{crc32(move.encode()):x}"


def list_rows(entries: Iterable[StoredEvent], ply: int = 0) -> list[Row]:
    """The rows of stored events that stand behind a ply, without those that were taken back."""
    rows: list[Row] = []
    for entry in entries:
        data = parse_event(entry).data
        for step in data.steps if isinstance(data, LineCopied) else (data,):
            if isinstance(step, MovesTakenBack):
                rows = _cut(rows, step.ply)
                ply = step.ply
            elif (row := _tell(step, ply)) is not None:
                rows.append(row)
                ply = row.ply
    return rows


def _tell(data: EventData, ply: int) -> Row | None:
    match data:
        case MoveMade(seat, move):
            return Row("move", ply + 1, seat, move)
        case DiceRolled(seat=seat, values=values, purpose=purpose):
            return Row("roll", ply, seat, f"{purpose.replace('-', ' ')}: {' '.join(map(str, values))}")
        case SeatWithdrawn(seat, cause):
            return Row("left", ply, seat, cause)
        case MatchEnded(reason):
            return Row("end", ply, None, reason.replace("-", " "))
        case MatchAborted(cause):
            return Row("end", ply, None, f"aborted ({cause})")
    return None


def _cut(rows: Sequence[Row], ply: int) -> list[Row]:
    """The rows before move `ply` + 1."""
    end = next((place for place, row in enumerate(rows) if row.kind == "move" and row.ply > ply), len(rows))
    return list(rows[:end])


def explain_rows(ruleset: AnyRuleset, rows: Iterable[Row]) -> dict[str, Told]:
    """The explanations of the notations in these rows, each once, by notation."""
    told = {}
    for move in dict.fromkeys(row.text for row in rows if row.kind == "move"):
        if (explained := tell_move(ruleset, move)) is not None:
            told[move] = explained
    return told


def tell_move(ruleset: AnyRuleset, move: str) -> Told | None:
    """A notation in words, with its clause; None where nobody wrote that down."""
    explained = explain_move(ruleset, move)
    if explained is None:
        return None
    clause = read_clauses(ruleset.id, ruleset.version).get(explained.clause)
    return Told(name_explanation(move), explained.sentence, clause)


def shorten_clause(clause: Clause) -> str:
    """The first paragraph of a clause as plain text."""
    paragraph = clause.text.partition("\n\n")[0]
    return " ".join(paragraph.replace("`", "").replace("**", "").split())
