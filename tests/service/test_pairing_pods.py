"""Pods of three to six: cheapest if that is claimed, never below the bound, even over the whole event."""

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plyscribe.domain.tournament.history import count_byes, count_meetings, count_seats
from plyscribe.domain.tournament.points import total_points
from plyscribe.domain.tournament.schedule import count_cycle_rounds
from plyscribe.service.tournaments.pairing import cheapest, pair_next, pods
from tests.domain.given_tournament import GivenTournament, by_chance, by_number
from tests.processes import run_with_hash_seed

SWISS = {"kind": "swiss", "rounds": 20}
ROUND_ROBIN = {"kind": "round-robin"}


def new_tournament(entrants, seats, **terms):
    ruleset = "toy" if seats <= 4 else "portals"
    return GivenTournament(entrants, seats=seats, ruleset=ruleset, **{"format": SWISS, **terms})


def cost_of(tournament, boards):
    """The meetings and the spread of a round, computed independently."""
    met, points = count_meetings(tournament.state), total_points(tournament.state)
    pairs = [pair for board in boards for pair in combinations(sorted(board), 2)]
    return sum(met[pair] for pair in pairs), sum(abs(points[one] - points[other]) for one, other in pairs)


def least_of(pairing):
    least = pairing.costs["at_least"]
    return least["meetings"], Fraction(least["spread"])


def all_rounds(entrants: tuple[int, ...], seats: int) -> Iterator[list[tuple[int, ...]]]:
    if not entrants:
        yield []
        return
    first, *rest = entrants
    for others in combinations(rest, seats - 1):
        left = tuple(each for each in rest if each not in others)
        for boards in all_rounds(left, seats):
            yield [(first, *others), *boards]


@pytest.mark.parametrize(("entrants", "seats"), [(6, 3), (9, 3), (11, 3), (8, 4), (10, 5), (12, 6)])
def test_no_round_is_cheaper_if_the_pairing_is_said_to_be_optimal(entrants, seats):
    tournament = new_tournament(entrants, seats)
    tournament.start()
    for _ in range(5):
        pairing = pair_next(tournament.state)
        playing = tuple(sorted(each for board in pairing.boards for each in board))
        least = min(cost_of(tournament, boards) for boards in all_rounds(playing, seats))
        assert pairing.costs["optimal"]
        assert cost_of(tournament, pairing.boards) == least == least_of(pairing)
        tournament.pair(pairing.boards, pairing.byes)
        tournament.decide_all(by_chance(entrants))


@given(st.integers(4, 26), st.integers(3, 4), st.integers(0, 99), st.sampled_from([None, 500]))
@settings(max_examples=25, deadline=None)
def test_the_bound_is_never_above_what_a_round_costs(entrants, seats, seed, most):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cheapest, "MOST_PAIRS", most or cheapest.MOST_PAIRS)
        tournament = new_tournament(entrants, seats, seed=seed)
        tournament.start()
        for _ in range(4):
            pairing = pair_next(tournament.state)
            cost = cost_of(tournament, pairing.boards)
            assert least_of(pairing) <= cost
            assert pairing.costs["optimal"] == (least_of(pairing) == cost)
            assert sorted([each for board in pairing.boards for each in board] + [*pairing.byes]) == sorted(
                tournament.state.list_present(0)
            )
            tournament.pair(pairing.boards, pairing.byes)
            tournament.decide_all(by_chance(seed))


def test_the_first_round_mixes_good_seeds_with_bad_ones():
    tournament = new_tournament(8, 4)
    tournament.start()
    assert sorted(map(sorted, pair_next(tournament.state).boards)) == [[1, 3, 5, 7], [2, 4, 6, 8]]


def test_forty_entrants_in_pods_of_four_meet_nobody_twice_for_eight_rounds():
    tournament = new_tournament(40, 4).play(pair_next, by_chance(1), most=8)
    assert set(count_meetings(tournament.state).values()) == {1}
    assert max(max(seats) - min(seats) for seats in count_seats(tournament.state).values()) <= 2


def test_points_of_a_tie_are_weighed_exactly():
    tournament = new_tournament(9, 3, scoring={"places": [10, 0, 0]}).play(pair_next, lambda game: (1, 1, 1), most=1)
    assert set(total_points(tournament.state).values()) == {Fraction(10, 3)}
    assert pair_next(tournament.state).costs["spread"] == "0"
    assert pods.WHOLE % 3 == pods.WHOLE % 4 == pods.WHOLE % 5 == pods.WHOLE % 6 == 0


@pytest.mark.parametrize(("entrants", "seats"), [(7, 3), (11, 4), (13, 5), (11, 6)])
def test_byes_go_to_those_who_had_the_fewest(entrants, seats):
    tournament = new_tournament(entrants, seats).play(pair_next, by_chance(2), most=9)
    byes = [count_byes(tournament.state)[each] for each in range(1, entrants + 1)]
    assert sum(byes) == 9 * (entrants % seats)
    assert max(byes) - min(byes) <= 1


