"""What a lesson is, and what a card of the board says."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from plyscribe.domain.effects import Effect, Rolled, describe_effect
from plyscribe.domain.phrases import Phrase
from plyscribe.domain.ruleset import AnyRuleset
from plyscribe.domain.variation import Reached, Tried, begin, follow

NOTHING: Mapping[str, Any] = MappingProxyType({})


class Lesson(NamedTuple):
    """A position, and a task that its seat can do with one of its moves, or with a few.

    The rules alone decide: the task is done once a step has an effect like the wanted one.
    """

    name: str
    """A word for the address of the page."""
    title: Phrase
    task: Phrase
    """What to do, in a sentence to the seat."""
    done: Phrase
    """What the task shows, once it is done."""
    clause: str
    """The clause that it teaches."""
    steps: tuple[str | tuple[int, ...], ...]
    """How the position is reached from the start: moves, and what dice showed."""
    wanted: Mapping[str, Any]
    """Details that an effect of the solution has, named as in JSON: `{"kind": "trapped", "owner": 2}`."""
    solution: tuple[str, ...]
    """Moves that do the task."""
    seat: int = 1
    seats: int = 2
    options: Mapping[str, Any] = NOTHING
    dice: tuple[tuple[int, ...], ...] = ()
    """What dice show that fall during the lesson."""
    answers: tuple[str, ...] = ()
    """What the others play whenever it is their turn during the lesson; after the last of them, the lesson is over."""


class Card(NamedTuple):
    """What a part of a board means. `symbol` is the id of a shape in the drawing, `box` the part of it to show."""

    symbol: str
    box: str
    meaning: Phrase
    colour: str = "seat-1"
    """The class that colours a shape without colours of its own."""


def list_steps(lesson: Lesson) -> list[Tried]:
    """The steps that lead to the position."""
    return [step if isinstance(step, str) else Rolled(step) for step in lesson.steps]


def reach(lesson: Lesson, ruleset: AnyRuleset) -> Reached:
    """The position in which the lesson begins."""
    return follow(begin(ruleset, dict(lesson.options), lesson.seats), list_steps(lesson))


def is_wanted(lesson: Lesson, effect: Effect) -> bool:
    """Whether the effect does the task."""
    return lesson.wanted.items() <= describe_effect(effect).items()
