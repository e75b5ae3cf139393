"""What the server and the views tell each other about a request: keys in its WSGI environ, under names of ours."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

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

UPGRADES = "plyscribe.upgrades"
"""From the server: the request asks for a WebSocket, and TALK is handled."""

TALK = "plyscribe.talk"
"""From a view: a Talk that goes on over the WebSocket, which the server then accepts."""

TRIED = "plyscribe.tried"
"""From the server: the request could not be answered together with others, and this is what was found out in trying."""

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


class Talk(Protocol):
    """What is said on a standing connection, line by line. See `standing_connections` for who calls what."""

    pause_s: float
    """How long the client's next lines wait, because it asked for too much. The server takes it back to 0."""

    def start(self, push: Callable[[str], bool], end: Callable[[str], object]) -> None:
        """Begin. `push` sends lines of our own accord, and returns whether the client may still be there.

        `end` ends the connection with this last line. Both may be called from any thread.
        """
        ...

    def find_end(self) -> str | None:
        """The last line, if the connection has to end now, because of who the client is."""
        ...

    def answer_all(self, said: Sequence[tuple["Talk", str]]) -> Sequence[str]:
        """The answers to lines of this talk and of others of its kind, in their order; each is a line. Must not raise.

        All answered lines count from then on, whatever becomes of their connections.
        """
        ...

    def format_end(self, code: str, detail: str, status: int) -> str:
        """The last line for a reason that the server has."""
        ...

    def stop(self) -> None:
        """The connection is over. Called once."""
        ...


class Asked(NamedTuple):
    """A request whose headers are plain: each is there once, in ASCII."""

    method: str
    path: str
    client: str
    """The address that it came from."""

    headers: Mapping[str, str]
    """By their names in lower case."""

    body: bytes


class Reply(NamedTuple):
    """A whole answer."""

    status: int
    headers: list[tuple[str, str]]
    body: bytes


class Leave(NamedTuple):
    """A request that is left to the application, with what it is to know as TRIED; None if that is nothing."""

    tried: object = None


class Together(Protocol):
    """Answers requests that are there at the same time together, as the application would answer each of them."""

    def takes(self, method: str, path: str) -> bool:
        """Whether it can answer such requests, if they have no query."""
        ...

    def answer_all(self, asked: Sequence[Asked]) -> Sequence[Reply | Leave]:
        """The answer to each, or what to do instead. Must not raise."""
        ...
