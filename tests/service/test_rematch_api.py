"""Rematches over HTTP."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from plyscribe.service.composition import compose
from plyscribe.service.web.app import create_app
from tests.service.api import Api
from tests.service.conftest import CONFIG
from tests.service.test_matches_api import Two


class Finished(Two):
    """A match of zhen that Ben has resigned."""

    def __init__(self, api: Api) -> None:
        super().__init__(api, ruleset="zhen")
        assert api.post(f"{self.path}/withdrawal", self.ben_token, {}).status_code == 200

    def start(self, **more: object) -> str:
        seats = [{"player": self.ann}, {"player": self.ben}]
        match = self.api.new_match(self.ann_token, seats, "zhen", **more)
        assert self.api.post(f"/v1/matches/{match}/seats/2", self.ben_token).status_code == 200
        return match

    def ask(self, token: str, **request: object):
        return self.api.post(f"{self.path}/rematch", token, **request)

    def seats(self, match: str) -> list[tuple[str, bool]]:
        seats = self.api.get(f"/v1/matches/{match}", self.ann_token).json["seats"]
        return [(seat.get("player") or seat.get("name"), seat["seated"]) for seat in seats]


@pytest.fixture
def finished(api) -> Finished:
    return Finished(api)


def test_everything_else_stays_the_same(api, finished):
    finished.path = f"/v1/matches/{finished.start(options={'tiles': 4}, private=True, start='auto')}"
    api.post(f"{finished.path}/withdrawal", finished.ben_token, {})
    match = finished.ask(finished.ben_token).json["match"]
    then = api.get(finished.path, finished.ann_token).json
    now = api.get(f"/v1/matches/{match}", finished.ann_token).json
    same = ("ruleset", "ruleset_version", "options", "private", "start", "dice", "recorder")
    assert {name: now[name] for name in same} == {name: then[name] for name in same}
    assert api.get(f"/v1/matches/{match}").status_code == 404


def test_seats_move_up_by_one_and_each_player_who_asks_gets_the_same_match_and_is_seated(finished, parts):
    first = finished.ask(finished.ann_token)
    asked = first.json["match"]
    assert (first.status_code, first.headers["Location"]) == (200, f"/v1/matches/{asked}")
    assert finished.seats(asked) == [(finished.ben, False), (finished.ann, True)]
    assert finished.api.get(f"/v1/matches/{asked}").json["rematch_of"] == finished.match
    assert parts.matches.read(asked).life.creator == finished.ann
    assert finished.ask(finished.ann_token).data == first.data
    second = finished.ask(finished.ben_token)
    match = second.json["match"]
    assert match == first.json["match"]
    assert [event["type"] for event in second.json["events"]] == ["seat-taken", "match-started"]
    assert finished.seats(match) == [(finished.ben, True), (finished.ann, True)]
    assert finished.ask(finished.ben_token).json["match"] == match


@pytest.mark.parametrize("first", ["ann_token", "ben_token"])
def test_a_repeated_request_with_its_key_gets_the_same_answer(finished, first):
    tokens = sorted([finished.ann_token, finished.ben_token], key=lambda token: token != getattr(finished, first))
    answers = [finished.ask(token, key="k") for token in tokens]
    again = [finished.ask(token, key="k") for token in tokens]
    assert [answer.data for answer in again] == [answer.data for answer in answers]
    assert [answer.headers.get("Idempotency-Replayed") for answer in answers + again] == [None, None, "true", "true"]


def test_two_players_who_ask_at_the_same_time_get_one_match(finished, parts):
    apis = [Api(create_app(compose(CONFIG, parts.store))) for _ in range(2)]
    barrier = threading.Barrier(2)

    def ask(api: Api, token: str) -> str:
        barrier.wait()
        return api.post(f"{finished.path}/rematch", token).json["match"]

    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(ask, apis, (finished.ann_token, finished.ben_token))
    assert first == second
    assert finished.seats(first) == [(finished.ben, True), (finished.ann, True)]
    assert finished.api.get(f"/v1/matches/{first}").json["status"] == "playing"


def test_only_players_of_a_match_that_has_ended_get_a_rematch(api, finished):
    _, cat = api.sign_up("Cat")
    refused = finished.ask(cat)
    assert (refused.status_code, refused.json["code"]) == (403, "seat/not-yours")
    assert finished.ask(finished.ann_token, key="x" * 65).json["code"] == "key/invalid"
    finished.path = f"/v1/matches/{finished.start()}"
    running = finished.ask(finished.ann_token)
    assert (running.status_code, running.json["code"]) == (409, "match/not-ended")
    api.post(f"{finished.path}/abort", finished.ann_token, {})
    assert finished.ask(finished.ann_token).json["code"] == "match/not-ended"
    finished.path = f"/v1/matches/{finished.start(private=True)}"
    api.post(f"{finished.path}/withdrawal", finished.ben_token, {})
    assert finished.ask(cat).json["code"] == "match/unknown"


def test_a_player_who_asks_too_late_gets_the_location_of_the_match(finished):
    match = finished.ask(finished.ann_token).json["match"]
    finished.api.post(f"/v1/matches/{match}/abort", finished.ann_token, {})
    told = finished.ask(finished.ben_token)
    assert (told.status_code, told.json["match"]) == (200, match)
    assert "Idempotency-Replayed" not in told.headers
    assert finished.seats(match)[0] == (finished.ben, False)


def test_only_the_recorder_can_ask_for_the_rematch_of_a_recorded_match(api):
    _, token = api.sign_up("Rec")
    ann, ann_token = api.sign_up("Ann")
    match = api.new_match(token, [{"name": "Ada"}, {"player": ann}], "toy", recorded=True, dice="recorded")
    path = f"/v1/matches/{match}"
    api.post(f"{path}/seats/2", ann_token)
    api.post(f"{path}/withdrawal", token, {"seat": 1, "cause": "absent"})
    assert api.post(f"{path}/rematch", ann_token).json["code"] == "match/not-recorder"
    made = api.post(f"{path}/rematch", token).json["match"]
    new = api.get(f"/v1/matches/{made}").json
    assert [seat.get("name") for seat in new["seats"]] == [None, "Ada"]
    assert (new["dice"], new["recorder"]) == ({"mode": "recorded"}, api.get(path).json["recorder"])


def test_a_player_with_two_seats_gets_both_again_and_the_server_other_dice(api):
    creator, creating = api.sign_up("Org")
    ann, token = api.sign_up("Ann")
    match = api.new_match(creating, [{"player": ann}, {"player": creator}, {"player": ann}], "toy", start="call")
    path = f"/v1/matches/{match}"
    for seat in (1, 3):
        api.post(f"{path}/seats/{seat}", token)
    api.post(f"{path}/start", creating)
    for seat in (1, 3):
        api.post(f"{path}/withdrawal", token, {"seat": seat})
    made = api.post(f"{path}/rematch", creating).json["match"]
    assert api.post(f"{path}/rematch", token, key="k").json["version"] == 3
    shown = api.get(f"/v1/matches/{made}").json
    assert all(seat["seated"] for seat in shown["seats"])
    assert shown["dice"]["dice_id"] == made
