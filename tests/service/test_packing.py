"""Answers that are packed with gzip, and the tags that they have."""

import gzip
import random
import zlib

import pytest
from werkzeug.test import TestResponse

from plyscribe.domain.rulesets import find_ruleset
from plyscribe.service.web import packing
from plyscribe.service.web.api.openapi import media_of
from plyscribe.service.web.pages.blueprint import HTML
from tests.service.api import Api

GZIP = {"Accept-Encoding": "gzip"}
NOT_PACKED = {"text/event-stream", "application/vnd.apache.parquet"}
"""Live streams, and what is packed in itself."""


@pytest.fixture(autouse=True)
def stopped_clock(monkeypatch) -> None:
    """Pages hold the time at which they were made."""
    monkeypatch.setattr("time.time_ns", lambda: 1_800_000_000_000_000_000)


@pytest.fixture
def match(api) -> str:
    """The path of a match with a few dozen moves."""
    ann, token = api.sign_up("Ann")
    path = f"/v1/matches/{api.new_match(token, [{'player': ann}] * 2)}"
    rules = find_ruleset("pathagon")
    state, chance = rules.initial_state(rules.parse_options({}), 2), random.Random(5)
    for _ in range(30):
        move = rules.sample_move(state, chance.randrange)
        assert api.post(f"{path}/moves", token, {"move": rules.format_move(state, move)}).status_code == 200
        state = rules.apply_move(state, move)
    return path


LONG = ["", "/events?limit=1000", "/bundle", "/verification", "/record", "/positions/9", "/legal-moves"]


def list_long(api: Api, match: str) -> list[tuple[str, dict[str, str]]]:
    """Requests with long answers in all media types."""
    page = match.removeprefix("/v1")
    asked = [
        *((match + path, {}) for path in LONG),
        (f"{match}/events", {"Accept": "application/x-ndjson"}),
        (f"{match}/positions/9", {"Accept": "image/svg+xml"}),
        (f"{page}/positions/9.svg", {}),
        *((path, {"Accept": HTML}) for path in (page, f"{page}/play", "/", "/rulesets", "/nothing/here")),
        *((path, {}) for path in ("/docs", "/openapi.yaml", "/healthz", "/v1/rulesets", "/v1/matches")),
    ]
    assert {200, 404} == {ask(api, path, headers).status_code for path, headers in asked}
    return asked


def ask(api: Api, path: str, headers: dict[str, str], method: str = "GET") -> TestResponse:
    """Send a request as a browser does. The pages are not documented."""
    return api.app.test_client().open(path, method=method, headers=headers)


def test_a_packed_answer_holds_what_the_plain_one_holds(api, match):
    packed_once = 0
    for path, headers in list_long(api, match):
        plain, packed = ask(api, path, headers), ask(api, path, headers | GZIP)
        assert packed.status_code == plain.status_code
        if "Content-Encoding" not in packed.headers:
            assert packed.status_code != 200 or len(plain.data) < packing.MIN_BYTES, path
            continue
        packed_once += 1
        assert "Content-Encoding" not in plain.headers
        assert len(packed.data) < len(plain.data), path
        assert gzip.decompress(packed.data) == plain.data, path
        assert packed.headers.get("Content-Length") in (None, str(len(packed.data)))
        assert packed.headers["Cache-Control"] == plain.headers["Cache-Control"]
    assert packed_once > 10


def test_whether_an_answer_is_packed_depends_on_what_the_client_takes(api, match):
    for asked in ("br", "gzip;q=0", "identity", "", "gzip;q=x", "\u00ff", "deflate;q=0.5, *;q=0"):
        assert "Content-Encoding" not in api.get(f"{match}/events", headers={"Accept-Encoding": asked}).headers, asked
    for asked in ("gzip", "GZIP", "br;q=1.0, gzip;q=0.1", "*", "deflate, gzip, " + "x" * 200):
        answered = api.get(f"{match}/events", headers={"Accept-Encoding": asked})
        assert answered.headers.get("Content-Encoding") == "gzip", asked


