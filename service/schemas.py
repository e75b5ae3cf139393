"""The shapes of what comes in and goes out: requests are parsed with them, `openapi.yaml` is generated from them."""

from collections.abc import Sequence
from typing import Any

from marshmallow import RAISE, Schema, ValidationError, fields, post_load, validate

from domain.clock import MAX_MATCH_MS, MAX_MOVE_MS, MIN_LIMIT_MS
from domain.decide import MAX_CAUSE_LENGTH, MAX_ENTROPY_LENGTH, MAX_MOVE_LENGTH, START_MODES, WITHDRAWAL_CAUSES
from domain.events import Account, Guest, Occupant
from domain.match import STATUSES
from domain.player import KINDS, MAX_NAME_LENGTH, MAX_OVERLAP_MS, MAX_TOKEN_LIFE_MS, SCOPES, is_printable
from domain.waiting import WAITED_FOR

MAX_SEATS = 16
MAX_VALUES = 1000
MAX_ABOUT = 16
MAX_PAGE = 1000
MAX_WAIT_S = 30
OVERLAP_S = 60
"""Long enough to ask again where the answer with the new token got lost."""

MAX_ROWS = 200
_SINCE = "Created at this time or later, UTC milliseconds."
_UNTIL = "Created before this time, UTC milliseconds."
INVITATION_S = 7 * 24 * 3600
MAX_INVITATION_S = 90 * 24 * 3600


class Strict(Schema):
    """A schema that refuses what it does not name."""

    class Meta:
        """Marshmallow's settings."""

        unknown = RAISE


class Boolean(fields.Boolean):
    """True or false, and nothing that only looks like it."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        if value is not True and value is not False:
            raise self.make_error("invalid", input=value)
        return value


def _printable(text: str) -> None:
    if not is_printable(text):
        raise ValidationError("Only printable characters.")


def _trimmed(text: str) -> None:
    if text != text.strip():
        raise ValidationError("No space at the ends.")


class QueryInteger(fields.Integer):
    """A number in a query, in plain digits."""

    def _validated(self, value: Any) -> Any:
        if not (isinstance(value, str) and value.isascii() and value.isdigit()):
            raise self.make_error("invalid", input=value)
        return super()._validated(value)


def _integer(low: int, high: int, **kwargs: Any) -> fields.Integer:
    return fields.Integer(strict=True, validate=validate.Range(low, high), **kwargs)


def _seat(**kwargs: Any) -> fields.Integer:
    return _integer(1, MAX_SEATS, metadata={"description": "A seat, counted from 1."}, **kwargs)


def _name(**kwargs: Any) -> fields.String:
    return fields.String(validate=[validate.Length(1, MAX_NAME_LENGTH), _printable, _trimmed], **kwargs)


def _text(longest: int, **kwargs: Any) -> fields.String:
    return fields.String(validate=[validate.Length(1, longest), _printable], **kwargs)


# ---------------------------------------------------------------------------------------------------------- requests


def _scopes(allowed: Sequence[str], default: list[str] | None) -> fields.List[Any]:
    return fields.List(
        fields.String(validate=validate.OneOf(allowed)),
        load_default=default,
        validate=validate.Length(1, len(allowed)),
        metadata={"description": "What the token may do."},
    )


def _lifetime() -> fields.Integer:
    description = "Seconds until the token expires."
    return _integer(1, MAX_TOKEN_LIFE_MS // 1000, load_default=None, metadata={"description": description})


class NewPlayer(Strict):
    """A new account."""

    name = _name(required=True, metadata={"example": "Ada"})
    kind = fields.String(load_default="person", validate=validate.OneOf(KINDS))
    scopes = _scopes(["play", "record"], ["play", "record"])


class NewToken(Strict):
    """A further token of your account. Without anything it covers and lives as long as the one that asks."""

    scopes = _scopes(SCOPES, None)
    label = _name(load_default=None, metadata={"example": "The club's tablet"})
    expires_in_s = _lifetime()


class FreshToken(Strict):
    """A token for the account of someone who lost theirs."""

    scopes = _scopes(SCOPES, ["play", "record"])
    label = _name(load_default=None)
    expires_in_s = _lifetime()
    revoke_others = Boolean(load_default=True, metadata={"description": "End all other tokens of the account."})


class Rotation(Strict):
    """How long the successor lives, and how long both are valid."""

    expires_in_s = _lifetime()
    overlap_s = _integer(
        0,
        MAX_OVERLAP_MS // 1000,
        load_default=OVERLAP_S,
        metadata={"description": "Seconds until the token that asks ends."},
    )


class SeatFor(Strict):
    """Who a seat is for: a player's account, or the name of someone without one."""

    player = fields.String(validate=validate.Regexp(r"player-[a-z2-7]{26}\Z"))
    name = _name()

    @post_load
    def _occupant(self, data: dict[str, str], **_: Any) -> Occupant:
        match data:
            case {"player": player} if len(data) == 1:
                return Account(player)
            case {"name": name} if len(data) == 1:
                return Guest(name)
        raise ValidationError("Either a player or a name.")


