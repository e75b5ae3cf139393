"""Organisers and arbiters: how they become so, what they may do where, and that everything they do is listed."""

import re

import pytest
from click.testing import CliRunner
from flask.testing import FlaskClient

from plyscribe.domain.commands import Actor
from plyscribe.domain.tournament.state import ACTS
from plyscribe.service.cli import tokens
from plyscribe.service.composition import Parts
from plyscribe.service.web.app import create_app
from plyscribe.service.web.pages.wording import describe_act
from tests.service.test_club_api import CLUB, Club
from tests.service.test_pages import FROM_HERE, sign_in

WHY = {"why": "so it was agreed"}


@pytest.fixture
def club(api, parts) -> Club:
    """Olga's tournament, in which Ann is an arbiter and plays; her board is not board 1."""
    club = Club(api, parts, **CLUB)
    club.guests("Ida", "Ida", "Kim", "Lou", rating=1000)
    club.post("/arbiters", name="Ann")
    assert club.enter(club.ann_token).status_code == 201
    club.guests("Max")
    club.begin()
    return club


def board_of(club: Club, entrant: int) -> int:
    return next(game["board"] for game in club.get("/rounds")["rounds"][0]["games"] if entrant in game["entrants"])


def browse(parts, token: str) -> FlaskClient:
    browser = create_app(parts).test_client()
    sign_in(browser, token)
    return browser


def page_of(club: Club, browser: FlaskClient) -> str:
    return browser.get(f"/tournaments/{club.id}").text


def test_an_arbiter_who_plays_gives_no_penalties_and_withdraws_no_opponent(club):
    board = club.get("/rounds")["rounds"][0]["games"][board_of(club, 5) - 1]["entrants"]
    [opponent] = set(board) - {5}
    for path, body in ((f"/entrants/{opponent}/withdrawal", {}), ("/penalties", {"entrant": opponent, **WHY})):
        assert club.post(path, club.ann_token, **body).json["code"] == "tournament/own-game"
        assert club.post(path, **body).status_code in (200, 201)


def test_an_arbiter_is_nobody_in_another_tournament(club, api, parts):
    made = api.post("/v1/tournaments", club.token, {"name": "Other", "ruleset": "zhen", **CLUB}).json["tournament"]
    commands = {"entrants": {"guest": "Zoe"}, "invitations": {"name": "Olga"}, "arbiters": {"name": "Ann"}}
    commands |= {"start": {}, "entry-link": {}, "pause": WHY, "rounds": {"round": 1}, "abort": {}}
    for method, end, body in (*(("POST", *each) for each in commands.items()), ("DELETE", "entry-link", {})):
        refused = api.send(method, f"/v1/tournaments/{made}/{end}", club.ann_token, json=body)
        assert (refused.status_code, refused.json["code"]) == (403, "tournament/not-yours"), end
    assert "steering" not in browse(parts, club.ann_token).get(f"/tournaments/{made}").text


def test_an_arbiter_gets_the_section_of_organisers_without_what_is_the_owners(club, parts):
    shown, owned = (page_of(club, browse(parts, token)) for token in (club.ann_token, club.token))
    stranger = create_app(parts).test_client()
    public = page_of(club, stranger)
    for form, is_arbiters in (
        *(("pause-form", True), ("leave-form", True), ("guest-form", True)),
        *(("abort-form", False), ("arbiter-form", False)),
    ):
        assert [f'id="{form}"' in page for page in (shown, owned, public)] == [is_arbiters, True, False], form
    assert "Resign" in shown
    assert ('id="steering"' in public, "data-post" in public) == (False, False)
    assert stranger.post(f"/v1/tournaments/{club.id}/start", json={}, headers=FROM_HERE).status_code == 401


@pytest.mark.parametrize("what", ACTS)
def test_every_act_is_told_in_english_and_in_german(parts, what):
    act = {"what": what, "entrant": 1, "player_name": None, "round": 2, "board": 3, "game": 1}
    told = set()
    for language in ("en", "de"):
        with create_app(parts).test_request_context(headers={"Accept-Language": language}):
            told.add(describe_act(act, {1: "Ada #2"}))
    assert len(told) == 2
    assert all(not re.search(r"%\(|  |None", each) for each in told)


def test_equal_names_are_told_apart_wherever_the_organiser_chooses_somebody(club, parts):
    browser = browse(parts, club.token)
    shown = page_of(club, browser)
    assert not re.search(r">Ida<", shown)
    for number in (1, 2):
        assert shown.count(f">Ida #{number}<") >= 3
    club.post("/entrants/1/absences", round=2)
    assert "Ida #1 sits out round 2." in page_of(club, browser)


def test_the_page_with_the_secret_of_the_entry_link_is_for_organisers_and_holds_nothing_that_others_chose(
    club, parts, api
):
    path = f"/tournaments/{club.id}/entry-link"
    stranger = browse(parts, api.sign_up("Stan")[1])
    for page in (path, f"/tournaments/{club.id}/rounds/next"):
        assert stranger.get(page).status_code == 403
    for browser, asked, leads_to in (
        (create_app(parts).test_client(), path, f"/sign-in?next={path}"),
        (organiser := browse(parts, club.token), f"{path}?guess=plye_a", path),
        (organiser, f"{path}/8", path),
    ):
        answered = browser.get(asked)
        assert (answered.status_code, answered.headers["Location"]) == (303, leads_to)
    assert "no-store" in organiser.get(f"{path}/30").headers["Cache-Control"]


def test_the_entry_link_lets_somebody_new_read_a_private_tournament_and_nobody_without_it(api, parts):
    club = Club(api, parts, **CLUB, private=True)
    shown = browse(parts, club.token).get(f"/tournaments/{club.id}/entry-link").text
    link = re.search(r'value="http://localhost(/tournaments/[^"]+/enter\?code=[^"]+)"', shown)[1]
    somebody = create_app(parts).test_client()
    assert "Sign in to enter" in somebody.get(link).text
    assert f"next={link.replace('?', '%3F').replace('=', '%3D')}" in somebody.get(link).text
    assert somebody.get(f"/tournaments/{club.id}/enter").status_code == 404
    club.send("DELETE", "/entry-link")
    over = somebody.get(link)
    assert over.status_code == 404
    assert "This entry link is no longer valid" in over.text


@pytest.mark.parametrize(
    ("format", "words"),
    [
        ({"kind": "ladder"}, "Entrants challenge each other"),
        ({"kind": "league", "begins_at": 4_000_000_000_000}, "Round 1 begins by itself on"),
    ],
)
def test_what_runs_for_weeks_is_not_called(api, parts, format, words):
    club = Club(api, parts, format=format)
    club.enter(club.token)
    club.enter(club.ann_token)
    assert club.start().status_code == 200
    shown = page_of(club, browse(parts, club.token))
    assert words in shown
    assert 'id="call-form"' not in shown
    assert "take-back-form" not in shown


TERMS = {"name": "Thursday", "ruleset": "zhen", "format": {"kind": "swiss"}}


def open_browser(parts: Parts, name: str, *scopes: str) -> tuple[str, FlaskClient]:
    """The id of a new account, and a browser that is signed in with its token."""
    account, token = parts.accounts.sign_up(Actor("system", "test"), name, "person", scopes, official=True)
    return account.stream, browse(parts, token)


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
