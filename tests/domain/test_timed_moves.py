"""Moves that say how long they took: what they record, what lag is compensated for, and what is refuted."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plyscribe.domain.codec import Event, format_event, parse_event, read_move
from plyscribe.domain.commands import CreateMatch, MakeMove, PauseMatch, ResumeMatch, StartMatch, TakeSeat, Withdraw
from plyscribe.domain.deadlines import time_left, time_used
from plyscribe.domain.errors import Refusal
from plyscribe.domain.events import LineCopied, MatchRefuted, MatchVerified, MoveMade
from plyscribe.domain.limits import MAX_LAG_MS, choose_lag
from plyscribe.domain.line import copy_line
from plyscribe.domain.match import Match, fold
from plyscribe.domain.quick_verification import confirm_match
from plyscribe.domain.verification import verify_match
from tests.domain.given import ANN, BEN, ORGANISER, STREAM, Table, account, new_match
from tests.domain.test_clock import START
from tests.domain.test_verification import chained

PLAYERS = (ANN, BEN)
MOVES = ("+5", "+3", "+4", "+8", "5-4")


def start(lag_ms: int | None = 100, **limits: int) -> Table:
    limits = limits or {"match_ms": 600_000}
    table = new_match("zhen", tuple(map(account, PLAYERS)), start="call", limits=limits, lag_ms=lag_ms)
    table.when(TakeSeat, BEN, seat=2)
    table.when(StartMatch, ANN, at=START)
    return table


def move(table: Table, at: int, thought_ms: int | None = None) -> MoveMade:
    ply, seat = table.match.play.ply, table.match.turn.seat
    return table.when(MakeMove, PLAYERS[seat - 1], at=at, move=MOVES[ply], thought_ms=thought_ms)[0]


def test_a_move_says_how_long_it_took_and_what_the_lag_was():
    table = start()
    assert move(table, START + 5_123) == MoveMade(1, "+5", spent_ms=5_123)
    assert move(table, START + 6_000) == MoveMade(2, "+3", spent_ms=877)
    assert [time_used(table.match, seat) for seat in (1, 2)] == [5_123, 877]
    table = start()
    assert move(table, START + 5_000, thought_ms=4_940) == MoveMade(1, "+5", spent_ms=4_940, lag_ms=60)
    assert time_left(table.match, 1) == 600_000 - 4_940


@pytest.mark.parametrize(
    ("thought_ms", "spent_ms"), [*((ms, 4_900) for ms in (0, 1, 4_899, -10_000)), (5_000, 5_000), (9_999_999, 5_000)]
)
def test_nobody_gains_more_by_their_word_than_the_quota_of_a_move_or_loses_time(thought_ms, spent_ms):
    made = move(start(), START + 5_000, thought_ms)
    assert made == MoveMade(1, "+5", spent_ms=spent_ms, lag_ms=5_000 - spent_ms)


def test_a_pause_is_no_time_of_a_move():
    table = start()
    table.when(PauseMatch, ORGANISER, at=START + 2_000, why="rain")
    table.when(ResumeMatch, ORGANISER, at=START + 62_000)
    assert move(table, START + 65_000, thought_ms=64_900) == MoveMade(1, "+5", spent_ms=5_000)


def test_without_limits_and_in_older_matches_moves_are_not_timed():
    assert move(start(lag_ms=None), START + 5_000, thought_ms=10) == MoveMade(1, "+5")
    table = new_match("zhen", (account(ANN),) * 2, start="call", lag_ms=100)
    table.when(StartMatch, ANN)
    assert table.match.life.created.lag_ms is None


@pytest.mark.parametrize("lag_ms", [-1, MAX_LAG_MS + 1])
def test_the_quota_has_bounds(lag_ms):
    with pytest.raises(Refusal):
        start(lag_ms=lag_ms)


def test_the_quota_is_small_beside_the_time_of_a_seat():
    assert choose_lag({"match_ms": 600_000, "move_ms": None}) == MAX_LAG_MS
    assert choose_lag({"match_ms": 600_000, "move_ms": 2_000}) == 100
    assert choose_lag({"match_ms": 600_000, "seats": [{"seat": 1, "match_ms": 5_000}]}) == 250


@given(st.lists(st.tuples(st.integers(0, 20_000), st.none() | st.integers(0, 20_000)), min_size=1, max_size=5))
def test_the_time_spent_and_the_lag_are_together_the_time_that_passed(turns):
    table, at = start(), START
    for elapsed, thought in turns:
        at += elapsed
        made = move(table, at, thought)
        assert made.spent_ms + made.lag_ms == elapsed
        assert 0 <= made.lag_ms <= 100
    assert sum(time_used(table.match, seat) for seat in (1, 2)) + sum(
        each.data.lag_ms for each in map(parse_event, table.entries) if isinstance(each.data, MoveMade)
    ) == (at - START)


def test_a_fork_copies_moves_without_their_times():
    table = start()
    move(table, START + 5_000, thought_ms=4_950)
    steps = copy_line(table.entries, 1)
    assert steps == (MoveMade(1, "+5"),)
    fork = Table()
    parent = {"match": STREAM, "ply": 1}
    fork.when(
        CreateMatch,
        ANN,
        ruleset="zhen",
        seats=(account(ANN),) * 2,
        limits={"move_ms": 60_000},
        lag_ms=100,
        parent=parent,
        line=LineCopied(steps, None),
        at=START,
    )
    made = fork.when(MakeMove, ANN, at=START + 700, move="+3")[0]
    assert made == MoveMade(2, "+3", spent_ms=700)
    fork.when(Withdraw, ANN, at=START + 900, seat=1)
    assert isinstance(verify_match(STREAM, fork.entries), MatchVerified)


def played() -> Table:
    table = start()
    for number, thought in enumerate((4_960, None, 4_000, 7_777, 0)):
        move(table, START + 5_000 * (number + 1), thought)
    table.when(Withdraw, ANN, at=START + 26_000)
    return table


def test_timed_moves_are_verified_both_ways():
    table = played()
    assert isinstance(verify_match(STREAM, table.entries), MatchVerified)
    assert confirm_match(STREAM, table.entries) is not None
    assert fold(Match(STREAM), table.entries).play == table.match.play


@pytest.mark.parametrize("field", ["spent_ms", "lag_ms"])
@pytest.mark.parametrize("number", range(5))
def test_a_wrong_time_is_refuted(field, number):
    events = [parse_event(entry) for entry in played().entries]
    made = [event for event in events if isinstance(event.data, MoveMade)][number]
    seat, text, spent, lag = made.data.seat, made.data.move, made.data.spent_ms, made.data.lag_ms
    wrong = MoveMade(seat, text, spent + 1, lag) if field == "spent_ms" else MoveMade(seat, text, spent, lag + 1)
    forged = [event._replace(data=wrong) if event is made else event for event in events]
    verdict = verify_match(STREAM, chained(forged))
    assert isinstance(verdict, MatchRefuted)
    assert verdict.version == made.version


def test_more_lag_than_the_quota_is_refuted():
    events = [parse_event(entry) for entry in played().entries]
    made = next(event for event in events if isinstance(event.data, MoveMade))
    wrong = MoveMade(made.data.seat, made.data.move, made.data.spent_ms + 40 - 101, 101)
    forged = [event._replace(data=wrong) if event is made else event for event in events]
    assert verify_match(STREAM, chained(forged)).version == made.version


def test_a_timed_match_with_a_move_that_does_not_say_its_time_is_refuted_and_so_is_the_reverse():
    untimed = start(lag_ms=None)
    move(untimed, START + 5_000)
    untimed.when(Withdraw, ANN, at=START + 26_000)
    for table, times in ((played(), {}), (untimed, {"spent_ms": 5_000})):
        forged = []
        for event in map(parse_event, table.entries):
            made = event.data
            timed = MoveMade(made.seat, made.move, **times) if isinstance(made, MoveMade) else made
            forged.append(event._replace(data=timed))
        assert isinstance(verify_match(STREAM, chained(forged)), MatchRefuted)


@given(st.none() | st.integers(0, 10**12), st.integers(0, 10**12), st.integers(1, 99))
def test_a_timed_move_is_read_as_it_was_written(spent, lag, seat):
    event = Event(7, 1_700_000_000_000, str(ANN), "00", MoveMade(seat, "5-4", spent, lag))
    [stored] = chained([event])
    stored = stored._replace(version=7, e=format_event(event))
    assert read_move(stored) is not None
    assert parse_event(stored) == event
