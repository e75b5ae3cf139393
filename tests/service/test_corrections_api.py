"""A recorder corrects a match and confirms its record over HTTP."""

import pytest

from plyscribe.domain.commands import Actor
from plyscribe.service.clock import now_ms
from plyscribe.service.config import CORRECTIONS_S
from plyscribe.workers.verify_match import verify_all


@pytest.fixture
def token(api):
    return api.sign_up("Recorder")[1]


@pytest.fixture
def path(api, token):
    """A match of two guests with one move, which a withdrawal has ended."""
    seats = [{"name": "Ada"}, {"name": "Bea"}]
    path = f"/v1/matches/{api.new_match(token, seats, recorded=True)}"
    api.post(f"{path}/moves", token, {"move": "d4"})
    assert api.post(f"{path}/withdrawal", token, {"seat": 2, "cause": "absent"}).status_code == 200
    return path


def test_a_mistaken_withdrawal_that_ended_the_match_is_taken_back(api, token, path):
    ended = api.get(path, token).json
    assert (ended["status"], ended["outcome"]["reason"]) == ("ended", "withdrawal")
    assert abs(ended["confirm_by"] - now_ms() - CORRECTIONS_S * 1000) < 60_000
    back = api.post(f"{path}/take-back", token, {"steps": 1})
    assert [event["type"] for event in back.json["events"]] == ["steps-taken-back"]
    assert back.json["turn"] == {"decision": 2}
    goes_on = api.get(path, token).json
    assert (goes_on["status"], goes_on["outcome"], goes_on["confirm_by"]) == ("playing", None, None)
    assert goes_on["moves"] == ["d4"]
    assert api.post(f"{path}/moves", token, {"move": "e5"}).status_code == 200


def test_a_confirmed_record_takes_no_correction(api, token, path):
    confirmed = api.post(f"{path}/confirmation", token, {})
    assert [event["type"] for event in confirmed.json["events"]] == ["record-confirmed"]
    told = api.get(path, token).json
    assert (told["status"], told["confirm_by"]) == ("ended", None)
    for below, body in (("take-back", {"steps": 1}), ("take-back", {"ply": 0}), ("confirmation", {})):
        refused = api.post(f"{path}/{below}", token, body)
        assert (refused.status_code, refused.json["code"]) == (409, "match/confirmed")


def test_after_the_verdict_it_is_too_late(api, parts, token, path):
    match = path.rpartition("/")[2]
    assert verify_all(parts, [(match, parts.matches.read(match).version)]) == ["scored"]
    refused = api.post(f"{path}/take-back", token, {"steps": 1})
    assert (refused.status_code, refused.json["code"]) == (409, "match/over")
    assert refused.json["detail"] == "the match is scored: its record does not change any more"


def test_a_correction_says_how_far(api, token, path):
    for body in ({}, {"steps": 1, "ply": 0}):
        assert api.post(f"{path}/take-back", token, body).json["code"] == "take-back/how-far"
    far = api.post(f"{path}/take-back", token, {"steps": 3}).json
    assert (far["code"], far["detail"]) == ("take-back/steps", "steps is 1..2, not 3")
    for body in ({"steps": 0}, {"steps": "1"}, {"steps": True}, {"ply": -1}, {"step": 1}, [1]):
        assert api.post(f"{path}/take-back", token, body).status_code in (400, 422)
    assert api.get(path).json["status"] == "ended"


def test_only_the_recorder_corrects_and_confirms(api, token, path):
    _, other = api.sign_up("Eve")
    for below, body in (("take-back", {"steps": 1}), ("confirmation", {})):
        assert api.post(f"{path}/{below}", other, body).json["code"] == "match/not-recorder"
        assert api.post(f"{path}/{below}", None, body).status_code == 401


def test_a_correction_sent_twice_with_a_key_counts_once(api, token, path):
    answers = [
        api.post(f"{path}/take-back", token, {"steps": 1}, headers={"Idempotency-Key": "oops"}) for _ in range(2)
    ]
    assert answers[0].json == answers[1].json
    assert api.get(path).json["moves"] == ["d4"]


def test_a_waiting_match_is_on_the_recorders_list(api, token, path):
    match = path.rpartition("/")[2]
    [row] = api.get("/v1/matches?waiting=me", token).json["matches"]
    assert (row["match"], [wait["what"] for wait in row["waits_for"]]) == (match, ["confirmation"])
    api.post(f"{path}/confirmation", token, {})
    assert api.get("/v1/matches?waiting=me", token).json["matches"] == []


def test_an_administrator_cannot_hurry_the_verdict(api, parts, token, path):
    admin = parts.accounts.sign_up(Actor("system", "test"), "Root", "person", ("admin",))[1]
    asked = api.post(f"{path}/verification", admin, {})
    assert (asked.status_code, asked.json["due"]) == (202, False)


def test_the_record_follows_the_corrected_line(api, token, path):
    api.post(f"{path}/take-back", token, {"steps": 2})
    api.post(f"{path}/moves", token, {"move": "a1"})
    record = api.get(f"{path}/record").text
    assert "a1" in record
    assert "d4" not in record
    assert "resigned" not in record
    assert "absent" not in record
