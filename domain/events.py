"""The recorded facts of a match.

Once released, an event type keeps its word and its fields for ever. It may get further fields, but only with a default
that says what an event without them means. `plyscribe.domain.codec` reads and writes events.
"""

from dataclasses import dataclass, field
from typing import Any, ClassVar, NotRequired, TypedDict

OMITTED = "omitted"


def unless_default(default: Any) -> Any:
    """A dataclass field that is recorded only if it is not this default.

    So an event without it has the bytes that it had before the field existed, and earlier releases can read it.
    """
    return field(default=default, metadata={OMITTED: True})


WITHDRAWAL_CAUSES = ("resigned", "time", "absent", "disqualified")

WITHDRAWAL_FAULTS = ("crashed", "silent", "illegal", "unreadable")
"""Why a program's seat was resigned although play went on: the program crashed, gave no answer, gave only illegal
moves, or gave answers that nobody could read.
"""


@dataclass(frozen=True, slots=True)
class Account:
    """The player with this account id. It holds a seat only after it took the seat with its own token."""

    player: str


@dataclass(frozen=True, slots=True)
class Build:
    """A program as it was found when it was started: the SHA-256 of its files, in hex, and how it was called.

    `command` is the name of the program alone, without its folder and arguments, which may hold secrets. `options` are
    those that its owner wants to have known: texts, whole numbers and booleans.
    """

    digest: str
    command: str
    version: str | None
    options: dict[str, Any]

    def __str__(self) -> str:
        version = f" {self.version}" if self.version else ""
        return f"{self.command}{version}, sha256 {self.digest}"


@dataclass(frozen=True, slots=True)
class Guest:
    """A person without an account, whose name a recorder entered."""

    name: str


@dataclass(frozen=True, slots=True)
class BuiltIn:
    """One build of a bot of the server. It plays the same move for the same build, seat, ply and position.

    Without a seed, it has the one that follows from the match's secret (see `SealedSeeds`).
    """

    bot: str
    version: int
    seed: int | None
    playouts: int | None


Occupant = Account | Guest | BuiltIn


@dataclass(frozen=True, slots=True)
class ServerDice:
    """Dice that the server committed to before the match: `commitment` is SHA-256 of their secret, in hex."""

    mode: ClassVar[str] = "server"
    dice_id: str
    commitment: str
    key: str


@dataclass(frozen=True, slots=True)
class SharedDice(ServerDice):
    """Server dice that a fixed set of matches shares. They are revealed when the last of these matches has ended."""

    mode: ClassVar[str] = "shared"
    matches: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RecordedDice:
    """Dice thrown at a real table and entered by the recorder."""

    mode: ClassVar[str] = "recorded"


Dice = ServerDice | SharedDice | RecordedDice


@dataclass(frozen=True, slots=True)
class SealedSeeds:
    """Seeds of bots that the server committed to: `commitment` is SHA-256 of their secret, in hex."""

    commitment: str
    key: str


class PhaseLimits(TypedDict):
    """What holds once a seat has made `after` moves: `add_ms` more for all its moves, and this bonus for each move."""

    after: int
    add_ms: int
    increment_ms: NotRequired[int]
    delay_ms: NotRequired[int]
    bronstein_ms: NotRequired[int]


class SeatLimits(TypedDict):
    """The limits of one seat, in place of those of the match."""

    seat: int
    move_ms: int | None
    match_ms: int | None
    increment_ms: NotRequired[int]
    delay_ms: NotRequired[int]
    bronstein_ms: NotRequired[int]
    phases: NotRequired[list[PhaseLimits]]


class Limits(TypedDict):
    """The time for one move, and for all moves of a seat, in milliseconds; None for no limit.

    Only with a time for all moves, there may be a bonus for each of them (one of the three) and later `phases`, see
    `plyscribe.domain.clocks`. `seats` are those with limits of their own.
    """

    move_ms: int | None
    match_ms: int | None
    increment_ms: NotRequired[int]
    delay_ms: NotRequired[int]
    bronstein_ms: NotRequired[int]
    phases: NotRequired[list[PhaseLimits]]
    seats: NotRequired[list[SeatLimits]]


class Parent(TypedDict):
    """Where a fork begins: the forked match, and the ply."""

    match: str
    ply: int


