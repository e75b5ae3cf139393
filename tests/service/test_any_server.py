"""The application under a WSGI server that is not ours: streams and waits take the request's own thread."""

import threading
from collections.abc import Iterable
from io import BytesIO
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, make_server
from wsgiref.validate import validator

import pytest
from werkzeug.test import EnvironBuilder

from plyscribe.service.client import Client
from plyscribe.service.composition import compose
from plyscribe.service.config import Config, ConfigError, parse_key
from plyscribe.service.live import followers
from plyscribe.service.store.memory import MemoryStore
from plyscribe.service.streams.patience import PATIENCE, PLACES
from plyscribe.service.web.any_server import AnyServer
from plyscribe.service.web.app import create_app
from plyscribe.service.web.handover import CROWDED, HOLD, HOLDS, MAX_LARGE, WAITED
from tests.service.api import Api
from tests.service.test_live import eventually
from tests.service.test_live_api import SSE, Played, parse

ONE_THREAD = {"wsgi.multithread": False}


def make_api(threads: int = 4, **more: Any) -> Api:
    config = Config("", "", parse_key("5a" * 32), open_sign_up=True, stream_threads=threads, **more)
    return Api(create_app(compose(config, MemoryStore())))


@pytest.fixture
def played() -> Played:
    return Played(make_api())


def test_a_page_that_waits_is_answered_once_there_is_news(played):
    answered: list[Any] = []

    def wait() -> None:
        answered.append(played.api.app.test_client().get(f"{played.path}/events?after=3&wait=30").json["events"])

    thread = threading.Thread(target=wait)
    thread.start()
    live = played.api.app.extensions["plyscribe"].live
    eventually(lambda: live._counted)
    assert answered == []
    played.abort()
    thread.join(20)
    assert [event["type"] for event in answered[0]] == ["match-aborted"]
    eventually(lambda: not live._counted)


def test_a_page_waits_in_vain_until_its_time_is_up_and_not_at_all_where_no_thread_can_be_spared(played, monkeypatch):
    monkeypatch.setattr(followers, "THREAD_S", 0.05)
    page = f"{played.path}/events?after=3&wait=30"
    assert played.api.get(page).json["events"] == []
    assert len(played.api.get(f"{played.path}/events?wait=30").json["events"]) == 3
    monkeypatch.undo()
    assert played.api.get(page, environ_overrides=ONE_THREAD).json["events"] == []
    without = Played(make_api(threads=0))
    assert without.api.get(f"{without.path}/events?after=3&wait=30").json["events"] == []


def test_streams_take_no_more_threads_than_they_may_and_one_client_no_more_than_half(played):
    refused = played.api.get(f"{played.path}/events", headers=SSE, environ_overrides=ONE_THREAD)
    assert (refused.status_code, refused.json["code"], refused.headers["Retry-After"]) == (503, "live/full", "1")
    assert played.api.send("HEAD", f"{played.path}/events", headers=SSE).status_code == 200
    opened = [played.stream() for _ in range(3)]
    assert [each.status_code for each in opened] == [200, 200, 429]
    opened += [played.api.get(f"{played.path}/events", played.ann_token, headers=SSE) for _ in range(2)]
    refused = played.api.get(f"{played.path}/events", played.ben_token, headers=SSE)
    assert (refused.status_code, refused.json["code"], refused.headers["Retry-After"]) == (503, "live/full", "1")
    for each in opened:
        each.close()
    eventually(lambda: played.api.get(f"{played.path}/events", played.ben_token, headers=SSE).status_code == 200)


def test_a_stream_leaves_its_thread_after_a_while_and_can_be_continued(played, monkeypatch):
    monkeypatch.setattr(followers, "THREAD_S", 3.0)
    events = parse(played.stream().text)
    assert [event["id"] for event in events if "id" in event] == ["1", "2", "3"]
    assert "end" not in [event.get("event") for event in events]
    played.abort()
    monkeypatch.setattr(followers, "THREAD_S", 20.0)
    _, last, end = parse(played.stream(**{"Last-Event-ID": "3"}).text)
    assert (last["id"], end["event"]) == ("4", "end")


def test_a_stream_without_news_shows_soon_whether_its_client_is_there(played, monkeypatch):
    monkeypatch.setattr(followers, "THREAD_BEAT_S", 0.01)
    monkeypatch.setattr(followers, "THREAD_S", 1.5)
    assert played.stream().data.count(b":\n\n") > 2


def ask(app: Any, path: str, headers: dict[str, str] | None = None) -> tuple[str, Iterable[bytes]]:
    """What a server gets from the application: the status, and the body that it has not begun to take."""
    begun: list[str] = []
    environ = EnvironBuilder(path, headers=headers or {}, multithread=True).get_environ()
    chunks = app(environ, lambda status, headers, exc_info=None: begun.append(status))
    [status] = begun
    return status, chunks


