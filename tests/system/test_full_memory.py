"""A store whose memory is full: everything can be read, writes are refused, and with more memory all goes on."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from plyscribe.service.client import Client, Problem
from plyscribe.service.processes.embedded import find_running
from plyscribe.service.store.redis import connect_client
from tests.system.programs import WITHIN_S
from tests.system.running import Serving, free_port, pair, read_readiness, serving, wait_for, wait_until_scored

MOVES = ("a1", "b1", "c1", "d1", "e1", "f1", "g1", "a2")


def fill(client: Client) -> list[str]:
    """Send faulty text records until the store is full; the ids of those that were taken."""
    taken: list[str] = []
    while True:
        text = f'[Ruleset "none {len(taken)}"]\n{"x" * 120_000}'
        try:
            taken.append(client.import_record(text, key=f"fill-{len(taken)}")["import"] or "")
        except Problem as problem:
            return taken if problem.code == "store/full" else pytest.fail(str(problem))


@contextmanager
def serving_full(data: Path) -> Iterator[Serving]:
    """The service started on a store that is full, which is not ready but can be read."""
    service = Serving(data, free_port(), PLYSCRIBE_STORE_MEMORY="16MB")
    try:
        wait_for(lambda: httpx.get(f"{service.url}/healthz", timeout=WITHIN_S).is_success, WITHIN_S, "the service")
        wait_for(lambda: "Plyscribe serves at" in service.output.read_text(), WITHIN_S, "the start")
        yield service
    finally:
        service.stop()


def set_memory(data: Path, limit: str) -> None:
    with connect_client(find_running(data / "store")) as operator:
        operator.config_set("maxmemory", limit)


def test_a_full_store_is_read_refuses_moves_and_goes_on_with_more_memory(tmp_path):
    data = tmp_path / "data"
    with serving(data, PLYSCRIBE_STORE_MEMORY="24MB") as service, pair(service.url) as both:
        match, left = both.open_match("pathagon"), both.open_match("zhen")
        hasty = [Client(service.url, client.token, retry_for_s=0.0) for client in both.clients]
        receipts = [hasty[ply % 2].move(match, move) for ply, move in enumerate(MOVES[:4])]
        taken = fill(hasty[0])
        assert taken
        # What a server uses rises and falls with its connections.
        set_memory(data, "20mb")
        with pytest.raises(Problem) as refused:
            hasty[0].move(match, MOVES[4])
        assert (refused.value.status, refused.value.code) == (503, "store/full")
        assert hasty[0].events(match)[-1] == receipts[-1]["events"][-1]
        ended = hasty[0].withdraw(left)
        assert ended["events"][-1]["type"] == "match-ended"
        assert httpx.get(f"{service.url}/healthz", timeout=WITHIN_S).is_success
        wait_for(lambda: read_readiness(service.url).get("code") == "store/full", why="the trouble")
        assert httpx.get(f"{service.url}/readyz", timeout=WITHIN_S).status_code == 503
        assert "plyscribe_store_takes_writes 0.0" in httpx.get(f"{service.url}/metrics", timeout=WITHIN_S).text
        for client in hasty:
            client.close()
        tokens, ids = [client.token for client in both.clients], both.ids
    with serving_full(data) as service:
        ann, ben = (Client(service.url, token) for token in tokens)
        with ann, ben:
            assert ann.match(match)["version"] == receipts[-1]["version"]
            set_memory(data, "0")
            wait_for(
                lambda: httpx.get(f"{service.url}/readyz", timeout=WITHIN_S).is_success, why="the end of the trouble"
            )
            for ply in range(ann.match(match)["ply"], len(MOVES)):
                (ann, ben)[ply % 2].move(match, MOVES[ply])
            ann.withdraw(match)
            wait_until_scored(ann, match, left)
            assert ann.events(left)[: ended["version"]][-len(ended["events"]) :] == ended["events"]
            events = ann.events(match)
            for receipt in receipts:
                assert events[receipt["events"][0]["version"] - 1 : receipt["version"]] == receipt["events"]
            wait_for(lambda: {ann.imported(each)["status"] for each in taken} == {"faulty"}, why="the imports")
            assert ids[0] in {seat.get("player") for seat in ann.match(match)["seats"]}
            against = ann.create_match("zhen", [{"bot": "random"}, {"bot": "random"}])["match"]
            wait_until_scored(ann, against)
