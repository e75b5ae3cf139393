"""What waits is taken as one batch, so that what costs the same for one and for many is paid once.

One thread works on a batch; meanwhile more gathers for its next one. So the busier we are, the more shares a round trip
to the store, and what it costs to wait and to wake for it. If a batch takes long, another thread takes over what has
gathered.
"""

import logging
import math
import threading
import time
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import Generic, TypeVar

MOST_TOGETHER = 256
"""The size of a batch beyond which it takes nothing more."""

THREADS = 4
"""Batches that are worked on at the same time, because those before the last one take long."""

TURN_S = 0.05
"""How long the others wait for a batch: what has gathered by then goes to the next thread."""

REST_S = 0.001
"""The pause after a batch of several, in which clients send what follows from their answers: so it goes together."""

T = TypeVar("T")

log = logging.getLogger(__name__)


class Batches(Generic[T]):
    """Hands what is put to `work`, all that waits at once; safe to share between threads."""

    def __init__(self, name: str, work: Callable[[list[T]], object], size_of: Callable[[T], int]) -> None:
        """`size_of` says how much a thing adds to the size of its batch. The first thread starts with the first one."""
        self._name = name
        self._work = work
        self._size_of = size_of
        self._waiting: SimpleQueue[T] = SimpleQueue()
        self._lock = threading.Lock()
        self._turn: _Turn | None = None
        self._threads = 0

    def put(self, thing: T) -> None:
        """Have it worked on; returns at once."""
        self._waiting.put(thing)
        self.relieve()

    @property
    def is_stuck(self) -> bool:
        """Whether all threads have been at their batches for long."""
        return self._threads == THREADS and self._is_due()

    def relieve(self) -> None:
        """If something waits for a batch that takes long, let another thread take it; to be called now and then."""
        if self._is_due() and not self._waiting.empty():
            with self._lock:
                if self._is_due() and self._threads < THREADS:
                    self._threads += 1
                    self._turn = turn = _Turn()
                    name = f"{self._name}-{self._threads}"
                    threading.Thread(target=self._lead, args=(turn,), name=name, daemon=True).start()

    def _is_due(self) -> bool:
        return self._turn is None or time.monotonic() - self._turn.began_s > TURN_S

    def _lead(self, turn: "_Turn") -> None:
        while True:
            batch, size = self._gather(self._waiting.get(), turn.rests_until_s)
            turn.began_s = time.monotonic()
            try:
                self._work(batch)
            except Exception:
                # All that comes later needs this thread.
                log.exception("a batch could not be worked on")
            with self._lock:
                if self._turn is not turn:
                    self._threads -= 1
                    return
                turn.began_s = math.inf
            turn.rests_until_s = time.monotonic() + REST_S if size > 1 else 0.0

    def _gather(self, first: T, rests_until_s: float) -> tuple[list[T], int]:
        """All that waits, and its size."""
        if (rest_s := rests_until_s - time.monotonic()) > 0:
            time.sleep(rest_s)
        batch, size = [first], self._size_of(first)
        while size < MOST_TOGETHER:
            try:
                another = self._waiting.get_nowait()
            except Empty:
                break
            batch.append(another)
            size += self._size_of(another)
        return batch, size


class _Turn:
    """The work of one thread, as long as no other has taken over."""

    __slots__ = ("began_s", "rests_until_s")

    def __init__(self) -> None:
        self.began_s = math.inf
        """When it began its batch; never while it waits for one."""
        self.rests_until_s = 0.0
