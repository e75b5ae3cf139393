"""What is private is as if it did not exist: on every route, whatever is sent."""

import re

import pytest

from tests.service.test_club_api import CLUB, Club

NONE = {"match": "match-" + "a" * 26, "tournament": "tournament-" + "a" * 26}
ID = re.compile("(match|tournament)-[a-z2-7]{26}|urn:plyscribe:request:[0-9a-f]+")


@pytest.fixture
def known(api, parts) -> dict[str, str]:
    """A private tournament and its first match, both under way; and somebody who has nothing to do with them."""
    club = Club(api, parts, private=True, **CLUB)
    club.guests("Ida", "Kim", "Lou", "Max")
    club.begin()
    stranger, token = api.sign_up("Ben")
    return {"tournament": club.id, "match": club.match(), "player": stranger, "token": token, "owner": club.token}


def list_routes(api) -> list[tuple[str, str]]:
    """The methods and paths of all routes that lead to a match or a tournament."""
    rules = [rule for rule in api.app.url_map.iter_rules() if {"match", "tournament"} & rule.arguments]
    return [(method, rule.rule) for rule in rules for method in sorted(rule.methods - {"HEAD", "OPTIONS"})]


def ask(api, method: str, route: str, values: dict[str, str], token: str | None) -> tuple[int, str]:
    """Status and text of the answer, without the ids of what was asked for. Any other part of the path is 1."""
    path = re.sub(r"<(?:\w+:)?(\w+)>", lambda found: values.get(found[1], "1"), route)
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    body = {} if method == "GET" or not route.startswith("/v1") else {"json": {}}
    answered = api.app.test_client().open(path, method=method, headers=headers, **body)
    return answered.status_code, ID.sub("", answered.text)


@pytest.mark.parametrize("who", ["nobody", "stranger"])
def test_what_is_private_is_answered_like_what_does_not_exist(api, known, who):
    token = known["token"] if who == "stranger" else None
    told_apart = {
        f"{method} {route}": (private[0], missing[0], private[1][:200], missing[1][:200])
        for method, route in list_routes(api)
        if (private := ask(api, method, route, known, token))
        != (missing := ask(api, method, route, known | NONE, token))
    }
    assert told_apart == {}


def test_a_token_that_is_not_valid_is_refused_first_on_every_route(api, known):
    answered = {
        (method, route, values is NONE): ask(api, method, route, known | values, "ply_nonsense")[0]
        for method, route in list_routes(api)
        for values in (known, NONE)
    }
    assert {asked: status for asked, status in answered.items() if status != 401} == {}
    assert api.get("/v1/rulesets", "ply_nonsense").status_code == api.get("/nowhere", "ply_nonsense").status_code == 401
    asked = {"name": "Ann", "code": "7K2M-Q9TB-XE4R-0WHN-5C8D"}
    assert api.post("/v1/players/recovery", "ply_nonsense", asked).json["code"] == "recovery/refused"
    assert api.get("/healthz", "ply_nonsense").status_code == api.get("/readyz", "ply_nonsense").status_code == 200
