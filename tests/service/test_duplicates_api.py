"""Duplicates over HTTP: a fixed number of matches of one creator with the same dice."""

from typing import Any

import pytest

from plyscribe.domain.commands import Actor, RevealDice
from plyscribe.service.composition import Parts, compose
from plyscribe.service.config import Config, parse_key
from plyscribe.service.streams.ids import job_command
from plyscribe.service.web.app import create_app
from tests.service.api import Api


class Table:
    """Ann, who has created a match whose dice two others will share, and plays all seats in hers."""

    def __init__(self, api: Api, **more: Any) -> None:
        self.api = api
        self.ann, self.token = api.sign_up("Ann")
        self.seats = [{"player": self.ann}, {"player": self.ann}]
        self.first = api.new_match(self.token, self.seats, "toy", shared_dice=3, **more)

    def add(self, number: int, token: str | None = None, seats: Any = None, match: str | None = None, **request: Any):
        path = f"/v1/matches/{match or self.first}/duplicates/{number}"
        return self.api.post(path, token or self.token, {"seats": seats or self.seats}, **request)

    def get(self, match: str) -> dict[str, Any]:
        return self.api.get(f"/v1/matches/{match}", self.token).json

    def rolls(self, match: str) -> list[list[int]]:
        events = self.api.get(f"/v1/matches/{match}/events", self.token).json["events"]
        return [event["data"]["values"] for event in events if event["type"] == "dice-rolled"]


@pytest.fixture
def table(api) -> Table:
    return Table(api)


def test_the_first_match_names_all_matches_that_share_its_dice(table):
    dice = table.get(table.first)["dice"]
    assert dice["mode"] == "shared"
    assert dice["dice_id"] == "block-" + table.first.removeprefix("match-")
    assert dice["secret"] is None
    assert len(set(dice["matches"])) == 3
    assert dice["matches"][0] == table.first


def test_a_duplicate_is_one_of_them_and_has_the_same_rolls(table):
    made = table.add(2)
    assert made.status_code == 201
    match = table.get(table.first)["dice"]["matches"][1]
    assert made.json["match"] == match
    assert made.headers["Location"] == f"/v1/matches/{match}"
    assert table.get(match)["dice"] == table.get(table.first)["dice"]
    assert table.rolls(match) == table.rolls(table.first)
    assert table.rolls(match)


def test_a_duplicate_differs_from_the_first_in_its_seats_only(api):
    table = Table(
        api, options={"dice": 3}, private=True, start="call", about={"event": "Cup"}, limits={"move_ms": 9000}
    )
    made = table.add(3, seats=[None, {"player": table.ann}]).json["match"]
    then, now = table.get(table.first), table.get(made)
    same = ("ruleset", "ruleset_version", "options", "private", "start", "about", "limits", "recorder", "rated")
    assert {name: now[name] for name in same} == {name: then[name] for name in same}
    assert [seat.get("player") for seat in now["seats"]] == [None, table.ann]


def test_each_of_them_names_the_others(table):
    second = table.add(2).json["match"]
    assert table.add(3, match=second).json["match"] == table.get(table.first)["dice"]["matches"][2]


def test_a_repeated_request_gets_the_same_answer_and_creates_nothing(table):
    once, again = table.add(2, key="k"), table.add(2, key="k")
    assert once.data == again.data
    assert again.headers["Idempotency-Replayed"] == "true"
    assert table.add(2, key="k", seats=[None, None]).json["code"] == "key/reused"


@pytest.mark.parametrize("number", [1, 2])
def test_each_is_created_once(table, number):
    table.add(2)
    refused = table.add(number)
    assert (refused.status_code, refused.json["code"]) == (409, "match/exists")


@pytest.mark.parametrize("number", [0, 4])
def test_no_other_numbers_exist(table, number):
    refused = table.add(number)
    assert (refused.status_code, refused.json["code"]) == (404, "duplicate/unknown")


def test_a_match_with_dice_of_its_own_has_no_duplicates(table):
    alone = table.api.new_match(table.token, table.seats, "toy")
    refused = table.add(2, match=alone)
    assert (refused.status_code, refused.json["code"]) == (404, "duplicate/unknown")


