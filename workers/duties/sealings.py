"""Sends settled matches that have rested to the worker that seals them."""

from collections.abc import Iterable, Mapping, Sequence

from rq import Queue

from plyscribe.domain.chain import StoredEvent
from plyscribe.domain.codec import find_type, parse_event
from plyscribe.domain.errors import StreamError
from plyscribe.service.archive.sealing import SETTLED
from plyscribe.service.clock import now_ms
from plyscribe.service.composition import Parts
from plyscribe.service.queues import SEALABLE, enqueue_sealings
from plyscribe.service.store.cluster import Client
from plyscribe.service.store.port import FeedEntry
from plyscribe.workers.duties import Chore
from plyscribe.workers.duties.agenda import Agenda
from plyscribe.workers.duties.sending import Sender

SEND_EVERY_S = 5.0
AT_ONCE = 1024
"""Matches of one job, which become one pack."""

GATHER_MS = 3_600_000
"""How long matches wait for others, so that packs are not too small. A match never waits longer than it rests."""

AGAIN_MS = 600_000
"""When to look at a match again that was sent."""

MAY_BE_LAST = SETTLED | {"dice-revealed", "seeds-revealed"}
"""What the newest event of a settled match may be."""


class Sealings:
    """Makes sure that settled matches are sealed, each some time after its last event."""

    def __init__(self, parts: Parts, connection: Client, queue: Queue, sender: Sender) -> None:
        self._store = parts.store
        self._queue = queue
        self._sender = sender
        self._agenda = Agenda(connection, SEALABLE)
        seal_after_s = parts.config.seal_after_s
        self._rest_ms = None if parts.archive is None or seal_after_s is None else seal_after_s * 1000
        self.chores = () if self._rest_ms is None else (Chore("sealing", self.send_due, SEND_EVERY_S),)

    def take(self, entries: Sequence[FeedEntry]) -> None:
        """Note the matches that these entries settle, and those that go on after they were settled."""
        self._note((entry.stream for entry in entries if SETTLED & set(entry.types)), now_ms())

    def find(self, newest: Mapping[str, StoredEvent]) -> None:
        """See Tracker.find: note the settled matches that are not noted."""
        if self._rest_ms is None:
            return
        for stream, entry in newest.items():
            if stream.startswith("match-") and find_type(entry) in MAY_BE_LAST:
                try:
                    self._agenda.note_new([stream], parse_event(entry).at + self._rest_ms)
                except StreamError:
                    # It stays where it is. The scrub says why.
                    continue

    def _note(self, streams: Iterable[str], at_ms: int) -> None:
        if self._rest_ms is not None:
            self._agenda.note((stream for stream in streams if stream.startswith("match-")), at_ms + self._rest_ms)

    def send_due(self) -> bool:
        """Send the matches that have rested, unless so few of them would rather wait for others."""
        assert self._rest_ms is not None
        now = now_ms()
        due = self._agenda.list_due(now, AT_ONCE)
        if not due or (len(due) < AT_ONCE and not self._agenda.list_due(now - min(GATHER_MS, self._rest_ms), 1)):
            return False
        places = self._store.places(due)
        todo = [stream for stream, place in zip(due, places, strict=True) if place is None]
        if not self._sender.send(todo, lambda: enqueue_sealings(self._queue, todo)):
            return False
        self._agenda.reschedule({**dict.fromkeys(due), **dict.fromkeys(todo, now + AGAIN_MS)})
        return len(due) == AT_ONCE
