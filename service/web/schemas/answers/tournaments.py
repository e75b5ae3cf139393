"""Answers about tournaments."""

from marshmallow import Schema, fields, validate

from plyscribe.domain.events import WITHDRAWAL_CAUSES, WITHDRAWAL_FAULTS
from plyscribe.domain.tournament.attempts import OWNERS
from plyscribe.domain.tournament.attempts import STATUSES as ATTEMPT_STATUSES
from plyscribe.domain.tournament.events import FAILURES
from plyscribe.domain.tournament.reasons import WORDS
from plyscribe.domain.tournament.state import ACTS, ADJUDICATED, FORFEITED, REPORTED, WAYS_IN
from plyscribe.domain.tournament.state import STATUSES as TOURNAMENT_STATUSES
from plyscribe.domain.tournament.terms import REPEATS, ROUNDS_BEGIN, TIEBREAKS
from plyscribe.service.tournaments.objections import KINDS as OBJECTIONS
from plyscribe.service.web.schemas.answers.events import EventOut, StoredEvents
from plyscribe.service.web.schemas.answers.lists import ListPage, Page
from plyscribe.service.web.schemas.answers.matches import BuildOut, LimitsOut
from plyscribe.service.web.schemas.field_types import time_field


class TournamentVersion(Schema):
    """A tournament at one of its versions."""

    tournament = fields.String(required=True, metadata={"description": "The tournament's id."})
    version = fields.Integer(
        required=True,
        metadata={"description": "The version of the tournament that this describes: the number of its last event."},
    )


class TournamentReceipt(StoredEvents, TournamentVersion):
    """The receipt of a command on a tournament: the events that it stored, and the version right after them.

    The same request with the same `Idempotency-Key` gets the same receipt, byte for byte.
    """

    status = fields.String(required=True, validate=validate.OneOf(TOURNAMENT_STATUSES))


class TournamentSummary(TournamentVersion):
    """What both a tournament and its row in lists have."""

    name = fields.String(required=True)
    status = fields.String(
        required=True,
        validate=validate.OneOf(TOURNAMENT_STATUSES),
        metadata={"description": "`open` for entrants until the start, then `playing`, then `ended` or `aborted`."},
    )
    organiser = fields.String(required=True, metadata={"description": "The account that runs the tournament."})
    created_at = time_field("When it was announced")
    ruleset = fields.String(required=True, metadata={"description": "The ruleset's id."})
    ruleset_version = fields.Integer(required=True)
    seats = fields.Integer(required=True, metadata={"description": "The number of seats in each match."})
    format = fields.Dict(required=True, metadata={"description": "The `kind` of tournament, with its options."})
    rounds = fields.Integer(required=True, metadata={"description": "The number of rounds paired so far."})


class TournamentRow(TournamentSummary):
    """A tournament as lists show it."""

    entrants = fields.Integer(required=True, metadata={"description": "The number of entrants."})


class TournamentPage(ListPage):
    """A page of tournaments, newest first."""

    tournaments = fields.List(fields.Nested(TournamentRow), required=True)


def _entrant_name() -> fields.String:
    description = "The name to show. Entrants with the same name are told apart by their numbers, as in `greedy #3`."
    return fields.String(required=True, metadata={"description": description})


class InviteeOut(Schema):
    """An account that is invited to enter and has not answered yet."""

    player = fields.String(required=True, metadata={"description": "The id of the account."})
    player_name = fields.String(required=True, metadata={"description": "The name of the account."})
    label = fields.String(required=True, allow_none=True, metadata={"description": "The name to show in tables."})
    at = time_field("When it was invited")


class ActOut(Schema):
    """What an organiser or administrator did to the course of the tournament.

    It is about a game (`round`, `board`, `game`), or about an `entrant`, or else about the whole tournament. What it is
    not about is null.
    """

    at = time_field("When it was done")
    by = fields.String(required=True, metadata={"description": "The account that did it."})
    by_name = fields.String(required=True, metadata={"description": "The name of that account."})
    what = fields.String(required=True, validate=validate.OneOf(ACTS))
    why = fields.String(required=True, allow_none=True, metadata={"description": "The reason, if one was given."})
    round = fields.Integer(required=True, allow_none=True)
    board = fields.Integer(required=True, allow_none=True)
    game = fields.Integer(required=True, allow_none=True)
    entrant = fields.Integer(required=True, allow_none=True)
    player = fields.String(
        required=True, allow_none=True, metadata={"description": "The account that it is about, such as an arbiter."}
    )
    player_name = fields.String(required=True, allow_none=True, metadata={"description": "The name of that account."})


