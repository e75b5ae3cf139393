"""Answers about matches."""

from marshmallow import Schema, fields, validate

from plyscribe.domain.bundle.report import CHECKS, RESULTS
from plyscribe.domain.decide.choices import COMMANDS
from plyscribe.domain.events import WITHDRAWAL_CAUSES
from plyscribe.domain.imported import STATUSES as IMPORT_STATUSES
from plyscribe.domain.match import STATUSES
from plyscribe.domain.waiting import WAITED_FOR
from plyscribe.service.matches.imports import MAX_NAMED
from plyscribe.service.web.schemas.answers.events import EventOut, StoredEvents
from plyscribe.service.web.schemas.answers.lists import ListPage, Page
from plyscribe.service.web.schemas.field_types import time_field


class DueRoll(Schema):
    """The dice that must be rolled now."""

    sides = fields.Integer(required=True, metadata={"description": "The number of sides of each die."})
    count = fields.Integer(required=True, metadata={"description": "The number of dice."})
    purpose = fields.String(required=True, metadata={"description": "What the ruleset rolls them for."})
    seat = fields.Integer(
        required=True, allow_none=True, metadata={"description": "The seat that rolls; null if no seat does."}
    )


class Outcome(Schema):
    """How a match ended."""

    reason = fields.String(
        required=True, metadata={"description": "Why it ended: `withdrawal`, `draw-agreed`, or a word of the ruleset."}
    )
    ranks = fields.List(
        fields.Integer(),
        required=True,
        metadata={"description": "The rank of each seat, 1 for the best; tied seats share a rank."},
    )


class Turn(Schema):
    """What the match waits for. It has exactly one of these fields."""

    decision = fields.Integer(metadata={"description": "The seat that must move."})
    roll = fields.Nested(DueRoll)
    over = fields.Nested(Outcome)


class MatchVersion(Schema):
    """A match at one of its versions."""

    match = fields.String(
        required=True, metadata={"description": "The match's id; of an imported match, the address of its import."}
    )
    version = fields.Integer(
        required=True,
        metadata={"description": "The version of the match that this describes: the number of its last event."},
    )


class MatchTurn(MatchVersion):
    """A match at one of its versions, and whose turn it is."""

    turn = fields.Nested(
        Turn,
        required=True,
        allow_none=True,
        metadata={"description": "Null before the start and after an abort."},
    )


class Receipt(StoredEvents, MatchTurn):
    """The receipt of a command: the events that it stored, and the version and turn right after them.

    The same request with the same `Idempotency-Key` gets the same receipt, byte for byte.
    """

    counts = fields.Boolean(
        metadata={
            "description": "Only of rated matches: whether the match counts. While it does not, leaving it aborts it."
        }
    )


class InvitationOut(Schema):
    """An invitation to a seat. The server does not keep its code; if you lose it, create another invitation."""

    match = fields.String(required=True, metadata={"description": "The match's id."})
    seat = fields.Integer(required=True)
    invitation = fields.String(required=True, metadata={"description": "The code of the invitation."})
    expires_at = time_field("When it expires")
    path = fields.String(required=True, metadata={"description": "A path, with the code, to read the match at."})


class EventPage(Page, MatchVersion):
    """A page of a match's events, oldest first."""

    events = fields.List(fields.Nested(EventOut), required=True)


class SeatRow(Schema):
    """A seat and its occupant. An open seat has no occupant.

    The occupant is a `player` (an account), a `bot` of the server, or a guest, who has only a `name`.
    """

    seat = fields.Integer(required=True, metadata={"description": "The seat's number, counted from 1."})
    player = fields.String(metadata={"description": "The id of the account."})
    name = fields.String(metadata={"description": "The name of a guest, who has no account."})
    bot = fields.String(metadata={"description": "The name of the bot."})
    version = fields.Integer(metadata={"description": "The version of the bot."})
    seed = fields.Integer(
        allow_none=True,
        metadata={"description": "The seed that the bot's moves follow from. Null while it is secret: until the end."},
    )
    playouts = fields.Integer(allow_none=True, metadata={"description": "The playouts of the bot for each decision."})
    seated = fields.Boolean(
        required=True, metadata={"description": "False while the seat is open, or its player is only invited."}
    )


