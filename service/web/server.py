"""The web server: a request is read whole before it takes one of our threads, and a stream is kept open without one.

Granian speaks HTTP in a thread of its own, and calls us back there: for each request, for its body once that is whole,
and when a client is gone. It would have an event loop do that; but to wake one costs as much as all else that the
server does for a move, so there is none. Whole requests go to a WSGI application in a pool of threads. Where it leaves
a follower in the environment of a request, that follower's events are the answer; or, if it only waits for news, the
application is asked again then. An answer that is long is made as its client reads it.
"""

import logging
import os
import signal
import socket
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache, partial
from io import BytesIO
from itertools import chain
from queue import SimpleQueue
from types import FrameType, MappingProxyType
from typing import Any

from granian._granian import (
    CallbackScheduler,
    RSGIProtocolClosed,
    RSGIProtocolError,
    RSGIWorker,
    SocketHolder,
    WorkerSignal,
)
from granian.constants import HTTPModes
from granian.log import LogLevels, configure_logging
from granian.rsgi import Scope

from plyscribe.service.config import FILES
from plyscribe.service.live.followers import Follower
from plyscribe.service.live.reader import Live
from plyscribe.service.processes.children import allow_files
from plyscribe.service.web.handover import CROWDED, HOLD, HOLDS, LATE, WAITED
from plyscribe.service.web.long_answers import LongAnswers

THREADS = 64
"""Requests that are answered at the same time; each may wait for the store some seconds when that is away."""

MAX_BODY_BYTES = 64 * 1024
NO_PATHS: Mapping[str, int] = MappingProxyType({})
MAX_LARGE = 4
"""Bodies of more than that which are held at a time."""

BODY_WITHIN_S = 30.0
STOP_WITHIN_S = 8.0
"""How long requests in hand may still take after SIGTERM."""

SILENT_MS = 30_000
"""How long a client may leave what it is sent without any word that it arrived."""

UNREADABLE = "\xff"
"""What stands for the value of a header that is not ASCII: fit for nothing that we read."""

MAX_HELD = 256 * 1024
"""Bytes up to which an answer is made at once, whatever its client reads, though it came without a length."""

BACKLOG = 2048
TICK_S = 0.25

Environ = dict[str, Any]
Application = Callable[[Environ, Callable[..., Any]], Iterable[bytes]]
Headers = list[tuple[str, str]]
Proto = Any
"""Granian's RSGIHTTPProtocol, of whose methods its stubs say that they are to be awaited, as event loops do."""

log = logging.getLogger(__name__)


def serve_application(
    app: Application,
    host: str,
    port: int,
    live: Live | None = None,
    max_body: int = MAX_BODY_BYTES,
    larger_bodies: Mapping[str, int] = NO_PATHS,
) -> None:
    """Serve the application until SIGTERM or SIGINT; then streams are ended, and requests in hand finished.

    A body of more than `max_body` bytes, or of what `larger_bodies` says for its path, is left unread: the application
    sees its length, and refuses it. OSError where the address cannot be listened on.
    """
    allow_files()
    # Its own records go where ours go.
    configure_logging(LogLevels.error, {"loggers": {"_granian": {"handlers": [], "propagate": True}}}, True)
    _serve(Front(app, max_body, larger_bodies), _listen(host, port), live)


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.create_server((host, port), family=family, backlog=BACKLOG)
    if hasattr(socket, "TCP_USER_TIMEOUT"):
        # Inherited by every connection: the kernel cuts off clients that do not read what they are sent.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, SILENT_MS)
    return listener


def _serve(front: "Front", listener: socket.socket, live: Live | None) -> None:
    told, over = threading.Event(), threading.Event()
    stopping = WorkerSignal()
    stopping.add_cb(over.set)
    _on_signals(told.set)
    holder = SocketHolder(listener.detach(), False, BACKLOG)  # type: ignore[call-arg]
    worker: Any = RSGIWorker(
        worker_id=1,
        sock=(None, holder),
        ipc=None,  # type: ignore[call-arg]
        # Only HTTP/1 says beforehand how long a body is, or that it does not.
        http_mode=HTTPModes.http1,
        backpressure=FILES,
        websockets_enabled=False,
    )
    loop = _Callbacks()
    worker.serve_async(_Requests(loop, front.take), loop, stopping)
    told.wait()
    if live is not None:
        live.close()
    stopping.set()
    if not over.wait(STOP_WITHIN_S):
        log.warning("requests that took longer than %.0f s after the order to stop are cut off", STOP_WITHIN_S)
        os._exit(0)


def _on_signals(stop: Callable[[], object]) -> None:
    def handle(signum: int, frame: FrameType | None) -> None:
        stop()

    for signum in (signal.SIGTERM, signal.SIGINT):
        signal.signal(signum, handle)


