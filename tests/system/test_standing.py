"""Standing connections to the real server: killed, stopped, abused, and not read."""

import json
import os
import random
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from plyscribe.service.client import Client, Json, Problem
from plyscribe.service.client.standing import Socket
from plyscribe.service.web.standing_connections import MAX_MESSAGE_BYTES
from tests.system.running import Pair, Serving, free_port, pair, serving, wait_for, wait_for_progress

pytestmark = pytest.mark.server

KILLS = 5
MATCHES = 12


@pytest.fixture
def both(service: Serving) -> Iterator[Pair]:
    with pair(service.url) as both:
        yield both


class Spoken:
    """A connection on which a test says what it likes."""

    def __init__(self, client: Client) -> None:
        self._socket = Socket(client._http)
        self._heard: list[Json] = []

    def say(self, *lines: Json | str) -> None:
        self._socket.send_lines([line if isinstance(line, str) else json.dumps(line) for line in lines])

    def hear(self, count: int = 1) -> list[Json]:
        """The next answers."""
        while len(self._heard) < count:
            self._heard += [json.loads(line) for line in self._socket.receive().splitlines() if line]
        heard, self._heard = self._heard[:count], self._heard[count:]
        return heard

    def is_closed(self) -> bool:
        try:
            self._socket.receive()
        except httpx.TransportError:
            return True
        return False

    def close(self) -> None:
        self._socket.close()


def own_match(client: Client, player: str, ruleset: str = "zhen") -> str:
    return client.create_match(ruleset, [{"player": player}] * 2)["match"]


def move(id: int, match: str, text: str = "+1") -> Json:
    return {"id": id, "match": match, "key": f"key-{id}", "body": {"move": text}}


def connections(client: Client) -> float:
    """The number of standing connections, as the metrics have it."""
    lines = httpx.get(f"{client.url}/metrics", timeout=60.0).text.splitlines()
    return sum(float(line.rpartition(" ")[2]) for line in lines if line.startswith("plyscribe_connections{"))


class Writer:
    """Plays matches of its own, all at the same time, by lines, and keeps every receipt."""

    def __init__(self, client: Client, player: str, number: int) -> None:
        self._client = client
        self._player = player
        self._random = random.Random(number)
        self.receipts: list[Json] = []
        self.matches: list[str] = []

    def write(self, enough: threading.Event) -> None:
        with self._client.stand() as standing:
            while not enough.is_set():
                new = [own_match(self._client, self._player) for _ in range(MATCHES)]
                self.matches += new
                open_ = set(new)
                while open_ and not enough.is_set():
                    there = sorted(open_)
                    moves = [self._random.choice(self._client.legal_moves(match)) for match in there]
                    answers = standing.say_all(
                        [{"match": m, "body": {"move": text}} for m, text in zip(there, moves, strict=True)]
                    )
                    for match, receipt in zip(there, answers, strict=True):
                        assert not isinstance(receipt, Problem), receipt
                        self.receipts.append(receipt)
                        if "decision" not in receipt["turn"]:
                            open_.discard(match)


def test_nothing_is_lost_or_doubled_when_the_web_process_is_killed(tmp_path: Path):
    service = Serving(tmp_path / "data", free_port())
    try:
        service.wait_until_ready()
        with pair(service.url) as both:
            enough = threading.Event()
            writers = [Writer(both.clients[n], both.ids[n], n) for n in range(2)]
            with ThreadPoolExecutor(2) as pool:
                writing = [pool.submit(writer.write, enough) for writer in writers]
                try:
                    for _ in range(KILLS):
                        wait_for_progress(writing, lambda: [len(writer.receipts) for writer in writers], 2 * MATCHES)
                        service.kill("web")
                finally:
                    enough.set()
                for each in writing:
                    each.result()
            service.wait_until_ready()
            for writer in writers:
                for match in writer.matches:
                    events = both.clients[0].events(match)
                    receipts = [receipt for receipt in writer.receipts if receipt["match"] == match]
                    for receipt in receipts:
                        first = receipt["events"][0]["version"]
                        assert events[first - 1 : receipt["version"]] == receipt["events"]
                    made = [event for event in events if event["type"] == "move-made"]
                    assert len(made) == len(receipts), "a move was stored that nobody was told of, or twice"
    finally:
        service.stop()


def test_a_server_that_stops_says_so_and_the_line_may_be_repeated_elsewhere(tmp_path: Path):
    with serving(tmp_path / "data") as service, pair(service.url) as both:
        ann = both.clients[0]
        match = own_match(ann, both.ids[0])
        spoken = Spoken(ann)
        spoken.say(move(1, match))
        [first] = spoken.hear()
        [web] = service.pids("web")
        os.kill(web, signal.SIGTERM)
        [last] = spoken.hear()
        assert (last["type"], last["problem"]["code"]) == ("end", "connection/stopping")
        assert spoken.is_closed()
        # Until it is gone, it is the old process that may answer.
        wait_for(lambda: web not in service.pids("web"), why="the end of the old process")
        service.wait_until_ready()
        again = Spoken(ann)
        again.say(move(1, match))
        [repeated] = again.hear()
        assert repeated == {**first, "replayed": True}
        again.close()


def test_a_broken_line_is_refused_and_the_next_one_counts(both: Pair):
    ann = both.clients[0]
    match = own_match(ann, both.ids[0])
    spoken = Spoken(ann)
    spoken.say("{broken", move(1, match))
    refused, done = spoken.hear(2)
    assert (refused["id"], refused["problem"]["code"]) == (None, "request/unreadable")
    assert (done["id"], done["status"]) == (1, 200)
    spoken.close()
    wait_for(lambda: connections(ann) == 0, why="the end of the connection in the metrics")


def test_an_oversized_message_ends_the_connection_and_nothing_else(both: Pair):
    ann = both.clients[0]
    match = own_match(ann, both.ids[0])
    spoken, other = Spoken(ann), Spoken(ann)
    send_large(spoken, MAX_MESSAGE_BYTES + 1)
    [last] = spoken.hear()
    assert last["problem"]["code"] == "connection/too-large"
    assert spoken.is_closed()
    other.say(move(1, match))
    assert other.hear()[0]["status"] == 200
    other.close()


def send_large(spoken: Spoken, size: int) -> None:
    """A message that the client would not send."""
    network = spoken._socket._network
    network.write(b"\x81\xff" + size.to_bytes(8, "big") + bytes(4), timeout=20)
    for begin in range(0, size, 1 << 16):
        network.write(b" " * min(1 << 16, size - begin), timeout=20)
