"""The server's answers as types.

Generated from the schemas in service/web/schemas/answers. Do not edit: run `make openapi`.
Where a description says null, Python has None.
"""

from typing import Any, Literal, NotRequired, TypedDict

Json = dict[str, Any]
"""A JSON object whose keys depend on its context, such as the ruleset or the type of event."""


class Bot(TypedDict):
    """A bot of the server."""

    bot: str
    """The name of the bot."""

    version: int
    """The version that new matches get. Matches keep the one they have."""

    playouts: int | None
    """The playouts for each decision by default. Null if the bot makes none."""

    most_playouts: int | None
    """The most playouts for each decision. The server may allow an account fewer."""


class MeasuredGames(TypedDict):
    """Games of a level against the level below it, with two seats and the usual options."""

    ruleset: str
    """The ruleset's id."""

    won: int
    level: int
    """Games that ended level."""

    lost: int


class BotLevel(TypedDict):
    """A bot with its playouts, by the plain name of how strong it is."""

    level: str
    """The name of the level."""

    bot: str
    """The name of the bot."""

    playouts: int | None
    """Its playouts for each decision; null if it has none."""

    measured: list[MeasuredGames]
    """How the level did against the one below it, in the rulesets where it was measured."""


class BotList(TypedDict):
    """The server's bots, and the levels that they play at, the weakest first."""

    bots: list[Bot]
    levels: list[BotLevel]


class DatasetFile(TypedDict):
    """A file of a dataset."""

    file: str
    rows: int | None
    """Null for a datasheet."""

    bytes: int
    sha256: str | None
    """SHA-256 in hex; null for a datasheet."""

    href: str
    """The path to get it from."""


class MadeDataset(TypedDict):
    """A dataset that is complete."""

    dataset: str
    """Its name."""

    schema: int
    """The version of its tables."""

    until: int
    """The cut: its matches ended before (UTC milliseconds)."""

    made_at: int
    """When it was complete (UTC milliseconds)."""

    licence: str | None
    """What you may do with it, in the words of the operator; null if nothing is stated."""

    matches: int
    """How many matches are in it."""

    digest: str
    """SHA-256 of its matches and how they ended: equal for the same matches."""

    splits: dict[str, int]
    """How many matches are in each split: train, validation, test."""

    files: list[DatasetFile]


class DatasetRow(TypedDict):
    """The newest dataset of a ruleset."""

    ruleset: str
    """The ruleset's id."""

    title: str
    dataset: MadeDataset | None


class DatasetList(TypedDict):
    """The newest dataset of each ruleset."""

    schema: int
    """The version of the tables that are made now."""

    datasets: list[DatasetRow]


class Making(TypedDict):
    """A dataset that is being made."""

    status: str
    """`waiting`, `making`, or `failed`: then one is begun again after ten minutes."""

    matches: int
    """How many matches are in it so far."""


class DatasetState(TypedDict):
    """The datasets of a ruleset."""

    ruleset: str
    """The ruleset's id."""

    title: str
    schema: int
    """The version of the tables that are made now."""

    dataset: MadeDataset | None
    """The newest; null if none was made."""

    making: Making | None
    """The next one; null if none is being made."""


class Datasheet(TypedDict):
    """What a dataset is, as in its file `datasheet.json`. It follows from the matches alone."""

    schema: int
    """The version of its tables."""

    ruleset: str
    """The ruleset's id."""

    title: str
    rules: Json
    """The behaviour of each version of the rules in it."""

    until: str
    """The cut, in ISO 8601."""

    until_ms: int
    """The cut (UTC milliseconds)."""

    licence: str | None
    matches: Json
    """Their number, digest and counts."""

    tables: Json
    """For each table its file, its rows and bytes, and its digests."""


class DueRoll(TypedDict):
    """The dice that must be rolled now."""

    sides: int
    """The number of sides of each die."""

    count: int
    """The number of dice."""

    purpose: str
    """What the ruleset rolls them for."""

    seat: int | None
    """The seat that rolls; null if no seat does."""


class Outcome(TypedDict):
    """How a match ended."""

    reason: str
    """Why it ended: `withdrawal`, `draw-agreed`, or a word of the ruleset."""

    ranks: list[int]
    """The rank of each seat, 1 for the best; tied seats share a rank."""


class Turn(TypedDict):
    """What the match waits for. It has exactly one of these fields."""

    decision: NotRequired[int]
    """The seat that must move."""

    roll: NotRequired[DueRoll]
    over: NotRequired[Outcome]


class PlayedMove(TypedDict):
    """A move, and the matches that played it here."""

    move: str
    """The notation of the move, as the position lies."""

    matches: int
    """How many matches played it."""

    won: list[int]
    """How many of them each seat won, seat 1 first."""

    drawn: int
    """In how many all seats shared the first place."""

    rating: float | None
    """The mean rating of the players in the latest of these matches; null without any."""


class SeatRow(TypedDict):
    """A seat and its occupant. An open seat has no occupant.

    The occupant is a `player` (an account), a `bot` of the server, or a guest, who has only a `name`.
    """

    seat: int
    """The seat's number, counted from 1."""

    player: NotRequired[str]
    """The id of the account."""

    name: NotRequired[str]
    """The name of a guest, who has no account."""

    bot: NotRequired[str]
    """The name of the bot."""

    version: NotRequired[int]
    """The version of the bot."""

    seed: NotRequired[int | None]
    """The seed that the bot's moves follow from. Null while it is secret: until the end."""

    playouts: NotRequired[int | None]
    """The playouts of the bot for each decision."""

    seated: bool
    """False while the seat is open, or its player is only invited."""


class EndedMatch(TypedDict):
    """A match that has ended."""

    match: str
    """The match's id; of an imported match, the address of its import."""

    ended_at: int | None
    """When it ended, in UTC milliseconds."""

    seats: list[SeatRow]
    reason: str | None
    """Why it ended."""

    ranks: list[int] | None
    """The rank of each seat, 1 for the best; tied seats share a rank."""


class Passage(EndedMatch):
    """A match that came through the position."""

    ply: int
    """The ply at which it had the position."""

    move: str | None
    """What it played here, as the asked position lies; null if that is not legal in it."""

    rating: float | None
    """The mean rating of its players before the match; null if it was not rated."""


class ExploredPosition(TypedDict):
    """What was played in a position."""

    ruleset: str
    """The ruleset's id."""

    version: int
    """The version of the ruleset."""

    position: str
    """The key of the position. Positions that mirror each other have the same."""

    ply: int | None
    """Moves made before it; null if its key was given."""

    turn: Turn | None
    """Who is to act; null if its key was given."""

    opening: int
    """So many moves of each match are counted; later ones can be searched."""

    matches: int
    """How many matches played on here, once for each of their moves here."""

    looked_at: int | None
    """Null if all matches are counted. With a range of ratings only the latest ones through the position are looked at:
    so many.
    """

    moves: list[PlayedMove]
    """The moves, the most frequent first."""

    more: int
    """How many other moves were played."""

    latest: list[Passage]
    """The matches that ended last, newest first."""

    lag_ms: int
    """Everything stored longer ago than this is counted."""

    complete: bool
    """False while the server counts the matches of an existing store."""


class Page(TypedDict):
    """One page of a longer list."""

    next: str | None
    """The path of the next page; null on the last page."""


class ListPage(Page):
    """One page of a list that follows the stored events with a short delay.

    A page before the last one can be short, or even empty.
    """

    lag_ms: int
    """Everything stored longer ago than this is in the list."""

    complete: bool
    """False while the server builds its lists for the first time from an existing store."""


class FoundMatch(EndedMatch):
    """A match with steps that pass the query."""

    plies: list[int]
    """The plies of the first of these steps: the number of moves up to and including it."""

    steps: int
    """How many steps pass."""


class FoundSteps(ListPage):
    """A page of matches with steps that pass a query, those that ended last first."""

    matches: list[FoundMatch]
    looked_at: int
    """How many matches this request looked at. It stops early after very many steps."""


class Progress(TypedDict):
    """How many events are copied."""

    done: int
    total: int


class ImportVerdict(TypedDict):
    """The result of checking what was imported.

    A bundle has `version`, and `checks` or `check` and `why`. A faulty text record has the other fields and `why`.
    """

    type: Literal["import-verified", "import-refuted", "record-refused"]
    version: NotRequired[int]
    """The version up to which a bundle is verified, or the first event at fault."""

    checks: NotRequired[list[str]]
    """The checks that a verified bundle passed."""

    check: NotRequired[str]
    """The check that a refuted bundle failed."""

    why: NotRequired[str]
    """What is wrong."""

    line: NotRequired[int]
    """The line of the record's first fault, counted from 1."""

    column: NotRequired[int]
    """The column of the fault, counted from 1."""

    ply: NotRequired[int]
    """The number of moves before the fault."""

    clause: NotRequired[str | None]
    """The clause of the rules that the record breaks."""

    can_keep: NotRequired[bool]
    """Whether you can keep what comes before the fault as an unfinished match."""


