"""Folds ledgers into rows, in bounded steps: each is one transaction, and moves the fold on from where it found it.

So two processes that fold the same ledger do no harm, and a fold goes on where it was killed. A new match costs one
rating. A match that is unrated costs a pass over the matches since, and one rating for each match that it influenced.
Meanwhile the rows stay as they are: the new ones are kept beside them, and take their place in one transaction.
"""

import logging
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from typing import Any, NamedTuple

import sqlalchemy as sa

from plyscribe.domain.chain import StoredEvent
from plyscribe.domain.codec import Event
from plyscribe.domain.errors import StreamError
from plyscribe.domain.ledger import LEDGER, Ledger, MatchRated, MatchUnrated, RatingsOpened, ledger_of
from plyscribe.service.clock import now_ms
from plyscribe.service.database.engine import Database
from plyscribe.service.database.rows import put_rows
from plyscribe.service.database.table_sets import Tables
from plyscribe.service.ratings.columns import RatingTables, bin_of
from plyscribe.service.ratings.influence import Entry, Standing, rate_again
from plyscribe.service.ratings.retrieval import (
    Fold,
    Row,
    Rows,
    describe_rating,
    describe_steps,
    in_batches,
    standing_of,
)
from plyscribe.service.store.port import EventStore, StoreError

STEP = 200
"""Entries of a ledger that are folded in a step, or matches that are rated again."""

log = logging.getLogger(__name__)


class FoldTaken(StoreError):
    """Another process has folded the ledger on. The transaction has no effect."""

    code = "ratings/fold-taken"


class _News(NamedTuple):
    """What entries of a ledger say that no entry before them said."""

    last: StoredEvent
    opening: Row | None
    entered: dict[str, Entry]
    unrated: dict[str, int]


