"""Long answers, produced no faster than their clients read them.

Granian keeps bytes in memory until the client has read them, however many they are. But it reads a file as fast as the
client reads. So a long answer is given to it as a file: a pipe. One thread fills all pipes that have room.
"""

import fcntl
import logging
import os
import threading
import time
from collections.abc import Callable, Iterator
from selectors import EVENT_WRITE, DefaultSelector

OPEN_WITHIN_S = 30.0
"""How long a pipe waits for its reader. Granian does not report a client that leaves before its answer begins."""

PIPE_BYTES = 64 * 1024
TICK_S = 0.25

log = logging.getLogger(__name__)


class LongAnswers:
    """All long answers of a process; safe to share between threads."""

    def __init__(self) -> None:
        self._selector = DefaultSelector()
        self._unopened: dict[_Pipe, float] = {}
        threading.Thread(target=self._fill, name="long-answers", daemon=True).start()

    def begin(self, chunks: Iterator[bytes], close: Callable[[], object]) -> str:
        """The path of a file with these chunks, which can be opened once. They must exceed PIPE_BYTES together.

        `close` is called at the end. OSError if too many files are open.
        """
        pipe = _Pipe(chunks, close)
        self._unopened[pipe] = time.monotonic() + OPEN_WITHIN_S
        self._selector.register(pipe.writing, EVENT_WRITE, pipe)
        return f"/dev/fd/{pipe.reading}"

    def _fill(self) -> None:
        while True:
            for key, _ in self._selector.select(TICK_S):
                self._go_on(key.data)
            for pipe, due_s in list(self._unopened.items()):
                if due_s <= time.monotonic():
                    self._end(pipe)

    def _go_on(self, pipe: "_Pipe") -> None:
        try:
            goes_on = pipe.write()
            if pipe.written > PIPE_BYTES:
                # Somebody is reading. Close our reading end: while it is open, we cannot see that the reader left.
                self._unopened.pop(pipe, None)
                pipe.leave_to_reader()
            if goes_on:
                return
        except BrokenPipeError:
            log.debug("a client left before the end of its answer")
        except Exception:
            log.exception("an answer broke off")
        self._end(pipe)

    def _end(self, pipe: "_Pipe") -> None:
        self._unopened.pop(pipe, None)
        self._selector.unregister(pipe.writing)
        try:
            pipe.close()
        except Exception:
            log.exception("closing an answer failed")


class _Pipe:
    """A pipe of PIPE_BYTES and the chunks that are still to be written to it."""

    def __init__(self, chunks: Iterator[bytes], close: Callable[[], object]) -> None:
        self._chunks = chunks
        self._close = close
        self._rest = memoryview(b"")
        self.written = 0
        self.reading, self.writing = os.pipe()
        if hasattr(fcntl, "F_SETPIPE_SZ"):
            fcntl.fcntl(self.writing, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
        os.set_blocking(self.writing, False)

    def write(self) -> bool:
        """Write what fits and return whether there may be more; BrokenPipeError if the reader has left."""
        try:
            self._rest = self._rest or memoryview(next(self._chunks))
            written = os.write(self.writing, self._rest)
        except StopIteration:
            return False
        except BlockingIOError:
            return True
        self.written += written
        self._rest = self._rest[written:]
        return True

    def leave_to_reader(self) -> None:
        """Close our reading end; the reader has opened its own. May be called twice."""
        reading, self.reading = self.reading, -1
        if reading >= 0:
            os.close(reading)

    def close(self) -> None:
        """Let the reader see the end."""
        self.leave_to_reader()
        os.close(self.writing)
        self._close()
