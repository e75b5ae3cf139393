"""The wait for a recorder in real processes: it outlives kill -9 of all of them."""

import os
import signal
import time
from contextlib import suppress
from pathlib import Path

import pytest

from plyscribe.service.client import Client
from tests.system.running import NAMES, Serving, free_port, wait_for

pytestmark = pytest.mark.server

CORRECTIONS_S = 30


def kill_everything(service: Serving) -> None:
    """SIGKILL to `serve` first, so that it restarts nothing, then to what it has left behind."""
    children = [pid for name in NAMES for pid in service.pids(name)]
    service.process.kill()
    service.process.wait()
    for pid in children:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def finish(client: Client) -> str:
    """A recorded match that a withdrawal has ended."""
    match = client.create_match("pathagon", [{"name": "Ada"}, {"name": "Bea"}], recorded=True)["match"]
    client.move(match, "d4")
    client.withdraw(match, 2, "absent")
    return match


def begin(data: Path) -> Serving:
    service = Serving(data, free_port(), PLYSCRIBE_CORRECTIONS_S=str(CORRECTIONS_S))
    service.wait_until_ready()
    return service


def test_matches_wait_for_their_recorder_and_a_restart_verifies_those_whose_time_is_over(tmp_path):
    service = begin(tmp_path / "data")
    try:
        with Client(service.url) as anyone:
            token = anyone.sign_up("Ann")["token"]
        with Client(service.url, token) as ann:
            confirmed = finish(ann)
            ann.confirm_record(confirmed)
            wait_for(lambda: ann.match(confirmed)["score"], why="the score of a confirmed match")
            corrected = finish(ann)
            assert ann.take_back(corrected, steps=1)["turn"] == {"decision": 2}
            left_alone = finish(ann)
            over_s = time.monotonic() + CORRECTIONS_S
            assert ann.match(left_alone)["verdict"] is None
        kill_everything(service)
        time.sleep(max(0.0, over_s - time.monotonic()))
        service = begin(tmp_path / "data")
        with Client(service.url, token) as ann:
            wait_for(lambda: ann.match(left_alone)["score"], why="the score of a match that nobody confirmed")
            assert ann.match(corrected)["status"] == "playing"
            ann.withdraw(corrected, 1, "absent")
            assert ann.match(corrected)["outcome"]["ranks"] == [2, 1]
            wait_for(lambda: ann.match(corrected)["score"], why="the score of the corrected match")
    finally:
        service.stop()