class EnteredRecord(TypedDict):
    """The match that was made from a text record."""

    version: int
    """The version of the match after the import."""

    plies: int
    """The number of moves that were entered."""


_ImportKeywords = TypedDict("_ImportKeywords", {"import": str | None})


class Import(_ImportKeywords):
    """An import of a bundle or a text record."""

    match: str
    """The id of the match that is imported."""

    address: str
    """What to use in paths instead of the match's id: `<match>~<import>` for a bundle. The id alone also reads the
    bundle if it is the only version of the match here.
    """

    status: Literal["copying", "waiting", "verified", "refuted", "entered", "faulty", "kept", "dropped", "own"]
    """A bundle is `copying`, then `waiting` for its check, then `verified` (consistent in itself) or `refuted`. A text
    record is `waiting`, then `entered`, or `faulty` and perhaps `kept`; after a week a faulty text is `dropped`. `own`:
    this server recorded the match itself, and the bundle holds nothing else.
    """

    by: str | None
    """The account that imported it."""

    at: int | None
    """When the import began, in UTC milliseconds. Null for `own`."""

    private: bool | None
    copied: Progress | None
    """For a bundle: its events copied so far."""

    sha256: str | None
    """The SHA-256 of the file that was sent, in hex."""

    verdict: ImportVerdict | None
    """Null until the import is checked."""

    entered: EnteredRecord | None
    """For a text record: what became a match. Null if nothing did so far."""

    kept_until: int | None
    """When the text of a faulty record is dropped, in UTC milliseconds. Until then you can keep what comes before its
    fault. Null for everything else, and afterwards.
    """


class InboxEntry(TypedDict):
    """One thing that happened in a player's matches, an invitation to a tournament, a challenge on a ladder, or a
    webhook that was disabled.

    Every entry has `id` and `type`, and every entry but a `gap` has `version`, `at`, and `match`, `tournament` or
    `webhook`. The other fields depend on the type.
    """

    id: int
    """Increases from entry to entry, but can skip numbers."""

    type: Literal[
        "seat-offered",
        "entropy-due",
        "start-due",
        "your-decision",
        "draw-offered",
        "match-started",
        "match-ended",
        "match-paused",
        "match-resumed",
        "clock-adjusted",
        "match-aborted",
        "match-annulled",
        "seat-lost",
        "draw-declined",
        "tournament-invited",
        "tournament-uninvited",
        "tournament-challenged",
        "webhook-disabled",
        "gap",
    ]
    """A `gap` stands for older entries that were dropped."""

    match: NotRequired[str]
    """The id of the match."""

    tournament: NotRequired[str]
    """The id of the tournament that invites you, or of the ladder."""

    webhook: NotRequired[str]
    """The id of the webhook that was disabled."""

    why: NotRequired[str]
    """Why it was disabled."""

    version: NotRequired[int]
    """The version of the match or tournament when this happened."""

    at: NotRequired[int]
    """When it happened, in UTC milliseconds."""

    round: NotRequired[int]
    """The round of the tournament that is the challenge."""

    challenger: NotRequired[int]
    """The number of the entrant who challenges you."""

    seat: NotRequired[int]
    """Your seat that this is about."""

    seats: NotRequired[list[int]]
    """All your seats in the match."""

    ply: NotRequired[int]
    """The number of moves made so far."""

    deadline: NotRequired[int | None]
    """When your time is over, in UTC milliseconds. Null without limits."""

    offered_by: NotRequired[int]
    """The seat that offers a draw."""

    ruleset: NotRequired[str]
    """The ruleset's id."""

    ruleset_version: NotRequired[int]
    reason: NotRequired[str]
    """Why the match ended."""

    ranks: NotRequired[list[int]]
    """The rank of each seat, 1 for the best; tied seats share a rank."""


class InboxPage(Page):
    """A page of an inbox, oldest entries first."""

    player: str
    """The id of your account."""

    newest: int
    """The id of the newest entry in the inbox; 0 if it is empty."""

    entries: list[InboxEntry]


class MatchVersion(TypedDict):
    """A match at one of its versions."""

    match: str
    """The match's id; of an imported match, the address of its import."""

    version: int
    """The version of the match that this describes: the number of its last event."""


class MatchTurn(MatchVersion):
    """A match at one of its versions, and whose turn it is."""

    turn: Turn | None
    """Null before the start and after an abort."""


class Explanation(TypedDict):
    """A move in words."""

    sentence: str
    clause: str
    """The clause of the rules that allows the move."""


_EffectKeywords = TypedDict("_EffectKeywords", {"from": NotRequired[str]})


class Effect(_EffectKeywords):
    """One thing that a step did. Of the keys after `chosen` it has those that its kind has."""

    kind: str
    """A fixed word of the ruleset, such as `trapped`."""

    clause: str | None
    """The clause behind it; null if it follows from no rule of the game."""

    chosen: bool
    """Whether the seat chose it. What only follows is not chosen."""

    seat: NotRequired[int]
    """The seat that caused it."""

    owner: NotRequired[int]
    """The seat that it concerns: the owner of a piece, the receiver of points."""

    piece: NotRequired[str]
    """The sort of piece, a word of the ruleset."""

    to: NotRequired[str]
    """The field or place that it went to, or where it happened."""

    amount: NotRequired[int]
    """How many, or how much."""

    word: NotRequired[str]
    """Another word of the ruleset: a terrain, a class, a reason."""


class Story(TypedDict):
    """What a step did. Both lists are empty if it did nothing."""

    effects: list[Effect]
    """In the order in which they happened. The ruleset has their JSON Schema."""

    sentences: list[str]
    """A sentence for each effect, in the same order."""


class Step(TypedDict):
    """One way to continue the notation of a move."""

    text: str
    """The text to append to `prefix`."""

    token: str
    """The word, number or field in that text, to show on a button."""

    completes: bool
    """Whether the move is legal with this step."""

    explanation: Explanation | None
    """Of the move that the step completes."""


class Composition(MatchTurn):
    """How the notation of a legal move can continue after `prefix`."""

    prefix: str
    complete: bool
    """Whether `prefix` is a legal move as it stands."""

    finish: str | None
    """The only legal move that starts with `prefix`; null if there are several or none."""

    explanation: Explanation | None
    """Of `prefix` if it is complete, else of `finish`."""

    preview: Story | None
    """What that move would do, apart from the rolls that follow it."""

    steps: list[Step]
    truncated: bool
    """True if there were too many moves to look at all of them. Steps can be missing."""


class StepStory(Story):
    """A step: a move, a roll, a withdrawal, or a draw by agreement."""

    ply: int
    """The position that it led to: the number of moves up to and including this step."""

    kind: Literal["move", "roll", "withdrawal", "draw"]
    seat: int | None
    """The seat that moved, rolled or left; null for a roll of the table and an agreed draw."""

    move: str | None
    """The notation of a move, or null."""

    values: list[int] | None
    """What the dice of a roll showed, or null."""


class TakenStep(StepStory):
    """A step of a match that was not taken back."""

    version: int
    """The version of its event; 2 for all steps that a fork copied from its parent."""


class MatchFault(TypedDict):
    """The first stored event that could not be read or applied. Everything before it is in the answer."""

    version: int
    """The number of that event."""

    why: str


class EffectsPage(Page, MatchVersion):
    """A page of the steps of a match, with what each did."""

    steps: list[TakenStep]
    fault: MatchFault | None
    """On the last page of a match with a damaged event: the steps end before that event."""


class Event(TypedDict):
    """A stored event."""

    version: int
    """Its number in the stream, counted from 1."""

    type: str
    """Such as `move-made`; `unreadable` if the stored bytes are not an event."""

    at: int
    """When it was recorded, in UTC milliseconds. To order events, use `version`."""

    by: str
    """Who caused it, such as `player:player-…` or `system:verify`."""

    cause: str
    """The id of the command that it belongs to."""

    data: Json
    """The fields of this type of event."""

    hash: str
    """SHA-256 in hex of the previous event's hash followed by this event's stored bytes."""


class EventPage(Page, MatchVersion):
    """A page of a match's events, oldest first."""

    events: list[Event]


class Invitation(TypedDict):
    """An invitation to a seat. The server does not keep its code; if you lose it, create another invitation."""

    match: str
    """The match's id."""

    seat: int
    invitation: str
    """The code of the invitation."""

    expires_at: int
    """When it expires, in UTC milliseconds."""

    path: str
    """A path, with the code, to read the match at."""


