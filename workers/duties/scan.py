"""All streams that are kept track of are looked through at the start and every hour, once for all that do so."""

import logging
from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from plyscribe.domain.chain import StoredEvent
from plyscribe.service.store.port import EventStore, FeedEntry
from plyscribe.workers.duties import Chore
from plyscribe.workers.duties.each import read_each

SCAN_EVERY_S = 3600.0

log = logging.getLogger(__name__)


class Tracker(Protocol):
    """A duty that keeps track of matches, and can find them anew."""

    def find(self, newest: Mapping[str, StoredEvent]) -> None:
        """Keep track of those of these matches and imports that it is for, as their newest events tell."""
        ...


class Scan:
    """Finds what the feed no longer tells."""

    def __init__(self, store: EventStore, trackers: Sequence[Tracker]) -> None:
        self._store = store
        self._trackers = trackers
        self.chores = (Chore("scan", self.scan, SCAN_EVERY_S),)

    def take(self, entries: Sequence[FeedEntry]) -> None:
        """What the feed tells is for the trackers themselves."""

    def scan(self) -> None:
        """Show all matches and imports to those who keep track of them."""
        after = ""
        while streams := self._store.streams(after):
            after = streams[-1]
            tracked = [stream for stream in streams if stream.startswith(("match-", "import-", "tournament-"))]
            newest = dict(read_newest(self._store, tracked))
            for tracker in self._trackers:
                tracker.find(newest)


def read_newest(store: EventStore, streams: Sequence[str]) -> Iterable[tuple[str, StoredEvent]]:
    """The streams that can be read with their newest entries; the others are told and left out. StoreUnavailable."""
    for stream, entry in read_each(streams, store.newest):
        if entry is None:
            log.error("%s is listed in the store and has no events: they were deleted", stream)
        else:
            yield stream, entry
