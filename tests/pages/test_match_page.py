"""The page of a match: stepping through it, reading it without scripts, following it live."""

import re
import time
from datetime import UTC, datetime, timedelta
from itertools import islice

import pytest
from playwright.sync_api import Page, expect

from plyscribe.service.client import Client
from plyscribe.service.web.pages.move_list import PART
from tests.pages.conftest import GAMES, find_barriers, require_usable
from tests.system.running import Serving, pair, wait_until_scored


def place(page: Page) -> int:
    return int(page.locator("#place").inner_text().split()[0])


def stand_at(page: Page, ply: int) -> None:
    expect(page.locator("#place")).to_have_text(re.compile(rf"^{ply} of "))


def test_positions_are_shown_while_the_slider_is_dragged(page, matches):
    page.goto(f"/matches/{matches['zhen']}")
    last = place(page)
    slider = page.get_by_label("Move", exact=True).bounding_box()
    middle = slider["y"] + slider["height"] / 2
    page.mouse.move(slider["x"] + slider["width"] / 2, middle)
    # Nothing that waits for a while comes to its end before the release.
    page.clock.install()
    page.clock.pause_at(time.time() + 60)
    page.mouse.down()
    page.mouse.move(slider["x"], middle, steps=5)
    stand_at(page, 0)
    page.mouse.move(slider["x"] + slider["width"], middle, steps=5)
    stand_at(page, last)
    page.mouse.up()


@pytest.mark.parametrize("game", GAMES)
def test_a_replay_of_every_game_can_be_stepped_through(page, service, matches, game):
    page.goto(f"/matches/{matches[game]}")
    last = place(page)
    with Client(service.url) as anyone:
        moves = anyone.match(matches[game])["moves"]
    assert last == len(moves)
    page.get_by_role("button", name="First").click()
    stand_at(page, 0)
    for ply in (1, 2, 3):
        page.get_by_role("button", name="Next").click()
        stand_at(page, ply)
        expect(page.locator("#moves [aria-current]")).to_contain_text(moves[ply - 1])
    page.keyboard.press("ArrowLeft")
    stand_at(page, 2)
    page.keyboard.press("End")
    stand_at(page, last)
    page.keyboard.press("Home")
    stand_at(page, 0)
    middle = last // 2
    page.get_by_label("Move", exact=True).fill(str(middle))
    stand_at(page, middle)
    expect(page).to_have_url(re.compile(rf"\?ply={middle}$"))
    drawn = page.locator("#board svg.board")
    expect(drawn).to_have_count(1)
    shown = drawn.inner_html()
    require_usable(page, f"match-{game}")
    page.reload()
    stand_at(page, middle)
    assert drawn.inner_html() == shown


@pytest.fixture(scope="module")
def long_match(service: Serving) -> tuple[str, list[str]]:
    """A match of two parts, and its moves."""
    with pair(service.url) as both:
        ann = both.clients[0]
        bots = [{"bot": "random", "seed": seed} for seed in (11, 12)]
        match = ann.create_match("pathagon", bots, options={"ply_limit": None})["match"]
        wait_until_scored(ann, match)
        moves = ann.match(match)["moves"]
    assert len(moves) > PART + 10
    return match, moves


def test_a_long_match_shows_the_part_of_its_moves_that_one_stands_in(visit, long_match):
    match, last = long_match[0], len(long_match[1])
    page = visit().page
    page.goto(f"/matches/{match}")
    marked, links = page.locator("#moves [aria-current]"), page.locator("#moves a")
    expect(marked).to_have_text(re.compile(rf"^{last} "))
    expect(links.first).to_have_text(re.compile(rf"^{last // PART * PART + 1} "))
    page.keyboard.press("Home")
    stand_at(page, 0)
    expect(marked).to_have_text("Beginning")
    expect(links).to_have_count(PART + 1)
    page.get_by_role("link", name=f"From move {PART + 1} on").click()
    stand_at(page, PART + 1)
    expect(marked).to_have_text(re.compile(rf"^{PART + 1} "))
    page.keyboard.press("ArrowLeft")
    stand_at(page, PART)
    expect(marked).to_have_text(re.compile(rf"^{PART} "))
    expect(links).to_have_count(PART + 1)
    page.keyboard.press("ArrowRight")
    expect(links.first).to_have_text(re.compile(rf"^{PART + 1} "))
    expect(marked).to_have_text(re.compile(rf"^{PART + 1} "))
    page.get_by_role("link", name=f"Up to move {PART}").click()
    stand_at(page, PART)
    require_usable(page, "match-long")


def test_a_live_list_of_moves_goes_on_in_a_new_part(visit, two, long_match):
    match, moves = two.open_match("pathagon"), iter(long_match[1])

    def play(count: int) -> None:
        for move in islice(moves, count):
            two.clients[two.clients[0].match(match)["turn"]["decision"] - 1].move(match, move)

    play(PART - 1)
    page = visit().page
    page.goto(f"/matches/{match}")
    links = page.locator("#moves a")
    expect(links).to_have_count(PART)
    play(1)
    expect(links).to_have_count(PART + 1)
    play(1)
    expect(links).to_have_count(1)
    expect(page.locator("#moves [aria-current]")).to_have_text(re.compile(rf"^{PART + 1} "))
    expect(page.get_by_role("link", name=f"Up to move {PART}")).to_be_visible()