class Folder:
    """Folds ledgers into these tables; safe to share between threads."""

    def __init__(self, store: EventStore, database: Database, tables: RatingTables, most: int = STEP) -> None:
        """`most` entries of a ledger are folded in a step, or matches rated again."""
        self._store = store
        self._database = database
        self._tables = tables
        self._most = most

    def catch_up(self, ruleset: str) -> None:
        """Fold a ledger up to its end. The errors of `step`."""
        while self.step(ruleset):
            pass

    def step(self, ruleset: str) -> bool:
        """Fold a ledger on by a bounded step, and return whether more may be left.

        After StoreError, StreamError or UnknownModel nothing has changed.
        """
        with self._database.reading() as connection:
            fold = Rows(connection, self._tables, ruleset).fold()
        try:
            if fold.target is None:
                return self._read_on(ruleset, fold)
            self._rate_on(ruleset, fold)
        except FoldTaken:
            log.info("the ratings of %s are folded by another process too", ruleset)
        return True

    def _read_on(self, ruleset: str, fold: Fold) -> bool:
        """Fold the next entries of the ledger; if they unrate matches that count, begin to rate again."""
        stream = ledger_of(ruleset)
        stored = self._store.load(stream, max(0, fold.version - 1), limit=self._most + (fold.version > 0)).entries
        if fold.version:
            if [(entry.version, entry.h) for entry in stored[:1]] != [(fold.version, fold.head)]:
                log.warning("%s is folded up to version %d, which the store does not have", stream, fold.version)
                self._start_over(ruleset, fold)
                return True
            stored = stored[1:]
        if not stored:
            return False
        with self._database.reading() as connection:
            rows = Rows(connection, self._tables, ruleset)
            news = _collect(rows, fold, stored[-1], _parse(stream, fold, stored))
            rated_until_now = rows.places(news.unrated).values()
            added = [] if rated_until_now else _rate_new(rows, fold, news)
        after = Fold(news.last.version, news.last.h, news.opening)
        if rated_until_now:
            after = fold._replace(target=news.last.version, target_head=news.last.h, reached=min(rated_until_now) - 1)
        with self._database.writing() as connection:
            self._move(connection, ruleset, fold, after)
            self._enter(connection, ruleset, news)
            if added:
                connection.execute(sa.insert(self._tables.steps), added)
                last_steps = {step["player"]: step for step in added}
                self._put_ratings(Rows(connection, self._tables, ruleset), list(last_steps), last_steps)
        return bool(rated_until_now) or len(stored) >= self._most

    def _rate_on(self, ruleset: str, fold: Fold) -> None:
        """Rate the next matches again, or put what came of it in the place of what was."""
        assert fold.target is not None
        assert fold.reached is not None
        with self._database.reading() as connection:
            rows = Rows(connection, self._tables, ruleset)
            entries = rows.matches(fold.reached, fold.target, self._most)
            if entries:
                influenced = self._read_influenced(rows, entries)
                were = set(influenced)
                made = _rate_again(rows, fold, entries, influenced)
        if not entries:
            self._switch(ruleset, fold)
            return
        with self._database.writing() as connection:
            self._move(connection, ruleset, fold, fold._replace(reached=entries[-1].version))
            put_rows(connection, self._tables.new_steps, made)
            self._put_influenced(connection, ruleset, influenced, were)

    def _read_influenced(self, rows: Rows, entries: Sequence[Entry]) -> dict[str, Standing]:
        table, found = self._tables.influenced, dict[str, Standing]()
        for some in in_batches({who for entry in entries for who in entry.players}):
            asked = sa.select(table).where(table.c.ruleset == rows.ruleset, table.c.player.in_(some))
            found.update((row.player, standing_of(row)) for row in rows.connection.execute(asked))
        return found

    def _put_influenced(
        self, connection: sa.Connection, ruleset: str, influenced: dict[str, Standing], were: set[str]
    ) -> None:
        table = self._tables.influenced
        for some in in_batches(were - influenced.keys()):
            connection.execute(sa.delete(table).where(table.c.ruleset == ruleset, table.c.player.in_(some)))
        fields = [
            {"ruleset": ruleset, "player": who, "mu": rating.mu, "sigma": rating.sigma, "matches": matches}
            for who, (rating, matches) in influenced.items()
        ]
        put_rows(connection, table, fields)

    def _switch(self, ruleset: str, fold: Fold) -> None:
        """Put the new steps in the place of the old ones, and the ratings that follow."""
        assert fold.target is not None
        tables = self._tables
        matches, unrated, steps, new = tables.matches, tables.unrated, tables.steps, tables.new_steps
        gone = (
            sa.select(matches.c.version)
            .join(unrated, (unrated.c.ruleset == matches.c.ruleset) & (unrated.c.match == matches.c.match))
            .where(matches.c.ruleset == ruleset, unrated.c.version > fold.version, unrated.c.version <= fold.target)
        )
        old = (steps.c.ruleset == ruleset) & steps.c.version.in_(gone)
        with self._database.writing() as connection:
            rows = Rows(connection, tables, ruleset)
            assert fold.target_head is not None
            self._move(connection, ruleset, fold, Fold(fold.target, fold.target_head, fold.opening))
            concerned = set(connection.scalars(sa.select(steps.c.player).where(old)))
            concerned |= set(connection.scalars(sa.select(new.c.player).where(new.c.ruleset == ruleset).distinct()))
            connection.execute(sa.delete(steps).where(old))
            put_rows(connection, steps, sa.select(new).where(new.c.ruleset == ruleset))
            for table in (new, tables.influenced):
                connection.execute(sa.delete(table).where(table.c.ruleset == ruleset))
            for some in in_batches(sorted(concerned)):
                self._put_ratings(rows, some, rows.last_steps(some))

    def _start_over(self, ruleset: str, fold: Fold) -> None:
        """Forget all that was folded."""
        with self._database.writing() as connection:
            self._move(connection, ruleset, fold, Fold())
            for table in self._tables:
                connection.execute(sa.delete(table).where(table.c.ruleset == ruleset))

    def _move(self, connection: sa.Connection, ruleset: str, was: Fold, now: Fold) -> None:
        """Note how far the ledger is folded; FoldTaken unless it is folded as far as it was."""
        ledgers = self._tables.ledgers
        if was == Fold():
            known = connection.execute(sa.select(ledgers.c.version).where(ledgers.c.ruleset == ruleset)).first()
            if known is not None:
                raise FoldTaken(f"another process has begun to fold the ratings of {ruleset}")
            connection.execute(sa.insert(ledgers).values(ruleset=ruleset, **now._asdict()))
            return
        here = [ledgers.c[name].is_not_distinct_from(value) for name, value in _describe_place(was).items()]
        step = sa.update(ledgers).where(ledgers.c.ruleset == ruleset, *here).values(**now._asdict())
        if connection.execute(step).rowcount != 1:
            raise FoldTaken(f"another process has folded the ratings of {ruleset} on")

    def _enter(self, connection: sa.Connection, ruleset: str, news: _News) -> None:
        entered = [{"ruleset": ruleset, **entry._asdict()} for entry in news.entered.values()]
        unrated = [{"ruleset": ruleset, "match": match, "version": version} for match, version in news.unrated.items()]
        if entered:
            connection.execute(sa.insert(self._tables.matches), entered)
        if unrated:
            connection.execute(sa.insert(self._tables.unrated), unrated)

    def _put_ratings(self, rows: Rows, players: Sequence[str], last_steps: dict[str, Row]) -> None:
        """Make these players' ratings what their last steps say; those without steps have none."""
        ratings, connection = self._tables.ratings, rows.connection
        before = rows.ratings(players)
        after = [describe_rating(step) for step in last_steps.values()]
        without = [who for who in before if who not in last_steps]
        connection.execute(sa.delete(ratings).where(ratings.c.ruleset == rows.ruleset, ratings.c.player.in_(without)))
        put_rows(connection, ratings, after)
        changes = Counter(bin_of(row["place"]) for row in after)
        changes.subtract(bin_of(row.place) for row in before.values())
        self._count(connection, rows.ruleset, changes)

    def _count(self, connection: sa.Connection, ruleset: str, changes: Counter[int]) -> None:
        """Add these numbers of players to the bins."""
        bins, changed = self._tables.bins, [bin for bin, change in changes.items() if change]
        here = (bins.c.ruleset == ruleset) & bins.c.bin.in_(changed)
        counted = Counter({row.bin: row.players for row in connection.execute(sa.select(bins).where(here))})
        counted.update({bin: changes[bin] for bin in changed})
        connection.execute(sa.delete(bins).where(here))
        filled = [{"ruleset": ruleset, "bin": bin, "players": count} for bin, count in counted.items() if count]
        if filled:
            connection.execute(sa.insert(bins), filled)


