"""A game with dice, and with decisions of other seats in the middle of a move, over HTTP: crystals."""

from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from plyscribe.domain.bundle.report import check_bytes
from plyscribe.domain.record import MEDIA_TYPE, format_record, parse_record
from plyscribe.service.composition import Parts
from plyscribe.workers.check_import import check_import
from plyscribe.workers.verify_match import verify_all
from tests.service.api import Api

NAMES = ("Ann", "Ben", "Cleo")
SEED = 18
OPENING = ["choose rider", "choose archer", "spawn scout", "spawn tower", [5], [2], [1], "move tower", "spawn miner"]
"""Moves, and values of dice."""


class Table:
    """Three players at a match with dice of the server."""

    def __init__(self, api: Api) -> None:
        self.api = api
        signed = [api.sign_up(name) for name in NAMES]
        self.tokens = [token for _, token in signed]
        seats = [{"player": signed[0][0]}, None, None]
        self.id = api.new_match(self.tokens[0], seats, "crystals", options={"section": 8})
        self.path = f"/v1/matches/{self.id}"
        self.random = Random(self.id)
        for seat, what in ((2, "seats/2"), (3, "seats/3"), (1, "entropy")):
            salted = api.post(f"{self.path}/{what}", self.tokens[seat - 1], {"entropy": f"salt {seat}"})
            assert salted.status_code == 200, salted.json

    def get(self, path: str = "") -> Any:
        return self.api.get(self.path + path).json

    def move(self, seat: int, move: str) -> Any:
        return self.api.post(f"{self.path}/moves", self.tokens[seat - 1], {"move": move})

    def play_on(self) -> Any:
        """The receipt of a move drawn from the legal ones, by the seat that decides."""
        moves = self.get("/legal-moves")["moves"]
        made = self.move(self.get()["turn"]["decision"], self.random.choice(moves))
        assert made.status_code == 200, made.json
        return made.json

    def play_until_another_seat_learns(self) -> dict[str, Any]:
        """The view when experience is to be given out by a seat that is not on turn."""
        while True:
            state = self.get()
            if state["view"]["phase"] == "xp" and state["turn"] != {"decision": state["view"]["on_turn"]}:
                return state["view"]
            self.play_on()

    def play_until_a_defence(self) -> dict[str, Any]:
        """The roll of the server for a seat that was attacked."""
        while True:
            for event in self.play_on()["events"]:
                if event["type"] == "dice-rolled" and event["data"]["purpose"] == "defence":
                    return event["data"]


@pytest.fixture
def table(api: Api, monkeypatch: pytest.MonkeyPatch) -> Table:
    """The same match, dice and all, whenever the tests run."""
    monkeypatch.setattr("plyscribe.service.streams.ids.secrets", SimpleNamespace(token_bytes=Random(SEED).randbytes))
    return Table(api)


def test_experience_is_given_out_by_the_token_of_a_seat_that_is_not_on_turn(table: Table) -> None:
    mover = table.play_until_another_seat_learns()["on_turn"]
    learner = table.get()["turn"]["decision"]
    assert learner != mover
    assert table.get("/legal-moves")["moves"] == ["xp scout", "xp miner", "xp tower", "xp rider"]
    for body, code in (({"seat": learner}, "seat/not-yours"), ({}, "move/not-your-turn")):
        refused = table.api.post(f"{table.path}/moves", table.tokens[mover - 1], {"move": "xp scout", **body})
        assert (refused.status_code, refused.json["code"]) == (403 if body else 409, code)
    before = table.get()["view"]["characters"][learner - 1]["scout"]["xp"]
    given = table.move(learner, "xp scout")
    assert given.json["events"][0]["data"] == {"move": "xp scout", "seat": learner}
    assert table.get()["view"]["characters"][learner - 1]["scout"]["xp"] == before + 1


def test_the_server_rolls_for_a_defence_in_the_middle_of_a_move(table: Table) -> None:
    rolled = table.play_until_a_defence()
    assert (rolled["sides"], rolled["count"], len(rolled["values"])) == (6, 1, 1)
    attacked_on = table.get()["ply"]
    position = table.get(f"/positions/{attacked_on - 1}")
    assert rolled["seat"] != position["view"]["on_turn"] == position["turn"]["decision"]


