"""The table: points, ranks, tiebreaks with byes, absences, annulled games and those who left; as JSON, text and CSV."""

import csv
import json
from fractions import Fraction
from io import StringIO
from textwrap import dedent

import pytest

from plyscribe.domain.events import Account, BuiltIn, SeatWithdrawn
from plyscribe.domain.tournament.commands import RegisterEntrant
from plyscribe.domain.tournament.crosstable import list_crosstable
from plyscribe.domain.tournament.naming import name_entrant, name_entrants
from plyscribe.domain.tournament.results import Results
from plyscribe.domain.tournament.schedule import pair_knockout
from plyscribe.domain.tournament.standings import rank_entrants
from plyscribe.domain.tournament.state import Entrant
from plyscribe.domain.tournament.tables import dump_table, list_table, render_csv, render_text
from plyscribe.domain.tournament.terms import TIEBREAKS
from tests.domain.given_tournament import BOT, GivenTournament, by_number

ALL = list(TIEBREAKS)


def four(**terms):
    """1 beats 2 and ties with 3; 4 beats 3 and loses to 2."""
    tournament = GivenTournament(4, **terms).begun([(1, 2), (4, 3)])
    tournament.decide(1, 1, 1, 2)
    tournament.decide(1, 2, 1, 2)
    tournament.pair([(3, 1), (2, 4)])
    tournament.decide(2, 1, 1, 1)
    tournament.decide(2, 2, 1, 2)
    return tournament


def order(tournament):
    return [(each.rank, each.entrant) for each in rank_entrants(tournament.state)]


def values(tournament, name):
    """The tiebreak of each entrant."""
    place = tournament.state.terms.tiebreaks.index(name)
    return {each.entrant: each.tiebreaks[place] for each in rank_entrants(tournament.state)}


# ------------------------------------------------------------------------------------------------------------- ranks


def test_points_come_first_then_tiebreaks_in_their_order_and_equals_share_a_rank():
    assert order(four(tiebreaks=[])) == [(1, 1), (2, 2), (2, 4), (4, 3)]
    # Of 2 and 4, 2 has beaten 4; 2 has met 1 and 4, 4 has met 2 and 3.
    assert order(four(tiebreaks=["direct"]))[1:3] == [(2, 2), (3, 4)]
    assert order(four(tiebreaks=["wins", "buchholz"]))[1:3] == [(2, 2), (3, 4)]
    assert order(four(tiebreaks=["wins"]))[1:3] == [(2, 2), (2, 4)]


def test_everybody_who_takes_part_or_did_is_in_the_table():
    tournament = GivenTournament(4)
    tournament.leave(4)
    tournament.start()
    tournament.pair([(1, 2)], byes=[3])
    tournament.leave(3)
    tournament.enter()
    assert sorted(each.entrant for each in rank_entrants(tournament.state)) == [1, 2, 3, 5]


def test_in_a_knockout_who_came_further_ranks_higher():
    tournament = GivenTournament(5, format={"kind": "knockout"}, tiebreaks=[]).play(
        pair_knockout, lambda game: by_number(game)[::-1]
    )
    table = rank_entrants(tournament.state)
    assert order(tournament) == [(1, 5), (2, 3), (3, 1), (3, 2), (5, 4)]
    assert [each.reached for each in table] == [4, 3, 2, 2, 1]


# --------------------------------------------------------------------------------------------------------- tiebreaks


