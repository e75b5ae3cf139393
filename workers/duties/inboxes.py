"""Players are told in their inboxes what their matches want of them, and what became of them."""

from collections.abc import Sequence

from domain.match import Match
from service.composition import Parts
from service.live.inboxes import Notifier
from service.store.port import FeedEntry
from service.streams.handler import Handler
from workers.duties import Chore


class Notices:
    """Writes to the players' inboxes, each thing once."""

    chores: Sequence[Chore] = ()

    def __init__(self, parts: Parts, states: Handler[Match]) -> None:
        self._notifier = Notifier(states, parts.inboxes)

    def take(self, entries: Sequence[FeedEntry]) -> None:
        """Tell the players what these appends tell them."""
        self._notifier.tell(entries)
