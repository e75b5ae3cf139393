"""The checks can fail: each fault planted into the toy is caught by the check that is meant for it."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import count
from random import Random
from types import MappingProxyType
from typing import Any

import pytest

from plyscribe.domain.effects import LEFT, Effect, EffectKind, Moved, Step, Withdrew
from plyscribe.domain.errors import BadNotation, IllegalMove, NotInPlay, OptionError
from plyscribe.domain.ruleset import AnyRuleset, Decision, Over, Roll, Symmetry
from plyscribe.testing.conformance import (
    POSITION_CHECKS,
    check_defaults,
    check_end,
    check_identity_card,
    check_listing,
    check_notation,
    check_options,
    check_presets,
    check_refusals,
    check_rolls,
    check_sample,
    check_seats,
    check_standing,
    check_symmetries,
    check_text,
    check_transpositions,
    check_turn,
    check_view,
    check_withdrawals,
    check_wrong_options,
    play_matches,
    sample_positions,
)
from plyscribe.testing.effect_checks import (
    STEP_CHECKS,
    Steps,
    ask,
    check_clauses,
    check_completeness,
    check_ends,
    check_first_effect,
    check_kinds,
    check_need,
    check_occurrence,
    check_stability,
    proved,
    sample,
)
from plyscribe.testing.subject import Subject
from tests.domain.prove import settings_of, subject_of
from tests.domain.toy import TOY_V1, Give, Hold, Push, Race, ToyMove, ToyV1, answering, faulty, given

Check = Callable[[AnyRuleset], None]

TOY = subject_of(TOY_V1)


def at_positions(check: Callable[..., None]) -> Check:
    """The check over sound positions, each handed to the faulty ruleset."""

    def run(ruleset: AnyRuleset) -> None:
        for position in sample_positions(TOY):
            check(replace(position, ruleset=ruleset))

    run.__name__ = check.__name__
    return run


def at_steps(check: Callable[..., None], find_steps: Callable[[Subject], Steps] = sample) -> Check:
    """The check over sound steps, of each of which the faulty ruleset lists the effects."""

    def run(ruleset: AnyRuleset) -> None:
        check(subject_of(ruleset), [ask(ruleset, before, step, after) for before, step, after, _ in find_steps(TOY)])

    run.__name__ = check.__name__
    return run


def sampling(ruleset: AnyRuleset) -> None:
    for number, position in enumerate(sample_positions(TOY)):
        check_sample(replace(position, ruleset=ruleset), Random(number))


def playing(ruleset: AnyRuleset) -> None:
    play_matches(ruleset, settings_of(TOY_V1), 600)


def clauses(ruleset: AnyRuleset) -> None:
    check_clauses(subject_of(ruleset))


def meeting(ruleset: AnyRuleset) -> None:
    for setting in settings_of(TOY_V1):
        check_transpositions(ruleset, setting)


def options(ruleset: AnyRuleset) -> None:
    for setting in settings_of(TOY_V1):
        check_options(ruleset, dict(setting.options))


listing = at_positions(check_listing)
notation = at_positions(check_notation)
refusals = at_positions(check_refusals)
rolls = at_positions(check_rolls)
standing = at_positions(check_standing)
text = at_positions(check_text)
turns = at_positions(check_turn)
views = at_positions(check_view)
withdrawals = at_positions(check_withdrawals)
ends = at_positions(check_end)
symmetries = at_positions(check_symmetries)
completeness = at_steps(check_completeness)
need = at_steps(check_need)
stability = at_steps(check_stability)
first_effect = at_steps(check_first_effect)
kinds = at_steps(check_kinds)
occurrence = at_steps(check_occurrence, proved)
told_ends = at_steps(check_ends)


# ---- faulty toys


def refusing(method: str, sound: type[Exception], change: Callable[..., Any]) -> type[ToyV1]:
    """The toy whose method answers, or raises, something else where it has to refuse."""

    def answer(self: ToyV1, *asked: Any, **named: Any) -> Any:
        try:
            return getattr(ToyV1, method)(self, *asked, **named)
        except sound:
            other = change(*asked, *named.values())
        if isinstance(other, Exception):
            raise other
        return other

    return faulty(**{method: answer})


def telling(change: Callable[[list[Effect], Race, Step, Race], Iterable[Effect]]) -> type[ToyV1]:
    """The toy that lists other effects."""
    return answering("_list_effects", lambda effects, *step: change(list(effects), *step))


def folding(name: str, **maps: Any) -> type[ToyV1]:
    """The toy with one symmetry, with these maps instead of maps that change nothing."""
    unchanged = {"map_state": lambda state: state, "map_move": lambda move: move}
    symmetry: Symmetry[Race, ToyMove] = Symmetry(name, **{**unchanged, **maps})
    return faulty(symmetries=lambda self, state: (symmetry,))


def scheming(**changes: Any) -> type[ToyV1]:
    """The toy whose schema says something else of its dice."""

    def change(schema: dict[str, Any]) -> dict[str, Any]:
        schema["properties"]["dice"] |= changes
        return schema

    return answering("options_schema", change)


def without(view: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in view.items() if name != key}


def overwrite(state: Race, **fields: Any) -> None:
    for name, value in fields.items():
        object.__setattr__(state, name, value)


def shuffled(items: Iterable[Any], random: Random) -> list[Any]:
    return random.sample(chosen := list(items), len(chosen))


def empty_purses(result: Race, state: Race, move: ToyMove) -> Race:
    overwrite(state, coins=(0,) * len(state.coins))
    return result


def count_a_ply_on_both(result: Race, state: Race, values: tuple[int, ...]) -> Race:
    overwrite(state, ply=state.ply + 1)
    overwrite(result, ply=state.ply)
    return result


def limit_late(self: ToyV1, state: Race, move: ToyMove) -> Race:
    return replace(TOY_V1.apply_move(replace(state, ply_limit=None), move), ply_limit=state.ply_limit)


def complete(self: ToyV1, raw: dict[str, Any]) -> dict[str, Any]:
    raw.update(TOY_V1.parse_options(raw))
    return raw


def read_third_word(self: ToyV1, state: Race, text: str) -> ToyMove:
    if text.startswith("give"):
        int(text.split(" ")[2])
    return TOY_V1.parse_move(state, text)


def take_any_faces(self: ToyV1, state: Race, values: tuple[int, ...]) -> Race:
    assert isinstance(state.awaits, Roll) or TOY_V1.apply_roll(state, values)
    faces = (*values, 1, 1, 1)[: state.awaits.count]  # type: ignore[union-attr]
    return TOY_V1.apply_roll(state, tuple(max(1, min(5, face)) for face in faces))


def refuse_highest_face(state: Race, values: tuple[int, ...]) -> tuple[Any, ...]:
    return state, () if isinstance(state.awaits, Roll) and state.awaits.sides in values else values


def seat_fewer(self: ToyV1, options: dict[str, Any], seats: int) -> Race:
    if seats < 6:
        return TOY_V1.initial_state(options, min(seats, 4))
    raise OptionError("seats", seats, "2..5")


def with_kind(kind: str, clause: str, *parts: str) -> type[ToyV1]:
    return faulty(effect_kinds=(*ToyV1.effect_kinds, EffectKind(kind, (clause,), parts)))


def change_kinds(kind: str, **changes: Any) -> Callable[..., Iterable[Effect]]:
    """All effects of a kind with other details."""
    return lambda effects, *_: [each._replace(**changes) if each.kind == kind else each for each in effects]


def tell_a_trip_to_the_same_field(effects: list[Effect], before: Race, step: Step, after: Race) -> list[Effect]:
    field = str(after.runners[0])
    stays = isinstance(step, Moved) and after.runners == before.runners
    return [*effects, Effect("ran", "TO2", owner=1, source=field, target=field)] if stays else effects


CHANCE, COINS = Random(1), count()
SOUND = {kind.kind: kind for kind in ToyV1.effect_kinds}

FAULTS: dict[Check, dict[str, type[ToyV1]]] = {
    symmetries: {
        "names a symmetry in two words": folding("half turn"),
        "folds positions of different length": folding(
            "longer", map_state=lambda state: replace(state, ply=state.ply + 1)
        ),
        "folds runners that are not equal": folding(
            "mirror-runners", map_state=lambda state: replace(state, runners=state.runners[::-1])
        ),
        "folds moves that are not equal": folding(
            "swap", map_move=lambda move: {Push(): Hold(), Hold(): Push()}.get(move, move)
        ),
    },
    listing: {
        "repeats a move": answering(
            "legal_moves", lambda moves, state, *_: [*moves, Push()] if isinstance(state.awaits, Decision) else [*moves]
        ),
        "lists nothing": faulty(legal_moves=lambda self, state, prefix="": iter(())),
        "lists moves after the end": given(
            "legal_moves",
            lambda state, *more: (
                replace(state, awaits=Decision(1)) if isinstance(state.awaits, Over) else state,
                *more,
            ),
        ),
        "lists in changing order": answering("legal_moves", lambda moves, *_: iter(shuffled(moves, CHANCE))),
        "ignores the prefix": given("legal_moves", lambda state, prefix="": (state,)),
        "reorders under a prefix": answering(
            "legal_moves", lambda moves, state, prefix="": iter([*moves][::-1] if prefix else [*moves])
        ),
        "spells two moves alike": answering("format_move", lambda text, *_: text.replace("hold", "push")),
    },
    sampling: {
        "samples illegally": faulty(sample_move=lambda self, state, randbelow: Give(state.awaits.seat, 1)),
        "samples what it does not list": faulty(
            legal_moves=lambda self, *asked: (move for move in TOY_V1.legal_moves(*asked) if move != Hold()),
            sample_move=lambda self, *asked: TOY_V1.sample_move(*asked),
        ),
    },
    notation: {
        "formats what it does not read": answering("format_move", lambda text, *_: text.replace("give", "hand")),
        "reads another move": answering("parse_move", lambda move, *_: Push() if move == Hold() else move),
        "pads its notation": faulty(
            format_move=lambda self, state, move: TOY_V1.format_move(state, move) + " ",
            parse_move=lambda self, state, text: TOY_V1.parse_move(state, text.rstrip()),
        ),
    },
    refusals: {
        "reads padded text": given("parse_move", lambda state, text: (state, text.strip())),
        "reads wide digits": given(
            "parse_move", lambda state, text: (state, "".join(str(int(c)) if c.isdecimal() else c for c in text))
        ),
        "reads leading zeros": given("parse_move", lambda state, text: (state, text.replace(" 0", " "))),
        "calls garbage illegal": refusing(
            "parse_move", BadNotation, lambda state, text: IllegalMove(text, state.ply, "TO2", "what?")
        ),
        "calls illegal moves unreadable": refusing(
            "parse_move", IllegalMove, lambda state, text: BadNotation(text, state.ply, "something else")
        ),
        "names no clause": refusing(
            "parse_move", IllegalMove, lambda state, text: IllegalMove(text, state.ply, "illegal", "because")
        ),
        "stumbles over garbage": faulty(parse_move=read_third_word),
        "accepts illegal moves": refusing("parse_move", IllegalMove, lambda *_: Push()),
    },
    playing: {
        "changes the state that it is given": answering("apply_move", empty_purses),
        "rolls dice itself": answering(
            "apply_move", lambda moved, *_: replace(moved, coins=(next(COINS), *moved.coins[1:]))
        ),
        "counts rolls as plies": answering("apply_roll", lambda after, state, _: replace(after, ply=state.ply + 1)),
        "plays beyond the ply limit": faulty(apply_move=limit_late),
    },
    rolls: {
        "changes the state on a roll": answering("apply_roll", count_a_ply_on_both),
        "takes any faces": faulty(apply_roll=take_any_faces),
        "ignores undue rolls": faulty(
            apply_roll=lambda self, state, values: (
                TOY_V1.apply_roll(state, values) if isinstance(state.awaits, Roll) else state
            )
        ),
        "refuses the highest face": given("apply_roll", refuse_highest_face),
    },
    meeting: {"hides something": answering("view", lambda view, _: without(view, "coins"))},
    views: {
        "forgets who left": answering("view", lambda view, _: without(view, "left")),
        "puts its own keys first": answering("view", lambda view, _: dict(sorted(view.items()))),
        "shows tuples": answering("view", lambda view, state: {**view, "coins": state.coins}),
        "keys by number": answering("view", lambda view, state: {**view, "coins": dict(enumerate(state.coins))}),
    },
    text: {
        "draws too wide": answering("render_text", lambda drawing, _: drawing + "." * 100),
        "draws with emoji": answering("render_text", lambda drawing, _: drawing + "\U0001f3b2"),
    },
    turns: {
        "lets leavers decide": answering(
            "turn", lambda turn, state: Decision(state.left[0]) if state.left and isinstance(turn, Decision) else turn
        ),
        "rolls for seat zero": answering(
            "turn", lambda turn, _: replace(turn, seat=turn.seat or 0) if isinstance(turn, Roll) else turn
        ),
        "denies its dice": faulty(
            has_chance=lambda self, options: False, initial_state=lambda self, *asked: TOY_V1.initial_state(*asked)
        ),
        "ranks with gaps": answering(
            "turn",
            lambda turn, _: (
                replace(turn, ranks=tuple(rank + 1 for rank in turn.ranks)) if isinstance(turn, Over) else turn
            ),
        ),
    },
    standing: {
        "ranks leavers by fields": given("standing", lambda state: (replace(state, left=()),)),
        "ranks the first to leave higher": given("standing", lambda state: (replace(state, left=state.left[::-1]),)),
        "evaluates in fractions": answering("evaluate", lambda value, *_: value / 2),
    },
    ends: {
        "stays on turn after an end": faulty(end=lambda self, state, over: state),
        "counts an end as a move": answering("end", lambda after, *_: replace(after, ply=after.ply + 1)),
    },
    withdrawals: {
        "lets seats leave twice": refusing("withdraw", NotInPlay, lambda state, seat: state),
        "waits for leavers": answering(
            "withdraw",
            lambda after, state, _: after if isinstance(after.awaits, Over) else replace(after, awaits=state.awaits),
        ),
        "plays on alone": answering(
            "withdraw",
            lambda after, *_: replace(after, awaits=Decision(after.in_play[0])) if len(after.in_play) == 1 else after,
        ),
        "counts withdrawals as moves": answering("withdraw", lambda after, *_: replace(after, ply=after.ply + 1)),
    },
    check_wrong_options: {
        "takes true for one": given(
            "parse_options", lambda raw: ({name: 1 if value is True else value for name, value in raw.items()},)
        ),
        "takes whole floats": given(
            "parse_options", lambda raw: ({name: 1 if value == 1.0 else value for name, value in raw.items()},)
        ),
        "ignores unknown options": given(
            "parse_options", lambda raw: ({name: raw[name] for name in raw if name in ("dice", "ply_limit")},)
        ),
        "refuses without the name": refusing(
            "parse_options", OptionError, lambda raw: OptionError("option", "value", "less")
        ),
    },
    options: {
        "leaves defaults out": answering(
            "parse_options", lambda parsed, raw: {name: parsed[name] for name in parsed if name in raw}
        ),
        "completes its argument": faulty(parse_options=complete),
        "allows more than its schema": scheming(maximum=1),
    },
    check_defaults: {
        "documents another default": scheming(default=1),
        "needs a ply limit": answering(
            "parse_options", lambda parsed, _: {**parsed, "ply_limit": parsed["ply_limit"] or 500}
        ),
    },
    check_presets: {"names its defaults": faulty(presets=MappingProxyType({"usual": {"dice": 2}}))},
    check_seats: {
        "seats any number": faulty(
            initial_state=lambda self, options, seats: replace(
                TOY_V1.initial_state(options, 2), runners=(0,) * seats, coins=(0,) * seats
            )
        ),
        "seats fewer than it says": faulty(max_seats=5, initial_state=seat_fewer),
    },
    check_identity_card: {"has a space in its id": faulty(id="my toy")},
    completeness: {
        "leaves an effect out": telling(lambda effects, *_: [each for each in effects if each.kind != "received"]),
        "tells another amount": telling(change_kinds("took", amount=9)),
        "says what nobody can retell": telling(lambda effects, *_: [*effects, Effect("sneezed", None)]),
    },
    need: {
        "tells what changed nothing": telling(
            lambda effects, *_: [*effects, Effect("received", "TO4", owner=1, amount=0)]
        ),
        "tells a trip to the same field": telling(tell_a_trip_to_the_same_field),
    },
    stability: {"tells in changing order": telling(lambda effects, *_: [*effects[:1], *shuffled(effects[1:], CHANCE)])},
    first_effect: {
        "tells the choice last": telling(lambda effects, *_: effects[::-1]),
        "hides that a seat chose": telling(lambda effects, *_: [each._replace(chosen=False) for each in effects]),
        "lets another seat choose": telling(
            lambda effects, *_: [
                each._replace(seat=each.seat % 2 + 1) if each.chosen and each.seat else each for each in effects
            ]
        ),
        "tells a withdrawal twice": telling(
            lambda effects, before, step, after: (
                [*effects, Effect(LEFT, "TO11", owner=step.seat)] if isinstance(step, Withdrew) else effects
            )
        ),
    },
    kinds: {
        "has an effect of no kind": telling(
            lambda effects, before, step, after: (
                effects if before.runners == after.runners else [*effects, Effect("cheered", "TO2", seat=1)]
            )
        ),
        "has a detail that its kind has not": telling(change_kinds("pushed", owner=1)),
        "lacks a detail of its kind": telling(change_kinds("ran", source=None)),
        "names a clause that its kind has not": telling(
            lambda effects, *_: [each._replace(clause="TO5") for each in effects]
        ),
        "says a word that its kind has not": telling(
            lambda effects, *_: [each._replace(word="snow") if each.word == "weather" else each for each in effects]
        ),
        "declares a kind twice": with_kind("took", "TO4", "owner"),
    },
    occurrence: {
        "declares a kind that never occurs": with_kind("slept", "TO3", "seat"),
        "declares a clause that never occurs": faulty(
            effect_kinds=(
                *(kind for kind in ToyV1.effect_kinds if kind.kind != "took"),
                SOUND["took"]._replace(clauses=(*SOUND["took"].clauses, "TO8")),
            )
        ),
    },
    clauses: {
        "forgets a clause": faulty(effect_kinds=tuple(kind for kind in ToyV1.effect_kinds if kind.kind != "took")),
        "names a clause that changes nothing": with_kind("refused", "TO5", "seat"),
    },
    told_ends: {
        "ranks nobody at the end": answering(
            "effects", lambda effects, *_: tuple(each for each in effects if each.kind != "ranked")
        ),
        "tells the end first": answering(
            "effects", lambda effects, *_: tuple(sorted(effects, key=lambda each: each.kind != "ended"))
        ),
    },
}
IN_PLAY_TOO = [
    "samples illegally",
    "formats what it does not read",
    "changes the state on a roll",
    "hides something",
    "forgets who left",
    "denies its dice",
    "waits for leavers",
]
"""Faults that random matches show as well."""

PLANTED = [(fault, toy, check) for check, faults in FAULTS.items() for fault, toy in faults.items()]
PLANTED += [(fault, toy, playing) for fault, toy, _ in PLANTED if fault in IN_PLAY_TOO]
CAUGHT = {check for _, _, check in PLANTED}


@pytest.mark.parametrize(
    ("toy", "check"), [pytest.param(toy, check, id=f"{check.__name__}: it {fault}") for fault, toy, check in PLANTED]
)
def test_a_planted_fault_is_caught(toy: type[ToyV1], check: Check) -> None:
    with pytest.raises(AssertionError):
        check(toy())


def test_the_sound_toy_passes_the_same_checks() -> None:
    for check in CAUGHT:
        check(TOY_V1)


def test_every_check_has_a_fault_that_it_catches() -> None:
    names = {check.__name__ for check in CAUGHT}
    assert {check.__name__ for check in (*POSITION_CHECKS, *STEP_CHECKS, check_occurrence)} | {"clauses"} <= names
