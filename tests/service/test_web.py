"""The front of our web server: what it does with requests before the application sees them, and with answers."""

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from granian._granian import RSGIProtocolClosed

from plyscribe.service.errors import LiveFull
from plyscribe.service.live.reader import Live
from plyscribe.service.store.memory import MemoryStore
from plyscribe.service.web import server as web
from plyscribe.service.web.handover import CROWDED, HOLD, LATE, WAITED
from plyscribe.service.web.request_environ import UNREADABLE, make_environ
from plyscribe.service.web.server import Front
from tests.service.test_live import STREAM, Numbers, eventually
from tests.store.given import append


class Headers:
    """Headers as Granian presents them: a name may appear twice, and values that are not ASCII are hidden."""

    def __init__(self, pairs: list[tuple[str, str]]) -> None:
        self._pairs = pairs

    def items(self) -> list[tuple[str, str]]:
        return [(name, value) for name, value in self._pairs if value.isascii()]

    def keys(self) -> list[str]:
        return list(dict(self._pairs))

    def get(self, name: str, otherwise: str | None) -> str | None:
        first = next((value for each, value in self._pairs if each == name), None)
        return first if first is not None and first.isascii() else otherwise


@pytest.fixture(autouse=True)
def few_threads(monkeypatch):
    monkeypatch.setattr(web, "THREADS", 2)


class Scope:
    """A request as Granian presents it."""

    proto = "http"
    server = "127.0.0.1:8420"
    client = "10.0.0.7:1234"
    scheme = "http"
    http_version = "1.1"
    query_string = "a=1"

    def __init__(self, method: str = "GET", path: str = "/x", headers: list[tuple[str, str]] | None = None) -> None:
        self.method = method
        self.path = path
        self.headers = Headers(headers or [])


class Promise:
    """A future as Granian returns it."""

    def __init__(self) -> None:
        self._then: Callable[[Promise], object] = lambda _: None
        self._result: object = None
        self.is_cancelled = False

    def add_done_callback(self, then: Callable[["Promise"], object]) -> None:
        self._then = then

    def keep(self, result: object) -> None:
        self._result = result
        self._then(self)

    def cancel(self) -> None:
        self.is_cancelled = True

    def result(self) -> object:
        if isinstance(self._result, Exception):
            raise self._result
        return self._result


class Proto:
    """Granian's protocol object: takes the answer and gives the body."""

    def __init__(self) -> None:
        self.status = 0
        self.sent = b""
        self.path = ""
        self.headers: list[tuple[str, str]] = []
        self.body = Promise()
        self.left = Promise()
        self.answered = threading.Event()
        self.is_asked_for_its_body = False

    def __call__(self) -> Promise:
        self.is_asked_for_its_body = True
        return self.body

    def client_disconnect(self) -> Promise:
        return self.left

    def response_bytes(self, status: int, headers: list[tuple[str, str]], body: bytes) -> None:
        self.status, self.headers, self.sent = status, headers, body
        self.answered.set()

    def response_empty(self, status: int, headers: list[tuple[str, str]]) -> None:
        self.response_bytes(status, headers, b"")

    def response_file(self, status: int, headers: list[tuple[str, str]], path: str) -> None:
        self.path = path
        self.response_bytes(status, headers, b"")

    def response_stream(self, status: int, headers: list[tuple[str, str]]) -> "Proto":
        self.response_bytes(status, headers, b"")
        return self

    def send_bytes(self, data: bytes) -> None:
        self.sent += data


def app(environ: dict[str, Any], start: Callable[..., Any]) -> list[bytes]:
    """Answers with the body of the request."""
    body = environ["wsgi.input"].read()
    start("200 OK", [("Content-Length", str(len(body)))])
    return [body]


def ask(front: Front, scope: Scope) -> Proto:
    """Send a request, as Granian passes it on; return the object that will get the answer."""
    proto = Proto()
    front.take(SimpleNamespace(scope=scope, proto=proto))
    return proto


def exchange(front: Front, scope: Scope, body: object = None) -> Proto:
    """Send a request and wait until its answer has begun."""
    proto = ask(front, scope)
    if body is not None:
        proto.body.keep(body)
    assert proto.answered.wait(20)
    return proto


def posted(length: str = "2", path: str = "/x") -> Scope:
    return Scope("POST", path, headers=[("content-length", length)])


def test_a_request_is_told_as_wsgi_has_it():
    scope = Scope("GET", "/é", [("content-type", "a/b"), ("x-one", "1"), ("accept", "x"), ("accept", "y")])
    environ = make_environ(scope)
    wanted = {"REQUEST_METHOD": "GET", "QUERY_STRING": "a=1", "CONTENT_TYPE": "a/b"}
    wanted |= {"HTTP_X_ONE": "1", "HTTP_ACCEPT": "x,y"}
    wanted |= {"SERVER_NAME": "127.0.0.1", "SERVER_PORT": "8420", "REMOTE_ADDR": "10.0.0.7"}
    assert {name: environ[name] for name in wanted} == wanted
    assert environ["PATH_INFO"].encode("latin-1").decode() == "/é"
    scope.client = "[2001:db8::7]:1234"
    assert make_environ(scope)["REMOTE_ADDR"] == "2001:db8::7"


