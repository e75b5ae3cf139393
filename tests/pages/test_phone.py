"""At the table: a phone with the code of a table records the match, enters its result, and goes on without network."""

import re
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests.pages.conftest import NARROW, Visitor, find_barriers, fits, make_move, take_pictures
from tests.pages.halls import ClubNight
from tests.system.running import wait_for


@pytest.fixture
def begin(announce):
    """Begins evenings of a club with guests; the first round is paired."""

    def begin_one(*names: str, **terms: Any) -> ClubNight:
        terms = {"ruleset": "pathagon", "format": {"kind": "swiss", "rounds": 2}, **terms}
        evening = announce(*names, name="Club cup", **terms)
        evening.begin()
        return evening

    return begin_one


@pytest.fixture
def evening(begin):
    return begin("Ida", "Kim")


def scan(visit: Any, address: str) -> Visitor:
    visitor: Visitor = visit(phone=True)
    visitor.page.goto(address)
    return visitor


@pytest.fixture
def phone(visit, evening):
    return scan(visit, evening.code())


@pytest.fixture
def page(phone):
    return phone.page


def enter_result(page: Page) -> None:
    page.get_by_role("button", name="Enter the result").click()
    page.get_by_role("button", name="Yes, enter it").click()


def test_a_result_is_entered_without_moves_and_asked_for_once(page, evening):
    page.get_by_text("Enter only the result").click()
    expect(page.get_by_role("button", name="Enter the result")).to_be_disabled()
    page.get_by_role("button", name="Kim").click()
    expect(page.locator(".result-said")).to_have_text("1. Kim · 2. Ida")
    page.get_by_role("button", name="Enter the result").click()
    page.get_by_role("button", name="No, back").click()
    assert evening.game()["ranks"] is None
    enter_result(page)
    expect(page.get_by_role("heading", name="Kim wins")).to_be_visible()
    assert (evening.game()["ranks"], evening.game()["reason"]) == ([2, 1], "reported")


@pytest.mark.parametrize("is_asked", [False, True], ids=["tapped", "asked"])
def test_a_name_stays_tapped_when_another_board_gets_its_result(visit, begin, is_asked):
    evening = begin("Ida", "Kim", "Lou", "Max")
    page = scan(visit, evening.code()).page
    before = page.locator("#phone").get_attribute("data-version")
    page.get_by_text("Enter only the result").click()
    winner = page.locator(".names button").first
    winner.click()
    if is_asked:
        page.get_by_role("button", name="Enter the result").click()
    evening.post("/results", round=1, board=2, ranks=[1, 2])
    expect(page.locator("#phone")).not_to_have_attribute("data-version", before or "")
    if is_asked:
        page.get_by_role("button", name="No, back").click()
    expect(winner).to_have_attribute("aria-pressed", "true")
    enter_result(page)
    wait_for(lambda: evening.game()["ranks"] == [1, 2], why="the result")


def test_a_touch_counts_although_something_happens_elsewhere_meanwhile(visit, begin):
    evening = begin("Ida", "Kim", "Lou", "Max")
    page = scan(visit, evening.code()).page
    before = page.locator("#phone").get_attribute("data-version") or ""
    page.get_by_text("Enter only the result").hover()
    page.mouse.down()
    with page.expect_response(page.url) as news:
        evening.post("/results", round=1, board=2, ranks=[1, 2])
    news.value.finished()
    page.evaluate("new Promise(requestAnimationFrame)")
    page.mouse.up()
    expect(page.get_by_role("button", name="Ida")).to_be_visible()
    expect(page.locator("#phone")).not_to_have_attribute("data-version", before)
    expect(page.get_by_role("button", name="Ida")).to_be_visible()


def test_a_walkover_is_entered_for_whoever_did_not_come(page, evening):
    page.get_by_text("Enter only the result").click()
    page.get_by_text("Somebody did not come").click()
    page.get_by_label("Ida did not come").check()
    enter_result(page)
    expect(page.locator("#phone-result")).to_contain_text("Ida (did not come)")
    assert evening.game()["forfeited"] == [1]