class BuildOut(Schema):
    """A build of a program, as the account that started it says. Nobody can check that from outside."""

    digest = fields.String(required=True, metadata={"description": "The SHA-256 of the program's files."})
    command = fields.String(required=True, metadata={"description": "The name of the program."})
    version = fields.String(required=True, allow_none=True, metadata={"description": "What it calls its version."})
    options = fields.Dict(required=True, metadata={"description": "Its options, as far as they are told."})


class SeatOut(SeatRow):
    """A seat of a match, with its entropy for the server's dice, and the builds that its account declared."""

    builds = fields.List(
        fields.Nested(BuildOut),
        required=True,
        metadata={"description": "The builds that played for the seat, in order; empty if none was declared."},
    )

    entropy = fields.String(
        required=True, allow_none=True, metadata={"description": "Null if the seat has not added any."}
    )


class BonusOut(Schema):
    """What each move of a seat does to its `match_ms`, in milliseconds; at most one of these."""

    increment_ms = fields.Integer(metadata={"description": "What each move adds. Absent without an increment."})
    delay_ms = fields.Integer(
        metadata={"description": "How long the clock waits before it runs down. Absent without a delay."}
    )
    bronstein_ms = fields.Integer(
        metadata={"description": "What each move adds, but at most what it took. Absent without such a delay."}
    )


class PhaseOut(BonusOut):
    """A later phase of the time for all decisions of a seat."""

    after = fields.Integer(required=True, metadata={"description": "It begins when the seat has made so many moves."})
    add_ms = fields.Integer(required=True, metadata={"description": "What it adds to the time."})


class TimesOut(BonusOut):
    """Time limits, in milliseconds. Null means no limit."""

    move_ms = fields.Integer(required=True, allow_none=True, metadata={"description": "For one decision."})
    match_ms = fields.Integer(
        required=True, allow_none=True, metadata={"description": "For all decisions of a seat together."}
    )
    phases = fields.List(
        fields.Nested(PhaseOut), metadata={"description": "The later phases, in order. Absent without any."}
    )


class SeatOddsOut(TimesOut):
    """The limits of one seat, in place of those of the match."""

    seat = fields.Integer(required=True)


class LimitsOut(TimesOut):
    """The time limits of each seat, in milliseconds. Null means no limit."""

    seats = fields.List(
        fields.Nested(SeatOddsOut), metadata={"description": "The seats with limits of their own. Absent without any."}
    )


class DeadlineOut(Schema):
    """The time at which the seat on turn is withdrawn unless it moves before."""

    seat = fields.Integer(required=True)
    at = time_field()


class PauseOut(Schema):
    """A pause, in which no clock runs and nobody can move."""

    at = time_field("When it began")
    by = fields.String(required=True, metadata={"description": "Who paused the match, as in events."})
    why = fields.String(required=True, metadata={"description": "The reason, for people."})


class ClockOut(Schema):
    """The clocks as they stood at the last event. Unless the match is paused, that of the seat on turn runs on."""

    since = time_field("When the present decision became due, moved on by the length of every pause since")
    used_ms = fields.List(
        fields.Integer(),
        required=True,
        metadata={
            "description": "The time that each seat has used for its decisions, with the one during which it left."
        },
    )
    left_ms = fields.List(
        fields.Integer(allow_none=True),
        required=True,
        metadata={"description": "The time that each seat has left of `match_ms`; null without that limit."},
    )
    deadline = fields.Nested(DeadlineOut, required=True, allow_none=True)
    spent_ms = fields.List(
        fields.Integer(),
        required=True,
        metadata={
            "description": "How long each of `moves` took, by the server's clock, without pauses and without the lag "
            "that was compensated for; 0 for moves that the match began with."
        },
    )
    lag_ms = fields.Integer(
        required=True,
        allow_none=True,
        metadata={"description": "The most lag that a move is compensated for; null if moves are not timed."},
    )


