"""The page that starts a match says what the match counts for."""

import pytest
from playwright.sync_api import expect

from tests.pages.conftest import find_barriers

pytestmark = pytest.mark.server

FRIENDLY = "Friendly: the result does not count for ratings."
RATED = "Rated: the result changes the ratings of all who play."


def test_the_page_says_whether_the_match_counts_for_ratings(visit):
    ann = visit()
    ann.sign_up("Ann")
    page = ann.page
    page.goto("/play?ruleset=zhen")
    expect(page.get_by_text(FRIENDLY)).to_be_visible()
    page.get_by_label("Seat 2").select_option("open")
    page.get_by_text("Time, rating and privacy").click()
    page.get_by_label("Rated").check()
    expect(page.get_by_text(RATED)).to_be_visible()
    expect(page.get_by_text(FRIENDLY)).to_be_hidden()
    assert find_barriers(page) == []
    # A bot cannot play a rated match.
    page.get_by_label("Seat 2").select_option("bot:greedy")
    expect(page.get_by_text(FRIENDLY)).to_be_visible()
    expect(page.get_by_text(RATED)).to_be_hidden()


def test_a_match_can_have_a_clock_with_an_increment(visit):
    ann = visit()
    ann.sign_up("Ann")
    page = ann.page
    page.goto("/play?ruleset=zhen")
    page.get_by_label("Seat 2").select_option("open")
    page.get_by_text("Time, rating and privacy").click()
    # It adds to the time for the whole match.
    expect(page.get_by_label("Time that each move adds")).to_be_disabled()
    page.get_by_label("Time per player for the whole match").select_option(label="10 minutes")
    page.get_by_label("Time that each move adds").select_option(label="5 seconds")
    assert find_barriers(page) == []
    page.get_by_role("button", name="Start", exact=True).click()
    page.wait_for_url("**/matches/**")
    match = page.url.partition("/matches/")[2].partition("/")[0]
    page.goto(f"/matches/{match}")
    expect(page.get_by_text("and 5 s more with each move")).to_be_visible()
