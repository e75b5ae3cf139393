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


def put(hall: Club, entrant: int, token: str | None = None, **body: object):
    return hall.send("PUT", f"/entrants/{entrant}/team", token, **body)


def test_the_organiser_assigns_accounts_and_guests_to_teams(hall):
    assert hall.post("/requests", hall.ann_token).status_code == 201
    assert hall.enter(hall.token, player=hall.ann).status_code == 201
    assert put(hall, 7, hall.ann_token, team="Reds").json["code"] == "tournament/not-yours"
    assert hall.start().json["code"] == "tournament/no-team"
    assert put(hall, 7, team="reds", place=1).status_code == 200
    described = hall.get()
    assert described["teams"][0] == {"team": 1, "name": "Reds", "members": [7, 1, 3, 5]}
    assert (described["entrants"][6]["team"], described["entrants"][6]["place"]) == ("Reds", 1)
    assert put(hall, 7, team="Reds", place=1).json["code"] == "entrant/assigned"
    assert put(hall, 7, place=1).json["code"] == "entrant/place"
    assert put(hall, 9, team="Reds").json["code"] == "entrant/unknown"


def test_no_teams_play_in_other_formats(api, parts):
    club = Club(api, parts, **{**HALL, "format": {"kind": "swiss"}})
    assert club.enter(club.token, guest="Ida", team="Reds").json["code"] == "tournament/no-teams"
    assert api.get(f"{club.path}/standings?teams=true", club.token, headers={"Accept": "text/csv"}).status_code == 422


def test_the_standings_show_teams_and_players(hall, parts):
    assert hall.start().status_code == 200
    parts.tournaments.advance(hall.id)
    [first] = hall.get("/rounds")["rounds"]
    assert [sorted(each["teams"]) for each in first["team_matches"]] == [[1, 2]]
    for board in (1, 2):
        seats = first["games"][board - 1]["entrants"]
        ranks = [1, 2] if seats[0] % 2 else [2, 1]
        assert hall.post("/results", round=1, board=board, ranks=ranks).status_code == 201
    parts.tournaments.advance(hall.id)
    assert hall.get()["status"] == "ended"
    table = hall.get("/standings")
    reds, blues = table["teams"]
    assert (reds["name"], reds["match_points"], reds["board_points"], reds["won"]) == ("Reds", "2", "4", 1)
    assert (blues["name"], blues["match_points"], blues["rank"], blues["lost"]) == ("Blues", "0", 2, 1)
    assert len(table["rows"]) == 6
    [round] = hall.get("/rounds")["rounds"]
    assert [sorted(each["points"]) for each in round["team_matches"]] == [["0", "4"]]
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
