"""Passing on: a link to a friend, a position to readers, a board to another site."""

import re
from io import BytesIO

import pytest
import segno
from PIL import Image
from playwright.sync_api import Locator, expect

from tests.pages.conftest import OtherSite, find_barriers, hold, require_usable, take_pictures

MOVES = ("d4", "e5", "a1")


def invite(visitor, ruleset: str) -> str:
    """Play a friend; returns the link."""
    visitor.page.goto(f"/play?ruleset={ruleset}")
    visitor.page.get_by_role("button", name="Play a friend").click()
    visitor.page.wait_for_url(re.compile(r"/matches/match-\w+/play$"))
    return visitor.page.locator(".friend .link").input_value()


def accept(visitor, link: str, name: str) -> None:
    visitor.page.goto(link)
    visitor.page.get_by_role("main").get_by_role("link", name="Play", exact=True).click()
    visitor.page.get_by_label("Name").fill(name)
    visitor.page.get_by_role("button", name="Open an account").click()
    visitor.page.get_by_role("link", name="Continue").click()
    visitor.page.get_by_role("button", name="Play", exact=True).click()
    visitor.page.wait_for_url(re.compile(r"/play$"))


def read_code(code: Locator) -> list[list[bool]]:
    """The modules of a QR code as they are seen on the screen."""
    seen = Image.open(BytesIO(code.screenshot())).convert("L")
    size = int(code.evaluate("(svg) => svg.viewBox.baseVal.width"))
    step = seen.width / size
    rows = [
        [seen.getpixel((int((x + 0.5) * step), int((y + 0.5) * step))) < 128 for x in range(size)] for y in range(size)
    ]
    return [row[3:-3] for row in rows[3:-3]]


NOTE_COPIED = """() => {
  const note = () => (globalThis.noted ||= document.querySelector(".copied")?.textContent);
  new MutationObserver(note).observe(document.body, { subtree: true, attributes: true, childList: true });
}"""


def copy(button: Locator) -> None:
    """Press this button and wait until it has said that it copied something, which it says for a moment only."""
    button.page.evaluate(NOTE_COPIED)
    button.click()
    button.page.wait_for_function("() => globalThis.noted")
    assert button.page.evaluate("globalThis.noted") == "Copied"


@pytest.mark.parametrize("ruleset", ["rings", "zhen"])
def test_two_friends_play_by_a_link_with_one_press_each(visit, ruleset):
    ann, ben = visit("Ann"), visit(phone=True, dark=True)
    link = invite(ann, ruleset)
    expect(ann.page.get_by_text("Waiting for your friend …")).to_be_visible()
    require_usable(ann.page, f"friend-{ruleset}")
    ben.page.goto(link)
    expect(ben.page.get_by_role("heading", name=re.compile("Ann invites you to play"))).to_be_visible()
    assert not find_barriers(ben.page)
    take_pictures(ben.page, f"join-{ruleset}")
    accept(ben, link, f"Ben of {ruleset}")
    # The host's page goes on by itself.
    expect(ann.page.locator(".friend")).to_have_count(0)
    expect(ann.page.locator("#people, main")).to_contain_text([f"Ben of {ruleset}"])
    expect(ann.page.get_by_text("The match has not begun.")).to_have_count(0)


def test_the_link_is_copied_or_shared_and_stays_when_the_page_is_loaded_again(visit):
    ann = visit("Ann")
    ann.context.grant_permissions(["clipboard-read", "clipboard-write"])
    ann.page.add_init_script("navigator.share = async (what) => { globalThis.shared = what; };")
    link = invite(ann, "zhen")
    copy(ann.page.get_by_role("button", name="Copy"))
    assert ann.page.evaluate("navigator.clipboard.readText()") == link
    expect(ann.page.get_by_role("button", name="Copy", exact=True)).to_be_visible()
    ann.page.get_by_role("button", name="Share …").click()
    ann.page.wait_for_function("() => globalThis.shared")
    assert ann.page.evaluate("globalThis.shared") == {"title": "Play Zhen with me", "url": link}
    ann.page.reload()
    assert ann.page.locator(".friend .link").input_value() == link


@pytest.mark.parametrize("dark", [False, True])
def test_the_code_on_the_screen_is_that_of_the_link(visit, dark):
    ann = visit("Ann", dark=dark)
    link = invite(ann, "zhen")
    code = ann.page.locator(".friend .qr")
    assert read_code(code) == [[bool(dark) for dark in row] for row in segno.make_qr(link, error="m").matrix]


def test_the_position_on_the_board_is_shared(visit):
    ann = visit("Ann")
    ann.context.grant_permissions(["clipboard-read", "clipboard-write"])
    match = ann.play_alone(*MOVES)
    page = ann.page
    page.goto(f"/matches/{match}?ply=1")
    page.get_by_text("Share this position").click()
    expect(page.get_by_label("Link to this position")).to_have_value(f"{ann.url}/matches/{match}?ply=1")
    page.get_by_role("button", name="Next", exact=True).click()
    expect(page.get_by_label("Link to this position")).to_have_value(f"{ann.url}/matches/{match}?ply=2")
    copy(page.locator("[data-copies=share-link]"))
    assert page.evaluate("navigator.clipboard.readText()") == f"{ann.url}/matches/{match}?ply=2"
    expect(page.locator("#share-frame")).to_have_value(re.compile(rf"/embed/matches/{match}\?ply=2"))
    with page.expect_download() as picture:
        page.get_by_role("link", name="Picture (PNG)").click()
    assert picture.value.suggested_filename == f"{match}-2.png"
    assert Image.open(BytesIO(picture.value.path().read_bytes())).format == "PNG"
    with page.expect_download() as film:
        page.get_by_role("link", name="The match as a film (GIF)").click()
    expect(page.get_by_text("The film is ready. Your browser saves it.")).to_be_visible()
    opened = Image.open(BytesIO(film.value.path().read_bytes()))
    assert (opened.format, opened.n_frames) == ("GIF", 4)
    require_usable(page, "share")


