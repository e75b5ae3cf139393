"""Terrain as it lies on the board, and the roll that stands for it (RI3)."""

from collections.abc import Mapping
from types import MappingProxyType

from plyscribe.domain.ruleset import Layout, Roll
from plyscribe.domain.rulesets.rings_v1.board import ARRANGEMENTS, NAMES, SLOTS
from plyscribe.domain.rulesets.rings_v1.state import State

LETTERS = MappingProxyType({"heavy": "H", "medium": "M", "light": "L"})
"""The letter of each kind of terrain."""

KINDS = MappingProxyType({kind: ARRANGEMENTS[0].count(letter) for kind, letter in LETTERS.items()})
"""How many fields of each kind a ring has."""


def find_layout(state: State) -> Layout | None:
    """The ring whose terrain is due; None when it is not terrain that is due."""
    if not isinstance(state.turn, Roll) or state.turn.purpose != "terrain":
        return None
    laid = len(state.terrain)
    return Layout(NAMES[laid : laid + SLOTS], KINDS)


def encode_terrain(laid: Mapping[str, str]) -> tuple[int]:
    """The value of the roll that lays this terrain on a ring.

    >>> encode_terrain({"a1": "heavy", "a2": "heavy", "a3": "light", "a4": "light", "a5": "light", "a6": "medium",
    ... "a7": "medium"})
    (1,)
    """
    return (ARRANGEMENTS.index("".join(LETTERS[laid[place]] for place in sorted(laid))) + 1,)
