"""A club's evening from the announcement to the final table, in browsers, against a real service.

One test plays it. Each act is a function, in the order in which the test calls them. An act does what its people do and
checks what they see. The test keeps a book of its own of who met whom with which result, and computes the final table
from that book alone.

Who is there: Olga, who organises; Artur, the arbiter; eight phones at the tables, six of players with an account and
two of guests; Lea, who comes late; and the wall screen, which nobody touches.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any, NamedTuple

import httpx
import pytest
from caissify_pairings.fpc import check_trf
from caissify_pairings.trf import parse_trf
from playwright.sync_api import Locator, Page, expect

from plyscribe.service.web.pages.friend import draw_code
from tests.pages.conftest import Visitor
from tests.pages.test_phone import KNOWS
from tests.system.running import Serving, wait_for

pytestmark = pytest.mark.server


@pytest.fixture(scope="module")
def service(own_service: Serving) -> Serving:
    return own_service


PROJECTOR = {"width": 1920, "height": 1080}
SOON_MS = 60_000
TITLE = "Thursday at the club"
PLAYERS = ("Anna", "Boris", "Clara", "Dora", "Emil", "Frida")
GUESTS = ("Gus", "Hanna")
LATE = "Lea"

WON, LOST, TIED = (1, 2), (2, 1), (1, 1)
"""The ranks of both seats of a board: seat 1 has won, has lost, or it is a tie."""

STRAIGHT = ("c1", "a1", "c2", "a5", "c3", "e5", "c4", "e1", "c5")
"""A match of Pathagon on 5 × 5 squares in which seat 1 goes straight up the middle and wins."""


class Game(NamedTuple):
    """A line of the test's book: who sat at a board, the ranks of both seats, and who did not come."""

    players: tuple[str, str]
    ranks: tuple[int, int]
    absent: str | None = None


class Evening:
    """The people, their browsers, and the test's book of the evening."""

    olga: Visitor
    artur: Visitor
    hall: Visitor
    wall: Page

    def __init__(self, visit: Any, service: Serving) -> None:
        self.visit, self.service = visit, service
        self.path = ""
        self.entry_link = ""
        self.pairings: list[dict[int, tuple[str, str]]] = []
        """For each round, who sits at which board."""
        self.book: list[dict[int, Game]] = []
        """For each round, the games by board."""
        self.byes: list[dict[str, int]] = []
        """For each round, what those got who had no opponent."""
        self.phones: list[Visitor] = []

    def sign_up(self, name: str, phone: bool = False) -> Visitor:
        visitor: Visitor = self.visit(phone=phone)
        visitor.sign_up(name)
        return visitor

    def ask(self, path: str) -> httpx.Response:
        """What the service says to somebody without an account."""
        answered = httpx.get(f"{self.service.url}/v1{self.path}{path}", timeout=60)
        assert answered.is_success, answered.text
        return answered

    def read_pairing(self) -> dict[int, tuple[str, str]]:
        """Who sits at which board now, by seat, as the wall shows it."""
        lines = self.wall.locator("#wall-games .line:not(.bye)").all()
        return {int(line.get_attribute("data-line") or 0): read_players(line) for line in lines}

    def note(self, number: int, board: int, ranks: tuple[int, int], absent: str | None = None) -> None:
        """Write a result into the book, or correct it there."""
        self.book[number - 1][board] = Game(self.pairings[number - 1][board], ranks, absent)

    def open_round(self, number: int) -> None:
        """Wait until the wall shows the pairing of a round, and open a page of the book for it."""
        expect(self.wall.locator("#wall-head .round")).to_have_text(f"Round {number}/3", timeout=SOON_MS)
        self.wall.wait_for_load_state()
        self.pairings.append(self.read_pairing())
        self.book.append({})
        self.byes.append({})


def read_players(line: Locator) -> tuple[str, str]:
    first, second = line.locator(".player").all_inner_texts()
    return first.partition(" (")[0], second.partition(" (")[0]


