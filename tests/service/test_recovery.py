"""Recovery codes over HTTP and on pages: the way back for somebody who lost their token."""

import re

import pytest

from plyscribe.domain.claims import name_stream
from plyscribe.domain.commands import Actor
from plyscribe.service.access.recovery_codes import CODE_LENGTH, digest_of_code, format_code, new_code
from tests.service.api import Api, open_as_before
from tests.service.test_pages import FROM_HERE, is_signed_in

KEY = "0123456789abcdef0123456789abcdef"


def sign_up(api: Api, name: str = "Ada") -> dict[str, str]:
    return api.post("/v1/players", body={"name": name}).json


def recover(api: Api, code: str, name: str = "Ada", key: str | None = None, **more: object):
    return api.post("/v1/players/recovery", body={"name": name, "code": code, **more}, key=key)


def test_a_code_has_a_hundred_bits_in_groups_to_read_aloud():
    assert re.fullmatch(r"([0-9A-HJKMNP-TV-Z]{4}-){4}[0-9A-HJKMNP-TV-Z]{4}", new_code())
    assert len({format_code(bytes([0] * 12 + [last])) for last in range(256)}) == 16
    assert format_code(bytes(13)) == "-".join(["0000"] * (CODE_LENGTH // 4))


@pytest.mark.parametrize("typed", ["7K2M-Q9TB-XE4R-01HN-5C8D", "7k2m q9tb xe4r olhn 5c8d", "7K2MQ9TBXE4ROIHN5C8D"])
def test_what_people_mix_up_does_not_matter(typed):
    assert digest_of_code(typed) == digest_of_code("7K2M-Q9TB-XE4R-01HN-5C8D")


def test_a_code_brings_a_token_and_the_next_code(api):
    ada = sign_up(api)
    back = recover(api, ada["recovery_code"].lower(), label="phone")
    assert (back.status_code, back.json["player"], back.json["scopes"]) == (201, ada["player"], ["play", "record"])
    assert api.get("/v1/players/me", back.json["token"]).json["name"] == "Ada"
    assert api.get("/v1/players/me", ada["token"]).status_code == 401
    assert recover(api, ada["recovery_code"]).json["code"] == "recovery/refused"
    assert recover(api, back.json["recovery_code"], revoke_others=False).status_code == 201
    assert api.get("/v1/players/me", back.json["token"]).status_code == 200


def test_nobody_learns_whether_a_name_exists(api):
    sign_up(api)
    answers = [recover(api, new_code(), name) for name in ("Ada", "Bea", "ADA", "player-" + "a" * 26)]
    said = [{**answer.json, "instance": None} for answer in answers]
    assert [answer.status_code for answer in answers] == [403] * 4
    assert all(each == said[0] for each in said)


def test_a_sign_up_and_a_recovery_can_be_sent_again_and_a_code_is_shown_as_long_as_it_counts(api):
    body = {"name": "Bea"}
    first, again = (api.post("/v1/players", body=body, key=KEY).json for _ in range(2))
    assert again["recovery_code"] == first["recovery_code"]
    api.post("/v1/players/me/recovery-code", first["token"], {})
    assert api.post("/v1/players", body=body, key=KEY).json["recovery_code"] is None
    ada = sign_up(api)
    first, again = (recover(api, ada["recovery_code"], key=KEY) for _ in range(2))
    assert again.headers["Idempotency-Replayed"] == "true"
    assert (again.json["token"], again.json["recovery_code"]) == (first.json["token"], first.json["recovery_code"])
    assert recover(api, first.json["recovery_code"], key=KEY).json["code"] == "key/reused"


def test_the_store_never_holds_a_code(api, parts):
    ada = sign_up(api)
    stored = b"".join(entry.e for entry in parts.accounts.players.read_events(ada["player"], 0))
    assert digest_of_code(ada["recovery_code"]).encode() in stored
    for code in (ada["recovery_code"], ada["recovery_code"].replace("-", "")):
        assert code.encode() not in stored


def test_namesakes_are_told_apart_by_their_ids_and_accounts_of_earlier_releases_have_no_code(api, parts):
    ada = sign_up(api)
    other = open_as_before(parts, "Ada")
    assert parts.accounts.names.read(name_stream("Ada")).player == ada["player"]
    assert parts.accounts.players.read(other).recovery is None
    assert recover(api, ada["recovery_code"], other).status_code == 403
    assert recover(api, ada["recovery_code"], ada["player"]).status_code == 201


def shown(page: str, id: str) -> str:
    return re.search(rf'id="{id}"[^>]*>([^<]+)<', page)[1]


FORM = {"name": "Ada", "key": KEY[::-1], "revoke_others": "yes"}


@pytest.fixture
def browser(api):
    return api.app.test_client()


def sign_up_here(browser, name: str = "Ada") -> str:
    return browser.post("/sign-up", data={"name": name, "key": KEY}, headers=FROM_HERE).text


@pytest.fixture
def code(api) -> str:
    """The code of Ada, who signed up in another browser."""
    return shown(sign_up_here(api.app.test_client()), "recovery-code")


def test_the_welcome_page_shows_who_is_signed_in_and_both_secrets_once(browser, parts):
    page = sign_up_here(browser)
    assert ("Sign out</button>" in page, ">Ada</a>" in page) == (True, True)
    token = shown(page, "token")
    assert shown(page, "recovery-code") not in browser.get("/account").text
    page = sign_up_here(browser, "Bea")
    assert (">Bea</a>" in page, ">Ada</a>" in page) == (True, False)
    ada = parts.accounts.authenticate(token).account
    assert [each for each in parts.accounts.players.read(ada).tokens.values() if each.session_of] == []


def test_the_page_gives_a_new_token_for_a_code_until_one_signs_out(browser, code):
    form = {**FORM, "name": "ada", "code": code}
    page = browser.post("/recover", data=form, headers=FROM_HERE)
    assert (page.status_code, page.headers["Cache-Control"]) == (200, "no-store")
    assert "Welcome back, Ada" in page.text
    assert ">Ada</a>" in page.text
    assert is_signed_in(browser)
    again = browser.post("/recover", data=form, headers=FROM_HERE)
    assert shown(again.text, "token") == shown(page.text, "token")
    browser.post("/sign-out", headers=FROM_HERE)
    last = browser.post("/recover", data=form, headers=FROM_HERE)
    assert (last.status_code, "ply_" in last.text) == (409, False)
    assert not is_signed_in(browser)


def test_the_page_leads_back_to_where_the_token_was_missed(browser, code):
    [way] = re.findall(r'href="(/recover[^"]*)"', browser.get("/sign-in?next=/play%3Fruleset%3Dzhen").text)
    asking = browser.get(way).text
    assert 'href="/sign-in?next=/play%3Fruleset%3Dzhen"' in asking
    [action] = re.findall(r'action="(/recover[^"]*)"', asking)
    page = browser.post(action, data={**FORM, "code": code}, headers=FROM_HERE)
    assert '<a class="button" href="/play?ruleset=zhen">' in page.text


@pytest.mark.parametrize(("form", "status"), [({"name": "Ada", "code": "0000"}, 403), ({"name": "", "code": ""}, 422)])
def test_the_page_refuses_a_wrong_code(browser, code, form, status):
    page = browser.post("/recover", data=form, headers=FROM_HERE)
    assert (page.status_code, 'role="alert"' in page.text) == (status, True)
    assert not is_signed_in(browser)


def test_the_account_page_makes_a_new_code_and_shows_it_once(api, browser):
    first = shown(sign_up_here(browser), "recovery-code")
    making = [browser.post("/account/recovery-code", data={"key": KEY}, headers=FROM_HERE).text for _ in range(2)]
    made, again = (shown(page, "recovery-code") for page in making)
    assert made == again != first
    assert made not in browser.get("/account").text
    assert recover(api, first).status_code == 403
    assert recover(api, made).status_code == 201


def test_the_account_page_says_if_there_is_no_code(browser, parts):
    _, token = parts.accounts.sign_up(Actor("system", "test"), "Ada", "person", ("play",))
    browser.post("/sign-in", data={"token": token}, headers=FROM_HERE)
    assert "You have no recovery code." in browser.get("/account").text
