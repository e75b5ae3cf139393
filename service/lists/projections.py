"""Projections: read models of streams, which the relay keeps and which can be rebuilt from the streams at any time.

A projection follows the feed, so it lags behind the streams by the entries that are not entered yet. A rebuild does not
disturb readers: they see the old rows until the new ones are complete, including everything that the relay entered
during the build. What a build leaves behind when it dies, the next build replaces.
"""

import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, TypeVar

from sqlalchemy import Connection

from plyscribe.service.archive.walking import walk_streams
from plyscribe.service.clock import now_ms
from plyscribe.service.database.engine import Database
from plyscribe.service.database.feed_places import Places
from plyscribe.service.database.table_sets import Enter, Sink, Tables
from plyscribe.service.store.cluster import Client
from plyscribe.service.store.feed import FeedGroup
from plyscribe.service.store.port import BUCKETS, EventStore, FeedEntry, StoreUnavailable

LAG_CACHED_S = 1.0
"""How long a process reuses a lag that it has read: reading it costs the server some 64 lookups."""

SILENT_MS = 60_000
"""A build that has not been renewed for this long is dead."""

S = TypeVar("S")
R = TypeVar("R")

log = logging.getLogger(__name__)


class Projection(Protocol):
    """A read model of all streams of some kinds."""

    @property
    def name(self) -> str:
        """Its name on the command line."""
        ...

    @property
    def kinds(self) -> Sequence[str]:
        """The kinds of its streams: what their ids begin with, up to the first `-`."""
        ...

    @property
    def table(self) -> Tables[Any]:
        """Where the projection is kept, with the number of its layout."""
        ...

    def collect(self, streams: Mapping[str, int | None]) -> Enter:
        """Read these streams at the given versions or later (None: now), and return what enters their rows.

        Idempotent; calls may overlap and come in any order. A stream that cannot be read is logged and left out.
        StoreUnavailable.
        """
        ...


class Built(NamedTuple):
    """The progress of a build: `done` of `total` buckets and packs, and the number of streams projected."""

    done: int
    total: int
    streams: int


def rebuild(store: EventStore, projection: Projection, report: Callable[[Built], object] = lambda built: None) -> Built:
    """Build a projection from the streams, while others read and write it, and switch readers over when it is complete.

    BuildLost if another build of it has begun; StoreUnavailable.
    """
    built, tables = Built(0, len(BUCKETS), 0), projection.table
    build = tables.begin(now_ms())
    for streams, done, total in walk_streams(store, projection.kinds):
        enter = projection.collect(dict.fromkeys(streams))
        with tables.database.writing() as connection:
            tables.renew(connection, build, now_ms())
            enter(connection)
        built = Built(done, total, built.streams + len(streams))
        report(built)
    tables.finish(build)
    built = built._replace(done=built.total)
    report(built)
    return built


def is_complete(projection: Projection) -> bool:
    """Whether the projection was built from all streams, by a release with the same layout."""
    return projection.table.state().is_built


def needs_build(projection: Projection) -> bool:
    """Whether the projection is incomplete or a build of it died, and no build is running."""
    state = projection.table.state()
    if state.build_ms is None:
        return not state.is_built
    # As long as a build is open, every row is written twice, even if the build has died.
    return now_ms() - state.build_ms > SILENT_MS


class Lag(NamedTuple):
    """How far the projections lag behind the streams."""

    entries: int
    """Appends that are not projected yet."""

    ms: int
    """The age of the oldest such append."""

    complete: bool
    """Whether all projections are complete."""


class FeedLag:
    """The lag of projections that the relay keeps; read again after a second at the earliest.

    Safe to share between threads.
    """

    def __init__(self, client: Client, places: Places, projections: Sequence[Projection]) -> None:
        self._feed = FeedGroup(client)
        self._places = places
        self._projections = projections
        self._known = Lag(0, 0, complete=False)
        self._known_until = 0.0

    def __call__(self) -> Lag:
        """The lag, at most a second old; StoreUnavailable, DatabaseUnavailable."""
        asked_at = time.monotonic()
        if asked_at < self._known_until:
            return self._known
        places = self._places.read(self._feed.read_identity())
        backlog = self._feed.backlog_after(places)
        ms = 0 if backlog.since_ms is None else max(0, now_ms() - backlog.since_ms)
        complete = bool(places) and all(map(is_complete, self._projections))
        lag = Lag(backlog.entries, ms, complete)
        # In this order, so that a thread that sees the new time also sees the new lag.
        self._known, self._known_until = lag, asked_at + LAG_CACHED_S
        return lag


class ListUpdater:
    """Brings the lists up to date whenever it is asked for the lag, in a process whose lists no relay keeps."""

    def __init__(self, store: EventStore, database: Database, sinks: Sequence[Sink]) -> None:
        self._store = store
        self._database = database
        self._sinks = sinks
        self._position = ""
        self._lock = threading.Lock()

    def __call__(self) -> Lag:
        """Enter everything that is new, and return a lag of nothing."""
        with self._lock:
            while (tail := self._store.tail(self._position)).entries:
                enters = [sink.collect(tail.entries) for sink in self._sinks]
                with self._database.writing() as connection:
                    for enter in enters:
                        enter(connection)
                self._position = tail.position
                for sink in self._sinks:
                    sink.announce()
        return Lag(0, 0, complete=True)


def build_rows(
    streams: Mapping[str, int | None], read: Callable[[str, int | None], S], build_row: Callable[[S], R | None]
) -> list[R]:
    """The rows of these streams; a stream whose row cannot be built is logged and left out. StoreUnavailable."""
    rows = []
    for stream, version in streams.items():
        try:
            rows.append(build_row(read(stream, version)))
        except StoreUnavailable:
            raise
        except Exception:
            # Anything may fail here, such as a ruleset of the operator's own. It must not hold up other streams.
            log.exception("%s cannot be listed", stream)
    return [row for row in rows if row is not None]


class ListSink:
    """The lists, as a sink of the feed."""

    def __init__(self, projections: Sequence[Projection]) -> None:
        self._projections = projections

    def collect(self, entries: Sequence[FeedEntry]) -> Enter:
        """See Sink.collect: each stream of these entries once, as it stands after them, in the lists of its kind."""
        newest: dict[str, int | None] = {entry.stream: entry.last for entry in entries}
        enters = []
        for projection in self._projections:
            kinds = projection.kinds
            if concerned := {stream: last for stream, last in newest.items() if stream.partition("-")[0] in kinds}:
                enters.append(projection.collect(concerned))

        def enter_all(connection: Connection) -> None:
            for enter in enters:
                enter(connection)

        return enter_all

    def announce(self) -> None:
        """See Sink.announce: nobody waits for lists."""
