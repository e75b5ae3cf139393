"""The steps of the surviving line: each once and in order, between the states that it led from and to."""

from itertools import pairwise

import pytest

from plyscribe.domain.commands import MakeMove, TakeBack, Withdraw
from plyscribe.domain.effects import Ended, Moved, Rolled, Withdrew
from plyscribe.domain.line import trace_line
from plyscribe.domain.match import LINE, fold
from plyscribe.domain.record import record_of, trace_steps
from plyscribe.domain.replay import TakenStep, find_step, list_steps, position_at
from tests.domain.given import RECORDER, Table, hot_seat, recorded
from tests.domain.matches import drawn, every_match, forked, on_a_real_table
from tests.domain.prove import every_ruleset
from tests.domain.test_record import more_rulesets, play

__all__ = ["more_rulesets"]


def steps_of(table: Table) -> list[TakenStep]:
    return list(list_steps(table.match.play))


@every_match
def test_each_step_goes_on_from_where_the_one_before_it_led(make):
    table = make()
    steps, play = steps_of(table), table.match.play
    assert len(steps) == play.length
    assert all(one.after == next.before for one, next in pairwise(steps))
    assert not steps or steps[-1].after == play.state


@every_match
def test_the_steps_are_those_that_the_line_traces(make):
    table = make()
    record = record_of(table.match, table.entries, {})
    written = list(trace_steps(record))
    assert [step._replace(version=0) for step in steps_of(table)] == [step._replace(version=0) for step in written]
    assert {step.version for step in steps_of(table)} <= {traced.version for traced in trace_line(table.entries)}


@every_match
def test_what_led_to_each_position_ends_with_it(make):
    table = make()
    told: list[TakenStep] = []
    for ply in range(table.match.play.ply + 1):
        steps = list(list_steps(table.match.play, ply, ply))
        told += steps
        assert {step.ply for step in steps} <= {ply}
        assert not steps or steps[-1].after == position_at(table.match, ply).state
    assert told == steps_of(table)


@every_match
def test_a_step_is_found_by_the_version_of_its_event(make):
    table = make()
    play = table.match.play
    found = [step for version in range(1, table.match.version + 1) if (step := find_step(play, version))]
    assert found == [step for step in steps_of(table) if step.version != LINE]


def test_a_stretch_beyond_the_line_is_empty():
    table = hot_seat()
    table.play("a1", "b2")
    play = table.match.play
    assert [step.notation for step in list_steps(play, 2, 9)] == ["b2"]
    assert not list(list_steps(play, 3, 9))
    assert not list(list_steps(play, 2, 1))


@pytest.mark.parametrize(
    ("make", "last"),
    [
        (drawn, (Ended(), None, 2)),
        (forked, (Withdrew(1), 1, 2)),
        (on_a_real_table, (Rolled((1,)), 2, 0)),  # before the first move
    ],
)
def test_the_last_step_may_be_an_agreed_draw_a_withdrawal_or_a_roll(make, last):
    *_, step = steps_of(make())
    assert (step.step, step.seat, step.ply) == last


def test_a_step_that_was_taken_back_is_gone():
    table = recorded("pathagon")
    for move in ("a1", "b2"):
        table.when(MakeMove, RECORDER, move=move)
    table.when(Withdraw, RECORDER, seat=1, cause="resigned")
    table.when(TakeBack, RECORDER, steps=2)
    assert [step.notation for step in steps_of(table)] == ["a1"]
    assert find_step(table.match.play, 4) is None


def test_of_a_damaged_match_there_are_the_steps_before_the_fault():
    table = hot_seat()
    table.play("a1", "b2", "c3")
    broken = [*table.entries[:3], table.entries[3]._replace(e=table.entries[3].e + b" "), table.entries[4]]
    match = fold(table.match.__class__(table.match.stream), broken)
    assert match.fault is not None
    assert [step.notation for step in list_steps(match.play)] == ["a1"]


@every_ruleset
@pytest.mark.parametrize("seed", range(5))
def test_a_step_of_a_record_has_effects_of_its_ruleset(ruleset, seed):
    kinds = {kind.kind for kind in ruleset.effect_kinds}
    for step in trace_steps(play(ruleset, seed)):
        assert isinstance(step.step, Moved) is (step.notation is not None)
        assert {effect.kind for effect in step.list_effects(ruleset)} <= kinds
