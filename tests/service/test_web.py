"""The front of the web server: what it makes of requests before the application sees them, and of its answers."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from granian._granian import RSGIProtocolClosed

from service import web
from service.environ import HOLD, LATE, WAITED
from service.errors import LiveFull
from service.live import Follower, Live
from service.store.memory import MemoryStore
from service.web import Front, make_environ
from tests.service.test_live import STREAM, Numbers, eventually
from tests.store.given import append


class Headers(list):
    """Pairs of name and value."""

    def items(self) -> list[tuple[str, str]]:
        return list(self)


class Scope:
    """A request as Granian tells of it."""

    server = "127.0.0.1:8420"
    client = "10.0.0.7:1234"
    scheme = "http"
    http_version = "1.1"
    query_string = "a=1"

    def __init__(self, method: str = "GET", path: str = "/x", headers: list[tuple[str, str]] | None = None) -> None:
        self.method = method
        self.path = path
        self.headers = Headers(headers or [])


class Proto:
    """Where an answer goes, and a body comes from."""

    def __init__(self, body: Callable[[], Any] | None = None) -> None:
        self.status = 0
        self.sent = b""
        self.headers: list[tuple[str, str]] = []
        self.left = asyncio.Event()
        self._body = body

    async def __call__(self) -> bytes:
        assert self._body is not None, "nobody was to read the body"
        return await self._body()

    async def client_disconnect(self) -> None:
        await self.left.wait()

    def response_bytes(self, status: int, headers: list[tuple[str, str]], body: bytes) -> None:
        self.status, self.headers, self.sent = status, headers, body

    def response_empty(self, status: int, headers: list[tuple[str, str]]) -> None:
        self.response_bytes(status, headers, b"")

    def response_stream(self, status: int, headers: list[tuple[str, str]]) -> "Proto":
        self.response_bytes(status, headers, b"")
        return self

    def send_bytes(self, data: bytes) -> None:
        self.sent += data


def app(environ: dict[str, Any], start: Callable[..., Any]) -> list[bytes]:
    """Answers with what it was asked."""
    body = environ["wsgi.input"].read()
    start("200 OK", [("Content-Length", str(len(body)))])
    return [body]


def exchange(front: Front, scope: Scope, proto: Proto, within_s: float = 10.0) -> Proto:
    """The answer to a request, once it was given whole."""

    async def ask() -> None:
        asked = asyncio.ensure_future(front.__rsgi__(scope, proto))
        while not asked.done():
            await asyncio.sleep(0.002)
            front.let_go()
        await asked

    asyncio.run(asyncio.wait_for(ask(), within_s))
    return proto


def posted(length: str = "2") -> Scope:
    return Scope("POST", headers=[("content-length", length)])


async def two_bytes() -> bytes:
    return b"{}"


async def nothing_for_long() -> bytes:
    await asyncio.sleep(30)
    return b"{}"


async def broken_off() -> bytes:
    raise RSGIProtocolClosed


def test_a_request_is_told_as_wsgi_has_it():
    scope = Scope("GET", "/é", [("content-type", "a/b"), ("x-one", "1"), ("accept", "x"), ("accept", "y")])
    environ = make_environ(scope)
    asked = {name: environ[name] for name in ("REQUEST_METHOD", "QUERY_STRING", "CONTENT_TYPE", "HTTP_X_ONE")}
    assert asked == {"REQUEST_METHOD": "GET", "QUERY_STRING": "a=1", "CONTENT_TYPE": "a/b", "HTTP_X_ONE": "1"}
    assert environ["PATH_INFO"].encode("latin-1").decode() == "/é"
    assert environ["HTTP_ACCEPT"] == "x,y"
    assert (environ["SERVER_NAME"], environ["SERVER_PORT"], environ["REMOTE_ADDR"]) == ("127.0.0.1", "8420", "10.0.0.7")


def test_a_body_is_handed_on_whole():
    answered = exchange(Front(app, 10), posted(), Proto(two_bytes))
    assert (answered.status, answered.sent) == (200, b"{}")


@pytest.mark.parametrize("length", ["0", "11", "x"])
def test_a_body_that_is_not_to_be_had_or_too_long_is_left_unread(length):
    assert exchange(Front(app, 10), posted(length), Proto()).sent == b""


def test_a_body_that_breaks_off_is_handed_on_as_none():
    assert exchange(Front(app, 10), posted(), Proto(broken_off)).sent == b""


def test_a_body_that_does_not_come_is_told_to_the_application_and_ends_the_connection(monkeypatch):
    monkeypatch.setattr(web, "BODY_WITHIN_S", 0.05)
    seen: list[object] = []

    def see(environ: dict[str, Any], start: Callable[..., Any]) -> list[bytes]:
        seen.append(environ.get(LATE))
        return app(environ, start)

    answered = exchange(Front(see, 10), posted(), Proto(nothing_for_long))
    assert seen == [0.05]
    assert ("Connection", "close") in answered.headers


def test_an_answer_without_a_length_is_sent_piece_by_piece_and_closed():
    closed: list[bool] = []

    class Pieces:
        def __iter__(self):
            yield from (b"a", b"b", b"c")

        def close(self) -> None:
            closed.append(True)

    def stream(environ: dict[str, Any], start: Callable[..., Any]) -> Pieces:
        start("200 OK", [])
        return Pieces()

    assert exchange(Front(stream, 10), Scope(), Proto()).sent == b"abc"
    assert closed == [True]


def test_an_application_that_fails_is_a_500(caplog):
    def fail(environ: dict[str, Any], start: Callable[..., Any]) -> list[bytes]:
        raise RuntimeError("broken")

    assert exchange(Front(fail, 10), Scope(), Proto()).status == 500
    assert "could not be answered" in caplog.text


class Waiting:
    """An application whose answer waits for news of a stream, or is a stream."""

    def __init__(self, wait_s: float | None) -> None:
        self.store = MemoryStore()
        self.live = Live(self.store, 10)
        self.source = Numbers(self.store)
        self.asked: list[bool] = []
        self._wait_s = wait_s

    def __call__(self, environ: dict[str, Any], start: Callable[..., Any]) -> list[bytes]:
        self.asked.append(WAITED in environ)
        if WAITED not in environ:
            environ[HOLD] = self.live.follow(self.source, STREAM, 0, wait_s=self._wait_s)
        start("200 OK", [("Content-Length", "4")])
        return [b"page"]


@pytest.mark.parametrize(("wait_s", "has_news"), [(0.05, False), (30, True)])
def test_an_answer_that_waits_is_asked_for_again(wait_s, has_news):
    waiting = Waiting(wait_s)
    if has_news:
        append(waiting.store, STREAM)
    assert exchange(Front(waiting, 10), Scope(), Proto()).sent == b"page"
    assert waiting.asked == [False, True]
    waiting.live.close()


def test_a_client_that_leaves_while_it_waits_is_not_answered():
    waiting, proto = Waiting(30), Proto()
    proto.left.set()
    assert exchange(Front(waiting, 10), Scope(), proto).sent == b""
    assert waiting.asked == [False]
    waiting.live.close()


def test_a_stream_is_sent_until_it_ends():
    streaming = Waiting(None)
    streaming.source.last = 2
    append(streaming.store, STREAM, 2)
    sent = exchange(Front(streaming, 10), Scope(), Proto()).sent
    assert sent.count(b"id: ") == 2
    assert sent.endswith(b"event: end\ndata: {}\n\n")
    streaming.live.close()


def is_full(streaming: Waiting, followers: list[Follower]) -> bool:
    try:
        followers.append(streaming.live.follow(streaming.source, STREAM, 0))
    except LiveFull:
        return True
    return False


def test_a_stream_whose_client_leaves_frees_its_place():
    streaming, proto = Waiting(None), Proto()
    proto.left.set()
    exchange(Front(streaming, 10), Scope(), proto)
    others = [streaming.live.follow(streaming.source, STREAM, 0) for _ in range(9)]
    eventually(lambda: not is_full(streaming, others))
    streaming.live.close()
