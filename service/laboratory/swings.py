"""How matches swing: leads, comebacks, drama and the moment when they are decided, from curves of values."""

from collections.abc import Sequence
from math import inf
from statistics import fmean
from typing import Any

import numpy as np

from plyscribe.service.laboratory.estimates import (
    DIGITS,
    Chances,
    describe_spread,
    estimate_mean,
    estimate_share,
    fit_chances,
)
from plyscribe.service.laboratory.playing import score_seats

TENTHS = 10
FAR_BEHIND = 0.25
"""Half the chance of a seat when nothing is decided, which is ½ whatever the number of seats."""


def read_leads(curve: Sequence[Sequence[int]]) -> Any:
    """For each position and seat, how far its value is above the best of the others; negative if it is behind."""
    values = np.asarray(curve, dtype=float)
    ordered = np.sort(values, axis=1)
    best, second = ordered[:, -1:], ordered[:, -2:-1]
    return np.where(values == best, values - second, values - best)


def describe_swings(matches: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    """The measures of swings in these matches for JSON; None if none of them has a curve."""
    told = [match for match in matches if match["curve"]]
    if not told:
        return None
    seats = len(told[0]["ranks"])
    leads = [read_leads(match["curve"]) for match in told]
    scores = [np.asarray(score_seats(match["ranks"])) for match in told]
    chances = _fit(leads, scores)
    won = [(chances.read(lead), score) for lead, score in zip(leads, scores, strict=True) if (score == 1).any()]
    changes = [match["lead_changes"] for match in told]
    steps = [match["plies"] + match["rolls"] for match in told]
    return {
        "lead_changes": estimate_mean(changes, (0, inf)).describe(),
        "lead_changes_a_step": estimate_mean([a / b for a, b in zip(changes, steps, strict=True)], (0, 1)).describe(),
        **(_describe_won(won, seats) if won else {}),
        "leader_wins": _forecast(leads, scores),
    }


def _fit(leads: Sequence[Any], scores: Sequence[Any]) -> Chances:
    flat = np.concatenate([lead.ravel() for lead in leads])
    came = np.concatenate([np.tile(score, len(lead)) for lead, score in zip(leads, scores, strict=True)])
    # Each match counts once, however long it is.
    weights = np.concatenate([np.full(lead.size, 1 / lead.size) for lead in leads])
    return fit_chances(flat, came, weights)


def _describe_won(won: Sequence[tuple[Any, Any]], seats: int) -> dict[str, Any]:
    dramas, peaks, deepest, decided = [], [], [], []
    for chances, score in won:
        winner = int(np.argmax(score))
        own, others = chances[:, winner], np.delete(chances, winner, axis=1)
        behind = chances.max(axis=1) - own
        dramas.append(float(behind.mean()))
        peaks.append(float(behind.max()))
        deepest.append(float(own.min()))
        decided.append(find_decision(own, float(others.max())))
    comebacks = sum(depth <= FAR_BEHIND for depth in deepest)
    return {
        "drama_average": estimate_mean(dramas, (0, 1)).describe(),
        "drama_maximum": estimate_mean(peaks, (0, 1)).describe(),
        "comebacks": estimate_share(comebacks, len(won)).describe(),
        "deepest": describe_spread(deepest),
        "deepest_in_tenths": np.histogram(deepest, TENTHS, (0, 1))[0].tolist(),
        "decided_at": estimate_mean(decided, (0, 1)).describe(),
    }


def find_decision(own: Any, threshold: float) -> float:
    """The share of a match after which the winner's chance is above the best that any loser ever had; 1 if never."""
    above = np.flatnonzero(own > threshold)
    return float(above[0] / len(own)) if len(above) else 1.0


def _forecast(leads: Sequence[Any], scores: Sequence[Any]) -> list[float | None]:
    """For each tenth of a match, the mean score of the seat that leads in the middle of it; None if nobody does."""
    found: list[float | None] = []
    for tenth in range(TENTHS):
        came = []
        for lead, score in zip(leads, scores, strict=True):
            now = lead[int((tenth + 0.5) / TENTHS * len(lead))]
            if now.max() > 0:
                came.append(float(score[int(np.argmax(now))]))
        found.append(round(fmean(came), DIGITS) if came else None)
    return found
