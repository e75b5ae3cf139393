"""Whatever a bundle says, the server answers every request about it, and its log stays free of errors.

A sample is drawn from the mutations of `hostile_bundles`, always the same; `-m long` draws a larger one.
"""

import logging
from collections.abc import Iterable, Iterator
from random import Random
from typing import Any

import pytest
from werkzeug.test import TestResponse

from plyscribe.service.composition import Parts
from plyscribe.service.web.api.http import BUNDLE
from plyscribe.workers.check_import import check_import
from tests.service.api import Api
from tests.service.hostile_bundles import MATCH, STORIES, VALUES, Raw, format_forged, mutate, mutate_later, tell_story

SAMPLE = 14
"""Mutations of each story that are tried in a short run."""

LONG_SAMPLE = 120
"""The same in a long run. The whole table of a story takes minutes."""

FILES = ("", "/events", "/bundle", "/record", "/verification", "/legal-moves", "/legal-moves/next", "/annulment")
PAGES = ("", "/news?after=0", "/verification", "/play", "/record")
LISTS = ("/v1/matches?limit=200", "/v1/players?limit=200")
LIST_PAGES = ("/", "/matches?limit=200", "/play", "/record", "/players")
HTML = {"Accept": "text/html"}


class Server:
    """The server under attack, and the account that attacks it."""

    def __init__(self, api: Api, parts: Parts, log: pytest.LogCaptureFixture) -> None:
        self.parts, self.log = parts, log
        _, token = api.sign_up("Eve")
        self._authorization = {"Authorization": f"Bearer {token}"}
        self._client = api.app.test_client()

    def ask(self, method: str, path: str, headers: dict[str, str] | None = None, **request: Any) -> TestResponse:
        """The answer, which must be one that the server meant to give."""
        given = {**self._authorization, **(headers or {})}
        answer = self._client.open(path, method=method, headers=given, **request)
        assert answer.data is not None
        assert answer.status_code < 500, f"{method} {path} {headers} is answered {answer.status_code}"
        return answer

    def take(self, raws: list[Raw]) -> str | None:
        """The address of the match, imported and judged; None if the bundle is refused."""
        bundle = format_forged(raws)
        if bundle is None:
            return None
        taken = self.ask("POST", "/v1/imports", data=bundle, content_type=BUNDLE)
        if taken.status_code != 202:
            assert taken.status_code == 422
            return None
        assert check_import(self.parts, taken.json["import"]) in ("verified", "refuted")
        return str(taken.json["address"])

    def read_all(self, address: str) -> None:
        """Ask for everything there is of a match."""
        state = self.parts.matches.read(address)
        plies = sorted({0, state.play.ply if state.play else 0})
        for path in FILES:
            self.ask("GET", f"/v1/matches/{address}{path}")
        for accept in ("application/x-ndjson", "text/event-stream"):
            overrides = {"wsgi.multithread": True}
            self.ask("GET", f"/v1/matches/{address}/events", {"Accept": accept}, environ_overrides=overrides)
        for ply in plies:
            for accept in ("application/json", "text/plain", "image/svg+xml"):
                self.ask("GET", f"/v1/matches/{address}/positions/{ply}", {"Accept": accept})
        for page in (*PAGES, *(f"/positions/{ply}" for ply in plies), "/positions/0.svg"):
            self.ask("GET", f"/matches/{address}{page}", HTML)

    def act_on(self, address: str) -> None:
        """Try to make something of a match."""
        last = self.parts.matches.read(address).play
        plies = {0, last.ply if last else 0}
        for body in [{"ply": ply, "dice": dice} for ply in plies for dice in ("fresh", "same")]:
            made = self.ask("POST", f"/v1/matches/{address}/forks", json=body)
            if made.status_code == 201:
                self.ask("GET", f"/v1/matches/{made.json['match']}")
                self.ask("GET", f"/matches/{made.json['match']}", HTML)
        for path, body in (("duplicates/2", {"seats": [None, None]}), ("rematch", {}), ("moves", {"move": "x"})):
            assert self.ask("POST", f"/v1/matches/{address}/{path}", json=body).status_code == 409

    def read_lists(self) -> None:
        """Ask for every list that a match could be in."""
        for path in LISTS:
            following: str | None = path
            while following:
                following = self.ask("GET", following).json["next"]
        for path in LIST_PAGES:
            self.ask("GET", path, HTML)


