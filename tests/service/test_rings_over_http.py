"""Rings over HTTP: three players, dice of the server, and an ally who answers in the turn of another."""

from collections.abc import Iterator
from typing import Any

import pytest

from plyscribe.domain.bundle.report import check_bytes
from plyscribe.domain.record import MEDIA_TYPE, parse_record
from plyscribe.service.composition import Parts
from plyscribe.workers.check_import import check_import
from plyscribe.workers.verify_match import verify_all
from tests.domain.rings_tables import FLAT
from tests.service.api import Api

STARTS = {3: "start a1", 2: "start a2", 1: "start a3"}
FORMATION = {1: ("warrior", "a3"), 2: ("blocker", "a2"), 3: ("warrior", "a1")}
"""Seat 2's blocker on a2, and a warrior of each of the others beside it."""
PROPOSAL = "M ally 3 a3xa2"


class Evening:
    """Ann, Ben and Cat on the seats 1 to 3 of a match with server dice, which they all salted."""

    def __init__(self, api: Api, parts: Parts) -> None:
        self.api, self.parts = api, parts
        signed = [api.sign_up(name) for name in ("Ann", "Ben", "Cat")]
        self.tokens = dict(enumerate((token for _, token in signed), 1))
        seats = [{"player": player} for player, _ in signed]
        self.id = api.new_match(self.tokens[1], seats, "rings", options={"terrain": FLAT})
        self.path = f"/v1/matches/{self.id}"
        for seat in (2, 3):
            assert self.post(f"seats/{seat}", seat, {"entropy": f"salt {seat}"}).status_code == 200
        assert self.post("entropy", 1, {"entropy": "salt 1"}).status_code == 200

    def get(self, path: str = "", **request: Any) -> Any:
        return self.api.get(f"{self.path}{path}", **request)

    def post(self, what: str, seat: int, body: dict[str, Any]) -> Any:
        return self.api.post(f"{self.path}/{what}", self.tokens[seat], body)

    @property
    def decider(self) -> int:
        return self.get().json["turn"]["decision"]

    @property
    def view(self) -> dict[str, Any]:
        ply = self.get().json["ply"]
        return self.get(f"/positions/{ply}").json["view"]

    def legal(self) -> list[str]:
        return self.get("/legal-moves").json["moves"]

    def move(self, text: str) -> Any:
        moved = self.post("moves", self.decider, {"move": text})
        assert moved.status_code == 200, moved.json
        return moved.json

    def line_up(self) -> None:
        """Play until seat 1 may propose to seat 3, whatever the dice show."""
        for text in STARTS.values():
            self.move(text)
        while PROPOSAL not in (legal := self.legal()):
            self.move(next(text for text in self.wishes(self.decider) if text in legal))

    def wishes(self, seat: int) -> Iterator[str]:
        kind, field = FORMATION[seat]
        units = self.view["units"]
        if field not in units:
            payments = ("R", "M", "TT")
            yield from (f"{pay} {kind} s{seat}-{field}" for pay in payments)
            if f"s{seat}" not in units:
                yield from (f"{pay} +{kind}" for pay in payments)
        yield from (f"drop {die}" for die in ("R", "T", "M"))


@pytest.fixture
def evening(api: Api, parts: Parts) -> Evening:
    return Evening(api, parts)


def test_the_dice_come_by_themselves_once_all_have_salted_them(evening: Evening) -> None:
    match = evening.get().json
    assert (match["status"], match["turn"]) == ("playing", {"decision": 3})
    for text in STARTS.values():
        last = evening.move(text)
    purposes = [event["data"]["purpose"] for event in last["events"] if event["type"] == "dice-rolled"]
    assert purposes == ["round"] * 3
    assert last["turn"] == {"decision": 1}
    assert all(sum(dice.values()) == 4 for dice in evening.view["dice"])


def test_the_ally_answers_with_its_own_token_in_the_middle_of_anothers_turn(evening: Evening) -> None:
    evening.line_up()
    asked = evening.move(PROPOSAL)
    assert asked["turn"] == {"decision": 3}
    assert evening.view["alliance"] == {"ally": 3, "from": "a3", "at": "a2", "pay": "M"}
    assert evening.legal() == ["accept a1", "decline"]
    for seat in (1, 2):
        waits = evening.post("moves", seat, {"move": "accept a1"})
        assert (waits.status_code, waits.json["code"]) == (409, "move/not-your-turn")
        posing = evening.post("moves", seat, {"move": "accept a1", "seat": 3})
        assert (posing.status_code, posing.json["code"]) == (403, "seat/not-yours")
    refused = evening.post("moves", 3, {"move": "accept b1"})
    assert (refused.status_code, refused.json["clause"]) == (422, "RI17")
    answered = evening.post("moves", 3, {"move": "accept a1"}).json
    rolled = next(event["data"] for event in answered["events"] if event["type"] == "dice-rolled")
    assert rolled["purpose"] == "alliance"
    units = evening.view["units"]
    lost = "a3" if rolled["values"][0] <= 3 else "a1"
    assert "blocker" not in {kind for kind, number in units.get("a2", {}).items() if number}
    assert lost not in units


def test_a_match_ends_is_verified_and_its_bundle_and_record_tell_it_again(evening: Evening) -> None:
    evening.line_up()
    evening.move(PROPOSAL)
    evening.move("accept a1")
    evening.post("withdrawal", 2, {})
    ended = evening.post("withdrawal", 1, {}).json
    assert ended["turn"] == {"over": {"reason": "withdrawal", "ranks": [2, 3, 1]}}
    assert verify_all(evening.parts, [(evening.id, ended["version"])]) == ["scored"]
    report = evening.get("/verification").json
    assert {check["check"]: check["result"] for check in report["checks"]}["dice"] == "ok"
    assert check_bytes(evening.get("/bundle").data).result == "ok"

    record = evening.get("/record").text
    assert parse_record(record).outcome is not None
    token = evening.tokens[1]
    sent = evening.api.send("POST", "/v1/imports", token, data=record.encode(), content_type=MEDIA_TYPE)
    assert check_import(evening.parts, sent.json["import"]) == "entered"
    copied = evening.api.get(f"/v1/matches/{sent.json['match']}").json
    assert (copied["moves"], copied["outcome"]) == (evening.get().json["moves"], evening.get().json["outcome"])
    assert verify_all(evening.parts, [(copied["match"], copied["version"])]) == ["scored"]
