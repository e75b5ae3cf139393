"""Deadlines in real processes: enforced once, whichever process is killed."""

import os
import signal

import pytest

from plyscribe.service.client import Client, Event
from tests.system.running import free_port, is_ready, pair, process, serving, wait_for

pytestmark = pytest.mark.server

MOVE_MS = 1_000
PAUSED_MS = 15_000
"""Long enough to do something in a match before its deadline on a busy machine."""

MATCHES = 8


def withdrawals(client: Client, match: str) -> list[Event]:
    return [event for event in client.events(match) if event["type"] == "seat-withdrawn"]


def test_a_seat_that_does_not_move_in_time_is_withdrawn_and_the_match_verified(service):
    with pair(service.url) as both:
        match = both.open_match("zhen", limits={"move_ms": PAUSED_MS})
        ann = both.clients[0]
        ann.move(match, "+1")
        deadline = ann.match(match)["clock"]["deadline"]
        wait_for(lambda: ann.match(match)["verdict"], why="the verdict")
        [withdrawn] = withdrawals(ann, match)
        assert withdrawn["data"] == {"seat": deadline["seat"], "cause": "time", "fault": None, "why": None}
        assert deadline["seat"] == 2
        assert withdrawn["by"] == "system:deadline"
        assert withdrawn["at"] >= deadline["at"]
        assert ann.match(match)["verdict"]["type"] == "match-verified"


def test_a_seat_runs_out_of_time_after_its_delay(service):
    with pair(service.url) as both:
        match = both.open_match("zhen", limits={"match_ms": MOVE_MS, "delay_ms": 2 * MOVE_MS})
        ann = both.clients[0]
        begun = ann.match(match)["clock"]["since"]
        wait_for(lambda: ann.match(match)["verdict"], why="the verdict")
        [withdrawn] = withdrawals(ann, match)
        assert (withdrawn["data"]["seat"], withdrawn["data"]["cause"]) == (1, "time")
        assert withdrawn["at"] >= begun + 3 * MOVE_MS
        state = ann.match(match)
        assert state["verdict"]["type"] == "match-verified"
        assert (state["clock"]["used_ms"][0], state["clock"]["left_ms"]) == (3 * MOVE_MS, [0, MOVE_MS])


def test_a_relay_that_was_killed_catches_up(tmp_path):
    with serving(tmp_path / "data") as service, pair(service.url) as both:
        match = both.open_match("toy", limits={"move_ms": MOVE_MS})
        service.kill("relay")
        ann = both.clients[0]
        wait_for(lambda: withdrawals(ann, match), why="the withdrawal")
        service.kill("relay")
        wait_for(lambda: ann.match(match)["verdict"], why="the verdict")
        assert len(withdrawals(ann, match)) == 1


def test_a_pause_outlasts_the_old_deadline_and_the_death_of_the_relay(tmp_path):
    with serving(tmp_path / "data") as service, pair(service.url) as both:
        token = (service.data / "admin.token").read_text().strip()
        with Client(service.url, token) as admin:
            match = both.open_match("zhen", limits={"move_ms": PAUSED_MS})
            before = admin.match(match)["clock"]["deadline"]["at"]
            admin.pause(match, "the lights went out")
            service.kill("relay")
            other = both.open_match("zhen", limits={"move_ms": PAUSED_MS})
            wait_for(lambda: withdrawals(admin, other), why="the withdrawal in a match that began later")
            assert withdrawals(admin, match) == []
            admin.resume(match)
            after = admin.match(match)["clock"]["deadline"]["at"]
            assert after > before
            wait_for(lambda: admin.match(match)["verdict"], why="the verdict")
            [withdrawn] = withdrawals(admin, match)
            assert withdrawn["at"] >= after
            assert admin.match(match)["verdict"]["type"] == "match-verified"


def test_two_relays_withdraw_everyone_once_even_if_one_is_killed(redis_url):
    port = str(free_port())
    env = {"REDIS_URL": redis_url, "PLYSCRIBE_SIGN_UP": "open"}
    with (
        process("-m", "plyscribe", "web", "--port", port, **env),
        process("-m", "plyscribe.workers", "relay", **env) as first,
        process("-m", "plyscribe.workers", "relay", **env),
    ):
        url = f"http://127.0.0.1:{port}"
        wait_for(lambda: is_ready(url), why="the API")
        with pair(url) as both:
            ann = both.clients[0]
            matches = [both.open_match("zhen", limits={"move_ms": MOVE_MS}) for _ in range(MATCHES)]
            wait_for(lambda: withdrawals(ann, matches[0]), why="the first withdrawal")
            os.kill(first.pid, signal.SIGKILL)
            for match in matches:
                wait_for(lambda match=match: ann.match(match)["status"] == "ended", why="the end")
                assert len(withdrawals(ann, match)) == 1
