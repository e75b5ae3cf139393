"""Playing and recording as people do: with clicks, with keys, on two screens."""

import json
import re
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from io import BytesIO
from random import Random
from typing import Any, NamedTuple

import pytest
from PIL import Image
from playwright.sync_api import Error, Locator, Page, Route, expect

from plyscribe.service.boards import BOARDS
from plyscribe.service.boards.board import Board
from plyscribe.service.web.pages.assets import path_of
from tests.pages.conftest import DESKTOP, PHONE, Visitor, fits, hold, require_usable, take_pictures

SHORT = {"ply_limit": "14"}
GAMES = {
    "crystals": SHORT,
    "pathagon": {"size": "5"},
    "portals": {"radius": "2", **SHORT},
    "rings": SHORT,
    "zhen": {"tiles": "6", "cubes": "5", **SHORT},
}
CLICKS = {"crystals": 2, "pathagon": 2, "portals": 3, "rings": 3, "zhen": 2}
"""The most clicks that a move may need on average."""

FEW = 5
"""Of fewer moves than these, an average says nothing."""

TOUCHED = [name for name in GAMES if BOARDS[name, 1].trace is not Board._field_defaults["trace"]]
NOW, BOARD = "#now", "#board"
OUTCOME = re.compile(r"wins?\b|A draw|share first place")


def begin(page: Page, ruleset: str, seats: tuple[str, ...] = ("me", "bot:random"), **options: str) -> None:
    """Start a match with the form."""
    page.goto(f"/play?ruleset={ruleset}")
    for number, who in enumerate(seats, 1):
        page.get_by_label(f"Seat {number}").select_option(who)
    enter_options(page, options)
    page.get_by_role("button", name="Start").click()
    page.wait_for_url(re.compile(r"/matches/match-\w+/play$"))


def enter_options(page: Page, options: dict[str, str]) -> None:
    page.wait_for_load_state()
    if page.locator("#options").is_hidden():
        page.get_by_text("Game options").click()
    for name, value in options.items():
        page.locator(f"#option-{name}").fill(value)


def is_over(page: Page) -> bool:
    return OUTCOME.search(page.locator(NOW).inner_text()) is not None


def find_part(page: Page, touch: str) -> Locator:
    return page.locator(f'{BOARD} [data-touch="{touch}"]')


def settle(page: Page) -> None:
    """Wait until the page has done what the touches so far ask for, and nothing moves on the board.

    A click on what still moves meets whatever is there by then.
    """
    moving = "getAnimations({ subtree: true }).some(({ playState }) => playState === 'running')"
    # Before its scripts have loaded, a page does not say whether it waits.
    rests = "document.getElementById('composer').dataset.waiting === '0'"
    page.wait_for_function(f"() => {rests} && !document.getElementById('board').{moving}")


def click_something(page: Page, random: Random) -> bool:
    """Click one of the choices; once a move is complete, click its last part again or the button. False if none."""
    choices = page.locator(f"{BOARD} .choice, .chips button, #choices button")
    count, can_play = choices.count(), page.locator("#play").is_visible()
    # A choice may disappear just before the click. People then look again, and so does this.
    with suppress(Error):
        if can_play and (not count or random.random() < 0.5):
            page.locator("#play").click(timeout=10_000)
            return True
        if count:
            choices.nth(random.randrange(count)).click(timeout=10_000)
            return True
    return False


class Played(NamedTuple):
    """How a match was played: the clicks, and the moves that they made."""

    clicks: int
    moves: int


def play_out(page: Page, seed: int = 1) -> Played:
    """Click until the match is over."""
    random, clicks, moves = Random(seed), 0, []
    page.on("response", lambda answered: moves.append(answered.ok) if answered.url.endswith("/moves") else None)
    while clicks < 1000:
        waited_for = "#end [data-goes], .stage .choice, #choices button, .chips button, #play:not([hidden])"
        page.wait_for_function("(waited) => document.querySelector(waited)", arg=waited_for)
        settle(page)
        assert page.locator("#refusal").inner_text() == ""
        assert page.locator(".reason").all_inner_texts() == []
        if is_over(page):
            assert all(moves)
            return Played(clicks, len(moves))
        clicks += click_something(page, random)
        settle(page)
    raise AssertionError("the match does not end")


