"""The reasons of pyramids, groups and ladders why their boards were paired."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from plyscribe.domain.tournament.explaining import Explanation, Past, Reason
from plyscribe.domain.tournament.groups import Plan, count_cycle, name_group, plan_groups, read_slots
from plyscribe.domain.tournament.ladder import read_challenge
from plyscribe.domain.tournament.pyramid import list_begins, list_order
from plyscribe.domain.tournament.schedule import turn_circle
from plyscribe.domain.tournament.state import Round, Tournament

Reasons = tuple[Reason, ...]

WORDS: Mapping[str, str] = {
    "pyramid": "the second entrant, at place `place` of the pyramid, meets the first, at place `before`; time `time`",
    "group": "both are in group `group`: round `turn` of cycle `cycle` of its circle",
    "group-empty": "bye: the empty place of the circle of group `group` was the opponent in round `turn`",
    "group-bracket": "`slots` of the bracket after the groups `groups`, which meet in a block of `block` slots",
    "group-free": "bye: nobody is left in the block of the bracket around slot `slot`",
    "challenge": "the first entrant, on rung `low`, challenged the second, on rung `high`",
}
"""The words of these reasons, and what they say. They never change."""


def explain_pyramid(past: Past, round: Round) -> Explanation:
    """The places of both in the pyramid."""
    state = _number_as_paired(past, round)
    order, cycles = list_order(state), state.terms.format["cycles"]
    turn, again = divmod(round.number - 1, cycles)
    places = {entrant: place for place, entrant in enumerate(order, 1)}
    begins = dict(zip(order, list_begins(state), strict=True))

    def explain(board: Sequence[int]) -> Reasons:
        first, second = sorted(board, key=lambda each: places[each])
        values = {"place": places[second], "before": places[first], "time": again + 1}
        return (Reason("pyramid", (first, second), values),)

    def spare(entrant: int) -> Reasons:
        # It meets those before it, and then those who come to it.
        met = turn + 1 - begins[entrant]
        found = [order[met]] if 0 <= met < places[entrant] - 1 else []
        found += [each for each in order[places[entrant] :] if turn + 1 - begins[each] == places[entrant] - 1]
        return tuple(Reason("opponent-missing", (entrant, other), {"turn": turn + 1}) for other in found)

    return Explanation(tuple(map(explain, round.boards)), tuple(map(spare, round.byes)))


def _number_as_paired(past: Past, round: Round) -> Tournament:
    """The tournament with the starters in the order of their seeds, and with those who had come late by then."""
    starters = set(past.state.starters)
    seeds = tuple(each for each in past.list_seeds(round) if each in starters)
    late = tuple(each for each in past.state.late if past.state.entrants[each - 1].joined <= round.number)
    return replace(past.state, starters=seeds, late=late)


def explain_groups(past: Past, round: Round) -> Explanation:
    """The circle of the group or, later, the slots of the bracket."""
    plan = plan_groups(past.state)
    return _explain_stage(past, plan, round) if round.number <= plan.rounds else _explain_bracket(past, plan, round)


def _explain_stage(past: Past, plan: Plan, round: Round) -> Explanation:
    def describe(entrant: int) -> dict[str, Any]:
        number = plan.find_group(entrant)
        assert number is not None  # everybody who is paired has a group
        cycle, turn = divmod(round.number - 1, count_cycle(len(plan.groups[number])))
        return {"group": name_group(number), "cycle": cycle + 1, "turn": turn + 1}

    def spare(entrant: int) -> Reasons:
        values = describe(entrant)
        group = next(each for each in plan.groups if entrant in each)
        circle: list[int | None] = [*group, *([None] * (len(group) % 2))]
        pair = next(each for each in turn_circle(circle, values["turn"] - 1) if entrant in each)
        other = next((each for each in pair if each != entrant), None)
        if other is None:
            return (Reason("group-empty", (entrant,), values),)
        return (Reason("opponent-missing", (entrant, other), values),)

    boards = tuple((Reason("group", tuple(board), describe(board[0])),) for board in round.boards)
    return Explanation(boards, tuple(map(spare, round.byes)))


def _explain_bracket(past: Past, plan: Plan, round: Round) -> Explanation:
    slots = read_slots(past.state, plan)

    def explain(board: Sequence[int]) -> Reasons:
        block = 2
        while len({slots[each] // block for each in board}) > 1:
            block *= 2
        groups = [name_group(plan.find_group(each) or 0) for each in board]
        values = {"slots": [slots[each] + 1 for each in board], "groups": groups, "block": block}
        return (Reason("group-bracket", tuple(board), values),)

    byes = tuple((Reason("group-free", (each,), {"slot": slots[each] + 1}),) for each in round.byes)
    return Explanation(tuple(map(explain, round.boards)), byes)


def explain_challenge(_: Past, round: Round) -> Explanation:
    """Who challenged whom."""
    rungs = round.costs["rungs"]
    values = {"low": rungs["from"], "high": rungs["to"]}
    return Explanation(((Reason("challenge", read_challenge(round), values),),), ())
