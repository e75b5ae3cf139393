"""The ratings ledger of a ruleset: which matches count, in which order. `service/ratings/` makes ratings of it.

It records inputs alone, and in its first event the model and parameters that make ratings of them, so that the same
ledger gives the same ratings for ever. A match counts once, from where it was entered, unless it was unrated, which may
stand before its entry as well as after it: whoever annuls and whoever scores at the same time need no agreement.
"""

from dataclasses import dataclass, replace
from typing import Any, ClassVar

from plyscribe.domain.aggregate import Aggregate, declare
from plyscribe.domain.codec import Event
from plyscribe.domain.commands import Command
from plyscribe.domain.errors import WrongTime, WrongValue


@dataclass(frozen=True, slots=True)
class RatingsOpened:
    """The ledger begins: model, its parameters in millionths, and the library that computed it then."""

    type: ClassVar[str] = "ratings-opened"
    ruleset: str
    model: str
    parameters: dict[str, Any]
    library: str


@dataclass(frozen=True, slots=True)
class MatchRated:
    """The match counts from here on: its players and their ranks, in the order of seats."""

    type: ClassVar[str] = "match-rated"
    match: str
    players: tuple[str, ...]
    ranks: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class MatchUnrated:
    """The match does not count, wherever it stands."""

    type: ClassVar[str] = "match-unrated"
    match: str
    why: str


LedgerEvent = RatingsOpened | MatchRated | MatchUnrated


@dataclass(frozen=True, slots=True, kw_only=True)
class RateMatch(Command):
    """Enter a match; `opening` begins the ledger if this is its first entry."""

    opening: RatingsOpened
    match: str
    players: tuple[str, ...]
    ranks: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class UnrateMatch(Command):
    """Keep a match from counting, whether it was entered yet or not."""

    opening: RatingsOpened
    match: str
    why: str


@dataclass(frozen=True, slots=True)
class Ledger:
    """A ledger folded up to `version`. What it keeps does not grow with the matches that count."""

    stream: str
    version: int = 0
    head: bytes = b""
    unrated: frozenset[str] = frozenset()


def ledger_of(ruleset: str) -> str:
    """The id of the ledger stream of a ruleset."""
    return f"ratings-{ruleset}"


def _evolve(ledger: Ledger, _: Event, data: LedgerEvent) -> Ledger:
    return replace(ledger, unrated=ledger.unrated | {data.match}) if isinstance(data, MatchUnrated) else ledger


def _decide_rate(command: RateMatch, ledger: Ledger) -> list[LedgerEvent]:
    _require_unsettled(command.match, ledger)
    players, ranks = command.players, command.ranks
    if not 2 <= len(players) == len(ranks) == len(set(players)):
        raise WrongValue("rated/seats", "a rated match is played by two accounts at least, each on one seat")
    return [*_open(command, ledger), MatchRated(command.match, players, ranks)]


def _decide_unrate(command: UnrateMatch, ledger: Ledger) -> list[LedgerEvent]:
    _require_unsettled(command.match, ledger)
    return [*_open(command, ledger), MatchUnrated(command.match, command.why)]


def _require_unsettled(match: str, ledger: Ledger) -> None:
    if match in ledger.unrated:
        raise WrongTime("rated/annulled", f"{match} was unrated: it never counts again")


def _open(command: RateMatch | UnrateMatch, ledger: Ledger) -> list[RatingsOpened]:
    return [] if ledger.version else [command.opening]


LEDGER: Aggregate[Ledger] = declare(
    "ratings", Ledger, LedgerEvent, _evolve, {RateMatch: _decide_rate, UnrateMatch: _decide_unrate}, first=RatingsOpened
)
"""That a match is rated once, the store ensures: the id of the command follows from the match."""
