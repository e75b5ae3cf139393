"""What happened in a match, row by row, as the list of moves shows it."""

from collections.abc import Iterable
from typing import NamedTuple
from zlib import crc32

from plyscribe.domain.chain import StoredEvent
from plyscribe.domain.events import DiceRolled, MatchAborted, MatchEnded, MoveMade, SeatWithdrawn
from plyscribe.domain.line import TracedStep, trace_line
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
    """The rows of stored events that follow a ply, without those that were taken back."""
    return [_make_row(traced) for traced in trace_line(entries, ply)]


def _make_row(traced: TracedStep) -> Row:
    match traced.step:
        case MoveMade(seat, move):
            return Row("move", traced.ply, seat, move)
        case DiceRolled(seat=seat, values=values, purpose=purpose):
            return Row("roll", traced.ply, seat, f"{purpose.replace('-', ' ')}: {' '.join(map(str, values))}")
        case SeatWithdrawn(seat, cause):
            return Row("left", traced.ply, seat, cause)
        case MatchEnded(reason):
            return Row("end", traced.ply, None, reason.replace("-", " "))
        case MatchAborted(cause):
            return Row("end", traced.ply, None, f"aborted ({cause})")


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
