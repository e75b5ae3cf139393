"""What can be asked of a match. Time, ids and secrets are fields: deciding is a pure function."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

from plyscribe.domain.events import Dice, Guest, LineCopied, MatchRefuted, MatchVerified, Occupant, Parent


class Actor(NamedTuple):
    """Who asks: `role` is player, recorder, organiser or system; `id` an account's id or a job's name."""

    role: str
    id: str

    def __str__(self) -> str:
        return f"{self.role}:{self.id}"


@lru_cache(maxsize=4096)
def parse_actor(text: str) -> Actor:
    """The actor behind an envelope's `by`; inverse of str."""
    role, _, id = text.partition(":")
    return Actor(role, id)


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A request: who, when (UTC milliseconds), its id in hex, and the secret of the match's server dice if any.

    `rolls` is for a verifier to whom the dice are secret: what they showed, roll by roll, is then believed.
    """

    actor: Actor
    at: int = 0
    id: str = ""
    secret: bytes | None = None
    rolls: tuple[tuple[int, ...], ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateMatch(Command):
    """Announce a match. `options` may be partial; `dice` is dropped where the game has no chance in it.

    The creator's own seat, guests and built-in bots are seated at once; other accounts are invited. A fork, and no
    other match, has a `parent` and begins with a `line` of it.
    """

    ruleset: str
    ruleset_version: int | None = None
    options: dict[str, Any] = field(default_factory=dict)
    seats: tuple[Occupant | None, ...]
    recorder: str | None = None
    dice: Dice | None = None
    rated: bool = False
    private: bool = False
    start: str = "auto"
    limits: Mapping[str, Any] | None = None
    about: dict[str, Any] | None = None
    parent: Parent | None = None
    line: LineCopied | None = None
    rematch_of: str | None = None
    tournament: dict[str, Any] | None = None
    server: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TakeSeat(Command):
    """Sit down; a recorder may seat a guest."""

    seat: int
    guest: Guest | None = None
    entropy: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaveSeat(Command):
    """Stand up, decline an invitation, or (the creator) open the seat to anyone."""

    seat: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AddEntropy(Command):
    """Salt the server's dice, once a seat."""

    entropy: str
    seat: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StartMatch(Command):
    """Begin, without waiting for entropy."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MakeMove(Command):
    """Play `move` for the seat on turn; `seat`, where given, must be that seat."""

    move: str
    seat: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayOn(Command):
    """Play these moves of built-in bots one after another, each for the seat on turn."""

    moves: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordRoll(Command):
    """Write down what the awaited dice showed on the table."""

    values: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TakeBack(Command):
    """Go back to the state just before move `ply` + 1."""

    ply: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Withdraw(Command):
    """Take a seat out of the match; `seat` may be left out by a player who holds one.

    The system withdraws a seat whose time is over at `at`, for the cause `time`. Who resigns for a program that
    failed may tell by which of WITHDRAWAL_FAULTS.
    """

    seat: int | None = None
    cause: str = "resigned"
    fault: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferDraw(Command):
    """Offer a draw to all other seats in play."""

    seat: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerDraw(Command):
    """Agree to the open offer or decline it."""

    accept: bool
    seat: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AbortMatch(Command):
    """End without an outcome."""

    cause: str = "called off"


@dataclass(frozen=True, slots=True, kw_only=True)
class RevealDice(Command):
    """Reveal dice that several matches share, all of which are over: that they are, whoever asks has to know."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordVerdict(Command):
    """Enter what a second execution of the finished match found."""

    verdict: MatchVerified | MatchRefuted


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreMatch(Command):
    """Enter the points of a verified match; `ledger` is its place in the ratings ledger if it is rated."""

    ledger: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnulMatch(Command):
    """Make a finished match count for nothing."""

    why: str
