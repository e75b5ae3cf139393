"""The shapes of request bodies about tournaments."""

from typing import Any

from marshmallow import ValidationError, fields, validate, validates_schema

from plyscribe.domain.decide.ends import MAX_CAUSE_LENGTH
from plyscribe.domain.decide.play import MAX_MOVE_LENGTH
from plyscribe.domain.tournament.conditions import MAX_NAME_LENGTH as MAX_TEAM_NAME_LENGTH
from plyscribe.domain.tournament.due_dates import MAX_DAYS
from plyscribe.domain.tournament.entering import MAX_RATING
from plyscribe.domain.tournament.rulings import MAX_PENALTY
from plyscribe.domain.tournament.terms import (
    FORMATS,
    MAX_ENTRANTS,
    MAX_GAMES,
    MOST_ROUNDS,
    REPEATS,
    ROUNDS_BEGIN,
    TIEBREAKS,
)
from plyscribe.service.matches.seating import MAX_SEED
from plyscribe.service.tournaments.trf_reading import MOST_CHARACTERS
from plyscribe.service.web.schemas.bodies.matches import (
    WantedBotIn,
    limits_field,
    options_field,
    ruleset_field,
    ruleset_version_field,
)
from plyscribe.service.web.schemas.field_types import (
    MAX_SEATS,
    Boolean,
    Strict,
    integer_field,
    name_field,
    text_field,
)


class PausedTournament(Strict):
    """Why the tournament is paused, and whether the matches under way are."""

    why = text_field(MAX_CAUSE_LENGTH, required=True, metadata={"description": "The reason, for people."})
    matches = Boolean(
        load_default=False,
        metadata={"description": "Pause the matches under way, too. They go on when the tournament does."},
    )


def _label() -> fields.String:
    return name_field(
        load_default=None,
        allow_none=True,
        metadata={"description": "The name to show in tables.", "example": "mcts, 500 playouts"},
    )


class NewTournament(Strict):
    """A new tournament. The receipt has all terms, with the defaults filled in."""

    name = text_field(100, required=True, metadata={"example": "Club cup"})
    ruleset = ruleset_field()
    ruleset_version = ruleset_version_field()
    options = options_field()
    seats = integer_field(2, MAX_SEATS, load_default=2, metadata={"description": "The number of seats in each match."})
    format = fields.Dict(
        keys=fields.String(),
        required=True,
        metadata={
            "description": f"`kind` is one of {', '.join(FORMATS)}. The guide to tournaments has their options.",
            "example": {"kind": "swiss", "rounds": 5},
        },
    )
    repeat = fields.String(
        load_default="once",
        validate=validate.OneOf(REPEATS),
        metadata={
            "description": "The games on each board: one, one for each rotation of the seats, or one for each order of "
            "the seats. If only bots of the server sit on it, they all have the same dice."
        },
    )
    openings = fields.List(
        fields.List(text_field(MAX_MOVE_LENGTH), validate=validate.Length(1, 100)),
        load_default=list,
        validate=validate.Length(max=1000),
        metadata={
            "description": "Openings, each a list of moves that the server plays first. Boards take them in turn.",
            "example": [["a1", "b2"]],
        },
    )
    scoring = fields.Dict(
        keys=fields.String(),
        load_default=dict,
        metadata={
            "description": "`places`: the points for each place in a game. `bye`, `absence`: the points for a round "
            "without a game. `asked_byes`: how many byes each entrant may ask for, worth `asked_bye` each."
        },
    )
    tiebreaks = fields.List(
        fields.String(validate=validate.OneOf(TIEBREAKS)),
        load_default=None,
        allow_none=True,
        metadata={"description": "The tiebreaks, the first one deciding first."},
    )
    limits = limits_field()
    sprt = fields.Dict(
        keys=fields.String(),
        load_default=None,
        allow_none=True,
        metadata={
            "description": "A sequential test of the first entrant against the others, one for each seat. It ends the "
            "tournament as soon as it can decide between "
            "two hypotheses on their difference in Elo. Each parameter is a number, or a decimal in a string; decimals "
            "are recorded as strings.",
            "example": {"elo0": 0, "elo1": 20, "alpha": 0.05, "beta": 0.05},
        },
    )
    max_entrants = integer_field(2, MAX_ENTRANTS, load_default=256)
    rounds_begin = fields.String(
        load_default="auto",
        validate=validate.OneOf(ROUNDS_BEGIN),
        metadata={"description": "`auto`: a round begins once the one before is over. `call`: when it is called."},
    )
    at_table = Boolean(
        load_default=False,
        metadata={"description": "Played on real tables: guests can enter, and matches are recorded at the table."},
    )
    rated = Boolean(load_default=False, metadata={"description": "Whether matches between accounts are rated."})
    private = Boolean(
        load_default=False,
        metadata={"description": "Whether only those who take part can see the tournament and its matches."},
    )
    is_open = Boolean(
        load_default=True,
        metadata={"description": "Every player can enter. If false, only those whom the organiser invites."},
    )
    seed = integer_field(
        0,
        MAX_SEED,
        load_default=None,
        allow_none=True,
        metadata={"description": "Everything left to chance follows from this seed. By default a random one."},
    )


