"""Measures candidates side by side: CPU time, in rounds in which each has its turn, and the median of their ratios."""

import gc
import time
from collections.abc import Callable, Mapping, Sequence
from statistics import median
from typing import NamedTuple


class Sample(NamedTuple):
    """The CPU time that a number of units of work took."""

    units: int
    cpu_s: float

    @property
    def us(self) -> float:
        """Microseconds for each unit."""
        return self.cpu_s / self.units * 1e6


Run = Callable[[], Sample]
Rounds = Sequence[Mapping[str, Sample]]


def take_rounds(runs: Mapping[str, Run], rounds: int) -> Rounds:
    """One sample of each candidate a round, after a warm-up round that does not count.

    The order of the candidates is reversed after each round.
    """
    names = list(runs)
    for name in names:
        runs[name]()
    gc.collect()
    # The collector must not look through the bench's own objects during the candidates' runs.
    gc.freeze()
    taken = []
    for _ in range(rounds):
        taken.append({name: runs[name]() for name in names})
        names.reverse()
    gc.unfreeze()
    return taken


def measure(work: Callable[[], int]) -> Sample:
    """The CPU time that this process spends on `work`, which returns how many units it did."""
    gc.collect()
    start = time.process_time()
    units = work()
    return Sample(units, time.process_time() - start)


class Target(NamedTuple):
    """A limit for a ratio: at least `times` as fast, or at most `times` the cost."""

    times: float
    kind: str

    def ratio(self, ours: Sample, ceiling: Sample) -> float:
        """The ratio that the target limits."""
        return ceiling.us / ours.us if self.kind == "fast" else ours.us / ceiling.us

    def is_met(self, ratio: float) -> bool:
        """Whether the ratio is within the limit."""
        return ratio >= self.times if self.kind == "fast" else ratio <= self.times

    def __str__(self) -> str:
        return f"≥ {self.times:g}× as fast" if self.kind == "fast" else f"≤ {self.times:g}× the cost"


def times_as_fast(times: float) -> Target:
    """Ours does at least this many units in the time in which the ceiling does one."""
    return Target(times, "fast")


def times_the_cost(times: float) -> Target:
    """A unit of ours costs at most as much as this many units of the ceiling."""
    return Target(times, "cost")


class Claim(NamedTuple):
    """A target for one candidate against another."""

    what: str
    unit: str
    ours: str
    ceiling: str
    target: Target


class Row(NamedTuple):
    """A line of the table."""

    what: str
    ours: str
    ceiling: str = ""
    ratio: str = ""
    target: str = ""
    is_met: bool | None = None


def compare(rounds: Rounds, claims: Sequence[Claim]) -> list[Row]:
    """A row for each claim: the medians, and the least and greatest ratio of all rounds."""
    return [_compare(rounds, claim) for claim in claims]


def _compare(rounds: Rounds, claim: Claim) -> Row:
    ratios = [claim.target.ratio(taken[claim.ours], taken[claim.ceiling]) for taken in rounds]
    ratio = median(ratios)
    return Row(
        claim.what,
        f"{_median_us(rounds, claim.ours)}/{claim.unit}",
        f"{claim.ceiling}: {_median_us(rounds, claim.ceiling)}",
        f"{ratio:.2f} ({min(ratios):.2f}–{max(ratios):.2f})",
        str(claim.target),
        claim.target.is_met(ratio),
    )


def _median_us(rounds: Rounds, name: str) -> str:
    us = median(taken[name].us for taken in rounds)
    return f"{us:.2f} µs" if us < 100 else f"{us:,.0f} µs"