class _Callbacks:
    """All that Granian asks of an event loop: to call functions, which is done at once, in Granian's thread."""

    def call_soon(self, function: Callable[..., object], *args: Any, context: object = None) -> None:
        function(*args)

    call_soon_threadsafe = call_soon


class _Requests(CallbackScheduler):
    """Has Granian give each request to `take`, in its thread, instead of scheduling it."""

    def __new__(cls, loop: _Callbacks, take: Callable[[Any], None]) -> "_Requests":
        return super().__new__(cls, loop, None, None, None, None)  # type: ignore[call-arg]

    def __init__(self, loop: _Callbacks, take: Callable[[Any], None]) -> None:
        self._schedule_fn = take


class _Exchange:
    """A request, where its answer goes, and what the application is told beside it."""

    __slots__ = ("body", "is_large", "proto", "scope", "told")

    def __init__(self, scope: Scope, proto: Proto) -> None:
        self.scope = scope
        self.proto = proto
        self.body = b""
        self.told: Environ = {}
        self.is_large = False


class _Deadlines:
    """Of everything that is begun, exactly one happens: it is settled, or after its time something else is done."""

    def __init__(self) -> None:
        self._due: dict[object, tuple[float, Callable[[], object]]] = {}
        threading.Thread(target=self._watch, name="deadlines", daemon=True).start()

    def begin(self, thing: object, within_s: float, otherwise: Callable[[], object]) -> None:
        """Wait for the thing so long."""
        self._due[thing] = time.monotonic() + within_s, otherwise

    def settle(self, thing: object) -> bool:
        """Whether the thing is in time, and had not come before."""
        return self._due.pop(thing, None) is not None

    def _watch(self) -> None:
        while True:
            time.sleep(TICK_S)
            now_s = time.monotonic()
            for thing, (due_s, otherwise) in list(self._due.items()):
                if due_s <= now_s and self.settle(thing):
                    otherwise()


class _Threads:
    """A pool of threads; whichever was busy last goes on, for what it needs is still in the processor's caches."""

    def __init__(self, count: int, work: Callable[[_Exchange], None]) -> None:
        self._work = work
        self._lock = threading.Lock()
        self._idle: list[SimpleQueue[_Exchange]] = []
        self._waiting: deque[_Exchange] = deque()
        for number in range(count):
            threading.Thread(target=self._serve, name=f"request-{number}", daemon=True).start()

    def do(self, exchange: _Exchange) -> None:
        """Have a thread work on the exchange, as soon as one is free."""
        with self._lock:
            if not self._idle:
                self._waiting.append(exchange)
                return
            inbox = self._idle.pop()
        inbox.put(exchange)

    def _serve(self) -> None:
        inbox: SimpleQueue[_Exchange] = SimpleQueue()
        while True:
            with self._lock:
                exchange = self._waiting.popleft() if self._waiting else None
                if exchange is None:
                    self._idle.append(inbox)
            self._work(exchange or inbox.get())