def test_a_film_that_takes_long_is_asked_for_again_and_one_that_cannot_be_made_is_said_so(visit):
    ann = visit("Ann")
    match = ann.play_alone(*MOVES)
    page = ann.page
    answers = [503, 503]

    def answer(route) -> None:
        if answers:
            route.fulfill(status=answers.pop(), headers={"Retry-After": "1"}, body="{}")
        else:
            route.continue_()

    page.route(f"**/matches/{match}.gif", answer)
    page.goto(f"/matches/{match}")
    page.get_by_text("Share this position").click()
    with page.expect_download():
        page.locator("#share-gif").click()
        expect(page.get_by_text("Making the picture …")).to_be_visible()
    assert not answers
    answers.append(429)
    page.locator("#share-gif").click()
    expect(page.get_by_text("The film cannot be made right now.")).to_be_visible()
    # The browser reports the refusals.
    ann.faults.clear()


def test_a_blog_shows_the_board_and_its_readers_step_through_it(visit, reader):
    ann = visit("Ann")
    match = ann.play_alone(*MOVES)
    ann.page.goto(f"/matches/{match}?ply=1")
    reader.goto(OtherSite(ann.page.locator("#share-frame").input_value()).origin)
    board = reader.frame_locator("iframe")
    expect(board.locator("#embed-place")).to_have_text("1 of 3")
    assert board.locator("#embed-board svg").bounding_box()["height"] > 200
    board.get_by_role("button", name="One move on").click()
    expect(board.locator("#embed-place")).to_have_text("2 of 3")
    board.get_by_role("button", name="First position").click()
    expect(board.locator("#embed-place")).to_have_text("0 of 3")
    board.get_by_role("button", name="Play back").click()
    expect(board.locator("#embed-place")).to_have_text("3 of 3")
    expect(board.get_by_role("button", name="Play back")).to_have_attribute("aria-pressed", "false")
    with reader.context.expect_page() as opened:
        board.get_by_role("link", name="on Plyscribe").click()
    assert opened.value.url == f"{ann.url}/matches/{match}?ply=3"


def test_a_frame_follows_a_match_under_way(visit, reader):
    ann = visit("Ann")
    match = ann.play_alone(*MOVES)
    reader.goto(OtherSite(f'<iframe src="{ann.url}/embed/matches/{match}" width="480" height="600"></iframe>').origin)
    board = reader.frame_locator("iframe")
    expect(board.locator("#embed-place")).to_have_text("3 of 3")
    with ann.client() as client:
        client.move(match, "b2")
    expect(board.locator("#embed-place")).to_have_text("4 of 4")
    board.get_by_role("button", name="One move back").click()
    expect(board.locator("#embed-place")).to_have_text("3 of 4")
    with ann.client() as client:
        client.move(match, "b3")
    # A reader who looks at an earlier position stays there.
    expect(board.locator("#embed-place")).to_have_text("3 of 5")


def test_a_step_in_a_frame_counts_although_a_move_comes_meanwhile(visit):
    ann = visit("Ann")
    match = ann.play_alone(*MOVES)
    page = visit().page
    page.goto(f"/embed/matches/{match}")
    expect(page.locator("#embed-place")).to_have_text("3 of 3")
    held = hold(page, "**/embed/**", times=1)
    page.get_by_role("button", name="One move back").click()
    held.wait()
    with ann.client() as client:
        client.move(match, "b2")
    expect(page.locator("#embed-place")).to_have_text("2 of 4")
    held[0].continue_()
    page.wait_for_timeout(200)
    expect(page.locator("#embed-place")).to_have_text("2 of 4")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_frame_has_its_theme_whatever_the_system_prefers(visit, theme):
    ann = visit("Ann", dark=theme == "light")
    match = ann.play_alone(*MOVES)
    ann.page.goto(f"/embed/matches/{match}?theme={theme}")
    ground = ann.page.evaluate("getComputedStyle(document.body).backgroundColor")
    label = ann.page.evaluate("getComputedStyle(document.querySelector('#embed-board .label')).fill")
    ground_is_light, label_is_light = (sum(map(int, re.findall(r"\d+", each)[:3])) > 380 for each in (ground, label))
    assert (ground_is_light, label_is_light) == (theme == "light", theme == "dark")


def test_a_framed_board_has_no_barriers_fits_a_phone_and_steps_without_scripts(visit):
    ann, reader = visit("Ann"), visit(scripts=False)
    match = ann.play_alone(*MOVES)
    ann.page.goto(f"/embed/matches/{match}")
    require_usable(ann.page, "embed")
    reader.page.goto(f"/embed/matches/{match}?theme=dark&seat=2")
    reader.page.get_by_role("button", name="One move back").click()
    expect(reader.page.locator("#embed-place")).to_have_text("2 of 3")
    assert "theme=dark" in reader.page.url
