"""Variations over HTTP: positions tried without a match, and moves that a bot suggests for them."""

from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import pytest

from plyscribe.service.matches.variations import is_contested
from tests.service.api import Api
from tests.service.test_effects_api import Evening

PATHAGON, ZHEN = "/v1/rulesets/pathagon/positions", "/v1/rulesets/zhen/positions"
SUGGESTIONS = "/v1/rulesets/pathagon/suggestions"


def moves(*texts: str) -> list[dict[str, str]]:
    return [{"move": text} for text in texts]


def attempt(api: Api, steps: list[dict[str, Any]], path: str = PATHAGON, **more: Any):
    start = {} if "match" in more else {"seats": 2}
    return api.post(path, more.pop("token", None), {**start, "steps": steps, **more})


def test_anybody_tries_steps_from_the_start_and_reads_what_each_did(api):
    tried = attempt(api, moves("d4", "c3"), story=True, names=["Ada", "Ben"])
    assert tried.status_code == 200
    assert (tried.json["ply"], tried.json["turn"]) == (2, {"decision": 1})
    assert tried.json["view"]["board"][4][2] == "2"
    assert [step["sentences"] for step in tried.json["story"]] == [
        ["Ada places a piece from the reserve on d4."],
        ["Ben places a piece from the reserve on c3."],
    ]
    assert tried.json["story"][-1] == tried.json["step"]
    assert "picture" not in tried.json
    assert attempt(api, [], story=True).json["story"] == []
    assert len(attempt(api, [], options={"size": 5}, ruleset_version=1).json["view"]["board"]) == 5
    assert attempt(api, [], ruleset_version=9).json["code"] == "ruleset/unknown"
    plain = attempt(api, moves("d4")).json
    assert plain["step"]["sentences"] == ["Seat 1 places a piece from the reserve on d4."]
    assert "story" not in plain
    first, second = (attempt(api, moves("d4"), picture=True, seen_from=seat).json["picture"] for seat in (1, 2))
    assert first != second
    assert ElementTree.fromstring(first).tag.endswith("svg")


def test_a_variation_begins_at_any_ply_of_a_match_and_names_its_players(api):
    evening = Evening(api)
    tried = attempt(api, moves("a1"), match=evening.match, ply=2)
    assert (tried.json["ply"], tried.json["turn"]) == (3, {"decision": 2})
    assert tried.json["step"]["sentences"] == ["Ann places a piece from the reserve on a1."]
    assert api.get(evening.path, evening.ann).json["ply"] == 3
    assert attempt(api, [], match=evening.match, ply=9).json["code"] == "position/unknown"
    assert attempt(api, [], ZHEN, match=evening.match).json["code"] == "match/unknown"
    assert attempt(api, [], match="match-none").status_code == 404


def test_only_readers_of_a_private_match_try_something_on_it(api):
    evening = Evening(api, private=True)
    assert attempt(api, [], match=evening.match).status_code == 404
    assert attempt(api, [], match=evening.match, token=evening.ben).status_code == 200
    assert suggest(api, evening.ann, match=evening.match).status_code == 409
    carl = api.sign_up("Carl")[1]
    assert suggest(api, carl, match=evening.match).status_code == 404


@pytest.mark.parametrize(
    "body",
    [
        *({}, {"seats": 2, "match": "match-x"}, {"seats": 2, "ply": 1}, {"match": "match-x", "options": {}}),
        *({"seats": 2, "steps": [step]} for step in ({}, {"move": "d4", "values": [1]}, "d4")),
        *({"seats": 2, "steps": moves(*["d4"] * 1001)}, {"seats": 2, "seen_from": 0}),
    ],
)
def test_a_variation_that_cannot_be_read_is_refused(api, body):
    refused = api.post(PATHAGON, None, body)
    assert (refused.status_code, refused.json["code"]) == (422, "request/invalid")


def suggest(api: Api, token: str, path: str = SUGGESTIONS, playouts: int = 30, **more: Any):
    start = {} if "match" in more else {"seats": 2}
    return api.post(path, token, {**start, "playouts": playouts, **more})


def test_suggestions_need_an_account_and_a_decision(api):
    assert api.post(SUGGESTIONS, None, {"seats": 2}).status_code == 401
    _, ann = api.sign_up("Ann")
    over = suggest(api, ann, steps=[*moves("d4"), {"withdraw": 1}])
    assert (over.status_code, over.json["code"]) == (409, "suggestion/no-decision")


def test_nobody_gets_help_in_a_match_under_way_between_people(api, parts):
    evening = Evening(api)
    for number, move in enumerate(("a7", "b7", "c7", "d7", "e7", "f7", "g7", "a6", "b6", "c6")):
        assert evening.try_move(move, (evening.ben, evening.ann)[number % 2]).status_code == 200
    for ply in (0, 3):
        refused = suggest(api, evening.ann, match=evening.match, ply=ply)
        assert (refused.status_code, refused.json["code"]) == (409, "suggestion/under-way")
    assert api.post(f"{evening.path}/withdrawal", evening.ann, {}).status_code == 200
    parts.matches.forget(evening.match)
    assert [suggest(api, evening.ann, match=evening.match, ply=ply).status_code for ply in (0, 3)] == [200, 200]


def test_there_is_help_against_built_in_bots_but_not_in_a_tournament(api, parts):
    player, ann = api.sign_up("Ann")
    match = api.new_match(ann, [{"player": player}, {"bot": "random"}], "pathagon")
    assert suggest(api, ann, match=match).status_code == 200
    against_bot = parts.matches.read(match)
    assert not is_contested(against_bot)
    life = against_bot.life
    in_cup = replace(life.created, tournament={"id": "tournament-x", "round": 1, "board": 1})
    assert is_contested(against_bot._replace(lifecycle=life._replace(created=in_cup)))


def test_a_suggestion_is_for_the_position_as_the_recorder_has_put_it_right(api):
    _, token = api.sign_up("Ann")
    match = api.new_match(token, [{"name": "Ada"}, {"name": "Bea"}], "pathagon", recorded=True)
    for move in ("a1", "b2"):
        api.post(f"/v1/matches/{match}/moves", token, {"move": move})
    api.post(f"/v1/matches/{match}/withdrawal", token, {"seat": 1, "cause": "absent"})
    first = suggest(api, token, match=match, ply=1)
    best = first.json["moves"][0]["move"]
    right = {"take_back": 3, "steps": moves(best)}
    assert api.post(f"/v1/matches/{match}/corrections", token, right).status_code == 200
    put_right = suggest(api, token, match=match, ply=1)
    assert put_right.status_code == 200, put_right.json
    assert best not in [each["move"] for each in put_right.json["moves"]]
