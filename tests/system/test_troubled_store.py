"""Real processes over a store in trouble: what they say, and that they go on afterwards."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import httpx
import pytest
from redis import Redis

from plyscribe.service.processes.children import PAUSE_FIRST
from plyscribe.service.processes.embedded import EmbeddedServer, find_binary, start_server
from plyscribe.service.store.redis import connect_client
from plyscribe.service.streams.patience import PLACES
from tests.store.own_servers import own_server
from tests.system.programs import KEY, ROOT, WITHIN_S, environment, run_module
from tests.system.running import free_port, is_ready, pair, serving, wait_for, web

MOVES = 150


class Crowd:
    """Many clients that move at the same time, and again after each refusal, until they are told to stop."""

    def __init__(self, url: str, match: str, token: str) -> None:
        self.answers: list[httpx.Response] = []
        self.waiting: set[int] = set()
        """The requests without an answer, numbered as they were sent."""

        self._numbers = count()
        self._url = f"{url}/v1/matches/{match}/moves"
        self._token = token
        self._stop = threading.Event()
        self._threads = [threading.Thread(target=self._move, args=[client]) for client in range(MOVES)]
        for thread in self._threads:
            thread.start()

    def _move(self, client: int) -> None:
        headers = {"Authorization": f"Bearer {self._token}", "Idempotency-Key": f"key-{client}"}
        with httpx.Client(headers=headers, timeout=WITHIN_S) as http:
            while not self._stop.is_set():
                number = next(self._numbers)
                self.waiting.add(number)
                self.answers.append(http.post(self._url, json={"move": "+5"}))
                self.waiting.discard(number)
                self._stop.wait(1.0)

    def end(self) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()


@contextmanager
def stopped(store: EmbeddedServer) -> Iterator[None]:
    os.kill(store.process.pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(store.process.pid, signal.SIGCONT)


@contextmanager
def killed(store: EmbeddedServer) -> Iterator[None]:
    store.process.kill()
    store.process.wait()
    yield


@pytest.mark.parametrize("trouble", [stopped, killed])
def test_health_is_answered_before_the_moves_that_wait_for_the_store(tmp_path, trouble):
    open_to_all = {"PLYSCRIBE_SIGN_UP": "open", "PLYSCRIBE_METRICS": "open"}
    with start_server(tmp_path / "store") as store, web(store.url, **open_to_all) as (_, url), pair(url) as both:
        match = both.open_match("zhen")
        with trouble(store):
            crowd = Crowd(url, match, both.clients[0].token)
            wait_for(lambda: len(crowd.waiting) >= PLACES, why="the crowd")
            # The process looks at its store at intervals.
            wait_for(lambda: not is_ready(url), why="the notice of the trouble")
            outlasted = set()

            def ask_all() -> bool:
                for path, status in (("/healthz", 200), ("/readyz", 503), ("/metrics", 200)):
                    oldest = min(list(crowd.waiting), default=None)
                    answer = httpx.get(f"{url}{path}", timeout=WITHIN_S)
                    assert answer.status_code == status
                    if oldest in crowd.waiting:
                        outlasted.add(path)
                assert "plyscribe_store_up 0.0" in answer.text
                return outlasted == {"/healthz", "/readyz", "/metrics"}

            earlier = "each of them to be answered before a move that was sent earlier"
            wait_for(ask_all, within_s=WITHIN_S, why=earlier)
            crowd.end()
        assert {answer.status_code for answer in crowd.answers} == {503}
        assert {answer.json()["code"] for answer in crowd.answers} == {"store/unavailable"}
        assert all(answer.headers["Retry-After"] == "1" for answer in crowd.answers)


COMMANDS = {
    "web": ["plyscribe", "web", "--port", str(free_port())],
    "verify": ["plyscribe.workers", "verify"],
    "relay": ["plyscribe.workers", "relay"],
    "serve": ["plyscribe", "serve"],
    "rebuild": ["plyscribe", "rebuild"],
    "check": ["plyscribe", "rules", "check", "zhen", "--version", "1"],
}


TEXT_LOG = {"PLYSCRIBE_SERVER_KEY": KEY, "PLYSCRIBE_READ_URL": "sqlite://", "PLYSCRIBE_LOG": "text"}


def start(name: str, data: Path, **env: str) -> subprocess.CompletedProcess[str]:
    command = COMMANDS[name] + (["--data", str(data)] if name in ("serve", "rebuild") else [])
    return run_module(*command, **TEXT_LOG, **env)


@pytest.mark.parametrize("name", COMMANDS)
def test_no_process_starts_on_a_server_that_cannot_be_the_store(tmp_path, name):
    binary = find_binary().path
    with (
        own_server(binary, tmp_path / "node", "--cluster-enabled", "yes") as node,
        own_server(binary, tmp_path / "closed", "--requirepass", "right") as closed,
    ):
        for url, why in (
            (node.url, "this server is a node of a cluster"),
            (closed.url.replace("//", "//:wrong@"), "the store refuses the password"),
        ):
            ended = start(name, tmp_path / "data", REDIS_URL=url)
            assert ended.returncode in (1, 2, PAUSE_FIRST)
            [line] = [line for line in ended.stderr.splitlines() if line.startswith("error: ")]
            assert why in line
            assert "Traceback" not in ended.stderr


@pytest.mark.parametrize("name", ["relay", "serve"])
def test_no_process_starts_with_its_queues_on_a_cluster(tmp_path, redis_url, name):
    with own_server(find_binary().path, tmp_path / "node", "--cluster-enabled", "yes") as node:
        ended = start(name, tmp_path / "data", REDIS_URL=redis_url, RQ_REDIS_URL=node.url)
    assert ended.returncode in (1, PAUSE_FIRST)
    assert "error: the queues' server cannot be used (RQ_REDIS_URL): this server is a node of a cluster" in ended.stderr
    assert "Traceback" not in ended.stderr


IS_AT_WORK = {"verify": "rq:workers", "relay": "relay:deadlines:watched"}


@contextmanager
def logging_to(path: Path, name: str, **env: str) -> Iterator[Callable[[], str]]:
    """A process, and what it has logged so far. It must still run at the end."""
    given = environment(**TEXT_LOG, **env)
    with path.open("wb") as out:
        child = subprocess.Popen([sys.executable, "-m", *COMMANDS[name]], env=given, cwd=ROOT, stdout=out, stderr=out)
    try:
        yield lambda: path.read_text()
        assert child.poll() is None, path.read_text()
    finally:
        child.terminate()
        child.wait(60)


@pytest.mark.parametrize("name", ["verify", "relay"])
def test_workers_and_relay_live_through_a_changed_password(tmp_path, name):
    with own_server(find_binary().path, tmp_path / "store") as server, Redis(port=server.port) as operator:
        operator.execute_command("ACL", "SETUSER", "us", "on", ">old", "~*", "&*", "+@all")
        url = server.url.replace("//", "//us:old@")
        with logging_to(tmp_path / "log", name, REDIS_URL=url) as said:
            wait_for(lambda: operator.exists(IS_AT_WORK[name]), why=name)
            operator.execute_command("ACL", "SETUSER", "us", "resetpass", ">new")
            operator.execute_command("CLIENT", "KILL", "USER", "us")
            wait_for(lambda: "the store refuses the password" in said(), why="the line in the log")
            operator.execute_command("ACL", "SETUSER", "us", "resetpass", ">old")
            operator.delete(IS_AT_WORK[name], "rq:workers:verify")
            wait_for(lambda: any(each["user"] == "us" for each in operator.client_list()), why="the return")
            time.sleep(1.0)
        assert "Traceback" not in said()


@pytest.mark.parametrize("name", ["verify", "relay"])
def test_workers_and_relay_wait_for_a_store_that_is_not_there_yet(tmp_path, name):
    directory = tmp_path / "store"
    directory.mkdir(mode=0o700)
    with logging_to(tmp_path / "log", name, REDIS_URL=f"unix://{directory}/store.sock") as said:
        wait_for(lambda: "waiting for the store, next try in" in said(), why="the line in the log")
        with start_server(directory) as server, connect_client(server.url, 60.0) as redis:
            wait_for(lambda: redis.exists(IS_AT_WORK[name]), why=name)
            server.process.kill()
            server.process.wait()
        with start_server(directory) as server, connect_client(server.url, 60.0) as redis:
            wait_for(lambda: redis.client_list(), why="the return")
            time.sleep(2.0)
    assert "Traceback" not in said()


def test_serve_starts_a_process_again_after_a_pause_as_long_as_the_store_is_unfit(tmp_path, redis_url):
    data, port = tmp_path / "data", free_port()
    with (
        Redis.from_url(redis_url) as operator,
        serving(data, port, REDIS_URL=redis_url, PLYSCRIBE_SERVER_KEY=KEY) as it,
    ):
        operator.config_set("maxmemory-policy", "allkeys-lru")
        it.kill("relay")
        log = data / "log" / "relay.log"
        wait_for(lambda: log.read_text().count("error: the store cannot be used") >= 2, why="two refusals")
        assert it.process.poll() is None
        operator.config_set("maxmemory-policy", "noeviction")
        operator.delete("relay:deadlines:watched")
        wait_for(lambda: operator.exists("relay:deadlines:watched"), why="the relay")
        assert "Traceback" not in log.read_text()
