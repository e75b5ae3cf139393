"""Pairs the rounds of a group stage, and the rounds of the bracket that the best of each group play."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from plyscribe.domain.tournament.groups import Plan, count_cycle, plan_groups, read_slots
from plyscribe.domain.tournament.history import describe_costs
from plyscribe.domain.tournament.schedule import (
    ENGINE,
    Boards,
    Pairing,
    count_defeats,
    order_bracket,
    pair_round_robin,
    pair_slots,
    seat_boards,
)
from plyscribe.domain.tournament.standings import rank_group
from plyscribe.domain.tournament.state import Tournament

GROUPS, KNOCKOUT = "groups", "knockout"
"""The stages of such a tournament, as the costs of its rounds name them."""


def pair_groups(state: Tournament) -> Pairing | None:
    """The next round of the group stage or of the bracket; None when only one entrant is left."""
    plan = plan_groups(state)
    return _pair_stage(state, plan) if len(state.rounds) < plan.rounds else _pair_bracket(state, plan)


def _pair_stage(state: Tournament, plan: Plan) -> Pairing:
    """The next round of all groups that are not through. In smaller groups nobody has anything to play any more."""
    cycles = state.terms.format["cycles"]
    boards: Boards = []
    byes: list[int] = []
    for group in plan.groups:
        if len(state.rounds) < cycles * count_cycle(len(group)):
            found = pair_round_robin(replace(state, starters=group))
            assert found is not None  # it has rounds left
            boards += found.boards
            byes += found.byes
    costs = {"stage": GROUPS, **describe_costs(state, boards, byes)}
    return Pairing(tuple(boards), tuple(sorted(byes)), costs, ENGINE)


def _pair_bracket(state: Tournament, plan: Plan) -> Pairing | None:
    is_first = len(state.rounds) == plan.rounds
    slots = _fill_slots(state, plan) if is_first else read_slots(state, plan)
    defeats = count_defeats(replace(state, rounds=state.rounds[plan.rounds :]))
    present = state.list_present(len(state.rounds) + 1)
    alive = [each for each in present if each in slots and not defeats[each]]
    if len(alive) < 2:
        return None
    boards, byes = pair_slots(alive, slots)
    seated, byes = seat_boards(state, boards), sorted(byes)
    costs = {"stage": KNOCKOUT, **describe_costs(state, seated, byes)}
    if is_first:
        costs["slots"] = {str(each): slot for each, slot in sorted(slots.items())}
    return Pairing(tuple(seated), tuple(byes), costs, ENGINE)


def _fill_slots(state: Tournament, plan: Plan) -> dict[int, int]:
    """The slot of each entrant who advances. The better seed advances if nothing else separates two.

    An entrant who has left does not advance: the next of its group does, and if there is none, the slot stays empty.
    """
    advance = state.terms.format["advance"]
    slots = plan_bracket(len(plan.groups), advance)
    filled: dict[int, int] = {}
    for group in range(len(plan.groups)):
        ranked = [each.entrant for each in rank_group(state, plan, group) if state.entrants[each.entrant - 1].is_in]
        filled |= {entrant: slots[place, group] for place, entrant in enumerate(ranked[:advance])}
    return filled


def plan_bracket(groups: int, advance: int) -> dict[tuple[int, int], int]:
    """The slot of the bracket for each place in each group, both counted from 0. It depends on nothing else.

    The winners of the groups are the best seeds of the bracket, then the seconds, and so on. Within each such tier, the
    groups take the slots so that those of one group meet as late as they can.
    """
    order = order_bracket(groups * advance)
    rounds = (groups * advance - 1).bit_length()
    slots: dict[tuple[int, int], int] = {}
    for tier in range(advance):
        free = order[tier * groups : (tier + 1) * groups]
        costs = [
            [_weigh(slot, [slots[place, group] for place in range(tier)], rounds) for slot in free]
            for group in range(groups)
        ]
        slots |= {(tier, group): free[place] for group, place in enumerate(assign(costs))}
    return slots


def _weigh(slot: int, taken: Sequence[int], rounds: int) -> int:
    """How bad it is to play in this slot beside others of the group: an earlier meeting outweighs all later ones."""
    return sum(1 << 12 * (rounds - (slot ^ other).bit_length()) for other in taken)


def assign(costs: Sequence[Sequence[int]]) -> list[int]:
    """The column of each row, each column once, with the least sum of costs (Kuhn and Munkres, by shortest paths)."""
    size = len(costs)
    rows, columns = [0] * size, [0] * size
    taken_by: dict[int, int] = {}
    for first in range(size):
        _add_row(costs, first, taken_by, rows, columns)
    return [column for _, column in sorted((row, column) for column, row in taken_by.items())]


def _add_row(
    costs: Sequence[Sequence[int]], first: int, taken_by: dict[int, int], rows: list[int], columns: list[int]
) -> None:
    """Give one more row a column. `rows` and `columns` are the prices that prove the assignment cheapest."""
    reach: dict[int, tuple[int, int | None]] = {}
    done: dict[int, int | None] = {}
    row: int | None = first
    last: int | None = None
    while row is not None:
        for column in range(len(costs)):
            if column not in done:
                slack = costs[row][column] - rows[row] - columns[column]
                if column not in reach or slack < reach[column][0]:
                    reach[column] = (slack, last)
        last = min((each for each in reach if each not in done), key=lambda each: (reach[each][0], each))
        least, before = reach[last]
        rows[first] += least
        for column in done:
            rows[taken_by[column]] += least
            columns[column] -= least
        reach = {each: (slack - (0 if each in done else least), came) for each, (slack, came) in reach.items()}
        done[last] = before
        row = taken_by.get(last)
    assert last is not None
    _turn_path(last, first, done, taken_by)


def _turn_path(last: int, first: int, came: Mapping[int, int | None], taken_by: dict[int, int]) -> None:
    """Move the rows along the path that was found, from its last column back to the first row."""
    while (before := came[last]) is not None:
        taken_by[last] = taken_by[before]
        last = before
    taken_by[last] = first
