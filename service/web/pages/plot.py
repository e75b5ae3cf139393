"""Plots as SVG, in the colours of the page: one rating over time, and several ratings side by side."""

from collections.abc import Sequence
from functools import cache
from math import ceil, floor, log10
from pathlib import Path
from typing import NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

WIDTH, LEFT, RIGHT, TOP, BOTTOM = 720.0, 64.0, 16.0, 16.0, 34.0
HISTORY_HEIGHT = 280.0
ROW_HEIGHT, NAMES = 28.0, 190.0
LINES = 5
"""About how many labels an axis has."""

STEPS = (1, 2, 5, 10)


class Estimate(NamedTuple):
    """A value with its uncertainty, one standard deviation."""

    value: float
    uncertainty: float

    @property
    def low(self) -> float:
        """Two standard deviations below the value. The true value is lower in about one case in forty."""
        return self.value - 2 * self.uncertainty

    @property
    def high(self) -> float:
        """Two standard deviations above the value."""
        return self.value + 2 * self.uncertainty


class _Scale(NamedTuple):
    """An axis: values from `low` to `high` lie between `start` and `end` in the drawing."""

    low: float
    high: float
    start: float
    end: float

    def place(self, value: float) -> float:
        return round(self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start), 2)


def draw_history(points: Sequence[Estimate], title: str) -> Markup:
    """A value over several steps as a line, within a band of two standard deviations either way."""
    low, high = _span(points)
    across = _Scale(0, max(1, len(points) - 1), LEFT, WIDTH - RIGHT)
    up = _Scale(low, high, HISTORY_HEIGHT - BOTTOM, TOP)
    line = [(across.place(number), up.place(point.value)) for number, point in enumerate(points)]
    upper = [(across.place(number), up.place(point.high)) for number, point in enumerate(points)]
    lower = [(across.place(number), up.place(point.low)) for number, point in enumerate(points)]
    return _draw(
        "history.svg",
        title=title,
        height=HISTORY_HEIGHT,
        values=[(value, up.place(value)) for value in choose_values(low, high)],
        steps=[(number, across.place(number)) for number in range(0, len(points), _stride(len(points)))],
        line=line,
        band=[*upper, *reversed(lower)],
        left=LEFT,
        right=WIDTH - RIGHT,
        bottom=HISTORY_HEIGHT - BOTTOM,
    )


def draw_intervals(rows: Sequence[tuple[str, Estimate]], title: str) -> Markup:
    """Named values in rows, each with a bar of two standard deviations either way."""
    low, high = _span([estimate for _, estimate in rows])
    across = _Scale(low, high, NAMES, WIDTH - RIGHT)
    bottom = TOP + ROW_HEIGHT * len(rows)
    return _draw(
        "intervals.svg",
        title=title,
        height=bottom + BOTTOM,
        values=[(value, across.place(value)) for value in choose_values(low, high)],
        rows=[
            {
                "name": name if len(name) <= 24 else f"{name[:23]}…",
                "y": TOP + ROW_HEIGHT * (number + 0.5),
                "low": across.place(estimate.low),
                "at": across.place(estimate.value),
                "high": across.place(estimate.high),
            }
            for number, (name, estimate) in enumerate(rows)
        ],
        left=NAMES,
        right=WIDTH - RIGHT,
        top=TOP,
        bottom=bottom,
    )


def choose_values(low: float, high: float) -> list[float]:
    """About LINES round values within the bounds, evenly spaced."""
    raw = (high - low) / LINES
    power = 10.0 ** floor(log10(raw))
    step = next(power * each for each in STEPS if power * each >= raw)
    return [round(step * number, 6) for number in range(ceil(low / step), floor(high / step) + 1)]


def _span(points: Sequence[Estimate]) -> tuple[float, float]:
    low, high = min(point.low for point in points), max(point.high for point in points)
    return (low, high) if high > low else (low - 1, high + 1)


def _stride(count: int) -> int:
    """The distance between two labelled steps."""
    return max(1, ceil(count / 10))


def _draw(template: str, **context: object) -> Markup:
    return Markup(_templates().get_template(template).render(**context, width=WIDTH))  # noqa: S704


@cache
def _templates() -> Environment:
    folder = Path(__file__).parent / "plots"
    return Environment(loader=FileSystemLoader(folder), autoescape=True, trim_blocks=True, undefined=StrictUndefined)
