"""The page of a tournament, watched live to the end."""

from playwright.sync_api import Page, expect

from plyscribe.service.client import Client
from tests.pages.conftest import hold, require_usable


def announce(organiser: Client, bots: int, **terms: object) -> str:
    made = organiser.create_tournament(
        {"name": "Evening cup", "ruleset": "zhen", "format": {"kind": "round-robin"}, **terms}
    )["tournament"]
    for number in range(bots):
        kind = ("greedy", "random")[number % 2]
        organiser.enter(made, {"name": kind}, f"{kind.capitalize()} {number + 1}")
    return made


def press_and_confirm(page: Page, name: str) -> None:
    """Press a button that asks before it acts, and say yes."""
    page.get_by_role("button", name=name, exact=True).click()
    page.get_by_role("dialog").get_by_role("button", name=name).click()


def test_a_tournament_is_watched_to_its_end(visit, organiser):
    made = announce(organiser, 5)
    page = visit().page
    page.goto(f"/tournaments/{made}")
    expect(page.get_by_role("heading", level=1)).to_have_text("Evening cup")
    organiser.start_tournament(made)
    # The page is not reloaded.
    expect(page.locator("#tournament")).to_have_attribute("data-status", "ended")
    expect(page.get_by_role("heading", name="Final table")).to_be_visible()
    expect(page.get_by_role("region", name="Final table").get_by_role("row")).to_have_count(6)
    expect(page.get_by_role("img", name="Ratings from the games of this tournament only")).to_be_visible()
    expect(page.get_by_text("Round 5", exact=True)).to_be_visible()
    page.get_by_text("Why this pairing").first.click()
    page.get_by_role("link", name="Check this pairing").first.click()
    expect(page.get_by_text("Correct: the result is the same.")).to_be_visible()
    require_usable(page, "tournament")


def test_a_button_that_is_pressed_before_the_scripts_are_there_is_not_pressed_in_vain(visit, organiser):
    made = announce(organiser, 2)
    page = visit().sign_in(organiser.token, "/")
    held = hold(page, "**/assets/tournament.*.js")
    page.goto(f"/tournaments/{made}", wait_until="commit")
    page.get_by_role("button", name="Start", exact=True).click()
    held.wait().continue_()
    expect(page.get_by_role("dialog")).to_be_visible()


def test_the_page_keeps_up_while_its_stream_is_refused_and_leaves_the_focus_where_it_is(visit, organiser):
    made = announce(organiser, 1)
    spectator = visit()
    page = spectator.page
    page.route("**/v1/tournaments/*/events?*", lambda route: route.fulfill(status=503))
    page.goto(f"/tournaments/{made}")
    page.get_by_role("link", name="Watch the games.").focus()
    organiser.enter(made, {"name": "random"}, "Latecomer")
    expect(page.get_by_text("Latecomer")).to_be_visible()
    expect(page.get_by_role("link", name="Watch the games.")).to_be_focused()
    spectator.forgive("503")


def test_a_closed_tournament_is_entered_by_invitation_and_steered_from_the_page(visit, organiser):
    made = announce(organiser, 1, is_open=False)
    ann = visit("Annabel")
    olga = visit()
    olga.sign_in(organiser.token, f"/tournaments/{made}")
    olga.page.get_by_text("Enter players").click()
    olga.page.get_by_label("Id or name").fill("Annabel")
    olga.page.get_by_role("button", name="Invite").click()
    expect(olga.page.get_by_role("button", name="Withdraw the invitation")).to_be_visible()
    ann.page.goto(f"/tournaments/{made}")
    ann.page.get_by_role("button", name="Accept").click()
    expect(ann.page.get_by_role("button", name="Accept")).to_have_count(0)
    expect(ann.page.get_by_role("link", name="Annabel").last).to_be_visible()
    press_and_confirm(olga.page, "Start")
    olga.page.get_by_role("link", name="Decide about round 1, board 1, game 1").click()
    decide = olga.page.locator("form[data-forfeit$='/forfeits']")
    decide.get_by_label("Annabel did not come").check()
    decide.get_by_label("Reason").fill("she never came")
    decide.get_by_role("button", name="Decide the game").click()
    expect(ann.page.locator("#tournament")).to_have_attribute("data-status", "ended")
    olga.page.goto(f"/tournaments/{made}")
    acts = olga.page.get_by_role("region", name="Decisions of the organiser")
    expect(acts.get_by_text("she never came")).to_be_visible()
    require_usable(olga.page, "tournament-organised")
