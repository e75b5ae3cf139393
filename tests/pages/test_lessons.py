"""Lessons as newcomers take them: by clicks on the board."""

import re

import pytest
from playwright.sync_api import Page, expect

from plyscribe.domain.rulesets import find_ruleset
from plyscribe.service.boards import BOARDS
from plyscribe.service.lessons import LESSONS
from plyscribe.service.lessons.lesson import Lesson, reach
from tests.pages.conftest import hold, require_usable
from tests.pages.test_play import find_part, settle

WRONG = {
    "crystals": ("attack", "move miner"),
    "portals": ("clear", "launch c4"),
    "rings": ("attack", "M warrior b4-c4"),
    "zhen": ("move", "4-3"),
}
"""For each game a lesson, and a legal move that does not do its task."""

MISSED = re.compile("That is a legal move, but not the task|Not done yet")


def list_touches(game: str, lesson: Lesson, move: str) -> list[str]:
    """The parts of the board that a move consists of; the first of several ways to pay for it."""
    board, ruleset = BOARDS[game, 1], find_ruleset(game, 1)
    places = board.resolve(ruleset.view(reach(lesson, ruleset).state), lesson.seat)
    touches, *_ = board.trace(move)
    return [places.get(touch, touch) for touch in touches]


def make_move(page: Page, game: str, lesson: Lesson, move: str) -> None:
    for touch in list_touches(game, lesson, move):
        settle(page)
        find_part(page, touch).click()
    settle(page)
    for button in (page.locator(".chips button").first, page.locator("#play")):
        if button.is_visible():
            button.click()
            return


@pytest.mark.parametrize("game", WRONG)
def test_every_lesson_is_done_by_clicks_on_the_board(page, game):
    lessons = LESSONS[game, 1]
    page.goto(f"/rulesets/{game}/learn")
    for lesson in lessons:
        expect(page.locator("#task")).to_have_text(lesson.title.text)
        assert page.locator("#done").is_hidden()
        for move in lesson.solution:
            make_move(page, game, lesson, move)
        expect(page.locator("#done")).to_be_visible()
        expect(page.locator("#done")).to_contain_text(lesson.done.text)
        expect(page.locator("#missed")).to_be_empty()
        if lesson != lessons[-1]:
            page.get_by_role("link", name="Next lesson").click()
    expect(page.locator(".lessons .tick:visible")).to_have_count(len(lessons))
    assert page.get_by_role("link", name="Play a match").get_attribute("href") == f"/play?ruleset={game}"


@pytest.mark.parametrize("game", WRONG)
def test_a_wrong_move_says_so_and_can_be_taken_back(page, game):
    name, move = WRONG[game]
    lesson = next(each for each in LESSONS[game, 1] if each.name == name)
    page.goto(f"/rulesets/{game}/learn/{name}")
    make_move(page, game, lesson, move)
    expect(page.locator("#missed")).to_contain_text("Blue")
    expect(page.locator("#missed strong")).to_have_text(MISSED)
    assert page.locator("#done").is_hidden()
    page.get_by_role("button", name="Start again").click()
    expect(page.locator("#missed")).to_be_empty()
    for each in lesson.solution:
        make_move(page, game, lesson, each)
    expect(page.locator("#done")).to_contain_text(lesson.done.text)


@pytest.mark.parametrize("game", WRONG)
def test_on_a_phone_a_move_is_made_without_scrolling(visit, game):
    page = visit(phone=True).page
    lesson = LESSONS[game, 1][0]
    page.goto(f"/rulesets/{game}/learn")
    settle(page)
    [touch] = list_touches(game, lesson, lesson.solution[0])
    find_part(page, touch).tap()
    expect(page.get_by_role("button", name="Play it")).to_be_in_viewport(ratio=1)
    assert page.evaluate("scrollY") == 0
    require_usable(page)


@pytest.mark.parametrize("game", WRONG)
def test_a_lesson_that_was_only_shown_is_not_done(page, game):
    lesson = LESSONS[game, 1][0]
    page.goto(f"/rulesets/{game}/learn")
    page.get_by_role("button", name="Show me").click()
    expect(page.locator("#done")).to_contain_text(lesson.done.text)
    expect(page.locator("#done")).to_contain_text("try it yourself")
    expect(page.get_by_text("Well done!")).to_be_hidden()
    expect(page.get_by_role("button", name="Start again")).to_be_focused()
    expect(page.locator(".lessons .tick:visible")).to_have_count(0)
    page.get_by_role("button", name="Start again").click()
    for move in lesson.solution:
        make_move(page, game, lesson, move)
    expect(page.get_by_text("Well done!")).to_be_visible()
    expect(page.locator(".lessons .tick:visible")).to_have_count(1)


def test_a_lesson_goes_on_after_the_connection_was_lost(visit):
    guest = visit()
    page = guest.page
    [lesson] = [each for each in LESSONS["portals", 1] if each.name == "center"]
    page.goto("/rulesets/portals/learn/center")
    settle(page)
    page.route("**/positions", lambda route: route.abort())
    page.get_by_role("button", name="Show me").click()
    expect(page.locator("#missed")).to_have_text("The server cannot be reached. Try again.")
    expect(page.get_by_role("button", name="Start again")).to_be_focused()
    page.unroute("**/positions")
    page.get_by_role("button", name="Start again").click()
    expect(page.locator("#missed")).to_be_empty()
    # The answer to the move is lost.
    answer = {"move": lesson.answers[0]}
    page.route(
        "**/positions",
        lambda route: route.abort() if route.request.post_data_json["steps"][-1] == answer else route.fallback(),
    )
    make_move(page, "portals", lesson, "launch d3")
    expect(page.locator("#missed")).to_have_text("The server cannot be reached. Try again.")
    page.unroute("**/positions")
    page.get_by_role("button", name="Start again").click()
    make_move(page, "portals", lesson, "launch d3")
    expect(page.locator("#answered")).to_contain_text("Orange enters")
    guest.faults.clear()


def test_a_refused_touch_bars_no_other_and_what_others_answer_is_said(page):
    [lesson] = [each for each in LESSONS["portals", 1] if each.name == "center"]
    page.goto("/rulesets/portals/learn/center")
    settle(page)
    find_part(page, "c3").click()
    expect(page.locator(".reason")).to_contain_text("Blue has no pawn on CENTER.")
    make_move(page, "portals", lesson, "launch d3")
    expect(page.locator("#answered")).to_have_text("Orange enters: a pawn goes from the pool to START on a3.")
    expect(page.locator("#missed")).to_be_empty()


def test_a_click_before_the_scripts_have_loaded_is_not_in_vain(page):
    held = hold(page, "**/assets/lesson.*.js")
    page.goto("/rulesets/zhen/learn", wait_until="commit")
    page.get_by_role("button", name="Show me").click()
    held.wait().continue_()
    expect(page.locator("#shown")).to_be_visible()
