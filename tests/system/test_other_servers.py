"""The application under gunicorn, as docs/operations.md says: real processes, a real store."""

import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

from plyscribe.service.processes.embedded import start_server
from tests.system.running import KEY, ROOT, WITHIN_S, count_followers, environment, free_port, is_ready, pair, wait_for

GUNICORN = (sys.executable, "-m", "gunicorn", "plyscribe.service.web.app:create_app()", "--no-control-socket")
THREADS = ("--worker-class", "gthread", "--threads", "8")
STREAMS = """\
def post_worker_init(worker):
    from plyscribe.service.live import followers
    followers.THREAD_S = 12
"""
"""A stream lasts 12 seconds."""


@contextmanager
def gunicorn(folder: Path) -> Iterator[tuple["subprocess.Popen[bytes]", str]]:
    """A gunicorn of eight threads, four of which streams may hold."""
    port = free_port()
    (folder / "streams.py").write_text(STREAMS)
    argv = [*GUNICORN, "--bind", f"127.0.0.1:{port}", *THREADS, "--config", str(folder / "streams.py")]
    settings = {"PLYSCRIBE_SERVER_KEY": KEY, "PLYSCRIBE_READ_URL": "sqlite://", "PLYSCRIBE_SIGN_UP": "open"}
    limits = {"PLYSCRIBE_METRICS": "open", "PLYSCRIBE_STREAM_THREADS": "4"}
    with start_server(folder / "store") as store:
        server = subprocess.Popen(argv, env=environment(REDIS_URL=store.url, **settings, **limits), cwd=ROOT)
        try:
            url = f"http://127.0.0.1:{port}"
            wait_for(lambda: is_ready(url), why="gunicorn")
            yield server, url
        finally:
            server.terminate()
            server.wait(WITHIN_S)


def test_a_match_is_played_and_followed_and_a_server_that_stops_finishes_what_is_in_hand(tmp_path):
    with gunicorn(tmp_path) as (server, url), pair(url) as both:
        ann, ben = both.clients
        match = both.open_match("zhen", options={"tiles": 6, "cubes": 6, "ply_limit": 20})
        news = ben.follow(match)
        seen = [next(news)["version"]]
        both.play_out(match)
        versions = [event["version"] for event in ann.events(match)]
        # No worker runs here, so the match is never scored and its stream stays open.
        seen += [next(news)["version"] for _ in versions[1:]]
        assert seen == versions
        assert ann.export(match).count(b"\n") == len(seen) + 1
        news.close()

        path, last = f"{url}/v1/matches/{match}/events", versions[-1]
        wait_for(lambda: count_followers(url) == 0, why="a free place")
        answers: list[httpx.Response] = []
        with httpx.stream("GET", path, headers={"Accept": "text/event-stream"}, timeout=WITHIN_S) as live:
            lines = live.iter_lines()
            assert next(line for line in lines if line == f"id: {last}")
            page = f"{path}?after={last}&wait=15"
            waiting = threading.Thread(target=lambda: answers.append(httpx.get(page, timeout=WITHIN_S)))
            waiting.start()
            wait_for(lambda: count_followers(url) == 2, why="both")
            server.send_signal(signal.SIGTERM)
            # Whole, without a broken connection.
            assert "event: end" not in list(lines)
        waiting.join()
        assert server.wait(WITHIN_S) == 0
    assert [answer.json()["events"] for answer in answers] == [[]]
