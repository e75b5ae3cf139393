"""Pairings that follow from entrants and results by a fixed schedule: round robin for two seats, gauntlet, knockout.

An entrant's seed is its number; lower is better.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import count
from math import comb
from typing import Any, NamedTuple, cast

from plyscribe.domain.tournament.groups import bound_groups
from plyscribe.domain.tournament.history import (
    Pair,
    count_byes,
    count_meetings,
    count_seats,
    describe_costs,
    seat_evenly,
)
from plyscribe.domain.tournament.points import score_games
from plyscribe.domain.tournament.seats import Board, balance_seats
from plyscribe.domain.tournament.state import Round, Tournament
from plyscribe.domain.tournament.terms import MOST_ROUNDS

ENGINE = "schedule 1"

Boards = list[tuple[int, ...]]
Place = tuple[int | None, int | None]


class Pairing(NamedTuple):
    """The boards and byes of a round, the costs that explain them, and the algorithm that computed them."""

    boards: tuple[tuple[int, ...], ...]
    byes: tuple[int, ...]
    costs: dict[str, Any]
    engine: str


def bound_rounds(state: Tournament) -> int:
    """The most rounds that the tournament can have. Before the start, it is assumed that entrants fill it."""
    format, seats = state.terms.format, state.terms.seats
    fields = [len(state.starters)] if state.starters else range(seats, max(seats, state.terms.max_entrants) + 1)
    match format["kind"]:
        case "swiss":
            return int(format["rounds"])
        case "round-robin" | "league":
            return int(format["cycles"]) * max(count_cycle_rounds(entrants, seats) for entrants in fields)
        case "gauntlet":
            return int(format["cycles"]) * (fields[-1] - 1)
        case "ladder":
            return 0
        case "pyramid":
            # Late entries lengthen it: at worst, the last ones come when all others have met.
            return min(MOST_ROUNDS, int(format["cycles"]) * comb(state.terms.max_entrants, 2))
        case "groups":
            return max(bound_groups(format, entrants) for entrants in fields)
        case "scheveningen":
            return int(format["cycles"]) * (fields[-1] // 2)
        case "team-swiss":
            return int(format["rounds"])
        case "team-round-robin":
            return int(format["cycles"]) * _bound_teams(state, fields[-1])
    return _bound_knockout(fields[-1], format["lives"])


def _bound_teams(state: Tournament, entrants: int) -> int:
    """The most rounds of a cycle of teams: each of them has members for more than half of its boards."""
    known = len({state.entrants[each - 1].team for each in state.starters})
    most = max(2, entrants // (state.terms.format["boards"] // 2 + 1))
    return max(count_cycle_rounds(teams, 2) for teams in ([known] if known else range(2, most + 1)))


def count_cycle_rounds(entrants: int, seats: int) -> int:
    """The rounds of a cycle of a round robin: as many as it takes for all to meet once if no two meet twice."""
    return -(-comb(entrants, 2) // (entrants // seats * comb(seats, 2)))


def _bound_knockout(entrants: int, lives: int) -> int:
    """The most rounds of a knockout.

    Each round at least halves the unbeaten and the beaten. When one of each is left, they meet twice at most.
    """
    if lives == 1:
        return (entrants - 1).bit_length()
    return (entrants - 1).bit_length() + (entrants - 2).bit_length() + 2


def pair_round_robin(state: Tournament) -> Pairing | None:
    """The next round of the circle method; None after the last. Each cycle exchanges the seats of the cycle before.

    Every starter has a place in the circle; with an odd number, one more place is empty. An entrant has a bye when its
    opponent has left, sits out, or is the empty place. If the number of cycles is odd, no cycle makes up for the last
    one. In that cycle, boards still to be played are turned if withdrawals would give an entrant one seat too often.
    """
    circle: list[int | None] = [*state.starters]
    circle += [None] * (len(circle) % 2)
    cycle, turn = divmod(len(state.rounds), len(circle) - 1)
    if cycle == state.terms.format["cycles"]:
        return None
    rest = [
        [seat_by_turn(pair, later, board, cycle) for board, pair in enumerate(turn_circle(circle, later))]
        for later in range(turn, len(circle) - 1)
    ]
    if cycle % 2 == 0 and cycle == state.terms.format["cycles"] - 1:
        rest = _balance_rest(state, rest)
    return admit(state, rest[0], {"cycle": cycle + 1})


def _balance_rest(state: Tournament, rest: list[list[Place]]) -> list[list[Place]]:
    """The pairs of all remaining rounds, with seats balanced on the boards where both entrants are expected to play."""
    number = len(state.rounds) + 1
    present = [set(state.list_present(later)) for later in range(number, number + len(rest))]
    played = [pair for pairs, there in zip(rest, present, strict=True) for pair in pairs if there.issuperset(pair)]
    surplus = {entrant: first - second for entrant, (first, second) in count_seats(state).items()}
    turned = dict(zip(played, balance_seats(cast(list[Board], played), surplus), strict=True))
    return [[turned.get(pair, pair) for pair in pairs] for pairs in rest]


def turn_circle(circle: list[int | None], turn: int) -> list[tuple[int | None, int | None]]:
    """The pairs after `turn` turns: the last place stays fixed, and all others rotate around it."""
    *moving, still = circle
    turned = [*moving[turn:], *moving[:turn]]
    half = len(turned) // 2
    return [(still, turned[0]), *zip(turned[1 : half + 1], reversed(turned[half + 1 :]), strict=True)]


def seat_by_turn(
    pair: tuple[int | None, int | None], turn: int, board: int, cycle: int
) -> tuple[int | None, int | None]:
    """The pair on its seats. In a cycle, each entrant has both seats equally often, or one of them once more."""
    # A rotating entrant passes as many places of seat 1 as of seat 2 before it meets the fixed one.
    swapped = (turn % 2 if board == 0 else 0) != cycle % 2
    return pair[::-1] if swapped else pair


def pair_gauntlet(state: Tournament) -> Pairing | None:
    """The next challenger against the first starter; None after the last, or when the first starter has left."""
    champion, *challengers = state.starters
    cycle, place = divmod(len(state.rounds), len(challengers))
    if cycle == state.terms.format["cycles"] or not state.entrants[champion - 1].is_in:
        return None
    pair = seat_evenly((champion, challengers[place]), count_seats(state))
    return admit(state, [pair], {"cycle": cycle + 1})


def admit(state: Tournament, pairs: Sequence[tuple[int | None, ...]], costs: dict[str, Any]) -> Pairing:
    """The pairs with both members present; an entrant whose opponent is not present has a bye."""
    present = set(state.list_present(len(state.rounds) + 1))
    boards = [tuple(each for each in pair if each in present) for pair in pairs]
    byes = sorted(board[0] for board in boards if len(board) == 1)
    return _conclude(state, [board for board in boards if len(board) == 2], byes, costs)


def _conclude(state: Tournament, boards: Boards, byes: Sequence[int], costs: dict[str, Any]) -> Pairing:
    return Pairing(tuple(boards), tuple(byes), {**describe_costs(state, boards, byes), **costs}, ENGINE)


def pair_knockout(state: Tournament) -> Pairing | None:
    """The next round of the entrants with lives left, with at least one board; None when only one entrant is left.

    The unbeaten play in a bracket drawn at the start, in which the best seeds meet last. Beaten entrants with lives
    left meet each other. The last two entrants meet, whatever their defeats.
    """
    defeats = count_defeats(state)
    present = [
        each for each in state.list_present(len(state.rounds) + 1) if defeats[each] < state.terms.format["lives"]
    ]
    if len(present) < 2:
        return None
    boards: Boards = [tuple(present)]
    byes: list[int] = []
    if len(present) > 2:
        boards, byes = pair_slots([each for each in present if not defeats[each]], draw_bracket(state.starters))
        beaten, spared = _pair_beaten([each for each in present if defeats[each]], state)
        boards, byes = boards + beaten, byes + spared
    seated = seat_boards(state, boards)
    return _conclude(state, seated, sorted(byes), {"defeats": {str(each): defeats[each] for each in present}})


def seat_boards(state: Tournament, boards: Boards) -> Boards:
    """The boards of the next round of a bracket in order, with their seats."""
    counts, number = count_seats(state), len(state.rounds) + 1
    turned = [board[::-1] if (number + place) % 2 else board for place, board in enumerate(sorted(boards), 1)]
    return [seat_evenly(board, counts) for board in turned]


def pair_slots(unbeaten: Sequence[int], slots: Mapping[int, int]) -> tuple[Boards, list[int]]:
    """The boards of the first round of the bracket in which any two of the unbeaten meet, and the others as byes."""
    size = 2
    while True:
        blocks: dict[int, list[int]] = {}
        for each in sorted(unbeaten):
            blocks.setdefault(slots[each] // size, []).append(each)
        boards = [tuple(block) for block in blocks.values() if len(block) == 2]
        if boards or len(blocks) < 2:
            return boards, [block[0] for block in blocks.values() if len(block) == 1]
        size *= 2


def draw_bracket(starters: Sequence[int]) -> dict[int, int]:
    """The slot of each starter in the bracket. The two best seeds of each block are in different halves of it.

    >>> draw_bracket([1, 2, 3, 4])
    {1: 0, 2: 2, 3: 3, 4: 1}
    """
    return dict(zip(starters, order_bracket(len(starters)), strict=True))


def order_bracket(entrants: int) -> list[int]:
    """The slot of each seed, the best first, in a bracket of so many."""
    order = [0]
    while len(order) < entrants:
        order = [seed for each in order for seed in (each, 2 * len(order) - 1 - each)]
    slots = {seed: slot for slot, seed in enumerate(order)}
    return [slots[seed] for seed in range(entrants)]


def _pair_beaten(group: list[int], state: Tournament) -> tuple[Boards, list[int]]:
    """The group's boards with as few rematches as possible, and its bye, for an entrant with the fewest byes."""
    meetings, had = count_meetings(state), count_byes(state)
    if len(group) % 2 == 0:
        return _fold_group(group, meetings)[1], []
    fewest = min(had[each] for each in group)
    tries = [
        (*_fold_group([each for each in group if each != spared], meetings), [spared])
        for spared in group
        if had[spared] == fewest
    ]
    _, boards, byes = min(tries, key=lambda tried: tried[0])
    return boards, byes


