"""Sessions: how a browser is signed in, what its cookie is good for, and what ends it."""

import re

import pytest
from flask.testing import FlaskClient

from plyscribe.domain.player import MAX_SESSIONS, SESSION_LIFE_MS
from plyscribe.service.access import accounts
from plyscribe.service.access.accounts import CACHED_S
from plyscribe.service.composition import compose
from plyscribe.service.store.memory import MemoryStore
from plyscribe.service.web.app import create_app
from plyscribe.service.web.pages.browsers import name_browser
from tests.service.conftest import CONFIG
from tests.service.test_pages import FOR_PEOPLE, FROM_HERE, is_signed_in, sign_in, sign_up

TOKENS = "/v1/players/me/tokens"
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0"


class Clock:
    """A wall clock and a monotonic clock that tests move by hand."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.s = 1_700_000_000.0
        for module in ("access.accounts", "web.api.tokens", "web.pages.sign_in"):
            monkeypatch.setattr(f"plyscribe.service.{module}.now_ms", lambda: int(self.s * 1000))
        monkeypatch.setattr(accounts.time, "monotonic", lambda: self.s)


@pytest.fixture
def clock(monkeypatch) -> Clock:
    return Clock(monkeypatch)


@pytest.fixture
def browser(parts) -> FlaskClient:
    return create_app(parts).test_client()


@pytest.fixture
def another(parts) -> FlaskClient:
    return create_app(parts).test_client()


def cookie_of(browser: FlaskClient) -> str:
    cookie = browser.get_cookie("plyscribe")
    return cookie.value if cookie else ""


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def issue(browser: FlaskClient, token: str, **body: object) -> dict[str, str]:
    return browser.post(TOKENS, json=body, headers=bearer(token)).json


def revoke(browser: FlaskClient, id: str) -> None:
    assert browser.delete(f"{TOKENS}/{id}", headers=FROM_HERE).status_code == 200


def listed(browser: FlaskClient, **request: object) -> list[dict[str, object]]:
    return browser.get(TOKENS, **request).json["tokens"]


def open_form(browser) -> str:
    return re.search(r'name="key" value="([0-9a-f]{32})"', browser.get("/sign-in").text)[1]


def send_form(browser, key: str, name: str = "Ann"):
    return browser.post("/sign-up", data={"name": name, "key": key}, headers={**FOR_PEOPLE, **FROM_HERE})


def list_tokens(text: str) -> list[str]:
    return re.findall(r"ply_[a-z2-7]{26}_[\w-]{43}", text)


def test_a_form_that_is_sent_again_shows_the_same_token_and_signs_in(browser):
    key, tokens = open_form(browser), []
    for _ in range(3):
        # The answer with the cookie got lost.
        browser.delete_cookie("plyscribe")
        tokens += list_tokens(send_form(browser, key).text)
    assert (len(tokens), len(set(tokens))) == (3, 1)
    assert is_signed_in(browser)


def test_a_form_that_is_sent_again_with_another_name_or_after_signing_out_shows_no_token_of_the_first(browser):
    key, second = open_form(browser), open_form(browser)
    assert len({*list_tokens(send_form(browser, key).text), *list_tokens(send_form(browser, key, "Bob").text)}) == 2
    send_form(browser, key)
    browser.post("/sign-out", headers=FROM_HERE)
    for refused in (send_form(browser, key), send_form(browser, second)):
        assert (refused.status_code, list_tokens(refused.text)) == (409, [])
    assert not is_signed_in(browser)


def test_the_cookie_is_no_token_a_token_is_no_cookie_and_the_store_holds_neither(browser, another, parts):
    token = sign_up(browser)
    session = cookie_of(browser)
    assert is_signed_in(browser)
    # Neither is accepted in the other's place, nor by looking like the other.
    for text in (session, session.replace("plys_", "ply_")):
        refused = another.get("/v1/players/me", headers=bearer(text))
        assert (refused.status_code, refused.json["code"]) == (401, "auth/invalid")
    for text in (token, token.replace("ply_", "plys_")):
        another.set_cookie("plyscribe", text)
        assert another.get("/v1/players/me").status_code == 401
    player = browser.get("/v1/players/me").json["player"]
    stored = b"".join(entry.e for entry in parts.store.load(player).entries)
    for text in (session, token):
        assert text.split("_", 2)[2].encode() not in stored


def test_a_page_says_to_sign_in_again_when_the_session_has_ended(browser, parts, another):
    token = sign_up(browser)
    revoke(browser, parts.accounts.authenticate_session(cookie_of(browser)).digest[:16])
    assert "Sign in again" in browser.get("/").text
    assert browser.get("/v1/players/me").json["detail"] == "the session has ended: sign in again"
    # The cookie of an earlier release signs nobody in and is removed.
    another.set_cookie("plyscribe_token", token)
    assert another.get("/v1/players/me").status_code == 401
    shown = another.get("/matches")
    assert 'href="/sign-in?next=/matches&amp;again=yes">Sign in again' in shown.text
    assert another.get_cookie("plyscribe_token") is None
    assert "Sign in again with your token." in another.get("/sign-in?next=/matches&again=yes").text


def test_signing_out_ends_the_session_at_once_elsewhere_within_ten_seconds_and_not_the_token(
    browser, another, parts, clock
):
    token, session = sign_up(browser), cookie_of(browser)
    other = create_app(compose(CONFIG, parts.store)).test_client()
    for client in (another, other):
        client.set_cookie("plyscribe", session)
        assert is_signed_in(client)
    browser.post("/sign-out", headers=FROM_HERE)
    assert cookie_of(browser) == ""
    assert not is_signed_in(another)
    clock.s += CACHED_S
    assert not is_signed_in(other)
    assert another.get("/v1/players/me", headers=bearer(token)).status_code == 200


def test_a_session_ends_after_thirty_days_or_with_its_token(browser, another, clock):
    made = issue(browser, sign_up(browser), expires_in_s=60)
    sent = another.post("/sign-in", data={"token": made["token"]}, headers=FROM_HERE).headers.getlist("Set-Cookie")[1]
    assert "Max-Age=60" in sent
    clock.s += 59.9
    assert is_signed_in(another)
    clock.s += 0.1
    assert not is_signed_in(another)
    clock.s += SESSION_LIFE_MS / 1000 - 61
    assert is_signed_in(browser)
    clock.s += 1
    assert not is_signed_in(browser)


def test_a_session_covers_what_its_token_covers_issues_none_and_ends_when_that_is_revoked_or_replaced(browser, another):
    token = sign_up(browser)
    for path in (TOKENS, f"{TOKENS}/rotation"):
        refused = browser.post(path, json={}, headers=FROM_HERE)
        assert (refused.status_code, refused.json["code"]) == (403, "token/session")
    shown = another.post("/sign-in", data={"token": cookie_of(browser)}, headers=FROM_HERE)
    assert (shown.status_code, "This is not one of our tokens" in shown.text) == (401, True)
    made = issue(browser, token, scopes=["play"])
    sign_in(another, made["token"])
    assert another.get("/v1/players/me").json["scopes"] == ["play"]
    revoke(browser, made["id"])
    assert not is_signed_in(another)
    assert is_signed_in(browser)
    browser.post(f"{TOKENS}/rotation", json={"overlap_s": 0}, headers=bearer(token))
    assert not is_signed_in(browser)


def test_the_account_page_signs_browsers_out_and_revokes_tokens(browser, another):
    token = sign_up(browser)
    another.post("/sign-in", data={"token": token}, headers={**FROM_HERE, "User-Agent": FIREFOX})
    shown = browser.get("/account")
    assert (shown.cache_control.no_store, "Firefox on Linux" in shown.text) == (True, True)
    first, _, there = listed(browser)
    ended = browser.post(f"/account/tokens/{there['id']}/revocation", headers=FROM_HERE)
    assert (ended.status_code, ended.headers["Location"]) == (303, "/account")
    assert not is_signed_in(another)
    browser.post(f"/account/tokens/{first['id']}/revocation", headers=FROM_HERE)
    assert not is_signed_in(browser)
    assert browser.get("/account").headers["Location"] == "/sign-in?next=/account"


def test_one_can_sign_out_everywhere(browser, another):
    token = sign_up(browser)
    sign_in(another, token)
    assert browser.post("/account/sign-out", headers=FROM_HERE).status_code == 303
    assert (is_signed_in(browser), is_signed_in(another)) == (False, False)
    nobody = browser.delete("/v1/players/me/sessions", headers=bearer(token))
    assert (nobody.status_code, nobody.json["code"]) == (409, "session/none")


def test_the_account_page_adds_switches_and_removes_webhooks(browser):
    sign_up(browser)
    given = {"url": "https://hooks.example.org/x", "topics": ["your-turn", "match-ended"]}
    added = browser.post("/account/webhooks", data=given, headers=FROM_HERE)
    assert (added.status_code, added.cache_control.no_store) == (200, True)
    assert "whsec_" in added.text
    assert "whsec_" not in browser.get("/account").text
    [hook] = browser.get("/v1/players/me/webhooks").json["webhooks"]
    assert (hook["url"], hook["topics"]) == (given["url"], given["topics"])
    for word, state in (("disabled", "disabled"), ("enabled", "active")):
        assert browser.post(f"/account/webhooks/{hook['id']}/{word}", headers=FROM_HERE).status_code == 303
        assert browser.get("/v1/players/me/webhooks").json["webhooks"][0]["state"] == state
    assert browser.post(f"/account/webhooks/{hook['id']}/broken", headers=FROM_HERE).status_code == 404
    assert browser.post(f"/account/webhooks/{hook['id']}/removal", headers=FROM_HERE).status_code == 303
    assert given["url"] not in browser.get("/account").text
    for wrong in ({**given, "url": "http://10.0.0.1/"}, {"url": given["url"]}):
        assert browser.post("/account/webhooks", data=wrong, headers=FROM_HERE).status_code == 422
    assert browser.post("/account/webhooks", data=given).status_code in (401, 403)
    assert browser.get("/v1/players/me/webhooks").json["webhooks"] == []


@pytest.mark.parametrize("path", ["/account/sign-out", f"/account/tokens/{'0' * 16}/revocation"])
def test_the_forms_of_the_account_page_need_an_account_and_a_page_of_ours(browser, path):
    assert browser.post(path, headers={**FOR_PEOPLE, **FROM_HERE}).status_code == 401
    sign_up(browser)
    assert browser.post(path).json["code"] == "auth/cross-site"
    assert is_signed_in(browser)


def test_the_oldest_session_makes_room_for_a_new_one_and_a_browser_has_one_at_a_time(browser, parts):
    token = sign_up(browser)
    sign_in(browser, token)
    assert [each["kind"] for each in listed(browser)] == ["token", "session"]
    others = [create_app(parts).test_client() for _ in range(MAX_SESSIONS - 1)]
    for other in others:
        sign_in(other, token)
    assert is_signed_in(browser)
    sign_in(create_app(parts).test_client(), token)
    assert not is_signed_in(browser)
    assert is_signed_in(others[0])


def test_a_cookie_is_named_after_the_port_so_that_servers_on_one_host_do_not_disturb_each_other(browser):
    other = create_app(compose(CONFIG, MemoryStore())).test_client()
    servers, jar = [(browser, "http://localhost:8420"), (other, "http://localhost:8421")], {}
    for client, url in servers:
        sent = client.post("/sign-up", data={"name": "Ann"}, headers=FROM_HERE, base_url=url)
        name, value = re.match(r"(\S+)=(\S+);", sent.headers.getlist("Set-Cookie")[1]).groups()
        jar[name] = value
    assert list(jar) == ["plyscribe-8420", "plyscribe-8421"]
    # A browser sends both to both.
    both = {"Cookie": "; ".join(f"{name}={value}" for name, value in jar.items())}
    first, second = (client.get("/v1/players/me", headers=both, base_url=url).json for client, url in servers)
    assert first["player"] != second["player"]
    swapped = {"Cookie": f"plyscribe-8420={jar['plyscribe-8421']}"}
    fresh = browser.application.test_client(use_cookies=False)
    assert fresh.get("/v1/players/me", headers=swapped, base_url=servers[0][1]).status_code == 401


def test_over_https_only_the_cookie_with_the_prefix_counts(browser):
    sign_up(browser)
    plain = {"Cookie": f"plyscribe={cookie_of(browser)}"}
    prefixed = {"Cookie": f"__Host-plyscribe={cookie_of(browser)}"}
    fresh, encrypted = browser.application.test_client(use_cookies=False), {"X-Forwarded-Proto": "https"}
    for headers, status in ((plain, 200), ({**plain, **encrypted}, 401), ({**prefixed, **encrypted}, 200)):
        assert fresh.get("/v1/players/me", headers=headers).status_code == status


@pytest.mark.parametrize(
    ("header", "name"),
    [
        (FIREFOX, "Firefox on Linux"),
        ("Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/140.0 Safari/537.36 Edg/140.0", "Edge on Windows"),
        ("Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 Chrome/140.0 Mobile Safari/537.36", "Chrome on Android"),
        ("Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Safari/604.1", "Safari on iPhone"),
        ("Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15) Version/18.0 Safari/605.1", "Safari on macOS"),
        ("curl/8.5.0", None),
        ("", None),
    ],
)
def test_a_browser_is_named_as_people_know_it(header, name):
    assert name_browser(header) == name
