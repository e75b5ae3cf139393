"""Playing and recording as people do: with clicks, with keys, on two screens."""

import re
from contextlib import suppress
from random import Random

import pytest
from playwright.sync_api import Error, Page, Route, expect

from plyscribe.service.client import Client
from plyscribe.service.web.pages.assets import KEPT_FOR_EVER, path_of
from tests.pages.conftest import TOKENS, find_barriers, overflows, take_pictures

pytestmark = pytest.mark.server

SHORT = {"ply_limit": "24"}
GAMES = {
    "crystals": {"ply_limit": "40"},
    "pathagon": {"size": "5"},
    "portals": {"radius": "2", **SHORT},
    "rings": SHORT,
    "zhen": {"tiles": "6", "cubes": "5", **SHORT},
}
NOW, BOARD = "#now", "#board"
OUTCOME = re.compile(r"wins \(|A draw \(|share first place \(")


def begin(page: Page, ruleset: str, seats: tuple[str, ...] = ("me", "bot:random"), **options: str) -> None:
    """Start a match with the form."""
    page.goto(f"/play?ruleset={ruleset}")
    for number, who in enumerate(seats, 1):
        page.get_by_label(f"Seat {number}").select_option(who)
    enter_options(page, options)
    page.get_by_role("button", name="Start").click()
    page.wait_for_url(re.compile(r"/matches/match-\w+/play$"))


def enter_options(page: Page, options: dict[str, str]) -> None:
    if page.locator("#options").is_hidden():
        page.get_by_text("Game options").click()
    for name, value in options.items():
        page.locator(f"#option-{name}").fill(value)


def is_over(page: Page) -> bool:
    return OUTCOME.search(page.locator(NOW).inner_text()) is not None


def click_something(page: Page, random: Random) -> None:
    """Click one of the choices, or Move once a move is complete."""
    choices = page.locator(".stage .choice, #choices button")
    count = choices.count()
    # A choice may disappear just before the click. People then look again, and so does this.
    with suppress(Error):
        if page.locator("#move:enabled").count() and (not count or random.random() < 0.5):
            page.locator("#move").click(timeout=2000)
        elif count:
            choices.nth(random.randrange(count)).click(timeout=2000)


def play_out(page: Page, seed: int = 1) -> int:
    """Click until the match is over; returns the number of clicks."""
    random = Random(seed)
    for clicks in range(1000):
        # The page loads what can follow the click.
        page.wait_for_timeout(50)
        page.wait_for_function(
            "() => document.querySelector('#actions [data-goes], .stage .choice, #choices button, #move:enabled')"
        )
        assert page.locator("#refusal").inner_text() == ""
        if is_over(page):
            return clicks
        click_something(page, random)
    raise AssertionError("the match does not end")


@pytest.mark.parametrize("ruleset", GAMES)
def test_a_whole_match_is_played_against_a_bot_by_clicks(visit, ruleset):
    ann = visit()
    ann.sign_up("Ann")
    begin(ann.page, ruleset, **GAMES[ruleset])
    expect(ann.page.locator(f"{BOARD} svg")).to_be_visible()
    assert play_out(ann.page) >= 3
    expect(ann.page.locator(NOW)).to_contain_text(OUTCOME)
    expect(ann.page.get_by_role("button", name="Rematch")).to_be_visible()
    take_pictures(ann.page, f"played-{ruleset}")


def test_two_people_see_each_others_moves_as_they_are_made(visit):
    ann, ben = visit(), visit()
    ann.sign_up("Ann")
    ben.sign_up("Ben")
    # The page shows seats that are opened later, too.
    ben.page.goto("/play")
    begin(ann.page, "pathagon", ("me", "open"))
    ben.page.get_by_role("row", name=re.compile("Ann – nobody yet")).get_by_role("button").click()
    expect(ben.page.locator(NOW)).to_have_text("Seat 1 to move: Ann.")
    expect(ann.page.locator(NOW)).to_have_text("Your turn.")
    ann.page.locator(f'{BOARD} [data-token="d4"]').click()
    expect(ann.page.locator("#meaning")).to_have_text("Ann places a piece from the reserve on d4.")
    ann.page.get_by_role("button", name="Move").click()
    expect(ben.page.locator(NOW)).to_have_text("Your turn.")
    expect(ben.page.locator("#log li").first).to_contain_text("d4")
    expect(ann.page.locator("#composer")).to_be_hidden()
    ben.page.get_by_role("button", name="Offer a draw").click()
    expect(ann.page.locator("#actions")).to_contain_text("Seat 2 offers a draw.")
    ann.page.get_by_role("button", name="Decline").click()
    expect(ben.page.locator("#log li").first).to_contain_text("declines the draw")
    ben.page.get_by_role("button", name="Resign").click()
    ben.page.get_by_role("dialog").get_by_role("button", name="Resign").click()
    expect(ann.page.locator(NOW)).to_have_text("Ann wins (withdrawal).")
    ann.page.get_by_role("button", name="Rematch").click()
    ann.page.wait_for_url(lambda url: ben.page.url != url and url.endswith("/play"))


