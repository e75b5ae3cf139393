"""Reports under a crowd: whoever asks for them, moves are answered, and each report is made once."""

import os
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress

import httpx
import pytest
from redis import Redis
from rq import Queue

from plyscribe.service.client import Client
from plyscribe.service.processes.embedded import find_running
from plyscribe.service.queues import REPORT
from plyscribe.service.web.server import THREADS
from tests.system.running import Pair, Serving, pair, serving, wait_for
from tests.system.test_tournaments import admin_token

pytestmark = pytest.mark.server

ENTRANTS = 30
CROWD = THREADS + 16
"""How many ask for each report: alone more than the server has threads."""

MOVES = 20
TERMS = {"name": "Cup", "ruleset": "zhen", "format": {"kind": "swiss", "rounds": 2}, "seed": 5}


def start_cup(service: Serving) -> str:
    """A tournament whose first round is paired."""
    with Client(service.url, admin_token(service)) as olga:
        cup = olga.create_tournament(TERMS)["tournament"]
        for _ in range(ENTRANTS):
            olga.enter(cup, {"name": "random"})
        olga.start_tournament(cup)
        wait_for(lambda: olga.tournament(cup)["rounds"], why="a round")
        return cup


def open_long_match(both: Pair) -> str:
    """A match with more events than are checked in the thread that answers."""
    ann, ben = both.clients
    match = ann.create_match("zhen", [None, None], start="call")["match"]
    for _ in range(60):
        ben.take_seat(match, 2)
        ben.leave_seat(match, 2)
    return match


@contextmanager
def paused(pids: list[int]) -> Iterator[None]:
    """Processes that do nothing while the block runs."""
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in pids:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)


def count_due(queues: Redis) -> int:
    """Reports that wait to be made. The server hands the first one to a worker that listens, even if that is paused."""
    return sum(queues.llen(Queue(REPORT, connection=queues).key + part) for part in ("", ":intermediate"))


def test_a_crowd_that_waits_for_reports_stops_nobody_from_playing(tmp_path):
    with serving(tmp_path / "data") as service, pair(service.url) as both, ThreadPoolExecutor(2 * CROWD) as crowd:
        cup, long, match = start_cup(service), open_long_match(both), both.open_match("zhen")
        reports = [f"/v1/tournaments/{cup}/rounds/1/check", f"/v1/matches/{long}/verification"]
        with paused(service.pids("report")):
            asked = [crowd.submit(httpx.get, f"{service.url}{path}", timeout=60) for path in reports * CROWD]
            with Redis.from_url(find_running(service.data / "store")) as queues:
                wait_for(lambda: count_due(queues) == 2, why="the jobs")
                for _ in range(MOVES):
                    seat = both.clients[0].match(match)["turn"]["decision"]
                    client = both.clients[seat - 1]
                    assert client.move(match, client.legal_moves(match)[0])["version"]
                    assert httpx.get(f"{service.url}/healthz", timeout=5).is_success
                assert [each.result().text for each in asked if each.done()] == []
                assert count_due(queues) == 2, "all who ask for a report wait for the same job"
        answers = [each.result() for each in asked]
        assert {answer.status_code for answer in answers} == {200}
        assert len({answer.content for answer in answers}) == len(reports)
        assert answers[0].json()["agrees"]


def test_a_report_whose_worker_dies_is_made_by_the_next_one(tmp_path):
    with serving(tmp_path / "data") as service, pair(service.url) as both:
        path = f"{service.url}/v1/matches/{open_long_match(both)}/verification"
        with ThreadPoolExecutor(1) as pool, paused(service.pids("report")):
            asked = pool.submit(httpx.get, path, timeout=60)
            with Redis.from_url(find_running(service.data / "store")) as queues:
                wait_for(lambda: count_due(queues), why="the job")
            service.kill("report")
            asked.result()
            wait_for(lambda: httpx.get(path, timeout=60).json().get("result") == "ok", why="the report")
