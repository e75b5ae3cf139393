"""A tournament and its matches in one live stream: one for a desk or a wall, however many boards there are."""

import json
from itertools import islice

import pytest

from tests.service.test_club_api import CLUB, Club
from tests.service.test_many_api import SSE, quick

__all__ = ["quick"]


@pytest.fixture
def club(api, parts) -> Club:
    club = Club(api, parts, **CLUB)
    club.guests("Ida", "Kim", "Lou", "Max")
    return club


def follow(club: Club, query: str, count: int) -> list[dict]:
    """The first entries of the live stream, which then is left."""
    opened = club.api.get(f"{club.path}/stream{query}", headers=SSE)
    assert opened.status_code == 200, opened.json
    lines = (line for chunk in opened.response for line in chunk.splitlines() if line.startswith(b"data: {"))
    entries = [json.loads(line[6:]) for line in islice(lines, count)]
    opened.close()
    return entries


def test_changes_of_the_tournament_and_of_its_matches_come_in_one_stream_without_events(club):
    [first] = follow(club, "", 1)
    club.begin()
    # It starts, the round is called and paired, and two matches are made.
    entries = [each for each in follow(club, f"?after={first['id']}", 5) if each["type"] == "change"]
    assert {each["match"] for each in entries if "match" in each} == {club.match(1), club.match(2)}
    assert [each["version"] for each in entries if each.get("tournament") == club.id][-1] == club.get()["version"]
    assert all(each.keys() <= {"type", "id", "match", "tournament", "version"} for each in entries)


def test_matches_of_others_are_left_out(club, api):
    club.begin()
    [first] = follow(club, "", 1)
    api.new_match(club.ann_token, [{"player": club.ann}, None])
    club.post("/results", round=1, board=1, ranks=[1, 2])
    entries = follow(club, f"?after={first['id']}", 1)
    assert [each.get("tournament") for each in entries if each["type"] == "change"] == [club.id]


def test_what_is_no_stream_is_refused(club, api):
    assert api.get(f"{club.path}/stream?after=x", headers=SSE).status_code == 422
    assert api.get(f"/v1/tournaments/tournament-{'a' * 26}/stream", headers=SSE).status_code == 404