class ArbiterOut(Schema):
    """An arbiter, who can do what the organiser can in the course of the tournament."""

    player = fields.String(required=True, metadata={"description": "The id of the account."})
    player_name = fields.String(required=True, metadata={"description": "The name of the account."})


class PenaltyOut(Schema):
    """A penalty, or a warning without points."""

    penalty = fields.Integer(required=True, metadata={"description": "The number of the penalty, counted from 1."})
    entrant = fields.Integer(required=True)
    points = fields.Integer(required=True, metadata={"description": "The points that the entrant loses."})
    round = fields.Integer(required=True, metadata={"description": "The last round that was paired before it."})
    why = fields.String(required=True, metadata={"description": "The reason."})
    lifted = fields.String(
        required=True, allow_none=True, metadata={"description": "Why it counts no more; null while it counts."}
    )


class PlayedBuildOut(BuildOut):
    """A build that an account declared in matches of a tournament."""

    games = fields.Integer(required=True, metadata={"description": "The decided games in which it played."})
    first = fields.String(
        required=True, metadata={"description": "The first of them: round, board and game.", "example": "1-2-1"}
    )


class EntrantBuilds(Schema):
    """The builds of an account's program in a tournament, as the account says."""

    entered = fields.Nested(
        BuildOut, required=True, allow_none=True, metadata={"description": "The one that the account entered last."}
    )
    pinned = fields.Boolean(required=True, metadata={"description": "Whether no other one may play."})
    played = fields.List(
        fields.Nested(PlayedBuildOut),
        required=True,
        metadata={"description": "Those that were declared in the matches of decided games, in order."},
    )
    undeclared = fields.Integer(
        required=True, metadata={"description": "The decided games in whose matches none was declared."}
    )


class SeatBuildOut(Schema):
    """A build that played on a seat of a game."""

    seat = fields.Integer(required=True)
    build = fields.Nested(BuildOut, required=True)


class EntrantOut(Schema):
    """An entrant: a `player` (an account), a `guest`, or a `bot` of the server."""

    entrant = fields.Integer(
        required=True,
        metadata={
            "description": "The entrant's number, counted from 1. Among entrants without a seed and a rating, a lower "
            "number is a better seed."
        },
    )
    guest = fields.String(metadata={"description": "The name of the guest, who has no account."})
    player = fields.String(metadata={"description": "The id of the account."})
    player_name = fields.String(metadata={"description": "The name of the account."})
    bot = fields.String(metadata={"description": "The name of the bot."})
    bot_version = fields.Integer(metadata={"description": "The version of the bot."})
    playouts = fields.Integer(allow_none=True, metadata={"description": "The playouts of the bot for each decision."})
    name = _entrant_name()
    label = fields.String(
        required=True, allow_none=True, metadata={"description": "The label that the entrant was given."}
    )
    is_in = fields.Boolean(required=True, metadata={"description": "False once the entrant has withdrawn."})
    absences = fields.List(
        fields.Integer(), required=True, metadata={"description": "The rounds that the entrant sits out."}
    )
    asked_byes = fields.List(
        fields.Integer(),
        required=True,
        metadata={"description": "Those of the absences for which the entrant asked for a bye."},
    )
    rating = fields.Integer(required=True, allow_none=True, metadata={"description": "A rating from elsewhere."})
    seed = fields.Integer(
        required=True, allow_none=True, metadata={"description": "The place that it was given among the seeds."}
    )
    team = fields.String(required=True, allow_none=True, metadata={"description": "The team that it plays for."})
    place = fields.Integer(
        required=True, allow_none=True, metadata={"description": "Its place in the board order of its team."}
    )
    joined = fields.Integer(required=True, metadata={"description": "The first round that the entrant can play."})
    came = fields.String(
        required=True,
        validate=validate.OneOf(WAYS_IN),
        metadata={
            "description": "How it came in: `entered` by itself, `invited`, let in because it `asked`, or as a `guest` "
            "or `bot` that an organiser entered."
        },
    )
    builds = fields.Nested(
        EntrantBuilds,
        required=True,
        allow_none=True,
        metadata={"description": "Null if the account has named no build, neither here nor in a match."},
    )


