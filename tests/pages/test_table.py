"""The page to play on and the page of a match as people see them: where things are, how a match ends, what moves."""

import re
from typing import Any

import pytest
from playwright.sync_api import expect

from plyscribe.service.web.pages.assets import path_of
from tests.pages.conftest import GAMES, NARROW, PHONE, Held, Visitor, find_faults, fits, require_usable
from tests.pages.test_play import begin


def begin_match(visitor: Visitor, seats: tuple[str, ...] = ("me", "bot:random")) -> str:
    """Start a match with the form; returns its id."""
    begin(visitor.page, "pathagon", seats)
    return visitor.page.url.split("/")[-2]


def withdraw(visitor: Visitor, match: str) -> None:
    with visitor.client() as client:
        client.withdraw(match)


@pytest.mark.parametrize("game", GAMES)
def test_on_a_phone_the_board_begins_near_the_top_and_nothing_scrolls_sideways(visit, matches, game):
    page = visit(phone=True).page
    for way in ("", "/play", "?ply=3"):
        page.set_viewport_size(PHONE)
        page.goto(f"/matches/{matches[game]}{way}")
        top = page.evaluate("document.querySelector('#board svg').getBoundingClientRect().top + scrollY")
        assert top <= 120
        page.set_viewport_size(NARROW)
        assert fits(page)


def test_on_a_phone_the_header_is_one_row_with_a_menu(visit):
    page = visit(phone=True).page
    page.goto("/")
    assert page.locator("header.top").bounding_box()["height"] <= 56
    page.set_viewport_size(NARROW)
    assert fits(page)
    navigation = page.get_by_role("navigation", name="Main")
    expect(navigation).to_be_hidden()
    page.get_by_text("Menu", exact=True).click()
    expect(navigation.get_by_role("link", name="Tournaments")).to_be_visible()
    assert page.locator("header nav a").first.bounding_box()["height"] >= 44
    assert find_faults(page) == []


@pytest.mark.parametrize("game", GAMES)
def test_on_a_desk_the_whole_board_and_its_players_are_in_sight(page, matches, game):
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(f"/matches/{matches[game]}/play")
    top, bottom = (page.locator(name).bounding_box() for name in ("#above", "#below"))
    assert top["y"] >= 0
    assert bottom["y"] + bottom["height"] <= 900


def test_a_table_has_no_barriers_while_it_is_played_and_at_its_end(visit):
    ann = visit("Mia")
    match = begin_match(ann)
    require_usable(ann.page, "table")
    withdraw(ann, match)
    expect(ann.page.locator("#end")).to_be_visible()
    require_usable(ann.page, "table-end")


@pytest.mark.parametrize("game", GAMES)
def test_the_end_of_every_game_says_who_won_and_why(page, matches, game):
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


def test_an_offer_of_a_rematch_reaches_the_open_table_of_the_other_player(visit):
    ann, ben = visit("Mia"), visit("Noa")
    match = begin_match(ann, ("me", "open"))
    ben.page.goto(f"/matches/{match}/play")
    ben.page.get_by_role("button", name="Join the match").click()
    expect(ann.page.locator("#now")).to_contain_text("Your turn.")
    withdraw(ann, match)
    expect(ben.page.get_by_role("button", name="Rematch", exact=True)).to_be_visible()
    ann.page.goto(f"/matches/{match}")
    ann.page.get_by_role("button", name="Rematch", exact=True).click()
    ann.page.wait_for_url(lambda url: match not in url)
    expect(ben.page.locator("#end")).to_contain_text("Mia wants a rematch.")
    assert find_faults(ben.page) == []
    ben.page.get_by_role("button", name="Accept the rematch").click()
    ben.page.wait_for_url(ann.page.url)
    ben.page.goto(f"/matches/{match}/play")
    expect(ben.page.get_by_role("link", name="Go to the rematch")).to_be_visible()


def test_replay_plays_the_match_back_from_the_beginning(page, matches):
    page.goto(f"/matches/{matches['zhen']}")
    page.locator("#speed").select_option(label="Slow")
    page.get_by_role("link", name="Replay").click()
    expect(page.locator("#place")).to_have_text(re.compile(r"^[12] of "))
    page.get_by_role("button", name="Pause").click()
    page.get_by_role("button", name="Play back").click()
    expect(page.get_by_role("button", name="Pause")).to_be_visible()


IS_DRAWN = """(drawing) => {
  const strip = (text) => text.trim().split(/\\s+/).join(" ");
  return strip(document.getElementById("board").innerHTML) === strip(drawing);
}"""


