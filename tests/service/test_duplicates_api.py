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


def test_a_duplicate_is_one_of_the_matches_that_the_first_names_and_has_the_same_rolls(table):
    dice = table.get(table.first)["dice"]
    assert (dice["mode"], dice["secret"]) == ("shared", None)
    assert dice["dice_id"] == "block-" + table.first.removeprefix("match-")
    first, second, third = dice["matches"]
    assert len({first, second, third}) == 3
    assert first == table.first
    made, again = table.add(2, key="k"), table.add(2, key="k")
    assert (made.status_code, made.json["match"]) == (201, second)
    assert made.headers["Location"] == f"/v1/matches/{second}"
    assert (again.data, again.headers["Idempotency-Replayed"]) == (made.data, "true")
    assert table.add(2, key="k", seats=[None, None]).json["code"] == "key/reused"
    assert table.get(second)["dice"] == dice
    assert table.rolls(second) == table.rolls(first) != []
    assert table.add(3, match=second).json["match"] == third


def test_a_duplicate_differs_from_the_first_in_its_seats_only(api):
    more = {"private": True, "start": "call", "about": {"event": "Cup"}, "limits": {"move_ms": 9000}}
    table = Table(api, options={"dice": 3}, **more)
    made = table.add(3, seats=[None, {"player": table.ann}]).json["match"]
    then, now = table.get(table.first), table.get(made)
    same = ("ruleset", "ruleset_version", "options", "private", "start", "about", "limits", "recorder", "rated")
    assert {name: now[name] for name in same} == {name: then[name] for name in same}
    assert [seat.get("player") for seat in now["seats"]] == [None, table.ann]


@pytest.mark.parametrize(
    ("what", "status", "code"),
    [
        ({"number": 1}, 409, "match/exists"),
        ({"number": 2}, 409, "match/exists"),
        ({"number": 0}, 404, "duplicate/unknown"),
        ({"number": 4}, 404, "duplicate/unknown"),
        ({"number": 3, "of": "alone"}, 404, "duplicate/unknown"),
        ({"number": 3, "by": "Ben"}, 403, "match/not-yours"),
        ({"number": 3, "by": "Ben", "private": True}, 404, "match/unknown"),
        ({"number": 3, "seats": [None, None, None]}, 422, "dice/shared"),
    ],
)
def test_a_duplicate_that_cannot_be_is_refused(api, what, status, code):
    table = Table(api, private=what.get("private", False))
    table.add(2)
    token = api.sign_up("Ben")[1] if "by" in what else None
    match = api.new_match(table.token, table.seats, "toy") if "of" in what else None
    refused = table.add(what["number"], token, what.get("seats"), match)
    assert (refused.status_code, refused.json["code"]) == (status, code)


def with_keys(parts: Parts, text: str) -> Api:
    """The same store behind processes with other keys."""
    return Api(create_app(compose(Config("", "", parse_key(text), open_sign_up=True), parts.store)))


def test_the_dice_are_those_of_the_first_even_under_a_newer_key_but_not_without_its_own(parts, table):
    once = table.add(3, key="k")
    table.api = with_keys(parts, "00" * 32)
    refused = table.add(2)
    assert (refused.status_code, refused.json["code"]) == (503, "dice/key-missing")
    assert table.add(3, key="k").data == once.data
    table.api = with_keys(parts, f"{'00' * 32}\n{'5a' * 32}")
    made = table.add(2)
    assert made.status_code == 201
    assert table.get(made.json["match"])["dice"] == table.get(table.first)["dice"]


def test_a_fork_can_continue_with_shared_dice_once_they_are_revealed(parts, table):
    table.add(2)
    match = table.first

    def post(path: str, body: dict[str, Any], of: str = match):
        return table.api.post(f"/v1/matches/{of}/{path}", table.token, body)

    assert post("moves", {"move": "push"}).status_code == 200
    for _ in range(2):
        secret = post("forks", {"ply": 0, "dice": "same"})
        assert (secret.status_code, secret.json["code"]) == (409, "fork/dice-secret")
        post("withdrawal", {"seat": 1})
    asked = job_command("test")
    secrets = parts.secret_for(parts.matches.read(match))
    reveal = RevealDice(actor=Actor("system", "test"), id=asked.id.hex(), secret=secrets)
    parts.matches.execute(match, lambda _: reveal, asked)
    fork = post("forks", {"ply": 0, "dice": "same"}).json["match"]
    assert table.get(fork)["dice"]["mode"] == "server"
    post("start", {}, fork)
    post("moves", {"move": "push"}, fork)
    rolls = table.rolls(fork)
    assert rolls != []
    assert table.rolls(match)[-len(rolls) :] == rolls
    rematch = post("rematch", {}).json["match"]
    assert table.get(rematch)["dice"]["dice_id"] == rematch
