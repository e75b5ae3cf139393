"""What the effects of every ruleset must keep, as plain functions that raise AssertionError where they do not.

A check takes what is proved and steps of its matches (`Taken`). `sample` and `proved` find steps.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from random import Random
from typing import Any, NamedTuple

from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from plyscribe.domain.chain import canonical_json
from plyscribe.domain.effects import (
    DETAILS,
    ENDED,
    LEFT,
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
from plyscribe.testing.conformance import WORD, play_match, start_position
from plyscribe.testing.retelling import load_retelling, retell
from plyscribe.testing.subject import Subject

PLIES = 1_200
FIRST = {Rolled: ROLLED, Withdrew: LEFT, Ended: ENDED}


class Taken(NamedTuple):
    """A step that was taken, with the states around it."""

    before: Any
    step: Step
    after: Any
    effects: tuple[Effect, ...]


Steps = Sequence[Taken]


def ask(ruleset: AnyRuleset, before: Any, step: Step, after: Any) -> Taken:
    """The step with its effects as this ruleset lists them."""
    return Taken(before, step, after, ruleset.effects(before, step, after))


def take(ruleset: AnyRuleset, before: Any, step: Step) -> Taken:
    """The step, taken."""
    return ask(ruleset, before, step, take_step(ruleset, before, step))


def walk(subject: Subject, plies: int, seed: int) -> Iterator[Taken]:
    """The steps of random matches, over all settings in turn, and an agreed end after each twentieth step."""
    ruleset, random, settings = subject.ruleset, Random(seed), subject.settings
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
                yield ask(ruleset, position.state, Ended(), ruleset.end(position.state, over))


@cache
def sample(subject: Subject) -> Steps:
    """The steps of some random matches."""
    return tuple(walk(subject, PLIES, seed=4))


@cache
def proved(subject: Subject) -> Steps:
    """The steps of the matches on file."""
    found, ruleset = list[Taken](), subject.ruleset
    for case in subject.cases.playthroughs:
        state = start_state(ruleset, case)
        for text in read_steps(subject.read(playthrough_file(case))):
            found.append(take(ruleset, state, parse_step(ruleset, state, text)))
            state = found[-1].after
    return tuple(found)


def outcome(ruleset: AnyRuleset, state: Any) -> Over | None:
    """How the match ended; None if it goes on."""
    turn = ruleset.turn(state)
    return turn if isinstance(turn, Over) else None


def check_completeness(subject: Subject, steps: Iterable[Taken]) -> None:
    """The view before and the effects tell the view after, and the outcome."""
    ruleset, retelling = subject.ruleset, load_retelling(subject.retelling)
    for taken in steps:
        told = retell(retelling, ruleset.view(taken.before), taken.effects)
        assert told == (ruleset.view(taken.after), outcome(ruleset, taken.after)), taken


def check_need(subject: Subject, steps: Iterable[Taken]) -> None:
    """Without any one of its effects, a step cannot be retold."""
    for taken in steps:
        for place, effect in enumerate(taken.effects):
            # A roll is a step of its own, whatever follows from it. Whose turn it is need not show in a view.
            if effect.kind not in (ROLLED, "passed"):
                without = taken.effects[:place] + taken.effects[place + 1 :]
                assert not is_retold_alike(subject, taken, without), f"{effect} of {taken.effects}"


def is_retold_alike(subject: Subject, taken: Taken, effects: tuple[Effect, ...]) -> bool:
    """Whether these effects tell what the step did."""
    try:
        check_completeness(subject, [taken._replace(effects=effects)])
    except (AssertionError, KeyError, ValueError, IndexError, TypeError):
        return False
    return True


def check_stability(subject: Subject, steps: Iterable[Taken]) -> None:
    """Asked again, a step has the same effects in the same order."""
    for before, step, after, effects in steps:
        assert subject.ruleset.effects(before, step, after) == effects, step


def check_first_effect(subject: Subject, steps: Iterable[Taken]) -> None:
    """The first effect of a move is chosen by the seat on turn; that of another step is the kind of the step."""
    for taken in steps:
        first, others = taken.effects[0], taken.effects[1:]
        if isinstance(taken.step, Moved):
            assert first.chosen, taken
            assert first.seat == subject.ruleset.turn(taken.before).seat, taken  # type: ignore[union-attr]
            assert first.kind not in FIRST.values(), taken
        else:
            assert first.kind == FIRST[type(taken.step)], taken
        assert LEFT not in [each.kind for each in others], taken


def check_kinds(subject: Subject, steps: Iterable[Taken]) -> None:
    """Every effect is of a kind that the ruleset declares, with its clauses and details, and fits its schema."""
    kinds = {kind.kind: kind for kind in subject.ruleset.effect_kinds}
    assert len(kinds) == len(subject.ruleset.effect_kinds)
    assert all(WORD.fullmatch(kind) for kind in kinds)
    schema, seen = Draft202012Validator(describe_kinds(subject.ruleset.effect_kinds)), set()
    for taken in steps:
        for effect in taken.effects:
            assert effect.kind in kinds, effect
            kind, described = kinds[effect.kind], describe_effect(effect)
            has = {name for name in DETAILS if getattr(effect, name) is not None}
            assert set(kind.has) <= has <= {*kind.has, *kind.may}, effect
            assert effect.clause in kind.clauses, effect
            if canonical_json(described) not in seen:
                seen.add(canonical_json(described))
                assert schema.is_valid(described), effect


def check_occurrence(subject: Subject, steps: Iterable[Taken]) -> None:
    """Every declared kind occurs, with each of its clauses, pieces and words."""
    shown = [effect for taken in steps for effect in taken.effects]
    missing = []
    for kind in subject.ruleset.effect_kinds:
        mine = [effect for effect in shown if effect.kind == kind.kind]
        allowed: dict[str, set[str | None]] = {
            "clause": {*kind.clauses} - {None},
            "piece": {*kind.pieces},
            "word": {word for word in kind.words if word != "draw-agreed"},
        }
        for name, values in allowed.items():
            missing += [(kind.kind, name, value) for value in values - {getattr(effect, name) for effect in mine}]
        missing += [] if mine else [(kind.kind, "", "")]
    assert not missing, missing


def check_clauses(subject: Subject) -> None:
    """The kinds name exactly the clauses that change something."""
    named = {clause for kind in subject.ruleset.effect_kinds for clause in kind.clauses} - {None}
    changing = load_retelling(subject.retelling).CHANGING
    assert named == changing, named ^ changing


def check_ends(subject: Subject, steps: Iterable[Taken]) -> None:
    """The last effects of a step that ends the match are its end and the rank of every seat; no other has them."""
    for taken in steps:
        over = outcome(subject.ruleset, taken.after)
        last = [effect for effect in taken.effects if effect.kind in (ENDED, RANKED)]
        assert bool(last) == (over is not None), taken
        if over:
            assert taken.effects[-len(last) :] == tuple(last), taken
            assert [effect.amount for effect in last[1:]] == list(over.ranks), taken


STEP_CHECKS: tuple[Callable[[Subject, Iterable[Taken]], None], ...] = (
    check_completeness,
    check_need,
    check_stability,
    check_first_effect,
    check_kinds,
    check_ends,
)
"""The checks that hold for any steps."""
