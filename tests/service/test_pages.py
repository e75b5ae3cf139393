"""The frame of all pages: signing in, what a browser may do, problems as pages."""

import re
from dataclasses import replace

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from plyscribe.service.composition import compose
from plyscribe.service.store.memory import MemoryStore
from plyscribe.service.store.port import StoreUnavailable
from plyscribe.service.web.app import create_app
from tests.service.conftest import CONFIG

FOR_PEOPLE = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
FROM_HERE = {"Sec-Fetch-Site": "same-origin"}
COOKIE = "plyscribe"
ENDED = f"plys_{'a' * 26}_{'b' * 43}"
OPEN_MATCH = {"ruleset": "zhen", "seats": [None, None]}


@pytest.fixture
def browser() -> FlaskClient:
    return create_app(compose(CONFIG, MemoryStore())).test_client()


@pytest.mark.parametrize("form", ["/sign-in", "/sign-up", "/sign-out"])
@pytest.mark.parametrize("headers", [{}, {"Sec-Fetch-Site": "cross-site"}, {"Origin": "null"}])
def test_a_form_that_another_site_sends_does_nothing(browser, form, headers):
    sign_up(browser)
    refused = browser.post(form, data={"name": "Eve"}, headers=headers)
    assert (refused.status_code, refused.json["code"]) == (403, "auth/cross-site")
    assert is_signed_in(browser)


def sign_up(browser: FlaskClient, name: str = "Ann") -> str:
    shown = browser.post("/sign-up", data={"name": name}, headers=FROM_HERE)
    assert shown.status_code == 200
    return re.search(r"ply_[a-z2-7]{26}_[\w-]{43}", shown.text)[0]


def sign_in(browser: FlaskClient, token: str) -> None:
    assert browser.post("/sign-in", data={"token": token}, headers=FROM_HERE).status_code == 303


def is_signed_in(browser: FlaskClient) -> bool:
    return "Sign out" in browser.get("/").text


@pytest.mark.parametrize(("name", "shown"), [("Ann", "Ann"), ("<script>alert(1)</script>", "&lt;script&gt;")])
def test_an_account_is_opened_with_a_name_and_its_token_shown_once(browser, name, shown):
    token = sign_up(browser, name)
    assert browser.get("/v1/players/me", headers={"Authorization": f"Bearer {token}"}).json["name"] == name
    page = browser.get("/").text
    assert "Sign out" in page
    assert shown in page
    assert token not in page
    assert "<script>" not in page


@pytest.mark.parametrize("name", ["", "x" * 65, "two\nlines"])
def test_an_invalid_name_is_refused_with_the_reason(browser, name):
    shown = browser.post("/sign-up", data={"name": name}, headers=FROM_HERE)
    assert shown.status_code == 422
    assert 'role="alert"' in shown.text
    assert not is_signed_in(browser)


def test_signing_in_leads_back_to_the_page_that_asked_for_it_and_to_no_other_site(browser):
    token = sign_up(browser)
    browser.post("/sign-out", headers=FROM_HERE)
    assert not is_signed_in(browser)
    led = browser.post("/sign-in?next=/matches", data={"token": f" {token}\n"}, headers=FROM_HERE)
    assert (led.status_code, led.headers["Location"]) == (303, "/matches")
    assert is_signed_in(browser)
    for next in ("https://evil.example/", "//evil.example", "/\\evil.example", "matches", ""):
        led = browser.post(f"/sign-in?next={next}", data={"token": token}, headers=FROM_HERE)
        assert led.headers["Location"] == "/", next
    refused = browser.post("/sign-in", data={"token": "ply_guess"}, headers=FROM_HERE)
    assert (refused.status_code, "This is not one of our tokens" in refused.text) == (401, True)


def test_scripts_cannot_read_the_cookie_and_other_sites_cannot_send_it(browser):
    _, sent = browser.post("/sign-up", data={"name": "Ann"}, headers=FROM_HERE).headers.getlist("Set-Cookie")
    assert sent.startswith(f"{COOKIE}=plys_")
    assert "HttpOnly" in sent
    assert "SameSite=Lax" in sent
    assert "Secure" not in sent
    behind_tls = browser.post("/sign-up", data={"name": "Ben"}, headers={**FROM_HERE, "X-Forwarded-Proto": "https"})
    _, sent = behind_tls.headers.getlist("Set-Cookie")
    assert sent.startswith("__Host-plyscribe=plys_")
    assert {"Secure", "Path=/"} <= set(sent.split("; "))
    assert "Domain" not in sent


