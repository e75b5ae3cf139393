"""The wall screen in a browser: it follows the hall, turns its pages, and comes back after the network was away."""

import re
import time

import pytest
from playwright.sync_api import Page, expect

from tests.pages.conftest import NARROW, find_barriers, fits

PROJECTOR = {"width": 1920, "height": 1080}
TURNS_AFTER_MS, TURN_MS = 12_100, 700
"""When the wall begins to turn a page, and how long that takes at most."""


@pytest.fixture
def night(announce):
    return announce()


def project_64(visit, night) -> Page:
    """A wall with more boards than fit. The test alone turns its pages, however long its looks take."""
    night.guests(*(f"Guest {number}" for number in range(1, 65)))
    night.begin()
    page = visit().page
    page.clock.install()
    page.clock.pause_at(time.time() + 60)
    page.set_viewport_size(PROJECTOR)
    page.goto(f"{night.page}/wall")
    expect(page.locator("#wall-games .page")).to_have_text(re.compile(r"1/[2-9]"))
    return page


def test_the_wall_shows_results_as_they_come_to_visitors_without_an_account(visit, night):
    night.guests("Ida", "Kim", "Lou", "Max", "Ann", "Ben", "Eva", "Jan", "Tom", "Uli")
    page = visit().page
    page.set_viewport_size(PROJECTOR)
    page.goto(f"{night.page}/wall")
    expect(page.get_by_text("Scan to enter")).to_be_visible()
    assert find_barriers(page) == []
    night.begin()
    expect(page.get_by_role("heading", name="Boards")).to_be_visible()
    night.post("/results", round=1, board=2, ranks=[2, 1])
    expect(page.locator("[data-line='2']").first).to_contain_text("0 : 1")
    expect(page.locator(".fresh")).to_have_count(1)
    expect(page.get_by_text("Round 2 can be called as soon as boards 1, 3, 4 and 5 are over.")).to_be_visible()
    expect(page.locator("#clock")).not_to_be_empty()
    assert find_barriers(page) == []


def test_the_final_table_is_on_the_wall_once_the_tournament_is_ended_from_its_page(visit, announce):
    night = announce("Ida", "Kim", format={"kind": "swiss", "rounds": 1})
    night.begin()
    wall = visit().page
    wall.goto(f"{night.page}/wall")
    night.report_all(1)
    page = visit().sign_in(night.token, night.page)
    page.get_by_role("button", name="End the tournament", exact=True).click()
    page.get_by_role("dialog").get_by_role("button").first.click()
    expect(wall.get_by_role("heading", name="Final table")).to_be_visible()
    expect(wall.locator("#wall-table .line")).to_have_text([re.compile("Ida.*2"), re.compile("Kim.*0")])


def test_the_wall_says_that_it_is_stale_and_recovers_by_itself(visit, night):
    night.guests("Ida", "Kim")
    night.begin()
    hall = visit()
    hall.page.goto(f"{night.page}/wall")
    expect(hall.page.locator("#stale")).to_be_hidden()
    hall.context.set_offline(True)
    expect(hall.page.locator("#stale")).to_contain_text("No connection. This is how it stood at")
    night.post("/results", round=1, board=1, ranks=[1, 2])
    hall.context.set_offline(False)
    expect(hall.page.locator("[data-line='1']").first).to_contain_text("1 : 0")
    expect(hall.page.locator("#stale")).to_be_hidden()
    # Browsers note each request that fails.
    hall.forgive("ERR_INTERNET_DISCONNECTED")


def test_more_boards_than_fit_are_shown_page_by_page_without_scrolling(visit, night):
    page = project_64(visit, night)
    games = page.locator("#wall-games")
    pages = int(games.locator(".page").inner_text().partition("/")[2])
    shown: set[str | None] = set()
    for number in range(1, pages + 1):
        expect(games.locator(".page")).to_have_text(f"{number}/{pages}")
        visible = games.locator(".line:visible")
        shown |= {visible.nth(each).get_attribute("data-line") for each in range(visible.count())}
        assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")
        page.clock.run_for(13_000)
    assert shown == {str(board) for board in range(1, 33)}


def test_a_result_may_come_while_the_wall_turns_a_page(visit, night):
    page = project_64(visit, night)
    page.clock.run_for(TURNS_AFTER_MS)
    expect(page.locator("#wall-games .turning")).to_be_attached()
    night.post("/results", round=1, board=1, ranks=[1, 2])
    # Whatever wakes the wall, it looks at what is new.
    page.evaluate("dispatchEvent(new Event('online'))")
    expect(page.locator("[data-line='1']").first).to_contain_text("1 : 0")
    page.clock.run_for(TURN_MS)
    expect(page.locator("#wall-games .page")).to_have_text(re.compile(r"2/[2-9]"))


def test_a_final_has_its_boards_on_the_wall(visit, night):
    night.guests("Ida", "Kim", "Lou", "Max")
    night.begin()
    page = visit().page
    page.set_viewport_size(PROJECTOR)
    page.goto(f"{night.page}/wall?theme=dark")
    expect(page.locator(".pictured img")).to_have_count(2)
    page.set_viewport_size(NARROW)
    assert fits(page)


def test_four_boards_fill_the_wall_and_byes_do_not_squeeze_them(visit, night):
    night.guests(*(f"Guest {number}" for number in range(1, 19)))
    for entrant in range(9, 19):
        night.post(f"/entrants/{entrant}/absences", round=1)
    night.begin()
    page = visit().page
    page.set_viewport_size(PROJECTOR)
    page.goto(f"{night.page}/wall")
    boards = page.locator("#wall-games .line:visible:not(.bye) img")
    expect(boards).to_have_count(4)
    heights = [box["height"] for box in (board.bounding_box() for board in boards.all()) if box]
    assert min(heights) >= 60
    expect(page.locator("#wall-games .page")).to_have_text(re.compile(r"1/[2-9]"))
