"""What an answer says that one may do in a match: what the API accepts, told to nobody else."""

from random import Random
from typing import Any

import pytest

from plyscribe.domain.commands import Actor
from plyscribe.domain.events import WITHDRAWAL_CAUSES
from tests.service.api import Api


class Two:
    """A match of Ann, who has seat 1, and Ben, who may take seat 2; Cat watches."""

    def __init__(self, api: Api, ruleset: str = "zhen", **more: Any) -> None:
        self.api = api
        (self.ann, self.ann_token), (self.ben, self.ben_token), (_, self.cat_token) = (
            api.sign_up(name) for name in ("Ann", "Ben", "Cat")
        )
        self.match = api.new_match(self.ann_token, [{"player": self.ann}, {"player": self.ben}], ruleset, **more)
        self.path = f"/v1/matches/{self.match}"

    def begin(self) -> "Two":
        assert self.api.post(f"{self.path}/seats/2", self.ben_token).status_code == 200
        return self

    def choices(self, token: str | None, path: str = "") -> list[dict[str, Any]]:
        return self.api.get(self.path + path, token).json["choices"]

    def commands(self, token: str | None) -> list[str]:
        return [choice["command"] for choice in self.choices(token)]


@pytest.fixture
def two(api) -> Two:
    return Two(api)


def test_everybody_is_told_their_own_choices_but_not_in_receipts(two):
    assert two.choices(two.ann_token) == [{"command": "leave-seat", "seats": [1, 2]}, {"command": "abort"}]
    assert two.choices(two.ben_token) == [
        {"command": "take-seat", "seats": [2]},
        {"command": "leave-seat", "seats": [2]},
    ]
    assert two.choices(two.cat_token) == two.choices(None) == []
    assert "choices" not in two.api.post(f"{two.path}/seats/2", two.ben_token).json
    assert {"command": "withdraw", "seats": [2], "causes": ["resigned"]} in two.choices(two.ben_token)
    without_play = two.api.post("/v1/players/me/tokens", two.ben_token, {"scopes": ["record"]}).json["token"]
    assert two.choices(without_play) == []


def test_overseers_annul(two, parts):
    two.begin()
    two.api.post(f"{two.path}/withdrawal", two.ben_token, {})
    _, token = parts.accounts.sign_up(Actor("system", "test"), "Olga", "person", ("admin",))
    assert two.choices(token) == [{"command": "annul"}]
    _, stranger = parts.accounts.sign_up(Actor("system", "test"), "Oscar", "person", ("organise",))
    assert two.choices(stranger) == []
    assert two.commands(two.ann_token) == ["rematch"]


def test_a_seat_of_a_private_match_is_a_choice_for_who_is_invited(api, parts):
    _, token = api.sign_up("Ann")
    _, ben = api.sign_up("Ben")
    _, admin = parts.accounts.sign_up(Actor("system", "test"), "Olga", "person", ("play", "admin"))
    path = f"/v1/matches/{api.new_match(token, [None, None], private=True)}"
    code = api.post(f"{path}/seats/2/invitations", token, {}).json["invitation"]
    assert api.get(path, token).json["choices"][0] == {"command": "take-seat", "seats": [1, 2]}
    assert api.get(f"{path}?invitation={code}", ben).json["choices"] == [{"command": "take-seat", "seats": [2]}]
    assert api.get(f"{path}?invitation={code}").json["choices"] == []
    assert api.get(path, admin).json["choices"] == []
    api.post(f"{path}/seats/2", ben, {"invitation": code})
    # Ben's link is over, but he reads the match as its player. The other seat is not open to him.
    assert api.get(f"{path}?invitation={code}", ben).json["choices"] == [{"command": "leave-seat", "seats": [2]}]


# -------------------------------------------------------------------------------------------------------------- caches


def test_answers_with_choices_are_kept_apart_by_caches(two):
    tokens = (two.ann_token, two.ben_token, two.cat_token, None)
    told = [two.api.get(two.path, token) for token in tokens]
    for answer in told:
        assert {"Authorization", "Cookie"} <= set(answer.vary)
    assert [answer.cache_control.private for answer in told] == [True, True, True, None]
    ann, ben, cat, nobody = tags = [answer.headers["ETag"] for answer in told]
    assert len({ann, ben, nobody}) == 3
    assert cat == nobody == '"1"'  # the answers are the same

    def again(tag: str, token: str | None) -> int:
        return two.api.get(two.path, token, headers={"If-None-Match": tag}).status_code

    assert [[again(tag, token) for token in (two.ann_token, two.ben_token, None)] for tag in tags[:2]] == [
        [304, 200, 200],
        [200, 304, 200],
    ]
    two.begin()
    assert again(ann, two.ann_token) == 200


def test_the_tag_of_an_answer_with_choices_is_a_version_to_expect(two):
    two.begin()
    tag = two.api.get(two.path, two.ann_token).headers["ETag"]
    assert tag.startswith('"3-')
    moves = two.api.get(f"{two.path}/legal-moves").json["moves"]
    made = two.api.post(f"{two.path}/moves", two.ann_token, {"move": moves[0]}, if_match=tag)
    assert made.status_code == 200, made.json
    late = two.api.post(f"{two.path}/withdrawal", two.ann_token, {}, if_match=tag)
    assert (late.status_code, late.json["code"]) == (412, "stream/version-conflict")


