"""Intervals around what was counted."""

from math import sqrt

Z_95 = 1.959963984540054
"""The standard normal distribution has 95 % within this many standard deviations of its mean, on both sides."""


def bound_share(share: float, number: float, z: float = Z_95) -> tuple[float, float]:
    """The ends of Wilson's score interval (1927) around a share of so many cases, which may be a fraction.

    It is meant for cases that are won or lost. Scores in between spread less: for them it is wider than it need be.

    >>> low, high = bound_share(0.5, 100)
    >>> round(low, 3), round(high, 3)
    (0.404, 0.596)
    """
    spread = z * z / number
    middle = (share + spread / 2) / (1 + spread)
    half = z * sqrt(share * (1 - share) / number + spread / (4 * number)) / (1 + spread)
    return max(0.0, middle - half), min(1.0, middle + half)
