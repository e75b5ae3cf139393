"""A match at a real table is recorded: dice and terrain are clicked, and every step is corrected where it stands."""

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.pages.conftest import Visitor, find_barriers, fits, hold, make_move, take_pictures

OPENING = ("choose rider", "choose archer", "spawn scout", "spawn tower")
"""The first moves of Crystals, up to the roll for who begins."""


class Recording:
    """A match that Rita records."""

    def __init__(self, visitor: Visitor, match: str) -> None:
        self.forgive, self._visitor, self._match = visitor.forgive, visitor, match

    def view(self) -> dict[str, Any]:
        with self._visitor.client() as rita:
            return dict(rita.position(self._match, len(rita.match(self._match)["moves"]))["view"])

    def moves(self) -> list[str]:
        with self._visitor.client() as rita:
            return list(rita.match(self._match)["moves"])


def record(
    visitor: Visitor, game: str, *steps: Any, seats: tuple[str, ...] = ("Ada", "Bea"), **how: Any
) -> tuple[Recording, Page]:
    """A new recorded match, in which these moves and rolls were entered, and its page in a browser of Rita's."""
    visitor.sign_up("Rita")
    match = visitor.record(game, *steps, seats=seats)
    visitor.page.goto(f"/matches/{match}/record", **how)
    return Recording(visitor, match), visitor.page


def find_field(page: Page, name: str) -> Any:
    return page.locator(f"#board [data-touch='{name}']").first


def focus_field(page: Page, name: str) -> None:
    """Focus a field, as soon as the scripts have made it something that can be focused."""
    field = find_field(page, name)
    expect(field).to_have_attribute("role", "button")
    field.focus()


def click_face(page: Page, value: int) -> None:
    page.locator(f"[data-face='{value}']").click()


def enter(page: Page) -> None:
    page.get_by_role("button", name="Enter", exact=True).click()


def open_step(page: Page, text: str) -> None:
    """Open the newest step of the list that says this."""
    page.locator("#log li", has_text=text).first.get_by_role("button", name="Correct").click()
    expect(page.locator(".mending-now")).not_to_be_empty()


def test_terrain_is_laid_by_clicking_its_fields(visit):
    rita, page = record(visit(), "rings")
    expect(page.locator("#roll h2")).to_have_text("Which terrain lies on ring a?")
    heavy, medium = (page.get_by_role("button", name=re.compile(f"^{each} terrain")) for each in ("Heavy", "Medium"))
    find_field(page, "a1").click()
    expect(heavy).to_contain_text("1 left")
    find_field(page, "a4").click()
    expect(heavy).to_contain_text("all placed")
    expect(medium).to_have_attribute("aria-pressed", "true")
    find_field(page, "a2").click()
    find_field(page, "a6").click()
    expect(page.locator("#roll .left")).to_contain_text("All other fields: Light terrain")
    assert find_barriers(page) == []
    take_pictures(page, "recorder-terrain")
    enter(page)
    expect(page.locator("#roll h2")).to_have_text("Which terrain lies on ring b?")
    assert rita.view()["terrain"][0] == "HMLHLML"


@pytest.mark.parametrize("phone", [False, True], ids=["by clicks", "by touches"])
def test_a_field_is_taken_back_by_a_second_click_or_by_undo(visit, phone):
    _, page = record(visit(phone=phone), "rings")
    touch = lambda name: find_field(page, name).tap() if phone else find_field(page, name).click()  # noqa: E731
    status = page.locator("#roll .left")
    for name in ("a1", "a4"):
        touch(name)
    touch("b1")
    expect(page.locator(".reason")).to_contain_text("not asked for now")
    expect(status).to_have_text("5 fields are still to be placed.")
    touch("a1")
    expect(status).to_have_text("6 fields are still to be placed.")
    page.get_by_role("button", name="Undo").click()
    expect(status).to_have_text("7 fields are still to be placed.")
    expect(page.get_by_role("button", name="Enter", exact=True)).to_be_disabled()