def learn(page: Page, ruleset: str) -> None:
    """Find the game on the home page, have its first lesson shown, and go on to the last."""
    page.goto("/")
    page.locator(f"a[href='/rulesets/{ruleset}/learn']").click()
    page.get_by_role("button", name="Show me").click()
    expect(page.get_by_text("Start again and try it yourself.")).to_be_visible()
    expect(page.locator(".lessons .tick:visible")).to_have_count(0)
    page.locator(".lessons a").last.click()
    page.get_by_role("button", name="Show me").click()
    expect(page.get_by_text("Start again and try it yourself.")).to_be_visible()


@pytest.mark.parametrize("ruleset", TOUCHED)
def test_a_newcomer_learns_a_game_plays_a_match_by_few_clicks_and_wants_another(page, ruleset):
    learn(page, ruleset)
    page.get_by_role("link", name="Play a match").click()
    page.get_by_role("link", name="Sign in to play").click()
    page.get_by_label("Name").fill(f"New to {ruleset}")
    page.get_by_role("button", name="Open an account").click()
    page.get_by_role("link", name="Continue").click()
    page.get_by_label("Seat 2").select_option("bot:random")
    enter_options(page, GAMES[ruleset])
    page.get_by_role("button", name="Start").click()
    page.wait_for_url(re.compile(r"/matches/match-\w+/play$"))
    expect(page.locator(f"{BOARD} svg")).to_be_visible()
    played = play_out(page)
    # One match of portals in twenty is over after two moves of each, however both play.
    assert played.moves >= 2
    print(f"{ruleset}: {played.clicks} clicks for {played.moves} moves")
    assert played.clicks <= CLICKS[ruleset] * max(played.moves, FEW)
    assert page.locator("#notation").is_hidden()
    expect(page.locator(NOW)).to_contain_text(OUTCOME)
    take_pictures(page, f"played-{ruleset}")
    ended = page.url
    page.get_by_role("button", name="Rematch").click()
    page.wait_for_url(lambda url: url != ended and "/play" in url)
    expect(page.locator(f"{BOARD} svg")).to_be_visible()


def test_two_people_see_each_others_moves_as_they_are_made(visit):
    adele, ben = visit("Adele"), visit("Ben")
    # The page shows seats that are opened later, too.
    ben.page.goto("/play")
    begin(adele.page, "pathagon", ("me", "open"))
    ben.page.get_by_role("row", name=re.compile("Adele – nobody yet")).get_by_role("button").click()
    expect(ben.page.locator(NOW)).to_have_text("Waiting for Adele.")
    find_part(ben.page, "d4").click()
    expect(ben.page.locator(".reason")).to_have_text("It is not your turn.")
    expect(adele.page.locator(NOW)).to_contain_text("Your turn.")
    find_part(adele.page, "d4").click()
    expect(adele.page.locator("#meaning")).to_have_text("Adele places a piece from the reserve on d4.")
    adele.page.get_by_role("button", name="Play it").click()
    expect(ben.page.locator(NOW)).to_contain_text("Your turn.")
    expect(ben.page.locator("#log li").first).to_contain_text("d4")
    expect(adele.page.locator("#composing")).to_be_hidden()
    expect(ben.page.locator("#said")).to_have_text("Adele places a piece from the reserve on d4.")
    ben.page.get_by_role("button", name="Offer a draw").click()
    expect(adele.page.locator("#actions")).to_contain_text("Ben offers a draw.")
    adele.page.get_by_role("button", name="Decline").click()
    expect(ben.page.locator("#log li").first).to_contain_text("declines the draw")
    ben.page.get_by_role("button", name="Resign").click()
    ben.page.get_by_role("dialog").get_by_role("button", name="Resign").click()
    expect(adele.page.locator(NOW)).to_contain_text("You win: ")
    adele.page.get_by_role("button", name="Rematch").click()
    adele.page.wait_for_url(lambda url: ben.page.url != url and url.endswith("/play"))