class Limits(Strict):
    """How long a seat may take, in milliseconds: one of the two, or both."""

    move_ms = _integer(
        MIN_LIMIT_MS,
        MAX_MOVE_MS,
        load_default=None,
        allow_none=True,
        metadata={"description": "For one decision.", "example": 86_400_000},
    )
    match_ms = _integer(
        MIN_LIMIT_MS,
        MAX_MATCH_MS,
        load_default=None,
        allow_none=True,
        metadata={"description": "For all decisions of a seat together."},
    )


class NewMatch(Strict):
    """A new match. Seats without anyone are open to all."""

    ruleset = _text(32, required=True, metadata={"example": "pathagon"})
    ruleset_version = _integer(1, 10_000, load_default=None, allow_none=True)
    options = fields.Dict(keys=fields.String(), load_default=dict, metadata={"example": {"size": 7}})
    seats = fields.List(
        fields.Nested(SeatFor, allow_none=True),
        required=True,
        validate=validate.Length(1, MAX_SEATS),
        metadata={"description": "One entry a seat: null is open to anyone.", "example": [None, None]},
    )
    recorded = Boolean(
        load_default=False,
        metadata={"description": "The creator records a match played elsewhere and acts for all seats."},
    )
    rated = Boolean(
        load_default=False,
        metadata={"description": "It counts for ratings: each seat its own account, options the defaults or a preset."},
    )
    dice = fields.String(load_default="server", validate=validate.OneOf(["server", "recorded"]))
    limits = fields.Nested(Limits, load_default=None, allow_none=True)
    private = Boolean(
        load_default=False,
        metadata={"description": "Only its creator, its players and overseers can read the match."},
    )
    start = fields.String(load_default="auto", validate=validate.OneOf(START_MODES))
    about = fields.Dict(
        keys=fields.String(validate=validate.Regexp(r"[a-z][a-z0-9_]{0,31}\Z")),
        values=_text(200),
        load_default=None,
        allow_none=True,
        validate=validate.Length(max=MAX_ABOUT),
        metadata={"example": {"place": "Turin", "event": "Club evening"}},
    )


def _invitation() -> fields.String:
    description = "The code of an invitation to a seat of a private match."
    return fields.String(load_default=None, validate=validate.Length(1, 128), metadata={"description": description})


class TakeSeat(Strict):
    """Sitting down: a player for itself, a recorder for a guest."""

    name = _name(load_default=None, metadata={"description": "A guest's name, from the recorder."})
    entropy = _text(MAX_ENTROPY_LENGTH, load_default=None, metadata={"description": "Salt for the server's dice."})
    invitation = _invitation()


class NewInvitation(Strict):
    """An invitation to whoever holds its code."""

    expires_in_s = _integer(
        1,
        MAX_INVITATION_S,
        load_default=INVITATION_S,
        metadata={"description": "Seconds until it expires; a week without this."},
    )


