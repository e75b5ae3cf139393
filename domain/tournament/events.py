"""The recorded facts of a tournament."""

from dataclasses import dataclass
from typing import Any, ClassVar

from plyscribe.domain.events import Build, Limits, Occupant, SeatWithdrawn, unless_default

INVITATION_ENDS = ("declined", "withdrawn")
"""How an invitation ends without an entrant: the account declined it, or the organiser withdrew it."""

REQUEST_ENDS = ("withdrawn", "refused")
"""How a request to be let in ends without an entrant: the account withdrew it, or the organiser refused it."""

FAILURES = ("refuted", "play-failed", "called-off", "annulled")
"""Why a match of a game failed: its second execution disagreed; the server's bots or the rules broke down; the match
was aborted; it was annulled before it counted. These are faults of the platform or its operators.
"""


@dataclass(frozen=True, slots=True)
class TournamentCreated:
    """The tournament is announced: its game, how entrants meet, and what results are worth.

    `seats` is the number of seats in a match. `format` and `scoring` are complete: see `terms.py`. All random choices
    follow from `seed`.

    `rounds_begin` is `auto`, or `call` if an arbiter calls each round. A tournament `at_table` is played on real
    tables, and its matches are recorded there. Matches between accounts are rated if it is `rated`. A `private`
    tournament is shown only to those who take part.
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
    rounds_begin: str = unless_default("auto")
    at_table: bool = unless_default(False)
    rated: bool = unless_default(False)
    private: bool = unless_default(False)


@dataclass(frozen=True, slots=True)
class ArbiterNamed:
    """The organiser makes an account an arbiter, who may do what the organiser may in the course of the tournament."""

    type: ClassVar[str] = "arbiter-named"
    player: str


@dataclass(frozen=True, slots=True)
class ArbiterDismissed:
    """The account is an arbiter no longer."""

    type: ClassVar[str] = "arbiter-dismissed"
    player: str


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
class EntryRequested:
    """An account asks to be let into a tournament that is not open."""

    type: ClassVar[str] = "entry-requested"
    player: str
    label: str | None


@dataclass(frozen=True, slots=True)
class EntryRequestEnded:
    """The account does not ask any more. `cause` is one of REQUEST_ENDS; `why` is what the organiser said.

    An account that is let in is registered instead.
    """

    type: ClassVar[str] = "entry-request-ended"
    player: str
    cause: str
    why: str | None


@dataclass(frozen=True, slots=True)
class EntrantRegistered:
    """An account, a guest or a bot of the server takes part, with the next number."""

    type: ClassVar[str] = "entrant-registered"
    entrant: int
    occupant: Occupant
    label: str | None


@dataclass(frozen=True, slots=True)
class EntrantSeeded:
    """The entrant's rating and seed, either of which may be missing: see `seeding.py`."""

    type: ClassVar[str] = "entrant-seeded"
    entrant: int
    rating: int | None
    seed: int | None


@dataclass(frozen=True, slots=True)
class EntrantAssigned:
    """The entrant's team and its place in the board order there, either of which may be missing."""

    type: ClassVar[str] = "entrant-assigned"
    entrant: int
    team: str | None
    place: int | None


@dataclass(frozen=True, slots=True)
class BuildEntered:
    """The account of an entrant says which build of a program plays for it. If it is `pinned`, no other one may."""

    type: ClassVar[str] = "build-entered"
    entrant: int
    build: Build
    pinned: bool


@dataclass(frozen=True, slots=True)
class SeatBuild:
    """A build that played on a seat of a game."""

    seat: int
    build: Build


@dataclass(frozen=True, slots=True)
class EntrantReturned:
    """An entrant who had withdrawn plays again, from the next round that is paired."""

    type: ClassVar[str] = "entrant-returned"
    entrant: int
    why: str


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
    """The entrant sits out a round that is not paired yet.

    With `bye`, it asked for a bye, which is worth `scoring.asked_bye`; otherwise `scoring.absence`.
    """

    type: ClassVar[str] = "entrant-absent"
    entrant: int
    round: int
    bye: bool = unless_default(False)


@dataclass(frozen=True, slots=True)
class EntrantPresent:
    """The entrant does not sit out that round after all."""

    type: ClassVar[str] = "entrant-present"
    entrant: int
    round: int


@dataclass(frozen=True, slots=True)
class TournamentStarted:
    """Rounds are paired from here on."""

    type: ClassVar[str] = "tournament-started"


@dataclass(frozen=True, slots=True)
class TournamentPaused:
    """No round is paired and no match is made until it is resumed. Matches under way go on, except with `matches`."""

    type: ClassVar[str] = "tournament-paused"
    why: str
    matches: bool = unless_default(False)
    """Whether the matches under way are paused, too."""


@dataclass(frozen=True, slots=True)
class TournamentResumed:
    """The tournament goes on."""

    type: ClassVar[str] = "tournament-resumed"


@dataclass(frozen=True, slots=True)
class RoundCalled:
    """The next round is to be paired now, in a tournament whose rounds are called."""

    type: ClassVar[str] = "round-called"
    round: int


@dataclass(frozen=True, slots=True)
class RoundTakenBack:
    """The last round, in which no game was decided, counts as never paired. Its matches are aborted."""

    type: ClassVar[str] = "round-taken-back"
    round: int
    why: str


