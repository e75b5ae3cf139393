"""Portals over HTTP: dice of the server and of a table, thousands of legal moves in pages, positions, records."""

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
NET = ["portal c4 >c3", "portal d3 <c3", "platform d2 <d3", "platform e4 <d3", "launch c4"]
"""Leaves a demon before a portal with two exits, to be launched by seat 2."""


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


def test_a_refused_move_names_its_clause_and_that_clause_can_be_read(api: Api) -> None:
    evening = Evening(api)
    seat = evening.get()["turn"]["decision"]
    text = {1: "portal d8 <e9", 2: "portal b1 <a1", 3: "portal h5 <i5"}[seat]
    refused = evening.post("moves", seat, {"move": text})
    assert (refused.status_code, refused.json["code"], refused.json["clause"]) == (422, "move/illegal", "PO5")
    assert evening.api.get(refused.json["clause_url"]).json["title"] == "The START of others"
    assert evening.post("moves", seat, {"move": f"{text} "}).json["code"] == "move/bad-notation"


class Kept:
    """A match of two that is typed in, with the dice of a real table."""

    def __init__(self, api: Api, **options: Any) -> None:
        self.api, self.token = api, api.sign_up("Recorder")[1]
        seats = [{"name": "Ada"}, {"name": "Bea"}]
        match = api.new_match(self.token, seats, "portals", recorded=True, dice="recorded", options=options)
        self.path = f"/v1/matches/{match}"

    def enter(self, *steps: str | int) -> Any:
        """The turn after these moves and rolls."""
        for step in steps:
            body = {"move": step} if isinstance(step, str) else {"values": [step]}
            entered = self.api.post(f"{self.path}/{'moves' if isinstance(step, str) else 'rolls'}", self.token, body)
            assert entered.status_code == 200, entered.json
        return self.api.get(self.path).json["turn"]


def test_dice_of_a_real_table_are_recorded(api: Api) -> None:
    kept = Kept(api, dice=True)
    assert kept.enter(3, 3) == {"roll": {"sides": 8, "count": 1, "purpose": "first", "seat": 1}}
    assert kept.enter(2, 6) == {"roll": {"sides": 8, "count": 1, "purpose": "action", "seat": 2}}
    wrong = api.post(f"{kept.path}/rolls", kept.token, {"values": [9]})
    assert (wrong.status_code, wrong.json["code"]) == (422, "roll/invalid")
    # A launch is not possible yet, so the next seat rolls.
    assert kept.enter(5) == {"roll": {"sides": 8, "count": 1, "purpose": "action", "seat": 1}}
    assert kept.enter(1) == {"decision": 1}
    refused = api.post(f"{kept.path}/moves", kept.token, {"move": "enter"}).json
    assert (refused["code"], refused["clause"]) == ("move/illegal", "PO19")
    assert kept.enter("portal h5 <i5") == {"roll": {"sides": 8, "count": 1, "purpose": "action", "seat": 2}}
    back = api.post(f"{kept.path}/take-back", kept.token, {"ply": 0}).json
    assert back["turn"] == {"decision": 1}


def test_positions_are_told_as_json_and_as_text(api: Api) -> None:
    kept = Kept(api, radius=2, demons=True, first=1)
    kept.enter(*NET, "launch d3 demons e4")
    before, after = (api.get(f"{kept.path}/positions/{ply}").json["view"] for ply in (5, 6))
    assert before["platforms"]["c3"] == {"start": None, "center": True, "colour": "demon", "pawns": 1}
    assert before["portals"]["d3"] == {"in": ["c3"], "out": ["d2", "e4"]}
    assert {name: p["colour"] for name, p in after["platforms"].items() if p["pawns"]} == {"d2": 2, "e4": "demon"}
    text = api.get(f"{kept.path}/positions/6", headers={"Accept": "text/plain"}).text
    assert "     e { } (*)  .\n           ^\n   d (2)<[+]  .   .\n           ^\n c  .   .  { }<[+]  .\n" in text


def test_a_typed_match_is_exported_imported_and_verified(api: Api, parts: Parts) -> None:
    kept = Kept(api)
    assert kept.enter(4, 1, "portal f5 >e5", "launch f5", "enter", "exit") == {
        "over": {"reason": "cleared", "ranks": [2, 1]}
    }
    text = api.get(f"{kept.path}/record").text
    sent = api.send("POST", "/v1/imports", kept.token, data=text.encode(), content_type=MEDIA_TYPE).json
    assert check_import(parts, sent["import"]) == "entered"
    match = api.get(f"/v1/matches/{sent['match']}").json
    assert match["outcome"] == {"reason": "cleared", "ranks": [2, 1]}
    assert match["view"] == api.get(kept.path).json["view"]
    assert verify_all(parts, [(match["match"], match["version"])]) == ["scored"]


def test_options_of_portals_are_checked_by_name(api: Api) -> None:
    _, token = api.sign_up()
    for options, name in (({"radius": 9}, "radius"), ({"first": 3}, "first"), ({"demons": 1}, "demons")):
        refused = api.post("/v1/matches", token, {"ruleset": "portals", "seats": [None] * 2, "options": options})
        assert (refused.status_code, refused.json["code"]) == (422, "option/invalid")
        assert f"'{name}'" in refused.json["detail"]
