"""Long answers, made no faster than their clients read them.

What Granian is given as bytes it holds until the client has read it, however much that is; a file it reads as the
client does. So a long answer comes as one: Granian reads from a pipe, and one thread fills all pipes that have room.
"""

import fcntl
import logging
import os
import threading
import time
from collections.abc import Callable, Iterator
from selectors import EVENT_WRITE, DefaultSelector

OPEN_WITHIN_S = 30.0
"""How long a pipe waits for its reader: of a client that leaves before its answer begins Granian tells nothing."""

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
        """The path of a file that has these chunks, more than PIPE_BYTES together, and that can be opened once.

        `close` is called in the end. OSError where there are too many open files.
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
                # Somebody has read. With our end for reading still open, nothing would tell that they left.
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
            log.exception("what made an answer did not end well")


class _Pipe:
    """A pipe of PIPE_BYTES, and what is still to be written to it."""

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
        """Whether there may be more to write, once the pipe has room; errors as of the chunks, or BrokenPipeError."""
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
        """Close the end for reading, which somebody has opened for themselves; harmless twice."""
        reading, self.reading = self.reading, -1
        if reading >= 0:
            os.close(reading)

    def close(self) -> None:
        """Let who reads come to the end."""
        self.leave_to_reader()
        os.close(self.writing)
        self._close()
