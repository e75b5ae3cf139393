"""RI9..RI14: what may be recruited, and where a unit's move may end. `fighting` has the further rules of attacks."""

from plyscribe.domain.rulesets.rings_v1.board import (
    BLOCKER,
    BLOCKERS,
    CAPACITY,
    FIRST_RUNS,
    HAS,
    HEAVY,
    KINDS,
    NEXT,
    NO_TERRAIN,
    NUMBER,
    RUNNER,
    RUNS,
    SEAT,
    TOP,
    WARRIOR,
    WARRIORS,
    start_of,
)
from plyscribe.domain.rulesets.rings_v1.state import State

RUNNERS_FROM_ROUND = 3
GROUND = {kind: letters + NO_TERRAIN for kind, letters in ((RUNNER, "LMH"), (WARRIOR, "LM"), (BLOCKER, "L"))}
"""The terrain that each kind may enter."""


def recruitable(state: State, seat: int) -> list[int]:
    """The kinds that the seat may recruit now."""
    supply, early = state.supply[seat - 1], state.round < RUNNERS_FROM_ROUND
    return [kind for kind in KINDS.values() if supply & HAS[kind] and not (early and kind == RUNNER)]  # RI9


def ways_from(state: State, field: int) -> tuple[int, ...]:
    """The fields that a unit can enter with its first step; no unit enters a START."""
    if field <= TOP:
        return NEXT[field]
    attached = state.starts[field - TOP - 1]
    assert attached is not None
    return (attached,)


def neighbours(state: State, seat: int, field: int) -> tuple[int, ...]:
    """The neighbours of a field that is not a START, including the seat's START if it is attached there (RI2)."""
    return (*NEXT[field], start_of(seat)) if state.starts[seat - 1] == field else NEXT[field]


def takes(units: int, seat: int, field: int) -> bool:
    """Whether a field with these units has room for a unit of the seat without a fight (RI14)."""
    return not units or (units >> SEAT == seat and NUMBER[units] < CAPACITY[field])


def list_ends(state: State, seat: int, kind: int, source: int) -> list[int]:
    """The fields where a move of this unit may end, in order, including attacks and pushes."""
    if kind == RUNNER:
        return _runner_ends(state, seat, source)
    if kind == WARRIOR:
        return _warrior_ends(state, seat, source)
    return _blocker_ends(state, seat, source)


def _runner_ends(state: State, seat: int, source: int) -> list[int]:
    attached = state.starts[source - TOP - 1] if source > TOP else None
    ends = RUNS[source] if attached is None else FIRST_RUNS[attached]
    units = state.units
    # As in takes. The calls would take as long as the work.
    return [
        end for end in ends if not (there := units[end]) or (there >> SEAT == seat and NUMBER[there] < CAPACITY[end])
    ]


def _warrior_ends(state: State, seat: int, source: int) -> list[int]:
    units, terrain, ends = state.units, state.terrain, set()
    for first in ways_from(state, source):
        if terrain[first] == HEAVY:
            continue
        there = units[first]
        if there and there >> SEAT != seat:
            ends.add(first)
            continue
        if NUMBER[there] < CAPACITY[first]:
            ends.add(first)
        for second in NEXT[first]:
            there = units[second]
            if terrain[second] != HEAVY and (NUMBER[there] < CAPACITY[second] or there >> SEAT != seat):
                ends.add(second)
    ends.discard(source)
    return sorted(ends)


def _blocker_ends(state: State, seat: int, source: int) -> list[int]:
    return [end for end in ways_from(state, source) if _takes_blocker(state, seat, end)]


def _takes_blocker(state: State, seat: int, end: int) -> bool:
    if state.terrain[end] not in GROUND[BLOCKER]:
        return False
    there = state.units[end]
    is_pushed = there >> SEAT != seat and not there & (WARRIORS | BLOCKERS)
    return is_pushed or takes(there, seat, end)


def list_approaches(state: State, seat: int, at: int) -> list[int]:
    """The fields from which warriors of the seat can enter an enemy's field, in order."""
    units, found = state.units, set()
    for first in neighbours(state, seat, at):
        there = units[first]
        if there >> SEAT == seat and there & WARRIORS:
            found.add(first)
        if first > TOP or state.terrain[first] == HEAVY or (there and there >> SEAT != seat):
            continue  # RI12: no way through
        for second in neighbours(state, seat, first):
            if units[second] >> SEAT == seat and units[second] & WARRIORS:
                found.add(second)
    return sorted(found)
