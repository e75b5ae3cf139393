"""What answers hold."""

from marshmallow import Schema, fields, validate

from domain.events import WITHDRAWAL_CAUSES, WITHDRAWAL_FAULTS
from domain.imported import STATUSES as IMPORT_STATUSES
from domain.match import STATUSES
from domain.notices import NOTICE_TYPES
from domain.player import KINDS
from domain.report import CHECKS, RESULTS
from domain.tournament.attempts import OWNERS
from domain.tournament.attempts import STATUSES as ATTEMPT_STATUSES
from domain.tournament.events import FAILURES
from domain.tournament.state import STATUSES as TOURNAMENT_STATUSES
from domain.waiting import WAITED_FOR
from service.inboxes import GAP


class Turn(Schema):
    """What the match waits for: exactly one of the three."""

    decision = fields.Integer(metadata={"description": "The seat that must move."})
    roll = fields.Dict(metadata={"description": "The dice that are due: sides, count, purpose, seat."})
    over = fields.Dict(metadata={"description": "The outcome: reason and one rank a seat."})


class EventOut(Schema):
    """A stored event with its hash."""

    version = fields.Integer(required=True)
    type = fields.String(required=True)
    at = fields.Integer(required=True, metadata={"description": "UTC milliseconds; the version is the order."})
    by = fields.String(required=True)
    cause = fields.String(required=True)
    data = fields.Dict(required=True)
    hash = fields.String(required=True)


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


class InboxEntry(Schema):
    """What a player is told. Of which match and version, unless it is a `gap`; the rest depends on the type."""

    id = fields.Integer(required=True, metadata={"description": "Grows from entry to entry."})
    type = fields.String(required=True, validate=validate.OneOf([*NOTICE_TYPES, GAP]))
    match = fields.String()
    version = fields.Integer(metadata={"description": "Of the match, as of the event that is told of."})
    at = fields.Integer(metadata={"description": "UTC milliseconds."})
    seat = fields.Integer(metadata={"description": "Yours, of which it is told."})
    seats = fields.List(fields.Integer(), metadata={"description": "All of yours in the match."})
    ply = fields.Integer()
    deadline = fields.Integer(allow_none=True, metadata={"description": "UTC milliseconds; null without limits."})
    offered_by = fields.Integer()
    ruleset = fields.String()
    ruleset_version = fields.Integer()
    reason = fields.String()
    ranks = fields.List(fields.Integer(), metadata={"description": "Of all seats."})


class InboxPage(Schema):
    """Entries in order; `newest` is the id of the last one there is, `next` the path of the next page or null."""

    player = fields.String(required=True)
    newest = fields.Integer(required=True)
    entries = fields.List(fields.Nested(InboxEntry), required=True)
    next = fields.String(required=True, allow_none=True)


class PlayerOut(Schema):
    """An account."""

    player = fields.String(required=True)
    name = fields.String(required=True)
    kind = fields.String(required=True, validate=validate.OneOf(KINDS))
    registered_at = fields.Integer(required=True)


class Me(PlayerOut):
    """The account that the token stands for."""

    scopes = fields.List(fields.String(), required=True)


class NewPlayerOut(Me):
    """The new account and its token, which is shown this once."""

    token = fields.String(required=True)


class TokenOut(Schema):
    """What a token may do, and when; times in UTC milliseconds."""

    id = fields.String(required=True, metadata={"description": "What the token is called; its text is not kept."})
    label = fields.String(required=True, allow_none=True)
    scopes = fields.List(fields.String(), required=True)
    issued_at = fields.Integer(required=True)
    expires_at = fields.Integer(required=True, allow_none=True)


class ListedToken(TokenOut):
    """A token that is valid."""

    current = fields.Boolean(required=True, metadata={"description": "Whether it is the one that asks."})


class Tokens(Schema):
    """The valid tokens of an account, the oldest first."""

    player = fields.String(required=True)
    tokens = fields.List(fields.Nested(ListedToken), required=True)


class NewTokenOut(TokenOut):
    """A new token: its text is shown this once."""

    player = fields.String(required=True)
    token = fields.String(required=True)


class RevokedToken(Schema):
    """A token that has ended."""

    id = fields.String(required=True)
    ended_at = fields.Integer(required=True, metadata={"description": "UTC milliseconds."})


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


class Progress(Schema):
    """How much is done."""

    done = fields.Integer(required=True)
    total = fields.Integer(required=True)


