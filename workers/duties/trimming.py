"""Keeps the feed short: removes what all have handled who need every entry."""

from collections.abc import Sequence

from plyscribe.service.store.feed import FeedGroup
from plyscribe.service.store.port import FeedEntry
from plyscribe.workers.duties import Chore
from plyscribe.workers.duties.projecting import Projector

TRIM_EVERY_S = 60.0
KEEP_FEED = 10_000
"""Entries that stay in each bucket's feed for its other followers."""

MOST_FEED = 50_000
"""Entries that stay for a read database that is away, some 3 MB a bucket. If it misses any, it is built anew."""


class Trimming:
    """Trims the feed once a minute."""

    def __init__(self, feed: FeedGroup, projector: Projector) -> None:
        self._feed = feed
        self._projector = projector
        self.chores = (Chore("trim", self.trim, TRIM_EVERY_S),)

    def take(self, entries: Sequence[FeedEntry]) -> None:
        """Do nothing: the feed is trimmed once in a while."""

    def trim(self) -> None:
        """Remove acknowledged entries that are also entered in the read database, or that are too many for it."""
        self._feed.trim(KEEP_FEED, self._projector.places)
        self._feed.trim(MOST_FEED)