def test_a_client_that_leaves_before_the_first_byte_frees_its_place(played):
    status, chunks = ask(played.api.app, f"{played.path}/events", headers=SSE)
    live = played.api.app.extensions["plyscribe"].live
    assert (status, len(live._counted)) == ("200 OK", 1)
    chunks.close()
    eventually(lambda: not live._counted)


def test_our_own_server_is_handed_the_follower_instead(played):
    environ = EnvironBuilder(f"{played.path}/events", headers=SSE).get_environ() | {HOLDS: True}
    chunks = played.api.app(environ, lambda status, headers, exc_info=None: None)
    assert list(chunks) == []
    environ[HOLD].stop()


def test_an_answer_is_begun_once_though_the_application_is_called_twice(played, monkeypatch):
    monkeypatch.setattr(followers, "THREAD_S", 0.05)
    status, chunks = ask(played.api.app, f"{played.path}/events?after=3&wait=30")
    assert (status, b'"events":[]' in b"".join(chunks).replace(b" ", b"")) == ("200 OK", True)


def test_few_large_bodies_are_held_at_a_time():
    hold, crowded = threading.Event(), []

    def app(environ: dict[str, Any], start: Any) -> list[bytes]:
        crowded.append(environ.get(CROWDED))
        if environ.get(CROWDED) is None:
            hold.wait(60)
        start("200 OK", [])
        return []

    wrapped = AnyServer(app, 10, {"/large": 20})
    environ = {"CONTENT_LENGTH": "11", "PATH_INFO": "/large", "wsgi.input": BytesIO()}
    threads = [threading.Thread(target=wrapped, args=(environ, lambda *_: None)) for _ in range(MAX_LARGE)]
    for thread in threads:
        thread.start()
    eventually(lambda: len(crowded) == MAX_LARGE)
    wrapped(environ, lambda *_: None)
    assert crowded == [None] * MAX_LARGE + [True]
    hold.set()
    for thread in threads:
        thread.join(20)
    for length, path in (("10", "/large"), ("11", "/small"), ("21", "/large"), ("x", "/large"), ("11", "/large")):
        wrapped({"CONTENT_LENGTH": length, "PATH_INFO": path, "wsgi.input": BytesIO()}, lambda *_: None)
    assert crowded[MAX_LARGE + 1 :] == [None] * 5


def test_a_second_call_says_that_the_request_has_waited(monkeypatch):
    class News:
        wait_s = 1

        def wait(self) -> None:
            seen.append("waits")

    seen: list[Any] = []

    def app(environ: dict[str, Any], start: Any) -> list[bytes]:
        seen.append(environ.get(WAITED))
        if WAITED not in environ:
            environ[HOLD] = News()
        start("200 OK", [])
        return [b"page"]

    environ: dict[str, Any] = {}
    assert list(AnyServer(app, 10, {})(environ, lambda *_: None)) == [b"page"]
    assert seen[:2] == [None, "waits"]
    assert isinstance(seen[2], News)
    assert environ == {}


def test_an_application_without_parts_makes_them_from_the_environment(monkeypatch):
    monkeypatch.delenv("PLYSCRIBE_SERVER_KEY_FILE", raising=False)
    monkeypatch.setattr(PATIENCE, "places", PLACES)
    monkeypatch.setenv("PLYSCRIBE_READ_URL", "sqlite://")
    for name, value in (("REDIS_URL", "redis://127.0.0.1:1"), ("PLYSCRIBE_SERVER_KEY", "5a" * 32)):
        monkeypatch.delenv(name, raising=False)
        with pytest.raises(ConfigError, match=f"{name} is not set"):
            create_app()
        monkeypatch.setenv(name, value)
    client = create_app().test_client()
    assert PATIENCE.places == 1, "this server may have few threads"
    assert client.get("/healthz").status_code == 200
    assert client.get("/readyz").json["code"] == "store/unavailable"


class _Quiet(WSGIRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        """Write nothing."""


def test_the_application_keeps_to_wsgi_by_the_word_of_the_standard_library():
    app = make_api().app
    with make_server("127.0.0.1", 0, validator(app), handler_class=_Quiet) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            with Client(f"http://127.0.0.1:{server.server_port}") as anyone:
                ann = anyone.sign_up("Ann")
            with Client(anyone.url, ann["token"]) as client:
                match = client.create_match("zhen", [{"player": ann["player"]}] * 2)["match"]
                client.move(match, "+5")
                client.move(match, "+6")
                assert [event["type"] for event in client.events(match)][-2:] == ["move-made"] * 2
                assert client.export(match)
        finally:
            server.shutdown()
            thread.join(20)
