"""Luck against skill: how much of the variance of the outcome comes from the dice, and how much from the players.

Every lineup meets the same dice, with several seeds of its bots: score = mean + lineup + dice + lineup × dice + seeds
(of a lineup) + rest. All effects are random and the design is balanced, so the components follow from the mean squares
(Searle, Casella and McCulloch 1992, chapter 4). With more than two seats the components of all seats are added up.

Other dice alone change dice + lineup × dice + rest. Its share of the whole is the total effect index of the dice
(Sobol' 1993; Homma and Saltelli 1996), which is what we call luck. The share of the lineup is its first-order index,
which is what we call skill.
"""

from math import sqrt
from typing import Any, NamedTuple

import numpy as np

from plyscribe.domain.intervals import Z_95
from plyscribe.service.laboratory.estimates import DIGITS, Estimate


class Components(NamedTuple):
    """Components of variance; none is negative."""

    lineup: float
    dice: float
    both: float
    seeds: float
    rest: float

    @property
    def total(self) -> float:
        """The variance of a score."""
        return sum(self)

    @property
    def skill(self) -> float:
        """The share of the variance that the lineup explains; 0 if nothing varies."""
        return self.lineup / self.total if self.total else 0.0

    @property
    def luck(self) -> float:
        """The share of the variance that other dice alone would change; 0 if nothing varies."""
        return (self.dice + self.both + self.rest) / self.total if self.total else 0.0


def split_variance(scores: Any) -> Components:
    """The components of scores in an array of lineups × seeds × dice × seats.

    With one seed or one die nothing can be told apart that depends on it, and that component is 0.
    """
    scores = np.asarray(scores, dtype=float)
    lineups, seeds, dice, _ = scores.shape
    by_lineup, by_dice = scores.mean(axis=(1, 2)), scores.mean(axis=(0, 1))
    cells, rows, mean = scores.mean(axis=1), scores.mean(axis=2), scores.mean(axis=(0, 1, 2))

    def square(deviations: Any, times: int, freedom: int) -> float:
        return float((deviations**2).sum() * times / freedom) if freedom else 0.0

    of_lineup = square(by_lineup - mean, seeds * dice, lineups - 1)
    of_dice = square(by_dice - mean, lineups * seeds, dice - 1)
    of_both = square(cells - by_lineup[:, None] - by_dice + mean, seeds, (lineups - 1) * (dice - 1))
    of_seeds = square(rows - by_lineup[:, None], dice, lineups * (seeds - 1))
    rest = square(
        scores - rows[:, :, None] - cells[:, None] + by_lineup[:, None, None], 1, lineups * (seeds - 1) * (dice - 1)
    )
    return Components(
        lineup=max(0.0, of_lineup - of_both - of_seeds + rest) / (seeds * dice),
        dice=max(0.0, of_dice - of_both) / (lineups * seeds),
        both=max(0.0, of_both - rest) / seeds,
        seeds=max(0.0, of_seeds - rest) / dice,
        rest=rest,
    )


def describe_luck(scores: Any) -> dict[str, Any]:
    """The components as shares of the variance, with luck and skill, for JSON.

    Their intervals come from two jackknives, one over the lineups and one over the dice, or over the seeds in a game
    without chance, whose variances are added up (Efron and Stein 1981).
    """
    scores = np.asarray(scores, dtype=float)
    lineups, seeds, dice, _ = scores.shape
    found = split_variance(scores)
    without = [
        [split_variance(np.delete(scores, place, axis)) for place in range(scores.shape[axis])]
        for axis in (0, 2 if dice > 1 else 1)
    ]
    shares = {name: part / found.total if found.total else 0.0 for name, part in found._asdict().items()}
    return {
        "lineups": lineups,
        "seeds": seeds,
        "dice": dice,
        "matches": lineups * seeds * dice,
        "variance": round(found.total, DIGITS),
        "shares": {name: round(share, DIGITS) for name, share in shares.items()},
        "skill": _jackknife(found.skill, [[each.skill for each in some] for some in without]),
        "luck": _jackknife(found.luck, [[each.luck for each in some] for some in without]),
    }


def _jackknife(value: float, without: list[list[float]]) -> dict[str, Any]:
    spread = sqrt(sum((1 - 1 / len(some)) * float(((np.asarray(some) - np.mean(some)) ** 2).sum()) for some in without))
    estimate = Estimate(value, max(0.0, value - Z_95 * spread), min(1.0, value + Z_95 * spread), min(map(len, without)))
    return estimate.describe()
