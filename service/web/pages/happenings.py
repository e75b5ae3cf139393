"""What the steps of a match did, as pages show it: in sentences, each with its clause."""

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import orjson

from plyscribe.domain.effects import ENDED, LEFT, RANKED, ROLLED, Effect, Moved, Rolled, describe_effect
from plyscribe.domain.match import Match
from plyscribe.domain.replay import TakenStep, find_steps, list_steps
from plyscribe.domain.ruleset import AnyRuleset
from plyscribe.service.language.sentences import describe_effects
from plyscribe.service.matches.story import name_players
from plyscribe.service.rulebooks import Clause, read_clauses
from plyscribe.service.web.api.http import negotiate_language, parts

Named = tuple[tuple[int, str], ...]
"""The players' names with their seats. Everybody who follows a match has its steps told anew after every move: what a
step did, and the names to tell it with, are the keys under which that is kept.
"""


class Happening(NamedTuple):
    """A sentence, and the clause that it follows from, if the rules have one."""

    sentence: str
    clause: Clause | None


class Happenings(NamedTuple):
    """What happened, in this language, and what moved, for pages that show it.

    `ply` is the number of moves up to and including the step. Each of `motions` is the JSON of an effect that names
    places, as in the API, without what a page does not need.
    """

    language: str
    happened: tuple[Happening, ...]
    ply: int = 0
    motions: tuple[str, ...] = ()

    @property
    def effects(self) -> str:
        """The JSON array of the motions."""
        return f"[{','.join(self.motions)}]"


MOTION = ("kind", "seat", "owner", "piece", "from", "to")
"""What a page needs of an effect to show a motion."""


def list_happenings(state: Match, ply: int) -> Happenings:
    """What the steps that led to the position at this ply did, in order."""
    assert state.play is not None  # or there would be no position
    language, names = find_language(state)
    found = [_describe(state.play.ruleset, step, language, names) for step in list_steps(state.play, ply, ply)]
    happened = tuple(each for part in found for each in part.happened)
    return Happenings(language, happened, ply, tuple(each for part in found for each in part.motions))


def find_happenings(state: Match, versions: list[int]) -> dict[int, Happenings]:
    """What the steps of these versions did, without those that were taken back or copied from another match.

    That somebody left and that the match ended are left out: they are events of their own.
    """
    if state.play is None:
        return {}
    language, names = find_language(state)
    steps = find_steps(state.play, versions)
    return {
        version: _describe(state.play.ruleset, step, language, names, (RANKED, LEFT, ENDED))
        for version, step in steps.items()
    }


def find_end(state: Match) -> str | None:
    """Why the match ended, by its rules, in a sentence; None if its last step does not say."""
    if state.play is None:
        return None
    ruleset, ply = state.play.ruleset, state.play.ply
    language, names = find_language(state)
    steps = list(list_steps(state.play, ply, ply))
    ended = [effect for effect in (steps[-1].list_effects(ruleset) if steps else ()) if effect.kind == ENDED]
    if not ended:
        return None
    # "The match ends: …" is no news here.
    [sentence] = describe_effects(ruleset, ended[:1], language, dict(names))
    why = sentence.partition(": ")[2]
    return (why[:1].upper() + why[1:]) or None


def list_sentences(state: Match, first: int, last: int) -> Iterator[tuple[str, int, str]]:
    """What the moves and rolls did that led to these positions, in order: `move` or `roll`, the ply, and sentences.

    What only followed from a move is left out.
    """
    if state.play is None:
        return
    ruleset = state.play.ruleset
    language, names = find_language(state)
    for taken in list_steps(state.play, first, last):
        if isinstance(taken.step, Moved | Rolled):
            kind = "move" if isinstance(taken.step, Moved) else "roll"
            yield kind, taken.ply, _summarise(ruleset, taken, language, names)


@lru_cache(1024)
def _summarise(ruleset: AnyRuleset, taken: TakenStep, language: str, names: Named) -> str:
    """What somebody chose in this step, in sentences."""
    effects = taken.list_effects(ruleset)
    chosen = [each for each in effects if each.chosen or each.kind == ROLLED] or effects[:1]
    return " ".join(describe_effects(ruleset, chosen, language, dict(names)))


def find_language(state: Match) -> tuple[str, Named]:
    """The language of sentences, and the names in them."""
    language = negotiate_language()
    return language, tuple(name_players(state, parts().accounts.name_of, language).items())


@lru_cache(1024)
def _describe(
    ruleset: AnyRuleset, step: TakenStep, language: str, names: Named, without: tuple[str, ...] = (RANKED,)
) -> Happenings:
    effects, clauses = step.list_effects(ruleset), read_clauses(ruleset.id, ruleset.version, language)
    # The places are listed where pages tell of the end.
    told = [effect for effect in effects if effect.kind not in without]
    sentences = describe_effects(ruleset, told, language, dict(names))
    happened = tuple(
        Happening(sentence, clauses.get(effect.clause or "")) for effect, sentence in zip(told, sentences, strict=True)
    )
    return Happenings(language, happened, step.ply, tuple(_list_motions(effects)))


def _list_motions(effects: tuple[Effect, ...]) -> Iterator[str]:
    for effect in effects:
        described = describe_effect(effect)
        if "from" in described or "to" in described:
            motion = {name: described[name] for name in MOTION if name in described}
            yield orjson.dumps(motion, default=list).decode()
