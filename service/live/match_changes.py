"""The newest changes of all matches and tournaments, in one order: what followers of many of them read.

A change is an append to a match or a tournament. The relay notes it in the same transaction as the lists, so a follower
always finds the match that changed in the list.
"""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import orjson
import sqlalchemy as sa

from plyscribe.domain.match import Match
from plyscribe.service.database.engine import Database, DatabaseUnavailable
from plyscribe.service.database.rows import TEXT, insert_rows
from plyscribe.service.database.table_sets import Enter, enter_nothing
from plyscribe.service.live.followers import Entry, Line
from plyscribe.service.matches.queries import dump_events
from plyscribe.service.store.port import FeedEntry, Stretch
from plyscribe.service.streams.handler import Handler

NOTED = ("match-", "tournament-")
"""How the ids of the streams begin whose appends are noted."""

KEPT = 50_000
"""The number of changes that are kept."""

PAGE = 500
SCANNED = 2
"""Pages of changes that are looked at for one that a follower wants, before others have their turn."""

MAX_EVENTS = 100
"""Events of an append that are sent along."""

FRESH_S = 0.1
"""How long a process reuses the number of the newest change."""

CHANGE, AT, GAP = "change", "at", "gap"
"""The types of entries: a change; how far the changes have been looked through; changes that are no longer kept."""

_METADATA = sa.MetaData()