def test_terrain_is_laid_by_keys_and_survives_a_turn_of_the_board(visit):
    rita, page = record(visit(), "rings")
    for name in ("a1", "a2"):
        focus_field(page, name)
        page.keyboard.press("Enter")
    expect(find_field(page, "a1")).to_have_attribute("aria-label", "a1: Heavy terrain")
    page.locator("#turn").click()
    expect(page.locator("#board")).to_have_attribute("data-seat", "2")
    page.get_by_role("button", name=re.compile("^Light terrain")).press("Enter")
    for name in ("a3", "a4", "a5"):
        focus_field(page, name)
        page.keyboard.press(" ")
    page.get_by_role("button", name="Enter", exact=True).press("Enter")
    expect(page.locator("#roll h2")).to_have_text("Which terrain lies on ring b?")
    assert rita.view()["terrain"][0] == "HHLLLMM"


def test_plyscribe_draws_the_terrain_of_all_rings_that_are_left(visit):
    rita, page = record(visit(phone=True), "rings", [1])
    assert fits(page)
    page.get_by_role("button", name="Let Plyscribe draw the terrain").tap()
    expect(page.locator("#now")).to_have_text(re.compile("It is Bea's turn"))
    terrain = rita.view()["terrain"]
    assert terrain[0] == "HHLLLMM"
    assert [sorted(ring) for ring in terrain] == [sorted("HHLLLMM")] * 4
    expect(page.locator("#log li").last).to_contain_text("Heavy terrain a1 a2 · Medium terrain a6 a7 · Light terrain")


def test_several_dice_are_clicked_typed_and_taken_back(visit):
    rita, page = record(visit(), "rings", [1], [1], [1], [1], "start a2", "start a1")
    expect(page.locator("#roll h2")).to_have_text("The dice of Ada for this round")
    expect(page.locator("#roll form > p").first).to_contain_text("Ada rolls 4 dice.")
    for value in (1, 3):
        click_face(page, value)
    expect(page.locator("#roll .left")).to_have_text("2 dice are missing.")
    page.keyboard.press("6")
    page.keyboard.press("6")
    page.keyboard.press("Backspace")
    page.keyboard.press("5")
    expect(page.locator("#roll .left")).to_have_text("All dice are entered.")
    expect(page.get_by_role("button", name="Enter", exact=True)).to_be_focused()
    page.get_by_role("button", name="Take back the 1").click()
    page.get_by_role("button", name="Take back the 3").click()
    page.keyboard.press("3")
    page.keyboard.press("2")
    assert find_barriers(page) == []
    enter(page)
    expect(page.locator("#roll h2")).to_have_text("The dice of Bea for this round")
    assert rita.view()["dice"][0] == {"R": 1, "M": 1, "T": 2}


def test_the_roll_for_who_begins_is_asked_as_people_ask(visit):
    rita, page = record(visit(phone=True), "crystals", *OPENING)
    expect(page.locator("#roll h2")).to_have_text("Who begins?")
    expect(page.locator("#roll form > p").first).to_contain_text("Ada rolls one die. The lowest number begins.")
    page.locator("[data-face='5']").tap()
    page.locator("[data-face='3']").tap()
    enter(page)
    expect(page.locator("#roll form > p").first).to_contain_text("Bea rolls one die.")
    page.get_by_role("button", name="Let Plyscribe roll").tap()
    enter(page)
    expect(page.locator("#roll form > p").first).not_to_contain_text("Bea rolls one die. The lowest")
    assert rita.view()["contest"] != [3, None]
    assert fits(page)


def test_a_roll_is_corrected_in_the_list_and_the_move_after_it_stays(visit):
    rita, page = record(visit(), "crystals", *OPENING, [2], [5], [3], "move scout")
    open_step(page, "Ada rolls a 3.")
    expect(page.locator(".mending h2")).to_have_text("How far may Ada move?")
    assert find_barriers(page) == []
    click_face(page, 4)
    enter(page)
    expect(page.locator("#log")).to_contain_text("Ada moves the scout from 1 to 5.")
    expect(page.locator(".mending")).to_have_count(0)
    assert rita.moves() == [*OPENING, "move scout"]


