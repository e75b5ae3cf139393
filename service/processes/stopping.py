"""A request to stop that a signal handler can make at any time, and processes that Ctrl-C does not reach."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from queue import Empty, SimpleQueue
from types import FrameType


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


@contextmanager
def deaf_to_ctrl_c() -> Iterator[None]:
    """Processes that are started within never hear of Ctrl-C, from their first moment on; this one does, afterwards.

    Ctrl-C reaches all processes of a terminal. The one that started the others decides what it means. For the main
    thread. Without POSIX signals it does nothing.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    heard: list[FrameType | None] = []
    # What is started inherits the mask. Another thread of this process may still get the signal, hence the handler.
    handler = signal.signal(signal.SIGINT, lambda _, frame: heard.append(frame))
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        signal.signal(signal.SIGINT, handler)
    if heard and callable(handler):
        handler(signal.SIGINT, heard[0])
