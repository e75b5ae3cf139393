"""The threads of our web server: what supervisors ask never waits for one that others hold."""

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from plyscribe.service.web.batching import THREADS as BATCHES
from plyscribe.service.web.granian_core import Headers as Listed
from plyscribe.service.web.handover import PAUSE, TRIED, Asked, Leave, Reply
from plyscribe.service.web.server import THREADS, THREADS_OF_THEIR_OWN, Front
from tests.service.test_live import eventually
from tests.service.test_web import Headers


class Stuck(Front):
    """Answers what supervisors ask; everything else waits for the gate."""

    def __init__(self) -> None:
        self.gate = threading.Event()
        self.answered = threading.Event()
        super().__init__(lambda environ, start: (), 0)

    def _answer_or_log(self, exchange: SimpleNamespace) -> None:
        if exchange.scope.path in THREADS_OF_THEIR_OWN:
            self.answered.set()
        else:
            self.gate.wait()


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/metrics"])
def test_what_supervisors_ask_has_a_thread_of_its_own(path):
    front = Stuck()
    for asked in ["/v1/matches"] * (3 * THREADS) + [path]:
        front._do(SimpleNamespace(scope=SimpleNamespace(path=asked)))
    try:
        assert front.answered.wait(30), "it waits behind the others"
    finally:
        front.gate.set()


class Answered:
    """An exchange that notes its answer."""

    def __init__(self) -> None:
        self.scope, self.body, self.notes = FRESH, b"", {}
        self.sent = threading.Event()

    def answer(self, status: int, headers: Listed, body: bytes) -> None:
        self.answered = status, body
        self.sent.set()

    def answer_empty(self, status: int) -> None:
        self.answer(status, [], b"")


WHERE = {"scheme": "http", "http_version": "1.1", "server": "127.0.0.1:8420", "client": "127.0.0.1:5"}
FRESH = SimpleNamespace(method="GET", path="/v1/matches", query_string="", headers={}, **WHERE)


