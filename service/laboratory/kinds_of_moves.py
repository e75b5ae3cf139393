"""What seats choose when they have the choice between several kinds of moves: dead and dominant options."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from plyscribe.service.laboratory.estimates import DIGITS, Estimate, estimate_share

FEWEST = 30
"""Of a kind that was on offer less often, nothing is said."""

DEAD_BELOW, DOMINANT_ABOVE = 0.05, 0.9


def describe_kinds(seen: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Each kind of move at the decisions where another kind was on offer too, the most often offered first."""
    offered: Counter[str] = Counter()
    taken: Counter[str] = Counter()
    by_chance: Counter[str] = Counter()
    for each in seen:
        offered.update(each["offered"])
        taken.update(each["taken"])
        by_chance.update(each["by_chance"])
    return [
        _describe(kind, estimate_share(taken[kind], number), by_chance[kind] / 1_000_000 / number)
        for kind, number in sorted(offered.items(), key=lambda item: (-item[1], item[0]))
    ]


def _describe(kind: str, taken: Estimate, by_chance: float) -> dict[str, Any]:
    return {
        "kind": kind,
        "offered": taken.n,
        "taken": taken.describe(),
        "by_chance": round(by_chance, DIGITS),
        "verdict": judge_kind(taken),
    }


def judge_kind(taken: Estimate) -> str | None:
    """`dead` if a kind is surely hardly ever chosen, `dominant` if surely nearly always; None for neither."""
    if taken.n < FEWEST:
        return None
    if taken.high < DEAD_BELOW:
        return "dead"
    return "dominant" if taken.low > DOMINANT_ABOVE else None
