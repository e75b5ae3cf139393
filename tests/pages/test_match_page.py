"""The page of a match: stepping through it, reading it without scripts, following it live."""

import re
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice

import pytest
from playwright.sync_api import Page, expect

from plyscribe.service.client import Client
from plyscribe.service.web.pages.move_list import PART
from tests.pages.conftest import find_barriers, overflows, take_pictures
from tests.system.running import Pair, Serving, pair, status_of, wait_for

pytestmark = pytest.mark.server

GAMES = {
    "pathagon": (2, {"size": 5}),
    "zhen": (2, {"tiles": 6, "cubes": 6}),
    "portals": (3, {"radius": 3, "pool": 4}),
    "rings": (3, {"target": 6}),
    "crystals": (3, {}),
}


@pytest.fixture
def two(service: Serving) -> Iterator[Pair]:
    with pair(service.url) as both:
        yield both


@pytest.fixture(scope="module")
def matches(service: Serving) -> dict[str, str]:
    """A scored match of each game, played by bots of the server."""
    with pair(service.url) as both:
        return play_all(both.clients[0])


def play_all(ann: Client) -> dict[str, str]:
    made = {
        game: ann.create_match(game, [{"bot": "greedy", "seed": seat} for seat in range(seats)], options=options)[
            "match"
        ]
        for game, (seats, options) in GAMES.items()
    }
    for game, match in made.items():
        wait_for(lambda match=match: status_of(ann, match) == "scored", why=f"the end of {game}")
    return made


def place(page: Page) -> int:
    return int(page.locator("#place").inner_text().split()[0])


def stand_at(page: Page, ply: int) -> None:
    expect(page.locator("#place")).to_have_text(re.compile(rf"^{ply} of "))


def test_positions_are_shown_while_the_slider_is_dragged(visit, matches):
    page = visit().page
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
def test_a_replay_of_every_game_can_be_stepped_through(visit, service, matches, game):
    page = visit().page
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
    take_pictures(page, f"match-{game}")
    assert find_barriers(page) == []
    assert not overflows(page)
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
        wait_for(lambda: status_of(ann, match) == "scored", why="the end")
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
    take_pictures(page, "match-long")
    assert find_barriers(page) == []
    assert not overflows(page)


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


def test_moves_play_back_until_they_are_paused(visit, matches):
    page = visit().page
    page.goto(f"/matches/{matches['zhen']}?ply=0")
    page.get_by_role("button", name="Play back").click()
    expect(page.locator("#place")).to_have_text(re.compile("^[1-9]"))
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_role("button", name="Play back")).to_be_visible()


def test_every_move_is_a_sentence_in_the_list_with_its_notation(visit, matches):
    page = visit().page
    page.goto(f"/matches/{matches['pathagon']}")
    move = page.locator("#moves a").nth(1)
    expect(move).to_contain_text("places a piece from the reserve on")
    expect(move.locator("code")).to_have_text(re.compile(r"^[a-e][1-5]$"))


def test_the_badge_says_what_was_checked(visit, matches):
    page = visit().page
    page.goto(f"/matches/{matches['crystals']}")
    page.get_by_text("What was checked?").click()
    for checked in ("hash", "rules", "secret"):
        expect(page.locator("details", has_text="What was checked?")).to_contain_text(re.compile(checked, re.I))


def test_a_replay_works_without_scripts(visit, matches):
    page = visit(scripts=False).page
    page.goto(f"/matches/{matches['rings']}?ply=3")
    page.get_by_role("button", name="Next").click()
    expect(page).to_have_url(re.compile("ply=4"))
    stand_at(page, 4)


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
    # Browsers note each refusal as an error.
    spectator.faults = [fault for fault in spectator.faults if "503" not in fault]


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
    page = visit().page
    page.goto(f"/sign-in?next=/matches/{match}")
    page.get_by_label("Token").fill((service.data / "admin.token").read_text().strip())
    page.get_by_role("button", name="Sign in", exact=True).click()
    page.get_by_text("Oversee this match").click()
    take_pictures(page, "oversight")
    assert find_barriers(page) == []
    assert not overflows(page)
    page.get_by_label("Player who has to leave").select_option("2")
    page.get_by_label("Cause").select_option("disqualified")
    page.get_by_label("Why (everybody can read it)").fill("two phones")
    # The page is loaded anew.
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
    cat = visit()
    cat.sign_up("Cat")
    cat.page.goto(f"/matches/{matches['zhen']}?ply=4")
    cat.page.get_by_role("button", name="Fork from here").click()
    expect(cat.page).not_to_have_url(re.compile(matches["zhen"]))
    expect(cat.page).to_have_url(re.compile("/matches/match-"))


def test_matches_can_be_searched(visit, matches):
    page = visit().page
    page.goto("/matches")
    page.get_by_label("Game").select_option("rings")
    page.get_by_role("button", name="Find").click()
    expect(page.locator(f'a[href="/matches/{matches["rings"]}"]').first).to_be_visible()
    expect(page.locator(f'a[href="/matches/{matches["zhen"]}"]')).to_have_count(0)
    page.goto("/matches")
    take_pictures(page, "matches")
    assert find_barriers(page) == []
    assert not overflows(page)


def test_the_rules_lead_to_a_match_to_step_through(visit, matches):
    page = visit().page
    page.goto("/rulesets")
    take_pictures(page, "rulesets")
    assert find_barriers(page) == []
    page.get_by_role("link", name=re.compile("Portals")).last.click()
    expect(page.locator("#PO8")).to_have_text(re.compile("Exit"))
    take_pictures(page, "ruleset")
    assert find_barriers(page) == []
    assert not overflows(page)
    page.get_by_role("link", name="Step through a match").click()
    stand_at(page, 0)


def test_the_ratings_of_players_are_drawn(visit, two):
    match = two.open_match("zhen", rated=True)
    two.clients[0].move(match, "+5")
    two.clients[1].move(match, "+3")
    two.clients[0].withdraw(match)
    wait_for(lambda: status_of(two.clients[0], match) == "scored", why="the score")
    wait_for(lambda: two.clients[0].ratings_lag("zhen") == 0, why="the ratings")
    page = visit().page
    page.goto(f"/players/{two.ids[1]}")
    expect(page.get_by_role("img", name=re.compile("Rating in zhen"))).to_be_visible()
    take_pictures(page, "player")
    assert find_barriers(page) == []
    assert not overflows(page)
    page.goto("/players?ruleset=zhen")
    expect(page.get_by_role("img", name="Ratings in Zhen")).to_be_visible()
    take_pictures(page, "ratings")
    assert find_barriers(page) == []
    page.goto("/players?name=ann&kind=")
    expect(page.get_by_role("link", name="Ann").first).to_be_visible()
    take_pictures(page, "players")
    assert find_barriers(page) == []
