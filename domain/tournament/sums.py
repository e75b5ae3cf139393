"""How the points and tiebreaks of an entrant add up: the terms of which each number of the table is the sum."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from typing import NamedTuple

from plyscribe.domain.tournament.points import ZERO, score_games
from plyscribe.domain.tournament.results import Results
from plyscribe.domain.tournament.standings import Standing, Value
from plyscribe.domain.tournament.state import Game, Round, Tournament

KINDS = ("played", "forfeited", "annulled", "bye", "asked-bye", "absent", "penalty")
"""What points come from: the games of a board, by play, with a forfeit, or all annulled; a bye, a bye that was asked
for, an absence; a penalty.
"""

TIEBREAK_KINDS = ("met", "self", "cut", "beaten", "won", "mean")
"""What tiebreaks come from: the points of an opponent, or one's own in place of one, and those that are left out; the
points of an opponent times the score against it; a game won; the mean score against somebody who is level.
"""


class Term(NamedTuple):
    """A part of a sum. `round` and `others` say where it comes from, if it comes from a round or from opponents."""

    amount: Fraction
    kind: str
    round: int | None = None
    others: tuple[int, ...] = ()
    why: str | None = None
    """Why a penalty was given."""

    factor: Fraction | None = None
    """What the points of an opponent are multiplied with."""


class Sum(NamedTuple):
    """A number of the table and its terms; `divisor` is what their sum is divided by."""

    name: str
    value: Value
    terms: tuple[Term, ...]
    divisor: int = 1


def explain_row(state: Tournament, table: Sequence[Standing], row: Standing) -> list[Sum]:
    """The points of the entrant of a row, then its tiebreaks in the order of the terms. `table` is the whole table."""
    results, sums = Results(state), [Sum("points", row.points, tuple(_list_points(state, row.entrant)))]
    for place, (name, value) in enumerate(zip(state.terms.tiebreaks, row.tiebreaks, strict=True)):
        tied = [each.entrant for each in table if _key(each, place) == _key(row, place)]
        sums.append(_explain(state, results, name, value, row.entrant, tied))
    return sums


def _key(row: Standing, place: int) -> tuple[object, ...]:
    """What the row is ordered by before the tiebreak at this place."""
    return (row.reached, row.points, *row.tiebreaks[:place])


def _explain(state: Tournament, results: Results, name: str, value: Value, entrant: int, tied: Sequence[int]) -> Sum:
    match name:
        case "buchholz":
            return Sum(name, value, tuple(_list_met(results, entrant)))
        case "buchholz-cut-1":
            return Sum(name, value, _cut(list(_list_met(results, entrant))))
        case "opponents-mean":
            met = tuple(_list_met(results, entrant))
            return Sum(name, value, met, max(1, len(met)))
        case "sonneborn-berger":
            return Sum(name, value, tuple(_list_beaten(results, entrant)))
        case "wins":
            return Sum(name, value, tuple(_list_wins(state, entrant)))
        case "direct" if all(results.scores(*pair) for pair in combinations(tied, 2)):
            return Sum(name, value, tuple(_list_means(results, entrant, tied)))
    return Sum(name, value, ())


def _list_points(state: Tournament, entrant: int) -> Iterator[Term]:
    for round in state.rounds:
        if (term := _find_round_term(state, round, entrant)) is not None:
            yield term
    for penalty in state.penalties:
        if penalty.entrant == entrant and penalty.lifted is None:
            yield Term(Fraction(-penalty.points), "penalty", penalty.round, why=penalty.why)


def _find_round_term(state: Tournament, round: Round, entrant: int) -> Term | None:
    scoring, number = state.terms.scoring, round.number
    if entrant in round.byes:
        return Term(Fraction(scoring["bye"]), "bye", number)
    if entrant in round.byes_asked:
        return Term(Fraction(scoring["asked_bye"]), "asked-bye", number)
    if entrant in round.absent:
        return Term(Fraction(scoring["absence"]), "absent", number)
    for board, games in zip(round.boards, round.games, strict=True):
        if entrant in board and any(game.ranks is not None for game in games):
            others = tuple(each for each in board if each != entrant)
            return Term(score_games(state, games)[entrant], _name_kind(games), number, others)
    return None


def _name_kind(games: Sequence[Game]) -> str:
    decided = [game for game in games if game.ranks is not None]
    if not any(game.counts for game in decided):
        return "annulled"
    return "forfeited" if any(game.forfeited for game in decided) else "played"


def _list_met(results: Results, entrant: int) -> Iterator[Term]:
    for other in results.met[entrant]:
        yield Term(results.points[other], "self" if other == entrant else "met", others=(other,))


def _cut(terms: list[Term]) -> tuple[Term, ...]:
    """The terms with the lowest one left out."""
    if terms:
        lowest = min(range(len(terms)), key=lambda place: terms[place].amount)
        terms[lowest] = terms[lowest]._replace(kind="cut")
    return tuple(terms)


def _list_beaten(results: Results, entrant: int) -> Iterator[Term]:
    for other in results.against[entrant]:
        factor = sum(results.scores(entrant, other), ZERO)
        if factor:
            yield Term(factor * results.points[other], "beaten", others=(other,), factor=factor)


def _list_wins(state: Tournament, entrant: int) -> Iterator[Term]:
    for game in state.games():
        if entrant not in game.entrants or not game.counts or game.forfeited or game.ranks is None:
            continue
        if game.ranks[game.entrants.index(entrant)] == 1 and game.ranks.count(1) == 1:
            others = tuple(each for each in game.entrants if each != entrant)
            yield Term(Fraction(1), "won", game.round, others)


def _list_means(results: Results, entrant: int, tied: Sequence[int]) -> Iterator[Term]:
    for other in tied:
        if other != entrant and (scores := results.scores(entrant, other)):
            yield Term(sum(scores, ZERO) / len(scores), "mean", others=(other,))


def add_up(sum_of: Sum) -> Fraction:
    """What the terms come to: the value, unless it is one of `places`, which is no sum."""
    return sum((term.amount for term in sum_of.terms if term.kind != "cut"), ZERO) / sum_of.divisor
