"""What the steps of a match did, over HTTP: in pages, with positions, in live streams and in text records."""

import json
from typing import Any

import pytest

from tests.service.api import Api
from tests.service.test_live_api import is_among, parse

TRAP = ("c3", "c4", "c5")
GERMAN = {"Accept-Language": "de-AT,de;q=0.9,en;q=0.5"}
TEXT = {"Accept": "text/plain"}
SSE = {"Accept": "text/event-stream"}


class Evening:
    """A match of Pathagon between Ann and Ben, in which Ann traps a piece with her second move."""

    def __init__(self, api: Api, **more: Any) -> None:
        self.api = api
        (ann, self.ann), (_, self.ben) = api.sign_up("Ann"), api.sign_up("Ben")
        self.match = api.new_match(self.ann, [{"player": ann}, None], "pathagon", **more)
        self.path = f"/v1/matches/{self.match}"
        made = api.post(f"{self.path}/seats/2/invitations", self.ann, {}).json if more.get("private") else {}
        assert api.post(f"{self.path}/seats/2", self.ben, {"invitation": made.get("invitation")}).status_code == 200
        for move, token in zip(TRAP, (self.ann, self.ben, self.ann), strict=True):
            assert self.try_move(move, token).status_code == 200

    def try_move(self, move: str, token: str, **more: Any):
        return self.api.post(f"{self.path}/moves", token, {"move": move}, **more)

    def effects(self, query: str = "", **headers: str):
        return self.api.get(f"{self.path}/effects{query}", headers=headers)


def sentences_in(page: dict[str, Any]) -> list[str]:
    return [sentence for step in page["steps"] for sentence in step["sentences"]]


@pytest.fixture
def evening(api: Api) -> Evening:
    return Evening(api)


def recorded(api: Api, *steps: tuple[str, dict[str, Any]], ruleset: str = "pathagon") -> tuple[str, str]:
    """A match that a recorder enters for Ada and Bea; its path and the token."""
    _, token = api.sign_up()
    dice = {} if ruleset == "pathagon" else {"dice": "recorded"}
    path = f"/v1/matches/{api.new_match(token, [{'name': 'Ada'}, {'name': 'Bea'}], ruleset, recorded=True, **dice)}"
    for what, body in steps:
        assert api.post(f"{path}/{what}", token, body).status_code == 200
    return path, token


def test_each_effect_is_of_a_kind_that_the_ruleset_describes(evening):
    page = evening.effects().json
    kinds = {
        each["properties"]["kind"]["const"]
        for each in evening.api.get("/v1/rulesets/pathagon").json["effects"]["oneOf"]
    }
    assert {effect["kind"] for step in page["steps"] for effect in step["effects"]} <= kinds


def test_the_sentences_are_in_the_language_of_the_query_or_the_first_that_the_request_prefers(evening):
    answered = evening.effects("?from=2&to=2", **GERMAN)
    assert sentences_in(answered.json) == ["Ben setzt einen Stein aus dem Vorrat auf c4."]
    assert answered.headers["Content-Language"] == "de"
    assert {"Accept", "Accept-Language"} <= set(answered.vary)
    for preferred in ("de;q=0, fr", ";;=,*"):
        assert evening.effects(**{"Accept-Language": preferred}).headers["Content-Language"] == "en"
    assert evening.effects("?language=en", **GERMAN).headers["Content-Language"] == "en"


def test_pages_follow_each_other_without_a_gap(evening):
    first = evening.effects("?limit=2").json
    assert [step["ply"] for step in first["steps"]] == [1]
    second = evening.api.get(first["next"]).json
    assert [step["ply"] for step in second["steps"]] == [2, 3]
    assert second["next"] is None
    assert evening.effects("?from=1&to=2&limit=1").json["next"].endswith("?from=2&to=2&limit=1")
    assert evening.effects("?from=1&to=2").json["next"] is None
    assert evening.effects("?limit=2", **TEXT).text.endswith(f"\n\nnext: {evening.path}/effects?limit=2&from=2\n")
    beyond = evening.effects("?from=4").json
    assert (beyond["steps"], beyond["next"]) == ([], None)


@pytest.mark.parametrize("query", ["from=-1", "from=x", "limit=0", "limit=201", "language=fr", "lang=de"])
def test_a_wrong_value_is_refused_by_its_name(evening, query):
    refused = evening.effects(f"?{query}")
    assert (refused.status_code, refused.json["code"]) == (422, "request/invalid")
    assert list(refused.json["errors"]) == [query.partition("=")[0]]


