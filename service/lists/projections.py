"""Projections: read models of streams, which the relay keeps and which can be rebuilt from the streams at any time.

A projection follows the feed, so it lags behind the streams by the entries that the relay has not taken yet. A rebuild
does not disturb readers: they see the old rows until the new ones are complete, including everything that the relay
projected during the build. What a build leaves behind when it dies, the next build replaces.
"""

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, TypeVar

from redis import Redis

from plyscribe.service.clock import now_ms
from plyscribe.service.database.engine import Database
from plyscribe.service.database.tables import Enter, Tables
from plyscribe.service.store.feed import FeedGroup
from plyscribe.service.store.port import BUCKETS, EventStore, FeedEntry, StoreUnavailable, bucket_of, chunk_streams

LAG_CACHED_S = 1.0
"""How long a process reuses a lag that it has read: reading it costs the server some 64 lookups."""

SILENT_MS = 60_000
"""A build that has not been renewed for this long is dead."""

R = TypeVar("R")
S = TypeVar("S")

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
    def layout(self) -> int:
        """A number that grows whenever a release makes other rows of the same streams; the list is then rebuilt."""
        ...

    @property
    def table(self) -> Tables[Any]:
        """Where the projection is kept."""
        ...

    def collect(self, streams: Mapping[str, int | None]) -> Enter:
        """Read these streams as they stand at the given versions or later (None: now); return what enters their rows.

        Rows may be entered in any order, and again. A stream that cannot be read is logged and left out.
        StoreUnavailable.
        """
        ...


class Built(NamedTuple):
    """The progress of a build: `done` of `total` buckets, and the number of streams projected."""

    done: int
    total: int
    streams: int


def rebuild(store: EventStore, projection: Projection, report: Callable[[Built], object] = lambda built: None) -> Built:
    """Build a projection from the streams, while others read and write it, and switch readers over when it is complete.

    BuildLost if another build of it has begun; StoreUnavailable.
    """
    built = Built(0, len(BUCKETS), 0)
    build = projection.table.begin(now_ms())
    for streams in chunk_streams(store, projection.kinds):
        _enter([projection.collect(dict.fromkeys(streams))], projection.table.database)
        projection.table.renew(build, now_ms())
        built = Built(BUCKETS.index(bucket_of(streams[-1])), len(BUCKETS), built.streams + len(streams))
        report(built)
    projection.table.finish(build, projection.layout)
    built = built._replace(done=len(BUCKETS))
    report(built)
    return built


def is_complete(projection: Projection) -> bool:
    """Whether the projection was built from all streams, by a release with the same layout."""
    return projection.table.state().layout == projection.layout


def needs_build(projection: Projection) -> bool:
    """Whether the projection is incomplete or a build of it died, and no build is running."""
    state = projection.table.state()
    if state.build_ms is None:
        return state.layout != projection.layout
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

    def __init__(self, client: Redis, projections: Sequence[Projection]) -> None:
        self._feed = FeedGroup(client)
        self._projections = projections
        self._known = Lag(0, 0, complete=False)
        self._known_until = 0.0

    def __call__(self) -> Lag:
        """The lag, at most a second old; StoreUnavailable."""
        asked_at = time.monotonic()
        if asked_at < self._known_until:
            return self._known
        backlog = self._feed.backlog()
        ms = 0 if backlog.since_ms is None else max(0, now_ms() - backlog.since_ms)
        lag = Lag(backlog.entries, ms, all(map(is_complete, self._projections)))
        # In this order, so that a thread that sees the new time also sees the new lag.
        self._known, self._known_until = lag, asked_at + LAG_CACHED_S
        return lag


class ListUpdater:
    """Brings the lists up to date whenever it is asked for the lag, in a process whose lists no relay keeps."""

    def __init__(self, store: EventStore, projections: Sequence[Projection]) -> None:
        self._store = store
        self._projections = projections
        self._position = ""

    def __call__(self) -> Lag:
        """Project everything that is new, and return a lag of nothing."""
        while (tail := self._store.tail(self._position)).entries:
            project_all(self._projections, tail.entries)
            self._position = tail.position
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


def project_all(projections: Sequence[Projection], entries: Sequence[FeedEntry]) -> None:
    """Enter each stream of these entries once, as it stands after them, in the projections of its kind."""
    newest: dict[str, int | None] = {entry.stream: entry.last for entry in entries}
    enters = []
    for projection in projections:
        concerned = {stream: last for stream, last in newest.items() if stream.partition("-")[0] in projection.kinds}
        if concerned:
            enters.append(projection.collect(concerned))
    if enters:
        _enter(enters, projections[0].table.database)


def _enter(enters: Sequence[Enter], database: Database) -> None:
    with database.writing() as connection:
        for enter in enters:
            enter(connection)
