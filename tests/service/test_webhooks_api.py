"""Webhooks over HTTP: adding, listing, changing, testing and removing them."""

import base64
from dataclasses import replace

import pytest

from plyscribe.service.composition import Parts, compose
from plyscribe.service.config import parse_key
from plyscribe.service.web.app import create_app
from tests.service.api import Api
from tests.service.conftest import CONFIG

WEBHOOKS = "/v1/players/me/webhooks"
URL = "https://example.org/plyscribe"
BODY = {"url": URL, "topics": ["match-ended", "your-turn"]}


@pytest.fixture
def ann(api) -> str:
    return api.sign_up("Ann")[1]


def add(api: Api, token: str, **changed: object) -> dict:
    made = api.post(WEBHOOKS, token, {**BODY, **changed})
    assert made.status_code == 201, made.json
    return made.json


def listed(api: Api, token: str) -> list[dict]:
    return api.get(WEBHOOKS, token).json["webhooks"]


def code(response) -> tuple[int, str]:
    return response.status_code, response.json["code"]


def test_a_webhook_is_added_with_a_secret_that_is_neither_shown_again_nor_stored(api, ann, parts):
    assert listed(api, ann) == []
    made = add(api, ann)
    secret = base64.b64decode(made["secret"].removeprefix("whsec_"))
    assert len(secret) == 32
    [only] = listed(api, ann)
    assert "secret" not in only
    assert made["secret"] not in api.get(WEBHOOKS, ann).text
    assert (only["id"], only["url"], only["topics"]) == (made["id"], URL, ["your-turn", "match-ended"])
    assert (only["state"], only["why"], only["last_delivery"], only["waiting"]) == ("active", None, None, 0)
    assert add(api, ann)["secret"] != made["secret"]
    account = api.get("/v1/players/me", ann).json["player"]
    stored = b"".join(entry.e for entry in parts.store.load(account, 0).entries)
    assert made["id"].encode() in stored
    for form in (secret, secret.hex().encode(), base64.b64encode(secret)):
        assert form not in stored


def test_an_addition_can_be_sent_again_with_its_key(api, ann):
    first, again = (api.post(WEBHOOKS, ann, BODY, key="k") for _ in range(2))
    assert (again.status_code, again.data) == (201, first.data)
    assert again.headers["Idempotency-Replayed"] == "true"
    assert len(listed(api, ann)) == 1
    assert code(api.post(WEBHOOKS, ann, {**BODY, "url": URL + "2"}, key="k")) == (422, "key/reused")


def test_a_test_a_new_secret_and_a_removal_can_be_sent_again(api, ann):
    made = add(api, ann)
    one = f"{WEBHOOKS}/{made['id']}"
    first, again = (api.post(f"{one}/test", ann, {}, key="k") for _ in range(2))
    assert (first.status_code, again.data) == (202, first.data)
    assert first.json["message"].startswith("msg_")
    assert api.post(f"{one}/test", ann, {}).json["message"] != first.json["message"]
    first, again = (api.post(f"{one}/secret", ann, {}, key="s") for _ in range(2))
    assert (first.status_code, again.data) == (201, first.data)
    assert first.json["secret"] != made["secret"]
    first, again = (api.send("DELETE", one, ann, key="d") for _ in range(2))
    assert (first.status_code, again.data) == (200, first.data)
    assert listed(api, ann) == []
    assert code(api.send("DELETE", one, ann)) == (404, "webhook/unknown")


def test_nobody_can_touch_the_webhooks_of_another_account_or_turn_their_own_to_another_address(api, ann):
    one = f"{WEBHOOKS}/{add(api, ann)['id']}"
    for url in ("https://192.168.1.1/", "ftp://example.org/", "https://example.org/\u20ac"):
        assert api.send("PATCH", one, ann, json={"url": url}).status_code == 422
    assert listed(api, ann)[0]["url"] == URL
    ben = api.sign_up("Ben")[1]
    assert listed(api, ben) == []
    for method, path in (("PATCH", one), ("DELETE", one), ("POST", f"{one}/test"), ("POST", f"{one}/secret")):
        body = {"enabled": True} if method == "PATCH" else {}
        assert code(api.send(method, path, ben, json=body)) == (404, "webhook/unknown")
    assert code(api.get(WEBHOOKS)) == (401, "auth/missing")


def with_setting(parts: Parts, **settings: object) -> Api:
    return Api(create_app(compose(replace(CONFIG, **settings), parts.store)))


def test_an_operator_can_turn_webhooks_off_allow_any_address_or_replace_the_key_of_secrets(api, ann, parts):
    assert api.post(WEBHOOKS, ann, BODY, key="k").status_code == 201
    other = with_setting(parts, server_key=parse_key("5b" * 32))
    assert code(other.post(WEBHOOKS, ann, BODY, key="k")) == (503, "webhook/key-missing")
    both = with_setting(parts, server_key=parse_key("5b" * 32 + "," + "5a" * 32))
    assert both.post(WEBHOOKS, ann, BODY, key="k").status_code == 201
    made = add(api, ann)
    off = with_setting(parts, webhooks="off")
    assert code(off.post(WEBHOOKS, ann, BODY)) == (409, "webhook/off")
    assert code(off.post(f"{WEBHOOKS}/{made['id']}/test", ann, {})) == (409, "webhook/off")
    assert off.send("DELETE", f"{WEBHOOKS}/{made['id']}", ann).status_code == 200
    local = "http://127.0.0.1:8080/x"
    assert add(with_setting(parts, webhooks="any"), ann, url=local)["url"] == local
