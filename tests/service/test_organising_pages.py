"""Organisers and arbiters on pages and over HTTP: what they may do where, and that everything they do is listed."""

import re

import pytest
from flask.testing import FlaskClient

from plyscribe.domain.tournament.state import ACTS
from plyscribe.service.web.app import create_app
from plyscribe.service.web.pages.wording import describe_act
from tests.service.test_club_api import CLUB, Club
from tests.service.test_pages import FROM_HERE, sign_in

WHY = {"why": "so it was agreed"}
GAME = {"round": 1, "board": 1}


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
    boards = [game["entrants"] for game in club.get("/rounds")["rounds"][0]["games"]]
    return next(number for number, board in enumerate(boards, 1) if entrant in board)


def browse(parts, token: str) -> FlaskClient:
    browser = create_app(parts).test_client()
    sign_in(browser, token)
    return browser


def page_of(club: Club, browser: FlaskClient, **headers: str) -> str:
    return browser.get(f"/tournaments/{club.id}", headers=headers).text


RULINGS = [
    ("/results", {"ranks": [1, 2]}),
    ("/adjudications", {"ranks": [1, 2], **WHY}),
    ("/forfeits", {"entrants": [5], **WHY}),
]


@pytest.mark.parametrize(("path", "body"), RULINGS)
def test_an_arbiter_does_not_rule_on_the_board_where_they_sit(club, path, body):
    own = {"round": 1, "board": board_of(club, 5)}
    refused = club.post(path, club.ann_token, **own, **body)
    assert (refused.status_code, refused.json["code"]) == (403, "tournament/own-game")
    assert club.post(path, **own, **body).status_code in (200, 201)


@pytest.mark.parametrize("path", ["/corrections", "/annulments", "/replays"])
def test_an_arbiter_does_not_change_a_result_of_their_own(club, path):
    own = {"round": 1, "board": board_of(club, 5)}
    assert club.post("/results", **own, ranks=[1, 2]).status_code == 201
    body = {"ranks": [2, 1]} if path == "/corrections" else {}
    assert club.post(path, club.ann_token, **own, **body, **WHY).json["code"] == "tournament/own-game"
    assert club.post(path, **own, **body, **WHY).status_code == 200


def test_an_arbiter_who_plays_gives_no_penalties_and_withdraws_no_opponent(club):
    board = club.get("/rounds")["rounds"][0]["games"][board_of(club, 5) - 1]["entrants"]
    [opponent] = set(board) - {5}
    for path, body in ((f"/entrants/{opponent}/withdrawal", {}), ("/penalties", {"entrant": opponent, **WHY})):
        assert club.post(path, club.ann_token, **body).json["code"] == "tournament/own-game"
        assert club.post(path, **body).status_code in (200, 201)


def test_an_arbiter_is_nobody_in_another_tournament(club, api, parts):
    made = api.post("/v1/tournaments", club.token, {"name": "Other", "ruleset": "zhen", **CLUB}).json["tournament"]
    path = f"/v1/tournaments/{made}"
    tried = [
        ("POST", "/start", {}),
        ("POST", "/entrants", {"guest": "Zoe"}),
        ("POST", "/entry-link", {}),
        ("DELETE", "/entry-link", {}),
        ("POST", "/invitations", {"name": "Olga"}),
        ("POST", "/arbiters", {"name": "Ann"}),
        ("POST", "/pause", WHY),
        ("POST", "/rounds", {"round": 1}),
        ("POST", "/abort", {}),
    ]
    for method, end, body in tried:
        refused = api.send(method, path + end, club.ann_token, json=body)
        assert (refused.status_code, refused.json["code"]) == (403, "tournament/not-yours"), end
    assert "steering" not in browse(parts, club.ann_token).get(f"/tournaments/{made}").text


def test_an_arbiter_gets_the_section_of_organisers_without_what_is_the_owners(club, parts):
    shown, owned = page_of(club, browse(parts, club.ann_token)), page_of(club, browse(parts, club.token))
    for form in ("pause-form", "leave-form", "guest-form"):
        assert f'id="{form}"' in shown
    for form in ("abort-form", "arbiter-form"):
        assert f'id="{form}"' not in shown
        assert f'id="{form}"' in owned
    assert "Resign" in shown


def test_the_desk_offers_an_arbiter_no_ruling_on_the_board_where_they_sit(club, parts):
    arbiter, own = browse(parts, club.ann_token), board_of(club, 5)
    for board in (1, 2, 3):
        shown = arbiter.get(f"/tournaments/{club.id}/desk?round=1&board={board}").text
        assert ("You sit on this board" in shown) is (board == own)
        assert (f'data-post="{club.path}/results"' in shown) is (board != own)


def test_what_an_arbiter_did_is_listed_with_who_and_why(club, parts):
    board = next(number for number in (1, 2, 3) if number != board_of(club, 5))
    place = {"round": 1, "board": board}
    ann = club.ann_token
    assert club.post("/results", ann, **place, ranks=[1, 2]).status_code == 201
    assert club.post("/corrections", ann, **place, ranks=[2, 1], **WHY).status_code == 200
    assert club.post("/entrants/1/withdrawal", ann, why="home early").status_code == 200
    assert club.post("/entrants/1/return", ann, why="back again").status_code == 200
    assert club.post("/pause", ann, why="the <pizza>").status_code == 200
    browser = browse(parts, club.token)
    for language, words in {
        "en": ("corrected the result of round", "withdrew Ida #1", "let Ida #1 return", "paused the tournament"),
        "de": ("berichtigt", "Ida #1", "unterbrochen"),
    }.items():
        acts = page_of(club, browser, **{"Accept-Language": language}).partition('aria-labelledby="acts"')[2]
        rows = [re.sub("<[^>]+>", " ", row) for row in re.findall(r"<tr><td>.*?</tr>", acts, re.DOTALL)]
        assert all(any(each in row for row in rows) for each in words), rows
        assert sum("Ann" in row for row in rows) == 6
        for why in ("so it was agreed", "home early", "back again", "the &lt;pizza&gt;"):
            assert any(why in row for row in rows)


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


def test_a_stranger_gets_neither_the_pairing_page_nor_the_entry_link(club, parts, api):
    _, token = api.sign_up("Stan")
    stranger = browse(parts, token)
    for page in ("rounds/next", "entry-link"):
        assert stranger.get(f"/tournaments/{club.id}/{page}").status_code == 403
    link = create_app(parts).test_client().get(f"/tournaments/{club.id}/entry-link")
    assert (link.status_code, link.headers["Location"]) == (303, f"/sign-in?next=/tournaments/{club.id}/entry-link")


def test_the_page_with_the_secret_of_the_entry_link_holds_nothing_that_others_chose(club, parts):
    browser = browse(parts, club.token)
    path = f"/tournaments/{club.id}/entry-link"
    answered = browser.get(f"{path}?guess=plye_a")
    assert (answered.status_code, answered.headers["Location"]) == (303, path)
    assert browser.get(f"{path}/8").status_code == 303
    assert "no-store" in browser.get(f"{path}/30").headers["Cache-Control"]


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


def test_the_office_of_an_arbiter_is_not_offered_to_who_has_no_part(club, parts):
    stranger = create_app(parts).test_client()
    shown = page_of(club, stranger)
    assert 'id="steering"' not in shown
    assert "data-post" not in shown
    assert stranger.post(f"/v1/tournaments/{club.id}/start", json={}, headers=FROM_HERE).status_code == 401
