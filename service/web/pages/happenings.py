"""What the steps of a match did, as pages show it: in sentences, each with its clause."""

from typing import NamedTuple

from plyscribe.domain.match import Match
from plyscribe.domain.replay import TakenStep, find_step, list_steps
from plyscribe.service.language.sentences import Names, describe_effects
from plyscribe.service.matches.story import name_players
from plyscribe.service.rulebooks import Clause, read_clauses
from plyscribe.service.web.api.http import negotiate_language, parts


class Happening(NamedTuple):
    """A sentence, and the clause that it follows from, if the rules have one."""

    sentence: str
    clause: Clause | None


class Happenings(NamedTuple):
    """What happened, in this language."""

    language: str
    happened: list[Happening]


def list_happenings(state: Match, ply: int) -> Happenings:
    """What the steps that led to the position at this ply did, in order."""
    assert state.play is not None  # or there would be no position
    language, names = _find_language(state)
    steps = list_steps(state.play, ply, ply)
    return Happenings(language, [each for step in steps for each in _describe(state, step, language, names)])


def find_happenings(state: Match, versions: list[int]) -> dict[int, Happenings]:
    """What the steps of these versions did, without those that were taken back or copied from another match."""
    if state.play is None:
        return {}
    language, names = _find_language(state)
    steps = {version: find_step(state.play, version) for version in versions}
    return {
        version: Happenings(language, _describe(state, step, language, names))
        for version, step in steps.items()
        if step is not None
    }


def _find_language(state: Match) -> tuple[str, Names]:
    language = negotiate_language()
    return language, name_players(state, parts().accounts.name_of, language)


def _describe(state: Match, step: TakenStep, language: str, names: Names) -> list[Happening]:
    assert state.play is not None
    ruleset = state.play.ruleset
    effects, clauses = step.list_effects(ruleset), read_clauses(ruleset.id, ruleset.version)
    sentences = describe_effects(ruleset, effects, language, names)
    return [
        Happening(sentence, clauses.get(effect.clause or ""))
        for effect, sentence in zip(effects, sentences, strict=True)
    ]
