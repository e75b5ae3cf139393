"""The commands of a match. Time, ids and secrets are fields, so deciding is a pure function."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

from plyscribe.domain.events import (
    Build,
    Dice,
    Guest,
    LineCopied,
    MatchEnded,
    MatchRefuted,
    MatchVerified,
    Occupant,
    Parent,
    SealedSeeds,
    SeatWithdrawn,
)


class Actor(NamedTuple):
    """Who gives a command: `role` is player, recorder, organiser or system; `id` is an account's id or a job's name.

    A tournament that withdraws a seat is an organiser too, with its own id.
    """

    role: str
    id: str

    def __str__(self) -> str:
        return f"{self.role}:{self.id}"


MAX_REPEATED = 128
"""The longest `by` that is worth remembering. Ours are shorter; an imported event may have any."""


def parse_actor(text: str) -> Actor:
    """The actor from an envelope's `by`; inverse of str."""
    return _parse_again(text) if len(text) <= MAX_REPEATED else _parse_actor(text)


def _parse_actor(text: str) -> Actor:
    role, _, id = text.partition(":")
    return Actor(role, id)


_parse_again = lru_cache(maxsize=4096)(_parse_actor)


class Secret(NamedTuple):
    """What a match keeps secret until its end: the secrets of its server dice and of its bots' seeds, if it has any."""

    dice: bytes | None = None
    seeds: bytes | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A request: who, when (UTC milliseconds), its id in hex, and the match's secret, if it has one.

    A verifier that does not know the secret of the dice passes the recorded values as `rolls`, roll by roll, and they
    are used unchecked. `again` marks a command that was rebuilt from recorded events, which may be older than a rule.
    """

    actor: Actor
    at: int = 0
    id: str = ""
    secret: Secret | None = None
    rolls: tuple[tuple[int, ...], ...] | None = None
    again: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateMatch(Command):
    """Announce a match. `options` may be partial; `dice` is ignored when the game has no chance in it.

    A bot without a seed needs `bots`, which is ignored when all bots have seeds.

    The creator, guests and built-in bots are seated at once; other accounts are invited. A fork has a `parent`,
    and begins with a `line`: that of its parent, and steps that were tried on it. Any unrated match may begin with a
    line. Only a rated match has a `counts_from`: see `plyscribe.domain.counting`. With a `lag_ms`, the moves of a match
    with limits are timed: see MatchCreated.
    """

    ruleset: str
    ruleset_version: int | None = None
    options: dict[str, Any] = field(default_factory=dict)
    seats: tuple[Occupant | None, ...]
    recorder: str | None = None
    dice: Dice | None = None
    bots: SealedSeeds | None = None
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
    counts_from: str | None = "play"
    lag_ms: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TakeSeat(Command):
    """Sit down; a recorder may seat a guest."""

    seat: int
    guest: Guest | None = None
    entropy: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaveSeat(Command):
    """Leave a seat, decline an invitation or, as the creator, open the seat to anyone."""

    seat: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AddEntropy(Command):
    """Salt the server's dice; each seat may do so once."""

    entropy: str
    seat: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StartMatch(Command):
    """Start the match, without waiting for entropy."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MakeMove(Command):
    """Play `move` for the seat on turn; `seat`, if given, must be that seat.

    `thought_ms` is how long the seat had the position, by the word of its program; None without such a word. What is
    missing from the time by the server's clock is lag, which is compensated for up to a quota.
    """

    move: str
    seat: int | None = None
    thought_ms: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayOn(Command):
    """Play these moves of built-in bots in order, each for the seat on turn."""

    moves: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordRoll(Command):
    """Enter the values of the dice that the match waits for, as thrown at the table, or what they lay on each place."""

    values: tuple[int, ...] | Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class TakeBack(Command):
    """Take back the last `steps` steps of the surviving line, or all moves after the first `ply`: one of the two."""

    ply: int | None = None
    steps: int | None = None


EnteredStep = str | tuple[int, ...] | Mapping[str, str] | SeatWithdrawn
"""A step as it is entered with others: a move, what dice showed or laid, or who left."""

CorrectedStep = EnteredStep | MatchEnded
"""A step as a recorder puts it right; MatchEnded is an agreed draw."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Correct(Command):
    """Put right the last `take_back` steps of the surviving line, all at once.

    `steps` stand in place of the first `replaced` of them. The others follow as they were, except the last `dropped`.
    """

    take_back: int
    steps: tuple[CorrectedStep, ...] = ()
    replaced: int = 1
    dropped: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Withdraw(Command):
    """Take a seat out of the match. A player who holds only one seat may leave out `seat`.

    The system withdraws a seat whose time has run out by `at`, with the cause `time`. When a program's own side
    resigns because the program failed, it may say how: `fault` is one of WITHDRAWAL_FAULTS. `why` is the reason for
    people, which an organiser must give.
    """

    seat: int | None = None
    cause: str = "resigned"
    fault: str | None = None
    why: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclareBuild(Command):
    """Say which build of a program plays for a seat of yours from now on."""

    build: Build
    seat: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferDraw(Command):
    """Offer a draw to all other seats in play."""

    seat: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerDraw(Command):
    """Agree to the open offer of a draw, or decline it."""

    accept: bool
    seat: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PauseMatch(Command):
    """Stop play, as somebody who directs the match and does not sit in it: no clock runs and nobody moves."""

    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ResumeMatch(Command):
    """Let a paused match go on."""

    why: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AdjustClock(Command):
    """Give a seat `add_ms` milliseconds more time, or take them from it if that is negative."""

    seat: int
    add_ms: int
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AbortMatch(Command):
    """End the match without an outcome."""

    cause: str = "called off"


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfirmRecord(Command):
    """Confirm, as the recorder of a match that has ended, that everything is entered right."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RevealDice(Command):
    """Reveal dice that several matches share. The caller has to make sure that all of these matches are over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordVerdict(Command):
    """Enter the verdict of a second execution of the finished match."""

    verdict: MatchVerified | MatchRefuted


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreMatch(Command):
    """Enter the points of a verified match; `ledger` is its version in the ratings ledger, None if it is unrated."""

    ledger: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnulMatch(Command):
    """Stop a finished match from counting."""

    why: str
