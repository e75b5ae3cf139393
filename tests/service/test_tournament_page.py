"""The pages of tournaments, without scripts."""

import re

import pytest
from flask.testing import FlaskClient

from plyscribe.domain.commands import Actor
from plyscribe.domain.tournament.events import FAILURES
from plyscribe.domain.tournament.reasons import WORDS
from plyscribe.service.composition import Parts
from plyscribe.service.web.app import create_app
from plyscribe.service.web.pages import tournaments as tournament_pages
from plyscribe.service.web.pages.pairing_reasons import SAID
from plyscribe.service.web.pages.wording import describe_end, name_incident, name_way
from tests.service.test_pages import FOR_PEOPLE, FROM_HERE, sign_in

TERMS = {"name": "Cup <of> Zhen", "ruleset": "zhen", "format": {"kind": "round-robin"}}


@pytest.fixture
def browser(parts) -> FlaskClient:
    """The browser of Olga, an organiser."""
    client = create_app(parts).test_client()
    _, token = parts.accounts.sign_up(Actor("system", "test"), "Olga", "person", ("play", "organise"))
    sign_in(client, token)
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
    assert "Round robin, 1 cycle: everybody meets everybody" in shown
    assert "No tournaments found." in browser.get("/tournaments?ruleset=pathagon").text


def test_an_open_tournament_can_be_entered_once_and_started_from_its_page(browser):
    path = announce(browser, bots=2)
    shown = browser.get(page_of(path)).text
    assert f'data-post="{path}/entrants"' in shown
    assert f'data-post="{path}/start"' in shown
    assert browser.post(f"{path}/entrants", json={}, headers=FROM_HERE).status_code == 201
    assert "own-entry-form" not in browser.get(page_of(path)).text
    browser.delete_cookie("plyscribe")
    shown = browser.get(page_of(path)).text
    assert "Sign in to enter" in shown
    assert "data-post" not in shown


def test_a_page_shows_the_latest_rounds_and_links_to_the_others(browser, parts, monkeypatch):
    path = announce(browser, bots=4)
    play_out(browser, parts, path)
    for number in (1, 2):
        for game in browser.get(f"{path}/rounds").json["rounds"][number - 1]["games"]:
            place = {"round": number, "board": game["board"], "game": game["game"]}
            ruling = {**place, "ranks": [1, 2], "why": "the hall was closed"}
            assert browser.post(f"{path}/adjudications", json=ruling, headers=FROM_HERE).status_code == 200
        parts.tournaments.advance(path.rpartition("/")[2])

    def shown(query: str = "") -> tuple[list[str], list[str]]:
        page = browser.get(page_of(path) + query).text
        return re.findall(r'<details id="round-(\d+)"', page), re.findall(r">(Earlier rounds|The latest rounds)<", page)

    assert shown() == (["3", "2", "1"], [])
    monkeypatch.setattr(tournament_pages, "GAMES", 3)
    assert shown() == (["3", "2"], ["Earlier rounds"])
    assert shown("?round=1") == shown("?round=-5") == (["1"], ["The latest rounds"])
    monkeypatch.setattr(tournament_pages, "GAMES", 1)
    assert shown("?round=2") == (["2"], ["Earlier rounds", "The latest rounds"])


@pytest.mark.parametrize("path", ["/tournaments/tournament-x", f"/tournaments/tournament-{'a' * 26}"])
def test_an_unknown_tournament_is_a_page_that_says_so(browser, path):
    shown = browser.get(path, headers=FOR_PEOPLE)
    assert shown.status_code == 404
    assert "There is no tournament" in shown.text


def sign_up(parts: Parts, name: str, *scopes: str) -> tuple[str, str]:
    account, token = parts.accounts.sign_up(Actor("system", "test"), name, "person", ("play", *scopes))
    return account.stream, token


def visit(browser: FlaskClient, token: str) -> FlaskClient:
    other = browser.application.test_client()
    sign_in(other, token)
    return other


def test_who_is_invited_may_decline_and_the_organiser_may_withdraw_it_on_the_page(browser, parts):
    path = announce(browser, is_open=False)
    ann, token = sign_up(parts, "Ann")
    visitor = visit(browser, token)
    for text in (f'data-post="{path}/entrants"', "invitations"):
        assert text not in visitor.get(page_of(path)).text
    assert browser.post(f"{path}/invitations", json={"player": ann}, headers=FROM_HERE).status_code == 201
    assert f'data-post="{path}/invitations/{ann}" data-method="DELETE">Decline' in visitor.get(page_of(path)).text
    assert "You are invited" in visitor.get("/tournaments").text
    assert "Withdraw the invitation" in browser.get(page_of(path)).text