class Front:
    """Takes requests from Granian and has a WSGI application answer them. Only its threads take their time."""

    def __init__(self, app: Application, max_body: int, larger_bodies: Mapping[str, int] = NO_PATHS) -> None:
        self._app = app
        self._max_body = max_body
        self._larger_bodies = larger_bodies
        self._large = threading.BoundedSemaphore(MAX_LARGE)
        self._threads = _Threads(THREADS, self._answer_somehow)
        self._bodies = _Deadlines()
        self._waits = _Deadlines()
        self._long_answers = LongAnswers()

    def take(self, request: Any) -> None:
        """Have a request answered as soon as its body is there."""
        exchange = _Exchange(request.scope, request.proto)
        length = exchange.scope.headers.get("content-length", "0")
        if not (length.isdecimal() and self._will_read(exchange, int(length))):
            self._threads.do(exchange)
            return
        self._bodies.begin(exchange, BODY_WITHIN_S, partial(self._give_up, exchange))
        exchange.proto().add_done_callback(partial(self._take_body, exchange))

    def _will_read(self, exchange: _Exchange, length: int) -> bool:
        if length <= self._max_body:
            return length > 0
        if length > self._larger_bodies.get(exchange.scope.path, 0):
            return False
        exchange.is_large = self._large.acquire(blocking=False)
        exchange.told |= {} if exchange.is_large else {CROWDED: True}
        return exchange.is_large

    def _take_body(self, exchange: _Exchange, body: Any) -> None:
        if not self._bodies.settle(exchange):
            return
        try:
            exchange.body = body.result()
        except (RSGIProtocolClosed, RSGIProtocolError):
            log.debug("a body broke off")
        self._threads.do(exchange)

    def _give_up(self, exchange: _Exchange) -> None:
        exchange.told[LATE] = BODY_WITHIN_S
        self._threads.do(exchange)

    def _answer_somehow(self, exchange: _Exchange) -> None:
        try:
            self._answer(exchange)
        except RSGIProtocolClosed:
            log.debug("a client left before its answer")
        except Exception:
            log.exception("a request could not be answered")
            exchange.proto.response_empty(500, [])
        finally:
            if exchange.is_large:
                exchange.is_large = False
                self._large.release()

    def _answer(self, exchange: _Exchange) -> None:
        environ = {**make_environ(exchange.scope), "wsgi.input": BytesIO(exchange.body), **exchange.told}
        begun: list[Any] = []

        def start(status: str, headers: Headers, exc_info: object = None) -> None:
            begun[:] = int(status[:3]), headers

        chunks = self._app(environ, start)
        close, goes_on = getattr(chunks, "close", _do_nothing), False
        try:
            follower: Follower | None = environ.pop(HOLD, None)
            if follower is not None and follower.wait_s is not None:
                self._wait(exchange, follower, follower.wait_s)
            elif follower is not None:
                _follow(exchange.proto, follower, *begun)
            else:
                if LATE in environ or CROWDED in environ:
                    begun[1].append(("Connection", "close"))
                goes_on = self._send(exchange.proto, chunks, close, *begun)
        finally:
            if not goes_on:
                close()

    def _send(
        self, proto: Proto, chunks: Iterable[bytes], close: Callable[[], object], status: int, headers: Headers
    ) -> bool:
        """Whether there are chunks yet to be taken, and closed after that."""
        if any(name == "Content-Length" for name, _ in headers):
            proto.response_bytes(status, headers, b"".join(chunks))
            return False
        begun: list[bytes] = []
        size, more = 0, iter(chunks)
        while size <= MAX_HELD:
            chunk = next(more, None)
            if chunk is None:
                proto.response_bytes(status, headers, b"".join(begun))
                return False
            begun.append(chunk)
            size += len(chunk)
        proto.response_file(status, headers, self._long_answers.begin(chain(begun, more), close))
        return True

    def _wait(self, exchange: _Exchange, follower: Follower, wait_s: float) -> None:
        """Ask again once there is news, or after so long, unless the client is gone by then."""
        # On a connection that is kept for more requests this would stay, and all that it holds.
        gone = exchange.proto.client_disconnect()

        def ask_again() -> None:
            gone.cancel()
            exchange.told[WAITED] = True
            self._threads.do(exchange)

        def hear() -> None:
            if self._waits.settle(exchange):
                ask_again()

        def give_up() -> None:
            follower.stop()
            ask_again()

        def leave(_: object) -> None:
            if self._waits.settle(exchange):
                follower.stop()

        self._waits.begin(exchange, wait_s, give_up)
        gone.add_done_callback(leave)
        follower.start(lambda _: None, hear)


def make_environ(scope: Scope) -> Environ:
    """The request as WSGI has it (PEP 3333), without its body."""
    host, _, port = scope.server.rpartition(":")
    environ: Environ = {
        "REQUEST_METHOD": scope.method,
        "SCRIPT_NAME": "",
        # Bytes as characters of Latin-1, as WSGI wants them.
        "PATH_INFO": scope.path.encode().decode("latin-1"),
        "QUERY_STRING": scope.query_string.encode().decode("latin-1"),
        "SERVER_NAME": host,
        "SERVER_PORT": port,
        "SERVER_PROTOCOL": f"HTTP/{scope.http_version}",
        "REMOTE_ADDR": scope.client.rpartition(":")[0].strip("[]"),
        "wsgi.url_scheme": scope.scheme,
        **_CONSTANT,
    }
    for name, value in scope.headers.items():
        key = _environ_name(name)
        environ[key] = f"{environ[key]},{value}" if key in environ else value
    names = scope.headers.keys()
    for name in names:
        # Granian keeps values to itself that are not ASCII. Who asks for one is to refuse it, not to miss it. Of those
        # of a header that is given twice it tells of the first one alone.
        if scope.headers.get(name, None) is None:
            environ[_environ_name(name)] = UNREADABLE
    return environ


_CONSTANT = {
    "wsgi.version": (1, 0),
    "wsgi.errors": sys.stderr,
    "wsgi.multithread": True,
    "wsgi.multiprocess": False,
    "wsgi.run_once": False,
    "wsgi.input_terminated": True,
    HOLDS: True,
}


@lru_cache(maxsize=256)
def _environ_name(header: str) -> str:
    name = header.upper().replace("-", "_")
    return name if name in ("CONTENT_TYPE", "CONTENT_LENGTH") else f"HTTP_{name}"


def _do_nothing() -> None:
    """Closes what needs no closing."""


def _follow(proto: Proto, follower: Follower, status: int, headers: Headers) -> None:
    """Let the follower answer, until it ends or the client is gone."""
    stream = proto.response_stream(status, headers)
    gone = proto.client_disconnect()
    gone.add_done_callback(lambda _: follower.stop())
    # The stream ends when the follower lets go of it.
    follower.start(stream.send_bytes, gone.cancel)