class DiceOut(Schema):
    """The dice of a match.

    Server dice are fixed before the match: `commitment` is the SHA-256 of their secret, and the secret is published
    when the match ends. Every roll can then be computed again.
    """

    mode = fields.String(
        required=True,
        validate=validate.OneOf(["server", "shared", "recorded"]),
        metadata={"description": "Rolled by the server; the same in several matches; or rolled at a real table."},
    )
    dice_id = fields.String(metadata={"description": "The id that the secret of server dice is derived from."})
    commitment = fields.String(metadata={"description": "The SHA-256 of the secret, in hex."})
    key = fields.String(metadata={"description": "The id of the server key that the secret is derived from."})
    matches = fields.List(
        fields.String(), metadata={"description": "The ids of all matches that share these dice, made or not."}
    )
    secret = fields.String(allow_none=True, metadata={"description": "The secret, in hex; null until it is published."})


class BotsOut(Schema):
    """The secret seeds of the server's bots in a match.

    They are fixed before the match: `commitment` is the SHA-256 of their secret, and the secret is published when the
    match ends. Every seed can then be computed.
    """

    commitment = fields.String(required=True, metadata={"description": "The SHA-256 of the secret, in hex."})
    key = fields.String(
        required=True, metadata={"description": "The id of the server key that the secret is derived from."}
    )
    secret = fields.String(
        required=True, allow_none=True, metadata={"description": "The secret, in hex; null until it is published."}
    )


class ParentOut(Schema):
    """The match that a fork continues."""

    match = fields.String(required=True, metadata={"description": "The id of the parent."})
    ply = fields.Integer(required=True, metadata={"description": "The number of moves taken over from the parent."})


class Verdict(Schema):
    """The result of the second execution, which every finished match gets from a worker."""

    type = fields.String(required=True, validate=validate.OneOf(["match-verified", "match-refuted"]))
    version = fields.Integer(
        required=True, metadata={"description": "The version up to which both agree, or the first event at fault."}
    )
    digest = fields.String(metadata={"description": "If verified: the SHA-256 of the final view, in hex."})
    why = fields.String(metadata={"description": "If refuted: what is wrong with that event."})


class Score(Schema):
    """The points of a verified match."""

    points = fields.List(
        fields.Integer(),
        required=True,
        metadata={"description": "For each seat: two for every seat ranked worse, one for every seat ranked equal."},
    )
    ledger = fields.Integer(
        required=True,
        allow_none=True,
        metadata={"description": "The number of the match in the ledger of ratings; null if it is not rated."},
    )


class Annulled(Schema):
    """The reason why a match does not count."""

    why = fields.String(required=True)


class MatchFault(Schema):
    """The first stored event that could not be read or applied. Everything before it is in the answer."""

    version = fields.Integer(required=True, metadata={"description": "The number of that event."})
    why = fields.String(required=True)


class ImportedFrom(Schema):
    """The import that a match is read from."""

    id = fields.String(required=True, data_key="import", metadata={"description": "The id of the import."})
    match = fields.String(required=True, metadata={"description": "The id that the match has where it was recorded."})
    by = fields.String(required=True, allow_none=True, metadata={"description": "The account that imported it."})
    status = fields.String(
        required=True,
        validate=validate.OneOf(IMPORT_STATUSES),
        metadata={
            "description": "`verified`: the match is consistent in itself (chain, rules, dice, outcome). This does not "
            "prove that it was played like this: only a receipt or the server that recorded it can."
        },
    )
    others = fields.List(
        fields.String(),
        required=True,
        metadata={
            "description": "The addresses of other versions of this match that were imported here, at most "
            f"{MAX_NAMED}. Send a receipt to learn which version contains it."
        },
    )


class ChoiceOut(Schema):
    """A command that you may give now: for each of `seats`, if it names a seat, and for each of `causes`."""

    command = fields.String(required=True, validate=validate.OneOf(COMMANDS), metadata={"example": "move"})
    seats = fields.List(fields.Integer(), metadata={"description": "Absent if the command names no seat."})
    causes = fields.List(
        fields.String(validate=validate.OneOf(WITHDRAWAL_CAUSES)), metadata={"description": "Only of `withdraw`."}
    )


