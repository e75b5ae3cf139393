"""Pairings that follow from the entrants and results alone: circle method, gauntlet, knockout."""

from collections import Counter
from itertools import combinations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plyscribe.domain.tournament.history import count_byes, count_meetings, count_seats, describe_costs, seat_evenly
from plyscribe.domain.tournament.schedule import count_defeats, pair_gauntlet, pair_knockout, pair_round_robin
from plyscribe.domain.tournament.seats import balance_seats
from tests.domain.given_tournament import GivenTournament, by_chance, by_number

ROUND_ROBIN, GAUNTLET, KNOCKOUT = ({"kind": kind} for kind in ("round-robin", "gauntlet", "knockout"))
DOUBLE = {"kind": "knockout", "lives": 2}


def gap(tournament):
    """By how much the seats that an entrant had differ in number, at most."""
    return max(max(seats) - min(seats) for seats in count_seats(tournament.state).values())


# ------------------------------------------------------------------------------------------------------------ circle


@pytest.mark.parametrize("entrants", range(2, 14))
@pytest.mark.parametrize("cycles", [1, 2, 3])
def test_everybody_meets_everybody_once_a_cycle(entrants, cycles):
    tournament = GivenTournament(entrants, format={**ROUND_ROBIN, "cycles": cycles}).play(pair_round_robin, by_number)
    meetings = count_meetings(tournament.state)
    assert all(meetings[pair] == cycles for pair in combinations(range(1, entrants + 1), 2))
    assert len(tournament.state.rounds) == cycles * (entrants - 1 + entrants % 2)
    assert all(entrants % 2 == len(round.byes) for round in tournament.state.rounds)
    assert entrants % 2 == 0 or set(count_byes(tournament.state).values()) == {cycles}


@pytest.mark.parametrize("entrants", range(2, 14))
def test_after_each_cycle_everybody_had_both_seats_equally_often_or_one_once_more(entrants):
    tournament = GivenTournament(entrants, format={**ROUND_ROBIN, "cycles": 4})
    rounds = entrants - 1 + entrants % 2
    for cycle in (1, 2, 3, 4):
        tournament.play(pair_round_robin, by_number, most=cycle * rounds)
        games = cycle * (entrants - 1)
        assert gap(tournament) == games % 2


def differences(tournament):
    """By how much the seats of those who stayed differ in number, of each."""
    seats = count_seats(tournament.state)
    return sorted(
        abs(seats[each.number][0] - seats[each.number][1]) for each in tournament.state.entrants if each.is_in
    )


def test_who_stays_has_both_seats_equally_often_or_one_once_more_though_another_one_leaves():
    tournament = GivenTournament(10, format=ROUND_ROBIN).play(pair_round_robin, by_number, most=3)
    tournament.leave(4)
    tournament.play(pair_round_robin, by_number)
    meetings = count_meetings(tournament.state)
    assert all(meetings[pair] == 1 for pair in combinations((1, 2, 3, 5, 6, 7, 8, 9, 10), 2))
    assert max(differences(tournament)) == 1


def test_two_who_meet_twice_change_seats_though_another_one_leaves():
    tournament = GivenTournament(6, format={**ROUND_ROBIN, "cycles": 2}).play(pair_round_robin, by_number, most=2)
    tournament.leave(6)
    tournament.play(pair_round_robin, by_number)
    boards = [board for round in tournament.state.rounds for board in round.boards if 6 not in board]
    assert all(board[::-1] in boards for board in boards)
    tournament = GivenTournament(5, format={**ROUND_ROBIN, "cycles": 2}).play(pair_round_robin, by_number)
    boards = [board for round in tournament.state.rounds for board in round.boards]
    assert all(board[::-1] in boards for board in boards)


@given(st.data())
def test_seats_are_turned_to_the_least_sum_of_squares(data):
    entrants = data.draw(st.integers(2, 6))
    pairs = st.sampled_from(list(combinations(range(entrants), 2)))
    boards = [pair[::way] for pair, way in data.draw(st.lists(st.tuples(pairs, st.sampled_from([1, -1])), max_size=9))]
    surplus = {each: data.draw(st.integers(-3, 3)) for each in range(entrants)}

    def cost(ways):
        ends = Counter(surplus)
        for first, second in ways:
            ends[first] += 1
            ends[second] -= 1
        return sum(end**2 for end in ends.values())

    turned = balance_seats(boards, surplus)
    assert [sorted(board) for board in turned] == [sorted(board) for board in boards]
    assert cost(turned) == min(map(cost, product(*((board, board[::-1]) for board in boards))))


