"""The formats of tournaments over HTTP and on pages, played to their ends."""

from typing import Any

import pytest

from plyscribe.domain.tournament.due_dates import DAY_MS
from plyscribe.service.tournaments.pairing_check import check_pairing
from tests.service.api import Api
from tests.service.test_tournaments_api import TournamentOverHttp


class Hall(TournamentOverHttp):
    """A tournament of guests at tables, whose results Olga enters."""

    def __init__(self, api: Api, parts: Any, guests: int, **format: Any) -> None:
        super().__init__(api, parts, at_table=True, format=format)
        for number in range(1, guests + 1):
            assert self.enter(self.token, guest=f"Guest {number}").status_code == 201

    def post(self, path: str, **body: Any) -> Any:
        return self.api.post(self.path + path, self.token, body)

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


def test_groups_run_to_the_final_and_each_format_tells_them_apart(api, parts):
    hall = Hall(api, parts, 8, kind="groups", groups=2)
    hall.play_out()
    assert all(hall.agree())
    table = hall.get("/standings")
    assert [[row["entrant"] for row in group["rows"]] for group in table["groups"]] == [[1, 4, 5, 8], [2, 3, 6, 7]]
    assert [len(round["boards"]) for round in table["bracket"]] == [2, 1]
    assert [row["entrant"] for row in table["rows"]][:2] == [1, 2]
    assert [round["stage"] for round in hall.get("/rounds")["rounds"]] == ["groups"] * 3 + ["knockout"] * 2
    text = api.get(f"{hall.path}/standings", headers={"Accept": "text/plain"}).text
    assert text.startswith("Group A\nplace")
    csv = api.get(f"{hall.path}/standings", headers={"Accept": "text/csv"}).text
    assert csv.startswith("rank,entrant,name,group,points,")
    page = hall.shown()
    assert "Group A" in page
    assert "Bracket" in page
    assert "(knockout)" in page
    assert page.index("Groups</h2>") < page.index("Bracket</h2>") < page.index("Final table</h2>")


@pytest.mark.parametrize(
    ("format", "words"),
    [
        ({"kind": "groups", "size": 4, "advance": 1}, "Groups of at most 4, then a knockout of the best of each"),
        ({"kind": "groups", "groups": 3}, "3 groups, then a knockout of the best 2 of each"),
    ],
)
def test_a_format_is_told_in_words(api, parts, format, words):
    assert words in Hall(api, parts, 0, **format).shown()


def test_a_league_tells_its_deadlines_and_the_organiser_extends_them(api, parts):
    hall = Hall(api, parts, 4, kind="league", round_days=7)
    hall.begin()
    listed = hall.get("/deadlines")
    assert [(each["round"], each["board"]) for each in listed["deadlines"]] == [(1, 1), (1, 2)]
    first = listed["deadlines"][0]
    assert 6.9 * DAY_MS < first["left_ms"] <= 7 * DAY_MS
    assert listed["next_round_at"] == first["deadline"]
    assert hall.post("/deadlines", round=1, board=1, days=3, why="a holiday").status_code == 201
    [longer, other] = hall.get("/deadlines")["deadlines"]
    assert longer["deadline"] - other["deadline"] == 3 * DAY_MS
    [round] = hall.get("/rounds")["rounds"]
    assert (round["ends_at"], round["games"][0]["deadline"]) == (other["deadline"], longer["deadline"])
    page = hall.shown()
    assert "League, a round lasts 7 days" in page
    assert "Time left" in page
    assert "extended the deadline of round 1" in page


def test_only_organisers_extend_deadlines(api, parts):
    hall = Hall(api, parts, 2, kind="league")
    hall.begin()
    refused = api.post(f"{hall.path}/deadlines", hall.ann_token, {"round": 1, "days": 3, "why": "I am away"})
    assert (refused.status_code, refused.json["code"]) == (403, "tournament/not-yours")
    assert hall.post("/deadlines", round=1, days=99, why="a holiday").status_code == 422


def test_other_formats_list_no_deadlines(api, parts):
    hall = Hall(api, parts, 2, kind="round-robin")
    hall.begin()
    assert hall.get("/deadlines")["deadlines"] == []
    assert "Time left" not in hall.shown()


def test_an_early_league_runs_to_its_end(api, parts):
    hall = Hall(api, parts, 3, kind="league", next_round="early")
    hall.play_out()
    assert hall.get()["rounds"] == 3
    assert all(hall.agree())