class FaultTotals(Schema):
    """The number of faults in a tournament, by owner."""

    entrant = fields.Integer(required=True, metadata={"description": "Faults of entrants. Their games were scored."})
    platform = fields.Integer(
        required=True, metadata={"description": "Faults of the platform. Their games were played again."}
    )


class TeamOut(Schema):
    """A team of a tournament."""

    team = fields.Integer(required=True, metadata={"description": "The number of the team, by seed."})
    name = fields.String(required=True)
    members = fields.List(fields.Integer(), required=True, metadata={"description": "Its entrants in board order."})


class TournamentOut(TournamentSummary):
    """A tournament as it stands now."""

    ended = fields.String(
        required=True, allow_none=True, metadata={"description": "Why it is over; null while it is not."}
    )
    options = fields.Dict(required=True, metadata={"description": "The options of the ruleset, complete."})
    repeat = fields.String(
        required=True,
        validate=validate.OneOf(REPEATS),
        metadata={"description": "Which orders of seats are played on each board."},
    )
    openings = fields.List(
        fields.List(fields.String()),
        required=True,
        metadata={"description": "The openings, each a list of moves. Boards take them in turn."},
    )
    scoring = fields.Dict(
        required=True, metadata={"description": "The points for each place, for a `bye` and for an `absence`."}
    )
    tiebreaks = fields.List(
        fields.String(validate=validate.OneOf(TIEBREAKS)),
        required=True,
        metadata={"description": "The tiebreaks, the first one deciding first."},
    )
    limits = fields.Nested(LimitsOut, required=True, allow_none=True)
    sprt = fields.Dict(
        required=True,
        allow_none=True,
        metadata={"description": "The hypotheses and error rates of the sequential test; null without one."},
    )
    max_entrants = fields.Integer(required=True)
    is_open = fields.Boolean(
        required=True,
        metadata={"description": "Whether every player can enter, or only those whom the organiser invites."},
    )
    rounds_begin = fields.String(
        required=True,
        validate=validate.OneOf(ROUNDS_BEGIN),
        metadata={"description": "`auto`: a round begins once the one before is over. `call`: when it is called."},
    )
    at_table = fields.Boolean(required=True, metadata={"description": "Whether it is played on real tables."})
    rated = fields.Boolean(required=True, metadata={"description": "Whether matches between accounts are rated."})
    private = fields.Boolean(required=True, metadata={"description": "Whether only those who take part can see it."})
    paused = fields.String(
        required=True, allow_none=True, metadata={"description": "Why it is paused; null while it is not."}
    )
    called = fields.Integer(required=True, metadata={"description": "The last round that was called."})
    arbiters = fields.List(fields.Nested(ArbiterOut), required=True)
    requests = fields.List(
        fields.Nested(InviteeOut),
        required=True,
        metadata={"description": "The players who ask to be let in, oldest first."},
    )
    penalties = fields.List(fields.Nested(PenaltyOut), required=True)
    seed = fields.Integer(required=True, metadata={"description": "Everything left to chance follows from this seed."})
    teams = fields.List(
        fields.Nested(TeamOut), required=True, metadata={"description": "The teams, if the format has any, by seed."}
    )
    entrants = fields.List(fields.Nested(EntrantOut), required=True)
    closed = fields.String(
        required=True, allow_none=True, metadata={"description": "Why the organiser closed the ladder; else null."}
    )
    ends_at = time_field("When the weeks of a ladder are over", "Null without such a time.", allow_none=True)
    invitations = fields.List(
        fields.Nested(InviteeOut),
        required=True,
        metadata={"description": "The invitations that can still be accepted, oldest first."},
    )
    acts = fields.List(
        fields.Nested(ActOut),
        required=True,
        metadata={"description": "What organisers and administrators did to its course, oldest first."},
    )
    games = fields.Integer(required=True, metadata={"description": "The number of games paired so far."})
    decided = fields.Integer(required=True, metadata={"description": "The number of these games that are decided."})
    given_up = fields.Integer(
        required=True,
        metadata={"description": "The number of these games that failed too often to be played again."},
    )
    faults = fields.Nested(FaultTotals, required=True)


