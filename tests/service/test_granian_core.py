"""What we rely on in Granian's private parts, over a real socket. See the points in service/web/granian_core.py."""

import gc
import re
import socket
import threading
import weakref
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from plyscribe.service.web.granian_core import PROVED_ON, Core, Exchange, WebSocket, asks_for_websocket
from tests.service.test_live import eventually

ROOT = Path(__file__).parents[2]
GET = b"GET /x?a=1 HTTP/1.1\r\nHost: x\r\nX-One: 1\r\n\r\n"
POST = b"POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\n"


def test_the_installed_granian_is_the_one_that_its_private_parts_were_proved_on():
    installed = version("granian")
    assert installed == PROVED_ON, (
        f"granian {installed} is installed, but service/web/granian_core.py was proved on {PROVED_ON}. Check each of "
        "the points in its docstring against the source of the installed version. Run this file, tests/service/"
        "test_web.py and tests/system/test_requests.py, test_live.py, test_slow_readers.py, test_standing.py and "
        "test_stopping.py. If all hold, set PROVED_ON in granian_core.py and the range in pyproject.toml."
    )


def test_one_module_alone_knows_granian():
    files = [path for folder in ("service", "workers", "domain") for path in (ROOT / folder).rglob("*.py")]
    knowing = [path for path in files if re.search(r"^\s*(from|import) granian", path.read_text(), re.MULTILINE)]
    assert [path.relative_to(ROOT).as_posix() for path in knowing] == ["service/web/granian_core.py"]


class Served:
    """A core on a free port; what it hands over goes to `take`, by default to be answered by `answer`."""

    def __init__(self) -> None:
        self.exchanges: list[Exchange] = []
        self.threads: set[str] = set()
        self.answer: Callable[[Exchange], object] = lambda exchange: exchange.answer(200, [], b"whole")
        self.take = self._take
        listener = socket.create_server(("127.0.0.1", 0))
        self.port = listener.getsockname()[1]
        self.core = Core(listener, lambda request: self.take(request), 100, 100)

    def _take(self, request: Any) -> None:
        exchange = Exchange(request)
        self.exchanges.append(exchange)
        self.threads.add(threading.current_thread().name)
        self.answer(exchange)

    def connect(self, sent: bytes = GET) -> socket.socket:
        connection = socket.socket()
        connection.settimeout(20)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 16)
        connection.connect(("127.0.0.1", self.port))
        connection.sendall(sent)
        return connection


@pytest.fixture
def served() -> Iterator[Served]:
    served = Served()
    yield served
    assert served.core.stop(20)


def read(connection: socket.socket, end: bytes) -> bytes:
    """What arrives up to this end."""
    got = b""
    while not got.endswith(end):
        part = connection.recv(65536)
        assert part, got
        got += part
    return got


def test_each_request_is_handed_over_once_in_another_thread_and_answered_whole(served):
    with served.connect() as connection:
        assert read(connection, b"whole").startswith(b"HTTP/1.1 200 ")
        connection.sendall(GET)
        read(connection, b"whole")
    scopes = [exchange.scope for exchange in served.exchanges]
    assert [(scope.method, scope.path, scope.query_string) for scope in scopes] == [("GET", "/x", "a=1")] * 2
    assert scopes[0].headers.get("x-one", None) == "1"
    assert threading.current_thread().name not in served.threads


def test_a_body_comes_whole_without_an_event_loop_and_as_none_if_it_breaks_off(served):
    served.answer = lambda exchange: exchange.read_body(lambda body: exchange.answer(200, [], body or b""))
    with served.connect(POST + b"bo") as connection:
        connection.sendall(b"dy")
        assert read(connection, b"body").startswith(b"HTTP/1.1 200 ")
    bodies: list[bytes | None] = []
    served.answer = lambda exchange: exchange.read_body(bodies.append)
    with served.connect(POST + b"bo"):
        eventually(lambda: len(served.exchanges) == 2)
    eventually(lambda: bodies == [None])
    served.exchanges[1].answer_empty(408)


def test_an_answer_may_come_later_from_any_thread_and_a_second_one_does_nothing(served):
    served.answer = lambda exchange: None
    with served.connect() as connection:
        eventually(lambda: served.exchanges)
        for status in (503, 500):
            served.exchanges[0].answer_empty(status)
        assert read(connection, b"\r\n\r\n").startswith(b"HTTP/1.1 503 ")
        served.answer = lambda exchange: exchange.answer(200, [], b"whole")
        connection.sendall(GET)
        assert read(connection, b"whole").startswith(b"HTTP/1.1 200 ")


def test_pieces_are_sent_at_once_and_the_answer_ends_when_their_function_is_dropped(served):
    sends: list[Callable[[bytes], object]] = []
    served.answer = lambda exchange: sends.append(exchange.answer_in_pieces(200, []))
    with served.connect() as connection:
        eventually(lambda: sends)
        for piece in (b"one", b"two"):
            sends[0](piece)
            read(connection, piece + b"\r\n")
        sends.clear()
        served.exchanges.clear()
        read(connection, b"0\r\n\r\n")