class ImportOut(Schema):
    """An import. `status` is `own` for a match of this server, which has all that the bundle says."""

    id = fields.String(required=True, allow_none=True, data_key="import")
    match = fields.String(required=True)
    status = fields.String(required=True, validate=validate.OneOf([*IMPORT_STATUSES, "own"]))
    by = fields.String(required=True, allow_none=True, metadata={"description": "Who imported it."})
    at = fields.Integer(required=True, allow_none=True, metadata={"description": "UTC milliseconds."})
    private = fields.Boolean(required=True, allow_none=True)
    copied = fields.Nested(Progress, required=True, allow_none=True, metadata={"description": "Events of the match."})
    sha256 = fields.String(required=True, allow_none=True, metadata={"description": "Of the file that was sent."})
    verdict = fields.Dict(
        required=True,
        allow_none=True,
        metadata={
            "description": "Of a bundle: verified up to a version, or refuted: at which version, and why. "
            "Of a text record: its first fault, with line, column, ply, clause, and whether anything before it can be "
            "kept."
        },
    )
    entered = fields.Dict(
        required=True,
        allow_none=True,
        metadata={"description": "Of a text record: version and plies of the match that became of it."},
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


class ListOut(Schema):
    """What all lists say: they follow the streams, some moments behind."""

    next = fields.String(
        required=True,
        allow_none=True,
        metadata={"description": "Path of the next page, null on the last. A page may be short, or empty, before it."},
    )
    lag_ms = fields.Integer(
        required=True, metadata={"description": "What was stored longer ago than this is in the list."}
    )
    complete = fields.Boolean(
        required=True, metadata={"description": "False while the lists are built for the first time in a store."}
    )


class MatchPage(ListOut):
    """Matches, those created last first."""

    matches = fields.List(fields.Nested(MatchRow), required=True)


class PlayerPage(ListOut):
    """Players by name."""

    players = fields.List(fields.Nested(PlayerOut), required=True)


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


class RulesetVersion(Schema):
    """A version of a ruleset; matches name theirs, and play by it for ever."""

    version = fields.Integer(required=True)
    released = fields.Boolean(
        required=True, metadata={"description": "Whether it is frozen; a draft may still change under its matches."}
    )
    behaviour = fields.String(
        required=True,
        allow_none=True,
        metadata={"description": "Its behaviour digest: SHA-256 of its proofs in hex; null where it has none."},
    )


class RulesetOut(RulesetVersion):
    """A ruleset in one version."""

    ruleset = fields.String(required=True)
    title = fields.String(required=True)
    min_seats = fields.Integer(required=True)
    max_seats = fields.Integer(required=True)
    options = fields.Dict(required=True, metadata={"description": "JSON Schema of the options."})
    presets = fields.Dict(
        required=True, metadata={"description": "Options by name: rated matches have these, or the defaults."}
    )


class RatingOut(Schema):
    """A rating, in millionths."""

    rating_micro = fields.Integer(required=True, metadata={"description": "What the player is believed to be worth."})
    uncertainty_micro = fields.Integer(required=True, metadata={"description": "The standard deviation of that."})
    ordinal_micro = fields.Integer(
        required=True, metadata={"description": "The rating less three times its uncertainty: tables go by it."}
    )


class StandingOut(RatingOut):
    """A player in a table of ratings; those with equal ordinals share a rank."""

    rank = fields.Integer(required=True)
    player = fields.String(required=True)
    name = fields.String(required=True)
    matches = fields.Integer(required=True, metadata={"description": "Matches that made the rating."})
    last_match = fields.String(required=True)
    last_at = fields.Integer(required=True, metadata={"description": "When it was rated, UTC milliseconds."})


class RatingsModel(Schema):
    """What makes ratings of matches, as the ledger was opened with it."""

    model = fields.String(required=True)
    parameters = fields.Dict(required=True, metadata={"description": "In millionths."})
    library = fields.String(required=True)


class RatingsPage(Schema):
    """The ratings of a ruleset, best first; `version` is the ledger's; `next` is null on the last page."""

    ruleset = fields.String(required=True)
    version = fields.Integer(required=True)
    model = fields.Nested(RatingsModel, required=True, allow_none=True)
    players = fields.List(fields.Nested(StandingOut), required=True)
    next = fields.String(required=True, allow_none=True)


class RatedMatch(Schema):
    """A match that counts, and what it made of a player's rating."""

    version = fields.Integer(required=True, metadata={"description": "Its place in the ledger."})
    at = fields.Integer(required=True, metadata={"description": "UTC milliseconds."})
    match = fields.String(required=True)
    rank = fields.Integer(required=True)
    seats = fields.Integer(required=True)
    before = fields.Nested(RatingOut, required=True)
    after = fields.Nested(RatingOut, required=True)


class RatingHistory(StandingOut):
    """A player's rating and the matches that made it, oldest first; `next` is null on the last page."""

    ruleset = fields.String(required=True)
    version = fields.Integer(required=True)
    history = fields.List(fields.Nested(RatedMatch), required=True)
    next = fields.String(required=True, allow_none=True)


class RatingChange(Schema):
    """A player's rating with the match and without it; null: none of the player's matches counts."""

    player = fields.String(required=True)
    name = fields.String(required=True)
    before = fields.Nested(RatingOut, required=True, allow_none=True)
    after = fields.Nested(RatingOut, required=True, allow_none=True)


class AnnulmentOut(Schema):
    """What an annulment changed, or would change: greatest changes first; `next` is null on the last page."""

    match = fields.String(required=True)
    why = fields.String(required=True, allow_none=True, metadata={"description": "Null in a preview."})
    changes = fields.List(fields.Nested(RatingChange), required=True)
    next = fields.String(required=True, allow_none=True)


class ClauseOut(Schema):
    """A clause of the rules in one version."""

    ruleset = fields.String(required=True)
    version = fields.Integer(required=True)
    clause = fields.String(required=True)
    title = fields.String(required=True)
    text = fields.String(required=True, metadata={"description": "Markdown."})


class RulesetDetail(RulesetOut):
    """A ruleset with its versions and clauses."""

    versions = fields.List(fields.Nested(RulesetVersion), required=True, metadata={"description": "Newest first."})
    clauses = fields.List(fields.Nested(ClauseOut), required=True)


class RulesetRow(RulesetOut):
    """A ruleset as the list shows it."""

    matches = fields.Integer(
        required=True,
        allow_none=True,
        metadata={"description": "Public matches of it in all of its versions; null while the store is away."},
    )


class Rulesets(Schema):
    """Rulesets in all versions, newest first within an id."""

    rulesets = fields.List(fields.Nested(RulesetRow), required=True)


class Health(Schema):
    """The process answers."""

    status = fields.String(required=True)


class Ready(Schema):
    """The process can do its work; `durability` says what a success answer is worth."""

    status = fields.String(required=True)
    store = fields.String(required=True)
    durability = fields.String(required=True, validate=validate.OneOf(["always", "everysec", "unknown"]))


class TournamentReceipt(Schema):
    """The answer to a command on a tournament: the events that it stored."""

    tournament = fields.String(required=True)
    version = fields.Integer(required=True)
    hash = fields.String(required=True)
    status = fields.String(required=True, validate=validate.OneOf(TOURNAMENT_STATUSES))
    events = fields.List(fields.Nested(EventOut), required=True)


class TournamentRow(Schema):
    """A tournament as lists show it."""

    tournament = fields.String(required=True)
    version = fields.Integer(required=True)
    name = fields.String(required=True)
    status = fields.String(required=True, validate=validate.OneOf(TOURNAMENT_STATUSES))
    ruleset = fields.String(required=True)
    ruleset_version = fields.Integer(required=True)
    seats = fields.Integer(required=True, metadata={"description": "Of each match."})
    format = fields.Dict(required=True)
    entrants = fields.Integer(required=True)
    rounds = fields.Integer(required=True, metadata={"description": "Paired so far."})
    organiser = fields.String(required=True)
    created_at = fields.Integer(required=True, metadata={"description": "UTC milliseconds."})


class TournamentPage(ListOut):
    """Tournaments, those announced last first."""

    tournaments = fields.List(fields.Nested(TournamentRow), required=True)


class EntrantOut(Schema):
    """An entrant: a player, or a bot of the server."""

    entrant = fields.Integer(required=True)
    player = fields.String()
    player_name = fields.String()
    bot = fields.String()
    bot_version = fields.Integer()
    playouts = fields.Integer(allow_none=True)
    label = fields.String(required=True, allow_none=True)
    is_in = fields.Boolean(required=True, metadata={"description": "False once it has withdrawn."})
    absences = fields.List(fields.Integer(), required=True)
    joined = fields.Integer(required=True, metadata={"description": "The first round that it can play."})


class FaultTotals(Schema):
    """How many faults there were in a tournament, by whose they were."""

    entrant = fields.Integer(required=True, metadata={"description": "Of all entrants: these were scored."})
    platform = fields.Integer(required=True, metadata={"description": "These games were played again."})


class TournamentOut(Schema):
    """A tournament as it stands."""

    tournament = fields.String(required=True)
    version = fields.Integer(required=True)
    name = fields.String(required=True)
    status = fields.String(required=True, validate=validate.OneOf(TOURNAMENT_STATUSES))
    ended = fields.String(required=True, allow_none=True, metadata={"description": "Why it is over."})
    organiser = fields.String(required=True)
    created_at = fields.Integer(required=True)
    ruleset = fields.String(required=True)
    ruleset_version = fields.Integer(required=True)
    options = fields.Dict(required=True)
    seats = fields.Integer(required=True)
    format = fields.Dict(required=True)
    repeat = fields.String(required=True)
    openings = fields.List(fields.List(fields.String()), required=True)
    scoring = fields.Dict(required=True)
    tiebreaks = fields.List(fields.String(), required=True)
    limits = fields.Dict(required=True, allow_none=True)
    sprt = fields.Dict(required=True, allow_none=True)
    max_entrants = fields.Integer(required=True)
    is_open = fields.Boolean(required=True)
    seed = fields.Integer(required=True)
    entrants = fields.List(fields.Nested(EntrantOut), required=True)
    rounds = fields.Integer(required=True)
    games = fields.Integer(required=True, metadata={"description": "Paired so far."})
    decided = fields.Integer(required=True, metadata={"description": "Of these games."})
    given_up = fields.Integer(
        required=True, metadata={"description": "Of these games: failed so often that they are not played again."}
    )
    faults = fields.Nested(FaultTotals, required=True)


class FaultCounts(Schema):
    """How many faults there were in the games of an entrant, by whose they were."""

    entrant = fields.Integer(required=True, metadata={"description": "Its own."})
    opponent = fields.Integer(required=True)
    platform = fields.Integer(required=True)


class TableRow(Schema):
    """A line of the table. Points and tiebreaks are decimals in texts, so that none is rounded by the way."""

    rank = fields.Integer(required=True)
    entrant = fields.Integer(required=True)
    label = fields.String(required=True)
    points = fields.String(required=True)
    tiebreaks = fields.Dict(required=True)
    games = fields.Integer(required=True, metadata={"description": "Those that count."})
    seats = fields.List(fields.Integer(), required=True, metadata={"description": "How often it had each seat."})
    byes = fields.Integer(required=True)
    absences = fields.Integer(required=True)
    faults = fields.Nested(FaultCounts, required=True)
    is_in = fields.Boolean(required=True, data_key="in")
    against = fields.Dict(
        required=True, metadata={"description": "For each opponent, what each game against it brought."}
    )
    reached = fields.Integer(metadata={"description": "In a knockout: the last round."})
    rating_micro = fields.Integer(required=True, metadata={"description": "By the games of this tournament alone."})
    uncertainty_micro = fields.Integer(required=True)


class Standings(Schema):
    """The table of a tournament as it stands."""

    tournament = fields.String(required=True)
    version = fields.Integer(required=True)
    status = fields.String(required=True, validate=validate.OneOf(TOURNAMENT_STATUSES))
    rounds = fields.Integer(required=True, metadata={"description": "Paired so far."})
    tiebreaks = fields.List(fields.String(), required=True, metadata={"description": "In their order."})
    rows = fields.List(fields.Nested(TableRow), required=True)
    sprt = fields.Dict(
        required=True,
        allow_none=True,
        metadata={"description": "Of a sequential test: log-likelihood ratio, bounds, and the hypothesis taken."},
    )


class GameOut(Schema):
    """A game: its entrants by seat, its match, and how it ended once it did."""

    board = fields.Integer(required=True)
    game = fields.Integer(required=True)
    entrants = fields.List(fields.Integer(), required=True)
    match = fields.String(required=True)
    ranks = fields.List(fields.Integer(), required=True, allow_none=True)
    reason = fields.String(required=True, allow_none=True)
    annulled = fields.String(required=True, allow_none=True)
    failed = fields.List(fields.String(), required=True, metadata={"description": "Matches that came to nothing."})


class IncidentOut(Schema):
    """Something by which a match did not go on as the rules have it."""

    cause = fields.String(
        required=True,
        metadata={
            "description": f"Of an entrant: {', '.join((*WITHDRAWAL_CAUSES, *WITHDRAWAL_FAULTS))}; "
            f"of the platform: {', '.join(FAILURES)}."
        },
    )
    owner = fields.String(
        required=True,
        allow_none=True,
        metadata={
            "description": f"Whose fault it was: {', '.join(OWNERS)}, the second only where the query names an "
            "`entrant`. Null: nobody's, for to resign is everybody's right."
        },
    )
    entrant = fields.Integer(
        required=True, allow_none=True, metadata={"description": "Who left the match; null: the platform failed it."}
    )
    why = fields.String(required=True, allow_none=True)


class AttemptOut(Schema):
    """A match that was made for a game: when, how it ended, and whose fault went with it."""

    round = fields.Integer(required=True)
    board = fields.Integer(required=True)
    game = fields.Integer(required=True)
    attempt = fields.Integer(required=True, metadata={"description": "At this game, from 1."})
    entrants = fields.List(fields.Integer(), required=True, metadata={"description": "By seat."})
    match = fields.String(required=True)
    status = fields.String(required=True, validate=validate.OneOf(ATTEMPT_STATUSES))
    made_at = fields.Integer(
        required=True,
        allow_none=True,
        metadata={"description": "UTC milliseconds; null while it is played: the match's first event tells."},
    )
    closed_at = fields.Integer(
        required=True, allow_none=True, metadata={"description": "When its result, or that it failed, was entered."}
    )
    ranks = fields.List(fields.Integer(), required=True, allow_none=True)
    reason = fields.String(required=True, allow_none=True)
    scored = fields.Boolean(required=True, metadata={"description": "Whether its result counts."})
    annulled = fields.String(required=True, allow_none=True)
    incidents = fields.List(fields.Nested(IncidentOut), required=True, metadata={"description": "In their order."})


class AttemptsOut(Schema):
    """Attempts in the order of rounds, boards and games; `next` is the path of the next page, null on the last."""

    tournament = fields.String(required=True)
    version = fields.Integer(required=True)
    attempts = fields.List(fields.Nested(AttemptOut), required=True)
    next = fields.String(required=True, allow_none=True)


class RoundOut(Schema):
    """A round: its games, who had none, and why it was paired so."""

    round = fields.Integer(required=True)
    byes = fields.List(fields.Integer(), required=True)
    absent = fields.List(fields.Integer(), required=True)
    engine = fields.String(required=True)
    costs = fields.Dict(required=True)
    is_decided = fields.Boolean(required=True)
    games = fields.List(fields.Nested(GameOut), required=True)


class RoundsOut(Schema):
    """All rounds of a tournament."""

    tournament = fields.String(required=True)
    version = fields.Integer(required=True)
    rounds = fields.List(fields.Nested(RoundOut), required=True)


class AnnulmentReport(Schema):
    """What the annulment of a game changed, or would change."""

    tournament = fields.String(required=True)
    version = fields.Integer(required=True)
    game = fields.Nested(GameOut, required=True)
    before = fields.Nested(Standings, required=True)
    after = fields.Nested(Standings, required=True)


class PairingOut(Schema):
    """Who meets whom, who has a bye, and at which costs."""

    boards = fields.List(fields.List(fields.Integer()), required=True)
    byes = fields.List(fields.Integer(), required=True)
    costs = fields.Dict(required=True)


class RoundCheck(Schema):
    """A round as it was paired, and as it comes out when it is worked out again."""

    tournament = fields.String(required=True)
    round = fields.Integer(required=True)
    agrees = fields.Boolean(required=True)
    engine = fields.String(required=True)
    paired = fields.Nested(PairingOut, required=True)
    again = fields.Nested(PairingOut, required=True, allow_none=True)


class TournamentEvents(Schema):
    """Events of a tournament in order; `next` is the path of the next page, null on the last."""

    tournament = fields.String(required=True)
    version = fields.Integer(required=True)
    events = fields.List(fields.Nested(EventOut), required=True)
    next = fields.String(required=True, allow_none=True)


class Problem(Schema):
    """An RFC 9457 problem document; moves add clause, ply and some legal moves."""

    type = fields.String(required=True)
    title = fields.String(required=True)
    status = fields.Integer(required=True)
    code = fields.String(required=True)
    detail = fields.String(required=True)
    instance = fields.String(required=True, metadata={"description": "The request's id, as in the log."})
    clause = fields.String()
    clause_url = fields.String()
    ply = fields.Integer()
    legal = fields.List(fields.String(), metadata={"description": "At most 20 legal moves."})
    line = fields.Integer(metadata={"description": "Of the file that was sent, from 1."})
    allowed = fields.String(metadata={"description": "What an option may be."})
    seat = fields.Integer()
    seats = fields.List(fields.Integer())
    match_status = fields.String(validate=validate.OneOf(STATUSES))
    tournament_status = fields.String(validate=validate.OneOf(TOURNAMENT_STATUSES))
    key = fields.String(metadata={"description": "The id of a server key."})
    event_type = fields.String()
    errors = fields.Dict(metadata={"description": "What is wrong, field by field."})
    version = fields.Integer()
    events = fields.List(fields.Nested(EventOut), metadata={"description": "What the client has missed."})