class LegalMoves(Page, MatchTurn):
    """A page of the legal moves of the seat on turn, in a fixed order. Empty unless a seat must move."""

    moves: list[str]


class MatchSummary(MatchVersion):
    """What both a match and its row in lists have."""

    status: Literal["open", "playing", "ended", "verified", "refuted", "scored", "aborted", "annulled"]
    """`open` until the start, then `playing`, then `ended`. A worker makes it `verified` or `refuted`, and `scored`.
    `aborted`: no outcome. `annulled`: it does not count.
    """

    ruleset: str
    """The ruleset's id."""

    ruleset_version: int
    creator: str
    """The id of the account that created it, or of the job that did for a tournament."""

    recorder: str | None
    """The account that records a match played elsewhere, and acts for all seats."""

    private: bool
    """Whether the match is hidden from the public."""

    rated: bool
    """Whether the match counts for ratings."""


class Build(TypedDict):
    """A build of a program, as the account that started it says. Nobody can check that from outside."""

    digest: str
    """The SHA-256 of the program's files."""

    command: str
    """The name of the program."""

    version: str | None
    """What it calls its version."""

    options: Json
    """Its options, as far as they are told."""


class Seat(SeatRow):
    """A seat of a match, with its entropy for the server's dice, and the builds that its account declared."""

    builds: list[Build]
    """The builds that played for the seat, in order; empty if none was declared."""

    entropy: str | None
    """Null if the seat has not added any."""


class Dice(TypedDict):
    """The dice of a match.

    Server dice are fixed before the match: `commitment` is the SHA-256 of their secret, and the secret is published
    when the match ends. Every roll can then be computed again.
    """

    mode: Literal["server", "shared", "recorded"]
    """Rolled by the server; the same in several matches; or rolled at a real table."""

    dice_id: NotRequired[str]
    """The id that the secret of server dice is derived from."""

    commitment: NotRequired[str]
    """The SHA-256 of the secret, in hex."""

    key: NotRequired[str]
    """The id of the server key that the secret is derived from."""

    matches: NotRequired[list[str]]
    """The ids of all matches that share these dice, made or not."""

    secret: NotRequired[str | None]
    """The secret, in hex; null until it is published."""


class Bots(TypedDict):
    """The secret seeds of the server's bots in a match.

    They are fixed before the match: `commitment` is the SHA-256 of their secret, and the secret is published when the
    match ends. Every seed can then be computed.
    """

    commitment: str
    """The SHA-256 of the secret, in hex."""

    key: str
    """The id of the server key that the secret is derived from."""

    secret: str | None
    """The secret, in hex; null until it is published."""


class Bonus(TypedDict):
    """What each move of a seat does to its `match_ms`, in milliseconds; at most one of these."""

    increment_ms: NotRequired[int]
    """What each move adds. Absent without an increment."""

    delay_ms: NotRequired[int]
    """How long the clock waits before it runs down. Absent without a delay."""

    bronstein_ms: NotRequired[int]
    """What each move adds, but at most what it took. Absent without such a delay."""


class Phase(Bonus):
    """A later phase of the time for all decisions of a seat."""

    after: int
    """It begins when the seat has made so many moves."""

    add_ms: int
    """What it adds to the time."""


class Times(Bonus):
    """Time limits, in milliseconds. Null means no limit."""

    move_ms: int | None
    """For one decision."""

    match_ms: int | None
    """For all decisions of a seat together."""

    phases: NotRequired[list[Phase]]
    """The later phases, in order. Absent without any."""


class SeatOdds(Times):
    """The limits of one seat, in place of those of the match."""

    seat: int


class Limits(Times):
    """The time limits of each seat, in milliseconds. Null means no limit."""

    seats: NotRequired[list[SeatOdds]]
    """The seats with limits of their own. Absent without any."""


class Deadline(TypedDict):
    """The time at which the seat on turn is withdrawn unless it moves before."""

    seat: int
    at: int
    """UTC milliseconds."""


class Clock(TypedDict):
    """The clocks as they stood at the last event. Unless the match is paused, that of the seat on turn runs on."""

    since: int
    """When the present decision became due, moved on by the length of every pause since, in UTC milliseconds."""

    used_ms: list[int]
    """The time that each seat has used for its decisions, with the one during which it left."""

    left_ms: list[int | None]
    """The time that each seat has left of `match_ms`; null without that limit."""

    deadline: Deadline | None
    spent_ms: list[int]
    """How long each of `moves` took, by the server's clock, without pauses and without the lag that was compensated
    for; 0 for moves that the match began with.
    """

    lag_ms: int | None
    """The most lag that a move is compensated for; null if moves are not timed."""


class Pause(TypedDict):
    """A pause, in which no clock runs and nobody can move."""

    at: int
    """When it began, in UTC milliseconds."""

    by: str
    """Who paused the match, as in events."""

    why: str
    """The reason, for people."""


class Parent(TypedDict):
    """The match that a fork continues."""

    match: str
    """The id of the parent."""

    ply: int
    """The number of moves taken over from the parent."""


class Verdict(TypedDict):
    """The result of the second execution, which every finished match gets from a worker."""

    type: Literal["match-verified", "match-refuted"]
    version: int
    """The version up to which both agree, or the first event at fault."""

    digest: NotRequired[str]
    """If verified: the SHA-256 of the final view, in hex."""

    why: NotRequired[str]
    """If refuted: what is wrong with that event."""


class Score(TypedDict):
    """The points of a verified match."""

    points: list[int]
    """For each seat: two for every seat ranked worse, one for every seat ranked equal."""

    ledger: int | None
    """The number of the match in the ledger of ratings; null if it is not rated."""


class Annulled(TypedDict):
    """The reason why a match does not count."""

    why: str


_ImportedFromKeywords = TypedDict("_ImportedFromKeywords", {"import": str})


class ImportedFrom(_ImportedFromKeywords):
    """The import that a match is read from."""

    match: str
    """The id that the match has where it was recorded."""

    by: str | None
    """The account that imported it."""

    status: Literal["copying", "waiting", "verified", "refuted", "entered", "faulty", "kept", "dropped"]
    """`verified`: the match is consistent in itself (chain, rules, dice, outcome). This does not prove that it was
    played like this: only a receipt or the server that recorded it can.
    """

    others: list[str]
    """The addresses of other versions of this match that were imported here, at most 20. Send a receipt to learn which
    version contains it.
    """


class Choice(TypedDict):
    """A command that you may give now: for each of `seats`, if it names a seat, and for each of `causes`."""

    command: Literal[
        "take-seat",
        "seat-guest",
        "leave-seat",
        "add-entropy",
        "start",
        "move",
        "roll",
        "take-back",
        "confirm-record",
        "withdraw",
        "pause",
        "resume",
        "adjust-clock",
        "offer-draw",
        "answer-draw",
        "abort",
        "annul",
        "rematch",
    ]
    seats: NotRequired[list[int]]
    """Absent if the command names no seat."""

    causes: NotRequired[list[Literal["resigned", "time", "absent", "disqualified"]]]
    """Only of `withdraw`."""


class Match(MatchSummary):
    """A match as it stands now."""

    hash: str
    """The hash of the last event."""

    counts: bool | None
    """Whether a rated match counts: its outcome is or would be rated. While it is played and does not count, leaving it
    aborts it. Null if it is not rated.
    """

    options: Json
    """The options of the ruleset, complete."""

    seats: list[Seat]
    start: str
    """`auto` or `call`: see the creation of a match."""

    dice: Dice | None
    """Null for a game without dice."""

    bots: Bots | None
    """Null if no bot has a secret seed."""

    about: dict[str, str] | None
    """What its creator noted about it, such as `place` and `date`."""

    limits: Limits | None
    clock: Clock | None
    """Null without limits or before the start."""

    paused: Pause | None
    """Null unless the match is paused."""

    rematch_of: str | None
    """The id of the match that this is the rematch of."""

    tournament: str | None
    """The id of the tournament that it is a game of."""

    parent: Parent | None
    """Null unless the match is a fork."""

    ply: int
    """The number of moves made so far."""

    moves: list[str]
    """The moves, without those that were taken back."""

    turn: Turn | None
    """Null before the start and after an abort."""

    draw_offered_by: int | None
    """The seat whose offer of a draw is open."""

    outcome: Outcome | None
    confirm_by: int | None
    """UTC milliseconds. The match has ended, and until then its recorder may take steps back or confirm the record.
    After that it is verified. Null if the match waits for no confirmation.
    """

    verdict: Verdict | None
    score: Score | None
    annulment: Annulled | None
    fault: MatchFault | None
    imported: ImportedFrom | None
    """Null for a match of this server. In an imported match, players and verdicts are claims of the server that it
    comes from.
    """

    view: Json | None
    """The state of the game, in the ruleset's own form; null before the start."""

    choices: list[Choice]
    """What you may do in the match now; empty without a token."""