def test_a_client_that_leaves_amid_a_stream_is_noticed(served):
    gone, sends = threading.Event(), []

    def answer(exchange: Exchange) -> None:
        exchange.on_client_gone(gone.set)
        sends.append(exchange.answer_in_pieces(200, []))

    served.answer = answer
    with served.connect():
        eventually(lambda: sends)
    assert gone.wait(20)
    sends[0](b"into the void")
    sends.clear()


def test_a_client_that_leaves_before_its_answer_is_noticed_and_may_be_answered_in_vain(served):
    gone = threading.Event()
    served.answer = lambda exchange: exchange.on_client_gone(gone.set)
    with served.connect():
        eventually(lambda: served.exchanges)
    assert gone.wait(20)
    served.exchanges[0].answer(200, [], b"whole")


class Anything:
    """Can be referred to weakly."""


def test_a_watch_that_is_stopped_holds_nothing_though_the_connection_stays(served):
    held = [Anything()]
    seen = weakref.ref(held[0])

    def answer(exchange: Exchange) -> None:
        thing = held.pop()
        stop_watching = exchange.on_client_gone(lambda: thing)
        exchange.answer(200, [], b"whole")
        stop_watching()

    served.answer = answer
    with served.connect() as connection:
        read(connection, b"whole")
        served.exchanges.clear()
        eventually(lambda: gc.collect() >= 0 and seen() is None)


def test_a_file_is_read_as_the_client_reads(served, tmp_path):
    (tmp_path / "file").write_bytes(b"from a file")
    served.answer = lambda exchange: exchange.answer_from_file(200, [], str(tmp_path / "file"))
    with served.connect() as connection:
        assert b"from a file" in read(connection, b"\r\n0\r\n\r\n")


def test_a_core_that_stops_finishes_open_requests_first():
    served = Served()
    served.answer = lambda exchange: None
    with served.connect() as connection:
        eventually(lambda: served.exchanges)
        assert not served.core.stop(0.3)
        served.exchanges[0].answer(200, [], b"whole")
        read(connection, b"whole")
    assert served.core.stop(20)
    with pytest.raises(ConnectionError):
        socket.create_connection(("127.0.0.1", served.port), timeout=20)


UPGRADE = (
    b"GET /x HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
)
CLOSE_FRAME = b"\x88\x00"


def frame(text: bytes) -> bytes:
    return b"\x81" + bytes([0x80 | len(text)]) + bytes(4) + text


def begin(served: Served, do: Callable[[WebSocket], object]) -> socket.socket:
    """A connection that asks for a WebSocket, which is handed to `do`."""
    served.take = lambda request: do(WebSocket(request))
    return served.connect(UPGRADE)


def test_a_websocket_is_refused_with_a_status_and_no_body(served):
    asked: list[bool] = []

    def refuse(request: Any) -> None:
        asked.append(asks_for_websocket(request))
        WebSocket(request).refuse(429)

    served.take = refuse
    with served.connect(UPGRADE) as connection:
        head = read(connection, b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 429 ")
    assert b"content-length: 0" in head
    assert asked == [True]


def test_messages_come_one_by_one_and_pings_are_answered_without_us(served):
    heard: list[str | bytes | None] = []

    def echo(websocket: WebSocket, message: str | bytes | None) -> None:
        heard.append(message)
        if isinstance(message, str):
            websocket.send(message * 2, lambda _: websocket.receive(lambda more: echo(websocket, more)))

    def accept(websocket: WebSocket) -> None:
        websocket.accept(lambda _: websocket.receive(lambda message: echo(websocket, message)))

    with begin(served, accept) as connection:
        read(connection, b"\r\n\r\n")
        connection.sendall(frame(b"one"))
        assert read(connection, b"oneone") == b"\x81\x06oneone"
        connection.sendall(b"\x89\x81" + bytes(4) + b"p")
        assert read(connection, b"p") == b"\x8a\x01p"
        connection.sendall(frame(b"two"))
        read(connection, b"twotwo")
    eventually(lambda: heard == ["one", "two", None])


def test_what_is_sent_waits_for_a_client_that_does_not_read(served):
    sent: list[bool] = []

    def send_much(websocket: WebSocket) -> None:
        websocket.accept(lambda _: websocket.send("x" * (1 << 24), sent.append))

    with begin(served, send_much) as connection:
        first = connection.recv(1)
        assert first
        assert sent == []
        left = 1 << 24
        while left > 0:
            left -= len(connection.recv(1 << 20))
        eventually(lambda: sent == [True])


def test_a_closed_websocket_ends_though_it_waits_for_a_message(served):
    heard: list[str | bytes | None] = []

    def say_and_close(websocket: WebSocket) -> None:
        websocket.receive(heard.append)
        websocket.send("last", lambda _: websocket.close())

    with begin(served, lambda websocket: websocket.accept(lambda _: say_and_close(websocket))) as connection:
        assert b"".join(iter(lambda: connection.recv(4096), b"")).endswith(b"\x81\x04last" + CLOSE_FRAME)
    assert heard == []