def test_a_link_stays_when_somebody_takes_another_seat(visit):
    page = visit("Ann").page
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


@pytest.mark.parametrize("entry", ["touched", "typed"])
def test_a_touch_counts_before_the_answer_to_the_last_move_comes(visit, entry):
    page = begin_alone(visit)
    held = hold(page, "**/moves")
    if entry == "touched":
        find_part(page, "d4").dblclick()
    else:
        type_move(page, "d4")
    answered = held.wait().fetch()
    expect(page.locator(NOW)).to_contain_text("Your turn: seat 2.")
    find_part(page, "e5").click()
    held[0].fulfill(response=answered)
    expect(page.locator("#meaning")).to_have_text("Ann (seat 2) places a piece from the reserve on e5.")


def test_a_touch_counts_although_the_board_is_looked_at_again_meanwhile(visit):
    page = begin_alone(visit)
    held = hold(page, "**/touched?touch=d4*", times=1)
    find_part(page, "d4").click()
    held.wait()
    # Whose turn it is stays as it was.
    page.evaluate("document.dispatchEvent(new Event('plyscribe:waits'))")
    held[0].continue_()
    expect(page.locator("#meaning")).to_have_text("Ann (seat 1) places a piece from the reserve on d4.")


def test_a_typed_move_says_what_it_would_do_and_why_it_is_refused_and_is_not_lost(visit):
    ann = visit("Ann")
    begin(ann.page, "pathagon", ("me", "me"))
    page = ann.page
    page.get_by_text("Type the move").click()
    field = page.get_by_label("Move in notation")
    for typed, says in (("d4", "places a piece from the reserve on d4."), ("dx", "No legal move starts like this.")):
        field.fill(typed)
        expect(page.locator("#typed-meaning")).to_contain_text(says)
    field.fill("d4-d5")
    page.locator("#move").click()
    expect(page.get_by_role("alert").filter(has_text="PA4")).to_be_visible()
    expect(page.get_by_role("link", name="Read PA4.")).to_have_attribute("href", "/rulesets/pathagon#PA4")
    expect(field).to_have_value("d4-d5")
    ann.forgive("422")


def test_a_move_is_sent_again_while_a_proxy_reaches_no_process(visit):
    ann = visit("Ann")
    begin(ann.page, "pathagon", ("me", "me"))
    statuses, keys = [502, 504, 200, 502, 503, 504], list[str]()

    def answer(route: Route) -> None:
        keys.append(route.request.headers["idempotency-key"])
        status = statuses[len(keys) - 1]
        body = "" if status == 502 else json.dumps({"code": "server/unreachable", "detail": "No answer."})
        route.fallback() if status == 200 else route.fulfill(status=status, body=body)

    ann.page.route("**/moves", answer)
    type_move(ann.page, "d4")
    expect(ann.page.locator(NOW)).to_contain_text("Your turn: seat 2.")
    # The page may show the move before its answer comes, which empties the field.
    settle(ann.page)
    ann.page.get_by_label("Move in notation").fill("e5")
    ann.page.locator("#move").click()
    expect(ann.page.get_by_role("alert").filter(has_text="The server cannot be reached. Try again.")).to_be_visible()
    expect(ann.page.get_by_label("Move in notation")).to_have_value("e5")
    first, second = keys[:3], keys[3:]
    assert len(second) == 3
    assert [len({*first}), len({*second}), len({*keys})] == [1, 1, 2]
    ann.forgive("502", "503", "504")


def type_move(page: Page, move: str) -> None:
    page.get_by_text("Type the move").click()
    page.get_by_label("Move in notation").fill(move)
    page.locator("#move").click()


