"""Whose turn it is: the badge of every page, sounds and notifications, and the way to one's game in a cup."""

import re

import httpx
from playwright.sync_api import expect

from tests.pages.test_tournament_page import announce
from tests.system.running import WITHIN_S, wait_for

CAPTURE = """
window.shown = [];
window.Notification = class extends EventTarget {
  static permission = "granted";
  static requestPermission() { return Promise.resolve("granted"); }
  constructor(title, options) { super(); window.shown.push([title, options.body]); }
};
"""


def test_a_badge_on_every_page_leads_to_the_match_that_waits(visit):
    tilda, till = visit("Tilda"), visit("Till")
    with tilda.client() as one, till.client() as two:
        seats = [{"player": two.me()["player"]}, {"player": one.me()["player"]}]
        match = two.create_match("pathagon", seats)["match"]
        one.take_seat(match, 2)
        other = tilda.open_window()
        for page in (tilda.page, other):
            page.goto("/rulesets")
            expect(page.locator("#turns")).to_be_hidden()
        two.move(match, "d4")
        for page in (tilda.page, other):
            expect(page.locator("#turns")).to_have_text("Your turn")
        tilda.page.locator("#turns").click()
        tilda.page.wait_for_url(re.compile(f"/matches/{match}/play$"))
        two.withdraw(match, 1)


def test_a_notification_is_shown_to_who_asked_for_it_alone(visit):
    tilda, till = visit("Tilda"), visit("Till")
    for visitor in (tilda, till):
        visitor.context.add_init_script(CAPTURE)
        visitor.page.goto("/account")
    tilda.page.get_by_label("Show a notification while a page of Plyscribe is open").check()
    # What came before the first look is old.
    tilda.page.wait_for_function("() => Object.keys(localStorage).some((key) => key.startsWith('plyscribe-seen-'))")
    with tilda.client() as one, till.client() as two:
        match = two.create_match("zhen", [{"player": one.me()["player"]}, {"player": two.me()["player"]}])["match"]
        tilda.page.wait_for_function("() => window.shown.some(([title]) => title === 'You are invited to a match')")
        one.take_seat(match, 1)
        tilda.page.wait_for_function(
            "() => window.shown.some(([title, body]) => title === 'It is your turn' && body === 'Zhen')"
        )
        one.withdraw(match, 1)
    assert till.page.evaluate("window.shown") == []


def test_a_player_is_led_from_the_cup_to_their_game(visit, organiser):
    made = announce(organiser, 1)
    tilda = visit("Tilda")
    tilda.enter(made)
    organiser.start_tournament(made)
    link = tilda.page.get_by_role("link", name="Play your game")
    match = str(link.get_attribute("href")).split("/")[2]
    # The page links to the match from the pairing on, a moment before it is made.
    wait_for(lambda: httpx.get(f"{tilda.url}/v1/matches/{match}", timeout=WITHIN_S).is_success, why="the match")
    link.click()
    tilda.page.wait_for_url(re.compile("/matches/match-[a-z0-9]+/play$"))
    organiser.abort_tournament(made, "the test is over")