def test_a_match_is_followed_live_in_another_window(visit, two):
    match = two.open_match("zhen")
    page = visit().page
    page.goto(f"/matches/{match}")
    stand_at(page, 0)
    two.clients[0].move(match, "+3")
    stand_at(page, 1)
    two.clients[1].move(match, "+5")
    stand_at(page, 2)
    # A reader who looks back stays there, and is told about new moves.
    page.keyboard.press("Home")
    stand_at(page, 0)
    two.clients[0].move(match, "+4")
    expect(page.locator("#note")).to_contain_text(re.compile("new", re.I))
    stand_at(page, 0)
    two.clients[1].withdraw(match)
    expect(page.locator("#status")).to_have_text(re.compile("finished|verified|ended"))


def test_a_match_is_followed_while_its_stream_is_refused(visit, two):
    match = two.open_match("zhen")
    spectator = visit()
    page = spectator.page
    page.route("**/v1/matches/*/events?*", lambda route: route.fulfill(status=503))
    page.goto(f"/matches/{match}")
    stand_at(page, 0)
    two.clients[0].move(match, "+3")
    expect(page.locator("#place")).to_have_text("1 of 1")
    spectator.forgive("503")


@pytest.mark.parametrize("page_of", ["/matches/{}", "/matches/{}/play"])
def test_clocks_follow_the_clock_of_the_server(visit, two, page_of):
    match = two.open_match("zhen", limits={"match_ms": 600_000})
    page = visit().page
    page.clock.install(time=datetime.now(UTC) + timedelta(hours=2))
    page.goto(page_of.format(match))
    expect(page.locator(".clock[data-deadline]")).to_have_text(re.compile("^0[5-9]:|^10:00"))
    expect(page.locator(".clock[data-left]")).to_have_text("10:00")


def test_an_administrator_judges_a_match_on_its_page(visit, service, two):
    match = two.open_match("zhen")
    page = visit().sign_in(service.admin_token, f"/matches/{match}")
    page.get_by_text("Oversee this match").click()
    require_usable(page, "oversight")
    page.get_by_label("Player who has to leave").select_option("2")
    page.get_by_label("Cause").select_option("disqualified")
    page.get_by_label("Why (everybody can read it)").fill("two phones")
    # The form reloads the page.
    with page.expect_event("load"):
        page.get_by_role("button", name="Withdraw the player").click()
    expect(page.locator("#moves")).to_contain_text(
        re.compile("Organiser Administrator withdrew Ben[ 0-9]*: disqualified, 'two phones'")
    )
    page.get_by_text("Oversee this match").click()
    page.get_by_label("Why the match no longer counts").fill("the wrong table")
    page.get_by_role("button", name="Annul the match").click()
    expect(page.locator("#badge")).to_contain_text("Annulled")


def test_a_match_is_forked_at_the_position_on_the_board(visit, matches):
    cat = visit("Cat")
    cat.page.goto(f"/matches/{matches['zhen']}?ply=4")
    cat.page.get_by_role("button", name="Fork from here").click()
    expect(cat.page).not_to_have_url(re.compile(matches["zhen"]))
    expect(cat.page).to_have_url(re.compile("/matches/match-"))


def test_the_rules_lead_to_a_match_to_step_through(page, matches):
    page.goto("/rulesets")
    page.get_by_role("link", name=re.compile("Portals")).last.click()
    expect(page.locator("#PO8")).to_have_text(re.compile("Exit"))
    page.get_by_role("link", name="Step through a match").click()
    stand_at(page, 0)


def test_an_administrator_pauses_a_match_and_its_players_see_it_at_once(visit, service, two):
    player = visit()
    match = two.open_match("zhen", limits={"match_ms": 600_000, "increment_ms": 5_000})
    player.sign_in(two.accounts[0]["token"], f"/matches/{match}/play")
    expect(player.page.locator("#now")).to_contain_text("Your turn.")
    page = visit().sign_in(service.admin_token, f"/matches/{match}")
    page.get_by_text("Oversee this match").click()
    page.get_by_label("Why the match is paused").fill("the lights went out")
    page.get_by_role("button", name="Pause the match").click()
    expect(page.locator("#call")).to_contain_text("The match is paused.")

    banner = player.page.locator("#now #paused")
    expect(banner).to_contain_text("paused it: the lights went out. No clock runs, and nobody can move.")
    assert player.page.locator(".clock[data-deadline]").count() == 0
    require_usable(player.page)
    page.get_by_text("Oversee this match").click()
    assert find_barriers(page) == []
    page.get_by_label("Whose clock to change").select_option("2")
    page.get_by_label("Minutes more").fill("-1.5")
    page.locator("#clock-why").fill("a telephone rang")
    # The form reloads the page.
    with page.expect_event("load"):
        page.get_by_role("button", name="Change the clock").click()
    expect(player.page.locator("#log")).to_contain_text("took 1 min 30 s from")
    page.get_by_text("Oversee this match").click()
    page.get_by_role("button", name="Let the match go on").click()
    expect(player.page.locator("#now")).to_contain_text("Your turn.")
    expect(player.page.locator("#log")).to_contain_text("let the match go on")
    with Client(service.url, two.accounts[1]["token"]) as ben:
        assert ben.match(match)["clock"]["left_ms"][1] == 600_000 - 90_000
