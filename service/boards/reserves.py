"""Reserves below a board: a row of pieces with their number for each seat."""

from typing import NamedTuple

HEAD = 42.0
"""The width of the larger piece that shows whose row it is."""
COUNT = 70.0
"""The width of the number, with the distance to the next row."""
STEP = 13.0


class Reserve(NamedTuple):
    """The row of a seat: its larger piece is at `x`, its pieces are at `pieces`, its number is at `end`."""

    seat: int
    number: int
    x: float
    y: float
    pieces: list[float]
    end: float


def arrange_reserves(counts: list[int], left: float, right: float, y: float) -> list[Reserve]:
    """The rows, side by side. The more pieces a row has, the closer they lie."""
    half = (right - left) / len(counts)
    return [_arrange(seat, count, left + (seat - 1) * half, half, y) for seat, count in enumerate(counts, 1)]


def _arrange(seat: int, count: int, left: float, width: float, y: float) -> Reserve:
    first = left + HEAD + 10
    step = min(STEP, (width - HEAD - COUNT) / max(count - 1, 1))
    pieces = [round(first + step * number, 1) for number in range(count)]
    return Reserve(seat, count, left + 15, y, pieces, (pieces[-1] + 10 if pieces else left + HEAD) + 16)
