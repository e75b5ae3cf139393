"""What stands out in the findings, in sentences: only what its interval bears out.

Of many questions of one sort, some would seem answered by chance. So there the intervals are widened until, at 95 %,
not one of them misses (Bonferroni).
"""

from collections.abc import Iterator, Mapping
from statistics import NormalDist
from typing import Any

OFTEN = 0.05
"""From this share of the matches on, stalling and draws are worth a sentence."""

LONGER = 0.1
"""A change of the length by this part of it is worth a sentence."""

MEASURE_NAMES: Mapping[str, str] = {
    "seat_1_score": "the score of seat 1",
    "first_bot_score": "the score of the stronger bot",
    "plies": "the number of moves",
    "lead_changes": "the number of lead changes",
    "draws": "the share of draws",
}


def draw_conclusions(findings: Mapping[str, Any]) -> list[str]:
    """What stands out, the most general first."""
    return list(_compare(findings) if "comparison" in findings else _study(findings))


def _study(findings: Mapping[str, Any]) -> Iterator[str]:
    strongest = list(findings["play"])[-1]
    yield from _judge_seats(findings["play"])
    yield from _judge_course(strongest, findings["play"][strongest])
    yield from _judge_gradient(findings["gradient"])
    yield from _judge_luck(findings)
    yield from _judge_kinds(strongest, findings["kinds"][strongest])
    yield from _judge_clauses(findings)
    yield from _judge_options(findings["options"], findings["play"]["greedy"]["length"]["plies"]["mean"]["value"])


def _judge_seats(play: Mapping[str, Any]) -> Iterator[str]:
    asked = [(rung, seat["seat"], seat["score"]) for rung, found in play.items() for seat in found["seats"]]
    shown = [each for each in asked if is_away_from(0.5, each[2], len(asked))]
    for rung, seat, score in shown:
        more = "more" if score["value"] > 0.5 else "less"
        yield f"Between equal {rung} bots, seat {seat} scores {format_share(score)}, {more} than an even half."
    if not shown:
        widest = max(score["high"] - score["low"] for _, _, score in asked) / 2 * widen(len(asked))
        yield f"No seat is shown to have an advantage; one of less than {100 * widest:.0f} % would not show."


def _judge_course(rung: str, found: Mapping[str, Any]) -> Iterator[str]:
    if found["timeouts"]["value"] >= OFTEN:
        yield f"{format_share(found['timeouts'])} of the matches between {rung} bots reach the limit of moves."
    if found["drawishness"]["value"] >= OFTEN:
        yield f"{format_share(found['drawishness'])} of the matches between {rung} bots are drawn before the limit."
    swings = found["swings"]
    if swings and "comebacks" in swings:
        yield (
            f"In {format_share(swings['comebacks'])} of the matches between {rung} bots the winner once stood at a "
            f"chance of 25 % or less; the lead changes {format_number(swings['lead_changes'])} times in a match."
        )
        yield (
            f"On average a match is decided after {format_share(swings['decided_at'])} of it: from then on the winner "
            "stands better than the loser ever did."
        )


def _judge_gradient(meetings: list[dict[str, Any]]) -> Iterator[str]:
    for each in meetings:
        score = each["score"]
        if score["low"] > 0.5:
            shown = "beats"
        elif score["high"] < 0.5:
            shown = "loses to"
        else:
            shown = "is not shown to beat"
        yield f"{each['strong']} {shown} {each['weak']}: it scores {format_share(score)}."


def _judge_luck(findings: Mapping[str, Any]) -> Iterator[str]:
    found = findings["luck"]["without_random"]
    if findings["subject"]["has_chance"]:
        yield (
            f"Between bots that think, other dice would change {format_share(found['luck'])} of the variance of the "
            f"score; who plays where explains {format_share(found['skill'])}."
        )
    else:
        yield f"There are no dice. Who plays where explains {format_share(found['skill'])} of the variance of a score."


def _judge_kinds(rung: str, kinds: list[dict[str, Any]]) -> Iterator[str]:
    for kind in kinds:
        if kind["verdict"]:
            yield (
                f"“{kind['kind']}” is {kind['verdict']} for {rung}: on offer {kind['offered']} times beside others, "
                f"it was chosen {format_share(kind['taken'])} of the time; by chance it would be "
                f"{100 * kind['by_chance']:.0f} %."
            )


