"""Requests for moves that come to the real server at the same time, also while its processes are killed."""

import socket
import threading
from collections.abc import Iterator

import pytest

from plyscribe.service.client import Client
from tests.system.running import WITHIN_S, Pair, Serving, pair, serving
from tests.system.writers import Writer, kill_while_they_write


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    with serving(tmp_path_factory.mktemp("together") / "data") as service:
        yield service


@pytest.fixture(scope="module")
def both(service: Serving) -> Iterator[Pair]:
    with pair(service.url) as both:
        yield both


class Sender(Writer):
    """Sends a request for each move."""

    def __init__(self, url: str, both: Pair, number: int) -> None:
        super().__init__(number)
        self._client = Client(url, both.accounts[0]["token"], retry_for_s=WITHIN_S)
        self._player = both.ids[0]

    def write(self, enough: threading.Event) -> None:
        with self._client as client:
            while not enough.is_set():
                match = client.create_match("zhen", [{"player": self._player}] * 2)["match"]
                receipts = self.receipts[match]
                while not enough.is_set() and (not receipts or "decision" in receipts[-1]["turn"]):
                    receipts.append(client.move(match, self._random.choice(client.legal_moves(match))))


def test_nothing_is_lost_or_doubled_when_processes_are_killed(service, both):
    writers = [Sender(service.url, both, number) for number in range(8)]
    kill_while_they_write(service, both.clients[0], writers, ("web", "store", "web"), 3)


def test_a_client_that_leaves_while_its_move_is_made_holds_up_nobody(service, both):
    ann = both.clients[0]
    match = ann.create_match("zhen", [{"player": both.ids[0]}] * 2)["match"]
    for tile in range(1, 5):
        body = b'{"move":"+%d"}' % tile
        head = (
            f"POST /v1/matches/{match}/moves HTTP/1.1",
            "Host: localhost",
            f"Authorization: Bearer {both.accounts[0]['token']}",
            f"Idempotency-Key: k{tile}",
            "Content-Type: application/json",
            f"Content-Length: {len(body)}",
        )
        with socket.create_connection(("127.0.0.1", service.port)) as connection:
            connection.sendall("\r\n".join((*head, "", "")).encode() + body)
    # They may have been made or not; repeated, each is made once.
    for tile in range(1, 5):
        ann.move(match, f"+{tile}", key=f"k{tile}")
    assert sorted(ann.match(match)["moves"]) == ["+1", "+2", "+3", "+4"]
