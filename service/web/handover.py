"""What the server and the views tell each other about a request: keys in its WSGI environ, under names of ours."""

from collections.abc import Callable, Iterator
from typing import Protocol

HOLDS = "plyscribe.holds"
"""From the server: it handles HOLD and needs no thread for it."""

HOLD = "plyscribe.hold"
"""From a view: a Held that provides the rest of the answer or, if it waits for something, says when to ask again."""

WAITED = "plyscribe.waited"
"""From the server: this is the second call for a request that waited, and this Held is what it waited with."""

PAUSE = "plyscribe.pause"
"""From a view: the answer is sent after so many seconds. A server that is not ours sends it at once."""

LATE = "plyscribe.late"
"""From the server: the body did not arrive within this many seconds."""

CROWDED = "plyscribe.crowded"
"""From the server: the body is large and was not read, because too many large bodies are being read."""

MAX_LARGE = 4
"""Large bodies that one process holds at the same time."""


class Held(Protocol):
    """What goes on with a request without a thread: it waits, or its answer is streamed."""

    wait_s: float | None
    """How long the request waits before it is called again at the latest; None for a stream."""

    def start(self, send: Callable[[bytes], object], ended: Callable[[], object]) -> None:
        """Begin to stream to `send`, or to wait; `ended` is called once, from another thread, at the end."""
        ...

    def stop(self) -> None:
        """End, because nobody waits or reads any more. May be called twice."""
        ...

    def wait(self) -> None:
        """Under a server that is not ours: wait in this thread."""
        ...

    def __iter__(self) -> Iterator[bytes]:
        """Under a server that is not ours: stream in this thread."""
        ...
