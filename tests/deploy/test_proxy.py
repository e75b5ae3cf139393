"""Caddy, with the kit's file, passes on requests while processes of the service come and go."""

import json
import os
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import httpx
import pytest

from plyscribe.service.client import Client, Problem
from plyscribe.service.client.connection import PASSING
from tests.deploy.kit import prepare_caddy
from tests.store.own_servers import free_port
from tests.system.running import wait_for

RECEIPT = {"match": "match-a", "version": 7, "events": []}
PAGE = {"Accept": "text/html,application/xhtml+xml"}


class Service(BaseHTTPRequestHandler):
    """Takes every move, and says which body came to which port."""

    protocol_version = "HTTP/1.1"
    wbufsize = -1
    """An answer is sent at once, not its head before its body: Caddy may close the connection when it has the head."""

    def do_GET(self) -> None:
        self._answer({"port": self.server.server_address[1]})

    def do_POST(self) -> None:
        length = int(self.headers.get("Content-Length", 0))
        if len(body := self.rfile.read(length)) == length:
            self._answer({**RECEIPT, "body": json.loads(body or "null")})

    def _answer(self, document: dict[str, object]) -> None:
        answer = json.dumps(document).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        # A connection that stays would be answered after the process has died.
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def service(port: int = 0) -> Iterator[int]:
    """The port of a process of the service."""
    with ThreadingHTTPServer(("127.0.0.1", port), Service) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_address[1]
        server.shutdown()


@contextmanager
def proxy(folder: Path, ports: Sequence[int]) -> Iterator[str]:
    """The address of Caddy in front of these ports."""
    url = f"http://127.0.0.1:{free_port()}"
    argv, env = prepare_caddy(url, ports, folder)
    with (folder / "caddy.log").open("wb") as log:
        caddy = subprocess.Popen(argv, env={**os.environ, **env}, stdout=log, stderr=log)
    try:
        # The proxy answers this itself.
        wait_for(lambda: httpx.get(f"{url}/metrics", timeout=60).status_code == 404, why="the proxy")
        yield url
    finally:
        caddy.terminate()
        caddy.wait(60)


@pytest.fixture(scope="module")
def living(tmp_path_factory) -> Iterator[str]:
    """The address of a service of one process."""
    with service() as port, proxy(tmp_path_factory.mktemp("living"), [port]) as url:
        yield url


@pytest.fixture
def half_dead(tmp_path) -> Iterator[str]:
    """The address of a service of two processes, of which one has just died."""
    with ExitStack() as dying, service() as survivor:
        ports = [survivor, dying.enter_context(service())]
        with proxy(tmp_path, ports) as url:
            wait_for(lambda: ask_often(url) == {*ports}, why="both processes")
            dying.close()
            yield url


@pytest.fixture
def away(tmp_path) -> Iterator[str]:
    """The address of a service of which no process runs."""
    with proxy(tmp_path, [free_port()]) as url:
        yield url


def ask_often(url: str) -> set[int | None]:
    """The ports of the processes that answer; None if none did."""
    with httpx.Client(base_url=url, timeout=60) as client:
        return {client.get("/v1/matches").json().get("port") for _ in range(30)}


def send_moves(url: str) -> list[httpx.Response]:
    with httpx.Client(base_url=url, timeout=60) as client:
        return [client.post("/v1/matches/match-a/moves", json={"move": f"a{at}"}) for at in range(30)]


def test_reads_notice_nothing_of_a_dead_process(half_dead):
    assert len(ask_often(half_dead)) == 1


def test_a_dead_process_keeps_no_moves_from_the_living_one(half_dead):
    answers = send_moves(half_dead)
    assert {answer.status_code for answer in answers} <= {200, 502}

    def are_all_taken() -> bool:
        answers = send_moves(half_dead)
        return [answer.json().get("body") for answer in answers] == [{"move": f"a{at}"} for at in range(30)]

    wait_for(are_all_taken, why="an answer to every move")


def test_the_client_sends_a_move_again_that_a_dead_process_did_not_get(half_dead):
    with Client(half_dead, "token") as client:
        for _ in range(20):
            assert client.move("match-a", "a1")["version"] == RECEIPT["version"]


def test_a_process_that_is_back_is_asked_again(tmp_path):
    with service() as one, ExitStack() as other:
        port = other.enter_context(service())
        with proxy(tmp_path, [one, port]) as url:
            wait_for(lambda: ask_often(url) == {one, port}, why="both processes")
            other.close()
            wait_for(lambda: {answer.status_code for answer in send_moves(url)} == {200}, why="an answer to every move")
            other.enter_context(service(port))
            wait_for(lambda: ask_often(url) == {one, port}, why="the process that is back")


@pytest.mark.parametrize(
    ("method", "length", "body"),
    [
        ("POST", "Content-Length: 1000", "{"),
        ("GET", "Content-Length: 1000", "{"),
        ("POST", "Content-Length: 1000", "x" * 1000),
        ("POST", "Content-Length: 18000000", "{"),
        ("POST", "Transfer-Encoding: chunked", "3\r\n{  \r\n"),
        ("POST", "Transfer-Encoding: chunked", "no length\r\n"),
    ],
)
def test_a_client_that_breaks_off_its_body_does_not_stop_the_service_for_others(living, method, length, body):
    port = httpx.URL(living).port
    with socket.create_connection(("127.0.0.1", port)) as client:
        head = f"{method} /v1/matches/match-a/moves HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{length}\r\n\r\n"
        client.sendall(f"{head}{body}".encode())
        # The proxy takes some time to pass it on, and again to see that it ends.
        time.sleep(0.2)
    for _ in range(5):
        time.sleep(0.1)
        assert httpx.post(f"{living}/v1/matches/match-a/moves", json={"move": "a1"}).is_success
        assert httpx.get(f"{living}/v1/matches").is_success


def test_a_program_learns_that_the_service_is_away(away):
    with Client(away, "token", retry_for_s=0) as client, pytest.raises(Problem, match="safe to send the request again"):
        client.move("match-a", "a1")
    answer = httpx.post(f"{away}/v1/matches/match-a/moves", json={"move": "a1"})
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.headers["retry-after"] == "1"
    problem = answer.json()
    assert problem["code"] == "server/unreachable"
    assert problem["type"] == "urn:plyscribe:problem:server:unreachable"
    assert problem["status"] == answer.status_code
    assert answer.status_code in PASSING


def test_a_reader_of_a_page_learns_that_the_service_is_away(away):
    answer = httpx.get(f"{away}/matches/match-a", headers=PAGE, timeout=60)
    assert answer.status_code in PASSING
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.headers["cache-control"] == "no-store"
    assert "Plyscribe does not answer" in answer.text
    assert "{" not in answer.text