CHANGES = sa.Table(
    "changes_1",
    _METADATA,
    sa.Column("number", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("match", TEXT, nullable=False),
    sa.Column("first", sa.BigInteger, nullable=False),
    sa.Column("last", sa.BigInteger, nullable=False),
)

NUMBERS = sa.Table(
    "change_numbers_1",
    _METADATA,
    sa.Column("newest", sa.BigInteger, nullable=False),
    sa.Column("floor", sa.BigInteger, nullable=False),
)
"""One row: the number of the newest change, and the number after which all changes are kept."""

_ABOVE = NUMBERS.c.newest + sa.bindparam("more", type_=sa.BigInteger)
_FLOOR_ABOVE = _ABOVE - sa.bindparam("kept", type_=sa.BigInteger)
_FLOOR = sa.case((NUMBERS.c.floor < _FLOOR_ABOVE, _FLOOR_ABOVE), else_=NUMBERS.c.floor)
_COUNT_ON = sa.update(NUMBERS).values(newest=_ABOVE, floor=_FLOOR).returning(NUMBERS.c.newest, NUMBERS.c.floor)
_DROP = sa.delete(CHANGES).where(CHANGES.c.number <= sa.bindparam("kept_after"))

Json = dict[str, Any]


class Change(NamedTuple):
    """An append to a match or tournament: its number in the order of all changes, and its first and last version."""

    number: int
    match: str
    first: int
    last: int


class Numbers(NamedTuple):
    """The number of the newest change, and the number after which all changes are kept."""

    newest: int
    floor: int


class Changes:
    """The newest changes, as a sink of the feed. Safe to share between threads.

    Numbers begin with the microseconds of the clock, so they grow even after the database was lost.
    """

    def __init__(self, database: Database, catch_up: Callable[[], object] | None = None) -> None:
        """`catch_up` is called before anything is read, in a process that has no relay."""
        self._database = database
        self._catch_up = catch_up
        self._known = Numbers(0, 0)
        self._known_until = 0.0
        database.prepare(_create)

    def collect(self, entries: Sequence[FeedEntry]) -> Enter:
        """See Sink.collect."""
        appends = [entry for entry in entries if entry.stream.startswith(NOTED)]
        return (lambda connection: _note(connection, appends)) if appends else enter_nothing

    def announce(self) -> None:
        """See Sink.announce: followers look by themselves."""

    def forget(self, connection: sa.Connection) -> None:
        """Drop all changes, because some were missed. Followers are told of a gap."""
        start = _now_us()
        above = sa.case((NUMBERS.c.newest < start, start), else_=NUMBERS.c.newest + 1)
        connection.execute(sa.update(NUMBERS).values(newest=above, floor=above))
        connection.execute(sa.delete(CHANGES))

    def numbers(self) -> Numbers:
        """The newest number and the floor, at most FRESH_S old."""
        asked_at = time.monotonic()
        if asked_at >= self._known_until:
            if self._catch_up is not None:
                self._catch_up()
            with self._database.reading() as connection:
                row = connection.execute(sa.select(NUMBERS.c.newest, NUMBERS.c.floor)).one()
            self._known, self._known_until = Numbers(*row), asked_at + FRESH_S
        return self._known

    def read(self, after: int, limit: int) -> list[Change]:
        """The first changes after a number, in order."""
        found = sa.select(CHANGES).where(CHANGES.c.number > after).order_by(CHANGES.c.number).limit(limit)
        with self._database.reading() as connection:
            return [Change(*row) for row in connection.execute(found)]


def _create(connection: sa.Connection) -> None:
    _METADATA.create_all(connection)
    if connection.execute(sa.select(NUMBERS)).first() is None:
        start = _now_us()
        connection.execute(sa.insert(NUMBERS).values(newest=start, floor=start))


def _now_us() -> int:
    return time.time_ns() // 1000


def _note(connection: sa.Connection, appends: Sequence[FeedEntry]) -> None:
    # This row is locked until the end of the transaction, so numbers are in the order in which they become visible.
    newest, kept_after = connection.execute(_COUNT_ON, {"more": len(appends), "kept": KEPT}).one()
    numbers = range(newest - len(appends) + 1, newest + 1)
    rows = [
        {"number": number, "match": append.stream, "first": append.first, "last": append.last}
        for number, append in zip(numbers, appends, strict=True)
    ]
    insert_rows(connection, CHANGES, rows)
    connection.execute(_DROP, {"kept_after": kept_after})


class ChangeEntries:
    """The changes that one filter shows to one reader, as a Source that can be followed."""

    last_types = frozenset[str]()
    is_polled = True

    def __init__(
        self,
        changes: Changes,
        matches: Handler[Match],
        select: Callable[[Iterable[str]], Mapping[str, Json]],
        as_lines: bool,
    ) -> None:
        """`select` returns the rows of those of some matches that the reader may see and wants."""
        self._changes = changes
        self._matches = matches
        self._select = select
        self._entry = Line if as_lines else Entry
        self._empty = range(0)

    def read(self, stream: str, after: int, limit: int) -> Sequence[Entry]:
        """See Source.read. An entry `gap` stands for changes that are no longer kept.

        An entry `at` says that none of the changes up to it are wanted. While the database is away there is nothing.
        """
        try:
            return self._read(after)
        except DatabaseUnavailable:
            return []

    def at(self, number: int, type: str = AT) -> Entry:
        """An entry that says no more than its number."""
        return self._entry(number, type, orjson.dumps({"type": type, "id": number}))

    def _read(self, after: int) -> list[Entry]:
        newest, floor = self._changes.numbers()
        if after < floor:
            return [self.at(floor, GAP)]
        looked_at = self._empty.stop if after in self._empty else after
        for _ in range(SCANNED):
            changes = self._changes.read(looked_at, PAGE) if looked_at < newest else []
            if not changes:
                self._empty = range(after, looked_at)
                return []
            if entries := self.dump(changes):
                return entries
            looked_at = changes[-1].number
        return [self.at(looked_at)]

    def dump(self, changes: Sequence[Change]) -> list[Entry]:
        """The entries of those of these changes that are wanted."""
        rows = self._select({change.match for change in changes})
        shown = [change for change in changes if change.match in rows]
        stretches = [
            Stretch(change.match, change.first - 1, min(change.last, change.first - 1 + MAX_EVENTS)) for change in shown
        ]
        events = self._matches.read_all_events(stretches) if stretches else []
        return [
            self._entry(change.number, CHANGE, _describe(change, rows[change.match], dump_events(each)))
            for change, each in zip(shown, events, strict=True)
        ]


def _describe(change: Change, row: Json, events: orjson.Fragment) -> bytes:
    return orjson.dumps(
        {
            "type": CHANGE,
            "id": change.number,
            "match": change.match,
            "version": change.last,
            "ruleset": row["ruleset"],
            "ruleset_version": row["ruleset_version"],
            "events": events,
        }
    )


class TournamentChanges(ChangeEntries):
    """The changes of one tournament and of the matches of its last round, without their events, as a Source."""

    def __init__(
        self, changes: Changes, matches: Handler[Match], tournament: str, list_matches: Callable[[], Iterable[str]]
    ) -> None:
        """`list_matches` returns the ids of the matches of the last round."""
        super().__init__(changes, matches, lambda _: {}, as_lines=False)
        self._tournament = tournament
        self._list_matches = list_matches

    def dump(self, changes: Sequence[Change]) -> list[Entry]:
        """See ChangeEntries.dump."""
        wanted = {self._tournament, *self._list_matches()}
        return [
            self._entry(change.number, CHANGE, orjson.dumps(_describe_shortly(change)))
            for change in changes
            if change.match in wanted
        ]


def _describe_shortly(change: Change) -> Json:
    kind = change.match.partition("-")[0]
    return {"type": CHANGE, "id": change.number, kind: change.match, "version": change.last}
