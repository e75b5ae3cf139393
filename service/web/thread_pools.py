"""What our web server waits with: a pool of threads for what comes, and one thread for what has to come in time."""

import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from queue import SimpleQueue
from typing import Generic, TypeVar

TICK_S = 0.25

T = TypeVar("T")

log = logging.getLogger(__name__)


class Deadlines:
    """For each thing that is begun, exactly one of two happens: it is settled, or its alternative runs when due."""

    def __init__(self, at_ticks: Callable[[], object] | None = None) -> None:
        """`at_ticks` is called again and again as well."""
        self._at_ticks = at_ticks
        self._due: dict[object, tuple[float, Callable[[], object]]] = {}
        threading.Thread(target=self._watch, name="deadlines", daemon=True).start()

    def begin(self, thing: object, within_s: float, otherwise: Callable[[], object]) -> None:
        """Call `otherwise` unless the thing is settled within this time."""
        self._due[thing] = time.monotonic() + within_s, otherwise

    @property
    def count(self) -> int:
        """How many things are begun and not settled."""
        return len(self._due)

    def settle(self, thing: object) -> bool:
        """Whether this is in time and the first call for the thing."""
        return self._due.pop(thing, None) is not None

    def _watch(self) -> None:
        while True:
            time.sleep(TICK_S)
            if self._at_ticks is not None:
                self._at_ticks()
            now_s = time.monotonic()
            for thing, (due_s, otherwise) in list(self._due.items()):
                if due_s <= now_s and self.settle(thing):
                    try:
                        otherwise()
                    except Exception:
                        # All other requests that wait need this thread.
                        log.exception("a request that waited could not be answered")


class Threads(Generic[T]):
    """A pool of threads. The thread that was busy last works next: its data is still in the processor's caches."""

    def __init__(self, count: int, work: Callable[[T], None], name: str) -> None:
        self._work = work
        self._lock = threading.Lock()
        self._idle: list[SimpleQueue[T]] = []
        self._waiting: deque[T] = deque()
        for number in range(count):
            threading.Thread(target=self._serve, name=f"{name}-{number}", daemon=True).start()

    def do(self, task: T) -> None:
        """Work on this as soon as a thread is free; returns at once."""
        with self._lock:
            if not self._idle:
                self._waiting.append(task)
                return
            inbox = self._idle.pop()
        inbox.put(task)

    def _serve(self) -> None:
        inbox: SimpleQueue[T] = SimpleQueue()
        while True:
            with self._lock:
                task = self._waiting.popleft() if self._waiting else None
                if task is None:
                    self._idle.append(inbox)
            self._work(inbox.get() if task is None else task)
