"""The ratings ledger of a ruleset: which matches count, in which order. `service/ratings/` makes ratings of it.

It records inputs alone, and in its first event the model and parameters that make ratings of them, so that the same
ledger gives the same ratings for ever. A match counts once, from where it was entered, unless it was unrated, which may
stand before its entry as well as after it: whoever annuls and whoever scores at the same time need no agreement.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from plyscribe.domain.chain import StoredEvent, check_chain, first_link
from plyscribe.domain.codec import Event, parse_event
from plyscribe.domain.commands import Command
from plyscribe.domain.errors import FoldError, WrongTime, WrongValue


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


LEDGER_EVENT_TYPES: dict[str, type[Any]] = {kind.type: kind for kind in (RatingsOpened, MatchRated, MatchUnrated)}
"""Every event type of a ledger by its word."""


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


def read_entries(stream: str, after: int, head: bytes, entries: Sequence[StoredEvent]) -> list[Event]:
    """The events of a ledger after version `after`; StreamError where one cannot be read or does not belong there."""
    check_chain(head or first_link(stream), after, entries)
    events = [parse_event(entry, LEDGER_EVENT_TYPES) for entry in entries]
    for event in events:
        if isinstance(event.data, RatingsOpened) != (event.version == 1):
            raise FoldError(event.version, "a ledger is opened once, at its beginning")
    return events


def fold_ledger(ledger: Ledger, entries: Iterable[StoredEvent]) -> Ledger:
    """The ledger after these stored events; StreamError where one cannot be read or does not follow."""
    stored = list(entries)
    if not stored:
        return ledger
    events: list[Any] = [event.data for event in read_entries(ledger.stream, ledger.version, ledger.head, stored)]
    unrated = {data.match for data in events if isinstance(data, MatchUnrated)}
    return Ledger(ledger.stream, stored[-1].version, stored[-1].h, ledger.unrated | unrated)


def decide_ledger(command: RateMatch | UnrateMatch, ledger: Ledger) -> list[Event]:
    """The events of an entry; WrongTime for a match that was unrated, WrongValue where players and ranks do not fit.

    That a match is not entered twice is for the store to hold: the command's id follows from the match.
    """
    if command.match in ledger.unrated:
        raise WrongTime("rated/annulled", f"{command.match} was unrated: it never counts again")
    facts: list[Any] = [] if ledger.version else [command.opening]
    facts.append(_decide_entry(command))
    by = str(command.actor)
    return [Event(version, command.at, by, command.id, data) for version, data in enumerate(facts, ledger.version + 1)]


def _decide_entry(command: RateMatch | UnrateMatch) -> MatchRated | MatchUnrated:
    if isinstance(command, UnrateMatch):
        return MatchUnrated(command.match, command.why)
    players, ranks = command.players, command.ranks
    if not 2 <= len(players) == len(ranks) == len(set(players)):
        raise WrongValue("rated/seats", "a rated match is played by two accounts at least, each on one seat")
    return MatchRated(command.match, players, ranks)
