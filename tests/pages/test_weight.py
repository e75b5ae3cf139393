"""A first visit of each page: what it costs a phone with a slow line, and whether it has barriers."""

import re

import pytest
from playwright.sync_api import Response, expect

from tests.pages.conftest import require_usable
from tests.system.running import pair, wait_for, wait_until_scored

MOST_BYTES = 250_000


@pytest.fixture(scope="module")
def names(service) -> dict[str, str]:
    """A match of the game with the heaviest board, long over, and a player with a rating."""
    with pair(service.url) as both:
        ann, ben = both.clients
        bots = [{"bot": "random", "seed": seat} for seat in range(6)]
        long = str(ann.create_match("portals", bots, options={"radius": 8, "ply_limit": 300})["match"])
        rated = both.open_match("zhen", rated=True)
        for client, move in ((ann, "+5"), (ben, "+3")):
            client.move(rated, move)
        ann.withdraw(rated)
        wait_until_scored(ann, long, rated)
        wait_for(lambda: ann.ratings_lag("zhen") == 0, why="the ratings")
        return {"match": long, "player": both.ids[1]}


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/rulesets",
        "/rulesets/portals",
        "/rulesets/rings",
        "/rulesets/pathagon/learn",
        "/rulesets/zhen/analysis",
        "/rulesets/pathagon/explorer?moves=d4&q=placed",
        "/play?ruleset=rings",
        "/record?ruleset=rings",
        "/matches",
        "/matches/{match}",
        "/matches/{match}?ply=4",
        "/matches/{match}/play",
        "/matches/{match}/analysis",
        "/players",
        "/players?ruleset=zhen",
        "/players/{player}",
        "/tournaments",
        "/sign-in",
        "/recover",
        "/docs",
    ],
)
def test_a_page_weighs_little_has_no_barriers_and_fits_a_phone(visit, names, path):
    page, answers = visit().page, list[Response]()
    page.on("response", lambda answer: answers.append(answer))
    page.goto(path.format(**names), wait_until="networkidle")
    sizes = [answer.request.sizes() for answer in answers]
    weight = sum(each["responseBodySize"] + each["responseHeadersSize"] for each in sizes)
    assert 1000 < weight <= MOST_BYTES
    if path != "/docs":
        # There axe-core would take minutes.
        require_usable(page, name_picture(path))


@pytest.mark.parametrize("path", ["/play?ruleset=rings", "/record?ruleset=rings", "/account"])
def test_a_page_for_those_who_have_an_account_has_no_barriers_and_fits_a_phone(visit, path):
    page = visit("Ann").page
    page.goto(path)
    require_usable(page, name_picture(f"{path} own"))


def name_picture(path: str) -> str:
    return re.sub(r"\W+", "-", f"page{path}").strip("-")


def test_the_keyboard_can_skip_the_navigation(page):
    page.goto("/")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to main content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("#main$"))


def test_times_are_shown_in_the_readers_zone(chromium, service):
    context = chromium.new_context(base_url=service.url, locale="de-DE", timezone_id="Europe/Berlin")
    hamburg = context.new_page()
    hamburg.goto("/players")
    hamburg.evaluate(
        """() => {
            const time = document.createElement("time");
            time.dateTime = "2026-07-01T22:30:00Z";
            time.textContent = "2026-07-01 22:30 UTC";
            document.querySelector("main").append(time);
        }"""
    )
    shown = hamburg.locator("main time").last
    expect(shown).to_have_text("02.07.2026, 00:30")
    expect(shown).to_have_attribute("title", "2026-07-01 22:30 UTC")
    context.close()