class Wait(TypedDict):
    """An account that a match waits for, and what it must do."""

    player: str
    """The account's id."""

    what: Literal["seat", "entropy", "start", "move", "roll", "draw", "confirmation"]
    """Take a seat, add entropy, start the match, move, record a roll, answer the offer of a draw, or confirm the
    record.
    """


class MatchRow(MatchSummary):
    """A match as lists show it."""

    seats: list[SeatRow]
    imported: bool
    """If true, the accounts are those of another server, and `verified` means that the match is consistent in itself.
    """

    importer: str | None
    """The account that imported the match."""

    tournament: str | None
    """The tournament's id."""

    created_at: int
    """When it was created or imported, in UTC milliseconds."""

    updated_at: int
    """When its last event was recorded, in UTC milliseconds."""

    ended_at: int | None
    """When it ended with an outcome, in UTC milliseconds. Null before."""

    ply: int
    """The number of moves made so far."""

    turn: Turn | None
    """Null before the start and after an abort."""

    waits_for: list[Wait]
    outcome: Outcome | None


class MatchPage(ListPage):
    """A page of matches."""

    matches: list[MatchRow]


class Position(MatchTurn):
    """The state just before move `ply` + 1."""

    ply: int
    """The number of moves made before this position."""

    view: Json
    """The state of the game, in the ruleset's own form."""

    steps: NotRequired[list[TakenStep]]
    """Only with `include=effects`: the move that led to the position, and the rolls, withdrawals and the agreed draw
    after it.
    """


class TypedStep(TypedDict):
    """A step of a match: a move, a roll, or a seat that leaves."""

    move: NotRequired[str]
    values: NotRequired[list[int]]
    withdraw: NotRequired[int]
    """The seat that leaves."""

    cause: NotRequired[str]


class PlacedStep(TypedDict):
    """A step, and where it stands in the text. Lines and columns count from 1."""

    step: TypedStep
    line: int
    column: int


class TypedFault(TypedDict):
    """The first place of the text that is wrong, and why."""

    code: str
    detail: str
    line: int
    column: int
    clause: NotRequired[str]
    """The clause of the rules that a move breaks, if one does."""


class ReadSheet(MatchTurn):
    """What a typed score sheet says. `turn` and `ply` are those after the steps that could be read."""

    ply: int
    steps: list[PlacedStep]
    fault: TypedFault | None
    picture: str | None


class StoredEvents(TypedDict):
    """The events that a command stored."""

    hash: str
    """The hash of the last event."""

    events: list[Event]


class Receipt(StoredEvents, MatchTurn):
    """The receipt of a command: the events that it stored, and the version and turn right after them.

    The same request with the same `Idempotency-Key` gets the same receipt, byte for byte.
    """

    counts: NotRequired[bool]
    """Only of rated matches: whether the match counts. While it does not, leaving it aborts it."""


class NextTouch(TypedDict):
    """A part of the board that can be touched next."""

    touch: str
    """Its `data-touch`."""

    move: str | None
    """The move that it completes, if it leaves nothing else open."""


class ReadyMove(Story):
    """A legal move that the touches make, and what it would do, apart from the rolls that follow it."""

    move: str
    label: str
    """What tells it from the other moves that the same touches make."""


class TouchRefusal(TypedDict):
    """Why no legal move begins with these touches."""

    detail: str
    clause: str | None
    """The clause of the rules behind it, if there is one."""

    title: str | None
    """The title of that clause."""


class Touched(TypedDict):
    """What touches of a board lead to."""

    touches: list[str]
    next: list[NextTouch]
    """What can be touched next. Nothing if no seat must move, or without a board."""

    ready: list[ReadyMove]
    """The moves that these touches make."""

    picture: str | None
    """The board right after the move as SVG, if exactly one is ready."""

    refusal: TouchRefusal | None
    """Null unless nothing follows."""

    read: dict[str, str]
    """What is to be seen at each place that can be touched; empty after a touch."""

    truncated: bool
    """True if there were too many moves to look at all of them. Touches can be missing."""


class TouchedMoves(Touched, MatchTurn):
    """What touches of the board of a match lead to."""


class Check(TypedDict):
    """One check of a match and its result."""

    check: Literal[
        "form",
        "head",
        "behaviour",
        "chain",
        "canonical",
        "rules",
        "dice",
        "seeds",
        "outcome",
        "verdict",
        "receipt",
    ]
    result: Literal["ok", "none", "unknown", "fault"]
    """`none`: there is nothing to check, or not yet. `unknown`: this server cannot check it."""

    why: str | None
    """The reason for a result other than `ok`."""

    version: int | None
    """The first event at fault."""


class Verification(TypedDict):
    """The report of a verification: all checks, and the first fault in the order of events."""

    match: str
    """The match's id."""

    version: int
    """The number of events that were checked."""

    hash: str | None
    """The hash of the last event."""

    status: Literal["open", "playing", "ended", "verified", "refuted", "scored", "aborted", "annulled"] | None
    result: Literal["ok", "unknown", "fault"]
    """`fault` if a check found a fault, else `unknown` if something could not be checked here, else `ok`."""

    fault: Check | None
    checks: list[Check]


class VerificationDue(MatchVersion):
    """Whether a match waits for a verdict."""

    status: Literal["open", "playing", "ended", "verified", "refuted", "scored", "aborted", "annulled"]
    due: bool
    """False if the match already has a verdict that it is sound."""


class Player(TypedDict):
    """An account of a person or a bot."""

    player: str
    """The account's id."""

    name: str
    """The display name. Accounts of early releases may share one."""

    kind: Literal["person", "bot"]
    registered_at: int
    """When the account was opened, in UTC milliseconds."""


class PlayerProfile(Player):
    """An account, and how often it aborted rated matches."""

    rated_aborts: int
    """How many rated matches the player left after their start, before they counted."""

    paused_until: int | None
    """Until when the player can begin no rated match, in UTC milliseconds. Null if they can."""

    is_organiser: bool
    """Whether an administrator made the account an organiser."""


class Me(PlayerProfile):
    """The account that your token belongs to."""

    scopes: list[Literal["play", "record", "organise", "admin"]]
    """The scopes of your token."""

    recovery_code_made_at: int | None
    """When your recovery code was made, in UTC milliseconds. Null if you have none."""

    recovery_code_expires_at: int | None
    """When the recovery code expires, in UTC milliseconds. Null if it does not."""


class NewPlayer(Player):
    """A new account with its first token."""

    scopes: list[Literal["play", "record", "organise", "admin"]]
    """The scopes of your token."""

    token: str
    """The token. It is not shown again."""

    recovery_code: str | None
    """A code for another token if you lose this one. It is not shown again. Null if it counts no longer."""


class NewRecoveryCode(TypedDict):
    """A new recovery code."""

    player: str
    """The account's id."""

    recovery_code: str
    """The code. It is not shown again."""

    recovery_code_made_at: int | None
    """When it was made, in UTC milliseconds."""

    recovery_code_expires_at: int | None
    """When the recovery code expires, in UTC milliseconds. Null if it does not."""


class Office(TypedDict):
    """Whether an account is an organiser now."""

    player: str
    """The id of the account."""

    name: str
    """The name of the account."""

    is_organiser: bool
    """Whether an administrator made the account an organiser."""


class PlayerPage(ListPage):
    """A page of players, sorted by name."""

    players: list[Player]


class Token(TypedDict):
    """A token, without its secret text."""

    id: str
    """The token's id. It names the token, but does not grant access."""

    label: str | None
    scopes: list[Literal["play", "record", "organise", "admin"]]
    issued_at: int
    """When it was issued, in UTC milliseconds."""

    expires_at: int | None
    """When it expires, in UTC milliseconds. Null if it does not."""


class NewToken(Token):
    """A new token with its text."""

    player: str
    """The account's id."""

    token: str
    """The token. It is not shown again."""


class RecoveredAccount(NewToken):
    """The new token of an account whose token was lost, and its next recovery code."""

    recovery_code: str | None
    """A code for another token if you lose this one. It is not shown again. Null if it counts no longer."""


_VersionKeywords = TypedDict("_VersionKeywords", {"import": str})


class Version(_VersionKeywords):
    """One of several versions of a match that were imported."""

    match: str
    """The address to ask for this version by."""

    by: str | None
    """The account that imported it."""

    at: int
    """When it was imported, in UTC milliseconds."""

    status: Literal["copying", "waiting", "verified", "refuted", "entered", "faulty", "kept", "dropped"]
    version: int
    """The number of its events."""

    hash: str
    """The hash of its last event, in hex."""


