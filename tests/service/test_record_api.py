"""The text record over HTTP."""

import pytest

from plyscribe.domain.record import AgreedDraw, format_record, parse_record
from tests.service.api import Api

MEDIA = "text/vnd.plyscribe.record"


class Evening:
    """A match of zhen between Ann and Ben."""

    def __init__(self, api: Api) -> None:
        self.api = api
        (ann, self.ann), (ben, self.ben) = api.sign_up("Ann [Turin]"), api.sign_up("Ben")
        seats = [{"player": ann}, {"player": ben}]
        self.path = f"/v1/matches/{api.new_match(self.ann, seats, 'zhen', about={'place': 'Turin'})}"
        self.post("seats/2", self.ben, {})

    def post(self, what: str, token: str, body: dict[str, object]) -> None:
        assert self.api.post(f"{self.path}/{what}", token, body).status_code == 200

    def move(self, *moves: str) -> None:
        for number, move in enumerate(moves):
            self.post("moves", (self.ann, self.ben)[number % 2], {"move": move})

    def record(self, **headers: str):
        return self.api.get(f"{self.path}/record", headers=headers)


@pytest.fixture
def evening(api: Api) -> Evening:
    return Evening(api)


def test_a_match_can_be_read_as_its_record(evening):
    evening.move("+5", "+3")
    answered = evening.record()
    assert answered.content_type == f"{MEDIA}; charset=utf-8"
    assert answered.text == (
        "[ruleset zhen 1]\n[option tiles 10]\n[option cubes 10]\n[option ply_limit 200]\n"
        '[seat 1 "Ann [Turin]"]\n[seat 2 Ben]\n[place Turin]\n[result *]\n\n1. +5 2. +3\n'
    )
    assert format_record(parse_record(answered.text)) == answered.text


def test_a_record_is_also_available_as_plain_text(evening):
    answered = evening.record(Accept="text/plain")
    assert answered.content_type == "text/plain; charset=utf-8"
    assert answered.text == evening.record().text
    assert evening.record(Accept="application/json").json["code"] == "request/not-acceptable"


def test_a_client_with_this_version_gets_304(evening):
    tag = evening.record().headers["ETag"]
    assert evening.record(**{"If-None-Match": tag}).status_code == 304
    evening.move("+5")
    assert evening.record(**{"If-None-Match": tag}).status_code == 200


def test_an_agreed_draw_is_its_result(evening):
    evening.move("+5")
    evening.post("draw", evening.ben, {"action": "offer"})
    evening.post("draw", evening.ann, {"action": "agree"})
    record = parse_record(evening.record().text)
    assert record.steps[-1] == AgreedDraw()
    assert record.outcome is not None
    assert record.outcome.reason == "draw-agreed"


def test_a_record_has_the_rolls_of_server_dice(api):
    ann, token = api.sign_up()
    seats = [{"player": ann}, {"player": ann}]
    match = api.new_match(token, seats, "toy", start="call", options={"dice": 2})
    path = f"/v1/matches/{match}"
    api.post(f"{path}/start", token, {})
    api.post(f"{path}/moves", token, {"move": "push"})
    rolled = [
        event["data"]["values"] for event in api.get(f"{path}/events").json["events"] if "values" in event["data"]
    ]
    record = parse_record(api.get(f"{path}/record").text)
    assert [list(step.values) for step in record.steps if hasattr(step, "values")] == rolled
    assert len(rolled) >= 4


def test_a_match_that_nobody_joined_yet_has_a_record(api):
    _, token = api.sign_up()
    match = api.new_match(token)
    assert "[seat 2 ?]\n[result *]\n" in api.get(f"/v1/matches/{match}/record").text


def test_an_unknown_match_has_no_record(api):
    assert api.get(f"/v1/matches/match-{'a' * 26}/record").json["code"] == "match/unknown"