@dataclass(frozen=True, slots=True)
class MatchCreated:
    """The match is announced, with complete options and with its seats in order.

    `counts_from` is "play" in rated matches that follow the rule of `plyscribe.domain.counting`. It is None in unrated
    matches and in older ones.
    """

    type: ClassVar[str] = "match-created"
    ruleset: str
    ruleset_version: int
    options: dict[str, Any]
    seats: tuple[Occupant | None, ...]
    recorder: str | None
    dice: Dice | None
    rated: bool
    private: bool
    start: str
    limits: Limits | None
    about: dict[str, Any] | None
    parent: Parent | None
    tournament: dict[str, Any] | None
    server: str
    rematch_of: str | None = None
    counts_from: str | None = None
    bots: SealedSeeds | None = None
    """The commitment to the seeds of bots; None if no bot of the match has a secret seed."""
    lag_ms: int | None = unless_default(None)
    """The most that a move is compensated for the way to the server and back; None if moves are not timed.

    Moves are timed in matches with limits, except in older ones.
    """


@dataclass(frozen=True, slots=True)
class SeatTaken:
    """Someone sat down: an account with its own token, or a guest whom the recorder entered."""

    type: ClassVar[str] = "seat-taken"
    seat: int
    player: Occupant


@dataclass(frozen=True, slots=True)
class SeatLeft:
    """The seat is open to anyone."""

    type: ClassVar[str] = "seat-left"
    seat: int


@dataclass(frozen=True, slots=True)
class EntropyAdded:
    """The seat's salt for the server's dice."""

    type: ClassVar[str] = "entropy-added"
    seat: int
    entropy: str


@dataclass(frozen=True, slots=True)
class BuildDeclared:
    """The account on the seat says which build of a program plays for it, from here on."""

    type: ClassVar[str] = "build-declared"
    seat: int
    build: Build


@dataclass(frozen=True, slots=True)
class MatchStarted:
    """Play begins: from here on, the ruleset decides whose turn it is."""

    type: ClassVar[str] = "match-started"


@dataclass(frozen=True, slots=True)
class MoveMade:
    """A legal move, in notation.

    In a match that times its moves (see MatchCreated.lag_ms), `spent_ms` is how long the seat took for it by the clock
    of the server, without pauses and without `lag_ms`, the part that the way to the server and back took.
    """

    type: ClassVar[str] = "move-made"
    seat: int
    move: str
    spent_ms: int | None = unless_default(None)
    lag_ms: int = unless_default(0)


@dataclass(frozen=True, slots=True)
class DiceRolled:
    """The values of the dice that the match waited for."""

    type: ClassVar[str] = "dice-rolled"
    sides: int
    count: int
    purpose: str
    seat: int | None
    values: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class MovesTakenBack:
    """The match is back where it was just before move `ply` + 1, and play goes on, even if the match had ended."""

    type: ClassVar[str] = "moves-taken-back"
    ply: int


@dataclass(frozen=True, slots=True)
class StepsTakenBack:
    """The last steps of the surviving line are undone, and play goes on, even if the match had ended.

    A move, a roll, a withdrawal and an agreed draw are a step each.
    """

    type: ClassVar[str] = "steps-taken-back"
    steps: int


@dataclass(frozen=True, slots=True)
class SeatWithdrawn:
    """A seat left the match, for one of WITHDRAWAL_CAUSES.

    `fault` is one of WITHDRAWAL_FAULTS if the seat's own side reported one, otherwise None. `why` is the reason for
    people, None if none was given.
    """

    type: ClassVar[str] = "seat-withdrawn"
    seat: int
    cause: str
    fault: str | None = None
    why: str | None = None


@dataclass(frozen=True, slots=True)
class MatchPaused:
    """Play is stopped: no clock runs and nobody moves until a match-resumed."""

    type: ClassVar[str] = "match-paused"
    why: str


@dataclass(frozen=True, slots=True)
class MatchResumed:
    """Play goes on, and with it the clock of the seat on turn."""

    type: ClassVar[str] = "match-resumed"
    why: str | None


@dataclass(frozen=True, slots=True)
class ClockAdjusted:
    """The seat has `add_ms` more time than its limits give it, or less if that is negative.

    Where a seat has time for all its moves together, that time changes, otherwise the time for the decision due.
    """

    type: ClassVar[str] = "clock-adjusted"
    seat: int
    add_ms: int
    why: str


