"""The script with which compose makes a cluster of the store's nodes, run on loopback."""

import re
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
import redis

from plyscribe.service.processes.embedded import find_binary
from tests.deploy.kit import DEPLOY, find_program, read_yaml
from tests.system.conftest import answers
from tests.system.running import WITHIN_S, free_port, wait_for


def read_services() -> dict[str, dict[str, object]]:
    [document] = read_yaml(DEPLOY / "compose.many.yaml")
    return {str(name): said for name, said in document["services"].items()}


@pytest.fixture
def nodes(tmp_path: Path) -> Iterator[dict[str, int]]:
    """The nodes of the store, by the address that compose gives them: their ports here."""
    ports: dict[str, int] = {}
    with ExitStack() as running:
        for name, said in read_services().items():
            if not name.startswith("store-"):
                continue
            address, port = said["networks"]["inside"]["ipv4_address"], free_port()
            (folder := tmp_path / name).mkdir()
            command = [str(word) for word in said["command"]]
            command[:2] = [str(find_binary().path), str(DEPLOY / "store.conf")]
            own = ["--port", str(port), "--cluster-port", str(free_port()), "--bind", "127.0.0.1", "--dir", str(folder)]
            server = subprocess.Popen([*command, *own], stdout=subprocess.DEVNULL)
            running.callback(server.wait, WITHIN_S)
            running.callback(server.terminate)
            with redis.Redis(port=port) as client:
                wait_for(lambda client=client: answers(client), why=name)
            ports[address] = port
        yield ports


def test_the_nodes_become_a_cluster_of_three_primaries_with_a_replica_each_and_stay_one(nodes):
    shell, option, script = (str(word) for word in read_services()["cluster"]["command"])
    client = find_program("redis-cli")
    for address, port in nodes.items():
        script = script.replace(f"{address}:6379", f"127.0.0.1:{port}")
        script = script.replace(f"valkey-cli -h {address} ", f"{client} -p {port} ")
    script = script.replace("valkey-cli", client)
    assert not re.search(r"10\.84\.", script)
    for said in ("All 16384 slots covered", ""):
        # A second run, as after `up`, leaves the cluster alone.
        ran = subprocess.run([shell, option, script], capture_output=True, text=True, timeout=WITHIN_S)
        assert ran.returncode == 0, ran.stdout + ran.stderr
        assert said in ran.stdout
        assert bool(said) == ("Performing hash slots allocation" in ran.stdout)
    with redis.Redis(port=min(nodes.values()), decode_responses=True) as one:
        wait_for(lambda: str(one.execute_command("CLUSTER NODES")).count("slave") == 3, why="three replicas")
        assert one.config_get("appendfsync") == {"appendfsync": "always"}
