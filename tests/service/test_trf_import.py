"""Tournaments from TRF reports: what is read, what is refused, and that an export says the same again."""

import re
from contextlib import suppress
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from plyscribe.domain.chain import first_link, link_all
from plyscribe.domain.codec import format_event
from plyscribe.domain.errors import WrongValue
from plyscribe.domain.events import Guest
from plyscribe.domain.tournament.commands import AnnounceAbsence, GivePenalty
from plyscribe.domain.tournament.decide import TOURNAMENT
from plyscribe.domain.tournament.state import Tournament
from plyscribe.service.cli import organiser
from plyscribe.service.cli.tournament import tournament as group
from plyscribe.service.tournaments.pairing import pair_next
from plyscribe.service.tournaments.trf import export_trf
from plyscribe.service.tournaments.trf_import import draft_import
from plyscribe.service.tournaments.trf_reading import MOST_CHARACTERS, read_trf
from tests.domain.given_tournament import ORGANISER, STREAM, GivenTournament, by_chance
from tests.service.test_tournaments_api import TournamentOverHttp

HEAD = "012 Autumn cup\n042 2026/10/01\nXXR 3\n"
TERMS: dict[str, Any] = {"ruleset": "toy", "seed": 1}
BASE: dict[str, Any] = {"actor": ORGANISER, "at": 1000, "id": "0" * 32}


def line(number: int, name: str, points: str, *turns: str, rating: int | str = "") -> str:
    rounds = "".join(f"{turn:<10}" for turn in turns)
    return f"001 {number:>4}      {name:<33} {rating:>4}{'':28}{points:>4}    1  {rounds}".rstrip() + "\n"


GAMES = (
    line(1, "Ada", "2.5", "   3 w 1", "   2 b =", "0000 - U", rating=1800),
    line(2, "Ben", "1.0", "0000 - H", "   1 w =", "   3 w  "),
    line(3, "Cem", "0.0", "   1 b 0", "0000 - Z", "   2 b  "),
)
CUP = HEAD + "".join(GAMES)


def load(text: str) -> Tournament:
    events = draft_import(STREAM, read_trf(text), TERMS, BASE).decided.events
    return TOURNAMENT.fold(Tournament(STREAM), link_all(first_link(STREAM), 1, map(format_event, events)))


def lines_of(text: str) -> list[str]:
    return [each for each in text.splitlines() if each.startswith("001")]


def refuse(text: str) -> str:
    with pytest.raises(WrongValue) as refused:
        load(text)
    assert refused.value.code == "trf/invalid"
    return str(refused.value)


def test_players_enter_as_guests_with_their_ratings_and_numbers():
    state = load(CUP)
    guests = [(Guest("Ada"), 1800, 1), (Guest("Ben"), None, 2), (Guest("Cem"), None, 3)]
    assert [(each.occupant, each.rating, each.seed) for each in state.entrants] == guests
    assert (state.terms.name, state.terms.at_table) == ("Autumn cup", True)
    assert state.terms.format == {"kind": "swiss", "rounds": 3}
    exported = export_trf(state)
    assert [each[:84] + each[89:] for each in lines_of(exported)] == [each[:84] + each[89:] for each in lines_of(CUP)]
    assert ("012 Autumn cup" in exported, "XXR 3" in exported) == (True, True)


@pytest.mark.parametrize(
    ("white", "black"), [("1", "0"), ("0", "1"), ("=", "="), ("0", "0"), ("+", "-"), ("-", "+"), ("-", "-")]
)
def test_every_result_comes_back(white, black):
    worth = {"1": "1.0", "+": "1.0", "=": "0.5"}
    text = "XXR 1\n" + line(1, "Ada", worth.get(white, "0.0"), f"   2 w {white}")
    text += line(2, "Ben", worth.get(black, "0.0"), f"   1 b {black}")
    state = load(text)
    assert state.status == "ended"
    assert [each[91:] for each in lines_of(export_trf(state))] == [f"   2 w {white}", f"   1 b {black}"]


def test_an_event_goes_on_with_the_dutch_system_after_the_import():
    text = "XXR 4\n" + line(1, "A", "1.0", "   3 w 1") + line(2, "B", "1.0", "   4 b 1")
    text += line(3, "C", "0.0", "   1 b 0") + line(4, "D", "0.0", "   2 w 0")
    found = pair_next(load(text))
    assert found is not None
    assert found.engine.startswith("dutch")
    assert {frozenset(board) for board in found.boards} == {frozenset({1, 2}), frozenset({3, 4})}


