"""Zhen, retold."""

from collections.abc import Sequence
from copy import deepcopy

from plyscribe.domain.effects import ENDED, Effect
from plyscribe.testing.retelling import View

CHANGING = frozenset({"ZH2", "ZH3", "ZH4", "ZH7", "ZH9"})


def remember(view: View, effect: Effect) -> None:
    """ZH5: what stood on the tiles and in the goals before the last move."""
    if effect.chosen:
        view["before"] = {name: deepcopy(view[name]) for name in ("tiles", "goals")}


def place(view: View, effect: Effect) -> None:
    """ZH4: from the reserve of the seat to an empty tile."""
    remember(view, effect)
    view["reserve"][effect.seat - 1] -= 1
    tile = view["tiles"][int(effect.target) - 1]
    assert tile == [0, 0]
    tile[effect.seat - 1] += 1


def bring(view: View, effect: Effect) -> None:
    """ZH2, ZH3, ZH7: all cubes of the owner, or else of the seat, go to a tile or into the goal of the seat."""
    remember(view, effect)
    owner, source = (effect.owner or effect.seat) - 1, view["tiles"][int(effect.source) - 1]
    assert source[owner] == effect.amount
    source[owner] = 0
    target = view["goals"][effect.seat - 1] if effect.target == "goal" else view["tiles"][int(effect.target) - 1]
    target[owner] += effect.amount


def sweep(view: View, effect: Effect) -> None:
    """ZH7: only for the seat that blocked the other."""
    assert view["blocked"] == 3 - effect.seat
    bring(view, effect)


def block(view: View, effect: Effect) -> None:
    """ZH7: it opens the sweep."""
    assert effect.owner == 3 - effect.seat
    view["blocked"] = effect.owner


RETOLD = {
    "placed": place,
    "moved": bring,
    "carried": bring,
    "entered": bring,
    "captured": bring,
    "blocked": block,
    "swept": sweep,
}


def settle(view: View, effects: Sequence[Effect]) -> None:
    """ZH7: a match ends as blocked because a seat is blocked, and then no cube is left on the tiles."""
    blocked = view.pop("blocked", None)
    assert (blocked is not None) == any(effect.kind == ENDED and effect.word == "blocked" for effect in effects)
    assert blocked is None or not any(map(any, view["tiles"]))
