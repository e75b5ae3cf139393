"""Built-in bots are made to play: matches that wait for one are noted, enqueued, and swept for.

A match is noted before its job is enqueued and before its feed entry is acknowledged; it leaves when it waits for
somebody else. Whatever dies in between, the sweep finds it there. What is noted can be rebuilt from the streams, which
happens at every start.
"""

import logging
from collections.abc import Collection, Mapping, Sequence
from typing import cast

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
from plyscribe.workers.duties.under_way import DRAWS, OVER, UNDER_WAY, find_created, may_be_under_way

DUE = "relay:bots"
"""Sorted set of matches that wait for a built-in bot, by the time (UTC milliseconds) of their next sweep."""

SWEEP_AT_ONCE = 256
SWEEP_EVERY_S = 2.0
GRACE_MS = 30_000
"""How long a bot may take before the sweep looks after it."""

TOGETHER = 4
"""Matches of bots alone that are played in one job: what rq does around a job costs as much as a short match."""

log = logging.getLogger(__name__)


class Bots:
    """Sees to it that no match waits for a built-in bot."""

    def __init__(self, parts: Parts, connection: Redis, queue: Queue, states: Handler[Match]) -> None:
        self._parts = parts
        self._redis = connection
        self._queue = queue
        self._states = states
        self.chores = (Chore("sweep of bots", self.sweep, SWEEP_EVERY_S),)

    def take(self, entries: Sequence[FeedEntry]) -> None:
        """Enqueue matches that wait for a bot after these entries, and strike off those that no longer do."""
        told = UNDER_WAY | DRAWS | OVER
        matches = [entry for entry in entries if entry.stream.startswith("match-")]
        self._look_at(list(dict.fromkeys(entry.stream for entry in matches if told & set(entry.types))))

    def find(self, newest: Mapping[str, StoredEvent]) -> None:
        """See Tracker.find: every match that waits for a bot is noted, for the sweep to look after."""
        due, _ = self._sort([each for each, it in newest.items() if each.startswith("match-") and may_be_under_way(it)])
        # Those that are noted already keep the time of their next sweep.
        self._note([match.stream for match in due], now_ms(), new=True)

    def sweep(self) -> None:
        """Enqueue again what is due for longer than a bot takes."""
        members = cast(list[bytes], self._redis.zrangebyscore(DUE, 0, now_ms(), 0, SWEEP_AT_ONCE))
        overdue = [member.decode() for member in members]
        if overdue:
            log.warning("%s waited for a bot: enqueued again", " ".join(overdue))
        self._look_at(overdue)

    def _look_at(self, streams: Sequence[str]) -> None:
        due, idle = self._sort(streams)
        self._note([match.stream for match in due], now_ms() + GRACE_MS)
        # Where an account has a seat, somebody may wait for what the bots do.
        enqueue_plays(self._queue, [Playing(match.stream, match.version) for match in due if match.life.players])
        alone = [Playing(match.stream, match.version) for match in due if not match.life.players]
        enqueue_plays(self._queue, alone, TOGETHER)
        self._strike(idle)

    def _sort(self, streams: Sequence[str]) -> tuple[list[Match], list[str]]:
        """Those of the matches that wait for a bot, and those that have bots and do not."""
        due: list[Match] = []
        idle: list[str] = []
        for stream in self._find_with_bots(streams):
            match = self._read(stream)
            if match is not None and find_bot_due(match):
                due.append(match)
            else:
                idle.append(stream)
        return due, idle

    def _find_with_bots(self, streams: Sequence[str]) -> list[str]:
        """Those of the matches with seats for built-in bots, which they have from their creation on or never."""
        created = find_created(self._states, streams)
        return [stream for stream, its in created if any(isinstance(who, BuiltIn) for who in its.seats)]

    def _read(self, stream: str) -> Match | None:
        try:
            return self._states.read(stream)
        except StoreUnavailable:
            raise
        except Exception:
            # Whatever it is, a ruleset of somebody's own, say: it must not hold up the others.
            log.exception("%s cannot be read: no bot plays in it", stream)
            return None

    def _note(self, streams: Sequence[str], at_ms: int, new: bool = False) -> None:
        if streams:
            self._redis.zadd(DUE, dict.fromkeys(streams, at_ms), nx=new)

    def _strike(self, streams: Collection[str]) -> None:
        if streams:
            self._redis.zrem(DUE, *streams)
