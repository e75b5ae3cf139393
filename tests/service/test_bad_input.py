"""Any bad input gets a problem document with a stable code, and nothing is stored."""

import json
from hashlib import sha256

import pytest

from plyscribe.service.store.port import StoreUnavailable
from tests.service.test_matches_api import Two


@pytest.fixture
def two(api) -> Two:
    return Two(api)


JSON = "application/json"


def post_raw(two: Two, data: bytes, content_type: str = JSON):
    return two.api.post(f"{two.path}/moves", two.ann_token, data=data, content_type=content_type)


@pytest.mark.parametrize(
    "raw",
    [b"{", b"\xff\xfe", b"nonsense", b"[" * 60_000, b'{"a":' * 5000 + b"1" + b"}" * 5000]
    + [b'{"move": "\xc3\x28"}', b'{"move": "d4", "move": "d5"}', b'{"move": NaN}', b'{"move": "\\ud800"}']
    + [
        b'{"seat": %s, "move": "d4"}' % seat
        for seat in (b"1e400", b"1e99999999999999999999", b"1." + b"0" * 500 + b"1")
    ],
)
def test_an_ambiguous_body_is_refused_as_unreadable(two, raw):
    refused = post_raw(two, raw)
    assert (refused.status_code, refused.json["code"]) == (400, "request/unreadable")
    assert refused.mimetype == "application/problem+json"
    assert two.get().json["ply"] == 0


@pytest.mark.parametrize(
    "body",
    [[], "d4", None, {}, {"move": 7}, {"move": None}, {"move": 1.5}, {"move": "d4", "why": "x"}]
    + [{"move": "d4", "seat": seat} for seat in (True, "1", 0, 1.5, 2**64 + 1, 2**53 - 1)],
)
def test_an_invalid_body_is_refused_field_by_field(two, body):
    refused = post_raw(two, json.dumps(body).encode())
    assert (refused.status_code, refused.json["code"]) == (422, "request/invalid")
    assert refused.json["errors"]
    assert two.get().json["ply"] == 0


@pytest.mark.parametrize(
    "move",
    ["", "x" * 257, "x" * 60_000, "d4\u0000", "\u0000", "d4\n", " d4", "d４", "D4", "d4-d4-d4", "'; FLUSHALL", "日本"],
)
def test_a_move_in_odd_characters_is_bad_notation(two, move):
    refused = two.move(move, two.ann_token)
    assert (refused.status_code, refused.json["code"]) == (422, "move/bad-notation")


@pytest.mark.parametrize(("path", "limit"), [("/v1/matches", 64 * 1024), ("/v1/imports", 16 * 1024 * 1024)])
def test_a_body_that_is_too_large_is_told_the_limit(api, path, limit):
    _, token = api.sign_up()
    refused = api.post(path, token, data=b" " * (limit + 1), content_type=JSON)
    assert (refused.status_code, refused.json["code"]) == (413, "request/too-large")
    assert refused.json["detail"] == f"the body has {limit + 1} bytes; {path} takes at most {limit}"


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""])
def test_a_body_without_the_media_type_of_json_is_refused(two, kind):
    refused = post_raw(two, b'{"move": "d4"}', kind)
    assert (refused.status_code, refused.json["code"]) == (415, "request/unsupported-media-type")


def test_an_unknown_method_is_a_problem_too(api):
    refused = api.send("PUT", "/v1/rulesets")
    assert (refused.status_code, refused.json["code"]) == (405, "request/method-not-allowed")
    assert "GET" in refused.headers["Allow"]


@pytest.mark.parametrize(
    "path",
    ["/v1/nothing", "/v1//rulesets", "/v1/rulesets/"]
    + [f"/v1/{odd}" for odd in ("matches/%00", "matches/%ff%fe", "matches/..%2f..%2fetc", "%F0%9F")]
    + [f"{{match}}/positions/{number}" for number in ("٠", "1_0", "+1", "9" * 40)]
    + [f"{{open}}/seats/{seat}" for seat in ("18446744073709551616", "9" * 15, "0")],
)
def test_odd_paths_are_not_found_and_numbers_in_them_are_plain_digits(two, path):
    path = path.format(match=two.path, open=f"/v1/matches/{two.api.new_match(two.ann_token)}")
    answer = two.api.post(path, two.ann_token) if "/seats/" in path else two.api.get(path)
    assert answer.status_code == 404
    assert answer.json["code"]