@pytest.mark.parametrize("values", [["é"], ["é", "1"], ["é", "ü"]])
def test_a_header_that_is_not_ascii_is_neither_told_nor_missing(values):
    scope = Scope(headers=[("x-one", value) for value in values])
    assert make_environ(scope)["HTTP_X_ONE"] == UNREADABLE


@pytest.mark.parametrize("length", ["0", "11", "x"])
def test_a_body_that_is_not_to_be_had_or_too_long_is_left_unread_and_one_that_breaks_off_is_none(length):
    assert exchange(Front(app, 10), posted(), RSGIProtocolClosed()).sent == b""
    answered = exchange(Front(app, 10), posted(length))
    assert answered.sent == b""
    assert not answered.is_asked_for_its_body


def test_a_body_may_be_longer_where_that_is_said_and_few_are_held_at_a_time(monkeypatch):
    monkeypatch.setattr(web, "MAX_LARGE", 1)
    noting = Noting(CROWDED)
    front, large = Front(noting, 1, {"/large": 2}), posted("2", "/large")
    assert not exchange(front, posted("2")).is_asked_for_its_body
    assert not exchange(front, posted("3", "/large")).is_asked_for_its_body
    first = ask(front, large)
    assert not exchange(front, large).is_asked_for_its_body
    first.body.keep(b"{}")
    assert first.answered.wait(20)
    eventually(lambda: front._large.acquire(blocking=False))
    front._large.release()
    assert exchange(front, large, b"{}").sent == b"{}"
    assert noting.seen == [None, None, True, None, None]


def test_a_body_that_does_not_come_is_told_to_the_application_and_ends_the_connection(monkeypatch):
    monkeypatch.setattr(web, "BODY_WITHIN_S", 0.05)
    noting = Noting(LATE)
    answered = exchange(Front(noting, 10), posted())
    assert ("Connection", "close") in answered.headers
    answered.body.keep(b"{}")
    assert noting.seen == [0.05]


class Pieces:
    """An application that answers in pieces and counts the pieces it has made."""

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self.pieces = pieces
        self.made = 0
        self.closed = threading.Event()

    def __call__(self, environ: dict[str, Any], start: Callable[..., Any]) -> "Pieces":
        start("200 OK", [])
        return self

    def __iter__(self) -> Iterator[bytes]:
        for piece in self.pieces:
            self.made += 1
            yield piece

    def close(self) -> None:
        self.closed.set()


