"""The formats of tournaments over HTTP and on pages, played to their ends."""

from typing import Any

import httpx

from plyscribe.domain.tournament.due_dates import DAY_MS
from plyscribe.service.client import Client
from plyscribe.service.tournaments.pairing_check import check_pairing
from tests.service.api import Api
from tests.service.test_club_api import Club
from tests.service.test_pages import sign_in
from tests.service.test_tournaments_api import TournamentOverHttp


class Hall(Club):
    """A tournament of guests at tables, whose results Olga enters."""

    def __init__(self, api: Api, parts: Any, guests: int, **format: Any) -> None:
        super().__init__(api, parts, at_table=True, format=format)
        for number in range(1, guests + 1):
            assert self.enter(self.token, guest=f"Guest {number}").status_code == 201

    def begin(self) -> None:
        assert self.start().status_code == 200
        self.parts.tournaments.advance(self.id)

    def play_round(self) -> None:
        """Let the lower number win each board of the newest round, and go on."""
        *_, newest = self.get("/rounds")["rounds"]
        for game in newest["games"]:
            one, other = game["entrants"]
            place = {"round": newest["round"], "board": game["board"]}
            assert self.post("/results", **place, ranks=[1, 2] if one < other else [2, 1]).status_code == 201
        self.parts.tournaments.advance(self.id)

    def play_out(self) -> None:
        self.begin()
        while self.get()["status"] == "playing":
            self.play_round()

    def agree(self) -> list[bool]:
        """Whether each round comes out the same when it is paired again from the events."""
        entries = self.parts.tournaments.handler.read_events(self.id, 0)
        rounds = range(1, self.get()["rounds"] + 1)
        return [check_pairing(self.id, entries, number).agrees for number in rounds]

    def shown(self) -> str:
        return self.api.app.test_client().get(f"/tournaments/{self.id}").text


def test_a_pyramid_runs_to_its_end_and_takes_a_guest_on_the_way(api, parts):
    hall = Hall(api, parts, 3, kind="pyramid")
    hall.begin()
    hall.play_round()
    assert hall.enter(hall.token, guest="Late").status_code == 201
    while hall.get()["status"] == "playing":
        hall.play_round()
    assert [row["points"] for row in hall.get("/standings")["rows"]] == ["6", "4", "2", "0"]
    assert all(hall.agree())
    assert "everybody meets those before them" in hall.shown()


def test_groups_run_to_the_final(api, parts):
    hall = Hall(api, parts, 8, kind="groups", groups=2)
    hall.play_out()
    assert all(hall.agree())
    assert [round["stage"] for round in hall.get("/rounds")["rounds"]] == ["groups"] * 3 + ["knockout"] * 2
    page = hall.shown()
    for told in ("Group A", "(knockout)", "2 groups, then a knockout of the best 2 of each"):
        assert told in page
    assert "Time left" not in page
    assert page.index("Groups</h2>") < page.index("Bracket</h2>") < page.index("Final table</h2>")


def test_groups_of_a_size_are_told_in_words(api, parts):
    shown = Hall(api, parts, 0, kind="groups", size=4, advance=1).shown()
    assert "Groups of at most 4, then a knockout of the best of each" in shown


def test_a_league_tells_its_deadlines_and_the_organiser_extends_them(api, parts):
    hall = Hall(api, parts, 4, kind="league", round_days=7)
    hall.begin()
    listed = hall.get("/deadlines")
    assert 6.9 * DAY_MS < listed["deadlines"][0]["left_ms"] <= 7 * DAY_MS
    assert listed["next_round_at"] == listed["deadlines"][0]["deadline"]
    assert hall.post("/deadlines", round=1, board=1, days=3, why="a holiday").status_code == 201
    [longer, other] = hall.get("/deadlines")["deadlines"]
    assert longer["deadline"] - other["deadline"] == 3 * DAY_MS
    [round] = hall.get("/rounds")["rounds"]
    assert (round["ends_at"], round["games"][0]["deadline"]) == (other["deadline"], longer["deadline"])
    page = hall.shown()
    assert "League, a round lasts 7 days" in page
    assert "Time left" in page
    assert "extended the deadline of round 1" in page


def test_no_round_is_announced_after_the_last_one(api, parts):
    hall = Hall(api, parts, 2, kind="league")
    hall.begin()
    assert hall.get("/deadlines")["next_round_at"] is None


