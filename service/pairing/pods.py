"""Pairings at least cost, for pods of two to six: round robin, and Swiss where the Dutch system does not reach.

The cost of a round is what its pods cost, told apart in `costs`:

    meetings    for every two of a pod twice the number of times that they have met, weighed with MEETING
    spread      in a Swiss, for every two of a pod the difference of their points

Up to MOST_PARTITIONS ways all are tried, and two entrants a pod are matched by networkx: both are optimal. Beyond that,
pods exchange entrants as long as it helps, from STARTS beginnings; the least that any round could cost is told beside.
"""

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations, permutations
from math import comb, factorial
from random import Random

import networkx  # type: ignore[import-untyped]

from domain.tournament.points import ZERO, total_points
from domain.tournament.schedule import Pairing
from domain.tournament.state import Tournament

ENGINE = "pods 1"
MEETING = 1000
MOST_PARTITIONS = 20_000
STARTS = 20

Pod = tuple[int, ...]
Pair = frozenset[int]


class _Costs:
    """What any two entrants on the same pod cost in the next round."""

    def __init__(self, state: Tournament) -> None:
        self.points = total_points(state)
        self.meetings: dict[Pair, int] = {}
        for round in state.rounds:
            for board in round.boards:
                for pair in combinations(board, 2):
                    met = frozenset(pair)
                    self.meetings[met] = self.meetings.get(met, 0) + 1
        self._is_swiss = state.terms.format["kind"] == "swiss"

    def of_pair(self, one: int, other: int) -> Fraction:
        return MEETING * Fraction(self.meeting(one, other)) + self.spread(one, other)

    def meeting(self, one: int, other: int) -> int:
        return 2 * self.meetings.get(frozenset((one, other)), 0)

    def spread(self, one: int, other: int) -> Fraction:
        return abs(self.points[one] - self.points[other]) if self._is_swiss else ZERO

    def of_pod(self, pod: Sequence[int]) -> Fraction:
        return sum((self.of_pair(*pair) for pair in combinations(pod, 2)), ZERO)

    def of_all(self, pods: Iterable[Sequence[int]]) -> Fraction:
        return sum(map(self.of_pod, pods), ZERO)


