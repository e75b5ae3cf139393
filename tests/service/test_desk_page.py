"""The arbiter's desk and the wall screen, without scripts: what they know, and to whom they show it."""

import re

import pytest

from tests.service.test_club_api import CLUB, Club
from tests.service.test_pages import FOR_PEOPLE, sign_in


class Hall(Club):
    """A club night of four guests, with browsers that look at it."""

    def open(self, page: str, token: str | None = None, **headers: str):
        """A page of the tournament as the holder of a token, or a stranger, sees it."""
        browser = self.api.app.test_client()
        if token is not None:
            sign_in(browser, token)
        return browser.get(f"/tournaments/{self.id}/{page}".rstrip("/"), headers={**FOR_PEOPLE, **headers})


@pytest.fixture
def hall(api, parts) -> Hall:
    hall = Hall(api, parts, **CLUB)
    hall.guests("Ida", "Kim", "Lou", "Max")
    return hall


@pytest.fixture
def begun(hall) -> Hall:
    hall.begin()
    return hall


def says(answer, *texts: str, no: tuple[str, ...] = ()) -> None:
    """A page that has these texts, and not those."""
    assert [text for text in texts if text not in answer.text] == []
    assert [text for text in no if text in answer.text] == []


def test_the_desk_is_for_organisers_and_arbiters_alone(begun):
    assert begun.open("desk", begun.token).status_code == 200
    for token in (None, begun.ann_token):
        refused = begun.open("desk", token)
        assert refused.status_code == 403
        says(refused, "Only the organiser and the arbiters of", no=("data-post",))
    begun.post("/arbiters", name="Ann")
    assert begun.open("desk", begun.ann_token).status_code == 200


def test_desk_wall_and_stream_of_a_private_tournament_are_refused_to_strangers(api, parts):
    hall = Hall(api, parts, private=True, **CLUB)
    hall.guests("Ida", "Kim")
    hall.begin()
    for token in (None, hall.ann_token):
        for page in ("desk", "wall"):
            refused = hall.open(page, token)
            assert refused.status_code == 404
            assert "Ida" not in refused.text
        assert api.get(f"{hall.path}/stream", token).status_code == 404
    assert "Ida" in hall.open("wall", hall.token).text


def test_the_desk_lists_the_boards_and_what_the_next_round_waits_for(hall):
    hall.start()
    says(hall.open("desk", hall.token), "Call round 1", "No round is paired yet")
    hall.post("/rounds", round=1)
    hall.parts.tournaments.advance(hall.id)
    shown = hall.open("desk", hall.token)
    says(shown, "You can call it once the games on these boards have a result:")
    assert shown.text.count("not begun") == 2
    hall.post("/results", round=1, board=1, ranks=[1, 2])
    says(hall.open("desk", hall.token), "Ida won")
    hall.post("/results", round=1, board=2, forfeited=[2])
    says(hall.open("desk", hall.token), "Call round 2", "Kim lost by forfeit")


def test_a_board_offers_what_can_be_decided_about_it(begun):
    def offered() -> set[str]:
        text = begun.open("desk?board=1", begun.token).text
        return {each for each in paths if f"/{each}&#34;" in text or f'/{each}"' in text}

    paths = ("results", "adjudications", "corrections", "annulments", "replays", "code-revocations")
    assert offered() == {"results", "adjudications", "code-revocations"}
    begun.results(1, 2)
    assert offered() == {"corrections", "annulments", "replays", "code-revocations"}
    begun.post("/rounds", round=2)
    begun.parts.tournaments.advance(begun.id)
    shown = begun.open("desk?round=1&board=1", begun.token)
    says(shown, "/corrections", "The next round is paired already.", no=("/replays",))


def test_an_arbiter_who_sits_on_a_board_is_told_so_and_gets_no_forms_for_it(hall):
    hall.post("/arbiters", name="Ann")
    hall.post("/requests", hall.ann_token)
    hall.enter(hall.token, player=hall.ann)
    hall.guests("Nell")
    hall.begin()
    board = next(game["board"] for game in hall.get("/rounds")["rounds"][0]["games"] if 5 in game["entrants"])
    own = hall.open(f"desk?board={board}", hall.ann_token)
    says(own, "You sit on this board", "An arbiter who does not gives and lifts", no=("/results", "/penalties"))
    says(hall.open(f"desk?board={board % 3 + 1}", hall.ann_token), "/results")