class ProblemDocument(TypedDict):
    """A problem document (RFC 9457).

    Every problem has `type`, `title`, `status`, `code`, `detail` and `instance`. The other fields depend on the code.
    """

    type: str
    """A URI reference that identifies the code."""

    title: str
    """The meaning of the status, in the language of the reader."""

    status: int
    """The HTTP status."""

    code: str
    """Identifies the kind of problem. Codes never change their meaning."""

    detail: str
    """What is wrong with this request, for people, in their language."""

    instance: str
    """The request's id. The server's log has the same id."""

    clause: NotRequired[str]
    """The clause of the rules that a refused move breaks."""

    clause_url: NotRequired[str]
    """Where to read the clause."""

    ply: NotRequired[int]
    """The number of moves made before the refused one."""

    step: NotRequired[int]
    """The number of the refused step of a variation or correction, from 0."""

    turn: NotRequired[Turn]
    """What is due in place of the refused step of a correction."""

    legal: NotRequired[list[str]]
    """Some legal moves, at most 20."""

    line: NotRequired[int]
    """The line at fault in the file that was sent, counted from 1."""

    column: NotRequired[int]
    """The column of the fault in that line, counted from 1."""

    found: NotRequired[str]
    """What stands at the fault of a query or a line of steps."""

    option: NotRequired[str]
    """The option that the problem is about, or `seats`."""

    allowed: NotRequired[str]
    """The values that are allowed."""

    players: NotRequired[list[str]]
    """The accounts that have the name."""

    suggestion: NotRequired[str]
    """A name like the one asked for that is free."""

    known: NotRequired[list[str]]
    """The names that exist."""

    seat: NotRequired[int]
    """The seat that the problem is about."""

    seats: NotRequired[list[int]]
    """The seats that the problem is about."""

    most: NotRequired[int]
    """How many an account may have, or how much it may ask for."""

    until: NotRequired[int]
    """Until when it is not possible, in UTC milliseconds."""

    since: NotRequired[int]
    """Since when it is not possible, in UTC milliseconds."""

    left_ms: NotRequired[int]
    """The milliseconds that the seat has left."""

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
    """The status of the match."""

    free_at: NotRequired[int]
    """When the two may meet again on the ladder, in UTC milliseconds."""

    tournament_status: NotRequired[Literal["open", "playing", "ended", "aborted"]]
    """The status of the tournament."""

    key: NotRequired[str]
    """The id of the server key that is missing."""

    event_type: NotRequired[str]
    """The type of a stored event that could not be read."""

    errors: NotRequired[Json]
    """For each field or parameter at fault, what is wrong with it."""

    version: NotRequired[int]
    """The present version of the match or tournament."""

    versions: NotRequired[list[Version]]
    """The versions of the match that were imported here, at most 20."""

    policy: NotRequired[str]
    """The kind of requests of which there were too many."""

    retry_after_s: NotRequired[int]
    """Seconds to wait, as in `Retry-After`."""

    events: NotRequired[list[Event]]
    """The events after the version named in `If-Match`."""


class Rating(TypedDict):
    """A rating, in millionths."""

    rating_micro: int
    """The estimate of the player's strength."""

    uncertainty_micro: int
    """The estimate's standard deviation."""

    ordinal_micro: int
    """The rating minus three times its uncertainty. Tables are sorted by it."""


class RatingChange(TypedDict):
    """A player's rating with an annulled match and without it."""

    player: str
    """The account's id."""

    name: str
    before: Rating | None
    """With the match; null if no match of the player counts."""

    after: Rating | None
    """Without the match; null if no match of the player counts."""


class Annulment(Page):
    """A page of the ratings that an annulment changed, or would change, greatest changes first."""

    match: str
    """The match's id."""

    why: str | None
    """The reason for the annulment; null in a preview."""

    complete: bool
    """False while the ratings are computed anew; `changes` is empty until then."""

    changes: list[RatingChange]


class RatingsRow(Rating):
    """A player in a table of ratings."""

    rank: int
    """Players with equal ordinals share a rank."""

    player: str
    """The account's id."""

    name: str
    matches: int
    """The number of matches that the rating is based on."""

    last_match: str
    """The id of the last of these matches."""

    last_at: int
    """When that match was rated, in UTC milliseconds."""


class RatingsVersion(TypedDict):
    """How much of the ledger the ratings are based on."""

    version: int
    """The version of the ledger of ratings up to which matches count here."""

    lag: int
    """How many entries of the ledger after that one do not count yet."""


class RatedMatch(TypedDict):
    """A rated match, and how it changed a player's rating."""

    version: int
    """The number of the match in the ledger."""

    at: int
    """When it was rated, in UTC milliseconds."""

    match: str
    """The match's id."""

    rank: int
    """The player's rank in the match."""

    seats: int
    """The number of seats in the match."""

    before: Rating
    after: Rating


class RatingHistory(Page, RatingsRow, RatingsVersion):
    """A player's rating, and a page of the matches that it is based on, oldest first."""

    ruleset: str
    """The ruleset's id."""

    history: list[RatedMatch]


class RatingsModel(TypedDict):
    """The model that turns results into ratings."""

    model: str
    parameters: Json
    """The model's parameters, in millionths."""

    library: str
    """The library that computes it."""


class RatingsPage(Page, RatingsVersion):
    """A page of a ruleset's ratings, best first."""

    ruleset: str
    """The ruleset's id."""

    model: RatingsModel | None
    """Null until a match is rated."""

    players: list[RatingsRow]


class Clause(TypedDict):
    """One clause of a ruleset's rules."""

    ruleset: str
    """The ruleset's id."""

    version: int
    """The version of the ruleset."""

    clause: str
    """The clause's id."""

    title: str
    text: str
    """The clause in Markdown."""


class RulesetVersion(TypedDict):
    """A version of a ruleset. A match keeps the version that it was created with."""

    version: int
    released: bool
    """A released version never changes. A draft can still change, and matches recorded under it may then no longer
    replay.
    """

    behaviour: str | None
    """A digest of the ruleset's behaviour: the SHA-256 of its proofs, in hex. Null if it has none."""


class Ruleset(RulesetVersion):
    """One version of a ruleset."""

    ruleset: str
    """The ruleset's id."""

    title: str
    min_seats: int
    max_seats: int
    options: Json
    """The JSON Schema of the options."""

    presets: dict[str, Json]
    """Named sets of options. A rated match must have the options of a preset, or the defaults."""


class RulesetDetail(Ruleset):
    """One version of a ruleset, with its clauses and a list of all its versions."""

    versions: list[RulesetVersion]
    """All versions, newest first."""

    clauses: list[Clause]
    effects: Json
    """The JSON Schema of an effect of a step."""


class RulesetRow(Ruleset):
    """One version of a ruleset as the list shows it."""

    matches: int | None
    """The number of public matches in all versions of the ruleset; null while the store cannot be reached."""


class Rulesets(TypedDict):
    """All versions of rulesets, newest first within each ruleset."""

    rulesets: list[RulesetRow]


class Health(TypedDict):
    """The process is running."""

    status: Literal["alive"]


class Ready(TypedDict):
    """The process is running and its store takes writes."""

    status: Literal["ready"]
    store: str
    """The store's program and version, `memory` or `unknown`."""

    durability: Literal["always", "everysec", "unknown"]
    """When a successful command is on the disk of the store's server: before the answer (`always`), within a second
    (`everysec`), or `unknown`. With replicas for which no answer waits it is unknown, because any failover may lose the
    newest moves.
    """

    replicas: int | None
    """How many replicas follow the store; null if it does not say."""

    replicas_awaited: int
    """How many of them have a successful command, in memory at least, before the answer. 0: none is waited for."""

    queues: Literal["up", "away", "none"]
    """Whether the server of the job queues answers. While it is `away`, people can play, but no match is verified and
    no built-in bot moves. `none` with a store in memory.
    """

    lists: Literal["up", "away"]
    """Whether the read database answers. While it is `away`, people can play, but lists, ratings and inboxes cannot be
    read. They catch up by themselves.
    """

    memory_percent: int | None
    """How much of the memory that it may use the store uses; null without a limit. At 100 it takes no writes: give it
    more before.
    """


class EndedSessions(TypedDict):
    """All sessions of an account have ended."""

    player: str
    """The account's id."""

    ended: int
    """How many there were."""


class RevokedToken(TypedDict):
    """A token that was revoked."""

    id: str
    """The token's id."""

    ended_at: int
    """When it was revoked, in UTC milliseconds."""


class ListedToken(Token):
    """A valid token, or a session: a browser that is signed in. The label of a session says which browser."""

    kind: Literal["token", "session"]
    made_with: str | None
    """For a session, the id of the token that it was made with. It ends with that token."""

    current: bool
    """Whether this request was sent with this token."""


