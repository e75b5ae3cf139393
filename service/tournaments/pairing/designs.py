"""The round robin of pods: a plan of all rounds of a cycle, in which all meet all as evenly as can be found.

The plan is made anew for each cycle, and when somebody leaves, sits out or comes back, with the rounds before as they
were.

Byes go to those who had the fewest. Then entrants of the same round exchange pods where that makes the sum of the
squares of all meetings less, and sometimes where it does not, ever more seldom (simulated annealing). What no plan can
have less than is told beside: meetings that differ by one at most.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
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
from plyscribe.domain.tournament.schedule import Pairing
from plyscribe.domain.tournament.state import Tournament

ENGINE = "designs 1"
STEPS = 150_000
STEPS_A_PLACE = 1000
"""How many exchanges are tried: so many for each entrant and round, and no more than STEPS."""

WARM, COLD = 4.0, 0.4
"""By how much the sum may well grow with an exchange, at the beginning and at the end."""

Plan = list[list[list[int]]]
"""The pods of each round, by places in a list of entrants; who has a bye is in none of them."""


def pair_pod_round_robin(state: Tournament) -> Pairing | None:
    """The next round; None after the last cycle."""
    seats, number = state.terms.seats, len(state.rounds) + 1
    rounds = count_rounds(len(state.starters), seats)
    cycle = len(state.rounds) // rounds
    if cycle == state.terms.format["cycles"]:
        return None
    present = state.list_present(number)
    first = max(_find_first(state, present), cycle * rounds + 1)
    before = replace(state, rounds=state.rounds[: first - 1])
    rng = Random(f"{state.terms.seed} {first}")  # noqa: S311 (repeatable, not unpredictable)
    order = rng.sample(present, len(present))
    met = count_meetings(before)
    plan = _plan(order, met, count_byes(before), ((cycle + 1) * rounds - first + 1, seats), rng)
    pods = [[order[place] for place in pod] for pod in plan[number - first]]
    counts = count_seats(state)
    boards = tuple(sorted(seat_evenly(pod, counts) for pod in pods))
    byes = sorted(set(present).difference(*boards))
    planned = sum((_count(order, pods) for pods in plan), start=met)
    told = _describe_plan(planned, comb(len(state.starters), 2))
    return Pairing(
        boards,
        tuple(byes),
        {**describe_costs(state, boards, byes), "cycle": cycle + 1, "rounds": rounds, **told},
        ENGINE,
    )


def count_rounds(entrants: int, seats: int) -> int:
    """The rounds of a cycle: those in which all could meet once, if no two met twice."""
    return -(-comb(entrants, 2) // (entrants // seats * comb(seats, 2)))


def _find_first(state: Tournament, present: Sequence[int]) -> int:
    """The first round since which the same entrants have been present as in the next one."""
    first = len(state.rounds) + 1
    for round in reversed(state.rounds):
        if {*round.byes}.union(*round.boards) != set(present):
            break
        first = round.number
    return first


def _count(order: Sequence[int], pods: Sequence[Sequence[int]]) -> Counter[Pair]:
    named = [sorted(order[place] for place in pod) for pod in pods]
    return Counter(pair for pod in named for pair in combinations(pod, 2))


def _describe_plan(planned: Counter[Pair], pairs: int) -> dict[str, Any]:
    """How many of these pairs meet how often by the plan, the sum of the squares, and what no plan has less than."""
    often = Counter({0: pairs - len(planned)}) + Counter(planned.values())
    each, more = divmod(sum(planned.values()), pairs)
    return {
        "planned": {str(times): often[times] for times in sorted(often)},
        "squares": sum(times**2 for times in planned.values()),
        "at_least": pairs * each**2 + more * (2 * each + 1),
    }


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
        # Of the squares of all meetings, 2 for each time that one has met those on the other pod more often than its
        # member has, and so on; they meet one time less or more themselves.
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
