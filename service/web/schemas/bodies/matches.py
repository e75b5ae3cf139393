"""The shapes of request bodies about matches, and of lines that are tried."""

from typing import Any, ClassVar

from marshmallow import ValidationError, fields, missing, post_load, validate, validates_schema

from plyscribe.domain import commands
from plyscribe.domain.bots import BOTS, MAX_PLAYOUTS, PLAYOUTS
from plyscribe.domain.decide.directing import MAX_ADJUSTMENT_MS
from plyscribe.domain.decide.ends import MAX_CAUSE_LENGTH
from plyscribe.domain.decide.mending import MAX_CORRECTED
from plyscribe.domain.decide.opening import (
    ABOUT_KEY,
    MAX_ABOUT,
    MAX_ABOUT_LENGTH,
    MAX_ENTROPY_LENGTH,
    MAX_SHARING,
    START_MODES,
)
from plyscribe.domain.decide.play import MAX_MOVE_LENGTH
from plyscribe.domain.declared_builds import DIGEST_PATTERN, MAX_OPTIONS, MAX_OPTIONS_BYTES, MAX_TEXT_LENGTH
from plyscribe.domain.effects import Rolled, Withdrew
from plyscribe.domain.events import WITHDRAWAL_CAUSES, WITHDRAWAL_FAULTS, Account, Guest, Occupant, SeatWithdrawn
from plyscribe.domain.limits import MAX_AFTER, MAX_INCREMENT_MS, MAX_MATCH_MS, MAX_MOVE_MS, MAX_PHASES, MIN_LIMIT_MS
from plyscribe.domain.variation import Tried
from plyscribe.service.matches.seating import MAX_SEED, WantedBot
from plyscribe.service.matches.touching import MAX_TOUCHES
from plyscribe.service.web.schemas.field_types import (
    MAX_SEATS,
    Boolean,
    Strict,
    integer_field,
    invitation_field,
    name_field,
    seat_field,
    text_field,
    touch_field,
)

MAX_VALUES = 1000

MAX_PLACE = 32

MAX_TYPED = 16_000
"""The most characters of a typed score sheet."""

MAX_ENTERED = 512
"""The most steps that are entered together. An append of so many is as long as one of a built-in bot may be."""

MAX_TRIED = 1000
"""The most steps of a variation. They are taken anew for each request."""

MAX_SUGGESTING = 1000
"""Playouts for a suggestion, for which somebody waits: some 0.6 s, and seconds for large boards."""

INVITATION_S = 7 * 24 * 3600

MAX_INVITATION_S = 90 * 24 * 3600


def _playouts(**kwargs: Any) -> fields.Integer:
    description = "How many playouts `mcts` makes for each decision. The other bots have none."
    return integer_field(1, MAX_PLAYOUTS, metadata={"description": description}, **kwargs)


def ruleset_field() -> fields.String:
    """The id of a ruleset, which is required."""
    return text_field(32, required=True, metadata={"description": "The ruleset's id.", "example": "pathagon"})


def ruleset_version_field(load_default: Any = None) -> fields.Integer:
    """The version of a ruleset; None for the newest."""
    metadata = {"description": "By default the newest version."}
    return integer_field(1, 10_000, load_default=load_default, allow_none=True, metadata=metadata)


def options_field(load_default: Any = dict) -> fields.Dict:
    """Options of a ruleset, which the ruleset has yet to parse."""
    metadata = {"description": "The options of the ruleset. The others get their defaults.", "example": {"size": 7}}
    return fields.Dict(keys=fields.String(), load_default=load_default, metadata=metadata)


class SeatFor(Strict):
    """Who gets a seat. Give exactly one of `player`, `name` and `bot`."""

    alternatives = (("player",), ("name",), ("bot", "seed", "playouts"))

    player = fields.String(
        validate=validate.Regexp(r"player-[a-z2-7]{26}\Z"), metadata={"description": "The id of an account."}
    )
    name = name_field(metadata={"description": "The name of a guest, who has no account. For recorded matches."})
    bot = fields.String(validate=validate.OneOf(list(BOTS)), metadata={"description": "A bot of the server."})
    seed = integer_field(
        0,
        MAX_SEED,
        metadata={
            "description": "The seed that the bot's moves follow from. By default a secret one, which is published at "
            "the end. A seed that you name stands in the open: anyone can compute the bot's moves beforehand."
        },
    )
    playouts = _playouts()

    @post_load
    def _occupant(self, data: dict[str, Any], **_: Any) -> Occupant | WantedBot:
        match data:
            case {"player": player} if len(data) == 1:
                return Account(player)
            case {"name": name} if len(data) == 1:
                return Guest(name)
            case {"bot": bot} if data.keys() <= {"bot", "seed", "playouts"}:
                return WantedBot(bot, data.get("seed"), data.get("playouts"))
        raise ValidationError("Must have exactly one of player, name and bot; seed and playouts go with a bot.")