def test_an_event_goes_on_or_is_open_and_byes_for_a_round_that_is_not_paired_yet_are_asked_for():
    assert load(HEAD + line(1, "Ada", "0.0") + line(2, "Ben", "0.0")).status == "open"
    assert load(CUP.replace("XXR 3", "XXR 5")).status == "playing"
    text = "XXR 3\n" + line(1, "A", "1.5", "   2 w 1", "0000 - H") + line(2, "B", "0.0", "   1 b 0")
    state = load(text)
    assert (len(state.rounds), state.entrants[0].byes, state.entrants[1].absences) == (1, {2}, frozenset())


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "no players"),
        (HEAD, "no players"),
        ("x" * (MOST_CHARACTERS + 1), f"allowed are {MOST_CHARACTERS}"),
        ("XXR 0\n" + CUP, "line 1: the number of rounds must be a number 1..100, not '0'"),
        (CUP.replace("XXR 3", "XXR 2"), "the report has 3 rounds, and XXR says 2"),
        (HEAD + line(1, "", "0.0"), "line 4: player 1 has no name"),
        (HEAD + "001 abcd      Ada", "line 4: the starting number must be a number 1..1024, not 'abcd'"),
        (HEAD + line(1, "A", "0.0") + line(1, "B", "0.0"), "line 5: two players have the starting number 1"),
        (HEAD + line(1, "A", "0.0") + line(3, "B", "0.0"), "line 5: after player 1 comes 3"),
        (CUP.replace("1800", "18x0"), "line 4: the rating must be a number"),
        (CUP.replace(" 2.5", " 2.3"), "line 4: the points must be a number of halves"),
        (CUP.replace(" 2.5", " 3.0"), "line 4: player 1 has 3 points, but the results are worth 2.5"),
        (CUP.replace("   3 w 1", "   9 w 1"), "line 4: in round 1 the opponent of player 1 is not in the report"),
        (CUP.replace("   3 w 1", "   2 w 1"), "line 4: in round 1 players 1 and 2 do not both say that they met"),
        (CUP.replace("   3 w 1", "   3 b 1"), "line 4: in round 1 players 1 and 3 do not have one colour each"),
        (CUP.replace("   3 w 1", "   3 w ="), "line 4: in round 1 the results of players 1 and 3 do not fit: = and 0"),
        (CUP.replace("   3 w 1", "   3 x 1"), "line 4: round 1 must have w or b"),
        (CUP.replace("   3 w 1", "   3 w W"), "line 4: round 1 must have w or b"),
        (CUP.replace("0000 - U", "0000 - 1"), "line 4: round 3 has no opponent"),
        (CUP.replace("0000 - U", "0000 - F"), "line 4: the report has Z, H and F"),
        (HEAD + line(1, "A", "", "   2 w  ", "0000 - Z") + line(2, "B", "", "   1 b  "), "line 4: the game of"),
    ],
)
def test_a_report_with_an_error_is_refused_with_its_line(text, why):
    assert why in refuse(text)


@given(st.text(alphabet="01 wbUZ=+-\nXR", max_size=300))
@settings(max_examples=200, deadline=None)
def test_any_text_is_read_or_refused(text):
    for prefix in ("", "001    1      Ada" + " " * 75):
        with suppress(WrongValue):
            load(prefix + text)


@pytest.mark.parametrize("seed", range(6))
def test_whole_events_of_ours_come_back(seed):
    tournament = GivenTournament(scoring={"asked_byes": 3}, at_table=True)
    for number in range(9):
        tournament.enter_guest(["Ida", "Kim"][number % 2] if number < 4 else f"Guest {number}", rating=2000 - number)
    tournament.sit_out(4, 2)
    tournament.when(AnnounceAbsence, entrant=5, round=3, bye=True)
    tournament.play(pair_next, by_chance(seed), most=3)
    tournament.leave(6)
    tournament.annul(2, 1)
    tournament.when(GivePenalty, entrant=1, points=1, why="a phone rang")
    tournament.play(pair_next, by_chance(seed))
    exported = export_trf(tournament.state)
    again = export_trf(load(exported))
    without_date = re.compile(r"^042.*\n", re.MULTILINE)
    assert without_date.sub("", again) == without_date.sub("", exported)


