"""Phrases: English texts with placeholders, which are filled in here, or translated first elsewhere.

>>> str(say("{seat} has no {piece}", seat=2, piece="scout"))
'seat 2 has no scout'
"""

from collections.abc import Mapping
from typing import NamedTuple, Union

Value = Union[str, int, "Phrase"]

SEATS = ("seat", "owner", "other")
"""The placeholders for a seat. Its number is shown as `seat 2`, or as the name of its player."""


class Phrase(NamedTuple):
    """A text and the values of its placeholders. A value can be a phrase itself."""

    text: str
    values: Mapping[str, Value]

    def __str__(self) -> str:
        return self.text.format_map({name: _show(name, value) for name, value in self.values.items()})


def say(text: str, /, **values: Value) -> Phrase:
    """The phrase with this text, which must be a constant: a test finds the texts to translate by this call."""
    return Phrase(text, values)


def _show(name: str, value: Value) -> str:
    return f"seat {value}" if name in SEATS and isinstance(value, int) else str(value)
