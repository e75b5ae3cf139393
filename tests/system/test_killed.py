"""kill -9 of everything, while matches are played: nothing acknowledged is lost, nothing counts twice."""

import itertools
import random
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from service.client import Client, Json, Problem
from tests.system.running import Serving, free_port, pair, status_of, wait_for

pytestmark = pytest.mark.server

RULESETS = ("pathagon", "zhen", "toy")
OPTIONS = {"pathagon": {"size": 5, "ply_limit": 60}, "zhen": {"tiles": 6, "cubes": 6, "ply_limit": 60}, "toy": {}}
WRITERS = 4
VICTIMS = ("store", "web", "verify", "relay", "everything") * 3
PAUSE_BETWEEN_KILLS_S = 1.2


class Writer:
    """Plays matches of its own over HTTP, and keeps every receipt that it was given."""

    def __init__(self, url: str, number: int, enough: threading.Event) -> None:
        self._url = url
        self._enough = enough
        self._number = number
        self._random = random.Random(number)
        self.receipts: list[Json] = []
        self.matches: list[str] = []

    def write(self) -> None:
        with pair(self._url) as both:
            for number in itertools.count():
                if self._enough.is_set():
                    return
                ruleset = RULESETS[(self._number + number) % len(RULESETS)]
                match = both.open_match(ruleset, key=f"w{self._number}-{number}", options=OPTIONS[ruleset])
                self.matches.append(match)
                self._play(both.clients, match)

    def _play(self, clients: list[Client], match: str) -> None:
        for ply in itertools.count():
            turn = clients[0].match(match)["turn"]
            if "decision" not in turn:
                return
            move = self._random.choice(clients[0].legal_moves(match))
            key = f"{match[-8:]}-{ply}"
            self.receipts.append(clients[turn["decision"] - 1].move(match, move, key=key))


def check(client: Client, writers: list[Writer]) -> None:
    """Every receipt stands in its stream, every move was acknowledged, every match was verified once."""
    for writer in writers:
        for match in writer.matches:
            events = client.events(match)
            receipts = [receipt for receipt in writer.receipts if receipt["match"] == match]
            for receipt in receipts:
                first = receipt["events"][0]["version"]
                assert events[first - 1 : receipt["version"]] == receipt["events"]
            moves = [event for event in events if event["type"] == "move-made"]
            assert len(moves) == len(receipts), "a move was stored that nobody was told of, or twice"
            assert [event["type"] for event in events].count("match-verified") == 1
            assert "match-refuted" not in [event["type"] for event in events]


def test_nothing_is_lost_or_doubled_whatever_is_killed(tmp_path: Path):
    port, data = free_port(), tmp_path / "data"
    service = Serving(data, port)
    try:
        service.wait_until_ready()
        enough = threading.Event()
        writers = [Writer(service.url, number, enough) for number in range(WRITERS)]
        with ThreadPoolExecutor(WRITERS) as pool:
            playing = [pool.submit(writer.write) for writer in writers]
            try:
                for victim in VICTIMS:
                    time.sleep(PAUSE_BETWEEN_KILLS_S)
                    if victim == "everything":
                        service.process.kill()
                        service.process.wait()
                        service = Serving(data, port)
                    else:
                        service.kill(victim)
            finally:
                enough.set()
        for each in playing:
            each.result()
        service.wait_until_ready()
        with Client(service.url) as client:
            for match in [match for writer in writers for match in writer.matches]:
                wait_for(lambda match=match: status_of(client, match) == "scored", why=f"the score of {match}")
            check(client, writers)
        assert sum(len(writer.receipts) for writer in writers) > 100
    finally:
        service.stop()


def test_racing_players_with_one_key_make_one_move(tmp_path: Path):
    service = Serving(tmp_path / "data", free_port())
    try:
        service.wait_until_ready()
        with pair(service.url) as both:
            match = both.open_match("zhen")
            ann = both.clients[0]
            with ThreadPoolExecutor(8) as pool:
                receipts = list(pool.map(lambda _: ann.move(match, "+5", key="one"), range(16)))
            assert all(receipt == receipts[0] for receipt in receipts)
            assert ann.match(match)["moves"] == ["+5"]
    finally:
        service.stop()


def test_racing_moves_of_one_seat_are_one_move_and_refusals(tmp_path: Path):
    service = Serving(tmp_path / "data", free_port())
    try:
        service.wait_until_ready()
        with pair(service.url) as both:
            match = both.open_match("zhen")
            ann = both.clients[0]

            def move(tile: int) -> str:
                try:
                    ann.move(match, f"+{tile}")
                    return "stored"
                except Problem as problem:
                    return problem.code

            with ThreadPoolExecutor(8) as pool:
                outcomes = list(pool.map(move, range(1, 11)))
            assert sorted(outcomes) == ["move/not-your-turn"] * 9 + ["stored"]
            assert ann.match(match)["ply"] == 1
    finally:
        service.stop()
