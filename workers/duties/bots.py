"""Keeps built-in bots playing: enqueues every match that waits for one of them."""

import logging
from collections.abc import Mapping, Sequence

from redis import Redis
from rq import Queue

from plyscribe.domain.chain import StoredEvent
from plyscribe.domain.events import BuiltIn
from plyscribe.domain.match import Match
from plyscribe.domain.waiting import find_bot_due
from plyscribe.service.clock import now_ms
from plyscribe.service.composition import Parts
from plyscribe.service.queues import Playing, enqueue_plays
from plyscribe.service.store.port import FeedEntry, StoreUnavailable
from plyscribe.service.streams.handler import Handler
from plyscribe.workers.duties import Chore
from plyscribe.workers.duties.agenda import SWEEP_EVERY_S, Agenda
from plyscribe.workers.duties.loading import read_created
from plyscribe.workers.duties.sending import Sender
from plyscribe.workers.duties.under_way import DRAWS, OVER, UNDER_WAY, may_be_under_way

DUE = "relay:bots"
"""Sorted set, the agenda: matches that wait for a built-in bot."""

GRACE_MS = 30_000
"""How long a bot may take before the sweep enqueues its match again."""

TOGETHER = 4
"""How many matches without people share a job, because what rq does around a job costs as much as a short match."""

log = logging.getLogger(__name__)


class Bots:
    """Makes sure that no match waits for a built-in bot."""

    def __init__(
        self, parts: Parts, connection: Redis, queue: Queue, states: Handler[Match], sender: Sender | None = None
    ) -> None:
        self._parts = parts
        self._sender = sender or Sender()
        self._agenda = Agenda(connection, DUE)
        self._queue = queue
        self._states = states
        self.chores = (Chore("sweep of bots", self.sweep, SWEEP_EVERY_S),)

    def take(self, entries: Sequence[FeedEntry]) -> None:
        """Enqueue the matches in which a bot is due after these entries; strike those in which none is."""
        changes = UNDER_WAY | DRAWS | OVER
        matches = [entry for entry in entries if entry.stream.startswith("match-")]
        self._look_at(list(dict.fromkeys(entry.stream for entry in matches if changes & set(entry.types))))

    def find(self, newest: Mapping[str, StoredEvent]) -> None:
        """See Tracker.find: note every match in which a bot is due, for the next sweep."""
        due, _ = self._sort([each for each, it in newest.items() if each.startswith("match-") and may_be_under_way(it)])
        self._agenda.note_new([match.stream for match in due], now_ms())

    def sweep(self) -> None:
        """Enqueue again the matches whose bots have taken too long."""
        if not self._sender.may_try():
            return
        overdue = self._agenda.list_due(now_ms())
        if overdue and not self._sender.is_away:
            log.warning("no bot has moved in time in %s: enqueued again", " ".join(overdue))
        self._look_at(overdue)

    def _look_at(self, streams: Sequence[str]) -> None:
        due, idle = self._sort(streams)
        self._agenda.note([match.stream for match in due], now_ms() + GRACE_MS)
        # A person may be waiting for these bots.
        awaited = [Playing(match.stream, match.version) for match in due if match.life.players]
        alone = [Playing(match.stream, match.version) for match in due if not match.life.players]
        sent = self._sender.send(
            due, lambda: enqueue_plays(self._queue, awaited), lambda: enqueue_plays(self._queue, alone, TOGETHER)
        )
        if not sent:
            self._agenda.note([match.stream for match in due], now_ms())
        self._agenda.strike(idle)

    def _sort(self, streams: Sequence[str]) -> tuple[list[Match], list[str]]:
        """Of those matches that have bots: the ones in which a bot is due, and the others."""
        due: list[Match] = []
        idle: list[str] = []
        for stream in self._list_with_bots(streams):
            match = self._read(stream)
            if match is not None and find_bot_due(match):
                due.append(match)
            else:
                idle.append(stream)
        return due, idle

    def _list_with_bots(self, streams: Sequence[str]) -> list[str]:
        """The matches with seats for built-in bots. A match has them from its creation or never."""
        created = read_created(self._states, streams)
        return [stream for stream, its in created if any(isinstance(who, BuiltIn) for who in its.seats)]

    def _read(self, stream: str) -> Match | None:
        try:
            return self._states.read(stream)
        except StoreUnavailable:
            raise
        except Exception:
            # Anything may fail here, such as a ruleset of the operator's own. It must not hold up other matches.
            log.exception("%s cannot be read: no bot plays in it", stream)
            return None