DRAW_AGREED = "draw-agreed"
"""The reason of a match-ended that the seats agreed on. All other ends follow from the rules."""

LineStep = MoveMade | DiceRolled | SeatWithdrawn
"""A step of a line: it takes a match from one position to the next."""


@dataclass(frozen=True, slots=True)
class LineCopied:
    """A match begins with this line: that of its parent up to a ply, if it is a fork, and steps that somebody tried.

    `salts` are the entropies of the parent's seats if the fork continues the parent's server dice, otherwise None.
    """

    type: ClassVar[str] = "line-copied"
    steps: tuple[LineStep, ...]
    salts: tuple[str | None, ...] | None


@dataclass(frozen=True, slots=True)
class DrawOffered:
    """The offer stays open until every other seat in play has agreed, a seat declines, or play goes on."""

    type: ClassVar[str] = "draw-offered"
    seat: int


@dataclass(frozen=True, slots=True)
class DrawAgreed:
    """The seat agrees to the open offer."""

    type: ClassVar[str] = "draw-agreed"
    seat: int


@dataclass(frozen=True, slots=True)
class DrawDeclined:
    """The seat declines, which closes the offer."""

    type: ClassVar[str] = "draw-declined"
    seat: int


@dataclass(frozen=True, slots=True)
class MatchEnded:
    """The outcome, with one rank for each seat."""

    type: ClassVar[str] = "match-ended"
    reason: str
    ranks: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class RecordConfirmed:
    """The recorder confirms that everything is entered right: no step is taken back any more."""

    type: ClassVar[str] = "record-confirmed"


@dataclass(frozen=True, slots=True)
class DiceRevealed:
    """The secret behind the commitment, in hex: with it, anyone can compute every roll again."""

    type: ClassVar[str] = "dice-revealed"
    secret: str


@dataclass(frozen=True, slots=True)
class SeedsRevealed:
    """The secret behind the seeds of the match's bots, in hex: with it, anyone can compute the seeds."""

    type: ClassVar[str] = "seeds-revealed"
    secret: str


@dataclass(frozen=True, slots=True)
class MatchAborted:
    """The match has no outcome.

    `seat` is the seat that left a rated match before it counted, for `cause` and with the reason `why` if one was
    given. Otherwise both are None.
    """

    type: ClassVar[str] = "match-aborted"
    cause: str
    seat: int | None = None
    why: str | None = None


@dataclass(frozen=True, slots=True)
class MatchVerified:
    """A second execution agreed with all events up to `version`; `digest` is SHA-256 of the final view, in hex."""

    type: ClassVar[str] = "match-verified"
    version: int
    digest: str


@dataclass(frozen=True, slots=True)
class MatchRefuted:
    """A second execution disagreed; `version` is the first event at fault."""

    type: ClassVar[str] = "match-refuted"
    version: int
    why: str


@dataclass(frozen=True, slots=True)
class MatchScored:
    """The points of each seat, and the match's version in the ratings ledger (None: unrated)."""

    type: ClassVar[str] = "match-scored"
    points: tuple[int, ...]
    ledger: int | None


@dataclass(frozen=True, slots=True)
class MatchAnnulled:
    """The match no longer counts; its record stays."""

    type: ClassVar[str] = "match-annulled"
    why: str


EventData = (
    MatchCreated
    | LineCopied
    | SeatTaken
    | SeatLeft
    | EntropyAdded
    | BuildDeclared
    | MatchStarted
    | MoveMade
    | DiceRolled
    | MovesTakenBack
    | StepsTakenBack
    | SeatWithdrawn
    | DrawOffered
    | DrawAgreed
    | DrawDeclined
    | MatchPaused
    | MatchResumed
    | ClockAdjusted
    | MatchEnded
    | RecordConfirmed
    | DiceRevealed
    | SeedsRevealed
    | MatchAborted
    | MatchVerified
    | MatchRefuted
    | MatchScored
    | MatchAnnulled
)

EVENT_TYPES: dict[str, type[EventData]] = {kind.type: kind for kind in EventData.__args__}
"""Every event type of a match, by its word."""