class WantedBotIn(Strict):
    """A bot of the server."""

    name = fields.String(required=True, validate=validate.OneOf(list(BOTS)))
    seed = integer_field(
        0,
        MAX_SEED,
        load_default=0,
        metadata={
            "description": "The seed that the bot's moves follow from while all entrants are bots of the server. With "
            "other entrants, bots have secret seeds."
        },
    )
    playouts = _playouts(load_default=None, allow_none=True)

    @post_load
    def _wanted(self, data: dict[str, Any], **_: Any) -> WantedBot:
        return WantedBot(data["name"], data["seed"], data["playouts"])


class Bonus(Strict):
    """What each move of a seat does to its `match_ms`. Give one of them at most."""

    increment_ms = integer_field(
        MIN_LIMIT_MS, MAX_INCREMENT_MS, allow_none=True, metadata={"description": "What each move adds (Fischer)."}
    )
    delay_ms = integer_field(
        MIN_LIMIT_MS,
        MAX_INCREMENT_MS,
        allow_none=True,
        metadata={"description": "How long each move takes nothing: only then the clock runs down (US delay)."},
    )
    bronstein_ms = integer_field(
        MIN_LIMIT_MS,
        MAX_INCREMENT_MS,
        allow_none=True,
        metadata={"description": "What each move adds, but at most what the move took (Bronstein)."},
    )


class Phase(Bonus):
    """A later phase: it begins when a seat has made so many moves. Its own bonus holds from then on, or none."""

    after = integer_field(
        1, MAX_AFTER, required=True, metadata={"description": "The moves of the seat before it.", "example": 40}
    )
    add_ms = integer_field(
        0, MAX_MATCH_MS, load_default=0, metadata={"description": "What it adds to `match_ms`.", "example": 1_800_000}
    )


class SeatTimes(Bonus):
    """Time limits, in milliseconds. Give at least one; the one that runs out first counts."""

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
    phases = fields.List(
        fields.Nested(Phase), validate=validate.Length(0, MAX_PHASES), metadata={"description": "The later phases."}
    )


class SeatOdds(SeatTimes):
    """The limits of one seat, in place of those of the match."""

    seat = integer_field(1, MAX_SEATS, required=True, metadata={"description": "The seat's number."})


class Limits(SeatTimes):
    """Time limits for each seat, in milliseconds. Give at least one of them; the one that runs out first counts."""

    seats = fields.List(
        fields.Nested(SeatOdds),
        validate=validate.Length(0, MAX_SEATS),
        metadata={"description": "The seats with other limits (time odds); not in rated matches and tournaments."},
    )


def _seats(description: str, **kwargs: Any) -> fields.List[Any]:
    return fields.List(
        fields.Nested(SeatFor, allow_none=True),
        validate=validate.Length(1, MAX_SEATS),
        metadata={"description": description, "example": [None, None]},
        **kwargs,
    )


def limits_field() -> fields.Nested:
    """The limits of a match, or None."""
    return fields.Nested(Limits, load_default=None, allow_none=True)


def _start() -> fields.String:
    description = (
        "`auto`: the match starts when all seats are taken and all players have added their entropy, if the server "
        "rolls dice. `call`: it starts when you call it."
    )
    return fields.String(
        load_default="auto", validate=validate.OneOf(START_MODES), metadata={"description": description}
    )


def _recorded() -> Boolean:
    description = "You record a match that is played elsewhere, and act for all seats."
    return Boolean(load_default=False, metadata={"description": description})


def _private() -> Boolean:
    description = "Only its creator, recorder and players, and tokens with `organise` or `admin`, can read the match."
    return Boolean(load_default=False, metadata={"description": description})


