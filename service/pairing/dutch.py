"""Swiss pairings of two by the FIDE Dutch system (C.04.3, in force since February 2026), by caissify-pairings.

Seat 1 has white. Points are given to the engine as shares of what one can win in a round.
"""

from collections.abc import Sequence
from importlib.metadata import version

from caissify_pairings import generate_pairings  # type: ignore[import-untyped]

from domain.tournament.points import score_round
from domain.tournament.schedule import Pairing
from domain.tournament.state import Tournament
from service.pairing.pods import pair_pods

ENGINE = f"caissify-pairings {version('caissify-pairings')}"

NO_COLOUR, WHITE, BLACK = "none", "white", "black"
UP, DOWN, LEVEL = "up", "down", "none"


class _History:
    """What the engine asks of an entrant's past."""

    def __init__(self) -> None:
        self.score = 0.0
        self.colours: list[str] = []
        self.floats: list[str] = []
        self.byes = 0


def pair_dutch(state: Tournament) -> Pairing | None:
    """The next round by the Dutch system; where it finds none, for everybody has met, at least cost."""
    number, terms = len(state.rounds) + 1, state.terms
    histories = _trace(state)
    met = {tuple(sorted(board)) for round in state.rounds for board in round.boards}
    players = [
        {
            "id": entrant,
            "name": str(entrant),
            "rating": 3000 - entrant,
            "starting_number": entrant,
            "pairing_number": entrant,
            "score": histories[entrant].score,
            "color_hist": histories[entrant].colours,
            "float_history": histories[entrant].floats,
            "bye_count": histories[entrant].byes,
        }
        for entrant in state.list_present(number)
    ]
    total = max(terms.format["rounds"], number)
    try:
        found = generate_pairings("dutch", players, met, number, total)
        boards = [(each["white_id"], each["black_id"]) for each in found if each["black_id"] is not None]
        byes = [each["white_id"] for each in found if each["black_id"] is None]
    except Exception:
        # The engine has no word for a round that cannot be paired.
        return pair_pods(state)
    if len(byes) > len(players) % 2 or any(tuple(sorted(board)) in met for board in boards):
        return pair_pods(state)
    costs = {
        "points": {str(entrant): str(round(history.score, 6)) for entrant, history in histories.items()},
        "floats": _list_floats(histories, boards),
        "rematches": 0,
    }
    return Pairing(tuple(boards), tuple(byes), costs, ENGINE)


def _trace(state: Tournament) -> dict[int, _History]:
    histories = {each.number: _History() for each in state.entrants}
    best = _best_round(state)
    for round in state.rounds:
        before = {entrant: history.score for entrant, history in histories.items()}
        sides = {entrant: side for board in round.boards for entrant, side in zip(board, (WHITE, BLACK), strict=True)}
        opponents = {one: other for board in round.boards for one, other in (board, board[::-1])}
        points = score_round(state, round)
        for entrant, history in histories.items():
            # With both orders of the seats played nobody is owed a colour.
            is_coloured = entrant in sides and len(state.seatings) == 1
            history.colours.append(sides[entrant] if is_coloured else NO_COLOUR)
            history.floats.append(_float(entrant, opponents.get(entrant), before, entrant in round.byes))
            history.byes += entrant in round.byes
            history.score += float(points.get(entrant, 0) / best)
    return histories


def _best_round(state: Tournament) -> int:
    places = state.terms.scoring["places"]
    return max(1, (2 if places is None else places[0]) * len(state.seatings))


def _float(entrant: int, opponent: int | None, before: dict[int, float], has_bye: bool) -> str:
    if opponent is None:
        return DOWN if has_bye else LEVEL
    difference = before[entrant] - before[opponent]
    return LEVEL if not difference else DOWN if difference > 0 else UP


def _list_floats(histories: dict[int, _History], boards: Sequence[tuple[int, int]]) -> list[list[int]]:
    """The boards whose entrants differ in points, the one with more first."""
    unequal = [board for board in boards if histories[board[0]].score != histories[board[1]].score]
    return [sorted(board, key=lambda entrant: -histories[entrant].score) for board in unequal]
