"""What can be asked of a tournament."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from plyscribe.domain.commands import Command
from plyscribe.domain.events import Occupant, SeatWithdrawn


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateTournament(Command):
    """Announce a tournament; what is left out of options, format and scoring is completed."""

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
    """Enter: an account for itself, where the tournament is open; the organiser enters bots of the server."""

    occupant: Occupant
    label: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WithdrawEntrant(Command):
    """Play no further round; the entrant itself, or the organiser."""

    entrant: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnounceAbsence(Command):
    """Sit out a round that is not paired yet."""

    entrant: int
    round: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StartTournament(Command):
    """Close the registration and pair the first round."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairRound(Command):
    """Enter who meets whom in the next round, as it was worked out."""

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
    """Enter that a match of a game came to nothing by a fault of the platform; `cause` is one of FAILURES."""

    round: int
    board: int
    game: int
    match: str
    cause: str
    why: str
    made_at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnulGame(Command):
    """Have a decided game count for nothing."""

    round: int
    board: int
    game: int
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EndTournament(Command):
    """Close the final table."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AbortTournament(Command):
    """Call the tournament off."""

    cause: str
