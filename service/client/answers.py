"""What the server answers, as types."""

from typing import Any, NotRequired, TypedDict

Json = dict[str, Any]


class Turn(TypedDict, total=False):
    """What a match waits for: exactly one of the three."""

    decision: int
    roll: Json
    over: Json


class Event(TypedDict):
    """A stored event."""

    version: int
    type: str
    at: int
    by: str
    cause: str
    data: Json
    hash: str


class InboxEntry(TypedDict, total=False):
    """What a player is told: always `id` and `type`; which of the rest, depends on the type."""

    id: int
    type: str
    match: str
    version: int
    at: int
    seat: int
    seats: list[int]
    ply: int
    deadline: int | None
    offered_by: int
    ruleset: str
    ruleset_version: int
    reason: str
    ranks: list[int]


class Receipt(TypedDict):
    """The answer to a command."""

    match: str
    version: int
    hash: str
    turn: Turn | None
    events: list[Event]


class Choice(TypedDict):
    """A command that the owner of the token may give now, for each of `seats` and each of `causes` if it has any."""

    command: str
    seats: NotRequired[list[int]]
    causes: NotRequired[list[str]]


class Match(TypedDict):
    """A match as it stands."""

    match: str
    version: int
    hash: str
    status: str
    ruleset: str
    ruleset_version: int
    options: Json
    seats: list[Json]
    creator: str
    recorder: str | None
    private: bool
    rated: bool
    start: str
    dice: Json | None
    about: dict[str, str] | None
    limits: dict[str, int | None] | None
    clock: Json | None
    rematch_of: str | None
    parent: Json | None
    ply: int
    moves: list[str]
    turn: Turn | None
    draw_offered_by: int | None
    outcome: Json | None
    verdict: Json | None
    score: Json | None
    annulment: Json | None
    fault: Json | None
    imported: dict[str, str] | None
    view: Json | None
    choices: list[Choice]


class Rating(TypedDict):
    """A rating, in millionths."""

    rating_micro: int
    uncertainty_micro: int
    ordinal_micro: int


class Standing(Rating):
    """A player in a table of ratings."""

    rank: int
    player: str
    name: str
    matches: int
    last_match: str
    last_at: int


class RatedMatch(TypedDict):
    """A match of a player's history, and what it made of the rating."""

    version: int
    at: int
    match: str
    rank: int
    seats: int
    before: Rating
    after: Rating


class RatingChange(TypedDict):
    """What a match that is annulled changes for a player; None: none of the player's matches counts."""

    player: str
    name: str
    before: Rating | None
    after: Rating | None


class Invitation(TypedDict):
    """An invitation to a seat."""

    match: str
    seat: int
    invitation: str
    expires_at: int
    path: str


class Import(TypedDict):
    """An import as it stands; `own` ones are matches of the server itself."""

    match: str
    status: str
    by: str | None
    at: int | None
    private: bool | None
    copied: dict[str, int] | None
    sha256: str | None
    verdict: Json | None
    entered: dict[str, int] | None


class MatchRow(TypedDict):
    """A match as lists show it."""

    match: str
    version: int
    status: str
    ruleset: str
    ruleset_version: int
    seats: list[Json]
    creator: str
    recorder: str | None
    rated: bool
    private: bool
    imported: bool
    tournament: str | None
    created_at: int
    updated_at: int
    ply: int
    turn: Turn | None
    waits_for: list[dict[str, str]]
    outcome: Json | None


class VerificationDue(TypedDict):
    """Whether a match waits for a verdict now."""

    match: str
    version: int
    status: str
    due: bool


class Position(TypedDict):
    """The state just before move `ply` + 1."""

    match: str
    version: int
    ply: int
    turn: Turn | None
    view: Json


class LegalMoves(TypedDict):
    """Legal moves of the seat on turn; `next` is null where these are the last."""

    match: str
    version: int
    turn: Turn | None
    moves: list[str]
    next: str | None


class Check(TypedDict):
    """One thing that was checked: `why` its result is not `ok`, and the `version` of the event that is wrong."""

    check: str
    result: str
    why: str | None
    version: int | None


class Verification(TypedDict):
    """What could be checked of a match, and its first fault."""

    match: str
    version: int
    hash: str | None
    status: str | None
    result: str
    fault: Check | None
    checks: list[Check]


class PlayerAccount(TypedDict):
    """An account as anyone may see it."""

    player: str
    name: str
    kind: str
    registered_at: int


class OwnAccount(PlayerAccount):
    """The account of a token."""

    scopes: list[str]


class NewAccount(OwnAccount):
    """A new account and its token."""

    token: str


class Token(TypedDict):
    """What a token may do, and when; times in UTC milliseconds."""

    id: str
    label: str | None
    scopes: list[str]
    issued_at: int
    expires_at: int | None


class ListedToken(Token):
    """A token that is valid."""

    current: bool


class NewToken(Token):
    """A new token with its text."""

    player: str
    token: str
