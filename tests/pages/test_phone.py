"""At the table: a phone with the code of a table records the match, enters its result, and goes on without network."""

from typing import Any

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.pages.conftest import Visitor, find_barriers, take_pictures
from tests.system.running import Serving, wait_for

pytestmark = pytest.mark.server

NARROW = {"width": 320, "height": 640}


class Evening:
    """A tournament of a club with guests, which its organiser runs through the API; the first round is paired."""

    def __init__(self, service: Serving, *names: str, **terms: Any) -> None:
        token = (service.data / "admin.token").read_text().strip()
        self.http = httpx.Client(base_url=service.url, headers={"Authorization": f"Bearer {token}"}, timeout=60)
        terms = {"ruleset": "pathagon", "format": {"kind": "swiss", "rounds": 2}, **terms}
        club = {"name": "Club cup", "at_table": True, "is_open": False, "rounds_begin": "call", **terms}
        self.path = "/v1/tournaments"
        self.id = self.post("", **club)["tournament"]
        self.path = f"/v1/tournaments/{self.id}"
        for name in names:
            self.post("/entrants", guest=name)
        self.post("/start")
        self.call(1)

    def post(self, path: str, **body: Any) -> dict[str, Any]:
        answered = self.http.post(self.path + path, json=body)
        assert answered.is_success, answered.text
        return dict(answered.json())

    def get(self, path: str) -> dict[str, Any]:
        answered = self.http.get(self.path + path)
        assert answered.is_success, answered.text
        return dict(answered.json())

    def call(self, round: int) -> None:
        self.post("/rounds", round=round)
        wait_for(lambda: self.get("")["rounds"] == round, why="the pairing")
        wait_for(lambda: self.moves(round) is not None, why="the match")

    def game(self, round: int = 1, board: int = 1) -> dict[str, Any]:
        games: list[dict[str, Any]] = self.get(f"/rounds?round={round}")["rounds"][0]["games"]
        return games[board - 1]

    def moves(self, round: int = 1, board: int = 1) -> list[str] | None:
        """The moves of the match at a board, in order; None if there is no match yet."""
        answered = self.http.get(f"/v1/matches/{self.game(round, board)['match']}")
        return list(answered.json()["moves"]) if answered.is_success else None

    def code(self, round: int = 1, board: int = 1, seat: int = 0) -> str:
        """The address of the page of a table, or of a seat there."""
        codes = self.post(f"/rounds/{round}/codes", board=board, seats=seat > 0)["codes"]
        return next(str(each["url"]) for each in codes if each["seat"] == seat)

    def move(self, move: str) -> None:
        answered = self.http.post(f"/v1/matches/{self.game()['match']}/moves", json={"move": move})
        assert answered.is_success, answered.text


@pytest.fixture
def begin(service):
    """Begins evenings of a club."""
    evenings: list[Evening] = []

    def begin_one(*names: str, **terms: Any) -> Evening:
        evenings.append(Evening(service, *names, **terms))
        return evenings[-1]

    yield begin_one
    for each in evenings:
        each.http.close()


@pytest.fixture
def evening(begin):
    return begin("Ida", "Kim")


def scan(visit: Any, address: str, **how: Any) -> Visitor:
    """A phone that has scanned a code."""
    visitor: Visitor = visit(phone=True, **how)
    visitor.page.goto(address)
    return visitor


def forgive(visitor: Visitor, *said: str) -> None:
    """Forget the faults that a browser notes when it is refused on purpose, or has no network."""
    visitor.faults = [fault for fault in visitor.faults if not any(each in fault for each in said)]


def tap(page: Page, *fields: str) -> None:
    """Make a move by tapping these fields."""
    for field in fields:
        page.locator(f"#board [data-touch='{field}']").first.click()
    page.locator("#play").click()


def test_a_guest_records_moves_by_taps(visit, evening):
    page = scan(visit, evening.code()).page
    expect(page.get_by_role("heading", name="Board 1", level=1)).to_be_visible()
    expect(page.locator("#phone-head")).to_contain_text("Club cup · Round 1 · Pathagon")
    expect(page.locator(".seated li")).to_have_count(2)
    tap(page, "d4")
    expect(page.locator("#log")).to_contain_text("d4")
    tap(page, "e5")
    wait_for(lambda: evening.moves() == ["d4", "e5"], why="the moves")
    expect(page.locator("#network")).to_be_hidden()


# ------------------------------------------------------------------------------------------------------------ results


def enter_result(page: Page) -> None:
    page.get_by_role("button", name="Enter the result").click()
    page.get_by_role("button", name="Yes, enter it").click()


def test_a_result_is_entered_without_moves_and_asked_for_once(visit, evening):
    page = scan(visit, evening.code()).page
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


def test_a_walkover_is_entered_for_whoever_did_not_come(visit, evening):
    page = scan(visit, evening.code()).page
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


# ------------------------------------------------------------------------------------------------------------- sheets


def sign_in_as_admin(visitor: Visitor, service: Serving, address: str) -> None:
    visitor.page.goto(f"/sign-in?next={address}")
    visitor.page.get_by_label("Token").fill((service.data / "admin.token").read_text().strip())
    visitor.page.get_by_role("button", name="Sign in").click()


def test_sheets_are_printed_with_a_code_for_each_table_and_codes_are_made_void(visit, service, begin):
    evening = begin("Ida", "Kim", "Lou", "Max")
    olga = visit()
    page = olga.page
    sign_in_as_admin(olga, service, f"/tournaments/{evening.id}")
    page.get_by_role("link", name="Print the sheets").click()
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
    page.reload()
    assert page.locator(".sheet .address").first.inner_text() != address
    forgive(scanned, "410", "401")


def test_nobody_else_sees_the_sheets(evening, service):
    assert httpx.get(f"{service.url}/tournaments/{evening.id}/rounds/1/sheets").status_code == 401
