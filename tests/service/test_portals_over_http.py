"""Portals over HTTP: dice of the server, thousands of legal moves in pages, and a match that is told again."""

from itertools import pairwise
from random import Random
from types import SimpleNamespace
from typing import Any
from urllib.parse import quote

import pytest

from plyscribe.domain.bundle.report import check_bytes
from plyscribe.domain.record import MEDIA_TYPE, format_record, parse_record
from plyscribe.service.composition import Parts
from plyscribe.workers.check_import import check_import
from plyscribe.workers.verify_match import verify_all
from tests.service.api import Api

VARIANTS = {"radius": 2, "demons": True, "capacity": 2, "dice": True}


class Evening:
    """Ann, Ben and Cat on the seats 1 to 3 of a match with server dice, which they all salted."""

    def __init__(self, api: Api, **options: Any) -> None:
        self.api = api
        signed = [api.sign_up(name) for name in ("Ann", "Ben", "Cat")]
        self.tokens = dict(enumerate((token for _, token in signed), 1))
        seats = [{"player": player} for player, _ in signed]
        self.id = api.new_match(self.tokens[1], seats, "portals", options=options)
        self.path = f"/v1/matches/{self.id}"
        for seat, what in ((2, "seats/2"), (3, "seats/3"), (1, "entropy")):
            assert self.post(what, seat, {"entropy": f"salt {seat}"}).status_code == 200

    def get(self, path: str = "") -> Any:
        return self.api.get(f"{self.path}{path}").json

    def post(self, what: str, seat: int, body: dict[str, Any]) -> Any:
        return self.api.post(f"{self.path}/{what}", self.tokens[seat], body)

    def move(self, text: str) -> Any:
        moved = self.post("moves", self.get()["turn"]["decision"], {"move": text})
        assert moved.status_code == 200, moved.json
        return moved.json

    def play(self, plies: int) -> list[dict[str, Any]]:
        """So many moves drawn from the legal ones, as their events tell of them."""
        rng, events = Random(1), []
        for _ in range(plies):
            if "over" in self.get()["turn"]:
                break
            events += self.move(rng.choice(self.get("/legal-moves")["moves"]))["events"]
        return events


@pytest.fixture(autouse=True)
def same_dice(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same matches, dice and all, whenever the tests run."""
    monkeypatch.setattr("plyscribe.service.streams.ids.secrets", SimpleNamespace(token_bytes=Random(1).randbytes))


@pytest.fixture
def evening(api: Api) -> Evening:
    return Evening(api, **VARIANTS)


def rolls_of(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [event["data"] for event in events if event["type"] == "dice-rolled"]


def test_the_server_rolls_for_who_plays_first_and_for_every_turn(evening: Evening) -> None:
    started = rolls_of(evening.get("/events")["events"])
    contest = [roll for roll in started if roll["purpose"] == "first"]
    assert [roll["seat"] for roll in contest][:3] == [1, 2, 3]
    assert all((roll["sides"], roll["count"]) == (8, 1) for roll in started)
    match = evening.get()
    assert match["view"]["contest"] is None
    assert match["view"]["d8"] == started[-1]["values"][0]
    assert match["turn"] == {"decision": started[-1]["seat"]}
    then = rolls_of(evening.play(5))
    assert {roll["purpose"] for roll in then} == {"action"}
    # Seats that can do nothing with their roll are passed over in seat order.
    seats = [roll["seat"] for roll in [started[-1], *then]]
    assert all(after == before % 3 + 1 for before, after in pairwise(seats))


def test_a_match_ends_is_verified_and_its_bundle_and_record_tell_it_again(evening: Evening, parts: Parts) -> None:
    evening.play(12)
    evening.post("withdrawal", 2, {})
    evening.play(3)
    ended = evening.post("withdrawal", 3, {}).json
    assert ended["turn"] == {"over": {"reason": "withdrawal", "ranks": [1, 3, 2]}}
    assert verify_all(parts, [(evening.id, ended["version"])]) == ["scored"]
    report = evening.get("/verification")
    assert {check["check"]: check["result"] for check in report["checks"]}["dice"] == "ok"
    assert check_bytes(evening.api.get(f"{evening.path}/bundle").data).result == "ok"

    text = evening.api.get(f"{evening.path}/record").text
    assert format_record(parse_record(text)) == text
    token = evening.tokens[1]
    sent = evening.api.send("POST", "/v1/imports", token, data=text.encode(), content_type=MEDIA_TYPE).json
    assert check_import(parts, sent["import"]) == "entered"
    copied = evening.api.get(f"/v1/matches/{sent['match']}").json
    assert (copied["moves"], copied["view"]) == (evening.get()["moves"], evening.get()["view"])
    assert verify_all(parts, [(copied["match"], copied["version"])]) == ["scored"]


def test_legal_moves_of_a_large_board_come_in_pages_and_by_prefix(api: Api) -> None:
    evening, rng = Evening(api, radius=8), Random(1)
    for _ in range(40):
        evening.move(rng.choice(evening.get("/legal-moves?limit=1000&prefix=p")["moves"]))
    page = evening.get("/legal-moves?limit=50")
    listed = page["moves"]
    while page["next"]:
        page = evening.api.get(page["next"]).json
        listed += page["moves"]
    assert len(listed) == len(set(listed)) > 150
    longest = max(listed, key=len)
    for prefix in ("portal", "platform", "launch", "enter", "portal i1", " ".join(longest.split()[:2]), longest[:-4]):
        found = evening.get(f"/legal-moves?limit=1000&prefix={quote(prefix)}")["moves"]
        assert found == [text for text in listed if text.startswith(prefix)]
        assert prefix == "portal i1" or found
    assert evening.get("/legal-moves?prefix=portal%20i9")["moves"] == []