def test_places_of_several_are_tapped_in_order_and_may_be_shared(visit, begin):
    evening = begin("Ida", "Kim", "Lou", ruleset="crystals", seats=3, format={"kind": "swiss", "rounds": 1})
    page = scan(visit, evening.code()).page
    page.get_by_text("Enter only the result").click()
    names = page.locator(".names")
    names.get_by_role("button", name="Lou").click()
    names.get_by_role("button", name="Ida").click()
    expect(page.locator(".result-said")).to_have_text("1. Lou · 2. Ida · 3. Kim")
    page.get_by_role("button", name="Start again").click()
    names.get_by_role("button", name="Lou").click()
    page.get_by_label("The next one shares the place").check()
    names.get_by_role("button", name="Ida").click()
    page.get_by_label("The next one shares the place").uncheck()
    names.get_by_role("button", name="Kim").click()
    expect(page.locator(".result-said")).to_have_text("1. Lou, Ida · 3. Kim")
    enter_result(page)
    expect(page.locator("#phone-result h2")).to_contain_text("share first place")
    seats = evening.game()["entrants"]
    assert dict(zip(seats, evening.game()["ranks"], strict=True)) == {1: 1, 3: 1, 2: 3}


def test_sheets_are_printed_with_a_code_for_each_table_and_codes_are_made_void(visit, begin):
    evening = begin("Ida", "Kim", "Lou", "Max")
    page = visit().sign_in(evening.token, evening.page)
    page.get_by_role("link", name="QR sheets for the tables").click()
    expect(page.locator(".sheet")).to_have_count(2)
    expect(page.locator(".sheet svg.qr")).to_have_count(2)
    expect(page.get_by_text("so no phone can follow these codes")).to_be_visible()
    page.get_by_label("Codes for").select_option("each seat")
    page.get_by_role("button", name="Show").click()
    expect(page.locator(".sheet")).to_have_count(4)
    take_pictures(page, "table-sheets")
    assert find_barriers(page) == []
    address = page.locator(".sheet .address").first.inner_text()
    scanned = scan(visit, address)
    phone = scanned.page
    expect(phone.get_by_role("heading", name="Board 1", level=1)).to_be_visible()
    page.get_by_text("Make codes void").click()
    page.get_by_label("Reason").fill("a sheet is gone")
    page.get_by_role("button", name="Make void").click()
    expect(phone.get_by_role("heading", name="This code was made void")).to_be_visible()
    expect(phone.get_by_text("It was for board 1 in round 1 of Club cup.")).to_be_visible()
    # The page loads itself anew.
    expect(page.locator(".sheet .address").first).not_to_have_text(address)
    scanned.forgive("410", "401")


CUT = ("ERR_INTERNET_DISCONNECTED", "Failed to fetch", "NetworkError", "410", "401", "412", "409", "422")


KNOWS = """() => {
  const [table, composer] = ["table", "composer"].map((id) => document.getElementById(id));
  return !table || (table.dataset.ahead === table.dataset.version && composer.dataset.waiting === "0");
}"""
"""Whether a phone has loaded the legal moves of the position that it shows. It may show none."""


def cut(visitor: Visitor) -> None:
    """Cut the network of a phone, once its browser keeps the page and knows what can be done next."""
    visitor.forgive(*CUT)
    expect(visitor.page.locator("#phone[data-kept]")).to_be_attached()
    visitor.page.wait_for_function(KNOWS)
    visitor.context.set_offline(True)
    expect(visitor.page.locator("#network")).to_be_visible()


def mend(visitor: Visitor) -> None:
    visitor.context.set_offline(False)


def write_step(page: Page, text: str) -> None:
    page.get_by_label("Write the next step").fill(text)
    page.get_by_role("button", name="Keep it").click()
    expect(page.locator(".kept li").last).to_contain_text(text)


NOT_KEPT = """async () => {
  const cache = await caches.open("plyscribe-table-1");
  const kept = new Set((await cache.keys()).map(({ url }) => url));
  const loaded = performance.getEntriesByType("resource").map(({ name }) => name);
  return loaded.filter((name) => name.endsWith(".js") && !name.endsWith("/worker.js") && !kept.has(name));
}"""
"""The scripts that the page has loaded and that would not be there without network."""


