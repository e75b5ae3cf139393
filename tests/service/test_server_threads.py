"""The threads of our web server: what supervisors ask never waits for one that others hold."""

import threading
from collections.abc import Callable, Iterable
from types import SimpleNamespace
from typing import Any

import pytest

from plyscribe.service.web.granian_core import Headers
from plyscribe.service.web.handover import PAUSE
from plyscribe.service.web.server import THREADS, THREADS_OF_THEIR_OWN, Front


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

    def answer(self, status: int, headers: Headers, body: bytes) -> None:
        self.answered = status, body
        self.sent.set()


FRESH = SimpleNamespace(
    method="GET",
    path="/v1/matches",
    query_string="",
    server="127.0.0.1:8420",
    client="127.0.0.1:5",
    http_version="1.1",
    scheme="http",
    headers={},
)


def refuse(environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
    start("429 Too Many Requests", [("Content-Length", "4")])
    environ[PAUSE] = 0.01
    return [b"wait"]


def test_an_answer_that_is_held_back_holds_no_thread_and_is_sent():
    front, asked = Front(refuse, 0), [Answered() for _ in range(3 * THREADS)]
    for exchange in asked:
        front._answer(exchange)
    assert not all(exchange.sent.is_set() for exchange in asked)
    assert all(exchange.sent.wait(30) for exchange in asked)
    assert {exchange.answered for exchange in asked} == {(429, b"wait")}


def test_no_more_than_so_many_answers_are_held_back(monkeypatch: pytest.MonkeyPatch):
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
