"""The whole service over a cluster: two web nodes, two relays, workers, and three primaries with a replica each."""

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest

from plyscribe.service.client import Client
from tests.store.conftest import binary_of
from tests.store.own_clusters import OwnCluster, own_cluster
from tests.store.own_servers import OwnServer, own_server
from tests.system.running import KEY, PROGRAM, ROOT, environment, free_port, is_ready, wait_for

pytestmark = pytest.mark.server

ENTRANTS = 8
MATCHES = ENTRANTS * (ENTRANTS - 1) // 2
BOTS = ({"name": "random"}, {"name": "greedy"}, {"name": "mcts", "playouts": 150})
WITHIN_S = 240.0
PAUSE_S = 0.3
"""Between the return of one victim and the death of the next."""


class Nodes:
    """Processes of the service, any of which may die and come back."""

    def __init__(self, cluster: OwnCluster, queues: OwnServer, directory: Path, stack: ExitStack) -> None:
        self.cluster = cluster
        self._stack = stack
        self._env = environment(
            REDIS_URL=cluster.url,
            RQ_REDIS_URL=queues.url,
            PLYSCRIBE_REPLICAS="1",
            PLYSCRIBE_SERVER_KEY=KEY,
            PLYSCRIBE_READ_URL=f"sqlite:///{directory / 'read.db'}",
        )
        self._commands: dict[str, list[str]] = {}
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        self.urls = []
        for name in ("web-1", "web-2"):
            port = free_port()
            self.urls.append(f"http://127.0.0.1:{port}")
            self._start(name, [*PROGRAM, "web", "--port", str(port)])
        for name in ("relay-1", "relay-2", "verify", "play", "tournament"):
            self._start(name, [sys.executable, "-m", "plyscribe.workers", name.partition("-")[0]])
        for url in self.urls:
            wait_for(lambda url=url: is_ready(url), why=url)

    def issue_token(self) -> str:
        asked = [*PROGRAM, "add-player", "Olga", "--scope", "organise"]
        said = subprocess.run(asked, env=self._env, cwd=ROOT, capture_output=True, check=True, text=True).stdout
        return said.split()[1]

    def replace(self, name: str) -> None:
        """Kill a process, and start it again."""
        self._running[name].kill()
        self._running[name].wait()
        self._start(name, self._commands[name])

    def _start(self, name: str, command: list[str]) -> None:
        child = subprocess.Popen(command, env=self._env, cwd=ROOT)
        self._commands[name], self._running[name] = command, child
        self._stack.callback(child.wait)
        self._stack.callback(child.terminate)


@pytest.fixture
def nodes(tmp_path: Path) -> Iterator[Nodes]:
    binary = binary_of("valkey").path
    with (
        own_cluster(binary, tmp_path / "cluster", replicas=1) as cluster,
        own_server(binary, tmp_path / "queues") as queues,
        ExitStack() as stack,
    ):
        yield Nodes(cluster, queues, tmp_path, stack)


def announce(url: str, token: str, key: str) -> str:
    with Client(url, token) as olga:
        terms: dict[str, Any] = {"name": f"Night cup {key}", "ruleset": "zhen", "seed": 11}
        made = olga.create_tournament({**terms, "format": {"kind": "round-robin"}}, key=key)
        for number in range(ENTRANTS):
            olga.enter(made["tournament"], {**BOTS[number % 3], "seed": number})
        olga.start_tournament(made["tournament"], key=f"start {key}")
        return made["tournament"]


def read(nodes: Nodes, path: str) -> Any:
    """What any web node answers."""

    def ask() -> Any:
        for url in nodes.urls:
            with suppress(httpx.TransportError):
                answered = httpx.get(f"{url}{path}", timeout=10.0)
                if answered.is_success:
                    return answered.json()
        return None

    return wait_for(ask, why=path)


def is_playing(nodes: Nodes, tournament: str) -> bool:
    return bool(read(nodes, f"/v1/tournaments/{tournament}")["status"] == "playing")


def read_table(nodes: Nodes, tournament: str) -> list[dict[str, Any]]:
    wait_for(lambda: not is_playing(nodes, tournament), WITHIN_S, "the end of the tournament")
    rounds = read(nodes, f"/v1/tournaments/{tournament}/rounds")["rounds"]
    matches = [game["match"] for round in rounds for game in round["games"]]
    assert len(matches) == MATCHES
    for match in matches:
        wait_for(lambda match=match: read(nodes, f"/v1/matches/{match}")["status"] == "scored", why=match)
    table: list[dict[str, Any]] = read(nodes, f"/v1/tournaments/{tournament}/standings")["rows"]
    return table


def test_a_tournament_ends_with_the_same_table_whichever_node_dies(nodes: Nodes) -> None:
    token = nodes.issue_token()
    undisturbed = read_table(nodes, announce(nodes.urls[0], token, "undisturbed"))
    tournament = announce(nodes.urls[1], token, "disturbed")
    for victim in ("relay-1", 0, "web-1", 1, "relay-2", 2, "web-2"):
        assert is_playing(nodes, tournament), victim
        if isinstance(victim, str):
            nodes.replace(victim)
        else:
            nodes.cluster.fail_over(victim)
        time.sleep(PAUSE_S)
    assert read_table(nodes, tournament) == undisturbed