class Tokens(TypedDict):
    """All valid tokens and sessions of an account, oldest first."""

    player: str
    """The account's id."""

    tokens: list[ListedToken]


class TournamentVersion(TypedDict):
    """A tournament at one of its versions."""

    tournament: str
    """The tournament's id."""

    version: int
    """The version of the tournament that this describes: the number of its last event."""


class GameSummary(TypedDict):
    """What both a game and an attempt at it have."""

    board: int
    """The board of the round, counted from 1."""

    game: int
    """The game of the board, counted from 1."""

    entrants: list[int]
    """The numbers of the entrants, by seat."""

    match: str | None
    """The match's id; null if there is none because the organiser decided the game."""

    ranks: list[int] | None
    """The rank of each seat, 1 for the best; null until the game is decided."""

    reason: str | None
    """Why the match ended; `adjudicated` or `forfeited` if the organiser decided the game, `reported` if its result was
    entered at the table.
    """

    annulled: str | None
    """Why the game was annulled; null if it was not."""


class SeatBuild(TypedDict):
    """A build that played on a seat of a game."""

    seat: int
    build: Build


class Game(GameSummary):
    """A game of a round, with the match that decides it."""

    failed: list[str]
    """The ids of earlier matches of the game that failed."""

    given_up: bool
    """Whether it failed too often to be played again, and waits for the organiser."""

    why: str | None
    """Why the organiser decided it; null if a match did."""

    forfeited: list[int]
    """The entrants that lost it by forfeit."""

    call: str | None
    """Why those at the table call an arbiter; null unless they do."""

    builds: list[SeatBuild]
    """The builds that accounts declared in the match that decided it, by seat, in order."""

    entered: list[int] | None
    """The ranks as they were entered first, if they were corrected; else null."""

    deadline: int | None
    """By when it is to be decided, in UTC milliseconds. Null without deadlines."""


class FaultCounts(TypedDict):
    """The number of faults in the games of an entrant, by owner."""

    entrant: int
    """Its own faults."""

    opponent: int
    """Faults of its opponents."""

    platform: int
    """Faults of the platform."""


_TableRowKeywords = TypedDict("_TableRowKeywords", {"in": bool})


class TableRow(_TableRowKeywords):
    """A row of the table. Points and tiebreaks are decimals as text, so that JSON readers do not round them."""

    rank: int
    """Entrants that no tiebreak separates share a rank."""

    entrant: int
    """The entrant's number."""

    label: str
    """The entrant's label, or else its bot or account."""

    name: str
    """The name to show. Entrants with the same name are told apart by their numbers, as in `greedy #3`."""

    points: str
    tiebreaks: Json
    """The value of each tiebreak. `places` is a list of integers, the others are text."""

    games: int
    """The number of its games that count."""

    seats: list[int]
    """For each seat, how often the entrant had it."""

    byes: int
    absences: int
    faults: FaultCounts
    against: dict[str, list[str | None]]
    """For each opponent, by number, the score in each game between them: `1` above the opponent, `0.5` level, `0`
    below, null if the game is annulled. Forfeited games are included.
    """

    reached: NotRequired[int]
    """In a knockout: the last round that the entrant reached."""

    group: NotRequired[str]
    """With groups: the group of the entrant, such as `A`."""

    rung: NotRequired[int]
    """On a ladder: the rung, 1 at the top."""

    rating_micro: int
    """A rating from the games of this tournament alone, in millionths."""

    uncertainty_micro: int
    """The standard deviation of that rating, in millionths."""


_GroupRowKeywords = TypedDict("_GroupRowKeywords", {"in": bool})


class GroupRow(_GroupRowKeywords):
    """A row of the table of a group. Points and tiebreaks are those of the games in the group alone."""

    rank: int
    """The place in the group."""

    entrant: int
    """The entrant's number."""

    name: str
    """The name to show. Entrants with the same name are told apart by their numbers, as in `greedy #3`."""

    points: str
    tiebreaks: Json
    """As in the table of all entrants."""

    games: int
    """The number of its games that count."""


class Group(TypedDict):
    """A group and its table."""

    group: str
    """The name of the group, such as `A`."""

    rows: list[GroupRow]
    """Its entrants, best first."""


class BracketBoard(TypedDict):
    """A board of the bracket."""

    board: int
    """The board of the round, counted from 1."""

    entrants: list[int]
    """The numbers of the entrants."""

    points: list[str]
    """The points of each on the board."""

    winner: int | None
    """Who goes on; null until the board is decided."""


class BracketRound(TypedDict):
    """A round of the bracket."""

    round: int
    """The round of the tournament, counted from 1."""

    boards: list[BracketBoard]
    byes: list[int]
    """The entrants that have a bye."""


class TeamRow(TypedDict):
    """A row of the table of teams. Points and tiebreaks are decimals as text."""

    rank: int
    """Teams that no tiebreak separates share a rank."""

    team: int
    """The number of the team, by seed."""

    name: str
    members: list[int]
    """Its entrants in board order."""

    match_points: str
    board_points: str
    tiebreaks: Json
    """The value of each tiebreak over matches of teams. `places` is a list of integers."""

    matches: int
    """The number of its matches that count."""

    won: int
    level: int
    lost: int
    byes: int


class Standings(TournamentVersion):
    """The table of a tournament as it stands now."""

    status: Literal["open", "playing", "ended", "aborted"]
    rounds: int
    """The number of rounds paired so far."""

    tiebreaks: list[
        Literal[
            "buchholz",
            "buchholz-cut-1",
            "sonneborn-berger",
            "direct",
            "wins",
            "opponents-mean",
            "places",
        ]
    ]
    """The tiebreaks, the first one deciding first."""

    rows: list[TableRow]
    """The entrants, best first."""

    groups: NotRequired[list[Group]]
    """With groups: the table of each of them."""

    bracket: NotRequired[list[BracketRound]]
    """With groups: the rounds of the bracket after them."""

    teams: list[TeamRow] | None
    """The teams, best first; null if no teams play."""

    sprt: Json | None
    """The state of the sequential test: its log-likelihood ratio, its bounds, and the hypothesis that it accepted. Null
    without a test.
    """


class AnnulmentReport(TournamentVersion):
    """The table with a game and without it: what its annulment changes."""

    game: Game
    before: Standings
    """The table with the game."""

    after: Standings
    """The table without the game."""


class Incident(TypedDict):
    """An event that kept a match from being played out."""

    cause: str
    """Of an entrant: resigned, time, absent, disqualified, crashed, silent, illegal, unreadable, forfeited. Of the
    platform: refuted, play-failed, called-off, annulled.
    """

    owner: Literal["entrant", "opponent", "platform"] | None
    """Whose fault it is, as seen by the `entrant` of the query. Without one, every entrant's fault is `entrant`. Null
    if an entrant resigned: that is nobody's fault.
    """

    entrant: int | None
    """The entrant that left the match; null if the platform failed."""

    why: str | None


class Attempt(GameSummary):
    """A match that was created to decide a game, or the organiser's ruling instead.

    A game has several if the platform fails some of them.
    """

    round: int
    """The round, counted from 1."""

    attempt: int
    """The attempt at this game, counted from 1."""

    status: Literal["playing", "decided", "failed", "dropped", "adjudicated", "forfeited", "reported"]
    """`playing`; `decided`: it decided the game; `failed`: the game is played again; `dropped`: the tournament was
    called off first; `adjudicated`, `forfeited`: the organiser decided the game instead.
    """

    made_at: int | None
    """When the match was created, in UTC milliseconds. Null while it is played; the first event of the match has the
    time.
    """

    closed_at: int | None
    """When its result or its failure was entered, in UTC milliseconds. Null until then."""

    scored: bool
    """Whether its result counts."""

    incidents: list[Incident]
    """Oldest first."""


class Attempts(Page, TournamentVersion):
    """A page of attempts, sorted by round, board, game and attempt."""

    attempts: list[Attempt]


class ChallengeOption(TypedDict):
    """An entrant above, and whether it can be challenged now."""

    entrant: int
    """The number of the entrant above."""

    name: str
    """The name to show. Entrants with the same name are told apart by their numbers, as in `greedy #3`."""

    rung: int
    """Its rung, 1 at the top."""

    code: str | None
    """The code with which the challenge would be refused; null if it can be made."""

    why: str | None
    """Why it would be refused, and what to do instead."""


class ChallengeOptions(TournamentVersion):
    """The rung of an entrant, and the entrants within its reach."""

    entrant: int
    """The number of the entrant."""

    rung: int | None
    """Its rung, 1 at the top; null if it has none."""

    opponents: list[ChallengeOption]
    """Those within reach, highest first."""


