"""What a change of one option changes: each option alone, around the options of the study."""

from collections.abc import Callable, Mapping, Sequence
from math import inf
from typing import Any, NamedTuple

from plyscribe.domain.errors import OptionError
from plyscribe.service.laboratory.estimates import estimate_mean
from plyscribe.service.laboratory.playing import score_seats
from plyscribe.service.laboratory.subject import Subject

MOST_VALUES = 4
UNSTUDIED = "ply_limit"
"""The limit of moves is a net for matches that go nowhere; how often it is reached is told under stalling."""

SMALL = 8
"""From this default on, a step of an integer option is a quarter of it."""


class Variant(NamedTuple):
    """One option with another value; `subject` is None if it cannot be played, and `refusal` says why."""

    option: str
    value: Any
    subject: Subject | None
    refusal: str | None = None


def list_variants(subject: Subject) -> list[Variant]:
    """The variants to study, at most MOST_VALUES for each option, in the order of the schema.

    A word or a flag takes its other values. An integer goes to the half, one step down, one step up and the double, as
    far as its range allows, and to null if it may be null. Presets come last.
    """
    complete, ruleset = subject.complete_options, subject.ruleset
    variants = [
        _vary(subject, name, {name: value}, value)
        for name, schema in ruleset.options_schema()["properties"].items()
        if name != UNSTUDIED
        for value in list_values(schema, complete.get(name))
    ]
    return [*variants, *(_vary(subject, "preset", preset, name) for name, preset in ruleset.presets.items())]


def _vary(subject: Subject, option: str, changed: Mapping[str, Any], value: Any) -> Variant:
    try:
        varied = subject.vary(**changed)
    except OptionError as error:
        return Variant(option, value, None, str(error))
    return Variant(option, value, varied)


def list_values(schema: Mapping[str, Any], now: Any) -> list[Any]:
    """Other values of an option, given its JSON Schema and its present value; empty if the schema lists none.

    >>> list_values({"type": "integer", "minimum": 5, "maximum": 9}, 7)
    [5, 6, 8, 9]
    >>> list_values({"enum": ["race", "countdown"]}, "race")
    ['countdown']
    """
    if "enum" in schema:
        return [value for value in schema["enum"] if value != now][:MOST_VALUES]
    kinds = schema.get("type")
    if kinds == "boolean":
        return [not now]
    if "integer" not in (kinds if isinstance(kinds, list) else [kinds]):
        return []
    if not isinstance(now, int):
        return []
    step = now // 4 if now >= SMALL else 1
    low, high = schema.get("minimum", now), schema.get("maximum", now)
    wanted = [max(low, now // 2), now - step, now + step, min(high, 2 * now)]
    values = sorted({value for value in wanted if low <= value <= high} - {now})
    return [*values, None] if isinstance(kinds, list) and "null" in kinds else values


def describe_change(before: Sequence[dict[str, Any]], after: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """How much more the matches of a variant have of each measure, with intervals, for JSON.

    Both lists have the same dice and seeds match by match, so the differences are paired.
    """
    measures: dict[str, tuple[Callable[[dict[str, Any]], float], float]] = {
        "seat_1_score": (lambda match: score_seats(match["ranks"])[0], 1),
        "plies": (lambda match: match["plies"], inf),
        "lead_changes": (lambda match: match["lead_changes"], inf),
        "draws": (lambda match: float(is_drawn(match["ranks"])), 1),
    }
    return {
        name: {
            "mean": estimate_mean([measure(match) for match in after], (0, most)).describe(),
            "change": estimate_mean(
                [measure(new) - measure(old) for old, new in zip(before, after, strict=True)]
            ).describe(),
        }
        for name, (measure, most) in measures.items()
    }


def is_drawn(ranks: Sequence[int]) -> bool:
    """Whether no seat alone came first."""
    return list(ranks).count(1) != 1
