"""A game whose dice are typed in, also in the middle of a move, over HTTP: crystals."""

from typing import Any

import pytest

from tests.service.api import Api

OPENING = ["choose rider", "choose archer", "spawn scout", "spawn tower", [5], [2], [1], "move tower", "spawn miner"]
"""Moves, and values of dice."""


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
