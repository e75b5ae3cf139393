"""Posts messages to addresses that others chose: bounded in time and size, and never into a private network.

The name is resolved here, each address is checked, and the connection is made to an address that passed. TLS still
checks the certificate against the name. Redirects are not followed and proxies are not used: both would lead to an
address that nobody checked.
"""

import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import certifi
import httpcore

from plyscribe.service.webhooks.targets import ANY, Target, is_public

WITHIN_S = 10.0
"""How long all of it may take, from the first connection to the end of the answer's head."""

CONNECT_WITHIN_S = 5.0
MOST_ADDRESSES = 3
"""How many addresses of a name are tried."""

MOST_READ = 4096
"""Bytes of an answer's body that are read, so that its connection can be used again. They are not looked at."""

MOST_IDLE = 32
IDLE_S = 15.0
MAX_WHY_LENGTH = 150

Resolve = Callable[[str, int], list[str]]
"""The addresses of a name; OSError if it has none."""


class NotPosted(Exception):
    """There was no answer. The message says why, in words for the owner of the webhook."""


class Posted(NamedTuple):
    """An answer: its status, and how many seconds it asks to wait (0 if it does not)."""

    status: int
    retry_after_s: int


def resolve_name(host: str, port: int) -> list[str]:
    """The addresses of a name, in the order in which the system would try them; OSError if it has none."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP)
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


class Poster:
    """Posts over connections that are kept open for a while; safe to share between threads.

    `allowed` is PLYSCRIBE_WEBHOOKS.
    """

    def __init__(
        self, allowed: str, resolve: Resolve = resolve_name, trust: ssl.SSLContext | None = None, within_s: float = 0
    ) -> None:
        self._within_s = within_s or WITHIN_S
        self._deadline = _Deadline()
        self._pool = httpcore.ConnectionPool(
            ssl_context=trust or _trust_authorities(),
            max_connections=None,
            max_keepalive_connections=MOST_IDLE,
            keepalive_expiry=IDLE_S,
            network_backend=_CheckedNetwork(allowed, resolve, self._deadline),
        )

    def post(self, target: Target, headers: Mapping[str, str], body: bytes) -> Posted:
        """Post once, and return the answer; NotPosted if there is none within the time."""
        self._deadline.until = time.monotonic() + self._within_s
        url = httpcore.URL(scheme=target.scheme, host=target.host, port=target.port, target=target.path)
        encoded = [(name.encode(), value.encode()) for name, value in headers.items()]
        timeouts = dict.fromkeys(("connect", "read", "write", "pool"), self._within_s)
        try:
            with self._pool.stream(
                "POST", url, headers=encoded, content=body, extensions={"timeout": timeouts}
            ) as answer:
                posted = Posted(answer.status, _read_retry_after(answer.headers))
                _read_some(answer)
            return posted
        except httpcore.TimeoutException:
            raise NotPosted(f"no answer within {self._within_s:.0f} s") from None
        except (httpcore.NetworkError, httpcore.ProtocolError, OSError) as error:
            raise NotPosted(f"no connection: {error}"[:MAX_WHY_LENGTH]) from None

    def close(self) -> None:
        """Close all connections."""
        self._pool.close()


def _trust_authorities() -> ssl.SSLContext:
    """The authorities that the system trusts, and the usual ones where the system has no list."""
    context = ssl.create_default_context()
    context.load_verify_locations(certifi.where())
    return context


def _read_retry_after(headers: Iterable[tuple[bytes, bytes]]) -> int:
    for name, value in headers:
        if name.lower() == b"retry-after" and value.isdigit() and len(value) < 9:
            return int(value)
    return 0


def _read_some(answer: httpcore.Response) -> None:
    """Read a short body, so that the connection can be used again. What was answered counts, whatever happens here."""
    size = 0
    try:
        for chunk in answer.iter_stream():
            size += len(chunk)
            if size > MOST_READ:
                return
    except (httpcore.NetworkError, httpcore.ProtocolError, httpcore.TimeoutException):
        return


class _Deadline(threading.local):
    """When the post that this thread is making must be over, on the monotonic clock."""

    until = 0.0

    def limit(self, timeout: float | None, at_most: float = WITHIN_S) -> float:
        """The seconds that a step may take; httpcore.TimeoutException if there are none left."""
        left = self.until - time.monotonic()
        if left <= 0:
            raise httpcore.ReadTimeout("the time is over")
        return min(left, at_most, timeout or at_most)


class _CheckedNetwork(httpcore.NetworkBackend):
    """Connects to addresses that were checked, and to no others."""

    def __init__(self, allowed: str, resolve: Resolve, deadline: _Deadline) -> None:
        self._allowed = allowed
        self._resolve = resolve
        self._deadline = deadline
        self._plain = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        """A connection to one of the name's addresses; NotPosted if none of them may be reached."""
        addresses = self._list_addresses(host, port)
        for address in addresses[:-1]:
            try:
                return self._connect(address, port, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                continue
        return self._connect(addresses[-1], port, socket_options)

    def _list_addresses(self, host: str, port: int) -> list[str]:
        try:
            found = self._resolve(host.strip("[]"), port)
        except (OSError, UnicodeError):
            found = []
        if self._allowed != ANY:
            found = [address for address in found if is_public(address)]
        if not found:
            # One message for a name that does not exist and for a private one: the owner must not learn which names do.
            raise NotPosted("its name has no address" + ("" if self._allowed == ANY else " that is public"))
        return found[:MOST_ADDRESSES]

    def _connect(self, address: str, port: int, options: Iterable[Any] | None) -> httpcore.NetworkStream:
        within = self._deadline.limit(None, CONNECT_WITHIN_S)
        return _TimedStream(self._plain.connect_tcp(address, port, within, socket_options=options), self._deadline)


class _TimedStream(httpcore.NetworkStream):
    """A connection whose every step ends with the time of the whole post, however slowly bytes come in."""

    def __init__(self, stream: httpcore.NetworkStream, deadline: _Deadline) -> None:
        self._stream = stream
        self._deadline = deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """See httpcore.NetworkStream."""
        return self._stream.read(max_bytes, self._deadline.limit(timeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """See httpcore.NetworkStream."""
        self._stream.write(buffer, self._deadline.limit(timeout))

    def close(self) -> None:
        """See httpcore.NetworkStream."""
        self._stream.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        """See httpcore.NetworkStream."""
        within = self._deadline.limit(timeout)
        return _TimedStream(self._stream.start_tls(ssl_context, server_hostname, within), self._deadline)

    def get_extra_info(self, info: str) -> Any:
        """See httpcore.NetworkStream."""
        return self._stream.get_extra_info(info)