def _about() -> fields.Dict:
    return fields.Dict(
        keys=fields.String(validate=validate.Regexp(rf"{ABOUT_KEY}\Z")),
        values=text_field(MAX_ABOUT_LENGTH),
        load_default=None,
        allow_none=True,
        validate=validate.Length(max=MAX_ABOUT),
        metadata={
            "description": "Anything to note about the match.",
            "example": {"place": "Turin", "event": "Club evening"},
        },
    )


class _Step(Strict):
    move = fields.String(
        validate=validate.Length(1, MAX_MOVE_LENGTH), metadata={"description": "The notation of a move."}
    )
    values = fields.List(
        integer_field(1, 2**31),
        validate=validate.Length(1, MAX_VALUES),
        metadata={"description": "What the due dice show.", "example": [3]},
    )
    withdraw = integer_field(1, MAX_SEATS, metadata={"description": "The seat that leaves."})


class TriedStep(_Step):
    """A step to try. Give exactly one of `move`, `values` and `withdraw`."""

    alternatives = (("move",), ("values",), ("withdraw",))

    @post_load
    def _tried(self, data: dict[str, Any], **_: Any) -> Tried:
        match data:
            case {"move": move} if len(data) == 1:
                return str(move)
            case {"values": values} if len(data) == 1:
                return Rolled(tuple(values))
            case {"withdraw": seat} if len(data) == 1:
                return Withdrew(seat)
        raise ValidationError("Must have exactly one of move, values and withdraw.")


def _steps(description: str) -> Any:
    return fields.List(
        fields.Nested(TriedStep),
        load_default=list,
        validate=validate.Length(max=MAX_TRIED),
        metadata={"description": description, "example": [{"move": "d4"}]},
    )


class NewMatch(Strict):
    """A new match."""

    ruleset = ruleset_field()
    ruleset_version = ruleset_version_field()
    options = options_field()
    seats = _seats("One entry for each seat. Null leaves the seat open to anyone.", required=True)
    recorded = _recorded()
    rated = Boolean(
        load_default=False,
        metadata={
            "description": "The match counts for ratings. Every seat needs its own account, and the options must be "
            "the defaults or a preset. It counts as soon as any die has fallen or every seat has moved."
        },
    )
    dice = fields.String(
        load_default="server",
        validate=validate.OneOf(["server", "recorded"]),
        metadata={"description": "Who rolls: the server, or you at a real table, with `recorded: true`."},
    )
    shared_dice = integer_field(
        2,
        MAX_SHARING,
        load_default=None,
        allow_none=True,
        metadata={
            "description": "How many matches have the same dice, this one included. Create the others as duplicates."
        },
    )
    limits = limits_field()
    private = _private()
    start = _start()
    about = _about()
    steps = _steps("Steps that the match begins with, as somebody tried them. Such a match is not rated.")


class NewFork(Strict):
    """A new match that continues another one with the same rules, options and number of seats."""

    ply = integer_field(
        0, 2**31, required=True, metadata={"description": "The fork continues from just before move `ply` + 1."}
    )
    dice = fields.String(
        load_default="fresh",
        validate=validate.OneOf(["same", "fresh"]),
        metadata={
            "description": "`fresh`: new dice of the server. `same`: the dice of the match continue. Server dice can "
            "only continue once their secret is published. Ignored in games without dice."
        },
    )
    seats = _seats(
        "One entry for each seat, as in a new match. By default you have all seats.", load_default=None, allow_none=True
    )
    recorded = _recorded()
    limits = limits_field()
    private = _private()
    start = _start()
    about = _about()
    steps = _steps("Steps that somebody tried on that position: the fork begins with them too.")


class Duplicate(Strict):
    """Another match with the same dice."""

    seats = _seats("One entry for each seat, as many as in the first match.", required=True)


class TakeSeat(Strict):
    """How a seat is taken."""

    name = name_field(
        load_default=None, metadata={"description": "For recorders: the name of the guest who takes the seat."}
    )
    entropy = text_field(
        MAX_ENTROPY_LENGTH,
        load_default=None,
        metadata={"description": "Your part in the server's dice: any printable ASCII text."},
    )
    invitation = invitation_field()


