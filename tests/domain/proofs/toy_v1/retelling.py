"""The toy, retold."""

from collections.abc import Sequence

from plyscribe.domain.effects import Effect
from plyscribe.testing.retelling import View

CHANGING = frozenset({"TO1", "TO2", "TO3", "TO4", "TO8", "TO9", "TO11"})


def take(view: View, effect: Effect) -> None:
    view["coins"][effect.seat - 1] += effect.amount


def give(view: View, effect: Effect) -> None:
    view["coins"][effect.seat - 1] -= effect.amount


def receive(view: View, effect: Effect) -> None:
    view["coins"][effect.owner - 1] += effect.amount


def lay(view: View, effect: Effect) -> None:
    view["track"] = effect.amount


def run(view: View, effect: Effect) -> None:
    assert view["runners"][effect.owner - 1] == int(effect.source)
    view["runners"][effect.owner - 1] = int(effect.target)


def leave(view: View, effect: Effect) -> None:
    """TO11: the runner goes back and the coins go away."""
    view["runners"][effect.owner - 1] = view["coins"][effect.owner - 1] = 0


def nothing(view: View, effect: Effect) -> None:
    """What follows from it has effects of its own."""


RETOLD = {
    "pushed": nothing,
    "took": take,
    "gave": give,
    "received": receive,
    "rolled": nothing,
    "laid": lay,
    "ran": run,
    "left": leave,
}


def settle(view: View, effects: Sequence[Effect]) -> None:
    """Nothing else changes."""
