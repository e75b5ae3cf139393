"""The server's answers as types.

Generated from the schemas in service/web/schemas/answers. Do not edit: run `make openapi`.
Where a description says null, Python has None.
"""

from typing import Any, Literal, NotRequired, TypedDict

Json = dict[str, Any]
"""A JSON object whose keys depend on its context, such as the ruleset or the type of event."""


class Progress(TypedDict):
    """How much is done."""

    done: int
    total: int


_ImportKeywords = TypedDict("_ImportKeywords", {"import": str | None})


class Import(_ImportKeywords):
    """An import. `status` is `own` for a match of this server, which has all that the bundle says."""

    match: str
    status: Literal["copying", "waiting", "verified", "refuted", "entered", "faulty", "kept", "own"]
    by: str | None
    """Who imported it."""

    at: int | None
    """UTC milliseconds."""

    private: bool | None
    copied: Progress | None
    """Events of the match."""

    sha256: str | None
    """Of the file that was sent."""

    verdict: Json | None
    """Of a bundle: verified up to a version, or refuted: at which version, and why. Of a text record: its first fault,
    with line, column, ply, clause, and whether anything before it can be kept.
    """

    entered: Json | None
    """Of a text record: version and plies of the match that became of it."""


class InboxEntry(TypedDict):
    """What a player is told. Of which match and version, unless it is a `gap`; the rest depends on the type."""

    id: int
    """Grows from entry to entry."""

    type: Literal[
        "seat-offered",
        "entropy-due",
        "start-due",
        "your-decision",
        "draw-offered",
        "match-started",
        "match-ended",
        "match-aborted",
        "match-annulled",
        "seat-lost",
        "draw-declined",
        "gap",
    ]
    match: NotRequired[str]
    version: NotRequired[int]
    """Of the match, as of the event that is told of."""

    at: NotRequired[int]
    """UTC milliseconds."""

    seat: NotRequired[int]
    """Yours, of which it is told."""

    seats: NotRequired[list[int]]
    """All of yours in the match."""

    ply: NotRequired[int]
    deadline: NotRequired[int | None]
    """UTC milliseconds; null without limits."""

    offered_by: NotRequired[int]
    ruleset: NotRequired[str]
    ruleset_version: NotRequired[int]
    reason: NotRequired[str]
    ranks: NotRequired[list[int]]
    """Of all seats."""


class InboxPage(TypedDict):
    """Entries in order; `newest` is the id of the last one there is, `next` the path of the next page or null."""

    player: str
    newest: int
    entries: list[InboxEntry]
    next: str | None


class Turn(TypedDict):
    """What the match waits for: exactly one of the three."""

    decision: NotRequired[int]
    """The seat that must move."""

    roll: NotRequired[Json]
    """The dice that are due: sides, count, purpose, seat."""

    over: NotRequired[Json]
    """The outcome: reason and one rank a seat."""


class Explanation(TypedDict):
    """A move in words, and the clause of the rules that it comes under."""

    sentence: str
    clause: str


class Step(TypedDict):
    """What may be added to a move: `text`, with the name in it as `token`; `completes` says that it is legal then."""

    text: str
    token: str
    completes: bool
    explanation: Explanation | None


class Composition(TypedDict):
    """What may follow `prefix`. `complete`: it is a legal move; `finish`: the one legal move that begins so, if any.

    `explanation` is that of either. `truncated`: there were too many moves to be looked at, and steps may be missing.
    """

    match: str
    version: int
    turn: Turn | None
    prefix: str
    complete: bool
    finish: str | None
    explanation: Explanation | None
    steps: list[Step]
    truncated: bool


class Event(TypedDict):
    """A stored event with its hash."""

    version: int
    type: str
    at: int
    """UTC milliseconds; the version is the order."""

    by: str
    cause: str
    data: Json
    hash: str


class EventPage(TypedDict):
    """Events in order; `next` is the path of the next page, null on the last."""

    match: str
    version: int
    events: list[Event]
    next: str | None


class Invitation(TypedDict):
    """An invitation to a seat. The code is not kept: keep it, or ask for another one."""

    match: str
    seat: int
    invitation: str
    """The code."""

    expires_at: int
    """UTC milliseconds."""

    path: str
    """Where the match can be read with it."""