def _describe_place(fold: Fold) -> Row:
    return {name: value for name, value in fold._asdict().items() if name not in ("opening", "target_head")}


def _parse(stream: str, fold: Fold, stored: Sequence[StoredEvent]) -> list[Event]:
    try:
        return LEDGER.read(Ledger(stream, fold.version, fold.head), stored)
    except StreamError as error:
        raise error.in_stream(stream) from None


def _collect(rows: Rows, fold: Fold, last: StoredEvent, events: Iterable[Event]) -> _News:
    opening, entered, unrated = fold.opening, dict[str, Entry](), dict[str, int]()
    for event in events:
        data: Any = event.data
        match data:
            case RatingsOpened():
                opening = asdict(data)
            case MatchRated(match, players, ranks):
                entered.setdefault(match, Entry(event.version, event.at, match, players, ranks))
            case MatchUnrated(match):
                unrated.setdefault(match, event.version)
    for match in rows.places(entered):
        del entered[match]
    for match in rows.unrated(unrated):
        del unrated[match]
    return _News(last, opening, entered, unrated)


def _rate_new(rows: Rows, fold: Fold, news: _News) -> list[Row]:
    """The rows of the steps of new matches."""
    unrated = news.unrated.keys() | rows.unrated(news.entered).keys()
    entries = [entry for entry in news.entered.values() if entry.match not in unrated]
    if not entries:
        return []
    model = fold._replace(opening=news.opening).make_model()
    known = rows.ratings({who for entry in entries for who in entry.players})
    newcomer = Standing(model.newcomer, 0)

    def find(player: str, _: int) -> Standing:
        return standing_of(known[player]) if player in known else newcomer

    rated = rate_again(model, entries, lambda _: True, {}, {}, find)
    return [row for entry, steps in rated for row in describe_steps(rows.ruleset, entry, steps)]


def _rate_again(rows: Rows, fold: Fold, entries: Sequence[Entry], influenced: dict[str, Standing]) -> list[Row]:
    """The rows of the steps that change when these matches are rated again; `influenced` is kept up to date."""
    model = fold.make_model()
    newcomer = Standing(model.newcomer, 0)
    unrated = rows.unrated(entry.match for entry in entries)
    known = rows.steps(entries[0].version, entries[-1].version)
    rated = rate_again(
        model,
        entries,
        lambda entry: entry.match not in unrated,
        known,
        influenced,
        lambda player, version: rows.standing(player, version) or newcomer,
    )
    return [row for entry, steps in rated for row in describe_steps(rows.ruleset, entry, steps)]


def rebuild(
    store: EventStore,
    tables: Tables[RatingTables],
    rulesets: Sequence[str],
    report: Callable[[str, int], object] = lambda ruleset, version: None,
) -> None:
    """Fold these ledgers afresh beside the rows that are read, and switch readers over when all are folded.

    `report` is called after each step with a ruleset and the version up to which its ledger is folded. BuildLost if
    another build has begun; the errors of Folder.step.
    """
    build = tables.begin(now_ms())
    with tables.database.reading() as connection:
        [*_, building] = tables.targets(connection)
    folder = Folder(store, tables.database, building)
    # The second time is short: it takes up what has come in meanwhile.
    for ruleset in [*rulesets, *rulesets]:
        has_more = True
        while has_more:
            with tables.database.writing() as connection:
                tables.renew(connection, build, now_ms())
            has_more = folder.step(ruleset)
            with tables.database.reading() as connection:
                version = Rows(connection, building, ruleset).fold().version
            report(ruleset, version)
    tables.finish(build)
