"""The lines between the bridge and a bot: questions, answers, and errors about answers.

Each line is one JSON object in UTF-8. docs/bots.md has the fields.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from plyscribe.domain.decide.play import MAX_MOVE_LENGTH
from plyscribe.domain.errors import IllegalMove

MOST_LEGAL = 1000
"""The most legal moves in a question."""

MAX_LINE_BYTES = 65_536
"""The longest line that a bot may write."""

SHOWN_BYTES = 80

MOVE = "move"
DRAW = "draw"

NO_ANSWER = "no-answer"
DIED = "died"
TOO_LONG = "too-long"
NOT_JSON = "not-json"
WRONG_ID = "wrong-id"
UNASKED = "unasked"
UNREADABLE = "unreadable"
ILLEGAL = "illegal"

STRAY = (NOT_JSON, WRONG_ID, UNASKED)
"""Faults of lines that answer nothing: the answer may still come."""

ANSWERED = (UNREADABLE, ILLEGAL)
"""Faults of an answer, after which the bot is told what was wrong. After all other faults its process is useless."""

RESIGNED_FOR = {
    NO_ANSWER: "silent",
    DIED: "crashed",
    TOO_LONG: "unreadable",
    NOT_JSON: "unreadable",
    UNREADABLE: "unreadable",
    ILLEGAL: "illegal",
}
"""The fault that the withdrawal names when the bridge resigns for the bot: one of WITHDRAWAL_FAULTS."""


@dataclass(frozen=True, slots=True)
class Question:
    """What a bot is asked: for a move of `seat`, or (`ask` is "draw") whether it agrees to the draw on offer.

    `legal` holds the legal moves, only the first MOST_LEGAL unless `legal_complete`. It is empty in questions about
    draws.
    """

    id: str
    ask: str
    match: str
    ruleset: str
    ruleset_version: int
    options: dict[str, Any]
    seats: Sequence[dict[str, Any]]
    seat: int
    ply: int
    view: dict[str, Any]
    moves: Sequence[str]
    legal: Sequence[str]
    legal_complete: bool
    deadline_ms: int | None
    draw_offered_by: int | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """A bot's answer: a move, or that it resigns, or, to a question about a draw, whether it agrees."""

    move: str | None = None
    resign: bool = False
    draw: bool | None = None


class Fault(Exception):
    """A breach of the protocol: `kind` is one of the words above, `error` goes to a bot that gave an answer."""

    def __init__(self, kind: str, why: str, error: dict[str, Any] | None = None) -> None:
        super().__init__(f"{kind}: {why}")
        self.kind = kind
        self.why = why
        self.error = error or {"code": "answer/unreadable", "clause": None, "message": why, "legal": []}


def format_question(question: Question) -> bytes:
    """The line that asks a question, with its line feed."""
    return format_line(asdict(question))


def format_error(id: str, fault: Fault, tries_left: int) -> bytes:
    """The line that says what was wrong with an answer, with its line feed."""
    return format_line({"id": id, "error": {**fault.error, "tries_left": tries_left}})


def format_line(value: dict[str, Any]) -> bytes:
    """The line of a JSON object, with its line feed."""
    return json.dumps(value, separators=(",", ":")).encode() + b"\n"


def parse_fields(line: bytes, id: str) -> dict[str, Any]:
    """The fields of a line that answers this question; Fault if it is not a JSON object, or has another id."""
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError):
        raise Fault(NOT_JSON, f"not a line of JSON: {shorten(line)}") from None
    if not isinstance(fields, dict):
        raise Fault(NOT_JSON, f"not a JSON object: {shorten(line)}")
    if fields.get("id") != id:
        raise Fault(WRONG_ID, f"the id is not that of the question, {id!r}: {shorten(line)}")
    return fields


def parse_answer(line: bytes, id: str, ask: str) -> Answer:
    """The answer in a line; Fault if it is not an answer, or not to this question. Unknown fields are ignored."""
    match fields := parse_fields(line, id):
        case {"resign": True} if ask == MOVE and "move" not in fields and "draw" not in fields:
            return Answer(resign=True)
        case {"move": str(move)} if ask == MOVE and "draw" not in fields and not fields.get("resign"):
            if not (0 < len(move) <= MAX_MOVE_LENGTH and move.isascii() and move.isprintable()):
                raise Fault(
                    UNREADABLE, f"a move has 1 to {MAX_MOVE_LENGTH} printable ASCII characters: {shorten(line)}"
                )
            return Answer(move=move)
        case {"draw": bool(agrees)} if ask == DRAW and "move" not in fields and not fields.get("resign"):
            return Answer(draw=agrees)
    wanted = '"move": text or "resign": true' if ask == MOVE else '"draw": true or false'
    raise Fault(UNREADABLE, f"an answer must have {wanted}, and not both: {shorten(line)}")


def fault_of_refusal(code: str, why: str, error: dict[str, Any] | None = None) -> Fault:
    """The fault of a move that was refused with this problem code: ILLEGAL against a rule, otherwise UNREADABLE.

    Whoever judges a move, the server or the check, its fault is made here.
    """
    return Fault(ILLEGAL if code == IllegalMove.code else UNREADABLE, f"{code}, {why}", error)


def shorten(line: bytes) -> str:
    """The beginning of a line, safe to print on a terminal."""
    cut = line if len(line) <= SHOWN_BYTES else line[:SHOWN_BYTES] + b"..."
    return "".join(each if each.isprintable() else "?" for each in cut.decode(errors="replace"))
