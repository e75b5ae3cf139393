"""The ratings ledgers over the store: enters matches, takes annulled ones out for good, and reads ratings."""

import threading
import time
from collections.abc import Sequence
from functools import lru_cache
from random import SystemRandom

from plyscribe.domain.aggregate import Aggregate
from plyscribe.domain.commands import Actor
from plyscribe.domain.ledger import LEDGER, Ledger, RateMatch, UnrateMatch, ledger_of
from plyscribe.domain.match import Match
from plyscribe.service.clock import now_ms
from plyscribe.service.errors import Contended
from plyscribe.service.ratings.book import Book, Change, compare_standings, fold_book
from plyscribe.service.ratings.model import open_ratings
from plyscribe.service.store import port
from plyscribe.service.store.port import EventStore
from plyscribe.service.streams.handler import Answer, Handler
from plyscribe.service.streams.ids import job_command

SCORER = Actor("system", "score")
WAITS_S = (0.02, 0.05, 0.1, 0.2, 0.4)
"""The longest wait before each new attempt to write to a ledger that other workers write to."""

MAX_REPORTS = 64
"""Reports on annulments that a process keeps."""

MAX_PLACES = 4096
"""Places in ledgers that a process remembers. A match that was entered keeps its place for ever."""

_chance = SystemRandom()


BOOKS: Aggregate[Book] = Aggregate(LEDGER.kind, LEDGER.types, Book, fold_book, weigh=lambda _: 0)
"""The streams of LEDGER, folded into ratings. Like them, books are never dropped from a cache."""


class Ledgers:
    """The ledgers and the ratings they amount to; safe to share between threads.

    Entering a match reads no ratings. A process folds a ledger at the first question about its ratings, and from then
    on only what is new.
    """

    def __init__(self, store: EventStore) -> None:
        self._ledgers = Handler(store, LEDGER)
        self._books = Handler(store, BOOKS)
        self._first_fold = threading.Lock()
        self._folded: set[str] = set()
        self._places: dict[str, int] = {}
        self._report = lru_cache(MAX_REPORTS)(self._compute_report)
        self._preview = lru_cache(MAX_REPORTS)(self._compute_preview)

    def rate(self, match: Match) -> int:
        """Enter a verified rated match, unless it is entered, and return its place; WrongTime if it was unrated."""
        life, ruleset = match.life, match.life.created.ruleset
        assert life.outcome is not None
        if match.stream in self._places:
            return self._places[match.stream]
        asked = job_command("rate", match.stream)
        command = RateMatch(
            actor=SCORER,
            at=now_ms(),
            id=asked.id.hex(),
            opening=open_ratings(ruleset),
            match=match.stream,
            players=life.players,
            ranks=life.outcome.ranks,
        )
        if len(self._places) >= MAX_PLACES:
            self._places = {}
        self._places[match.stream] = place = self._enter(ruleset, command, asked).events[-1].version
        return place

    def unrate(self, match: Match) -> None:
        """Keep an annulled rated match from counting, unless the ledger says so already."""
        ruleset, annulment = match.life.created.ruleset, match.life.annulment
        assert annulment is not None
        asked = job_command("unrate", match.stream)
        command = UnrateMatch(
            actor=SCORER,
            at=now_ms(),
            id=asked.id.hex(),
            opening=open_ratings(ruleset),
            match=match.stream,
            why=annulment.why,
        )
        self._enter(ruleset, command, asked)

    def _enter(self, ruleset: str, command: RateMatch | UnrateMatch, asked: port.CommandKey) -> Answer[Ledger]:
        """The ledger with the entry. All workers write to its end, so one that comes too late waits and retries."""
        for wait_s in WAITS_S:
            try:
                return self._ledgers.execute(ledger_of(ruleset), lambda _: command, asked)
            except Contended:
                time.sleep(_chance.uniform(0, wait_s))
        return self._ledgers.execute(ledger_of(ruleset), lambda _: command, asked)

    def is_unrated(self, match: Match) -> bool:
        """Whether the ledger says that the match does not count."""
        return match.stream in self._ledgers.read(ledger_of(match.life.created.ruleset)).unrated

    def version(self, ruleset: str) -> int:
        """How many entries the ledger of a ruleset has."""
        return self._ledgers.read(ledger_of(ruleset)).version

    def book(self, ruleset: str) -> Book:
        """The ratings of a ruleset now; empty before its first rated match."""
        stream = ledger_of(ruleset)
        if stream in self._folded:
            return self._books.read(stream)
        # The first fold of a long ledger takes a while. One thread does it, the others wait.
        with self._first_fold:
            book = self._books.read(stream)
            self._folded.add(stream)
            return book

    def report(self, match: Match) -> Sequence[Change]:
        """What unrating an annulled match changed at the time; empty if it never counted, or is not unrated yet.

        This may rate the matches of years again. It is kept, since people read it page by page.
        """
        ruleset = match.life.created.ruleset
        version = self.book(ruleset).unrated.get(match.stream)
        return [] if version is None else self._report(ruleset, version)

    def preview(self, match: Match, version: int) -> Sequence[Change]:
        """What unrating the match would have changed at a version of its ledger. As costly as `report`, and kept."""
        ruleset = match.life.created.ruleset
        book = self.book(ruleset)
        if match.stream not in book.entered or match.stream in book.unrated:
            return []
        return self._preview(ruleset, match.stream, version)

    def _compute_report(self, ruleset: str, version: int) -> Sequence[Change]:
        book = self.book(ruleset)
        return compare_standings(book.standings_at(version - 1), book.standings_at(version))

    def _compute_preview(self, ruleset: str, match: str, version: int) -> Sequence[Change]:
        book = self.book(ruleset)
        return compare_standings(book.standings_at(version), book.standings_at(version, without=match))
