"""What matches between equal bots say of a game: seats, outcomes, length, moves to choose from, swings and stalling."""

from collections import Counter
from collections.abc import Sequence
from math import log10
from statistics import fmean, median
from typing import Any

from plyscribe.service.laboratory.estimates import (
    DIGITS,
    describe_spread,
    estimate_mean,
    estimate_score,
    estimate_share,
)
from plyscribe.service.laboratory.playing import BROKEN_OFF, score_seats
from plyscribe.service.laboratory.sensitivity import is_drawn
from plyscribe.service.laboratory.swings import TENTHS, describe_swings

TIMEOUTS = ("ply-limit", BROKEN_OFF)
BINS = 24


def describe_play(matches: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """All measures of these matches, in which all seats had bots of the same strength, for JSON."""
    return {
        "matches": len(matches),
        "different": len({match["line"] for match in matches}),
        **_describe_outcomes(matches),
        "length": _describe_length(matches),
        "choices": _describe_choices(matches),
        "swings": describe_swings(matches),
        "stalling": _describe_stalling(matches),
    }


def _describe_outcomes(matches: Sequence[dict[str, Any]]) -> dict[str, Any]:
    n, seats = len(matches), len(matches[0]["ranks"])
    scores = [score_seats(match["ranks"]) for match in matches]
    wins = [
        sum(1 for match in matches if match["ranks"][seat] == 1 and not is_drawn(match["ranks"]))
        for seat in range(seats)
    ]
    drawn = [match for match in matches if is_drawn(match["ranks"])]
    natural = sum(1 for match in drawn if match["reason"] not in TIMEOUTS)
    reasons = Counter(match["reason"] for match in matches)
    return {
        "seats": [
            {
                "seat": seat + 1,
                "score": estimate_score([[score[seat]] for score in scores]).describe(),
                "wins": estimate_share(wins[seat], n).describe(),
            }
            for seat in range(seats)
        ],
        "advantage_p1": round(wins[0] / n, DIGITS),
        "balance": round(1 - (max(wins) - min(wins)) / n, DIGITS),
        "completion": estimate_share(n - len(drawn), n).describe(),
        "drawishness": estimate_share(natural, n).describe(),
        "timeouts": estimate_share(sum(reasons[reason] for reason in TIMEOUTS), n).describe(),
        "reasons": dict(sorted(reasons.items())),
    }


def _describe_length(matches: Sequence[dict[str, Any]]) -> dict[str, Any]:
    plies = [match["plies"] for match in matches]
    low, high = min(plies), max(plies)
    width = max(1, -(-(high - low + 1) // BINS))
    bins = Counter((number - low) // width for number in plies)
    return {
        "plies": describe_spread(plies),
        "rolls": describe_spread([match["rolls"] for match in matches]),
        "histogram": {
            "from": low,
            "width": width,
            "counts": [bins[place] for place in range((high - low) // width + 1)],
        },
    }


def _describe_choices(matches: Sequence[dict[str, Any]]) -> dict[str, Any]:
    looked = [(match, decision) for match in matches for decision in match["decisions"]]
    by_match = [[moves for _, moves, _ in match["decisions"]] for match in matches if match["decisions"]]
    tenths: list[list[int]] = [[] for _ in range(TENTHS)]
    for match, (place, number, _) in looked:
        tenths[TENTHS * place // match["plies"]].append(number)
    moves = [number for _, (_, number, _) in looked]
    several = [number for number in moves if number > 1]
    complexity = [
        match["plies"] * log10(fmean(numbers))
        for match, numbers in zip((match for match in matches if match["decisions"]), by_match, strict=True)
    ]
    return {
        "decisions": len(looked),
        "estimated": sum(1 for _, (_, _, is_exact) in looked if not is_exact),
        "branching_factor": estimate_mean([fmean(numbers) for numbers in by_match]).describe(),
        "median": round(float(median(moves)), DIGITS),
        "most": max(moves),
        "decision_moves": estimate_mean(
            [fmean(number > 1 for number in numbers) for numbers in by_match], (0, 1)
        ).describe(),
        "decision_factor": round(fmean(several), DIGITS) if several else None,
        "by_tenth": [round(fmean(tenth), DIGITS) if tenth else None for tenth in tenths],
        "game_tree_complexity": estimate_mean(complexity).describe(),
    }


def _describe_stalling(matches: Sequence[dict[str, Any]]) -> dict[str, Any]:
    repeated = [match["repeated"] for match in matches]
    return {
        "timeouts": estimate_share(sum(match["reason"] in TIMEOUTS for match in matches), len(matches)).describe(),
        "repetition": estimate_mean(repeated, (0, 1)).describe(),
        "matches_with_repetition": estimate_share(sum(share > 0 for share in repeated), len(matches)).describe(),
    }
