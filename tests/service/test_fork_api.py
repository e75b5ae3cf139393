"""Forks over HTTP."""

from typing import Any

import pytest

from plyscribe.workers.verify_match import verify_all
from tests.service.api import Api
from tests.service.test_imports_api import Elsewhere, bring

LINE = ["d4", "a1", "c3"]


class Forked:
    """A match of three moves between Ann and Ben, and Eve, who watches."""

    def __init__(self, api: Api, ruleset: str = "pathagon", moves: list[str] = LINE, **more: Any) -> None:
        self.api = api
        (self.ann, self.ann_token), (self.ben, self.ben_token) = api.sign_up(), api.sign_up()
        self.eve, self.eve_token = api.sign_up()
        seats = [{"player": self.ann}, {"player": self.ben}]
        self.match = api.new_match(self.ann_token, seats, ruleset, **more)
        self.path = f"/v1/matches/{self.match}"
        salt = {"entropy": "b"} if api.get(self.path, self.ann_token).json["dice"] else {}
        api.post(f"{self.path}/seats/2", self.ben_token, salt)
        if salt:
            api.post(f"{self.path}/entropy", self.ann_token, {"entropy": "a"})
        for number, move in enumerate(moves):
            token = (self.ann_token, self.ben_token)[number % 2]
            assert api.post(f"{self.path}/moves", token, {"move": move}).status_code == 200

    def fork(self, ply: int, token: str | None = None, **more: Any) -> Any:
        return self.api.post(f"{self.path}/forks", token or self.eve_token, {"ply": ply, **more})

    def made(self, ply: int, token: str | None = None, **more: Any) -> str:
        answered = self.fork(ply, token, **more)
        assert answered.status_code == 201, answered.json
        return f"/v1/matches/{answered.json['match']}"

    def resign(self) -> None:
        assert self.api.post(f"{self.path}/withdrawal", self.ben_token, {}).status_code == 200


@pytest.fixture
def forked(api: Api) -> Forked:
    return Forked(api)


@pytest.fixture
def race(api: Api) -> Forked:
    return Forked(api, "toy", ["push"], options={"dice": 1})


def test_every_reader_can_fork_a_match_from_any_ply_without_changing_it(forked):
    answered = forked.fork(2)
    assert answered.status_code == 201
    path = f"/v1/matches/{answered.json['match']}"
    assert answered.headers["Location"] == path
    assert [event["type"] for event in answered.json["events"]] == ["match-created", "line-copied", "match-started"]
    now = forked.api.get(path).json
    assert (now["moves"], now["parent"]) == (LINE[:2], {"match": forked.match, "ply": 2})
    assert (now["status"], now["rated"], now["private"]) == ("playing", False, False)
    assert {seat["player"] for seat in now["seats"]} == {forked.eve}
    row = next(row for row in forked.api.get("/v1/matches").json["matches"] if path.endswith(row["match"]))
    assert (row["ply"], row["status"]) == (2, "playing")
    assert forked.api.post(f"{path}/moves", forked.eve_token, {"move": "g7"}).status_code == 200
    assert forked.api.get(path).json["moves"] == [*LINE[:2], "g7"]
    assert forked.api.get(forked.path).json["moves"] == LINE
    for ply in range(4):
        told = forked.api.get(f"{path}/positions/{ply}").json
        assert forked.api.get(f"{path}/positions/{ply}?version={told['version']}").json == told
        if ply < 3:
            assert told["view"] == forked.api.get(f"{forked.path}/positions/{ply}").json["view"]


def test_a_fork_goes_on_with_steps_that_were_tried(forked):
    path = forked.made(2, steps=[{"move": "g7"}, {"move": "b2"}])
    now = forked.api.get(path).json
    assert (now["moves"], now["parent"]) == ([*LINE[:2], "g7", "b2"], {"match": forked.match, "ply": 2})
    assert now["turn"] == {"decision": 1}
    refused = forked.fork(2, steps=[{"move": "g7"}, {"move": "g7"}])
    assert (refused.status_code, refused.json["code"], refused.json["step"]) == (422, "move/illegal", 1)
    left = forked.fork(2, steps=[{"withdraw": 1}])
    assert (left.status_code, left.json["code"]) == (409, "fork/over")


def test_a_new_match_begins_with_steps_that_were_tried(api, parts):
    ann, token = api.sign_up("Ann")
    steps = [{"values": [1, 1]}, {"values": [1]}, {"values": [2]}, {"move": "push"}]
    body = {"ruleset": "toy", "seats": [{"player": ann}] * 2, "steps": steps, "start": "call"}
    made = api.post("/v1/matches", token, body)
    assert made.status_code == 201, made.json
    assert [event["type"] for event in made.json["events"]] == ["match-created", "line-copied"]
    path = f"/v1/matches/{made.json['match']}"
    now = api.get(path).json
    assert (now["moves"], now["parent"], now["dice"]["mode"]) == (["push"], None, "server")
    started = api.post(f"{path}/start", token)
    assert started.status_code == 200, started.json
    if api.get(path).json["status"] == "playing":
        api.post(f"{path}/withdrawal", token, {"seat": 1})
    version = api.get(path).json["version"]
    assert verify_all(parts, [(made.json["match"], version)]) == ["scored"]
    assert api.post("/v1/matches", token, {**body, "steps": [{"move": "push"}]}).json["step"] == 0
    assert api.post("/v1/matches", token, {**body, "rated": True}).json["code"] == "rated/fork"
    assert api.post("/v1/matches", token, {**body, "shared_dice": 2}).json["code"] == "dice/shared"


