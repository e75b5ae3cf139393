"""Time limits and clocks over HTTP."""

import pytest

from plyscribe.domain.commands import Actor
from tests.service.test_matches_api import Two


def test_a_finished_match_has_no_deadline_and_its_rematch_the_same_limits(api):
    two = Two(api, ruleset="zhen", limits={"move_ms": 60_000})
    since = two.get().json["clock"]["since"]
    left = api.post(f"{two.path}/withdrawal", two.ann_token, {}).json["events"][0]["at"]
    ended = two.get().json["clock"]
    assert (ended["deadline"], ended["used_ms"]) == (None, [left - since, 0])
    match = api.post(f"{two.path}/rematch", two.ann_token).json["match"]
    assert api.get(f"/v1/matches/{match}").json["limits"] == {"move_ms": 60_000, "match_ms": None}


@pytest.mark.parametrize(
    ("limits", "code"),
    [
        ({"move_ms": None}, "limits/none"),
        *(({"move_ms": ms}, "request/invalid") for ms in (999, 30 * 24 * 3600 * 1000 + 1, "60000")),
        ({"match_ms": 365 * 24 * 3600 * 1000 + 1}, "request/invalid"),
        ({"turn_ms": 60_000}, "request/invalid"),
        *(({"match_ms": 60_000, "increment_ms": ms}, "request/invalid") for ms in (999, 3_600_001)),
        ({"match_ms": 60_000, "phases": [{"after": 2}] * 5}, "request/invalid"),
        (60_000, "request/invalid"),
    ],
)
def test_invalid_limits_are_refused(api, limits, code):
    _, token = api.sign_up()
    refused = api.post("/v1/matches", token, {"ruleset": "zhen", "seats": [None, None], "limits": limits})
    assert (refused.status_code, refused.json["code"]) == (422, code)


def test_limits_have_phases_and_odds(api):
    phase = {"after": 1, "add_ms": 60_000, "increment_ms": 1_000}
    odds = {"seat": 2, "move_ms": 5_000, "match_ms": None}
    two = Two(api, ruleset="zhen", limits={"match_ms": 600_000, "phases": [phase], "seats": [odds]})
    assert two.get().json["limits"] == {"move_ms": None, "match_ms": 600_000, "phases": [phase], "seats": [odds]}
    two.play("+1")
    clock = two.get().json["clock"]
    assert clock["left_ms"] == [660_000 - clock["used_ms"][0], None]
    assert clock["deadline"] == {"seat": 2, "at": clock["since"] + 5_000}


def test_a_tournament_has_limits_but_gives_no_odds(api, parts):
    _, token = parts.accounts.sign_up(Actor("system", "test"), "Olga", "person", ("organise",))
    terms = {"name": "Cup", "ruleset": "zhen", "format": {"kind": "swiss"}}
    odds = {"match_ms": 60_000, "seats": [{"seat": 1, "match_ms": 30_000}]}
    assert api.post("/v1/tournaments", token, {**terms, "limits": odds}).json["code"] == "limits/odds"
    phases = {"match_ms": 60_000, "delay_ms": 1000, "phases": [{"after": 40, "add_ms": 60_000}]}
    created = api.post("/v1/tournaments", token, {**terms, "limits": phases})
    assert api.get(f"/v1/tournaments/{created.json['tournament']}").json["limits"] == {"move_ms": None, **phases}


def test_the_word_of_a_client_is_worth_the_quota_at_most(api):
    two = Two(api, ruleset="zhen", limits={"match_ms": 2_000})
    clock = two.get().json["clock"]
    assert clock["lag_ms"] == 100
    for word in ("soon", "-1", "1.5", "1" * 13):
        refused = api.post(f"{two.path}/moves", two.ann_token, {"move": "+1"}, headers={"Thought-Ms": word})
        assert (refused.status_code, refused.json["code"]) == (400, "request/thought-ms")
    made = api.post(f"{two.path}/moves", two.ann_token, {"move": "+1"}, headers={"Thought-Ms": "0"}).json["events"][0]
    elapsed = made["at"] - clock["since"]
    assert made["data"]["spent_ms"] == elapsed - min(100, elapsed)
    assert made["data"].get("lag_ms", 0) == min(100, elapsed)


def test_without_limits_there_is_no_clock_and_the_word_of_a_client_means_nothing(api):
    two = Two(api, ruleset="zhen")
    match = two.get().json
    assert (match["limits"], match["clock"]) == (None, None)
    made = api.post(f"{two.path}/moves", two.ann_token, {"move": "+1"}, headers={"Thought-Ms": "5"})
    assert made.json["events"][0]["data"] == {"move": "+1", "seat": 1}
