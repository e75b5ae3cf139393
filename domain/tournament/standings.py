"""The standings of a tournament: by points, then by the tiebreaks in the order of its terms."""

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import groupby
from typing import Any, NamedTuple

from plyscribe.domain.tournament.groups import KIND, Plan, narrow_to_group, plan_groups, read_slots
from plyscribe.domain.tournament.history import count_byes, count_seats
from plyscribe.domain.tournament.results import Results
from plyscribe.domain.tournament.schedule import count_defeats
from plyscribe.domain.tournament.state import Tournament

Value = Fraction | tuple[int, ...]
"""The value of a tiebreak; greater is better."""


class Standing(NamedTuple):
    """A row of the table. Entrants with equal points and tiebreaks share a rank."""

    rank: int
    entrant: int
    points: Fraction
    tiebreaks: tuple[Value, ...]
    """In the order of the terms."""

    games: int
    """The number of games that count."""

    seats: tuple[int, ...]
    """How often it had each seat."""

    byes: int
    absences: int
    reached: int | None
    """In a knockout, the last round that the entrant took part in, or the next round while it has lives left. This
    ranks before points. None without a bracket, and for those who did not reach it.
    """


_TIEBREAKS: Mapping[str, Callable[[Results, int], Value]] = {
    "buchholz": Results.buchholz,
    "buchholz-cut-1": Results.buchholz_cut_1,
    "sonneborn-berger": Results.sonneborn_berger,
    "wins": lambda results, entrant: Fraction(results.wins[entrant]),
    "opponents-mean": Results.opponents_mean,
    "places": Results.places,
}
"""All tiebreaks except the direct encounter, which depends on who is still tied."""


def rank_entrants(state: Tournament, among: Collection[int] | None = None) -> list[Standing]:
    """The present table, sorted by rank and then by number: all entrants who take part or ever did.

    With `among`, of these alone.
    """
    results, seats = Results(state), count_seats(state)
    byes = count_byes(state)
    absences = Counter(each for round in state.rounds for each in round.absent)
    reached, before_points = _find_reached(state), _rank_by_course(state)
    took_part = {*state.starters, *byes, *absences, *(each for each, had in seats.items() if any(had))}
    listed = [each.number for each in state.entrants if each.is_in or each.number in took_part]
    listed = [each for each in listed if among is None or each in among]
    start = {each: (before_points.get(each, (0,)), results.points[each]) for each in listed}
    keys = break_ties(state, results, start)
    ordered = sorted(listed, key=lambda each: keys[each], reverse=True)
    table: list[Standing] = []
    for place, entrant in enumerate(ordered, 1):
        is_level = bool(table) and keys[table[-1].entrant] == keys[entrant]
        table.append(
            Standing(
                rank=table[-1].rank if is_level else place,
                entrant=entrant,
                points=results.points[entrant],
                tiebreaks=keys[entrant][2:],
                games=results.games[entrant],
                seats=tuple(seats[entrant]),
                byes=byes[entrant],
                absences=absences[entrant],
                reached=reached.get(entrant),
            )
        )
    return table


def rank_group(state: Tournament, plan: Plan, number: int) -> list[Standing]:
    """The table of a group, from its own games alone. Groups count from 0."""
    return rank_entrants(narrow_to_group(state, plan, number), plan.groups[number])


def _rank_by_course(state: Tournament) -> dict[int, tuple[int, ...]]:
    """What ranks the entrants before their points do: a greater one is better.

    In a ladder the rung. In a knockout the round that they reached. After groups, likewise; below those who reached the
    bracket, the place in the group.
    """
    if state.rungs:
        return {each: (len(state.rungs) - place,) for place, each in enumerate(state.rungs)}
    reached = _find_reached(state)
    if state.terms.format["kind"] != KIND or not state.starters:
        return {each: (round,) for each, round in reached.items()}
    plan = plan_groups(state)
    tables = (rank_group(state, plan, number) for number in range(len(plan.groups)))
    places = {each.entrant: (0, -each.rank) for table in tables for each in table}
    # Those who take no part stand below.
    rest = {each.number: (0, -len(state.entrants) - 1) for each in state.entrants}
    return {**rest, **places, **{each: (round, 0) for each, round in reached.items()}}


def _find_reached(state: Tournament) -> dict[int, int]:
    """Standing.reached of each entrant; empty when the tournament is no knockout, or its bracket has not begun."""
    if state.terms.format["kind"] == KIND and state.starters:
        return _find_reached_in_bracket(state, plan_groups(state))
    if state.terms.format["kind"] != "knockout":
        return {}
    reached = dict.fromkeys((each.number for each in state.entrants), 0)
    for round in state.rounds:
        for entrant in (*round.byes, *(each for board in round.boards for each in board)):
            reached[entrant] = round.number
    defeats = count_defeats(state)
    alive = [
        each.number for each in state.entrants if each.is_in and defeats[each.number] < state.terms.format["lives"]
    ]
    return {**reached, **dict.fromkeys(alive, len(state.rounds) + 1)}


def _find_reached_in_bracket(state: Tournament, plan: Plan) -> dict[int, int]:
    slots, bracket = read_slots(state, plan), state.rounds[plan.rounds :]
    reached = dict.fromkeys(slots, plan.rounds + 1)
    for round in bracket:
        for entrant in (*round.byes, *(each for board in round.boards for each in board)):
            reached[entrant] = round.number
    defeats = count_defeats(replace(state, rounds=bracket))
    alive = [each for each in slots if state.entrants[each - 1].is_in and not defeats[each]]
    return {**reached, **dict.fromkeys(alive, len(state.rounds) + 1)}


Key = tuple[Any, ...]


def break_ties(state: Tournament, results: Results, keys: Mapping[int, Key]) -> dict[int, Key]:
    """The keys with the values of all tiebreaks appended."""
    for name in state.terms.tiebreaks:
        if name == "direct":
            groups = groupby(sorted(keys, key=lambda each: keys[each]), key=lambda each: keys[each])
            tied = [list(group) for _, group in groups]
            values: dict[int, Value] = {each: results.direct(each, group) for group in tied for each in group}
        else:
            values = {each: _TIEBREAKS[name](results, each) for each in keys}
        keys = {each: (*key, values[each]) for each, key in keys.items()}
    return dict(keys)