def test_meetings_that_no_pods_can_avoid_are_in_the_bound():
    # Six entrants of three pods in each new pod: two of them have met, however they are placed.
    tournament = new_tournament(18, 6).play(pair_next, by_chance(1), most=1)
    assert pair_next(tournament.state).costs["at_least"]["meetings"] == 9


@pytest.mark.parametrize(("entrants", "seats"), [(9, 3), (16, 4), (25, 5), (24, 4)])
def test_everybody_meets_everybody_once_if_a_plan_for_that_exists(entrants, seats):
    tournament = new_tournament(entrants, seats, format=ROUND_ROBIN)
    tournament.start()
    costs, pairs = pair_next(tournament.state).costs, entrants * (entrants - 1) // 2
    assert sum(costs["planned"].values()) == pairs
    if entrants == seats**2:
        assert costs["planned"] == {"1": pairs}
        assert costs["squares"] == costs["at_least"]
    else:
        assert costs["planned"]["1"] >= 200, "few pairs meet twice or never"


@pytest.mark.parametrize(("entrants", "seats", "cycles"), [(6, 3, 1), (7, 3, 3), (8, 4, 1), (10, 3, 2), (12, 6, 1)])
def test_the_rounds_follow_the_plan_in_the_costs(entrants, seats, cycles):
    tournament = new_tournament(entrants, seats, format={**ROUND_ROBIN, "cycles": cycles})
    tournament.start()
    for cycle in range(1, cycles + 1):
        costs = pair_next(tournament.state).costs
        assert (costs["cycle"], costs["rounds"]) == (cycle, count_cycle_rounds(entrants, seats))
        tournament.play(pair_next, by_chance(4), most=cycle * costs["rounds"])
        meetings = count_meetings(tournament.state)
        often = Counter(meetings[pair] for pair in combinations(range(1, entrants + 1), 2))
        assert {str(times): pairs for times, pairs in often.items()} == costs["planned"]
        assert costs["at_least"] <= costs["squares"] == sum(times**2 for times in meetings.values())
    assert pair_next(tournament.state) is None
    byes = [count_byes(tournament.state)[each] for each in range(1, entrants + 1)]
    assert max(byes) - min(byes) <= 1
    assert max(max(seats) - min(seats) for seats in count_seats(tournament.state).values()) <= 2


def test_the_next_cycle_makes_up_for_meetings_missing_from_the_last_one():
    tournament = new_tournament(6, 3, format={**ROUND_ROBIN, "cycles": 4}).play(pair_next, by_number)
    meetings = [count_meetings(tournament.state)[pair] for pair in combinations(range(1, 7), 2)]
    assert max(meetings) - min(meetings) <= 2


def test_when_somebody_leaves_the_rest_of_the_plan_is_made_again():
    tournament = new_tournament(9, 3, format=ROUND_ROBIN).play(pair_next, by_number, most=2)
    kept = pair_next(tournament.state)
    tournament.leave(9)
    again = pair_next(tournament.state)
    assert kept.boards != again.boards
    assert len(again.byes) == 2
    tournament.play(pair_next, by_number)
    assert len(tournament.state.rounds) == 4
    assert max(count_meetings(tournament.state).values()) <= 2


def test_with_fewer_present_than_a_pod_has_seats_all_have_byes_and_with_fewer_left_it_ends():
    tournament = new_tournament(3, 3)
    tournament.sit_out(2, 1)
    tournament.play(pair_next, by_number, most=2)
    assert [(round.boards != (), round.byes) for round in tournament.state.rounds] == [(False, (1, 3)), (True, ())]
    tournament = new_tournament(4, 3, format=ROUND_ROBIN)
    for absent in (1, 2):
        tournament.sit_out(absent, 1)
    tournament.play(pair_next, by_number, most=1)
    assert (tournament.state.rounds[0].boards, tournament.state.rounds[0].byes) == ((), (3, 4))
    tournament.leave(1)
    tournament.leave(2)
    assert pair_next(tournament.state) is None


@pytest.mark.parametrize(("entrants", "seats", "format"), [(14, 4, SWISS), (14, 4, ROUND_ROBIN), (9, 2, SWISS)])
def test_another_process_finds_the_same_pairings(entrants, seats, format):
    code = f"""
        from tests.domain.given_tournament import GivenTournament, by_chance
        from plyscribe.service.tournaments.pairing import pair_next
        begun = GivenTournament({entrants}, seats={seats}, format={format!r})
        tournament = begun.play(pair_next, by_chance(7), most={9 if seats == 2 else 4})
        print([(round.boards, round.byes, round.costs) for round in tournament.state.rounds])
    """
    assert run_with_hash_seed(code, 1) == run_with_hash_seed(code, 2) != ""


def test_free_company_that_makes_no_pods_does_not_break_the_bound():
    # Six in a ring, of whom each has met all but its two neighbours.
    pair = [[int((one - other) % 6 not in (0, 1, 5)) for other in range(6)] for one in range(6)]
    found, least = cheapest.find_pods(cheapest.Costs(list(range(6)), [0] * 6, pair, 1), 3, 0, Random(1))
    assert least == 2 == sum(pair[one][other] for pod in found for one, other in combinations(pod, 2))
