"""The results of a tournament for each entrant and for each pair of entrants. All numbers are exact.

docs/tournaments.md says how each tiebreak treats byes, absences, annulled games and entrants who left.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from typing import NamedTuple

from plyscribe.domain.tournament.points import ZERO, total_points
from plyscribe.domain.tournament.state import Game, Tournament

HALF, ONE = Fraction(1, 2), Fraction(1)


class Score(NamedTuple):
    """An entrant's score against another one in a game: 1 for a better rank, ½ for the same, 0 for a worse one.

    `status` is played, forfeited or annulled.
    """

    share: Fraction
    status: str = "played"


def score_pairs(game: Game) -> Iterator[tuple[int, int, Score]]:
    """For every two entrants of a decided game, from either side, the score of the first against the second."""
    placed = list(zip(game.entrants, game.ranks or (), strict=False))
    status = "annulled" if not game.counts else "forfeited" if game.forfeited else "played"
    for (one, first), (other, second) in combinations(placed, 2):
        share = HALF if first == second else ONE if first < second else ZERO
        # Of two who forfeit the same game, neither scores.
        both = {one, other} <= set(game.forfeited)
        yield one, other, Score(ZERO if both else share, status)
        yield other, one, Score(ZERO if both else 1 - share, status)


class Results:
    """The results of all games, for each entrant and for each pair of entrants."""

    def __init__(self, state: Tournament) -> None:
        self.points = total_points(state)
        self.met: dict[int, list[int]] = {each: [] for each in self.points}
        """The opponents of each entrant, board by board.

        For a bye, an absence, or a board whose games are all annulled or forfeited, the entrant itself stands in.
        """

        self.against: dict[int, dict[int, list[Score]]] = {each: {} for each in self.points}
        """Each entrant's scores against each opponent, game by game."""

        self.ranks: dict[int, list[int]] = {each: [] for each in self.points}
        """Each entrant's ranks in the games that count, without forfeits; a shared rank is listed like any other."""

        self.games = dict.fromkeys(self.points, 0)
        """The games of each entrant that count, forfeited or not."""

        self.wins = dict.fromkeys(self.points, 0)
        """The games that each entrant won alone, not by forfeit."""

        self._seats = state.terms.seats
        for round in state.rounds:
            for entrant in (*round.byes, *round.absent):
                self.met[entrant] += [entrant] * (self._seats - 1)
            for board, games in zip(round.boards, round.games, strict=True):
                self._add_board(board, games)

    def _add_board(self, board: Sequence[int], games: Sequence[Game]) -> None:
        for game in games:
            if game.ranks is not None:
                self._add_game(game, game.ranks)
        if all(game.ranks is not None for game in games):
            is_void = not any(game.counts and not game.forfeited for game in games)
            for entrant in board:
                others = [other for other in board if other != entrant]
                self.met[entrant] += [entrant] * len(others) if is_void else others

    def _add_game(self, game: Game, ranks: Sequence[int]) -> None:
        placed = list(zip(game.entrants, ranks, strict=True))
        for one, other, score in score_pairs(game):
            self.against[one].setdefault(other, []).append(score)
        for entrant, rank in placed if game.counts else ():
            self.games[entrant] += 1
            if not game.forfeited:
                self.ranks[entrant].append(rank)
                self.wins[entrant] += rank == 1 and ranks.count(1) == 1

    def scores(self, one: int, other: int) -> list[Fraction]:
        """The scores of `one` against `other` in the games that count and are not forfeited."""
        return [score.share for score in self.against[one].get(other, []) if score.status == "played"]

    def buchholz(self, entrant: int) -> Fraction:
        """The sum of its opponents' points."""
        return sum((self.points[other] for other in self.met[entrant]), ZERO)

    def buchholz_cut_1(self, entrant: int) -> Fraction:
        """The sum of its opponents' points, without the lowest."""
        points = sorted(self.points[other] for other in self.met[entrant])
        return sum(points[1:], ZERO)

    def sonneborn_berger(self, entrant: int) -> Fraction:
        """For each game, the points of an opponent it beat, and half the points of one it tied with."""
        beaten = ((sum(self.scores(entrant, other), ZERO), other) for other in self.against[entrant])
        return sum((score * self.points[other] for score, other in beaten), ZERO)

    def opponents_mean(self, entrant: int) -> Fraction:
        """The mean of its opponents' points; 0 without opponents."""
        return self.buchholz(entrant) / max(1, len(self.met[entrant]))

    def places(self, entrant: int) -> tuple[int, ...]:
        """How often it came first, second, and so on, alone or tied."""
        return tuple(self.ranks[entrant].count(place) for place in range(1, self._seats + 1))

    def direct(self, entrant: int, tied: Sequence[int]) -> Fraction:
        """The sum of its mean scores against the others of the tied; 0 unless all of the tied met each other."""
        if not all(self.scores(*pair) for pair in combinations(tied, 2)):
            return ZERO
        scores = [self.scores(entrant, other) for other in tied if other != entrant]
        return sum((sum(each, ZERO) / len(each) for each in scores), ZERO)