class MatchSummary(MatchVersion):
    """What both a match and its row in lists have."""

    status = fields.String(
        required=True,
        validate=validate.OneOf(STATUSES),
        metadata={
            "description": "`open` until the start, then `playing`, then `ended`. A worker makes it `verified` or "
            "`refuted`, and `scored`. `aborted`: no outcome. `annulled`: it does not count."
        },
    )
    ruleset = fields.String(required=True, metadata={"description": "The ruleset's id."})
    ruleset_version = fields.Integer(required=True)
    creator = fields.String(
        required=True,
        metadata={"description": "The id of the account that created it, or of the job that did for a tournament."},
    )
    recorder = fields.String(
        required=True,
        allow_none=True,
        metadata={"description": "The account that records a match played elsewhere, and acts for all seats."},
    )
    private = fields.Boolean(required=True, metadata={"description": "Whether the match is hidden from the public."})
    rated = fields.Boolean(required=True, metadata={"description": "Whether the match counts for ratings."})


class MatchOut(MatchSummary):
    """A match as it stands now."""

    hash = fields.String(required=True, metadata={"description": "The hash of the last event."})
    counts = fields.Boolean(
        required=True,
        allow_none=True,
        metadata={
            "description": "Whether a rated match counts: its outcome is or would be rated. While it is played and "
            "does not count, leaving it aborts it. Null if it is not rated."
        },
    )
    options = fields.Dict(required=True, metadata={"description": "The options of the ruleset, complete."})
    seats = fields.List(fields.Nested(SeatOut), required=True)
    start = fields.String(required=True, metadata={"description": "`auto` or `call`: see the creation of a match."})
    dice = fields.Nested(
        DiceOut, required=True, allow_none=True, metadata={"description": "Null for a game without dice."}
    )
    bots = fields.Nested(
        BotsOut, required=True, allow_none=True, metadata={"description": "Null if no bot has a secret seed."}
    )
    about = fields.Dict(
        values=fields.String(),
        required=True,
        allow_none=True,
        metadata={"description": "What its creator noted about it, such as `place` and `date`."},
    )
    limits = fields.Nested(LimitsOut, required=True, allow_none=True)
    clock = fields.Nested(
        ClockOut, required=True, allow_none=True, metadata={"description": "Null without limits or before the start."}
    )
    paused = fields.Nested(
        PauseOut, required=True, allow_none=True, metadata={"description": "Null unless the match is paused."}
    )
    rematch_of = fields.String(
        required=True, allow_none=True, metadata={"description": "The id of the match that this is the rematch of."}
    )
    tournament = fields.String(
        required=True, allow_none=True, metadata={"description": "The id of the tournament that it is a game of."}
    )
    parent = fields.Nested(
        ParentOut, required=True, allow_none=True, metadata={"description": "Null unless the match is a fork."}
    )
    ply = fields.Integer(required=True, metadata={"description": "The number of moves made so far."})
    moves = fields.List(
        fields.String(), required=True, metadata={"description": "The moves, without those that were taken back."}
    )
    turn = fields.Nested(
        Turn, required=True, allow_none=True, metadata={"description": "Null before the start and after an abort."}
    )
    draw_offered_by = fields.Integer(
        required=True, allow_none=True, metadata={"description": "The seat whose offer of a draw is open."}
    )
    outcome = fields.Nested(Outcome, required=True, allow_none=True)
    confirm_by = fields.Integer(
        required=True,
        allow_none=True,
        metadata={
            "description": "UTC milliseconds. The match has ended, and until then its recorder may take steps back or "
            "confirm the record. After that it is verified. Null if the match waits for no confirmation."
        },
    )
    verdict = fields.Nested(Verdict, required=True, allow_none=True)
    score = fields.Nested(Score, required=True, allow_none=True)
    annulment = fields.Nested(Annulled, required=True, allow_none=True)
    fault = fields.Nested(MatchFault, required=True, allow_none=True)
    imported = fields.Nested(
        ImportedFrom,
        required=True,
        allow_none=True,
        metadata={
            "description": "Null for a match of this server. In an imported match, players and verdicts are claims of "
            "the server that it comes from."
        },
    )
    view = fields.Dict(
        required=True,
        allow_none=True,
        metadata={"description": "The state of the game, in the ruleset's own form; null before the start."},
    )
    choices = fields.List(
        fields.Nested(ChoiceOut),
        required=True,
        metadata={"description": "What you may do in the match now; empty without a token."},
    )


