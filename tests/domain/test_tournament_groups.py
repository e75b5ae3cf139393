"""Groups, then a knockout: the deal, the rounds of the groups, who advances, the bracket, and the tables."""

from collections import Counter
from itertools import combinations, permutations
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plyscribe.domain.errors import WrongTime, WrongValue
from plyscribe.domain.tournament.commands import CorrectGame, PairByHand, ReturnEntrant, SeedEntrant, StartTournament
from plyscribe.domain.tournament.crosstable import list_crosstable
from plyscribe.domain.tournament.group_pairing import assign, pair_groups, plan_bracket
from plyscribe.domain.tournament.groups import plan_groups, read_slots
from plyscribe.domain.tournament.schedule import bound_rounds
from plyscribe.domain.tournament.seeding import pair_by_seed
from plyscribe.domain.tournament.standings import rank_entrants
from plyscribe.domain.tournament.state import Tournament
from plyscribe.domain.tournament.tables import dump_table, list_table, render_standings
from tests.domain.given_tournament import GivenTournament, by_chance, by_number, refusal


def given_groups(entrants: int, **format: int) -> GivenTournament:
    return GivenTournament(entrants, format={"kind": "groups", **format}).begun()


def pair(state: Tournament):
    return pair_by_seed(state, pair_groups)


def play(tournament: GivenTournament, rounds: int = 1000, rank=by_number) -> GivenTournament:
    return tournament.play(pair, rank, rounds)


def list_boards(tournament: GivenTournament, round: int) -> list[tuple[int, ...]]:
    return [tuple(sorted(board)) for board in tournament.state.rounds[round - 1].boards]


def test_the_seeds_are_dealt_forwards_and_then_backwards_to_as_many_groups_as_it_takes():
    assert plan_groups(given_groups(8, groups=3).state).groups == ((1, 6, 7), (2, 5, 8), (3, 4))
    tournament = GivenTournament(4, format={"kind": "groups", "groups": 2})
    tournament.when(SeedEntrant, entrant=4, seed=1)
    tournament.start()
    assert plan_groups(tournament.state).groups == ((4, 3), (1, 2))
    assert list(map(len, plan_groups(given_groups(9, size=4).state).groups)) == [3, 3, 3]
    assert given_groups(8).state.terms.format == {"kind": "groups", "size": 4, "cycles": 1, "advance": 2}


@pytest.mark.parametrize(
    ("format", "why"),
    [
        ({"groups": 2, "size": 4}, "either how many groups there are, or their size"),
        ({"size": 4, "advance": 5}, "cannot have 5 who advance"),
    ],
)
def test_groups_that_cannot_be_are_refused(format, why):
    with pytest.raises(WrongValue, match=why):
        GivenTournament(format={"kind": "groups", **format})


def test_it_starts_only_with_enough_in_each_group_and_not_too_many_groups():
    tournament = GivenTournament(5, format={"kind": "groups", "groups": 3})
    assert refusal(tournament, StartTournament) == (WrongTime, "tournament/too-few")
    tournament = GivenTournament(193, format={"kind": "groups", "size": 3}, max_entrants=200)
    assert refusal(tournament, StartTournament) == (WrongTime, "tournament/too-many")


