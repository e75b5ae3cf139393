"""An evening at a club on pages: announced, entered, called, paired by hand, by people who never saw them before."""

import re
from typing import Any

from playwright.sync_api import Locator, Page, expect

from tests.pages.conftest import NARROW, find_barriers, hold, require_usable
from tests.pages.halls import ClubNight
from tests.system.running import wait_for


def confirm(page: Page, button: Locator) -> None:
    """Press a button that asks before it acts, and say yes."""
    button.click()
    page.get_by_role("dialog").get_by_role("button").first.click()


def open_desk(visitor: Any, night: ClubNight) -> Page:
    page: Page = visitor.sign_in(night.token, night.page)
    return page


def test_somebody_new_becomes_an_organiser_and_announces_an_evening(visit, service):
    page = visit("Otto").page
    page.goto("/tournaments")
    page.get_by_role("link", name="Announce a tournament").click()
    expect(page.get_by_role("heading", name="How to become an organiser")).to_be_visible()
    assert find_barriers(page) == []
    own_page = page.get_by_role("link", name="your page").get_attribute("href")
    root = visit().sign_in(service.admin_token, own_page)
    root.get_by_role("button", name="Make an organiser").click()
    expect(root.get_by_text("organises tournaments")).to_be_visible()
    # The process that answers may trust what it knows of the session for ten seconds.
    name = page.get_by_label("Name of the tournament")
    wait_for(lambda: page.goto("/tournaments/new") and name.is_visible(), why="the form")
    require_usable(page, "announce", NARROW)
    name.fill("Thursday at Otto’s")
    page.get_by_role("button", name="Announce", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Thursday at Otto’s")
    page.get_by_text("Terms", exact=True).click()
    expect(page.get_by_text("Swiss, 5 rounds").last).to_be_visible()


def test_a_refusal_stands_at_its_field_and_nothing_that_was_entered_is_lost(visit, service):
    organiser = visit()
    page = organiser.sign_in(service.admin_token, "/tournaments/new?ruleset=rings")
    page.get_by_label("Name of the tournament").fill("Three at a table")
    page.get_by_label("How the players meet").select_option("knockout")
    page.get_by_label("Players on a board").select_option("3")
    expect(page.get_by_text("This format is for games with two players")).to_be_visible()
    page.get_by_role("button", name="Announce", exact=True).click()
    expect(page.locator("[data-for=format]")).to_contain_text("knockout")
    expect(page.get_by_label("Name of the tournament")).to_have_value("Three at a table")
    # A tiebreak that comes twice, in a part that is closed.
    page.get_by_label("How the players meet").select_option("swiss")
    page.get_by_text("Rating, tiebreaks and openings").click()
    page.get_by_label("Tiebreak 2").select_option("buchholz")
    page.get_by_text("Rating, tiebreaks and openings").click()
    page.get_by_role("button", name="Announce", exact=True).click()
    expect(page.locator("[data-for=tiebreaks]")).not_to_be_empty()
    page.get_by_role("link", name="Zhen").click()
    expect(page.get_by_label("Name of the tournament")).to_have_value("Three at a table")
    organiser.forgive("status of 422")


def test_teams_are_announced_and_put_together_in_the_table_of_entrants(visit, announce, service):
    page = visit().sign_in(service.admin_token, "/tournaments/new?ruleset=zhen")
    page.get_by_label("How the players meet").select_option("league")
    expect(page.get_by_label("When a round begins", exact=True)).to_be_disabled()
    page.get_by_label("Name of the tournament").fill("Town against village")
    page.get_by_label("How the players meet").select_option("scheveningen")
    expect(page.get_by_label("When a round begins", exact=True)).to_have_value("call")
    page.get_by_role("button", name="Announce", exact=True).click()
    page.wait_for_url("**/tournaments/tournament-*")
    night = announce()
    night.path = f"/v1/tournaments/{page.url.rpartition('/')[2]}"
    night.guests("Ada", "Ben")
    page.get_by_label("Team of Ada").fill("Town")
    page.get_by_label("Team of Ben").fill("Village")
    page.get_by_role("button", name="Save the table").click()
    wait_for(lambda: len(night.get()["teams"]) == 2, why="the teams")
    expect(page.get_by_role("heading", name="Teams")).to_be_visible()


def test_the_form_says_why_a_tournament_cannot_be_rated(visit, service):
    page = visit().sign_in(service.admin_token, "/tournaments/new?ruleset=zhen")
    page.get_by_text("Rating, tiebreaks and openings").click()
    rated = page.get_by_label("Rated", exact=True)
    expect(rated).to_be_disabled()
    expect(page.get_by_text("Not possible at tables")).to_be_visible()
    page.get_by_label("Online, on this server").check()
    expect(rated).to_be_enabled()
    page.get_by_label("Private", exact=True).check()
    expect(page.get_by_text("Not possible in a private tournament")).to_be_visible()


def test_a_player_enters_a_private_tournament_by_its_link_until_that_is_void(visit, announce):
    organiser = open_desk(visit(), announce(private=True))
    organiser.get_by_role("link", name="Entry link and QR code").click()
    expect(organiser.get_by_role("img", name="QR code of the entry link")).to_be_visible()
    require_usable(organiser, "entry-link", NARROW)
    link = organiser.locator("#entry-link").input_value()
    page = visit("Paula", phone=True).page
    page.goto(link)
    expect(page.get_by_text("By entering you agree")).to_be_visible()
    assert find_barriers(page) == []
    page.get_by_label("Your name in the tables").fill("Paula the Quick")
    page.get_by_role("button", name="Enter the tournament").click()
    expect(page.get_by_role("heading", name="You take part as Paula the Quick")).to_be_visible()
    confirm(organiser, organiser.get_by_role("button", name="Make all links void"))
    wait_for(lambda: organiser.locator("#entry-link").input_value() != link, why="the new link")


def test_one_who_asks_is_let_in_and_sees_it_at_once(visit, announce):
    night = announce("Ada")
    asker = visit("Rosa").page
    asker.goto(night.page)
    asker.get_by_role("button", name="Ask to be let in").click()
    expect(asker.get_by_role("button", name="Withdraw the request")).to_be_visible()
    organiser = open_desk(visit(), night)
    organiser.get_by_role("button", name="Let Rosa in", exact=True).click()
    expect(asker.get_by_role("heading", name="You take part as Rosa")).to_be_visible()
    expect(organiser.get_by_role("row", name="Rosa")).to_contain_text(["asked and let in"])


def test_what_the_organiser_types_outlasts_what_comes_in_meanwhile(visit, announce):
    night = announce("Ada", "Ben")
    page = open_desk(visit(), night)
    page.get_by_text("Enter players").click()
    page.get_by_text("Leave, sit out, come back").click()
    page.get_by_label("Rating of Ben").fill("1700")
    page.locator("#leaver").select_option(label="Ben")
    guest = page.get_by_label("Name of the guest")
    guest.press_sequentially("Lau")
    night.guests("Ada")
    expect(page.get_by_role("rowheader", name="Ada #3")).to_be_visible()
    expect(guest).to_be_focused()
    guest.press_sequentially("ra")
    expect(guest).to_have_value("Laura")
    expect(page.get_by_label("Rating of Ben")).to_have_value("1700")
    expect(page.locator("#leaver option:checked")).to_have_text("Ben")
    # What is not changed follows what others do.
    night.send("PATCH", f"{night.path}/entrants/1", rating=1234)
    expect(page.get_by_label("Rating of Ada #1")).to_have_value("1234")
    page.get_by_role("button", name="Save the table").click()
    wait_for(lambda: night.get()["entrants"][1]["rating"] == 1700, why="the rating")
    # Whoever was chosen and has left is not replaced by somebody else.
    night.post("/entrants/2/withdrawal")
    expect(page.locator("#leaver option:checked")).to_have_text("Choose …")


def test_the_next_name_stays_although_the_last_one_is_entered_late(visit, announce):
    page = open_desk(visit(), announce())
    held = hold(page, "**/entrants")
    guest = page.get_by_label("Name of the guest")
    guest.fill("Ada")
    guest.press("Enter")
    held.wait()
    guest.fill("Be")
    held[0].continue_()
    expect(page.get_by_role("rowheader", name="Ada")).to_be_visible()
    expect(guest).to_have_value("Be")


def test_guests_are_entered_with_enter_and_a_refusal_outlasts_what_comes_in(visit, announce):
    night, organiser = announce(), visit()
    page = open_desk(organiser, night)
    for count in (1, 2):
        page.get_by_label("Name of the guest").fill("Ada ")
        page.get_by_label("Name of the guest").press("Enter")
        expect(page.get_by_role("group", name="Entrants").get_by_role("row")).to_have_count(1 + count)
        expect(page.get_by_label("Name of the guest")).to_have_value("")
    require_usable(page, "organise-open", NARROW)
    page.get_by_label("Id or name").fill("Nobody of this name")
    page.get_by_role("button", name="Invite").click()
    expect(page.locator("#invite-form .refusal")).to_contain_text("No account is called")
    night.guests("Ben")
    expect(page.get_by_role("rowheader", name="Ben")).to_be_visible()
    expect(page.locator("#invite-form .refusal")).to_contain_text("No account is called")
    expect(page.get_by_label("Id or name")).to_have_value("Nobody of this name")
    organiser.forgive("status of 422")


def test_a_round_is_called_after_a_look_at_its_pairing(visit, announce):
    night = announce("Ada", "Ben", "Cy", "Dee", "Eve")
    page = open_desk(visit(), night)
    confirm(page, page.get_by_role("button", name="Start"))
    page.get_by_role("link", name="See the pairing first, or change it").click()
    expect(page.locator("#boards li")).to_have_count(2)
    expect(page.get_by_role("region", name="Bye").get_by_role("button")).to_have_count(1)
    assert find_barriers(page) == []
    confirm(page, page.get_by_role("button", name="Call round 1"))
    page.wait_for_url(f"**{night.page}")
    expect(page.get_by_text("Round 1 is under way: 2 games are not finished.")).to_be_visible()
    # It is taken back as long as there is no result.
    page.get_by_text("Pause, take back, call off").click()
    page.locator("#take-back-why").fill("Fay is here now")
    confirm(page, page.get_by_role("button", name="Take the round back"))
    expect(page.get_by_role("button", name="Call round 1")).to_be_visible()
    expect(page.get_by_role("region", name="Decisions of the organiser")).to_contain_text("Fay is here now")


def test_a_round_is_paired_by_hand_with_the_keyboard_and_objections_are_told(visit, announce):
    night = announce("Ada", "Ben", "Cy", "Dee")
    night.begin()
    night.report_all(1)
    page = visit().sign_in(night.token, f"{night.page}/rounds/next")
    places = page.locator("#boards .place")
    expect(places).to_have_count(4)
    # In round 1 the first met the third, or the other one on the next board: one change of places brings them together.
    met = {frozenset(game["entrants"]) for game in night.list_games(1)}
    proposed = night.get("/rounds/next")["boards"]
    opponent = next(at for at in (0, 1) if frozenset((proposed[0][1], proposed[1][at])) in met)
    places.nth(0).focus()
    page.keyboard.press("Enter")
    expect(page.locator("#moved")).to_contain_text("is chosen")
    for _ in range(2 + opponent):
        page.keyboard.press("Tab")
    page.keyboard.press("Space")
    expect(page.get_by_role("region", name="What speaks against this pairing")).to_contain_text(
        re.compile(r"Board 1: .* have met before")
    )
    require_usable(page, "pairing-by-hand", NARROW)
    page.get_by_label("Why do you pair by hand?").fill("they come by the same car")
    confirm(page, page.get_by_role("button", name="Pair round 2 like this"))
    page.wait_for_url(f"**{night.page}")
    acts = page.get_by_role("region", name="Decisions of the organiser")
    expect(acts.get_by_role("row").filter(has_text="paired round 2 by hand")).to_contain_text("the same car")


def test_a_change_meanwhile_is_announced_to_whoever_pairs_by_hand(visit, announce):
    night = announce("Ada", "Ben", "Cy", "Dee")
    night.post("/start")
    page = visit().sign_in(night.token, f"{night.page}/rounds/next")
    expect(page.locator("#boards .place")).to_have_count(4)
    night.post("/entrants/4/withdrawal")
    expect(page.get_by_text("The tournament has changed since you loaded this page.")).to_be_visible()
    page.get_by_role("link", name="Load the pairing anew").click()
    expect(page.locator("#boards .place")).to_have_count(2)


def test_a_player_cancels_a_bye_leaves_and_is_let_come_back(visit, announce):
    night = announce("Ada", "Ben", is_open=True, scoring={"asked_byes": 1})
    page = visit("Bianca").page
    page.goto(night.page)
    page.get_by_role("button", name="Enter the tournament").click()
    page.get_by_text("Sit out a round").click()
    page.get_by_label("Round", exact=True).select_option("2")
    expect(page.get_by_label("With a bye")).to_be_checked()
    page.get_by_role("button", name="Sit out").click()
    expect(page.get_by_text("You have a bye in round 2.")).to_be_visible()
    assert find_barriers(page) == []
    page.get_by_role("button", name="Play round 2 after all").click()
    expect(page.get_by_text("You have a bye in round 2.")).to_have_count(0)
    page.get_by_role("button", name="Leave the tournament").click()
    page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    expect(page.get_by_role("heading", name="You take part as Bianca")).to_be_visible()
    confirm(page, page.get_by_role("button", name="Leave the tournament"))
    expect(page.get_by_role("heading", name="You have left this tournament")).to_be_visible()
    organiser = open_desk(visit(), night)
    organiser.get_by_text("Leave, sit out, come back").click()
    organiser.locator("#returner").select_option(label="Bianca")
    organiser.locator("#returner-why").fill("the bus came after all")
    organiser.get_by_role("button", name="Let come back").click()
    expect(page.get_by_role("heading", name="You take part as Bianca")).to_be_visible()


def test_a_pause_is_told_to_everybody_with_its_reason_until_it_goes_on(visit, announce):
    night = announce("Ada", "Ben")
    night.post("/start")
    spectator = visit().page
    spectator.goto(night.page)
    page = open_desk(visit(), night)
    page.get_by_text("Pause, take back, call off").click()
    page.locator("#pause-why").fill("the pizza is here")
    page.get_by_role("button", name="Pause", exact=True).click()
    expect(spectator.get_by_text("The tournament is paused: the pizza is here")).to_be_visible()
    page.get_by_role("button", name="Go on").click()
    expect(spectator.get_by_text("The tournament is paused")).to_have_count(0)


def test_an_arbiter_who_is_named_can_organise_at_once(visit, announce):
    night = announce("Ada", "Ben")
    arbiter = visit("Arno").page
    arbiter.goto(night.page)
    expect(arbiter.get_by_role("heading", name="Organise", exact=True)).to_have_count(0)
    page = open_desk(visit(), night)
    page.get_by_text("Arbiters", exact=True).click()
    page.get_by_label("Account, by name or id").fill("Arno")
    page.get_by_role("button", name="Make an arbiter").click()
    expect(arbiter.get_by_role("heading", name="Organise", exact=True)).to_be_visible()
    confirm(arbiter, arbiter.get_by_role("button", name="Start"))
    expect(arbiter.get_by_role("button", name="Call round 1")).to_be_visible()
    require_usable(arbiter, "organise-playing", NARROW)
