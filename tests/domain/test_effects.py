"""Effects say what a step did: all of it, in a fixed order, and nothing that changed nothing."""

import re
from collections.abc import Iterator
from functools import cache
from random import Random
from typing import Any, NamedTuple

import pytest
from jsonschema import Draft202012Validator

from plyscribe.domain.chain import canonical_json
from plyscribe.domain.effects import (
    DETAILS,
    ENDED,
    LEFT,
    NAMES,
    RANKED,
    ROLLED,
    Effect,
    Ended,
    Moved,
    Rolled,
    Step,
    Withdrew,
    describe_effect,
    describe_kinds,
)
from plyscribe.domain.proofs.cases import playthrough_file
from plyscribe.domain.proofs.playthrough import parse_step, read_steps, start_state, take_step
from plyscribe.domain.ruleset import AnyRuleset, Over
from plyscribe.domain.rulesets import RULESETS
from plyscribe.service.rulebooks import read_page
from tests.domain.conformance import play_match, start_position
from tests.domain.prove import every_ruleset, read_cases, read_proof, settings_of
from tests.domain.retelling import find_retelling, retell

PLIES = 1_200
WORD = re.compile(r"[a-z]+(-[a-z]+)*")
FIRST = {Rolled: ROLLED, Withdrew: LEFT, Ended: ENDED}


class Taken(NamedTuple):
    """A step that was taken, with the states around it."""

    before: Any
    step: Step
    after: Any
    effects: tuple[Effect, ...]