def confirm(page: Page, button: str) -> None:
    """Press a button that asks before it acts, and say yes."""
    page.get_by_role("button", name=button, exact=True).click()
    page.get_by_role("dialog").get_by_role("button").first.click()


@contextmanager
def without_network(visitor: Visitor) -> Iterator[None]:
    """Take the network from a browser. What a browser notes about that, and only that, is no fault."""
    before = len(visitor.faults)
    visitor.context.set_offline(True)
    yield
    visitor.context.set_offline(False)
    expect(visitor.page.locator("#network")).to_be_hidden(timeout=SOON_MS)
    visitor.faults[before:] = [each for each in visitor.faults[before:] if "ERR_INTERNET_DISCONNECTED" not in each]


@pytest.fixture
def evening(visit, service) -> Evening:
    return Evening(visit, service)


def test_a_club_plays_its_evening(evening):
    the_administrator_makes_olga_an_organiser(evening)
    olga_announces_a_swiss_at_tables(evening)
    olga_names_artur_arbiter(evening)
    the_wall_lists_who_enters(evening)
    six_players_enter_by_the_link_on_their_phones(evening)
    olga_enters_two_guests(evening)

    olga_starts_and_calls_round_1(evening)
    eight_phones_scan_the_codes_of_the_tables(evening)
    board_1_is_recorded_and_one_phone_loses_the_network(evening)
    board_2_is_recorded_by_two_phones_in_turn_and_one_loses_the_network(evening)
    boards_3_and_4_enter_only_their_results_and_one_is_wrong(evening)

    lea_comes_late(evening)
    clara_asks_for_a_bye(evening)
    artur_calls_round_2_from_the_desk(evening)
    the_report_passes_a_checker_of_others(evening)
    artur_corrects_the_wrong_result_of_round_1(evening)
    somebody_does_not_come_and_artur_decides_it(evening)
    the_other_boards_of_round_2_enter_their_results(evening)

    artur_calls_round_3_and_enters_all_results(evening)
    artur_ends_the_tournament(evening)
    the_wall_shows_the_final_table_without_a_reload(evening)
    the_final_table_is_what_the_book_says(evening)
    the_crosstable_marks_the_correction(evening)
    the_report_says_who_came_late_sat_out_and_did_not_come(evening)
    every_act_of_the_arbiter_is_listed_with_who_and_why(evening)


# ------------------------------------------------------------------------------------------------ before the evening


def the_administrator_makes_olga_an_organiser(evening: Evening) -> None:
    evening.olga = evening.sign_up("Olga")
    evening.olga.page.goto("/tournaments")
    player = evening.olga.page.locator("a[href^='/players/player-']").first.get_attribute("href")
    token = (evening.service.data / "admin.token").read_text().strip()
    made = httpx.post(
        f"{evening.service.url}/v1{player}/organiser", headers={"Authorization": f"Bearer {token}"}, timeout=60
    )
    assert made.is_success, made.text