class Ladder(TournamentOverHttp):
    """A ladder of Olga's with Ann below Ben, Cem and Dora."""

    def __init__(self, api: Api, parts: Any, **format: Any) -> None:
        super().__init__(api, parts, format={"kind": "ladder", **format})
        ben, self.cem, dora = (api.sign_up(name)[1] for name in ("Ben", "Cem", "Dora"))
        for token in (ben, self.cem, dora, self.ann_token):
            assert self.enter(token).status_code == 201
        assert self.start().status_code == 200

    def challenge(self, token: str, opponent: int, **body: Any) -> Any:
        return self.api.post(f"{self.path}/challenges", token, {"opponent": opponent, **body})

    def decide(self, round: int, winner: int) -> None:
        [game] = self.get("/rounds")["rounds"][round - 1]["games"]
        ranks = [1 if each == winner else 2 for each in game["entrants"]]
        ruling = {"round": round, "board": 1, "ranks": ranks, "why": "a clear position"}
        assert self.api.post(f"{self.path}/adjudications", self.token, ruling).status_code == 200


def test_a_challenger_who_wins_climbs_and_a_challenge_that_cannot_be_made_says_what_to_do(api, parts):
    ladder = Ladder(api, parts, reach=2)
    refused = ladder.challenge(ladder.ann_token, 1)
    assert (refused.status_code, refused.json["code"]) == (409, "challenge/reach")
    assert refused.json["detail"].endswith("entrant 4 on rung 4 may challenge 2, 3")
    assert ladder.challenge(ladder.cem, 1, entrant=4).json["code"] == "entrant/not-yours"
    assert ladder.challenge(ladder.ann_token, 2).status_code == 201
    listed = ladder.get("/challenges?entrant=3")
    opponents = [(each["entrant"], each["code"]) for each in listed["opponents"]]
    assert (listed["rung"], opponents) == (3, [(1, None), (2, "challenge/busy")])
    ladder.advance()
    ladder.decide(1, winner=4)
    assert [row["entrant"] for row in ladder.get("/standings")["rows"] if row["rung"]] == [1, 4, 2, 3]
    assert check_pairing(ladder.id, parts.tournaments.handler.read_events(ladder.id, 0), 1).agrees
    again = ladder.challenge(ladder.cem, 4).json
    assert (again["code"], again["free_at"] > 0) == ("challenge/cooldown", True)


def test_a_closed_ladder_ends_once_its_challenges_are_decided(api, parts):
    ladder = Ladder(api, parts)
    browser = api.app.test_client()
    sign_in(browser, ladder.ann_token)
    shown = browser.get(f"/tournaments/{ladder.id}").text
    for told, is_shown in (("Challenge Ben", True), ("You stand on rung 4.", True), ("Close the ladder", False)):
        assert (told in shown) is is_shown
    sign_in(browser, ladder.token)
    assert "Close the ladder" in browser.get(f"/tournaments/{ladder.id}").text
    assert ladder.challenge(ladder.ann_token, 2).status_code == 201
    assert api.post(f"{ladder.path}/close", ladder.ann_token, {"why": "enough"}).status_code == 403
    assert api.post(f"{ladder.path}/close", ladder.token, {"why": "the season is over"}).status_code == 200
    ladder.advance()
    assert ladder.get()["status"] == "playing"
    assert ladder.challenge(ladder.cem, 1).json["code"] == "challenge/over"
    ladder.decide(1, winner=4)
    ladder.advance()
    described = ladder.get()
    assert (described["status"], described["ended"], described["closed"]) == ("ended", "closed", "the season is over")


def client_of(api: Api, token: str) -> Client:
    return Client("http://localhost", token, transport=httpx.WSGITransport(app=api.app))


def test_the_client_steers_a_league(api, parts):
    hall = Hall(api, parts, 4, kind="league")
    hall.begin()
    olga = client_of(api, hall.token)
    olga.extend_deadline(hall.id, 1, 2, "a holiday", board=2)
    first, second = olga.deadlines(hall.id)["deadlines"]
    assert second["deadline"] - first["deadline"] == 2 * DAY_MS


def test_the_client_challenges_and_closes_a_ladder(api, parts):
    ladder = Ladder(api, parts)
    ann = client_of(api, ladder.ann_token)
    assert [each["entrant"] for each in ann.challenges(ladder.id, 4)["opponents"]] == [1, 2, 3]
    ann.challenge(ladder.id, 3)
    client_of(api, ladder.token).close_ladder(ladder.id, "the season is over")
    assert ann.tournament(ladder.id)["closed"] == "the season is over"
