"""Limits: how long a seat may take, and what follows when its time is over."""

import pytest

from plyscribe.domain.commands import AnswerDraw, MakeMove, OfferDraw, StartMatch, TakeSeat, Withdraw
from plyscribe.domain.deadlines import Deadline, find_deadline, time_left, time_used
from plyscribe.domain.errors import Refusal
from plyscribe.domain.events import DiceRevealed, DiceRolled, MatchEnded, MatchVerified, SeatWithdrawn
from plyscribe.domain.limits import MAX_MATCH_MS
from plyscribe.domain.match import Match, fold
from plyscribe.domain.ruleset import Decision
from plyscribe.domain.verification import verify_match
from tests.domain.given import ANN, BEN, CAT, CLOCK, STREAM, Table, account, new_match, recorded, refusal
from tests.domain.test_verification import chained, parsed, refuted_at

START = 10_000
PLAYERS = (ANN, BEN, CAT)


def start(seats: int = 3, ruleset: str = "toy", **limits: int | None) -> Table:
    """A match without dice that starts at 10,000, everyone on their own seat."""
    options = {"dice": 0} if ruleset == "toy" else {}
    players = PLAYERS[:seats]
    table = new_match(ruleset, tuple(map(account, players)), start="call", options=options, limits=limits)
    for seat, player in enumerate(players[1:], 2):
        table.when(TakeSeat, player, seat=seat)
    table.when(StartMatch, ANN, at=START)
    return table


def move(table: Table, at: int) -> None:
    assert isinstance(table.match.turn, Decision)
    table.when(MakeMove, PLAYERS[table.match.turn.seat - 1], at=at, move="hold")


# ----------------------------------------------------------------------------------------------------------- deadlines


MATCH = {"match_ms": 100_000}


@pytest.mark.parametrize(
    ("limits", "moves", "seat", "at"),
    [
        ({"move_ms": 60_000}, [], 1, 60_000),
        ({"move_ms": 60_000}, [5_000], 2, 65_000),
        # The time for the match is used up by one's own decisions.
        (MATCH, [], 1, 100_000),
        (MATCH, [30_000], 2, 130_000),
        (MATCH, [30_000, 40_000], 1, 40_000 + 70_000),
        # Of two limits the one that runs out first counts.
        ({"move_ms": 60_000, "match_ms": 70_000}, [], 1, 60_000),
        ({"move_ms": 60_000, "match_ms": 70_000}, [50_000, 51_000], 1, 51_000 + 20_000),
        ({"move_ms": 20_000, "match_ms": 30_000, "increment_ms": 60_000}, [1_000, 2_000], 1, 22_000),
        # A move that came too late counts, its time is used, and it brings its increment.
        ({"match_ms": 60_000}, [90_000, 91_000], 1, 91_000),
        ({"match_ms": 60_000, "increment_ms": 10_000}, [65_000, 66_000], 1, 66_000 + 5_000),
        # The time of a phase comes with the last of its moves.
        ({"match_ms": 60_000, "phases": [{"after": 2, "add_ms": 30_000}]}, [59_000, 60_000], 1, 61_000),
    ],
)
def test_a_decision_is_due_by_the_limits_and_by_what_moves_have_used(limits, moves, seat, at):
    table = start(2, **limits)
    for passed in moves:
        move(table, START + passed)
    assert find_deadline(table.match) == Deadline(seat, START + at)


def test_each_move_of_a_seat_adds_the_increment_to_its_own_time():
    table = start(2, match_ms=100_000, increment_ms=5_000)
    move(table, START + 30_000)
    assert find_deadline(table.match) == Deadline(2, START + 130_000)
    assert [time_left(table.match, seat) for seat in (1, 2)] == [75_000, 100_000]
    move(table, START + 40_000)
    assert find_deadline(table.match) == Deadline(1, START + 40_000 + 75_000)
    assert [time_left(table.match, seat) for seat in (1, 2)] == [75_000, 95_000]
    assert [time_used(table.match, seat) for seat in (1, 2)] == [30_000, 10_000]


def test_the_time_of_a_seat_that_leaves_counts_up_to_its_deadline_with_increments():
    table = start(2, match_ms=60_000, increment_ms=10_000)
    move(table, START + 50_000)
    move(table, START + 51_000)
    table.when(Withdraw, CLOCK, at=START + 51_000 + 20_000 + 7_000, seat=1, cause="time")
    assert time_used(table.match, 1) == 50_000 + 20_000
    assert time_left(table.match, 1) == 0


def test_neither_an_offer_of_a_draw_nor_who_leaves_gives_more_time():
    table = start(2, move_ms=60_000)
    table.when(OfferDraw, BEN, at=START + 1_000)
    table.when(AnswerDraw, ANN, at=START + 2_000, accept=False)
    assert find_deadline(table.match) == Deadline(1, START + 60_000)
    table = start(3, move_ms=60_000)
    table.when(Withdraw, CAT, at=START + 50_000)
    assert find_deadline(table.match) == Deadline(1, START + 60_000)


def test_dice_are_revealed_when_time_ends_the_match_and_a_decision_is_due_from_the_roll_on():
    table = new_match("toy", (account(ANN),) * 2, start="call", options={"dice": 2}, limits={"move_ms": 60_000})
    rolled = table.when(StartMatch, ANN, at=START)
    assert isinstance(rolled[-1], DiceRolled)
    assert find_deadline(table.match) == Deadline(1, START + 60_000)
    table = new_match("toy", (account(ANN),) * 2, start="call", limits={"move_ms": 60_000})
    table.when(StartMatch, ANN, at=START)
    events = table.when(Withdraw, CLOCK, at=START + 60_000, seat=1, cause="time")
    assert isinstance(events[-1], DiceRevealed)