def test_a_browser_that_plays_a_move_asks_only_for_assets_that_it_may_keep_for_ever(visit):
    ann = visit()
    ann.sign_up("Ann")
    answers = []
    ann.page.on("response", lambda answered: answers.append(answered) if "/assets/" in answered.url else None)
    begin(ann.page, "pathagon", ("me", "me"))
    ann.page.locator(f'{BOARD} [data-token="d4"]').click()
    ann.page.get_by_role("button", name="Move").click()
    expect(ann.page.locator("#log li").first).to_contain_text("d4")
    assert {answered.header_value("cache-control") for answered in answers} == {KEPT_FOR_EVER}
    loaded = {answered.url.removeprefix(ann.url) for answered in answers}
    assert {path_of(name) for name in ("style.css", "boards.css", "table.css", "table.js", "composer.js")} <= loaded


def test_a_friend_gets_a_seat_in_a_private_match_by_a_link(visit):
    ann, ben = visit(), visit()
    ann.sign_up("Ann")
    page = ann.page
    page.goto("/play?ruleset=zhen")
    page.get_by_label("Seat 2").select_option("open")
    page.get_by_text("Time, rating and privacy").click()
    page.get_by_label("Private: only the players can see it").check()
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_label("Link for seat 2")).to_have_value(re.compile(r"/join\?invitation="))
    ben.page.goto(page.get_by_label("Link for seat 2").input_value())
    ben.page.get_by_role("main").get_by_role("link", name="Play").click()
    ben.page.get_by_label("Name").fill("Benedict")
    ben.page.get_by_role("button", name="Open an account").click()
    ben.page.get_by_role("link", name="Continue").click()
    ben.page.get_by_role("button", name="Play").click()
    expect(ben.page.locator(NOW)).to_have_text("Seat 1 to move: Ann.")
    expect(page.locator(NOW)).to_have_text("Your turn.")
    page.get_by_label("Click on the board or type the move").fill("+5")
    page.get_by_role("button", name="Move").click()
    expect(ben.page.locator(NOW)).to_have_text("Your turn.")


def test_a_link_stays_when_somebody_takes_another_seat(visit):
    ann = visit()
    ann.sign_up("Ann")
    page = ann.page
    page.goto("/play?ruleset=rings")
    page.get_by_label("Number of players").select_option("3")
    for number in (2, 3):
        page.get_by_label(f"Seat {number}").select_option("open")
    page.get_by_text("Time, rating and privacy").click()
    page.get_by_label("Private: only the players can see it").check()
    page.get_by_role("button", name="Start").click()
    link = page.locator("#link-3").input_value()
    page.get_by_role("button", name="Take seat 2").click()
    expect(page.get_by_role("button", name="Take seat 2")).to_be_hidden()
    expect(page.locator("#link-2")).to_have_count(0)
    expect(page.locator("#link-3")).to_have_value(link)


def test_buttons_decide_what_a_click_leaves_open(visit):
    ann = visit()
    ann.sign_up("Ann")
    begin(ann.page, "portals", ("me", "me"), radius="2")
    page = ann.page
    page.get_by_role("button", name="portal").click()
    page.locator(f'{BOARD} [data-token="c4"].choice').click()
    page.locator(f'{BOARD} [data-token="c3"].choice').click()
    page.get_by_role("button", name="with an arrow to c3").click()
    expect(page.locator("#notation")).to_have_value("portal c4 >c3")
    page.get_by_role("button", name="Undo").click()
    expect(page.locator("#notation")).to_have_value("portal c4")
    expect(page.get_by_role("button", name="Move")).to_be_disabled()
    page.get_by_role("button", name="Clear").click()
    expect(page.locator("#notation")).to_have_value("")