class NewInvitation(Strict):
    """An invitation to a seat. Anyone who has its code can use it."""

    expires_in_s = integer_field(
        1,
        MAX_INVITATION_S,
        load_default=INVITATION_S,
        metadata={"description": "Seconds until it expires. By default a week."},
    )


class Entropy(Strict):
    """A seat's part in the server's dice. With it, the server alone cannot have chosen the rolls."""

    seat = seat_field(load_default=None)
    entropy = text_field(
        MAX_ENTROPY_LENGTH,
        required=True,
        metadata={"description": "Any printable ASCII text.", "example": "correct horse"},
    )


class BuildFields(Strict):
    """A program: the SHA-256 of its files, and how it was started."""

    digest = fields.String(
        required=True,
        validate=validate.Regexp(DIGEST_PATTERN),
        metadata={
            "pattern": DIGEST_PATTERN,
            "description": "The SHA-256 of the program's files, as docs/bots.md computes it.",
            "example": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        },
    )
    command = text_field(
        MAX_TEXT_LENGTH,
        required=True,
        metadata={"description": "The name of the program, without its folder and arguments.", "example": "mybot"},
    )
    version = text_field(
        MAX_TEXT_LENGTH,
        load_default=None,
        allow_none=True,
        metadata={"description": "What the program calls its version.", "example": "1.2"},
    )
    options = fields.Dict(
        keys=fields.String(),
        load_default=dict,
        metadata={
            "description": f"Options that everybody may know: at most {MAX_OPTIONS} texts, whole numbers and booleans, "
            f"{MAX_OPTIONS_BYTES} bytes of JSON in all. Put no secrets here.",
            "example": {"level": 3},
        },
    )


class NewBuild(BuildFields):
    """The build of a program that plays for your seat from now on."""

    seat = seat_field(load_default=None)


class EntrantBuild(BuildFields):
    """The build of a program that plays for you in the tournament."""

    pinned = Boolean(load_default=False, metadata={"description": "Whether no other build of yours may play in it."})


class Nothing(Strict):
    """An empty object. You can leave out the body."""


def laid_field() -> fields.Dict:
    """What lies on the places that dice lay out."""
    return fields.Dict(
        keys=fields.String(validate=validate.Regexp(rf"[A-Za-z0-9:>+.-]{{1,{MAX_PLACE}}}\Z")),
        values=fields.String(validate=validate.Length(1, MAX_PLACE)),
        validate=validate.Length(1, MAX_VALUES),
        metadata={
            "description": "Where dice lay out the board: what lies on each of the places that are due. In Rings these "
            "are the fields of the next ring, with `heavy`, `medium` and `light` terrain.",
            "example": {
                "a1": "heavy",
                "a2": "light",
                "a3": "light",
                "a4": "medium",
                "a5": "heavy",
                "a6": "light",
                "a7": "medium",
            },
        },
    )


class EnteredStep(_Step):
    """A step to enter: exactly one of `move`, `values`, `laid` and `withdraw`, which `cause` and `why` go with."""

    alternatives = (("move",), ("values",), ("laid",), ("withdraw", "cause", "why"))

    laid = laid_field()
    cause = fields.String(
        validate=validate.OneOf(WITHDRAWAL_CAUSES), metadata={"description": "Why it leaves. By default `resigned`."}
    )
    why = text_field(MAX_CAUSE_LENGTH, metadata={"description": "The reason for people."})

    @post_load
    def _step(self, data: dict[str, Any], **_: Any) -> commands.EnteredStep:
        match data:
            case {"move": move} if len(data) == 1:
                return str(move)
            case {"values": values} if len(data) == 1:
                return tuple(values)
            case {"laid": laid} if len(data) == 1:
                return dict(laid)
            case {"withdraw": seat} if not {"move", "values", "laid"} & data.keys():
                return SeatWithdrawn(seat, data.get("cause", "resigned"), None, data.get("why"))
        raise ValidationError("Must have exactly one of move, values, laid and withdraw.")


class _Entered(fields.Nested):
    """An EnteredStep. The many that are moves alone skip their schema."""

    def __init__(self) -> None:
        super().__init__(EnteredStep)

    def _deserialize(self, value: Any, attr: str | None, data: Any, partial: Any = None, **kwargs: Any) -> Any:
        if type(value) is dict and len(value) == 1:
            move = value.get("move")
            if type(move) is str and 1 <= len(move) <= MAX_MOVE_LENGTH:
                return move
        return super()._deserialize(value, attr, data, partial=partial, **kwargs)


