"""Live streams over HTTP: requests and answers. tests/system shows with a real server that streams stay open."""

import json
from collections.abc import Iterator
from dataclasses import replace

import pytest

from plyscribe.service.access.allowances import network_of
from plyscribe.service.composition import compose
from plyscribe.service.store.memory import MemoryStore
from plyscribe.service.store.port import Loaded
from plyscribe.service.web.app import create_app
from tests.service.api import Api
from tests.service.conftest import CONFIG
from tests.service.test_matches_api import Two

SSE = {"Accept": "text/event-stream"}


class Played(Two):
    """A match of zhen between Ann and Ben, and its stream."""

    def __init__(self, api: Api) -> None:
        super().__init__(api, ruleset="zhen")

    def abort(self) -> None:
        self.api.post(f"{self.path}/abort", self.ann_token, {})

    def stream(self, **headers: str):
        return self.api.get(f"{self.path}/events", headers={**SSE, **headers})


@pytest.fixture
def played(api) -> Played:
    return Played(api)


def parse(text: str) -> list[dict[str, str]]:
    """The fields of each server-sent event."""
    blocks = [block.split("\n") for block in text.split("\n\n") if block]
    return [dict(line.partition(": ")[::2] for line in block) for block in blocks]


def test_a_stream_gives_each_event_as_the_pages_do_and_is_not_cached_or_buffered(played):
    played.abort()
    page = played.api.get(f"{played.path}/events").json["events"]
    streamed = played.stream()
    retry, *events, end = parse(streamed.text)
    assert retry == {"retry": "1000"}
    assert end == {"event": "end", "data": "{}"}
    assert [json.loads(event["data"]) for event in events] == page
    named = [(str(event["version"]), event["type"]) for event in page]
    assert [(event["id"], event["event"]) for event in events] == named
    assert streamed.mimetype == "text/event-stream"
    assert (streamed.headers["Cache-Control"], streamed.headers["X-Accel-Buffering"]) == ("no-store", "no")
    missing = played.api.get(f"/v1/matches/match-{'a' * 26}/events", headers=SSE)
    assert (missing.status_code, missing.json["code"]) == (404, "match/unknown")


@pytest.mark.parametrize("is_over", [False, True])
def test_who_has_read_further_than_a_match_goes_is_told_that_events_were_lost(played, is_over):
    if is_over:
        played.abort()
    version = played.api.get(played.path).json["version"]
    by_header = played.stream(**{"Last-Event-ID": str(version + 1)})
    by_query = played.api.get(f"{played.path}/events?after={version + 1}", headers=SSE)
    for lost in (by_header, by_query):
        assert (lost.status_code, lost.json["code"], lost.json["version"]) == (409, "stream/lost", version)


def test_a_stream_continues_after_the_last_event_id_or_the_version_in_the_query(played):
    played.abort()
    by_query = played.api.get(f"{played.path}/events?after=3", headers=SSE)
    for streamed in (played.stream(**{"Last-Event-ID": "3"}), by_query):
        assert [event.get("id") for event in parse(streamed.text)] == [None, "4", None]
    over = played.stream(**{"Last-Event-ID": "4"})
    assert (over.status_code, over.data) == (204, b"")


@pytest.mark.parametrize("id", ["x", "-1", "1.5", "٣", "9" * 17, ""])
def test_an_invalid_last_event_id_or_wait_is_refused(played, id):
    refused = played.stream(**{"Last-Event-ID": id})
    assert (refused.status_code, refused.json["code"]) == (400, "request/last-event-id")
    for wait in ("31", "-1", "x"):
        refused = played.api.get(f"{played.path}/events?wait={wait}")
        assert (refused.status_code, refused.json["code"]) == (422, "request/invalid")


class Guest:
    """A private match of Ann's, and Ben, who was seated by invitation."""

    def __init__(self, api: Api) -> None:
        self.api = api
        _, self.ann = api.sign_up()
        _, self.ben = api.sign_up("Ben")
        self.path = f"/v1/matches/{api.new_match(self.ann, [None, None], private=True)}"
        self.sit_down(1, self.ben)

    def invite(self, seat: int) -> str:
        return self.api.post(f"{self.path}/seats/{seat}/invitations", self.ann, {}).json["invitation"]

    def sit_down(self, seat: int, token: str) -> None:
        taken = self.api.post(f"{self.path}/seats/{seat}", token, {"invitation": self.invite(seat)})
        assert taken.status_code == 200

    def follow(self, token: str | None, query: str = ""):
        headers = {**SSE, **({"Authorization": f"Bearer {token}"} if token else {})}
        opened = self.api.app.test_client().get(f"{self.path}/events{query}", headers=headers)
        return opened.iter_encoded()


def is_among(word: bytes, chunks: Iterator[bytes]) -> bool:
    """Whether the stream contains this word; reads until it does or ends."""
    return any(word in chunk for chunk in chunks)


def leave(guest: Guest) -> None:
    guest.api.send("DELETE", f"{guest.path}/seats/1", guest.ben)