def walk(ruleset: AnyRuleset, plies: int, seed: int) -> Iterator[Taken]:
    """The steps of random matches, over all settings in turn, and an agreed end after each twentieth step."""
    random, settings = Random(seed), settings_of(ruleset)
    played = number = 0
    while played < plies:
        start = start_position(ruleset, settings[number % len(settings)])
        number += 1
        for position, text in play_match(start, random, plies // len(settings)):
            if text:
                played += 1
                yield take(ruleset, position.state, parse_step(ruleset, position.state, text))
            if text and played % 20 == 0:
                over = Over("draw-agreed", (1,) * position.seats)
                ended = ruleset.end(position.state, over)
                yield Taken(position.state, Ended(), ended, ruleset.effects(position.state, Ended(), ended))


def take(ruleset: AnyRuleset, before: Any, step: Step) -> Taken:
    after = take_step(ruleset, before, step)
    return Taken(before, step, after, ruleset.effects(before, step, after))


def outcome(ruleset: AnyRuleset, state: Any) -> Over | None:
    turn = ruleset.turn(state)
    return turn if isinstance(turn, Over) else None


@cache
def sample(ruleset: AnyRuleset) -> tuple[Taken, ...]:
    return tuple(walk(ruleset, PLIES, seed=4))


@cache
def proved(ruleset: AnyRuleset) -> tuple[Taken, ...]:
    """The steps of the matches on file."""
    found = []
    for case in read_cases(ruleset).playthroughs:
        state = start_state(ruleset, case)
        for text in read_steps(read_proof(ruleset, playthrough_file(case))):
            found.append(take(ruleset, state, parse_step(ruleset, state, text)))
            state = found[-1].after
    return tuple(found)


def check_completeness(ruleset: AnyRuleset, taken: Taken) -> None:
    view, over = retell(ruleset, ruleset.view(taken.before), taken.effects)
    assert (view, over) == (ruleset.view(taken.after), outcome(ruleset, taken.after)), taken


@every_ruleset
def test_the_view_before_and_the_effects_tell_the_view_after(ruleset: AnyRuleset) -> None:
    for taken in (*sample(ruleset), *proved(ruleset)):
        check_completeness(ruleset, taken)


@pytest.mark.long
@every_ruleset
def test_the_effects_of_many_matches_tell_every_view(ruleset: AnyRuleset) -> None:
    for taken in walk(ruleset, 100_000, seed=5):
        check_completeness(ruleset, taken)


@every_ruleset
def test_no_effect_changes_nothing(ruleset: AnyRuleset) -> None:
    for taken in (*sample(ruleset), *proved(ruleset)):
        for place, effect in enumerate(taken.effects):
            # A roll is a step of its own, whatever follows from it. Whose turn it is need not show in a view.
            if effect.kind in (ROLLED, "passed"):
                continue
            without = taken.effects[:place] + taken.effects[place + 1 :]
            assert not is_retold_alike(ruleset, taken, without), f"{effect} of {taken.effects}"


def is_retold_alike(ruleset: AnyRuleset, taken: Taken, effects: tuple[Effect, ...]) -> bool:
    try:
        return retell(ruleset, ruleset.view(taken.before), effects) == (
            ruleset.view(taken.after),
            outcome(ruleset, taken.after),
        )
    except (AssertionError, KeyError, ValueError, IndexError, TypeError):
        return False


@every_ruleset
def test_effects_are_a_function_of_the_step(ruleset: AnyRuleset) -> None:
    for before, step, after, effects in sample(ruleset)[:500]:
        assert ruleset.effects(before, step, after) == effects


@every_ruleset
def test_the_first_effect_says_what_step_it_was(ruleset: AnyRuleset) -> None:
    for taken in (*sample(ruleset), *proved(ruleset)):
        first, others = taken.effects[0], taken.effects[1:]
        if isinstance(taken.step, Moved):
            assert first.chosen
            assert first.seat == ruleset.turn(taken.before).seat
            assert first.kind not in FIRST.values()
        else:
            assert first.kind == FIRST[type(taken.step)]
        assert [each.kind for each in others if each.kind == LEFT] == []


@every_ruleset
def test_effects_are_of_their_kinds(ruleset: AnyRuleset) -> None:
    kinds = {kind.kind: kind for kind in ruleset.effect_kinds}
    assert len(kinds) == len(ruleset.effect_kinds)
    assert all(WORD.fullmatch(kind) for kind in kinds)
    schema = Draft202012Validator(describe_kinds(ruleset.effect_kinds))
    seen = set()
    for taken in (*sample(ruleset), *proved(ruleset)):
        for effect in taken.effects:
            kind, described = kinds[effect.kind], describe_effect(effect)
            has = {name for name in DETAILS if getattr(effect, name) is not None}
            assert set(kind.has) <= has <= {*kind.has, *kind.may}, effect
            assert effect.clause in kind.clauses, effect
            if canonical_json(described) not in seen:
                seen.add(canonical_json(described))
                schema.validate(described)


@every_ruleset
def test_every_kind_clause_and_word_occurs_in_some_proof(ruleset: AnyRuleset) -> None:
    shown = [effect for taken in proved(ruleset) for effect in taken.effects]
    missing = []
    for kind in ruleset.effect_kinds:
        mine = [effect for effect in shown if effect.kind == kind.kind]
        allowed = {
            "clause": {*kind.clauses} - {None},
            "piece": {*kind.pieces},
            "word": {*kind.words} - {"draw-agreed"},
        }
        for name, values in allowed.items():
            missing += [(kind.kind, name, value) for value in values - {getattr(effect, name) for effect in mine}]
        missing += [] if mine else [(kind.kind, "", "")]
    assert missing == []


@every_ruleset
def test_every_clause_that_changes_something_is_named_by_some_kind(ruleset: AnyRuleset) -> None:
    named = {clause for kind in ruleset.effect_kinds for clause in kind.clauses} - {None}
    assert named == find_retelling(ruleset).CHANGING


@every_ruleset
def test_an_end_gives_every_seat_its_rank_last_of_all(ruleset: AnyRuleset) -> None:
    for taken in (*sample(ruleset), *proved(ruleset)):
        over = outcome(ruleset, taken.after)
        last = [effect for effect in taken.effects if effect.kind in (ENDED, RANKED)]
        assert bool(last) == (over is not None)
        if over:
            assert taken.effects[-len(last) :] == tuple(last)
            assert [effect.amount for effect in last[1:]] == list(over.ranks)


def read_effects_table(ruleset: AnyRuleset) -> dict[str, tuple[set[str], set[str]]]:
    """The clauses and details of each kind, from the table under `## Effects` of the ruleset's page."""
    page = read_page(ruleset.id, ruleset.version) or ""
    section = page.partition("\n## Effects\n")[2].partition("\n## ")[0]
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in section.splitlines() if line.startswith("| `")
    ]
    return {
        kind.strip("`"): ({*filter(None, clauses.split(", "))}, {*re.findall(r"`([a-z]+)`", details)})
        for kind, clauses, details, _ in rows
    }


@pytest.mark.parametrize("ruleset", RULESETS, ids=lambda ruleset: f"{ruleset.id}_v{ruleset.version}")
def test_the_page_of_a_ruleset_lists_the_kinds_of_its_effects(ruleset: AnyRuleset) -> None:
    kinds = {
        kind.kind: ({*kind.clauses} - {None}, {NAMES.get(name, name) for name in kind.has + kind.may})
        for kind in ruleset.effect_kinds
    }
    assert read_effects_table(ruleset) == kinds
