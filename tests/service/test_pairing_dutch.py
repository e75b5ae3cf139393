"""A Swiss of two seats: the Dutch system as in published cases, and no rematch that can be avoided."""

from dataclasses import replace

import networkx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plyscribe.domain.tournament.history import count_byes, count_meetings, count_seats
from plyscribe.domain.tournament.points import total_points
from plyscribe.domain.tournament.reasons import explain_rounds
from plyscribe.domain.tournament.state import Tournament
from plyscribe.service.tournaments.pairing import dutch as dutch_module
from plyscribe.service.tournaments.pairing import pair_next
from plyscribe.service.tournaments.pairing.dutch import ENGINE, pair_dutch
from tests.domain.given_tournament import GivenTournament, by_chance, by_number

SWISS = {"kind": "swiss", "rounds": 3}


def played(entrants, *rounds, absent=(), **format):
    """A Swiss after these rounds, of boards with the number of the winner."""
    tournament = GivenTournament(entrants, format={**SWISS, **format})
    for entrant, round in absent:
        tournament.sit_out(entrant, round)
    tournament.start()
    for boards in rounds:
        tournament.pair([board for board, _ in boards])
        for number, (board, winner) in enumerate(boards, 1):
            tournament.decide(len(tournament.state.rounds), number, *(1 if each == winner else 2 for each in board))
    return tournament


def pairs(boards):
    return {tuple(sorted(board)) for board in boards}


def test_the_pairings_of_the_published_cases_c5_and_c9_come_out():
    rounds = [((1, 4), 1), ((5, 2), 2), ((3, 6), 3)], [((2, 1), 1), ((4, 3), 3), ((6, 5), 5)]
    pairing = pair_dutch(played(6, *rounds, absent=[(4, 3)]).state)
    assert (set(pairing.boards), pairing.byes) == ({(1, 5), (3, 2)}, (6,))
    assert pairing.engine == ENGINE
    # Entrant 5, absent without a point, has played fewer games than entrant 4, who has the bye.
    pairing = pair_dutch(played(5, [((1, 3), 1), ((4, 2), 2)], absent=[(5, 1)]).state)
    assert (set(pairing.boards), pairing.byes) == ({(2, 1), (3, 5)}, (4,))


def check_round(state: Tournament) -> None:
    """Everybody is placed, byes go round, and nobody meets twice if that can be avoided."""
    pairing = pair_next(state)
    present = state.list_present(len(state.rounds) + 1)
    placed = [each for board in pairing.boards for each in board] + [*pairing.byes]
    assert sorted(placed) == present
    assert len(pairing.byes) == len(present) % 2
    had, met = count_byes(state), count_meetings(state)
    fewest = min(had[each] for each in present)
    assert all(had[each] == fewest for each in pairing.byes)
    if any(pair in met for pair in pairs(pairing.boards)):
        graph = networkx.Graph((one, other) for one in present for other in present if (one, other) not in met)
        graph.remove_edges_from([(other, one) for one, other in met] + [(each, each) for each in present])
        if pairing.byes:
            graph.add_edges_from((0, each) for each in present if had[each] == fewest)
        assert len(networkx.max_weight_matching(graph, maxcardinality=True)) < len(present) // 2 + len(present) % 2
    assert pairing == pair_next(state)


def test_after_a_forfeit_two_may_meet_again_nobody_is_owed_a_seat_and_who_won_has_floated_and_gets_no_bye():
    tournament = GivenTournament(2, format=SWISS)
    tournament.start()
    tournament.pair([(1, 2)])
    tournament.forfeit(1, 1, 2)
    pairing = pair_dutch(tournament.state)
    assert (pairing.boards, pairing.engine) == (((1, 2),), ENGINE)
    tournament.pair(*pairing)
    words = [reason.word for reason in explain_rounds(tournament.state, {2})[2].boards[0]]
    assert words == ["floated", "seat-by-number"]
    tournament = GivenTournament(3, format=SWISS)
    tournament.start()
    tournament.pair([(1, 2)], byes=[3])
    tournament.forfeit(1, 1, 1)
    pairing = pair_dutch(tournament.state)
    assert (set(pairing.boards), pairing.byes, pairing.engine) == ({(3, 2)}, (1,), ENGINE)


events = st.lists(st.tuples(st.sampled_from(["leave", "enter", "sit out"]), st.integers(0, 30)), max_size=3)