class LegalMoves(TypedDict):
    """Legal moves of the seat on turn, in their fixed order; `next` is the path of the next page, null on the last."""

    match: str
    version: int
    turn: Turn | None
    moves: list[str]
    next: str | None


class SeatRow(TypedDict):
    """A seat: who it is for (nobody: anyone), and whether that one sat down. A bot of the server has its build."""

    seat: int
    player: NotRequired[str]
    name: NotRequired[str]
    bot: NotRequired[str]
    version: NotRequired[int]
    """The version of the bot."""

    seed: NotRequired[int]
    playouts: NotRequired[int | None]
    """How many it takes a decision."""

    seated: bool


class Seat(SeatRow):
    """A seat of a match, with its salt for the server's dice."""

    entropy: str | None


class Limits(TypedDict):
    """How long a seat may take, in milliseconds; null: without limit."""

    move_ms: int | None
    match_ms: int | None


class Deadline(TypedDict):
    """Until when the seat on turn must have moved."""

    seat: int
    at: int
    """UTC milliseconds."""


class Clock(TypedDict):
    """The clocks as they stood at the last event; that of the seat on turn runs since `since` (UTC milliseconds)."""

    since: int
    used_ms: list[int]
    """What each seat took for its moves."""

    left_ms: list[int | None]
    """What each seat has left of match_ms; null without that limit."""

    deadline: Deadline | None


class Parent(TypedDict):
    """Where a fork comes from: a match, and the ply up to which its line was copied."""

    match: str
    ply: int


_ImportedFromKeywords = TypedDict("_ImportedFromKeywords", {"import": str})


class ImportedFrom(_ImportedFromKeywords):
    """The import that a match is read from, and what was found of it here."""

    status: Literal["copying", "waiting", "verified", "refuted", "entered", "faulty", "kept"]


class Match(TypedDict):
    """A match as it stands now."""

    match: str
    version: int
    hash: str
    status: Literal["open", "playing", "ended", "verified", "refuted", "scored", "aborted", "annulled"]
    ruleset: str
    ruleset_version: int
    options: Json
    seats: list[Seat]
    creator: str
    recorder: str | None
    private: bool
    rated: bool
    start: str
    dice: Json | None
    about: Json | None
    limits: Limits | None
    clock: Clock | None
    rematch_of: str | None
    """The match before this one."""

    parent: Parent | None
    """What this match is a fork of."""

    ply: int
    moves: list[str]
    turn: Turn | None
    draw_offered_by: int | None
    outcome: Json | None
    verdict: Json | None
    score: Json | None
    """Points of each seat, and its place in the ratings ledger if it is rated."""

    annulment: Json | None
    """Why it counts for nothing."""

    fault: Json | None
    imported: ImportedFrom | None
    """Null for the matches of this server. Of others, seats and verdicts are no proof."""

    view: Json | None


class ListPage(TypedDict):
    """What all lists say: they follow the streams, some moments behind."""

    next: str | None
    """Path of the next page, null on the last. A page may be short, or empty, before it."""

    lag_ms: int
    """What was stored longer ago than this is in the list."""

    complete: bool
    """False while the lists are built for the first time in a store."""


class Wait(TypedDict):
    """An account that a match waits for, and for what."""

    player: str
    what: Literal["seat", "entropy", "start", "move", "roll", "draw"]


class MatchRow(TypedDict):
    """A match as lists show it."""

    match: str
    version: int
    status: Literal["open", "playing", "ended", "verified", "refuted", "scored", "aborted", "annulled"]
    ruleset: str
    ruleset_version: int
    seats: list[SeatRow]
    creator: str
    recorder: str | None
    rated: bool
    private: bool
    imported: bool
    """Its status is ours, its accounts are those of another server."""

    tournament: str | None
    created_at: int
    """Or imported; UTC milliseconds."""

    updated_at: int
    """UTC milliseconds."""

    ply: int
    turn: Turn | None
    waits_for: list[Wait]
    outcome: Json | None


class MatchPage(ListPage):
    """Matches, those created last first."""

    matches: list[MatchRow]


class Position(TypedDict):
    """The state just before move `ply` + 1."""

    match: str
    version: int
    ply: int
    turn: Turn | None
    view: Json


