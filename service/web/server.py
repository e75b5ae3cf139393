"""Our web server: a request takes a thread only once its body is complete, and an open stream takes none.

Granian speaks HTTP in a thread of its own. It calls us there for each request, for each complete body, and when a
client disconnects. Usually an event loop would sit in between, but waking one costs as much as all the rest of the
server's work for a move. So there is no event loop.

A complete request goes to a WSGI application in a pool of threads. Requests of a kind that can be answered together
are taken as a batch before that (see `batching`); those that are left over go to the application. The application may
leave a Held in the request's environ (see `handover`). If it streams, its events are the answer. If it waits for
something, the application is called again when that is there. A long answer is produced as fast as its client reads it.
A request for a WebSocket goes to the application too, which may leave a Talk: then it becomes a standing connection
(see `standing_connections`).
"""

import logging
import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from io import BytesIO
from itertools import chain
from types import MappingProxyType
from typing import Any

from plyscribe.service.config import FILES
from plyscribe.service.processes.children import raise_file_limit
from plyscribe.service.processes.stopping import StopRequest
from plyscribe.service.web.batching import Batches
from plyscribe.service.web.granian_core import Core, Exchange, Headers, Scope, WebSocket, asks_for_websocket
from plyscribe.service.web.handover import (
    CROWDED,
    HOLD,
    LATE,
    MAX_LARGE,
    PAUSE,
    TALK,
    TRIED,
    UPGRADES,
    WAITED,
    Asked,
    Held,
    Reply,
    Talk,
    Together,
)
from plyscribe.service.web.long_answers import LongAnswers
from plyscribe.service.web.request_environ import Environ, make_environ, read_plain
from plyscribe.service.web.standing_connections import Standing
from plyscribe.service.web.thread_pools import Deadlines, Threads

THREADS = 64
"""Requests that are answered at the same time. Some of them may wait for a store that is away: see `patience`."""

THREADS_OF_THEIR_OWN = "/healthz", "/readyz", "/metrics"
"""What supervisors ask. Each of these has a thread for itself, so that it never waits behind anything else."""

MAX_BODY_BYTES = 64 * 1024
NO_PATHS: Mapping[str, int] = MappingProxyType({})
BODY_WITHIN_S = 30.0
STOP_WITHIN_S = 8.0
"""How long open requests may take after SIGTERM."""

FAREWELL_S = 4.0
"""How much of that the last lines of standing connections may take. Granian counts these among no open requests."""

SILENT_MS = 30_000
"""How long a client may go without acknowledging what it is sent."""

MAX_HELD = 128 * 1024
"""An answer without a length is produced in one go up to this many bytes, whatever its client reads."""

NO_WEBSOCKET = 400
"""The status of a request for a WebSocket at an address that has none."""

MAX_PAUSED = 4096
"""Answers that are held back at the same time, waiting pages included."""

BACKLOG = 2048

Application = Callable[[Environ, Callable[..., Any]], Iterable[bytes]]

log = logging.getLogger(__name__)


def serve_application(
    app: Application,
    host: str,
    port: int,
    let_go: Callable[[], object] | None = None,
    max_body: int = MAX_BODY_BYTES,
    larger_bodies: Mapping[str, int] = NO_PATHS,
    share_port: bool = False,
    together: Together | None = None,
) -> None:
    """Serve the application until SIGTERM or SIGINT; then finish the open requests.

    `let_go` is called first. It ends what is held: see `handover`. `together` answers what it can in its place.
    With `share_port` other processes of this user may listen on the port as well, if they share it too; on Linux the
    kernel spreads connections over them.
    A body longer than `max_body` bytes, or than the limit that `larger_bodies` sets for its path, is not read: the
    application sees its length and refuses it. OSError if the address cannot be listened on.
    """
    raise_file_limit()
    _serve(Front(app, max_body, larger_bodies, together), _listen(host, port, share_port), let_go or _do_nothing)


def _listen(host: str, port: int, share_port: bool) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.create_server((host, port), family=family, backlog=BACKLOG, reuse_port=share_port)
    if hasattr(socket, "TCP_USER_TIMEOUT"):
        # Every connection inherits this: the kernel drops clients that do not read what they are sent.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, SILENT_MS)
    return listener


def _serve(front: "Front", listener: socket.socket, let_go: Callable[[], object]) -> None:
    stop = StopRequest()
    for signum in (signal.SIGTERM, signal.SIGINT):
        signal.signal(signum, stop.make)
    core = Core(listener, front.take, FILES, BACKLOG)
    stop.wait()
    deadline_s = time.monotonic() + STOP_WITHIN_S
    let_go()
    front.end_standing(FAREWELL_S)
    if not core.stop(deadline_s - time.monotonic()):
        log.warning("cutting off requests that are still open %.0f s after the signal to stop", STOP_WITHIN_S)
        os._exit(0)