class Wait(Schema):
    """An account that a match waits for, and what it must do."""

    player = fields.String(required=True, metadata={"description": "The account's id."})
    what = fields.String(
        required=True,
        validate=validate.OneOf(WAITED_FOR),
        metadata={
            "description": "Take a seat, add entropy, start the match, move, record a roll, answer the offer of a "
            "draw, or confirm the record."
        },
    )


class MatchRow(MatchSummary):
    """A match as lists show it."""

    seats = fields.List(fields.Nested(SeatRow), required=True)
    imported = fields.Boolean(
        required=True,
        metadata={
            "description": "If true, the accounts are those of another server, and `verified` means that the match is "
            "consistent in itself."
        },
    )
    importer = fields.String(
        required=True, allow_none=True, metadata={"description": "The account that imported the match."}
    )
    tournament = fields.String(required=True, allow_none=True, metadata={"description": "The tournament's id."})
    created_at = time_field("When it was created or imported")
    updated_at = time_field("When its last event was recorded")
    ended_at = time_field("When it ended with an outcome", "Null before.", allow_none=True)
    ply = fields.Integer(required=True, metadata={"description": "The number of moves made so far."})
    turn = fields.Nested(
        Turn, required=True, allow_none=True, metadata={"description": "Null before the start and after an abort."}
    )
    waits_for = fields.List(fields.Nested(Wait), required=True)
    outcome = fields.Nested(Outcome, required=True, allow_none=True)


class MatchPage(ListPage):
    """A page of matches."""

    matches = fields.List(fields.Nested(MatchRow), required=True)


class CheckOut(Schema):
    """One check of a match and its result."""

    check = fields.String(required=True, validate=validate.OneOf(CHECKS))
    result = fields.String(
        required=True,
        validate=validate.OneOf(RESULTS),
        metadata={
            "description": "`none`: there is nothing to check, or not yet. `unknown`: this server cannot check it."
        },
    )
    why = fields.String(
        required=True, allow_none=True, metadata={"description": "The reason for a result other than `ok`."}
    )
    version = fields.Integer(required=True, allow_none=True, metadata={"description": "The first event at fault."})


class Verification(Schema):
    """The report of a verification: all checks, and the first fault in the order of events."""

    match = fields.String(required=True, metadata={"description": "The match's id."})
    version = fields.Integer(required=True, metadata={"description": "The number of events that were checked."})
    hash = fields.String(required=True, allow_none=True, metadata={"description": "The hash of the last event."})
    status = fields.String(required=True, allow_none=True, validate=validate.OneOf(STATUSES))
    result = fields.String(
        required=True,
        validate=validate.OneOf(["ok", "unknown", "fault"]),
        metadata={
            "description": "`fault` if a check found a fault, else `unknown` if something could not be checked here, "
            "else `ok`."
        },
    )
    fault = fields.Nested(CheckOut, required=True, allow_none=True)
    checks = fields.List(fields.Nested(CheckOut), required=True)


class VerificationDue(MatchVersion):
    """Whether a match waits for a verdict."""

    status = fields.String(required=True, validate=validate.OneOf(STATUSES))
    due = fields.Boolean(
        required=True, metadata={"description": "False if the match already has a verdict that it is sound."}
    )


