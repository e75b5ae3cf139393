"""Granian's private parts: the one module that calls its RSGI core directly, without an event loop.

Granian promises nothing about these parts. They were proved on version PROVED_ON; before you install another one, check
each point below against its source (`src/` for the Rust side, `granian/_futures.py` and `granian/server/` for Python)
and run `tests/service/test_granian_core.py`.

1. `RSGIWorker(...)` takes these arguments, and `serve_async(scheduler, loop, signal)` returns at once and serves from a
   thread of Granian's own.
2. The scheduler calls `_schedule_fn(request)` once for each request, in that thread. A request has `scope` and `proto`.
3. Of an event loop, only `call_soon` and `call_soon_threadsafe` are used.
4. `proto()` and `proto.client_disconnect()` return futures with `add_done_callback`, `result` and `cancel`. They make
   progress without being awaited.
5. `proto.response_*` and `send_bytes` of a stream may be called from any thread, do not block, and act without being
   awaited. To a client that has left, and for a request that was answered before, `response_bytes`, `response_empty`,
   `response_file` and `send_bytes` do nothing and raise nothing. A stream ends when its last reference is dropped.
6. `response_file` opens the path only when it sends the body, and reads no faster than the client does.
7. `WorkerSignal.set` stops the accepting of connections, finishes open requests and then runs the signal's callback.
8. `SocketHolder(fd, is_uds, backlog)` owns the descriptor.
9. With `websockets_enabled` a request for a WebSocket has `scope.proto` "ws", and its `proto` is an
   RSGIWebsocketProtocol. `close(status)` before `accept()` refuses the request with this status and no body.
   `accept()` and the transport's `receive()` and `send_str()` return futures as in 4. `send_str` is done once the
   kernel has taken the whole message, so it waits for a client that does not read. One may be under way at a time.
10. After `accept()`, `close()` sends the frame that closes, and the connection ends when the last reference to the
   transport is dropped; a `receive()` under way holds one until it is cancelled. Pings are answered without us. A
   message longer than 64 MiB ends the connection, and so does a frame longer than 16 MiB. Nothing sets these limits:
   up to there a message is in memory before we see it.
"""

import socket
import threading
from collections.abc import Callable
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
from granian.rsgi import Scope, WebsocketMessageType

__all__ = ["PROVED_ON", "Core", "Exchange", "Headers", "Scope", "WebSocket", "asks_for_websocket"]

PROVED_ON = "2.8.9"

Headers = list[tuple[str, str]]


class Exchange:
    """A request without its body, and where its answer goes.

    Answering a client that has left, or a request that was answered before, does nothing.
    """

    __slots__ = ("_proto", "scope")

    def __init__(self, request: Any) -> None:
        self.scope: Scope = request.scope
        # RSGIHTTPProtocol. Its stubs declare coroutines, because an event loop would await them.
        self._proto: Any = request.proto

    def read_body(self, then: Callable[[bytes | None], object]) -> None:
        """Call `then` with the whole body, or with None if the body broke off."""

        def take(body: Any) -> None:
            try:
                whole = body.result()
            except (RSGIProtocolClosed, RSGIProtocolError):
                whole = None
            then(whole)

        self._proto().add_done_callback(take)

    def on_client_gone(self, then: Callable[[], object]) -> Callable[[], object]:
        """Call `then` when the client disconnects; return a function that stops watching.

        Stop watching once the answer is complete: on a kept-alive connection the watch would hold all it refers to.
        """
        gone = self._proto.client_disconnect()
        gone.add_done_callback(lambda _: then())
        return gone.cancel  # type: ignore[no-any-return]

    def answer(self, status: int, headers: Headers, body: bytes) -> None:
        """Send the whole answer."""
        self._proto.response_bytes(status, headers, body)

    def answer_empty(self, status: int) -> None:
        """Send a status alone."""
        self._proto.response_empty(status, [])

    def answer_from_file(self, status: int, headers: Headers, path: str) -> None:
        """Send the content of a file, read no faster than the client reads."""
        self._proto.response_file(status, headers, path)

    def answer_in_pieces(self, status: int, headers: Headers) -> Callable[[bytes], object]:
        """Begin the answer and return the function that sends a piece of it; the answer ends when you drop it."""
        return self._proto.response_stream(status, headers).send_bytes  # type: ignore[no-any-return]