def test_a_page_that_is_kept_has_all_its_scripts(visit, evening):
    def answer_late(route: Route) -> None:
        page.wait_for_timeout(2_000)
        route.continue_()

    page = visit(phone=True).page
    page.route("**/assets/moves_ahead.*.js", answer_late)
    page.goto(evening.code())
    expect(page.locator("#phone[data-kept]")).to_be_attached()
    page.wait_for_function(KNOWS)
    assert page.evaluate(NOT_KEPT) == []


def test_what_is_recorded_without_network_is_sent_in_order_when_it_is_back(phone, page, evening):
    make_move(page, "d4")
    expect(page.locator("#log")).to_contain_text("d4")
    cut(phone)
    # One more move can be made on the board; what comes after it is written.
    make_move(page, "e5")
    expect(page.locator("#network")).to_contain_text("One step waits for the network.")
    write_step(page, "c3")
    write_step(page, "4. a1")
    expect(page.locator("#network")).to_contain_text("3 steps wait for the network.")
    # The phone is restarted.
    page.reload()
    expect(page.locator("#network")).to_contain_text("3 steps wait for the network.")
    assert page.locator(".kept code").all_inner_texts() == ["e5", "c3", "4. a1"]
    assert evening.moves() == ["d4"]
    mend(phone)
    wait_for(lambda: evening.moves() == ["d4", "e5", "c3", "a1"], why="the moves")
    expect(page.locator("#network")).to_be_hidden()
    expect(page.locator("#log")).to_contain_text("a1")
    make_move(page, "g7")
    wait_for(lambda: evening.moves() == ["d4", "e5", "c3", "a1", "g7"], why="the moves")


def test_dice_are_entered_without_network(visit, begin):
    evening = begin("Ida", "Kim", ruleset="crystals")
    for move in ("choose rider", "choose archer", "spawn scout", "spawn tower"):
        evening.move(move)
    phone = scan(visit, evening.code())
    page = phone.page
    expect(page.locator("#roll h2")).to_have_text("Who begins?")
    cut(phone)
    count = page.evaluate("JSON.parse(document.querySelector('[data-roll]').dataset.roll).count")
    for value in range(1, count + 1):
        page.locator(f"[data-face='{value}']").click()
    page.get_by_role("button", name="Enter", exact=True).click()
    expect(page.locator(".kept code")).to_have_text(f"({' '.join(map(str, range(1, count + 1)))})")
    mend(phone)
    expect(page.locator("#network")).to_be_hidden()
    events = evening.list_events()
    assert [each["data"]["values"] for each in events if each["type"] == "dice-rolled"] == [list(range(1, count + 1))]


def test_a_browser_that_stores_nothing_says_so_and_sends_all_the_same(visit, evening):
    phone = visit(phone=True)
    page = phone.page
    page.add_init_script("indexedDB.open = () => { throw new DOMException('no', 'SecurityError'); }")
    page.goto(evening.code())
    cut(phone)
    make_move(page, "d4")
    expect(page.locator("#network")).to_contain_text("This browser stores nothing")
    mend(phone)
    wait_for(lambda: evening.moves() == ["d4"], why="the move")
    expect(page.locator("#network")).to_be_hidden()


def test_a_step_whose_answer_was_lost_counts_once(phone, page, evening):
    lost = []

    def lose(route: Any) -> None:
        if not lost:
            lost.append(route.fetch().status)
            route.abort()
        else:
            route.continue_()

    page.route("**/moves", lose)
    # The page may show the move before it knows what became of its own request.
    with page.expect_event("requestfailed", lambda asked: asked.url.endswith("/moves")):
        make_move(page, "d4")
    expect(page.locator("#log")).to_contain_text("d4")
    expect(page.locator("#network")).to_be_hidden()
    assert (lost, evening.moves()) == ([200], ["d4"])
    phone.forgive("ERR_FAILED", *CUT)


def test_a_result_entered_without_network_is_sent_later(phone, page, evening):
    cut(phone)
    page.get_by_text("Enter only the result").click()
    page.get_by_role("button", name="Ida").click()
    enter_result(page)
    expect(page.locator("#network")).to_contain_text("One step waits for the network.")
    expect(page.locator(".kept")).to_contain_text("1. Ida · 2. Kim")
    mend(phone)
    expect(page.get_by_role("heading", name="Ida wins")).to_be_visible()
    assert evening.game()["ranks"] == [1, 2]


