"""Estimates from matches with their 95 % intervals, and the chances that a value on the board stands for."""

from collections.abc import Sequence
from math import inf, sqrt
from statistics import fmean, stdev
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import isotonic_regression
from scipy.stats import t as student

from plyscribe.domain.intervals import bound_share

DIGITS = 6


class Estimate(NamedTuple):
    """A number with the ends of its 95 % interval, from `n` observations."""

    value: float
    low: float
    high: float
    n: int

    def describe(self) -> dict[str, Any]:
        """The estimate for JSON, rounded, so that every machine writes the same."""
        value, low, high = (round(float(number), DIGITS) for number in self[:3])
        return {"value": value, "low": low, "high": high, "n": self.n}


def estimate_share(successes: int, n: int) -> Estimate:
    """A share with Wilson's score interval (1927)."""
    return Estimate(successes / n, *bound_share(successes / n, n), n)


def estimate_score(boards: Sequence[Sequence[float]]) -> Estimate:
    """The mean of scores from 0 to 1 that come in boards; the scores of a board may depend on each other.

    Wilson's interval with the effective number of matches (Kish 1965): as many as would give this spread of the boards
    if each match were won or lost for itself. Draws and exchanged seats make it larger than the number of matches; it
    counts no more than twice that number.
    """
    matches = sum(map(len, boards))
    means = [fmean(board) for board in boards]
    mean = fmean(means)
    effective: float = matches
    if len(means) > 1 and 0 < mean < 1:
        variance = stdev(means) ** 2 / len(means)
        effective = min(2 * matches, mean * (1 - mean) / variance) if variance else 2 * matches
    return Estimate(mean, *bound_share(mean, effective), matches)


def estimate_mean(numbers: Sequence[float], bounds: tuple[float, float] | None = None) -> Estimate:
    """A mean with Student's interval, cut off at the bounds that no mean can pass.

    The interval is the mean itself if there is only one number, or if all are equal.
    """
    mean = fmean(numbers)
    if len(numbers) < 2:
        return Estimate(mean, mean, mean, len(numbers))
    half = float(student.ppf(0.975, len(numbers) - 1)) * stdev(numbers) / sqrt(len(numbers))
    least, most = bounds or (-inf, inf)
    return Estimate(mean, max(least, mean - half), min(most, mean + half), len(numbers))


def describe_spread(numbers: Sequence[float]) -> dict[str, Any]:
    """The mean with its interval, the standard deviation, and quantiles, for JSON."""
    quantiles = np.quantile(numbers, [0, 0.05, 0.25, 0.5, 0.75, 0.95, 1])
    names = ("least", "q05", "q25", "median", "q75", "q95", "most")
    return {
        "mean": estimate_mean(numbers).describe(),
        "deviation": round(stdev(numbers), DIGITS) if len(numbers) > 1 else 0.0,
        **{name: round(float(quantile), DIGITS) for name, quantile in zip(names, quantiles, strict=True)},
    }


class Chances(NamedTuple):
    """What a lead by `evaluate` is worth: for each lead that was seen, ascending, the score that followed from it."""

    leads: Any
    scores: Any

    def read(self, leads: Any) -> Any:
        """The chances of these leads, linear between those that were seen."""
        return np.interp(leads, self.leads, self.scores)


def fit_chances(leads: Any, scores: Any, weights: Any) -> Chances:
    """The best fit under which a greater lead is never worth less: isotonic regression (Barlow et al. 1972)."""
    steps, places = np.unique(leads, return_inverse=True)
    total = np.bincount(places, weights)
    mean = np.bincount(places, weights * scores) / total
    return Chances(steps, isotonic_regression(mean, weights=total).x)