def test_only_the_creator_can_add_duplicates(table):
    _, other = table.api.sign_up("Ben")
    refused = table.add(2, other)
    assert (refused.status_code, refused.json["code"]) == (403, "match/not-yours")


def test_others_do_not_learn_of_a_private_match(api):
    table = Table(api, private=True)
    _, other = api.sign_up("Ben")
    refused = table.add(2, other)
    assert (refused.status_code, refused.json["code"]) == (404, "match/unknown")


def test_a_duplicate_has_as_many_seats_as_the_first(table):
    refused = table.add(2, seats=[None, None, None])
    assert (refused.status_code, refused.json["code"]) == (422, "dice/shared")


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ({"dice": "recorded", "recorded": True, "seats": [{"name": "Ada"}, {"name": "Bea"}]}, "dice/shared"),
        ({"ruleset": "zhen"}, "dice/shared"),
        ({"shared_dice": 1}, "request/invalid"),
        ({"shared_dice": 65}, "request/invalid"),
        ({"rated": True, "seats": [None, None]}, "rated/shared-dice"),
    ],
)
def test_matches_that_cannot_share_dice_are_refused(table, more, code):
    body = {"ruleset": "toy", "seats": table.seats, "shared_dice": 2, **more}
    refused = table.api.post("/v1/matches", table.token, body)
    assert (refused.status_code, refused.json["code"]) == (422, code)


def with_keys(parts: Parts, text: str) -> Api:
    """The same store behind processes with other keys."""
    return Api(create_app(compose(Config("", "", parse_key(text), open_sign_up=True), parts.store)))


def test_the_dice_are_those_of_the_first_even_under_a_newer_key(parts, table):
    table.api = with_keys(parts, f"{'00' * 32}\n{'5a' * 32}")
    made = table.add(2)
    assert made.status_code == 201
    assert table.get(made.json["match"])["dice"] == table.get(table.first)["dice"]


def test_no_duplicate_is_created_without_the_key_of_the_dice(parts, table):
    table.api = with_keys(parts, "00" * 32)
    refused = table.add(2)
    assert (refused.status_code, refused.json["code"]) == (503, "dice/key-missing")


def test_a_created_duplicate_gets_the_same_answer_without_the_key_of_the_dice(parts, table):
    once = table.add(2, key="k")
    table.api = with_keys(parts, "00" * 32)
    assert table.add(2, key="k").data == once.data


def test_a_fork_can_continue_with_shared_dice_once_they_are_revealed(parts, table):
    table.add(2)
    match = table.first
    move = table.api.post(f"/v1/matches/{match}/moves", table.token, {"move": "push"})
    assert move.status_code == 200
    body = {"ply": 0, "dice": "same"}
    secret = table.api.post(f"/v1/matches/{match}/forks", table.token, body)
    assert (secret.status_code, secret.json["code"]) == (409, "fork/dice-secret")
    table.api.post(f"/v1/matches/{match}/withdrawal", table.token, {"seat": 1})
    secret = table.api.post(f"/v1/matches/{match}/forks", table.token, body)
    assert (secret.status_code, secret.json["code"]) == (409, "fork/dice-secret")
    state = parts.matches.read(match)
    asked = job_command("test")
    reveal = RevealDice(actor=Actor("system", "test"), id=asked.id.hex(), secret=parts.secret_for(state))
    parts.matches.execute(match, lambda _: reveal, asked)
    fork = table.api.post(f"/v1/matches/{match}/forks", table.token, body).json["match"]
    assert table.get(fork)["dice"]["mode"] == "server"
    table.api.post(f"/v1/matches/{fork}/start", table.token, {})
    table.api.post(f"/v1/matches/{fork}/moves", table.token, {"move": "push"})
    rolls = [*table.rolls(fork)]
    assert rolls
    assert table.rolls(match)[-len(rolls) :] == rolls


def test_a_rematch_has_dice_of_its_own(table):
    table.api.post(f"/v1/matches/{table.first}/withdrawal", table.token, {"seat": 1})
    rematch = table.api.post(f"/v1/matches/{table.first}/rematch", table.token).json["match"]
    assert table.get(rematch)["dice"]["dice_id"] == rematch
