"""Several web processes that share one port."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest

from plyscribe.service.client import Client
from tests.system.running import ROOT, Serving, environment, pair, serving, status_of, wait_for

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
        both.play_out(match, lambda match: both.clients[0].legal_moves(match)[0])
        wait_for(lambda: status_of(both.clients[0], match) == "scored", why="the score")


def test_what_one_web_process_has_taken_another_knows_at_once(service):
    with pair(service.url) as both:
        match = both.open_match("zhen")
        for ply in range(20):
            # Each connection is new, so the kernel chooses a process for it.
            with Client(service.url, both.clients[ply % 2].token) as fresh:
                fresh.move(match, fresh.legal_moves(match)[0])
        assert both.clients[0].match(match)["ply"] == 20


def test_a_shared_port_is_shared_with_no_other_service(service, tmp_path):
    argv = (sys.executable, "-m", "plyscribe", "serve", "--data", str(tmp_path / "other"), *SHARED)
    other = subprocess.run(
        [*argv, "--port", str(service.port)], env=environment(), capture_output=True, text=True, cwd=ROOT
    )
    assert other.returncode == 1
    assert "cannot listen on" in other.stderr
    assert "--port" in other.stderr
