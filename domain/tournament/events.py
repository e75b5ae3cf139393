"""The recorded facts of a tournament."""

from dataclasses import dataclass
from typing import Any, ClassVar

from plyscribe.domain.events import Limits, Occupant, SeatWithdrawn

FAILURES = ("refuted", "play-failed", "called-off", "annulled")
"""How the platform, or who runs it, fails a match: its second execution disagreed; what plays the server's bots, or the
rules, broke down; it was aborted; it was annulled before it counted.
"""


@dataclass(frozen=True, slots=True)
class TournamentCreated:
    """The tournament is announced: what is played, how entrants meet, and what results are worth.

    `seats` is the size of a match. `format` and `scoring` are complete, see `terms.py`. All that chance
    decides follows from `seed`.
    """

    type: ClassVar[str] = "tournament-created"
    name: str
    ruleset: str
    ruleset_version: int
    options: dict[str, Any]
    seats: int
    format: dict[str, Any]
    repeat: str
    openings: tuple[tuple[str, ...], ...]
    scoring: dict[str, Any]
    tiebreaks: tuple[str, ...]
    limits: Limits | None
    max_entrants: int
    is_open: bool
    seed: int
    server: str
    sprt: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class EntrantRegistered:
    """An account or a bot of the server takes part, under the next number."""

    type: ClassVar[str] = "entrant-registered"
    entrant: int
    occupant: Occupant
    label: str | None


@dataclass(frozen=True, slots=True)
class EntrantWithdrawn:
    """The entrant plays no further round."""

    type: ClassVar[str] = "entrant-withdrawn"
    entrant: int
    cause: str


@dataclass(frozen=True, slots=True)
class EntrantAbsent:
    """The entrant sits out one round that is not paired yet."""

    type: ClassVar[str] = "entrant-absent"
    entrant: int
    round: int


@dataclass(frozen=True, slots=True)
class TournamentStarted:
    """From here on rounds are paired."""

    type: ClassVar[str] = "tournament-started"


@dataclass(frozen=True, slots=True)
class RoundPaired:
    """Who meets whom: a board holds its entrants in the order of seats of its first game.

    `costs` says why, and `engine` what worked it out, so that it can be worked out again.
    """

    type: ClassVar[str] = "round-paired"
    round: int
    boards: tuple[tuple[int, ...], ...]
    byes: tuple[int, ...]
    absent: tuple[int, ...]
    costs: dict[str, Any]
    engine: str


@dataclass(frozen=True, slots=True)
class GameDecided:
    """A game of a board was played to its end: ranks and reason as the match has them, one rank a seat.

    `made_at` (UTC milliseconds) is when the match was made, `left` are the seats that left it, in that order.
    """

    type: ClassVar[str] = "game-decided"
    round: int
    board: int
    game: int
    match: str
    ranks: tuple[int, ...]
    reason: str
    made_at: int | None = None
    left: tuple[SeatWithdrawn, ...] = ()


@dataclass(frozen=True, slots=True)
class AttemptFailed:
    """A match of the game came to nothing by a fault of the platform, and another one is played in its place.

    `cause` is one of FAILURES. What an entrant does decides a game, and is no such failure.
    """

    type: ClassVar[str] = "attempt-failed"
    round: int
    board: int
    game: int
    match: str
    cause: str
    why: str
    made_at: int


@dataclass(frozen=True, slots=True)
class GameAnnulled:
    """A game counts for nothing; that these entrants met stands."""

    type: ClassVar[str] = "game-annulled"
    round: int
    board: int
    game: int
    why: str


@dataclass(frozen=True, slots=True)
class TournamentEnded:
    """The last game that was to be played is decided, or there is no use in another."""

    type: ClassVar[str] = "tournament-ended"
    reason: str


@dataclass(frozen=True, slots=True)
class TournamentAborted:
    """There is no final table."""

    type: ClassVar[str] = "tournament-aborted"
    cause: str


TournamentEvent = (
    TournamentCreated
    | EntrantRegistered
    | EntrantWithdrawn
    | EntrantAbsent
    | TournamentStarted
    | RoundPaired
    | GameDecided
    | AttemptFailed
    | GameAnnulled
    | TournamentEnded
    | TournamentAborted
)