def open_board(visitor: Visitor, path: str) -> Page:
    visitor.page.goto(path)
    expect(visitor.page.locator(f"{BOARD} .choice").first).to_be_visible()
    settle(visitor.page)
    return visitor.page


def record_alone(visit, ruleset: str, *steps: str | Sequence[int]) -> Page:
    """The page on which Ann records a match, after these moves and rolls."""
    ann = visit("Ann")
    return open_board(ann, f"/matches/{ann.record(ruleset, *steps)}/record")


def begin_alone(
    visit, ruleset: str = "pathagon", *moves: str, options: dict[str, Any] | None = None, **browser: Any
) -> Page:
    """The table of a match that Ann plays against herself, after these moves."""
    ann = visit("Ann", **browser)
    return open_board(ann, f"/matches/{ann.play_alone(*moves, ruleset=ruleset, options=options)}/play")


def test_a_touch_shows_the_move_another_begins_another_and_a_second_one_makes_it(visit):
    page = begin_alone(visit)
    find_part(page, "d4").click()
    expect(page.locator("#meaning")).to_have_text("Ann (seat 1) places a piece from the reserve on d4.")
    expect(page.locator(f"{BOARD} .chosen")).to_have_count(1)
    find_part(page, "e5").click()
    expect(page.locator("#meaning")).to_contain_text("on e5.")
    page.keyboard.press("Escape")
    expect(page.locator("#meaning")).to_have_text("Choose on the board.")
    expect(page.locator(f"{BOARD} .chosen")).to_have_count(0)
    find_part(page, "e5").click()
    page.get_by_role("button", name="Cancel").click()
    expect(page.locator("#play")).to_be_hidden()
    expect(page.locator(NOW)).to_contain_text("Your turn: seat 1.")
    find_part(page, "e5").click()
    find_part(page, "e5").click()
    expect(page.locator(NOW)).to_contain_text("Your turn: seat 2.")


def test_a_refused_touch_says_why_beside_the_field(visit):
    page = begin_alone(visit, "pathagon", "d4")
    find_part(page, "d4").click()
    reason = page.locator(".reason")
    expect(reason).to_contain_text("d4 is not empty")
    expect(reason.get_by_role("link", name="PA4 · Place or move")).to_have_attribute("href", "/rulesets/pathagon#PA4")
    expect(page.locator("#said")).to_contain_text("d4 is not empty")
    field, beside = find_part(page, "d4").bounding_box(), reason.bounding_box()
    assert abs(field["x"] + field["width"] / 2 - beside["x"] - beside["width"] / 2) < beside["width"]
    assert min(abs(field["y"] - beside["y"] - beside["height"]), abs(beside["y"] - field["y"] - field["height"])) < 20
    find_part(page, "e5").click()
    expect(reason).to_have_count(0)


def test_a_touch_made_before_the_turn_ended_is_forgotten(visit):
    ann, ben = visit("Ann"), visit("Ben")
    begin(ann.page, "pathagon", ("me", "open"))
    ben.page.goto(ann.page.url)
    ben.page.get_by_role("button", name=re.compile("Take seat 2|Join the match")).click()
    expect(ann.page.locator(NOW)).to_contain_text("Your turn.")
    held = hold(ann.page, "**/moves")
    with ann.page.expect_request("**/moves"):
        find_part(ann.page, "d4").dblclick()
    find_part(ann.page, "e5").click()
    held[0].continue_()
    expect(ann.page.locator(NOW)).to_have_text("Waiting for Ben.")
    settle(ann.page)
    expect(ann.page.locator(".reason")).to_have_count(0)


NEAR, FAR = (
    [f"{file}{rank}" for file in files for rank in ranks] for files, ranks in (("abcd", "1234"), ("gfed", "7654"))
)
SHIFTING = [field for pair in zip(NEAR[:14], FAR[:14], strict=True) for field in pair]
"""Moves after which all pieces of Pathagon are on the board."""