def _fold_group(group: list[int], meetings: Mapping[Pair, int]) -> tuple[int, Boards]:
    """The least number of rematches in the group, and the boards: the best meets the last, and so on inwards."""
    tries = ((rematches, _meet_inwards(group, meetings, rematches)) for rematches in count())
    return next((rematches, boards) for rematches, boards in tries if boards is not None)


def _meet_inwards(group: list[int], meetings: Mapping[Pair, int], rematches: int) -> Boards | None:
    if not group:
        return []
    best, *others = group
    for other in reversed(others):
        is_rematch = (best, other) in meetings
        if is_rematch <= rematches:
            rest = _meet_inwards([each for each in others if each != other], meetings, rematches - is_rematch)
            if rest is not None:
                return [(best, other), *rest]
    return None


def count_defeats(state: Tournament) -> dict[int, int]:
    """How many lives each entrant has lost: one for each lost board, and one for each announced absence.

    The worse seed loses a level board.
    """
    defeats = dict.fromkeys((each.number for each in state.entrants), 0)
    seeds = {number: place for place, number in enumerate(state.list_seeds())}
    for round in state.rounds:
        for loser in (*_list_losers(state, round, seeds), *round.absent):
            defeats[loser] += 1
    return defeats


def _list_losers(state: Tournament, round: Round, seeds: Mapping[int, int]) -> list[int]:
    return [_find_loser(score_games(state, games), seeds) for games in round.games]


def _find_loser(points: dict[int, Fraction], seeds: Mapping[int, int]) -> int:
    return min(points, key=lambda entrant: (points[entrant], -seeds[entrant]))
