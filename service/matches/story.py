"""The story of a match: what each step did, as effects for programs and as sentences for people."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from plyscribe.domain.effects import Effect, Ended, Moved, Rolled, Step, Withdrew, describe_effect
from plyscribe.domain.events import Account, BuiltIn, Guest, Occupant
from plyscribe.domain.imported import is_address
from plyscribe.domain.match import Match
from plyscribe.domain.record import UNKNOWN_NAME, Record, add_comments, trace_steps
from plyscribe.domain.replay import TakenStep
from plyscribe.domain.ruleset import AnyRuleset
from plyscribe.domain.rulesets import find_ruleset
from plyscribe.service.language.sentences import Names, describe_effects, name_guest, name_seats

Json = dict[str, Any]

KINDS: dict[type[Step], str] = {Moved: "move", Rolled: "roll", Withdrew: "withdrawal", Ended: "draw"}
"""What each step is called in answers. The only end that is a step of its own is an agreed draw."""


def name_players(match: Match, name_of: Callable[[str], str], language: str) -> Names:
    """The names of the players for sentences; a seat whose player has no name here is left out.

    `name_of` finds the name of an account of this server. The accounts of an imported match belong to another one.
    """
    is_ours = not is_address(match.stream)
    named = {
        seat: _name(each.occupant, name_of if is_ours else _know_nobody, language)
        for seat, each in enumerate(match.life.seats, 1)
    }
    return name_seats({seat: name for seat, name in named.items() if name}, language)


def _know_nobody(_: str) -> str:
    return ""


def _name(occupant: Occupant | None, name_of: Callable[[str], str], language: str) -> str | None:
    match occupant:
        case Account(player):
            return name_of(player)
        case Guest(name) if name != UNKNOWN_NAME:
            return name_guest(name, language)
        case BuiltIn(bot):
            return f"{bot} bot"
    return None


def describe_story(ruleset: AnyRuleset, step: TakenStep, language: str, names: Names) -> Json:
    """The effects of a step, and a sentence for each of them."""
    return _describe_effects(ruleset, step.list_effects(ruleset), language, names)


def _describe_effects(ruleset: AnyRuleset, effects: Sequence[Effect], language: str, names: Names) -> Json:
    return {
        "effects": [describe_effect(effect) for effect in effects],
        "sentences": describe_effects(ruleset, effects, language, names),
    }


def preview_move(ruleset: AnyRuleset, state: Any, text: str, language: str, names: Names) -> Json:
    """The effects of a legal move that was not made, and a sentence for each of them."""
    move = ruleset.parse_move(state, text)
    effects = ruleset.effects(state, Moved(move), ruleset.apply_move(state, move))
    return _describe_effects(ruleset, effects, language, names)


def describe_steps(ruleset: AnyRuleset, steps: Iterable[TakenStep], language: str, names: Names) -> list[Json]:
    """The steps, each with its story."""
    return [{"version": step.version, **describe_step(ruleset, step, language, names)} for step in steps]


def describe_step(ruleset: AnyRuleset, step: TakenStep, language: str, names: Names) -> Json:
    """A step with its story, without its version."""
    return {**_describe_step(step), **describe_story(ruleset, step, language, names)}


def _describe_step(step: TakenStep) -> Json:
    return {
        "ply": step.ply,
        "kind": KINDS[type(step.step)],
        "seat": step.seat,
        "move": step.notation,
        "values": list(step.step.values) if isinstance(step.step, Rolled) else None,
    }


def render_steps(steps: Iterable[Json]) -> Iterator[str]:
    """The sentences of described steps, a line each; the first one of a move comes after its number."""
    for step in steps:
        number = f"{step['ply']}." if step["kind"] == "move" else ""
        for sentence in step["sentences"]:
            yield f"{number:>4} {sentence}"
            number = ""


def name_written(record: Record, language: str) -> Names:
    """The names of the players in a record, for sentences."""
    return name_seats({seat: name for seat, name in enumerate(record.seats, 1) if name != UNKNOWN_NAME}, language)


def comment_record(record: Record, language: str) -> Record:
    """The record with a comment after each step, which says what the step did."""
    ruleset, names = find_ruleset(record.ruleset, record.ruleset_version), name_written(record, language)
    told = (describe_effects(ruleset, step.list_effects(ruleset), language, names) for step in trace_steps(record))
    return add_comments(record, map(" ".join, told))
