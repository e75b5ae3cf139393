"""The value of a position for a seat."""

from functools import lru_cache

from plyscribe.domain.ruleset import Over, evaluate_over
from plyscribe.domain.rulesets.rings_v1.board import BLOCKER, HAS, KINDS_AMONG, NEXT, RUNNER, SEAT, TOP, WARRIOR, count
from plyscribe.domain.rulesets.rings_v1.fighting import attacked_seat
from plyscribe.domain.rulesets.rings_v1.moving import GROUND
from plyscribe.domain.rulesets.rings_v1.state import COUNTDOWN, State

POINT = 1000
ON_TOP = {RUNNER: 340, WARRIOR: 300, BLOCKER: 340}
SECOND_POINT = 100
UNIT = 20
STEP = {RUNNER: 6, WARRIOR: 8, BLOCKER: 4}
"""The value of each step that a unit is nearer to `top`."""
FAR = 9
"""The distance of a unit that the terrain cuts off from `top`."""
DIE = 1


def value_state(state: State, seat: int) -> int:
    """The seat's strength, times the number of other seats in play, minus the strength of each of them."""
    if isinstance(state.turn, Over):
        return evaluate_over(state.turn, seat)
    if not state.round:
        return 0
    strengths = _measure(state)
    others = [strengths[other - 1] for other in state.in_play if other != seat]
    return len(others) * strengths[seat - 1] - sum(others)


def _measure(state: State) -> list[int]:
    """The strength of each seat: points, units on `top`, units on the board and how near they are, and dice."""
    strengths = [POINT * points + DIE * sum(dice) for points, dice in zip(state.points, state.dice, strict=True)]
    distances = {kind: measure_ways(state.terrain, GROUND[kind]) for kind in HAS}
    for field, units in enumerate(state.units):
        if units:
            owner = units >> SEAT
            for kind in KINDS_AMONG[units]:
                value = _value_unit(state, owner, kind, field, distances[kind])
                strengths[owner - 1] += count(units, kind) * value
    _foresee(state, strengths, distances)
    return strengths


def _value_unit(state: State, seat: int, kind: int, field: int, distances: tuple[int, ...]) -> int:
    if field == TOP:
        two_points = kind == RUNNER and state.setup.scoring != COUNTDOWN
        return UNIT + ON_TOP[kind] + (SECOND_POINT if two_points else 0)
    if field < TOP:
        return UNIT + STEP[kind] * (FAR - distances[field])
    attached = state.starts[seat - 1] or 0
    return UNIT + STEP[kind] * (FAR - min(FAR, distances[attached] + 1))


def _foresee(state: State, strengths: list[int], distances: dict[int, tuple[int, ...]]) -> None:
    """The strength of each seat with the expected result of a fight that has begun: a blocker lost; for allies, half a
    warrior each.
    """
    attack = state.engaged or state.alliance
    if attack:
        prey = attacked_seat(state)
        strengths[prey - 1] -= _value_unit(state, prey, BLOCKER, attack.at, distances[BLOCKER])
    if state.alliance:
        for seat in (state.alliance.seat, state.alliance.ally):
            strengths[seat - 1] -= _value_unit(state, seat, WARRIOR, state.alliance.source, distances[WARRIOR]) // 2


@lru_cache(4096)
def measure_ways(terrain: str, letters: str) -> tuple[int, ...]:
    """The steps from each field to `top` for units that can enter the terrain of these letters; at most FAR."""
    distances = [FAR] * len(terrain)
    distances[TOP], reached = 0, [TOP]
    for field in reached:
        for beside in NEXT[field]:
            if distances[beside] == FAR and terrain[beside] in letters and distances[field] + 1 < FAR:
                distances[beside] = distances[field] + 1
                reached.append(beside)
    return tuple(distances)
