"""Whether the servers are well: looked up once a second at most, and answered at once even if they are silent."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as StillOpen
from typing import Generic, NamedTuple, TypeVar

from redis import Redis

from plyscribe.service.composition import Parts
from plyscribe.service.store.cluster import Client
from plyscribe.service.store.port import EventStore, StoreError, StoreUnavailable, UnsupportedServer
from plyscribe.service.store.redis import connect_client, connect_queues
from plyscribe.service.store.redis_server import ask, judge_durability, weakest
from plyscribe.service.store.requirements import find_obstacles, read_reports

UP, AWAY = "up", "away"
T = TypeVar("T")

FRESH_S = 1.0
"""How long an answer is given again."""

PATIENCE_S = 0.5
"""How long a look at the store may take before it counts as no answer."""

TIMEOUT_S = 2.0
"""How long a look goes on in the background."""


class Standing(NamedTuple):
    """A store that takes writes: its engine, what a success is worth, its replicas, and whether the queues answer.

    `lists` says whether the read database answers: `up` or `away`. `memory_percent` says how much of the memory that it
    may use the store uses; None without a limit. `replicas_awaited` is how many replicas a success waits for.
    """

    store: str
    durability: str
    replicas: int | None
    queues: str
    lists: str
    memory_percent: int | None
    replicas_awaited: int = 0


class Watch(Generic[T]):
    """Looks at something for all who ask, in a thread of its own; safe to share between threads."""

    def __init__(self, look: Callable[[], T]) -> None:
        self._look = look
        self._lock = threading.Lock()
        self._begun_s = self._done_s = 0.0
        self._looked: Future[T] | None = None

    def begin(self) -> None:
        """Look, unless the last look is fresh or still open."""
        self._begin_if_due()

    def read(self) -> T:
        """What was seen, at most a second old. Raises what the look raised, or StillOpen after half a second."""
        looked, begun_s = self._begin_if_due()
        return looked.result(max(0.0, begun_s + PATIENCE_S - time.monotonic()))

    @property
    def silent_s(self) -> float:
        """How long ago the last look began."""
        return time.monotonic() - self._begun_s

    def _begin_if_due(self) -> tuple[Future[T], float]:
        with self._lock:
            looked, now_s = self._looked, time.monotonic()
            if looked is None or (looked.done() and now_s - self._done_s >= FRESH_S):
                looked, self._begun_s = Future(), now_s
                self._looked = looked
                threading.Thread(target=self._settle, args=[looked], name="readiness", daemon=True).start()
            return looked, self._begun_s

    def _settle(self, looked: Future[T]) -> None:
        try:
            seen = self._look()
        except Exception as error:  # whatever it is, the callers get it
            self._done_s = time.monotonic()
            looked.set_exception(error)
        else:
            self._done_s = time.monotonic()
            looked.set_result(seen)


class Readiness:
    """Looks at the servers for all who ask; safe to share between threads."""

    def __init__(self, look: Callable[[], Standing], look_at_database: Callable[[], object]) -> None:
        self._store, self._database = Watch(look), Watch(look_at_database)

    def read(self) -> Standing:
        """How the store stands, at most a second old; within half a second, whatever the servers do.

        The port's error if the store takes no writes: StoreUnavailable, or UnsupportedServer if it cannot be ours.
        """
        # Both at the same time, so that one that is silent does not make the other seem so.
        self._database.begin()
        try:
            standing = self._store.read()
        except StillOpen:
            raise StoreUnavailable(f"the store has not answered for {self._store.silent_s:.1f} s") from None
        return standing._replace(lists=self._read_lists())

    def _read_lists(self) -> str:
        try:
            self._database.read()
        except (StillOpen, StoreError):
            return AWAY
        return UP

    def require_answer(self) -> None:
        """StoreUnavailable if the store does not answer at all. It may take no writes."""
        try:
            self.read()
        except StoreUnavailable as error:
            if type(error) is StoreUnavailable:
                raise
        except StoreError:
            return


def watch_readiness(parts: Parts) -> Readiness:
    """The readiness of a process with these parts. It has connections of its own to the store."""
    if not parts.config.redis_url:
        return Readiness(lambda: _look_at_memory(parts.store), parts.database.ask)
    store = connect_client(parts.config.redis_url, TIMEOUT_S)
    queues = connect_queues(parts.config.rq_redis_url, PATIENCE_S / 2)
    return Readiness(lambda: _look(store, queues, parts.config.replicas), parts.database.ask)


def _look_at_memory(store: EventStore) -> Standing:
    described = store.describe()
    return Standing(described["store"], described["durability"], None, "none", UP, None)


def _look(store: Client, queues: Redis, awaited: int) -> Standing:
    reports = read_reports(store)
    for report in reports:
        for obstacle in find_obstacles(report):
            raise report.write_error or UnsupportedServer(str(obstacle))
        if report.write_error is not None:
            raise report.write_error
    # A chain is as strong as its weakest link.
    replicas = min((report.replicas for report in reports if report.replicas is not None), default=None)
    if awaited and replicas is not None and replicas < awaited:
        raise StoreUnavailable(f"{replicas} replicas follow the store, and each answer waits for {awaited}")
    engine, up = str(reports[0].engine or "unknown"), UP if _answers(queues) else AWAY
    worth = weakest(judge_durability(report.settings, report.info, awaited) for report in reports)
    filled = max((report.memory_percent for report in reports if report.memory_percent is not None), default=None)
    return Standing(engine, worth, replicas, up, UP, filled, awaited)


def _answers(queues: Redis) -> bool:
    try:
        ask(queues, "PING")
    except StoreError:
        return False
    return True
