"""The page that starts a match says what the match counts for."""

from playwright.sync_api import Page, expect

from tests.pages.conftest import find_barriers

FRIENDLY = "Friendly: the result does not count for ratings."
RATED = "Rated: the result changes the ratings of all who play."


def test_the_page_says_whether_the_match_counts_for_ratings(visit):
    page = visit("Ann").page
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


def open_form(visit) -> Page:
    page: Page = visit("Ann").page
    page.goto("/play?ruleset=zhen")
    page.locator("#seat-2").select_option("open")
    page.locator("details:has(#time-control) summary").click()
    return page


def start(page: Page) -> str:
    page.locator("#begin").click()
    page.wait_for_url("**/matches/**")
    return page.url.partition("/matches/")[2].partition("/")[0]


def test_a_match_has_a_usual_time_control_which_is_explained(visit):
    page = open_form(visit)
    page.get_by_label("Time", exact=True).select_option(label="5+3")
    expect(page.get_by_text("Each player has 5 minutes for the whole match. Each move adds 3 seconds.")).to_be_visible()
    assert find_barriers(page) == []
    page.goto(f"/matches/{start(page)}")
    expect(page.get_by_text("5+3: Each player has 5 minutes")).to_be_visible()


def test_a_time_control_can_be_written(visit):
    page = open_form(visit)
    page.get_by_label("Time", exact=True).select_option(label="Other …")
    written = page.get_by_label("How it is written")
    written.fill("quick")
    expect(page.locator("#time-says .refusal")).to_contain_text("is no time control")
    page.locator("#begin").click()
    assert "/play" in page.url
    written.fill("40/120, SD/30 d5")
    expect(page.locator("#time-says")).to_contain_text("After move 40 there is more: 30 minutes.")
    assert find_barriers(page) == []
    page.goto(f"/matches/{start(page)}")
    expect(page.get_by_text("40/120:00, 30:00 d5:")).to_be_visible()


def test_without_a_choice_there_is_no_limit(visit):
    page = open_form(visit)
    page.get_by_label("Time", exact=True).select_option(label="5+3")
    page.get_by_label("Time", exact=True).select_option(label="No limit")
    page.goto(f"/matches/{start(page)}")
    expect(page.get_by_text("for the whole match")).to_have_count(0)