def refuse(environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
    start("429 Too Many Requests", [("Content-Length", "4")])
    environ[PAUSE] = 0.01
    return [b"wait"]


def test_an_answer_that_is_held_back_holds_no_thread_and_is_sent_and_not_too_many_are(monkeypatch):
    front, asked = Front(refuse, 0), [Answered() for _ in range(3 * THREADS)]
    for exchange in asked:
        front._answer(exchange)
    assert not all(exchange.sent.is_set() for exchange in asked)
    assert all(exchange.sent.wait(30) for exchange in asked)
    assert {exchange.answered for exchange in asked} == {(429, b"wait")}
    monkeypatch.setattr("plyscribe.service.web.server.MAX_PAUSED", 0)
    exchange = Answered()
    Front(refuse, 0)._answer(exchange)
    assert exchange.sent.is_set()


def test_an_answer_that_fails_holds_up_none_of_those_that_wait():
    front, gone, other = Front(refuse, 0), Answered(), Answered()
    gone.answer = lambda *_: 1 / 0
    for exchange in (gone, other):
        front._answer(exchange)
    assert other.sent.wait(30)


class Move(Answered):
    """A request for a move, whose body has arrived."""

    def __init__(self, body: bytes = b"{}", headers: Sequence[tuple[str, str]] = (), **changed: Any) -> None:
        super().__init__()
        self.is_large = False
        self.body = body
        self.scope = SimpleNamespace(**{**vars(FRESH), "method": "POST", "path": "/move", "headers": Headers(headers)})
        vars(self.scope).update(changed)

    def arrive(self, front: Front) -> None:
        front._bodies.begin(self, 60.0, lambda: None)
        front._take_body(self, self.body)


class Echo:
    """Answers requests to `/move` with their body, all but those that say `leave`."""

    def __init__(self) -> None:
        self.asked: list[Asked] = []
        self.gate = threading.Event()
        self.gate.set()

    def takes(self, method: str, path: str) -> bool:
        return (method, path) == ("POST", "/move")

    def answer_all(self, asked: Sequence[Asked]) -> list[Reply | Leave]:
        assert self.gate.wait(60)
        self.asked += asked
        return [Leave(each.body) if each.body.startswith(b"leave") else Reply(200, [], each.body) for each in asked]


def serve_the_rest(environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
    start("202 Accepted", [("Content-Length", "1")])
    return [f"view {environ.get(TRIED)}".encode()]


@pytest.fixture
def echo() -> Iterator[Echo]:
    echo = Echo()
    yield echo
    echo.gate.set()


def test_requests_of_a_kind_are_answered_together_and_what_is_left_by_the_application(echo):
    front = Front(serve_the_rest, 100, together=echo)
    made, left = Move(b"a", [("host", "x"), ("x-many", "1")]), Move(b"leave")
    for move in (made, left):
        move.arrive(front)
    assert made.sent.wait(60)
    assert left.sent.wait(60)
    assert (made.answered, left.answered) == ((200, b"a"), (202, b"view b'leave'"))
    assert echo.asked[0] == Asked("POST", "/move", "127.0.0.1", {"host": "x", "x-many": "1"}, b"a")


@pytest.mark.parametrize(
    "changed",
    [
        {"method": "PUT"},
        {"path": "/other"},
        {"query_string": "a=1"},
        {"headers": [("host", "x"), ("host", "y")]},
        {"headers": [("host", "x"), ("authorization", "\u00e9")]},
        {"headers": [("host", "x"), ("host", "x"), ("authorization", "\u00e9")]},
        {"headers": [("idempotency-key", "\u00e9"), ("idempotency-key", "good")]},
    ],
)
def test_what_is_of_another_kind_or_has_headers_that_are_not_plain_goes_to_the_application(echo, changed):
    front, asked = Front(serve_the_rest, 100, together=echo), Move(**changed)
    asked.arrive(front)
    assert asked.sent.wait(60)
    assert asked.answered == (202, b"view None")
    assert echo.asked == []


def test_an_error_in_answering_together_leaves_nobody_without_an_answer(echo):
    front, asked, later = Front(serve_the_rest, 100, together=echo), Move(b"a"), Move(b"b")
    answer_all, echo.answer_all = echo.answer_all, lambda _: 1 / 0
    asked.arrive(front)
    assert asked.sent.wait(60)
    assert asked.answered == (500, b"")
    echo.answer_all = answer_all
    later.arrive(front)
    assert later.sent.wait(60)
    assert later.answered == (200, b"b")


def test_while_all_batches_take_long_the_application_answers(echo, monkeypatch):
    monkeypatch.setattr("plyscribe.service.web.batching.TURN_S", 0.0)
    front = Front(serve_the_rest, 100, together=echo)
    echo.gate.clear()
    waiting = [Move(b"w") for _ in range(BATCHES)]
    for move in waiting:
        move.arrive(front)
        eventually(front._batches._waiting.empty)
    eventually(lambda: front._batches.is_stuck)
    late = Move(b"late")
    late.arrive(front)
    assert late.sent.wait(60)
    assert late.answered == (202, b"view None")
    echo.gate.set()
    assert all(move.sent.wait(60) for move in waiting)
    assert {move.answered for move in waiting} == {(200, b"w")}


def test_a_batch_that_waits_behind_a_slow_one_is_relieved_though_nothing_more_comes(echo):
    front = Front(serve_the_rest, 100, together=echo)
    slow = Move(b"slow")
    passed = threading.Event()
    answer_all = echo.answer_all

    def answer_slowly(asked: Sequence[Asked]) -> list[Reply | Leave]:
        if asked[0].body == b"slow":
            assert passed.wait(60)
        return answer_all(asked)

    echo.answer_all = answer_slowly
    slow.arrive(front)
    eventually(front._batches._waiting.empty)
    other = Move(b"other")
    other.arrive(front)
    assert other.sent.wait(60)
    passed.set()
    assert slow.sent.wait(60)
