"""Pairings at least cost: a Swiss of pods of three to six, and of two where the Dutch system does not serve.

Of all rounds that could be paired the cheapest is sought, one cost before the other:

    byes        of those who have one now, the number that they had before (of pods, byes are chosen first)
    meetings    for every two on a pod, the number of times that they have met
    spread      for every two on a pod, the difference of their points
    seats       of pairs: how often both had the seats that suit them best

Pairs are matched by networkx, which is optimal. Pods begin as neighbours by points and exchange entrants as long as
that helps, again and again from where a few random exchanges lead. Then a search looks for cheaper ones until there are
none, or it has seen MOST_PAIRS of them. What no pods of the round could cost less than is told in either case.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations, groupby
from math import comb
from random import Random
from typing import Any, NamedTuple

import networkx  # type: ignore[import-untyped]

from domain.tournament.history import count_byes, count_meetings, count_seats, seat_evenly, tell_costs
from domain.tournament.points import format_points, total_points
from domain.tournament.schedule import Pairing
from domain.tournament.state import Tournament

ENGINE = "pods 2"
WHOLE = 60
"""Points times this are whole: up to six seats share those of their places."""

MOST_PAIRS = 1_500_000
"""How many pairs on pods the search looks at."""

KICKS = 250
EXCHANGES = 400_000
"""How many beginnings there are at most, and how many exchanges all of them look at, about."""

PARTS = 64
PRICINGS = 200
STALLS = 5
"""Prices are in so many parts of a cost, are reckoned so often, and move half as much after so many times in vain."""

KICK = 3
"""How many random exchanges lead to a new beginning."""

Pods = list[list[int]]
"""Entrants by their places in _Costs.entrants."""


class _Costs(NamedTuple):
    """What any two of these entrants cost on the same pod, as one number."""

    entrants: list[int]
    """Those with most points first."""

    points: list[int]
    pair: list[list[int]]
    meeting: int
    """What a meeting costs: more than any spread of a round."""

    def of_pod(self, pod: Sequence[int]) -> int:
        return sum(self.pair[one][other] for one, other in combinations(pod, 2))

    def of_all(self, pods: Pods) -> int:
        return sum(map(self.of_pod, pods))


def pair_pods(state: Tournament) -> Pairing:
    """The next round of a Swiss; the same for the same tournament, in any process."""
    seats = state.terms.seats
    rng = Random(f"{state.terms.seed} {len(state.rounds) + 1}")  # noqa: S311 (repeatable, not unpredictable)
    present = state.list_present(len(state.rounds) + 1)
    if len(present) < seats:
        return Pairing((), tuple(present), tell_costs(state, (), present), ENGINE)
    if seats == 2:
        costs = _weigh(state, present)
        pods, byes = _match(costs, state)
        least = costs.of_all(pods)
    else:
        byes = _choose_byes(state, present)
        costs = _weigh(state, [entrant for entrant in present if entrant not in byes])
        pods, least = _find_pods(costs, seats, _count_forced(state, costs.entrants), rng)
    counts = count_seats(state)
    named = [[costs.entrants[place] for place in sorted(pod)] for pod in sorted(map(sorted, pods))]
    boards = tuple(seat_evenly(rng.sample(pod, seats), counts) for pod in named)
    told = {**tell_costs(state, boards, byes), **_tell_bound(costs, least, least == costs.of_all(pods))}
    return Pairing(boards, tuple(sorted(byes)), told, ENGINE)


def _tell_bound(costs: _Costs, least: int, is_optimal: bool) -> dict[str, Any]:
    meetings, spread = divmod(least, costs.meeting)
    return {"at_least": {"meetings": meetings, "spread": format_points(Fraction(spread, WHOLE))}, "optimal": is_optimal}


def _weigh(state: Tournament, entrants: Sequence[int]) -> _Costs:
    met, total = count_meetings(state), total_points(state)
    ordered = [each for group in _group(entrants, total) for each in _deal(group, state.terms.seats)]
    points = [int(total[entrant] * WHOLE) for entrant in ordered]
    meeting = (points[0] - points[-1]) * len(points) * state.terms.seats + 1
    pair = [[0] * len(ordered) for _ in ordered]
    for (here, one), (there, other) in combinations(enumerate(ordered), 2):
        cost = met[min(one, other), max(one, other)] * meeting + points[here] - points[there]
        pair[here][there] = pair[there][here] = cost
    return _Costs(ordered, points, pair, meeting)


def _group(entrants: Sequence[int], points: Mapping[int, Fraction]) -> list[list[int]]:
    """The entrants with the same points, the most first."""
    ordered = sorted(entrants, key=lambda entrant: (-points[entrant], entrant))
    return [list(group) for _, group in groupby(ordered, key=lambda entrant: points[entrant])]


def _deal(group: Sequence[int], seats: int) -> list[int]:
    """The group in an order whose neighbours make pods of good and bad seeds.

    >>> _deal([1, 2, 3, 4, 5, 6], 3)
    [1, 3, 5, 2, 4, 6]
    """
    pods = max(1, len(group) // seats)
    return [each for first in range(pods) for each in group[first::pods]]


def _match(costs: _Costs, state: Tournament) -> tuple[Pods, list[int]]:
    """The pairs, and who of an odd number has a bye: one who had the fewest, the last by points if meetings allow."""
    had, counts, places = count_byes(state), count_seats(state), range(len(costs.entrants))
    seats = [counts[entrant] for entrant in costs.entrants]
    # More than all seats of a round can cost, and more than all else.
    spread, bye = 1 + len(places) * max(map(max, seats)), 1 + len(places) * max(map(max, costs.pair))
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
    """Those who had the fewest byes, of them those with the fewest points, of them the worst seeds."""
    had, points = count_byes(state), total_points(state)
    order = sorted(present, key=lambda entrant: (had[entrant], points[entrant], -entrant))
    return order[: len(present) % state.terms.seats]


def _count_forced(state: Tournament, entrants: Sequence[int]) -> int:
    """No pods have fewer meetings: a pod has entrants of so few boards of an earlier round that some met there."""
    seats, pods, forced = state.terms.seats, len(entrants) // state.terms.seats, 0
    for round in state.rounds:
        board_of = {entrant: number for number, board in enumerate(round.boards) for entrant in board}
        boards = len({board_of.get(entrant, -entrant) for entrant in entrants})
        each, more = divmod(seats, boards)
        forced += pods * ((boards - more) * comb(each, 2) + more * comb(each + 1, 2))
    return forced


def _find_pods(costs: _Costs, seats: int, forced: int, rng: Random) -> tuple[Pods, int]:
    """The pods, and what none cost less than."""
    least = _bound(costs, seats, forced)
    pods = _exchange(costs, seats, least, rng)
    if costs.of_all(pods) > least:
        prices = _price(costs, seats, costs.of_all(pods))
        pods, is_cheapest = _search(costs, seats, prices, pods)
        least = costs.of_all(pods) if is_cheapest else max(least, -(-sum(prices) // (2 * PARTS)))
    return pods, least


def _bound(costs: _Costs, seats: int, forced: int) -> int:
    """What no pods cost less than: the spread of neighbours by points, with the fewest meetings that everybody can have
    in its cheapest company, or those that are forced.
    """
    meetings = sum(sum(sorted(cost // costs.meeting for cost in row)[:seats]) for row in costs.pair)
    spread = sum(
        abs(one - other)
        for start in range(0, len(costs.points), seats)
        for one, other in combinations(costs.points[start : start + seats], 2)
    )
    return max(-(-meetings // 2), forced) * costs.meeting + spread


def _price(costs: _Costs, seats: int, found: int) -> list[int]:
    """A price for each entrant, such that no pod costs less than the sum of its prices over 2 * PARTS.

    The price is what its cheapest company costs the entrant. Where one is in the other's company, and the other not in
    the one's, the one is charged more of what both cost together, and the other less, as much as brings the sum of all
    prices towards twice the cost of the pods that were found (Lagrange multipliers, by Polyak's steps).
    """
    places = range(len(costs.entrants))
    charges = [[PARTS * cost for cost in row] for row in costs.pair]
    goal, pace, best, stalled = 2 * PARTS * found, 1.0, [0], 0
    for _ in range(1 + min(PRICINGS, EXCHANGES // len(places) ** 2)):
        company = [
            sorted((each for each in places if each != place), key=row.__getitem__)[: seats - 1]
            for place, row in enumerate(charges)
        ]
        prices = [sum(map(row.__getitem__, chosen)) for row, chosen in zip(charges, company, strict=True)]
        stalled = 0 if sum(prices) > sum(best) else stalled + 1
        best = max(best, prices, key=sum)
        pace /= 2 if stalled % STALLS == STALLS - 1 else 1
        chosen = {(place, each) for place in places for each in company[place]}
        lopsided = [pair for pair in chosen if pair[::-1] not in chosen]
        step = int(pace * (goal - sum(prices)) / (2 * len(lopsided) or 1))
        if not lopsided or step < 1:
            break
        for one, other in lopsided:
            charges[one][other] += step
            charges[other][one] -= step
    return best


def _exchange(costs: _Costs, seats: int, least: int, rng: Random) -> Pods:
    """The cheapest pods that come of exchanging entrants two by two as long as that helps, from several beginnings."""
    places = range(len(costs.entrants))
    best = _improve([list(places[start : start + seats]) for start in range(0, len(places), seats)], costs)
    cost = costs.of_all(best)
    for _ in range(min(KICKS, EXCHANGES // len(places) ** 2)):
        if cost == least or len(best) == 1:
            break
        pods = [list(pod) for pod in best]
        for _ in range(KICK):
            (here, one), (there, other) = ((pod, rng.randrange(seats)) for pod in rng.sample(pods, 2))
            here[one], there[other] = there[other], here[one]
        pods = _improve(pods, costs)
        if costs.of_all(pods) <= cost:
            best, cost = pods, costs.of_all(pods)
    return best


def _improve(pods: Pods, costs: _Costs) -> Pods:
    """The pods after all exchanges of two entrants that help, the first that is found first."""
    pod_of = {each: number for number, pod in enumerate(pods) for each in pod}
    joined = [[sum(row[each] for each in pod) for pod in pods] for row in costs.pair]
    places = range(len(costs.entrants))
    improved = True
    while improved:
        improved = False
        for one in places:
            pair, join = costs.pair[one], joined[one]
            for other in places[one + 1 :]:
                here, there = pod_of[one], pod_of[other]
                gain = join[here] + joined[other][there] - join[there] - joined[other][here] + 2 * pair[other]
                if here != there and gain > 0:
                    improved = True
                    pod_of[one], pod_of[other] = there, here
                    for row, sums in zip(costs.pair, joined, strict=True):
                        change = row[other] - row[one]
                        sums[here] += change
                        sums[there] -= change
    return [[each for each in places if pod_of[each] == number] for number in range(len(pods))]


def _search(costs: _Costs, seats: int, prices: list[int], pods: Pods) -> tuple[Pods, bool]:
    """The cheapest pods, these if none cost less; and whether the search came to its end."""
    search = _Search(costs, seats, prices, pods)
    is_cheapest = search.extend([], tuple(range(len(costs.entrants))), 0)
    return search.best, is_cheapest


class _Search:
    """Branch and bound: what pods cost beyond the prices of their entrants never falls as pods are added."""

    def __init__(self, costs: _Costs, seats: int, prices: list[int], best: Pods) -> None:
        self.best = best
        self._costs = costs
        self._others = seats - 1
        self._prices = prices
        self._excess = sum(map(self._weigh, best))
        self._seen = 0

    def _weigh(self, pod: Sequence[int]) -> int:
        return 2 * PARTS * self._costs.of_pod(pod) - sum(self._prices[each] for each in pod)

    def extend(self, pods: Pods, free: tuple[int, ...], excess: int) -> bool:
        """Find the best way to go on from these pods; whether all were looked at that could be the best."""
        if not free:
            self.best, self._excess = pods, excess
            return True
        self._seen += comb(len(free) - 1, self._others) * comb(self._others + 1, 2)
        if self._seen > MOST_PAIRS:
            return False
        choices = sorted(
            (self._weigh(pod), pod) for pod in ((free[0], *others) for others in combinations(free[1:], self._others))
        )
        for more, pod in choices:
            if excess + more >= self._excess:
                break
            left = tuple(each for each in free if each not in pod)
            if not self.extend([*pods, list(pod)], left, excess + more):
                return False
        return True
