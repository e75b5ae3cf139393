"""Deadlines in real processes: enforced once, whichever process is killed."""

from plyscribe.service.client import Client, Event
from tests.system.running import pair, serving, wait_for

MOVE_MS = 1_000


def withdrawals(client: Client, match: str) -> list[Event]:
    return [event for event in client.events(match) if event["type"] == "seat-withdrawn"]


def test_a_relay_that_was_killed_catches_up(tmp_path):
    with serving(tmp_path / "data") as service, pair(service.url) as both:
        match = both.open_match("toy", limits={"move_ms": MOVE_MS})
        service.kill("relay")
        ann = both.clients[0]
        wait_for(lambda: withdrawals(ann, match), why="the withdrawal")
        service.kill("relay")
        wait_for(lambda: ann.match(match)["verdict"], why="the verdict")
        [withdrawn] = withdrawals(ann, match)
        assert (withdrawn["data"]["cause"], withdrawn["by"]) == ("time", "system:deadline")
