"""Reads ratings: the table of a ruleset page by page, a player's history, and how far both lag behind the ledger."""

import threading
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import sqlalchemy as sa

from plyscribe.domain.ledger import ledger_of
from plyscribe.domain.rulesets import list_newest
from plyscribe.service.database.engine import Database
from plyscribe.service.ratings.annulments import Change, compare_unrated, compare_without
from plyscribe.service.ratings.columns import BIN, bin_of, open_tables
from plyscribe.service.ratings.folding import Folder
from plyscribe.service.ratings.model import Rating
from plyscribe.service.ratings.retrieval import Fold, Row, Rows
from plyscribe.service.store.port import EventStore

MOST_REPORTS = 4
"""Reports of each kind that a process keeps: some 200 bytes for each player in them."""


class State(NamedTuple):
    """What an answer about ratings is based on."""

    version: int
    """The version of the ledger up to which matches count here."""

    lag: int
    """How many entries the ledger had after that one."""

    opening: Row | None
    """The ledger's first entry, which names the model; None before it."""


class RatedPlayer(NamedTuple):
    """A line of the table: the rank (players with equal ordinals share one), the player and their last match."""

    rank: int
    player: str
    rating: Rating
    matches: int
    last_match: str
    last_at: int


class RatedMatch(NamedTuple):
    """A match in a player's history, with the ratings before and after it."""

    version: int
    at: int
    match: str
    rank: int
    seats: int
    before: Rating
    after: Rating


class Table(NamedTuple):
    """A page of a table; `has_more` says whether players follow."""

    state: State
    rows: list[RatedPlayer]
    has_more: bool
    total: int


class History(NamedTuple):
    """A player's rating (None: no match of theirs counts) and a page of the matches behind it."""

    state: State
    player: RatedPlayer | None
    matches: list[RatedMatch]
    has_more: bool