def pair_pods(state: Tournament) -> Pairing | None:
    """The next round; None after as many rounds as a round robin takes for everybody to meet."""
    terms, number = state.terms, len(state.rounds) + 1
    if terms.format["kind"] == "round-robin" and number > count_rounds(len(state.entrants), terms.seats, terms.format):
        return None
    costs, rng = _Costs(state), Random(f"{terms.seed} {number}")  # noqa: S311 (repeatable, not unpredictable)
    present = state.list_present(number)
    byes = _choose_byes(state, present, costs)
    playing = [entrant for entrant in present if entrant not in byes]
    pods, is_optimal = _find_pods(playing, terms.seats, costs, rng)
    ordered = sorted(pods, key=lambda pod: (-sum((costs.points[each] for each in pod), ZERO), min(pod)))
    told = {
        "total": str(costs.of_all(pods)),
        "at_least": str(costs.of_all(pods) if is_optimal else _bound(playing, terms.seats, costs)),
        "optimal": is_optimal,
        "meetings": sum(costs.meeting(*pair) // 2 for pod in pods for pair in combinations(pod, 2)),
        "spread": str(sum((costs.spread(*pair) for pod in pods for pair in combinations(pod, 2)), ZERO)),
    }
    seats = _count_seats(state)
    return Pairing(tuple(_seat(pod, seats, rng) for pod in ordered), tuple(sorted(byes)), told, ENGINE)


def count_rounds(entrants: int, seats: int, format: dict[str, int]) -> int:
    """The rounds in which all could meet `cycles` times, if every round was without a meeting too many."""
    pods = max(1, entrants // seats)
    pairs_a_round = pods * comb(seats, 2)
    return int(format["cycles"]) * -(-comb(entrants, 2) // pairs_a_round)


def _choose_byes(state: Tournament, present: Sequence[int], costs: _Costs) -> set[int]:
    """Those who had the fewest byes, of them those with the fewest points, of them the worst seeds."""
    had = {entrant: sum(entrant in round.byes for round in state.rounds) for entrant in present}
    order = sorted(present, key=lambda entrant: (had[entrant], costs.points[entrant], -entrant))
    return set(order[: len(present) % state.terms.seats])


def _find_pods(playing: Sequence[int], seats: int, costs: _Costs, rng: Random) -> tuple[list[Pod], bool]:
    """The pods, and whether none cost less."""
    pods = len(playing) // seats
    partitions = factorial(len(playing)) // (factorial(seats) ** pods * factorial(pods))
    if partitions <= MOST_PARTITIONS:
        return min(_partition(tuple(playing), seats), key=costs.of_all), True
    if seats == 2:
        return _match(playing, costs), True
    return _exchange(playing, seats, costs, rng), False


def _partition(entrants: Pod, seats: int) -> Iterator[list[Pod]]:
    """All ways to make pods of the entrants."""
    if not entrants:
        yield []
        return
    first, rest = entrants[0], entrants[1:]
    for others in combinations(rest, seats - 1):
        left = tuple(each for each in rest if each not in others)
        for pods in _partition(left, seats):
            yield [(first, *others), *pods]


def _match(playing: Sequence[int], costs: _Costs) -> list[Pod]:
    graph = networkx.Graph()
    scale = 60
    for one, other in combinations(playing, 2):
        graph.add_edge(one, other, weight=-int(scale * costs.of_pair(one, other)))
    matched = networkx.max_weight_matching(graph, maxcardinality=True)
    return sorted(tuple(sorted(pair)) for pair in matched)


def _exchange(playing: Sequence[int], seats: int, costs: _Costs, rng: Random) -> list[Pod]:
    """The cheapest pods that come of exchanging entrants two by two as long as that helps."""
    by_points = sorted(playing, key=lambda entrant: (-costs.points[entrant], entrant))
    found: list[list[Pod]] = []
    for start in range(STARTS):
        order = by_points if start == 0 else rng.sample(by_points, len(by_points))
        found.append(_improve([list(order[n : n + seats]) for n in range(0, len(order), seats)], costs))
    return min(found, key=costs.of_all)


def _improve(pods: list[list[int]], costs: _Costs) -> list[Pod]:
    improved = True
    while improved:
        improved = False
        for here, there in combinations(pods, 2):
            for a in range(len(here)):
                for b in range(len(there)):
                    before = costs.of_pod(here) + costs.of_pod(there)
                    here[a], there[b] = there[b], here[a]
                    if costs.of_pod(here) + costs.of_pod(there) < before:
                        improved = True
                    else:
                        here[a], there[b] = there[b], here[a]
    return [tuple(pod) for pod in pods]


def _bound(playing: Sequence[int], seats: int, costs: _Costs) -> Fraction:
    """What pods of neighbours by points cost if nobody had met: no pods cost less."""
    by_points = sorted(playing, key=lambda entrant: costs.points[entrant])
    pods = [by_points[n : n + seats] for n in range(0, len(by_points), seats)]
    return sum((costs.spread(*pair) for pod in pods for pair in combinations(pod, 2)), ZERO)


def _count_seats(state: Tournament) -> dict[int, list[int]]:
    """How often each entrant had each seat."""
    counts = {each.number: [0] * state.terms.seats for each in state.entrants}
    for game in state.games():
        for seat, entrant in enumerate(game.entrants):
            counts[entrant][seat] += 1
    return counts


def _seat(pod: Pod, counts: dict[int, list[int]], rng: Random) -> Pod:
    """The order of the pod in which seats come out most evenly for all; among equals one by chance."""
    orders = list(permutations(sorted(pod)))
    rng.shuffle(orders)
    return min(orders, key=lambda order: sum(counts[entrant][seat] for seat, entrant in enumerate(order)))
