"""The arbiter's desk in a browser: results, corrections with the table before and after, rulings and penalties."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.pages.conftest import NARROW, Visitor, find_barriers, fits, hold, take_pictures
from tests.pages.halls import ClubNight


@pytest.fixture
def night(announce):
    return announce("Ida", "Kim", "Lou", "Max")


def choose(page: Page, board: int) -> None:
    # Before the scripts have loaded, the link leads to another page, and nothing on it is focused.
    page.wait_for_load_state()
    page.locator(f"#place-{board}-1").click()
    expect(page.locator("#panel-title")).to_be_focused()


def open_desk(visitor: Visitor, night: ClubNight, board: int = 0) -> Page:
    page = visitor.sign_in(night.token, f"{night.page}/desk")
    expect(page.get_by_role("heading", name="Arbiter’s desk")).to_be_visible()
    if board:
        choose(page, board)
    return page


def prepare_correction(page: Page, result: str, reason: str) -> Locator:
    """Fill in a correction and have its table shown; the form."""
    form = page.locator("form[data-post$='/corrections']")
    form.get_by_label(result).check()
    form.get_by_label("Reason").fill(reason)
    form.get_by_role("button", name="Show the table").click()
    return form


def test_an_arbiter_runs_a_round_from_the_desk(visit, night):
    night.post("/start")
    page = open_desk(visit(), night)
    page.get_by_role("button", name="Call round 1").click()
    expect(page.locator(".place")).to_have_count(2)
    choose(page, 1)
    enter = page.locator("form[data-post$='/results']")
    enter.get_by_label("Ida won").check()
    enter.get_by_role("button", name="Enter the result").click()
    expect(page.get_by_text("The result is entered.")).to_be_visible()
    expect(page.locator("#place-1-1")).to_contain_text("Ida won")
    take_pictures(page, "desk-board")
    assert find_barriers(page) == []
    choose(page, 2)
    page.get_by_text("Codes of this table", exact=True).click()
    page.get_by_role("button", name="Make a new code for this table").click()
    expect(page.locator(".codes a")).to_contain_text("/at/plyt_")
    page.get_by_text("Adjudicate or forfeit, with a reason").click()
    decide = page.locator("form[data-post$='/adjudications']")
    decide.get_by_label("Kim did not come: Max wins").check()
    decide.get_by_label("Reason").fill("the bus broke down")
    decide.get_by_role("button", name="Decide the game").click()
    expect(page.locator("#place-2-1")).to_contain_text("Kim lost by forfeit")
    page.get_by_role("button", name="Call round 2").click()
    expect(page.get_by_role("link", name="Round 2")).to_be_visible()


def test_what_is_entered_on_a_board_stays_although_news_were_asked_for_before_it_was_opened(visit, night):
    night.begin()
    page = open_desk(visit(), night, board=1)
    held = hold(page, page.url)
    night.post("/results", round=1, board=1, ranks=[1, 2])
    answered = held.wait().fetch()
    choose(page, 2)
    page.get_by_text("Adjudicate or forfeit, with a reason").click()
    reason = page.locator("form[data-post$='/adjudications']").get_by_label("Reason")
    reason.fill("the bus broke down")
    held[0].fulfill(response=answered)
    expect(page.locator("#place-1-1")).to_contain_text("Ida won")
    page.wait_for_timeout(300)
    expect(page.locator("#panel-title")).to_contain_text("Board 2")
    expect(reason).to_have_value("the bus broke down")


def test_of_two_boards_that_are_opened_quickly_the_later_one_is_shown(visit, night):
    night.begin()
    page = open_desk(visit(), night)
    held = hold(page, lambda address: "board=1" in address)
    page.locator("#place-1-1").click()
    held.wait()
    choose(page, 2)
    held[0].continue_()
    page.wait_for_timeout(300)
    expect(page.locator("#panel-title")).to_contain_text("Board 2")
    expect(page).to_have_url(re.compile("board=2"))


def test_a_wrong_result_is_corrected_after_the_next_pairing_with_the_table_shown_first(visit, night):
    night.begin()
    night.report_all(1)
    night.call(2)
    page = open_desk(visit(), night)
    page.get_by_role("link", name="Round 1").click()
    choose(page, 1)
    correct = prepare_correction(page, "Lou won", "they mixed up the names")
    expect(correct).to_contain_text("The next round is paired already.")
    shown = page.get_by_role("group", name="The table before and after")
    expect(shown.get_by_role("row", name="Ida")).to_contain_text("2")
    expect(shown.get_by_role("row", name="Lou").get_by_role("cell")).to_have_text(["Lou", "3, then 1", "0, then 2"])
    assert night.list_games(1)[0]["ranks"] == [1, 2]
    take_pictures(page, "desk-preview")
    assert find_barriers(page) == []
    page.get_by_role("button", name="Do it").click()
    expect(page.get_by_text("The result is corrected.")).to_be_visible()
    expect(page.locator("#place-1-1")).to_contain_text("corrected")
    assert night.list_games(1)[0]["ranks"] == [2, 1]
    assert len(night.list_games(2)) == 2


def test_a_ruling_that_is_changed_after_the_preview_has_to_be_looked_at_again(visit, night):
    night.begin()
    night.report_all(1)
    page = open_desk(visit(), night, board=1)
    correct = prepare_correction(page, "Lou won", "a slip")
    expect(page.get_by_role("button", name="Do it")).to_be_visible()
    correct.get_by_label("Draw").check()
    expect(page.get_by_role("button", name="Do it")).to_have_count(0)


def test_a_refusal_is_shown_in_place_and_nothing_is_lost(visit, night):
    night.begin()
    night.report_all(1)
    visitor = visit()
    page = open_desk(visitor, night, board=1)
    correct = prepare_correction(page, "Ida won", "the same again")
    page.get_by_role("button", name="Do it").click()
    expect(correct.get_by_role("alert")).to_have_text("The game already has this result")
    expect(correct.get_by_label("Reason")).to_have_value("the same again")
    visitor.forgive("409")


def test_a_match_is_paused_from_the_desk_and_goes_on(visit, announce):
    online = announce(at_table=False, is_open=True, limits={"match_ms": 3_600_000})
    for name in ("Nora", "Otto"):
        visit(name).enter(online.id)
    online.begin()
    page = open_desk(visit(), online, board=1)
    expect(page.locator("#panel-now .clock")).to_have_text([re.compile(r"5\d:\d\d"), "1:00:00"])
    page.get_by_text("Pause and clocks").click()
    page.get_by_label("Why the match is paused").fill("the lights went out")
    page.get_by_role("button", name="Pause the match").click()
    expect(page.locator("#panel-now")).to_contain_text("paused: the lights went out")
    page.get_by_role("button", name="Let the match go on").click()
    expect(page.locator("#panel-now")).not_to_contain_text("paused")


def test_what_others_do_appears_by_itself_and_leaves_a_form_as_it_is(visit, night):
    night.begin()
    page = open_desk(visit(), night, board=1)
    page.locator("form[data-post$='/results']").get_by_label("Draw").check()
    night.post("/results", round=1, board=2, ranks=[1, 2])
    expect(page.locator("#place-2-1")).to_contain_text("won")
    expect(page.locator("form[data-post$='/results']").get_by_label("Draw")).to_be_checked()
    # Somebody enters the result of this board, too: the forms are now others.
    night.post("/results", round=1, board=1, ranks=[1, 2])
    expect(page.get_by_role("heading", name="Correct the result")).to_be_visible()


def test_what_is_entered_stays_when_the_other_forms_of_the_board_change(visit, night):
    night.begin()
    page = open_desk(visit(), night, board=1)
    page.locator("form[data-post$='/results']").get_by_label("Draw").check()
    page.get_by_text("Adjudicate or forfeit, with a reason").click()
    reason = page.locator("form[data-post$='/adjudications']").get_by_label("Reason")
    reason.fill("the lights")
    night.send("POST", f"/v1/matches/{night.list_games(1)[0]['match']}/pause", why="the lights went out")
    expect(page.get_by_role("button", name="Let the match go on")).to_be_visible()
    expect(reason).to_be_focused()
    expect(reason).to_have_value("the lights")
    expect(page.locator("form[data-post$='/results']").get_by_label("Draw")).to_be_checked()


def test_the_desk_works_on_a_small_phone_and_by_keyboard(visit, night):
    night.begin()
    page = open_desk(visit(phone=True), night)
    page.set_viewport_size(NARROW)
    assert fits(page)
    page.locator("#place-2-1").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#panel-title")).to_be_focused()
    expect(page.locator("#boards")).to_be_hidden()
    assert fits(page)
    page.get_by_role("link", name="All boards").click()
    expect(page.locator("#boards")).to_be_visible()
    page.go_back()
    expect(page.locator("#panel-title")).to_be_visible()