def test_who_withdraws_before_the_start_has_no_place_in_the_circle():
    tournament = GivenTournament(5, format=ROUND_ROBIN)
    tournament.leave(2)
    tournament.play(pair_round_robin, by_number)
    assert tournament.state.starters == (1, 3, 4, 5)
    assert len(tournament.state.rounds) == 3
    assert not count_byes(tournament.state)


def test_the_opponents_of_who_has_left_or_sits_out_have_byes():
    tournament = GivenTournament(4, format=ROUND_ROBIN)
    tournament.sit_out(2, 2)
    tournament.play(pair_round_robin, by_number, most=1)
    tournament.leave(4)
    tournament.play(pair_round_robin, by_number)
    for round in tournament.state.rounds[1:]:
        placed = [each for board in round.boards for each in board] + [*round.byes, *round.absent]
        assert sorted(placed) == [1, 2, 3]


# ---------------------------------------------------------------------------------------------------------- gauntlet


@pytest.mark.parametrize("entrants", [2, 3, 6, 7])
def test_in_a_gauntlet_the_first_entrant_meets_all_others_on_alternate_seats(entrants):
    tournament = GivenTournament(entrants, format={**GAUNTLET, "cycles": 2}).play(pair_gauntlet, by_number)
    meetings = count_meetings(tournament.state)
    assert meetings == {(1, other): 2 for other in range(2, entrants + 1)}
    assert all(seats[0] == seats[1] for seats in count_seats(tournament.state).values())


def test_a_gauntlet_balances_seats_by_what_was_played():
    tournament = GivenTournament(5, format=GAUNTLET)
    tournament.sit_out(3, 2)
    tournament.play(pair_gauntlet, by_number)
    assert tournament.state.rounds[1].boards == ()
    assert tournament.state.rounds[1].byes == (1,)
    assert gap(tournament) == 1


def test_the_gauntlet_is_run_by_the_first_of_those_who_started_and_ends_when_it_leaves():
    tournament = GivenTournament(4, format=GAUNTLET)
    tournament.leave(1)
    tournament.play(pair_gauntlet, by_number)
    assert set(count_meetings(tournament.state)) == {(2, 3), (2, 4)}
    tournament = GivenTournament(4, format=GAUNTLET).play(pair_gauntlet, by_number, most=1)
    tournament.leave(1)
    assert pair_gauntlet(tournament.state) is None


# ---------------------------------------------------------------------------------------------------------- knockout


def pairs_of(tournament, number):
    return sorted(tuple(sorted(board)) for board in tournament.state.rounds[number - 1].boards)


def test_the_best_seeds_meet_as_late_as_can_be_and_have_byes_in_the_first_round():
    tournament = GivenTournament(8, format=KNOCKOUT).play(pair_knockout, by_number)
    assert [pairs_of(tournament, number) for number in (1, 2, 3)] == [
        [(1, 8), (2, 7), (3, 6), (4, 5)],
        [(1, 4), (2, 3)],
        [(1, 2)],
    ]
    assert pair_knockout(tournament.state) is None
    tournament = GivenTournament(11, format=KNOCKOUT).play(pair_knockout, by_chance(1))
    assert [round.byes for round in tournament.state.rounds] == [(1, 2, 3, 4, 5), (), (), ()]


def test_who_beats_a_seed_takes_its_place_in_the_bracket():
    def rank(game):
        return by_number(game)[::-1] if set(game.entrants) == {1, 8} else by_number(game)

    tournament = GivenTournament(8, format=KNOCKOUT).play(pair_knockout, rank, most=2)
    assert pairs_of(tournament, 2) == [(2, 3), (4, 8)]


@given(st.integers(2, 40), st.integers(0, 99), st.sampled_from([1, 2]))
@settings(max_examples=60, deadline=None)
def test_a_knockout_leaves_one(entrants, seed, lives):
    tournament = GivenTournament(entrants, format={**KNOCKOUT, "lives": lives}).play(pair_knockout, by_chance(seed))
    defeats = count_defeats(tournament.state)
    assert sum(defeats[each] < lives for each in defeats) == 1
    assert all(round.boards for round in tournament.state.rounds)
    assert max(defeats.values()) <= lives