def test_what_was_laid_is_read_out_even_if_the_board_is_known_late(visit):
    rita = visit()
    held = hold(rita.page, "**/touched?*", times=1)
    record(rita, "rings")
    page = rita.page
    # The focus asks for the same as the terrain does, and comes after it.
    focus_field(page, "a1")
    page.keyboard.press("Enter")
    held.wait().continue_()
    expect(page.locator("#composer")).to_have_attribute("data-waiting", "0")
    expect(find_field(page, "a1")).to_have_attribute("aria-label", "a1: Heavy terrain")
    expect(find_field(page, "a2")).to_have_attribute("aria-label", "a2, without terrain, empty")


def test_a_move_is_corrected_on_the_board_as_it_was_on_a_phone(visit):
    rita, page = record(visit(phone=True), "pathagon", "d4", "c3", "e5", "c4")
    open_step(page, "on e5.")
    expect(page.locator("#board [data-key='piece-2-c4']")).to_have_count(0)
    assert fits(page)
    find_field(page, "g7").tap()
    page.get_by_role("button", name="Play it").first.tap()
    expect(page.locator("#log")).to_contain_text("on g7.")
    expect(
        page.locator("#board [data-touch='c4'] [data-owner='2'], #board [data-at='c4'][data-owner='2']")
    ).to_have_count(1)
    assert rita.moves() == ["d4", "c3", "g7", "c4"]
    expect(page.get_by_text("Choose on the board.")).to_be_visible()


def test_nothing_that_does_not_fit_any_more_is_lost_without_a_question(visit):
    rita, page = record(visit(), "pathagon", "d4", "c3", "e5", "c4", "a1")
    open_step(page, "on e5.")
    for goes_on in (False, True):
        make_move(page, "c4")
        losing = page.locator("#losing")
        expect(losing).to_contain_text("2 later steps do not fit any more")
        expect(losing).to_contain_text("c4 is not empty")
        expect(losing).to_contain_text("Bea places a piece from the reserve on c4.")
        if goes_on:
            assert find_barriers(page) == []
            losing.get_by_role("button", name="Correct it, and lose these 2 steps").click()
        else:
            page.keyboard.press("Escape")
            expect(losing).to_be_hidden()
            assert rita.moves() == ["d4", "c3", "e5", "c4", "a1"]
            page.get_by_role("button", name="Cancel").first.click()
    expect(page.locator(".mending")).to_have_count(0)
    assert rita.moves() == ["d4", "c3", "c4"]
    rita.forgive("422")


def test_a_forgotten_step_is_put_before_another_one(visit):
    rita, page = record(visit(), "pathagon", "d4", "c3", "e5")
    open_step(page, "on e5.")
    page.get_by_label("Something is missing here").check()
    expect(page.locator(".mending-now")).to_contain_text("What came before it?")
    make_move(page, "a1")
    expect(page.locator("#losing")).to_contain_text("After the correction, Bea moves here.")
    page.get_by_role("button", name="Correct it, and lose this step").click()
    expect(page.locator(".mending")).to_have_count(0)
    assert rita.moves() == ["d4", "c3", "a1"]
    rita.forgive("409")


def test_a_forgotten_withdrawal_is_put_before_another_step(visit):
    rita, page = record(visit(), "portals", [5], [3], [2], seats=("Ada", "Bea", "Cid"))
    page.locator("#log li[data-version]").nth(1).get_by_role("button", name="Correct").click()
    mending = page.locator(".mending")
    expect(mending.get_by_label("Who leaves the match?")).to_be_hidden()
    mending.get_by_label("Something is missing here").check()
    expect(mending).to_contain_text("Or a player left the match here:")
    mending.get_by_label("Who leaves the match?").select_option("Cid")
    mending.get_by_label("Why?").select_option("absent")
    assert find_barriers(page) == []
    mending.get_by_role("button", name="Enter that they left").click()
    page.get_by_role("button", name=re.compile("^Correct it, and lose")).click()
    expect(page.locator("#log")).to_contain_text("Cid is absent.")
    assert rita.view()["left"] == [3]
    rita.forgive("409", "422")


