"""Several web processes that share one port."""

import os
import signal
from collections.abc import Iterator

import pytest

from plyscribe.service.client import Client
from tests.system.programs import check_refused, run_cli
from tests.system.running import Serving, pair, serving, wait_for, wait_until_scored

SHARED = ("--web-processes", "2")


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    with serving(tmp_path_factory.mktemp("web") / "data", options=SHARED) as running:
        yield running


def test_two_web_processes_answer_on_one_port_and_one_that_dies_is_started_again(service):
    with pair(service.url) as both:
        first, second = service.pids("web")
        match = both.open_match("zhen")
        os.kill(first, signal.SIGKILL)
        wait_for(lambda: len(set(service.pids("web")) - {first}) == 2, why="a new web process")
        assert second in service.pids("web")
        both.play_out(match)
        wait_until_scored(both.clients[0], match)


def test_what_one_web_process_has_taken_another_knows_at_once(service):
    with pair(service.url) as both:
        match = both.open_match("zhen")
        for ply in range(20):
            # Each connection is new, so the kernel chooses a process for it.
            with Client(service.url, both.clients[ply % 2].token) as fresh:
                fresh.move(match, fresh.legal_moves(match)[0])
        assert both.clients[0].match(match)["ply"] == 20


def test_a_shared_port_is_shared_with_no_other_service(service, tmp_path):
    other = run_cli("serve", "--data", str(tmp_path / "other"), *SHARED, "--port", str(service.port))
    check_refused(other, "cannot listen on", "--port")