def long_answer() -> Pieces:
    """A hundred times as long as the server holds for a slow client."""
    return Pieces(number.to_bytes(2, "big") * (web.MAX_HELD // 20) for number in range(1000))


class Noting:
    """An application that answers with the body, and notes what each request was told under a name."""

    def __init__(self, name: str) -> None:
        self.seen: list[object] = []
        self._name = name

    def __call__(self, environ: dict[str, Any], start: Callable[..., Any]) -> list[bytes]:
        self.seen.append(environ.get(self._name))
        return app(environ, start)


def test_a_short_answer_without_a_length_is_sent_whole_and_closed():
    pieces = Pieces([b"a", b"b", b"c"])
    answered = exchange(Front(pieces, 10), Scope())
    assert pieces.closed.wait(20)
    assert (answered.sent, answered.path) == (b"abc", "")


def test_a_long_answer_is_made_no_faster_than_it_is_read():
    pieces, whole = long_answer(), b"".join(long_answer())
    with Path(exchange(Front(pieces, 10), Scope()).path).open("rb") as reader:
        eventually(lambda: pieces.made >= 10)
        time.sleep(0.1)
        assert 10 <= pieces.made <= 15
        assert not pieces.closed.is_set()
        assert reader.read() == whole
    assert pieces.closed.wait(20)


@pytest.mark.parametrize("begins_to_read", [True, False])
def test_a_client_that_leaves_amid_a_long_answer_or_never_reads_ends_it(monkeypatch, begins_to_read):
    monkeypatch.setattr("plyscribe.service.web.long_answers.OPEN_WITHIN_S", 60 if begins_to_read else 0.05)
    pieces = long_answer()
    answered = exchange(Front(pieces, 10), Scope())
    if begins_to_read:
        with Path(answered.path).open("rb") as reader:
            reader.read(web.MAX_HELD)
    assert pieces.closed.wait(20)
    assert pieces.made < 100


def test_a_long_answer_whose_making_fails_breaks_off(caplog):
    def fail() -> Iterator[bytes]:
        yield b"a" * (web.MAX_HELD + 1)
        raise RuntimeError("broken")

    pieces = Pieces(fail())
    assert len(Path(exchange(Front(pieces, 10), Scope()).path).read_bytes()) == web.MAX_HELD + 1
    assert pieces.closed.wait(20)
    assert "an answer broke off" in caplog.text


def test_slow_readers_of_long_answers_hold_no_threads():
    answers = [long_answer() for _ in range(5)]
    waiting = iter(answers)

    def choose(environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        return app(environ, start) if environ["REQUEST_METHOD"] == "POST" else next(waiting)(environ, start)

    front = Front(choose, 10)
    paths = [exchange(front, Scope()).path for _ in answers]
    assert exchange(front, posted(), b"{}").sent == b"{}"
    for path, pieces in zip(paths, answers, strict=True):
        assert len(Path(path).read_bytes()) == 1000 * 2 * (web.MAX_HELD // 20)
        assert pieces.closed.wait(20)


def test_an_application_that_fails_is_a_500(caplog):
    def fail(environ: dict[str, Any], start: Callable[..., Any]) -> list[bytes]:
        raise RuntimeError("broken")

    assert exchange(Front(fail, 10), Scope()).status == 500
    assert "could not be answered" in caplog.text


class Waiting:
    """An application whose answer waits for news of a stream or, without `wait_s`, is a stream."""

    def __init__(self, wait_s: float | None) -> None:
        self.store = MemoryStore()
        self.live = Live(self.store, 10, 10)
        self.source = Numbers(self.store)
        self.asked: list[bool] = []
        self._wait_s = wait_s

    def __call__(self, environ: dict[str, Any], start: Callable[..., Any]) -> list[bytes]:
        self.asked.append(WAITED in environ)
        if WAITED not in environ:
            environ[HOLD] = self.live.follow(self.source, STREAM, 0, wait_s=self._wait_s)
        start("200 OK", [("Content-Length", "4")])
        return [b"page"]

    @property
    def has_places(self) -> bool:
        """Whether all places are free again."""
        with ExitStack() as stack:
            try:
                for _ in range(10):
                    stack.callback(self.live.follow(self.source, STREAM, 0).stop)
            except LiveFull:
                return False
        return True


@pytest.mark.parametrize(("wait_s", "has_news"), [(0.05, False), (30, True)])
def test_an_answer_that_waits_is_asked_for_again(wait_s, has_news):
    waiting = Waiting(wait_s)
    if has_news:
        append(waiting.store, STREAM)
    assert exchange(Front(waiting, 10), Scope()).sent == b"page"
    assert waiting.asked == [False, True]
    waiting.live.close()


def test_a_connection_that_is_kept_keeps_nothing_of_what_was_waited_for_or_of_a_stream_that_was_sent_to_its_end():
    waiting, streaming = Waiting(0.05), Waiting(None)
    assert exchange(Front(waiting, 10), Scope()).left.is_cancelled
    streaming.source.last = 2
    append(streaming.store, STREAM, 2)
    answered = exchange(Front(streaming, 10), Scope())
    eventually(lambda: answered.left.is_cancelled)
    assert answered.sent.endswith(b"event: end\ndata: {}\n\n")
    assert answered.sent.count(b"id: ") == 2
    waiting.live.close()
    streaming.live.close()


def test_a_client_that_leaves_while_it_waits_is_not_answered_and_frees_its_place():
    waiting = Waiting(30)
    proto = ask(Front(waiting, 10), Scope())
    eventually(lambda: waiting.asked)
    eventually(lambda: leave(proto) or waiting.has_places)
    assert waiting.asked == [False]
    assert not proto.answered.is_set()
    waiting.live.close()


def leave(proto: Proto) -> None:
    proto.left.keep(None)


def test_a_stream_whose_client_leaves_frees_its_place():
    streaming = Waiting(None)
    proto = exchange(Front(streaming, 10), Scope())
    eventually(lambda: leave(proto) or streaming.has_places)
    streaming.live.close()


def test_requests_beyond_the_threads_wait_and_are_all_answered():
    hold = threading.Event()

    def wait(environ: dict[str, Any], start: Callable[..., Any]) -> list[bytes]:
        hold.wait(60)
        return app(environ, start)

    front = Front(wait, 10)
    waiting = [ask(front, Scope()) for _ in range(20)]
    assert not any(proto.answered.wait(0.01) for proto in waiting)
    hold.set()
    assert all(proto.answered.wait(60) for proto in waiting)
    assert ask(front, Scope()).answered.wait(60)


def test_the_thread_that_was_busy_last_answers_next():
    names = set()

    def answer(environ: dict[str, Any], start: Callable[..., Any]) -> list[bytes]:
        names.add(threading.current_thread().name)
        return app(environ, start)

    front = Front(answer, 10)
    for _ in range(10):
        eventually(lambda: len(front._threads._idle) == web.THREADS)
        assert ask(front, Scope()).answered.wait(60)
    assert len(names) == 1
