"""The job that begins deliveries to webhooks. They go on in threads, so that a slow receiver holds up no other one."""

import logging
import os
import threading
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache

from plyscribe.service.clock import now_ms
from plyscribe.service.composition import Parts
from plyscribe.service.store.outbox import Lane, parse_lane
from plyscribe.service.webhooks.delivery import TROUBLES, Delivery
from plyscribe.service.webhooks.posting import Poster
from plyscribe.workers.parts import process_parts

AT_ONCE = 32
"""How many lanes a process delivers at the same time."""

OF_ONE_ACCOUNT = 4
"""How many of them may belong to one account."""

CROWDED_MS = 2000
"""When a lane is looked at again whose account has too many in hand."""

log = logging.getLogger(__name__)


def bound_lookups() -> None:
    """Let the system's resolver give up a name early; call it before the first lookup.

    Otherwise a slow name server of a stranger holds a thread for half a minute, and nothing can interrupt it.
    """
    os.environ.setdefault("RES_OPTIONS", "timeout:2 attempts:2")


def deliver_webhooks(due: Sequence[tuple[str, int]]) -> None:
    """Begin to deliver lanes, given by their text. Waits only while all threads are busy.

    May run any number of times, also at the same time: a lane belongs to one worker. If this process dies, the relay
    enqueues its lanes again.
    """
    for text, _ in due:
        process_deliveries().begin(parse_lane(text))


@cache
def process_deliveries() -> "Deliveries":
    """The deliveries of this process, always the same."""
    return Deliveries(process_parts())


def finish_deliveries() -> None:
    """Let the posts in hand end, and begin no others; the rest waits in the outbox."""
    if process_deliveries.cache_info().currsize:
        process_deliveries().stop()


class Deliveries:
    """Delivers lanes in threads, a bounded number at a time."""

    def __init__(self, parts: Parts, poster: Poster | None = None) -> None:
        allowed = parts.config.webhooks
        self._outbox = parts.outbox
        self._poster = poster or Poster(allowed)
        self._delivery = Delivery(parts.config.server_key, allowed, parts.accounts.players, parts.outbox, self._poster)
        self._pool = ThreadPoolExecutor(AT_ONCE, "webhooks")
        self._places = threading.BoundedSemaphore(AT_ONCE)
        self._in_hand: Counter[str] = Counter()
        self._lock = threading.Lock()
        self._stopping = threading.Event()

    def begin(self, lane: Lane) -> None:
        """Deliver a lane in a thread, as soon as one is free. If its account has enough in hand, it waits for later."""
        with self._lock:
            is_crowded = self._in_hand[lane.player] >= OF_ONE_ACCOUNT
            if not is_crowded:
                self._in_hand[lane.player] += 1
        if is_crowded:
            self._outbox.postpone([lane], now_ms() + CROWDED_MS)
            return
        self._places.acquire()
        self._pool.submit(self._run, lane)

    def stop(self) -> None:
        """Return once all posts in hand have ended."""
        self._stopping.set()
        self._pool.shutdown()
        self._poster.close()

    def _run(self, lane: Lane) -> None:
        try:
            self._delivery.run(lane, self._stopping.is_set)
        except TROUBLES as error:
            log.warning("%s will be tried again: %s", lane, error)
        except Exception:
            log.exception("%s will be tried again", lane)
        finally:
            with self._lock:
                self._in_hand[lane.player] -= 1
                if not self._in_hand[lane.player]:
                    del self._in_hand[lane.player]
            self._places.release()
