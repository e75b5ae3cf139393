"""Followers: what the client of a live stream is sent, as server-sent events, and when its connection ends."""

import logging
import threading
import time
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from queue import Empty, SimpleQueue
from typing import NamedTuple, Protocol

RETRY_MS = 1000
"""How long clients should wait before they connect again."""

MAX_SENT = 1 << 20
"""After this many bytes a connection ends, and the client continues on the next one.

What a client has not read yet stays in memory, so there must be a bound.
"""

MAX_AGE_S = 900.0
"""After this time a connection ends too, so that clients who may no longer read do not follow for ever."""

THREAD_S = 20.0
"""The same for a stream that takes a thread of the server, so that threads become free and the server can stop.

Servers usually give open requests 30 s to end when they stop.
"""

THREAD_BEAT_S = 1.0
"""How often such a stream sends a heartbeat: only a write shows the server that the client has left."""

GREETING = b"retry: %d\n\n" % RETRY_MS
HEARTBEAT = b":\n\n"
END = b"event: end\ndata: {}\n\n"
"""Sent after the last entry that there will ever be: the client need not connect again."""

log = logging.getLogger(__name__)


class Entry(NamedTuple):
    """One entry of a stream: its number, its type, and its JSON on one line."""

    number: int
    type: str
    data: bytes

    def format(self) -> bytes:
        """The entry as a server-sent event."""
        return b"id: %d\nevent: %s\ndata: %s\n\n" % (self.number, self.type.encode(), self.data)


class Line(Entry):
    """An entry that is sent as a line of NDJSON."""

    def format(self) -> bytes:
        """The entry's JSON as a line."""
        return self.data + b"\n"


class Framing(NamedTuple):
    """What a client is sent around the entries."""

    greeting: bytes
    heartbeat: bytes
    end: bytes
    """Comes after the last entry that there will ever be."""

    pause: bytes
    """Comes at the end of a connection if there may be more entries."""


EVENTS = Framing(GREETING, HEARTBEAT, END, b"")
"""Server-sent events. Their clients connect again by themselves."""

LINES = Framing(b"", b"\n", b'{"type":"end"}\n', b'{"type":"end"}\n')
"""NDJSON."""


class Source(Protocol):
    """Streams of one kind, read by number."""

    @property
    def last_types(self) -> Container[str]:
        """The types of entries after which no more are expected."""
        ...

    @property
    def is_polled(self) -> bool:
        """Whether no feed tells of new entries, so that it has to be read again and again."""
        ...

    def read(self, stream: str, after: int, limit: int) -> Sequence[Entry]:
        """Entries after a number, in order, at most `limit`. Raises the errors of the store."""
        ...


class News(NamedTuple):
    """Formatted entries after number `after`: one by one with their numbers, and joined."""

    after: int
    entries: Sequence[tuple[int, bytes]]
    joined: bytes

    def beyond(self, number: int) -> bytes:
        """The entries after a number; empty exactly when there are none."""
        if number <= self.after:
            return self.joined
        return b"".join(data for at, data in self.entries if at > number)


def make_news(after: int, entries: Iterable[Entry]) -> News:
    """News of at least one entry after number `after`."""
    formatted = [(entry.number, entry.format()) for entry in entries]
    return News(after, formatted, b"".join(data for _, data in formatted))


class Giver(Protocol):
    """Reads streams and gives their entries to followers, from another thread."""

    def enter(self, follower: "Follower") -> None:
        """Begin to give entries to the follower."""
        ...

    def leave(self, follower: "Follower") -> None:
        """Give the follower no more entries. May be called twice."""
        ...


class Follower:
    """Receives the entries of a stream after a number, each once and in order, and sends them to a client."""

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
        framing: Framing = EVENTS,
        form: str = "",
    ) -> None:
        self.source = source
        self.stream = stream
        self.form = form
        self.client = client
        self.number = after
        self.wait_s = wait_s
        self.upto = upto
        self._giver = giver
        self._may_go_on = may_go_on
        self._framing = framing
        self._sent = 0
        self._over_at = time.monotonic() + MAX_AGE_S
        self._send: Callable[[bytes], object] = _drop
        self._ended: Callable[[], object] = _do_nothing

    @property
    def key(self) -> tuple[str, str]:
        """The stream and the form of its entries: what followers with the same key are sent is made once."""
        return self.stream, self.form

    def start(self, send: Callable[[bytes], object], ended: Callable[[], object]) -> None:
        """Call `send` with server-sent events, from another thread; call `ended` at the end.

        `send` must not wait for the client. If it raises, the follower ends.
        """
        self._send, self._ended = send, ended
        if self.wait_s is None:
            self.send(self._framing.greeting)
        self._giver.enter(self)

    def stop(self) -> None:
        """End because the client has left or waits no longer. May be called twice."""
        self._let_go()
        self._giver.leave(self)

    def _let_go(self) -> Callable[[], object]:
        """Drop `send`, which keeps the client's connection open, and return `ended`."""
        ended, self._ended = self._ended, _do_nothing
        self._send = _drop
        return ended

    def __iter__(self) -> Iterator[bytes]:
        """What `send` would get until the end, for at most THREAD_S. Blocks the calling thread."""
        sent: SimpleQueue[bytes | None] = SimpleQueue()
        self.start(sent.put, lambda: sent.put(None))
        over_at = time.monotonic() + THREAD_S
        try:
            while (left_s := over_at - time.monotonic()) > 0:
                try:
                    data = sent.get(timeout=min(left_s, THREAD_BEAT_S))
                except Empty:
                    data = self._framing.heartbeat
                if data is None:
                    return
                yield data
            if self._framing.pause:
                yield self._framing.pause
        finally:
            self.stop()

    def wait(self) -> None:
        """Wait for news, for at most `wait_s` and at most THREAD_S. Blocks the calling thread."""
        ended = threading.Event()
        self.start(_drop, ended.set)
        ended.wait(min(self.wait_s or 0.0, THREAD_S))
        self.stop()

    def give(self, news: News) -> bool:
        """Send the news that the client does not have; return whether the follower continues."""
        data = news.beyond(self.number)
        newest = news.entries[-1][0]
        if data and (self.wait_s is not None or not self._may_go_on(newest)):
            return False
        self.number = max(self.number, newest)
        return not data or (self.send(data) and self._sent < MAX_SENT and not self.is_done)

    @property
    def is_done(self) -> bool:
        """Whether it has sent the last entry that there will ever be."""
        return self.upto is not None and self.number >= self.upto

    def beat(self, now_s: float) -> bool:
        """Send a heartbeat; return whether the follower continues."""
        return now_s < self._over_at and self.send(self._framing.heartbeat)

    def send(self, data: bytes) -> bool:
        """Send data; return whether that succeeded."""
        self._sent += len(data)
        try:
            self._send(data)
        except Exception as error:
            log.debug("a follower of %s has left: %r", self.stream, error)
            return False
        return True

    def end(self) -> None:
        """End the connection. If the client has the last entry, tell it not to connect again."""
        if last := self._framing.end if self.is_done else self._framing.pause:
            self.send(last)
        self._let_go()()


def _drop(data: bytes) -> None:
    """Stands in for `send` when there is no client."""


def _do_nothing() -> None:
    """Stands in for `ended` when it has been called."""
