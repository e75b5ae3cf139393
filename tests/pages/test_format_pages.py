"""The pages of tournaments with groups, with deadlines and with challenges."""

import pytest
from playwright.sync_api import Page, expect

from plyscribe.service.client import Client
from tests.pages.conftest import find_barriers, overflows, take_pictures
from tests.pages.test_tournament_page import announce, organiser

__all__ = ["organiser"]
pytestmark = pytest.mark.server

ENDS_WITHIN_MS = 90_000


def sign_in_as_organiser(page: Page, organiser: Client, tournament: str) -> None:
    page.goto(f"/sign-in?next=/tournaments/{tournament}")
    page.get_by_label("Token").fill(organiser.token)
    page.get_by_role("button", name="Sign in").click()
    expect(page.locator("#tournament")).to_be_visible()


def require_usable(page: Page) -> None:
    """The page as it is has no barriers, and fits a small phone."""
    assert find_barriers(page) == []
    assert not overflows(page)
    page.set_viewport_size({"width": 320, "height": 640})
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")


def test_groups_and_their_bracket_are_watched_to_the_end(visit, organiser):
    made = announce(organiser, 6, format={"kind": "groups", "groups": 2})
    page = visit().page
    page.goto(f"/tournaments/{made}")
    organiser.start_tournament(made)
    expect(page.locator("#tournament")).to_have_attribute("data-status", "ended", timeout=ENDS_WITHIN_MS)
    groups = page.get_by_role("region", name="Groups")
    expect(groups.get_by_role("table")).to_have_count(2)
    bracket = page.get_by_role("region", name="Bracket")
    expect(bracket.get_by_text("goes on").last).to_be_visible()
    take_pictures(page, "groups")
    require_usable(page)


def test_a_player_challenges_by_a_click_and_the_challenged_sees_the_deadline(visit, organiser):
    made = announce(organiser, 0, format={"kind": "ladder", "days": 5})
    ben, ann = visit(), visit()
    for visitor, name in ((ben, "Ben Above"), (ann, "Ann Below")):
        visitor.sign_up(name)
        visitor.page.goto(f"/tournaments/{made}")
        visitor.page.get_by_role("button", name="Enter").click()
        expect(visitor.page.get_by_role("button", name="Enter")).to_have_count(0)
    organiser.start_tournament(made)
    ann.page.get_by_role("button", name="Challenge Ben Above").click()
    dates = ben.page.get_by_role("region", name="Deadlines")
    expect(dates.get_by_text("4 d 23 h")).to_be_visible()
    expect(ben.page.get_by_role("link", name="Play your game")).to_be_visible()
    expect(ann.page.get_by_text("You can challenge nobody now.")).to_be_visible()
    take_pictures(ben.page, "ladder")
    require_usable(ben.page)


def test_the_organiser_gives_more_time_and_challenges_for_another_from_the_page(visit, organiser):
    made = announce(organiser, 2, format={"kind": "ladder"})
    organiser.start_tournament(made)
    page = visit().page
    sign_in_as_organiser(page, organiser, made)
    page.get_by_text("Challenge for an entrant", exact=True).click()
    page.get_by_label("Who challenges").select_option(label="2: Random 2")
    page.get_by_label("Who is challenged").select_option(label="1: Greedy 1")
    page.get_by_role("button", name="Challenge", exact=True).click()
    expect(page.get_by_text("who was challenged")).to_be_attached()
    page.get_by_text("Close the ladder", exact=True).first.click()
    page.locator("form[data-post$=close]").get_by_label("Reason").fill("the season is over")
    require_usable(page)
    page.get_by_role("button", name="Close the ladder").click()
    expect(page.locator("#tournament")).to_have_attribute("data-status", "ended", timeout=ENDS_WITHIN_MS)


def test_the_organiser_of_a_league_extends_a_deadline_from_the_page(visit, organiser):
    made = announce(organiser, 1, format={"kind": "league"})
    ann = visit()
    ann.sign_up("Lea Guepin")
    ann.page.goto(f"/tournaments/{made}")
    ann.page.get_by_role("button", name="Enter").click()
    expect(ann.page.get_by_role("button", name="Enter")).to_have_count(0)
    organiser.start_tournament(made)
    page = visit().page
    sign_in_as_organiser(page, organiser, made)
    dates = page.get_by_role("region", name="Deadlines")
    expect(dates.get_by_text("6 d 23 h").first).to_be_visible()
    dates.get_by_text("More time", exact=True).first.click()
    dates.get_by_label("Reason").fill("a holiday")
    take_pictures(page, "league")
    require_usable(page)
    dates.get_by_role("button", name="More time").click()
    expect(dates.get_by_text("9 d 23 h")).to_be_visible()
    expect(page.get_by_role("region", name="Decisions of the organiser").get_by_text("a holiday")).to_be_visible()


@pytest.mark.parametrize(
    ("kind", "said"), [("league", "League, a round lasts 7 days"), ("groups", "Groups of at most 4")]
)
def test_a_format_is_announced_from_the_form(visit, organiser, kind, said):
    page = visit().page
    page.goto("/sign-in?next=/tournaments/new")
    page.get_by_label("Token").fill(organiser.token)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_label("Name of the tournament").fill(f"Announced {kind}")
    page.get_by_label("How the players meet").select_option(kind)
    expect(page.get_by_label("When a round begins")).to_be_visible(visible=kind != "league")
    page.get_by_role("button", name="Announce", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text(f"Announced {kind}")
    expect(page.get_by_text(said).first).to_be_attached()