class Ratings:
    """The ratings of all rulesets, as rows; safe to share between threads.

    The relay folds the ledgers into these rows. With `by_itself` there is no relay, and whoever asks folds first.
    """

    def __init__(self, store: EventStore, database: Database, by_itself: bool) -> None:
        self._store = store
        self.tables = open_tables(database)
        self.folder = Folder(store, database, self.tables.live)
        self._by_itself = by_itself
        self._folding = threading.Lock()
        self._report = lru_cache(MOST_REPORTS)(self._compute_report)
        self._preview = lru_cache(MOST_REPORTS)(self._compute_preview)

    def read_table(self, ruleset: str, limit: int, after: tuple[int, str] | None = None) -> Table:
        """The first `limit` players, best first, after the one with this ordinal and id."""
        newest, ratings = self._prepare(ruleset), self.tables.live.ratings
        with self.tables.database.reading() as connection:
            rows = Rows(connection, self.tables.live, ruleset)
            state = _describe_state(rows.fold(), newest)
            asked = sa.select(ratings).where(ratings.c.ruleset == ruleset)
            if after is not None:
                ordinal, player = after
                asked = asked.where(sa.tuple_(ratings.c.place, ratings.c.player) > sa.tuple_(-ordinal, player))
            found = connection.execute(asked.order_by(ratings.c.place, ratings.c.player).limit(limit + 1)).all()
            ranked = self._rank(rows, found[:limit])
            return Table(state, ranked, len(found) > limit, self._count(rows))

    def read_history(self, ruleset: str, player: str, after: int, limit: int) -> History:
        """A player's rating and the first `limit` matches behind it after a version of the ledger, in its order."""
        return self._read_history(ruleset, player, after, limit, newest_first=False)

    def read_latest(self, ruleset: str, player: str, limit: int) -> History:
        """A player's rating and the last `limit` matches behind it, the newest first."""
        return self._read_history(ruleset, player, 0, limit, newest_first=True)

    def _read_history(self, ruleset: str, player: str, after: int, limit: int, newest_first: bool) -> History:
        newest, steps = self._prepare(ruleset), self.tables.live.steps
        order = steps.c.version.desc() if newest_first else steps.c.version
        asked = (
            sa.select(steps)
            .where(steps.c.ruleset == ruleset, steps.c.player == player, steps.c.version > after)
            .order_by(order)
            .limit(limit + 1)
        )
        with self.tables.database.reading() as connection:
            rows = Rows(connection, self.tables.live, ruleset)
            state = _describe_state(rows.fold(), newest)
            ranked = self._rank(rows, list(rows.ratings([player]).values()))
            if not ranked:
                return History(state, None, [], has_more=False)
            found = [_describe_step(row) for row in connection.execute(asked)]
        return History(state, ranked[0], found[:limit], len(found) > limit)

    def version(self, ruleset: str) -> int:
        """The version of the ledger up to which matches count."""
        self._prepare(ruleset)
        with self.tables.database.reading() as connection:
            return Rows(connection, self.tables.live, ruleset).fold().version

    def is_unrated(self, ruleset: str, match: str) -> bool:
        """Whether the ratings are without the match because it was annulled."""
        self._prepare(ruleset)
        with self.tables.database.reading() as connection:
            rows = Rows(connection, self.tables.live, ruleset)
            version = rows.fold().version
            return rows.unrated([match]).get(match, version + 1) <= version

    def list_rulesets(self) -> list[str]:
        """The rulesets that may have a ledger."""
        return [ruleset.id for ruleset in list_newest()]

    def list_newest(self, rulesets: Sequence[str]) -> list[int]:
        """The newest versions of the ledgers of these rulesets, in their order."""
        return [newest.version if newest else 0 for newest in self._store.newest([*map(ledger_of, rulesets)])]

    def list_behind(self) -> list[str]:
        """The rulesets whose ledgers have more entries than are folded, or others."""
        rulesets = self.list_rulesets()
        newest = self._store.newest([*map(ledger_of, rulesets)])
        with self.tables.database.reading() as connection:
            folds = [Rows(connection, self.tables.live, ruleset).fold() for ruleset in rulesets]
        return [
            ruleset
            for ruleset, fold, last in zip(rulesets, folds, newest, strict=True)
            if (fold.version, fold.head) != ((last.version, last.h) if last else (0, b""))
        ]

    def report(self, ruleset: str, match: str) -> Sequence[Change]:
        """What unrating a match changed at the time; empty if it never counted, or counts.

        Costs a pass over the matches since, and memory for the players whom it influenced. The last reports are kept,
        because people read them page by page.
        """
        self._prepare(ruleset)
        with self.tables.database.reading() as connection:
            version = Rows(connection, self.tables.live, ruleset).unrated([match]).get(match, 0)
        return self._report(ruleset, match, version)

    def preview(self, ruleset: str, match: str, version: int) -> Sequence[Change]:
        """What unrating the match would have changed at a version of its ledger. As costly as `report`, and kept."""
        self._prepare(ruleset)
        return self._preview(ruleset, match, version)

    def _compute_report(self, ruleset: str, match: str, version: int) -> Sequence[Change]:
        with self.tables.database.reading() as connection:
            return compare_unrated(Rows(connection, self.tables.live, ruleset), match, version)

    def _compute_preview(self, ruleset: str, match: str, version: int) -> Sequence[Change]:
        with self.tables.database.reading() as connection:
            return compare_without(Rows(connection, self.tables.live, ruleset), match, version)

    def _prepare(self, ruleset: str) -> int:
        """The newest version of the ledger; folded first, if no relay does it."""
        if self._by_itself:
            with self._folding:
                self.folder.catch_up(ruleset)
        [newest] = self.list_newest([ruleset])
        return newest

    def _rank(self, rows: Rows, found: Sequence[Any]) -> list[RatedPlayer]:
        """These consecutive lines of the table with their ranks. Two of these are counted, the others follow."""
        ranked: list[RatedPlayer] = []
        counted, rank, first = 0, 0, 0
        for number, row in enumerate(found):
            if number == 0 or row.place != found[number - 1].place:
                if counted < 2:
                    rank, first, counted = self._count_rank(rows, row.place), number, counted + 1
                else:
                    rank, first = rank + number - first, number
            rating = Rating(row.mu, row.sigma)
            ranked.append(RatedPlayer(rank, row.player, rating, row.matches, row.last_match, row.last_at))
        return ranked

    def _count_rank(self, rows: Rows, place: int) -> int:
        """One more than the players at better places."""
        bins, ratings, bin = rows.tables.bins, rows.tables.ratings, bin_of(place)
        before = sa.select(sa.func.coalesce(sa.func.sum(bins.c.players), 0)).where(
            bins.c.ruleset == rows.ruleset, bins.c.bin < bin
        )
        within = sa.select(sa.func.count()).where(
            ratings.c.ruleset == rows.ruleset, ratings.c.place >= bin * BIN, ratings.c.place < place
        )
        better: int = rows.connection.execute(
            sa.select(before.scalar_subquery() + within.scalar_subquery())
        ).scalar_one()
        return 1 + int(better)

    def _count(self, rows: Rows) -> int:
        bins = rows.tables.bins
        total = sa.select(sa.func.coalesce(sa.func.sum(bins.c.players), 0)).where(bins.c.ruleset == rows.ruleset)
        return int(rows.connection.execute(total).scalar_one())


def _describe_state(fold: Fold, newest: int) -> State:
    return State(fold.version, max(0, newest - fold.version), fold.opening)


def _describe_step(row: Any) -> RatedMatch:
    before, after = Rating(row.before_mu, row.before_sigma), Rating(row.after_mu, row.after_sigma)
    return RatedMatch(row.version, row.at, row.match, row.rank, row.seats, before, after)
