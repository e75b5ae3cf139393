"""Sends the job that copies what is not sealed, so that the archive follows the store."""

from collections.abc import Sequence

from rq import Queue

from plyscribe.service.composition import Parts
from plyscribe.service.queues import enqueue_copying
from plyscribe.service.store.port import FeedEntry
from plyscribe.workers.duties import Chore
from plyscribe.workers.duties.sending import Sender

OFTEN_S, SELDOM_S = 60.0, 600.0


class CopyPasses:
    """Sends the job now and then. The worker knows from the archive whether it is time, and how far it was."""

    def __init__(self, parts: Parts, queue: Queue, sender: Sender) -> None:
        self._queue = queue
        self._sender = sender
        rest_s = parts.config.seal_after_s
        if parts.archive is None or rest_s is None:
            self.chores: Sequence[Chore] = ()
        else:
            self.chores = (Chore("copying", self.send, min(max(rest_s / 4, OFTEN_S), SELDOM_S)),)

    def take(self, entries: Sequence[FeedEntry]) -> None:
        """Do nothing: a pass compares all streams with their copies."""

    def send(self) -> None:
        """Send the job."""
        self._sender.send(["copies"], lambda: enqueue_copying(self._queue))