def test_every_answer_that_could_be_packed_varies_by_what_the_client_takes_and_head_has_its_headers(api, match):
    for path, headers in list_long(api, match):
        for asked in ({}, GZIP):
            head, get = (ask(api, path, headers | asked, method) for method in ("HEAD", "GET"))
            assert head.data == b""
            if get.status_code == 200:
                assert "Accept-Encoding" in get.vary, path
                assert get.headers["Vary"].count("Accept-Encoding") == 1
                for name in ("Content-Encoding", "Content-Length", "Content-Type", "ETag", "Vary", "Cache-Control"):
                    assert head.headers.get(name) == get.headers.get(name), (path, name)


@pytest.mark.parametrize("path", ["", "/bundle"])
def test_a_packed_answer_has_a_tag_of_its_own_and_both_tags_are_known_again(api, match, path):
    plain, packed = api.get(match + path), api.get(match + path, headers=GZIP)
    assert packed.headers["ETag"] == plain.headers["ETag"][:-1] + '-gzip"'
    for answered, asked in ((plain, {}), (plain, GZIP), (packed, GZIP)):
        again = api.get(match + path, headers={"If-None-Match": answered.headers["ETag"], **asked})
        assert (again.status_code, again.data) == (304, b"")
        assert again.headers["ETag"] == answered.headers["ETag"]
        assert "Accept-Encoding" in again.vary
        assert "Content-Encoding" not in again.headers
    # A client that takes no packed answers is not referred to the one it has.
    assert api.get(match + path, headers={"If-None-Match": packed.headers["ETag"]}).status_code == 200


def test_the_tag_of_a_packed_answer_can_be_sent_as_if_match_of_a_command_whose_answer_is_never_packed(api):
    ann, token = api.sign_up("Ann")
    body = {"ruleset": "pathagon", "seats": [{"player": ann}] * 2, "about": {"event": "x" * 200, "site": "y" * 200}}
    made = api.post("/v1/matches", token, body, headers=GZIP)
    assert len(made.data) > packing.MIN_BYTES
    assert "Content-Encoding" not in made.headers
    assert "Accept-Encoding" not in made.vary
    match = made.headers["Location"]
    tag = api.get(match, token, headers=GZIP).headers["ETag"]
    assert tag.endswith('-gzip"')
    assert api.post(f"{match}/moves", token, {"move": "d4"}, if_match=tag).status_code == 200
    assert api.post(f"{match}/moves", token, {"move": "d5"}, if_match=tag).status_code == 412


def test_every_medium_of_the_api_is_packed_except_live_streams_and_parquet(api):
    media = {
        each
        for rule in api.app.url_map.iter_rules()
        if "GET" in (rule.methods or ())
        for each in media_of(api.app.view_functions[rule.endpoint])
    }
    never = {each for each in media if not (each in packing.PACKED_MEDIA or each.startswith("text/"))}
    assert never | (media & packing.NEVER_PACKED) == NOT_PACKED


def test_a_long_answer_is_packed_piece_by_piece(api, match, monkeypatch):
    taken = []

    def produce():
        for number in range(1000):
            taken.append(number)
            yield b"%d %s\n" % (number, random.Random(number).randbytes(10_000))

    monkeypatch.setattr("plyscribe.service.web.api.events.queries.export_lines", lambda pages: produce())
    answered = api.get(f"{match}/events", headers={"Accept": "application/x-ndjson", **GZIP}, buffered=False)
    assert answered.headers["Content-Encoding"] == "gzip"
    assert "Content-Length" not in answered.headers
    unpack, chunks = zlib.decompressobj(16 + zlib.MAX_WBITS), answered.iter_encoded()
    while not (begun := unpack.decompress(next(chunks))):
        pass
    assert begun.startswith(b"0 ")
    assert len(taken) < 100
    answered.close()