IMPORTS = "/v1/tournament-imports"


@pytest.fixture
def olga(api, parts) -> TournamentOverHttp:
    """The organiser Olga, who has another tournament."""
    return TournamentOverHttp(api, parts)


def send(olga: TournamentOverHttp, text: str = CUP, **body: object):
    return olga.api.post(IMPORTS, olga.token, {"trf": text, "ruleset": "zhen", **body})


def test_a_report_becomes_a_tournament_of_a_club(api, parts, olga):
    made, token = send(olga, options={}, private=True), olga.token
    assert made.status_code == 201, made.json
    path = made.headers["Location"]
    described = api.get(path, token).json
    assert (described["name"], described["status"], described["private"]) == ("Autumn cup", "playing", True)
    assert [each["guest"] for each in described["entrants"]] == ["Ada", "Ben", "Cem"]
    rounds = api.get(f"{path}/rounds", token).json["rounds"]
    assert rounds[0]["boards"][0]["reasons"][0]["values"]["why"] == "as in the TRF report"
    assert api.get(path).status_code == 404, "it is private"
    exported = api.get(f"{path}/trf", token).text
    assert [each[91:] for each in lines_of(exported)] == [each[91:] for each in lines_of(CUP)]
    parts.tournaments.advance(described["tournament"])
    done = api.post(f"{path}/results", token, {"round": 3, "board": 1, "ranks": [1, 2]})
    assert done.status_code == 201, "it goes on like any other"


def test_the_same_request_makes_one_tournament(olga):
    body = {"trf": CUP, "ruleset": "zhen"}
    first, again = (olga.api.post(IMPORTS, olga.token, body, key="import-1") for _ in range(2))
    assert (first.status_code, again.status_code) == (201, 201)
    assert first.headers["Location"] == again.headers["Location"]
    assert first.json == again.json


def test_a_report_that_is_wrong_too_long_or_of_no_organiser_leaves_nothing(api, olga):
    before = len(api.get("/v1/tournaments").json["tournaments"])
    refused = send(olga, CUP.replace("   1 w =", "   1 w 1"))
    assert (refused.status_code, refused.json["code"]) == (422, "trf/invalid")
    assert refused.json["detail"].startswith("line 4: in round 2 the results of players 1 and 2 do not fit")
    assert send(olga, "x" * (MOST_CHARACTERS + 1)).status_code == 422
    assert send(olga, "x" * 300_000).status_code == 413
    assert api.post(IMPORTS, olga.ann_token, {"trf": CUP, "ruleset": "zhen"}).status_code == 403
    assert len(api.get("/v1/tournaments").json["tournaments"]) == before


def test_a_large_event_is_imported_at_once(api, olga):
    """Two hundred players and nine rounds: in each, every other player wins."""
    players, rounds = 200, 9
    lines = []
    for number in range(1, players + 1):
        is_first = number % 2 == 1
        turn = f"{number + 1 if is_first else number - 1:>4} {'w' if is_first else 'b'} {'1' if is_first else '0'}"
        lines.append(line(number, f"Player {number}", f"{rounds if is_first else 0}.0", *[turn] * rounds))
    made = send(olga, "".join(lines))
    assert made.status_code == 201
    assert api.get(made.headers["Location"], olga.token).json["status"] == "ended"


def test_the_command_sends_a_file_in_either_encoding(monkeypatch, tmp_path):
    sent = []

    class Scripted:
        def import_tournament(self, trf: str, ruleset: str, **more: object) -> dict[str, str]:
            sent.append((trf, ruleset, more))
            return {"tournament": "tournament-x"}

    monkeypatch.setattr(organiser, "_send", lambda url, token, data, ask: ask(Scripted()))
    text = CUP.replace("Ada", "Žofie")
    for encoding in ("utf-8-sig", "cp1252"):
        (tmp_path / "cup.trf").write_text(text, encoding=encoding)
        shown = CliRunner().invoke(group, ["import", str(tmp_path / "cup.trf"), "--ruleset", "zhen"])
        assert shown.output == "http://127.0.0.1:8420/tournaments/tournament-x\n"
    assert [(trf, ruleset) for trf, ruleset, _ in sent] == [(text, "zhen")] * 2