class TrfReport(Strict):
    """A TRF16 report, and the terms of the tournament that it does not have."""

    trf = fields.String(
        required=True,
        validate=validate.Length(1, MOST_CHARACTERS),
        metadata={"description": "The report: lines of text, one for each player."},
    )
    ruleset = ruleset_field()
    ruleset_version = ruleset_version_field()
    options = options_field()
    name = text_field(
        100,
        load_default=None,
        allow_none=True,
        metadata={"description": "The name of the tournament; by default that of the report.", "example": "Club cup"},
    )
    private = Boolean(
        load_default=False,
        metadata={"description": "Whether only those who take part can see the tournament and its matches."},
    )
    seed = integer_field(
        0,
        MAX_SEED,
        load_default=None,
        allow_none=True,
        metadata={"description": "Everything left to chance follows from this seed. By default a random one."},
    )


def _rating() -> fields.Integer:
    description = "A rating from elsewhere. Among entrants without a seed, a higher one is a better seed."
    return integer_field(0, MAX_RATING, load_default=None, allow_none=True, metadata={"description": description})


def _seed() -> fields.Integer:
    description = "The place of the entrant among the seeds, 1 for the best."
    return integer_field(1, MAX_ENTRANTS, load_default=None, allow_none=True, metadata={"description": description})


def _team() -> fields.String:
    description = "The name of the team, in a format of teams. A new name makes a new team."
    return text_field(
        MAX_TEAM_NAME_LENGTH,
        load_default=None,
        allow_none=True,
        metadata={"description": description, "example": "Red Kites"},
    )


def _place() -> fields.Integer:
    description = "The place in the board order of the team. Members without one come last, by seed."
    return integer_field(1, MAX_ENTRANTS, load_default=None, allow_none=True, metadata={"description": description})


class NewEntrant(Strict):
    """Who enters a tournament: you or, if you organise it, a bot of the server, a guest, or a player who asked."""

    bot = fields.Nested(
        WantedBotIn,
        load_default=None,
        allow_none=True,
        metadata={"description": "The bot that enters. By default you enter yourself."},
    )
    guest = name_field(
        load_default=None,
        allow_none=True,
        metadata={"description": "The name of a guest, who has no account.", "example": "Ida"},
    )
    player = fields.String(
        load_default=None,
        allow_none=True,
        validate=validate.Regexp(r"player-[a-z2-7]{26}\Z"),
        metadata={"description": "The id of an account that asked to be let in."},
    )
    label = _label()
    code = text_field(128, load_default=None, allow_none=True, metadata={"description": "The code of an entry link."})
    rating = _rating()
    seed = _seed()
    team = _team()
    place = _place()


class Assignment(Strict):
    """The team of an entrant and its place there; null for one that it has not."""

    team = _team()
    place = _place()


class Seeding(Strict):
    """The rating and the seed of an entrant; null for one that it has not."""

    rating = _rating()
    seed = _seed()


class NewRequest(Strict):
    """A request to be let into a tournament that is not open."""

    label = _label()