class FaultCounts(Schema):
    """The number of faults in the games of an entrant, by owner."""

    entrant = fields.Integer(required=True, metadata={"description": "Its own faults."})
    opponent = fields.Integer(required=True, metadata={"description": "Faults of its opponents."})
    platform = fields.Integer(required=True, metadata={"description": "Faults of the platform."})


class TableRow(Schema):
    """A row of the table. Points and tiebreaks are decimals as text, so that JSON readers do not round them."""

    rank = fields.Integer(required=True, metadata={"description": "Entrants that no tiebreak separates share a rank."})
    entrant = fields.Integer(required=True, metadata={"description": "The entrant's number."})
    label = fields.String(required=True, metadata={"description": "The entrant's label, or else its bot or account."})
    name = _entrant_name()
    points = fields.String(required=True)
    tiebreaks = fields.Dict(
        required=True,
        metadata={"description": "The value of each tiebreak. `places` is a list of integers, the others are text."},
    )
    games = fields.Integer(required=True, metadata={"description": "The number of its games that count."})
    seats = fields.List(
        fields.Integer(), required=True, metadata={"description": "For each seat, how often the entrant had it."}
    )
    byes = fields.Integer(required=True)
    absences = fields.Integer(required=True)
    faults = fields.Nested(FaultCounts, required=True)
    is_in = fields.Boolean(
        required=True, data_key="in", metadata={"description": "False once the entrant has withdrawn."}
    )
    against = fields.Dict(
        values=fields.List(fields.String(allow_none=True)),
        required=True,
        metadata={
            "description": "For each opponent, by number, the score in each game between them: `1` above the opponent, "
            "`0.5` level, `0` below, null if the game is annulled. Forfeited games are included."
        },
    )
    reached = fields.Integer(metadata={"description": "In a knockout: the last round that the entrant reached."})
    group = fields.String(metadata={"description": "With groups: the group of the entrant, such as `A`."})
    rung = fields.Integer(metadata={"description": "On a ladder: the rung, 1 at the top."})
    rating_micro = fields.Integer(
        required=True, metadata={"description": "A rating from the games of this tournament alone, in millionths."}
    )
    uncertainty_micro = fields.Integer(
        required=True, metadata={"description": "The standard deviation of that rating, in millionths."}
    )


class GroupRow(Schema):
    """A row of the table of a group. Points and tiebreaks are those of the games in the group alone."""

    rank = fields.Integer(required=True, metadata={"description": "The place in the group."})
    entrant = fields.Integer(required=True, metadata={"description": "The entrant's number."})
    name = _entrant_name()
    points = fields.String(required=True)
    tiebreaks = fields.Dict(required=True, metadata={"description": "As in the table of all entrants."})
    games = fields.Integer(required=True, metadata={"description": "The number of its games that count."})
    is_in = fields.Boolean(
        required=True, data_key="in", metadata={"description": "False once the entrant has withdrawn."}
    )


class GroupOut(Schema):
    """A group and its table."""

    group = fields.String(required=True, metadata={"description": "The name of the group, such as `A`."})
    rows = fields.List(fields.Nested(GroupRow), required=True, metadata={"description": "Its entrants, best first."})


class BracketBoard(Schema):
    """A board of the bracket."""

    board = fields.Integer(required=True, metadata={"description": "The board of the round, counted from 1."})
    entrants = fields.List(fields.Integer(), required=True, metadata={"description": "The numbers of the entrants."})
    points = fields.List(fields.String(), required=True, metadata={"description": "The points of each on the board."})
    winner = fields.Integer(
        required=True, allow_none=True, metadata={"description": "Who goes on; null until the board is decided."}
    )


class BracketRound(Schema):
    """A round of the bracket."""

    round = fields.Integer(required=True, metadata={"description": "The round of the tournament, counted from 1."})
    boards = fields.List(fields.Nested(BracketBoard), required=True)
    byes = fields.List(fields.Integer(), required=True, metadata={"description": "The entrants that have a bye."})


