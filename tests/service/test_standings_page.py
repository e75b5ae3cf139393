"""The tables on the page of a tournament: who beat whom, what was corrected, penalties, and how numbers add up."""

import re

import pytest

from tests.service.test_club_api import CLUB
from tests.service.test_desk_page import Hall


@pytest.fixture
def hall(api, parts) -> Hall:
    """Ada twice, Kim and Lou, after a first round that Ada #1 and Kim won."""
    hall = Hall(api, parts, **{**CLUB, "format": {"kind": "swiss", "rounds": 3}})
    hall.guests("Ada", "Kim", "Ada", "Lou")
    hall.begin()
    for game in hall.get("/rounds")["rounds"][0]["games"]:
        ranks = [1, 2] if min(game["entrants"]) == game["entrants"][0] else [2, 1]
        hall.post("/results", round=1, board=game["board"], ranks=ranks)
    return hall


def text_of(page) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page.text))


def test_the_crosstable_says_who_beat_whom_and_marks_what_was_corrected(hall):
    shown = text_of(hall.open(""))
    assert "Read along a line: it shows how the player at its beginning did" in shown
    assert "round 1: Ada #1 beat Ada #3" in shown
    assert "round 1: Ada #3 lost to Ada #1" in shown
    hall.post("/corrections", round=1, board=1, ranks=[2, 1], why="the <cards> were swapped")
    shown = text_of(hall.open(""))
    assert "the places 1–2 were entered, now they are 2–1. Olga: the &lt;cards&gt; were swapped" in shown
    assert "round 1: Ada #3 beat Ada #1, corrected" in shown
    assert "corrected; entered was 1–2" in shown


def test_penalties_stand_in_the_table_and_ranks_tell_how_they_changed_since_the_last_round(hall):
    shown = hall.open("").text
    assert ("Penalties" in shown, "since the last round" in shown) == (False, False)
    hall.post("/rounds", round=2)
    hall.parts.tournaments.advance(hall.id)
    hall.post("/penalties", entrant=1, points=5, why="left the hall")
    hall.post("/penalties", entrant=4, points=0, why="talking")
    shown = hall.open("").text
    for told in ("since the last round", "−5: left the hall", "warning: talking"):
        assert told in shown
    assert re.search(r"\d places? up", shown)
    assert re.search(r"\d places? down", shown)


def test_the_numbers_of_an_entrant_are_added_up_on_a_page_of_their_own(hall):
    hall.post("/penalties", entrant=1, points=1, why="late")
    shown = text_of(hall.open("entrants/1"))
    assert "How the numbers of Ada #1 add up" in shown
    assert "Points: 1" in shown
    assert "2 · round 1 against Ada #3" in shown
    assert "-1 · penalty: late" in shown
    assert "points of Ada #3" in shown
    assert hall.open("entrants/99").status_code == 404


def test_the_own_line_is_marked_for_an_entrant_who_is_signed_in(api, parts):
    hall = Hall(api, parts, **CLUB)
    hall.guests("Ida")
    hall.post("/requests", hall.ann_token)
    hall.enter(hall.token, player=hall.ann)
    hall.begin()
    hall.post("/results", round=1, board=1, ranks=[1, 2])
    assert hall.open("", hall.ann_token).text.count('class="own"') == 1
    assert "(you)" in hall.open("", hall.ann_token).text
    assert "(you)" not in hall.open("").text


def test_the_sums_of_a_private_tournament_are_private(api, parts):
    hall = Hall(api, parts, private=True, **CLUB)
    hall.guests("Ida", "Kim")
    hall.begin()
    assert hall.open("entrants/1").status_code == 404
    assert hall.open("entrants/1", hall.token).status_code == 200
