"""The threads of our web server: what supervisors ask never waits for one that others hold."""

import threading
from types import SimpleNamespace

import pytest

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