class TeamRow(Schema):
    """A row of the table of teams. Points and tiebreaks are decimals as text."""

    rank = fields.Integer(required=True, metadata={"description": "Teams that no tiebreak separates share a rank."})
    team = fields.Integer(required=True, metadata={"description": "The number of the team, by seed."})
    name = fields.String(required=True)
    members = fields.List(fields.Integer(), required=True, metadata={"description": "Its entrants in board order."})
    match_points = fields.String(required=True)
    board_points = fields.String(required=True)
    tiebreaks = fields.Dict(
        required=True,
        metadata={"description": "The value of each tiebreak over matches of teams. `places` is a list of integers."},
    )
    matches = fields.Integer(required=True, metadata={"description": "The number of its matches that count."})
    won = fields.Integer(required=True)
    level = fields.Integer(required=True)
    lost = fields.Integer(required=True)
    byes = fields.Integer(required=True)


class TeamMatchOut(Schema):
    """The match of two teams in a round."""

    teams = fields.List(
        fields.Integer(),
        required=True,
        metadata={"description": "The numbers of both; the first has seat 1 on board 1."},
    )
    names = fields.List(fields.String(), required=True)
    boards = fields.List(fields.Integer(), required=True, metadata={"description": "The boards of the round."})
    points = fields.List(fields.String(), required=True, metadata={"description": "The board points of both so far."})
    ranks = fields.List(
        fields.Integer(),
        required=True,
        allow_none=True,
        metadata={"description": "The rank of each; null until all games are decided, or if none of them counts."},
    )


class Standings(TournamentVersion):
    """The table of a tournament as it stands now."""

    status = fields.String(required=True, validate=validate.OneOf(TOURNAMENT_STATUSES))
    rounds = fields.Integer(required=True, metadata={"description": "The number of rounds paired so far."})
    tiebreaks = fields.List(
        fields.String(validate=validate.OneOf(TIEBREAKS)),
        required=True,
        metadata={"description": "The tiebreaks, the first one deciding first."},
    )
    rows = fields.List(fields.Nested(TableRow), required=True, metadata={"description": "The entrants, best first."})
    groups = fields.List(fields.Nested(GroupOut), metadata={"description": "With groups: the table of each of them."})
    bracket = fields.List(
        fields.Nested(BracketRound), metadata={"description": "With groups: the rounds of the bracket after them."}
    )
    teams = fields.List(
        fields.Nested(TeamRow),
        required=True,
        allow_none=True,
        metadata={"description": "The teams, best first; null if no teams play."},
    )
    sprt = fields.Dict(
        required=True,
        allow_none=True,
        metadata={
            "description": "The state of the sequential test: its log-likelihood ratio, its bounds, and the hypothesis "
            "that it accepted. Null without a test."
        },
    )


class GameSummary(Schema):
    """What both a game and an attempt at it have."""

    board = fields.Integer(required=True, metadata={"description": "The board of the round, counted from 1."})
    game = fields.Integer(required=True, metadata={"description": "The game of the board, counted from 1."})
    entrants = fields.List(
        fields.Integer(), required=True, metadata={"description": "The numbers of the entrants, by seat."}
    )
    match = fields.String(
        required=True,
        allow_none=True,
        metadata={"description": "The match's id; null if there is none because the organiser decided the game."},
    )
    ranks = fields.List(
        fields.Integer(),
        required=True,
        allow_none=True,
        metadata={"description": "The rank of each seat, 1 for the best; null until the game is decided."},
    )
    reason = fields.String(
        required=True,
        allow_none=True,
        metadata={
            "description": f"Why the match ended; `{ADJUDICATED}` or `{FORFEITED}` if the organiser decided the game, "
            f"`{REPORTED}` if its result was entered at the table."
        },
    )
    annulled = fields.String(
        required=True, allow_none=True, metadata={"description": "Why the game was annulled; null if it was not."}
    )