def test_a_piece_is_moved_by_a_click_on_it_and_one_on_its_target(visit):
    page = begin_alone(visit, "pathagon", *SHIFTING)
    find_part(page, "a1").click()
    expect(page.locator("#meaning")).to_have_text("Now choose one of the marked places.")
    find_part(page, "d4").hover()
    expect(page.locator("#meaning")).to_contain_text("moves a piece from a1 to d4.")
    find_part(page, "a1").hover()
    expect(page.locator("#meaning")).to_have_text("Now choose one of the marked places.")
    find_part(page, "d4").click()
    expect(page.locator("#log li").first).to_contain_text("a1-d4")


ROLLS = [[5], [1], [1], [1]], [[1, 3, 5, 1], [1, 1, 1, 1]]
RECRUITS = ["R +warrior", "M warrior s1-a5", "R +warrior", "R +warrior"]
STUCK = [*ROLLS[0], "start a1", "start a5", *ROLLS[1], *RECRUITS]
"""Steps of Rings. Seat 1 can now swap the terrain of a6 with that of a5 or a7, but cannot move its warrior on a5."""


@pytest.mark.parametrize("dragged", [False, True], ids=["clicked", "dropped"])
def test_a_piece_that_cannot_move_does_not_cover_the_target_on_which_it_stands(visit, dragged):
    page = record_alone(visit, "rings", *STUCK)
    find_part(page, "a6").click()
    expect(page.locator("#meaning")).to_have_text("Now choose one of the marked places.")
    warrior = find_part(page, "warrior:a5")
    if dragged:
        find_part(page, "a6").hover()
        page.mouse.down()
    warrior.hover()
    if dragged:
        page.mouse.up()
    else:
        expect(page.locator("#meaning")).to_contain_text("a5")
        warrior.click()
    expect(page.locator("#log li").first).to_contain_text("T swap a5 a6")


def test_a_piece_that_cannot_move_means_the_field_that_can_be_chosen_below_it(visit):
    page = record_alone(visit, "rings", *STUCK)
    find_part(page, "warrior:a5").click()
    expect(page.locator("#meaning")).to_have_text("Now choose one of the marked places.")
    expect(page.locator(".reason")).to_have_count(0)
    find_part(page, "a6").click()
    # The second touch by mouse completes the move, which is then made.
    expect(page.locator("#log li").first).to_contain_text("T swap a5 a6")


def test_a_piece_is_dragged_to_its_target_and_says_why_it_cannot_go_elsewhere(visit):
    page = begin_alone(visit, "pathagon", *SHIFTING)
    find_part(page, "a1").hover()
    page.mouse.down()
    find_part(page, "g7").hover()
    page.mouse.up()
    expect(page.locator(".reason")).to_contain_text("PA4")
    expect(page.locator(f"{BOARD} .chosen")).to_have_count(1)
    # Touched again, it is let go.
    find_part(page, "a1").click()
    expect(page.locator(f"{BOARD} .chosen")).to_have_count(0)
    find_part(page, "a1").hover()
    page.mouse.down()
    find_part(page, "c5").hover()
    expect(page.locator(".lifted")).to_be_visible()
    find_part(page, "d4").hover()
    page.mouse.up()
    expect(page.locator("#log li").first).to_contain_text("a1-d4")
    expect(page.locator(".lifted")).to_have_count(0)


def test_complete_moves_are_played_at_once_if_wished_and_the_browser_remembers_that(visit):
    page = begin_alone(visit)
    page.get_by_label("Play moves as soon as they are complete").check()
    find_part(page, "d4").click()
    expect(page.locator(NOW)).to_contain_text("Your turn: seat 2.")
    page.reload()
    expect(page.get_by_label("Play moves as soon as they are complete")).to_be_checked()
    find_part(page, "e5").click()
    expect(page.locator(NOW)).to_contain_text("Your turn: seat 1.")