def test_another_step_is_opened_while_one_is_open(visit):
    rita, page = record(visit(), "pathagon", "d4", "c3", "e5")
    open_step(page, "on d4.")
    # Of two clicks at once, the last one counts.
    for text in ("on c3.", "on e5."):
        page.locator("#log li", has_text=text).get_by_role("button", name="Correct").dispatch_event("click")
    expect(page.locator("#log li.open")).to_contain_text("on e5.")
    expect(page.locator(".mending")).to_have_count(1)
    expect(page.locator(".mending-now")).to_contain_text("Recorded: Ada places a piece from the reserve on e5.")
    make_move(page, "g7")
    expect(page.locator(".mending")).to_have_count(0)
    assert rita.moves() == ["d4", "c3", "g7"]


def test_a_lost_connection_leaves_no_earlier_position_on_the_board(visit):
    rita, page = record(visit(), "pathagon", "d4", "c3")
    page.route("**/positions", lambda route: route.abort())
    page.locator("#log li", has_text="on d4.").get_by_role("button", name="Correct").click()
    expect(page.locator(".mending > .refusal")).to_have_text("The server cannot be reached. Try again.")
    page.get_by_label("Something is missing here").check()
    page.unroute("**/positions")
    page.get_by_role("button", name="Close").click()
    expect(page.locator("#composing")).to_be_visible()
    open_step(page, "on d4.")
    page.route("**/record", lambda route: route.abort())
    page.get_by_role("button", name="Close").click()
    expect(page.locator("#composing")).to_be_hidden()
    page.unroute("**/record")
    # The page tries again by itself.
    expect(page.locator("#composing")).to_be_visible()
    expect(page.locator("#board [data-at='c3'][data-owner], #board [data-touch='c3'] [data-owner]")).to_have_count(1)
    assert rita.moves() == ["d4", "c3"]
    rita.forgive("ERR_FAILED")


def test_a_click_before_the_page_can_correct_is_not_lost(visit):
    rita = visit()
    held = hold(rita.page, "**/assets/recorder.*.js")
    record(rita, "pathagon", "d4", "c3")
    page = rita.page
    page.locator("#log li", has_text="on d4.").get_by_role("button", name="Correct").click()
    expect(page.locator(".mending-now")).to_have_count(0)
    held.wait().continue_()
    expect(page.locator(".mending-now")).to_contain_text("Recorded: Ada places a piece from the reserve on d4.")


@pytest.mark.parametrize("script", ["recorder", "composer"])
@pytest.mark.parametrize("phone", [False, True], ids=["by clicks", "by taps"])
def test_touches_before_the_scripts_have_loaded_are_not_lost(visit, script, phone):
    rita = visit(phone=phone)
    held = hold(rita.page, f"**/assets/{script}.*.js")
    rita.page.add_init_script("addEventListener('click', () => (window.clicks = (window.clicks ?? 0) + 1), true)")
    record(rita, "rings", wait_until="commit")
    page = rita.page
    for name in ("a1", "a4"):
        find_field(page, name).tap() if phone else find_field(page, name).click()
    page.wait_for_function("() => window.clicks === 2")
    expect(page.locator("#roll .left")).to_have_count(0)
    held.wait().continue_()
    expect(page.locator("#roll .left")).to_have_text("5 fields are still to be placed.")


def test_a_correction_that_is_closed_while_it_is_sent_is_shown(visit):
    rita, page = record(visit(), "pathagon", "d4", "c3")
    held = hold(page, "**/corrections")
    open_step(page, "on c3.")
    find_field(page, "g7").click()
    with page.expect_request("**/corrections"):
        page.get_by_role("button", name="Play it").first.click()
    page.get_by_role("button", name="Close").click()
    expect(page.locator(".mending")).to_have_count(0)
    held[0].continue_()
    expect(page.locator("#log")).to_contain_text("on g7.")
    assert rita.moves() == ["d4", "g7"]


