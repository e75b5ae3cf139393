"""The recorded facts of a tournament."""

from dataclasses import dataclass
from typing import Any, ClassVar

from plyscribe.domain.events import Limits, Occupant, SeatWithdrawn

INVITATION_ENDS = ("declined", "withdrawn")
"""How an invitation ends without an entrant: the account declined it, or the organiser withdrew it."""

FAILURES = ("refuted", "play-failed", "called-off", "annulled")
"""Why a match of a game failed: its second execution disagreed; the server's bots or the rules broke down; the match
was aborted; it was annulled before it counted. These are faults of the platform or its operators.
"""


@dataclass(frozen=True, slots=True)
class TournamentCreated:
    """The tournament is announced: its game, how entrants meet, and what results are worth.

    `seats` is the number of seats in a match. `format` and `scoring` are complete: see `terms.py`. All random choices
    follow from `seed`.
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
class EntrantInvited:
    """The organiser invites an account, which takes part only once it has accepted."""

    type: ClassVar[str] = "entrant-invited"
    player: str
    label: str | None


@dataclass(frozen=True, slots=True)
class InvitationEnded:
    """The account is no longer invited: it declined, or the organiser withdrew the invitation.

    `cause` is one of INVITATION_ENDS. An account that accepts is registered instead.
    """

    type: ClassVar[str] = "invitation-ended"
    player: str
    cause: str


@dataclass(frozen=True, slots=True)
class EntrantRegistered:
    """An account or a bot of the server takes part, with the next number."""

    type: ClassVar[str] = "entrant-registered"
    entrant: int
    occupant: Occupant
    label: str | None


@dataclass(frozen=True, slots=True)
class EntrantWithdrawn:
    """The entrant plays no more rounds.

    `cause` is `entrant` (it withdrew itself), `organiser` or `disqualified`. `why` is what the organiser said about it;
    None if nothing, and in events of earlier releases.
    """

    type: ClassVar[str] = "entrant-withdrawn"
    entrant: int
    cause: str
    why: str | None = None


@dataclass(frozen=True, slots=True)
class EntrantAbsent:
    """The entrant sits out a round that is not paired yet."""

    type: ClassVar[str] = "entrant-absent"
    entrant: int
    round: int


@dataclass(frozen=True, slots=True)
class TournamentStarted:
    """Rounds are paired from here on."""

    type: ClassVar[str] = "tournament-started"


@dataclass(frozen=True, slots=True)
class RoundPaired:
    """The pairing of a round: each board has its entrants in the order of seats of its first game.

    `costs` explains the pairing, and `engine` names the algorithm, so anyone can compute the pairing again.
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
    """A game of a board has ended, with the reason and the rank of each seat as in its match.

    `made_at` is when the match was made (UTC milliseconds; None in events of earlier releases). `left` are the seats
    that left it, in order.
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
    """A match of the game failed by a fault of the platform, and another one is played in its place.

    `cause` is one of FAILURES. When an entrant is at fault, that decides the game instead.
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
class GameRetried:
    """A game that was given up gets as many attempts again."""

    type: ClassVar[str] = "game-retried"
    round: int
    board: int
    game: int
    why: str


@dataclass(frozen=True, slots=True)
class GameAdjudicated:
    """The organiser decides a game: `ranks` are the rank of each seat. No match decides it any more."""

    type: ClassVar[str] = "game-adjudicated"
    round: int
    board: int
    game: int
    ranks: tuple[int, ...]
    why: str


@dataclass(frozen=True, slots=True)
class GameForfeited:
    """These entrants lose a game without a result. No match decides it any more."""

    type: ClassVar[str] = "game-forfeited"
    round: int
    board: int
    game: int
    entrants: tuple[int, ...]
    why: str


@dataclass(frozen=True, slots=True)
class GameAnnulled:
    """A game no longer counts, but its entrants still have met."""

    type: ClassVar[str] = "game-annulled"
    round: int
    board: int
    game: int
    why: str


@dataclass(frozen=True, slots=True)
class TournamentEnded:
    """All games are decided, or no further game is needed."""

    type: ClassVar[str] = "tournament-ended"
    reason: str


@dataclass(frozen=True, slots=True)
class TournamentAborted:
    """The tournament was called off, without a final table."""

    type: ClassVar[str] = "tournament-aborted"
    cause: str


TournamentEvent = (
    TournamentCreated
    | EntrantInvited
    | InvitationEnded
    | EntrantRegistered
    | EntrantWithdrawn
    | EntrantAbsent
    | TournamentStarted
    | RoundPaired
    | GameDecided
    | AttemptFailed
    | GameRetried
    | GameAdjudicated
    | GameForfeited
    | GameAnnulled
    | TournamentEnded
    | TournamentAborted
)