class Receipt(TypedDict):
    """The answer to a command: the events that it stored. The same for the same request, byte for byte."""

    match: str
    version: int
    hash: str
    turn: Turn | None
    events: list[Event]


class Check(TypedDict):
    """One thing that was checked, with the reason behind a result other than ok and the version that is at fault."""

    check: Literal["form", "head", "behaviour", "chain", "canonical", "rules", "dice", "outcome", "verdict", "receipt"]
    result: Literal["ok", "none", "unknown", "fault"]
    why: str | None
    version: int | None


class Verification(TypedDict):
    """What can be checked of a match by its events, and the first fault in their order."""

    match: str
    version: int
    hash: str | None
    status: Literal["open", "playing", "ended", "verified", "refuted", "scored", "aborted", "annulled"] | None
    result: Literal["ok", "unknown", "fault"]
    fault: Check | None
    checks: list[Check]


class VerificationDue(TypedDict):
    """Whether the match, as it stood at this version, waits for a verdict now."""

    match: str
    version: int
    status: Literal["open", "playing", "ended", "verified", "refuted", "scored", "aborted", "annulled"]
    due: bool


class Player(TypedDict):
    """An account."""

    player: str
    name: str
    kind: Literal["person", "bot"]
    registered_at: int


class Me(Player):
    """The account that the token stands for."""

    scopes: list[str]


class NewPlayer(Me):
    """The new account and its token, which is shown this once."""

    token: str


class PlayerPage(ListPage):
    """Players by name."""

    players: list[Player]


class ProblemDocument(TypedDict):
    """An RFC 9457 problem document; moves add clause, ply and some legal moves."""

    type: str
    title: str
    status: int
    code: str
    detail: str
    instance: str
    """The request's id, as in the log."""

    clause: NotRequired[str]
    clause_url: NotRequired[str]
    ply: NotRequired[int]
    legal: NotRequired[list[str]]
    """At most 20 legal moves."""

    line: NotRequired[int]
    """Of the file that was sent, from 1."""

    allowed: NotRequired[str]
    """What an option may be."""

    seat: NotRequired[int]
    seats: NotRequired[list[int]]
    match_status: NotRequired[
        Literal[
            "open",
            "playing",
            "ended",
            "verified",
            "refuted",
            "scored",
            "aborted",
            "annulled",
        ]
    ]
    tournament_status: NotRequired[Literal["open", "playing", "ended", "aborted"]]
    key: NotRequired[str]
    """The id of a server key."""

    event_type: NotRequired[str]
    errors: NotRequired[Json]
    """What is wrong, field by field."""

    version: NotRequired[int]
    events: NotRequired[list[Event]]
    """What the client has missed."""


class Rating(TypedDict):
    """A rating, in millionths."""

    rating_micro: int
    """What the player is believed to be worth."""

    uncertainty_micro: int
    """The standard deviation of that."""

    ordinal_micro: int
    """The rating less three times its uncertainty: tables go by it."""


class RatingChange(TypedDict):
    """A player's rating with the match and without it; null: none of the player's matches counts."""

    player: str
    name: str
    before: Rating | None
    after: Rating | None


class Annulment(TypedDict):
    """What an annulment changed, or would change: greatest changes first; `next` is null on the last page."""

    match: str
    why: str | None
    """Null in a preview."""

    changes: list[RatingChange]
    next: str | None


class RatingsRow(Rating):
    """A player in a table of ratings; those with equal ordinals share a rank."""

    rank: int
    player: str
    name: str
    matches: int
    """Matches that made the rating."""

    last_match: str
    last_at: int
    """When it was rated, UTC milliseconds."""


class RatedMatch(TypedDict):
    """A match that counts, and what it made of a player's rating."""

    version: int
    """Its place in the ledger."""

    at: int
    """UTC milliseconds."""

    match: str
    rank: int
    seats: int
    before: Rating
    after: Rating


class RatingHistory(RatingsRow):
    """A player's rating and the matches that made it, oldest first; `next` is null on the last page."""

    ruleset: str
    version: int
    history: list[RatedMatch]
    next: str | None


class RatingsModel(TypedDict):
    """What makes ratings of matches, as the ledger was opened with it."""

    model: str
    parameters: Json
    """In millionths."""

    library: str