def test_a_correction_is_closed_by_a_key_without_changes(visit):
    rita, page = record(visit(), "pathagon", "d4", "c3")
    open_step(page, "on d4.")
    expect(page.locator("#board [data-at='c3'][data-owner], #board [data-touch='c3'] [data-owner]")).to_have_count(0)
    page.keyboard.press("Escape")
    expect(page.locator(".mending")).to_have_count(0)
    expect(page.locator("#log li[data-version]").nth(1).get_by_role("button", name="Correct")).to_be_focused()
    expect(page.locator("#board [data-at='c3'][data-owner], #board [data-touch='c3'] [data-owner]")).to_have_count(1)
    assert rita.moves() == ["d4", "c3"]


def test_terrain_is_corrected_long_after_it_was_laid(visit):
    rita, page = record(visit(), "rings", [1], [1], [1], [1], "start a2", "start a1", [1, 1, 1, 1])
    page.locator("#log li").last.get_by_role("button", name="Correct").click()
    expect(page.locator(".mending h2")).to_have_text("Which terrain lies on ring a?")
    for name in ("a7", "a6", "a1", "a2"):
        find_field(page, name).click()
    enter(page)
    expect(page.locator("#log li").last).to_contain_text("Heavy terrain a6 a7 · Medium terrain a1 a2")
    assert rita.view()["terrain"][:2] == ["MMLLLHH", "HHLLLMM"]
    assert rita.moves() == ["start a2", "start a1"]


def test_a_withdrawal_asks_one_clear_question(visit):
    rita, page = record(visit(), "portals", seats=("Ada", "Bea", "Cid"))
    opener = page.get_by_role("button", name="A player withdraws")
    opener.click()
    dialog = page.locator("#leaving")
    expect(dialog).to_contain_text("The others play on.")
    assert find_barriers(page) == []
    dialog.get_by_role("button", name="Cancel").click()
    expect(dialog).to_be_hidden()
    assert rita.view()["left"] == []
    opener.click()
    dialog.get_by_role("radio", name="Cid").check()
    dialog.get_by_role("button", name="Withdraw the player", exact=True).click()
    expect(page.locator("#log")).to_contain_text("Cid resigns")
    assert rita.view()["left"] == [3]
    opener.click()
    expect(dialog).to_contain_text("The match ends, and Ada wins.")


def test_the_page_shows_a_withdrawal_that_happened_before_its_answer_came(visit):
    _, page = record(visit(), "portals", seats=("Ada", "Bea", "Cid"))
    page.get_by_role("button", name="A player withdraws").click()
    dialog = page.locator("#leaving")
    dialog.get_by_role("radio", name="Cid").check()
    held = hold(page, "**/withdrawal")
    dialog.get_by_role("button", name="Withdraw the player", exact=True).click()
    answered = held.wait().fetch()
    expect(page.locator("#log")).to_contain_text("Cid resigns")
    expect(dialog).to_be_visible()
    held[0].fulfill(response=answered)
    expect(dialog).to_be_hidden()
    page.get_by_role("button", name="A player withdraws").click()
    expect(dialog).to_contain_text("The match ends, and Ada wins.")
    expect(dialog.get_by_role("radio", name="Cid")).to_have_count(0)


def test_a_mistaken_withdrawal_is_corrected_or_removed_even_if_it_ended_the_match(visit):
    rita, page = record(visit(), "pathagon", "d4")
    page.get_by_role("button", name="A player withdraws").click()
    page.get_by_role("radio", name="Bea").check()
    page.get_by_role("button", name="Withdraw the player", exact=True).click()
    expect(page.locator("#end")).to_contain_text("Ada wins")
    open_step(page, "Bea resigns")
    page.locator(".mending").get_by_label("Who leaves the match?").select_option("Ada")
    page.get_by_role("button", name="Correct it").click()
    expect(page.locator("#end")).to_contain_text("Bea wins")
    open_step(page, "Ada resigns")
    page.get_by_role("button", name="Remove this step").click()
    expect(page.locator("#now")).to_contain_text("It is Bea's turn.")
    assert (rita.view()["left"], rita.moves()) == ([], ["d4"])
