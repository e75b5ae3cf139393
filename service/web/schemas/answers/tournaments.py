"""What answers about tournaments hold."""

from marshmallow import Schema, fields, validate

from plyscribe.domain.events import WITHDRAWAL_CAUSES, WITHDRAWAL_FAULTS
from plyscribe.domain.tournament.attempts import OWNERS
from plyscribe.domain.tournament.attempts import STATUSES as ATTEMPT_STATUSES
from plyscribe.domain.tournament.events import FAILURES
from plyscribe.domain.tournament.state import STATUSES as TOURNAMENT_STATUSES
from plyscribe.service.web.schemas.answers.events import EventOut
from plyscribe.service.web.schemas.answers.lists import ListPage


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


class TournamentPage(ListPage):
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
