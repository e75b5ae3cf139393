"""Those who follow streams: what each of them is sent, as server-sent events, and when it has had enough."""

import logging
import threading
import time
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from queue import Empty, SimpleQueue
from typing import NamedTuple, Protocol

RETRY_MS = 1000
"""How long clients are to wait before they connect again."""

MAX_SENT = 1 << 20
"""Bytes that one connection is sent before it ends, and the client goes on with the next one.

What a client does not read fast enough stays in memory, so there must be a bound.
"""

MAX_AGE_S = 900.0
"""After this time a connection ends too, so that who may not read any more is not told for ever."""

THREAD_S = 20.0
"""The same where a stream takes a thread of the server, so that places become free and the server can stop.

Servers usually give open requests 30 s to end when they stop.
"""

THREAD_BEAT_S = 1.0
"""How often such a stream sends a heartbeat: only a write shows the server that the client has left."""

GREETING = b"retry: %d\n\n" % RETRY_MS
HEARTBEAT = b":\n\n"
END = b"event: end\ndata: {}\n\n"
"""What follows the last entry of all: the client need not connect again."""

log = logging.getLogger(__name__)


class Entry(NamedTuple):
    """One entry of a stream: its number, its type, and its JSON in one line."""

    number: int
    type: str
    data: bytes

    def format(self) -> bytes:
        """The entry as a server-sent event."""
        return b"id: %d\nevent: %s\ndata: %s\n\n" % (self.number, self.type.encode(), self.data)


class Source(Protocol):
    """Streams of one kind, read by number."""

    @property
    def last_types(self) -> Container[str]:
        """Types of entries after which nothing is expected any more."""
        ...

    def read(self, stream: str, after: int, limit: int) -> Sequence[Entry]:
        """Entries after a number, in order, at most `limit`; errors as of the store."""
        ...


class News(NamedTuple):
    """Formatted entries that follow `after`, by number, and all of them together."""

    after: int
    entries: Sequence[tuple[int, bytes]]
    joined: bytes

    def beyond(self, number: int) -> bytes:
        """What follows a number; empty exactly when nothing does."""
        if number <= self.after:
            return self.joined
        return b"".join(data for at, data in self.entries if at > number)


def make_news(after: int, entries: Iterable[Entry]) -> News:
    """News of entries that follow `after`, at least one."""
    formatted = [(entry.number, entry.format()) for entry in entries]
    return News(after, formatted, b"".join(data for _, data in formatted))


class Giver(Protocol):
    """Who reads streams, and gives their entries to followers from another thread."""

    def enter(self, follower: "Follower") -> None:
        """Begin to give to it."""
        ...

    def leave(self, follower: "Follower") -> None:
        """Give it no more; harmless twice."""
        ...


class Follower:
    """One who is given the entries of a stream after a number, each once and in order."""

    def __init__(
        self,
        giver: Giver,
        source: Source,
        stream: str,
        after: int,
        upto: int | None,
        wait_s: float | None,
        may_go_on: Callable[[int], bool],
        client: str,
    ) -> None:
        self.source = source
        self.stream = stream
        self.client = client
        self.number = after
        self.wait_s = wait_s
        self.upto = upto
        self._giver = giver
        self._may_go_on = may_go_on
        self._sent = 0
        self._over_at = time.monotonic() + MAX_AGE_S
        self._send: Callable[[bytes], object] = _drop
        self._ended: Callable[[], object] = _do_nothing

    def start(self, send: Callable[[bytes], object], ended: Callable[[], object]) -> None:
        """Let `send` have server-sent events, from another thread, until `ended` is called.

        `send` must not wait for the client; what it raises ends the follower.
        """
        self._send, self._ended = send, ended
        if self.wait_s is None:
            self.send(GREETING)
        self._giver.enter(self)

    def stop(self) -> None:
        """The client is gone, or does not wait any longer; harmless twice."""
        self._let_go()
        self._giver.leave(self)

    def _let_go(self) -> Callable[[], object]:
        """What was to be called at the end. Whatever takes what is sent is open for as long as we hold it."""
        ended, self._ended = self._ended, _do_nothing
        self._send = _drop
        return ended

    def __iter__(self) -> Iterator[bytes]:
        """What is sent until the end, at most THREAD_S long. Takes the calling thread."""
        sent: SimpleQueue[bytes | None] = SimpleQueue()
        self.start(sent.put, lambda: sent.put(None))
        over_at = time.monotonic() + THREAD_S
        try:
            while (left_s := over_at - time.monotonic()) > 0:
                try:
                    data = sent.get(timeout=min(left_s, THREAD_BEAT_S))
                except Empty:
                    data = HEARTBEAT
                if data is None:
                    return
                yield data
        finally:
            self.stop()

    def wait(self) -> None:
        """Wait until there is news, at most `wait_s` and THREAD_S. Takes the calling thread."""
        ended = threading.Event()
        self.start(_drop, ended.set)
        ended.wait(min(self.wait_s or 0.0, THREAD_S))
        self.stop()

    def give(self, news: News) -> bool:
        """Whether it goes on after what is news to it."""
        data = news.beyond(self.number)
        newest = news.entries[-1][0]
        if data and (self.wait_s is not None or not self._may_go_on(newest)):
            return False
        self.number = max(self.number, newest)
        return not data or (self.send(data) and self._sent < MAX_SENT and not self.is_done)

    @property
    def is_done(self) -> bool:
        """Whether it has all that there will ever be, as far as was known when it came."""
        return self.upto is not None and self.number >= self.upto

    def beat(self, now_s: float) -> bool:
        """Whether it goes on after a sign that the stream lives."""
        return now_s < self._over_at and self.send(HEARTBEAT)

    def send(self, data: bytes) -> bool:
        """Whether this could be sent."""
        self._sent += len(data)
        try:
            self._send(data)
        except Exception as error:
            log.debug("a follower of %s is gone: %r", self.stream, error)
            return False
        return True

    def end(self) -> None:
        """Tell it that no more comes: for good, or on this connection."""
        if self.is_done:
            self.send(END)
        self._let_go()()


def _drop(data: bytes) -> None:
    """What sends to nobody."""


def _do_nothing() -> None:
    """What tells nobody of the end."""
