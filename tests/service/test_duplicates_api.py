"""Duplicates over HTTP: matches with the same dice, of one creator, in a closed set."""

from typing import Any

import pytest

from plyscribe.domain.commands import Actor, RevealDice
from plyscribe.service.composition import Parts, compose
from plyscribe.service.config import Config, parse_key
from plyscribe.service.streams.ids import job_command
from plyscribe.service.web.app import create_app
from tests.service.api import Api


class Table:
    """Ann, who opened a match that two others are to have the dice of, and plays all seats of hers."""

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


def test_the_first_match_names_all_that_have_its_dice(table):
    dice = table.get(table.first)["dice"]
    assert dice["mode"] == "shared"
    assert dice["dice_id"] == "block-" + table.first.removeprefix("match-")
    assert dice["secret"] is None
    assert len(set(dice["matches"])) == 3
    assert dice["matches"][0] == table.first


def test_a_duplicate_is_one_of_them_and_rolls_alike(table):
    made = table.add(2)
    assert made.status_code == 201
    match = table.get(table.first)["dice"]["matches"][1]
    assert made.json["match"] == match
    assert made.headers["Location"] == f"/v1/matches/{match}"
    assert table.get(match)["dice"] == table.get(table.first)["dice"]
    assert table.rolls(match) == table.rolls(table.first)
    assert table.rolls(match)


def test_all_but_the_seats_is_as_in_the_first(api):
    table = Table(
        api, options={"dice": 3}, private=True, start="call", about={"event": "Cup"}, limits={"move_ms": 9000}
    )
    made = table.add(3, seats=[None, {"player": table.ann}]).json["match"]
    then, now = table.get(table.first), table.get(made)
    same = ("ruleset", "ruleset_version", "options", "private", "start", "about", "limits", "recorder", "rated")
    assert {name: now[name] for name in same} == {name: then[name] for name in same}
    assert [seat.get("player") for seat in now["seats"]] == [None, table.ann]


def test_any_of_them_names_the_others(table):
    second = table.add(2).json["match"]
    assert table.add(3, match=second).json["match"] == table.get(table.first)["dice"]["matches"][2]


def test_asking_again_is_answered_alike_and_creates_none(table):
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
def test_there_are_no_others(table, number):
    refused = table.add(number)
    assert (refused.status_code, refused.json["code"]) == (404, "duplicate/unknown")


def test_a_match_with_dice_of_its_own_has_no_duplicates(table):
    alone = table.api.new_match(table.token, table.seats, "toy")
    refused = table.add(2, match=alone)
    assert (refused.status_code, refused.json["code"]) == (404, "duplicate/unknown")


def test_nobody_else_adds_any(table):
    _, other = table.api.sign_up("Ben")
    refused = table.add(2, other)
    assert (refused.status_code, refused.json["code"]) == (403, "match/not-yours")


def test_of_a_private_match_nobody_else_hears(api):
    table = Table(api, private=True)
    _, other = api.sign_up("Ben")
    refused = table.add(2, other)
    assert (refused.status_code, refused.json["code"]) == (404, "match/unknown")


def test_as_many_seats_as_the_first_has(table):
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
def test_what_cannot_share_is_refused(table, more, code):
    body = {"ruleset": "toy", "seats": table.seats, "shared_dice": 2, **more}
    refused = table.api.post("/v1/matches", table.token, body)
    assert (refused.status_code, refused.json["code"]) == (422, code)


def with_keys(parts: Parts, text: str) -> Api:
    """The same store behind processes with other keys."""
    return Api(create_app(compose(Config("", "", parse_key(text), open_sign_up=True), parts.store)))


def test_the_dice_are_those_of_the_first_whatever_key_is_new_meanwhile(parts, table):
    table.api = with_keys(parts, f"{'00' * 32}\n{'5a' * 32}")
    made = table.add(2)
    assert made.status_code == 201
    assert table.get(made.json["match"])["dice"] == table.get(table.first)["dice"]


def test_without_their_key_none_is_created(parts, table):
    table.api = with_keys(parts, "00" * 32)
    refused = table.add(2)
    assert (refused.status_code, refused.json["code"]) == (503, "dice/key-missing")


def test_one_that_was_created_is_answered_alike_without_its_key(parts, table):
    once = table.add(2, key="k")
    table.api = with_keys(parts, "00" * 32)
    assert table.add(2, key="k").data == once.data


def test_a_fork_goes_on_with_their_dice_once_they_are_revealed(parts, table):
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
