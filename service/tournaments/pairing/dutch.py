"""Pairs a Swiss of two seats by the FIDE Dutch system (C.04.3, in force since February 2026), with caissify-pairings.

Seat 1 has white. The engine gets points as shares of what can be won in a round, so a win is 1. A board that was only
forfeited was not played: the two may still meet, its colours do not count, and the winner has floated down.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from importlib.metadata import version
from typing import Any

from caissify_pairings import generate_pairings  # type: ignore[import-untyped]

from plyscribe.domain.tournament.history import describe_costs, list_played
from plyscribe.domain.tournament.points import ZERO, format_points, score_round
from plyscribe.domain.tournament.schedule import Pairing
from plyscribe.domain.tournament.state import Tournament
from plyscribe.service.tournaments.pairing.pods import pair_pods

MOST_ENTRANTS = 100
"""With more entrants, rounds are paired at least cost, because the engine takes minutes a round from 200 on."""

ENGINE = f"dutch 2, caissify-pairings {version('caissify-pairings')}"
"""Version 1, which counted a forfeited board as played, was recorded as the package and its version alone."""

WHITE, BLACK = "white", "black"
UP, DOWN, LEVEL = "up", "down", "none"


class _History:
    """What the engine needs to know about an entrant's past."""

    def __init__(self) -> None:
        self.score = ZERO
        self.colours: list[str] = []
        """The colours of its games; none if every board plays both orders of the seats, so that nobody is owed one."""

        self.floats: list[str] = []
        """One entry for each round."""

        self.byes = 0
        self.gifts = 0
        """Rounds without a played board that scored as much as a win, not counting byes."""


def pair_dutch(state: Tournament) -> Pairing:
    """The next round by the Dutch system, or at least cost if that would need a rematch, a second bye or too long."""
    number = len(state.rounds) + 1
    present = state.list_present(number)
    if not state.terms.seats <= len(present) <= MOST_ENTRANTS:
        return pair_pods(state)
    histories = _trace(state)
    met = {(min(board), max(board)) for round in state.rounds for board in list_played(round)}
    ranked = sorted(present, key=lambda entrant: (-histories[entrant].score, entrant))
    players = [_describe(entrant, rank, histories[entrant]) for rank, entrant in enumerate(ranked, 1)]
    found = generate_pairings("dutch", players, met, number, state.terms.format["rounds"])
    boards = tuple(
        _seat((each["white_id"], each["black_id"]), ranked, histories) for each in found if each["black_id"] is not None
    )
    byes = tuple(each["white_id"] for each in found if each["black_id"] is None)
    is_rematch = any((min(board), max(board)) in met for board in boards)
    if is_rematch or len(byes) > 1 or any(histories[entrant].byes for entrant in byes):
        return pair_pods(state)
    return Pairing(
        boards, byes, {**describe_costs(state, boards, byes), "floats": _list_floats(histories, boards)}, ENGINE
    )


def _describe(entrant: int, rank: int, history: _History) -> dict[str, Any]:
    return {
        "id": entrant,
        "name": str(entrant),
        "rating": 0,
        "starting_number": entrant,
        # When both want the same colour, the engine gives it to the lower number, but the rule (E.4) to the entrant
        # with more points. So the numbers follow the points.
        "pairing_number": rank,
        "score": float(history.score),
        "color_hist": history.colours,
        "float_history": history.floats,
        "bye_count": history.byes,
        "forfeit_win_count": history.gifts,
    }


def _seat(board: tuple[int, int], ranked: Sequence[int], histories: Mapping[int, _History]) -> tuple[int, int]:
    """The board, unless neither had a colour yet: then the higher ranked has white if its number is odd (E.5)."""
    if any(histories[entrant].colours for entrant in board):
        return board
    higher, lower = sorted(board, key=ranked.index)
    return (higher, lower) if higher % 2 else (lower, higher)


def _trace(state: Tournament) -> dict[int, _History]:
    histories = {each.number: _History() for each in state.entrants}
    best = _best_round(state)
    for round in state.rounds:
        before = {entrant: history.score for entrant, history in histories.items()}
        played = list_played(round)
        sides = {entrant: side for board in played for entrant, side in zip(board, (WHITE, BLACK), strict=True)}
        opponents = {one: other for board in played for one, other in (board, board[::-1])}
        points = score_round(state, round)
        for entrant, history in histories.items():
            share = points.get(entrant, ZERO) / best
            if entrant in opponents:
                history.colours += [sides[entrant]] if len(state.seatings) == 1 else []
                history.floats.append(_float(before[entrant], before[opponents[entrant]]))
            else:
                history.floats.append(DOWN if share else LEVEL)
                history.byes += entrant in round.byes
                history.gifts += entrant not in round.byes and share >= 1
            history.score += share
    return histories


def _best_round(state: Tournament) -> int:
    places = state.terms.scoring["places"]
    return max(1, (2 if places is None else places[0]) * len(state.seatings))


def _float(own: Fraction, other: Fraction) -> str:
    return LEVEL if own == other else DOWN if own > other else UP


def _list_floats(histories: dict[int, _History], boards: Sequence[tuple[int, int]]) -> list[dict[str, Any]]:
    """The boards whose entrants differ in points: who floats down, who floats up, and by what share of a win."""
    floats = []
    for board in boards:
        up, down = sorted(board, key=lambda entrant: histories[entrant].score)
        difference = histories[down].score - histories[up].score
        if difference:
            floats.append({"down": down, "up": up, "by": format_points(difference)})
    return floats
