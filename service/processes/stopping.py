"""A request to stop that a signal handler can make at any time."""

from contextlib import suppress
from queue import Empty, SimpleQueue


class StopRequest:
    """A request to stop, made from a signal handler or from any thread, and waited for by one thread.

    An Event does not do for this. A handler runs in the main thread, between any two steps of what it interrupts. If
    that is about to use the same Event, or is the handler of an earlier signal, the two wait for each other for ever.
    """

    def __init__(self) -> None:
        self.is_made = False
        # The one queue whose `put` may interrupt itself.
        self._wake: SimpleQueue[None] = SimpleQueue()

    def make(self, *_: object) -> None:
        """Make the request. Takes the arguments of a signal handler and ignores them."""
        self.is_made = True
        self._wake.put(None)

    def wait(self, timeout_s: float | None = None) -> bool:
        """Whether the request is made, within this time (None: wait for it)."""
        if not self.is_made:
            with suppress(Empty):
                self._wake.get(timeout=timeout_s)
        return self.is_made