def test_the_board_can_be_turned_and_stays_turned_while_stepping(page, matches):
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
    ann = visit("Mia")
    page = ann.page
    match = ann.play_alone()
    with ann.client() as client:
        page.goto(f"/matches/{match}/play")
        expect(page.locator("#board .choice").first).to_be_visible()
        news, turned = Held(page), Held(page)
        page.route(
            lambda address: address.endswith("/play"), lambda route: route.continue_() if news else news.append(route)
        )
        page.route(
            lambda address: "seen=2" in address, lambda route: route.continue_() if turned else turned.append(route)
        )
        page.locator("#turn").click()
        asked_before = turned.wait().fetch()
        client.move(match, "d4")
    answers = [(turned[0], asked_before), (news.wait(), news[0].fetch())]
    for route, answered in answers if late == "news" else answers[::-1]:
        route.fulfill(response=answered)
        page.wait_for_timeout(200)
    expect(page.locator("#board")).to_have_attribute("data-seat", "2")
    expect(page.locator("#now")).to_contain_text("Your turn: seat 2.")
    expect(page.locator('#board [data-touch="d4"] [data-owner], #board [data-at="d4"]')).to_be_attached()


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

    def swap_drawings(before: str, after: str, effects: list[dict[str, Any]], direction: int = 1) -> list[Any]:
        return list(page.evaluate(SWAP, [path_of("motion.js"), before, after, effects, direction]))

    swap_drawings.page = page
    return swap_drawings


MOVED = {"kind": "moved", "seat": 1, "from": "a", "to": "b"}
TRAPPED = {"kind": "trapped", "seat": 1, "owner": 2, "from": "b", "to": "reserve"}
PLACED = {"kind": "placed", "seat": 2, "to": "a"}
JOINED = {"kind": "joined", "seat": 1, "from": "a", "to": "b"}
PORTAL = [{"kind": "launched", "seat": 1, "to": "b"}, {"kind": "arrived", "owner": 1, "to": "a"}]
OVER = [
    {"kind": "moved", "seat": 1, "from": "c", "to": "b"},
    {"kind": "teleported", "owner": 1, "from": "b", "to": "a"},
]
THIRD = '<rect data-place="c" x="40" y="0" width="20" height="20"/>'
HERE, THERE = piece("a", 10), piece("b", 90)
TWO, ONE = (HERE.replace('a" data-at', f'a-x{count}" data-at') for count in (2, 1))
TURNED = ring(' data-turn="51.43" data-about="50 50"')

MOTIONS = {
    "a piece slides": ([HERE], [THERE], [MOVED], 1, {"piece-1-b": "translate(-80px"}),
    "and back": ([THERE], [HERE], [MOVED], -1, {"piece-1-a": "translate(80px,"}),
    "over several places": ([THIRD, piece("c", 50)], [THIRD, HERE], OVER, 1, {"piece-1-a": "translate("}),
    "what is captured fades, what is new grows": (
        [piece("b", 90, 2)],
        [HERE],
        [TRAPPED],
        1,
        {"ghost gone": "", "piece-1-a": "scale(0.4)"},
    ),
    "from beside the board": ([], [piece("a", 10, 2)], [PLACED], 1, {"piece-2-a": "40px, 40px"}),
    "what has not left does not move": ([HERE], [HERE, THERE], [JOINED], 1, {"piece-1-b": "scale"}),
    "out of a portal": ([], [HERE], PORTAL, 1, {"piece-1-a": "translate(80px"}),
    "a number on a stack changes": ([TWO], [ONE], [], 1, {}),
    "what turned rotates": ([ring()], [TURNED], [], 1, {"r": "rotate(-51.43deg)"}),
    "and rotates back": ([TURNED], [ring()], [], -1, {"r": "rotate(51.43deg)"}),
    "a jump": ([HERE], [THERE], [MOVED], 0, {}),
}
"""Drawings before and after, what happened between them, the direction, and what moves, from where."""


def test_what_happened_is_shown_by_motion_and_nothing_else_moves(swap):
    for name, (before, after, effects, direction, wanted) in MOTIONS.items():
        motions = swap(draw(*before), draw(*after), effects, direction)
        assert {each["what"] for each in motions} == wanted.keys(), name
        for each in motions:
            assert wanted[each["what"]] in each["from"], name
            assert each["stops"] == (3 if effects is OVER else 2), name
            assert each["duration"] <= 200, name
            assert (each["what"] != "ghost gone") or each["opacity"] == ["1", "0"], name
    expect(swap.page.locator(".ghost")).to_have_count(0)


def test_all_motion_is_over_soon_however_much_happens(swap):
    places = [f"p{number}" for number in range(12)]
    fields = "".join(f'<rect data-place="{name}" width="5" height="5"/>' for name in places)
    effects = [{"kind": "moved", "seat": 1, "from": "a", "to": name} for name in places]
    motions = swap(draw(fields, piece("a", 10)), draw(fields, *(piece(name, 50) for name in places)), effects)
    assert len(motions) == 12
    assert max(each["until"] for each in motions) <= 400


def test_who_asks_for_little_motion_gets_none(swap):
    swap.page.emulate_media(reduced_motion="reduce")
    assert swap(draw(piece("a", 10)), draw(piece("b", 90)), [MOVED]) == []


def test_a_step_on_the_match_page_moves_something_forth_and_back_but_a_jump_does_not(page, matches):
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