class RatingsPage(TypedDict):
    """The ratings of a ruleset, best first; `version` is the ledger's; `next` is null on the last page."""

    ruleset: str
    version: int
    model: RatingsModel | None
    players: list[RatingsRow]
    next: str | None


class Clause(TypedDict):
    """A clause of the rules in one version."""

    ruleset: str
    version: int
    clause: str
    title: str
    text: str
    """Markdown."""


class RulesetVersion(TypedDict):
    """A version of a ruleset; matches name theirs, and play by it for ever."""

    version: int
    released: bool
    """Whether it is frozen; a draft may still change under its matches."""

    behaviour: str | None
    """Its behaviour digest: SHA-256 of its proofs in hex; null where it has none."""


class Ruleset(RulesetVersion):
    """A ruleset in one version."""

    ruleset: str
    title: str
    min_seats: int
    max_seats: int
    options: Json
    """JSON Schema of the options."""

    presets: Json
    """Options by name: rated matches have these, or the defaults."""


class RulesetDetail(Ruleset):
    """A ruleset with its versions and clauses."""

    versions: list[RulesetVersion]
    """Newest first."""

    clauses: list[Clause]


class RulesetRow(Ruleset):
    """A ruleset as the list shows it."""

    matches: int | None
    """Public matches of it in all of its versions; null while the store is away."""


class Rulesets(TypedDict):
    """Rulesets in all versions, newest first within an id."""

    rulesets: list[RulesetRow]


class Health(TypedDict):
    """The process answers."""

    status: str


class Ready(TypedDict):
    """The process can do its work; `durability` says what a success answer is worth."""

    status: str
    store: str
    durability: Literal["always", "everysec", "unknown"]


class Token(TypedDict):
    """What a token may do, and when; times in UTC milliseconds."""

    id: str
    """What the token is called; its text is not kept."""

    label: str | None
    scopes: list[str]
    issued_at: int
    expires_at: int | None


class NewToken(Token):
    """A new token: its text is shown this once."""

    player: str
    token: str


class RevokedToken(TypedDict):
    """A token that has ended."""

    id: str
    ended_at: int
    """UTC milliseconds."""


class ListedToken(Token):
    """A token that is valid."""

    current: bool
    """Whether it is the one that asks."""


class Tokens(TypedDict):
    """The valid tokens of an account, the oldest first."""

    player: str
    tokens: list[ListedToken]


class Game(TypedDict):
    """A game: its entrants by seat, its match, and how it ended once it did."""

    board: int
    game: int
    entrants: list[int]
    match: str
    ranks: list[int] | None
    reason: str | None
    annulled: str | None
    failed: list[str]
    """Matches that came to nothing."""


class FaultCounts(TypedDict):
    """How many faults there were in the games of an entrant, by whose they were."""

    entrant: int
    """Its own."""

    opponent: int
    platform: int


_TableRowKeywords = TypedDict("_TableRowKeywords", {"in": bool})


class TableRow(_TableRowKeywords):
    """A line of the table. Points and tiebreaks are decimals in texts, so that none is rounded by the way."""

    rank: int
    entrant: int
    label: str
    points: str
    tiebreaks: Json
    games: int
    """Those that count."""

    seats: list[int]
    """How often it had each seat."""

    byes: int
    absences: int
    faults: FaultCounts
    against: Json
    """For each opponent, what each game against it brought."""

    reached: NotRequired[int]
    """In a knockout: the last round."""

    rating_micro: int
    """By the games of this tournament alone."""

    uncertainty_micro: int


class Standings(TypedDict):
    """The table of a tournament as it stands."""

    tournament: str
    version: int
    status: Literal["open", "playing", "ended", "aborted"]
    rounds: int
    """Paired so far."""

    tiebreaks: list[str]
    """In their order."""

    rows: list[TableRow]
    sprt: Json | None
    """Of a sequential test: log-likelihood ratio, bounds, and the hypothesis taken."""


class AnnulmentReport(TypedDict):
    """What the annulment of a game changed, or would change."""

    tournament: str
    version: int
    game: Game
    before: Standings
    after: Standings