class GameOut(GameSummary):
    """A game of a round, with the match that decides it."""

    failed = fields.List(
        fields.String(), required=True, metadata={"description": "The ids of earlier matches of the game that failed."}
    )
    given_up = fields.Boolean(
        required=True,
        metadata={"description": "Whether it failed too often to be played again, and waits for the organiser."},
    )
    why = fields.String(
        required=True, allow_none=True, metadata={"description": "Why the organiser decided it; null if a match did."}
    )
    forfeited = fields.List(
        fields.Integer(), required=True, metadata={"description": "The entrants that lost it by forfeit."}
    )
    call = fields.String(
        required=True,
        allow_none=True,
        metadata={"description": "Why those at the table call an arbiter; null unless they do."},
    )
    builds = fields.List(
        fields.Nested(SeatBuildOut),
        required=True,
        metadata={"description": "The builds that accounts declared in the match that decided it, by seat, in order."},
    )
    entered = fields.List(
        fields.Integer(),
        required=True,
        allow_none=True,
        metadata={"description": "The ranks as they were entered first, if they were corrected; else null."},
    )
    deadline = time_field("By when it is to be decided", "Null without deadlines.", allow_none=True)


class IncidentOut(Schema):
    """An event that kept a match from being played out."""

    cause = fields.String(
        required=True,
        metadata={
            "description": f"Of an entrant: {', '.join((*WITHDRAWAL_CAUSES, *WITHDRAWAL_FAULTS, FORFEITED))}. "
            f"Of the platform: {', '.join(FAILURES)}."
        },
    )
    owner = fields.String(
        required=True,
        allow_none=True,
        validate=validate.OneOf(OWNERS),
        metadata={
            "description": "Whose fault it is, as seen by the `entrant` of the query. Without one, every entrant's "
            "fault is `entrant`. Null if an entrant resigned: that is nobody's fault."
        },
    )
    entrant = fields.Integer(
        required=True,
        allow_none=True,
        metadata={"description": "The entrant that left the match; null if the platform failed."},
    )
    why = fields.String(required=True, allow_none=True)


class AttemptOut(GameSummary):
    """A match that was created to decide a game, or the organiser's ruling instead.

    A game has several if the platform fails some of them.
    """

    round = fields.Integer(required=True, metadata={"description": "The round, counted from 1."})
    attempt = fields.Integer(required=True, metadata={"description": "The attempt at this game, counted from 1."})
    status = fields.String(
        required=True,
        validate=validate.OneOf(ATTEMPT_STATUSES),
        metadata={
            "description": "`playing`; `decided`: it decided the game; `failed`: the game is played again; `dropped`: "
            "the tournament was called off first; `adjudicated`, `forfeited`: the organiser decided the game instead."
        },
    )
    made_at = time_field(
        "When the match was created",
        "Null while it is played; the first event of the match has the time.",
        allow_none=True,
    )
    closed_at = time_field("When its result or its failure was entered", "Null until then.", allow_none=True)
    scored = fields.Boolean(required=True, metadata={"description": "Whether its result counts."})
    incidents = fields.List(fields.Nested(IncidentOut), required=True, metadata={"description": "Oldest first."})


class AttemptsOut(Page, TournamentVersion):
    """A page of attempts, sorted by round, board, game and attempt."""

    attempts = fields.List(fields.Nested(AttemptOut), required=True)


class ReasonOut(Schema):
    """A reason why a board or a bye was paired."""

    word = fields.String(
        required=True,
        validate=validate.OneOf(list(WORDS)),
        metadata={"description": "What the reason is. The guide to tournaments says what each word means."},
    )
    entrants = fields.List(fields.Integer(), required=True, metadata={"description": "The entrants it is about."})
    values = fields.Dict(required=True, metadata={"description": "Its numbers, by name. Points are decimals as text."})


class BoardOut(Schema):
    """A board of a round, and why it was paired."""

    board = fields.Integer(required=True, metadata={"description": "The board of the round, counted from 1."})
    entrants = fields.List(
        fields.Integer(), required=True, metadata={"description": "The entrants, by seat in the first game."}
    )
    reasons = fields.List(
        fields.Nested(ReasonOut),
        required=True,
        metadata={"description": "By what was known when the round was paired: later corrections change nothing."},
    )


class ByeOut(Schema):
    """A bye, and why it was given."""

    entrant = fields.Integer(required=True)
    reasons = fields.List(fields.Nested(ReasonOut), required=True)


