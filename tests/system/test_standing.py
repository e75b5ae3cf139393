"""Standing connections to the real server: killed, stopped, and followed."""

import json
import os
import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from plyscribe.service.client import Client, Problem
from plyscribe.service.client.standing import Socket
from tests.system.running import count_followers, pair, serving, wait_for
from tests.system.writers import Writer, kill_while_they_write

MATCHES = 12


class Speaker(Writer):
    """Plays by lines, several matches at the same time."""

    def __init__(self, client: Client, player: str, number: int) -> None:
        super().__init__(number)
        self._client, self._player = client, player

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


def test_nothing_is_lost_or_doubled_when_the_web_process_is_killed(tmp_path: Path):
    with serving(tmp_path / "data") as service, pair(service.url) as both:
        writers = [Speaker(both.clients[n], both.ids[n], n) for n in range(2)]
        kill_while_they_write(service, both.clients[0], writers, ["web"] * 5, 2 * MATCHES)


def test_a_server_that_stops_says_so_on_the_line(tmp_path: Path):
    with serving(tmp_path / "data") as service, pair(service.url) as both:
        match = both.open_match("zhen")
        line = Socket(both.clients[0]._http)
        line.send_lines([json.dumps({"id": 1, "match": match, "body": {"move": "+1"}})])
        assert json.loads(line.receive())["status"] == 200
        [web] = service.pids("web")
        os.kill(web, signal.SIGTERM)
        last = json.loads(line.receive())
        assert (last["type"], last["problem"]["code"]) == ("end", "connection/stopping")


def test_changes_of_the_own_matches_come_on_the_connection(service):
    with pair(service.url) as both:
        ann, ben = both.clients
        match, moves = both.open_match("zhen"), list[str]()
        before = count_followers(service.url)

        def follow() -> None:
            with ann.stand() as following:
                for change in following.changes():
                    moves.extend(event["data"]["move"] for event in change["events"] if event["type"] == "move-made")
                    if "+2" in moves:
                        return

        with ThreadPoolExecutor(1) as pool:
            followed = pool.submit(follow)
            wait_for(lambda: count_followers(service.url) > before, why="the follower")
            with ann.stand() as standing, ben.stand() as other:
                standing.move(match, "+1")
                other.move(match, "+2")
            followed.result()
        assert moves == ["+1", "+2"]


def test_one_account_has_few_connections(service):
    with pair(service.url) as both:
        lines = [Socket(both.clients[0]._http) for _ in range(4)]
        with pytest.raises(Problem) as refused:
            Socket(both.clients[0]._http)
        assert refused.value.code == "connection/share"
        for line in lines:
            line.close()