@dataclass(frozen=True, slots=True)
class RoundPaired:
    """The pairing of a round: each board has its entrants in the order of seats of its first game.

    `costs` explains the pairing, and `engine` names the algorithm, so anyone can compute the pairing again. Its games
    are to be decided by `deadline` (UTC milliseconds), in formats that have deadlines.
    """

    type: ClassVar[str] = "round-paired"
    round: int
    boards: tuple[tuple[int, ...], ...]
    byes: tuple[int, ...]
    absent: tuple[int, ...]
    costs: dict[str, Any]
    engine: str
    deadline: int | None = unless_default(None)


@dataclass(frozen=True, slots=True)
class ChallengeMade:
    """An entrant of a ladder challenges another one. The round that follows is their board."""

    type: ClassVar[str] = "challenge-made"
    round: int
    challenger: int
    challenged: int


@dataclass(frozen=True, slots=True)
class TournamentClosed:
    """The organiser closes a ladder: nobody enters or is challenged, and it ends once all challenges are decided."""

    type: ClassVar[str] = "tournament-closed"
    why: str


@dataclass(frozen=True, slots=True)
class DeadlineExtended:
    """The games of a board of this round, or of all its boards, have so many days more. None stands for all."""

    type: ClassVar[str] = "deadline-extended"
    round: int
    board: int | None
    days: int
    why: str


@dataclass(frozen=True, slots=True)
class GameDecided:
    """A game of a board has ended, with the reason and the rank of each seat as in its match.

    `made_at` is when the match was made (UTC milliseconds; None in events of earlier releases). `left` are the seats
    that left it, in order. `builds` are those that the accounts on its seats had declared in the match, by seat and in
    order.
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
    builds: tuple[SeatBuild, ...] = unless_default(())


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
    """These entrants lose a game without a result. No match decides it any more.

    The server enters this for a game that was not played by its deadline.
    """

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
class GameReported:
    """The result of a game played at a table, entered without its moves.

    `ranks` are the rank of each seat. `forfeited` are the entrants who lost without play.
    """

    type: ClassVar[str] = "game-reported"
    round: int
    board: int
    game: int
    ranks: tuple[int, ...]
    forfeited: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class GameCorrected:
    """A decided game has another result than was entered; it counts, even if it was annulled."""

    type: ClassVar[str] = "game-corrected"
    round: int
    board: int
    game: int
    ranks: tuple[int, ...]
    forfeited: tuple[int, ...]
    why: str


@dataclass(frozen=True, slots=True)
class GameReplayed:
    """A decided game of the last round is played once more; its result is void."""

    type: ClassVar[str] = "game-replayed"
    round: int
    board: int
    game: int
    why: str


@dataclass(frozen=True, slots=True)
class ArbiterCalled:
    """Those at a table ask for an arbiter, and say why."""

    type: ClassVar[str] = "arbiter-called"
    round: int
    board: int
    game: int
    why: str


@dataclass(frozen=True, slots=True)
class ArbiterCallAnswered:
    """An arbiter has answered the open call of a table, without a ruling; `why` says how."""

    type: ClassVar[str] = "arbiter-call-answered"
    round: int
    board: int
    game: int
    why: str


@dataclass(frozen=True, slots=True)
class PenaltyGiven:
    """The entrant loses points in the table; none for a warning. Penalties count from 1."""

    type: ClassVar[str] = "penalty-given"
    penalty: int
    entrant: int
    points: int
    why: str


@dataclass(frozen=True, slots=True)
class PenaltyLifted:
    """The penalty no longer counts."""

    type: ClassVar[str] = "penalty-lifted"
    penalty: int
    why: str


@dataclass(frozen=True, slots=True)
class TableCodesRevoked:
    """The codes issued so far for this board of this round, or for all boards, are void. None stands for all."""

    type: ClassVar[str] = "table-codes-revoked"
    round: int | None
    board: int | None
    why: str


@dataclass(frozen=True, slots=True)
class EntryLinkRevoked:
    """The entry links issued so far are void."""

    type: ClassVar[str] = "entry-link-revoked"


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
    | ArbiterNamed
    | ArbiterDismissed
    | EntrantInvited
    | InvitationEnded
    | EntryRequested
    | EntryRequestEnded
    | EntryLinkRevoked
    | EntrantRegistered
    | EntrantSeeded
    | EntrantAssigned
    | BuildEntered
    | EntrantWithdrawn
    | EntrantReturned
    | EntrantAbsent
    | EntrantPresent
    | TournamentStarted
    | TournamentPaused
    | TournamentResumed
    | RoundCalled
    | RoundPaired
    | ChallengeMade
    | TournamentClosed
    | DeadlineExtended
    | RoundTakenBack
    | TableCodesRevoked
    | GameDecided
    | AttemptFailed
    | GameRetried
    | GameReported
    | GameAdjudicated
    | GameForfeited
    | GameCorrected
    | GameReplayed
    | GameAnnulled
    | ArbiterCalled
    | ArbiterCallAnswered
    | PenaltyGiven
    | PenaltyLifted
    | TournamentEnded
    | TournamentAborted
)
