"""Live streams from the real server."""

import socket
import threading
from contextlib import ExitStack

import httpx

from plyscribe.service.client import Client
from tests.system.followers import Crowd
from tests.system.running import WITHIN_S, count_followers, is_ready, open_account, pair, serving, wait_for, web

OPEN = {"PLYSCRIBE_SIGN_UP": "open"}


def everything(client: Client, match: str) -> list[int]:
    return [event["version"] for event in client.events(match)]


def test_nothing_is_missed_or_doubled_across_deaths(tmp_path):
    with serving(tmp_path / "data") as service, pair(service.url) as both:
        ann = both.clients[0]
        match = both.open_match("zhen")
        with Crowd(service.url, f"/v1/matches/{match}/events", 20) as crowd:
            wait_for(lambda: crowd.have([1, 2, 3]), why="the first events")
            for number, victim in enumerate(("web", "store", "web", "store", "web"), 1):
                service.kill(victim)
                both.move(match)
                wait_for(lambda: is_ready(service.url), WITHIN_S, "the service")
                both.move(match)
                wait_for(lambda number=number: crowd.have(list(range(1, 4 + 2 * number))), why="what was played")
            assert crowd.have(everything(ann, match))
            assert max(stream.connections for stream in crowd.streams) > 3


def test_a_server_that_is_told_to_stop_ends_streams_and_finishes_what_is_in_hand(redis_url):
    with web(redis_url, **OPEN, PLYSCRIBE_METRICS="open") as (server, url), pair(url) as both:
        match = both.open_match("zhen")
        with httpx.stream(
            "GET", f"{url}/v1/matches/{match}/events", headers={"Accept": "text/event-stream"}, timeout=WITHIN_S
        ) as live:
            lines = live.iter_lines()
            assert next(lines) == "retry: 1000"
            waiting = threading.Thread(target=lambda: answers.append(httpx.get(f"{url}{page}", timeout=WITHIN_S)))
            answers: list[httpx.Response] = []
            page = f"/v1/matches/{match}/events?after=3&wait=30"
            waiting.start()
            wait_for(lambda: count_followers(url) == 2, why="both")
            server.terminate()
            told = list(lines)
        assert server.wait(WITHIN_S) == 0
        waiting.join()
    assert "event: end" not in told
    assert [answer.json()["events"] for answer in answers] == [[]]


def test_streams_are_bounded_and_one_client_leaves_places_to_others(redis_url):
    most = {"PLYSCRIBE_MAX_FOLLOWERS": "4", "PLYSCRIBE_MAX_FOLLOWERS_EACH": "3"}
    with web(redis_url, **OPEN, **most) as (_, url), pair(url) as both:
        match = both.open_match("zhen")
        path, live = f"/v1/matches/{match}/events", {"Accept": "text/event-stream"}
        with Crowd(url, path, 3) as crowd:
            wait_for(lambda: crowd.have([1, 2, 3]), why="the first events")
            refused = httpx.get(f"{url}{path}", headers=live, timeout=WITHIN_S)
            assert (refused.status_code, refused.json()["code"]) == (429, "live/share")
            news = both.clients[0].follow(match)
            assert next(news)["version"] == 1
            token = {"Authorization": f"Bearer {both.clients[1].token}"}
            refused = httpx.get(f"{url}{path}", headers={**live, **token}, timeout=WITHIN_S)
            assert (refused.status_code, refused.json()["code"]) == (503, "live/full")
            both.clients[0].move(match, "+5")
            wait_for(lambda: crowd.have([1, 2, 3, 4]), why="the move")
            news.close()
        wait_for(lambda: opens(url, path), why="a free place")


def opens(url: str, path: str) -> bool:
    with httpx.stream("GET", f"{url}{path}", headers={"Accept": "text/event-stream"}, timeout=WITHIN_S) as stream:
        return stream.status_code == 200


def test_followers_that_read_nothing_hold_nobody_up(redis_url):
    with web(redis_url, **OPEN) as (_, url), pair(url) as both, ExitStack() as lazy:
        match = both.open_match("zhen")
        port = int(url.rpartition(":")[2])
        for _ in range(100):
            connection = lazy.enter_context(socket.create_connection(("127.0.0.1", port)))
            lines = f"GET /v1/matches/{match}/events HTTP/1.1", "Host: localhost", "Accept: text/event-stream", "", ""
            connection.sendall("\r\n".join(lines).encode())
        with Crowd(url, f"/v1/matches/{match}/events", 10) as crowd:
            for tile in range(1, 6):
                both.clients[(tile + 1) % 2].move(match, f"+{tile}")
            wait_for(lambda: crowd.have(list(range(1, 9))), why="the moves")


def test_bodies_that_never_come_hold_nobody_up(redis_url):
    with web(redis_url, **OPEN) as (_, url), ExitStack() as slow:
        port = int(url.rpartition(":")[2])
        for _ in range(300):
            connection = slow.enter_context(socket.create_connection(("127.0.0.1", port)))
            connection.sendall(b"POST /v1/players HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n")
            connection.sendall(b"Content-Length: 50\r\n\r\n{")
        # After 30 s they are sent away.
        wait_for(lambda: is_ready(url), within_s=WITHIN_S, why="an answer")
        with Client(url, retry_for_s=0.0) as client:
            assert open_account(client, "Ann")["kind"] == "person"
