"""Places for answers that take long to send: so many in a process, and so many of them for one client."""

import threading
from collections import Counter
from collections.abc import Callable

from plyscribe.service.errors import ExportsFull, ExportsShare, ServiceError


class Places:
    """Places that are taken and given back; safe to share between threads."""

    def __init__(
        self,
        most: int,
        each: int,
        full: Callable[[int], ServiceError] = lambda most: ExportsFull(
            f"{most} exports are being sent already: try again later"
        ),
        share: Callable[[int], ServiceError] = lambda each: ExportsShare(
            f"you are being sent {each} exports already: read those first"
        ),
    ) -> None:
        """`full` and `share` make the errors of a client that gets no place."""
        self._most = most
        self._each = each
        self._full = full
        self._share = share
        self._lock = threading.Lock()
        self._taken: Counter[str] = Counter()

    def take(self, client: str) -> Callable[[], None]:
        """Take a place for a client; return what gives it back, which may be called twice.

        The error `full` if all places are taken, `share` if this client has as many as one client may have.
        """
        with self._lock:
            if self._taken.total() >= self._most:
                raise self._full(self._most)
            if self._taken[client] >= self._each:
                raise self._share(self._each)
            self._taken[client] += 1
        is_mine = threading.Lock()

        def give_back() -> None:
            if is_mine.acquire(blocking=False):
                self._give_back(client)

        return give_back

    def _give_back(self, client: str) -> None:
        with self._lock:
            self._taken[client] -= 1
            if not self._taken[client]:
                del self._taken[client]
