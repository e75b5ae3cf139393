"""Trying a line: moves for everybody, branches in the link, dice, suggestions, a match that goes on, and hints."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from plyscribe.service.client import Client
from tests.pages.conftest import Held, Visitor, fits, hold, make_move, require_usable

LINE = "#line"
CURRENT = f"{LINE} [aria-current]"


def open_line(page: Page, address: str) -> None:
    page.goto(address)
    expect(page.locator(CURRENT)).to_be_visible()


def begin_line(visitor: Visitor, *fields: str) -> Page:
    """The page to try a line of Pathagon on, after these moves."""
    open_line(visitor.page, "/rulesets/pathagon/analysis")
    for field in fields:
        play(visitor.page, field)
    return visitor.page


def play(page: Page, *touches: str) -> None:
    """Make a move by these touches, and wait until the line shows it and the link names it."""
    current, link = page.locator(CURRENT), page.locator("#link")
    before, linked = current.text_content(), link.input_value()
    make_move(page, *touches)
    expect(current).not_to_have_text(before or "")
    expect(link).not_to_have_value(linked)


def hold_step(page: Page) -> Held:
    """Hold the next request for a position that is to be shown."""
    held = Held(page)

    def handle(route: Route) -> None:
        if "picture" in route.request.post_data_json and not held:
            held.append(route)
        else:
            route.fallback()

    page.route("**/positions", handle)
    return held


def step_to(page: Page, field: str, step: Callable[[], object]) -> None:
    """Step within the line to the move that ends on a field, and wait until the link names that place."""
    link = page.locator("#link")
    linked = link.input_value()
    step()
    expect(here(page)).to_contain_text(field)
    expect(link).not_to_have_value(linked)


def wait_until_named(page: Page) -> None:
    """Wait until the address and the link name the same place."""
    page.wait_for_function("() => document.getElementById('link').value === location.href")


def moves(page: Page) -> list[str]:
    """What the line shows, in order, each by the field that its sentence ends with."""
    shown = page.locator(f"{LINE} li > button:not([data-drops]) span").all_inner_texts()
    return [text.rstrip(".").split()[-1] for text in shown]


def here(page: Page) -> Locator:
    return page.locator(f"{CURRENT} span").first


def test_a_line_has_branches_which_a_link_the_back_button_and_a_reload_keep(visit, page):
    page.goto("/rulesets/pathagon")
    page.get_by_role("link", name="Try a line").click()
    expect(page.locator(CURRENT)).to_have_text("Beginning")
    for field in ("d4", "c3", "e4"):
        play(page, field)
    step_to(page, "c3", lambda: page.keyboard.press("ArrowLeft"))
    play(page, "b2")
    play(page, "a1")
    assert moves(page) == ["Beginning", "d4", "c3", "e4", "b2", "a1"]
    expect(here(page)).to_contain_text("a1")
    # Moves are in the history, and steps within the line are not.
    page.go_back()
    expect(here(page)).to_contain_text("b2")
    assert moves(page) == ["Beginning", "d4", "c3", "e4", "b2"]
    page.go_forward()
    expect(here(page)).to_contain_text("a1")
    wait_until_named(page)
    step_to(page, "Beginning", page.get_by_role("button", name="First").click)
    step_to(page, "a1", page.get_by_role("button", name="Last").click)
    wait_until_named(page)
    link = page.locator("#link").input_value()
    other = visit(phone=True).page
    open_line(other, link)
    expect(here(other)).to_contain_text("a1")
    expect(other.locator(LINE)).to_contain_text("Blue places a piece from the reserve on e4.")
    assert moves(other) == ["Beginning", "d4", "c3", "e4", "b2", "a1"]
    page.reload()
    expect(here(page)).to_contain_text("a1")
    wait_until_named(page)
    step_to(page, "c3", page.locator(LINE).get_by_role("button", name=re.compile("Delete the branch.*b2")).click)
    assert moves(page) == ["Beginning", "d4", "c3", "e4"]
    step_to(page, "d4", page.get_by_role("button", name="Delete this move").click)
    assert moves(page) == ["Beginning", "d4"]
    page.go_back()
    expect(here(page)).to_contain_text("c3")


def test_a_move_against_the_rules_says_why_and_changes_nothing(visit):
    page = begin_line(visit(), "d4")
    page.locator('#board [data-touch="d4"]').click()
    expect(page.locator(".reason")).to_contain_text("PA4")
    assert moves(page) == ["Beginning", "d4"]


@pytest.mark.parametrize(
    ("hash", "said"),
    [
        ("#l=eJyLNtWJVkoxUdJRSjYGEqlAVrRSkhGQmW", "The link is damaged"),
        (f"#l={'A' * 70_000}", "The link is too long"),
        ("#moves", "names no line"),
    ],
)
def test_a_damaged_link_says_so_and_stays_in_the_address(page, hash, said):
    open_line(page, f"/rulesets/pathagon/analysis?seats=2{hash}")
    expect(page.locator("#fault")).to_contain_text(said)
    assert page.url.endswith(hash)
    play(page, "d4")
    expect(page.locator("#fault")).to_be_hidden()
    page.go_back()
    expect(page.locator("#fault")).to_contain_text(said)


def test_a_link_with_a_step_that_the_rules_refuse_shows_the_position_before_it(visit):
    page = begin_line(visit(), "d4", "c3")
    page.wait_for_function("() => location.hash")
    hash = page.evaluate("location.hash")
    # Portals has other moves.
    other = visit()
    other.page.goto(f"/rulesets/portals/analysis{hash}")
    expect(other.page.locator("#fault")).to_contain_text("Step 1 of this line is not allowed")
    expect(other.page.locator(CURRENT)).to_have_text("Beginning")
    other.faults.clear()


def test_dice_show_what_the_visitor_chooses_or_are_rolled_and_players_leave(page):
    open_line(page, '/rulesets/portals/analysis?seats=3&options={"radius":2}')
    page.locator("summary", has_text="A player leaves").click()
    page.get_by_label("Player", exact=True).select_option("3")
    page.get_by_role("button", name="Let them leave").click()
    expect(here(page)).to_contain_text("leaves the match")
    expect(page.locator("#players .gone")).to_have_count(1)
    open_line(page, "/rulesets/portals/analysis?seats=2")
    expect(page.locator("#now")).to_contain_text("Blue must roll")
    page.get_by_role("button", name="5", exact=True).click()
    expect(page.locator("#now")).to_contain_text("Orange must roll")
    expect(page.locator(f"{CURRENT} .die")).to_have_text("5")
    page.get_by_role("button", name="Previous").click()
    page.get_by_role("button", name="3", exact=True).click()
    expect(page.locator(f"{CURRENT} .die")).to_have_text("3")
    page.get_by_role("button", name="Roll", exact=True).click()
    expect(page.locator(f"{LINE} .branch .die")).to_have_count(2)


def test_several_dice_are_chosen_one_by_one(page):
    open_line(page, "/rulesets/rings/analysis?seats=2")
    for _ in range(40):
        page.wait_for_function("() => document.querySelector('.stage .choice, [data-draw]')")
        if page.locator(".face").count():
            break
        before = page.locator(LINE).text_content()
        if page.locator("[data-draw]").count():
            page.locator("[data-draw]").click()
        else:
            page.locator("#board .choice").first.click()
            page.get_by_role("button", name="Play it").click()
        expect(page.locator(LINE)).not_to_have_text(before)
    count = page.locator(".slot").count()
    shown = [str(number % 6 + 1) for number in range(count)]
    for value in shown:
        expect(page.locator(f"{CURRENT} .die")).not_to_have_text(shown)
        page.locator(".faces").get_by_role("button", name=value, exact=True).click()
    expect(page.locator(f"{CURRENT} .die")).to_have_text(shown)


def test_a_guest_signs_in_and_comes_back_to_the_line_for_suggestions(visit):
    lena, guest = visit("Lena"), visit()
    page = begin_line(guest, "d4", "c3")
    step_to(page, "d4", lambda: page.keyboard.press("ArrowLeft"))
    page.wait_for_function("() => document.getElementById('link').value === location.href")
    page.get_by_role("link", name="Sign in for suggestions").click()
    page.get_by_label("Token").fill(lena.token)
    page.get_by_role("button", name="Sign in").click()
    expect(here(page)).to_contain_text("d4")
    assert moves(page) == ["Beginning", "d4", "c3"]
    page.get_by_role("button", name="Suggest a move").click()
    best = page.locator(".suggestions button").first
    expect(best).to_contain_text("Orange places a piece")
    expect(best).to_contain_text("of the search")
    best.hover()
    expect(page.locator("#board .marks .ghost").first).to_be_visible()
    sentence = best.locator("strong").inner_text()
    best.click()
    expect(here(page)).to_have_text(sentence)
    expect(page.locator(".suggestions")).to_have_count(0)
    require_usable(page, "analysis")


def test_a_search_can_be_cancelled_and_asked_for_again_later(visit):
    lena = visit("Lena")
    page = begin_line(lena)
    page.route("**/suggestions", lambda _: None)
    page.get_by_role("button", name="Suggest a move").click()
    expect(page.locator("#suggested")).to_contain_text("The bot is thinking")
    page.locator("#suggested").get_by_role("button", name="Cancel").click()
    expect(page.locator("#suggested")).to_be_empty()
    page.unroute("**/suggestions")
    page.route("**/suggestions", lambda route: route.fulfill(status=503, json={"code": "report/busy"}))
    page.get_by_role("button", name="Suggest a move").click()
    expect(page.locator("#suggested")).to_contain_text("Ask again in a moment")
    lena.faults.clear()


def start(client: Client, opponent: dict[str, str]) -> str:
    return str(client.create_match("pathagon", [{"player": client.me()["player"]}, opponent])["match"])


def test_a_contested_match_gets_no_suggestions_but_can_be_looked_into(visit, two):
    match = two.open_match("pathagon")
    two.clients[0].move(match, "d4")
    cleo = visit("Cleo")
    open_line(cleo.page, f"/matches/{match}/analysis")
    play(cleo.page, "c3")
    cleo.page.get_by_role("button", name="Suggest a move").click()
    expect(cleo.page.locator("#suggested")).to_contain_text("without help")
    cleo.faults.clear()


def test_a_match_goes_on_from_a_line_and_says_what_was_tried(visit):
    ann = visit("Lena")
    page = ann.page
    match = ann.play_alone("d4", "a1", "c3")
    with ann.client() as client:
        client.withdraw(match, 2)
        page.goto(f"/matches/{match}?ply=2")
        page.get_by_role("link", name="Try a line").first.click()
        expect(page.locator(CURRENT)).to_have_text("The position of the match")
        play(page, "e5")
        page.locator("summary", has_text="Play on from here").click()
        expect(page.locator("#fork-says")).to_contain_text("begins with the 3 moves")
        page.get_by_label(re.compile("^Seat 1")).select_option("greedy")
        page.get_by_label(re.compile("^Seat 2")).select_option("me")
        page.get_by_role("button", name="Start the match").click()
        expect(page.locator("#now")).to_contain_text("Your turn.")
        fork = page.url.split("/")[-2]
        assert client.match(fork)["moves"] == ["d4", "a1", "e5"]
        page.goto(f"/matches/{fork}")
        expect(page.locator(".facts").first).to_contain_text("one move, before the match began")
        # The last position of a match that somebody left can be gone on from, too.
        open_line(page, f"/matches/{match}/analysis")
        play(page, "g7")
        page.locator("summary", has_text="Play on from here").click()
        page.get_by_role("button", name="Start the match").click()
        page.wait_for_url(re.compile("/play$"))
        fork = page.url.split("/")[-2]
        assert client.match(fork)["moves"][:4] == ["d4", "a1", "c3", "g7"]
        assert client.match(fork)["parent"] == {"match": match, "ply": 3}


def test_a_player_gets_hints_against_bots_alone(visit, two):
    ann = visit("Lena", phone=True)
    with ann.client() as client:
        alone, contested = start(client, {"bot": "random"}), start(client, {"player": two.ids[1]})
        two.clients[1].take_seat(contested, 2)
    ann.page.goto(f"/matches/{contested}/play")
    expect(ann.page.locator("#now")).to_contain_text("Your turn.")
    expect(ann.page.get_by_role("button", name="Hint")).to_have_count(0)
    ann.page.goto(f"/matches/{alone}/play")
    ann.page.get_by_role("button", name="Hint").click()
    expect(ann.page.locator("#hinted")).to_contain_text("The bot would play this.")
    expect(ann.page.locator("#meaning")).to_contain_text("Lena places a piece from the reserve on")
    expect(ann.page.locator("#board .marks .ghost").first).to_be_visible()
    assert fits(ann.page)


def test_nothing_moves_away_from_a_finger_when_the_scripts_of_a_table_have_loaded(visit):
    ann = visit("Lena", phone=True)
    page = ann.page
    with ann.client() as client:
        match = start(client, {"bot": "random"})
    held = hold(page, "**/assets/composer.*.js")
    page.goto(f"/matches/{match}/play", wait_until="commit")
    hint = page.get_by_role("button", name="Hint")
    hint.wait_for()
    held.wait()
    page.wait_for_function("() => [...document.querySelectorAll('link[rel=stylesheet]')].every((each) => each.sheet)")
    before = hint.bounding_box()
    held[0].continue_()
    expect(page.locator("#meaning")).to_have_text("Choose on the board.")
    assert hint.bounding_box() == before


def test_the_link_past_the_menu_keeps_the_line(visit):
    page = begin_line(visit(), "d4")
    page.get_by_role("link", name="Skip to main content").press("Enter")
    page.wait_for_url(re.compile("#l="))
    expect(here(page)).to_contain_text("d4")
    expect(page.locator("#fault")).to_be_empty()
    play(page, "c3")
    assert moves(page) == ["Beginning", "d4", "c3"]


def test_keys_keep_their_place_while_the_line_changes(visit):
    page = begin_line(visit(), "d4", "c3")
    page.locator(LINE).get_by_role("button", name="on d4.").press("Enter")
    expect(page.locator(CURRENT)).to_contain_text("d4")
    expect(page.locator(CURRENT)).to_be_focused()
    page.get_by_role("button", name="Delete this move").press("Enter")
    expect(page.locator(CURRENT)).to_have_text("Beginning")
    expect(page.locator(CURRENT)).to_be_focused()
    open_line(page, "/rulesets/portals/analysis?seats=2")
    page.get_by_role("button", name="5", exact=True).press("5")
    expect(page.locator("#now")).to_contain_text("Orange must roll")
    page.keyboard.press("3")
    expect(page.locator(f"{LINE} .die")).to_have_text(["5", "3"])


def test_what_a_lost_connection_kept_away_can_be_asked_for_again(visit):
    ann = visit()
    page = ann.page
    open_line(page, "/rulesets/portals/analysis?seats=2")
    for value in ("5", "3"):
        page.get_by_role("button", name=value, exact=True).click()
        expect(page.locator(f"{CURRENT} .die")).to_have_text(value)
    page.wait_for_function("() => document.getElementById('link').value === location.href")
    # The page is opened anew while the server cannot be reached.
    page.route("**/positions", lambda route: route.abort())
    page.reload()
    expect(page.locator("#fault")).to_have_text("The server cannot be reached. Try again.")
    page.locator("#board [data-touch]").first.click()
    expect(page.locator(".reason")).to_have_text("The server cannot be reached. Try again.")
    page.unroute("**/positions")
    # Neither can the service be reached by a proxy.
    away = {"code": "server/unreachable", "detail": "The service did not answer."}
    page.route("**/positions", lambda route: route.fulfill(status=502, json=away))
    page.reload()
    expect(page.locator("#fault")).to_have_text("The server cannot be reached. Try again.")
    page.unroute("**/positions")
    page.keyboard.press("ArrowLeft")
    expect(page.locator(f"{CURRENT} .die")).to_have_text("5")
    assert page.locator(f"{LINE} .die").all_inner_texts() == ["5", "3"]
    # A step back is not loaded. The next one is where it was.
    page.route("**/positions", lambda route: route.abort())
    page.keyboard.press("Home")
    expect(page.locator("#fault")).to_have_text("The server cannot be reached. Try again.")
    page.get_by_role("button", name="4", exact=True).click()
    expect(page.locator("[data-face='4']")).to_have_attribute("aria-pressed", "false")
    page.unroute("**/positions")
    page.keyboard.press("ArrowRight")
    expect(page.locator(f"{CURRENT} .die")).to_have_text("3")
    ann.forgive("ERR_FAILED", "502")


def test_a_step_that_is_left_behind_by_the_back_button_is_not_taken(visit):
    page = begin_line(visit(), "d4")
    page.wait_for_url(re.compile("#l="))
    held = hold_step(page)
    make_move(page, "c3")
    held.wait()
    page.go_back()
    expect(page.locator(CURRENT)).to_have_text("Beginning")
    held[0].continue_()
    page.wait_for_timeout(500)
    assert moves(page) == ["Beginning"]
    play(page, "e5")
    assert moves(page) == ["Beginning", "e5"]


def test_a_step_that_is_left_behind_by_a_step_back_stays_in_the_line(visit):
    page = begin_line(visit(), "d4", "c3")
    held = hold_step(page)
    make_move(page, "e4")
    held.wait()
    # The link names the step that is taken already.
    step_to(page, "c3", lambda: page.keyboard.press("ArrowLeft"))
    held[0].continue_()
    expect(page.locator(LINE)).to_contain_text("e4")
    expect(here(page)).to_contain_text("c3")
    assert moves(page) == ["Beginning", "d4", "c3", "e4"]
    step_to(page, "e4", lambda: page.keyboard.press("ArrowRight"))
    wait_until_named(page)
    page.reload()
    expect(here(page)).to_contain_text("e4")


def test_a_position_that_comes_after_the_board_was_turned_is_seen_from_the_new_side(visit):
    page = begin_line(visit())
    held = hold_step(page)
    make_move(page, "b2")
    held.wait()
    left = page.locator('#board [data-touch="b2"]').bounding_box()["x"]
    page.get_by_role("button", name="Turn the board").click()
    held[0].continue_()
    expect(here(page)).to_contain_text("b2")
    assert page.locator('#board [data-touch="b2"]').first.bounding_box()["x"] > left + 100
