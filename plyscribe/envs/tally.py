"""What many games of self-play come to: scores with intervals, lengths, and how games ended."""

from collections import Counter
from typing import NamedTuple

from plyscribe.domain.intervals import bound_share
from plyscribe.envs.playing import Game


class Score(NamedTuple):
    """The mean share of opponents that were beaten, ties counting half, over a number of games.

    `low` and `high` bound the true mean with 95 % confidence, by Wilson's interval (1927). It is meant for wins and
    losses. Scores in between spread less, so for them it is wider than it need be.
    """

    mean: float
    low: float
    high: float
    games: int


class Tally:
    """Sums over games. It takes the same memory for any number of them."""

    def __init__(self, seats: int, players: int) -> None:
        self.games = self.cut_off = self.plies = self.rolls = 0
        self.reasons: Counter[str] = Counter()
        """How often games ended for each reason."""
        self._seats = [_Mean() for _ in range(seats)]
        self._players = [_Mean() for _ in range(players)]

    def add(self, game: Game) -> None:
        """Count a game. One that was cut off has no scores."""
        self.games += 1
        self.plies += game.plies
        self.rolls += game.rolls
        if game.outcome is None:
            self.cut_off += 1
            return
        self.reasons[game.outcome.reason] += 1
        ranks = game.outcome.ranks
        scores = [_score(rank, ranks) for rank in ranks]
        for mean, score in zip(self._seats, scores, strict=True):
            mean.add(score)
        for player in set(game.players):
            # A bot that has several seats scores once, since these scores depend on each other.
            own = [score for other, score in zip(game.players, scores, strict=True) if other == player]
            self._players[player].add(sum(own) / len(own))

    def score_seats(self) -> list[Score | None]:
        """The score of each seat; None before the first game that ended."""
        return [mean.score() for mean in self._seats]

    def score_players(self) -> list[Score | None]:
        """The score of each bot, wherever it sat; None for one that finished no game."""
        return [mean.score() for mean in self._players]


def _score(rank: int, ranks: tuple[int, ...]) -> float:
    """The share of the others that this rank beats; ties count half.

    >>> _score(1, (1, 2, 2)), _score(2, (1, 2, 2))
    (1.0, 0.25)
    """
    worse = sum(other > rank for other in ranks)
    equal = ranks.count(rank) - 1
    return (worse + equal / 2) / (len(ranks) - 1) if len(ranks) > 1 else 1.0


class _Mean:
    """A mean of numbers from 0 to 1."""

    def __init__(self) -> None:
        self._number, self._sum = 0, 0.0

    def add(self, value: float) -> None:
        self._number += 1
        self._sum += value

    def score(self) -> Score | None:
        if not self._number:
            return None
        low, high = bound_share(mean := self._sum / self._number, self._number)
        return Score(mean, low, high, self._number)