class RoundOut(Schema):
    """A round with its games, and how it was paired."""

    round = fields.Integer(required=True, metadata={"description": "The round, counted from 1."})
    stage = fields.String(
        required=True,
        allow_none=True,
        metadata={"description": "`groups` or `knockout`, in a tournament with groups; else null."},
    )
    byes = fields.List(fields.Integer(), required=True, metadata={"description": "The entrants that have a bye."})
    absent = fields.List(fields.Integer(), required=True, metadata={"description": "The entrants that sit it out."})
    engine = fields.String(required=True, metadata={"description": "The method that paired the round."})
    costs = fields.Dict(required=True, metadata={"description": "What the pairing costs, such as repeated meetings."})
    is_decided = fields.Boolean(required=True, metadata={"description": "Whether all games are decided."})
    ends_at = time_field("By when it ends by its plan", "Null without deadlines.", allow_none=True)
    games = fields.List(fields.Nested(GameOut), required=True)
    boards = fields.List(fields.Nested(BoardOut), required=True)
    team_matches = fields.List(
        fields.Nested(TeamMatchOut),
        required=True,
        metadata={"description": "The matches of teams, in the order of their boards; none if no teams play."},
    )
    bye_reasons = fields.List(fields.Nested(ByeOut), required=True, metadata={"description": "As in `byes`."})


class GameDeadline(Schema):
    """An undecided game, and the time that is left for it."""

    round = fields.Integer(required=True, metadata={"description": "The round, counted from 1."})
    board = fields.Integer(required=True, metadata={"description": "The board of the round, counted from 1."})
    game = fields.Integer(required=True, metadata={"description": "The game of the board, counted from 1."})
    entrants = fields.List(
        fields.Integer(), required=True, metadata={"description": "The numbers of the entrants, by seat."}
    )
    match = fields.String(required=True, metadata={"description": "The match in which it is played."})
    deadline = time_field("By when it is to be decided")
    left_ms = fields.Integer(
        required=True, metadata={"description": "The time left until then, in milliseconds; 0 if it has passed."}
    )


class GameDeadlines(TournamentVersion):
    """The dates of a tournament that runs for weeks, and the time until then at the moment of the answer."""

    next_round_at = time_field("When the next round begins", "Null if no date holds it back.", allow_none=True)
    next_round_in_ms = fields.Integer(
        required=True, allow_none=True, metadata={"description": "The time until then, in milliseconds."}
    )
    deadlines = fields.List(
        fields.Nested(GameDeadline), required=True, metadata={"description": "The undecided games, by round and board."}
    )


class ChallengeOption(Schema):
    """An entrant above, and whether it can be challenged now."""

    entrant = fields.Integer(required=True, metadata={"description": "The number of the entrant above."})
    name = _entrant_name()
    rung = fields.Integer(required=True, metadata={"description": "Its rung, 1 at the top."})
    code = fields.String(
        required=True,
        allow_none=True,
        metadata={"description": "The code with which the challenge would be refused; null if it can be made."},
    )
    why = fields.String(
        required=True, allow_none=True, metadata={"description": "Why it would be refused, and what to do instead."}
    )


class ChallengeOptions(TournamentVersion):
    """The rung of an entrant, and the entrants within its reach."""

    entrant = fields.Integer(required=True, metadata={"description": "The number of the entrant."})
    rung = fields.Integer(
        required=True, allow_none=True, metadata={"description": "Its rung, 1 at the top; null if it has none."}
    )
    opponents = fields.List(
        fields.Nested(ChallengeOption),
        required=True,
        metadata={"description": "Those within reach, highest first."},
    )


class RoundsOut(TournamentVersion):
    """All rounds of a tournament."""

    rounds = fields.List(fields.Nested(RoundOut), required=True)


class AnnulmentReport(TournamentVersion):
    """The table with a game and without it: what its annulment changes."""

    game = fields.Nested(GameOut, required=True)
    before = fields.Nested(Standings, required=True, metadata={"description": "The table with the game."})
    after = fields.Nested(Standings, required=True, metadata={"description": "The table without the game."})


