"""Imports that claim the dice of a match of ours: nobody learns a secret by them before it is revealed."""

from typing import Any

import pytest

from plyscribe.service.cli import transfer
from plyscribe.service.cli.full_export import Differs
from plyscribe.service.composition import Parts
from plyscribe.service.streams.ids import command_of, stream_id
from tests.service.api import Api
from tests.service.hostile_bundles import format_forged
from tests.service.test_imports_api import send

FOREIGN = "match-" + "f" * 26


def forge_bundle(match: str, told: list[tuple[str, Any]], by: str) -> bytes:
    """A bundle whose form is right, of whatever events."""
    envelope = {"at": 1, "by": by, "cause": "00" * 16, "version": 1}
    bundle = format_forged([{**envelope, "data": data, "type": word} for word, data in told], match)
    assert bundle is not None
    return bundle


class Forger:
    """Eve, and a match with server dice between others, of which she makes up another one with the same dice."""

    def __init__(self, api: Api, parts: Parts) -> None:
        self.api, self.parts = api, parts
        _, self.ann = api.sign_up("Ann")
        self.eve, self.token = api.sign_up("Eve")
        self.victim = api.new_match(self.ann, ruleset="toy", start="call")
        self.dice = self.claimed(self.victim)

    def claimed(self, match: str) -> dict[str, Any]:
        return self.api.get(f"/v1/matches/{match}/events").json["events"][0]["data"]["dice"]

    def make_up(self, dice: Any, ending: list[Any], match: str = FOREIGN) -> str:
        """The address of a match of Eve's own with such dice, that went so, imported."""
        seat = {"player": self.eve}
        created = {
            **self.api.get(f"/v1/matches/{self.victim}/events").json["events"][0]["data"],
            "dice": dice,
            "seats": [seat, seat],
        }
        bundle = forge_bundle(match, [("match-created", created), *ending], f"player:{self.eve}")
        return str(send(self.api, self.token, bundle)["address"])


@pytest.fixture
def forger(api: Api, parts: Parts) -> Forger:
    return Forger(api, parts)


REVEALED = [("match-aborted", {"cause": "called off"}), ("dice-revealed", {"secret": "00" * 32})]


def test_the_dice_of_an_imported_match_do_not_go_on_in_a_fork(forger):
    made_up = forger.make_up(forger.dice, REVEALED)
    forked = forger.api.post(f"/v1/matches/{made_up}/forks", forger.token, {"ply": 0, "dice": "same"})
    assert (forked.status_code, forked.json["code"]) == (409, "fork/dice-secret")
    fresh = forger.api.post(f"/v1/matches/{FOREIGN}/forks", forger.token, {"ply": 0})
    assert fresh.status_code == 201
    assert forger.claimed(fresh.json["match"])["dice_id"] == fresh.json["match"]


def test_positions_of_a_new_match_are_not_those_of_an_import_that_was_read(forger):
    api, seats = forger.api, [{"player": forger.eve}] * 2
    played = api.new_match(forger.token, seats, "zhen")
    for move in ("+1", "+2"):
        assert api.post(f"/v1/matches/{played}/moves", forger.token, {"move": move}).status_code == 200
    events = api.get(f"/v1/matches/{played}/events").json["events"]
    foreseen = stream_id("match", command_of(f"player:{forger.eve}", "POST", "/v1/matches", "key", b""))
    told = [(event["type"], event["data"]) for event in events]
    send(api, forger.token, forge_bundle(foreseen, told, f"player:{forger.eve}"))
    assert api.get(f"/v1/matches/{foreseen}/positions/1").status_code == 200
    made = api.post("/v1/matches", forger.token, {"ruleset": "zhen", "seats": seats}, key="key")
    assert (made.status_code, made.json["match"]) == (201, foreseen)
    assert api.get(f"/v1/matches/{foreseen}/positions/1").status_code == 404


def test_no_match_is_restored_that_has_the_secret_dice_of_another(forger, tmp_path):
    def restore(match: str, created: dict[str, Any]) -> bool:
        path = tmp_path / "match.bundle.ndjson"
        path.write_bytes(forge_bundle(match, [("match-created", created)], f"player:{forger.eve}"))
        return transfer._restore_match(forger.parts, path)[1]

    created = forger.api.get(f"/v1/matches/{forger.victim}/events").json["events"][0]["data"]
    for dice in (forger.dice, {**forger.dice, "mode": "shared", "matches": [FOREIGN]}):
        with pytest.raises(Differs, match=f"it uses the dice of {forger.victim}"):
            restore(FOREIGN, {**created, "dice": dice})
    assert restore(FOREIGN, {**created, "dice": {**forger.dice, "dice_id": FOREIGN}})
    # A duplicate of which its first match knows.
    first = forger.api.new_match(forger.ann, ruleset="toy", shared_dice=2, start="call")
    created = forger.api.get(f"/v1/matches/{first}/events").json["events"][0]["data"]
    assert restore(created["dice"]["matches"][1], created)
