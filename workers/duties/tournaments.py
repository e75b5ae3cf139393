"""Keeps tournaments going: enqueues a tournament when something has happened in it or in one of its matches.

A tournament stays on the agenda as long as it is played. So the sweep also finds one whose job was lost, and one that
waits for a person's match whose end the feed no longer holds.
"""

import logging
from collections.abc import Mapping, Sequence

from rq import Queue

from plyscribe.domain.chain import StoredEvent
from plyscribe.domain.errors import StreamError
from plyscribe.domain.match import Match
from plyscribe.domain.tournament.decide import TOURNAMENT
from plyscribe.service.clock import now_ms
from plyscribe.service.composition import Parts
from plyscribe.service.queues import Advancing, enqueue_advances
from plyscribe.service.store.cluster import Client
from plyscribe.service.store.port import FeedEntry, StoreError, StoreUnavailable
from plyscribe.service.streams.handler import Handler
from plyscribe.service.streams.ids import is_stream_id
from plyscribe.service.tournaments.runner import RUNNER
from plyscribe.workers.duties import Chore
from plyscribe.workers.duties.agenda import SWEEP_EVERY_S, Agenda
from plyscribe.workers.duties.loading import read_created
from plyscribe.workers.duties.sending import Sender

DUE = "relay:tournaments"
"""Sorted set, the agenda: tournaments that are being played."""

GRACE_MS = 30_000
"""How long a tournament may be silent before the sweep enqueues it again."""

DECIDES = {"match-verified", "match-refuted", "match-aborted", "match-annulled"}
"""Events of a match that let its tournament go on."""

PAIRED = "round-paired"

BEGINS = {
    PAIRED,
    "tournament-started",
    "tournament-paused",
    "tournament-resumed",
    "tournament-closed",
    "entrant-withdrawn",
    "round-called",
    "round-taken-back",
    "game-retried",
    "game-reported",
    "game-adjudicated",
    "game-forfeited",
    "game-replayed",
}
"""Events of a tournament that let it go on. Those that the job itself stores are not among them, save a pairing, which
may also come from a person. A job that has paired a round goes on by itself.
"""

ENDS = {"tournament-ended", "tournament-aborted"}

log = logging.getLogger(__name__)


class Advances:
    """Makes sure that tournaments advance."""

    def __init__(
        self, parts: Parts, connection: Client, queue: Queue, states: Handler[Match], sender: Sender | None = None
    ) -> None:
        self._parts = parts
        self._sender = sender or Sender()
        self._agenda = Agenda(connection, DUE)
        self._queue = queue
        self._states = states
        self.chores = (Chore("sweep of tournaments", self.sweep, SWEEP_EVERY_S),)

    def take(self, entries: Sequence[FeedEntry]) -> None:
        """Enqueue the tournaments that these entries let go on; strike those that are over."""
        own = [entry for entry in entries if entry.stream.startswith("tournament-")]
        due = {entry.stream: entry.last for entry in own if BEGINS & set(entry.types) and not self._is_of_job(entry)}
        decided = {entry.stream: entry.last for entry in entries if DECIDES & set(entry.types)}
        for match, created in read_created(self._states, [each for each in decided if each.startswith("match-")]):
            # A match that was restored from another server may name anything.
            tournament = str((created.tournament or {}).get("id"))
            if is_stream_id("tournament", tournament):
                due.setdefault(tournament, decided[match])
        self._enqueue([Advancing(*each) for each in due.items()])
        self._agenda.strike([entry.stream for entry in own if ENDS & set(entry.types)])

    def find(self, newest: Mapping[str, StoredEvent]) -> None:
        """See Tracker.find: note every tournament that is being played, for the next sweep."""
        played = [stream for stream in newest if stream.startswith("tournament-") and self._is_played(stream)]
        self._agenda.note_new(played, now_ms())

    def sweep(self) -> None:
        """Enqueue again the tournaments that have been silent for too long."""
        if not self._sender.may_try():
            return
        overdue = self._agenda.list_due(now_ms())
        played = [stream for stream in overdue if self._is_played(stream)]
        self._agenda.strike(set(overdue) - set(played))
        # The time makes each sweep a job of its own: an earlier one may have been lost.
        self._enqueue([Advancing(stream, now_ms()) for stream in played])

    def _is_of_job(self, entry: FeedEntry) -> bool:
        """Whether the job that advances tournaments has paired a round here, and nothing else lets it go on."""
        if BEGINS & set(entry.types) != {PAIRED}:
            return False
        try:
            events = self._parts.tournaments.handler.read_events(
                entry.stream, entry.first - 1, entry.last - entry.first + 1
            )
            return all(TOURNAMENT.parse(each).by == str(RUNNER) for each in events)
        except StoreUnavailable:
            raise
        except (StoreError, StreamError) as error:
            log.error("%s cannot be read: %s", entry.stream, error)
            return False

    def _is_played(self, stream: str) -> bool:
        try:
            return self._parts.tournaments.read(stream).status == "playing"
        except StoreUnavailable:
            raise
        except (StoreError, StreamError) as error:
            log.error("%s cannot be read: %s", stream, error)
            return False

    def _enqueue(self, due: Sequence[Advancing]) -> None:
        self._agenda.note([each.stream for each in due], now_ms() + GRACE_MS)
        if not self._sender.send(due, lambda: enqueue_advances(self._queue, due)):
            self._agenda.note([each.stream for each in due], now_ms())