def test_a_match_is_played_with_keys_alone(visit):
    page = begin_alone(visit)
    for _ in range(30):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.dataset.touch"):
            break
    at = page.evaluate("document.activeElement.dataset.touch")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowRight")
    there = page.evaluate("document.activeElement.dataset.touch")
    assert there != at
    expect(find_part(page, there)).to_be_focused()
    expect(find_part(page, there)).to_have_attribute("aria-label", f"{there}, empty")
    page.keyboard.press("Enter")
    expect(page.locator("#meaning")).to_contain_text(f"on {there}.")
    page.keyboard.press("Enter")
    expect(page.locator(NOW)).to_contain_text("Your turn: seat 2.")
    expect(find_part(page, there)).to_be_focused()
    expect(find_part(page, there)).to_have_attribute("aria-label", f"{there}, a piece of Ann (seat 1)")
    page.keyboard.press("Enter")
    expect(page.locator(".reason")).to_contain_text("is not empty")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Space")
    page.keyboard.press("Space")
    expect(page.locator(NOW)).to_contain_text("Your turn: seat 1.")


def test_a_finger_means_the_nearest_choice_and_sees_the_move_before_it_is_made(visit):
    page = begin_alone(visit, "pathagon", *SHIFTING, phone=True)
    find_part(page, "a1").tap()
    expect(page.locator("#meaning")).to_have_text("Now choose one of the marked places.")
    field = find_part(page, "e3").bounding_box()
    # A little beside the field, on its neighbour, where a piece stands.
    page.touchscreen.tap(field["x"] + field["width"] / 2, field["y"] - 6)
    expect(page.locator("#meaning")).to_contain_text("moves a piece from a1 to e3.")
    expect(page.locator(NOW)).to_contain_text("Your turn: seat 1.")
    find_part(page, "e3").tap()
    expect(page.locator("#log li").first).to_contain_text("a1-e3")


def test_a_dense_board_is_enlarged_for_fingers(visit):
    page = begin_alone(visit, "portals", options={"radius": 8}, phone=True)
    while page.locator(f"{BOARD} .choice").count() < 4:
        find_part(page, page.locator(f"{BOARD} .choice").first.get_attribute("data-touch")).tap()
        page.locator("#play").tap()
        settle(page)
    field = page.locator(f"{BOARD} .choice").nth(2)
    assert field.bounding_box()["width"] < 44
    field.tap()
    settle(page)
    # The first tap may have meant one of several fields, so it only shows them larger.
    expect(page.get_by_role("button", name="Show the whole board")).to_be_visible()
    expect(page.locator(f"{BOARD} .chosen")).to_have_count(0)
    assert field.bounding_box()["width"] >= 40
    assert not page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth")
    field.tap()
    expect(page.locator(f"{BOARD} .chosen").first).to_be_visible()
    page.get_by_role("button", name="Cancel").tap()
    page.get_by_role("button", name="Show the whole board").tap()
    expect(page.get_by_role("button", name="Enlarge the board")).to_be_visible()
    assert field.bounding_box()["width"] < 44


def test_victims_and_ghosts_show_what_a_move_would_change(visit):
    page = begin_alone(visit, "pathagon", "c3", "c4", "d1", "a1")
    find_part(page, "c5").click()
    expect(page.locator("#meaning")).to_contain_text("traps the piece")
    expect(page.locator(".marks .ghost").first).to_be_visible()
    expect(page.locator(f'{BOARD} .leaving[data-at="c4"]')).to_have_count(1)
    expect(page.locator(".marks .cross")).to_have_count(2)
    take_pictures(page, "preview-pathagon")
    page.keyboard.press("Escape")
    expect(page.locator(".marks .ghost")).to_have_count(0)
    expect(page.locator(f"{BOARD} .leaving")).to_have_count(0)


@pytest.mark.parametrize("ruleset", TOUCHED)
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_the_marks_of_choices_stand_out_against_whatever_is_below(visit, ruleset, dark):
    page, random = begin_alone(visit, ruleset, dark=dark), Random(2)
    for _ in range(8):
        settle(page)
        if page.locator(f"{BOARD} .choice").count():
            weakest = measure_marks(page)
            assert weakest >= 3, weakest
        click_something(page, random)


