"""An evening at a club on pages: announced, entered, called, paired by hand, by people who never saw them before."""

import re
from typing import Any

import httpx
import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.pages.conftest import DESKTOP, find_barriers, overflows, take_pictures
from tests.system.running import Serving, wait_for

pytestmark = pytest.mark.server


@pytest.fixture(scope="module")
def service(own_service: Serving) -> Serving:
    return own_service


NARROW = {"width": 320, "height": 700}
SOON_MS = 30_000


class Desk:
    """The administrator's requests to the service, with which tests come to where they begin."""

    def __init__(self, service: Any) -> None:
        self._token = (service.data / "admin.token").read_text().strip()
        self._url = service.url

    def send(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        headers = {"Authorization": f"Bearer {self._token}"}
        answered = httpx.request(method, f"{self._url}/v1{path}", json=body or {}, headers=headers, timeout=30)
        assert answered.is_success, answered.text
        return answered.json()

    def announce(self, *guests: str, **terms: object) -> str:
        """A Swiss at tables whose rounds are called, closed, with these guests; its path."""
        made = self.send(
            "POST",
            "/tournaments",
            {
                "name": "Thursday",
                "ruleset": "zhen",
                "format": {"kind": "swiss", "rounds": 3},
                "at_table": True,
                "rounds_begin": "call",
                "is_open": False,
                "scoring": {"asked_byes": 1},
                **terms,
            },
        )
        path = f"/tournaments/{made['tournament']}"
        for guest in guests:
            self.send("POST", f"{path}/entrants", {"guest": guest})
        return path

    def call_round(self, path: str, number: int) -> None:
        self.send("POST", f"{path}/rounds", {"round": number})
        wait_for(lambda: len(self.send("GET", f"{path}/rounds")["rounds"]) == number, why=f"round {number}")

    def play_round(self, path: str, number: int) -> None:
        """Call a round and enter that everybody on seat 1 wins."""
        self.call_round(path, number)
        for game in self.send("GET", f"{path}/rounds")["rounds"][-1]["games"]:
            result = {"round": number, "board": game["board"], "ranks": [1, 2]}
            self.send("POST", f"{path}/results", result)

    def sign_in(self, visitor: Any, path: str) -> Page:
        """The page at this path, as the administrator sees it."""
        page: Page = visitor.page
        page.goto(f"/sign-in?next={path}")
        page.get_by_label("Token").fill(self._token)
        page.get_by_role("button", name="Sign in").click()
        page.wait_for_url(f"**{path}")
        return page


@pytest.fixture
def desk(service) -> Desk:
    return Desk(service)


def confirm(page: Page, button: Locator) -> None:
    """Press a button that asks before it acts, and say yes."""
    button.click()
    page.get_by_role("dialog").get_by_role("button").first.click()


def forget_refusals(visitor: Any) -> None:
    """Browsers note each refusal as an error."""
    visitor.faults[:] = [fault for fault in visitor.faults if "status of 422" not in fault]


def is_too_wide(page: Page) -> bool:
    """Whether the page scrolls sideways on the narrowest phone."""
    page.set_viewport_size(NARROW)
    wide = page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth")
    page.set_viewport_size(DESKTOP)
    return bool(wide)


def test_somebody_new_becomes_an_organiser_and_announces_an_evening(visit, desk):
    otto = visit()
    otto.sign_up("Otto")
    page = otto.page
    page.goto("/tournaments")
    page.get_by_role("link", name="Announce a tournament").click()
    expect(page.get_by_role("heading", name="How to become an organiser")).to_be_visible()
    assert find_barriers(page) == []
    own_page = page.get_by_role("link", name="your page").get_attribute("href")
    root = desk.sign_in(visit(), own_page)
    root.get_by_role("button", name="Make an organiser").click()
    expect(root.get_by_text("organises tournaments")).to_be_visible()
    # The process that answers may trust what it knows of the session for ten seconds.
    name = page.get_by_label("Name of the tournament")
    wait_for(lambda: page.goto("/tournaments/new") and name.is_visible(), why="the form")
    assert find_barriers(page) == []
    assert not is_too_wide(page)
    take_pictures(page, "announce")
    name.fill("Thursday at Otto’s")
    page.get_by_role("button", name="Announce", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Thursday at Otto’s")
    page.get_by_text("Terms", exact=True).click()
    expect(page.get_by_text("Swiss, 5 rounds").last).to_be_visible()
    expect(page.get_by_text("Start when everybody is here")).to_have_count(0)


def test_a_refusal_stands_at_its_field_and_nothing_that_was_entered_is_lost(visit, desk):
    organiser = visit()
    page = desk.sign_in(organiser, "/tournaments/new?ruleset=rings")
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
    forget_refusals(organiser)


def test_teams_are_announced_and_put_together_in_the_table_of_entrants(visit, desk):
    page = desk.sign_in(visit(), "/tournaments/new?ruleset=zhen")
    page.get_by_label("How the players meet").select_option("league")
    expect(page.get_by_label("When a round begins", exact=True)).to_be_disabled()
    page.get_by_label("Name of the tournament").fill("Town against village")
    page.get_by_label("How the players meet").select_option("scheveningen")
    expect(page.get_by_label("When a round begins", exact=True)).to_have_value("call")
    page.get_by_role("button", name="Announce", exact=True).click()
    page.wait_for_url("**/tournaments/tournament-*")
    path = page.url.partition(page.url.split("/tournaments/")[0])[2]
    for guest in ("Ada", "Ben"):
        desk.send("POST", f"{path}/entrants", {"guest": guest})
    page.get_by_label("Team of Ada").fill("Town")
    page.get_by_label("Team of Ben").fill("Village")
    page.get_by_role("button", name="Save the table").click()
    wait_for(lambda: len(desk.send("GET", path)["teams"]) == 2, why="the teams")
    expect(page.get_by_role("heading", name="Teams")).to_be_visible(timeout=SOON_MS)


def test_the_form_says_why_a_tournament_cannot_be_rated(visit, desk):
    page = desk.sign_in(visit(), "/tournaments/new?ruleset=zhen")
    page.get_by_text("Rating, tiebreaks and openings").click()
    rated = page.get_by_label("Rated", exact=True)
    expect(rated).to_be_disabled()
    expect(page.get_by_text("Not possible at tables")).to_be_visible()
    page.get_by_label("Online, on this server").check()
    expect(rated).to_be_enabled()
    page.get_by_label("Private", exact=True).check()
    expect(page.get_by_text("Not possible in a private tournament")).to_be_visible()


def test_a_player_opens_an_account_behind_the_entry_link_and_enters(visit, desk):
    path = desk.announce(private=True)
    organiser = desk.sign_in(visit(), path)
    organiser.get_by_role("link", name="Entry link and QR code").click()
    expect(organiser.get_by_role("img", name="QR code of the entry link")).to_be_visible()
    take_pictures(organiser, "entry-link")
    assert find_barriers(organiser) == []
    assert not is_too_wide(organiser)
    link = organiser.locator("#entry-link").input_value()
    page = visit(phone=True).page
    page.goto(link)
    page.get_by_role("link", name="Sign in to enter").click()
    page.get_by_label("Name").fill("Paula")
    page.get_by_role("button", name="Open an account").click()
    page.get_by_role("link", name="Continue").click()
    expect(page.get_by_text("By entering you agree")).to_be_visible()
    assert find_barriers(page) == []
    page.get_by_label("Your name in the tables").fill("Paula the Quick")
    page.get_by_role("button", name="Enter the tournament").click()
    expect(page.get_by_role("heading", name="You take part as Paula the Quick")).to_be_visible()
    # The link is void once it is revoked, also for a page that is private.
    confirm(organiser, organiser.get_by_role("button", name="Make all links void"))
    wait_for(lambda: organiser.locator("#entry-link").input_value() != link, why="the new link")
    stranger = visit()
    stranger.page.goto(link)
    expect(stranger.page.get_by_text("This entry link is no longer valid")).to_be_visible()
    stranger.faults.clear()


def test_one_who_asks_is_let_in_and_sees_it_at_once(visit, desk):
    path = desk.announce("Ada")
    asker = visit()
    asker.sign_up("Rosa")
    asker.page.goto(path)
    asker.page.get_by_role("button", name="Ask to be let in").click()
    expect(asker.page.get_by_role("button", name="Withdraw the request")).to_be_visible()
    organiser = desk.sign_in(visit(), path)
    organiser.get_by_role("button", name="Let Rosa in", exact=True).click()
    expect(asker.page.get_by_role("heading", name="You take part as Rosa")).to_be_visible(timeout=SOON_MS)
    expect(organiser.get_by_role("row", name="Rosa")).to_contain_text(["asked and let in"])


def test_what_the_organiser_types_outlasts_what_comes_in_meanwhile(visit, desk):
    path = desk.announce("Ada", "Ben")
    page = desk.sign_in(visit(), path)
    page.get_by_text("Enter players").click()
    page.get_by_text("Leave, sit out, come back").click()
    page.get_by_label("Rating of Ben").fill("1700")
    page.locator("#leaver").select_option(label="Ben")
    guest = page.get_by_label("Name of the guest")
    guest.press_sequentially("Lau")
    desk.send("POST", f"{path}/entrants", {"guest": "Ada"})
    expect(page.get_by_role("rowheader", name="Ada #3")).to_be_visible(timeout=SOON_MS)
    expect(guest).to_be_focused()
    guest.press_sequentially("ra")
    expect(guest).to_have_value("Laura")
    expect(page.get_by_label("Rating of Ben")).to_have_value("1700")
    expect(page.locator("#leaver option:checked")).to_have_text("Ben")
    # What is not changed follows what others do.
    desk.send("PATCH", f"{path}/entrants/1", {"rating": 1234})
    expect(page.get_by_label("Rating of Ada #1")).to_have_value("1234", timeout=SOON_MS)
    page.get_by_role("button", name="Save the table").click()
    wait_for(lambda: desk.send("GET", path)["entrants"][1]["rating"] == 1700, why="the rating")
    # Whoever was chosen and has left is not replaced by somebody else.
    desk.send("POST", f"{path}/entrants/2/withdrawal")
    expect(page.locator("#leaver option:checked")).to_have_text("Choose …", timeout=SOON_MS)


def test_the_next_name_stays_although_the_last_one_is_entered_late(visit, desk):
    path = desk.announce()
    page = desk.sign_in(visit(), path)
    held = list[Route]()
    page.route("**/entrants", lambda route: held.append(route))
    guest = page.get_by_label("Name of the guest")
    guest.fill("Ada")
    guest.press("Enter")
    while not held:
        page.wait_for_timeout(20)
    guest.fill("Be")
    held[0].continue_()
    expect(page.get_by_role("rowheader", name="Ada")).to_be_visible(timeout=SOON_MS)
    expect(guest).to_have_value("Be")


def test_guests_are_entered_with_enter_and_told_apart(visit, desk):
    path, organiser = desk.announce(), visit()
    page = desk.sign_in(organiser, path)
    for count in (1, 2):
        page.get_by_label("Name of the guest").fill("Ada ")
        page.get_by_label("Name of the guest").press("Enter")
        expect(page.get_by_role("group", name="Entrants").get_by_role("row")).to_have_count(1 + count)
        expect(page.get_by_label("Name of the guest")).to_have_value("")
    expect(page.get_by_role("rowheader", name="Ada #2")).to_be_visible()
    take_pictures(page, "organise-open")
    assert find_barriers(page) == []
    assert not is_too_wide(page)
    page.get_by_label("Id or name").fill("Nobody of this name")
    page.get_by_role("button", name="Invite").click()
    expect(page.locator("#invite-form .refusal")).to_contain_text("No account is called")
    desk.send("POST", f"{path}/entrants", {"guest": "Ben"})
    expect(page.get_by_role("rowheader", name="Ben")).to_be_visible(timeout=SOON_MS)
    expect(page.locator("#invite-form .refusal")).to_contain_text("No account is called")
    expect(page.get_by_label("Id or name")).to_have_value("Nobody of this name")
    forget_refusals(organiser)


def test_a_round_is_called_after_a_look_at_its_pairing(visit, desk):
    path = desk.announce("Ada", "Ben", "Cy", "Dee", "Eve")
    page = desk.sign_in(visit(), path)
    confirm(page, page.get_by_role("button", name="Start"))
    page.get_by_role("link", name="See the pairing first, or change it").click()
    expect(page.get_by_text("This is how the server would pair the round now.")).to_be_visible()
    expect(page.locator("#boards li")).to_have_count(2)
    expect(page.get_by_role("region", name="Bye").get_by_role("button")).to_have_count(1)
    assert find_barriers(page) == []
    confirm(page, page.get_by_role("button", name="Call round 1"))
    page.wait_for_url(f"**{path}")
    expect(page.get_by_text("Round 1 is under way: 2 games are not finished.")).to_be_visible(timeout=SOON_MS)
    expect(page.get_by_role("link", name="Arbiter’s desk: boards and results")).to_have_attribute(
        "href", f"{path}/desk"
    )
    expect(page.get_by_role("link", name="QR sheets")).to_have_attribute("href", f"{path}/rounds/1/sheets")
    # It is taken back as long as there is no result.
    page.get_by_text("Pause, take back, call off").click()
    page.locator("#take-back-why").fill("Fay is here now")
    confirm(page, page.get_by_role("button", name="Take the round back"))
    expect(page.get_by_role("button", name="Call round 1")).to_be_visible(timeout=SOON_MS)
    expect(page.get_by_role("region", name="Decisions of the organiser")).to_contain_text("Fay is here now")


def test_a_round_is_paired_by_hand_with_the_keyboard_and_objections_are_told(visit, desk):
    path = desk.announce("Ada", "Ben", "Cy", "Dee")
    desk.send("POST", f"{path}/start")
    desk.play_round(path, 1)
    page = desk.sign_in(visit(), f"{path}/rounds/next")
    places = page.locator("#boards .place")
    expect(places).to_have_count(4)
    # In round 1 the first met the third, or the other one on the next board: one change of places brings them together.
    met = {frozenset(game["entrants"]) for game in desk.send("GET", f"{path}/rounds")["rounds"][0]["games"]}
    proposed = desk.send("GET", f"{path}/rounds/next")["boards"]
    opponent = next(at for at in (0, 1) if frozenset((proposed[0][1], proposed[1][at])) in met)
    places.nth(0).focus()
    page.keyboard.press("Enter")
    expect(page.locator("#moved")).to_contain_text("is chosen")
    for _ in range(2 + opponent):
        page.keyboard.press("Tab")
    page.keyboard.press("Space")
    expect(page.get_by_role("region", name="What speaks against this pairing")).to_contain_text(
        re.compile(r"Board 1: .* have met before"), timeout=SOON_MS
    )
    take_pictures(page, "pairing-by-hand")
    assert find_barriers(page) == []
    assert not is_too_wide(page)
    page.get_by_label("Why do you pair by hand?").fill("they come by the same car")
    confirm(page, page.get_by_role("button", name="Pair round 2 like this"))
    page.wait_for_url(f"**{path}")
    acts = page.get_by_role("region", name="Decisions of the organiser")
    expect(acts.get_by_role("row").filter(has_text="paired round 2 by hand")).to_contain_text("the same car")


def test_a_change_meanwhile_is_announced_to_whoever_pairs_by_hand(visit, desk):
    path = desk.announce("Ada", "Ben", "Cy", "Dee")
    desk.send("POST", f"{path}/start")
    organiser = visit()
    page = desk.sign_in(organiser, f"{path}/rounds/next")
    expect(page.locator("#boards .place")).to_have_count(4)
    desk.send("POST", f"{path}/entrants/4/withdrawal")
    expect(page.get_by_text("The tournament has changed since you loaded this page.")).to_be_visible(timeout=SOON_MS)
    page.get_by_role("link", name="Load the pairing anew").click()
    expect(page.locator("#boards .place")).to_have_count(2)


def test_a_latecomer_enters_a_swiss_that_has_begun(visit, desk):
    path = desk.announce("Ada", "Ben", is_open=True)
    desk.send("POST", f"{path}/start")
    desk.call_round(path, 1)
    late = visit(phone=True)
    late.sign_up("Lotte")
    late.page.goto(f"{path}/enter")
    expect(late.page.get_by_text("You are paired from the next round on.")).to_be_visible()
    late.page.get_by_role("button", name="Enter the tournament").click()
    expect(late.page.get_by_role("heading", name="You take part as Lotte")).to_be_visible()


def test_a_player_asks_for_a_bye_cancels_it_and_leaves(visit, desk):
    path = desk.announce("Ada", "Ben", is_open=True)
    player = visit()
    player.sign_up("Bianca")
    page = player.page
    page.goto(path)
    page.get_by_role("button", name="Enter the tournament").click()
    page.get_by_text("Sit out a round").click()
    page.get_by_label("Round", exact=True).select_option("2")
    expect(page.get_by_label("With a bye")).to_be_checked()
    page.get_by_role("button", name="Sit out").click()
    expect(page.get_by_text("You have a bye in round 2.")).to_be_visible()
    expect(page.get_by_label("With a bye")).to_have_count(0)
    assert find_barriers(page) == []
    page.get_by_role("button", name="Play round 2 after all").click()
    expect(page.get_by_text("You have a bye in round 2.")).to_have_count(0)
    page.get_by_role("button", name="Leave the tournament").click()
    page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    expect(page.get_by_role("heading", name="You take part as Bianca")).to_be_visible()
    confirm(page, page.get_by_role("button", name="Leave the tournament"))
    expect(page.get_by_role("heading", name="You have left this tournament")).to_be_visible()
    organiser = desk.sign_in(visit(), path)
    organiser.get_by_text("Leave, sit out, come back").click()
    organiser.locator("#returner").select_option(label="Bianca")
    organiser.locator("#returner-why").fill("the bus came after all")
    organiser.get_by_role("button", name="Let come back").click()
    expect(page.get_by_role("heading", name="You take part as Bianca")).to_be_visible(timeout=SOON_MS)


def test_a_pause_is_told_to_everybody_with_its_reason_until_it_goes_on(visit, desk):
    path = desk.announce("Ada", "Ben")
    desk.send("POST", f"{path}/start")
    spectator = visit().page
    spectator.goto(path)
    page = desk.sign_in(visit(), path)
    page.get_by_text("Pause, take back, call off").click()
    page.locator("#pause-why").fill("the pizza is here")
    page.get_by_role("button", name="Pause", exact=True).click()
    expect(spectator.get_by_text("The tournament is paused: the pizza is here")).to_be_visible(timeout=SOON_MS)
    page.get_by_role("button", name="Go on").click()
    expect(spectator.get_by_text("The tournament is paused")).to_have_count(0, timeout=SOON_MS)
    acts = page.get_by_role("region", name="Decisions of the organiser")
    expect(acts.get_by_role("row").filter(has_text="paused the tournament")).to_contain_text("the pizza is here")


def test_an_arbiter_is_named_and_organises_but_does_not_call_off(visit, desk):
    path = desk.announce("Ada", "Ben")
    arbiter = visit()
    arbiter.sign_up("Arno")
    arbiter.page.goto(path)
    expect(arbiter.page.get_by_role("heading", name="Organise", exact=True)).to_have_count(0)
    page = desk.sign_in(visit(), path)
    page.get_by_text("Arbiters", exact=True).click()
    page.get_by_label("Account, by name or id").fill("Arno")
    page.get_by_role("button", name="Make an arbiter").click()
    expect(page.get_by_role("button", name="Dismiss Arno")).to_be_visible(timeout=SOON_MS)
    expect(arbiter.page.get_by_role("heading", name="Organise", exact=True)).to_be_visible(timeout=SOON_MS)
    confirm(arbiter.page, arbiter.page.get_by_role("button", name="Start"))
    expect(arbiter.page.get_by_role("button", name="Call round 1")).to_be_visible(timeout=SOON_MS)
    expect(arbiter.page.get_by_role("button", name="Call off")).to_have_count(0)
    expect(arbiter.page.get_by_role("button", name="Make an arbiter")).to_have_count(0)
    take_pictures(arbiter.page, "organise-playing")
    assert find_barriers(arbiter.page) == []
    assert not is_too_wide(arbiter.page)


def test_the_list_shows_what_is_mine(visit, desk):
    path = desk.announce("Ada", name="A private evening", private=True)
    page = desk.sign_in(visit(), "/tournaments")
    mine = page.get_by_role("link", name="A private evening")
    expect(mine).to_have_count(0)
    page.get_by_label("My part").select_option("organised")
    show = page.get_by_role("button", name="Show")
    wait_for(lambda: show.click() or page.wait_for_load_state() or mine.is_visible(), why="the list")
    expect(mine).to_have_attribute("href", path)
    assert find_barriers(page) == []
    assert not overflows(page)


def test_an_evening_is_organised_in_german_too(chromium, service, desk):
    path = desk.announce("Ada", "Ben")
    context = chromium.new_context(base_url=service.url, locale="de-DE")
    page = context.new_page()
    page.goto(f"/sign-in?next={path}")
    page.get_by_label("Token").fill(desk._token)
    page.get_by_role("button", name="Anmelden").click()
    expect(page.get_by_role("heading", name="Turnier leiten")).to_be_visible()
    page.get_by_role("button", name="Beginnen").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Das Turnier mit 2 Teilnehmern starten?")
    expect(dialog.get_by_role("button", name="Abbrechen")).to_be_visible()
    dialog.get_by_role("button").first.click()
    page.get_by_role("link", name="Paarung erst ansehen oder ändern").click()
    expect(page.get_by_text("So würde der Server die Runde jetzt paaren.")).to_be_visible()
    page.goto("/tournaments/new")
    expect(page.get_by_role("heading", level=1)).to_have_text("Turnier ausschreiben")
    context.close()
