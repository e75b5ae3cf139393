"""`plyscribe serve --cluster N`: the whole service over a cluster that it starts itself."""

import os
import signal
from pathlib import Path

from plyscribe.service.processes.trial_cluster import NOTES, find_cluster
from plyscribe.service.store.redis import connect_client
from plyscribe.service.store.redis_server import list_shares
from tests.system.programs import run_cli
from tests.system.running import Serving, descendants, free_port, is_ready, pair, wait_for, wait_until_scored


class ServingCluster(Serving):
    """`plyscribe serve --cluster 3`."""

    def __init__(self, data: Path) -> None:
        super().__init__(data, free_port(), options=("--cluster", "3"))

    def nodes(self) -> list[int]:
        return [pid for pid, line in descendants(self.process.pid).items() if b"[cluster]" in line]


def test_a_cluster_of_ones_own_loses_nothing_whatever_is_killed(tmp_path: Path) -> None:
    data = tmp_path / "data"
    service = ServingCluster(data)
    try:
        service.wait_until_ready()
        assert (data / "cluster" / NOTES).stat().st_mode & 0o077 == 0
        addresses = find_cluster(data / "cluster")
        assert addresses is not None
        with connect_client(addresses[0], 60.0) as client:
            assert len(list_shares(client)) == 3
        with pair(service.url) as both:
            match = both.open_match("zhen", options={"tiles": 8, "cubes": 8})
            assert len(service.nodes()) == 3
            for node in service.nodes():
                os.kill(node, signal.SIGKILL)
            wait_for(lambda: is_ready(service.url), why="the return of the nodes")
            both.play_out(match)
            wait_until_scored(both.clients[0], match)
        said = run_cli("export", "--data", str(data), "--to", str(tmp_path), match)
        assert said.returncode == 0, said.stderr
        assert (tmp_path / f"{match}.bundle.ndjson").stat().st_size > 1000
        assert "is in use by another service" in run_cli("serve", "--data", str(data), "--cluster", "3").stderr
    finally:
        service.stop()
    assert "has 3 nodes: start it with --cluster 3" in run_cli("serve", "--data", str(data), "--cluster", "2").stderr
    assert "does not run: start `plyscribe serve --cluster 3`" in run_cli("export", "--data", str(data), match).stderr
