"""Tournaments of teams over HTTP, with real matches."""

import csv
import io

import pytest

from tests.service.test_club_api import Club
from tests.service.test_tournaments_api import TournamentOverHttp

LEAGUE = {"kind": "team-round-robin", "boards": 2}
HALL = {"at_table": True, "is_open": False, "format": LEAGUE}


@pytest.fixture
def hall(api, parts) -> Club:
    """A tournament at the table, with two teams of three guests."""
    hall = Club(api, parts, **HALL)
    for number in range(6):
        hall.guests(f"Guest {number + 1}", team=("Reds", "Blues")[number % 2])
    return hall


def test_no_teams_play_in_other_formats(api, parts):
    club = Club(api, parts, **{**HALL, "format": {"kind": "swiss"}})
    assert club.enter(club.token, guest="Ida", team="Reds").json["code"] == "tournament/no-teams"
    assert api.get(f"{club.path}/standings?teams=true", club.token, headers={"Accept": "text/csv"}).status_code == 422


def test_the_standings_show_teams_and_players(hall, parts):
    assert hall.start().status_code == 200
    parts.tournaments.advance(hall.id)
    for board, game in enumerate(hall.get("/rounds")["rounds"][0]["games"], 1):
        ranks = [1, 2] if game["entrants"][0] % 2 else [2, 1]
        assert hall.post("/results", round=1, board=board, ranks=ranks).status_code == 201
    parts.tournaments.advance(hall.id)
    assert hall.get()["status"] == "ended"
    text = read_table(hall, "text/plain")
    assert text.index("match points") < text.index("Reds") < text.index("Guest 1")
    of_teams = list(csv.DictReader(io.StringIO(read_table(hall, "text/csv", "?teams=true"))))
    assert [(each["name"], each["match points"]) for each in of_teams] == [("Reds", "2"), ("Blues", "0")]
    assert len(list(csv.DictReader(io.StringIO(read_table(hall, "text/csv"))))) == 6


def read_table(hall: Club, media: str, query: str = "") -> str:
    return hall.api.get(f"{hall.path}/standings{query}", hall.token, headers={"Accept": media}).text


def test_bots_play_a_scheveningen_and_every_round_can_be_checked(api, parts):
    match = TournamentOverHttp(api, parts, format={"kind": "scheveningen"})
    for number in range(4):
        bot = {"bot": {"name": "random"}, "team": ("Reds", "Blues")[number % 2], "label": f"Bot {number}"}
        assert match.enter(match.token, **bot).status_code == 201
    assert match.start().status_code == 200
    match.advance()
    [round] = match.get("/rounds")["rounds"]
    assert [each["reasons"][0]["word"] for each in round["boards"]] == ["scheveningen"] * 2
    assert match.get("/rounds/1/check")["agrees"]