class RulingPreview(TournamentVersion):
    """The table as it stands, and as it would stand if a game had another result."""

    before = fields.Nested(Standings, required=True, metadata={"description": "The table as it stands."})
    after = fields.Nested(Standings, required=True, metadata={"description": "The table with the other result."})


class Proposal(TournamentVersion):
    """How the next round would be paired now."""

    round = fields.Integer(required=True, metadata={"description": "The next round, counted from 1."})
    boards = fields.List(
        fields.List(fields.Integer()),
        required=True,
        allow_none=True,
        metadata={"description": "The entrants of each board, by seat; null if no round can be paired."},
    )
    byes = fields.List(fields.Integer(), required=True, metadata={"description": "The entrants that have a bye."})
    costs = fields.Dict(required=True, metadata={"description": "What the pairing costs, such as repeated meetings."})
    engine = fields.String(required=True, allow_none=True, metadata={"description": "The method of pairing."})


class ObjectionOut(Schema):
    """What speaks against a pairing by hand."""

    kind = fields.String(
        required=True,
        validate=validate.OneOf(OBJECTIONS),
        metadata={
            "description": "`rematch`: they have met. `second-bye`: others have had fewer byes. `seat`: too often on "
            "the same seat. `points`: further apart than on any board that the engine would pair."
        },
    )
    entrants = fields.List(fields.Integer(), required=True)
    board = fields.Integer(required=True, allow_none=True, metadata={"description": "The board; null for a bye."})
    number = fields.String(
        required=True,
        metadata={"description": "How often they have met or would have had the bye or the seat; or how far apart."},
    )


class Judgement(Schema):
    """What speaks against a pairing of the next round by hand."""

    objections = fields.List(fields.Nested(ObjectionOut), required=True)
    costs = fields.Dict(required=True, metadata={"description": "What the pairing costs."})
    engine_costs = fields.Dict(
        required=True, allow_none=True, metadata={"description": "What the engine's pairing would cost."}
    )


class EntryLink(Schema):
    """A link by which players enter a tournament."""

    tournament = fields.String(required=True, metadata={"description": "The tournament's id."})
    code = fields.String(required=True, metadata={"description": "Enters the tournament: `code` of an entry."})
    url = fields.String(required=True, metadata={"description": "The page that the link opens."})
    expires_at = time_field("When the link ends")


class CodeOut(Schema):
    """The code of a table or of a seat there."""

    board = fields.Integer(required=True)
    seat = fields.Integer(required=True, metadata={"description": "The seat; 0 for the whole table."})
    entrants = fields.List(fields.Integer(), required=True, metadata={"description": "Who sits there, by seat."})
    code = fields.String(required=True, metadata={"description": "Send it like a token."})
    url = fields.String(required=True, metadata={"description": "The page for the phone at the table."})
    expires_at = time_field("When the code expires")


class Codes(Schema):
    """Codes for the tables of a round."""

    tournament = fields.String(required=True, metadata={"description": "The tournament's id."})
    codes = fields.List(fields.Nested(CodeOut), required=True)


class PairingOut(Schema):
    """A pairing of a round."""

    boards = fields.List(
        fields.List(fields.Integer()), required=True, metadata={"description": "The entrants of each board, by seat."}
    )
    byes = fields.List(fields.Integer(), required=True, metadata={"description": "The entrants that have a bye."})
    costs = fields.Dict(required=True, metadata={"description": "What the pairing costs, such as repeated meetings."})


class RoundCheck(Schema):
    """The stored pairing of a round, compared with the pairing computed again."""

    tournament = fields.String(required=True, metadata={"description": "The tournament's id."})
    round = fields.Integer(required=True, metadata={"description": "The round, counted from 1."})
    agrees = fields.Boolean(required=True, metadata={"description": "Whether the two pairings are the same."})
    engine = fields.String(required=True, metadata={"description": "The method that paired the round."})
    paired = fields.Nested(PairingOut, required=True, metadata={"description": "The stored pairing."})
    again = fields.Nested(
        PairingOut,
        required=True,
        allow_none=True,
        metadata={"description": "The pairing computed again; null if none was found."},
    )


class TournamentEvents(Page, TournamentVersion):
    """A page of a tournament's events, oldest first."""

    events = fields.List(fields.Nested(EventOut), required=True)
