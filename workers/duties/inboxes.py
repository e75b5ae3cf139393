"""Players are told in their inboxes what their matches want of them, and what became of them."""

from collections.abc import Sequence

from plyscribe.domain.match import Match
from plyscribe.service.composition import Parts
from plyscribe.service.live.inboxes import Notifier
from plyscribe.service.store.port import FeedEntry
from plyscribe.service.streams.handler import Handler
from plyscribe.workers.duties import Chore


class Notices:
    """Writes to the players' inboxes, each thing once."""

    chores: Sequence[Chore] = ()

    def __init__(self, parts: Parts, states: Handler[Match]) -> None:
        self._notifier = Notifier(states, parts.inboxes)

    def take(self, entries: Sequence[FeedEntry]) -> None:
        """Tell the players what these appends tell them."""
        self._notifier.deliver(entries)
