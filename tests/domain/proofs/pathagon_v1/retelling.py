"""Pathagon, retold."""

from collections.abc import Sequence

from plyscribe.domain.effects import Effect
from plyscribe.testing.retelling import View, is_over

CHANGING = frozenset({"PA4", "PA5", "PA6", "PA8", "PA10", "PA11"})


def put(view: View, square: str, mark: str) -> None:
    column, row = "abcdefghi".index(square[0]), len(view["board"]) - int(square[1])
    line = view["board"][row]
    view["board"][row] = line[:column] + mark + line[column + 1 :]


def place(view: View, effect: Effect) -> None:
    view["reserve"][effect.seat - 1] -= 1
    put(view, effect.target, str(effect.seat))


def move(view: View, effect: Effect) -> None:
    put(view, effect.source, ".")
    put(view, effect.target, str(effect.seat))


def trap(view: View, effect: Effect) -> None:
    """PA8: back to its owner's reserve."""
    put(view, effect.source, ".")
    view["reserve"][effect.owner - 1] += 1


def nothing(view: View, effect: Effect) -> None:
    """It shows in what `settle` makes of it."""


RETOLD = {"placed": place, "moved": move, "trapped": trap, "closed": nothing, "rested": nothing}


def settle(view: View, effects: Sequence[Effect]) -> None:
    """PA5, PA6: squares are closed and pieces rest for one turn. A trapped piece rests no longer."""
    view["closed"] = [effect.target for effect in effects if effect.kind == "closed"]
    taken = [effect.source for effect in effects if effect.kind == "trapped"]
    resting = view["resting_other"]
    rested = [effect.target for effect in effects if effect.kind == "rested"]
    view["resting"] = None if resting in taken or is_over(effects) else resting
    view["resting_other"] = rested[0] if rested else None