def test_a_fork_that_cannot_be_is_refused(api, forked):
    unknown = [{"player": "player-" + "z" * 26}, None]
    for ply, seats, code in ((4, None, "fork/ply"), (1, [None], "fork/seats"), (1, unknown, "player/unknown")):
        refused = forked.fork(ply, **({"seats": seats} if seats else {}))
        assert (refused.status_code, refused.json["code"], refused.json.get("ply", 3)) == (422, code, 3)
    token = api.post("/v1/players/me/tokens", forked.eve_token, {"scopes": ["play"]}).json["token"]
    assert forked.fork(1, token, recorded=True).json["code"] == "auth/scope"
    assert forked.fork(1, token).status_code == 201


def test_only_readers_of_a_private_match_can_fork_it_and_its_forks_are_private(api, forked):
    match = Forked(api, private=True)
    assert match.fork(1).json["code"] == "match/unknown"
    path = match.made(1, match.ann_token)
    assert api.get(path, match.eve_token).json["code"] == "match/unknown"
    assert api.get(path, match.ann_token).json["private"] is True
    assert api.get(forked.made(1, private=True), forked.ann_token).status_code == 404


def test_a_later_take_back_changes_neither_the_fork_nor_the_answer_to_its_key(api):
    _, token = api.sign_up("Rec")
    match = api.new_match(token, [{"name": "Ada"}, {"name": "Bea"}], "pathagon", recorded=True)
    for move in LINE:
        api.post(f"/v1/matches/{match}/moves", token, {"move": move})
    asked = {"path": f"/v1/matches/{match}/forks", "token": token, "body": {"ply": 3, "recorded": True}, "key": "k"}
    made = api.post(**asked)
    api.post(f"/v1/matches/{match}/take-back", token, {"ply": 1})
    again = api.post(**asked)
    assert (again.data, again.headers["Idempotency-Replayed"]) == (made.data, "true")
    now = api.get(f"/v1/matches/{made.json['match']}").json
    assert (now["moves"], now["recorder"]) == (LINE, now["creator"])
    assert api.post(**{**asked, "body": {"ply": 1}}).json["code"] == "key/reused"
    assert api.post(**{**asked, "key": "other"}).json["code"] == "fork/ply"


def test_a_fork_is_verified_without_its_parent_and_its_rematch_starts_from_the_beginning(api, parts):
    forked = Forked(api, rated=True)
    path = forked.made(2)
    assert api.get(path).json["rated"] is False
    api.post(f"{path}/withdrawal", forked.eve_token, {"seat": 1})
    assert verify_all(parts, [(path.rpartition("/")[2], api.get(path).json["version"])]) == ["scored"]
    assert api.get(path).json["score"] == {"points": [0, 2], "ledger": None}
    rematch = api.post(f"{path}/rematch", forked.eve_token).json["match"]
    now = api.get(f"/v1/matches/{rematch}").json
    assert (now["moves"], now["parent"]) == ([], None)


def rolls(race: Forked, path: str) -> list[Any]:
    events = race.api.get(f"{path}/events?limit=1000").json["events"]
    last = max(event["version"] for event in events if event["type"] == "move-made")
    return [event["data"] for event in events if event["type"] == "dice-rolled" and event["version"] > last]


def test_a_fork_can_continue_with_the_same_dice_once_they_are_revealed(race):
    if race.api.get(race.path).json["status"] == "playing":
        refused = race.fork(0, dice="same")
        assert (refused.status_code, refused.json["code"]) == (409, "fork/dice-secret")
        race.resign()
    path = race.made(0, dice="same")
    race.api.post(f"{path}/moves", race.eve_token, {"move": "push"})
    assert rolls(race, path) == rolls(race, race.path) != []
    assert race.api.get(path).json["dice"]["dice_id"] == race.match


def test_recorded_dice_are_recorded_in_the_fork_too(api):
    _, token = api.sign_up("Rec")
    match = api.new_match(token, [{"name": "Ada"}, {"name": "Bea"}], "toy", recorded=True, dice="recorded")
    for values in ([1, 1], [1], [2]):
        api.post(f"/v1/matches/{match}/rolls", token, {"values": values})
    body = {"ply": 0, "recorded": True, "dice": "same", "seats": [{"name": "Ada"}, {"name": "Cyd"}]}
    fork = api.post(f"/v1/matches/{match}/forks", token, body).json["match"]
    assert api.get(f"/v1/matches/{fork}").json["turn"] == {"decision": 1}
    api.post(f"/v1/matches/{fork}/moves", token, {"move": "push"})
    assert api.post(f"/v1/matches/{fork}/rolls", token, {"values": [2, 3]}).status_code == 200
    refused = api.post(f"/v1/matches/{match}/forks", token, {"ply": 0, "dice": "same"})
    assert refused.json["code"] == "dice/needs-recorder"


@pytest.fixture
def brought(api, parts) -> Any:
    """A match with dice that was played on another server, as its bundle."""
    elsewhere = Elsewhere()
    played = Forked(elsewhere, "toy", [])
    played.resign()
    return played.match, elsewhere.bundle(played.match)


def test_the_fork_of_an_imported_match_has_dice_of_this_server(api, parts, brought):
    match, bundle = brought
    _, token = api.sign_up("Ida")
    address = bring(api, parts, token, bundle)
    refused = api.post(f"/v1/matches/{match}/forks", token, {"ply": 0, "dice": "same"})
    assert (refused.status_code, refused.json["code"]) == (422, "fork/dice-key")
    made = api.post(f"/v1/matches/{match}/forks", token, {"ply": 0}).json["match"]
    assert api.get(f"/v1/matches/{made}").json["parent"]["match"] == address
    assert api.post(f"/v1/matches/{made}/start", token).status_code == 200
