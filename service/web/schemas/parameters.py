"""What queries of requests hold."""

from marshmallow import fields, validate

from plyscribe.domain.chain import MAX_INTEGER
from plyscribe.domain.decide.play import MAX_MOVE_LENGTH
from plyscribe.domain.match import STATUSES
from plyscribe.domain.player import KINDS, MAX_NAME_LENGTH
from plyscribe.domain.tournament.state import STATUSES as TOURNAMENT_STATUSES
from plyscribe.service.web.schemas.kinds import (
    MAX_SEATS,
    QueryBoolean,
    QueryInteger,
    QueryWords,
    Strict,
    invitation_field,
)

MAX_PAGE = 1000
MAX_WAIT_S = 30
MAX_ROWS = 200
_SINCE = "Created at this time or later, UTC milliseconds."
_UNTIL = "Created before this time, UTC milliseconds."


def _after() -> fields.Integer:
    return QueryInteger(load_default=0, validate=validate.Range(0, MAX_INTEGER))


def _offset() -> fields.Integer:
    return QueryInteger(load_default=0, validate=validate.Range(0, 10_000_000))


def _limit() -> fields.Integer:
    return QueryInteger(load_default=200, validate=validate.Range(1, MAX_PAGE))


def _wait() -> fields.Integer:
    description = "Seconds for which an answer without anything in it may be held back, until there is something."
    return QueryInteger(load_default=0, validate=validate.Range(0, MAX_WAIT_S), metadata={"description": description})


class MatchQuery(Strict):
    """By which right a private match is read, where the token gives none."""

    invitation = invitation_field()


class CompositionQuery(MatchQuery):
    """How the moves begin."""

    prefix = fields.String(load_default="", validate=validate.Length(max=MAX_MOVE_LENGTH))


class LegalMovesQuery(CompositionQuery):
    """Which legal moves."""

    offset = _offset()
    limit = _limit()


class EventsQuery(MatchQuery):
    """Which events."""

    after = _after()
    limit = _limit()
    wait = _wait()


class InboxQuery(Strict):
    """Which entries of the inbox."""

    after = _after()
    limit = _limit()
    wait = _wait()


class AnnulmentQuery(MatchQuery):
    """Which changes of ratings."""

    preview = QueryBoolean(
        load_default=False,
        metadata={"description": "Before the annulment: what it would change. For organisers."},
    )
    offset = _offset()
    limit = _limit()


class HistoryQuery(Strict):
    """Which matches of a player's history: those after a version of the ledger."""

    after = _after()
    limit = _limit()


class PositionQuery(MatchQuery):
    """Which version of the match the position belongs to; the newest without it."""

    version = QueryInteger(load_default=None, validate=validate.Range(1, MAX_INTEGER))


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
    since = QueryInteger(load_default=0, validate=validate.Range(0, MAX_INTEGER), metadata={"description": _SINCE})
    until = QueryInteger(load_default=None, validate=validate.Range(0, MAX_INTEGER), metadata={"description": _UNTIL})
    tournament = fields.String(load_default=None, validate=validate.Regexp(r"tournament-[a-z2-7]{26}\Z"))
    waiting = fields.String(
        load_default=None,
        validate=validate.OneOf(["me"]),
        metadata={"description": "Matches that wait for the token's account: to move, roll, sit down, answer …"},
    )
    rated = QueryBoolean(load_default=None)
    imported = QueryBoolean(
        load_default=None, metadata={"description": "Only matches that were imported, or only those of this server."}
    )


class ImportQuery(Strict):
    """How a text record is imported."""

    private = QueryBoolean(
        load_default=False, metadata={"description": "The match of a text record can be read by you alone."}
    )


class TournamentsQuery(PageQuery):
    """Which tournaments: all that is given must hold."""

    ruleset = fields.String(load_default=None, validate=validate.Regexp(r"[a-z0-9_-]{1,32}\Z"))
    status = fields.String(load_default=None, validate=validate.OneOf(TOURNAMENT_STATUSES))


class GameQuery(Strict):
    """Which game of a tournament."""

    round = QueryInteger(required=True, validate=validate.Range(1, MAX_INTEGER))
    board = QueryInteger(required=True, validate=validate.Range(1, MAX_INTEGER))
    game = QueryInteger(load_default=1, validate=validate.Range(1, MAX_INTEGER))


class AttemptsQuery(Strict):
    """Which attempts at games: all that is given must hold."""

    round = QueryInteger(load_default=None, validate=validate.Range(1, MAX_INTEGER))
    board = QueryInteger(load_default=None, validate=validate.Range(1, MAX_INTEGER))
    game = QueryInteger(load_default=None, validate=validate.Range(1, MAX_INTEGER))
    entrant = QueryInteger(
        load_default=None,
        validate=validate.Range(1, MAX_INTEGER),
        metadata={"description": "At the games of this entrant, from whose side owners are told."},
    )
    faults = QueryBoolean(load_default=False, metadata={"description": "Only those with a fault."})
    after = fields.String(
        load_default=None,
        validate=validate.Regexp(r"[0-9]{1,6}(-[0-9]{1,6}){3}\Z"),
        metadata={"description": "As in `next` of the page before: round, board, game and attempt."},
    )
    limit = _limit()


class StandingsQuery(Strict):
    """Which table."""

    crosstable = QueryBoolean(load_default=False, metadata={"description": "Who scored what against whom."})


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
