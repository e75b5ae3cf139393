"""What bodies of requests hold."""

from collections.abc import Sequence
from typing import Any

from marshmallow import ValidationError, fields, post_load, validate

from plyscribe.domain.bots import BOTS, MAX_PLAYOUTS
from plyscribe.domain.clock import MAX_MATCH_MS, MAX_MOVE_MS, MIN_LIMIT_MS
from plyscribe.domain.decide.ends import MAX_CAUSE_LENGTH
from plyscribe.domain.decide.opening import (
    ABOUT_KEY,
    MAX_ABOUT,
    MAX_ABOUT_LENGTH,
    MAX_ENTROPY_LENGTH,
    MAX_SHARING,
    START_MODES,
)
from plyscribe.domain.decide.play import MAX_MOVE_LENGTH
from plyscribe.domain.events import WITHDRAWAL_CAUSES, WITHDRAWAL_FAULTS, Account, Guest, Occupant
from plyscribe.domain.player import KINDS, MAX_OVERLAP_MS, MAX_TOKEN_LIFE_MS, SCOPES
from plyscribe.domain.tournament.decide import MAX_ENTRANTS
from plyscribe.domain.tournament.terms import FORMATS, MAX_GAMES, MAX_ROUNDS, REPEATS, TIEBREAKS
from plyscribe.service.matches.seating import MAX_SEED, WantedBot
from plyscribe.service.web.schemas.kinds import (
    MAX_SEATS,
    Boolean,
    Strict,
    integer_field,
    invitation_field,
    name_field,
    seat_field,
    text_field,
)

MAX_VALUES = 1000
OVERLAP_S = 60
"""Long enough to ask again where the answer with the new token got lost."""

INVITATION_S = 7 * 24 * 3600
MAX_INVITATION_S = 90 * 24 * 3600


def _scopes(allowed: Sequence[str], default: list[str] | None) -> fields.List[Any]:
    return fields.List(
        fields.String(validate=validate.OneOf(allowed)),
        load_default=default,
        validate=validate.Length(1, len(allowed)),
        metadata={"description": "What the token may do."},
    )


