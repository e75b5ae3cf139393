"""Reads the matches of each batch, all at once, before other duties look at them one by one."""

from collections.abc import Sequence

from plyscribe.service.live.letters import LetterSink
from plyscribe.service.store.port import FeedEntry
from plyscribe.workers.duties import Chore


class ReadingAhead:
    """Brings the matches of a batch up to date; what it finds for inboxes is entered by the projector."""

    chores: Sequence[Chore] = ()

    def __init__(self, letters: LetterSink) -> None:
        self._letters = letters

    def take(self, entries: Sequence[FeedEntry]) -> None:
        """Read the matches of these entries."""
        self._letters.follow(entries)
