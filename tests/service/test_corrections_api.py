"""A recorder corrects a match and confirms its record over HTTP."""

import pytest

from plyscribe.domain.commands import Actor
from plyscribe.service.clock import now_ms
from plyscribe.service.config import CORRECTIONS_S
from plyscribe.workers.verify_match import verify_all


@pytest.fixture
def token(api):
    return api.sign_up("Recorder")[1]


def new_path(api, token, ruleset="pathagon", **more):
    return f"/v1/matches/{api.new_match(token, [{'name': 'Ada'}, {'name': 'Bea'}], ruleset, recorded=True, **more)}"


@pytest.fixture
def path(api, token):
    """A match of two guests with one move, which a withdrawal has ended."""
    path = new_path(api, token)
    api.post(f"{path}/moves", token, {"move": "d4"})
    assert api.post(f"{path}/withdrawal", token, {"seat": 2, "cause": "absent"}).status_code == 200
    return path


def test_a_mistaken_withdrawal_that_ended_the_match_is_taken_back_once(api, token, path):
    ended = api.get(path, token).json
    assert (ended["status"], ended["outcome"]["reason"]) == ("ended", "withdrawal")
    assert abs(ended["confirm_by"] - now_ms() - CORRECTIONS_S * 1000) < 60_000
    back, again = (api.post(f"{path}/take-back", token, {"steps": 1}, key="oops") for _ in range(2))
    assert back.json == again.json
    assert [event["type"] for event in back.json["events"]] == ["steps-taken-back"]
    assert back.json["turn"] == {"decision": 2}
    goes_on = api.get(path, token).json
    assert [goes_on[name] for name in ("status", "outcome", "confirm_by")] == ["playing", None, None]
    assert goes_on["moves"] == ["d4"]
    assert api.post(f"{path}/moves", token, {"move": "e5"}).status_code == 200


def test_an_administrator_cannot_hurry_the_verdict(api, parts, path):
    admin = parts.accounts.sign_up(Actor("system", "test"), "Root", "person", ("admin",))[1]
    asked = api.post(f"{path}/verification", admin, {})
    assert (asked.status_code, asked.json["due"]) == (202, False)
    match = path.rpartition("/")[2]
    assert verify_all(parts, [(match, parts.matches.read(match).version)]) == ["scored"]


def test_nothing_is_stored_if_a_step_does_not_follow_any_more(api, token, path):
    version = api.get(path, token).json["version"]
    refused = api.post(f"{path}/corrections", token, {"take_back": 2, "replaced": 0, "steps": [{"move": "a1"}]})
    assert (refused.status_code, refused.json["code"]) == (409, "correction/does-not-follow")
    assert (refused.json["step"], refused.json["turn"]) == (1, {"decision": 2})
    assert api.get(path, token).json["version"] == version
    assert api.post(f"{path}/corrections", token, {"take_back": 2, "replaced": 0, "dropped": 2}).status_code == 200


def test_another_withdrawal_takes_the_place_of_a_mistaken_one(api, token, path):
    other = {"withdraw": 1, "cause": "disqualified", "why": "two phones"}
    done = api.post(f"{path}/corrections", token, {"take_back": 1, "steps": [other]})
    assert done.json["events"][1]["data"] == {"seat": 1, "cause": "disqualified", "fault": None, "why": "two phones"}


def test_a_correction_that_cannot_be_read_is_refused(api, token, path):
    for steps in ([{}], [{"move": "a1", "values": [1]}], [{"move": "a1", "cause": "time"}], "a1"):
        assert api.post(f"{path}/corrections", token, {"take_back": 1, "steps": steps}).status_code == 422
    for body in ({"steps": 0}, {"steps": "1"}, {"steps": True}, {"ply": -1}, {"step": 1}, [1]):
        assert api.post(f"{path}/take-back", token, body).status_code in (400, 422)
    assert api.get(path).json["status"] == "ended"


RING = {"a1": "heavy", "a2": "heavy", "a3": "light", "a4": "light", "a5": "light", "a6": "medium", "a7": "medium"}


def test_terrain_is_laid_as_it_lies_on_the_table_by_the_recorder_alone_while_it_is_due(api, token):
    path = new_path(api, token, "rings", dice="recorded")
    refused = api.post(f"{path}/rolls", api.sign_up("Eve")[1], {"laid": {"b1": "heavy"}})
    assert (refused.status_code, refused.json["code"]) == (403, "match/not-recorder")
    done = api.post(f"{path}/rolls", token, {"laid": RING})
    assert done.json["events"][0]["data"]["values"] == [1]
    again = api.post(f"{path}/rolls", token, {"laid": RING}, headers={"Accept-Language": "de"})
    assert (again.status_code, again.json["code"]) == (422, "roll/invalid")
    assert again.json["detail"].startswith("Auf b1 b2 b3 b4 b5 b6 b7 liegen")
    for body in ({}, {"laid": RING, "values": [1]}, {"laid": {}}, {"laid": {"a1": 5}}):
        assert api.post(f"{path}/rolls", token, body).status_code == 422
    for ring in "bcd":
        laid = {field.replace("a", ring): kind for field, kind in RING.items()}
        assert api.post(f"{path}/rolls", token, {"laid": laid}).status_code == 200
    late = api.post(f"{path}/rolls", token, {"laid": RING})
    assert (late.status_code, late.json["code"]) == (409, "roll/not-due")
    other_ring = {"take_back": 1, "steps": [{"laid": laid}]}
    assert api.post(f"{path}/corrections", token, other_ring).json["events"][1]["data"]["values"] == [1]
    thrown = new_path(api, token, "rings", dice="server")
    assert api.post(f"{thrown}/rolls", token, {"laid": RING}).json["code"] == "roll/unwanted"