class Entropy(Strict):
    """Salt for the server's dice."""

    seat = _seat(load_default=None)
    entropy = _text(MAX_ENTROPY_LENGTH, required=True, metadata={"example": "correct horse"})


class Nothing(Strict):
    """An empty object; the body may be left out."""


class NewMove(Strict):
    """A move in the ruleset's notation."""

    # Only the match judges the text, so that every refusal of a move names the same codes.
    move = fields.String(required=True, metadata={"example": "d4", "maxLength": MAX_MOVE_LENGTH})
    seat = _seat(load_default=None)


class NewRoll(Strict):
    """What the awaited dice showed on the table."""

    values = fields.List(
        _integer(1, 2**31), required=True, validate=validate.Length(1, MAX_VALUES), metadata={"example": [3, 5]}
    )


class TakeBack(Strict):
    """The ply to go back to."""

    ply = _integer(0, 2**31, required=True)


class Withdrawal(Strict):
    """A seat leaves the match."""

    seat = _seat(load_default=None)
    cause = fields.String(load_default="resigned", validate=validate.OneOf(WITHDRAWAL_CAUSES))


class Draw(Strict):
    """Offering a draw, or answering an offer."""

    action = fields.String(required=True, validate=validate.OneOf(["offer", "agree", "decline"]))
    seat = _seat(load_default=None)


class Abort(Strict):
    """Ending without an outcome."""

    cause = _text(MAX_CAUSE_LENGTH, load_default="called off")


class Annulment(Strict):
    """Making a finished match count for nothing."""

    why = _text(MAX_CAUSE_LENGTH, required=True, metadata={"example": "both seats were one person"})


# ---------------------------------------------------------------------------------------------------------- queries


def _wait() -> fields.Integer:
    description = "Seconds for which an answer without anything in it may be held back, until there is something."
    return QueryInteger(load_default=0, validate=validate.Range(0, MAX_WAIT_S), metadata={"description": description})


class MatchQuery(Strict):
    """By which right a private match is read, where the token gives none."""

    invitation = _invitation()


class LegalMovesQuery(MatchQuery):
    """Which legal moves."""

    prefix = fields.String(load_default="", validate=validate.Length(max=MAX_MOVE_LENGTH))
    offset = QueryInteger(load_default=0, validate=validate.Range(0, 10_000_000))
    limit = QueryInteger(load_default=200, validate=validate.Range(1, MAX_PAGE))


class EventsQuery(MatchQuery):
    """Which events."""

    after = QueryInteger(load_default=0, validate=validate.Range(0, 2**53 - 1))
    limit = QueryInteger(load_default=200, validate=validate.Range(1, MAX_PAGE))
    wait = _wait()


class AnnulmentQuery(MatchQuery):
    """Which changes of ratings."""

    preview = fields.Boolean(
        load_default=False,
        truthy={"true"},
        falsy={"false"},
        metadata={"description": "Before the annulment: what it would change. For organisers."},
    )
    offset = QueryInteger(load_default=0, validate=validate.Range(0, 10_000_000))
    limit = QueryInteger(load_default=200, validate=validate.Range(1, MAX_PAGE))


class HistoryQuery(Strict):
    """Which matches of a player's history: those after a version of the ledger."""

    after = QueryInteger(load_default=0, validate=validate.Range(0, 2**53 - 1))
    limit = QueryInteger(load_default=200, validate=validate.Range(1, MAX_PAGE))


class PositionQuery(MatchQuery):
    """Which version of the match the position belongs to; the newest without it."""

    version = QueryInteger(load_default=None, validate=validate.Range(1, 2**53 - 1))


