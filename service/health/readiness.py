"""Whether the store takes writes: looked up once a second at most, and answered at once even if it is silent."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as StillOpen
from typing import NamedTuple

from redis import Redis

from plyscribe.service.composition import Parts
from plyscribe.service.store.port import EventStore, StoreError, StoreUnavailable, UnsupportedServer
from plyscribe.service.store.redis import ask, connect_client
from plyscribe.service.store.requirements import find_obstacles, read_report

FRESH_S = 1.0
"""How long an answer is given again."""

PATIENCE_S = 0.5
"""How long a look at the store may take before it counts as no answer."""

TIMEOUT_S = 2.0
"""How long a look goes on in the background."""


class Standing(NamedTuple):
    """A store that takes writes: its engine, what a success is worth, its replicas, and whether the queues answer.

    `memory_percent` says how much of the memory that it may use is used; None without a limit.
    """

    store: str
    durability: str
    replicas: int | None
    queues: str
    memory_percent: int | None


class Readiness:
    """Looks at the store for all who ask; safe to share between threads."""

    def __init__(self, look: Callable[[], Standing]) -> None:
        self._look = look
        self._lock = threading.Lock()
        self._begun_s = self._done_s = 0.0
        self._looked: Future[Standing] | None = None

    def read(self) -> Standing:
        """How the store stands, at most a second old; within half a second, whatever the store does.

        The port's error if the store takes no writes: StoreUnavailable, or UnsupportedServer if it cannot be ours.
        """
        looked, begun_s = self._begin_if_due()
        try:
            return looked.result(max(0.0, begun_s + PATIENCE_S - time.monotonic()))
        except StillOpen:
            silent_s = time.monotonic() - begun_s
            raise StoreUnavailable(f"the store has not answered for {silent_s:.1f} s") from None

    def require_answer(self) -> None:
        """StoreUnavailable if the store does not answer at all. It may take no writes."""
        try:
            self.read()
        except StoreUnavailable as error:
            if type(error) is StoreUnavailable:
                raise
        except StoreError:
            return

    def _begin_if_due(self) -> tuple[Future[Standing], float]:
        with self._lock:
            looked, now_s = self._looked, time.monotonic()
            if looked is None or (looked.done() and now_s - self._done_s >= FRESH_S):
                looked, self._begun_s = Future(), now_s
                self._looked = looked
                threading.Thread(target=self._settle, args=[looked], name="readiness", daemon=True).start()
            return looked, self._begun_s

    def _settle(self, looked: Future[Standing]) -> None:
        try:
            standing = self._look()
        except Exception as error:  # whatever it is, the callers get it
            self._done_s = time.monotonic()
            looked.set_exception(error)
        else:
            self._done_s = time.monotonic()
            looked.set_result(standing)


def watch_readiness(parts: Parts) -> Readiness:
    """The readiness of a process with these parts. It has connections of its own."""
    if not parts.config.redis_url:
        return Readiness(lambda: _look_at_memory(parts.store))
    store = connect_client(parts.config.redis_url, TIMEOUT_S)
    queues = connect_client(parts.config.rq_redis_url, PATIENCE_S / 2)
    return Readiness(lambda: _look(store, queues))


def _look_at_memory(store: EventStore) -> Standing:
    described = store.describe()
    return Standing(described["store"], described["durability"], None, "none", None)


def _look(store: Redis, queues: Redis) -> Standing:
    report = read_report(store)
    for obstacle in find_obstacles(report):
        raise report.write_error or UnsupportedServer(str(obstacle))
    if report.write_error is not None:
        raise report.write_error
    engine = str(report.engine or "unknown")
    up = "up" if _answers(queues) else "away"
    return Standing(engine, report.durability, report.replicas, up, report.memory_percent)


def _answers(queues: Redis) -> bool:
    try:
        ask(queues, "PING")
    except StoreError:
        return False
    return True
