"""Pairs rounds at least cost: a Swiss of pods of three to six seats, and of two where the Dutch system does not serve.

It looks for the cheapest of all possible rounds. An earlier cost outweighs all later ones:

    byes        how many byes those with a bye now had before (for pods, byes are chosen first)
    meetings    for every two in a pod, the number of times that they have met
    spread      for every two in a pod, the difference of their points
    seats       for pairs only: how often both had their seats before, in the better of the two orders

Pairs are matched optimally, by networkx. For pods see `plyscribe.service.tournaments.pairing.cheapest`.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations, groupby
from math import comb
from random import Random
from typing import Any

from plyscribe.domain.tournament.history import count_byes, count_meetings, count_seats, describe_costs, seat_evenly
from plyscribe.domain.tournament.points import format_points, total_points
from plyscribe.domain.tournament.schedule import Pairing
from plyscribe.domain.tournament.state import Tournament
from plyscribe.service.tournaments.pairing.cheapest import Costs, Pods, find_pods

ENGINE = "pods 1"
WHOLE = 60
"""Points times this are whole numbers: up to six seats that tie share the points of their places."""


def pair_pods(state: Tournament) -> Pairing:
    """The next round of a Swiss; follows from the tournament alone."""
    seats = state.terms.seats
    rng = Random(f"{state.terms.seed} {len(state.rounds) + 1}")  # noqa: S311 (repeatable, not unpredictable)
    present = state.list_present(len(state.rounds) + 1)
    if len(present) < seats:
        return Pairing((), tuple(present), describe_costs(state, (), present), ENGINE)
    if seats == 2:
        costs = _weigh(state, present)
        pods, byes = _match(costs, state)
        least = costs.of_all(pods)
    else:
        byes = _choose_byes(state, present)
        costs = _weigh(state, [entrant for entrant in present if entrant not in byes])
        pods, least = find_pods(costs, seats, _count_forced(state, costs.entrants), rng)
    counts = count_seats(state)
    named = [[costs.entrants[place] for place in sorted(pod)] for pod in sorted(map(sorted, pods))]
    boards = tuple(seat_evenly(rng.sample(pod, seats), counts) for pod in named)
    described = {**describe_costs(state, boards, byes), **_describe_bound(costs, least, least == costs.of_all(pods))}
    return Pairing(boards, tuple(sorted(byes)), described, ENGINE)


def _describe_bound(costs: Costs, least: int, is_optimal: bool) -> dict[str, Any]:
    meetings, spread = divmod(least, costs.meeting)
    return {"at_least": {"meetings": meetings, "spread": format_points(Fraction(spread, WHOLE))}, "optimal": is_optimal}


def _weigh(state: Tournament, entrants: Sequence[int]) -> Costs:
    met, total = count_meetings(state), total_points(state)
    ordered = [each for group in _group(entrants, total) for each in _deal(group, state.terms.seats)]
    points = [int(total[entrant] * WHOLE) for entrant in ordered]
    meeting = (points[0] - points[-1]) * len(points) * state.terms.seats + 1
    pair = [[0] * len(ordered) for _ in ordered]
    for (here, one), (there, other) in combinations(enumerate(ordered), 2):
        cost = met[min(one, other), max(one, other)] * meeting + points[here] - points[there]
        pair[here][there] = pair[there][here] = cost
    return Costs(ordered, points, pair, meeting)


def _group(entrants: Sequence[int], points: Mapping[int, Fraction]) -> list[list[int]]:
    """The entrants with the same points, the most first."""
    ordered = sorted(entrants, key=lambda entrant: (-points[entrant], entrant))
    return [list(group) for _, group in groupby(ordered, key=lambda entrant: points[entrant])]


def _deal(group: Sequence[int], seats: int) -> list[int]:
    """The group in an order in which neighbours form pods of both good and bad seeds.

    >>> _deal([1, 2, 3, 4, 5, 6], 3)
    [1, 3, 5, 2, 4, 6]
    """
    pods = max(1, len(group) // seats)
    return [each for first in range(pods) for each in group[first::pods]]


def _match(costs: Costs, state: Tournament) -> tuple[Pods, list[int]]:
    """The pairs, and the bye of an odd number: of those with the fewest byes, the last by points if meetings allow."""
    had, counts, places = count_byes(state), count_seats(state), range(len(costs.entrants))
    seats = [counts[entrant] for entrant in costs.entrants]
    # More than all seats of a round can cost, and more than everything else can.
    spread, bye = 1 + len(places) * max(map(max, seats)), 1 + len(places) * max(map(max, costs.pair))
    # Imported here, because every process imports this module, few pair, and networkx takes a tenth of a second.
    import networkx  # type: ignore[import-untyped]

    graph = networkx.Graph()
    for one, other in combinations(places, 2):
        seat = min(seats[one][0] + seats[other][1], seats[other][0] + seats[one][1])
        graph.add_edge(one, other, weight=-costs.pair[one][other] * spread - seat)
    for place in places if len(places) % 2 else ():
        cost = had[costs.entrants[place]] * bye + costs.points[place] - costs.points[-1]
        graph.add_edge(place, len(places), weight=-cost * spread)
    matched = [sorted(pair) for pair in networkx.max_weight_matching(graph, maxcardinality=True)]
    pods = [pair for pair in matched if pair[1] < len(places)]
    return pods, [costs.entrants[pair[0]] for pair in matched if pair[1] == len(places)]


def _choose_byes(state: Tournament, present: Sequence[int]) -> list[int]:
    """The byes: the entrants with the fewest byes so far, then the fewest points, then the worst seeds."""
    had, points = count_byes(state), total_points(state)
    order = sorted(present, key=lambda entrant: (had[entrant], points[entrant], -entrant))
    return order[: len(present) % state.terms.seats]


def _count_forced(state: Tournament, entrants: Sequence[int]) -> int:
    """The meetings that no choice of pods avoids.

    If an earlier round had few boards, every pod must hold entrants who met at one of them.
    """
    seats, pods, forced = state.terms.seats, len(entrants) // state.terms.seats, 0
    for round in state.rounds:
        board_of = {entrant: number for number, board in enumerate(round.boards) for entrant in board}
        boards = len({board_of.get(entrant, -entrant) for entrant in entrants})
        each, more = divmod(seats, boards)
        forced += pods * ((boards - more) * comb(each, 2) + more * comb(each + 1, 2))
    return forced