def test_two_phones_that_record_the_same_without_network_double_nothing(visit, evening):
    code = evening.code()
    one, other = scan(visit, code), scan(visit, code)
    for phone in (one, other):
        cut(phone)
        make_move(phone.page, "d4")
        write_step(phone.page, "e5")
    write_step(other.page, "c3")
    mend(one)
    wait_for(lambda: evening.moves() == ["d4", "e5"], why="the moves of one")
    mend(other)
    wait_for(lambda: evening.moves() == ["d4", "e5", "c3"], why="the move of the other")
    expect(other.page.locator("#network")).to_be_hidden()


def test_of_two_phones_that_recorded_a_sheet_the_later_adds_what_the_other_did_not_have(visit, evening):
    code = evening.code()
    one, other = scan(visit, code), scan(visit, code)
    cut(other)
    read, kept = "steps can be read.", "Without network"
    for phone, text, said in ((one, "d4 e5 c3", read), (other, "d4 e5 c3 f6 a1", kept)):
        phone.page.get_by_text("Type the score sheet").click()
        phone.page.get_by_label("The steps that are not recorded yet").fill(text)
        expect(phone.page.locator("#sheet-said")).to_contain_text(said)
    other.page.get_by_role("button", name="Record these steps").click()
    expect(other.page.locator(".kept code")).to_have_text("d4 e5 c3 f6 a1")
    one.page.get_by_role("button", name="Record these steps").click()
    wait_for(lambda: evening.moves() == ["d4", "e5", "c3"], why="the moves of one")
    mend(other)
    wait_for(lambda: evening.moves() == ["d4", "e5", "c3", "f6", "a1"], why="the moves of the other")
    expect(other.page.locator("#network")).to_be_hidden()


def test_what_contradicts_is_shown_side_by_side_and_people_choose(visit, evening):
    code = evening.code()
    one, other = scan(visit, code), scan(visit, code)
    cut(other)
    make_move(other.page, "d4")
    write_step(other.page, "e5")
    make_move(one.page, "a1")
    wait_for(lambda: evening.moves() == ["a1"], why="the move of one")
    mend(other)
    page = other.page
    expect(page.get_by_role("heading", name="Something else was recorded meanwhile")).to_be_visible()
    assert page.locator(".conflict ol").all_inner_texts() == ["a1", "d4\ne5"]
    assert find_barriers(page) == []
    assert evening.moves() == ["a1"]
    # Nothing is lost when the phone is restarted now.
    page.reload()
    page.get_by_role("button", name="Send what waits here after it").click()
    wait_for(lambda: evening.moves() == ["a1", "d4", "e5"], why="the moves of the other")
    expect(page.locator("#network")).to_be_hidden()


def test_a_step_that_the_server_refuses_stops_those_after_it_until_it_is_changed(phone, page, evening):
    cut(phone)
    make_move(page, "d4")
    write_step(page, "d4")
    write_step(page, "e5")
    mend(phone)
    expect(page.get_by_role("heading", name="The server does not take this step")).to_be_visible()
    expect(page.locator(".conflict")).to_contain_text("d4 is not empty")
    assert evening.moves() == ["d4"]
    page.get_by_label("Change the step").fill("c3")
    page.get_by_role("button", name="Send it changed").click()
    wait_for(lambda: evening.moves() == ["d4", "c3", "e5"], why="the changed move")
    expect(page.locator("#network")).to_be_hidden()


def test_people_drop_what_waits_only_after_a_question(phone, page, evening):
    cut(phone)
    write_step(page, "z9")
    write_step(page, "e5")
    mend(phone)
    page.get_by_role("button", name="Drop all that wait").click()
    page.get_by_role("button", name="Keep", exact=True).click()
    assert page.locator(".kept code").all_inner_texts() == ["z9", "e5"]
    page.get_by_role("button", name="Drop this step").click()
    page.get_by_role("button", name="Drop", exact=True).click()
    wait_for(lambda: evening.moves() == ["e5"], why="the other move")


