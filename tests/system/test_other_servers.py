"""The application under gunicorn, as docs/operations.md says: real processes, a real store."""

import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from plyscribe.service.client import Client
from plyscribe.service.processes.embedded import start_server
from tests.system.running import (
    KEY,
    ROOT,
    WITHIN_S,
    count_followers,
    environment,
    free_port,
    is_ready,
    open_account,
    pair,
    wait_for,
)

pytestmark = pytest.mark.server

GUNICORN = (sys.executable, "-m", "gunicorn", "plyscribe.service.web.app:create_app()", "--no-control-socket")
THREADS = ("--worker-class", "gthread", "--threads", "8")
SSE = {"Accept": "text/event-stream"}
STREAMS = """\
def post_worker_init(worker):
    from plyscribe.service.live import followers
    followers.THREAD_S = {seconds}
"""
LONG_S = 300
"""How long streams last where a test needs them open for as long as it takes."""


def end_streams_after(seconds: int, directory: Path) -> tuple[str, str]:
    """Options of a gunicorn whose streams last so long."""
    config = directory / "streams.py"
    config.write_text(STREAMS.format(seconds=seconds))
    return "--config", str(config)


@pytest.fixture(scope="module")
def store_url(tmp_path_factory) -> Iterator[str]:
    with start_server(tmp_path_factory.mktemp("store")) as store:
        yield store.url


@contextmanager
def gunicorn(store_url: str, *options: str, **env: str) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    port = free_port()
    argv = [*GUNICORN, "--bind", f"127.0.0.1:{port}", *options]
    keyed = {"PLYSCRIBE_SERVER_KEY": KEY, "PLYSCRIBE_READ_URL": "sqlite://"}
    settings = {"REDIS_URL": store_url, "PLYSCRIBE_SIGN_UP": "open", **keyed, **env}
    settings["PLYSCRIBE_METRICS"] = "open"
    server = subprocess.Popen(argv, env=environment(**settings), cwd=ROOT)
    try:
        url = f"http://127.0.0.1:{port}"
        wait_for(lambda: is_ready(url), why="gunicorn")
        yield server, url
    finally:
        server.terminate()
        server.wait(WITHIN_S)


@pytest.fixture(scope="module")
def shared(store_url, tmp_path_factory) -> Iterator[str]:
    """A gunicorn of eight threads, four of which streams may hold."""
    options = (*THREADS, *end_streams_after(LONG_S, tmp_path_factory.mktemp("shared")))
    with gunicorn(store_url, *options, PLYSCRIBE_STREAM_THREADS="4") as (_, url):
        yield url


@pytest.fixture
def threaded(shared) -> Iterator[str]:
    """The same, with no stream open before and after."""
    yield shared
    wait_for(lambda: count_followers(shared) == 0, why="the end of all streams")


def test_a_match_is_played_and_followed_to_its_end(threaded):
    with pair(threaded) as both:
        ann, ben = both.clients
        match = both.open_match("zhen", options={"tiles": 6, "cubes": 6, "ply_limit": 20})
        seen: list[Any] = []
        # No worker runs here, so the match is never scored and its stream has no end of its own.
        watcher = threading.Thread(target=lambda: seen.extend(_until(ben.follow(match), "match-ended")))
        watcher.start()
        both.play_out(match, lambda match: ann.legal_moves(match)[0])
        watcher.join(WITHIN_S)
        assert [event["version"] for event in seen] == [event["version"] for event in ann.events(match)]
        assert ann.export(match).count(b"\n") == len(seen) + 1


def _until(events: Iterator[Any], type: str) -> Iterator[Any]:
    for event in events:
        yield event
        if event["type"] == type:
            return


def stream(url: str, path: str, **headers: str) -> Any:
    return httpx.stream("GET", f"{url}{path}", headers={**SSE, **headers}, timeout=WITHIN_S)


def ids(lines: Iterator[str], upto: int) -> list[int]:
    """The ids of a stream's events up to this one."""
    found: list[int] = []
    for line in lines:
        if line.startswith("id: "):
            found.append(int(line[4:]))
            if found[-1] == upto:
                break
    return found


def test_a_body_in_chunks_or_one_that_is_too_long_is_refused(threaded):
    with Client(threaded) as anyone:
        token = open_account(anyone, "Ann")["token"]
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    for content, problem in (
        (iter([b"{}"]), (411, "request/length-required")),
        (b" " * 70_000, (413, "request/too-large")),
    ):
        refused = httpx.post(f"{threaded}/v1/matches", headers=headers, content=content, timeout=60)
        assert (refused.status_code, refused.json()["code"]) == problem


def test_streams_leave_threads_to_everybody_else(threaded):
    with pair(threaded) as both, ExitStack() as open_streams:
        match = both.open_match("zhen")
        path = f"/v1/matches/{match}/events"
        tokens = [{"Authorization": f"Bearer {client.token}"} for client in both.clients]
        # A stream is closed when nobody holds its lines any more.
        held = [
            open_streams.enter_context(stream(threaded, path, **headers)).iter_lines() for headers in (*tokens, *tokens)
        ]
        assert [next(lines) for lines in held] == ["retry: 1000"] * 4
        refused = httpx.get(f"{threaded}{path}", headers=SSE, timeout=60)
        assert (refused.status_code, refused.json()["code"]) == (503, "live/full")
        assert refused.headers["Retry-After"] == "1"
        assert both.clients[0].move(match, "+5")["version"] == 4


def test_a_server_that_is_told_to_stop_finishes_streams_and_what_is_in_hand(store_url, tmp_path):
    options = (*THREADS, *end_streams_after(12, tmp_path))
    with gunicorn(store_url, *options, PLYSCRIBE_STREAM_THREADS="4") as (server, url), pair(url) as both:
        match = both.open_match("zhen")
        answers: list[httpx.Response] = []
        page = f"{url}/v1/matches/{match}/events?after=3&wait=15"
        with stream(url, f"/v1/matches/{match}/events") as live:
            lines = live.iter_lines()
            assert ids(lines, 3) == [1, 2, 3]
            waiting = threading.Thread(target=lambda: answers.append(httpx.get(page, timeout=WITHIN_S)))
            waiting.start()
            wait_for(lambda: count_followers(url) == 2, why="both")
            server.send_signal(signal.SIGTERM)
            # Whole, without a broken connection.
            assert "event: end" not in list(lines)
        waiting.join()
        assert server.wait(WITHIN_S) == 0
    assert [answer.json()["events"] for answer in answers] == [[]]


def test_without_threads_all_is_served_but_what_would_wait(store_url):
    with gunicorn(store_url) as (_, url), pair(url) as both:
        ann = both.clients[0]
        match = both.open_match("zhen", options={"tiles": 6, "cubes": 6, "ply_limit": 20})
        both.play_out(match, lambda match: ann.legal_moves(match)[0])
        version = ann.match(match)["version"]
        # It does not wait.
        page = f"{url}/v1/matches/{match}/events?after={version}&wait=30"
        assert httpx.get(page, timeout=29).json()["events"] == []
        refused = httpx.get(f"{url}/v1/matches/{match}/events", headers=SSE, timeout=60)
        assert (refused.status_code, refused.json()["code"]) == (503, "live/full")
