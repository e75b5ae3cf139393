"""The vital signs of a service, read from the store and the queues. Nothing here writes."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import NamedTuple, cast

from redis import Redis
from rq.job import Job
from rq.registry import FailedJobRegistry

from plyscribe.service.config import Config
from plyscribe.service.queues import (
    ALARM_AFTER,
    DAMAGED,
    QUEUES,
    REFUTED,
    SCRUB,
    SEALABLE,
    SWEEPS,
    UNSETTLED,
    WATCHED,
    count_workers,
    queue_of,
)
from plyscribe.service.store.cluster import Client
from plyscribe.service.store.feed import FeedGroup
from plyscribe.service.store.redis import connect_client, connect_queues
from plyscribe.service.store.redis_server import ask, list_shares, try_all

TIMEOUT_S = 2.0
"""How long to wait for an answer. It is short, because a health check must not hang."""


SOME = 5
"""How many refuted matches and damaged streams are named."""


class MemoryVitals(NamedTuple):
    """The bytes of memory that the store uses, and may use; 0: no limit."""

    used: int
    limit: int


class FeedVitals(NamedTuple):
    """Appends that the relay has not processed, how long the oldest has waited, and how long the relay is silent."""

    entries: int
    oldest_s: float
    silent_s: float | None


class QueueVitals(NamedTuple):
    """A queue: waiting jobs, how long the oldest has waited, failed jobs, and workers alive."""

    name: str
    length: int
    oldest_s: float
    failed: int
    workers: int


class Unsettled(NamedTuple):
    """Finished matches without a verdict or score, how long the oldest has waited, and how many were tried in vain."""

    matches: int
    oldest_s: float
    alarms: int


class Refuted(NamedTuple):
    """The number of refuted matches, and the names of some."""

    matches: int
    some: list[str]


class Sealable(NamedTuple):
    """Settled matches that wait until they are sealed, and for how long the oldest of them has been due."""

    matches: int
    oldest_s: float


class Chains(NamedTuple):
    """The check of all hash chains: damaged streams, some with their first version at fault, and the passes."""

    damaged: int
    some: list[tuple[str, int]]
    checked: int
    """Streams checked in the present pass, or in the last one between two passes."""

    silent_s: float | None
    """Time since a pass was last complete; None if none was."""


class Vitals:
    """Reads the vital signs from one store and one queue server."""

    def __init__(self, store: Client, queues: Redis) -> None:
        self._store = store
        self._queues = queues

    @property
    def queue_server(self) -> Redis:
        """The server of the queues."""
        return self._queues

    def store_clock_s(self) -> float:
        """The store's clock, in a cluster that of one node: seconds since 1970."""
        seconds, micros = ask(list_shares(self._store)[0].client, "TIME")
        return float(seconds) + float(micros) / 1e6

    def memory(self) -> MemoryVitals | None:
        """How full the store is, all its nodes together; None if one does not say."""
        infos = [try_all(share.client, [("INFO", "memory")])[0] for share in list_shares(self._store)]
        if not all(isinstance(info, dict) for info in infos):
            return None
        limits = [int(info["maxmemory"]) for info in infos]
        # One node without a limit leaves all of them without.
        return MemoryVitals(sum(int(info["used_memory"]) for info in infos), sum(limits) if all(limits) else 0)

    def feed(self) -> FeedVitals:
        """How far the relay lags behind the feed."""
        entries, since_ms = FeedGroup(self._store).backlog()
        now_s, watched = self.store_clock_s(), ask(self._store, "GET", WATCHED)
        oldest_s = 0.0 if since_ms is None else max(0.0, now_s - since_ms / 1000)
        return FeedVitals(entries, oldest_s, None if watched is None else max(0.0, now_s - int(watched) / 1000))

    def queues(self) -> list[QueueVitals]:
        """The state of each queue."""
        return [self._queue(name) for name in QUEUES]

    def unsettled(self) -> Unsettled:
        """The finished matches that are not settled."""
        matches = self._store.zcard(UNSETTLED)
        oldest = cast(list[tuple[bytes, float]], self._store.zrange(UNSETTLED, 0, 0, withscores=True))
        oldest_s = max(0.0, self.store_clock_s() - oldest[0][1] / 1000) if oldest else 0.0
        sweeps = cast(list[bytes], self._store.hvals(SWEEPS))
        return Unsettled(matches, oldest_s, sum(int(each) >= ALARM_AFTER for each in sweeps))

    def refuted(self) -> Refuted:
        """The refuted matches."""
        some = cast(list[bytes], self._store.zrange(REFUTED, 0, SOME - 1))
        return Refuted(self._store.zcard(REFUTED), [each.decode() for each in some])

    def sealable(self) -> Sealable:
        """The settled matches that are not sealed."""
        oldest = cast(list[tuple[bytes, float]], self._store.zrange(SEALABLE, 0, 0, withscores=True))
        oldest_s = max(0.0, self.store_clock_s() - oldest[0][1] / 1000) if oldest else 0.0
        return Sealable(self._store.zcard(SEALABLE), oldest_s)

    def chains(self) -> Chains:
        """The check of all hash chains."""
        damaged = cast(dict[bytes, bytes], self._store.hgetall(DAMAGED))
        some = sorted((stream.decode(), int(version)) for stream, version in damaged.items())[:SOME]
        streams, finished = cast(list[bytes | None], self._store.hmget(SCRUB, "streams", "finished_ms"))
        silent_s = None if finished is None else max(0.0, self.store_clock_s() - int(finished) / 1000)
        return Chains(len(damaged), some, int(streams or 0), silent_s)

    def _queue(self, name: str) -> QueueVitals:
        queue = queue_of(name, self._queues)
        failed = FailedJobRegistry(queue=queue).get_job_count(cleanup=False)
        return QueueVitals(name, len(queue), self._oldest_job_s(queue.key), failed, count_workers(queue))

    def _oldest_job_s(self, key: str) -> float:
        first = cast(bytes | None, self._queues.lindex(key, 0))
        if first is None:
            return 0.0
        enqueued = cast(bytes | None, self._queues.hget(Job.key_for(first.decode()), "enqueued_at"))
        return _age_s(enqueued) if enqueued else 0.0


@contextmanager
def open_vitals(config: Config) -> Iterator[Vitals]:
    """The vitals of the store and the queues in these settings, connected while the block runs."""
    with connect_client(config.redis_url, TIMEOUT_S) as store, connect_queues(config.rq_redis_url, TIMEOUT_S) as queues:
        yield Vitals(store, queues)


def _age_s(time: bytes) -> float:
    """The age of a timestamp of rq."""
    then = datetime.fromisoformat(time.decode())
    return max(0.0, (datetime.now(UTC) - then).total_seconds())
