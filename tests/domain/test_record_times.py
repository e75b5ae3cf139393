"""What a text record says about time."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plyscribe.domain.commands import (
    AdjustClock,
    ConfirmRecord,
    MakeMove,
    PauseMatch,
    ResumeMatch,
    TakeBack,
    TakeSeat,
    Withdraw,
)
from plyscribe.domain.deadlines import time_left
from plyscribe.domain.record import format_record, parse_record
from plyscribe.domain.record.matches import record_of
from plyscribe.domain.record.remarks import format_clock
from tests.domain.given import ANN, BEN, ORGANISER, RECORDER, Table, account, new_match, recorded
from tests.domain.test_clock import START
from tests.domain.test_clocks import bonuses
from tests.domain.test_timed_moves import move, start

NAMES = {ANN.id: "Ann", BEN.id: "Ben"}


def read(table: Table) -> str:
    record = record_of(table.match, table.entries, NAMES)
    text = format_record(record)
    assert parse_record(text) == record
    assert format_record(parse_record(text)) == text
    return text


def test_moves_have_the_time_that_they_took_and_what_is_left():
    table = start(match_ms=300_000, increment_ms=3_000)
    move(table, START + 5_000, thought_ms=4_950)
    move(table, START + 65_000)
    table.when(Withdraw, ANN, at=START + 70_000)
    text = read(table)
    assert "[time_control 5+3]" in text
    said = "1. +5 {[%emt 0:00:04.95] [%clk 0:04:58.05]} 2. +3 {[%emt 0:01:00] [%clk 0:04:03]} (1 resigned)"
    assert said in " ".join(text.split())


def test_with_a_time_for_each_move_alone_nothing_is_left_to_say():
    table = start(move_ms=86_400_000)
    move(table, START + 3_600_000)
    text = read(table)
    assert "[time_control 1 day/move]" in text
    assert "{[%emt 1:00:00]}" in text
    assert "%clk" not in text


def test_a_match_with_sixteen_notes_keeps_its_time_control():
    notes = {f"note{number}": "x" for number in range(16)}
    table = new_match("zhen", (account(ANN), account(BEN)), limits={"match_ms": 300_000}, about=notes)
    table.when(TakeSeat, BEN, seat=2)
    record = parse_record(read(table), to_store=True)
    assert record.about == {"time_control": "5+0", **notes}


def test_pauses_and_changed_clocks_stand_where_they_were():
    table = start(match_ms=300_000)
    move(table, START + 5_000)
    table.when(PauseMatch, ORGANISER, at=START + 6_000, why="the lights  went out {again}")
    table.when(AdjustClock, ORGANISER, at=START + 7_000, seat=2, add_ms=-60_000, why="a telephone rang")
    table.when(ResumeMatch, ORGANISER, at=START + 99_000)
    move(table, START + 100_000)
    text = " ".join(read(table).split())
    assert "{Paused: the lights went out {again\\}} {Seat 2 has 0:01:00 less: a telephone rang} {Resumed} 2. +3" in text
    assert "[%emt 0:00:02] [%clk 0:03:58]" in text


def test_a_pause_stays_in_the_record_when_the_steps_before_it_are_taken_back():
    table = recorded("zhen")
    for text in ("+5", "+3"):
        table.when(MakeMove, RECORDER, move=text)
    table.when(PauseMatch, RECORDER, why="rain")
    table.when(ResumeMatch, RECORDER, why="it stopped")
    table.when(TakeBack, RECORDER, steps=1)
    table.when(Withdraw, RECORDER, seat=1)
    table.when(ConfirmRecord, RECORDER)
    assert "1. +5 {Paused: rain} {Resumed: it stopped} (1 resigned)" in read(table)


@given(
    st.lists(st.integers(0, 60_000), min_size=1, max_size=5),
    bonuses,
    bonuses,
    st.none() | st.tuples(st.integers(0, 4), st.sampled_from([1, 2]), st.integers(1000, 50_000)),
)
def test_the_record_says_what_the_clocks_said(turns, first, later, change):
    phase = {"after": 2, "add_ms": 5_000, **dict([later])}
    table, at, clocks = start(match_ms=400_000, phases=[phase], **dict([first])), START, []
    for number, elapsed in enumerate(turns):
        if change is not None and change[0] == number:
            table.when(AdjustClock, ORGANISER, at=at, seat=change[1], add_ms=change[2], why="x")
        at += elapsed
        seat = table.match.turn.seat
        move(table, at)
        clocks.append(format_clock(time_left(table.match, seat)))
    assert re.findall(r"%clk\s([0-9:.]+)", read(table)) == clocks


@pytest.mark.parametrize(
    ("ms", "text"), [(0, "0:00:00"), (598_000, "0:09:58"), (1_250, "0:00:01.25"), (36_000_001, "10:00:00.001")]
)
def test_clocks_are_written_as_in_pgn(ms, text):
    assert format_clock(ms) == text
