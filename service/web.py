"""The web server: a request is read whole before it takes one of our threads, and a stream is kept open without one.

Granian speaks HTTP, in threads of its own. The event loop here does nothing but wait: for bodies, for news, for the end
of streams. Whole requests go to a WSGI application in a pool of threads. Where it leaves a follower in the environment
of a request, that follower's events are the answer; or, if it only waits for news, the application is asked again then.
"""

import asyncio
import logging
import os
import signal
import socket
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable
from functools import lru_cache
from io import BytesIO
from queue import SimpleQueue
from typing import Any, NamedTuple, TypeVar

from granian._granian import RSGIHTTPProtocol, RSGIProtocolClosed, SocketHolder
from granian.constants import HTTPModes, Interfaces
from granian.log import LogLevels
from granian.rsgi import Scope
from granian.server.embed import Server

from service.environ import HOLD, HOLDS, LATE, WAITED
from service.live import Follower, Live
from service.processes import allow_files

THREADS = 64
"""Requests that are answered at the same time; each may wait for the store some seconds when that is away."""

MAX_BODY_BYTES = 64 * 1024
BODY_WITHIN_S = 30.0
STOP_WITHIN_S = 8.0
"""How long requests in hand may still take after SIGTERM."""

SILENT_MS = 30_000
"""How long a client may leave what it is sent without any word that it arrived."""

UNREADABLE = "\xff"
"""What stands for the value of a header that is not ASCII: fit for nothing that we read."""

BACKLOG = 2048
LOGS = {"loggers": {"_granian": {"handlers": [], "propagate": True}, "granian.access": {}}}
"""The server's own records go where ours go."""

T = TypeVar("T")
Environ = dict[str, Any]
Headers = list[tuple[str, str]]
Application = Callable[[Environ, Callable[..., Any]], Iterable[bytes]]

log = logging.getLogger(__name__)


def serve_application(
    app: Application, host: str, port: int, live: Live | None = None, max_body: int = MAX_BODY_BYTES
) -> None:
    """Serve the application until SIGTERM or SIGINT; then streams are ended, and requests in hand finished.

    A body of more than `max_body` bytes is left unread: the application sees its length, and refuses it. OSError where
    the address cannot be listened on.
    """
    allow_files()
    listener = _listen(host, port)
    asyncio.run(_serve(Front(app, max_body), listener, live))


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.create_server((host, port), family=family, backlog=BACKLOG)
    if hasattr(socket, "TCP_USER_TIMEOUT"):
        # Inherited by every connection: the kernel cuts off clients that do not read what they are sent.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, SILENT_MS)
    return listener


async def _serve(front: "Front", listener: socket.socket, live: Live | None) -> None:
    server = _Server(front, listener)
    told = asyncio.Event()
    for signum in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(signum, told.set)
    serving = asyncio.create_task(server.serve())
    telling = asyncio.create_task(told.wait())
    await asyncio.wait({serving, telling}, return_when=asyncio.FIRST_COMPLETED)
    if live is not None:
        live.close()
    server.stop()  # type: ignore[no-untyped-call]
    await asyncio.wait({serving}, timeout=STOP_WITHIN_S)
    if not serving.done():
        log.warning("requests that took longer than %.0f s after the order to stop are cut off", STOP_WITHIN_S)
        os._exit(0)
    front.let_go()
    serving.result()


class _Server(Server):
    """Granian in this process, on a socket that is listened on already."""

    _shd: Any

    def __init__(self, front: "Front", listener: socket.socket) -> None:
        super().__init__(
            front,
            interface=Interfaces.RSGI,
            # Only HTTP/1 says beforehand how long a body is, or that it does not.
            http=HTTPModes.http1,
            backlog=BACKLOG,
            websockets=False,
            log_access=False,
            log_level=LogLevels.error,
            log_dictconfig=LOGS,
        )
        self._listener = listener

    def _init_shared_socket(self) -> None:
        self._shd = SocketHolder(self._listener.fileno(), False, BACKLOG)  # type: ignore[call-arg]


class _Exchange(NamedTuple):
    """A request, where its answer goes, and what is resolved when it was answered (None) or is held back."""

    environ: Environ
    proto: RSGIHTTPProtocol
    answered: "asyncio.Future[_Held | None]"


class _Held(NamedTuple):
    """The beginning of an answer whose rest a follower gives, or waits for."""

    follower: Follower
    status: int
    headers: Headers


