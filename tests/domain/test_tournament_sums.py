"""How points and tiebreaks add up: every number of every table is the sum of its terms."""

from fractions import Fraction

import pytest

from plyscribe.domain.tournament.commands import GivePenalty, LiftPenalty
from plyscribe.domain.tournament.schedule import Pairing, pair_knockout
from plyscribe.domain.tournament.standings import rank_entrants
from plyscribe.domain.tournament.sums import add_up, explain_row
from tests.domain.given_tournament import GivenTournament, by_chance
from tests.domain.test_tournament_tables import ALL, four, ruled


def explain(tournament: GivenTournament, entrant: int) -> dict[str, list[tuple]]:
    table = rank_entrants(tournament.state)
    row = next(each for each in table if each.entrant == entrant)
    return {each.name: [term[:4] for term in each.terms] for each in explain_row(tournament.state, table, row)}


def require_sums(tournament: GivenTournament) -> None:
    """Every number of the table is what its terms come to."""
    table = rank_entrants(tournament.state)
    for row in table:
        points, *tiebreaks = explain_row(tournament.state, table, row)
        assert add_up(points) == points.value == row.points
        for each in tiebreaks:
            if each.name != "places":
                assert add_up(each) == each.value, (row, each)


def test_points_come_from_rounds_and_penalties():
    tournament = four(tiebreaks=ALL)
    tournament.pair([(1, 4)], byes=[2, 3])
    tournament.when(GivePenalty, entrant=2, points=1, why="a phone rang")
    tournament.when(GivePenalty, entrant=2, points=5, why="a mistake")
    tournament.when(LiftPenalty, penalty=2, why="a mistake")
    assert explain(tournament, 2)["points"] == [
        (0, "played", 1, (1,)),
        (2, "played", 2, (4,)),
        (2, "bye", 3, ()),
        (-1, "penalty", 3, ()),
    ]
    require_sums(tournament)


def test_tiebreaks_name_the_opponents_that_they_come_from():
    explained = explain(four(tiebreaks=ALL), 2)
    assert explained["buchholz"] == [(3, "met", None, (1,)), (2, "met", None, (4,))]
    assert explained["buchholz-cut-1"] == [(3, "met", None, (1,)), (2, "cut", None, (4,))]
    assert explained["sonneborn-berger"] == [(2, "beaten", None, (4,))]
    assert explained["wins"] == [(1, "won", 2, (4,))]


def test_a_forfeit_counts_oneself_and_the_direct_encounter_names_those_who_are_level():
    explained = explain(ruled(), 3)
    assert explained["points"] == [(2, "forfeited", 1, (4,))]
    assert explained["buchholz"] == [(2, "self", None, (3,))]
    require_sums(ruled())
    tournament = GivenTournament(2, tiebreaks=["direct"], scoring={"bye": 2}).begun([(1, 2)])
    tournament.decide(1, 1, 1, 2)
    tournament.when(GivePenalty, entrant=1, points=2, why="late")
    assert explain(tournament, 1)["direct"] == [(1, "mean", None, (2,))]
    assert explain(tournament, 2)["direct"] == [(0, "mean", None, (1,))]


@pytest.mark.parametrize("seed", range(6))
def test_every_number_of_a_whole_tournament_adds_up(seed):
    knockout = {"format": {"kind": "knockout"}} if seed % 2 else {}
    tournament = GivenTournament(7, tiebreaks=ALL, **knockout)
    pairer = pair_knockout if seed % 2 else pair_in_a_circle
    tournament.play(pairer, by_chance(seed), most=5)
    tournament.annul(1, 1)
    require_sums(tournament)


def pair_in_a_circle(state):
    """Somebody has a bye, and the others meet."""
    number = len(state.rounds)
    order = [1 + (each + number) % 7 for each in range(7)]
    return Pairing(tuple((order[each], order[6 - each]) for each in range(3)), (order[3],), {}, "by hand")


def test_fractions_stay_exact():
    tournament = GivenTournament(3, seats=3, tiebreaks=["opponents-mean"]).begun([(1, 2, 3)])
    tournament.decide(1, 1, 1, 2, 2)
    table = rank_entrants(tournament.state)
    assert explain_row(tournament.state, table, table[1])[1].value == Fraction(5, 2)
    require_sums(tournament)
