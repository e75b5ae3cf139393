"""The explorer on its page and beside boards: by mouse and keyboard, in both languages, on a phone."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.pages.conftest import find_barriers, overflows, take_pictures
from tests.system.running import Serving, pair, wait_for

pytestmark = pytest.mark.server


@pytest.fixture(scope="module")
def service(own_service: Serving) -> Serving:
    return own_service


@pytest.fixture(scope="module")
def played(service: Serving) -> Iterator[list[str]]:
    """Three matches that count; the first two begin with d4."""
    with pair(service.url) as both:
        ids = []
        for moves in (("d4", "d5", "d3", "c4"), ("d4", "c5"), ("a1",)):
            match = both.open_match("pathagon")
            for number, move in enumerate(moves):
                both.clients[number % 2].move(match, move)
            both.clients[1].withdraw(match)
            ids.append(match)
        wait_for(lambda: both.clients[0].explore("pathagon")["matches"] == 3, why="the count of the matches")
        yield ids


def find_moves(page: Page) -> Locator:
    return page.locator(".played tbody th")


def test_the_page_plays_on_with_links_and_keeps_the_filters(visit, played):
    page = visit().page
    page.goto("/rulesets/pathagon")
    page.get_by_role("link", name="Explorer").click()
    expect(page.get_by_role("heading", name="Played from here")).to_be_visible()
    expect(find_moves(page)).to_have_text(["d4", "a1"])
    page.get_by_label("Ended since").fill("2020-01")
    page.get_by_role("button", name="Show").click()
    expect(find_moves(page)).to_have_text(["d4", "a1"])
    # By keyboard alone.
    page.get_by_role("link", name="d4", exact=True).focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("Seat 2 moves.")).to_be_visible()
    expect(find_moves(page)).to_have_count(2)
    expect(page.get_by_label("Ended since")).to_have_value("2020-01")
    page.get_by_label("Moves, with semicolons").fill("d4;d4")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("d4 is not empty")
    expect(page.get_by_label("Moves, with semicolons")).to_have_value("d4;d4")
    page.get_by_label("Moves, with semicolons").fill("d4")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Seat 2 moves.")).to_be_visible()
    page.get_by_role("navigation", name="The moves so far").get_by_role("link", name="Beginning").click()
    expect(find_moves(page)).to_have_text(["d4", "a1"])


def test_a_search_leads_to_the_move_and_a_fault_says_what_is_allowed(visit, played):
    page = visit().page
    page.goto("/rulesets/pathagon/explorer")
    page.get_by_label("What is searched for").fill("traped")
    page.get_by_role("button", name="Search").click()
    expect(page.get_by_role("alert")).to_contain_text("did you mean `trapped`?")
    field = page.get_by_label("What is searched for")
    expect(field).to_have_attribute("aria-invalid", "true")
    field.fill("trapped at=d5 or placed at=a1")
    field.press("Enter")
    expect(page.locator("#search .ply")).to_have_count(1)
    page.locator("#search .ply").click()
    expect(page).to_have_url(re.compile(f"/matches/{played[2]}[?]ply=1"))


def test_the_page_is_german_fits_a_phone_and_has_no_barriers(visit, played):
    page = visit().page
    page.goto("/rulesets/pathagon/explorer?moves=d4&q=placed")
    assert not overflows(page)
    assert find_barriers(page) == []
    take_pictures(page, "explorer")
    page.get_by_role("button", name="Deutsch").click()
    expect(page.get_by_role("heading", name="Von hier aus gespielt")).to_be_visible()
    expect(page.get_by_text("Platz 2 zieht.")).to_be_visible()


def test_without_scripts_the_page_works_as_well(visit, played):
    page = visit(phone=True, scripts=False).page
    page.goto("/rulesets/pathagon/explorer")
    page.get_by_role("link", name="a1", exact=True).click()
    expect(page.get_by_text("Seat 2 moves.")).to_be_visible()
    expect(page.get_by_text("No match has come here yet.")).to_be_visible()


def test_beside_a_match_it_follows_the_position_on_the_board(visit, played):
    page = visit().page
    page.goto(f"/matches/{played[0]}?ply=0")
    page.locator("#beside summary").click()
    expect(page.locator("#beside .played tbody tr")).to_have_count(2)
    page.keyboard.press("ArrowRight")
    expect(page.locator("#place")).to_have_text("1 of 4")
    # The replies d5 and c5, as the position mirrors itself.
    expect(page.locator("#beside .played tbody th")).to_have_text(["c3", "d3"])
    page.keyboard.press("End")
    expect(page.locator("#beside")).to_contain_text("Nobody has to move in this position.")
    page.keyboard.press("Home")
    page.locator("#beside").get_by_role("link", name="a1", exact=True).click()
    expect(page.get_by_role("heading", name="Explorer: Pathagon")).to_be_visible()


def test_beside_a_line_it_follows_the_moves_that_are_tried(visit, played):
    page = visit().page
    page.goto("/rulesets/pathagon/analysis")
    expect(page.locator("#line [aria-current]")).to_be_visible()
    page.locator("#beside summary").click()
    expect(page.locator("#beside .played tbody tr")).to_have_count(2)
    page.locator('#board [data-touch="d4"]').click()
    page.get_by_role("button", name="Play it").click()
    expect(page.locator("#beside .played tbody th")).to_have_text(["c3", "d3"])
    assert find_barriers(page) == []
    assert not overflows(page)
