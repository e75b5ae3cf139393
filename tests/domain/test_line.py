"""The surviving line: one tracer for forks, records and score sheets."""

from plyscribe.domain.codec import format_event, parse_event
from plyscribe.domain.commands import AbortMatch, AnswerDraw, MakeMove, OfferDraw, RecordRoll, TakeBack, Withdraw
from plyscribe.domain.events import LineCopied, MatchAborted, MatchEnded, MoveMade, RecordedDice, SeatWithdrawn
from plyscribe.domain.line import copy_line, measure_line, trace_line
from plyscribe.domain.match import LINE
from tests.domain.given import ANN, RECORDER, Table, hot_seat, recorded
from tests.domain.matches import every_match, forked


def plies_of(table: Table) -> list[tuple[str, int]]:
    return [(traced.step.type, traced.ply) for traced in trace_line(table.entries)]


@every_match
def test_the_moves_of_the_line_are_those_that_the_match_has(make):
    table = make()
    traced = [(each.version, each.step.seat, each.step.move) for each in moves_in(table)]
    assert traced == [(step.version, step.seat, step.move) for step in table.match.play.steps]
    assert [each.ply for each in moves_in(table)] == list(range(1, table.match.play.ply + 1))


def moves_in(table: Table) -> list:
    return [traced for traced in trace_line(table.entries) if isinstance(traced.step, MoveMade)]


def test_a_take_back_cuts_the_line_before_the_move_that_is_made_again():
    table = recorded("toy", dice=RecordedDice())
    for values in ((1, 2), (1,), (1,)):
        table.when(RecordRoll, RECORDER, values=values)
    before = plies_of(table)
    table.when(MakeMove, RECORDER, move="hold")
    table.when(TakeBack, RECORDER, ply=0)
    assert plies_of(table) == before
    table.when(MakeMove, RECORDER, move="hold")
    assert plies_of(table)[-1] == ("move-made", 1)


def test_a_step_has_the_version_time_and_cause_of_its_event():
    table = hot_seat()
    table.when(MakeMove, ANN, move="a1", at=4711)
    [traced] = trace_line(table.entries)
    assert (traced.version, traced.at, traced.cause) == (3, 4711, f"{3:032x}")


def test_copied_steps_have_the_version_of_the_event_that_copied_them():
    table = forked()
    copied = len(parse_event(table.entries[1]).data.steps)
    assert [traced.version for traced in trace_line(table.entries)][: copied + 1] == [2] * copied + [4]


def test_a_later_part_of_a_match_is_traced_from_its_ply():
    table = hot_seat()
    table.play("a1", "b2", "c3")
    assert [traced.ply for traced in trace_line(table.entries[3:], 1)] == [2, 3]


def test_the_line_ends_with_how_the_match_ended():
    table = hot_seat()
    table.when(AbortMatch, ANN)
    assert [type(traced.step) for traced in trace_line(table.entries)] == [MatchAborted]
    table = hot_seat()
    table.when(Withdraw, ANN, seat=2)
    assert [type(traced.step) for traced in trace_line(table.entries)] == [SeatWithdrawn, MatchEnded]


def test_a_copy_leaves_out_the_end_and_the_withdrawal_behind_it():
    table = hot_seat()
    table.play("a1")
    drawn = hot_seat()
    drawn.play("a1")
    table.when(Withdraw, ANN, seat=2)
    drawn.when(OfferDraw, ANN, seat=1)
    drawn.when(AnswerDraw, ANN, seat=2, accept=True)
    for each in (table, drawn):
        assert copy_line(each.entries, 1) == (MoveMade(1, "a1"),)
        assert copy_line(each.entries, 0) == ()


def test_a_copy_keeps_a_withdrawal_after_which_play_went_on():
    table = hot_seat("toy", 3)
    table.when(Withdraw, ANN, seat=2)
    assert any(isinstance(step, SeatWithdrawn) for step in copy_line(table.entries, 0))
    table.when(Withdraw, ANN, seat=1)
    assert sum(isinstance(step, SeatWithdrawn) for step in copy_line(table.entries, 0)) == 1


def test_the_measure_of_a_line_is_what_it_adds_to_the_bytes_of_its_event():
    table = forked()
    stored, line = table.entries[LINE - 1].e, parse_event(table.entries[LINE - 1]).data
    with_nothing = LineCopied((), line.salts)
    assert isinstance(line, LineCopied)
    envelope = len(stored) - measure_line(line)
    assert envelope == len(
        format_event(parse_event(table.entries[LINE - 1])._replace(data=with_nothing))
    ) - measure_line(with_nothing)
