"""What answers about matches hold."""

from marshmallow import Schema, fields, validate

from plyscribe.domain.bundle.report import CHECKS, RESULTS
from plyscribe.domain.decide.choices import COMMANDS
from plyscribe.domain.events import WITHDRAWAL_CAUSES
from plyscribe.domain.imported import STATUSES as IMPORT_STATUSES
from plyscribe.domain.match import STATUSES
from plyscribe.domain.waiting import WAITED_FOR
from plyscribe.service.web.schemas.answers.events import EventOut
from plyscribe.service.web.schemas.answers.lists import ListOut


class Turn(Schema):
    """What the match waits for: exactly one of the three."""

    decision = fields.Integer(metadata={"description": "The seat that must move."})
    roll = fields.Dict(metadata={"description": "The dice that are due: sides, count, purpose, seat."})
    over = fields.Dict(metadata={"description": "The outcome: reason and one rank a seat."})


class Receipt(Schema):
    """The answer to a command: the events that it stored. The same for the same request, byte for byte."""

    match = fields.String(required=True)
    version = fields.Integer(required=True)
    hash = fields.String(required=True)
    turn = fields.Nested(Turn, required=True, allow_none=True)
    events = fields.List(fields.Nested(EventOut), required=True)


class InvitationOut(Schema):
    """An invitation to a seat. The code is not kept: keep it, or ask for another one."""

    match = fields.String(required=True)
    seat = fields.Integer(required=True)
    invitation = fields.String(required=True, metadata={"description": "The code."})
    expires_at = fields.Integer(required=True, metadata={"description": "UTC milliseconds."})
    path = fields.String(required=True, metadata={"description": "Where the match can be read with it."})


class EventPage(Schema):
    """Events in order; `next` is the path of the next page, null on the last."""

    match = fields.String(required=True)
    version = fields.Integer(required=True)
    events = fields.List(fields.Nested(EventOut), required=True)
    next = fields.String(required=True, allow_none=True)


class SeatRow(Schema):
    """A seat: who it is for (nobody: anyone), and whether that one sat down. A bot of the server has its build."""

    seat = fields.Integer(required=True)
    player = fields.String()
    name = fields.String()
    bot = fields.String()
    version = fields.Integer(metadata={"description": "The version of the bot."})
    seed = fields.Integer()
    playouts = fields.Integer(allow_none=True, metadata={"description": "How many it takes a decision."})
    seated = fields.Boolean(required=True)


class SeatOut(SeatRow):
    """A seat of a match, with its salt for the server's dice."""

    entropy = fields.String(required=True, allow_none=True)


class LimitsOut(Schema):
    """How long a seat may take, in milliseconds; null: without limit."""

    move_ms = fields.Integer(required=True, allow_none=True)
    match_ms = fields.Integer(required=True, allow_none=True)


class DeadlineOut(Schema):
    """Until when the seat on turn must have moved."""

    seat = fields.Integer(required=True)
    at = fields.Integer(required=True, metadata={"description": "UTC milliseconds."})


class ClockOut(Schema):
    """The clocks as they stood at the last event; that of the seat on turn runs since `since` (UTC milliseconds)."""

    since = fields.Integer(required=True)
    used_ms = fields.List(
        fields.Integer(), required=True, metadata={"description": "What each seat took for its moves."}
    )
    left_ms = fields.List(
        fields.Integer(allow_none=True),
        required=True,
        metadata={"description": "What each seat has left of match_ms; null without that limit."},
    )
    deadline = fields.Nested(DeadlineOut, required=True, allow_none=True)


class ParentOut(Schema):
    """Where a fork comes from: a match, and the ply up to which its line was copied."""

    match = fields.String(required=True)
    ply = fields.Integer(required=True)


class ImportedFrom(Schema):
    """The import that a match is read from, and what was found of it here."""

    id = fields.String(required=True, data_key="import")
    status = fields.String(required=True, validate=validate.OneOf(IMPORT_STATUSES))


class ChoiceOut(Schema):
    """A command that you may give now: for each of `seats`, if it names a seat, and for each of `causes`."""

    command = fields.String(required=True, validate=validate.OneOf(COMMANDS), metadata={"example": "move"})
    seats = fields.List(fields.Integer(), metadata={"description": "Absent if the command names no seat."})
    causes = fields.List(
        fields.String(validate=validate.OneOf(WITHDRAWAL_CAUSES)), metadata={"description": "Only of `withdraw`."}
    )


class MatchOut(Schema):
    """A match as it stands now."""

    match = fields.String(required=True)
    version = fields.Integer(required=True)
    hash = fields.String(required=True)
    status = fields.String(required=True, validate=validate.OneOf(STATUSES))
    ruleset = fields.String(required=True)
    ruleset_version = fields.Integer(required=True)
    options = fields.Dict(required=True)
    seats = fields.List(fields.Nested(SeatOut), required=True)
    creator = fields.String(required=True)
    recorder = fields.String(required=True, allow_none=True)
    private = fields.Boolean(required=True)
    rated = fields.Boolean(required=True)
    start = fields.String(required=True)
    dice = fields.Dict(required=True, allow_none=True)
    about = fields.Dict(required=True, allow_none=True)
    limits = fields.Nested(LimitsOut, required=True, allow_none=True)
    clock = fields.Nested(ClockOut, required=True, allow_none=True)
    rematch_of = fields.String(required=True, allow_none=True, metadata={"description": "The match before this one."})
    parent = fields.Nested(
        ParentOut, required=True, allow_none=True, metadata={"description": "What this match is a fork of."}
    )
    ply = fields.Integer(required=True)
    moves = fields.List(fields.String(), required=True)
    turn = fields.Nested(Turn, required=True, allow_none=True)
    draw_offered_by = fields.Integer(required=True, allow_none=True)
    outcome = fields.Dict(required=True, allow_none=True)
    verdict = fields.Dict(required=True, allow_none=True)
    score = fields.Dict(
        required=True,
        allow_none=True,
        metadata={"description": "Points of each seat, and its place in the ratings ledger if it is rated."},
    )
    annulment = fields.Dict(required=True, allow_none=True, metadata={"description": "Why it counts for nothing."})
    fault = fields.Dict(required=True, allow_none=True)
    imported = fields.Nested(
        ImportedFrom,
        required=True,
        allow_none=True,
        metadata={"description": "Null for the matches of this server. Of others, seats and verdicts are no proof."},
    )
    view = fields.Dict(required=True, allow_none=True)
    choices = fields.List(
        fields.Nested(ChoiceOut),
        required=True,
        metadata={"description": "What you may do in the match now; empty without a token."},
    )