class Incident(TypedDict):
    """Something by which a match did not go on as the rules have it."""

    cause: str
    """Of an entrant: resigned, time, absent, disqualified, crashed, silent, illegal, unreadable; of the platform:
    refuted, play-failed, called-off, annulled.
    """

    owner: str | None
    """Whose fault it was: entrant, opponent, platform, the second only where the query names an `entrant`. Null:
    nobody's, for to resign is everybody's right.
    """

    entrant: int | None
    """Who left the match; null: the platform failed it."""

    why: str | None


class Attempt(TypedDict):
    """A match that was made for a game: when, how it ended, and whose fault went with it."""

    round: int
    board: int
    game: int
    attempt: int
    """At this game, from 1."""

    entrants: list[int]
    """By seat."""

    match: str
    status: Literal["playing", "decided", "failed", "dropped"]
    made_at: int | None
    """UTC milliseconds; null while it is played: the match's first event tells."""

    closed_at: int | None
    """When its result, or that it failed, was entered."""

    ranks: list[int] | None
    reason: str | None
    scored: bool
    """Whether its result counts."""

    annulled: str | None
    incidents: list[Incident]
    """In their order."""


class Attempts(TypedDict):
    """Attempts in the order of rounds, boards and games; `next` is the path of the next page, null on the last."""

    tournament: str
    version: int
    attempts: list[Attempt]
    next: str | None


class Pairing(TypedDict):
    """Who meets whom, who has a bye, and at which costs."""

    boards: list[list[int]]
    byes: list[int]
    costs: Json


class RoundCheck(TypedDict):
    """A round as it was paired, and as it comes out when it is worked out again."""

    tournament: str
    round: int
    agrees: bool
    engine: str
    paired: Pairing
    again: Pairing | None


class Round(TypedDict):
    """A round: its games, who had none, and why it was paired so."""

    round: int
    byes: list[int]
    absent: list[int]
    engine: str
    costs: Json
    is_decided: bool
    games: list[Game]


class Rounds(TypedDict):
    """All rounds of a tournament."""

    tournament: str
    version: int
    rounds: list[Round]


class TournamentEvents(TypedDict):
    """Events of a tournament in order; `next` is the path of the next page, null on the last."""

    tournament: str
    version: int
    events: list[Event]
    next: str | None


class Entrant(TypedDict):
    """An entrant: a player, or a bot of the server."""

    entrant: int
    player: NotRequired[str]
    player_name: NotRequired[str]
    bot: NotRequired[str]
    bot_version: NotRequired[int]
    playouts: NotRequired[int | None]
    label: str | None
    is_in: bool
    """False once it has withdrawn."""

    absences: list[int]
    joined: int
    """The first round that it can play."""


class FaultTotals(TypedDict):
    """How many faults there were in a tournament, by whose they were."""

    entrant: int
    """Of all entrants: these were scored."""

    platform: int
    """These games were played again."""


class Tournament(TypedDict):
    """A tournament as it stands."""

    tournament: str
    version: int
    name: str
    status: Literal["open", "playing", "ended", "aborted"]
    ended: str | None
    """Why it is over."""

    organiser: str
    created_at: int
    ruleset: str
    ruleset_version: int
    options: Json
    seats: int
    format: Json
    repeat: str
    openings: list[list[str]]
    scoring: Json
    tiebreaks: list[str]
    limits: Json | None
    sprt: Json | None
    max_entrants: int
    is_open: bool
    seed: int
    entrants: list[Entrant]
    rounds: int
    games: int
    """Paired so far."""

    decided: int
    """Of these games."""

    given_up: int
    """Of these games: failed so often that they are not played again."""

    faults: FaultTotals


class TournamentRow(TypedDict):
    """A tournament as lists show it."""

    tournament: str
    version: int
    name: str
    status: Literal["open", "playing", "ended", "aborted"]
    ruleset: str
    ruleset_version: int
    seats: int
    """Of each match."""

    format: Json
    entrants: int
    rounds: int
    """Paired so far."""

    organiser: str
    created_at: int
    """UTC milliseconds."""


class TournamentPage(ListPage):
    """Tournaments, those announced last first."""

    tournaments: list[TournamentRow]


class TournamentReceipt(TypedDict):
    """The answer to a command on a tournament: the events that it stored."""

    tournament: str
    version: int
    hash: str
    status: Literal["open", "playing", "ended", "aborted"]
    events: list[Event]
