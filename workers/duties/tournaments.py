"""Tournaments are advanced when something has happened in them or in one of their matches.

A tournament is noted before its job is enqueued and before its feed entry is acknowledged; it leaves when it is over.
As long as it is played it is swept for, so that a job that got lost, or a person's match of which the feed tells
nothing any more, is found. What is noted can be rebuilt from the streams, which happens at every start.
"""

import logging
from collections.abc import Collection, Mapping, Sequence
from typing import cast

from redis import Redis
from rq import Queue

from plyscribe.domain.chain import StoredEvent
from plyscribe.domain.errors import StreamError
from plyscribe.domain.match import Match
from plyscribe.service.clock import now_ms
from plyscribe.service.composition import Parts
from plyscribe.service.queues import Advancing, enqueue_advances
from plyscribe.service.store.port import FeedEntry, StoreError, StoreUnavailable
from plyscribe.service.streams.handler import Handler
from plyscribe.service.streams.ids import is_stream_id
from plyscribe.workers.duties import Chore
from plyscribe.workers.duties.under_way import find_created

DUE = "relay:tournaments"
"""Sorted set of tournaments that are played, by the time (UTC milliseconds) of their next sweep."""

SWEEP_AT_ONCE = 256
SWEEP_EVERY_S = 2.0
GRACE_MS = 30_000
"""How long nothing may be heard of a tournament before it is looked after."""

TELLS = {"match-verified", "match-refuted", "match-aborted", "match-annulled"}
"""What a tournament wants to know of its matches."""

BEGINS = {"tournament-started", "entrant-withdrawn"}
"""What it wants to know of itself, beside what the job itself has done."""

ENDS = {"tournament-ended", "tournament-aborted"}

log = logging.getLogger(__name__)


class Cups:
    """Sees to it that tournaments go on."""

    def __init__(self, parts: Parts, connection: Redis, queue: Queue, states: Handler[Match]) -> None:
        self._parts = parts
        self._redis = connection
        self._queue = queue
        self._states = states
        self.chores = (Chore("sweep of tournaments", self.sweep, SWEEP_EVERY_S),)

    def take(self, entries: Sequence[FeedEntry]) -> None:
        """Enqueue tournaments in which these entries have happened, and strike off those that are over."""
        own = [entry for entry in entries if entry.stream.startswith("tournament-")]
        due = {entry.stream: entry.last for entry in own if BEGINS & set(entry.types)}
        told = {entry.stream: entry.last for entry in entries if TELLS & set(entry.types)}
        for match, created in find_created(self._states, [each for each in told if each.startswith("match-")]):
            # What a match that was restored from elsewhere names may be anything.
            tournament = str((created.tournament or {}).get("id"))
            if is_stream_id("tournament", tournament):
                due.setdefault(tournament, told[match])
        self._enqueue([Advancing(*each) for each in due.items()])
        self._strike([entry.stream for entry in own if ENDS & set(entry.types)])

    def find(self, newest: Mapping[str, StoredEvent]) -> None:
        """See Tracker.find: every tournament that is played is noted, for the sweep to look after."""
        found = [stream for stream in newest if stream.startswith("tournament-") and self._is_played(stream)]
        if found:
            # Those that are noted already keep the time of their next sweep.
            self._redis.zadd(DUE, dict.fromkeys(found, now_ms()), nx=True)

    def sweep(self) -> None:
        """Enqueue again what was not heard of for a while."""
        members = cast(list[bytes], self._redis.zrangebyscore(DUE, 0, now_ms(), 0, SWEEP_AT_ONCE))
        overdue = [member.decode() for member in members]
        played = [stream for stream in overdue if self._is_played(stream)]
        self._strike(set(overdue) - set(played))
        # Each sweep is a job of its own: one of before may have been lost on the way.
        self._enqueue([Advancing(stream, now_ms()) for stream in played])

    def _is_played(self, stream: str) -> bool:
        try:
            return self._parts.tournaments.read(stream).status == "playing"
        except StoreUnavailable:
            raise
        except (StoreError, StreamError) as error:
            log.error("%s cannot be read: %s", stream, error)
            return False

    def _enqueue(self, due: Sequence[Advancing]) -> None:
        if due:
            self._redis.zadd(DUE, dict.fromkeys((each.stream for each in due), now_ms() + GRACE_MS))
            enqueue_advances(self._queue, due)

    def _strike(self, streams: Collection[str]) -> None:
        if streams:
            self._redis.zrem(DUE, *streams)