def _lifetime() -> fields.Integer:
    description = "Seconds until the token expires."
    return integer_field(1, MAX_TOKEN_LIFE_MS // 1000, load_default=None, metadata={"description": description})


class NewPlayer(Strict):
    """A new account."""

    name = name_field(required=True, metadata={"example": "Ada"})
    kind = fields.String(load_default="person", validate=validate.OneOf(KINDS))
    scopes = _scopes(["play", "record"], ["play", "record"])


class NewToken(Strict):
    """A further token of your account. Without anything it covers and lives as long as the one that asks."""

    scopes = _scopes(SCOPES, None)
    label = name_field(load_default=None, metadata={"example": "The club's tablet"})
    expires_in_s = _lifetime()


class FreshToken(Strict):
    """A token for the account of someone who lost theirs."""

    scopes = _scopes(SCOPES, ["play", "record"])
    label = name_field(load_default=None)
    expires_in_s = _lifetime()
    revoke_others = Boolean(load_default=True, metadata={"description": "End all other tokens of the account."})


class Rotation(Strict):
    """How long the successor lives, and how long both are valid."""

    expires_in_s = _lifetime()
    overlap_s = integer_field(
        0,
        MAX_OVERLAP_MS // 1000,
        load_default=OVERLAP_S,
        metadata={"description": "Seconds until the token that asks ends."},
    )


class SeatFor(Strict):
    """Who a seat is for: a player's account, the name of someone without one, or a bot of the server.

    A bot may be given a `seed`, from which its moves follow; without one it gets some. `playouts` are for `mcts`.
    """

    player = fields.String(validate=validate.Regexp(r"player-[a-z2-7]{26}\Z"))
    name = name_field()
    bot = fields.String(validate=validate.OneOf(list(BOTS)))
    seed = integer_field(0, MAX_SEED)
    playouts = integer_field(1, MAX_PLAYOUTS)

    @post_load
    def _occupant(self, data: dict[str, Any], **_: Any) -> Occupant | WantedBot:
        match data:
            case {"player": player} if len(data) == 1:
                return Account(player)
            case {"name": name} if len(data) == 1:
                return Guest(name)
            case {"bot": bot} if data.keys() <= {"bot", "seed", "playouts"}:
                return WantedBot(bot, data.get("seed"), data.get("playouts"))
        raise ValidationError("Either a player, a name or a bot.")


class WantedBotIn(Strict):
    """A bot of the server."""

    name = fields.String(required=True, validate=validate.OneOf(list(BOTS)))
    seed = integer_field(0, MAX_SEED, load_default=0)
    playouts = integer_field(1, MAX_PLAYOUTS, load_default=None, allow_none=True)

    @post_load
    def _wanted(self, data: dict[str, Any], **_: Any) -> WantedBot:
        return WantedBot(data["name"], data["seed"], data["playouts"])


class Limits(Strict):
    """How long a seat may take, in milliseconds: one of the two, or both."""

    move_ms = integer_field(
        MIN_LIMIT_MS,
        MAX_MOVE_MS,
        load_default=None,
        allow_none=True,
        metadata={"description": "For one decision.", "example": 86_400_000},
    )
    match_ms = integer_field(
        MIN_LIMIT_MS,
        MAX_MATCH_MS,
        load_default=None,
        allow_none=True,
        metadata={"description": "For all decisions of a seat together."},
    )


def _recorded() -> Boolean:
    description = "The creator records a match played elsewhere and acts for all seats."
    return Boolean(load_default=False, metadata={"description": description})


def _private() -> Boolean:
    description = "Only its creator, its players and overseers can read the match."
    return Boolean(load_default=False, metadata={"description": description})


def _about() -> fields.Dict:
    return fields.Dict(
        keys=fields.String(validate=validate.Regexp(rf"{ABOUT_KEY}\Z")),
        values=text_field(MAX_ABOUT_LENGTH),
        load_default=None,
        allow_none=True,
        validate=validate.Length(max=MAX_ABOUT),
        metadata={"example": {"place": "Turin", "event": "Club evening"}},
    )


class NewMatch(Strict):
    """A new match. Seats without anyone are open to all."""

    ruleset = text_field(32, required=True, metadata={"example": "pathagon"})
    ruleset_version = integer_field(1, 10_000, load_default=None, allow_none=True)
    options = fields.Dict(keys=fields.String(), load_default=dict, metadata={"example": {"size": 7}})
    seats = fields.List(
        fields.Nested(SeatFor, allow_none=True),
        required=True,
        validate=validate.Length(1, MAX_SEATS),
        metadata={"description": "One entry a seat: null is open to anyone.", "example": [None, None]},
    )
    recorded = _recorded()
    rated = Boolean(
        load_default=False,
        metadata={"description": "It counts for ratings: each seat its own account, options the defaults or a preset."},
    )
    dice = fields.String(load_default="server", validate=validate.OneOf(["server", "recorded"]))
    shared_dice = integer_field(
        2,
        MAX_SHARING,
        load_default=None,
        allow_none=True,
        metadata={"description": "So many matches, this one among them, have the same dice: add them as duplicates."},
    )
    limits = fields.Nested(Limits, load_default=None, allow_none=True)
    private = _private()
    start = fields.String(load_default="auto", validate=validate.OneOf(START_MODES))
    about = _about()


class NewFork(Strict):
    """A new match from a ply of another one: rules, options and number of seats are the same."""

    ply = integer_field(0, 2**31, required=True, metadata={"description": "It goes on just before move `ply` + 1."})
    dice = fields.String(
        load_default="fresh",
        validate=validate.OneOf(["same", "fresh"]),
        metadata={
            "description": "`fresh`: new dice of the server. `same`: those of the match go on, once they are revealed;"
            " recorded ones are recorded here too. Games without dice need none."
        },
    )
    seats = fields.List(
        fields.Nested(SeatFor, allow_none=True),
        load_default=None,
        allow_none=True,
        validate=validate.Length(1, MAX_SEATS),
        metadata={"description": "One entry a seat, as in a new match; without this all seats are yours."},
    )
    recorded = _recorded()
    limits = fields.Nested(Limits, load_default=None, allow_none=True)
    private = _private()
    start = fields.String(load_default="auto", validate=validate.OneOf(START_MODES))
    about = _about()


class Duplicate(Strict):
    """Another match with the same dice."""

    seats = fields.List(
        fields.Nested(SeatFor, allow_none=True),
        required=True,
        validate=validate.Length(1, MAX_SEATS),
        metadata={"description": "One entry a seat, as many as the first match has.", "example": [None, None]},
    )


class TakeSeat(Strict):
    """Sitting down: a player for itself, a recorder for a guest."""

    name = name_field(load_default=None, metadata={"description": "A guest's name, from the recorder."})
    entropy = text_field(MAX_ENTROPY_LENGTH, load_default=None, metadata={"description": "Salt for the server's dice."})
    invitation = invitation_field()


class NewInvitation(Strict):
    """An invitation to whoever holds its code."""

    expires_in_s = integer_field(
        1,
        MAX_INVITATION_S,
        load_default=INVITATION_S,
        metadata={"description": "Seconds until it expires; a week without this."},
    )


class Entropy(Strict):
    """Salt for the server's dice."""

    seat = seat_field(load_default=None)
    entropy = text_field(MAX_ENTROPY_LENGTH, required=True, metadata={"example": "correct horse"})


class Nothing(Strict):
    """An empty object; the body may be left out."""


class NewMove(Strict):
    """A move in the ruleset's notation."""

    # Only the match judges the text, so that every refusal of a move names the same codes.
    move = fields.String(required=True, metadata={"example": "d4", "maxLength": MAX_MOVE_LENGTH})
    seat = seat_field(load_default=None)


class NewRoll(Strict):
    """What the awaited dice showed on the table."""

    values = fields.List(
        integer_field(1, 2**31), required=True, validate=validate.Length(1, MAX_VALUES), metadata={"example": [3, 5]}
    )


class TakeBack(Strict):
    """The ply to go back to."""

    ply = integer_field(0, 2**31, required=True)


class Withdrawal(Strict):
    """A seat leaves the match."""

    seat = seat_field(load_default=None)
    cause = fields.String(load_default="resigned", validate=validate.OneOf(WITHDRAWAL_CAUSES))
    fault = fields.String(
        load_default=None,
        allow_none=True,
        validate=validate.OneOf(WITHDRAWAL_FAULTS),
        metadata={"description": "With `resigned`: by what the program failed that plays the seat."},
    )


class Draw(Strict):
    """Offering a draw, or answering an offer."""

    action = fields.String(required=True, validate=validate.OneOf(["offer", "agree", "decline"]))
    seat = seat_field(load_default=None)


class Abort(Strict):
    """Ending without an outcome."""

    cause = text_field(MAX_CAUSE_LENGTH, load_default="called off")


class Annulment(Strict):
    """Making a finished match count for nothing."""

    why = text_field(MAX_CAUSE_LENGTH, required=True, metadata={"example": "both seats were one person"})


class NewTournament(Strict):
    """A new tournament. What is left out is completed, and told in full by the answer."""

    name = text_field(100, required=True, metadata={"example": "Club cup"})
    ruleset = text_field(32, required=True, metadata={"example": "pathagon"})
    ruleset_version = integer_field(1, 10_000, load_default=None, allow_none=True)
    options = fields.Dict(keys=fields.String(), load_default=dict, metadata={"example": {"size": 7}})
    seats = integer_field(2, MAX_SEATS, load_default=2, metadata={"description": "Of each match."})
    format = fields.Dict(
        keys=fields.String(),
        required=True,
        metadata={
            "description": f"`kind` is one of {', '.join(FORMATS)}; see the guide to tournaments for its options.",
            "example": {"kind": "swiss", "rounds": 5},
        },
    )
    repeat = fields.String(
        load_default="once",
        validate=validate.OneOf(REPEATS),
        metadata={"description": "The games of a board: on how many orders of the seats, with the same dice."},
    )
    openings = fields.List(
        fields.List(text_field(MAX_MOVE_LENGTH), validate=validate.Length(1, 100)),
        load_default=list,
        validate=validate.Length(max=1000),
        metadata={"description": "Moves with which games begin: boards have them in turn.", "example": [["a1", "b2"]]},
    )
    scoring = fields.Dict(
        keys=fields.String(),
        load_default=dict,
        metadata={"description": "`places`: points by place; `bye`, `absence`: points of a round without a game."},
    )
    tiebreaks = fields.List(fields.String(validate=validate.OneOf(TIEBREAKS)), load_default=None, allow_none=True)
    limits = fields.Nested(Limits, load_default=None, allow_none=True)
    sprt = fields.Dict(
        keys=fields.String(),
        load_default=None,
        allow_none=True,
        metadata={
            "description": "A sequential test of two entrants, which ends the tournament as soon as it says which of "
            "two differences in Elo holds.",
            "example": {"elo0": 0, "elo1": 20, "alpha": "0.05", "beta": "0.05"},
        },
    )
    max_entrants = integer_field(2, MAX_ENTRANTS, load_default=256)
    is_open = Boolean(load_default=True, metadata={"description": "Every player may enter."})
    seed = integer_field(
        0, MAX_SEED, load_default=None, allow_none=True, metadata={"description": "From it follows all chance."}
    )


class NewEntrant(Strict):
    """Who enters: you, or, where you organise the tournament, a bot of the server."""

    bot = fields.Nested(WantedBotIn, load_default=None, allow_none=True)
    label = name_field(load_default=None, allow_none=True, metadata={"example": "mcts, 500 playouts"})


class NewAbsence(Strict):
    """The round that is sat out."""

    round = integer_field(1, MAX_ROUNDS, required=True)


class NewGameAnnulment(Strict):
    """The game that is to count for nothing."""

    round = integer_field(1, MAX_ROUNDS, required=True)
    board = integer_field(1, MAX_ENTRANTS, required=True)
    game = integer_field(1, MAX_GAMES, load_default=1)
    why = text_field(MAX_CAUSE_LENGTH, required=True)
