"""The commands of a tournament."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from plyscribe.domain.commands import Command
from plyscribe.domain.events import Build, Occupant, SeatWithdrawn
from plyscribe.domain.tournament.events import SeatBuild


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateTournament(Command):
    """Announce a tournament; options, format and scoring may be partial and get defaults."""

    name: str
    ruleset: str
    ruleset_version: int | None = None
    options: dict[str, Any] = field(default_factory=dict)
    seats: int = 2
    format: Mapping[str, Any]
    repeat: str = "once"
    openings: tuple[tuple[str, ...], ...] = ()
    scoring: Mapping[str, Any] = field(default_factory=dict)
    tiebreaks: list[str] | None = None
    limits: Mapping[str, Any] | None = None
    sprt: Mapping[str, Any] | None = None
    max_entrants: int = 256
    is_open: bool = False
    rounds_begin: str = "auto"
    at_table: bool = False
    rated: bool = False
    private: bool = False
    seed: int
    server: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class NameArbiter(Command):
    """Make an account an arbiter of the tournament. Only its organiser can."""

    player: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DismissArbiter(Command):
    """Dismiss an arbiter, as the organiser or as the arbiter itself."""

    player: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestEntry(Command):
    """Ask to be let into a tournament that is not open."""

    label: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EndRequest(Command):
    """Withdraw your request to be let in or, as the organiser, refuse one."""

    player: str
    why: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RevokeEntryLinks(Command):
    """Make all entry links void that were issued so far."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeedEntrant(Command):
    """Set the rating and the seed of an entrant; None for one that it has not."""

    entrant: int
    rating: int | None = None
    seed: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AssignEntrant(Command):
    """Set the team of an entrant and its place in the board order there; None for one that it has not."""

    entrant: int
    team: str | None = None
    place: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReturnEntrant(Command):
    """Let an entrant who had withdrawn play again."""

    entrant: int
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CancelAbsence(Command):
    """Let an entrant play a round, not paired yet, that it was to sit out."""

    entrant: int
    round: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PauseTournament(Command):
    """Pair no round and make no match until the tournament is resumed; with `matches`, pause those under way, too."""

    why: str
    matches: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ResumeTournament(Command):
    """Let a paused tournament go on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallRound(Command):
    """Have the next round paired, in a tournament whose rounds are called."""

    round: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PairByHand(Command):
    """Pair the next round as a person decided."""

    round: int
    boards: tuple[tuple[int, ...], ...]
    byes: tuple[int, ...]
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TakeBackRound(Command):
    """Take the pairing of the last round back, in which no game is decided."""

    round: int
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RevokeTableCodes(Command):
    """Make the codes void that were issued so far for a board, or for all boards if it is None."""

    round: int | None = None
    board: int | None = None
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportResult(Command):
    """Enter the result of a game that is played at a table: the ranks of its seats, or who forfeited it."""

    round: int
    board: int
    game: int
    ranks: tuple[int, ...] | None = None
    forfeited: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectGame(Command):
    """Give a decided game another result: the ranks of its seats, or who forfeited it."""

    round: int
    board: int
    game: int
    ranks: tuple[int, ...] | None = None
    forfeited: tuple[int, ...] = ()
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayGame(Command):
    """Have a decided game of the last round played once more."""

    round: int
    board: int
    game: int
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CallArbiter(Command):
    """Ask for an arbiter at a table, with its code: once, until an arbiter answers or rules on the game."""

    round: int
    board: int
    game: int
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerCall(Command):
    """Answer the open call of a table without a ruling."""

    round: int
    board: int
    game: int
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GivePenalty(Command):
    """Take points from an entrant, or warn it with none."""

    entrant: int
    points: int = 0
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LiftPenalty(Command):
    """Let a penalty count no more."""

    penalty: int
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RegisterEntrant(Command):
    """Enter an account, a guest or a bot of the server.

    An account enters itself, if the tournament is open, or it is invited or `admitted` by an entry link. Only the
    organiser enters guests and bots, lets in an account that asked for it, and gives a rating, a seed or a team.
    """

    occupant: Occupant
    label: str | None = None
    admitted: bool = False
    rating: int | None = None
    seed: int | None = None
    team: str | None = None
    place: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EnterBuild(Command):
    """Say, as the account of an entrant, which build of a program plays for it, and whether no other one may."""

    entrant: int
    build: Build
    pinned: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class InviteEntrant(Command):
    """Invite an account, which takes part once it accepts."""

    player: str
    label: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EndInvitation(Command):
    """Decline your invitation or, as the organiser, withdraw one."""

    player: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WithdrawEntrant(Command):
    """Withdraw an entrant from all further rounds, as the entrant itself or as the organiser.

    Only the organiser may disqualify.
    """

    entrant: int
    disqualified: bool = False
    why: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnounceAbsence(Command):
    """Announce that an entrant sits out a round that is not paired yet, and whether it asks for a bye."""

    entrant: int
    round: int
    bye: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class StartTournament(Command):
    """Start the tournament, so that its first round is paired."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairRound(Command):
    """Enter the computed pairing of the next round."""

    round: int
    boards: tuple[tuple[int, ...], ...]
    byes: tuple[int, ...]
    costs: dict[str, Any]
    engine: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EnterResult(Command):
    """Enter how a game ended."""

    round: int
    board: int
    game: int
    match: str
    ranks: tuple[int, ...]
    reason: str
    made_at: int
    left: tuple[SeatWithdrawn, ...] = ()
    builds: tuple[SeatBuild, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteFailure(Command):
    """Enter that a match of a game failed by a fault of the platform; `cause` is one of FAILURES."""

    round: int
    board: int
    game: int
    match: str
    cause: str
    why: str
    made_at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryGame(Command):
    """Play a game again that was given up."""

    round: int
    board: int
    game: int
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AdjudicateGame(Command):
    """Decide an undecided game by the ranks of its seats."""

    round: int
    board: int
    game: int
    ranks: tuple[int, ...]
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ForfeitGame(Command):
    """Let these entrants lose an undecided game."""

    round: int
    board: int
    game: int
    entrants: tuple[int, ...]
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChallengeEntrant(Command):
    """Challenge an entrant of a ladder, as the entrant that the actor is; organisers may do it for another one."""

    opponent: int
    entrant: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CloseTournament(Command):
    """Close a ladder: it ends once all challenges are decided."""

    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtendDeadline(Command):
    """Give the games of a board more time, or those of all boards of the round if it is None."""

    round: int
    board: int | None = None
    days: int
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PassDeadline(Command):
    """Let these entrants lose a game that was not played by its deadline."""

    round: int
    board: int
    game: int
    entrants: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnulGame(Command):
    """Stop a decided game from counting."""

    round: int
    board: int
    game: int
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EndTournament(Command):
    """End the tournament with its present table."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AbortTournament(Command):
    """Call the tournament off."""

    cause: str