@pytest.mark.parametrize("query", ["limit=1_0", "limit=٣", "limit=+3", "limit= 3", "limit=3.0", "after=" + "9" * 400])
def test_numbers_in_queries_are_plain_digits(two, query):
    assert two.get(f"/events?{query}").json["code"] == "request/invalid"


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("limit=3&limit=3", "limit: It can be given only once."),
        ("since=1767225600", "In milliseconds it is 1767225600000"),
    ],
)
def test_a_query_that_is_probably_a_mistake_is_refused_with_a_hint(api, query, said):
    refused = api.get(f"/v1/matches?{query}")
    assert (refused.status_code, said in refused.json["detail"]) == (422, True), refused.json
    assert api.get("/v1/matches?since=1767225600000&until=999999999").status_code == 200


@pytest.mark.parametrize(("before", "after", "why"), [("\ufeff", "", "byte order mark"), ("\r\n", "}", "not JSON")])
def test_a_body_that_cannot_be_read_names_the_cause(two, before, after, why):
    body = f'{before}{{"move": "d4"}}{after}'.encode()
    refused = two.api.post(f"{two.path}/moves", two.ann_token, data=body, content_type="application/json")
    assert (refused.status_code, why in refused.json["detail"]) == (400, True), refused.json


def test_every_answer_has_the_id_of_its_request(api):
    problem = api.get("/v1/nothing", headers={"X-Request-Id": "abc-123"})
    assert (problem.headers["X-Request-Id"], problem.json["instance"]) == ("abc-123", "urn:plyscribe:request:abc-123")
    assert api.get("/healthz", headers={"X-Request-Id": "a b\tc"}).headers["X-Request-Id"] != "a b\tc"


def test_dice_that_are_recorded_cannot_be_shared_and_the_servers_secret_is_told_at_the_end(api):
    (ann, token), (_, ben) = api.sign_up("Ann"), api.sign_up("Ben")
    guests = {"seats": [{"name": "Ada"}, {"name": "Bea"}], "recorded": True, "dice": "recorded", "shared_dice": 2}
    assert api.post("/v1/matches", token, {"ruleset": "toy", **guests}).json["code"] == "dice/shared"
    path = f"/v1/matches/{api.new_match(token, [{'player': ann}, None], 'toy')}"
    api.post(f"{path}/seats/2", ben, {"entropy": "ben"})
    api.post(f"{path}/entropy", token, {"entropy": "ann"})
    dice = api.get(path).json["dice"]
    assert (dice["mode"], dice["secret"]) == ("server", None)
    api.post(f"{path}/withdrawal", token)
    assert sha256(bytes.fromhex(api.get(path).json["dice"]["secret"])).hexdigest() == dice["commitment"]


@pytest.mark.parametrize("values", [[], [0], [-1], [1.5], ["1"], [True], [2**60], None, [1] * 1001])
def test_impossible_rolls_are_refused(api, values):
    _, token = api.sign_up()
    match = api.new_match(token, [{"name": "A"}, {"name": "B"}], "toy", recorded=True, dice="recorded")
    refused = api.post(f"/v1/matches/{match}/rolls", token, {"values": values})
    assert refused.status_code in (400, 422)
    assert api.get(f"/v1/matches/{match}").json["version"] == 2


def test_an_answer_reveals_nothing_about_an_internal_error_but_its_id(api, parts, monkeypatch):
    monkeypatch.setattr(parts.matches, "read", lambda *_: {}["secret detail"])
    failed = api.get(f"/v1/matches/match-{'a' * 26}")
    assert (failed.status_code, failed.json["code"]) == (500, "server/error")
    assert "secret" not in failed.text


@pytest.mark.parametrize("name", [" ", "Ada ", "A\nda", "", "x" * 65])
def test_names_of_guests_follow_the_rules_for_names_of_players(api, name):
    _, token = api.sign_up()
    body = {"ruleset": "zhen", "seats": [{"name": name}, {"name": "Bea"}], "recorded": True}
    assert api.post("/v1/matches", token, body).json["code"] == "request/invalid"


