"""Pairings follow the seeds, whatever the order in which entrants entered."""

from random import Random

import pytest

from plyscribe.domain.tournament.commands import GivePenalty, RegisterEntrant, SeedEntrant
from plyscribe.domain.tournament.schedule import pair_knockout
from plyscribe.domain.tournament.seeding import number_by_seed, pair_by_seed, translate_costs
from plyscribe.domain.tournament.standings import rank_entrants
from plyscribe.service.tournaments.pairing import pair_next
from tests.domain.given_tournament import BOT, GivenTournament, by_chance, by_number

FORMATS = [
    {"kind": "swiss", "rounds": 5},
    {"kind": "knockout", "lives": 2},
    {"kind": "round-robin"},
    {"kind": "gauntlet"},
]


def seeded(order, **terms):
    """A tournament in which entrant `order[k]` has the seed k + 1."""
    tournament = GivenTournament(len(order), **terms)
    for seed, entrant in enumerate(order, 1):
        tournament.when(SeedEntrant, entrant=entrant, seed=seed)
    return tournament


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_entry_makes_no_difference_to_seeded_entrants(format, seed):
    order = Random(seed).sample(range(1, 9), 8)
    place = {entrant: number for number, entrant in enumerate(order, 1)}
    other, plain = seeded(order, format=format), GivenTournament(8, format=format)
    chance, again = by_chance(seed), by_chance(seed)
    plain.play(pair_next, chance)

    def rank(game):
        return again(game._replace(entrants=tuple(place[each] for each in game.entrants)))

    other.play(pair_next, rank)
    assert len(other.state.rounds) == len(plain.state.rounds)
    for mine, theirs in zip(other.state.rounds, plain.state.rounds, strict=True):
        assert tuple(tuple(place[each] for each in board) for board in mine.boards) == theirs.boards
        assert translate_costs(mine.costs, place) == theirs.costs
    standings = {each.entrant: each.rank for each in rank_entrants(other.state)}
    assert {place[each]: rank for each, rank in standings.items()} == {
        each.entrant: each.rank for each in rank_entrants(plain.state)
    }


def test_without_seeds_entrants_are_paired_in_the_order_of_entry():
    tournament = GivenTournament(4, format={"kind": "knockout"}).begun()
    assert pair_by_seed(tournament.state, pair_knockout) == pair_knockout(tournament.state)


def test_the_better_seed_goes_on_from_a_level_board():
    tournament = seeded([2, 1], format={"kind": "knockout"})
    tournament.start()
    tournament.pair([(1, 2)])
    tournament.decide(1, 1, 1, 1)
    assert [each.entrant for each in rank_entrants(tournament.state)] == [2, 1]


def test_the_copy_that_is_numbered_by_seed_keeps_points_and_penalties():
    tournament = seeded([3, 1, 2, 4])
    tournament.when(RegisterEntrant, occupant=BOT)
    tournament.play(pair_next, by_number, most=2)
    tournament.when(GivePenalty, entrant=3, points=1, why="late")
    copy = number_by_seed(tournament.state)
    assert [each.number for each in copy.entrants] == [1, 2, 3, 4, 5]
    assert copy.penalties[0].entrant == 1
    order = tournament.state.list_seeds()
    points = {order.index(each.entrant) + 1: each.points for each in rank_entrants(tournament.state)}
    assert points == {each.entrant: each.points for each in rank_entrants(copy)}
    assert copy.list_seeds() == [1, 2, 3, 4, 5]