# ------------------------------------------------------------------------------------------------------------- the law


def requests_on(told: dict[str, Any], moves: list[str], rng: Random) -> dict[tuple, tuple[str, str, dict | None]]:
    """A request for every command with every seat and cause, sensible or not."""
    due = (told["turn"] or {}).get("roll") or {"count": 1, "sides": 1}
    move = rng.choice(moves) if moves else "a1"
    asked: dict[tuple, tuple[str, str, dict | None]] = {}
    for seat in range(1, len(told["seats"]) + 2):
        asked["take-seat", seat] = "POST", f"/seats/{seat}", {}
        asked["seat-guest", seat] = "POST", f"/seats/{seat}", {"name": "Zoe"}
        asked["leave-seat", seat] = "DELETE", f"/seats/{seat}", None
        asked["add-entropy", seat] = "POST", "/entropy", {"seat": seat, "entropy": "salt"}
        asked["move", seat] = "POST", "/moves", {"seat": seat, "move": move}
        asked["offer-draw", seat] = "POST", "/draw", {"seat": seat, "action": "offer"}
        asked["answer-draw", seat] = "POST", "/draw", {"seat": seat, "action": rng.choice(["agree", "decline"])}
        asked["adjust-clock", seat] = "POST", "/clock", {"seat": seat, "add_ms": 60_000, "why": "x"}
        for cause in WITHDRAWAL_CAUSES:
            asked["withdraw", seat, cause] = "POST", "/withdrawal", {"seat": seat, "cause": cause, "why": "x"}
    asked["start",] = "POST", "/start", {}
    asked["roll",] = "POST", "/rolls", {"values": [rng.randint(1, due["sides"]) for _ in range(due["count"])]}
    back = {"ply": rng.randrange(told["ply"])} if told["ply"] and rng.random() < 0.5 else {"steps": 1}
    asked["take-back",] = "POST", "/take-back", back
    asked["confirm-record",] = "POST", "/confirmation", {}
    asked["pause",] = "POST", "/pause", {"why": "x"}
    asked["resume",] = "POST", "/resume", {}
    asked["abort",] = "POST", "/abort", {}
    asked["annul",] = "POST", "/annulment", {"why": "cheated"}
    asked["rematch",] = "POST", "/rematch", {}
    return asked


def allowed_by(choices: list[dict[str, Any]]) -> set[tuple]:
    return {
        (choice["command"], *([seat] if seat else []), *([cause] if cause else []))
        for choice in choices
        for seat in choice.get("seats", [None])
        for cause in choice.get("causes", [None])
    }


@pytest.mark.parametrize("seed", range(4))
def test_the_api_refuses_what_is_no_choice_and_accepts_what_is_one(api, parts, seed):
    rng = Random(seed)
    people = [api.sign_up(name) for name in ("Ann", "Ben", "Cat")]
    _, admin = parts.accounts.sign_up(Actor("system", "test"), "Olga", "person", ("play", "admin"))
    tokens = [*(token for _, token in people), admin]
    recorded = seed % 4 == 3
    seats = [rng.choice([None, {"player": people[0][0]}, {"player": people[1][0]}]) for _ in range(2)]
    dice = rng.choice(["recorded", "server"]) if recorded else "server"
    match = api.new_match(tokens[0], seats, rng.choice(["toy", "zhen"]), recorded=recorded, dice=dice)
    path = f"/v1/matches/{match}"
    for _ in range(10):
        possible = []
        moves = api.get(f"{path}/legal-moves?limit=20").json["moves"]
        for token in tokens:
            told = api.get(path, token).json
            allowed = allowed_by(told["choices"])
            asked = requests_on(told, moves, rng)
            assert allowed <= asked.keys()
            for named, (method, below, body) in asked.items():
                if named not in allowed:
                    refused = api.send(method, path + below, token, json=body)
                    assert 400 <= refused.status_code < 500, (named, refused.json)
                elif named[0] not in ("abort", "leave-seat", "withdraw", "annul") or rng.random() < 0.1:
                    possible.append((named, method, path + below, token, body))
        if not possible:
            break
        named, method, whole, token, body = rng.choice(possible)
        accepted = api.send(method, whole, token, json=body)
        assert accepted.status_code == 200, (named, accepted.json)


# ------------------------------------------------------------------------------------------------------ the play page


@pytest.mark.parametrize("way", ["play", "record"])
def test_the_page_offers_a_rematch_to_whom_the_api_gives_one(api, way):
    two = Two(api, recorded=way == "record").begin()
    if way == "record":
        two.api.post(f"{two.path}/seats/1", two.ann_token)
        api.post(f"{two.path}/start", two.ann_token)
    api.post(f"{two.path}/withdrawal", two.ann_token, {"seat": 1})
    for token in (two.ann_token, two.ben_token, two.cat_token):
        headers = {"Authorization": f"Bearer {token}"}
        page = api.app.test_client().get(f"/matches/{two.match}/{way}", headers=headers, follow_redirects=True)
        assert page.status_code == 200
        offered = "rematch" in two.commands(token)
        assert (f'data-post="{two.path}/rematch"' in page.text) == offered
        assert (api.post(f"{two.path}/rematch", token).status_code == 200) == offered
