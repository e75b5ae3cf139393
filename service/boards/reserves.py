"""A reserve beside a board: a row of pieces of one seat, with their number."""

from typing import NamedTuple

HEAD = 48.0
"""The width of the number of the seat that begins a row, with the distance to the first piece."""
COUNT = 40.0
"""The width of the number of pieces that ends a row."""


class Reserve(NamedTuple):
    """The row of a seat: its middle, its number at `x`, its pieces at `pieces`, how many they are at `end`."""

    seat: int
    number: int
    x: float
    y: float
    pieces: list[float]
    end: float


def arrange_reserve(seat: int, number: int, left: float, right: float, y: float, step: float = 21.0) -> Reserve:
    """The row of a seat between two heights. If there are too many pieces for the step, they lie closer."""
    first = left + HEAD
    step = min(step, (right - COUNT - first) / max(number - 1, 1))
    pieces = [round(first + step * each, 1) for each in range(number)]
    return Reserve(seat, number, left + 14, y, pieces, (pieces[-1] if pieces else first - 14) + 28)
