"""When this client got the positions of matches, so that it can say how long it thought about a move."""

import threading
import time

MOST = 1000
"""So many matches are kept, the latest ones."""


class Positions:
    """The newest version of each match that the client has seen, and since when; safe to share between threads."""

    def __init__(self) -> None:
        self._seen: dict[str, tuple[int, float]] = {}
        self._lock = threading.Lock()

    def note(self, match: object, version: object) -> None:
        """The client has this version of a match now. A version that is not newer than what it had changes nothing."""
        if not isinstance(match, str) or not isinstance(version, int):
            return
        with self._lock:
            known = self._seen.get(match)
            if known is None or known[0] < version:
                self._seen.pop(match, None)
                self._seen[match] = version, time.monotonic()
                if len(self._seen) > MOST:
                    del self._seen[next(iter(self._seen))]

    def find_thought_ms(self, match: str) -> int | None:
        """The milliseconds since the client got the newest version of the match; None if it has seen none."""
        with self._lock:
            known = self._seen.get(match)
        return None if known is None else int((time.monotonic() - known[1]) * 1000)
