"""The lines between the bridge and a bot: a question, an answer, and what was wrong with an answer.

Each line is one JSON object in UTF-8. docs/bots.md has the fields.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from plyscribe.domain.decide.play import MAX_MOVE_LENGTH

MOST_LEGAL = 1000
"""So many legal moves are sent at most."""

MAX_LINE_BYTES = 65_536
"""What a bot may write in one line."""

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
REFUSED = "refused"

STRAY = (NOT_JSON, WRONG_ID, UNASKED)
"""Lines that answer nothing: the answer may still come."""

ANSWERED = (UNREADABLE, REFUSED)
"""The bot answered, and can be told what was wrong with it. After all other faults its process is of no use."""

RESIGNED_FOR = {
    NO_ANSWER: "silent",
    DIED: "crashed",
    TOO_LONG: "unreadable",
    NOT_JSON: "unreadable",
    UNREADABLE: "unreadable",
    REFUSED: "illegal",
}
"""What the withdrawal tells of the last fault, where the bridge resigns for the bot: one of WITHDRAWAL_FAULTS."""


@dataclass(frozen=True, slots=True)
class Question:
    """What a bot is asked: for a move of `seat`, or (`ask` is "draw") whether it agrees to the draw on offer.

    `legal` are the legal moves, the first MOST_LEGAL of them unless `legal_complete`; none where a draw is asked about.
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
    """What a bot answers: exactly one of a move, to resign, and, where it is asked, whether it agrees to a draw."""

    move: str | None = None
    resign: bool = False
    draw: bool | None = None


class Fault(Exception):
    """A breach of the protocol: `kind` is one of the words above, `error` what a bot is told that gave an answer."""

    def __init__(self, kind: str, why: str, error: dict[str, Any] | None = None) -> None:
        super().__init__(f"{kind}: {why}")
        self.kind = kind
        self.why = why
        self.error = error or {"code": "answer/unreadable", "clause": None, "message": why, "legal": []}


def format_question(question: Question) -> bytes:
    """The line that asks it, with its line feed."""
    return _line(asdict(question))


def format_error(id: str, fault: Fault, tries_left: int) -> bytes:
    """The line that tells what was wrong with the answer, with its line feed."""
    return _line({"id": id, "error": {**fault.error, "tries_left": tries_left}})


def _line(value: dict[str, Any]) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode() + b"\n"


def parse_answer(line: bytes, id: str, ask: str) -> Answer:
    """The answer to that question; Fault where the line is none, or another's. Fields of the bot's own are ignored."""
    try:
        told = json.loads(line)
    except (ValueError, RecursionError):
        raise Fault(NOT_JSON, f"no line of JSON: {shorten(line)}") from None
    if not isinstance(told, dict):
        raise Fault(NOT_JSON, f"no JSON object: {shorten(line)}")
    if told.get("id") != id:
        raise Fault(WRONG_ID, f"the answer is to {shorten(line)}, the question is {id!r}")
    match told:
        case {"resign": True} if ask == MOVE and "move" not in told and "draw" not in told:
            return Answer(resign=True)
        case {"move": str(move)} if ask == MOVE and "draw" not in told and not told.get("resign"):
            if not (0 < len(move) <= MAX_MOVE_LENGTH and move.isascii() and move.isprintable()):
                raise Fault(
                    UNREADABLE, f"a move has 1 to {MAX_MOVE_LENGTH} printable ASCII characters: {shorten(line)}"
                )
            return Answer(move=move)
        case {"draw": bool(agrees)} if ask == DRAW and "move" not in told and not told.get("resign"):
            return Answer(draw=agrees)
    wanted = '"move": text or "resign": true' if ask == MOVE else '"draw": true or false'
    raise Fault(UNREADABLE, f"an answer has {wanted}, and only that: {shorten(line)}")


def shorten(line: bytes) -> str:
    """The beginning of a line, fit for a terminal."""
    cut = line if len(line) <= SHOWN_BYTES else line[:SHOWN_BYTES] + b"..."
    return "".join(each if each.isprintable() else "?" for each in cut.decode(errors="replace"))