@given(st.integers(4, 32), st.integers(0, 99))
@settings(max_examples=60, deadline=None)
def test_in_a_double_knockout_nobody_is_out_before_the_second_defeat_and_byes_go_round(entrants, seed):
    tournament = GivenTournament(entrants, format=DOUBLE).play(pair_knockout, by_chance(seed))
    losses = Counter()
    for round in tournament.state.rounds:
        assert all(losses[each] < 2 for board in round.boards for each in board)
        for games in round.games:
            scores = dict(zip(games[0].entrants, games[0].ranks, strict=True))
            losses[max(scores, key=lambda each: (scores[each], each))] += 1
    assert sum(losses.values()) >= 2 * entrants - 2


@given(st.integers(4, 24), st.integers(0, 99))
@settings(max_examples=60, deadline=None)
def test_a_double_knockout_has_a_rematch_only_where_every_pairing_of_its_group_has_one(entrants, seed):
    tournament = GivenTournament(entrants, format=DOUBLE).begun()
    while (pairing := pair_knockout(tournament.state)) is not None:
        defeats, met = pairing.costs["defeats"], count_meetings(tournament.state)
        beaten = [board for board in pairing.boards if defeats[str(board[0])] == 1]
        if len(defeats) > 2 and any(tuple(sorted(board)) in met for board in beaten):
            group = sorted(each for board in beaten for each in board)
            assert len(group) < 8
            assert not can_pair_freshly(group, met)
        tournament.pair(pairing.boards, pairing.byes, pairing.costs)
        tournament.decide_all(by_chance(seed))


def can_pair_freshly(group, met):
    if not group:
        return True
    first, *others = group
    return any(
        can_pair_freshly([each for each in others if each != other], met)
        for other in others
        if (first, other) not in met
    )


def test_an_absence_from_a_knockout_costs_a_life_and_the_opponent_goes_on():
    tournament = GivenTournament(4, format=KNOCKOUT)
    tournament.sit_out(1, 1)
    tournament.play(pair_knockout, by_number)
    assert (tournament.state.rounds[0].boards, tournament.state.rounds[0].byes) == (((2, 3),), (4,))
    assert pairs_of(tournament, 2) == [(2, 4)]
    assert count_defeats(tournament.state)[1] == 1


def test_a_round_of_a_knockout_has_a_board_even_when_a_half_of_each_pair_has_left():
    tournament = GivenTournament(8, format=KNOCKOUT).play(pair_knockout, by_number, most=1)
    tournament.leave(4)
    tournament.leave(2)
    tournament.play(pair_knockout, by_number)
    assert pairs_of(tournament, 2) == [(1, 3)]
    assert len(tournament.state.rounds) == 2


def test_on_a_level_board_the_better_seed_goes_on_and_so_it_does_when_the_game_is_annulled():
    tournament = GivenTournament(4, format=KNOCKOUT)
    tournament.play(pair_knockout, lambda game: (1, 1), most=1)
    assert [count_defeats(tournament.state)[each] for each in (1, 2, 3, 4)] == [0, 0, 1, 1]
    tournament.annul(1, 1)
    assert [count_defeats(tournament.state)[each] for each in (1, 2, 3, 4)] == [0, 0, 1, 1]


@given(st.integers(2, 33), st.integers(0, 99), st.sampled_from([1, 2]))
@settings(max_examples=40, deadline=None)
def test_in_a_knockout_who_had_seat_1_more_often_gives_it_to_the_other(entrants, seed, lives):
    tournament = GivenTournament(entrants, format={**KNOCKOUT, "lives": lives}).begun()
    while (pairing := pair_knockout(tournament.state)) is not None:
        seats = count_seats(tournament.state)
        for one, other in pairing.boards:
            assert seats[one][0] - seats[one][1] <= seats[other][0] - seats[other][1]
        tournament.pair(pairing.boards, pairing.byes, pairing.costs)
        tournament.decide_all(by_chance(seed))


# ------------------------------------------------------------------------------------------------------------- costs


def test_costs_sum_up_meetings_spread_seats_and_byes_and_seats_go_to_those_who_had_them_least():
    tournament = GivenTournament(5).begun([(1, 2), (3, 4)], byes=[5])
    tournament.decide_all(by_number)
    costs = {"meetings": 1, "spread": "2", "seats": 3, "byes": 0, "seed": 1}
    assert describe_costs(tournament.state, [(1, 2), (3, 5)], [4]) == costs
    assert describe_costs(tournament.state, [(2, 1)], [5])["byes"] == 1
    assert seat_evenly((1, 2, 3), {1: [1, 0, 0], 2: [1, 1, 0], 3: [0, 0, 1]}) == (3, 1, 2)
    assert seat_evenly((2, 1), {1: [0, 0], 2: [0, 0]}) == (2, 1)
