"""What speaks against a pairing that somebody made by hand, compared with the one that the engine would make."""

from collections.abc import Sequence
from itertools import combinations
from typing import Any, NamedTuple

from plyscribe.domain.tournament.history import count_byes, count_meetings, count_seats, describe_costs
from plyscribe.domain.tournament.points import format_points, total_points
from plyscribe.domain.tournament.state import Tournament
from plyscribe.service.tournaments.pairing import pair_next

Boards = Sequence[Sequence[int]]

MOST_SEATS = 2
"""How much more often than another seat an entrant should have one, as FIDE's rules have it for colours."""


class Objection(NamedTuple):
    """What speaks against a pairing: one of KINDS, whom it concerns, on which board (None: a bye), and a number.

    The number is how often the entrants have met, how many byes or seats the entrant would have had, or the difference
    of points as text.
    """

    kind: str
    entrants: tuple[int, ...]
    board: int | None
    number: str


KINDS = ("rematch", "second-bye", "seat", "points")


def list_objections(state: Tournament, boards: Boards, byes: Sequence[int]) -> list[Objection]:
    """What speaks against this pairing of the next round, in the order of boards, and the byes last."""
    return [*_list_of_boards(state, boards), *_list_of_byes(state, byes)]


def _list_of_boards(state: Tournament, boards: Boards) -> list[Objection]:
    meetings, seats, points = count_meetings(state), count_seats(state), total_points(state)
    widest = _find_widest(state)
    found = []
    for number, board in enumerate(boards, 1):
        for pair in combinations(sorted(board), 2):
            if meetings[pair]:
                found.append(Objection("rematch", pair, number, str(meetings[pair])))
            difference = abs(points[pair[0]] - points[pair[1]])
            if difference > widest:
                found.append(Objection("points", pair, number, format_points(difference)))
        for seat, entrant in enumerate(board) if len(state.seatings) == 1 else ():
            had = seats[entrant]
            if had[seat] + 1 - min(had) > MOST_SEATS:
                found.append(Objection("seat", (entrant,), number, str(had[seat] + 1)))
    return found


def _find_widest(state: Tournament) -> Any:
    """The greatest difference of points on a board of the engine's pairing; 0 if it finds none."""
    paired, points = pair_next(state), total_points(state)
    pairs = [pair for board in (paired.boards if paired else ()) for pair in combinations(board, 2)]
    return max((abs(points[one] - points[other]) for one, other in pairs), default=0)


def _list_of_byes(state: Tournament, byes: Sequence[int]) -> list[Objection]:
    had = count_byes(state)
    least = min((had[each] for each in state.list_present(len(state.rounds) + 1)), default=0)
    return [Objection("second-bye", (each,), None, str(had[each] + 1)) for each in byes if had[each] > least]


def describe_judgement(state: Tournament, boards: Boards, byes: Sequence[int]) -> dict[str, Any]:
    """What speaks against a pairing, its costs, and those of the engine's (None if it finds none)."""
    proposed = pair_next(state)
    return {
        "objections": [
            {"kind": each.kind, "entrants": list(each.entrants), "board": each.board, "number": each.number}
            for each in list_objections(state, boards, byes)
        ],
        "costs": describe_costs(state, boards, byes),
        "engine_costs": proposed.costs if proposed else None,
    }
