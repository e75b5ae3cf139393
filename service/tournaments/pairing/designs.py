"""Pairs the round robin of pods by a plan for the whole cycle, in which all meet each other as evenly as possible.

A new plan is made for each cycle, and whenever an entrant leaves, sits out or comes back; it takes the rounds before it
as they were.

Byes go to those who had the fewest. Then entrants of the same round exchange pods if that lowers the sum of the
squares of all meetings, and sometimes, ever more rarely, if it does not (simulated annealing). The pairing also states
a lower bound of that sum, which is reached if no two pairs differ by more than one in how often they have met.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import combinations
from math import comb, exp
from random import Random
from typing import Any

from plyscribe.domain.tournament.history import (
    Pair,
    count_byes,
    count_meetings,
    count_seats,
    describe_costs,
    seat_evenly,
)
from plyscribe.domain.tournament.schedule import Pairing, count_cycle_rounds
from plyscribe.domain.tournament.state import Tournament

ENGINE = "designs 1"
STEPS = 150_000
STEPS_A_PLACE = 1000
"""The exchanges tried: STEPS_A_PLACE for each entrant and round, but at most STEPS."""

WARM, COLD = 4.0, 0.4
"""The temperature at the beginning and at the end: by how much an exchange may still be likely to raise the sum."""

Plan = list[list[list[int]]]
"""The pods of each round, of places in a list of entrants. An entrant with a bye is in none of them."""

Rounds = tuple[tuple[tuple[int, ...], ...], ...]
"""The same, of entrants."""

KEPT = 8
"""The plans kept: every round of a cycle asks for the same one."""


def pair_pod_round_robin(state: Tournament) -> Pairing | None:
    """The next round; None after the last cycle."""
    seats, number = state.terms.seats, len(state.rounds) + 1
    rounds = count_cycle_rounds(len(state.starters), seats)
    cycle = len(state.rounds) // rounds
    if cycle == state.terms.format["cycles"]:
        return None
    present = state.list_present(number)
    first = max(_find_first(state, present), cycle * rounds + 1)
    before = replace(state, rounds=state.rounds[: first - 1])
    met, byes_had = count_meetings(before), count_byes(before)
    size = (cycle + 1) * rounds - first + 1, seats
    seed = f"{state.terms.seed} {first}"
    plan = _plan_rounds(tuple(present), frozenset(met.items()), frozenset(byes_had.items()), size, seed)
    counts = count_seats(state)
    boards = tuple(sorted(seat_evenly(pod, counts) for pod in plan[number - first]))
    byes = sorted(set(present).difference(*boards))
    planned = sum((_count(pods) for pods in plan), start=met)
    plan_costs = _describe_plan(planned, comb(len(state.starters), 2))
    return Pairing(
        boards,
        tuple(byes),
        {**describe_costs(state, boards, byes), "cycle": cycle + 1, "rounds": rounds, **plan_costs},
        ENGINE,
    )


def _find_first(state: Tournament, present: Sequence[int]) -> int:
    """The first round from which on the same entrants were present as in the next round."""
    first = len(state.rounds) + 1
    for round in reversed(state.rounds):
        if {*round.byes}.union(*round.boards) != set(present):
            break
        first = round.number
    return first


def _count(pods: Sequence[Sequence[int]]) -> Counter[Pair]:
    return Counter(pair for pod in pods for pair in combinations(sorted(pod), 2))


def _describe_plan(planned: Counter[Pair], pairs: int) -> dict[str, Any]:
    """How many pairs meet how often in the plan, the sum of the squares of the meetings, and its lower bound."""
    often = Counter({0: pairs - len(planned)}) + Counter(planned.values())
    each, more = divmod(sum(planned.values()), pairs)
    return {
        "planned": {str(times): often[times] for times in sorted(often)},
        "squares": sum(times**2 for times in planned.values()),
        "at_least": pairs * each**2 + more * (2 * each + 1),
    }


@lru_cache(maxsize=KEPT)
def _plan_rounds(
    present: tuple[int, ...],
    met: frozenset[tuple[Pair, int]],
    byes: frozenset[tuple[int, int]],
    size: tuple[int, int],
    seed: str,
) -> Rounds:
    rng = Random(seed)  # noqa: S311 (repeatable, not unpredictable)
    order = rng.sample(present, len(present))
    plan = _plan(order, Counter(dict(met)), Counter(dict(byes)), size, rng)
    return tuple(tuple(tuple(order[place] for place in pod) for pod in pods) for pods in plan)


def _plan(order: Sequence[int], met: Counter[Pair], byes: Counter[int], size: tuple[int, int], rng: Random) -> Plan:
    rounds, seats = size
    had = [byes[entrant] for entrant in order]
    plan: Plan = []
    for _ in range(rounds):
        queue = sorted(range(len(order)), key=lambda place: had[place])
        spared = queue[: len(order) % seats]
        for place in spared:
            had[place] += 1
        playing = rng.sample(queue[len(spared) :], len(queue) - len(spared))
        plan.append([playing[start : start + seats] for start in range(0, len(playing), seats)])
    meetings = [[met[min(one, other), max(one, other)] for other in order] for one in order]
    for pods in plan:
        for pod in pods:
            for one, other in combinations(pod, 2):
                _meet(meetings, one, other, 1)
    if len(order) >= 2 * seats:
        _anneal(plan, meetings, rng)
    return plan


def _meet(meetings: list[list[int]], one: int, other: int, times: int) -> None:
    meetings[one][other] += times
    meetings[other][one] += times


def _anneal(plan: Plan, meetings: list[list[int]], rng: Random) -> None:
    """Exchange entrants of two pods of a round, again and again."""
    pods, seats = len(plan[0]), len(plan[0][0])
    steps = min(STEPS, STEPS_A_PLACE * len(plan) * pods * seats)
    for step in range(steps):
        heat = WARM * (COLD / WARM) ** (step / steps)
        pods_of_round = plan[int(rng.random() * len(plan))]
        here = pods_of_round[int(rng.random() * pods)]
        there = pods_of_round[int(rng.random() * pods)]
        if here is there:
            continue
        a, b = int(rng.random() * seats), int(rng.random() * seats)
        one, other = here[a], there[b]
        mine, its = meetings[one], meetings[other]
        # The growth of the sum of squares: 2 for each time that `one` has met an entrant `there` more often than
        # `other` has, and likewise `here`, plus what one meeting more or less for each of them adds.
        growth = 4 * (seats - 1)
        for each in there:
            growth += 2 * (mine[each] - its[each])
        for each in here:
            growth += 2 * (its[each] - mine[each])
        growth -= 4 * mine[other]
        if growth > 0 and rng.random() >= exp(-growth / heat):
            continue
        here[a], there[b] = other, one
        for each in here:
            if each != other:
                _meet(meetings, one, each, -1)
                _meet(meetings, other, each, 1)
        for each in there:
            if each != one:
                _meet(meetings, other, each, -1)
                _meet(meetings, one, each, 1)