def test_each_tiebreak_counts_what_it_says():
    tournament = four(tiebreaks=ALL)
    half = Fraction(1, 2)
    # Points: 1 has 3, 2 has 2, 3 has 1, 4 has 2.
    assert values(tournament, "buchholz") == {1: 3, 2: 5, 3: 5, 4: 3}
    assert values(tournament, "buchholz-cut-1") == {1: 2, 2: 3, 3: 3, 4: 2}
    assert values(tournament, "opponents-mean") == {1: 3 * half, 2: 5 * half, 3: 5 * half, 4: 3 * half}
    assert values(tournament, "sonneborn-berger") == {1: 5 * half, 2: 2, 3: 3 * half, 4: 1}
    assert values(tournament, "wins") == {1: 1, 2: 1, 3: 0, 4: 1}
    assert values(tournament, "places") == {1: (2, 0), 2: (1, 1), 3: (1, 1), 4: (1, 1)}
    tournament.pair([(1, 4), (2, 3)])
    assert values(tournament, "buchholz") == {1: 3, 2: 5, 3: 5, 4: 3}, "an undecided game counts no opponent"


def test_direct_encounter_is_worth_nothing_unless_all_met_and_the_mean_of_several_games():
    tournament = four(tiebreaks=["direct"])
    assert values(tournament, "direct") == {1: 0, 2: 1, 3: 0, 4: 0}
    tournament = GivenTournament(4, tiebreaks=["direct"]).begun([(1, 2), (3, 4)])
    tournament.decide(1, 1, 1, 1)
    tournament.decide(1, 2, 1, 1)
    assert set(values(tournament, "direct").values()) == {0}
    tournament = GivenTournament(2, tiebreaks=["direct"], repeat="rotations").begun()
    for round, second in ((1, (1, 2)), (2, (1, 2))):
        tournament.pair([(1, 2)])
        tournament.decide(round, 1, 1, 2, game=1)
        tournament.decide(round, 1, *second, game=2)
    assert values(tournament, "direct") == {1: Fraction(1, 2), 2: Fraction(1, 2)}


def test_who_has_a_bye_or_sits_out_meets_itself():
    tournament = GivenTournament(4, tiebreaks=ALL)
    tournament.sit_out(4, 1)
    tournament.start()
    tournament.pair([(1, 2)], byes=[3])
    tournament.decide(1, 1, 1, 2)
    assert values(tournament, "buchholz") == {1: 0, 2: 2, 3: 2, 4: 0}
    assert values(tournament, "sonneborn-berger") == {1: 0, 2: 0, 3: 0, 4: 0}
    assert values(tournament, "wins")[3] == 0
    assert values(tournament, "opponents-mean")[3] == 2


def test_rounds_before_one_came_and_after_one_left_count_for_nothing():
    tournament = four(tiebreaks=ALL)
    tournament.enter()
    tournament.leave(3)
    tournament.pair([(5, 1)], byes=[2])
    tournament.decide(3, 1, 2, 1)
    assert values(tournament, "buchholz")[5] == 5
    assert values(tournament, "buchholz")[3] == 5 + 2
    assert values(tournament, "buchholz")[1] == 4 + 1 + 0


def test_an_annulled_game_counts_for_nothing_and_one_has_met_oneself():
    tournament = four(tiebreaks=ALL)
    tournament.annul(1, 1)
    assert {each.entrant: each.points for each in rank_entrants(tournament.state)} == {1: 1, 2: 2, 3: 1, 4: 2}
    # 1 has met itself and 3; 2 itself and 4.
    assert values(tournament, "buchholz") == {1: 2, 2: 4, 3: 3, 4: 3}
    assert values(tournament, "wins") == {1: 0, 2: 1, 3: 0, 4: 1}
    assert values(tournament, "places")[1] == (1, 0)
    assert [score.status for score in Results(tournament.state).against[1][2]] == ["annulled"]
    assert {row["entrant"]: row["against"] for row in dump_table(tournament.state)["rows"]}[1]["2"] == [None]