def test_a_browser_that_is_signed_in_may_use_the_api(browser):
    sign_up(browser)
    assert browser.get("/v1/players/me").json["name"] == "Ann"
    assert browser.post("/v1/matches", json=OPEN_MATCH, headers=FROM_HERE).status_code == 201
    assert browser.post("/v1/matches", json=OPEN_MATCH, headers={"Origin": "http://localhost"}).status_code == 201


@pytest.mark.parametrize(
    "headers",
    [
        {},
        *({"Sec-Fetch-Site": site} for site in ("cross-site", "same-site", "none")),
        *({"Origin": origin} for origin in ("https://evil.example", "null", "http://localhost:8001")),
        *({"Origin": origin} for origin in ("http://localhost@evil.example", "http://[localhost")),
    ],
)
def test_the_cookie_lets_no_other_site_change_anything_and_an_invalid_one_counts_as_none(browser, headers):
    sign_up(browser)
    assert browser.post("/v1/matches", json=OPEN_MATCH, headers=headers).status_code == 401
    browser.set_cookie(COOKIE, ENDED)
    assert [browser.get(path).status_code for path in ("/v1/matches", "/v1/players/me")] == [200, 401]
    assert not is_signed_in(browser)


def test_the_page_says_if_only_an_administrator_opens_accounts():
    closed = create_app(compose(replace(CONFIG, open_sign_up=False), MemoryStore())).test_client()
    assert "an administrator opens accounts" in closed.get("/sign-in").text
    assert closed.post("/sign-up", data={"name": "Ann"}, headers={**FOR_PEOPLE, **FROM_HERE}).status_code == 403


def test_problems_are_pages_for_people_and_documents_for_programs(browser):
    page, document = "text/html; charset=utf-8", "application/problem+json"
    for path, headers, media in (
        ("/nowhere", FOR_PEOPLE, page),
        ("/nowhere", {}, document),
        ("/v1/nowhere", FOR_PEOPLE, document),
        ("/matches", {**FOR_PEOPLE, "Authorization": "Bearer guessed"}, page),
    ):
        refused = browser.get(path, headers=headers)
        assert (refused.status_code, refused.content_type) == (401 if "Authorization" in headers else 404, media)


def test_a_slash_too_many_leads_to_the_page_and_to_no_other_site(browser):
    for path, page in (("/play/", "/play"), ("/matches/%C3%A9//?ply=3", "/matches/%C3%A9?ply=3")):
        moved = browser.get(path)
        assert (moved.status_code, moved.location) == (308, page)
    for path in ("/v1/matches/", "/nowhere/", "//evil.example/", "/%2Fevil.example/play/"):
        assert browser.get(path).status_code in (400, 404), path
    assert browser.get("/matches/x%0d%0aA:b/").location == "/matches/x%0D%0AA%3Ab"
    assert browser.post("/play/").status_code == 404


def test_the_home_page_begins_with_my_games_and_first_with_those_that_wait_for_me(browser):
    assert "Your games" not in browser.get("/").text
    sign_up(browser)
    me = {"player": browser.get("/v1/players/me", headers=FROM_HERE).json["player"]}
    assert "Your games" not in browser.get("/").text
    made = []
    for seats in ([me, {"bot": "random"}], [{"bot": "random"}, me]):
        sent = browser.post("/v1/matches", json={"ruleset": "zhen", "seats": seats}, headers=FROM_HERE)
        made.append(sent.json["match"])
    own = browser.get("/").text.partition("Your games")[2].partition("</section>")[0]
    # Nobody plays the bot's move here, so the newer match waits for it.
    assert re.findall(r'href="/matches/([^/]+)/play"', own) == made
    assert own.count("Your turn") == 1
    assert own.index("Your turn") < own.index(made[1])
    shown = browser.get("/").text
    for text in (f'href="/matches/{made[0]}"', "Ann – random (built-in bot)", "Crystals", "Zhen"):
        assert text in shown


