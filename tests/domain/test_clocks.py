"""The arithmetic of clocks, for any times and any moves; and matches under each kind of clock."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plyscribe.domain.clocks import Phase, Timing, read_timing
from plyscribe.domain.commands import MakeMove, StartMatch, TakeSeat, Withdraw
from plyscribe.domain.deadlines import Deadline, find_deadline, find_time_left, time_left, time_used
from plyscribe.domain.errors import Refusal
from plyscribe.domain.events import MatchVerified
from plyscribe.domain.limits import (
    MAX_AFTER,
    MAX_INCREMENT_MS,
    MAX_MATCH_MS,
    MAX_MOVE_MS,
    MAX_PHASES,
    parse_limits,
    rotate_limits,
)
from plyscribe.domain.verification import verify_match
from tests.domain.given import ANN, BEN, CLOCK, STREAM, account, new_match
from tests.domain.test_clock import START, move, start

times = st.integers(0, 7_200_000)
bonuses = st.tuples(st.sampled_from(["increment_ms", "delay_ms", "bronstein_ms"]), st.integers(1000, 60_000))
spent = st.lists(st.integers(0, 600_000), max_size=30)


@st.composite
def timings(draw) -> Timing:
    afters = sorted(draw(st.sets(st.integers(1, 30), max_size=MAX_PHASES)))
    phases = [Phase(after, draw(times), **dict([draw(bonuses)])) for after in (0, *afters)]
    return Timing(draw(st.none() | st.integers(1000, 600_000)), tuple(phases))


def one(first: int = 60_000, **bonus: int) -> Timing:
    return Timing(None, (Phase(0, first, **bonus),))


# ------------------------------------------------------------------------------------------------------- for any times


@given(timings(), spent)
def test_a_clock_is_the_time_that_was_added_minus_what_the_moves_took_from_it(timing, moves):
    added = sum(phase.add_ms for phase in timing.phases if phase.after <= len(moves))
    taken = sum(timing.find_phase(place).charge(ms) for place, ms in enumerate(moves))
    assert timing.time_after(moves) == added - taken


@given(times, spent, st.just(0) | st.integers(1000, 60_000))
def test_an_increment_is_added_for_each_move(first, moves, bonus_ms):
    assert one(first, increment_ms=bonus_ms).time_after(moves) == first + bonus_ms * len(moves) - sum(moves)


@given(times, spent, st.integers(1000, 60_000))
def test_a_delay_and_a_bronstein_delay_leave_the_same_time_and_never_more_than_before(first, moves, bonus_ms):
    delay, bronstein = one(first, delay_ms=bonus_ms), one(first, bronstein_ms=bonus_ms)
    left = [bronstein.time_after(moves[:count]) for count in range(len(moves) + 1)]
    assert left == sorted(left, reverse=True)
    assert left == [delay.time_after(moves[:count]) for count in range(len(moves) + 1)]


@given(timings(), spent, st.integers(0, 10_000_000))
def test_no_clock_shows_less_than_nothing(timing, moves, ms):
    left = timing.time_after(moves)
    assert timing.time_for_next(len(moves), left) >= 0
    assert timing.time_while(len(moves), left, ms) >= 0


@given(timings(), spent)
def test_what_runs_out_first_counts(timing, moves):
    left, for_next = timing.time_after(moves), timing.time_for_next(len(moves), timing.time_after(moves))
    assert for_next <= max(0, left + timing.find_phase(len(moves)).delay_ms)
    assert timing.move_ms is None or for_next <= timing.move_ms


@given(timings(), spent)
def test_who_moves_within_the_time_has_time_left(timing, moves):
    kept: list[int] = []
    for ms in moves:
        left = timing.time_after(kept)
        if left <= 0:
            break
        kept.append(min(ms, max(0, timing.time_for_next(len(kept), left) - 1)))
        assert timing.time_after(kept) >= 0


@given(timings(), spent, st.integers(0, 10_000_000))
def test_a_running_clock_never_grows(timing, moves, ms):
    left = timing.time_after(moves)
    assert timing.time_while(len(moves), left, ms + 1) <= timing.time_while(len(moves), left, ms) <= max(0, left)


@given(timings(), spent)
def test_the_phase_is_the_last_one_that_has_begun(timing, moves):
    begun = [phase for phase in timing.phases if phase.after <= len(moves)]
    assert timing.find_phase(len(moves)) == begun[-1]


@pytest.mark.parametrize("kind", ["delay_ms", "bronstein_ms"])
def test_only_a_simple_delay_can_be_waited_for_when_the_time_is_nearly_over(kind):
    nearly_over = one(60_000, **{kind: 10_000})
    left = nearly_over.time_after([69_000])
    assert left == 1_000
    assert nearly_over.time_for_next(1, left) == (11_000 if kind == "delay_ms" else 1_000)


# ------------------------------------------------------------------------------------------------------------- matches


@pytest.mark.parametrize(("kind", "deadline", "left"), [("delay_ms", 65_000, 60_000), ("bronstein_ms", 60_000, 56_000)])
def test_with_a_delay_the_clock_waits_and_with_bronsteins_the_time_comes_back_after_the_move(kind, deadline, left):
    table = start(2, match_ms=60_000, **{kind: 5_000})
    assert find_deadline(table.match) == Deadline(1, START + deadline)
    assert find_time_left(table.match, 1, START + 4_000) == left
    if kind == "delay_ms":
        assert [find_time_left(table.match, 1, START + ms) for ms in (5_000, 8_000)] == [60_000, 57_000]
    move(table, START + 4_000)
    move(table, START + 24_000)
    assert [time_left(table.match, seat) for seat in (1, 2)] == [60_000, 45_000]
    assert [time_used(table.match, seat) for seat in (1, 2)] == [4_000, 20_000]


def test_a_seat_whose_delay_and_time_have_passed_is_withdrawn():
    table = start(2, match_ms=60_000, delay_ms=5_000)
    with pytest.raises(Refusal):
        table.when(Withdraw, CLOCK, at=START + 64_999, seat=1, cause="time")
    table.when(Withdraw, CLOCK, at=START + 66_000, seat=1, cause="time")
    assert time_used(table.match, 1) == 65_000
    assert time_left(table.match, 1) == 0
    assert isinstance(verify_match(STREAM, table.entries), MatchVerified)


def test_after_so_many_moves_more_time_is_added_and_another_bonus_holds():
    phases = [{"after": 2, "add_ms": 30_000, "increment_ms": 10_000}, {"after": 3, "delay_ms": 2_000}]
    table = start(2, match_ms=60_000, phases=phases)
    at, left = START, []
    for _ in range(4):
        move(table, at + 20_000)
        left.append(time_left(table.match, 1))
        at += 21_000
        move(table, at)
    assert left == [40_000, 20_000 + 30_000, 30_000 + 10_000, 40_000 - 18_000]
    assert find_deadline(table.match) == Deadline(1, at + 22_000 + 2_000)
    assert table.match.life.created.limits["phases"] == [phases[0], {**phases[1], "add_ms": 0}]


def test_a_seat_may_have_limits_of_its_own():
    odds = [{"seat": 2, "match_ms": 30_000, "increment_ms": 1_000}]
    seats = (account(ANN), account(BEN))
    table = new_match("zhen", seats, start="call", limits={"move_ms": 60_000, "seats": odds})
    table.when(TakeSeat, BEN, seat=2)
    table.when(StartMatch, ANN, at=START)
    assert find_deadline(table.match) == Deadline(1, START + 60_000)
    table.when(MakeMove, ANN, at=START + 10_000, move="+5")
    assert find_deadline(table.match) == Deadline(2, START + 40_000)
    assert [time_left(table.match, seat) for seat in (1, 2)] == [None, 30_000]
    table.when(MakeMove, BEN, at=START + 15_000, move="+3")
    assert time_left(table.match, 2) == 26_000
    own = {"seat": 2, "move_ms": None, "match_ms": 30_000, "increment_ms": 1_000}
    assert table.match.life.created.limits == {"move_ms": 60_000, "match_ms": None, "seats": [own]}


def test_who_has_odds_keeps_them_in_the_rematch():
    limits = parse_limits({"move_ms": 60_000, "seats": [{"seat": 1, "move_ms": 5_000}]}, 3)
    assert [each["seat"] for each in rotate_limits(limits, 3)["seats"]] == [3]
    limits = parse_limits({"move_ms": 60_000, "seats": [{"seat": n, "move_ms": n * 1000} for n in (3, 2)]}, 3)
    assert [(each["seat"], each["move_ms"]) for each in limits["seats"]] == [(2, 2000), (3, 3000)]
    assert [(each["seat"], each["move_ms"]) for each in rotate_limits(limits, 3)["seats"]] == [(1, 2000), (2, 3000)]
    assert rotate_limits(None, 3) is None


@pytest.mark.parametrize(
    ("limits", "code"),
    [
        ({}, "limits/none"),
        ({"move_ms": None, "match_ms": None}, "limits/none"),
        *(({"move_ms": ms}, "limits/range") for ms in (999, MAX_MOVE_MS + 1, 1000.0, True)),
        *(({"match_ms": ms}, "limits/range") for ms in (999, MAX_MATCH_MS + 1)),
        *(({"match_ms": 60_000, "increment_ms": ms}, "limits/range") for ms in (999, MAX_INCREMENT_MS + 1, True, 0)),
        ({"turn_ms": 1000}, "limits/none"),
        ({"move_ms": 60_000, "increment_ms": 1000}, "limits/increment"),
        ({"match_ms": 60_000, "increment_ms": 1000, "delay_ms": 1000}, "limits/bonus"),
        ({"match_ms": 60_000, "delay_ms": MAX_INCREMENT_MS + 1}, "limits/range"),
        ({"move_ms": 60_000, "bronstein_ms": 1000}, "limits/increment"),
        ({"move_ms": 60_000, "phases": [{"after": 1, "add_ms": 1000}]}, "limits/increment"),
        ({"match_ms": 60_000, "phases": [{"after": 0, "add_ms": 1000}]}, "limits/phases"),
        ({"match_ms": 60_000, "phases": [{"after": MAX_AFTER + 1}]}, "limits/phases"),
        ({"match_ms": 60_000, "phases": [{"after": 2}, {"after": 2}]}, "limits/phases"),
        ({"match_ms": 60_000, "phases": [{"after": n} for n in range(1, MAX_PHASES + 2)]}, "limits/phases"),
        ({"match_ms": 60_000, "phases": [{"after": 2, "move_ms": 1000}]}, "limits/phases"),
        ({"match_ms": 60_000, "phases": [{"after": 2, "add_ms": 999}]}, "limits/range"),
        ({"match_ms": MAX_MATCH_MS, "phases": [{"after": 2, "add_ms": 1000}]}, "limits/range"),
        ({"match_ms": 60_000, "seats": [{"seat": 3, "move_ms": 1000}]}, "limits/seat"),
        ({"match_ms": 60_000, "seats": [{"seat": 1, "move_ms": 1000}] * 2}, "limits/seat"),
        ({"match_ms": 60_000, "seats": [{"seat": 1}]}, "limits/none"),
        ({"seats": [{"seat": 1, "move_ms": 1000}]}, "limits/none"),
    ],
)
def test_limits_that_are_not_possible_are_refused(limits, code):
    with pytest.raises(Refusal) as refusal:
        new_match("zhen", limits=limits)
    assert refusal.value.code == code


def test_a_rated_match_has_the_same_limits_for_all():
    limits = {"match_ms": 60_000, "seats": [{"seat": 1, "match_ms": 30_000}]}
    with pytest.raises(Refusal) as refusal:
        new_match(seats=(account(ANN), account(BEN)), rated=True, limits=limits)
    assert refusal.value.code == "rated/odds"


def test_a_timing_is_read_from_the_limits_of_the_seat():
    limits = parse_limits({"match_ms": 60_000, "seats": [{"seat": 2, "move_ms": 5_000}]}, 2)
    assert read_timing(limits, 1) == Timing(None, (Phase(0, 60_000),))
    assert read_timing(limits, 2) == Timing(5_000, ())
