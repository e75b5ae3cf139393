"""kill -9 of everything, while matches are played: nothing acknowledged is lost, nothing counts twice."""

import itertools
import random
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from plyscribe.service.client import Client, Json, Problem
from tests.system.programs import run_cli
from tests.system.running import Serving, crash, free_port, pair, wait_for, wait_until_scored

VICTIMS = ("store", "web", "verify", "relay", "everything")
KILLS = 15
MOVES_BETWEEN_KILLS = range(120)
"""How many moves are made from one kill to the next, drawn by lot. With none, what has just been started is killed."""

KINDS = (("zhen", {"rated": True}), ("pathagon", {"options": {"size": 5, "ply_limit": 60}}), ("toy", {"rated": True}))
"""What is played: with dice and without, rated and unrated."""


class Writer:
    """Plays matches of its own over HTTP, and keeps every receipt that it was given."""

    def __init__(self, url: str, number: int, enough: threading.Event) -> None:
        self._url = url
        self._enough = enough
        self._number = number
        self._random = random.Random(number)
        self.receipts: list[Json] = []
        self.matches: list[str] = []
        self.rated: list[tuple[str, str]] = []
        self.players: list[str] = []

    def write(self) -> None:
        with pair(self._url) as both:
            self.players = both.ids
            for number in itertools.count():
                if self._enough.is_set():
                    return
                ruleset, more = KINDS[(self._number + number) % len(KINDS)]
                match = both.open_match(ruleset, key=f"w{self._number}-{number}", **more)
                self.matches.append(match)
                if "rated" in more:
                    self.rated.append((ruleset, match))
                self._play(both.clients, match)

    def _play(self, clients: list[Client], match: str) -> None:
        turn = clients[0].match(match)["turn"]
        for ply in itertools.count():
            if "decision" not in turn:
                return
            move = self._random.choice(clients[0].legal_moves(match))
            receipt = clients[turn["decision"] - 1].move(match, move, key=f"{match[-8:]}-{ply}")
            self.receipts.append(receipt)
            turn = receipt["turn"]


def kill_at_random(service: Serving, wait_for_moves: Callable[[int], None]) -> Serving:
    """The service that runs after all kills, which come in an order drawn by lot."""
    draw = random.Random(1)
    for number in range(KILLS):
        # Each at least once in five kills, in any order.
        if number % len(VICTIMS) == 0:
            order = draw.sample(VICTIMS, len(VICTIMS))
        wait_for_moves(draw.choice(MOVES_BETWEEN_KILLS))
        victim = order[number % len(VICTIMS)]
        if victim == "everything":
            crash(service.process)
            service = Serving(service.data, service.port)
        else:
            service.kill(victim)
    return service


@contextmanager
def writing(url: str) -> Iterator[tuple[list[Writer], list[Future[None]]]]:
    """Writers at work, until the block ends. None may fail."""
    enough = threading.Event()
    writers = [Writer(url, number, enough) for number in range(4)]
    with ThreadPoolExecutor(len(writers)) as pool:
        playing = [pool.submit(writer.write) for writer in writers]
        try:
            yield writers, playing
        finally:
            enough.set()
    for each in playing:
        each.result()


def check_all(service: Serving, writers: list[Writer]) -> None:
    """Every receipt stands in its stream, every move was acknowledged, every match was verified and scored once."""
    with Client(service.url) as client:
        wait_until_scored(client, *(match for writer in writers for match in writer.matches))
        for ruleset in {ruleset for writer in writers for ruleset, _ in writer.rated}:
            wait_for(lambda ruleset=ruleset: client.ratings_lag(ruleset) == 0, why=f"the ratings in {ruleset}")
        for writer in writers:
            for match in writer.matches:
                events = client.events(match)
                receipts = [receipt for receipt in writer.receipts if receipt["match"] == match]
                for receipt in receipts:
                    first = receipt["events"][0]["version"]
                    assert events[first - 1 : receipt["version"]] == receipt["events"]
                types = [event["type"] for event in events]
                assert types.count("move-made") == len(receipts), "a move was stored that nobody was told of, or twice"
                assert [types.count(f"match-{what}") for what in ("verified", "scored", "refuted")] == [1, 1, 0]
            for ruleset in {ruleset for ruleset, _ in writer.rated}:
                rated = sorted(match for kind, match in writer.rated if kind == ruleset)
                for player in writer.players:
                    assert sorted(entry["match"] for entry in client.rating(ruleset, player)) == rated


def test_nothing_is_lost_or_doubled_whatever_is_killed(tmp_path: Path):
    service = Serving(tmp_path / "data", free_port())
    try:
        service.wait_until_ready()
        with writing(service.url) as (writers, playing):

            def count_moves() -> int:
                for each in playing:
                    if each.done():
                        each.result()
                return sum(len(writer.receipts) for writer in writers)

            def wait_for_moves(more: int) -> None:
                goal = count_moves() + more
                wait_for(lambda: count_moves() >= goal, why=f"{more} moves since the last kill")

            service = kill_at_random(service, wait_for_moves)
        service.wait_until_ready()
        check_all(service, writers)
        checked = run_cli("ratings", "check", "--data", str(service.data))
        assert checked.returncode == 0, "ratings are not what the ledgers amount to"
    finally:
        service.stop()


def test_racing_moves_of_one_seat_are_one_move_and_refusals(service: Serving):
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