@pytest.mark.parametrize("path", ["/", "/matches", "/players", "/tournaments", "/sign-in", "/nowhere"])
def test_while_the_store_is_down_pages_ask_to_come_again(path, monkeypatch):
    parts = compose(CONFIG, MemoryStore())
    browser = create_app(parts).test_client()
    browser.set_cookie(COOKIE, ENDED)

    asked = []

    def fail(*named: object) -> None:
        asked.append(named)
        raise StoreUnavailable("away")

    monkeypatch.setattr(parts.accounts.players, "read", fail)
    shown = browser.get(path, headers=FOR_PEOPLE)
    assert "<h1>" in shown.text
    assert len(asked) == 1
    if path != "/nowhere":
        assert (shown.status_code, shown.headers["Retry-After"]) == (503, "1")


@pytest.mark.parametrize("path", ["/sign-in", "/sign-in?next=/matches", "/sign-in?next=//evil.example"])
def test_signing_in_does_not_lead_back_to_the_sign_in_page(browser, path):
    led = "/matches" if path.endswith("=/matches") else "/"
    assert re.findall(r'href="(/sign-in[^"]*)"', browser.get(path).text) == [f"/sign-in?next={led}"]
    refused = browser.post(f"/sign-up?next={led}", data={"name": ""}, headers={**FOR_PEOPLE, **FROM_HERE})
    assert re.findall(r'href="(/sign-in[^"]*)"', refused.text) == [f"/sign-in?next={led}"]


def test_pages_assets_and_redirects_are_confined(browser):
    led = browser.post("/sign-out", headers=FROM_HERE)
    assert (led.cache_control.no_store, "Cookie" in led.vary) == (True, True)
    assets = [browser.get(f"/assets/{name}", buffered=True) for name in ("style.css", "boards.css", "icon.svg")]
    assert not any(each.cache_control.private for each in assets)
    pages = [browser.get(path, headers=FOR_PEOPLE) for path in ("/", "/sign-in", "/nowhere")]
    for given in (led, *assets, *pages):
        assert "default-src 'none'; script-src 'self'; style-src 'self'" in given.headers["Content-Security-Policy"]
        assert given.headers["X-Content-Type-Options"] == "nosniff"
    for page in pages:
        text = re.sub('content="http://localhost/', "", page.text)
        assert not re.search(r"<script(?![^>]* src=)|<style| style=| on[a-z]+=|https?://", text)


@pytest.mark.parametrize("path", ["/v1/players/me", "/v1/players/me/tokens", "/v1/players/me/events", "/v1/matches"])
def test_answers_to_a_cookie_are_cached_for_no_other_browser(browser, path):
    sign_up(browser)
    given = browser.get(path)
    assert given.status_code == 200
    assert given.cache_control.private
    assert {"Authorization", "Cookie"} <= set(given.vary)


def test_a_problem_and_the_rules_are_shown_in_german_to_a_german_reader(browser):
    german = {**FOR_PEOPLE, "Accept-Language": "de"}
    gone = browser.get("/matches/match-x", headers=german)
    assert (gone.status_code, gone.headers["Content-Language"]) == (404, "de")
    assert "<h1>Nicht gefunden</h1>" in gone.text
    rules = browser.get("/rulesets/zhen", headers=german).text
    assert '<article class="rules" lang="de">' in rules
    assert '<article class="rules" lang="en">' in browser.get("/rulesets/zhen", headers=FOR_PEOPLE).text


def test_a_reader_chooses_another_language_than_the_browser_asks_for(browser):
    def choose(language: str) -> TestResponse:
        return browser.post("/language?next=/players", data={"language": language}, headers=FROM_HERE)

    assert choose("xx").status_code == 400
    chosen = choose("de")
    assert (chosen.status_code, chosen.location) == (303, "/players")
    assert {"HttpOnly", "SameSite=Lax"} <= set(chosen.headers["Set-Cookie"].split("; "))
    shown = browser.get("/players", headers={**FOR_PEOPLE, "Accept-Language": "en"})
    assert '<html lang="de"' in shown.text
    assert "Cookie" in shown.vary