class Refused(Strict):
    """Why a request is refused."""

    why = text_field(
        MAX_CAUSE_LENGTH, load_default=None, allow_none=True, metadata={"description": "The reason, for people."}
    )


class NamedAccount(Strict):
    """An account. Give exactly one of `player` and `name`."""

    alternatives = (("player",), ("name",))

    player = fields.String(
        validate=validate.Regexp(r"player-[a-z2-7]{26}\Z"), metadata={"description": "The id of the account."}
    )
    name = name_field(
        metadata={"description": "The name of the account, if no other account has it.", "example": "Ada"}
    )

    @validates_schema
    def _check(self, data: dict[str, Any], **_: Any) -> None:
        if len(data.keys() & {"player", "name"}) != 1:
            raise ValidationError("Must have exactly one of player and name.")


class Reason(Strict):
    """Why somebody who organises a tournament does something."""

    why = text_field(MAX_CAUSE_LENGTH, required=True, metadata={"description": "The reason, for people."})


class Lasting(Strict):
    """How long a code is valid."""

    hours = integer_field(1, 24 * 31, load_default=12, metadata={"description": "The hours until it expires."})


class NewCodes(Lasting):
    """The tables that get codes: all boards of the round, or one."""

    board = integer_field(
        1, MAX_ENTRANTS, load_default=None, allow_none=True, metadata={"description": "The board; by default all."}
    )
    seats = Boolean(
        load_default=False,
        metadata={"description": "A code for each seat, which records for that seat alone, instead of one a table."},
    )


class CodeRevocation(Reason):
    """The codes that are made void: those of a board, or all."""

    round = integer_field(1, MOST_ROUNDS, load_default=None, allow_none=True)
    board = integer_field(1, MAX_ENTRANTS, load_default=None, allow_none=True)


def _boards(**more: Any) -> Any:
    return fields.List(
        fields.List(integer_field(1, MAX_ENTRANTS), validate=validate.Length(1, MAX_SEATS)),
        validate=validate.Length(max=MAX_ENTRANTS),
        metadata={
            "description": "The entrants of each board, in the order of the seats of its first game.",
            "example": [[1, 4], [3, 2]],
        },
        **more,
    )


def _byes(**more: Any) -> Any:
    return fields.List(
        integer_field(1, MAX_ENTRANTS),
        validate=validate.Length(max=MAX_ENTRANTS),
        metadata={"description": "The entrants who have a bye.", "example": [5]},
        **more,
    )


class NextRound(Strict):
    """The next round: called, so that the server pairs it, or paired by hand with `boards`, `byes` and `why`."""

    round = integer_field(1, MOST_ROUNDS, required=True, metadata={"description": "The number of the next round."})
    boards = _boards(load_default=None, allow_none=True)
    byes = _byes(load_default=list)
    why = text_field(
        MAX_CAUSE_LENGTH, load_default=None, metadata={"description": "Why the round is paired by hand. Needed then."}
    )


class TriedPairing(Strict):
    """A pairing of the next round that is to be judged, not stored."""

    boards = _boards(required=True)
    byes = _byes(load_default=list)


class NewInvitee(Strict):
    """The account that is invited to a tournament. Give exactly one of `player` and `name`."""

    alternatives = (("player", "label"), ("name", "label"))

    player = fields.String(
        validate=validate.Regexp(r"player-[a-z2-7]{26}\Z"), metadata={"description": "The id of the account."}
    )
    name = name_field(
        metadata={"description": "The name of the account, if no other account has it.", "example": "Ada"}
    )
    label = _label()

    @validates_schema
    def _check(self, data: dict[str, Any], **_: Any) -> None:
        if len(data.keys() & {"player", "name"}) != 1:
            raise ValidationError("Must have exactly one of player and name.")


class EntrantWithdrawal(Strict):
    """Why an entrant leaves a tournament."""

    disqualified = Boolean(
        load_default=False,
        metadata={"description": "The organiser disqualifies the entrant. Needs `why`."},
    )
    why = text_field(
        MAX_CAUSE_LENGTH, load_default=None, allow_none=True, metadata={"description": "The reason, for people."}
    )


