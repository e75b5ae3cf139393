"""The standings of a tournament: by points, then by the tiebreaks in the order of its terms."""

from collections import Counter
from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import groupby
from typing import Any, NamedTuple

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
    ranks before points.
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


def rank_entrants(state: Tournament) -> list[Standing]:
    """The present table, sorted by rank and then by number: all entrants who take part or ever did."""
    results, seats = Results(state), count_seats(state)
    byes = count_byes(state)
    absences = Counter(each for round in state.rounds for each in round.absent)
    reached = _find_reached(state)
    took_part = {*state.starters, *byes, *absences, *(each for each, had in seats.items() if any(had))}
    listed = [each.number for each in state.entrants if each.is_in or each.number in took_part]
    keys = break_ties(state, results, {each: (reached.get(each, 0), results.points[each]) for each in listed})
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


def _find_reached(state: Tournament) -> dict[int, int]:
    """Standing.reached of each entrant; empty when the tournament is not a knockout."""
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