class NewMove(Strict):
    """A move in the ruleset's notation, or several steps."""

    alternatives = (("move", "seat"), ("steps",))

    # The match checks the text, so that all refusals of a move have the codes of moves.
    move = fields.String(metadata={"description": "The move.", "example": "d4", "maxLength": MAX_MOVE_LENGTH})
    seat = seat_field(load_default=None)
    steps = fields.List(
        _Entered(),
        validate=validate.Length(1, MAX_ENTERED),
        metadata={
            "description": "Steps that are entered together, or not at all.",
            "example": [{"move": "d4"}, {"move": "e5"}],
        },
    )

    @validates_schema
    def _one_of_them(self, data: dict[str, Any], **_: Any) -> None:
        if "move" not in data and "steps" not in data:
            raise ValidationError({"move": ["Missing data for required field."]})
        if "steps" in data and ("move" in data or data["seat"] is not None):
            raise ValidationError("Must have either move, which seat goes with, or steps.")


class NewRoll(Strict):
    """What the dice showed at the table: either `values`, or what lies on the board because of them."""

    alternatives = (("values",), ("laid",))

    values = fields.List(
        integer_field(1, 2**31),
        validate=validate.Length(1, MAX_VALUES),
        metadata={"description": "One value for each die that is due.", "example": [3, 5]},
    )
    laid = laid_field()

    @validates_schema
    def _one_of_them(self, data: dict[str, Any], **_: Any) -> None:
        if len(data) != 1:
            raise ValidationError("Must have exactly one of values and laid.")


class TypedSteps(Strict):
    """Steps as on a score sheet, which go on from the present position, or from that at `version`."""

    text = fields.String(
        required=True,
        validate=validate.Length(1, MAX_TYPED),
        metadata={"description": "The steps, as in a text record without headers.", "example": "1. d4 2. e5"},
    )
    version = integer_field(
        1, 2**31, load_default=None, allow_none=True, metadata={"description": "By default the present version."}
    )
    picture = Boolean(load_default=False, metadata={"description": "Send the position after them as an SVG document."})


class Correction(Strict):
    """Which of the last steps are put right, and what stands in their place."""

    take_back = integer_field(
        1,
        MAX_CORRECTED,
        required=True,
        metadata={
            "description": "How many of the last steps the correction reaches back. A move, a roll, a withdrawal and "
            "an agreed draw are a step each."
        },
    )
    replaced = integer_field(
        0,
        MAX_CORRECTED,
        load_default=1,
        metadata={"description": "How many of them, from the first one on, `steps` stand in place of."},
    )
    steps = fields.List(
        _Entered(),
        load_default=list,
        validate=validate.Length(max=MAX_CORRECTED),
        metadata={"description": "The steps in their place.", "example": [{"move": "d4"}]},
    )
    dropped = integer_field(
        0,
        MAX_CORRECTED,
        load_default=0,
        metadata={"description": "How many of the last steps are lost. The others follow as they were."},
    )


class TakeBack(Strict):
    """How far to go back: either `steps` or `ply`."""

    steps = integer_field(
        1,
        2**31,
        load_default=None,
        metadata={
            "description": "How many of the last steps to take back. A move, a roll, a withdrawal and an agreed draw "
            "are a step each."
        },
    )
    ply = integer_field(
        0,
        2**31,
        load_default=None,
        metadata={"description": "The number of moves to keep. All that came after them is taken back."},
    )


class Withdrawal(Strict):
    """Why a seat leaves the match."""

    seat = seat_field(load_default=None)
    cause = fields.String(
        load_default="resigned",
        validate=validate.OneOf(WITHDRAWAL_CAUSES),
        metadata={"description": "Players can only resign. The recorder and an overseer can give any cause."},
    )
    fault = fields.String(
        load_default=None,
        allow_none=True,
        validate=validate.OneOf(WITHDRAWAL_FAULTS),
        metadata={"description": "With `resigned`: how the program that plays the seat failed."},
    )
    why = text_field(
        MAX_CAUSE_LENGTH,
        load_default=None,
        allow_none=True,
        metadata={"description": "The reason, for people. Required of an overseer."},
    )