def test_pods_of_three_share_points_exactly():
    tournament = GivenTournament(3, seats=3, tiebreaks=ALL, scoring={"places": [5, 2, 0]}).begun([(1, 2, 3)])
    tournament.decide(1, 1, 1, 1, 3)
    table = {each.entrant: each for each in rank_entrants(tournament.state)}
    assert (table[1].points, table[2].points, table[3].points) == (Fraction(7, 2), Fraction(7, 2), 0)
    assert values(tournament, "buchholz") == {1: Fraction(7, 2), 2: Fraction(7, 2), 3: 7}
    assert values(tournament, "buchholz-cut-1")[1] == Fraction(7, 2)
    assert values(tournament, "sonneborn-berger") == {1: Fraction(7, 4), 2: Fraction(7, 4), 3: 0}
    assert values(tournament, "places") == {1: (1, 0, 0), 2: (1, 0, 0), 3: (0, 0, 1)}
    assert values(tournament, "wins") == {1: 0, 2: 0, 3: 0}


# -------------------------------------------------------------------------------------------------------- as is told


def test_the_dump_has_texts_and_whole_numbers_only():
    tournament = GivenTournament(3, seats=3, tiebreaks=ALL, scoring={"places": [10, 0, 0]}).begun([(3, 1, 2)])
    tournament.decide(1, 1, 1, 1, 1)
    dumped = dump_table(tournament.state)
    assert json.loads(json.dumps(dumped), parse_float=pytest.fail) == dumped
    assert dumped["version"] == tournament.state.version
    third = "3.333333"
    tiebreaks = dict.fromkeys(("buchholz-cut-1", "sonneborn-berger", "opponents-mean"), third)
    who = {"rank": 1, "entrant": 1, "label": "random", "name": "random #1", "points": third, "in": True}
    played = {"games": 1, "seats": [0, 1, 0], "byes": 0, "absences": 0, "against": {"2": ["0.5"], "3": ["0.5"]}}
    assert dumped["rows"][0] == who | played | {
        "tiebreaks": {**tiebreaks, "buchholz": "6.666667", "direct": "1", "wins": "0", "places": [1, 0, 0]},
        "faults": {"entrant": 0, "opponent": 0, "platform": 0},
    }


def test_the_table_tells_the_faults_of_the_entrant_of_its_opponents_and_of_the_platform():
    tournament = GivenTournament(2, tiebreaks=[]).begun([(1, 2)])
    tournament.fail(1, 1)
    tournament.decide(1, 1, 1, 2, left=[SeatWithdrawn(2, "time")])
    assert [row[-1] for row in list_table(tournament.state)] == ["faults", "0-1-1", "1-0-1"]
    assert [row["faults"] for row in dump_table(tournament.state)["rows"]] == [
        {"entrant": 0, "opponent": 1, "platform": 1},
        {"entrant": 1, "opponent": 0, "platform": 1},
    ]


@pytest.mark.parametrize("first", "=+-@\t\r\n＝＋－＠")
def test_csv_has_no_formula_though_a_name_is_one(first):
    name = f'{first}HYPERLINK("http://x","{first}y")'
    for cells in (list_table(four().state, {1: name}), list_crosstable(four().state, {1: name})):
        told = next(row for row in csv.reader(StringIO(render_csv(cells), newline="")) if f"'{name}" in row)
        assert [cell for cell in told if cell.startswith(tuple("=+-@"))] == []


def test_csv_keeps_names_with_commas_and_quotes_and_the_table_is_aligned():
    cells = list_table(four(tiebreaks=["places"]).state, {1: 'A, "B"'})
    assert list(csv.reader(render_csv(cells).splitlines())) == cells
    assert cells[1] == ["1", "1", 'A, "B"', "3", "2-0", "2", "1-1", "0", "0", "0-0-0"]
    assert render_text(list_table(four(tiebreaks=["buchholz"]).state, {1: "Ada", 2: "Benedikta"})) == dedent(
        """\
        rank  entrant  name       points  buchholz  games  seats  byes  absences  faults
           1        1  Ada             3         3      2    1-1     0         0   0-0-0
           2        2  Benedikta       2         5      2    1-1     0         0   0-0-0
           3        4  random #4       2         3      2    1-1     0         0   0-0-0
           4        3  random #3       1         5      2    1-1     0         0   0-0-0
        """
    )


