"""The lines between the referee and a simulator: the line protocol of bots, with other questions.

Each line is one JSON object in UTF-8. docs/referee.md has the fields.
"""

from typing import Any, NamedTuple

from plyscribe.domain.proofs.trials import Trial, read_step
from plyscribe.domain.ruleset import AnyRuleset
from plyscribe.service.bridge.protocol import UNREADABLE, Fault, format_line, parse_fields, shorten

PROTOCOL = 1
"""The version of these lines. A change that an older simulator could not follow raises it."""

MAX_LINE_BYTES = 4 * 1024 * 1024
"""The longest line that a simulator may write."""

START, STEP = "start", "step"

Json = dict[str, Any]

TURNS = {"decision": None, "roll": {"sides", "count", "purpose", "seat"}, "over": {"reason", "ranks"}}
"""The kinds of turn, with the fields that each has."""


class Said(NamedTuple):
    """What a simulator says of a position. Whatever it leaves out is None."""

    turn: Json | None = None
    legal: list[str] | int | None = None
    """The legal moves in any order, or how many there are."""
    view: Json | None = None
    """Some keys of the view, or all."""
    refused: str | None = None
    """Why it refuses the step."""
    unsupported: str | None = None
    """What it cannot play."""


def format_start(id: str, ruleset: AnyRuleset, trial: Trial, *, asks_legal: bool) -> bytes:
    """The line that begins a match."""
    return format_line(
        {
            "id": id,
            "ask": START,
            "protocol": PROTOCOL,
            "ruleset": ruleset.id,
            "ruleset_version": ruleset.version,
            "options": trial.options,
            "seats": trial.seats,
            "legal": asks_legal,
        }
    )


def format_step(id: str, step: str, *, asks_legal: bool) -> bytes:
    """The line that goes on with a step."""
    return format_line({"id": id, "ask": STEP, "do": read_step(step), "legal": asks_legal})


def parse_said(line: bytes, id: str) -> Said:
    """What the simulator says in answer to this question; Fault if it cannot be read. Unknown fields are ignored."""
    fields = parse_fields(line, id)
    turn, legal, view = (fields.get(name) for name in ("turn", "legal", "view"))
    if turn is not None and not _is_turn(turn):
        raise _unreadable("turn", '{"decision": seat}, {"roll": {…}} or {"over": {…}}', line)
    is_count = type(legal) is int and legal >= 0
    is_list = isinstance(legal, list) and all(isinstance(each, str) for each in legal)
    if legal is not None and not is_count and not is_list:
        raise _unreadable("legal", "a list of moves, or their number", line)
    if view is not None and not isinstance(view, dict):
        raise _unreadable("view", "an object with keys of the view", line)
    reasons = [_read_reason(fields, name, line) for name in ("refused", "unsupported")]
    return Said(turn, legal, view, *reasons)


def _is_turn(turn: object) -> bool:
    if not isinstance(turn, dict) or len(turn) != 1 or not turn.keys() <= TURNS.keys():
        return False
    [(kind, value)] = turn.items()
    fields = TURNS[kind]
    if fields is None:
        return type(value) is int
    return isinstance(value, dict) and value.keys() <= fields


def _read_reason(fields: Json, name: str, line: bytes) -> str | None:
    value = fields.get(name)
    if value is not None and not isinstance(value, str):
        raise _unreadable(name, "a text that says why", line)
    return None if value is None else shorten(value.encode(errors="replace"))


def _unreadable(name: str, wanted: str, line: bytes) -> Fault:
    return Fault(UNREADABLE, f"{name} must be {wanted}: {shorten(line)}")