class Draw(Strict):
    """The offer of a draw, or the answer to an offer."""

    action = fields.String(required=True, validate=validate.OneOf(["offer", "agree", "decline"]))
    seat = seat_field(load_default=None)


class Abort(Strict):
    """Why the match or tournament ends without an outcome."""

    cause = text_field(MAX_CAUSE_LENGTH, load_default="called off", metadata={"description": "The reason, for people."})


class Annulment(Strict):
    """Why a finished match no longer counts."""

    why = text_field(
        MAX_CAUSE_LENGTH,
        required=True,
        metadata={"description": "The reason, for people.", "example": "both seats were one person"},
    )


class Pause(Strict):
    """Why the match is paused."""

    why = text_field(
        MAX_CAUSE_LENGTH,
        required=True,
        metadata={"description": "The reason, for people.", "example": "the lights went out"},
    )


class Resumption(Strict):
    """Why the match goes on, if there is something to say."""

    why = text_field(
        MAX_CAUSE_LENGTH, load_default=None, allow_none=True, metadata={"description": "A remark, for people."}
    )


class ClockChange(Strict):
    """Time for a seat."""

    seat = integer_field(
        1, MAX_SEATS, required=True, metadata={"description": "The seat that gets the time or loses it."}
    )
    add_ms = integer_field(
        -MAX_ADJUSTMENT_MS,
        MAX_ADJUSTMENT_MS,
        required=True,
        metadata={
            "description": "The milliseconds that are added, a second at least. A negative number takes time.",
            "example": 120_000,
        },
    )
    why = text_field(
        MAX_CAUSE_LENGTH,
        required=True,
        metadata={"description": "The reason, for people.", "example": "the connection was lost"},
    )


_VARIATION = ("steps", "story", "seen_from", "picture", "touches", "names")


class Variation(Strict):
    """Steps to try on a position, without a match.

    Begin with a new game of `seats` seats, or with the position of a `match` at `ply`.
    """

    alternatives: ClassVar[tuple[tuple[str, ...], ...]] = (
        ("seats", "options", "ruleset_version", *_VARIATION),
        ("match", "ply", *_VARIATION),
    )

    seats = integer_field(1, MAX_SEATS, metadata={"description": "The number of seats of a new game."})
    options = options_field(load_default=missing)
    ruleset_version = ruleset_version_field(load_default=missing)
    match = fields.String(
        validate=validate.Length(1, 128), metadata={"description": "A match of this ruleset that you can read."}
    )
    ply = integer_field(
        0,
        2**31,
        metadata={"description": "Begin with the position of the match just before move `ply` + 1. By default 0."},
    )
    steps = _steps("The steps to try, in order.")
    seen_from = integer_field(
        1,
        MAX_SEATS,
        load_default=None,
        allow_none=True,
        metadata={"description": "The seat at whose side of the board the picture is drawn. By default seat 1."},
    )
    story = Boolean(load_default=False, metadata={"description": "Say what each of the steps did, not only the last."})
    picture = Boolean(load_default=False, metadata={"description": "Send the position as an SVG document too."})
    touches = fields.List(
        touch_field(),
        load_default=None,
        allow_none=True,
        validate=validate.Length(max=MAX_TOUCHES),
        metadata={"description": "What was touched on the picture of the position, in order: say what it leads to."},
    )
    names = fields.List(
        name_field(),
        load_default=list,
        validate=validate.Length(max=MAX_SEATS),
        metadata={"description": "What sentences call the players, in the order of seats.", "example": ["Ada", "Ben"]},
    )

    @validates_schema
    def _check(self, data: dict[str, Any], **_: Any) -> None:
        if ("seats" in data) == ("match" in data):
            raise ValidationError("Must have exactly one of seats and match.")
        if "seats" in data and "ply" in data:
            raise ValidationError("A new game has no ply: leave it out.")
        if "match" in data and ("options" in data or "ruleset_version" in data):
            raise ValidationError("A match has its own options and version of the rules: leave them out.")


class WantedSuggestion(Variation):
    """A position to suggest a move for: steps to try, as in a variation."""

    alternatives = tuple((*each, "playouts") for each in Variation.alternatives)

    playouts = integer_field(
        1,
        MAX_SUGGESTING,
        load_default=PLAYOUTS,
        metadata={"description": "How many playouts `mcts` makes to find the moves."},
    )
