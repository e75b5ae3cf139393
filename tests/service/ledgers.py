"""Ledgers for tests: written entry by entry, and folded in the plainest way."""

from itertools import count
from typing import Any

from hypothesis import strategies as st

from plyscribe.domain.chain import StoredEvent, first_link, link_all
from plyscribe.domain.codec import format_event
from plyscribe.domain.commands import Actor
from plyscribe.domain.ledger import LEDGER, Ledger, MatchRated, MatchUnrated, RateMatch, UnrateMatch, ledger_of
from plyscribe.domain.ruleset import rank_by
from plyscribe.service.ratings.model import Model, Rating, open_ratings
from plyscribe.service.store.memory import MemoryStore
from plyscribe.service.store.port import CommandKey, Stored

SCORER = Actor("system", "score")
PLAYERS = ["ann", "ben", "cat", "dan", "eve", "fay"]

_numbers = count()


class Entries:
    """A ledger being written, in a store of its own; without a name its ruleset is its own too."""

    def __init__(self, ruleset: str = "") -> None:
        self.ruleset = ruleset or f"toy{next(_numbers)}"
        self.opening = open_ratings(self.ruleset)
        self.ledger = Ledger(ledger_of(self.ruleset))
        self.stored: list[StoredEvent] = []
        self.store = MemoryStore()

    def rate(self, match: str, *players: str, ranks: tuple[int, ...] = ()) -> None:
        ranks = ranks or tuple(range(1, len(players) + 1))
        self._append(RateMatch(actor=SCORER, opening=self.opening, match=match, players=players, ranks=ranks))

    def unrate(self, match: str) -> None:
        self._append(UnrateMatch(actor=SCORER, opening=self.opening, match=match, why="cheat"))

    def _append(self, command: Any) -> None:
        ledger = self.ledger
        events = LEDGER.decide(command, ledger).events
        stored = link_all(ledger.head or first_link(ledger.stream), ledger.version + 1, map(format_event, events))
        asked = CommandKey(next(_numbers).to_bytes(16, "big"), bytes(8))
        types = [event.data.type for event in events]
        assert isinstance(self.store.append(ledger.stream, ledger.version, ledger.head, stored, types, asked), Stored)
        self.stored += stored
        self.ledger = LEDGER.fold(ledger, stored)

    def events(self, version: int | None = None) -> list[Any]:
        """What the entries say up to a version."""
        return [event.data for event in LEDGER.read(Ledger(self.ledger.stream), self.stored[:version])]

    def find_unrated(self, match: str) -> int:
        return next(
            version
            for version, data in enumerate(self.events(), 1)
            if isinstance(data, MatchUnrated) and data.match == match
        )

    def list_counted(self) -> list[str]:
        rated = [data.match for data in self.events() if isinstance(data, MatchRated)]
        return [match for match in rated if match not in self.ledger.unrated]


def fold_plainly(entries: Entries, version: int | None = None, without: str | None = None) -> dict[str, Rating]:
    """The ratings at a version of the ledger, perhaps without a match."""
    events = entries.events(version)
    gone = {data.match for data in events if isinstance(data, MatchUnrated)} | {without}
    model, ratings, seen = Model(entries.opening), dict[str, Rating](), set[str]()
    for data in events:
        if isinstance(data, MatchRated) and data.match not in gone | seen:
            seen.add(data.match)
            before = [ratings.get(who, model.newcomer) for who in data.players]
            ratings.update(zip(data.players, model.rate(before, data.ranks), strict=True))
    return ratings


@st.composite
def ledgers(draw: st.DrawFn) -> Entries:
    """Random matches of two to six players with ties, some of them unrated, some before they are entered."""
    entries = Entries()
    for number in range(draw(st.integers(1, 12))):
        grow(draw, entries, f"m{number}")
    return entries


def grow(draw: st.DrawFn, entries: Entries, name: str) -> None:
    """Add a match of that name, or unrate one, or both."""
    if draw(st.booleans()):
        seats = draw(st.lists(st.sampled_from(PLAYERS), min_size=2, max_size=6, unique=True))
        scores = draw(st.lists(st.integers(0, 3), min_size=len(seats), max_size=len(seats)))
        if name not in entries.ledger.unrated:
            entries.rate(name, *seats, ranks=tuple(rank_by(scores)))
    match = f"m{draw(st.integers(0, 14))}"
    if draw(st.integers(0, 3)) == 0 and match not in entries.ledger.unrated:
        entries.unrate(match)