def test_an_unreachable_store_is_503_with_retry_after(two, parts, monkeypatch):
    def away(*_: object, **__: object) -> None:
        raise StoreUnavailable("away")

    for name in ("append", "append_all", "load", "describe"):
        monkeypatch.setattr(parts.store, name, away)
        # What wraps it keeps its functions.
        monkeypatch.setattr(parts.store.within, name, away)
    monkeypatch.setattr(parts.matches, "_append_within_s", 0.1)
    monkeypatch.setattr(parts.matches, "_load_within_s", 0.1)
    for refused in (two.move("d4", two.ann_token), two.get(), two.api.get("/readyz")):
        assert (refused.status_code, refused.json["code"]) == (503, "store/unavailable")
        assert refused.headers["Retry-After"] == "1"
    assert two.api.get("/healthz").status_code == 200


def test_a_body_whose_end_is_unknown_or_that_broke_off_is_refused_and_its_key_can_be_used_again(two):
    path = f"{two.path}/withdrawal"
    chunked = {"headers": {"Transfer-Encoding": "chunked"}, "content_type": JSON}
    refused = two.api.post(path, two.ann_token, **chunked)
    assert (refused.status_code, refused.json["code"]) == (411, "request/length-required")
    # The server passes on a truncated body as if it were complete.
    cut = {"data": b"", "content_type": JSON, "content_length": 30, "key": "k"}
    refused = two.api.post(path, two.ann_token, environ_overrides={"wsgi.input_terminated": True}, **cut)
    assert (refused.status_code, refused.json["code"]) == (400, "request/truncated")
    assert two.get().json["status"] == "playing"
    assert two.api.post(path, two.ann_token, {"cause": "resigned"}, key="k").status_code == 200


def test_parameters_of_a_media_type_are_ignored_and_a_command_counts_whatever_its_client_accepts(two):
    for accept in ("text/plain; charset=utf-8", "text/*", "text/plain;q=0.9, application/json;q=0.1"):
        assert two.get("/positions/0", headers={"Accept": accept}).mimetype == "text/plain"
    assert two.get("/positions/0", headers={"Accept": "image/png, text/plain"}).mimetype == "text/plain"
    assert two.move("d4", two.ann_token, headers={"Accept": "text/csv"}).status_code == 200


def test_a_repeated_body_is_parsed_or_refused_the_same_way(two):
    for body in ({"move": "d4", "sat": 1}, {"move": 4}):
        first, second = (post_raw(two, json.dumps(body).encode()) for _ in range(2))
        assert first.status_code == second.status_code == 422
        assert first.json["errors"] == second.json["errors"]
    move = two.api.get(f"/v1/matches/{two.match}/legal-moves").json["moves"][0]
    body = json.dumps({"move": move}).encode()
    assert post_raw(two, body).json["events"][0]["data"]["move"] == move
    assert post_raw(two, body).json["code"] == "move/not-your-turn"


def test_a_refusal_names_a_nested_field_with_its_path(api):
    body = {"ruleset": "zhen", "seats": [None, {"bot": 7}], "limits": {"move_ms": "soon", "more": 1}}
    refused = api.post("/v1/matches", api.sign_up()[1], body)
    assert (refused.status_code, refused.json["code"]) == (422, "request/invalid")
    for detail in ("limits.move_ms: Not a valid integer.; limits.more: Unknown field.", "seats[1]."):
        assert detail in refused.json["detail"]


@pytest.mark.parametrize("path", ["/v1/matches", "/v1/players", "/v1/rulesets", "/healthz"])
def test_a_reader_that_accepts_no_form_of_a_resource_is_refused(api, path):
    refused = api.get(path, headers={"Accept": "application/x-ndjson"})
    assert refused.mimetype == "application/problem+json"
    assert (refused.status_code, refused.json["code"]) == (406, "request/not-acceptable")
    assert refused.json["detail"] == "this resource is available as application/json"
    for fine in ("application/json", "*/*", "application/*;q=0.5", "text/html, */*;q=0.1", ""):
        assert api.get(path, headers={"Accept": fine}).status_code == 200
    assert api.get("/v1/nothing", headers={"Accept": "application/x-ndjson"}).status_code == 404


def test_a_whole_number_with_a_fraction_is_an_integer_but_options_take_whole_numbers_alone(two):
    assert post_raw(two, b'{"seat": 1.0, "move": "d4"}').status_code == 200
    assert post_raw(two, b'{"seat": 10e-1, "move": "d4"}').json["code"] == "move/not-your-turn"
    for size, status in ((b"7.5", 422), (b"0.7e1", 201), (b"1e-300", 422)):
        raw = b'{"ruleset": "pathagon", "seats": [null, null], "options": {"size": %b}}' % size
        assert two.api.post("/v1/matches", two.ann_token, data=raw, content_type=JSON).status_code == status
