"""RI19..RI21: what a T does to rings, STARTs and terrain."""

from plyscribe.domain.rulesets.rings_v1.board import KINDS_AMONG, SLOTS
from plyscribe.domain.rulesets.rings_v1.moving import GROUND
from plyscribe.domain.rulesets.rings_v1.state import State, change


def free_slots(state: State) -> list[int]:
    """The fields of ring a to which no START is attached."""
    return [field for field in range(SLOTS) if field not in state.starts]


def spin(state: State, ring: int, step: int) -> State:
    """The state after the ring turned by one slot, with its terrain and units (RI19)."""
    first = SLOTS * ring
    order = [*range(first, first + SLOTS)]
    order = order[-step:] + order[:-step]
    last = first + SLOTS
    terrain, units = state.terrain, state.units
    return change(
        state,
        terrain=terrain[:first] + "".join(terrain[field] for field in order) + terrain[last:],
        units=units[:first] + tuple(units[field] for field in order) + units[last:],
    )


def attach(state: State, seat: int, field: int | None) -> State:
    """The state with the seat's START attached there (RI4, RI20); None removes it from the board."""
    starts = list(state.starts)
    starts[seat - 1] = field
    return change(state, starts=tuple(starts))


def can_swap(state: State, one: int, two: int) -> bool:
    """Whether the terrain of two adjacent ring fields may be swapped (RI21)."""
    terrain, units = state.terrain, state.units
    if terrain[one] == terrain[two]:
        return False
    return _may_stand(units[one], terrain[two]) and _may_stand(units[two], terrain[one])


def _may_stand(units: int, letter: str) -> bool:
    return not units or all(letter in GROUND[kind] for kind in KINDS_AMONG[units])


def swap(state: State, one: int, two: int) -> State:
    """The state with the terrain of the two fields swapped."""
    letters = list(state.terrain)
    letters[one], letters[two] = letters[two], letters[one]
    return change(state, terrain="".join(letters))
