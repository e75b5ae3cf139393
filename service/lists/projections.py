"""Projections: what is kept of streams to be listed, and can be built again from them at any time.

A projection follows the feed, so it lags behind the streams by what the relay has not taken yet. Building it again
goes on beside: what is read changes only when the new one is complete, and by then it has all that the relay projected
meanwhile. A build that dies leaves nothing behind that the next one does not replace.
"""

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, Protocol, TypeVar

from redis import Redis

from plyscribe.service.clock import now_ms
from plyscribe.service.store.feed import FeedGroup
from plyscribe.service.store.port import BUCKETS, EventStore, FeedEntry, StoreUnavailable, bucket_of, chunk_streams
from plyscribe.service.store.table import Row, TableState

LAG_CACHED_S = 1.0
"""How long a process believes what it knows of the lag, which takes the server some 64 lookups to tell."""

SILENT_MS = 60_000
"""A build without a sign of life for so long is dead."""

S = TypeVar("S")

log = logging.getLogger(__name__)


class Buildable(Protocol):
    """What a projection is kept in: see `plyscribe.service.store.table.Table`."""

    def begin(self, now_ms: int) -> str: ...  # noqa: D102
    def renew(self, build: str, now_ms: int) -> None: ...  # noqa: D102
    def finish(self, build: str, layout: int) -> None: ...  # noqa: D102
    def state(self) -> TableState: ...  # noqa: D102


class Projection(Protocol):
    """A read model of all streams of some kinds."""

    @property
    def name(self) -> str:
        """What it is called on the command line."""
        ...

    @property
    def kinds(self) -> Sequence[str]:
        """What the ids of its streams begin with, up to the first `-`."""
        ...

    @property
    def layout(self) -> int:
        """Goes up whenever the same streams amount to something else: then it is built again."""
        ...

    @property
    def table(self) -> Buildable:
        """Where it is kept."""
        ...

    def project(self, streams: Mapping[str, int | None]) -> None:
        """Enter what these streams amount to at their versions here or later (None: now).

        Harmless twice, at the same time, and in any order.

        A stream that cannot be read is told in the log and keeps no other one out. StoreUnavailable.
        """
        ...


class Built(NamedTuple):
    """How far a build is: `done` of `total` buckets, and the streams that were projected."""

    done: int
    total: int
    streams: int


def rebuild(store: EventStore, projection: Projection, report: Callable[[Built], object] = lambda built: None) -> Built:
    """Build a projection from the streams while it is read and written, and let the new one be read when it is whole.

    BuildLost where another build of it began meanwhile; StoreUnavailable.
    """
    built = Built(0, len(BUCKETS), 0)
    build = projection.table.begin(now_ms())
    for streams in chunk_streams(store, projection.kinds):
        projection.project(dict.fromkeys(streams))
        projection.table.renew(build, now_ms())
        built = Built(BUCKETS.index(bucket_of(streams[-1])), len(BUCKETS), built.streams + len(streams))
        report(built)
    projection.table.finish(build, projection.layout)
    built = built._replace(done=len(BUCKETS))
    report(built)
    return built


def is_complete(projection: Projection) -> bool:
    """Whether the projection was built from all streams once, by this release or one that keeps it alike."""
    return projection.table.state().layout == projection.layout


def needs_build(projection: Projection) -> bool:
    """Whether the projection is not complete, or a build of it died, and nobody is at work on that."""
    state = projection.table.state()
    if state.build_ms is None:
        return state.layout != projection.layout
    # Until it is begun anew, a build that died has every row written twice.
    return now_ms() - state.build_ms > SILENT_MS


class Lag(NamedTuple):
    """How far the projections are behind the streams."""

    entries: int
    """Appends that are not projected yet."""

    ms: int
    """How long ago the oldest of them was stored."""

    complete: bool
    """Whether all projections were built from all streams."""


class FeedLag:
    """What the relay, which projects, has still to do; asked for again after a second at the earliest.

    Safe to share between threads.
    """

    def __init__(self, client: Redis, projections: Sequence[Projection]) -> None:
        self._feed = FeedGroup(client)
        self._projections = projections
        self._known = Lag(0, 0, complete=False)
        self._known_until = 0.0

    def __call__(self) -> Lag:
        """The lag as of a second ago at most; StoreUnavailable."""
        asked_at = time.monotonic()
        if asked_at < self._known_until:
            return self._known
        backlog = self._feed.backlog()
        ms = 0 if backlog.since_ms is None else max(0, now_ms() - backlog.since_ms)
        lag = Lag(backlog.entries, ms, all(map(is_complete, self._projections)))
        # In this order: who sees the new time sees the new lag.
        self._known, self._known_until = lag, asked_at + LAG_CACHED_S
        return lag


class ListUpdater:
    """Projects what the store has whenever it is asked for the lag: for a process whose lists no relay keeps."""

    def __init__(self, store: EventStore, projections: Sequence[Projection]) -> None:
        self._store = store
        self._projections = projections
        self._position = ""

    def __call__(self) -> Lag:
        """None, now that all is projected."""
        while (tail := self._store.tail(self._position)).entries:
            project_all(self._projections, tail.entries)
            self._position = tail.position
        return Lag(0, 0, complete=True)


def build_rows(
    streams: Mapping[str, int | None], read: Callable[[str, int | None], S], build_row: Callable[[S], Row | None]
) -> list[Row]:
    """The rows of these streams; one whose row cannot be built is told in the log and left out. StoreUnavailable."""
    rows = []
    for stream, version in streams.items():
        try:
            rows.append(build_row(read(stream, version)))
        except StoreUnavailable:
            raise
        except Exception:
            # Whatever it is, a ruleset of somebody's own for example: it must not hold up the others.
            log.exception("%s cannot be listed", stream)
    return [row for row in rows if row is not None]


def project_all(projections: Sequence[Projection], entries: Sequence[FeedEntry]) -> None:
    """Enter what the streams of these entries amount to after them, each once, in the projections of their kinds."""
    newest: dict[str, int | None] = {entry.stream: entry.last for entry in entries}
    for projection in projections:
        concerned = {stream: last for stream, last in newest.items() if stream.partition("-")[0] in projection.kinds}
        if concerned:
            projection.project(concerned)
