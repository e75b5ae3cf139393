"""The application under gunicorn, as docs/operations.md says: real processes, a real store."""

import json
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


def test_a_client_that_leaves_amid_a_stream_frees_its_place_soon(threaded):
    with pair(threaded) as both:
        path = f"/v1/matches/{both.open_match('zhen')}/events"
        with stream(threaded, path) as left:
            assert ids(left.iter_lines(), 3) == [1, 2, 3]
            assert count_followers(threaded) == 1
        wait_for(lambda: count_followers(threaded) == 0, why="a free place")


def test_a_stream_goes_on_after_the_last_event_id(threaded):
    with pair(threaded) as both:
        match = both.open_match("zhen")
        path = f"/v1/matches/{match}/events"
        with stream(threaded, path) as first:
            assert ids(first.iter_lines(), 3) == [1, 2, 3]
        both.clients[0].move(match, "+5")
        with stream(threaded, path, **{"Last-Event-ID": "3"}) as second:
            lines = second.iter_lines()
            assert ids(lines, 4) == [4]
            both.clients[1].move(match, "+6")
            assert ids(lines, 5) == [5]


def test_a_page_waits_for_the_next_event(threaded):
    with pair(threaded) as both:
        match = both.open_match("zhen")
        mover = threading.Timer(0.5, lambda: both.clients[0].move(match, "+5"))
        mover.start()
        waited = httpx.get(f"{threaded}/v1/matches/{match}/events?after=3&wait=30", timeout=WITHIN_S)
        mover.join()
        assert [event["type"] for event in waited.json()["events"]] == ["move-made"]


@pytest.mark.parametrize("media", ["application/json", "text/event-stream", "application/x-ndjson"])
def test_who_asks_for_the_head_alone_waits_for_nothing(threaded, media):
    with pair(threaded) as both:
        match = both.open_match("zhen")
        head = httpx.head(f"{threaded}/v1/matches/{match}/events?after=3&wait=15", headers={"Accept": media})
    assert (head.status_code, head.headers["Content-Type"].partition(";")[0]) == (200, media)


def test_a_body_that_is_too_long_is_refused(threaded):
    with Client(threaded) as anyone:
        token = open_account(anyone, "Ann")["token"]
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json", "X-Request-Id": "mine"}
    refused = httpx.post(f"{threaded}/v1/matches", headers=headers, content=b" " * 70_000, timeout=60)
    assert (refused.status_code, refused.json()["code"]) == (413, "request/too-large")
    assert refused.headers["X-Request-Id"] == "mine"


def test_a_body_in_chunks_is_refused(threaded):
    with Client(threaded) as anyone:
        token = open_account(anyone, "Ann")["token"]
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    refused = httpx.post(f"{threaded}/v1/matches", headers=headers, content=iter([b"{}"]), timeout=60)
    assert (refused.status_code, refused.json()["code"]) == (411, "request/length-required")


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


def test_behind_a_proxy_the_client_that_it_names_has_the_share(store_url, tmp_path):
    options = (*THREADS, *end_streams_after(LONG_S, tmp_path))
    settings = {"PLYSCRIBE_STREAM_THREADS": "4", "PLYSCRIBE_PROXIES": "1"}
    with gunicorn(store_url, *options, **settings) as (_, url), pair(url) as both, ExitStack() as open_streams:
        path = f"/v1/matches/{both.open_match('zhen')}/events"
        statuses = [
            open_streams.enter_context(stream(url, path, **{"X-Forwarded-For": client})).status_code
            for client in ("203.0.113.1", "203.0.113.1", "203.0.113.1", "203.0.113.2")
        ]
    assert statuses == [200, 200, 429, 200]


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


def test_a_long_export_is_made_piece_by_piece(threaded):
    with pair(threaded) as both:
        match = both.open_match("zhen")
        with httpx.stream(
            "GET", f"{threaded}/v1/matches/{match}/events", headers={"Accept": "application/x-ndjson"}, timeout=60
        ) as export:
            assert export.headers["Transfer-Encoding"] == "chunked"
            *events, end = export.iter_lines()
    assert len(events) == json.loads(end)["count"] == 3


def test_a_missing_setting_is_named():
    argv = [*GUNICORN, "--bind", f"127.0.0.1:{free_port()}"]
    failed = subprocess.run(argv, env=environment(), cwd=ROOT, capture_output=True, text=True, timeout=WITHIN_S)
    assert failed.returncode != 0
    assert "REDIS_URL is not set" in failed.stderr
