"""Standing connections to the real server, whose web process is killed."""

import random
import threading
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from plyscribe.service.client import Client, Json, Problem
from tests.system.running import pair, serving, wait_for_progress

pytestmark = pytest.mark.server

KILLS = 5
MATCHES = 12


class Writer:
    """Plays matches of its own, all at the same time, by lines, and keeps every receipt."""

    def __init__(self, client: Client, player: str, number: int) -> None:
        self._client = client
        self._player = player
        self._random = random.Random(number)
        self.receipts: dict[str, list[Json]] = defaultdict(list)

    def write(self, enough: threading.Event) -> None:
        with self._client.stand() as standing:
            while not enough.is_set():
                seats = [{"player": self._player}] * 2
                matches = [self._client.create_match("zhen", seats)["match"] for _ in range(MATCHES)]
                while matches and not enough.is_set():
                    moves = [self._random.choice(self._client.legal_moves(match)) for match in matches]
                    lines = [{"match": m, "body": {"move": text}} for m, text in zip(matches, moves, strict=True)]
                    for match, receipt in zip(matches, standing.say_all(lines), strict=True):
                        assert not isinstance(receipt, Problem), receipt
                        self.receipts[match].append(receipt)
                    matches = [match for match in matches if "decision" in self.receipts[match][-1]["turn"]]

    @property
    def moves(self) -> int:
        return sum(map(len, list(self.receipts.values())))


def test_nothing_is_lost_or_doubled_when_the_web_process_is_killed(tmp_path: Path):
    with serving(tmp_path / "data") as service, pair(service.url) as both:
        enough = threading.Event()
        writers = [Writer(both.clients[n], both.ids[n], n) for n in range(2)]
        with ThreadPoolExecutor(2) as pool:
            writing = [pool.submit(writer.write, enough) for writer in writers]
            try:
                for _ in range(KILLS):
                    wait_for_progress(writing, lambda: [writer.moves for writer in writers], 2 * MATCHES)
                    service.kill("web")
            finally:
                enough.set()
            for each in writing:
                each.result()
        service.wait_until_ready()
        for writer in writers:
            for match, receipts in writer.receipts.items():
                made = [event for event in both.clients[0].events(match) if event["type"] == "move-made"]
                assert made == [receipt["events"][0] for receipt in receipts]