def asks_for_websocket(request: Any) -> bool:
    """Whether the request asks for a WebSocket."""
    return bool(request.scope.proto == "ws")


class WebSocket:
    """A request for a WebSocket. Refuse it, or accept it: then send and receive messages, until it is closed.

    Each function returns at once, and may be called from any thread.
    """

    __slots__ = ("_proto", "_receiving", "_transport")

    def __init__(self, request: Any) -> None:
        # RSGIWebsocketProtocol, and the RSGIWebsocketTransport that it turns into.
        self._proto: Any = request.proto
        self._transport: Any = None
        self._receiving: Any = None

    def refuse(self, status: int) -> None:
        """Answer with this status, without a body."""
        self._proto.close(status)

    def accept(self, then: Callable[[bool], object]) -> None:
        """Accept the request; `then` is called with whether the client is still there."""

        def begin(accepted: Any) -> None:
            try:
                self._transport = accepted.result()
            except (RSGIProtocolClosed, RSGIProtocolError):
                then(False)
            else:
                then(True)

        self._proto.accept().add_done_callback(begin)

    def receive(self, then: Callable[[str | bytes | None], object]) -> None:
        """Call `then` with the next message; with None when the client has left, or has sent what it must not send."""

        def take(received: Any) -> None:
            self._receiving = None
            if received.cancelled():
                return
            try:
                message = received.result()
            except (RSGIProtocolClosed, RSGIProtocolError):
                then(None)
            else:
                then(None if message.kind == WebsocketMessageType.close else message.data)

        self._receiving = received = self._transport.receive()
        received.add_done_callback(take)

    def send(self, text: str, then: Callable[[bool], object]) -> None:
        """Send a message; `then` is called once the kernel has all of it, with whether the client is still there.

        Send the next one after that.
        """

        def go_on(sent: Any) -> None:
            try:
                sent.result()
            except (RSGIProtocolClosed, RSGIProtocolError):
                then(False)
            else:
                then(True)

        self._transport.send_str(text).add_done_callback(go_on)

    def close(self) -> None:
        """End the connection. Nothing may be called after that; what waits for a message is not called any more."""
        self._transport = None
        self._proto.close()
        # What waits for a message holds the connection.
        if (receiving := self._receiving) is not None:
            receiving.cancel()


class Core:
    """Granian serving HTTP/1.1 on a listening socket, which it takes over, in a thread of its own."""

    def __init__(
        self, listener: socket.socket, take: Callable[[Any], None], max_connections: int, backlog: int
    ) -> None:
        """Start serving. Each request is given to `take`, in Granian's thread.

        `Exchange(request)` wraps it, and `WebSocket(request)` one that `asks_for_websocket`.
        """
        # Granian's log records go where ours go.
        configure_logging(LogLevels.error, {"loggers": {"_granian": {"handlers": [], "propagate": True}}}, True)
        self._stopped = threading.Event()
        self._signal = WorkerSignal()
        self._signal.add_cb(self._stopped.set)
        holder = SocketHolder(listener.detach(), False, backlog)  # type: ignore[call-arg]
        worker: Any = RSGIWorker(
            worker_id=1,
            sock=(None, holder),
            ipc=None,  # type: ignore[call-arg]
            # Only HTTP/1 says in advance how long a body is, or that it does not know.
            http_mode=HTTPModes.http1,
            backpressure=max_connections,
            websockets_enabled=True,
        )
        loop = _Loop()
        worker.serve_async(_Scheduler(loop, take), loop, self._signal)
        self._worker = worker

    def stop(self, within_s: float) -> bool:
        """Accept nothing more and finish the open requests; return whether that was done in time."""
        self._signal.set()
        return self._stopped.wait(within_s)


class _Loop:
    """The part of an event loop that Granian uses: each function is called at once, in Granian's thread."""

    def call_soon(self, function: Callable[..., object], *args: Any, context: object = None) -> None:
        function(*args)

    call_soon_threadsafe = call_soon


class _Scheduler(CallbackScheduler):
    """Makes Granian give each request to `take` instead of scheduling a coroutine for it."""

    def __new__(cls, loop: _Loop, take: Callable[[Any], None]) -> "_Scheduler":
        return super().__new__(cls, loop, None, None, None, None)  # type: ignore[call-arg]

    def __init__(self, loop: _Loop, take: Callable[[Any], None]) -> None:
        self._schedule_fn = take
