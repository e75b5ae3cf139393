"""The history of the entrants: their meetings, seats and byes so far, and what a pairing adds to them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations, permutations
from typing import Any

from plyscribe.domain.tournament.points import ZERO, format_points, total_points
from plyscribe.domain.tournament.state import Round, Tournament

Pair = tuple[int, int]
"""Two entrants, the lower number first."""


def count_meetings(state: Tournament) -> Counter[Pair]:
    """On how many boards each pair has met, whether or not their games count."""
    boards = [board for round in state.rounds for board in round.boards]
    return Counter(pair for board in boards for pair in combinations(sorted(board), 2))


def list_played(round: Round) -> list[tuple[int, ...]]:
    """The boards of a round, without those whose games were all forfeited: to FIDE's rules these were not played."""
    return [
        board
        for board, games in zip(round.boards, round.games, strict=True)
        if not all(game.forfeited for game in games)
    ]


def count_byes(state: Tournament) -> Counter[int]:
    """How many byes each entrant had."""
    return Counter(entrant for round in state.rounds for entrant in round.byes)


def count_seats(state: Tournament) -> dict[int, list[int]]:
    """How often each entrant had each seat."""
    counts = {each.number: [0] * state.terms.seats for each in state.entrants}
    for game in state.games():
        for seat, entrant in enumerate(game.entrants):
            counts[entrant][seat] += 1
    return counts


def seat_evenly(pod: Sequence[int], counts: Mapping[int, Sequence[int]]) -> tuple[int, ...]:
    """The order of the pod that distributes seats most evenly; among equals, the first in the order of permutations."""
    return min(permutations(pod), key=lambda order: sum(counts[entrant][seat] for seat, entrant in enumerate(order)))


def describe_costs(state: Tournament, boards: Sequence[Sequence[int]], byes: Sequence[int]) -> dict[str, Any]:
    """The costs of a pairing of the next round, as docs/tournaments.md defines them."""
    meetings, seats, had = count_meetings(state), count_seats(state), count_byes(state)
    points = total_points(state)
    pairs = [pair for board in boards for pair in combinations(sorted(board), 2)]
    return {
        "meetings": sum(meetings[pair] for pair in pairs),
        "spread": format_points(sum((abs(points[one] - points[other]) for one, other in pairs), ZERO)),
        "seats": sum(seats[entrant][seat] for board in boards for seat, entrant in enumerate(board)),
        "byes": sum(had[entrant] for entrant in byes),
        "seed": state.terms.seed,
    }
