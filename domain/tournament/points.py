"""What results are worth: the points of games, boards and rounds."""

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

from plyscribe.domain.tournament.state import Game, Round, Tournament

ZERO = Fraction(0)
PLACES = 10**6


def score_game(scoring: dict[str, Any], ranks: Sequence[int]) -> tuple[Fraction, ...]:
    """The points of each seat by its place; seats that tie share the points of their places equally.

    Without places, a seat gets two points for each seat ranked worse and one for each seat that it ties with.

    >>> [str(points) for points in score_game({"places": [5, 2, 0]}, (1, 1, 3))]
    ['7/2', '7/2', '0']
    """
    places = scoring["places"]
    if places is None:
        places = [2 * below for below in reversed(range(len(ranks)))]
    shared = {rank: places[rank - 1 : rank - 1 + ranks.count(rank)] for rank in ranks}
    return tuple(Fraction(sum(shared[rank]), len(shared[rank])) for rank in ranks)


def score_games(state: Tournament, games: Sequence[Game]) -> dict[int, Fraction]:
    """The points of each entrant from those of these games that count. Nobody has points from a game it forfeited."""
    points: dict[int, Fraction] = {}
    for game in games:
        ranks = game.ranks if game.counts else None
        earned = [ZERO] * len(game.entrants) if ranks is None else score_game(state.terms.scoring, ranks)
        for entrant, each in zip(game.entrants, earned, strict=True):
            points[entrant] = points.get(entrant, ZERO) + (ZERO if entrant in game.forfeited else each)
    return points


def score_round(state: Tournament, round: Round) -> dict[int, Fraction]:
    """The points of each entrant from a round: from its games, its bye or its absence."""
    scoring = state.terms.scoring
    points = {entrant: Fraction(scoring["bye"]) for entrant in round.byes}
    points |= {entrant: Fraction(scoring["absence"]) for entrant in round.absent}
    points |= {entrant: Fraction(scoring["asked_bye"]) for entrant in round.byes_asked}
    for games in round.games:
        points |= score_games(state, games)
    return points


def total_points(state: Tournament, rounds: int | None = None) -> dict[int, Fraction]:
    """The points of all entrants after this many rounds (None: after all rounds), less their penalties until then."""
    totals = dict.fromkeys((each.number for each in state.entrants), ZERO)
    for round in state.rounds[:rounds]:
        for entrant, points in score_round(state, round).items():
            totals[entrant] += points
    for penalty in state.penalties:
        if penalty.lifted is None and (rounds is None or penalty.round <= rounds):
            totals[penalty.entrant] -= penalty.points
    return totals


def format_points(points: Fraction) -> str:
    """The points as a decimal number, rounded to six places.

    >>> format_points(Fraction(7, 2)), format_points(Fraction(20, 3)), format_points(Fraction(-4))
    ('3.5', '6.666667', '-4')
    """
    text = f"{Decimal(round(points * PLACES)) / PLACES:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
