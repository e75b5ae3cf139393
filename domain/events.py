"""The recorded facts of a match, their envelope, and their one canonical form.

An event's type word and fields are fixed for ever once released: older shapes are brought to the newest form here,
on reading, and nowhere else.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, TypedDict

WITHDRAWAL_CAUSES = ("resigned", "time", "absent", "disqualified")

WITHDRAWAL_FAULTS = ("crashed", "silent", "illegal", "unreadable")
"""Why a program's seat is resigned that would have gone on: it died, gave no answer, only illegal moves, or nothing
that can be read.
"""


@dataclass(frozen=True, slots=True)
class Account:
    """The player with this account id: binds a seat only when its own token took it."""

    player: str


@dataclass(frozen=True, slots=True)
class Guest:
    """A person without an account, entered by a recorder under a name."""

    name: str


@dataclass(frozen=True, slots=True)
class BuiltIn:
    """A bot of the server, in one build: its moves follow from this, its seat and the position."""

    bot: str
    version: int
    seed: int
    playouts: int | None


Occupant = Account | Guest | BuiltIn


@dataclass(frozen=True, slots=True)
class ServerDice:
    """Dice that the server committed to before the match: SHA-256 of their secret, in hex."""

    mode: ClassVar[str] = "server"
    dice_id: str
    commitment: str
    key: str


@dataclass(frozen=True, slots=True)
class SharedDice(ServerDice):
    """Server dice that several matches have, those of this closed set: they are revealed when the last has ended."""

    mode: ClassVar[str] = "shared"
    matches: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RecordedDice:
    """Dice thrown on a real table and written down by the recorder."""

    mode: ClassVar[str] = "recorded"


Dice = ServerDice | SharedDice | RecordedDice


class Limits(TypedDict):
    """The time for a move, and for all of a seat's moves: milliseconds, None for the one that is not limited."""

    move_ms: int | None
    match_ms: int | None


class Parent(TypedDict):
    """Where a fork begins: the match that it is a fork of, and the ply."""

    match: str
    ply: int


@dataclass(frozen=True, slots=True)
class MatchCreated:
    """The match is announced; its options are complete and its seats numbered in order."""

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


@dataclass(frozen=True, slots=True)
class SeatTaken:
    """Someone sat down: an account by its own token, or a guest that the recorder entered."""

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
class MatchStarted:
    """From here on the ruleset says whose turn it is."""

    type: ClassVar[str] = "match-started"


@dataclass(frozen=True, slots=True)
class MoveMade:
    """A legal move, in notation."""

    type: ClassVar[str] = "move-made"
    seat: int
    move: str


@dataclass(frozen=True, slots=True)
class DiceRolled:
    """What the awaited dice showed."""

    type: ClassVar[str] = "dice-rolled"
    sides: int
    count: int
    purpose: str
    seat: int | None
    values: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class MovesTakenBack:
    """The match stands as it did just before move `ply` + 1."""

    type: ClassVar[str] = "moves-taken-back"
    ply: int


@dataclass(frozen=True, slots=True)
class SeatWithdrawn:
    """A seat left the match, for one of WITHDRAWAL_CAUSES.

    `fault`, one of WITHDRAWAL_FAULTS, is what the seat's own side told of it; None otherwise.
    """

    type: ClassVar[str] = "seat-withdrawn"
    seat: int
    cause: str
    fault: str | None = None


LineStep = MoveMade | DiceRolled | SeatWithdrawn
"""What a line is made of: all that takes a match from one position to the next."""


@dataclass(frozen=True, slots=True)
class LineCopied:
    """A fork begins with this line, that of its parent up to a ply.

    `salts` are the entropies of the parent's seats where the parent's server dice go on, else None.
    """

    type: ClassVar[str] = "line-copied"
    steps: tuple[LineStep, ...]
    salts: tuple[str | None, ...] | None


@dataclass(frozen=True, slots=True)
class DrawOffered:
    """Open until every other seat in play agreed, one declined, or play went on."""

    type: ClassVar[str] = "draw-offered"
    seat: int


@dataclass(frozen=True, slots=True)
class DrawAgreed:
    """The seat agrees to the open offer."""

    type: ClassVar[str] = "draw-agreed"
    seat: int


@dataclass(frozen=True, slots=True)
class DrawDeclined:
    """The seat declined; the offer is closed."""

    type: ClassVar[str] = "draw-declined"
    seat: int


@dataclass(frozen=True, slots=True)
class MatchEnded:
    """The outcome: one rank a seat."""

    type: ClassVar[str] = "match-ended"
    reason: str
    ranks: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class DiceRevealed:
    """The secret behind the commitment, in hex: every roll can be computed again."""

    type: ClassVar[str] = "dice-revealed"
    secret: str


@dataclass(frozen=True, slots=True)
class MatchAborted:
    """The match has no outcome."""

    type: ClassVar[str] = "match-aborted"
    cause: str


@dataclass(frozen=True, slots=True)
class MatchVerified:
    """A second execution up to `version` agreed; `digest` is SHA-256 of the final view, in hex."""

    type: ClassVar[str] = "match-verified"
    version: int
    digest: str


@dataclass(frozen=True, slots=True)
class MatchRefuted:
    """A second execution disagreed first at event `version`."""

    type: ClassVar[str] = "match-refuted"
    version: int
    why: str


@dataclass(frozen=True, slots=True)
class MatchScored:
    """Points of each seat, and the place in the ratings ledger (None: unrated)."""

    type: ClassVar[str] = "match-scored"
    points: tuple[int, ...]
    ledger: int | None


@dataclass(frozen=True, slots=True)
class MatchAnnulled:
    """The match counts for nothing; its record stays."""

    type: ClassVar[str] = "match-annulled"
    why: str


EventData = (
    MatchCreated
    | LineCopied
    | SeatTaken
    | SeatLeft
    | EntropyAdded
    | MatchStarted
    | MoveMade
    | DiceRolled
    | MovesTakenBack
    | SeatWithdrawn
    | DrawOffered
    | DrawAgreed
    | DrawDeclined
    | MatchEnded
    | DiceRevealed
    | MatchAborted
    | MatchVerified
    | MatchRefuted
    | MatchScored
    | MatchAnnulled
)

EVENT_TYPES: dict[str, type[EventData]] = {kind.type: kind for kind in EventData.__args__}
"""Every event type of a match by its word."""
