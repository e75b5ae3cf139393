"""The inbox over HTTP."""

import json

import pytest

from plyscribe.service.live.inboxes import KEPT, SLACK, Letter
from tests.service.notifying import enter_letters, notify
from tests.service.test_live_api import SSE, is_among, parse
from tests.service.test_many_api import Club

INBOX = "/v1/players/me/events"


class Correspondence(Club):
    """Ann and Ben, and a stand-in for the relay that fills their inboxes."""

    def __init__(self, api, parts) -> None:
        super().__init__(api)
        self.parts, self._position = parts, ""

    def new_match(self, ruleset: str = "zhen", **more) -> str:
        return self.api.new_match(self.ann, [{"player": self.ann_id}, {"player": self.ben_id}], ruleset, **more)

    def relay(self) -> None:
        tail = self.parts.store.tail(self._position)
        self._position = tail.position
        notify(self.parts, tail.entries)

    def entries(self, token: str, query: str = "") -> list[dict]:
        return self.api.get(f"{INBOX}{query}", token).json["entries"]


@pytest.fixture
def post(api, parts) -> Correspondence:
    return Correspondence(api, parts)


def types(entries: list[dict]) -> list[str]:
    return [entry["type"] for entry in entries]


def test_who_reads_an_inbox_while_it_is_built_is_asked_to_wait(post, monkeypatch):
    post.new_match()
    post.relay()
    with monkeypatch.context() as building:
        building.setattr(post.parts.inboxes, "_is_built", False)
        refused = post.api.get(INBOX, post.ben)
    assert (refused.status_code, refused.json["code"]) == (503, "inbox/incomplete")
    assert refused.headers["Retry-After"] == "1"
    assert types(post.entries(post.ben)) == ["seat-offered"]


def test_pages_follow_each_other(post):
    for _ in range(5):
        post.new_match()
    post.relay()
    ids = [entry["id"] for entry in post.entries(post.ben)]
    pages = list(post.api.pages(f"{INBOX}?limit=2", post.ben))
    assert [entry["id"] for page in pages for entry in page["entries"]] == ids
    assert pages[-1]["newest"] == ids[-1]


def test_a_gap_stands_for_dropped_entries(post):
    post.new_match()
    post.relay()
    [first] = post.entries(post.ben)
    letters = [Letter(str(number), 0, b'{"type":"match-ended"}') for number in range(KEPT + SLACK)]
    enter_letters(post.parts.inboxes, {post.ben_id: letters})
    entries = post.entries(post.ben, f"?after={first['id']}&limit=1000")
    assert types(entries) == ["gap", *["match-ended"] * KEPT]
    assert first["id"] < entries[0]["id"] < entries[1]["id"]
    assert post.entries(post.ben, f"?after={entries[0]['id']}&limit=1000") == entries[1:]


def test_an_inbox_comes_live_after_the_last_event_id(post):
    post.new_match()
    post.new_match()
    post.relay()
    first, second = post.entries(post.ben)
    streamed = post.api.get(INBOX, post.ben, headers={**SSE, "Last-Event-ID": str(first["id"])}, buffered=False)
    got = b""
    while b"data" not in got:
        got += next(streamed.response)
    post.parts.live.close()
    [_, event] = parse(got.decode())
    assert (event["id"], event["event"]) == (str(second["id"]), "seat-offered")
    assert json.loads(event["data"]) == second


def test_a_revoked_token_ends_the_stream_of_an_inbox(post):
    post.new_match()
    post.relay()
    streamed = post.api.app.test_client().get(INBOX, headers={**SSE, "Authorization": f"Bearer {post.ben}"})
    chunks = streamed.iter_encoded()
    assert is_among(b"seat-offered", chunks)
    token = post.api.get("/v1/players/me/tokens", post.ben).json["tokens"][0]["id"]
    post.api.send("DELETE", f"/v1/players/me/tokens/{token}", post.ben)
    post.new_match()
    post.relay()
    assert not is_among(b"seat-offered", chunks)


def test_an_unreadable_match_does_not_block_the_inbox(post, monkeypatch):
    broken, whole = post.new_match(), post.new_match()
    load = post.parts.store.load_all

    def fail_for_one(stretches):
        if broken in {each.stream for each in stretches}:
            raise RuntimeError("no such thing")
        return load(stretches)

    monkeypatch.setattr(post.parts.store, "load_all", fail_for_one)
    post.relay()
    assert [entry["match"] for entry in post.entries(post.ben)] == [whole]
