"""How an account becomes an organiser, over HTTP, on pages and on the command line."""

import pytest
from click.testing import CliRunner
from flask.testing import FlaskClient

from plyscribe.domain.commands import Actor
from plyscribe.service.cli import tokens
from plyscribe.service.composition import Parts, compose
from plyscribe.service.store.memory import MemoryStore
from plyscribe.service.web.app import create_app
from tests.service.conftest import CONFIG
from tests.service.test_pages import FROM_HERE, sign_in

TERMS = {"name": "Thursday", "ruleset": "zhen", "format": {"kind": "swiss"}}


@pytest.fixture
def parts() -> Parts:
    return compose(CONFIG, MemoryStore())


def open_browser(parts: Parts, name: str, *scopes: str) -> tuple[str, FlaskClient]:
    """The id of a new account, and a browser that is signed in with its token."""
    client = create_app(parts).test_client()
    account, token = parts.accounts.sign_up(Actor("system", "test"), name, "person", scopes, official=True)
    sign_in(client, token)
    return account.stream, client


@pytest.fixture
def root(parts) -> FlaskClient:
    return open_browser(parts, "Root", "admin")[1]


def announce(browser: FlaskClient) -> int:
    return browser.post("/v1/tournaments", json=TERMS, headers=FROM_HERE).status_code


def test_an_administrator_makes_an_organiser_on_the_page_of_the_account(parts, root):
    ann, browser = open_browser(parts, "Ann", "play", "record")
    assert announce(browser) == 403
    page = f"/players/{ann}"
    assert "Make an organiser" in root.get(page).text
    assert "Make an organiser" not in browser.get(page).text
    for _ in range(2):
        assert root.post(f"{page}/organiser/appointed", headers=FROM_HERE).status_code == 303
    assert announce(browser) == 201
    assert 'id="announce"' in browser.get("/tournaments/new").text
    assert "organises tournaments" in browser.get(page).text
    assert root.post(f"{page}/organiser/dismissed", headers=FROM_HERE).status_code == 303
    assert announce(browser) == 403


def test_a_program_with_a_token_of_an_organiser_gets_no_more_than_the_token_says(parts, root):
    account, token = parts.accounts.sign_up(Actor("system", "test"), "Ann", "person", ("play", "record"))
    assert root.post(f"/v1/players/{account.stream}/organiser", json={}, headers=FROM_HERE).json["is_organiser"]
    program = create_app(parts).test_client()
    refused = program.post("/v1/tournaments", json=TERMS, headers={"Authorization": f"Bearer {token}"})
    assert (refused.status_code, refused.json["code"]) == (403, "auth/scope")


def test_nobody_but_an_administrator_makes_organisers(parts):
    ann, browser = open_browser(parts, "Ann", "play", "record", "organise")
    assert browser.post(f"/players/{ann}/organiser/appointed", headers=FROM_HERE).status_code == 403
    refused = browser.post(f"/v1/players/{ann}/organiser", json={}, headers=FROM_HERE)
    assert (refused.status_code, refused.json["code"]) == (403, "auth/scope")


def test_a_command_makes_an_organiser_by_name_and_undoes_it(parts, monkeypatch):
    ann, browser = open_browser(parts, "Ann", "play", "record")
    monkeypatch.setattr(tokens, "compose_beside", lambda _: parts)
    ran = CliRunner().invoke(tokens.make_organiser, ["ann"], catch_exceptions=False)
    assert ran.output == f"Ann ({ann}) is now an organiser\n"
    assert announce(browser) == 201
    ran = CliRunner().invoke(tokens.make_organiser, [ann, "--undo"], catch_exceptions=False)
    assert ran.output == f"Ann ({ann}) is no longer an organiser\n"
    assert announce(browser) == 403
