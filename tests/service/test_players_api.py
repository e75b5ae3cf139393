"""Accounts and tokens over HTTP."""

from dataclasses import replace

import pytest

from plyscribe.domain.commands import Actor
from plyscribe.service.access import accounts
from plyscribe.service.access.repeatable import REPEATED_MS, Repeatable
from plyscribe.service.composition import compose
from plyscribe.service.config import ServerKey
from plyscribe.service.store.memory import MemoryStore
from plyscribe.service.store.port import StoreUnavailable
from plyscribe.service.streams.ids import command_of
from plyscribe.service.web.app import create_app
from tests.service.api import Api
from tests.service.conftest import CONFIG


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
        ("Bearer {changed}", "auth/invalid"),
    ],
)
def test_a_request_without_a_valid_token_is_401(api, header, code):
    _, token = api.sign_up()
    changed = token[:-1] + ("A" if token[-1] != "A" else "B")
    headers = {"Authorization": header.format(changed=changed)} if header else None
    refused = api.get("/v1/players/me", headers=headers)
    assert (refused.status_code, refused.json["code"]) == (401, code)
    assert refused.headers["WWW-Authenticate"].startswith("Bearer")


@pytest.mark.parametrize(
    "body",
    [
        *({"name": "Ada", **more} for more in ({"kind": "builtin"}, {"scopes": ["admin"]}, {"scopes": []})),
        *({}, {"name": 7}, {"name": "Ada", "shoe_size": 41}),
    ],
)
def test_an_invalid_account_is_refused(api, body):
    refused = api.post("/v1/players", body=body)
    assert refused.status_code == 422
    assert refused.json["code"] in ("request/invalid", "player/name")


KEY = "3qJ0xv8bQ2mZ7LkR9dTfYw"


def sign_up_ada(api: Api, key: str | None = KEY, token: str | None = None, **body: str):
    return api.post("/v1/players", token, {"name": "Ada", **body}, key=key)


def test_signing_up_again_with_the_same_key_gives_the_same_account_and_token_in_any_process(api, parts, monkeypatch):
    first, again = sign_up_ada(api), sign_up_ada(api)
    assert (again.status_code, again.data, again.headers["Location"]) == (201, first.data, first.headers["Location"])
    assert ("Idempotency-Replayed" in first.headers, again.headers["Idempotency-Replayed"]) == (False, "true")
    assert api.get("/v1/players/me", again.json["token"]).json["player"] == first.json["player"]
    assert sign_up_ada(Api(create_app(compose(CONFIG, parts.store)))).data == first.data
    # One that failed in between goes on with its key.
    with monkeypatch.context() as failing:
        failing.setattr(parts.accounts, "_register", raise_unavailable)
        assert sign_up_ada(api, KEY[::-1], name="Bea").status_code == 503
    assert sign_up_ada(api, KEY[::-1], name="Bea").status_code == 201


def raise_unavailable(*_: object, **__: object) -> None:
    raise StoreUnavailable("gone")


def test_a_key_stands_for_one_account_and_one_that_could_be_guessed_for_none(api):
    for guessable in ("once", KEY[:-1]):
        refused = sign_up_ada(api, key=guessable)
        assert (refused.status_code, refused.json["code"]) == (400, "key/guessable")
    sign_up_ada(api)
    refused = sign_up_ada(api, name="Bea")
    assert (refused.status_code, refused.json["code"]) == (422, "key/reused")
    assert sign_up_ada(api, key=None, name="Bea").status_code == 201
    assert sign_up_ada(api, key=KEY[::-1]).json["code"] == "player/name-taken"


@pytest.mark.parametrize(("later_ms", "status"), [(REPEATED_MS - 1000, 201), (REPEATED_MS + 1, 409)])
def test_a_sign_up_is_repeated_for_ten_minutes(api, monkeypatch, later_ms, status):
    first = sign_up_ada(api).json
    monkeypatch.setattr(accounts, "now_ms", lambda: first["registered_at"] + later_ms)
    again = sign_up_ada(api)
    assert again.status_code == status
    assert again.json.get("code") == (None if status == 201 else "key/expired")


def test_a_sign_up_is_repeated_after_the_server_key_was_replaced(api, parts):
    older = CONFIG.server_key
    first = sign_up_ada(api)
    rotated = replace(CONFIG, server_key=ServerKey(b"n" * 32, (older,)))
    assert sign_up_ada(Api(create_app(compose(rotated, parts.store)))).data == first.data
    lost = replace(CONFIG, server_key=ServerKey(b"n" * 32))
    assert sign_up_ada(Api(create_app(compose(lost, parts.store)))).json["code"] == "key/expired"


def test_the_store_and_the_server_key_do_not_reveal_a_token_without_the_clients_key(api, parts):
    made = sign_up_ada(api).json
    stored = b"".join(entry.e for entry in parts.store.load(made["player"]).entries)
    assert KEY.encode() not in stored
    command = command_of("system:sign-up", "POST", "/v1/players", KEY, b'{"name": "Ada"}')
    derived = [Repeatable(command, key, CONFIG.server_key.ring) for key in (KEY, KEY[::-1])]
    [known], [guessed] = (list(each.derive_secrets(made["player"])) for each in derived)
    assert made["token"].endswith(known)
    assert guessed != known


def test_only_an_administrator_opens_accounts_if_sign_up_is_closed():
    parts = compose(replace(CONFIG, open_sign_up=False), MemoryStore())
    _, admin = parts.accounts.sign_up(Actor("system", "test"), "Root", "person", ("play", "admin"))
    api = Api(create_app(parts))
    made = api.post("/v1/players", admin, {"name": "Ada"})
    assert made.status_code == 201
    assert api.post("/v1/players", body={"name": "Bea"}).status_code == 401
    assert api.post("/v1/players", made.json["token"], {"name": "Bea"}).json["code"] == "auth/scope"