def test_what_a_void_code_could_not_send_is_shown_as_text(phone, page, evening):
    cut(phone)
    make_move(page, "d4")
    write_step(page, "e5")
    evening.post("/code-revocations", why="the sheet is gone")
    mend(phone)
    expect(page.get_by_role("heading", name="This code was made void")).to_be_visible()
    expect(page.get_by_label("What is kept on this phone")).to_have_value(re.compile(r"^d4  {.*}\ne5  {.*}$"))
    assert find_barriers(page) == []


def test_a_score_sheet_is_typed_and_a_fault_is_shown_at_its_place(phone, page, evening):
    page.get_by_text("Type the score sheet").click()
    sheet = page.get_by_label("The steps that are not recorded yet")
    sheet.fill("1. d4 2. e5\n3. d4 4. c3")
    expect(page.locator("#sheet-problem")).to_contain_text("Line 2, column 4")
    expect(page.locator("#sheet-problem")).to_contain_text("d4 is not empty")
    expect(page.locator("#sheet-problem mark")).to_have_text("d4")
    expect(page.locator("#sheet-board svg")).to_be_visible()
    assert find_barriers(page) == []
    page.get_by_role("button", name="Go to this place").click()
    field = "const field = document.activeElement; return field.value.slice(field.selectionStart, field.selectionEnd)"
    assert page.evaluate(f"() => {{ {field} }}") == "d4"
    page.get_by_role("button", name="Record these steps").click()
    assert evening.moves() == []
    sheet.fill("1. d4 2. e5\n3. f6 4. c3")
    expect(page.locator("#sheet-said")).to_contain_text("4 steps can be read.")
    sent: list[str] = []
    page.on("request", lambda asked: sent.append(asked.url) if asked.url.endswith("/moves") else None)
    page.get_by_role("button", name="Record these steps").click()
    wait_for(lambda: evening.moves() == ["d4", "e5", "f6", "c3"], why="the moves")
    expect(page.locator("#log")).to_contain_text("c3")
    assert len(sent) == 1, "all steps go together"
    phone.forgive(*CUT)


def test_the_page_follows_a_result_of_others_a_correction_and_the_next_round(phone, page, evening):
    evening.post("/results", round=1, board=1, ranks=[1, 2])
    expect(page.get_by_role("heading", name="Ida wins")).to_be_visible()
    evening.post("/corrections", round=1, board=1, ranks=[2, 1], why="mixed up")
    expect(page.get_by_role("heading", name="Kim wins")).to_be_visible()
    evening.post("/replays", round=1, board=1, why="they agreed")
    expect(page.get_by_text("Enter only the result")).to_be_visible()
    make_move(page, "d4")
    wait_for(lambda: evening.moves() == ["d4"], why="the move of the game that is played again")
    evening.post("/results", round=1, board=1, ranks=[1, 2])
    evening.call(2)
    expect(page.get_by_text("This round is over. Round 2 is being played")).to_be_visible()
    assert find_barriers(page) == []
    phone.forgive(*CUT)


def without_match(page: str) -> str:
    """The page of a table, as the server sends it before the match is made."""
    page = re.sub(r'data-(match|shown)="[^"]*"', r'data-\1=""', page)
    page = re.sub(r"<script [^>]*/table\.[^>]*></script>", "", page)
    return re.sub(
        r'<div [^>]*id="table".*</main>', '<p id="prepared">It is being prepared.</p></main>', page, flags=re.DOTALL
    )


def test_the_page_shows_its_match_once_it_is_made(visit, evening):
    code, page = evening.code(), visit(phone=True).page

    def send_early(route: Route) -> None:
        answered = route.fetch()
        route.fulfill(response=answered, body=without_match(answered.text()))

    page.route(code, send_early, times=1)
    page.goto(code)
    expect(page.locator("#prepared")).to_be_visible()
    make_move(page, "d4")
    wait_for(lambda: evening.moves() == ["d4"], why="the move")


