"""Pairings that follow from the entrants and results alone: round robin of two, gauntlet, knockout.

Seeds are the entrants' numbers: the lower, the better.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from domain.tournament.points import score_games
from domain.tournament.state import Round, Tournament

ENGINE = "schedule 1"


class Pairing(NamedTuple):
    """Who meets whom in a round, who has a bye, why, and what worked it out."""

    boards: tuple[tuple[int, ...], ...]
    byes: tuple[int, ...]
    costs: dict[str, Any]
    engine: str = ENGINE


def pair_round_robin(state: Tournament) -> Pairing | None:
    """The next round of the circle method, each cycle with the seats of the last one turned round; None after the last.

    Everybody who entered before the start has a place in the circle, an even number of them and one empty place else.
    Whose opponent has left, sits out or is the empty place has a bye.
    """
    circle: list[int | None] = [each.number for each in state.entrants]
    circle += [None] * (len(circle) % 2)
    turns, number = len(circle) - 1, len(state.rounds)
    cycle, turn = divmod(number, turns)
    if cycle == state.terms.format["cycles"]:
        return None
    pairs = [_seat_evenly(pair, turn, board, cycle) for board, pair in enumerate(_turn_circle(circle, turn))]
    return _admit(state, pairs, {"cycle": cycle + 1})


def _turn_circle(circle: list[int | None], turn: int) -> list[tuple[int | None, int | None]]:
    """The pairs after so many turns: the last place stands still, all others go round it."""
    *moving, still = circle
    turned = [*moving[turn:], *moving[:turn]]
    half = len(turned) // 2
    return [(still, turned[0]), *zip(turned[1 : half + 1], reversed(turned[half + 1 :]), strict=True)]


def _seat_evenly(
    pair: tuple[int | None, int | None], turn: int, board: int, cycle: int
) -> tuple[int | None, int | None]:
    """The pair on its seats: who stands still changes them with each turn, all others with each meeting."""
    swapped = (turn % 2 if board == 0 else 0) != cycle % 2
    return pair[::-1] if swapped else pair


def pair_gauntlet(state: Tournament) -> Pairing | None:
    """The next challenger against entrant 1, on seats that change from meeting to meeting; None after the last."""
    challengers = len(state.entrants) - 1
    cycle, place = divmod(len(state.rounds), challengers)
    if cycle == state.terms.format["cycles"]:
        return None
    pair = (1, place + 2)
    return _admit(state, [pair if (cycle + place) % 2 == 0 else pair[::-1]], {"cycle": cycle + 1})


def _admit(state: Tournament, pairs: Sequence[tuple[int | None, ...]], costs: dict[str, Any]) -> Pairing:
    """The pairs whose members are all present; whose opponent is not has a bye."""
    present = set(state.list_present(len(state.rounds) + 1))
    boards = tuple(tuple(each for each in pair if each in present) for pair in pairs)
    alone = sorted(board[0] for board in boards if len(board) == 1)
    return Pairing(tuple(board for board in boards if len(board) == 2), tuple(alone), costs)


def pair_knockout(state: Tournament) -> Pairing | None:
    """The next round of those who have lives left, a group for each number of defeats; None when one is left.

    In a group the best meets the last, and so on inwards; the best ones have byes where their number is no power of
    two in the first round, and one of them where it is odd later on. The last two meet whatever their defeats.
    """
    defeats = count_defeats(state)
    lives, number = state.terms.format["lives"], len(state.rounds) + 1
    present = [entrant for entrant in state.list_present(number) if defeats[entrant] < lives]
    if len(present) < 2:
        return None
    if len(present) == 2:
        groups = [present]
    else:
        groups = [[entrant for entrant in present if defeats[entrant] == lost] for lost in range(lives)]
    boards: list[tuple[int, ...]] = []
    byes: list[int] = []
    for group in groups:
        spared = _spare(len(group)) if number == 1 else len(group) % 2
        byes += group[:spared]
        playing = group[spared:]
        half = len(playing) // 2
        boards += zip(playing[:half], reversed(playing[half:]), strict=True)
    seated = tuple(pair if number % 2 else pair[::-1] for pair in boards)
    return Pairing(seated, tuple(byes), {"defeats": {str(each): defeats[each] for each in present}})


def _spare(entrants: int) -> int:
    """How many have a bye so that a power of two is left after the round."""
    size = 1
    while size < entrants:
        size *= 2
    return size - entrants


def count_defeats(state: Tournament) -> dict[int, int]:
    """How many boards each entrant has lost. On a board that is level the better seed goes on."""
    defeats = dict.fromkeys((each.number for each in state.entrants), 0)
    for round in state.rounds:
        for loser in _list_losers(state, round):
            defeats[loser] += 1
    return defeats


def _list_losers(state: Tournament, round: Round) -> list[int]:
    return [_find_loser(score_games(state, games)) for games in round.games]


def _find_loser(points: dict[int, Fraction]) -> int:
    return min(points, key=lambda entrant: (points[entrant], -entrant))
