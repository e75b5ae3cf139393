"""The page of a tournament, watched live to the end."""

import pytest
from playwright.sync_api import Page, Route, expect

from plyscribe.service.client import Client
from tests.pages.conftest import find_barriers, overflows, take_pictures
from tests.system.running import wait_for

pytestmark = pytest.mark.server

ENDS_WITHIN_MS = 90_000


@pytest.fixture
def organiser(service):
    with Client(service.url, (service.data / "admin.token").read_text().strip()) as client:
        yield client


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
    expect(page.locator("#tournament")).to_have_attribute("data-status", "ended", timeout=ENDS_WITHIN_MS)
    expect(page.get_by_role("heading", name="Final table")).to_be_visible()
    expect(page.get_by_role("region", name="Final table").get_by_role("row")).to_have_count(6)
    expect(page.get_by_role("img", name="Ratings from the games of this tournament only")).to_be_visible()
    expect(page.get_by_text("Round 5", exact=True)).to_be_visible()
    page.get_by_text("Why this pairing").first.click()
    page.get_by_role("link", name="Check this pairing").first.click()
    expect(page.get_by_text("Correct: the result is the same.")).to_be_visible()
    take_pictures(page, "tournament")
    assert find_barriers(page) == []
    assert not overflows(page)


def test_a_person_enters_and_the_organiser_starts_from_the_page(visit, organiser):
    made = announce(organiser, 1)
    ann = visit()
    ann.sign_up("Ann")
    ann.page.goto(f"/tournaments/{made}")
    ann.page.get_by_role("button", name="Enter").click()
    expect(ann.page.get_by_role("link", name="Ann").last).to_be_visible()
    expect(ann.page.get_by_role("button", name="Enter")).to_have_count(0)
    expect(ann.page.get_by_role("button", name="Start")).to_have_count(0)
    olga = visit()
    olga.page.goto(f"/sign-in?next=/tournaments/{made}")
    olga.page.get_by_label("Token").fill(organiser.token)
    olga.page.get_by_role("button", name="Sign in").click()
    press_and_confirm(olga.page, "Start")
    expect(ann.page.locator("#tournament")).to_have_attribute("data-status", "playing")


def test_a_button_that_is_pressed_before_the_scripts_are_there_is_not_pressed_in_vain(visit, organiser):
    made = announce(organiser, 2)
    page = visit().page
    page.goto("/sign-in")
    page.get_by_label("Token").fill(organiser.token)
    page.get_by_role("button", name="Sign in").click()
    page.locator("form[action='/sign-out']").wait_for(state="attached")
    held: list[Route] = []
    page.route("**/assets/tournament.*.js", lambda route: held.append(route))
    page.goto(f"/tournaments/{made}", wait_until="commit")
    page.get_by_role("button", name="Start", exact=True).click()
    while not held:
        page.wait_for_timeout(20)
    held[0].continue_()
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
    # Browsers note each refusal as an error.
    spectator.faults = [fault for fault in spectator.faults if "503" not in fault]


def test_tournaments_are_listed(visit, organiser):
    announce(organiser, 2, name="A cup to be found")
    page = visit().page
    cup = page.get_by_role("link", name="A cup to be found")
    wait_for(lambda: page.goto("/tournaments") and cup.is_visible(), why="the list")
    take_pictures(page, "tournaments")
    assert find_barriers(page) == []
    assert not overflows(page)


def test_a_closed_tournament_is_entered_by_invitation_and_steered_from_the_page(visit, organiser):
    made = announce(organiser, 1, is_open=False)
    ann = visit()
    ann.sign_up("Annabel")
    olga = visit()
    olga.page.goto(f"/sign-in?next=/tournaments/{made}")
    olga.page.get_by_label("Token").fill(organiser.token)
    olga.page.get_by_role("button", name="Sign in").click()
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
    take_pictures(olga.page, "tournament-organised")
    assert find_barriers(olga.page) == []
    assert not overflows(olga.page)


def test_the_page_names_the_programs_that_play_also_on_a_phone(visit, organiser, service):
    made = announce(organiser, 1, is_open=True)
    with Client(service.url) as anyone, Client(service.url, anyone.sign_up("Deep Thinker", "bot")["token"]) as player:
        player.enter(made, label="Deep Thinker")
        build = {"digest": "ab" * 32, "command": "thinker", "version": "1.2", "options": {"level": 3}}
        player.enter_build(made, 2, build, pinned=True)
    page = visit(phone=True).page
    page.goto(f"/tournaments/{made}")
    programs = page.get_by_role("region", name="Programs")
    expect(programs.get_by_role("row").nth(1)).to_contain_text("Deep Thinker pinned")
    expect(programs.get_by_role("row").nth(1)).to_contain_text("thinker 1.2")
    assert find_barriers(page) == []
    assert not overflows(page)
    take_pictures(page, "programs")
