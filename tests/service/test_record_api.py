"""The text record over HTTP."""

import pytest

from plyscribe.domain.record import format_record, parse_record
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


def test_a_match_can_be_read_as_its_record_or_as_plain_text(evening):
    tag = evening.record().headers["ETag"]
    assert evening.record(**{"If-None-Match": tag}).status_code == 304
    evening.move("+5", "+3")
    answered = evening.record(**{"If-None-Match": tag})
    assert answered.content_type == f"{MEDIA}; charset=utf-8"
    assert answered.text == (
        "[ruleset zhen 1]\n[option tiles 10]\n[option cubes 10]\n[option ply_limit 200]\n"
        '[seat 1 "Ann [Turin]"]\n[seat 2 Ben]\n[place Turin]\n[result *]\n\n1. +5 2. +3\n'
    )
    assert format_record(parse_record(answered.text)) == answered.text
    plain = evening.record(Accept="text/plain")
    assert (plain.content_type, plain.text) == ("text/plain; charset=utf-8", answered.text)
    assert evening.record(Accept="application/json").json["code"] == "request/not-acceptable"


def test_a_match_that_nobody_joined_yet_has_a_record_and_an_unknown_one_has_none(api):
    _, token = api.sign_up()
    match = api.new_match(token)
    assert "[seat 2 ?]\n[result *]\n" in api.get(f"/v1/matches/{match}/record").text
    assert api.get(f"/v1/matches/match-{'a' * 26}/record").json["code"] == "match/unknown"
