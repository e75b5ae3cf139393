"""Many followers of one stream in one thread. Each reconnects when its stream breaks off, as browsers do."""

import selectors
import socket
import threading
import time
from contextlib import suppress
from typing import Self
from urllib.parse import urlsplit

from plyscribe.service.client import Client
from plyscribe.service.client.answers import InboxEntry
from tests.system.running import WITHIN_S

PAUSE_S = 0.2


def read_inbox(client: Client) -> list[InboxEntry]:
    """All that the inbox has told so far; at least one entry."""
    newest, found = client.newest_in_inbox(), []
    for entry in client.inbox():
        found.append(entry)
        if entry["id"] >= newest:
            return found
    raise AssertionError


class Stream:
    """One follower: the ids that it has received, in order."""

    def __init__(self, address: tuple[str, int], path: str, token: str | None) -> None:
        self.ids: list[int] = []
        self.connections = 0
        self.status = 0
        self.socket: socket.socket | None = None
        self.again_at = 0.0
        self._address = address
        self._path = path
        self._token = token

    def connect(self) -> None:
        self._raw, self._body, self._text = b"", b"", b""
        self.socket = socket.create_connection(self._address, timeout=WITHIN_S)
        lines = [f"GET {self._path} HTTP/1.1", "Host: localhost", "Accept: text/event-stream"]
        lines += [f"Last-Event-ID: {self.ids[-1]}"] if self.ids else []
        lines += [f"Authorization: Bearer {self._token}"] if self._token else []
        self.socket.sendall("\r\n".join([*lines, "", ""]).encode())
        self.socket.setblocking(False)
        self.connections += 1

    def receive(self) -> bool:
        """Read what has arrived; return whether the stream continues."""
        assert self.socket is not None
        with suppress(BlockingIOError):
            data = self.socket.recv(1 << 16)
            self._raw += data
            self._read_head()
            self._read_chunks()
            self._read_events()
            return bool(data) and self.status in (0, 200)
        return True

    def _read_head(self) -> None:
        if self._raw.startswith(b"HTTP/") and b"\r\n\r\n" in self._raw:
            head, _, self._raw = self._raw.partition(b"\r\n\r\n")
            self.status = int(head.split()[1])

    def _read_chunks(self) -> None:
        while self.status == 200 and b"\r\n" in self._raw:
            size, _, rest = self._raw.partition(b"\r\n")
            length = int(size, 16)
            if len(rest) < length + 2:
                return
            self._text += rest[:length]
            self._raw = rest[length + 2 :]

    def _read_events(self) -> None:
        *blocks, self._text = self._text.split(b"\n\n")
        for block in blocks:
            fields = dict(line.partition(b": ")[::2] for line in block.split(b"\n"))
            if b"id" in fields:
                self.ids.append(int(fields[b"id"]))


class Crowd:
    """A number of followers of a path while the block runs."""

    def __init__(self, url: str, path: str, size: int, token: str | None = None) -> None:
        where = urlsplit(url)
        self.streams = [Stream((str(where.hostname), where.port or 80), path, token) for _ in range(size)]
        self._selector = selectors.DefaultSelector()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def have(self, ids: list[int]) -> bool:
        """Whether all followers have exactly these ids."""
        return all(stream.ids == ids for stream in self.streams)

    def _run(self) -> None:
        try:
            while not self._stop.is_set():
                self._connect_those_without()
                for key, _ in self._selector.select(0.02):
                    self._receive(key.data)
        finally:
            for stream in self.streams:
                self._close(stream)
            self._selector.close()

    def _connect_those_without(self) -> None:
        now_s = time.monotonic()
        for stream in self.streams:
            if stream.socket is None and now_s >= stream.again_at:
                try:
                    stream.connect()
                    self._selector.register(stream.socket, selectors.EVENT_READ, stream)
                except OSError:
                    self._close(stream)
                    # The server is away, so do not try the others either.
                    stream.again_at = now_s + PAUSE_S
                    return

    def _receive(self, stream: Stream) -> None:
        goes_on = False
        with suppress(OSError):
            goes_on = stream.receive()
        if not goes_on:
            stream.again_at = time.monotonic() + PAUSE_S
            self._close(stream)

    def _close(self, stream: Stream) -> None:
        if stream.socket is not None:
            with suppress(KeyError, ValueError):
                self._selector.unregister(stream.socket)
            stream.socket.close()
            stream.socket = None