@given(st.integers(3, 11), st.integers(0, 999), st.lists(events, min_size=8, max_size=8))
@settings(max_examples=60, deadline=None)
def test_nobody_meets_twice_nor_has_a_second_bye_while_that_can_be_avoided(entrants, seed, changes):
    tournament = GivenTournament(entrants, format={"kind": "swiss", "rounds": 8})
    tournament.start()
    for changed in changes:
        for what, number in changed:
            change(tournament, what, number)
        if len(tournament.state.list_present(len(tournament.state.rounds) + 1)) < 2:
            break
        check_round(tournament.state)
        pairing = pair_next(tournament.state)
        tournament.pair(pairing.boards, pairing.byes)
        tournament.decide_all(by_chance(seed))


def change(tournament: GivenTournament, what: str, number: int) -> None:
    present = tournament.state.list_present(len(tournament.state.rounds) + 1)
    if what == "enter":
        tournament.enter()
    elif len(present) > 2 and what == "leave":
        tournament.leave(present[number % len(present)])
    elif len(present) > 2:
        tournament.sit_out(present[number % len(present)], len(tournament.state.rounds) + 1)


@pytest.mark.parametrize("entrants", [2, 3, 4, 5])
def test_when_everybody_has_met_everybody_they_meet_again_as_rarely_as_possible(entrants):
    tournament = GivenTournament(entrants, format={"kind": "swiss", "rounds": 12}).play(pair_next, by_number)
    assert len(tournament.state.rounds) == 12
    meetings = [
        count_meetings(tournament.state)[one, other] for other in range(2, entrants + 1) for one in range(1, other)
    ]
    assert max(meetings) - min(meetings) <= 1
    byes = [count_byes(tournament.state)[each] for each in range(1, entrants + 1)]
    assert max(byes) - min(byes) <= 1


def test_nobody_is_more_than_two_ahead_in_one_seat():
    tournament = GivenTournament(16, format={"kind": "swiss", "rounds": 7}).play(pair_next, by_chance(1))
    assert all(abs(first - second) <= 2 for first, second in count_seats(tournament.state).values())
    # Colours do not count where boards have both orders of the seats.
    tournament = GivenTournament(6, repeat="rotations").play(pair_next, by_chance(3))
    assert all(first == second for first, second in count_seats(tournament.state).values())


def colours_of(state, entrant):
    boards = [board for round in state.rounds for board in round.boards if entrant in board]
    return "".join("wb"[board.index(entrant)] for board in boards)


@pytest.mark.parametrize("seed", range(8))
def test_of_two_with_the_same_colours_the_one_with_more_points_gets_the_colour_it_is_due(seed):
    # E.4: the entrant with more points ranks higher, on equal points the better seed.
    tournament = GivenTournament(14, format={"kind": "swiss", "rounds": 6}).play(pair_next, by_chance(seed))
    checked = 0
    for number, round in enumerate(tournament.state.rounds[1:], 1):
        before = replace(tournament.state, rounds=tournament.state.rounds[:number])
        points = total_points(before)
        for board in round.boards:
            first, second = (colours_of(before, entrant) for entrant in board)
            if first == second:
                higher = min(board, key=lambda entrant: (-points[entrant], entrant))
                ahead = first.count("w") - first.count("b")
                due = "b" if ahead > 0 or (ahead == 0 and first[-1] == "w") else "w"
                assert "wb"[board.index(higher)] == due
                checked += 1
    assert checked


def test_of_two_without_a_colour_the_higher_has_white_if_its_number_is_odd():
    # E.5: entrant 2 is the higher ranked of the two.
    tournament = GivenTournament(4)
    tournament.leave(1)
    tournament.sit_out(2, 1)
    tournament.sit_out(3, 1)
    tournament.start()
    tournament.pair([], byes=[4])
    tournament.leave(4)
    assert pair_dutch(tournament.state).boards == ((3, 2),)


def test_more_entrants_than_the_engine_can_handle_are_paired_at_least_cost(monkeypatch):
    monkeypatch.setattr(dutch_module, "MOST_ENTRANTS", 10)
    tournament = GivenTournament(13, format={"kind": "swiss", "rounds": 5})
    tournament.start()
    for _ in range(5):
        check_round(tournament.state)
        pairing = pair_next(tournament.state)
        assert (pairing.engine, pairing.costs["optimal"]) == ("pods 1", True)
        tournament.pair(pairing.boards, pairing.byes)
        tournament.decide_all(by_chance(5))
    assert all(abs(first - second) <= 2 for first, second in count_seats(tournament.state).values())


def test_the_costs_say_who_floats_down_and_who_floats_up():
    costs = pair_dutch(played(6, [((1, 4), 1), ((5, 2), 2), ((3, 6), 3)]).state).costs
    floats = [{"down": 3, "up": 4, "by": "1"}]
    assert costs == {"meetings": 0, "spread": "2", "seats": 0, "byes": 0, "seed": 1, "floats": floats}