@pytest.fixture
def server(api: Api, parts: Parts, caplog: pytest.LogCaptureFixture) -> Iterator[Server]:
    caplog.set_level(logging.ERROR)
    yield Server(api, parts, caplog)
    assert not [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR]


def attack(server: Server, mutations: Iterable[tuple[str, list[Raw]]]) -> int:
    """Send each mutation and ask for everything; the number of bundles that were taken."""
    taken = 0
    for name, raws in mutations:
        try:
            address = server.take(raws)
            if address is not None:
                taken += 1
                server.read_all(address)
                server.act_on(address)
        except BaseException as error:
            error.add_note(f"mutation: {name}")
            raise
    server.read_lists()
    return taken


def test_the_stories_are_taken_as_they_are(server):
    assert attack(server, [(name, tell_story(name)) for name in STORIES]) == len(STORIES)


@pytest.mark.parametrize("sample", [SAMPLE, pytest.param(LONG_SAMPLE, marks=pytest.mark.long)])
@pytest.mark.parametrize("story", STORIES)
def test_a_hostile_bundle_never_breaks_an_answer(server, story, sample):
    mutations = [*mutate(tell_story(story)), *mutate_later(tell_story(story))]
    assert attack(server, Random(story).sample(mutations, min(sample, len(mutations)))) > 0


def change(raws: list[Raw], type: str, **fields: Any) -> list[Raw]:
    """The events, with other values in those of this type."""
    return [{**raw, "data": {**raw["data"], **fields}} if raw["type"] == type else raw for raw in raws]


@pytest.mark.parametrize(
    ("story", "type", "fields"),
    [
        *(("rolled", "match-scored", {"points": points}) for points in ([], [2], [2, 0, 0])),
        *(("drawn", "match-ended", {"ranks": ranks}) for ranks in ([], [1], [1, 2, 3])),
    ],
)
def test_points_and_ranks_are_for_the_seats_of_the_match(server, story, type, fields):
    assert attack(server, [(f"{fields}", change(tell_story(story), type, **fields))]) == 1


@pytest.mark.parametrize(("name", "value"), [("count", 10_000), ("purpose", "x"), ("seat", 9), ("sides", 3)])
def test_a_match_whose_rolls_are_not_due_is_not_forked(server, name, value):
    address = server.take(change(tell_story("recorded"), "dice-rolled", **{name: value}))
    assert address is not None
    refused = server.ask("POST", f"/v1/matches/{address}/forks", json={"ply": 0})
    assert (refused.status_code, refused.json["code"]) == (409, "match/damaged")


@pytest.mark.parametrize("field", ["tournament", "parent", "about", "limits", "options", "dice", "seats"])
def test_the_terms_of_a_match_are_taken_only_in_their_shape(server, field):
    created = {f"{field} {value!r}": change(tell_story("drawn"), "match-created", **{field: value}) for value in VALUES}
    attack(server, created.items())


@pytest.mark.parametrize(
    "text", [rb'"\ud800"', rb'"\udc00\ud800"', b"1.5", b"1e3", b"9007199254740992", b'"\xff"', b"[" * 9_999]
)
def test_what_json_readers_read_differently_is_refused(server, text):
    raws = change(tell_story("drawn"), "match-created", about={"place": "@@"})
    lines = format_forged(raws).replace(b'"@@"', text)
    refused = server.ask("POST", "/v1/imports", data=lines, content_type=BUNDLE)
    assert (refused.status_code, refused.json["code"]) == (422, "bundle/unreadable")
    assert server.ask("GET", f"/v1/matches/{MATCH}").status_code == 404