class NewAbsence(Strict):
    """The round that an entrant sits out, or for which it asks for a bye."""

    round = integer_field(1, MOST_ROUNDS, required=True)
    bye = Boolean(
        load_default=False,
        metadata={"description": "Asks for a bye, which is worth `asked_bye`. Needs terms with `asked_byes`."},
    )


class RulingOnGame(Strict):
    """The game that an organiser's ruling is about, and its reason."""

    round = integer_field(1, MOST_ROUNDS, required=True)
    board = integer_field(1, MAX_ENTRANTS, required=True)
    game = integer_field(1, MAX_GAMES, load_default=1)
    why = text_field(MAX_CAUSE_LENGTH, required=True, metadata={"description": "The reason, for people."})


class NewGameAnnulment(RulingOnGame):
    """A game that is to be annulled."""


class NewRetry(RulingOnGame):
    """A game that was given up and is to be tried again."""


class NewAdjudication(RulingOnGame):
    """A game that the organiser decides."""

    ranks = fields.List(
        integer_field(1, MAX_SEATS),
        required=True,
        validate=validate.Length(1, MAX_SEATS),
        metadata={
            "description": "The rank of each seat, 1 for the best. Seats that tie share a rank: `[1, 1]`, `[1, 2, 2]`.",
            "example": [1, 2],
        },
    )


class Result(Strict):
    """How a game ended: the rank of each seat, or the entrants that forfeited it."""

    ranks = fields.List(
        integer_field(1, MAX_SEATS),
        load_default=None,
        allow_none=True,
        validate=validate.Length(1, MAX_SEATS),
        metadata={
            "description": "The rank of each seat, 1 for the best. Seats that tie share a rank.",
            "example": [1, 2],
        },
    )
    forfeited = fields.List(
        integer_field(1, MAX_ENTRANTS),
        load_default=list,
        validate=validate.Length(max=MAX_SEATS),
        metadata={"description": "The numbers of the entrants that lost without play.", "example": [3]},
    )


class NewResult(Result):
    """The result of a game that was played at a table."""

    round = integer_field(1, MOST_ROUNDS, required=True)
    board = integer_field(1, MAX_ENTRANTS, required=True)
    game = integer_field(1, MAX_GAMES, load_default=1)


class NewCorrection(Result, RulingOnGame):
    """Another result for a decided game."""


class NewReplay(RulingOnGame):
    """A decided game that is to be played once more."""


class NewCall(RulingOnGame):
    """A game at whose table an arbiter is needed."""


class CallAnswer(RulingOnGame):
    """A game whose open call is answered."""


class NewPenalty(Reason):
    """A penalty for an entrant."""

    entrant = integer_field(1, MAX_ENTRANTS, required=True)
    points = integer_field(
        0, MAX_PENALTY, load_default=0, metadata={"description": "The points that it loses; 0 for a warning."}
    )


class NewExtension(Reason):
    """More time for the games of a round, or of one of its boards."""

    round = integer_field(1, MOST_ROUNDS, required=True)
    board = integer_field(
        1, MAX_ENTRANTS, load_default=None, allow_none=True, metadata={"description": "The board; by default all."}
    )
    days = integer_field(
        1, MAX_DAYS, required=True, metadata={"description": "How many days the deadline moves.", "example": 3}
    )


class NewChallenge(Strict):
    """Who is challenged on a ladder, and by whom."""

    opponent = integer_field(
        1, MAX_ENTRANTS, required=True, metadata={"description": "The number of the entrant who is challenged."}
    )
    entrant = integer_field(
        1,
        MAX_ENTRANTS,
        load_default=None,
        allow_none=True,
        metadata={
            "description": "The entrant who challenges: by default you. Organisers can name any, such as a guest."
        },
    )


class NewForfeit(RulingOnGame):
    """A game that one or more of its entrants lose."""

    entrants = fields.List(
        integer_field(1, MAX_ENTRANTS),
        required=True,
        validate=validate.Length(1, MAX_SEATS),
        metadata={"description": "The numbers of the entrants that lose.", "example": [3]},
    )
