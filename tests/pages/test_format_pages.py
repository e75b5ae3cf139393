"""The pages of tournaments with groups, with deadlines and with challenges."""

from playwright.sync_api import expect

from tests.pages.conftest import NARROW, require_usable
from tests.pages.test_tournament_page import announce


def test_groups_and_their_bracket_are_watched_to_the_end(visit, organiser):
    made = announce(organiser, 6, format={"kind": "groups", "groups": 2})
    page = visit().page
    page.goto(f"/tournaments/{made}")
    organiser.start_tournament(made)
    expect(page.locator("#tournament")).to_have_attribute("data-status", "ended")
    groups = page.get_by_role("region", name="Groups")
    expect(groups.get_by_role("table")).to_have_count(2)
    bracket = page.get_by_role("region", name="Bracket")
    expect(bracket.get_by_text("goes on").last).to_be_visible()
    require_usable(page, "groups", NARROW)


def test_a_player_challenges_by_a_click_and_the_challenged_sees_the_deadline(visit, organiser):
    made = announce(organiser, 0, format={"kind": "ladder", "days": 5})
    ben, ann = visit("Ben Above"), visit("Ann Below")
    for visitor in (ben, ann):
        visitor.enter(made)
    organiser.start_tournament(made)
    ann.page.get_by_role("button", name="Challenge Ben Above").click()
    dates = ben.page.get_by_role("region", name="Deadlines")
    expect(dates.get_by_text("4 d 23 h")).to_be_visible()
    expect(ben.page.get_by_role("link", name="Play your game")).to_be_visible()
    expect(ann.page.get_by_text("You can challenge nobody now.")).to_be_visible()
    require_usable(ben.page, "ladder", NARROW)


def test_the_organiser_gives_more_time_and_challenges_for_another_from_the_page(visit, organiser):
    made = announce(organiser, 2, format={"kind": "ladder"})
    organiser.start_tournament(made)
    page = visit().sign_in(organiser.token, f"/tournaments/{made}")
    page.get_by_text("Challenge for an entrant", exact=True).click()
    page.get_by_label("Who challenges").select_option(label="2: Random 2")
    page.get_by_label("Who is challenged").select_option(label="1: Greedy 1")
    page.get_by_role("button", name="Challenge", exact=True).click()
    expect(page.get_by_text("who was challenged")).to_be_attached()
    page.get_by_text("Close the ladder", exact=True).first.click()
    page.locator("form[data-post$=close]").get_by_label("Reason").fill("the season is over")
    require_usable(page, size=NARROW)
    page.get_by_role("button", name="Close the ladder").click()
    expect(page.locator("#tournament")).to_have_attribute("data-status", "ended")
