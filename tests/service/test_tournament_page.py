"""The pages of tournaments, without scripts."""

import re

import pytest
from flask.testing import FlaskClient

from plyscribe.domain.commands import Actor
from plyscribe.service.composition import Parts, compose
from plyscribe.service.store.memory import MemoryStore
from plyscribe.service.web.api.http import COOKIE
from plyscribe.service.web.app import create_app
from plyscribe.service.web.pages.tournaments import explain_costs
from tests.service.conftest import CONFIG
from tests.service.test_pages import FOR_PEOPLE, FROM_HERE

TERMS = {"name": "Cup <of> Zhen", "ruleset": "zhen", "format": {"kind": "round-robin"}}


@pytest.fixture
def parts() -> Parts:
    return compose(CONFIG, MemoryStore())


@pytest.fixture
def browser(parts) -> FlaskClient:
    """The browser of Olga, an organiser."""
    client = create_app(parts).test_client()
    _, token = parts.accounts.sign_up(Actor("system", "test"), "Olga", "person", ("play", "organise"))
    client.set_cookie(COOKIE, token)
    return client


def announce(browser: FlaskClient, bots: int = 0, **terms: object) -> str:
    made = browser.post("/v1/tournaments", json={**TERMS, **terms}, headers=FROM_HERE)
    path = f"/v1/tournaments/{made.json['tournament']}"
    for number in range(bots):
        body = {"bot": {"name": "random"}, "label": f"Bot {number + 1}"}
        assert browser.post(f"{path}/entrants", json=body, headers=FROM_HERE).status_code == 201
    return path


def page_of(path: str) -> str:
    return path.removeprefix("/v1")


def play_out(browser: FlaskClient, parts: Parts, path: str) -> None:
    assert browser.post(f"{path}/start", headers=FROM_HERE).status_code == 200
    parts.tournaments.advance(path.rpartition("/")[2])


def test_a_tournament_is_listed_with_what_it_is(browser):
    path = announce(browser, bots=2)
    shown = browser.get("/tournaments?ruleset=&status=open").text
    assert f'<a href="{page_of(path)}">Cup &lt;of&gt; Zhen</a>' in shown
    assert "round-robin" in shown
    assert "No tournaments found." in browser.get("/tournaments?ruleset=pathagon").text


def test_an_open_tournament_can_be_entered_and_started_from_its_page(browser):
    path = announce(browser, bots=2)
    shown = browser.get(page_of(path)).text
    assert f'data-post="{path}/entrants"' in shown
    assert f'data-post="{path}/start"' in shown
    browser.delete_cookie(COOKIE)
    shown = browser.get(page_of(path)).text
    assert "Sign in to enter" in shown
    assert "data-post" not in shown


def test_an_entrant_is_not_asked_to_enter_again(browser):
    path = announce(browser)
    assert browser.post(f"{path}/entrants", json={}, headers=FROM_HERE).status_code == 201
    assert f'data-post="{path}/entrants"' not in browser.get(page_of(path)).text


def test_the_rounds_show_the_pairings_and_their_reasons(browser, parts):
    path = announce(browser, bots=4)
    play_out(browser, parts, path)
    shown = browser.get(page_of(path)).text
    assert "of 2 games finished" in shown
    assert len(re.findall(r'<a href="/matches/match-[a-z2-7]{26}">watch</a>', shown)) == 2
    assert "Why this pairing" in shown
    assert "earlier games between the players of a board" in shown
    assert "Bot 1" in shown
    assert not re.search(r" style=| on[a-z]+=|<script(?![^>]* src=)", shown)


def test_without_a_counted_game_there_is_no_plot_of_ratings(browser, parts):
    path = announce(browser, bots=2)
    play_out(browser, parts, path)
    assert "<figure" not in browser.get(page_of(path)).text


@pytest.mark.parametrize("path", ["/tournaments/tournament-x", f"/tournaments/tournament-{'a' * 26}"])
def test_an_unknown_tournament_is_a_page_that_says_so(browser, path):
    shown = browser.get(path, headers=FOR_PEOPLE)
    assert shown.status_code == 404
    assert "there is no tournament" in shown.text


def test_every_cost_is_shown_known_or_not():
    reasons = dict(explain_costs({"meetings": 0, "seed": 7, "floats": [], "at_least": [1, 2]}, "ours 1"))
    assert reasons["paired by"] == "ours 1"
    assert reasons["earlier games between the players of a board"] == "0"
    assert reasons["at least"] == "[1,2]"
