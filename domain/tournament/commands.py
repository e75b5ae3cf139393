"""The commands of a tournament."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from plyscribe.domain.commands import Command
from plyscribe.domain.events import Occupant, SeatWithdrawn


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
    seed: int
    server: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RegisterEntrant(Command):
    """Enter an account or a bot of the server.

    An account enters itself, if the tournament is open or it is invited. Only the organiser enters bots.
    """

    occupant: Occupant
    label: str | None = None


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
    """Announce that an entrant sits out a round that is not paired yet."""

    entrant: int
    round: int


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