def olga_announces_a_swiss_at_tables(evening: Evening) -> None:
    page = evening.olga.page
    name = page.get_by_label("Name of the tournament")
    # The process that answers may trust what it knows of the session for ten seconds.
    wait_for(lambda: page.goto("/tournaments/new?ruleset=pathagon") and name.is_visible(), why="the form")
    name.fill(TITLE)
    page.get_by_label("How the players meet").select_option("swiss")
    page.locator("#swiss-rounds").fill("3")
    page.get_by_label("Preset").select_option(label="Small")
    page.get_by_role("button", name="Announce", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text(TITLE)
    evening.path = "/tournaments/" + page.url.rpartition("/")[2]
    page.get_by_role("link", name="Entry link and QR code").click()
    expect(page.get_by_role("img", name="QR code of the entry link")).to_be_visible()
    evening.entry_link = page.get_by_role("textbox", name="Entry link").input_value()


def olga_names_artur_arbiter(evening: Evening) -> None:
    evening.artur = evening.sign_up("Artur")
    page = evening.olga.page
    page.goto(evening.path)
    page.locator("#arbiters summary").click()
    page.get_by_label("Account, by name or id").fill("Artur")
    page.get_by_role("button", name="Make an arbiter").click()
    expect(page.get_by_role("button", name="Dismiss Artur")).to_be_visible()


def the_wall_lists_who_enters(evening: Evening) -> None:
    evening.hall = evening.visit()
    evening.wall = evening.hall.page
    evening.wall.set_viewport_size(PROJECTOR)
    evening.wall.goto(f"{evening.path}/wall")
    expect(evening.wall.get_by_text("Scan to enter")).to_be_visible()


def six_players_enter_by_the_link_on_their_phones(evening: Evening) -> None:
    for name in PLAYERS:
        phone = evening.visit(phone=True)
        evening.phones.append(phone)
        open_account_and_enter(phone.page, evening.entry_link, name)
        expect(phone.page.get_by_role("heading", name=f"You take part as {name}")).to_be_visible()


def open_account_and_enter(page: Page, entry_link: str, name: str) -> None:
    page.goto(entry_link)
    page.get_by_role("link", name="Sign in to enter").click()
    page.get_by_label("Name").fill(name)
    page.get_by_role("button", name="Open an account").click()
    page.get_by_role("link", name="Continue").click()
    page.get_by_role("button", name="Enter the tournament").click()


def olga_enters_two_guests(evening: Evening) -> None:
    page = evening.olga.page
    # The page showed the form when nobody was entered, and has left it open since.
    for name in GUESTS:
        page.get_by_label("Name of the guest").fill(name)
        page.get_by_role("button", name="Enter the guest").click()
        expect(page.get_by_role("rowheader", name=name)).to_be_visible()
        evening.phones.append(evening.visit(phone=True))
    expect(evening.wall.locator("#wall-games .line")).to_have_count(8, timeout=SOON_MS)


# ----------------------------------------------------------------------------------------------------------- round 1


def olga_starts_and_calls_round_1(evening: Evening) -> None:
    page = evening.olga.page
    confirm(page, "Start")
    confirm(page, "Call round 1")
    expect(page.get_by_text("Round 1 is under way: 4 games are not finished.")).to_be_visible(timeout=SOON_MS)
    evening.open_round(1)
    # Whoever looks at the wall sees all four boards at once, and nobody has touched it from here on.
    boards = evening.wall.locator("#wall-games .line:visible")
    expect(boards).to_have_count(4)
    evening.wall.evaluate("window.isUntouched = true")


def eight_phones_scan_the_codes_of_the_tables(evening: Evening) -> None:
    for board, address in scan_sheets(evening, 1).items():
        for phone in evening.phones[2 * board - 2 : 2 * board]:
            phone.page.goto(address)
            expect(phone.page.get_by_role("heading", name=f"Board {board}", level=1)).to_be_visible()
            expect(phone.page.locator(".seated li")).to_have_text(
                [re.compile(each) for each in evening.pairings[0][board]]
            )


def scan_sheets(evening: Evening, number: int) -> dict[int, str]:
    """The addresses of the printed codes, by board. The code on each card is that of the address beside it."""
    page = evening.olga.page
    page.goto(evening.path)
    page.get_by_role("link", name="QR sheets for the tables").click()
    expect(page.get_by_role("heading", name=f"Sheets for round {number}")).to_be_visible()
    page.wait_for_load_state()
    found = {}
    for sheet in page.locator(".sheet").all():
        address = sheet.locator(".address").inner_text()
        drawn = sheet.locator("svg.qr path").last.get_attribute("d")
        assert f'd="{drawn}"' in draw_code(address)
        board = re.search(r"\d+", sheet.get_by_role("heading").inner_text())
        assert board is not None
        found[int(board[0])] = address
    return found


def tap(page: Page, field: str) -> None:
    """Make a move on the board."""
    page.locator(f"#board [data-touch='{field}']").first.click()
    page.locator("#play").click()


def type_next(page: Page, *steps: str) -> None:
    """Write steps as on a score sheet, while there is no network."""
    for step in steps:
        page.get_by_label("Write the next step as on a score sheet").fill(step)
        page.get_by_role("button", name="Keep it").click()
        expect(page.get_by_role("list", name="Steps that wait")).to_contain_text(step)


def expect_moves(page: Page, *moves: str) -> None:
    expect(page.locator("#log")).to_contain_text(moves[-1], timeout=SOON_MS)
    expect(page.locator("#table")).to_have_attribute("data-ply", str(len(moves)), timeout=SOON_MS)


def board_1_is_recorded_and_one_phone_loses_the_network(evening: Evening) -> None:
    recorder, watcher = evening.phones[:2]
    record(recorder, STRAIGHT[:3])
    keep_legal_moves(recorder, STRAIGHT[3])
    with without_network(recorder):
        expect(recorder.page.get_by_text("There is no network.")).to_be_visible()
        # One more move on the board: the phone knows what is legal. What comes after that is written.
        tap(recorder.page, STRAIGHT[4])
        type_next(recorder.page, *STRAIGHT[5:])
        assert moves_of(evening, 1) == list(STRAIGHT[:4])
    wait_for(lambda: moves_of(evening, 1) == list(STRAIGHT), why="all moves, once and in order")
    winner = evening.pairings[0][1][0]
    for phone in (recorder, watcher):
        expect(phone.page.locator("#now")).to_contain_text(f"{winner} wins", timeout=SOON_MS)
    confirm_match(recorder.page)
    evening.note(1, 1, WON)


def confirm_match(page: Page) -> None:
    """Say that everything is entered right, so that nobody waits until the match is final by itself."""
    expect(page.get_by_role("heading", name="Everything entered right?")).to_be_visible(timeout=SOON_MS)
    page.get_by_role("button", name="Confirm", exact=True).click()


def record(phone: Visitor, moves: tuple[str, ...]) -> None:
    for move in moves:
        tap(phone.page, move)
        expect(phone.page.locator("#log")).to_contain_text(move)


def keep_legal_moves(phone: Visitor, move: str) -> None:
    """Make a move, and wait until the phone knows the legal moves after it."""
    record(phone, (move,))
    phone.page.wait_for_function(KNOWS)


def moves_of(evening: Evening, board: int) -> list[str]:
    [first, *_] = evening.ask("/rounds").json()["rounds"]
    match = first["games"][board - 1]["match"]
    return list(httpx.get(f"{evening.service.url}/v1/matches/{match}", timeout=60).json()["moves"])


def board_2_is_recorded_by_two_phones_in_turn_and_one_loses_the_network(evening: Evening) -> None:
    one, other = evening.phones[2:4]
    for number, move in enumerate(STRAIGHT[:4]):
        phone = (one, other)[number % 2]
        tap(phone.page, move)
        for each in (one, other):
            expect(each.page.locator("#log")).to_contain_text(move, timeout=SOON_MS)
    other.page.wait_for_function(KNOWS)
    with without_network(other):
        expect(other.page.get_by_text("There is no network.")).to_be_visible()
        type_next(other.page, *STRAIGHT[4:7])
    expect(one.page.locator("#log")).to_contain_text(STRAIGHT[6], timeout=SOON_MS)
    record(one, STRAIGHT[7:8])
    record(one, STRAIGHT[8:])
    wait_for(lambda: moves_of(evening, 2) == list(STRAIGHT), why="all moves, once and in order")
    confirm_match(one.page)
    evening.note(1, 2, WON)


def boards_3_and_4_enter_only_their_results_and_one_is_wrong(evening: Evening) -> None:
    enter_tie(evening.phones[4].page)
    evening.note(1, 3, TIED)
    # The first has lost, but somebody taps the first name.
    enter_winner(evening.phones[6].page, evening.pairings[0][4][0])
    evening.note(1, 4, WON)
    for board, score in ((1, "1 : 0"), (2, "1 : 0"), (3, "½ : ½"), (4, "1 : 0")):
        expect(board_on_wall(evening, board)).to_contain_text(score, timeout=SOON_MS)


def board_on_wall(evening: Evening, board: int) -> Locator:
    return evening.wall.locator(f"#wall-games [data-line='{board}']")


def enter_winner(page: Page, name: str) -> None:
    page.get_by_text("Enter only the result").click()
    page.locator(".names").get_by_role("button", name=name).click()
    send_result(page)
    expect(page.get_by_role("heading", name=f"{name} wins")).to_be_visible(timeout=SOON_MS)


def enter_tie(page: Page) -> None:
    page.get_by_text("Enter only the result").click()
    page.get_by_role("button", name="It was a tie").click()
    send_result(page)
    expect(page.locator(".places li")).to_have_count(2, timeout=SOON_MS)


def send_result(page: Page) -> None:
    page.get_by_role("button", name="Enter the result").click()
    page.get_by_role("button", name="Yes, enter it").click()


# ----------------------------------------------------------------------------------------------------------- round 2


def lea_comes_late(evening: Evening) -> None:
    phone = evening.visit(phone=True)
    open_account_and_enter(phone.page, evening.entry_link, LATE)
    expect(phone.page.get_by_role("heading", name=f"You take part as {LATE}")).to_be_visible()
    evening.byes[0][LATE] = 0


def clara_asks_for_a_bye(evening: Evening) -> None:
    page = evening.phones[PLAYERS.index("Clara")].page
    page.goto(evening.path)
    page.get_by_text("Sit out a round").click()
    page.locator("#own-round").select_option("2")
    page.get_by_role("button", name="Sit out", exact=True).click()
    expect(page.get_by_text("You have a bye in round 2.")).to_be_visible(timeout=SOON_MS)


def artur_calls_round_2_from_the_desk(evening: Evening) -> None:
    page = evening.artur.page
    page.goto(f"{evening.path}/desk")
    page.get_by_role("button", name="Call round 2").click()
    evening.open_round(2)
    evening.byes[1]["Clara"] = 1
    assert LATE in {name for board in evening.pairings[1].values() for name in board}
    expect(evening.wall.locator("#wall-games .bye")).to_contain_text(["Clara"])


def the_report_passes_a_checker_of_others(evening: Evening) -> None:
    """The checker pairs both rounds like the server.

    Later it could not: it does not know that round 2 was paired before a correction.
    """
    checked = check_trf(save_report(evening.olga.page, evening.path))
    assert checked["summary"]["rounds_matched"] == 2, checked


def artur_corrects_the_wrong_result_of_round_1(evening: Evening) -> None:
    page = evening.artur.page
    first, second = evening.pairings[0][4]
    page.get_by_role("link", name="Round 1", exact=True).click()
    choose_board(page, 4)
    correct = page.locator("form[data-post$='/corrections']")
    correct.get_by_label(f"{second} won").check()
    correct.get_by_label("Reason").fill("they tapped the wrong name")
    correct.get_by_role("button", name="Show the table before and after").click()
    shown = page.get_by_role("group", name="The table before and after")
    expect(shown.get_by_role("row", name=first).get_by_role("cell").last).to_have_text("2, then 0")
    expect(shown.get_by_role("row", name=second).get_by_role("cell").last).to_have_text("0, then 2")
    page.get_by_role("button", name="Do it").click()
    expect(page.get_by_text("The result is corrected.")).to_be_visible()
    evening.note(1, 4, LOST)
    # The pairing of round 2 stays.
    assert evening.read_pairing() == evening.pairings[1]
    games = evening.ask("/rounds").json()["rounds"][1]["games"]
    assert [game["ranks"] for game in games] == [None] * 4


def choose_board(page: Page, board: int) -> None:
    page.locator(f"#place-{board}-1").click()
    expect(page.locator("#panel-title")).to_contain_text(f"Board {board}")


def somebody_does_not_come_and_artur_decides_it(evening: Evening) -> None:
    page = evening.artur.page
    page.get_by_role("link", name="Round 2", exact=True).click()
    first, second = evening.pairings[1][4]
    missing = second if first == LATE else first
    winner = first if missing == second else second
    choose_board(page, 4)
    page.get_by_text("Adjudicate or forfeit, with a reason").click()
    decide = page.locator("form[data-post$='/adjudications']")
    decide.get_by_label(f"{missing} did not come: {winner} wins").check()
    decide.get_by_label("Reason").fill("the last train was earlier")
    decide.get_by_role("button", name="Decide the game").click()
    expect(page.locator("#place-4-1")).to_contain_text(f"{missing} lost by forfeit")
    evening.note(2, 4, WON if winner == first else LOST, absent=missing)
    expect(board_on_wall(evening, 4)).to_contain_text("+", timeout=SOON_MS)


def the_other_boards_of_round_2_enter_their_results(evening: Evening) -> None:
    codes = scan_sheets(evening, 2)
    for board, seat in ((1, 1), (2, 2), (3, 1)):
        phone = evening.phones[board]
        phone.page.goto(codes[board])
        enter_winner(phone.page, evening.pairings[1][board][seat - 1])
        evening.note(2, board, WON if seat == 1 else LOST)


# ----------------------------------------------------------------------------------------------------------- round 3


def artur_calls_round_3_and_enters_all_results(evening: Evening) -> None:
    page = evening.artur.page
    page.get_by_role("button", name="Call round 3").click(timeout=SOON_MS)
    evening.open_round(3)
    expect(page.get_by_role("heading", name="Round 3: 4 games")).to_be_visible(timeout=SOON_MS)
    [free] = evening.wall.locator("#wall-games .bye .players").all_inner_texts()
    evening.byes[2][free] = 2
    for board, ranks in ((1, TIED), (2, WON), (3, LOST), (4, WON)):
        choose_board(page, board)
        first, second = evening.pairings[2][board]
        says = {WON: f"{first} won", LOST: f"{second} won", TIED: "Draw"}[ranks]
        enter = page.locator("form[data-post$='/results']")
        enter.get_by_label(says, exact=True).check()
        enter.get_by_role("button", name="Enter the result").click()
        expect(page.get_by_text("The result is entered.")).to_be_visible()
        evening.note(3, board, ranks)


def artur_ends_the_tournament(evening: Evening) -> None:
    page = evening.artur.page
    page.goto(evening.path)
    confirm(page, "End the tournament")
    expect(page.locator("#tournament[data-status=ended]")).to_be_visible(timeout=SOON_MS)


# ----------------------------------------------------------------------------------------------------------- the end


def the_wall_shows_the_final_table_without_a_reload(evening: Evening) -> None:
    expect(evening.wall.get_by_role("heading", name="Final table")).to_be_visible(timeout=SOON_MS)
    expect(evening.wall.get_by_text("The tournament is over. Congratulations!")).to_be_visible()
    assert evening.wall.evaluate("window.isUntouched")
    rows = evening.wall.locator("#wall-table .line").all()
    shown = {row.locator(".players").text_content(): row.locator(".how").text_content() for row in rows}
    assert shown == {name: str(points) for name, points in add_up(evening).items()}


def add_up(evening: Evening) -> dict[str, Fraction]:
    """The points of everybody, from the book: 2 for a win, 1 for a tie, and what those get who sit out."""
    points = dict.fromkeys((*PLAYERS, *GUESTS, LATE), Fraction(0))
    for games, byes in zip(evening.book, evening.byes, strict=True):
        for game in games.values():
            for name, rank in zip(game.players, game.ranks, strict=True):
                points[name] += 1 if game.ranks == TIED else 2 if rank == 1 else 0
        for name, share in byes.items():
            points[name] += share
    return points


def compute_buchholz(evening: Evening, name: str) -> Fraction:
    """The points of those whom somebody met. Who had no opponent, or one who did not come, met themselves."""
    points, total = add_up(evening), Fraction(0)
    for number, games in enumerate(evening.book):
        if number == 0 and name == LATE:
            continue
        own = next((game for game in games.values() if name in game.players), None)
        if own is None or own.absent:
            total += points[name]
        else:
            total += points[own.players[1 - own.players.index(name)]]
    return total


def the_final_table_is_what_the_book_says(evening: Evening) -> None:
    page = evening.olga.page
    page.goto(evening.path)
    table = page.get_by_role("group", name="Final table")
    heads = table.get_by_role("columnheader").all_inner_texts()
    shown = [dict(zip(heads, row.get_by_role("cell").all_inner_texts(), strict=True)) for row in list_rows(table)]
    points = add_up(evening)
    assert {row["Name"]: (row["Points"], row["Buchholz"]) for row in shown} == {
        name: (str(points[name]), str(compute_buchholz(evening, name))) for name in points
    }
    order = [(points[row["Name"]], compute_buchholz(evening, row["Name"])) for row in shown]
    assert order == sorted(order, reverse=True)


def list_rows(table: Locator) -> list[Locator]:
    return table.locator("tbody tr").all()


def the_crosstable_marks_the_correction(evening: Evening) -> None:
    page = evening.olga.page
    first, second = evening.pairings[0][4]
    crosstable = page.get_by_role("region", name="Crosstable")
    expect(crosstable.get_by_role("row", name=second)).to_contain_text(["1*"])
    expect(crosstable.get_by_role("row", name=first)).to_contain_text(["0*"])
    corrected = crosstable.get_by_role("listitem").filter(has_text=f"{first} – {second}")
    expect(corrected).to_contain_text(
        "the places 1–2 were entered, now they are 2–1. Artur: they tapped the wrong name"
    )


def the_report_says_who_came_late_sat_out_and_did_not_come(evening: Evening) -> None:
    report = save_report(evening.olga.page, evening.path)
    parsed = parse_trf(report)
    lines = {line[14:47].strip(): line[80:] for line in report.splitlines() if line.startswith("001")}
    points = add_up(evening)
    assert {name: Fraction(line[:4].strip()) for name, line in lines.items()} == {
        name: points[name] / 2 for name in points
    }
    rounds = {name: [line[11 + 10 * each :][:8] for each in range(3)] for name, line in lines.items()}
    assert rounds[LATE][0].split() == ["0000", "-", "Z"]
    assert rounds["Clara"][1].split() == ["0000", "-", "H"]
    forfeited = evening.book[1][4]
    assert [rounds[name][1][-1] for name in forfeited.players] == [
        "-" if name == forfeited.absent else "+" for name in forfeited.players
    ]
    [free] = evening.byes[2]
    assert rounds[free][2].split() == ["0000", "-", "U"]
    assert parsed


def save_report(page: Page, path: str) -> str:
    """The FIDE report, saved from the page of the tournament."""
    page.goto(path)
    with page.expect_download() as saved:
        page.get_by_role("link", name="the FIDE report (TRF)").click()
    return saved.value.path().read_text()


def every_act_of_the_arbiter_is_listed_with_who_and_why(evening: Evening) -> None:
    rows = list_rows(evening.olga.page.get_by_role("group", name="Decisions of the organiser"))
    acts = [row.get_by_role("cell").all_inner_texts()[1:] for row in reversed(rows)]
    assert [(did, why) for who, did, why in acts if who == "Artur"] == [
        ("called round 2", ""),
        ("corrected the result of round 1, board 4, game 1", "they tapped the wrong name"),
        ("declared round 2, board 4, game 1 forfeited", "the last train was earlier"),
        ("called round 3", ""),
        *((f"entered the result of round 3, board {board}, game 1", "") for board in (1, 2, 3, 4)),
        ("ended the tournament", ""),
    ]
    assert [did for who, did, _ in acts if who == "Olga"] == ["made Artur an arbiter", "called round 1"]