class Front:
    """What Granian calls for every request: an RSGI application before a WSGI one."""

    def __init__(self, app: Application, max_body: int) -> None:
        self._app = app
        self._max_body = max_body
        self._exchanges: SimpleQueue[_Exchange] = SimpleQueue()
        self._answered: deque[asyncio.Future[_Held | None]] = deque()
        for number in range(THREADS):
            threading.Thread(target=self._work, name=f"request-{number}", daemon=True).start()

    async def __rsgi__(self, scope: Scope, proto: RSGIHTTPProtocol) -> None:
        """Answer one request."""
        self.let_go()
        environ = make_environ(scope)
        await self._read_body(environ, proto)
        held = await self._ask(environ, proto)
        if held is not None and held.follower.wait_s is not None:
            if not await _follow(held.follower, proto, lambda _: None):
                return
            environ[WAITED] = True
            held = await self._ask(environ, proto)
        if held is not None:
            await _follow(held.follower, proto, _sender(proto, held.status, held.headers))

    def let_go(self) -> None:
        """Let the tasks of requests that were answered end.

        Their answers went out from other threads. To wake the loop for every one of them, only to end its task, would
        cost about as much as all else that the server does for it, so they are left to the next request.
        """
        while self._answered:
            _resolve(self._answered.popleft(), None)

    async def _read_body(self, environ: Environ, proto: RSGIHTTPProtocol) -> None:
        """Enter the body; an empty one where it has no length or is too long, comes too slowly or breaks off."""
        body, length = b"", environ.get("CONTENT_LENGTH", "0")
        if length.isdecimal() and 0 < int(length) <= self._max_body:
            try:
                async with asyncio.timeout(BODY_WITHIN_S):
                    body = await proto()
            except TimeoutError:
                environ[LATE] = BODY_WITHIN_S
            except RSGIProtocolClosed:
                log.debug("a body broke off")
        environ["wsgi.input"] = BytesIO(body)

    def _ask(self, environ: Environ, proto: RSGIHTTPProtocol) -> "asyncio.Future[_Held | None]":
        answered: asyncio.Future[_Held | None] = asyncio.get_running_loop().create_future()
        self._exchanges.put(_Exchange(environ, proto, answered))
        return answered

    def _work(self) -> None:
        while True:
            exchange = self._exchanges.get()
            held = None
            try:
                held = self._answer(exchange)
            except RSGIProtocolClosed:
                log.debug("a client left before its answer")
            except Exception:
                log.exception("a request could not be answered")
                exchange.proto.response_empty(500, [])
            if held is None:
                self._answered.append(exchange.answered)
            else:
                exchange.answered.get_loop().call_soon_threadsafe(_resolve, exchange.answered, held)

    def _answer(self, exchange: _Exchange) -> _Held | None:
        environ = exchange.environ
        begun: list[Any] = []

        def start(status: str, headers: Headers, exc_info: object = None) -> None:
            begun[:] = int(status[:3]), headers

        chunks = self._app(environ, start)
        try:
            status, headers = begun
            if HOLD in environ:
                return _Held(environ.pop(HOLD), status, headers)
            if LATE in environ:
                headers.append(("Connection", "close"))
            _send(exchange.proto, status, headers, chunks)
            return None
        finally:
            if close := getattr(chunks, "close", None):
                close()


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
        "REMOTE_ADDR": scope.client.rpartition(":")[0],
        "wsgi.url_scheme": scope.scheme,
        **_CONSTANT,
    }
    for name, value in scope.headers.items():
        key = _environ_name(name)
        environ[key] = f"{environ[key]},{value}" if key in environ else value
    names = scope.headers.keys()
    for name in names:
        # Granian keeps values to itself that are not ASCII. Who asks for one is to refuse it, not to miss it.
        environ.setdefault(_environ_name(name), UNREADABLE)
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


def _send(proto: RSGIHTTPProtocol, status: int, headers: Headers, chunks: Iterable[bytes]) -> None:
    if any(name == "Content-Length" for name, _ in headers):
        proto.response_bytes(status, headers, b"".join(chunks))
        return
    send = _sender(proto, status, headers)
    for chunk in chunks:
        send(chunk)


def _sender(proto: RSGIHTTPProtocol, status: int, headers: Headers) -> Callable[[bytes], object]:
    """What takes the chunks of an answer, from any thread; it ends when this is dropped.

    What is to be awaited of it has happened already: nobody waits for the client.
    """
    return proto.response_stream(status, headers).send_bytes


async def _follow(follower: Follower, proto: RSGIHTTPProtocol, send: Callable[[bytes], object]) -> bool:
    """Let the follower send until it ends or has waited long enough; False where the client left before."""
    loop = asyncio.get_running_loop()
    ended: asyncio.Future[None] = loop.create_future()
    left = asyncio.ensure_future(proto.client_disconnect())
    follower.start(send, lambda: loop.call_soon_threadsafe(_resolve, ended, None))
    try:
        await asyncio.wait({ended, left}, timeout=follower.wait_s, return_when=asyncio.FIRST_COMPLETED)
        return not left.done()
    finally:
        follower.stop()
        left.cancel()


def _resolve(future: "asyncio.Future[T]", result: T) -> None:
    if not future.done():
        future.set_result(result)