def test_only_the_organiser_is_led_to_the_rulings_on_the_desk(browser, parts):
    path = announce(browser, bots=2)
    play_out(browser, parts, path)
    players = [visit(browser, sign_up(parts, name, *scopes)[1]) for name, scopes in (("Ann", ()), ("Root", ["admin"]))]
    desk = f'{page_of(path)}/desk?round=1&amp;board=1&amp;game=1"'
    assert [desk in each.get(page_of(path)).text for each in (browser, *players)] == [True, False, True]
    forfeit = {"round": 1, "board": 1, "entrants": [1], "why": "<never> came"}
    assert browser.post(f"{path}/forfeits", json=forfeit, headers=FROM_HERE).status_code == 200
    shown = browser.get(page_of(path)).text
    assert "declared round 1, board 1, game 1 forfeited" in shown
    assert "<figure" not in shown
    assert shown.count("&lt;never&gt; came") >= 3


@pytest.mark.parametrize(
    "terms",
    [
        {"format": {"kind": "swiss", "rounds": 3}, "scoring": {"places": [3, 1], "absence": 1}, "repeat": "rotations"},
        {"format": {"kind": "knockout", "lives": 2}, "limits": {"move_ms": 60_000}},
        {"format": {"kind": "gauntlet"}},
        {"ruleset": "rings", "seats": 3, "format": {"kind": "round-robin"}},
        {"ruleset": "rings", "seats": 3, "format": {"kind": "swiss"}},
        {"format": {"kind": "round-robin", "cycles": 3}, "sprt": {"elo0": 0, "elo1": 20}},
    ],
)
def test_no_page_of_any_format_shows_json(browser, parts, terms):
    path = announce(browser, bots=2 if "sprt" in terms else 6, **terms)
    play_out(browser, parts, path)
    shown = browser.get(page_of(path)).text
    assert "Round 1" in shown
    assert not re.search(r"[{}]|&#39;|\[&|\[\d", shown.partition("<main")[2])
    if "scoring" in terms:
        assert "3 for place 1, 1 for place 2; 6 for a bye; 1 for an absence" in shown


def test_a_sequential_test_that_ends_without_an_answer_is_undecided(browser, parts):
    path = announce(browser, bots=2, format={"kind": "round-robin"}, sprt={"elo0": 0, "elo1": 20})
    play_out(browser, parts, path)
    while (round := browser.get(path).json["rounds"]) and browser.get(path).json["status"] == "playing":
        ruled = {"round": round, "board": 1, "ranks": [1, 2], "why": "the hall closes"}
        assert browser.post(f"{path}/adjudications", json=ruled, headers=FROM_HERE).status_code in (200, 201)
        parts.tournaments.advance(path.rpartition("/")[2])
    assert "It is undecided: neither hypothesis is accepted." in browser.get(page_of(path)).text


def test_how_a_game_or_a_tournament_ended_and_every_kind_of_incident_is_told_in_words():
    assert [name_way(each) for each in ("withdrawal", "forfeited")] == ["because a player left", "by forfeit"]
    ends = {None: None, "played": None, "sprt-elo1": "the sequential test has decided", "no hall": "no hall"}
    assert {reason: describe_end(reason) for reason in ends} == ends
    causes = (*FAILURES, "time", "crashed", "silent", "illegal", "unreadable", "absent", "disqualified", "resigned")
    assert all(name_incident(cause) != cause for cause in causes)
    assert name_incident("new-cause") == "new cause"


def test_each_board_says_why_it_was_paired_in_the_readers_language(browser, parts):
    path = announce(browser, bots=3)
    play_out(browser, parts, path)
    [first] = [each for each in browser.get(f"{path}/rounds").json["rounds"] if each["round"] == 1]
    assert [each["word"] for each in first["boards"][0]["reasons"]] == ["circle"]
    assert first["bye_reasons"][0]["reasons"][0]["word"] == "circle-empty"
    english = browser.get(page_of(path)).text
    assert "The schedule has them meet in round 1 of cycle 1, at place 2 of 2 of the circle." in english
    assert re.search(r'<a href="/matches/match-[a-z2-7]{26}">watch</a>', english)
    assert not re.search(r" style=| on[a-z]+=|<script(?![^>]* src=)", english)
    german = browser.get(page_of(path), headers={"Accept-Language": "de"}).text
    assert "Der Spielplan hat in Runde 1 von Durchgang 1 niemanden für Bot 1" in german


def test_every_reason_of_a_pairing_has_a_sentence():
    assert SAID.keys() == WORDS.keys()
