"""Lessons: positions of each game that teach a rule by having it played, and what the parts of its board mean."""

from typing import Any

from plyscribe.domain.ruleset import AnyRuleset
from plyscribe.service.games import load_part
from plyscribe.service.lessons import crystals_v1, pathagon_v1, portals_v1, rings_v1, zhen_v1
from plyscribe.service.lessons.lesson import Card, Lesson

LESSONS: dict[tuple[str, int], tuple[Lesson, ...]] = {
    ("crystals", 1): crystals_v1.LESSONS,
    ("pathagon", 1): pathagon_v1.LESSONS,
    ("portals", 1): portals_v1.LESSONS,
    ("rings", 1): rings_v1.LESSONS,
    ("zhen", 1): zhen_v1.LESSONS,
}
"""The lessons of each built-in ruleset, in the order in which they are best taken."""

CARDS: dict[tuple[str, int], tuple[Card, ...]] = {
    ("crystals", 1): crystals_v1.CARDS,
    ("pathagon", 1): pathagon_v1.CARDS,
    ("portals", 1): portals_v1.CARDS,
    ("rings", 1): rings_v1.CARDS,
    ("zhen", 1): zhen_v1.CARDS,
}
"""What the parts of each built-in board mean."""


def list_lessons(ruleset: AnyRuleset) -> tuple[Lesson, ...]:
    """The lessons of a ruleset version; none for a game from outside that brings none."""
    return LESSONS.get((ruleset.id, ruleset.version)) or _load(ruleset, "LESSONS")


def list_cards(ruleset: AnyRuleset) -> tuple[Card, ...]:
    """What the parts of the board mean; nothing for a game from outside that does not say it."""
    return CARDS.get((ruleset.id, ruleset.version)) or _load(ruleset, "CARDS")


def _load(ruleset: AnyRuleset, name: str) -> tuple[Any, ...]:
    return tuple(getattr(load_part(ruleset.id, ruleset.version, "lessons"), name, ()))
