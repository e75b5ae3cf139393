"""Accounts and tokens over HTTP."""

from dataclasses import replace

import pytest

from plyscribe.domain.commands import Actor
from plyscribe.service.composition import compose
from plyscribe.service.store.memory import MemoryStore
from plyscribe.service.web.app import create_app
from tests.service.api import Api
from tests.service.conftest import CONFIG


def test_signing_up_gives_an_account_and_a_token(api):
    made = api.post("/v1/players", body={"name": "Ada"})
    assert made.status_code == 201
    assert made.json["token"].startswith("ply_")
    assert made.headers["Location"] == f"/v1/players/{made.json['player']}"
    assert (made.json["kind"], made.json["scopes"]) == ("person", ["play", "record"])


def test_a_token_belongs_to_its_account(api):
    player, token = api.sign_up("Ada")
    me = api.get("/v1/players/me", token).json
    assert (me["player"], me["name"], me["scopes"]) == (player, "Ada", ["play", "record"])


def test_anyone_can_look_up_a_player(api):
    player, _ = api.sign_up("Ada")
    assert api.get(f"/v1/players/{player}").json["name"] == "Ada"


@pytest.mark.parametrize("id", ["player-" + "a" * 26, "nobody", "match-" + "a" * 26, "player-" + "A" * 26])
def test_an_unknown_player_is_not_found(api, id):
    assert api.get(f"/v1/players/{id}").json["code"] == "player/unknown"


@pytest.mark.parametrize(
    ("header", "code"),
    [
        (None, "auth/missing"),
        ("Basic YTpi", "auth/missing"),
        ("Bearer", "auth/missing"),
        ("Bearer nonsense", "auth/invalid"),
        ("Bearer ply_" + "a" * 26 + "_" + "x" * 43, "auth/invalid"),
    ],
)
def test_a_request_without_a_valid_token_is_401(api, header, code):
    refused = api.get("/v1/players/me", headers={"Authorization": header} if header else None)
    assert (refused.status_code, refused.json["code"]) == (401, code)
    assert refused.headers["WWW-Authenticate"].startswith("Bearer")


def test_a_token_with_one_changed_character_is_invalid(api):
    _, token = api.sign_up()
    changed = token[:-1] + ("A" if token[-1] != "A" else "B")
    assert api.get("/v1/players/me", changed).status_code == 401


def test_the_store_never_holds_a_token(api, parts):
    player, token = api.sign_up()
    stored = b"".join(entry.e for entry in parts.store.load(player).entries)
    assert token.encode() not in stored
    assert token.split("_", 2)[2].encode() not in stored


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"name": ""},
        {"name": " Ada"},
        {"name": "A\u0000da"},
        {"name": "x" * 65},
        {"name": 7},
        {"name": "Ada", "kind": "builtin"},
        {"name": "Ada", "scopes": ["admin"]},
        {"name": "Ada", "scopes": []},
        {"name": "Ada", "shoe_size": 41},
    ],
)
def test_an_invalid_account_is_refused(api, body):
    refused = api.post("/v1/players", body=body)
    assert refused.status_code == 422
    assert refused.json["code"] in ("request/invalid", "player/name")


def test_signing_up_takes_no_idempotency_key(api):
    refused = api.post("/v1/players", body={"name": "Ada"}, key="once")
    assert (refused.status_code, refused.json["code"]) == (400, "key/not-here")


def closed_api() -> tuple[Api, str]:
    parts = compose(replace(CONFIG, open_sign_up=False), MemoryStore())
    _, admin = parts.accounts.sign_up(Actor("system", "test"), "Root", "person", ("play", "admin"))
    return Api(create_app(parts)), admin


def test_only_an_administrator_opens_accounts_if_sign_up_is_closed():
    api, admin = closed_api()
    made = api.post("/v1/players", admin, {"name": "Ada"})
    assert made.status_code == 201
    assert api.post("/v1/players", body={"name": "Bea"}).status_code == 401
    assert api.post("/v1/players", made.json["token"], {"name": "Bea"}).json["code"] == "auth/scope"