def test_entrants_are_named_by_label_bot_or_account():
    assert name_entrant(Entrant(1, BuiltIn("mcts", 1, 0, 200), None)) == "mcts 200"
    assert name_entrant(Entrant(1, BuiltIn("greedy", 1, 0, None), None)) == "greedy"
    assert name_entrant(Entrant(1, Account("player-a"), None)) == "player-a"
    assert name_entrant(Entrant(1, Account("player-a"), "Ada")) == "Ada"


# ------------------------------------------------------------------------------------- adjudicated and forfeited games


def ruled():
    """1 beats 2 by the organiser's word; 4 forfeits against 3."""
    tournament = GivenTournament(4, tiebreaks=ALL).begun([(1, 2), (4, 3)])
    tournament.adjudicate(1, 1, 1, 2)
    tournament.forfeit(1, 2, 4)
    return tournament


def test_an_adjudicated_game_counts_like_a_played_one_and_a_forfeited_one_as_a_bye_in_tiebreaks():
    tournament = ruled()
    counted = {each.entrant: (each.points, each.games) for each in rank_entrants(tournament.state)}
    assert counted == {1: (2, 1), 2: (0, 1), 3: (2, 1), 4: (0, 1)}
    assert (values(tournament, "wins")[1], values(tournament, "direct")[1]) == (1, 0)
    # 1 and 2 have met each other, 3 and 4 themselves.
    assert {each: values(tournament, "buchholz")[each] for each in (2, 3, 4)} == {2: 2, 3: 2, 4: 0}
    for name, nothing in (("wins", 0), ("sonneborn-berger", 0), ("places", (0, 0))):
        assert values(tournament, name)[3] == nothing
    tournament.annul(1, 2)
    assert {each.entrant: each.points for each in rank_entrants(tournament.state)}[3] == 0
    assert "1f" not in [cell for line in list_crosstable(tournament.state) for cell in line]


def test_who_forfeits_gets_nothing_even_if_all_do():
    tournament = GivenTournament(3, seats=3, tiebreaks=[], scoring={"places": [3, 2, 1]}).begun([(1, 2, 3)])
    tournament.forfeit(1, 1, 2, 3)
    assert [str(each.points) for each in rank_entrants(tournament.state)] == ["3", "0", "0"]
    tournament.pair([(1, 2, 3)])
    tournament.forfeit(2, 1, 1, 2, 3)
    assert [str(each.points) for each in rank_entrants(tournament.state)] == ["3", "0", "0"]
    assert [line[3:6] for line in list_crosstable(tournament.state)[1:]] == [
        ["\\", "1f0f", "1f0f"],
        ["0f0f", "\\", "0f0f"],
        ["0f0f", "0f0f", "\\"],
    ]


# ------------------------------------------------------------------------------------------------------------- names


def named(*labels, **more):
    tournament = GivenTournament(0)
    for label in labels:
        tournament.when(RegisterEntrant, occupant=BOT, label=label)
    return list(name_entrants(tournament.state, **more).values())


def test_entrants_with_the_same_name_or_one_that_reads_so_are_told_apart_by_their_numbers():
    assert named("Ada", "Ben", "Ada") == ["Ada #1", "Ben", "Ada #3"]
    assert named(None, None) == ["random #1", "random #2"]
    assert named("Ada", None, players={2: "Ada"}) == ["Ada #1", "Ada #2"]
    assert named("Ada", "ADA", "Ad\u0061", "A da") == ["Ada #1", "ADA #2", "Ada #3", "A da"]
    assert named("Ada", "Ada #3", "Ada") == ["Ada #1", "Ada #3 #2", "Ada #3"]
    names = named("Ada Lovelace", "Ada Lovelock", longest=7)
    assert len(set(names)) == 2
    assert all(len(name) <= 7 for name in names)
