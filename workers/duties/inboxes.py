"""Announces letters that a process which died has left behind, and removes inboxes that nothing comes to any more."""

from collections.abc import Sequence

from plyscribe.service.clock import now_ms
from plyscribe.service.live.inboxes import Inboxes
from plyscribe.service.live.letters import LetterSink
from plyscribe.service.store.port import FeedEntry
from plyscribe.workers.duties import Chore

LOOK_EVERY_S = 10.0
STRIKE_EVERY_S = 1.0
FORGET_EVERY_S = 3600.0


class InboxCare:
    """Looks after the inboxes that the projector fills."""

    def __init__(self, inboxes: Inboxes, sink: LetterSink) -> None:
        self._inboxes = inboxes
        self._sink = sink
        self.chores = (
            Chore("announcing of letters", self.announce_rest, LOOK_EVERY_S),
            Chore("noting of announced letters", self._inboxes.strike, STRIKE_EVERY_S),
            Chore("removal of old inboxes", self.forget_old, FORGET_EVERY_S),
        )

    def take(self, entries: Sequence[FeedEntry]) -> None:
        """Do nothing: the projector enters what is new."""

    def announce_rest(self) -> None:
        """Announce what another relay has entered and not announced."""
        self._inboxes.look_again()
        self._sink.announce()

    def forget_old(self) -> bool:
        """Remove some of the old inboxes; return whether there may be more."""
        return self._inboxes.forget_old(now_ms())
