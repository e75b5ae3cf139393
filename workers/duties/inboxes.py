"""Players are told in their inboxes what their matches want of them, and what became of them."""

from collections.abc import Sequence

from service.composition import MATCHES, Parts
from service.handlers import Handler
from service.inboxes import Notifier
from service.store.port import FeedEntry
from workers.duties import Chore


class Notices:
    """Writes to the players' inboxes, each thing once."""

    chores: Sequence[Chore] = ()

    def __init__(self, parts: Parts) -> None:
        # With states of its own, which stand where the batches end: those that all share may be ahead of a late batch.
        self._notifier = Notifier(Handler(parts.store, MATCHES), parts.inboxes)

    def take(self, entries: Sequence[FeedEntry]) -> None:
        """Tell the players what these appends tell them."""
        self._notifier.tell(entries)