def measure_marks(page: Page) -> float:
    """The contrast of the weakest mark with what is below it, measured on the pixels that it covers."""
    board = page.locator(f"{BOARD} svg.board")
    marked = Image.open(BytesIO(board.screenshot())).convert("RGB")
    page.evaluate("document.querySelector('.marks').setAttribute('visibility', 'hidden')")
    plain = Image.open(BytesIO(board.screenshot())).convert("RGB")
    page.evaluate("document.querySelector('.marks').removeAttribute('visibility')")
    boxes = "(parts) => parts.slice(0, 40).map((part) => part.getBoundingClientRect().toJSON())"
    place = board.evaluate("(board) => board.getBoundingClientRect().toJSON()")
    contrasts = []
    for box in page.locator(f"{BOARD} .choice").evaluate_all(boxes):
        x, y = int(box["x"] - place["x"]), int(box["y"] - place["y"])
        area = (x - 4, y - 4, x + int(box["width"]) + 4, y + int(box["height"]) + 4)
        pairs = zip(marked.crop(area).get_flattened_data(), plain.crop(area).get_flattened_data(), strict=True)
        strong = sorted((contrast_of(one, other) for one, other in pairs if one != other), reverse=True)
        # Enough pixels to be seen as a line or a dot.
        contrasts.append(strong[24] if len(strong) > 24 else 1)
    return min(contrasts)


@cache
def contrast_of(one: tuple[int, ...], other: tuple[int, ...]) -> float:
    """As WCAG 2.2 defines it."""
    darker, lighter = sorted(map(luminance_of, (one, other)))
    return (lighter + 0.05) / (darker + 0.05)


@cache
def luminance_of(colour: tuple[int, ...]) -> float:
    linear = [(part / 255 / 12.92 if part <= 10 else ((part / 255 + 0.055) / 1.055) ** 2.4) for part in colour]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_the_board_speaks_german(visit):
    page = begin_alone(visit, "pathagon", "d4")
    page.set_extra_http_headers({"Accept-Language": "de"})
    page.reload()
    find_part(page, "d4").click()
    expect(page.locator(".reason")).to_contain_text("d4 ist nicht leer")
    expect(find_part(page, "d4")).to_have_attribute("aria-label", "d4, ein Stein von Ann (Platz 1)")
    find_part(page, "e5").click()
    expect(page.get_by_role("button", name="Ziehen")).to_be_visible()


def test_a_match_from_a_real_table_is_recorded(visit):
    page = visit("Ann").page
    page.goto("/record?ruleset=portals")
    page.get_by_label("Seat 1").fill("Ada")
    page.get_by_label("Seat 2").fill("Bea")
    page.get_by_label("Place").fill("Turin")
    page.get_by_role("button", name="Start recording").click()
    for value in ("5", "3"):
        page.locator(f"[data-face='{value}']").click()
        page.get_by_role("button", name="Enter", exact=True).click()
        expect(page.locator("#dice .die").last).to_have_text(value)
    expect(page.locator(NOW)).to_have_text("It is Ada's turn.")
    type_move(page, "enter")
    expect(page.locator(NOW)).to_have_text("It is Bea's turn.")
    page.get_by_label("Take back more, from").select_option("roll 3")
    page.get_by_role("button", name="Take back to there").click()
    expect(page.locator(NOW)).to_contain_text("must roll")
    page.locator("[data-face='4']").click()
    page.get_by_role("button", name="Enter", exact=True).click()
    expect(page.locator("#dice .die").last).to_have_text("4")
    expect(page.locator(NOW)).to_have_text("It is Ada's turn.")
    require_usable(page, "record")
    page.get_by_role("button", name="A player withdraws").click()
    page.get_by_role("radio", name="Bea").check()
    page.get_by_label("Why?").select_option("time")
    page.get_by_role("button", name="Withdraw the player", exact=True).click()
    expect(page.locator(NOW)).to_contain_text("Ada wins: ")
    page.reload()
    expect(page.locator("form[data-post$=confirmation] .clock")).to_have_text(re.compile("0[45]:[0-9][0-9]"))
    page.set_viewport_size(PHONE)
    assert fits(page)
    page.set_viewport_size(DESKTOP)
    take_pictures(page, "record-end")
    page.get_by_role("button", name="Take back the last step: withdrawal of Bea").click()
    expect(page.locator(NOW)).to_have_text("It is Ada's turn.")
    expect(page.locator("#log")).not_to_contain_text("Bea runs out of time")
    page.get_by_role("button", name="A player withdraws").click()
    page.get_by_role("radio", name="Ada").check()
    page.get_by_role("button", name="Withdraw the player", exact=True).click()
    expect(page.locator(NOW)).to_contain_text("Bea wins: ")
    page.get_by_role("button", name="Confirm").click()
    expect(page.locator("#log")).to_contain_text("The record is confirmed")
    expect(page.get_by_role("button", name="Confirm")).to_have_count(0)
    expect(page.get_by_role("button", name="Take back")).to_have_count(0)


