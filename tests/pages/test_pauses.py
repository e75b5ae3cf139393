"""A pause of a match as its players and its arbiter see it."""

import pytest
from playwright.sync_api import expect

from plyscribe.service.client import Client
from tests.pages.conftest import find_barriers, require_usable
from tests.system.test_tournaments import admin_token

pytestmark = pytest.mark.server


def test_an_administrator_pauses_a_match_and_its_players_see_it_at_once(visit, service, two):
    player = visit()
    match = two.open_match("zhen", limits={"match_ms": 600_000, "increment_ms": 5_000})
    player.sign_in(two.accounts[0]["token"], f"/matches/{match}/play")
    expect(player.page.locator("#now")).to_contain_text("Your turn.")
    page = visit().sign_in(admin_token(service), f"/matches/{match}")
    page.get_by_text("Oversee this match").click()
    page.get_by_label("Why the match is paused").fill("the lights went out")
    page.get_by_role("button", name="Pause the match").click()
    expect(page.locator("#call")).to_contain_text("The match is paused.")

    banner = player.page.locator("#now #paused")
    expect(banner).to_contain_text("paused it: the lights went out. No clock runs, and nobody can move.")
    assert player.page.locator(".clock[data-deadline]").count() == 0
    require_usable(player.page)
    page.get_by_text("Oversee this match").click()
    assert find_barriers(page) == []
    page.get_by_label("Whose clock to change").select_option("2")
    page.get_by_label("Minutes more").fill("-1.5")
    page.locator("#clock-why").fill("a telephone rang")
    # The page is loaded anew.
    with page.expect_event("load"):
        page.get_by_role("button", name="Change the clock").click()
    expect(player.page.locator("#log")).to_contain_text("took 1 min 30 s from")
    page.get_by_text("Oversee this match").click()
    page.get_by_role("button", name="Let the match go on").click()
    expect(player.page.locator("#now")).to_contain_text("Your turn.")
    expect(player.page.locator("#log")).to_contain_text("let the match go on")
    with Client(service.url, two.accounts[1]["token"]) as ben:
        assert ben.match(match)["clock"]["left_ms"][1] == 600_000 - 90_000
