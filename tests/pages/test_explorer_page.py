"""The explorer, next to a board."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tests.pages.conftest import make_move, require_usable
from tests.system.running import Serving, pair, serving, wait_for


@pytest.fixture(scope="module")
def service(tmp_path_factory) -> Iterator[Serving]:
    """A service on which nothing else is played."""
    with serving(tmp_path_factory.mktemp("explorer") / "data") as running:
        yield running


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


def test_beside_a_match_it_follows_the_position_on_the_board(page, played):
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


def test_beside_a_line_it_follows_the_moves_that_are_tried(page, played):
    page.goto("/rulesets/pathagon/analysis")
    expect(page.locator("#line [aria-current]")).to_be_visible()
    page.locator("#beside summary").click()
    expect(page.locator("#beside .played tbody tr")).to_have_count(2)
    make_move(page, "d4")
    expect(page.locator("#beside .played tbody th")).to_have_text(["c3", "d3"])
    require_usable(page)
