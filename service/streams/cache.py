"""The states that a process keeps, bounded by the memory that they take."""

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Generic

from plyscribe.domain.aggregate import S

MAX_CACHED_BYTES = 128 * 1024 * 1024
"""About the most that the states of one kind take in a process: some 300 matches of 400 plies, or three full ones."""


class StateCache(Generic[S]):
    """The states that were used last, by stream; safe to share between threads."""

    # cachetools.LRUCache takes a microsecond more for each move.

    def __init__(self, weigh: Callable[[S], int]) -> None:
        self._weigh = weigh
        self._kept: OrderedDict[str, tuple[S, int]] = OrderedDict()
        self._lock = threading.Lock()
        self._bytes = 0

    @property
    def weight(self) -> int:
        """About the bytes that the states take."""
        return self._bytes

    def get(self, stream: str) -> S | None:
        """The state of a stream; None if it is not kept."""
        found = self._kept.get(stream)
        return found and found[0]

    def keep(self, stream: str, state: S) -> None:
        """Keep a state unless a newer one is kept, and drop those that were not used for longest if need be.

        The last one stays, however large it is.
        """
        weight = self._weigh(state)
        with self._lock:
            known = self._kept.get(stream)
            # Another thread may have read further meanwhile.
            if known is None:
                self._kept[stream] = state, weight
                self._bytes += weight
            elif known[0].version <= state.version:
                self._kept[stream] = state, weight
                self._bytes += weight - known[1]
            self._kept.move_to_end(stream)
            while self._bytes > MAX_CACHED_BYTES and len(self._kept) > 1:
                self._bytes -= self._kept.popitem(last=False)[1][1]

    def drop(self, stream: str) -> None:
        """Forget the state of a stream, if it is kept."""
        with self._lock:
            self._bytes -= self._kept.pop(stream, (None, 0))[1]