class _Exchange(Exchange):
    """A request with its body, and what the server tells the application about it in the environ."""

    __slots__ = ("body", "is_large", "notes")

    def __init__(self, request: Any) -> None:
        super().__init__(request)
        self.body = b""
        self.notes: Environ = {}
        self.is_large = False


class _Upgrade:
    """A request for a WebSocket."""

    __slots__ = ("is_large", "scope", "socket")

    def __init__(self, request: Any) -> None:
        self.scope: Scope = request.scope
        self.socket = WebSocket(request)
        self.is_large = False

    def answer_empty(self, status: int) -> None:
        """Refuse it."""
        self.socket.refuse(status)


class Front:
    """Takes requests from Granian and has a WSGI application answer them. Only the pool's threads ever block."""

    def __init__(
        self,
        app: Application,
        max_body: int,
        larger_bodies: Mapping[str, int] = NO_PATHS,
        together: Together | None = None,
    ) -> None:
        self._app = app
        self._together = together
        self._batches: Batches[_Exchange] = Batches("together", self._answer_batch, lambda _: 1)
        self._max_body = max_body
        self._larger_bodies = larger_bodies
        self._large = threading.BoundedSemaphore(MAX_LARGE)
        self._threads = Threads(THREADS, self._answer_or_log, "request")
        self._own_threads = {path: Threads(1, self._answer_or_log, path[1:]) for path in THREADS_OF_THEIR_OWN}
        self._bodies = Deadlines()
        self._waits = Deadlines(self._batches.relieve)
        self._long_answers = LongAnswers()
        self._standing = Standing()

    def end_standing(self, within_s: float) -> None:
        """End the standing connections, each with a last line; returns once they are sent, or after this time."""
        self._standing.end_all(within_s)

    def take(self, request: Any) -> None:
        """Answer a request once its body is complete; returns at once."""
        if asks_for_websocket(request):
            self._do(_Upgrade(request))
            return
        exchange = _Exchange(request)
        length = exchange.scope.headers.get("content-length", "0")
        if not (length.isdecimal() and self._will_read(exchange, int(length))):
            self._do(exchange)
            return
        self._bodies.begin(exchange, BODY_WITHIN_S, partial(self._give_up, exchange))
        exchange.read_body(partial(self._take_body, exchange))

    def _do(self, exchange: _Exchange | _Upgrade) -> None:
        self._own_threads.get(exchange.scope.path, self._threads).do(exchange)

    def _will_read(self, exchange: _Exchange, length: int) -> bool:
        if length <= self._max_body:
            return length > 0
        if length > self._larger_bodies.get(exchange.scope.path, 0):
            return False
        exchange.is_large = self._large.acquire(blocking=False)
        exchange.notes |= {} if exchange.is_large else {CROWDED: True}
        return exchange.is_large

    def _take_body(self, exchange: _Exchange, body: bytes | None) -> None:
        if not self._bodies.settle(exchange):
            return
        if body is None:
            log.debug("a body broke off")
        else:
            exchange.body = body
            if self._can_batch(exchange.scope):
                self._batches.put(exchange)
                return
        self._do(exchange)

    def _can_batch(self, scope: Scope) -> bool:
        # While the store is in trouble, more threads than those of the batches may wait for it.
        return (
            self._together is not None
            and self._together.takes(scope.method, scope.path)
            and not scope.query_string
            and not self._batches.is_stuck
        )

    def _answer_batch(self, exchanges: list[_Exchange]) -> None:
        """Answer together what can be answered so, and have the application answer the rest."""
        assert self._together is not None
        plain: list[tuple[_Exchange, Asked]] = []
        for exchange in exchanges:
            if (asked := read_plain(exchange.scope, exchange.body)) is None:
                self._do(exchange)
            else:
                plain.append((exchange, asked))
        try:
            replies = self._together.answer_all([asked for _, asked in plain])
        except Exception:
            log.exception("requests could not be answered together")
            for exchange, _ in plain:
                exchange.answer_empty(500)
            return
        for (exchange, _), reply in zip(plain, replies, strict=True):
            if isinstance(reply, Reply):
                exchange.answer(*reply)
            else:
                exchange.notes |= {} if reply.tried is None else {TRIED: reply.tried}
                self._do(exchange)

    def _give_up(self, exchange: _Exchange) -> None:
        exchange.notes[LATE] = BODY_WITHIN_S
        self._do(exchange)

    def _answer_or_log(self, exchange: _Exchange | _Upgrade) -> None:
        try:
            if isinstance(exchange, _Upgrade):
                self._upgrade(exchange)
            else:
                self._answer(exchange)
        except Exception:
            log.exception("a request could not be answered")
            # If it failed after its answer, this does nothing.
            exchange.answer_empty(500)
        finally:
            if exchange.is_large:
                exchange.is_large = False
                self._large.release()

    def _upgrade(self, asked: _Upgrade) -> None:
        """Begin the Talk that the application leaves, or refuse the request with the status of its answer."""
        environ = {**make_environ(asked.scope), "wsgi.input": BytesIO(), UPGRADES: True}
        begun: list[Any] = []

        def start(status: str, headers: Headers, exc_info: object = None) -> None:
            begun[:] = (int(status[:3]),)

        chunks = self._app(environ, start)
        getattr(chunks, "close", _do_nothing)()
        # What an address that is not for this would hold is let go.
        held: Held | None = environ.pop(HOLD, None)
        if held is not None:
            held.stop()
        talk: Talk | None = environ.pop(TALK, None)
        if talk is not None:
            self._standing.begin(asked.socket, talk)
        else:
            asked.socket.refuse(begun[0] if begun[0] >= 400 else NO_WEBSOCKET)

    def _answer(self, exchange: _Exchange) -> None:
        environ = {**make_environ(exchange.scope), "wsgi.input": BytesIO(exchange.body), **exchange.notes}
        begun: list[Any] = []

        def start(status: str, headers: Headers, exc_info: object = None) -> None:
            begun[:] = int(status[:3]), headers

        chunks = self._app(environ, start)
        close, goes_on = getattr(chunks, "close", _do_nothing), False
        try:
            held: Held | None = environ.pop(HOLD, None)
            if held is not None and held.wait_s is not None:
                self._wait(exchange, held, held.wait_s)
            elif held is not None:
                _stream(exchange, held, *begun)
            else:
                if LATE in environ or CROWDED in environ:
                    begun[1].append(("Connection", "close"))
                if PAUSE in environ and self._waits.count < MAX_PAUSED:
                    self._hold_back(exchange, environ[PAUSE], b"".join(chunks), *begun)
                else:
                    goes_on = self._send(exchange, chunks, close, *begun)
        finally:
            if not goes_on:
                close()

    def _send(
        self,
        exchange: _Exchange,
        chunks: Iterable[bytes],
        close: Callable[[], object],
        status: int,
        headers: Headers,
    ) -> bool:
        """Send the answer; return whether the rest is sent later, which then also calls `close`."""
        if any(name == "Content-Length" for name, _ in headers):
            exchange.answer(status, headers, b"".join(chunks))
            return False
        begun: list[bytes] = []
        size, more = 0, iter(chunks)
        while size <= MAX_HELD:
            chunk = next(more, None)
            if chunk is None:
                exchange.answer(status, headers, b"".join(begun))
                return False
            begun.append(chunk)
            size += len(chunk)
        exchange.answer_from_file(status, headers, self._long_answers.begin(chain(begun, more), close))
        return True

    def _hold_back(self, exchange: _Exchange, pause_s: float, body: bytes, status: int, headers: Headers) -> None:
        self._waits.begin(exchange, pause_s, lambda: exchange.answer(status, headers, body))

    def _wait(self, exchange: _Exchange, held: Held, wait_s: float) -> None:
        """Call the application again when the wait ends or the time is up, unless the client has left by then."""

        def leave() -> None:
            if self._waits.settle(exchange):
                held.stop()

        def ask_again() -> None:
            stop_watching()
            exchange.notes[WAITED] = held
            self._do(exchange)

        def hear() -> None:
            if self._waits.settle(exchange):
                ask_again()

        def give_up() -> None:
            held.stop()
            ask_again()

        stop_watching: Callable[[], object] = _do_nothing
        self._waits.begin(exchange, wait_s, give_up)
        stop_watching = exchange.on_client_gone(leave)
        held.start(lambda _: None, hear)


def _do_nothing() -> None:
    """Stands in for `close` on an answer that has none."""


def _stream(exchange: _Exchange, held: Held, status: int, headers: Headers) -> None:
    """Answer with what it sends, until it ends or the client leaves."""
    send = exchange.answer_in_pieces(status, headers)
    stop_watching = exchange.on_client_gone(held.stop)
    # The answer ends when `send` is dropped.
    held.start(send, stop_watching)