def test_a_page_may_show_a_move_before_the_answer_to_it_comes(visit):
    def answer_late(route: Route) -> None:
        answered = route.fetch()
        expect(page.locator(NOW)).to_have_text("Your turn: seat 2.")
        route.fulfill(response=answered)

    ann = visit()
    ann.sign_up("Ann")
    begin(ann.page, "pathagon", ("me", "me"))
    page = ann.page
    page.route("**/moves", answer_late)
    page.locator(f'{BOARD} [data-token="d4"].choice').click()
    page.get_by_role("button", name="Move").click()
    page.unroute_all(behavior="wait")
    page.locator(f'{BOARD} [data-token="e5"].choice').click()
    expect(page.locator("#notation")).to_have_value("e5")


def test_a_refused_move_names_its_clause_and_nothing_typed_is_lost(visit):
    ann = visit()
    ann.sign_up("Ann")
    begin(ann.page, "pathagon", ("me", "me"))
    written = ann.page.get_by_label("Click on the board or type the move")
    written.fill("d4-d5")
    ann.page.get_by_role("button", name="Move").click()
    expect(ann.page.get_by_role("alert").filter(has_text="PA4")).to_be_visible()
    expect(ann.page.get_by_role("link", name="Read PA4.")).to_have_attribute("href", "/rulesets/pathagon#PA4")
    expect(written).to_have_value("d4-d5")
    # Browsers note each refusal as an error.
    ann.faults = [fault for fault in ann.faults if "422" not in fault]


def test_a_match_is_played_with_keys_alone(visit):
    ann = visit()
    ann.sign_up("Ann")
    begin(ann.page, "pathagon", ("me", "me"))
    page = ann.page
    page.locator(f'{BOARD} [data-token="d4"].choice').focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Move")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(NOW)).to_have_text("Your turn: seat 2.")
    page.get_by_label("Click on the board or type the move").fill("e5")
    page.keyboard.press("Enter")
    expect(page.locator(NOW)).to_have_text("Your turn: seat 1.")
    expect(page.locator("#log li").first).to_contain_text("e5")


def test_a_match_from_a_real_table_is_recorded(visit):
    ann = visit()
    ann.sign_up("Ann")
    page = ann.page
    page.goto("/record?ruleset=portals")
    page.get_by_label("Seat 1").fill("Ada")
    page.get_by_label("Seat 2").fill("Bea")
    page.get_by_label("Place").fill("Turin")
    take_pictures(page, "record-new")
    assert find_barriers(page) == []
    page.get_by_role("button", name="Start recording").click()
    for value in ("5", "3"):
        page.get_by_label("Die 1").fill(value)
        page.get_by_role("button", name="Enter", exact=True).click()
        expect(page.locator("#dice .die").last).to_have_text(value)
    expect(page.locator(NOW)).to_have_text("Seat 1 to move: Ada.")
    page.get_by_role("button", name="enter", exact=True).click()
    page.get_by_role("button", name="Move").click()
    expect(page.locator(NOW)).to_have_text("Seat 2 to move: Bea.")
    page.get_by_label("Take back more, from").select_option("roll 3")
    page.get_by_role("button", name="Take back to there").click()
    expect(page.locator(NOW)).to_contain_text("to roll")
    page.get_by_label("Die 1").fill("4")
    page.get_by_role("button", name="Enter", exact=True).click()
    expect(page.locator("#dice .die").last).to_have_text("4")
    expect(page.locator(NOW)).to_have_text("Seat 1 to move: Ada.")
    assert find_barriers(page) == []
    assert not overflows(page)
    take_pictures(page, "record")
    page.get_by_label("Which player leaves").select_option("2")
    page.get_by_label("Cause").select_option("time")
    page.get_by_role("button", name="Withdraw").click()
    expect(page.locator(NOW)).to_have_text("Ada wins (withdrawal).")
    page.reload()
    expect(page.get_by_label("Time left for corrections")).to_have_text(re.compile("0[45]:[0-9][0-9]"))
    assert not overflows(page)
    take_pictures(page, "record-end")
    page.get_by_role("button", name="Take back the last step: withdrawal of seat 2 (Bea)").click()
    expect(page.locator(NOW)).to_have_text("Seat 1 to move: Ada.")
    expect(page.locator("#log")).to_contain_text("Taken back: withdrawal of seat 2")
    page.get_by_label("Which player leaves").select_option("1")
    page.get_by_role("button", name="Withdraw").click()
    expect(page.locator(NOW)).to_have_text("Bea wins (withdrawal).")
    page.get_by_role("button", name="Confirm").click()
    expect(page.locator("#log")).to_contain_text("The record is confirmed")
    expect(page.get_by_role("button", name="Confirm")).to_have_count(0)
    expect(page.get_by_role("button", name="Take back")).to_have_count(0)


