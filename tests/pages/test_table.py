"""The page to play on and the page of a match as people see them: where things are, how a match ends, what moves."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from plyscribe.service.client import Client
from plyscribe.service.web.pages.assets import path_of
from tests.pages.conftest import PHONE, TOKENS, Visitor, find_faults, take_pictures
from tests.system.running import Pair, Serving, pair, status_of, wait_for

pytestmark = pytest.mark.server

GAMES = {
    "crystals": (2, {"ply_limit": 60}),
    "pathagon": (2, {"size": 5}),
    "portals": (2, {"radius": 2, "ply_limit": 40}),
    "rings": (2, {"ply_limit": 60}),
    "zhen": (2, {"tiles": 6, "cubes": 5}),
}
RESULT = re.compile(r"wins|A draw")


@pytest.fixture
def two(service: Serving) -> Iterator[Pair]:
    with pair(service.url) as both:
        yield both


@pytest.fixture(scope="module")
def matches(service: Serving) -> dict[str, str]:
    """A finished match of each game."""
    with pair(service.url) as both:
        ann = both.clients[0]
        made = {}
        for game, (seats, options) in GAMES.items():
            bots = [{"bot": "random", "seed": seat} for seat in range(seats)]
            made[game] = ann.create_match(game, bots, options=options)["match"]
        for game, match in made.items():
            wait_for(lambda match=match: status_of(ann, match) == "scored", why=f"the end of {game}")
        return made


def begin(visitor: Visitor, ruleset: str = "pathagon", seats: tuple[str, ...] = ("me", "bot:random")) -> str:
    """Start a match with the form; returns its id."""
    visitor.page.goto(f"/play?ruleset={ruleset}")
    for number, who in enumerate(seats, 1):
        visitor.page.get_by_label(f"Seat {number}").select_option(who)
    visitor.page.get_by_role("button", name="Start").click()
    visitor.page.wait_for_url(re.compile(r"/matches/match-\w+/play$"))
    return visitor.page.url.split("/")[-2]


def act(visitor: Visitor, match: str, what: str, body: dict[str, Any]) -> None:
    """Send a command of a visitor past the page."""
    asked = visitor.context.request.post(
        f"{visitor.url}/v1/matches/{match}/{what}", data=body, headers={"Origin": visitor.url}
    )
    assert asked.ok, asked.text()


# ------------------------------------------------------------------------------------------------------------- layout


def board_top(page: Page) -> float:
    top = page.evaluate("document.querySelector('#board svg').getBoundingClientRect().top + scrollY")
    return float(top)


def is_narrow(page: Page) -> bool:
    """Whether the page fits a screen of 320 pixels."""
    page.set_viewport_size({"width": 320, "height": 640})
    return bool(page.evaluate("document.documentElement.scrollWidth <= 320"))


@pytest.mark.parametrize("game", GAMES)
def test_on_a_phone_the_board_begins_near_the_top_and_nothing_scrolls_sideways(visit, matches, game):
    page = visit(phone=True).page
    for way in ("", "/play", "?ply=3"):
        page.set_viewport_size(PHONE)
        page.goto(f"/matches/{matches[game]}{way}")
        assert board_top(page) <= 120
        assert is_narrow(page)


def test_on_a_phone_the_header_is_one_row_with_a_menu(visit):
    page = visit(phone=True).page
    page.goto("/")
    assert page.locator("header.top").bounding_box()["height"] <= 56
    assert is_narrow(page)
    navigation = page.get_by_role("navigation", name="Main")
    expect(navigation).to_be_hidden()
    page.get_by_text("Menu", exact=True).click()
    expect(navigation.get_by_role("link", name="Tournaments")).to_be_visible()
    assert page.locator("header nav a").first.bounding_box()["height"] >= 44
    assert find_faults(page) == []


@pytest.mark.parametrize("game", GAMES)
def test_on_a_desk_the_whole_board_and_its_players_are_in_sight(visit, matches, game):
    page = visit().page
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(f"/matches/{matches[game]}/play")
    top, bottom = (page.locator(name).bounding_box() for name in ("#above", "#below"))
    assert top["y"] >= 0
    assert bottom["y"] + bottom["height"] <= 900


def test_these_pages_have_no_barriers(visit, matches):
    ann = visit()
    ann.sign_up("Mia")
    for name, path in (("end", f"/matches/{matches['zhen']}"), ("step", f"/matches/{matches['rings']}?ply=4")):
        ann.page.goto(path)
        assert find_faults(ann.page) == []
        take_pictures(ann.page, f"match-{name}")
    match = begin(ann)
    assert find_faults(ann.page) == []
    take_pictures(ann.page, "table")
    act(ann, match, "withdrawal", {})
    expect(ann.page.locator("#end")).to_be_visible()
    assert find_faults(ann.page) == []
    take_pictures(ann.page, "table-end")


# ---------------------------------------------------------------------------------------------------------- the end


@pytest.mark.parametrize("game", GAMES)
def test_the_end_of_every_game_says_who_won_and_why(visit, matches, game):
    page = visit().page
    page.goto(f"/matches/{matches[game]}")
    end = page.locator("#end")
    expect(end.get_by_role("heading")).to_have_text(re.compile(r"(wins|A draw)( \w|:).*\."))
    expect(end.locator(".places li")).to_have_count(2)
    expect(end).to_contain_text("does not count for ratings")
    for name in ("Replay", "New game"):
        expect(end.get_by_role("link", name=name)).to_be_visible()
    page.keyboard.press("ArrowLeft")
    expect(end).to_be_hidden()
    page.keyboard.press("End")
    expect(end).to_be_visible()


def test_a_player_reads_you_win_and_the_other_reads_who_won(visit):
    ann, ben = visit(), visit()
    ann.sign_up("Mia")
    ben.sign_up("Noa")
    match = begin(ann, seats=("me", "open"))
    ben.page.goto(f"/matches/{match}/play")
    ben.page.get_by_role("button", name="Join the match").click()
    expect(ann.page.locator("#now")).to_contain_text("Your turn.")
    expect(ben.page.locator("#now")).to_have_text("Waiting for Mia.")
    act(ben, match, "withdrawal", {})
    expect(ann.page.locator("#end h2")).to_have_text("You win: Noa resigns.")
    expect(ann.page.locator("#now")).to_have_text("You win: Noa resigns.")
    expect(ben.page.locator("#end h2")).to_have_text("Mia wins: you left the match.")
    expect(visit_as_spectator(visit, match).locator("#end h2")).to_have_text("Mia wins: Noa resigns.")


def visit_as_spectator(visit, match: str) -> Page:
    page = visit().page
    page.goto(f"/matches/{match}/play")
    return page


def test_an_offer_of_a_rematch_reaches_the_open_table_of_the_other_player(visit):
    ann, ben = visit(), visit()
    ann.sign_up("Mia")
    ben.sign_up("Noa")
    match = begin(ann, seats=("me", "open"))
    ben.page.goto(f"/matches/{match}/play")
    ben.page.get_by_role("button", name="Join the match").click()
    expect(ann.page.locator("#now")).to_contain_text("Your turn.")
    act(ann, match, "withdrawal", {})
    expect(ben.page.get_by_role("button", name="Rematch", exact=True)).to_be_visible()
    ann.page.get_by_role("button", name="Rematch", exact=True).click()
    ann.page.wait_for_url(lambda url: match not in url)
    expect(ben.page.locator("#end")).to_contain_text("Mia wants a rematch.")
    assert find_faults(ben.page) == []
    ben.page.get_by_role("button", name="Accept the rematch").click()
    ben.page.wait_for_url(ann.page.url)
    ben.page.goto(f"/matches/{match}/play")
    expect(ben.page.get_by_role("link", name="Go to the rematch")).to_be_visible()


def test_a_rematch_can_be_wanted_on_the_match_page_too(visit):
    ann = visit()
    ann.sign_up("Mia")
    match = begin(ann)
    act(ann, match, "withdrawal", {})
    ann.page.goto(f"/matches/{match}")
    ann.page.get_by_role("button", name="Rematch", exact=True).click()
    ann.page.wait_for_url(re.compile(r"/matches/match-\w+/play$"))
    assert match not in ann.page.url


def test_replay_plays_the_match_back_from_the_beginning(visit, matches):
    page = visit().page
    page.goto(f"/matches/{matches['zhen']}")
    page.locator("#speed").select_option(label="Slow")
    page.get_by_role("link", name="Replay").click()
    expect(page.locator("#place")).to_have_text(re.compile(r"^[12] of "))
    expect(page.get_by_role("button", name="Pause")).to_be_visible()


# ------------------------------------------------------------------------------------------------- the turned board


IS_DRAWN = """(drawing) => {
  const strip = (text) => text.trim().split(/\\s+/).join(" ");
  return strip(document.getElementById("board").innerHTML) === strip(drawing);
}"""


def test_the_board_can_be_turned_and_stays_turned_while_stepping(visit, matches):
    page = visit().page
    page.goto(f"/matches/{matches['pathagon']}?ply=2")
    below = page.locator("#below .bar-name").inner_text()
    drawn = page.locator("#board").inner_html()
    page.get_by_role("link", name="Turn the board").click()
    expect(page).to_have_url(re.compile("seen=2"))
    expect(page.locator("#below .chip text")).to_have_text("2")
    assert page.locator("#board").inner_html() != drawn
    turned = page.locator("#board").inner_html()
    # The scripts of the turned page answer the keys.
    expect(page.locator("#play")).to_be_visible()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#place")).to_have_text(re.compile("^3 "))
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#place")).to_have_text(re.compile("^2 "))
    expect(page).to_have_url(re.compile("seen=2"))
    # What fades is still there for a moment.
    page.wait_for_function(IS_DRAWN, arg=turned)
    page.get_by_role("link", name="Turn the board").click()
    expect(page).to_have_url(re.compile("seen=1"))
    expect(page.locator("#below .bar-name")).to_have_text(below)


@pytest.mark.parametrize("late", ["news", "turned board"])
def test_a_board_that_is_turned_while_a_move_comes_shows_both(visit, late):
    ann = visit()
    ann.sign_up("Mia")
    page = ann.page
    with Client(ann.url, TOKENS[ann.url, "Mia"]) as client:
        match = client.create_match("pathagon", [{"player": client.me()["player"]}] * 2)["match"]
        page.goto(f"/matches/{match}/play")
        expect(page.locator("#board .choice").first).to_be_visible()
        news, turned = list[Route](), list[Route]()
        page.route(
            lambda address: address.endswith("/play"), lambda route: route.continue_() if news else news.append(route)
        )
        page.route(
            lambda address: "seen=2" in address, lambda route: route.continue_() if turned else turned.append(route)
        )
        page.locator("#turn").click()
        while not turned:
            page.wait_for_timeout(20)
        asked_before = turned[0].fetch()
        client.move(match, "d4")
    while not news:
        page.wait_for_timeout(20)
    answers = [(turned[0], asked_before), (news[0], news[0].fetch())]
    for route, answered in answers if late == "news" else answers[::-1]:
        route.fulfill(response=answered)
        page.wait_for_timeout(200)
    expect(page.locator("#board")).to_have_attribute("data-seat", "2")
    expect(page.locator("#now")).to_contain_text("Your turn: seat 2.")
    expect(page.locator('#board [data-touch="d4"] [data-owner], #board [data-at="d4"]')).to_be_attached()


def test_a_player_sees_the_board_from_their_own_seat(visit):
    ann = visit()
    ann.sign_up("Mia")
    match = begin(ann, seats=("bot:random", "me"))
    expect(ann.page.locator("#below")).to_contain_text("Mia")
    expect(ann.page.locator("#board")).to_have_attribute("data-seat", "2")
    ann.page.get_by_role("link", name="Turn the board").click()
    expect(ann.page.locator("#board")).to_have_attribute("data-seat", "1")
    expect(ann.page).to_have_url(re.compile("seen=1"))
    assert match in ann.page.url
    expect(visit_as_spectator(visit, match).locator("#board")).to_have_attribute("data-seat", "1")


def test_the_board_can_be_turned_without_scripts(visit, matches):
    page = visit(scripts=False).page
    page.goto(f"/matches/{matches['zhen']}?ply=2")
    page.get_by_role("link", name="Turn the board").click()
    expect(page).to_have_url(re.compile("seen=2"))
    page.get_by_role("button", name="Next").click()
    expect(page).to_have_url(re.compile("seen=2.*ply=3"))


# ------------------------------------------------------------------------------------------------------------- motion

FIELDS = "".join(
    f'<rect data-place="{name}" x="{x}" y="40" width="20" height="20"/>' for name, x in (("a", 0), ("b", 80))
)


def draw(*things: str) -> str:
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" class="board" viewBox="0 0 100 100">'
        f'{FIELDS}<rect data-place="reserve-2" x="40" y="80" width="20" height="20"/>{"".join(things)}</svg>'
    )


def piece(at: str, x: int, seat: int = 1) -> str:
    shape = f'<circle cx="{x}" cy="50" r="8"/>'
    return f'<g data-key="piece-{seat}-{at}" data-at="{at}" data-owner="{seat}">{shape}</g>'


def ring(turned: str = "") -> str:
    thing = '<rect x="10" y="10" width="5" height="5" data-key="on-ring{}" data-at="x"/>'
    return f'<g data-place="r"{turned}>{thing.format(len(turned))}</g>'


SWAP = """async ([path, before, after, effects, direction]) => {
  const { swapBoard } = await import(path);
  const parse = (text) => new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  const name = (each) => each.dataset.key ?? each.dataset.place ?? each.getAttribute("class");
  const board = document.createElement("div");
  document.body.prepend(board);
  board.append(document.importNode(parse(before), true));
  swapBoard(board, document.importNode(parse(after), true), effects, direction);
  return document.getAnimations().filter((each) => board.contains(each.effect.target)).map((each) => ({
    what: name(each.effect.target),
    from: each.effect.getKeyframes()[0].transform ?? "",
    opacity: each.effect.getKeyframes().map((frame) => frame.opacity ?? ""),
    stops: each.effect.getKeyframes().length,
    until: each.effect.getTiming().duration + each.effect.getTiming().delay,
    duration: each.effect.getTiming().duration,
  }));
}"""


@pytest.fixture
def swap(visit):
    """Puts one drawing in the place of another; returns what moves."""
    page = visit().page
    page.goto("/")

    def swap_drawings(
        before: str, after: str, effects: list[dict[str, Any]], direction: int = 1
    ) -> list[dict[str, Any]]:
        return list(page.evaluate(SWAP, [path_of("motion.js"), before, after, effects, direction]))

    swap_drawings.page = page
    return swap_drawings


MOVED = {"kind": "moved", "seat": 1, "from": "a", "to": "b"}
TRAPPED = {"kind": "trapped", "seat": 1, "owner": 2, "from": "b", "to": "reserve"}


def test_a_piece_slides_from_where_it_was(swap):
    [slide] = swap(draw(piece("a", 10)), draw(piece("b", 90)), [MOVED])
    assert slide["what"] == "piece-1-b"
    assert slide["from"].startswith("translate(-80px")
    assert slide["duration"] <= 200


def test_stepping_back_a_piece_slides_back(swap):
    [slide] = swap(draw(piece("b", 90)), draw(piece("a", 10)), [MOVED], -1)
    assert (slide["what"], slide["from"][:15]) == ("piece-1-a", "translate(80px,")


def test_a_piece_that_went_over_several_places_slides_over_all_of_them(swap):
    start = {"kind": "moved", "seat": 1, "from": "c", "to": "b"}
    onward = {"kind": "teleported", "owner": 1, "from": "b", "to": "a"}
    third = '<rect data-place="c" x="40" y="0" width="20" height="20"/>'
    [slide] = swap(draw(third, piece("c", 50)), draw(third, piece("a", 10)), [start, onward])
    assert slide["stops"] == 3


def test_what_is_captured_fades_and_what_is_new_grows(swap):
    motions = swap(draw(piece("b", 90, 2)), draw(piece("a", 10)), [TRAPPED])
    [gone] = [each for each in motions if each["what"] == "ghost gone"]
    assert gone["opacity"] == ["1", "0"]
    [new] = [each for each in motions if each["what"] == "piece-1-a"]
    assert "scale(0.4)" in new["from"]


def test_what_is_placed_comes_from_what_its_seat_has_beside_the_board(swap):
    [slide] = swap(draw(), draw(piece("a", 10, 2)), [{"kind": "placed", "seat": 2, "to": "a"}])
    assert slide["from"].startswith("translate(40px, 40px")


def test_an_effect_between_two_fields_moves_only_what_has_left_one_of_them(swap):
    joined = {"kind": "joined", "seat": 1, "from": "a", "to": "b"}
    [new] = swap(draw(piece("a", 10)), draw(piece("a", 10), piece("b", 90)), [joined])
    assert "scale" in new["from"]


def test_what_goes_through_a_portal_comes_out_of_it(swap):
    launched = [{"kind": "launched", "seat": 1, "to": "b"}, {"kind": "arrived", "owner": 1, "to": "a"}]
    [slide] = swap(draw(), draw(piece("a", 10)), launched)
    assert slide["from"].startswith("translate(80px")


def test_a_number_on_a_stack_changes_without_motion(swap):
    two, one = (piece("a", 10).replace('a" data-at', f'a-x{count}" data-at') for count in (2, 1))
    assert swap(draw(two), draw(one), []) == []


@pytest.mark.parametrize(("direction", "angle"), [(1, "rotate(-51.43deg)"), (-1, "rotate(51.43deg)")])
def test_what_turned_rotates_forth_and_back(swap, direction, angle):
    turned, still = draw(ring(' data-turn="51.43" data-about="50 50"')), draw(ring())
    [turn] = swap(*((still, turned) if direction == 1 else (turned, still)), [], direction)
    assert turn["what"] == "r"
    assert angle in turn["from"]


def test_all_motion_is_over_soon_however_much_happens(swap):
    places = [f"p{number}" for number in range(12)]
    fields = "".join(f'<rect data-place="{name}" width="5" height="5"/>' for name in places)
    effects = [{"kind": "moved", "seat": 1, "from": "a", "to": name} for name in places]
    motions = swap(draw(fields, piece("a", 10)), draw(fields, *(piece(name, 50) for name in places)), effects)
    assert len(motions) == 12
    assert max(each["until"] for each in motions) <= 400


def test_a_jump_shows_no_motion(swap):
    assert swap(draw(piece("a", 10)), draw(piece("b", 90)), [MOVED], 0) == []


def test_who_asks_for_little_motion_gets_none(swap):
    swap.page.emulate_media(reduced_motion="reduce")
    assert swap(draw(piece("a", 10)), draw(piece("b", 90)), [MOVED]) == []


def test_ghosts_are_gone_after_the_motion(swap):
    swap(draw(piece("b", 90, 2)), draw(), [TRAPPED])
    expect(swap.page.locator(".ghost")).to_have_count(0)


def test_a_step_on_the_match_page_moves_something_forth_and_back_but_a_jump_does_not(visit, matches):
    page = visit().page
    page.goto(f"/matches/{matches['zhen']}?ply=2")
    page.evaluate(
        "() => { const animate = Element.prototype.animate; window.motions = 0;"
        " Element.prototype.animate = function (...given) { motions += 1; return animate.apply(this, given); } }"
    )
    for key, ply, moves in (("ArrowRight", 3, True), ("ArrowLeft", 2, True), ("Home", 0, False)):
        page.evaluate("window.motions = 0")
        page.keyboard.press(key)
        expect(page.locator("#place")).to_have_text(re.compile(f"^{ply} "))
        assert (page.evaluate("window.motions") > 0) is moves


# ------------------------------------------------------------------------------------------------------------- wording


def test_the_pages_speak_german_to_those_who_read_german(chromium, service, matches):
    context = chromium.new_context(base_url=service.url, locale="de-DE")
    page = context.new_page()
    page.goto(f"/matches/{matches['zhen']}")
    expect(page.locator("#end h2")).to_have_text(re.compile("gewinnt|Unentschieden"))
    expect(page.get_by_role("link", name="Brett drehen")).to_be_visible()
    page.goto("/")
    expect(page.get_by_role("heading", level=1)).to_have_text("Der Server für Brettspiel-Partien")
    expect(page.locator("main")).to_contain_text("Verbinde deine beiden Ränder")
    context.close()


def test_a_roll_is_told_with_a_name_and_a_number(visit, matches):
    page = visit().page
    page.goto(f"/matches/{matches['crystals']}?ply=4")
    expect(page.locator("#moves")).to_contain_text(re.compile(r"rolls an? \d"))
    for part in ("#moves", "#move-text"):
        expect(page.locator(part)).not_to_contain_text(re.compile(r"\d+d\d+"))
