"""Finds the cheapest pods: local search, a lower bound by prices, then branch and bound.

The local search puts neighbours by points into the same pod and exchanges entrants as long as that helps. It repeats
this from new starting points, each a few random exchanges away. If there are at most MOST_PODS pods, branch and bound
then looks for cheaper ones, until it has proved that there are none or has looked at MOST_PAIRS pairs. The lower bound
on the cost is returned in either case.
"""

from collections.abc import Sequence
from itertools import combinations
from math import comb
from random import Random
from typing import NamedTuple

MOST_PODS = 8
MOST_PAIRS = 1_500_000
"""Branch and bound runs for at most MOST_PODS pods, and looks at no more than MOST_PAIRS pairs of entrants in pods."""

KICKS = 500
EXCHANGES = 800_000
"""The most starting points of the local search, and roughly how many exchanges it looks at from all of them."""

PARTS = 64
PRICINGS = 200
STALLS = 5
"""Prices are whole numbers of 1/PARTS of a cost. They are computed PRICINGS times; the step halves after STALLS
computations without a better bound.
"""

KICK = 3
"""The random exchanges that lead to a new starting point."""

Pods = list[list[int]]
"""Pods of entrants, which are given by their places in Costs.entrants."""


class Costs(NamedTuple):
    """The cost of having any two of these entrants in the same pod, as one whole number."""

    entrants: list[int]
    """The entrants with the most points first."""

    points: list[int]
    pair: list[list[int]]
    meeting: int
    """The cost of one earlier meeting: more than the spread of a whole round."""

    def of_pod(self, pod: Sequence[int]) -> int:
        """The cost of a pod."""
        return sum(self.pair[one][other] for one, other in combinations(pod, 2))

    def of_all(self, pods: Pods) -> int:
        """The cost of all these pods."""
        return sum(map(self.of_pod, pods))


def find_pods(costs: Costs, seats: int, forced: int, rng: Random) -> tuple[Pods, int]:
    """The cheapest pods found, and a lower bound on the cost of any; no choice has fewer meetings than `forced`."""
    least = _bound(costs, seats, forced)
    pods = _exchange(costs, seats, least, rng)
    if costs.of_all(pods) > least:
        prices = _price(costs, seats, costs.of_all(pods))
        pods, is_cheapest = _search(costs, seats, prices, pods)
        least = costs.of_all(pods) if is_cheapest else max(least, -(-sum(prices) // (2 * PARTS)))
    return pods, least


def _bound(costs: Costs, seats: int, forced: int) -> int:
    """A lower bound on the cost of any pods.

    It is the spread of pods of neighbours by points, plus the fewest meetings: what every entrant has at least in its
    cheapest company, or `forced`, whichever is more.
    """
    meetings = sum(sum(sorted(cost // costs.meeting for cost in row)[:seats]) for row in costs.pair)
    spread = sum(
        abs(one - other)
        for start in range(0, len(costs.points), seats)
        for one, other in combinations(costs.points[start : start + seats], 2)
    )
    return max(-(-meetings // 2), forced) * costs.meeting + spread


def _price(costs: Costs, seats: int, found: int) -> list[int]:
    """A price for each entrant, such that no pod costs less than the sum of its prices over 2 * PARTS.

    An entrant's price is the cost of its cheapest company. If one entrant has another in its cheapest company but not
    the other way round, the first is charged more of what the two cost together, and the second less. The size of the
    step brings the sum of all prices towards twice the cost `found` (Lagrange multipliers with Polyak's step size).
    """
    places = range(len(costs.entrants))
    charges = [[PARTS * cost for cost in row] for row in costs.pair]
    goal, pace, best, stalled = 2 * PARTS * found, 1.0, [0] * len(places), 0
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


def _exchange(costs: Costs, seats: int, least: int, rng: Random) -> Pods:
    """The cheapest pods that local search finds from several starting points."""
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


def _improve(pods: Pods, costs: Costs) -> Pods:
    """The pods after exchanging two entrants as long as that helps, always taking the first exchange found."""
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


def _search(costs: Costs, seats: int, prices: list[int], pods: Pods) -> tuple[Pods, bool]:
    """The cheapest pods found, `pods` if none cost less, and whether the search was exhaustive."""
    search = _Search(costs, seats, prices, pods)
    is_cheapest = search.extend([], tuple(range(len(costs.entrants))), 0)
    return search.best, is_cheapest


class _Search:
    """Branch and bound. It works because a pod never costs less than the prices of its entrants."""

    def __init__(self, costs: Costs, seats: int, prices: list[int], best: Pods) -> None:
        self.best = best
        self._costs = costs
        self._others = seats - 1
        self._prices = prices
        self._excess = sum(map(self._weigh, best))
        self._seen = 0

    def _weigh(self, pod: Sequence[int]) -> int:
        return 2 * PARTS * self._costs.of_pod(pod) - sum(self._prices[each] for each in pod)

    def extend(self, pods: Pods, free: tuple[int, ...], excess: int) -> bool:
        """Find the cheapest completion of these pods; False if the search gave up before it was exhaustive."""
        if not free:
            self.best, self._excess = pods, excess
            return True
        self._seen += comb(len(free) - 1, self._others) * comb(self._others + 1, 2)
        if self._seen > MOST_PAIRS or len(self.best) > MOST_PODS:
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