class Code(TypedDict):
    """The code of a table or of a seat there."""

    board: int
    seat: int
    """The seat; 0 for the whole table."""

    entrants: list[int]
    """Who sits there, by seat."""

    code: str
    """Send it like a token."""

    url: str
    """The page for the phone at the table."""

    expires_at: int
    """When the code expires, in UTC milliseconds."""


class Codes(TypedDict):
    """Codes for the tables of a round."""

    tournament: str
    """The tournament's id."""

    codes: list[Code]


class EntryLink(TypedDict):
    """A link by which players enter a tournament."""

    tournament: str
    """The tournament's id."""

    code: str
    """Enters the tournament: `code` of an entry."""

    url: str
    """The page that the link opens."""

    expires_at: int
    """When the link ends, in UTC milliseconds."""


class GameDeadline(TypedDict):
    """An undecided game, and the time that is left for it."""

    round: int
    """The round, counted from 1."""

    board: int
    """The board of the round, counted from 1."""

    game: int
    """The game of the board, counted from 1."""

    entrants: list[int]
    """The numbers of the entrants, by seat."""

    match: str
    """The match in which it is played."""

    deadline: int
    """By when it is to be decided, in UTC milliseconds."""

    left_ms: int
    """The time left until then, in milliseconds; 0 if it has passed."""


class GameDeadlines(TournamentVersion):
    """The dates of a tournament that runs for weeks, and the time until then at the moment of the answer."""

    next_round_at: int | None
    """When the next round begins, in UTC milliseconds. Null if no date holds it back."""

    next_round_in_ms: int | None
    """The time until then, in milliseconds."""

    deadlines: list[GameDeadline]
    """The undecided games, by round and board."""


class Objection(TypedDict):
    """What speaks against a pairing by hand."""

    kind: Literal["rematch", "second-bye", "seat", "points"]
    """`rematch`: they have met. `second-bye`: others have had fewer byes. `seat`: too often on the same seat. `points`:
    further apart than on any board that the engine would pair.
    """

    entrants: list[int]
    board: int | None
    """The board; null for a bye."""

    number: str
    """How often they have met or would have had the bye or the seat; or how far apart."""


class Judgement(TypedDict):
    """What speaks against a pairing of the next round by hand."""

    objections: list[Objection]
    costs: Json
    """What the pairing costs."""

    engine_costs: Json | None
    """What the engine's pairing would cost."""


class Proposal(TournamentVersion):
    """How the next round would be paired now."""

    round: int
    """The next round, counted from 1."""

    boards: list[list[int]] | None
    """The entrants of each board, by seat; null if no round can be paired."""

    byes: list[int]
    """The entrants that have a bye."""

    costs: Json
    """What the pairing costs, such as repeated meetings."""

    engine: str | None
    """The method of pairing."""


class Pairing(TypedDict):
    """A pairing of a round."""

    boards: list[list[int]]
    """The entrants of each board, by seat."""

    byes: list[int]
    """The entrants that have a bye."""

    costs: Json
    """What the pairing costs, such as repeated meetings."""


class RoundCheck(TypedDict):
    """The stored pairing of a round, compared with the pairing computed again."""

    tournament: str
    """The tournament's id."""

    round: int
    """The round, counted from 1."""

    agrees: bool
    """Whether the two pairings are the same."""

    engine: str
    """The method that paired the round."""

    paired: Pairing
    """The stored pairing."""

    again: Pairing | None
    """The pairing computed again; null if none was found."""


class Reason(TypedDict):
    """A reason why a board or a bye was paired."""

    word: Literal[
        "by-hand",
        "circle",
        "circle-turned",
        "circle-empty",
        "opponent-missing",
        "pod-plan",
        "gauntlet",
        "bracket",
        "bracket-free",
        "last-two",
        "beaten",
        "beaten-odd",
        "won-board",
        "won-level",
        "lost-board",
        "had-bye",
        "score-group",
        "floated",
        "ranks",
        "points",
        "meetings",
        "seat-due",
        "seat-denied",
        "seat-by-number",
        "seats-had",
        "bye-lowest",
        "bye-left-over",
        "scheveningen",
        "team-match",
        "moved-up",
        "team-circle",
        "team-points",
        "team-meetings",
        "team-bye",
        "team-short",
        "pyramid",
        "group",
        "group-empty",
        "group-bracket",
        "group-free",
        "challenge",
    ]
    """What the reason is. The guide to tournaments says what each word means."""

    entrants: list[int]
    """The entrants it is about."""

    values: Json
    """Its numbers, by name. Points are decimals as text."""


class Board(TypedDict):
    """A board of a round, and why it was paired."""

    board: int
    """The board of the round, counted from 1."""

    entrants: list[int]
    """The entrants, by seat in the first game."""

    reasons: list[Reason]
    """By what was known when the round was paired: later corrections change nothing."""


class TeamMatch(TypedDict):
    """The match of two teams in a round."""

    teams: list[int]
    """The numbers of both; the first has seat 1 on board 1."""

    names: list[str]
    boards: list[int]
    """The boards of the round."""

    points: list[str]
    """The board points of both so far."""

    ranks: list[int] | None
    """The rank of each; null until all games are decided, or if none of them counts."""


class Bye(TypedDict):
    """A bye, and why it was given."""

    entrant: int
    reasons: list[Reason]


class Round(TypedDict):
    """A round with its games, and how it was paired."""

    round: int
    """The round, counted from 1."""

    stage: str | None
    """`groups` or `knockout`, in a tournament with groups; else null."""

    byes: list[int]
    """The entrants that have a bye."""

    absent: list[int]
    """The entrants that sit it out."""

    engine: str
    """The method that paired the round."""

    costs: Json
    """What the pairing costs, such as repeated meetings."""

    is_decided: bool
    """Whether all games are decided."""

    ends_at: int | None
    """By when it ends by its plan, in UTC milliseconds. Null without deadlines."""

    games: list[Game]
    boards: list[Board]
    team_matches: list[TeamMatch]
    """The matches of teams, in the order of their boards; none if no teams play."""

    bye_reasons: list[Bye]
    """As in `byes`."""


class Rounds(TournamentVersion):
    """All rounds of a tournament."""

    rounds: list[Round]


class RulingPreview(TournamentVersion):
    """The table as it stands, and as it would stand if a game had another result."""

    before: Standings
    """The table as it stands."""

    after: Standings
    """The table with the other result."""


class TournamentEvents(Page, TournamentVersion):
    """A page of a tournament's events, oldest first."""

    events: list[Event]


class TournamentSummary(TournamentVersion):
    """What both a tournament and its row in lists have."""

    name: str
    status: Literal["open", "playing", "ended", "aborted"]
    """`open` for entrants until the start, then `playing`, then `ended` or `aborted`."""

    organiser: str
    """The account that runs the tournament."""

    created_at: int
    """When it was announced, in UTC milliseconds."""

    ruleset: str
    """The ruleset's id."""

    ruleset_version: int
    seats: int
    """The number of seats in each match."""

    format: Json
    """The `kind` of tournament, with its options."""

    rounds: int
    """The number of rounds paired so far."""


class Arbiter(TypedDict):
    """An arbiter, who can do what the organiser can in the course of the tournament."""

    player: str
    """The id of the account."""

    player_name: str
    """The name of the account."""


class Invitee(TypedDict):
    """An account that is invited to enter and has not answered yet."""

    player: str
    """The id of the account."""

    player_name: str
    """The name of the account."""

    label: str | None
    """The name to show in tables."""

    at: int
    """When it was invited, in UTC milliseconds."""


class Penalty(TypedDict):
    """A penalty, or a warning without points."""

    penalty: int
    """The number of the penalty, counted from 1."""

    entrant: int
    points: int
    """The points that the entrant loses."""

    round: int
    """The last round that was paired before it."""

    why: str
    """The reason."""

    lifted: str | None
    """Why it counts no more; null while it counts."""


class Team(TypedDict):
    """A team of a tournament."""

    team: int
    """The number of the team, by seed."""

    name: str
    members: list[int]
    """Its entrants in board order."""


class PlayedBuild(Build):
    """A build that an account declared in matches of a tournament."""

    games: int
    """The decided games in which it played."""

    first: str
    """The first of them: round, board and game."""


class EntrantBuilds(TypedDict):
    """The builds of an account's program in a tournament, as the account says."""

    entered: Build | None
    """The one that the account entered last."""

    pinned: bool
    """Whether no other one may play."""

    played: list[PlayedBuild]
    """Those that were declared in the matches of decided games, in order."""

    undeclared: int
    """The decided games in whose matches none was declared."""


