"""The table and the crosstable in a browser: links to matches, numbers that add up, and equal names told apart."""

from playwright.sync_api import expect

from tests.pages.conftest import find_barriers, require_usable
from tests.system.running import wait_for


def test_the_tables_of_a_night_say_who_beat_whom(visit, announce):
    guests = ("Ada", "Kim", "Ada", "Maximiliane Musterfrau-Beispiel", "Lou")
    night = announce(*guests, format={"kind": "round-robin"}, rounds_begin="auto")
    night.post("/start")
    for number in range(1, 6):
        wait_for(lambda number=number: len(night.list_games(number)) == 2, why=f"round {number}")
        for game in night.list_games(number):
            ranks = [1, 2] if sum(game["entrants"]) % 2 else [2, 1]
            night.post("/results", round=number, board=game["board"], ranks=ranks)
    night.post("/corrections", round=1, board=1, ranks=[1, 1], why="they had agreed on a draw")
    night.post("/penalties", entrant=2, points=1, why="a phone rang")
    # The end draws the tables of the page anew, and with them what the focus returns to.
    wait_for(lambda: night.get()["status"] == "ended", why="the end of the tournament")
    page = visit().page
    page.goto(night.page)
    crosstable = page.get_by_role("group", name="Crosstable")
    expect(page.get_by_role("columnheader", name="Ada #3")).to_be_visible()
    expect(crosstable.get_by_text("½*").first).to_be_visible()
    expect(page.get_by_text("they had agreed on a draw").first).to_be_visible()
    require_usable(page, "standings")
    page.get_by_role("link", name="how the numbers of Kim add up").click()
    sums = page.get_by_role("dialog", name="How the numbers of Kim add up")
    expect(sums.get_by_text("penalty: a phone rang")).to_be_visible()
    assert find_barriers(page) == []
    sums.get_by_role("button", name="Close").click()
    expect(page.get_by_role("link", name="how the numbers of Kim add up")).to_be_focused()
