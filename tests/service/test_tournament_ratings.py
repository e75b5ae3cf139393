"""Ratings from a tournament's games: in order, without annulled games, and ever more certain."""

from plyscribe.domain.tournament.schedule import pair_round_robin
from plyscribe.service.ratings.model import Model, open_ratings
from plyscribe.service.tournaments.entrant_ratings import rate_entrants
from plyscribe.service.tournaments.pairing import pair_next
from tests.domain.given_tournament import GivenTournament, by_number

MODEL = Model(open_ratings("toy"))
ROUND_ROBIN = {"kind": "round-robin"}


def test_everybody_begins_as_a_newcomer_and_ratings_follow_all_ranks_and_strength_and_grow_surer():
    pods = GivenTournament(3, seats=3).play(pair_next, by_number, most=1)
    first = pods.state.rounds[0].boards[0]
    after = MODEL.rate([MODEL.newcomer] * 3, [sorted(first).index(entrant) + 1 for entrant in first])
    assert rate_entrants(pods.state) == dict(zip(first, after, strict=True))
    assert set(rate_entrants(GivenTournament(3).state).values()) == {MODEL.newcomer}
    tournament = GivenTournament(6, format=ROUND_ROBIN).play(pair_round_robin, by_number)
    ratings = rate_entrants(tournament.state)
    assert sorted(ratings, key=lambda entrant: -ratings[entrant].mu) == [1, 2, 3, 4, 5, 6]
    assert all(rating.sigma < MODEL.newcomer.sigma for rating in ratings.values())


def test_games_are_taken_in_the_order_of_boards_not_of_results():
    tournaments = [GivenTournament(4), GivenTournament(4)]
    for tournament, boards in zip(tournaments, ([1, 2], [2, 1]), strict=True):
        tournament.start()
        tournament.pair([(1, 2), (3, 4)])
        for board in boards:
            tournament.decide(1, board, 1, 2)
        tournament.pair([(1, 3), (2, 4)])
        for board in boards:
            tournament.decide(2, board, 2, 1)
    assert rate_entrants(tournaments[0].state) == rate_entrants(tournaments[1].state)


def test_a_game_that_was_annulled_or_that_no_match_decided_is_not_rated():
    tournament = GivenTournament(4, format=ROUND_ROBIN).play(pair_round_robin, by_number, most=2)
    before = rate_entrants(tournament.state)
    for board in (1, 2):
        tournament.annul(2, board)
    without = GivenTournament(4, format=ROUND_ROBIN).play(pair_round_robin, by_number, most=1)
    assert rate_entrants(tournament.state) == rate_entrants(without.state) != before
    tournament = GivenTournament(4)
    tournament.start()
    tournament.pair([(1, 2), (3, 4)])
    tournament.adjudicate(1, 1, 1, 2)
    tournament.forfeit(1, 2, 4)
    assert set(rate_entrants(tournament.state).values()) == {MODEL.newcomer}