class EffectOut(Schema):
    """One thing that a step did. Of the keys after `chosen` it has those that its kind has."""

    kind = fields.String(required=True, metadata={"description": "A fixed word of the ruleset, such as `trapped`."})
    clause = fields.String(
        required=True,
        allow_none=True,
        metadata={"description": "The clause behind it; null if it follows from no rule of the game."},
    )
    chosen = fields.Boolean(
        required=True, metadata={"description": "Whether the seat chose it. What only follows is not chosen."}
    )
    seat = fields.Integer(metadata={"description": "The seat that caused it."})
    owner = fields.Integer(
        metadata={"description": "The seat that it concerns: the owner of a piece, the receiver of points."}
    )
    piece = fields.String(metadata={"description": "The sort of piece, a word of the ruleset."})
    source = fields.String(
        data_key="from", metadata={"description": "The field that it went from, or a place beside the board."}
    )
    target = fields.String(
        data_key="to", metadata={"description": "The field or place that it went to, or where it happened."}
    )
    amount = fields.Integer(metadata={"description": "How many, or how much."})
    word = fields.String(metadata={"description": "Another word of the ruleset: a terrain, a class, a reason."})


class StoryOut(Schema):
    """What a step did. Both lists are empty if it did nothing."""

    effects = fields.List(
        fields.Nested(EffectOut),
        required=True,
        metadata={"description": "In the order in which they happened. The ruleset has their JSON Schema."},
    )
    sentences = fields.List(
        fields.String(), required=True, metadata={"description": "A sentence for each effect, in the same order."}
    )


class StepStory(StoryOut):
    """A step: a move, a roll, a withdrawal, or a draw by agreement."""

    ply = fields.Integer(
        required=True,
        metadata={"description": "The position that it led to: the number of moves up to and including this step."},
    )
    kind = fields.String(required=True, validate=validate.OneOf(["move", "roll", "withdrawal", "draw"]))
    seat = fields.Integer(
        required=True,
        allow_none=True,
        metadata={
            "description": "The seat that moved, rolled or left; null for a roll of the table and an agreed draw."
        },
    )
    move = fields.String(required=True, allow_none=True, metadata={"description": "The notation of a move, or null."})
    values = fields.List(
        fields.Integer(),
        required=True,
        allow_none=True,
        metadata={"description": "What the dice of a roll showed, or null."},
    )


class TakenStepOut(StepStory):
    """A step of a match that was not taken back."""

    version = fields.Integer(
        required=True,
        metadata={"description": "The version of its event; 2 for all steps that a fork copied from its parent."},
    )


class EffectsPage(Page, MatchVersion):
    """A page of the steps of a match, with what each did."""

    steps = fields.List(fields.Nested(TakenStepOut), required=True)
    fault = fields.Nested(
        MatchFault,
        required=True,
        allow_none=True,
        metadata={"description": "On the last page of a match with a damaged event: the steps end before that event."},
    )


class PositionOut(MatchTurn):
    """The state just before move `ply` + 1."""

    ply = fields.Integer(required=True, metadata={"description": "The number of moves made before this position."})
    view = fields.Dict(required=True, metadata={"description": "The state of the game, in the ruleset's own form."})
    steps = fields.List(
        fields.Nested(TakenStepOut),
        metadata={
            "description": "Only with `include=effects`: the move that led to the position, and the rolls, withdrawals "
            "and the agreed draw after it."
        },
    )


class TypedStep(Schema):
    """A step of a match: a move, a roll, or a seat that leaves."""

    move = fields.String()
    values = fields.List(fields.Integer())
    withdraw = fields.Integer(metadata={"description": "The seat that leaves."})
    cause = fields.String()


class PlacedStep(Schema):
    """A step, and where it stands in the text. Lines and columns count from 1."""

    step = fields.Nested(TypedStep, required=True)
    line = fields.Integer(required=True)
    column = fields.Integer(required=True)


class TypedFault(Schema):
    """The first place of the text that is wrong, and why."""

    code = fields.String(required=True)
    detail = fields.String(required=True)
    line = fields.Integer(required=True)
    column = fields.Integer(required=True)
    clause = fields.String(metadata={"description": "The clause of the rules that a move breaks, if one does."})