def _judge_clauses(findings: Mapping[str, Any]) -> Iterator[str]:
    unseen = [clause["clause"] for clause in findings["clauses"] if clause["status"] == "unseen"]
    if unseen:
        yield f"Clauses that never had an effect and never forbade a move: {', '.join(unseen)}."
    if findings["unseen_effects"]:
        yield f"Effects that never came about: {', '.join(findings['unseen_effects'])}."


def _judge_options(options: list[dict[str, Any]], plies: float) -> Iterator[str]:
    studied = [each for each in options if "measures" in each]
    for each in studied:
        named = f"{each['option']} = {format_value(each['value'])}"
        score, length = (each["measures"][name]["change"] for name in ("seat_1_score", "plies"))
        if is_away_from(0, score, 2 * len(studied)):
            change = f"{format_change(score, 100)} points of a hundred ({format_interval(score, 100)})"
            yield f"With {named}, the score of seat 1 changes by {change}."
        if is_away_from(0, length, 2 * len(studied)) and abs(length["value"]) >= LONGER * plies:
            yield f"With {named}, the length changes by {format_change(length)} moves ({format_interval(length)})."


def _compare(findings: Mapping[str, Any]) -> Iterator[str]:
    for name, found in findings["comparison"]["measures"].items():
        change = found["change"]
        scale = 1 if name in ("plies", "lead_changes") else 100
        unit = " points of a hundred" if scale == 100 else ""
        what = MEASURE_NAMES[name]
        told = f"{format_change(change, scale)}{unit} ({format_interval(change, scale)})"
        match found["verdict"]:
            case "more" | "less":
                yield f"Under the second, {what} is {found['verdict']}: {told}, after {found['boards']} boards."
            case "same":
                yield f"As far as this test sees, {what} is the same: {told}, after {found['boards']} boards."
            case _:
                yield f"About {what} nothing is decided yet: {told}. More boards would tell (--matches)."


def widen(questions: int) -> float:
    """How many times as wide an interval is if all intervals of so many questions are to hold at 95 %."""
    return NormalDist().inv_cdf(1 - 0.025 / questions) / NormalDist().inv_cdf(0.975)


def is_away_from(point: float, estimate: Mapping[str, Any], questions: int) -> bool:
    """Whether the estimate differs from the point by more than its interval, widened for the number of questions."""
    value = estimate["value"]
    side = value - estimate["low"] if value > point else estimate["high"] - value
    return bool(abs(value - point) > side * widen(questions))


def format_share(estimate: Mapping[str, Any]) -> str:
    """A share in per cent with its interval, such as `58 % (54–62 %)`."""
    value, low, high = (100 * estimate[name] for name in ("value", "low", "high"))
    return f"{value:.0f} % ({low:.0f}–{high:.0f} %)"


def format_number(estimate: Mapping[str, Any]) -> str:
    """A number with its interval, such as `4.2 (3.9 to 4.5)`."""
    return f"{round_for_reading(estimate['value'])} ({format_interval(estimate)})"


def format_change(estimate: Mapping[str, Any], scale: float = 1) -> str:
    """A difference with its sign, such as `+12.3`."""
    text = round_for_reading(scale * estimate["value"])
    return text if estimate["value"] < 0 else f"+{text}"


def format_interval(estimate: Mapping[str, Any], scale: float = 1) -> str:
    """The ends of an interval, such as `−0.3 to 1.2`."""
    low, high = (round_for_reading(scale * estimate[name]) for name in ("low", "high"))
    return f"{low} to {high}"


def round_for_reading(number: float) -> str:
    """The number with as many digits as anybody reads, with a true minus."""
    text = f"{number:.0f}" if abs(number) >= 100 else f"{number:.1f}" if abs(number) >= 1 else f"{number:.2f}"
    return text.replace("-", "−")


def format_value(value: object) -> str:
    """The value of an option as JSON has it, words without quotes."""
    words = {None: "null", True: "true", False: "false"}
    return words[value] if value is None or isinstance(value, bool) else str(value)
