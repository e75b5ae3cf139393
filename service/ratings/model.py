"""The rating model: players' ratings before a match to their ratings after it, in integers.

The model is Weng and Lin's Bradley-Terry with full pairing, computed by openskill. It compares every two seats of a
match, so seats that tie move together and stay between those above and below them, however many they are.
Plackett-Luce puts two tied winners of five or six below the third, and Thurstone-Mosteller takes a tie of five
newcomers as near certainty about all of them.

Numbers are millionths. They are rounded after each match, so a ledger that is folded entry by entry gives the same
numbers as one that is folded at once, in every process and after every rebuild.
"""

from collections.abc import Sequence
from importlib.metadata import version
from typing import NamedTuple

from openskill.models import BradleyTerryFull

from plyscribe.domain.ledger import RatingsOpened
from plyscribe.service.errors import UnknownModel

MICRO = 1_000_000
MODEL = "bradley-terry-full"
PARAMETERS = {"mu": 25_000_000, "sigma": 8_333_333, "beta": 4_166_667, "kappa": 100, "tau": 83_333}
"""The library's defaults in millionths, with which a new ledger begins."""

LIBRARY = f"openskill {version('openskill')}"


class Rating(NamedTuple):
    """An estimate of a player's strength, in millionths: its mean and its standard deviation."""

    mu: int
    sigma: int

    @property
    def ordinal(self) -> int:
        """Three deviations below the mean: the player is almost certainly at least this strong."""
        return self.mu - 3 * self.sigma


class Model:
    """The model that a ledger names in its first entry; UnknownModel if this release does not have it."""

    def __init__(self, opening: RatingsOpened) -> None:
        if opening.model != MODEL or opening.parameters.keys() != PARAMETERS.keys():
            raise UnknownModel(opening.model)
        self.newcomer = Rating(opening.parameters["mu"], opening.parameters["sigma"])
        self._model = BradleyTerryFull(**{name: value / MICRO for name, value in opening.parameters.items()})

    def rate(self, before: Sequence[Rating], ranks: Sequence[int]) -> tuple[Rating, ...]:
        """The ratings after a match, from the players' ratings before it and their ranks, in the same order."""
        alone = [[self._model.rating(mu / MICRO, sigma / MICRO)] for mu, sigma in before]
        rated = self._model.rate(alone, ranks=list(ranks))
        return tuple(Rating(round(one.mu * MICRO), round(one.sigma * MICRO)) for [one] in rated)


def open_ratings(ruleset: str) -> RatingsOpened:
    """The first entry of a new ledger."""
    return RatingsOpened(ruleset, MODEL, PARAMETERS, LIBRARY)