class Wait(Schema):
    """An account that a match waits for, and for what."""

    player = fields.String(required=True)
    what = fields.String(required=True, validate=validate.OneOf(WAITED_FOR))


class MatchRow(Schema):
    """A match as lists show it."""

    match = fields.String(required=True)
    version = fields.Integer(required=True)
    status = fields.String(required=True, validate=validate.OneOf(STATUSES))
    ruleset = fields.String(required=True)
    ruleset_version = fields.Integer(required=True)
    seats = fields.List(fields.Nested(SeatRow), required=True)
    creator = fields.String(required=True)
    recorder = fields.String(required=True, allow_none=True)
    rated = fields.Boolean(required=True)
    private = fields.Boolean(required=True)
    imported = fields.Boolean(
        required=True, metadata={"description": "Its status is ours, its accounts are those of another server."}
    )
    tournament = fields.String(required=True, allow_none=True)
    created_at = fields.Integer(required=True, metadata={"description": "Or imported; UTC milliseconds."})
    updated_at = fields.Integer(required=True, metadata={"description": "UTC milliseconds."})
    ply = fields.Integer(required=True)
    turn = fields.Nested(Turn, required=True, allow_none=True)
    waits_for = fields.List(fields.Nested(Wait), required=True)
    outcome = fields.Dict(required=True, allow_none=True)


class MatchPage(ListOut):
    """Matches, those created last first."""

    matches = fields.List(fields.Nested(MatchRow), required=True)


class CheckOut(Schema):
    """One thing that was checked, with the reason behind a result other than ok and the version that is at fault."""

    check = fields.String(required=True, validate=validate.OneOf(CHECKS))
    result = fields.String(required=True, validate=validate.OneOf(RESULTS))
    why = fields.String(required=True, allow_none=True)
    version = fields.Integer(required=True, allow_none=True)


class Verification(Schema):
    """What can be checked of a match by its events, and the first fault in their order."""

    match = fields.String(required=True)
    version = fields.Integer(required=True)
    hash = fields.String(required=True, allow_none=True)
    status = fields.String(required=True, allow_none=True, validate=validate.OneOf(STATUSES))
    result = fields.String(required=True, validate=validate.OneOf(["ok", "unknown", "fault"]))
    fault = fields.Nested(CheckOut, required=True, allow_none=True)
    checks = fields.List(fields.Nested(CheckOut), required=True)


class VerificationDue(Schema):
    """Whether the match, as it stood at this version, waits for a verdict now."""

    match = fields.String(required=True)
    version = fields.Integer(required=True)
    status = fields.String(required=True, validate=validate.OneOf(STATUSES))
    due = fields.Boolean(required=True)


class PositionOut(Schema):
    """The state just before move `ply` + 1."""

    match = fields.String(required=True)
    version = fields.Integer(required=True)
    ply = fields.Integer(required=True)
    turn = fields.Nested(Turn, required=True, allow_none=True)
    view = fields.Dict(required=True)


class LegalMoves(Schema):
    """Legal moves of the seat on turn, in their fixed order; `next` is the path of the next page, null on the last."""

    match = fields.String(required=True)
    version = fields.Integer(required=True)
    turn = fields.Nested(Turn, required=True, allow_none=True)
    moves = fields.List(fields.String(), required=True)
    next = fields.String(required=True, allow_none=True)


class Explanation(Schema):
    """A move in words, and the clause of the rules that it comes under."""

    sentence = fields.String(required=True)
    clause = fields.String(required=True)


class Step(Schema):
    """What may be added to a move: `text`, with the name in it as `token`; `completes` says that it is legal then."""

    text = fields.String(required=True, metadata={"example": " <c3"})
    token = fields.String(required=True, metadata={"example": "c3"})
    completes = fields.Boolean(required=True)
    explanation = fields.Nested(Explanation, required=True, allow_none=True)


class Composition(Schema):
    """What may follow `prefix`. `complete`: it is a legal move; `finish`: the one legal move that begins so, if any.

    `explanation` is that of either. `truncated`: there were too many moves to be looked at, and steps may be missing.
    """

    match = fields.String(required=True)
    version = fields.Integer(required=True)
    turn = fields.Nested(Turn, required=True, allow_none=True)
    prefix = fields.String(required=True)
    complete = fields.Boolean(required=True)
    finish = fields.String(required=True, allow_none=True)
    explanation = fields.Nested(Explanation, required=True, allow_none=True)
    steps = fields.List(fields.Nested(Step), required=True)
    truncated = fields.Boolean(required=True)