class Entrant(TypedDict):
    """An entrant: a `player` (an account), a `guest`, or a `bot` of the server."""

    entrant: int
    """The entrant's number, counted from 1. Among entrants without a seed and a rating, a lower number is a better
    seed.
    """

    guest: NotRequired[str]
    """The name of the guest, who has no account."""

    player: NotRequired[str]
    """The id of the account."""

    player_name: NotRequired[str]
    """The name of the account."""

    bot: NotRequired[str]
    """The name of the bot."""

    bot_version: NotRequired[int]
    """The version of the bot."""

    playouts: NotRequired[int | None]
    """The playouts of the bot for each decision."""

    name: str
    """The name to show. Entrants with the same name are told apart by their numbers, as in `greedy #3`."""

    label: str | None
    """The label that the entrant was given."""

    is_in: bool
    """False once the entrant has withdrawn."""

    absences: list[int]
    """The rounds that the entrant sits out."""

    asked_byes: list[int]
    """Those of the absences for which the entrant asked for a bye."""

    rating: int | None
    """A rating from elsewhere."""

    seed: int | None
    """The place that it was given among the seeds."""

    team: str | None
    """The team that it plays for."""

    place: int | None
    """Its place in the board order of its team."""

    joined: int
    """The first round that the entrant can play."""

    came: Literal["entered", "invited", "asked", "guest", "bot"]
    """How it came in: `entered` by itself, `invited`, let in because it `asked`, or as a `guest` or `bot` that an
    organiser entered.
    """

    builds: EntrantBuilds | None
    """Null if the account has named no build, neither here nor in a match."""


class Act(TypedDict):
    """What an organiser or administrator did to the course of the tournament.

    It is about a game (`round`, `board`, `game`), or about an `entrant`, or else about the whole tournament. What it is
    not about is null.
    """

    at: int
    """When it was done, in UTC milliseconds."""

    by: str
    """The account that did it."""

    by_name: str
    """The name of that account."""

    what: Literal[
        "game-annulled",
        "game-retried",
        "game-reported",
        "game-adjudicated",
        "game-forfeited",
        "deadline-extended",
        "tournament-closed",
        "game-corrected",
        "game-replayed",
        "arbiter-call-answered",
        "penalty-given",
        "penalty-lifted",
        "round-called",
        "round-paired",
        "round-taken-back",
        "table-codes-revoked",
        "entry-request-ended",
        "entry-link-revoked",
        "entrant-withdrawn",
        "entrant-disqualified",
        "entrant-returned",
        "arbiter-named",
        "arbiter-dismissed",
        "tournament-paused",
        "tournament-resumed",
        "tournament-aborted",
    ]
    why: str | None
    """The reason, if one was given."""

    round: int | None
    board: int | None
    game: int | None
    entrant: int | None
    player: str | None
    """The account that it is about, such as an arbiter."""

    player_name: str | None
    """The name of that account."""


class FaultTotals(TypedDict):
    """The number of faults in a tournament, by owner."""

    entrant: int
    """Faults of entrants. Their games were scored."""

    platform: int
    """Faults of the platform. Their games were played again."""


class Tournament(TournamentSummary):
    """A tournament as it stands now."""

    ended: str | None
    """Why it is over; null while it is not."""

    options: Json
    """The options of the ruleset, complete."""

    repeat: Literal["once", "rotations", "permutations"]
    """Which orders of seats are played on each board."""

    openings: list[list[str]]
    """The openings, each a list of moves. Boards take them in turn."""

    scoring: Json
    """The points for each place, for a `bye` and for an `absence`."""

    tiebreaks: list[
        Literal[
            "buchholz",
            "buchholz-cut-1",
            "sonneborn-berger",
            "direct",
            "wins",
            "opponents-mean",
            "places",
        ]
    ]
    """The tiebreaks, the first one deciding first."""

    limits: Limits | None
    sprt: Json | None
    """The hypotheses and error rates of the sequential test; null without one."""

    max_entrants: int
    is_open: bool
    """Whether every player can enter, or only those whom the organiser invites."""

    rounds_begin: Literal["auto", "call"]
    """`auto`: a round begins once the one before is over. `call`: when it is called."""

    at_table: bool
    """Whether it is played on real tables."""

    rated: bool
    """Whether matches between accounts are rated."""

    private: bool
    """Whether only those who take part can see it."""

    paused: str | None
    """Why it is paused; null while it is not."""

    called: int
    """The last round that was called."""

    arbiters: list[Arbiter]
    requests: list[Invitee]
    """The players who ask to be let in, oldest first."""

    penalties: list[Penalty]
    seed: int
    """Everything left to chance follows from this seed."""

    teams: list[Team]
    """The teams, if the format has any, by seed."""

    entrants: list[Entrant]
    closed: str | None
    """Why the organiser closed the ladder; else null."""

    ends_at: int | None
    """When the weeks of a ladder are over, in UTC milliseconds. Null without such a time."""

    invitations: list[Invitee]
    """The invitations that can still be accepted, oldest first."""

    acts: list[Act]
    """What organisers and administrators did to its course, oldest first."""

    games: int
    """The number of games paired so far."""

    decided: int
    """The number of these games that are decided."""

    given_up: int
    """The number of these games that failed too often to be played again."""

    faults: FaultTotals


class TournamentRow(TournamentSummary):
    """A tournament as lists show it."""

    entrants: int
    """The number of entrants."""


class TournamentPage(ListPage):
    """A page of tournaments, newest first."""

    tournaments: list[TournamentRow]


class TournamentReceipt(StoredEvents, TournamentVersion):
    """The receipt of a command on a tournament: the events that it stored, and the version right after them.

    The same request with the same `Idempotency-Key` gets the same receipt, byte for byte.
    """

    status: Literal["open", "playing", "ended", "aborted"]


class SuggestedMove(Story):
    """A move that the search tried, and what it would do."""

    move: str
    """Its notation."""

    share_micro: int
    """The part of the playouts that tried it, in millionths; the best move has the most."""

    gain_micro: int
    """How much better off the seat would be than now, in millionths: from -1,000,000 (lost) to 1,000,000 (won)."""


class Suggestion(TypedDict):
    """What a bot would play, the best move first."""

    ruleset: str
    """The ruleset's id."""

    ruleset_version: int
    seat: int
    """The seat on turn, for which the moves are."""

    bot: str
    """The bot that searched."""

    playouts: int
    moves: list[SuggestedMove]


class Variation(TypedDict):
    """The position after the tried steps."""

    ruleset: str
    """The ruleset's id."""

    ruleset_version: int
    ply: int
    """The number of moves made before this position."""

    turn: Turn
    view: Json
    """The state of the game, in the ruleset's own form."""

    step: StepStory | None
    """The last of the tried steps, and what it did; null without steps."""

    story: NotRequired[list[StepStory]]
    """Only with `story`: all of the tried steps, in order."""

    picture: NotRequired[str]
    """Only with `picture`: the position as an SVG document."""

    touched: NotRequired[Touched]
    """Only with `touches`: what they lead to."""


class Webhook(TypedDict):
    """A webhook of your account."""

    id: str
    url: str
    """Where messages are posted."""

    topics: list[Literal["your-turn", "match-ended", "round-paired", "tournament-ended"]]
    """What is posted."""

    state: Literal["active", "disabled"]
    why: str | None
    """Why it is disabled; null if it is active."""

    added_at: int
    """When it was added, in UTC milliseconds."""


class NewWebhook(Webhook):
    """A webhook with its new secret."""

    secret: str
    """The secret that signs its messages: `whsec_` and base64. It is not shown again."""


class RemovedWebhook(TypedDict):
    """A webhook that was removed."""

    id: str
    """The webhook's id."""

    removed_at: int
    """When it was removed, in UTC milliseconds."""


class LastDelivery(TypedDict):
    """The last try to deliver a message."""

    at: int
    """When it was, in UTC milliseconds."""

    status: int | None
    """The status of the answer; null without an answer."""

    error: str | None
    """Why it failed; null if it was delivered."""


class ListedWebhook(Webhook):
    """A webhook, and how its deliveries go."""

    last_delivery: LastDelivery | None
    """Null before the first one."""

    failures: int
    """How many tries have failed since the last one that did not."""

    failing_since: int | None
    """Since when it has failed, in UTC milliseconds. Null if the last try did not fail."""

    waiting: int
    """How many messages wait to be delivered."""

    next_at: int | None
    """When the next try is due, in UTC milliseconds. Null if no message waits."""

    dropped: int
    """How many messages were given up, or gave way to newer ones."""


class Webhooks(TypedDict):
    """All webhooks of your account, oldest first."""

    player: str
    """The account's id."""

    webhooks: list[ListedWebhook]


class WebhookTest(TypedDict):
    """A message that tests a webhook is on its way."""

    id: str
    """The webhook's id."""

    message: str
    """The message's id, which it has in its header `webhook-id`."""
