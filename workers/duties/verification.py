"""Finished matches wait for their second execution: they are noted, enqueued, and swept for until their verdict.

A match is noted among the pending ones before its job is enqueued and before its feed entry is acknowledged; it
leaves when its verdict comes by. Whatever dies in between, the sweep finds it there. The pending ones can be rebuilt
from the streams, which happens at every start.
"""

import logging
from collections.abc import Collection, Mapping, Sequence
from typing import cast

from redis import Redis
from rq import Queue

from domain.chain import StoredEvent
from service.clock import now_ms
from service.composition import Parts
from service.queues import WAITING, Verification, enqueue_verifications
from service.store.port import FeedEntry, StoreError, StoreUnavailable
from workers.duties import Chore

PENDING = "relay:pending"
"""Sorted set of finished matches without a verdict, by the time (UTC milliseconds) of their next sweep."""

SWEEPS = "relay:sweeps"
"""Hash of how often each of them was swept."""

SWEEP_AT_ONCE = 256
SWEEP_EVERY_S = 2.0
GRACE_MS = 10_000
"""How long a job may take before the sweep looks after it; each time it waits twice as long."""

MAX_DOUBLINGS = 9
ALARM_AFTER = 3
"""Sweeps after which a match that gets no verdict is told as an error."""

SCAN_EVERY_S = 3600.0

ENDS = {"match-ended"}
VERDICTS = {"match-verified", "match-refuted"}
LAST_OF_ENDED = {"match-ended", "dice-revealed"}

log = logging.getLogger(__name__)


class Verifications:
    """Sees to it that every finished match gets its verdict."""

    def __init__(self, parts: Parts, connection: Redis, queue: Queue) -> None:
        self._parts = parts
        self._redis = connection
        self._queue = queue
        self.chores = (Chore("scan", self.scan, SCAN_EVERY_S), Chore("sweep", self.sweep, SWEEP_EVERY_S))

    def take(self, entries: Sequence[FeedEntry]) -> None:
        """Note matches that ended, enqueue them, and strike off those with a verdict."""
        matches = [entry for entry in entries if entry.stream.startswith("match-")]
        ended = [Verification(entry.stream, entry.last) for entry in matches if ENDS & set(entry.types)]
        self._note({each.stream: now_ms() + GRACE_MS for each in ended})
        enqueue_verifications(self._queue, ended)
        self._strike([entry.stream for entry in matches if VERDICTS & set(entry.types)])

    def sweep(self) -> None:
        """Enqueue again what is pending for longer than a job takes."""
        members = cast(list[bytes], self._redis.zrangebyscore(PENDING, 0, now_ms(), 0, SWEEP_AT_ONCE))
        overdue = [member.decode() for member in members]
        ended = list(filter(None, map(self._find_ended, overdue)))
        self._strike(set(overdue) - {each.stream for each in ended})
        enqueue_verifications(self._queue, ended)
        self._note({each.stream: now_ms() + self._patience_ms(each.stream) for each in ended})

    def _patience_ms(self, stream: str) -> int:
        """How long the match may wait for its verdict until the next sweep."""
        sweeps = self._redis.hincrby(SWEEPS, stream, 1)
        tell = log.error if sweeps >= ALARM_AFTER else log.warning
        tell("%s ended and has no verdict after %d sweeps: it is enqueued again", stream, sweeps)
        return GRACE_MS << min(sweeps, MAX_DOUBLINGS)

    def scan(self) -> None:
        """Rebuild the pending ones from the streams: every ended match without a verdict is entered."""
        after = ""
        while streams := self._parts.store.streams(after):
            after = streams[-1]
            matches = [stream for stream in streams if stream.startswith("match-")]
            newest = self._parts.store.newest(matches)
            suspects = [stream for stream, entry in zip(matches, newest, strict=True) if _may_be_an_end(stream, entry)]
            # Those that are noted already keep the time of their next sweep.
            self._note({stream: now_ms() for stream in suspects if self._find_ended(stream)}, new=True)

    def _find_ended(self, stream: str) -> Verification | None:
        """The match as one to verify, if it is ended and without a verdict."""
        try:
            match = self._parts.matches.read(stream)
        except StoreUnavailable:
            raise
        except StoreError as error:
            log.error("%s cannot be verified: %s", stream, error)
            return None
        if match.lifecycle is None:
            log.error("%s cannot be verified: its first event cannot be read", stream)
            return None
        return Verification(stream, match.version) if match.lifecycle.status == "ended" else None

    def _note(self, due_ms: Mapping[str, int], new: bool = False) -> None:
        if due_ms:
            self._redis.zadd(WAITING["verification"], dict.fromkeys(due_ms, now_ms()), nx=True)
            self._redis.zadd(PENDING, dict(due_ms), nx=new)

    def _strike(self, streams: Collection[str]) -> None:
        if streams:
            self._redis.zrem(PENDING, *streams)
            self._redis.zrem(WAITING["verification"], *streams)
            self._redis.hdel(SWEEPS, *streams)


def _may_be_an_end(stream: str, newest: StoredEvent | None) -> bool:
    if newest is None:
        log.error("%s is listed in the store and has no events: they were deleted", stream)
        return False
    # The word is enough to tell which matches are worth folding.
    return any(f'"type":"{word}"'.encode() in newest.e for word in LAST_OF_ENDED)