class QueryWords(fields.String):
    """Some of a set of words, separated by commas."""

    def __init__(self, words: Sequence[str], **kwargs: Any) -> None:
        one = "|".join(words)
        metadata = {"pattern": rf"({one})(,({one}))*\Z", **kwargs.pop("metadata", {})}
        super().__init__(metadata=metadata, **kwargs)
        self._words = words

    def _serialize(self, value: Any, attr: str | None, obj: Any, **kwargs: Any) -> str:
        return ",".join(value)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        words = tuple(super()._deserialize(value, attr, data, **kwargs).split(","))
        if not set(words) <= set(self._words):
            raise ValidationError(f"Some of {', '.join(self._words)}, separated by commas.")
        return words


class PageQuery(Strict):
    """Which page of a list."""

    limit = QueryInteger(load_default=50, validate=validate.Range(1, MAX_ROWS))
    cursor = fields.String(load_default=None, metadata={"description": "As in `next` of the page before."})


class MatchesQuery(PageQuery):
    """Which matches: all that is given must hold."""

    player = fields.String(
        load_default=None,
        validate=validate.Regexp(r"(me|player-[a-z2-7]{26})\Z"),
        metadata={
            "description": "Who has a seat or an invitation, created or records it; `me` is the token's account."
        },
    )
    ruleset = fields.String(load_default=None, validate=validate.Regexp(r"[a-z0-9_-]{1,32}\Z"))
    status = QueryWords(STATUSES, load_default=(), metadata={"example": "open,playing"})
    since = QueryInteger(load_default=0, validate=validate.Range(0, 2**53 - 1), metadata={"description": _SINCE})
    until = QueryInteger(load_default=None, validate=validate.Range(0, 2**53 - 1), metadata={"description": _UNTIL})
    tournament = fields.String(load_default=None, validate=validate.Regexp(r"tournament-[a-z2-7]{26}\Z"))
    waiting = fields.String(
        load_default=None,
        validate=validate.OneOf(["me"]),
        metadata={"description": "Matches that wait for the token's account: to move, roll, sit down, answer …"},
    )
    rated = fields.Boolean(load_default=None, truthy={"true"}, falsy={"false"})


class PlayersQuery(PageQuery):
    """Which players."""

    name = fields.String(
        load_default="",
        validate=validate.Length(max=MAX_NAME_LENGTH),
        metadata={"description": "How the name begins, in any case."},
    )
    kind = fields.String(load_default=None, validate=validate.OneOf(KINDS))


class RulesetsQuery(Strict):
    """Which rulesets."""

    seats = QueryInteger(
        load_default=None,
        validate=validate.Range(1, MAX_SEATS),
        metadata={"description": "Those that so many can play."},
    )


class RulesetQuery(Strict):
    """Which version of the ruleset; the newest without it."""

    version = QueryInteger(load_default=None, validate=validate.Range(1, 10_000))


# ---------------------------------------------------------------------------------------------------------- answers


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
    """A seat: who it is for (neither: anyone), and whether that one sat down."""

    seat = fields.Integer(required=True)
    player = fields.String()
    name = fields.String()
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
    view = fields.Dict(required=True, allow_none=True)


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
    tournament = fields.String(required=True, allow_none=True)
    created_at = fields.Integer(required=True, metadata={"description": "UTC milliseconds."})
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


class RulesetOut(Schema):
    """A ruleset in one version."""

    ruleset = fields.String(required=True)
    version = fields.Integer(required=True)
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
    """A clause of a ruleset's rules."""

    ruleset = fields.String(required=True)
    clause = fields.String(required=True)
    title = fields.String(required=True)
    text = fields.String(required=True, metadata={"description": "Markdown."})


class RulesetDetail(RulesetOut):
    """A ruleset with its versions and clauses."""

    versions = fields.List(fields.Integer(), required=True)
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
    allowed = fields.String(metadata={"description": "What an option may be."})
    seat = fields.Integer()
    seats = fields.List(fields.Integer())
    match_status = fields.String(validate=validate.OneOf(STATUSES))
    key = fields.String(metadata={"description": "The id of a server key."})
    event_type = fields.String()
    errors = fields.Dict(metadata={"description": "What is wrong, field by field."})
    version = fields.Integer()
    events = fields.List(fields.Nested(EventOut), metadata={"description": "What the client has missed."})