@given(st.integers(4, 20), st.integers(2, 5), st.integers(1, 2), st.integers(0, 99))
@settings(max_examples=30, deadline=None)
def test_in_each_group_everybody_meets_everybody_and_nobody_else(entrants, groups, cycles, seed):
    groups = min(groups, entrants // 2)
    tournament = play(given_groups(entrants, groups=groups, cycles=cycles, advance=1), rank=by_chance(seed))
    plan = plan_groups(tournament.state)
    met = Counter(board for round in range(1, plan.rounds + 1) for board in list_boards(tournament, round))
    within = [pair for group in plan.groups for pair in combinations(sorted(group), 2)]
    assert met == dict.fromkeys(within, cycles)
    assert len(tournament.state.rounds) <= bound_rounds(tournament.state)


def test_who_is_through_before_the_others_has_no_bye():
    tournament = play(given_groups(9, groups=2, advance=1), 5)
    smaller = plan_groups(tournament.state).groups[1]
    assert smaller == (2, 3, 6, 7)
    assert [len(round.byes) for round in tournament.state.rounds] == [1, 1, 1, 1, 1]
    assert not any(set(round.byes) & set(smaller) for round in tournament.state.rounds)


def test_in_the_bracket_winners_meet_the_seconds_of_other_groups_first_and_their_own_in_the_final():
    tournament = play(given_groups(16), 4)
    plan, first = plan_groups(tournament.state), list_boards(tournament, 4)
    assert len(first) == 4
    for winner, second in first:
        assert winner <= 4 < second
        assert plan.find_group(winner) != plan.find_group(second)
    tournament = play(given_groups(16), rank=by_chance(3))
    plan = plan_groups(tournament.state)
    for round in (4, 5):
        assert all(plan.find_group(one) != plan.find_group(other) for one, other in list_boards(tournament, round))
    assert len(tournament.state.rounds) == 6


def count_meetings(slots: dict[tuple[int, int], int], groups: int, advance: int) -> list[int]:
    """How many pairs of one group may first meet so many rounds into the bracket."""
    pairs = [(slots[a, g], slots[b, g]) for g in range(groups) for a, b in combinations(range(advance), 2)]
    rounds = Counter((one ^ other).bit_length() for one, other in pairs)
    return [rounds[each] for each in range(1, (groups * advance - 1).bit_length() + 1)]


@pytest.mark.parametrize(("groups", "advance"), [(2, 2), (3, 2), (5, 2), (3, 3), (4, 3), (2, 5), (3, 4), (2, 8)])
def test_no_bracket_lets_those_of_one_group_meet_later(groups, advance):
    slots = plan_bracket(groups, advance)
    assert len(set(slots.values())) == groups * advance
    tiers = [[slots[tier, group] for group in range(groups)] for tier in range(advance)]
    best = count_meetings(slots, groups, advance)
    rng = Random(groups * advance)
    for _ in range(500):
        other = {
            (tier, group): slot
            for tier, order in enumerate(tiers)
            for group, slot in enumerate(rng.sample(order, len(order)))
        }
        assert count_meetings(other, groups, advance) >= best


@given(st.integers(1, 5), st.randoms(use_true_random=False))
@settings(max_examples=50, deadline=None)
def test_an_assignment_is_the_cheapest(size, rng):
    costs = [[rng.randint(0, 9) for _ in range(size)] for _ in range(size)]
    found = assign(costs)
    assert sorted(found) == list(range(size))
    cheapest = min(sum(costs[row][order[row]] for row in range(size)) for order in permutations(range(size)))
    assert sum(costs[row][found[row]] for row in range(size)) == cheapest


def test_a_correction_after_the_first_round_of_the_bracket_does_not_change_it():
    tournament = play(given_groups(8, groups=2), 4)
    before = pair(tournament.state)
    board = list_boards(tournament, 1).index((1, 8)) + 1
    entrants = tournament.state.rounds[0].games[board - 1][0].entrants
    ranks = tuple(2 if each == 1 else 1 for each in entrants)
    tournament.when(CorrectGame, round=1, board=board, game=1, ranks=ranks, why="entered the wrong way round")
    again = pair(tournament.state)
    assert (again.boards, again.byes) == (before.boards, before.byes)


def test_an_entrant_returns_in_the_groups_and_not_in_the_bracket_where_the_next_one_advances():
    tournament = play(given_groups(8, groups=2), 1)
    tournament.leave(3)
    tournament.when(ReturnEntrant, entrant=3, why="it is back")
    play(tournament, 3)
    tournament.leave(3)
    play(tournament, 4)
    assert refusal(tournament, ReturnEntrant, entrant=3, why="it is back") == (WrongTime, "entrant/knockout")
    tournament = play(given_groups(8, groups=2), 3)
    tournament.leave(1)
    play(tournament, 4)
    assert sorted(read_slots(tournament.state, plan_groups(tournament.state))) == [2, 3, 4, 5]


def test_nobody_pairs_groups_by_hand():
    fields = {"round": 1, "boards": ((1, 3), (2, 4)), "byes": (), "why": "for once"}
    assert refusal(given_groups(4, groups=2), PairByHand, **fields) == (WrongTime, "tournament/by-hand")


def test_the_table_ranks_by_the_bracket_and_below_it_by_the_place_in_the_group():
    tournament = play(given_groups(8, groups=2))
    ranked = [each.entrant for each in rank_entrants(tournament.state)]
    assert ranked[:2] == [1, 2]
    assert set(ranked[2:4]) == {3, 4}
    assert set(ranked[4:6]) == {5, 6}
    assert set(ranked[6:]) == {7, 8}


def test_json_text_and_csv_tell_the_groups_apart():
    tournament = play(given_groups(8, groups=2))
    table = dump_table(tournament.state)
    assert [group["group"] for group in table["groups"]] == ["A", "B"]
    assert [row["entrant"] for row in table["groups"][0]["rows"]] == [1, 4, 5, 8]
    assert [row["points"] for row in table["groups"][0]["rows"]] == ["6", "4", "2", "0"]
    assert {row["entrant"]: row["group"] for row in table["rows"]}[3] == "B"
    assert [round["round"] for round in table["bracket"]] == [4, 5]
    assert table["bracket"][1]["boards"][0]["winner"] == 1
    text = render_standings(tournament.state)
    assert text.index("Group A") < text.index("Group B") < text.index("Bracket\nRound 4") < text.index("All entrants")
    assert list_table(tournament.state)[0][3] == "group"
    assert [line[3] for line in list_crosstable(tournament.state)] == ["group", *"AAAABBBB"]


def test_before_the_start_there_are_no_groups_to_show():
    tournament = GivenTournament(4, format={"kind": "groups"})
    assert "groups" not in dump_table(tournament.state)
    assert render_standings(tournament.state).startswith("rank")