def test_a_client_that_has_the_page_in_this_language_gets_304_until_the_page_changes(evening):
    before, tag = evening.effects("?to=2"), evening.effects().headers["ETag"]
    known = evening.effects(**{"If-None-Match": tag})
    assert (known.status_code, known.headers["ETag"], known.data) == (304, tag, b"")
    assert evening.effects(**GERMAN, **{"If-None-Match": tag}).status_code == 200
    assert evening.try_move("a1", evening.ben).status_code == 200
    assert evening.effects(**{"If-None-Match": tag}).status_code == 200
    after = evening.effects("?to=2")
    assert (after.json, after.headers["ETag"]) == (before.json, before.headers["ETag"])


def test_only_readers_of_a_private_match_are_told_what_happened_in_it(api):
    evening = Evening(api, private=True)
    _, eve = api.sign_up("Eve")
    for token in (None, eve):
        assert api.get(f"{evening.path}/effects", token).json["code"] == "match/unknown"
    told = api.get(f"{evening.path}/effects", evening.ben)
    assert len(told.json["steps"]) == 3
    assert "public" not in told.headers["Cache-Control"]
    assert {"Authorization", "Cookie"} <= set(told.vary)


@pytest.mark.parametrize(
    ("commands", "kind", "seat", "end"),
    [
        ([("withdrawal", {})], "withdrawal", 2, "Ben is in place 2."),
        ([("draw", {"action": "offer"}), ("draw", {"action": "agree"})], "draw", None, "Ben is in place 1."),
    ],
)
def test_what_ends_a_match_belongs_to_the_position_that_it_ends(evening, commands, kind, seat, end):
    for (path, body), token in zip(commands, (evening.ben, evening.ann), strict=False):
        evening.api.post(f"{evening.path}/{path}", token, body)
    step = evening.effects("?from=3").json["steps"][-1]
    assert (step["kind"], step["seat"], step["ply"], step["move"]) == (kind, seat, 3, None)
    assert step["sentences"][-1] == end


def test_rolls_come_with_what_the_dice_showed_and_effects_from_outside_by_kind_and_details(api):
    rolls = [("rolls", {"values": values}) for values in ([1, 2], [1], [2])]
    path, _ = recorded(api, *rolls, ("moves", {"move": "hold"}), ruleset="toy")
    steps = api.get(f"{path}/effects").json["steps"]
    shown = [[step[name] for name in ("kind", "ply", "seat", "values")] for step in steps]
    assert shown == [["roll", 0, None, [1, 2]], ["roll", 0, 1, [1]], ["roll", 0, 2, [2]], ["move", 1, 1, None]]
    assert steps[1]["sentences"] == ["Rolled: seat Ada, amount 1, word start.", "Ran: owner Ada, from 0, to 1."]
    assert api.get(f"{path}/positions/0?include=effects").json["steps"] == steps[:3]


def test_a_position_has_the_steps_that_led_to_it_on_request(evening):
    def ask(query: str, **headers: str):
        return evening.api.get(f"{evening.path}/positions/{query}", headers=headers)

    plain, position = ask("3"), ask("3?include=effects", **GERMAN)
    assert position.headers["Content-Language"] == "de"
    assert "Accept-Language" in position.vary
    assert "steps" not in plain.json
    assert "Content-Language" not in plain.headers
    assert plain.headers["ETag"] != position.headers["ETag"]
    told = ask("1?include=effects&language=de", **TEXT).text
    assert told == f"{ask('1', **TEXT).text}\n  1. Ann setzt einen Stein aus dem Vorrat auf c3.\n"
    svg = {"Accept": "image/svg+xml"}
    assert ask("1?include=effects", **svg).data == ask("1", **svg).data
    assert "immutable" in ask("1?version=4").headers["Cache-Control"]
    kept = ask("1?version=4&include=effects").headers["Cache-Control"]
    assert ("immutable" in kept, "max-age=86400" in kept) == (False, True)


def read_stream(api: Api, path: str, query: str = "", **headers: str) -> list[dict[str, Any]]:
    """The data of the events of a match that is over."""
    _, *events, end = parse(api.get(f"{path}/events{query}", headers={**SSE, **headers}).text)
    assert end["event"] == "end"
    return [json.loads(event["data"]) for event in events]


