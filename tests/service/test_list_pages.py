"""The pages of rulesets and players, without scripts."""

import re
from xml.etree import ElementTree

import pytest
from flask.testing import FlaskClient

from plyscribe.domain.rulesets import RULESETS, list_newest
from plyscribe.service.boards import draw_beginning
from plyscribe.service.database.engine import DatabaseUnavailable
from plyscribe.service.rulebooks import read_clauses
from plyscribe.service.web.app import create_app
from plyscribe.service.web.pages.assets import path_of
from plyscribe.service.web.pages.plot import Estimate, choose_values, draw_history, draw_intervals
from tests.service.test_pages import FOR_PEOPLE, sign_up

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def browser(parts) -> FlaskClient:
    return create_app(parts).test_client()


def away():
    raise DatabaseUnavailable("away")


@pytest.mark.parametrize("path", ["/", "/play", "/record", "/rulesets", "/rulesets/zhen", "/players/{player}"])
def test_a_page_shows_the_rest_while_the_read_database_is_away(parts, browser, monkeypatch, path):
    sign_up(browser)
    path = path.format(player=browser.get("/v1/players/me").json["player"])
    before = browser.get(path, headers=FOR_PEOPLE).text
    monkeypatch.setattr(parts.database, "reading", away)
    shown = browser.get(path, headers=FOR_PEOPLE)
    assert shown.status_code == 200
    assert re.search("<h1>.*</h1>", shown.text)[0] == re.search("<h1>.*</h1>", before)[0]
    assert ("cannot be read at the moment" in shown.text) is (path != "/rulesets")
    # As a word of its own: the random id of an account may have these letters.
    assert not re.search(r"\byet\b", shown.text)
    monkeypatch.undo()
    assert "cannot be read at the moment" not in browser.get(path, headers=FOR_PEOPLE).text


def test_a_page_about_a_list_says_that_it_is_away(parts, browser, monkeypatch):
    monkeypatch.setattr(parts.database, "reading", away)
    for path in ("/matches", "/players", "/tournaments", "/players?ruleset=zhen"):
        shown = browser.get(path, headers=FOR_PEOPLE)
        assert (shown.status_code, shown.headers["Retry-After"]) == (503, "1")
    assert browser.get("/v1/rulesets").status_code == 200


@pytest.mark.parametrize("ruleset", RULESETS, ids=lambda each: f"{each.id}_v{each.version}")
def test_every_clause_of_the_rules_can_be_linked_to(browser, ruleset):
    shown = browser.get(f"/rulesets/{ruleset.id}?version={ruleset.version}").text
    for clause in read_clauses(ruleset.id, ruleset.version):
        assert f'<h3 id="{clause}">' in shown
    assert not re.search(r" style=|<script>", shown)


def test_all_games_are_listed_with_their_starting_position(browser):
    shown = browser.get("/rulesets").text
    for ruleset in list_newest():
        assert f'href="/rulesets/{ruleset.id}"' in shown
        picture = path_of(f"board_{ruleset.id}.svg")
        assert f'src="{picture}"' in shown
        assert browser.get(picture).text == draw_beginning(ruleset, "auto")


@pytest.mark.parametrize(
    "path",
    [
        *("/rulesets/chess", "/rulesets/zhen?version=77", "/play?ruleset=x", "/record?ruleset=x"),
        *("/players/nobody", "/players?ruleset=x"),
    ],
)
def test_an_unknown_game_or_player_is_a_page_that_says_so(browser, path):
    shown = browser.get(path, headers=FOR_PEOPLE)
    assert shown.status_code == 404
    assert "<h1>" in shown.text


def test_players_are_found_by_the_start_of_their_names_which_are_text(browser):
    for name in ("Ann", "An<b>ton", "Ben"):
        sign_up(browser, name)
    shown = browser.get("/players?name=an&kind=").text
    assert ("Ann</a>" in shown, "An&lt;b&gt;ton</a>" in shown, ">Ben</a></td>" in shown) == (True, True, False)
    assert "No players found" in browser.get("/players?name=zz").text
    player = browser.get("/v1/players/me").json["player"]
    assert "No rated matches yet" in browser.get(f"/players/{player}").text
    assert "Nobody has a rating in Zhen yet" in browser.get("/players?ruleset=zhen").text


def test_a_line_goes_through_every_point_within_its_band():
    drawn = ElementTree.fromstring(draw_history([Estimate(25, 8), Estimate(27, 7), Estimate(26, 6)], "Rating"))
    assert drawn.find(f"{SVG}title").text == "Rating"
    assert len(drawn.find(f"{SVG}polyline").attrib["points"].split()) == 3
    assert len(drawn.find(f"{SVG}polygon").attrib["points"].split()) == 6
    assert draw_history([Estimate(25, 0)], "Rating").count("<circle") == 1


def test_a_higher_rating_lies_further_right_and_its_bar_is_as_long_as_it_is_uncertain():
    drawn = ElementTree.fromstring(draw_intervals([("Ann", Estimate(30, 1)), ("<Ben>", Estimate(20, 2))], "Ratings"))
    high, low = (float(circle.attrib["cx"]) for circle in drawn.findall(f"{SVG}circle"))
    assert high > low
    bars = [line for line in drawn.findall(f"{SVG}line") if line.attrib["class"] == "bar"][::3]
    first, second = (float(bar.attrib["x2"]) - float(bar.attrib["x1"]) for bar in bars)
    assert second == pytest.approx(2 * first, abs=0.1)


@pytest.mark.parametrize(("low", "high"), [(0, 10), (24.9, 25.1), (-3, 52), (1000, 1000.5)])
def test_an_axis_names_a_few_round_values_within_its_bounds(low, high):
    values = choose_values(low, high)
    assert 2 <= len(values) <= 8
    assert low <= min(values) <= max(values) <= high