def test_a_match_with_dice_of_the_server_is_verified_and_scored(table: Table, parts: Parts) -> None:
    table.play_until_another_seat_learns()
    for seat in (1, 2):
        ended = table.api.post(f"{table.path}/withdrawal", table.tokens[seat - 1]).json
    assert ended["turn"] == {"over": {"reason": "withdrawal", "ranks": [3, 2, 1]}}
    assert verify_all(parts, [(table.id, ended["version"])]) == ["scored"]
    report = check_bytes(table.api.get(f"{table.path}/bundle").data)
    assert {check.check: check.result for check in report.checks}["dice"] == "ok"
    assert report.result == "ok"


def enter(api: Api, token: str, path: str, steps: list[Any]) -> None:
    for step in steps:
        what, body = ("moves", {"move": step}) if isinstance(step, str) else ("rolls", {"values": step})
        entered = api.post(f"{path}/{what}", token, body)
        assert entered.status_code == 200, entered.json


@pytest.fixture
def recorded(api: Api) -> tuple[str, str]:
    """The token of a recorder, and the path of a match whose dice are typed in: an archer before its target."""
    token = api.sign_up("Recorder")[1]
    seats = [{"name": "Ada"}, {"name": "Bea"}]
    match = api.new_match(token, seats, "crystals", recorded=True, dice="recorded", options={"section": 8})
    return token, f"/v1/matches/{match}"


def test_a_match_is_entered_with_its_dice_and_shown_as_json_and_as_text(api: Api, recorded: tuple[str, str]) -> None:
    token, path = recorded
    enter(api, token, path, OPENING)
    assert api.get(path).json["turn"] == {"roll": {"sides": 6, "count": 1, "purpose": "turn", "seat": 1}}
    refused = api.post(f"{path}/rolls", token, {"values": [7]})
    assert (refused.status_code, refused.json["code"]) == (422, "roll/invalid")
    refused = api.post(f"{path}/moves", token, {"move": "move scout"})
    assert (refused.status_code, refused.json["code"]) == (409, "move/roll-due")
    enter(api, token, path, [[4]])
    refused = api.post(f"{path}/moves", token, {"move": "move miner"}).json
    assert (refused["code"], refused["clause"], refused["legal"]) == ("move/illegal", "CR7", ["move scout"])
    assert api.get(refused["clause_url"]).json["clause"] == "CR7"
    position = api.get(f"{path}/positions/5").json
    assert (position["view"]["characters"][1]["tower"]["at"], position["turn"]) == (10, {"decision": 2})
    text = api.get(f"{path}/positions/5", headers={"Accept": "text/plain"}).text
    assert "   9  10  11  12  13  14  15  16\n   . 2t1   .   .   .   .   .   .\n" in text
    assert "Then seat 2 plays spawn miner." in text


def test_a_defence_is_typed_in_and_throws_the_attacker_back(api: Api, recorded: tuple[str, str]) -> None:
    token, path = recorded
    # Ada's scout goes to 5, then against the tower of Bea on 10, which is saved.
    attack = [[4], "move scout", "spawn miner", [3], "move miner", "spawn scout", [5], "move scout"]
    enter(api, token, path, [*OPENING, *attack])
    shown = api.get(path).json
    assert shown["turn"] == {"roll": {"sides": 6, "count": 1, "purpose": "defence", "seat": 2}}
    assert shown["view"]["attack"]["target"] == {"seat": 2, "class": "tower"}
    enter(api, token, path, [[1]])
    shown = api.get(path).json
    assert (shown["view"]["characters"][0]["scout"]["at"], shown["turn"]) == (8, {"decision": 2})


def test_the_record_holds_moves_and_rolls_and_is_imported_again(
    api: Api, parts: Parts, recorded: tuple[str, str]
) -> None:
    token, path = recorded
    enter(api, token, path, OPENING)
    api.post(f"{path}/withdrawal", token, {"seat": 1})
    text = api.get(f"{path}/record").text
    assert format_record(parse_record(text)) == text
    sent = api.send("POST", "/v1/imports", token, data=text, content_type=MEDIA_TYPE).json
    assert check_import(parts, sent["import"]) == "entered"
    match = api.get(f"/v1/matches/{sent['match']}").json
    assert match["view"] == api.get(path).json["view"]
    assert match["outcome"] == {"reason": "withdrawal", "ranks": [2, 1]}
    assert verify_all(parts, [(match["match"], match["version"])]) == ["scored"]