def test_a_live_stream_has_what_each_step_did_on_request_without_steps_that_were_taken_back(api):
    moves = [("moves", {"move": "c3"}), ("moves", {"move": "c4"})]
    path, _ = recorded(api, *moves, ("take-back", {"ply": 1}), ("moves", {"move": "d4"}), ("abort", {}))
    plain, told = read_stream(api, path), read_stream(api, path, "?include=effects", **GERMAN)
    steps = {step["version"]: step for step in api.get(f"{path}/effects", headers=GERMAN).json["steps"]}
    assert [step["move"] for step in steps.values()] == ["c3", "d4"]
    for event, bare in zip(told, plain, strict=True):
        step = steps.get(event["version"], {"effects": [], "sentences": []})
        assert event == {**bare, "effects": step["effects"], "sentences": step["sentences"]}
    english = read_stream(api, path, "?include=effects&language=en")
    assert english[2]["sentences"] == ["Ada places a piece from the reserve on c3."]
    answered = api.get(f"{path}/events?include=effects", headers={**SSE, **GERMAN})
    assert answered.headers["Content-Language"] == "de"
    assert "Accept-Language" in answered.vary


def test_who_follows_sees_what_a_move_did_as_it_is_made(evening):
    followed = evening.api.app.test_client().get(f"{evening.path}/events?include=effects", headers=SSE)
    chunks = followed.iter_encoded()
    assert is_among(b"Ann traps the piece of Ben on c4", chunks)
    evening.try_move("a1", evening.ben)
    assert is_among(b'"sentences":["Ben places a piece from the reserve on a1."]', chunks)
    followed.close()


def test_effects_come_with_live_streams_alone(evening):
    for accept in ("application/json", "application/x-ndjson"):
        refused = evening.api.get(f"{evening.path}/events?include=effects", headers={"Accept": accept})
        assert (refused.status_code, refused.json["code"]) == (400, "effects/not-live")
        assert "text/event-stream" in refused.json["detail"]


def test_a_refused_move_names_the_clause_and_what_to_do_in_the_language_of_the_request(evening):
    refused = evening.try_move("c4", evening.ben, headers=GERMAN)
    assert refused.json["detail"].startswith("Zug 4, 'c4', ist nicht erlaubt: PA6, c4 ist in diesem Zug gesperrt: ")
    assert refused.json["detail"].endswith("Wähle ein anderes Feld.")
    assert (refused.status_code, refused.json["code"], refused.json["clause"]) == (422, "move/illegal", "PA6")
    english = evening.try_move("c4", evening.ben)
    assert english.json["detail"].startswith("illegal move 'c4' at move 4: PA6, c4 is closed")
    other = evening.try_move("a1", evening.ann, headers=GERMAN)
    assert (other.json["title"], other.json["detail"]) == ("Das geht jetzt nicht", "Du bist nicht am Zug.")
    for answer, language in ((refused, "de"), (english, "en"), (other, "de")):
        assert answer.headers["Content-Language"] == language
        assert "Accept-Language" in answer.vary


def test_a_refusal_calls_the_seat_by_the_name_of_its_player(api):
    path, token = recorded(api, ruleset="crystals")
    refused = api.post(f"{path}/moves", token, {"move": "move scout"}).json["detail"]
    assert refused.endswith(": CR14, Ada must choose an attacker now. Choose rider or archer.")


def test_a_record_with_comments_has_a_language_and_a_tag_of_its_own(evening):
    plain = evening.api.get(f"{evening.path}/record")
    told = evening.api.get(f"{evening.path}/record?comments=effects", headers=GERMAN)
    assert "{Ann setzt einen Stein aus dem Vorrat auf c3.}" in told.text
    assert [each.headers.get("Content-Language") for each in (plain, told)] == [None, "de"]
    assert told.headers["ETag"] != plain.headers["ETag"]


def test_clauses_are_in_the_language_of_the_request(api):
    german = api.get("/v1/rulesets/zhen/clauses/ZH6", headers=GERMAN)
    assert (german.json["title"], german.headers["Content-Language"]) == ("Zugpflicht", "de")
    clauses = api.get("/v1/rulesets/zhen", headers=GERMAN).json["clauses"]
    assert clauses[0]["title"] == "Die Reihe"