def test_before_the_start_and_after_the_end_nothing_is_due():
    table = new_match("zhen", (account(ANN), None), limits={"move_ms": 60_000})
    assert find_deadline(table.match) is None
    table.when(TakeSeat, BEN, seat=2)
    assert find_deadline(table.match) is not None
    table.when(Withdraw, BEN)
    assert find_deadline(table.match) is None


def test_without_limits_nothing_is_due_and_nobody_is_withdrawn():
    table = new_match("zhen", (account(ANN), account(ANN)))
    assert table.match.turn == Decision(1)
    assert find_deadline(table.match) is None
    table = new_match("zhen", (account(ANN), account(ANN)))
    assert refusal(table, Withdraw, CLOCK, 10**15, seat=1, cause="time") == "withdrawal/time"


# --------------------------------------------------------------------------------------------------------- withdrawals


def test_with_the_last_but_one_the_match_ends_and_is_verified():
    table = start(2, move_ms=60_000)
    events = table.when(Withdraw, CLOCK, at=START + 60_000, seat=1, cause="time")
    assert events == [SeatWithdrawn(1, "time"), MatchEnded("withdrawal", (2, 1))]
    assert isinstance(verify_match(table.match.stream, table.entries), MatchVerified)


def test_a_seat_whose_time_is_over_and_nobody_else_is_withdrawn_and_the_others_play_on():
    table = start(3, move_ms=60_000)
    assert refusal(table, Withdraw, CLOCK, START + 59_999, seat=1, cause="time") == "withdrawal/time"
    assert refusal(table, Withdraw, CLOCK, START + 60_000, seat=2, cause="time") == "withdrawal/time"
    events = table.when(Withdraw, CLOCK, at=START + 60_000, seat=1, cause="time")
    assert events == [SeatWithdrawn(1, "time")]
    assert find_deadline(table.match) == Deadline(2, START + 120_000)
    move(table, START + 61_000)
    assert refusal(table, Withdraw, CLOCK, START + 120_000, seat=2, cause="time") == "withdrawal/time"


# -------------------------------------------------------------------------------------------------------------- limits


def test_limits_are_recorded_complete_and_an_increment_only_if_one_is_set():
    limits = new_match("zhen", limits={"match_ms": MAX_MATCH_MS}).match.life.created.limits
    assert limits == {"move_ms": None, "match_ms": MAX_MATCH_MS}
    asked = {"match_ms": 60_000, "increment_ms": None}
    assert new_match("zhen", limits=asked).match.life.created.limits == {"move_ms": None, "match_ms": 60_000}
    asked["increment_ms"] = 2_000
    assert new_match("zhen", limits=asked).match.life.created.limits == {"move_ms": None, **asked}


def test_a_recorded_match_has_no_limits_of_ours():
    with pytest.raises(Refusal) as refusal:
        recorded("zhen", limits={"move_ms": 1000})
    assert refusal.value.code == "limits/recorded"


# --------------------------------------------------------------------------------------------------- second execution


def test_a_withdrawal_before_its_time_is_refuted():
    table = start(2, move_ms=60_000)
    table.when(Withdraw, CLOCK, at=START + 60_000, seat=1, cause="time")
    early = [event._replace(at=START + 59_999) if event.version > 3 else event for event in parsed(table)]
    refuted_at(chained(early), 4, "time is not over")


# --------------------------------------------------------------------------------------------------- time that was used


def used(table: Table) -> list[int]:
    return [time_used(table.match, seat) for seat in range(1, len(table.match.life.seats) + 1)]


def test_the_decision_that_ran_out_counts_up_to_its_deadline():
    table = start(2, match_ms=100_000)
    move(table, START + 30_000)
    move(table, START + 40_000)
    table.when(Withdraw, CLOCK, at=START + 111_700, seat=1, cause="time")
    assert used(table) == [100_000, 10_000]
    assert [time_left(table.match, seat) for seat in (1, 2)] == [0, 90_000]


def test_the_limit_of_a_move_bounds_the_decision_that_ran_out():
    table = start(2, move_ms=60_000)
    move(table, START + 5_000)
    table.when(Withdraw, CLOCK, at=START + 66_000, seat=2, cause="time")
    assert used(table) == [5_000, 60_000]
    assert time_left(table.match, 2) is None


@pytest.mark.parametrize(
    ("player", "seat", "times"), [(ANN, 1, ([7_000, 0, 0], [7_000, 2_000, 0])), (BEN, 2, ([0, 0, 0], [9_000, 0, 0]))]
)
def test_a_seat_that_resigns_has_used_the_time_until_then_if_it_is_on_turn(player, seat, times):
    table = start(3, match_ms=100_000)
    table.when(Withdraw, player, at=START + 7_000, seat=seat)
    assert used(table) == times[0]
    move(table, START + 9_000)
    assert used(table) == times[1]


def test_a_rated_match_that_was_aborted_for_time_shows_the_time_too():
    table = new_match(seats=(account(ANN), None), rated=True, limits={"move_ms": 60_000})
    table.when(TakeSeat, BEN, seat=2, at=START)
    table.when(Withdraw, CLOCK, at=START + 61_000, seat=1, cause="time")
    assert table.status == "aborted"
    assert used(table) == [60_000, 0]


def test_a_fold_of_stored_events_knows_the_same_times():
    table = start(3, match_ms=100_000)
    table.when(Withdraw, ANN, at=START + 7_000, seat=1)
    for at in (9_000, 10_000, 12_000):
        move(table, START + at)
    assert fold(Match(STREAM), table.entries).play.unmade == table.match.play.unmade == ((1, 7_000, 0),)