def test_the_pages_have_no_barriers_and_fit_a_phone(visit):
    ann = visit()
    ann.sign_up("Ann")
    ann.page.goto("/play?ruleset=rings")
    take_pictures(ann.page, "play-new")
    assert find_barriers(ann.page) == []
    assert not overflows(ann.page)
    begin(ann.page, "zhen", ("me", "me"))
    expect(ann.page.locator(".stage .choice").first).to_be_visible()
    ann.page.locator('.stage [data-token="5"]').click()
    take_pictures(ann.page, "play")
    assert find_barriers(ann.page) == []
    assert not overflows(ann.page)


def test_a_refused_form_says_why_at_the_field(visit):
    ann = visit()
    ann.sign_up("Ann")
    page = ann.page
    page.goto("/play?ruleset=pathagon")
    page.locator("#new").evaluate("form => { form.noValidate = true; }")
    page.locator("#option-size").fill("99")
    page.get_by_role("button", name="Start").click()
    expect(page.locator('.refusal[data-for="options.size"]')).to_contain_text("allowed: an integer 5..9")
    expect(page.locator("#option-size")).to_be_focused()
    ann.faults = [fault for fault in ann.faults if "422" not in fault]


def test_a_composed_move_that_became_impossible_starts_again(visit):
    ann = visit()
    ann.sign_up("Ann")
    begin(ann.page, "pathagon", **GAMES["pathagon"])
    script = """async (path) => {
        const { Composer } = await import(path);
        const steps = ["a1", "b2"].map((name) => ({ text: name, token: name, completes: true, explanation: null }));
        const findSteps = async (text) => ({ prefix: text, complete: false, finish: null, steps: text ? [] : steps });
        const [form, board] = ["composer", "board"].map((id) => document.getElementById(id));
        const composer = new Composer(form, board, findSteps, async () => {});
        composer.update(1);
        // A click meant for the position before.
        Object.assign(composer, { taken: [""], text: "d4" });
        composer.update(1);
        await new Promise((done) => setTimeout(done, 200));
        const afterUpdate = composer.text;
        composer.take({ text: "e5", token: "e5" });
        await new Promise((done) => setTimeout(done, 200));
        return [afterUpdate, composer.text];
    }"""
    texts = ann.page.evaluate(script, path_of("composer.js"))
    assert texts == ["", ""]


@pytest.mark.parametrize("asset", ["table.js", "commands.js"])
def test_a_click_before_the_scripts_have_loaded_counts_once_they_have(visit, asset):
    ann = visit()
    ann.sign_up("Ann")
    with Client(ann.url, TOKENS[ann.url, "Ann"]) as client:
        match = client.create_match("zhen", [{"player": client.me()["player"]}, None], private=True)["match"]
    held = []
    ann.page.route(f"**{path_of(asset)}", lambda route: held.append(route))
    ann.page.goto(f"/matches/{match}/play", wait_until="commit")
    button = ann.page.get_by_role("button", name="Take seat 2")
    button.click()
    button.click()
    [script] = held
    script.continue_()
    expect(ann.page.locator(NOW)).to_have_text(re.compile("Your turn"))


def test_a_click_before_the_scripts_have_loaded_does_not_reload_the_page(visit):
    ann = visit(scripts=False)
    ann.sign_up("Ann")
    with Client(ann.url, TOKENS[ann.url, "Ann"]) as client:
        match = client.create_match("zhen", [{"player": client.me()["player"]}, None])["match"]
    for path, button in ((f"/matches/{match}/play", "Leave seat 1"), ("/play?ruleset=zhen", "Start")):
        ann.page.goto(path)
        ann.page.get_by_role("button", name=button).click()
        # A page that is loaded anew by a form has its fields, or a question mark, in its address.
        ann.page.wait_for_timeout(500)
        assert ann.page.url == f"{ann.url}{path}"
