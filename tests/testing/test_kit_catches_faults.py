"""The checks can fail: each fault planted into the toy is caught by the check that is meant for it."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import count
from random import Random
from types import MappingProxyType
from typing import Any

import pytest

from plyscribe.domain.effects import LEFT, Effect, EffectKind, Moved, Step, Withdrew
from plyscribe.domain.errors import BadNotation, IllegalMove, NotInPlay, OptionError
from plyscribe.domain.ruleset import AnyRuleset, Decision, Over, RandBelow, Roll, Symmetry, Turn
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
from tests.domain.toy import TOY_V1, Give, Hold, Push, Race, ToyMove, ToyV1

Check = Callable[[AnyRuleset], None]

TOY = subject_of(TOY_V1)

FAULTS: list[tuple[type[ToyV1], Check]] = []


def caught_by(*checks: Check) -> Callable[[type[ToyV1]], type[ToyV1]]:
    """Enter a faulty ruleset with each check that must catch it."""

    def enter(fault: type[ToyV1]) -> type[ToyV1]:
        FAULTS.extend((fault, check) for check in checks)
        return fault

    return enter


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


# ---- symmetries


def fold(name: str, **maps: Any) -> Callable[[ToyV1, Race], tuple[Symmetry[Race, ToyMove], ...]]:
    """The symmetries of a game that has this one alone, with these maps instead of maps that change nothing."""
    symmetry: Symmetry[Race, ToyMove] = Symmetry(
        name, maps.get("map_state", lambda state: state), maps.get("map_move", lambda move: move)
    )
    return lambda self, state: (symmetry,)


@caught_by(symmetries)
class NamesASymmetryInTwoWords(ToyV1):
    symmetries = fold("half turn")


@caught_by(symmetries)
class FoldsPositionsOfDifferentLength(ToyV1):
    symmetries = fold("longer", map_state=lambda state: replace(state, ply=state.ply + 1))


@caught_by(symmetries)
class FoldsRunnersThatAreNotEqual(ToyV1):
    symmetries = fold("mirror-runners", map_state=lambda state: replace(state, runners=state.runners[::-1]))


@caught_by(symmetries)
class FoldsMovesThatAreNotEqual(ToyV1):
    symmetries = fold("swap", map_move=lambda move: {Push(): Hold(), Hold(): Push()}.get(move, move))


# ---- legal moves


@caught_by(listing)
class RepeatsAMove(ToyV1):
    def legal_moves(self, state: Race, prefix: str = "") -> Iterator[ToyMove]:
        yield from super().legal_moves(state, prefix)
        if isinstance(state.awaits, Decision):
            yield Push()


@caught_by(listing)
class ListsNothing(ToyV1):
    def legal_moves(self, state: Race, prefix: str = "") -> Iterator[ToyMove]:
        return iter(())


@caught_by(listing)
class ListsMovesAfterTheEnd(ToyV1):
    def legal_moves(self, state: Race, prefix: str = "") -> Iterator[ToyMove]:
        over = isinstance(state.awaits, Over)
        return super().legal_moves(replace(state, awaits=Decision(1)) if over else state, prefix)


@caught_by(listing)
class ListsInChangingOrder(ToyV1):
    random = Random(1)

    def legal_moves(self, state: Race, prefix: str = "") -> Iterator[ToyMove]:
        moves = list(super().legal_moves(state, prefix))
        self.random.shuffle(moves)
        return iter(moves)


@caught_by(listing)
class IgnoresThePrefix(ToyV1):
    def legal_moves(self, state: Race, prefix: str = "") -> Iterator[ToyMove]:
        return super().legal_moves(state)


@caught_by(listing)
class ReordersUnderAPrefix(ToyV1):
    def legal_moves(self, state: Race, prefix: str = "") -> Iterator[ToyMove]:
        moves = list(super().legal_moves(state, prefix))
        return iter(moves[::-1] if prefix else moves)


@caught_by(sampling, playing)
class SamplesIllegally(ToyV1):
    def sample_move(self, state: Race, randbelow: RandBelow) -> ToyMove:
        assert isinstance(state.awaits, Decision)
        return Give(state.awaits.seat, 1)


@caught_by(sampling)
class SamplesWhatItDoesNotList(ToyV1):
    def legal_moves(self, state: Race, prefix: str = "") -> Iterator[ToyMove]:
        return (move for move in super().legal_moves(state, prefix) if move != Hold())

    def sample_move(self, state: Race, randbelow: RandBelow) -> ToyMove:
        return TOY_V1.sample_move(state, randbelow)


# ---- notation


@caught_by(notation, playing)
class FormatsWhatItDoesNotRead(ToyV1):
    def format_move(self, state: Race, move: ToyMove) -> str:
        return super().format_move(state, move).replace("give", "hand")


@caught_by(notation)
class ReadsAnotherMove(ToyV1):
    def parse_move(self, state: Race, text: str) -> ToyMove:
        move = super().parse_move(state, text)
        return Push() if move == Hold() else move


@caught_by(notation)
class PadsItsNotation(ToyV1):
    def format_move(self, state: Race, move: ToyMove) -> str:
        return super().format_move(state, move) + " "

    def parse_move(self, state: Race, text: str) -> ToyMove:
        return super().parse_move(state, text.rstrip())


@caught_by(listing)
class SpellsTwoMovesAlike(ToyV1):
    def format_move(self, state: Race, move: ToyMove) -> str:
        return super().format_move(state, move).replace("hold", "push")


@caught_by(refusals)
class ReadsPaddedText(ToyV1):
    def parse_move(self, state: Race, text: str) -> ToyMove:
        return super().parse_move(state, text.strip())


@caught_by(refusals)
class ReadsWideDigits(ToyV1):
    def parse_move(self, state: Race, text: str) -> ToyMove:
        return super().parse_move(state, "".join(str(int(c)) if c.isdecimal() else c for c in text))


@caught_by(refusals)
class ReadsLeadingZeros(ToyV1):
    def parse_move(self, state: Race, text: str) -> ToyMove:
        return super().parse_move(state, text.replace(" 0", " "))


@caught_by(refusals)
class CallsGarbageIllegal(ToyV1):
    def parse_move(self, state: Race, text: str) -> ToyMove:
        try:
            return super().parse_move(state, text)
        except BadNotation:
            raise IllegalMove(text, state.ply, "TO2", "what?") from None


@caught_by(refusals)
class CallsIllegalMovesUnreadable(ToyV1):
    def parse_move(self, state: Race, text: str) -> ToyMove:
        try:
            return super().parse_move(state, text)
        except IllegalMove:
            raise BadNotation(text, state.ply, "something else") from None


@caught_by(refusals)
class NamesNoClause(ToyV1):
    def parse_move(self, state: Race, text: str) -> ToyMove:
        try:
            return super().parse_move(state, text)
        except IllegalMove:
            raise IllegalMove(text, state.ply, "illegal", "because") from None


@caught_by(refusals)
class StumblesOverGarbage(ToyV1):
    def parse_move(self, state: Race, text: str) -> ToyMove:
        if text.startswith("give"):
            int(text.split(" ")[2])
        return super().parse_move(state, text)


@caught_by(refusals)
class AcceptsIllegalMoves(ToyV1):
    def parse_move(self, state: Race, text: str) -> ToyMove:
        try:
            return super().parse_move(state, text)
        except IllegalMove:
            return Push()


# ---- states


def overwrite(state: Race, **fields: Any) -> None:
    for name, value in fields.items():
        object.__setattr__(state, name, value)


@caught_by(playing)
class ChangesTheStateItIsGiven(ToyV1):
    def apply_move(self, state: Race, move: ToyMove) -> Race:
        result = super().apply_move(state, move)
        overwrite(state, coins=(0,) * len(state.coins))
        return result


@caught_by(playing, rolls)
class ChangesTheStateOnARoll(ToyV1):
    def apply_roll(self, state: Race, values: tuple[int, ...]) -> Race:
        result = super().apply_roll(state, values)
        overwrite(state, ply=state.ply + 1)
        overwrite(result, ply=state.ply)
        return result


@caught_by(playing)
class RollsDiceItself(ToyV1):
    coins = count()

    def apply_move(self, state: Race, move: ToyMove) -> Race:
        moved = super().apply_move(state, move)
        return replace(moved, coins=(next(self.coins), *moved.coins[1:]))


@caught_by(playing, meeting)
class HidesSomething(ToyV1):
    def view(self, state: Race) -> dict[str, Any]:
        view = super().view(state)
        del view["coins"]
        return view


@caught_by(playing)
class CountsRollsAsPlies(ToyV1):
    def apply_roll(self, state: Race, values: tuple[int, ...]) -> Race:
        return replace(super().apply_roll(state, values), ply=state.ply + 1)


@caught_by(playing)
class PlaysBeyondThePlyLimit(ToyV1):
    def apply_move(self, state: Race, move: ToyMove) -> Race:
        limitless = replace(state, ply_limit=None)
        return replace(super().apply_move(limitless, move), ply_limit=state.ply_limit)


# ---- views and drawings


@caught_by(views, playing)
class ForgetsWhoLeft(ToyV1):
    def view(self, state: Race) -> dict[str, Any]:
        view = super().view(state)
        del view["left"]
        return view


@caught_by(views)
class PutsItsOwnKeysFirst(ToyV1):
    def view(self, state: Race) -> dict[str, Any]:
        return dict(sorted(super().view(state).items()))


@caught_by(views)
class ShowsTuples(ToyV1):
    def view(self, state: Race) -> dict[str, Any]:
        return {**super().view(state), "coins": state.coins}


@caught_by(views)
class KeysByNumber(ToyV1):
    def view(self, state: Race) -> dict[str, Any]:
        return {**super().view(state), "coins": dict(enumerate(state.coins))}


@caught_by(text)
class DrawsTooWide(ToyV1):
    def render_text(self, state: Race) -> str:
        return super().render_text(state) + "." * 100


@caught_by(text)
class DrawsWithEmoji(ToyV1):
    def render_text(self, state: Race) -> str:
        return super().render_text(state) + "\U0001f3b2"


# ---- turns, ranks, withdrawals


@caught_by(turns)
class LetsLeaversDecide(ToyV1):
    def turn(self, state: Race) -> Turn:
        turn = super().turn(state)
        return Decision(state.left[0]) if state.left and isinstance(turn, Decision) else turn


@caught_by(turns)
class RollsForSeatZero(ToyV1):
    def turn(self, state: Race) -> Turn:
        turn = super().turn(state)
        return replace(turn, seat=turn.seat or 0) if isinstance(turn, Roll) else turn


@caught_by(turns, playing)
class DeniesItsDice(ToyV1):
    def has_chance(self, options: dict[str, Any]) -> bool:
        return False

    def initial_state(self, options: dict[str, Any], seats: int) -> Race:
        return TOY_V1.initial_state(options, seats)


@caught_by(turns)
class RanksWithGaps(ToyV1):
    def turn(self, state: Race) -> Turn:
        turn = super().turn(state)
        return replace(turn, ranks=tuple(rank + 1 for rank in turn.ranks)) if isinstance(turn, Over) else turn


@caught_by(standing)
class RanksLeaversByFields(ToyV1):
    def standing(self, state: Race) -> tuple[int, ...]:
        return super().standing(replace(state, left=()))


@caught_by(standing)
class RanksTheFirstToLeaveHigher(ToyV1):
    def standing(self, state: Race) -> tuple[int, ...]:
        return super().standing(replace(state, left=state.left[::-1]))


@caught_by(standing)
class EvaluatesInFractions(ToyV1):
    def evaluate(self, state: Race, seat: int) -> int:
        return super().evaluate(state, seat) / 2  # type: ignore[return-value]


@caught_by(ends)
class StaysOnTurnAfterAnEnd(ToyV1):
    def end(self, state: Race, over: Over) -> Race:
        return state


@caught_by(ends)
class CountsAnEndAsAMove(ToyV1):
    def end(self, state: Race, over: Over) -> Race:
        return replace(super().end(state, over), ply=state.ply + 1)


@caught_by(withdrawals)
class LetsSeatsLeaveTwice(ToyV1):
    def withdraw(self, state: Race, seat: int) -> Race:
        try:
            return super().withdraw(state, seat)
        except NotInPlay:
            return state


@caught_by(withdrawals, playing)
class WaitsForLeavers(ToyV1):
    def withdraw(self, state: Race, seat: int) -> Race:
        after = super().withdraw(state, seat)
        return after if isinstance(after.awaits, Over) else replace(after, awaits=state.awaits)


@caught_by(withdrawals)
class PlaysOnAlone(ToyV1):
    def withdraw(self, state: Race, seat: int) -> Race:
        after = super().withdraw(state, seat)
        return replace(after, awaits=Decision(after.in_play[0])) if len(after.in_play) == 1 else after


@caught_by(withdrawals)
class CountsWithdrawalsAsMoves(ToyV1):
    def withdraw(self, state: Race, seat: int) -> Race:
        return replace(super().withdraw(state, seat), ply=state.ply + 1)


# ---- rolls


@caught_by(rolls)
class TakesAnyFaces(ToyV1):
    def apply_roll(self, state: Race, values: tuple[int, ...]) -> Race:
        assert isinstance(state.awaits, Roll) or super().apply_roll(state, values)
        faces = (*values, 1, 1, 1)[: state.awaits.count]  # type: ignore[union-attr]
        return super().apply_roll(state, tuple(max(1, min(5, face)) for face in faces))


@caught_by(rolls)
class IgnoresUndueRolls(ToyV1):
    def apply_roll(self, state: Race, values: tuple[int, ...]) -> Race:
        return super().apply_roll(state, values) if isinstance(state.awaits, Roll) else state


@caught_by(rolls)
class RefusesTheHighestFace(ToyV1):
    def apply_roll(self, state: Race, values: tuple[int, ...]) -> Race:
        if isinstance(state.awaits, Roll) and state.awaits.sides in values:
            return super().apply_roll(state, ())
        return super().apply_roll(state, values)


# ---- options


@caught_by(check_wrong_options)
class TakesTrueForOne(ToyV1):
    def parse_options(self, raw: dict[str, Any]) -> dict[str, Any]:
        return super().parse_options({name: int(value) if value is True else value for name, value in raw.items()})


@caught_by(check_wrong_options)
class TakesWholeFloats(ToyV1):
    def parse_options(self, raw: dict[str, Any]) -> dict[str, Any]:
        return super().parse_options({name: 1 if value == 1.0 else value for name, value in raw.items()})


@caught_by(check_wrong_options)
class IgnoresUnknownOptions(ToyV1):
    def parse_options(self, raw: dict[str, Any]) -> dict[str, Any]:
        return super().parse_options({name: value for name, value in raw.items() if name in ("dice", "ply_limit")})


@caught_by(check_wrong_options)
class RefusesWithoutTheName(ToyV1):
    def parse_options(self, raw: dict[str, Any]) -> dict[str, Any]:
        try:
            return super().parse_options(raw)
        except OptionError:
            raise OptionError("option", "value", "less") from None


@caught_by(options)
class LeavesDefaultsOut(ToyV1):
    def parse_options(self, raw: dict[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in super().parse_options(raw).items() if name in raw}


@caught_by(options)
class CompletesItsArgument(ToyV1):
    def parse_options(self, raw: dict[str, Any]) -> dict[str, Any]:
        raw.update(super().parse_options(raw))
        return raw


@caught_by(options)
class AllowsMoreThanItsSchema(ToyV1):
    def options_schema(self) -> dict[str, Any]:
        schema = super().options_schema()
        schema["properties"]["dice"]["maximum"] = 1
        return schema


@caught_by(check_defaults)
class DocumentsAnotherDefault(ToyV1):
    def options_schema(self) -> dict[str, Any]:
        schema = super().options_schema()
        schema["properties"]["dice"]["default"] = 1
        return schema


@caught_by(check_defaults)
class NeedsAPlyLimit(ToyV1):
    def parse_options(self, raw: dict[str, Any]) -> dict[str, Any]:
        options = super().parse_options(raw)
        return {**options, "ply_limit": options["ply_limit"] or 500}


@caught_by(check_presets)
class NamesItsDefaults(ToyV1):
    presets = MappingProxyType({"usual": {"dice": 2}})


@caught_by(check_seats)
class SeatsAnyNumber(ToyV1):
    def initial_state(self, options: dict[str, Any], seats: int) -> Race:
        return replace(super().initial_state(options, 2), runners=(0,) * seats, coins=(0,) * seats)


@caught_by(check_seats)
class SeatsFewerThanItSays(ToyV1):
    max_seats = 5

    def initial_state(self, options: dict[str, Any], seats: int) -> Race:
        return TOY_V1.initial_state(options, min(seats, 4)) if seats < 6 else super().initial_state(options, seats)


@caught_by(check_identity_card)
class HasASpaceInItsId(ToyV1):
    id = "my toy"


# ---- effects


@caught_by(completeness)
class LeavesAnEffectOut(ToyV1):
    def _list_effects(self, before: Race, step: Step, after: Race) -> Iterable[Effect]:
        return (effect for effect in super()._list_effects(before, step, after) if effect.kind != "received")


@caught_by(completeness)
class TellsAnotherAmount(ToyV1):
    def _list_effects(self, before: Race, step: Step, after: Race) -> Iterator[Effect]:
        for effect in super()._list_effects(before, step, after):
            yield effect._replace(amount=9) if effect.kind == "took" else effect


@caught_by(completeness)
class SaysWhatNobodyCanRetell(ToyV1):
    def _list_effects(self, before: Race, step: Step, after: Race) -> Iterator[Effect]:
        yield from super()._list_effects(before, step, after)
        yield Effect("sneezed", None)


@caught_by(need)
class TellsWhatChangedNothing(ToyV1):
    def _list_effects(self, before: Race, step: Step, after: Race) -> Iterator[Effect]:
        yield from super()._list_effects(before, step, after)
        yield Effect("received", "TO4", owner=1, amount=0)


@caught_by(need)
class TellsATripToTheSameField(ToyV1):
    def _list_effects(self, before: Race, step: Step, after: Race) -> Iterator[Effect]:
        yield from super()._list_effects(before, step, after)
        if isinstance(step, Moved) and after.runners == before.runners:
            yield Effect("ran", "TO2", owner=1, source=str(after.runners[0]), target=str(after.runners[0]))


@caught_by(stability)
class TellsInChangingOrder(ToyV1):
    random = Random(1)

    def _list_effects(self, before: Race, step: Step, after: Race) -> Iterable[Effect]:
        effects = list(super()._list_effects(before, step, after))
        others = effects[1:]
        self.random.shuffle(others)
        return [*effects[:1], *others]


@caught_by(first_effect)
class TellsTheChoiceLast(ToyV1):
    def _list_effects(self, before: Race, step: Step, after: Race) -> Iterable[Effect]:
        return [*super()._list_effects(before, step, after)][::-1]


@caught_by(first_effect)
class HidesThatASeatChose(ToyV1):
    def _list_effects(self, before: Race, step: Step, after: Race) -> Iterator[Effect]:
        return (effect._replace(chosen=False) for effect in super()._list_effects(before, step, after))


@caught_by(first_effect)
class LetsAnotherSeatChoose(ToyV1):
    def _list_effects(self, before: Race, step: Step, after: Race) -> Iterator[Effect]:
        for effect in super()._list_effects(before, step, after):
            yield effect._replace(seat=effect.seat % 2 + 1) if effect.chosen and effect.seat else effect


@caught_by(first_effect)
class TellsAWithdrawalTwice(ToyV1):
    def _list_effects(self, before: Race, step: Step, after: Race) -> Iterator[Effect]:
        yield from super()._list_effects(before, step, after)
        if isinstance(step, Withdrew):
            yield Effect(LEFT, "TO11", owner=step.seat)


@caught_by(kinds)
class HasAnEffectOfNoKind(ToyV1):
    def _list_effects(self, before: Race, step: Step, after: Race) -> Iterator[Effect]:
        yield from super()._list_effects(before, step, after)
        if before.runners != after.runners:
            yield Effect("cheered", "TO2", seat=1)


@caught_by(kinds)
class HasADetailThatItsKindHasNot(ToyV1):
    def _list_effects(self, before: Race, step: Step, after: Race) -> Iterator[Effect]:
        for effect in super()._list_effects(before, step, after):
            yield effect._replace(owner=effect.seat) if effect.kind == "pushed" else effect


@caught_by(kinds)
class LacksADetailOfItsKind(ToyV1):
    def _list_effects(self, before: Race, step: Step, after: Race) -> Iterator[Effect]:
        for effect in super()._list_effects(before, step, after):
            yield effect._replace(source=None) if effect.kind == "ran" else effect


@caught_by(kinds)
class NamesAClauseThatItsKindHasNot(ToyV1):
    def _list_effects(self, before: Race, step: Step, after: Race) -> Iterator[Effect]:
        return (effect._replace(clause="TO5") for effect in super()._list_effects(before, step, after))


@caught_by(kinds)
class SaysAWordThatItsKindHasNot(ToyV1):
    def _list_effects(self, before: Race, step: Step, after: Race) -> Iterator[Effect]:
        for effect in super()._list_effects(before, step, after):
            yield effect._replace(word="snow") if effect.word == "weather" else effect


@caught_by(kinds)
class DeclaresAKindTwice(ToyV1):
    effect_kinds = (*ToyV1.effect_kinds, EffectKind("took", ("TO4",), ("owner",)))


@caught_by(occurrence)
class DeclaresAKindThatNeverOccurs(ToyV1):
    effect_kinds = (*ToyV1.effect_kinds, EffectKind("slept", ("TO3",), ("seat",)))


@caught_by(occurrence)
class DeclaresAClauseThatNeverOccurs(ToyV1):
    effect_kinds = tuple(
        kind._replace(clauses=(*kind.clauses, "TO8")) if kind.kind == "took" else kind for kind in ToyV1.effect_kinds
    )


@caught_by(clauses)
class ForgetsAClause(ToyV1):
    effect_kinds = tuple(kind for kind in ToyV1.effect_kinds if kind.kind != "took")


@caught_by(clauses)
class NamesAClauseThatChangesNothing(ToyV1):
    effect_kinds = (*ToyV1.effect_kinds, EffectKind("refused", ("TO5",), ("seat",)))


@caught_by(told_ends)
class RanksNobodyAtTheEnd(ToyV1):
    def effects(self, before: Race, step: Step, after: Race) -> tuple[Effect, ...]:
        return tuple(effect for effect in super().effects(before, step, after) if effect.kind != "ranked")


@caught_by(told_ends)
class TellsTheEndFirst(ToyV1):
    def effects(self, before: Race, step: Step, after: Race) -> tuple[Effect, ...]:
        return tuple(sorted(super().effects(before, step, after), key=lambda effect: effect.kind != "ended"))


@pytest.mark.parametrize(
    ("fault", "check"), FAULTS, ids=[f"{check.__name__}-{fault.__name__}" for fault, check in FAULTS]
)
def test_a_planted_fault_is_caught(fault: type[ToyV1], check: Check) -> None:
    with pytest.raises(AssertionError):
        check(fault())


def test_the_sound_toy_passes_the_same_checks() -> None:
    for check in {check for _, check in FAULTS}:
        check(TOY_V1)


def test_every_check_of_a_position_has_a_fault_that_it_catches() -> None:
    caught = {check.__name__ for _, check in FAULTS}
    assert {check.__name__ for check in POSITION_CHECKS} <= caught


def test_every_check_of_effects_has_a_fault_that_it_catches() -> None:
    caught = {check.__name__ for _, check in FAULTS}
    assert {check.__name__ for check in (*STEP_CHECKS, check_occurrence)} | {"clauses"} <= caught