@pytest.mark.parametrize("query", ["?round=9", "?round=x", "?board=99", "?board=1&game=7", "?order=x", "?round=-1"])
def test_a_query_that_names_nothing_shows_the_whole_round(begun, query):
    says(begun.open(f"desk{query}", begun.token), "Choose a board")


def test_penalties_are_given_and_lifted_on_the_desk(begun):
    begun.post("/penalties", entrant=2, points=1, why="the <phone> rang")
    says(begun.open("desk", begun.token), "Kim: 1 point less", "the &lt;phone&gt; rang", "/penalties/1")
    begun.send("DELETE", "/penalties/1", why="it was the arbiter's")
    says(begun.open("desk", begun.token), "lifted: it was the arbiter", no=("/penalties/1",))


def test_the_wall_shows_entrants_pairings_results_and_what_comes_next_to_everybody(hall):
    says(hall.open("wall"), "4 entrants", "Kim", "Scan to enter")
    hall.guests("Nell", "Oz")
    assert hall.post("/entrants/6/absences", round=1).status_code == 200
    hall.begin()
    shown = hall.open("wall")
    says(shown, "Round 2 can be called as soon as boards 1 and 2 are over.", no=("line bye",))
    [below] = re.findall('<p class="out">(.*?)</p>', shown.text)
    assert re.sub("<[^>]+>", "", below) == "Nell bye · Oz absent"
    hall.post("/results", round=1, board=1, ranks=[2, 1])
    shown = hall.open("wall")
    says(shown, "<strong>0 : 1</strong>", "Round 2 can be called as soon as board 2 is over.", no=("data-post",))
    german = hall.open("wall", **{"Accept-Language": "de"})
    says(german, "Runde 2 kann aufgerufen werden, sobald Brett 2 fertig ist.")


def test_the_desk_says_from_when_on_an_unconfirmed_match_counts(begun):
    match = f"/v1/matches/{begun.match(1)}"
    while (moves := begun.api.get(f"{match}/legal-moves").json.get("moves")) and begun.api.get(match).json["turn"]:
        begun.api.post(f"{match}/moves", begun.token, {"move": moves[-1]})
    assert begun.api.get(match).json["confirm_by"] is not None
    assert "it counts without confirmation from <time" in begun.open("desk", begun.token).text


# ---------------------------------------------------------------------------- formats in which several rounds are open


@pytest.fixture
def ladder(api, parts) -> Hall:
    """Two challenges that are being played: Kim against Ida, and Max against Lou."""
    ladder = Hall(api, parts, at_table=True, format={"kind": "ladder"})
    ladder.guests("Ida", "Kim", "Lou", "Max")
    ladder.start()
    for entrant, opponent in ((2, 1), (4, 3)):
        assert ladder.post("/challenges", entrant=entrant, opponent=opponent).status_code == 201
    parts.tournaments.advance(ladder.id)
    return ladder


def test_desk_and_wall_of_a_ladder_show_and_follow_all_challenges_that_are_played(ladder):
    says(ladder.open("desk", ladder.token), "Being played", "2 games", "to be played by")
    says(ladder.open("desk?round=1&board=1", ladder.token), "/results")
    wall = ladder.open("wall")
    says(wall, "Challenge somebody on the page of the tournament.", 'data-line="2"')
    assert wall.text.count('data-line="1"') == 2
    assert len(ladder.parts.tournaments.list_last_matches(ladder.id)) == 2
    assert ladder.post("/results", round=2, board=1, ranks=[1, 2]).status_code == 201
    says(ladder.open("desk", ladder.token), "1 game,")


def test_the_desk_of_a_league_says_when_the_next_round_begins(api, parts):
    league = Hall(api, parts, at_table=True, format={"kind": "league", "cycles": 1})
    league.guests("Ida", "Kim", "Lou")
    league.start()
    parts.tournaments.advance(league.id)
    league.post("/results", round=1, board=1, ranks=[1, 2])
    says(league.open("desk", league.token), "It begins at its date:")
    says(league.open("wall"), no=("is being paired",))
