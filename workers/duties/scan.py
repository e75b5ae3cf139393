"""The scan: shows every match, import and tournament in the store to the duties that track them."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from plyscribe.domain.chain import StoredEvent
from plyscribe.service.store.port import EventStore, FeedEntry
from plyscribe.workers.duties import Chore
from plyscribe.workers.duties.loading import read_newest

SCAN_EVERY_S = 3600.0
TRACKED = ("match-", "import-", "tournament-")


class Tracker(Protocol):
    """A duty that can find its streams without the feed."""

    def find(self, newest: Mapping[str, StoredEvent]) -> None:
        """Take on those of these streams that wait for this duty, going by their newest events."""
        ...


class Scan:
    """Finds what the feed no longer holds, at the start and every hour; one pass over the store serves all trackers."""

    def __init__(self, store: EventStore, trackers: Sequence[Tracker]) -> None:
        self._store = store
        self._trackers = trackers
        self.chores = (Chore("scan", self.scan, SCAN_EVERY_S),)

    def take(self, entries: Sequence[FeedEntry]) -> None:
        """Do nothing: the trackers follow the feed themselves."""

    def scan(self) -> None:
        """Show every tracked stream to every tracker."""
        after = ""
        while streams := self._store.streams(after):
            after = streams[-1]
            newest = dict(read_newest(self._store, [stream for stream in streams if stream.startswith(TRACKED)]))
            for tracker in self._trackers:
                tracker.find(newest)