class ReadSheet(MatchTurn):
    """What a typed score sheet says. `turn` and `ply` are those after the steps that could be read."""

    ply = fields.Integer(required=True)
    steps = fields.List(fields.Nested(PlacedStep), required=True)
    fault = fields.Nested(TypedFault, required=True, allow_none=True)
    picture = fields.String(required=True, allow_none=True)


class LegalMoves(Page, MatchTurn):
    """A page of the legal moves of the seat on turn, in a fixed order. Empty unless a seat must move."""

    moves = fields.List(fields.String(), required=True)


class Explanation(Schema):
    """A move in words."""

    sentence = fields.String(required=True)
    clause = fields.String(required=True, metadata={"description": "The clause of the rules that allows the move."})


class Step(Schema):
    """One way to continue the notation of a move."""

    text = fields.String(required=True, metadata={"description": "The text to append to `prefix`.", "example": " <c3"})
    token = fields.String(
        required=True,
        metadata={"description": "The word, number or field in that text, to show on a button.", "example": "c3"},
    )
    completes = fields.Boolean(required=True, metadata={"description": "Whether the move is legal with this step."})
    explanation = fields.Nested(
        Explanation, required=True, allow_none=True, metadata={"description": "Of the move that the step completes."}
    )


class Composition(MatchTurn):
    """How the notation of a legal move can continue after `prefix`."""

    prefix = fields.String(required=True)
    complete = fields.Boolean(required=True, metadata={"description": "Whether `prefix` is a legal move as it stands."})
    finish = fields.String(
        required=True,
        allow_none=True,
        metadata={"description": "The only legal move that starts with `prefix`; null if there are several or none."},
    )
    explanation = fields.Nested(
        Explanation,
        required=True,
        allow_none=True,
        metadata={"description": "Of `prefix` if it is complete, else of `finish`."},
    )
    preview = fields.Nested(
        StoryOut,
        required=True,
        allow_none=True,
        metadata={"description": "What that move would do, apart from the rolls that follow it."},
    )
    steps = fields.List(fields.Nested(Step), required=True)
    truncated = fields.Boolean(
        required=True,
        metadata={"description": "True if there were too many moves to look at all of them. Steps can be missing."},
    )


class NextTouch(Schema):
    """A part of the board that can be touched next."""

    touch = fields.String(required=True, metadata={"description": "Its `data-touch`.", "example": "d4"})
    move = fields.String(
        required=True,
        allow_none=True,
        metadata={"description": "The move that it completes, if it leaves nothing else open."},
    )


class ReadyMove(StoryOut):
    """A legal move that the touches make, and what it would do, apart from the rolls that follow it."""

    move = fields.String(required=True)
    label = fields.String(
        required=True, metadata={"description": "What tells it from the other moves that the same touches make."}
    )


class TouchRefusal(Schema):
    """Why no legal move begins with these touches."""

    detail = fields.String(required=True)
    clause = fields.String(
        required=True, allow_none=True, metadata={"description": "The clause of the rules behind it, if there is one."}
    )
    title = fields.String(required=True, allow_none=True, metadata={"description": "The title of that clause."})


class Touched(Schema):
    """What touches of a board lead to."""

    touches = fields.List(fields.String(), required=True)
    next = fields.List(
        fields.Nested(NextTouch),
        required=True,
        metadata={"description": "What can be touched next. Nothing if no seat must move, or without a board."},
    )
    ready = fields.List(
        fields.Nested(ReadyMove), required=True, metadata={"description": "The moves that these touches make."}
    )
    picture = fields.String(
        required=True,
        allow_none=True,
        metadata={"description": "The board right after the move as SVG, if exactly one is ready."},
    )
    refusal = fields.Nested(
        TouchRefusal, required=True, allow_none=True, metadata={"description": "Null unless nothing follows."}
    )
    read = fields.Dict(
        fields.String(),
        fields.String(),
        required=True,
        metadata={"description": "What is to be seen at each place that can be touched; empty after a touch."},
    )
    truncated = fields.Boolean(
        required=True,
        metadata={"description": "True if there were too many moves to look at all of them. Touches can be missing."},
    )


class TouchedMoves(Touched, MatchTurn):
    """What touches of the board of a match lead to."""
