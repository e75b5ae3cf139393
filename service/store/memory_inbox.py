"""The in-memory twin of inboxes: the same answers, but gone when the process ends."""

import threading
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence

from plyscribe.service.store.inbox import KEPT, Letter, Received, inbox_of
from plyscribe.service.store.port import FeedEntry


class MemoryInboxes:
    """Inboxes in memory that `announce` new entries to a feed; safe to share between threads."""

    def __init__(self, announce: Callable[[FeedEntry], object]) -> None:
        self._announce = announce
        self._lock = threading.Lock()
        self._entries: defaultdict[str, dict[str, Received]] = defaultdict(dict)

    def write(self, letters: Mapping[str, Sequence[Letter]]) -> int:
        """See Inboxes.write."""
        return sum(self._write_one(player, theirs) for player, theirs in letters.items())

    def _write_one(self, player: str, letters: Sequence[Letter]) -> int:
        numbers = []
        with self._lock:
            entries = self._entries[player]
            previous = max((entry.number for entry in entries.values()), default=0)
            for key, data in letters:
                if key not in entries:
                    number = max(time.time_ns() // 1000, previous + 1)
                    entries[key] = Received(number, previous, data)
                    numbers.append(number)
                    previous = number
            for key in list(entries)[: max(0, len(entries) - KEPT)]:
                del entries[key]
        if numbers:
            self._announce(FeedEntry(inbox_of(player), numbers[0], numbers[-1], ("inbox",)))
        return len(numbers)

    def read(self, player: str, after: int, limit: int) -> list[Received]:
        """See Inboxes.read."""
        with self._lock:
            return [entry for entry in self._entries[player].values() if entry.number > after][:limit]

    def newest(self, player: str) -> int:
        """See Inboxes.newest."""
        with self._lock:
            return max((entry.number for entry in self._entries[player].values()), default=0)