def test_a_table_calls_an_arbiter_about_a_wrong_result(visit, page, evening):
    evening.post("/results", round=1, board=1, ranks=[1, 2])
    expect(page.get_by_role("heading", name="Ida wins")).to_be_visible()
    page.locator("#calling summary").click()
    page.get_by_label("What is it about?").fill("Kim won")
    page.get_by_role("button", name="Call an arbiter").click()
    expect(page.get_by_text("An arbiter is called: Kim won")).to_be_visible()
    assert evening.game()["call"] == "Kim won"
    desk = visit().sign_in(evening.token, f"{evening.page}/desk")
    desk.get_by_text("calls an arbiter").click()
    expect(desk.get_by_role("heading", name="The table calls: Kim won")).to_be_visible()
    evening.post("/corrections", round=1, board=1, ranks=[2, 1], why="they agree")
    expect(page.get_by_text("An arbiter is called")).to_have_count(0)


def test_the_code_of_a_seat_makes_the_moves_of_that_seat_alone(visit, evening):
    ida, kim = (scan(visit, evening.code(seat=seat)).page for seat in (1, 2))
    expect(ida.locator("#phone-head")).to_contain_text("you make the moves of Ida")
    make_move(ida, "d4")
    expect(ida.locator("#now")).to_contain_text("Waiting for Kim.")
    expect(kim.locator("#now")).to_contain_text("Your turn.")
    make_move(kim, "e5")
    expect(ida.locator("#now")).to_contain_text("Your turn.")
    assert evening.moves() == ["d4", "e5"]


def test_codes_of_two_tables_and_an_account_stay_apart_in_one_browser(visit, begin):
    evening = begin("Ida", "Kim", "Lou", "Max")
    visitor = visit("Rudi", phone=True)
    pages = [visitor.page, visitor.open_window()]
    for board, page in enumerate(pages, 1):
        page.goto(evening.code(board=board))
    for board, page in enumerate(pages, 1):
        expect(page.get_by_role("heading", name=f"Board {board}", level=1)).to_be_visible()
        expect(page.get_by_text("Rudi")).to_have_count(0)
        make_move(page, "abc"[board] + "4")
        wait_for(lambda board=board: evening.moves(board=board) == ["abc"[board] + "4"], why="the move")
    events = evening.list_events()
    assert events[-1]["by"] == "table:1-1-0"
    pages[0].goto("/account")
    expect(pages[0].locator("form[action='/sign-out']")).to_be_attached()


def test_the_code_of_a_private_tournament_is_enough(visit, begin):
    evening = begin("Ida", "Kim", private=True)
    page = scan(visit, evening.code()).page
    make_move(page, "d4")
    expect(page.locator("#log")).to_contain_text("d4")
    evening.move("e5")
    expect(page.locator("#log")).to_contain_text("e5")


def test_no_page_and_no_request_elsewhere_learns_the_code(visit, evening):
    phone = visit(phone=True)
    referrers = []
    phone.page.on("request", lambda asked: referrers.append(asked.all_headers().get("referer", "")))
    address = evening.code()
    phone.page.goto(address)
    make_move(phone.page, "d4")
    expect(phone.page.locator("#log")).to_contain_text("d4")
    assert "plyt_" not in phone.page.content()
    assert not [each for each in referrers if "plyt_" in each]


def test_the_table_fits_a_narrow_phone_and_has_no_barriers(phone, page, evening):
    page.set_viewport_size(NARROW)
    for summary in ("Enter only the result", "Type the score sheet"):
        page.get_by_text(summary).click()
    cut(phone)
    write_step(page, "d4")
    assert fits(page)
    assert find_barriers(page) == []
    take_pictures(page, "phone")


def test_a_tie_is_entered_with_the_keyboard_alone(page, evening):
    page.locator("#result > summary").press("Enter")
    page.get_by_role("button", name="Ida").press("Enter")
    expect(page.get_by_role("button", name="Enter the result")).to_be_enabled()
    page.get_by_role("button", name="It was a tie").press("Enter")
    page.get_by_role("button", name="Enter the result").press("Enter")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Enter the result").press("Enter")
    page.get_by_role("button", name="Yes, enter it").press("Enter")
    expect(page.locator(".places li")).to_have_count(2)
    assert evening.game()["ranks"] == [1, 1]