def test_a_refused_form_says_why_at_the_field(visit):
    ann = visit("Ann")
    page = ann.page
    page.goto("/play?ruleset=pathagon")
    page.locator("#new").evaluate("form => { form.noValidate = true; }")
    page.locator("#option-size").fill("99")
    page.get_by_role("button", name="Start").click()
    expect(page.locator('.refusal[data-for="options.size"]')).to_contain_text("allowed: an integer 5..9")
    expect(page.locator("#option-size")).to_be_focused()
    ann.forgive("422")


def test_a_move_that_became_impossible_starts_again(visit):
    page = begin_alone(visit)
    script = """async (path) => {
        const { Composer } = await import(path);
        let isLater = false;
        const list = (touches) => (touches.length ? (isLater ? [] : ["b2", "b3"]) : ["a1"]);
        const findTouched = async (touches) => ({
          next: list(touches).map((touch) => ({ touch, move: null })),
          touches, ready: [], picture: null, refusal: null, read: {},
        });
        const [root, board] = ["composer", "board"].map((id) => document.getElementById(id));
        const composer = new Composer(root, board, { findTouched, submit: async () => {}, clauses: "" });
        composer.update(1);
        await composer.touch("a1", "mouse");
        const before = [...composer.touches];
        composer.update(1);
        await composer.chain;
        const kept = [...composer.touches];
        // A touch that was meant for the position before.
        isLater = true;
        composer.update(1);
        await composer.chain;
        return [before, kept, composer.touches];
    }"""
    assert page.evaluate(script, path_of("composer.js")) == [["a1"], ["a1"], []]


@pytest.mark.parametrize("asset", ["table.js", "commands.js"])
def test_a_click_before_the_scripts_have_loaded_counts_once_they_have(visit, asset):
    ann = visit("Ann")
    with ann.client() as client:
        match = client.create_match("zhen", [{"player": client.me()["player"]}, None], private=True)["match"]
    held = hold(ann.page, f"**{path_of(asset)}")
    ann.page.goto(f"/matches/{match}/play", wait_until="commit")
    button = ann.page.get_by_role("button", name=re.compile("Take seat 2|Join the match"))
    button.click()
    button.click()
    held.wait().continue_()
    expect(ann.page.locator(NOW)).to_have_text(re.compile("Your turn"))


def test_a_click_before_the_scripts_have_loaded_does_not_reload_the_page(visit):
    ann = visit("Ann", scripts=False)
    with ann.client() as client:
        match = client.create_match("zhen", [{"player": client.me()["player"]}, None])["match"]
    for path, button in ((f"/matches/{match}/play", "Leave"), ("/play?ruleset=zhen", "Start")):
        ann.page.goto(path)
        ann.page.get_by_role("button", name=button, exact=True).click()
        # A page that is loaded anew by a form has its fields, or a question mark, in its address.
        ann.page.wait_for_timeout(500)
        assert ann.page.url == f"{ann.url}{path}"