def revoke(guest: Guest) -> None:
    token = guest.api.get("/v1/players/me/tokens", guest.ben).json["tokens"][0]["id"]
    guest.api.send("DELETE", f"/v1/players/me/tokens/{token}", guest.ben)


def take_the_seat(guest: Guest) -> None:
    guest.api.post(f"{guest.path}/seats/2", guest.ann, {})


@pytest.mark.parametrize(
    ("end", "is_invited"), [(leave, False), (revoke, False), (take_the_seat, True), (take_the_seat, False)]
)
def test_who_may_not_read_a_private_match_any_more_has_no_stream_of_it_either(api, end, is_invited):
    guest = Guest(api)
    events = guest.follow(None, f"?invitation={guest.invite(2)}") if is_invited else guest.follow(guest.ben)
    assert is_among(b"seat-taken", events)
    end(guest)
    api.post(f"{guest.path}/abort", guest.ann, {})
    may_stay = (end, is_invited) == (take_the_seat, False)
    assert is_among(b"match-aborted", events) is may_stay
    for token, status in ((None, 404), (api.sign_up("Eve")[1], 404), (guest.ann, 200)):
        assert api.get(f"{guest.path}/events", token, headers=SSE).status_code == status


def test_the_store_is_read_once_for_each_event_however_many_follow_a_private_match(api, parts, monkeypatch):
    guest, load, loads = Guest(api), parts.matches._load, []
    followers = [guest.follow(guest.ben) for _ in range(20)]
    assert all(is_among(b"seat-taken", events) for events in followers)

    def count(stream: str, *args: object, **more: object) -> Loaded:
        loads.append(stream)
        return load(stream, *args, **more)

    monkeypatch.setattr(parts.matches, "_load", count)
    other_process = Api(create_app(compose(parts.config, parts.store)))
    other_process.post(f"{guest.path}/abort", guest.ann, {})
    assert all(is_among(b"match-aborted", events) for events in followers)
    # One load for the event, one that finds nothing after it, one state to check access by; the feed may begin late.
    assert 3 <= len(loads) <= 5


def serve(**settings: int) -> Played:
    """A match on a server with these settings."""
    return Played(Api(create_app(compose(replace(CONFIG, **settings), MemoryStore()))))


def test_too_many_streams_are_503_with_retry_after():
    full = serve(max_followers=0)
    refused = full.stream()
    assert (refused.status_code, refused.json["code"]) == (503, "live/full")
    assert refused.headers["Retry-After"] == "1"
    assert full.api.get(f"{full.path}/events").status_code == 200


def follow(shared: Played, token: str | None = None, address: str = "10.0.0.7"):
    """The answer. Its stream stays open for as long as the answer is referred to."""
    environ = {"REMOTE_ADDR": address}
    return shared.api.get(f"{shared.path}/events", token, headers=SSE, environ_overrides=environ)


def test_an_account_has_a_share_of_the_streams_and_without_a_token_an_address():
    shared = serve(max_followers_each=1)
    # A request for the head alone does not count.
    heads = [shared.api.send("HEAD", f"{shared.path}/events", shared.ann_token, headers=SSE) for _ in range(3)]
    assert [(head.status_code, head.mimetype) for head in heads] == [(200, "text/event-stream")] * 3
    opened = [follow(shared, shared.ann_token)]
    refused = follow(shared, shared.ann_token)
    assert (refused.status_code, refused.json["code"]) == (429, "live/share")
    assert refused.headers["Retry-After"] == "1"
    asked = [(shared.ann_token, "10.0.0.8"), (shared.ben_token, "10.0.0.7"), (None, "10.0.0.7"), (None, "10.0.0.7")]
    opened += [follow(shared, *each) for each in [*asked, (None, "10.0.0.8")]]
    assert [each.status_code for each in opened] == [200, 429, 200, 200, 429, 200]


def test_all_addresses_of_one_network_are_one_client():
    networks = {"10.0.0.7": "10.0.0.7", "2001:db8:1:2:3:4:5:6": "2001:db8:1:2::/64", "::ffff:10.0.0.7": "10.0.0.7"}
    networks["unknown"] = "unknown"
    assert {address: network_of(address) for address in networks} == networks


@pytest.mark.parametrize(("proxies", "told"), [(0, "10.0.0.7"), (1, "203.0.113.2"), (2, "203.0.113.1")])
def test_the_client_behind_the_configured_number_of_proxies_counts(monkeypatch, proxies, told):
    behind = serve(proxies=proxies)
    asked: list[str] = []
    monkeypatch.setattr("plyscribe.service.web.api.http.network_of", lambda address: asked.append(address) or address)
    forwarded = {**SSE, "X-Forwarded-For": "198.51.100.9, 203.0.113.1, 203.0.113.2"}
    behind.api.get(f"{behind.path}/events", headers=forwarded, environ_overrides={"REMOTE_ADDR": "10.0.0.7"})
    assert set(asked) == {told}
