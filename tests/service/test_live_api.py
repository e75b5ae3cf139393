"""Live streams over HTTP: what is asked and answered. That they stay open is shown with the real server."""

import json

import pytest

from service.app import create_app
from service.composition import compose
from service.config import Config, parse_key
from service.store.memory import MemoryStore
from tests.service.api import Api

SSE = {"Accept": "text/event-stream"}


class Played:
    """A match of zhen between Ann and Ben, ended by Ben; its stream of eight events."""

    def __init__(self, api: Api) -> None:
        self.api = api
        ann_id, self.ann = api.sign_up()
        _, self.ben = api.sign_up("Ben")
        self.match = api.new_match(self.ann, [{"player": ann_id}, None], "zhen")
        self.path = f"/v1/matches/{self.match}"
        api.post(f"{self.path}/seats/2", self.ben, {})

    def abort(self) -> None:
        self.api.post(f"{self.path}/abort", self.ann, {})

    def stream(self, **headers: str):
        return self.api.get(f"{self.path}/events", headers={**SSE, **headers})


@pytest.fixture
def played(api) -> Played:
    return Played(api)


def parse(text: str) -> list[dict[str, str]]:
    """The fields of each server-sent event."""
    blocks = [block.split("\n") for block in text.split("\n\n") if block]
    return [dict(line.partition(": ")[::2] for line in block) for block in blocks]


def test_a_stream_gives_each_event_as_the_pages_do(played):
    played.abort()
    page = played.api.get(f"{played.path}/events").json["events"]
    retry, *events, end = parse(played.stream().text)
    assert retry == {"retry": "1000"}
    assert end == {"event": "end", "data": "{}"}
    assert [json.loads(event["data"]) for event in events] == page
    assert [(event["id"], event["event"]) for event in events] == [
        (str(event["version"]), event["type"]) for event in page
    ]


def test_a_stream_is_not_to_be_kept_or_held_up_on_its_way(played):
    played.abort()
    answered = played.stream()
    assert answered.mimetype == "text/event-stream"
    assert answered.headers["Cache-Control"] == "no-store"
    assert answered.headers["X-Accel-Buffering"] == "no"


def test_a_stream_goes_on_after_the_last_event_id(played):
    played.abort()
    assert [event.get("id") for event in parse(played.stream(**{"Last-Event-ID": "3"}).text)] == [None, "4", None]


def test_a_stream_begins_after_the_version_that_the_query_names(played):
    played.abort()
    streamed = played.api.get(f"{played.path}/events?after=3", headers=SSE)
    assert [event.get("id") for event in parse(streamed.text)] == [None, "4", None]


def test_there_is_nothing_to_connect_for_again_once_all_was_seen(played):
    played.abort()
    answered = played.stream(**{"Last-Event-ID": "4"})
    assert (answered.status_code, answered.data) == (204, b"")


@pytest.mark.parametrize("id", ["x", "-1", "1.5", "٣", "9" * 17, ""])
def test_an_id_that_is_none_of_ours_is_refused(played, id):
    refused = played.stream(**{"Last-Event-ID": id})
    assert (refused.status_code, refused.json["code"]) == (400, "request/last-event-id")


def test_a_match_that_is_not_there_has_no_stream(api):
    missing = api.get(f"/v1/matches/match-{'a' * 26}/events", headers=SSE)
    assert (missing.status_code, missing.json["code"]) == (404, "match/unknown")


def test_only_who_may_read_a_private_match_may_follow_it(api):
    ann_id, ann = api.sign_up()
    _, eve = api.sign_up("Eve")
    match = api.new_match(ann, [{"player": ann_id}, None], private=True)
    api.post(f"/v1/matches/{match}/abort", ann, {})
    assert api.get(f"/v1/matches/{match}/events", headers=SSE).status_code == 404
    assert api.get(f"/v1/matches/{match}/events", eve, headers=SSE).status_code == 404
    answered = api.get(f"/v1/matches/{match}/events", ann, headers=SSE)
    assert "match-aborted" in answered.text


def test_where_no_more_streams_can_be_open_it_is_told_when_to_come_again():
    config = Config("", "", parse_key("5a" * 32), open_sign_up=True, max_followers=0)
    full = Played(Api(create_app(compose(config, MemoryStore()))))
    refused = full.stream()
    assert (refused.status_code, refused.json["code"]) == (503, "live/full")
    assert refused.headers["Retry-After"] == "1"
    assert full.api.get(f"{full.path}/events").status_code == 200


def test_a_page_may_be_asked_to_wait(played):
    assert played.api.get(f"{played.path}/events?after=3&wait=30").json["events"] == []
    assert len(played.api.get(f"{played.path}/events?wait=30").json["events"]) == 3


@pytest.mark.parametrize("wait", ["31", "-1", "x"])
def test_a_wait_has_bounds(played, wait):
    refused = played.api.get(f"{played.path}/events?wait={wait}")
    assert (refused.status_code, refused.json["code"]) == (422, "request/invalid")


def test_a_body_that_came_too_slowly_is_refused_and_its_key_not_burnt(played):
    late = {"data": b"", "content_type": "application/json", "environ_overrides": {"plyscribe.late": 30.0}, "key": "k"}
    refused = played.api.post(f"{played.path}/abort", played.ann, **late)
    assert (refused.status_code, refused.json["code"]) == (408, "request/too-slow")
    assert played.api.post(f"{played.path}/abort", played.ann, {}, key="k").status_code == 200
