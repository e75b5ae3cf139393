"""The pyramid: each entrant meets all before it, in their order, and late entries go on with it."""

from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plyscribe.domain.errors import WrongTime, WrongValue
from plyscribe.domain.tournament.commands import PairByHand, ReturnEntrant
from plyscribe.domain.tournament.pyramid import pair_pyramid
from plyscribe.domain.tournament.schedule import bound_rounds
from tests.domain.given_tournament import GivenTournament, by_number, refusal

PYRAMID = {"kind": "pyramid"}


def given_pyramid(entrants: int, cycles: int = 1) -> GivenTournament:
    return GivenTournament(entrants, format={**PYRAMID, "cycles": cycles}).begun()


def play_round(tournament: GivenTournament) -> list[tuple[int, ...]] | None:
    """The boards of the next round, each with the lower number first; None when the pyramid is over."""
    pairing = pair_pyramid(tournament.state)
    if pairing is None:
        return None
    tournament.pair(pairing.boards, pairing.byes, pairing.costs)
    tournament.decide_all(by_number)
    return [tuple(sorted(board)) for board in pairing.boards]


def list_rounds(tournament: GivenTournament) -> list[list[tuple[int, ...]]]:
    return list(iter(lambda: play_round(tournament), None))


def test_each_entrant_meets_all_before_it_in_their_order():
    assert list_rounds(given_pyramid(5)) == [
        [(1, 2)],
        [(1, 3)],
        [(1, 4), (2, 3)],
        [(1, 5), (2, 4)],
        [(2, 5), (3, 4)],
        [(3, 5)],
        [(4, 5)],
    ]


@given(st.integers(2, 9), st.integers(1, 3))
@settings(max_examples=20, deadline=None)
def test_all_meet_as_often_as_there_are_cycles_within_the_known_rounds(entrants, cycles):
    rounds = list_rounds(given_pyramid(entrants, cycles))
    assert len(rounds) == cycles * (2 * entrants - 3)
    assert all(len({each for board in round for each in board}) == 2 * len(round) for round in rounds)
    met = Counter(board for round in rounds for board in round)
    assert met == dict.fromkeys(combinations(range(1, entrants + 1), 2), cycles)


def test_with_two_cycles_each_two_have_both_seats():
    tournament = given_pyramid(4, cycles=2)
    list_rounds(tournament)
    boards = Counter(board for round in tournament.state.rounds for board in round.boards)
    assert len(boards) == sum(boards.values()) == 12


@given(st.integers(2, 5), st.lists(st.integers(0, 9), min_size=1, max_size=4), st.integers(1, 2))
@settings(max_examples=40, deadline=None)
def test_a_late_entry_meets_everybody_before_it(entrants, waits, cycles):
    tournament = given_pyramid(entrants, cycles)
    rounds = []
    for wait in waits:
        for _ in range(wait):
            found = play_round(tournament)
            rounds += [] if found is None else [found]
        if pair_pyramid(tournament.state) is not None:
            tournament.enter()
    rounds += list_rounds(tournament)
    assert all(rounds)
    numbers = range(1, len(tournament.state.entrants) + 1)
    assert Counter(board for round in rounds for board in round) == dict.fromkeys(combinations(numbers, 2), cycles)
    assert len(rounds) <= bound_rounds(tournament.state)


def test_whoever_should_meet_somebody_who_left_has_a_bye_and_those_who_wait_have_nothing():
    tournament = given_pyramid(4)
    tournament.leave(1)
    assert play_round(tournament) == []
    assert tournament.state.rounds[0].byes == (2,)


def test_an_entrant_who_returns_after_the_start_joins_behind_the_others():
    tournament = GivenTournament(3, format=PYRAMID)
    tournament.leave(1)
    tournament.start()
    assert play_round(tournament) == [(2, 3)]
    tournament.enter()
    tournament.when(ReturnEntrant, entrant=1, why="it is back")
    assert list_rounds(tournament) == [[(2, 4)], [(1, 2), (3, 4)], [(1, 3)], [(1, 4)]]


def test_a_pyramid_needs_two_seats_and_nobody_pairs_it_by_hand():
    tournament = given_pyramid(3)
    fields = {"round": 1, "boards": ((2, 3),), "byes": (1,), "why": "for once"}
    assert refusal(tournament, PairByHand, **fields) == (WrongTime, "tournament/by-hand")
    with pytest.raises(WrongValue, match="two seats"):
        GivenTournament(0, format=PYRAMID, seats=3)
