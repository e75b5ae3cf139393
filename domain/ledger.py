"""The ratings ledger of a ruleset: which matches count, in which order. `service/ratings/` computes ratings from it.

A ledger records inputs only. Its first event records the model and its parameters, so the same ledger gives the same
ratings for ever. A match counts once, from its entry on, unless it is unrated. It may be unrated before or after it is
entered, so annulling and scoring at the same time need no coordination.

The store ensures that a match is not entered twice: the id of the command follows from the match.
"""

from dataclasses import dataclass, replace
from typing import Any, ClassVar

from plyscribe.domain.aggregate import Aggregate, declare
from plyscribe.domain.codec import Event
from plyscribe.domain.commands import Command
from plyscribe.domain.errors import WrongTime, WrongValue


@dataclass(frozen=True, slots=True)
class RatingsOpened:
    """The ledger begins, with the model, its parameters in millionths, and the library that computed it at the time."""

    type: ClassVar[str] = "ratings-opened"
    ruleset: str
    model: str
    parameters: dict[str, Any]
    library: str


@dataclass(frozen=True, slots=True)
class MatchRated:
    """The match counts from here on; its players and their ranks are in the order of seats."""

    type: ClassVar[str] = "match-rated"
    match: str
    players: tuple[str, ...]
    ranks: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class MatchUnrated:
    """The match does not count, whether it was entered before or is entered later."""

    type: ClassVar[str] = "match-unrated"
    match: str
    why: str


LedgerEvent = RatingsOpened | MatchRated | MatchUnrated


@dataclass(frozen=True, slots=True, kw_only=True)
class RateMatch(Command):
    """Enter a match; `opening` becomes the ledger's first event if the ledger is empty."""

    opening: RatingsOpened
    match: str
    players: tuple[str, ...]
    ranks: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class UnrateMatch(Command):
    """Keep a match from counting, whether or not it was entered."""

    opening: RatingsOpened
    match: str
    why: str


@dataclass(frozen=True, slots=True)
class Ledger:
    """A ledger folded up to `version`. Its size does not grow with the matches that count."""

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
        raise WrongValue("rated/seats", "a rated match needs at least two accounts, each on one seat")
    return [*_open(command, ledger), MatchRated(command.match, players, ranks)]


def _decide_unrate(command: UnrateMatch, ledger: Ledger) -> list[LedgerEvent]:
    _require_unsettled(command.match, ledger)
    return [*_open(command, ledger), MatchUnrated(command.match, command.why)]


def _require_unsettled(match: str, ledger: Ledger) -> None:
    if match in ledger.unrated:
        raise WrongTime("rated/annulled", f"{match} was unrated and never counts again")


def _open(command: RateMatch | UnrateMatch, ledger: Ledger) -> list[RatingsOpened]:
    return [] if ledger.version else [command.opening]


LEDGER: Aggregate[Ledger] = declare(
    "ratings",
    Ledger,
    LedgerEvent,
    _evolve,
    {RateMatch: _decide_rate, UnrateMatch: _decide_unrate},
    first=RatingsOpened,
    weigh=lambda _: 0,  # There are only as many ledgers as rulesets, and each is long.
)
