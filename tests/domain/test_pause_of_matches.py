"""Pauses of a match, and time that is given or taken: who may do it, and what becomes of the clocks."""

import pytest

from plyscribe.domain import commands
from plyscribe.domain.codec import parse_event
from plyscribe.domain.deadlines import Deadline, find_deadline, time_for_decision, time_left, time_used
from plyscribe.domain.decide.directing import MAX_ADJUSTMENT_MS
from plyscribe.domain.events import (
    BuiltIn,
    ClockAdjusted,
    MatchEnded,
    MatchPaused,
    MatchRefuted,
    MatchResumed,
    MatchVerified,
    RecordedDice,
    SeatWithdrawn,
)
from plyscribe.domain.match import MAX_EVENTS, Match, fold
from plyscribe.domain.notices import Notifier
from plyscribe.domain.verification import verify_match
from plyscribe.domain.waiting import find_bot_due, list_waits
from tests.domain.given import (
    ANN,
    BEN,
    CAT,
    CLOCK,
    ORGANISER,
    RECORDER,
    STREAM,
    Table,
    account,
    new_match,
    recorded,
    refusal,
)
from tests.domain.test_clock import START, move, start
from tests.domain.test_verification import chained, first, parsed, refuted_at

WHY = "the lights went out"


def paused(table: Table, at: int) -> Table:
    assert table.when(commands.PauseMatch, ORGANISER, at=at, why=WHY) == [MatchPaused(WHY)]
    return table


# -------------------------------------------------------------------------------------------------------------- pauses


def test_no_clock_runs_during_a_pause():
    table = paused(start(2, match_ms=100_000), START + 30_000)
    assert find_deadline(table.match) is None
    assert time_for_decision(table.match) == 100_000
    assert refusal(table, commands.Withdraw, CLOCK, START + 500_000, seat=1, cause="time") == "withdrawal/time"
    assert table.when(commands.ResumeMatch, ORGANISER, at=START + 1_030_000) == [MatchResumed(None)]
    assert find_deadline(table.match) == Deadline(1, START + 1_000_000 + 100_000)
    move(table, START + 1_040_000)
    assert [time_used(table.match, seat) for seat in (1, 2)] == [40_000, 0]
    assert time_left(table.match, 1) == 60_000


def test_a_match_waits_for_no_move_during_a_pause_and_nobody_moves():
    table = start(2, move_ms=60_000)
    assert list_waits(table.match) == [(ANN.id, "move")]
    assert list_waits(paused(table, START + 1_000).match) == []
    assert refusal(table, commands.MakeMove, ANN, START + 2_000, move="hold") == "match/paused"
    table.when(commands.ResumeMatch, ORGANISER, at=START + 3_000, why="they are on again")
    move(table, START + 4_000)


def test_no_dice_are_entered_and_nothing_is_taken_back_during_a_pause():
    table = recorded("toy", dice=RecordedDice())
    turn = table.match.turn
    table.when(commands.RecordRoll, RECORDER, values=(1,) * turn.count)
    table.when(commands.PauseMatch, RECORDER, why=WHY)
    assert refusal(table, commands.TakeBack, RECORDER, steps=1) == "match/paused"
    assert refusal(table, commands.Correct, RECORDER, take_back=1) == "match/paused"
    table.when(commands.ResumeMatch, RECORDER)
    table.when(commands.TakeBack, RECORDER, steps=1)
    table.when(commands.PauseMatch, RECORDER, why=WHY)
    assert refusal(table, commands.RecordRoll, RECORDER, values=(1,) * turn.count) == "match/paused"


def test_seats_may_resign_and_agree_on_a_draw_during_a_pause():
    table = paused(start(2, move_ms=60_000), START + 1_000)
    table.when(commands.OfferDraw, ANN, at=START + 2_000)
    assert isinstance(table.when(commands.AnswerDraw, BEN, at=START + 3_000, accept=True)[-1], MatchEnded)
    table = paused(start(2, move_ms=60_000), START + 1_000)
    assert isinstance(table.when(commands.Withdraw, ANN, at=START + 5_000)[-1], MatchEnded)
    assert time_used(table.match, 1) == 1_000


def test_whom_a_withdrawal_puts_on_turn_during_a_pause_has_all_its_time_afterwards():
    table = paused(start(3, move_ms=60_000), START + 1_000)
    table.when(commands.Withdraw, ANN, at=START + 5_000)
    assert find_deadline(table.match) is None
    table.when(commands.ResumeMatch, ORGANISER, at=START + 9_000)
    assert find_deadline(table.match) == Deadline(2, START + 9_000 + 60_000)


def test_a_match_is_paused_once_and_resumed_once_and_only_while_it_is_played():
    table = new_match(seats=(account(ANN), None), limits={"move_ms": 60_000})
    assert refusal(table, commands.PauseMatch, ORGANISER, why=WHY) == "match/not-started"
    table = start(2, move_ms=60_000)
    assert refusal(table, commands.ResumeMatch, ORGANISER) == "match/not-paused"
    paused(table, START + 1_000)
    assert refusal(table, commands.PauseMatch, ORGANISER, why=WHY) == "match/paused"
    table.when(commands.Withdraw, ANN)
    assert refusal(table, commands.ResumeMatch, ORGANISER) == "match/over"


def test_an_end_that_was_taken_back_leaves_the_match_paused():
    table = recorded("zhen")
    table.when(commands.PauseMatch, RECORDER, why=WHY)
    table.when(commands.Withdraw, RECORDER, seat=1)
    table.when(commands.TakeBack, RECORDER, steps=1)
    assert refusal(table, commands.MakeMove, RECORDER, move="+5") == "match/paused"
    table.when(commands.ResumeMatch, RECORDER)
    table.when(commands.MakeMove, RECORDER, move="+5")
    table.when(commands.Withdraw, RECORDER, seat=1)
    table.when(commands.ConfirmRecord, RECORDER)
    assert isinstance(verify_match(STREAM, table.entries), MatchVerified)


def test_only_those_pause_who_direct_the_match_and_do_not_sit_in_it():
    table = start(2, move_ms=60_000)
    assert refusal(table, commands.PauseMatch, ANN, why=WHY) == "match/not-yours"
    assert refusal(table, commands.PauseMatch, CAT, why=WHY) == "match/not-yours"
    assert refusal(table, commands.PauseMatch, commands.Actor("table", "1-1-0"), why=WHY) == "match/not-yours"
    assert refusal(table, commands.PauseMatch, CLOCK, why=WHY) == "match/not-yours"
    assert refusal(table, commands.PauseMatch, commands.Actor("organiser", BEN.id), why=WHY) == "match/own-seat"
    assert (
        refusal(table, commands.AdjustClock, commands.Actor("organiser", BEN.id), seat=2, add_ms=9000, why=WHY)
        == "match/own-seat"
    )
    table = new_match("zhen", (account(RECORDER), account(RECORDER)), RECORDER, recorder=RECORDER.id)
    assert refusal(table, commands.PauseMatch, RECORDER, why=WHY) == "match/own-seat"


@pytest.mark.parametrize("why", ["", "x" * 201, "a\nb"])
def test_a_pause_needs_a_reason_that_can_be_read(why):
    table = start(2, move_ms=60_000)
    assert refusal(table, commands.PauseMatch, ORGANISER, why=why) == "clock/why"
    paused(table, START + 1_000)
    assert refusal(table, commands.ResumeMatch, ORGANISER, why=why) == "clock/why"


def test_no_bot_is_due_during_a_pause():
    bot = BuiltIn("random", 1, 7, None)
    table = new_match("zhen", (bot, account(ANN)))
    assert find_bot_due(table.match) == (1, "move")
    table.when(commands.PauseMatch, ORGANISER, why=WHY)
    assert find_bot_due(table.match) is None
    table.when(commands.ResumeMatch, ORGANISER)
    assert find_bot_due(table.match) == (1, "move")


def test_a_full_match_is_not_paused_but_resumed():
    table = start(2, move_ms=60_000)
    full = table.match._replace(version=MAX_EVENTS)
    table.match = full
    assert refusal(table, commands.PauseMatch, ORGANISER, why=WHY) == "match/too-long"


def test_players_hear_of_a_pause_and_get_the_new_deadline_with_its_end():
    table = start(2, move_ms=60_000)
    notifier = Notifier(table.match)
    told = notifier.advance(paused(table, START + 1_000).match)
    assert [(each.player, each.type, each.about) for each in told] == [
        (who.id, "match-paused", {"seats": [seat], "why": WHY}) for seat, who in ((1, ANN), (2, BEN))
    ]
    table.when(commands.ResumeMatch, ORGANISER, at=START + 11_000)
    told = notifier.advance(table.match)
    assert [(each.player, each.type) for each in told] == [
        (ANN.id, "match-resumed"),
        (BEN.id, "match-resumed"),
        (ANN.id, "your-decision"),
    ]
    assert told[-1].about == {"seat": 1, "ply": 0, "deadline": START + 10_000 + 60_000}


# --------------------------------------------------------------------------------------------------------- adjustments


def test_time_is_given_and_taken():
    table = start(2, match_ms=100_000)
    events = table.when(commands.AdjustClock, ORGANISER, at=START + 1_000, seat=1, add_ms=20_000, why="a late start")
    assert events == [ClockAdjusted(1, 20_000, "a late start")]
    assert find_deadline(table.match) == Deadline(1, START + 120_000)
    table.when(commands.AdjustClock, ORGANISER, at=START + 2_000, seat=2, add_ms=-40_000, why="a late start")
    move(table, START + 10_000)
    assert find_deadline(table.match) == Deadline(2, START + 10_000 + 60_000)
    assert [time_left(table.match, seat) for seat in (1, 2)] == [110_000, 60_000]


def test_without_time_for_the_match_the_decision_that_is_due_gets_the_time():
    table = start(2, move_ms=60_000)
    assert refusal(table, commands.AdjustClock, ORGANISER, seat=2, add_ms=20_000, why=WHY) == "clock/not-running"
    table.when(commands.AdjustClock, ORGANISER, at=START + 1_000, seat=1, add_ms=20_000, why=WHY)
    assert find_deadline(table.match) == Deadline(1, START + 80_000)
    late = start(2, move_ms=60_000)
    late.when(commands.AdjustClock, ORGANISER, at=START + 1_000, seat=1, add_ms=20_000, why=WHY)
    late.when(commands.Withdraw, CLOCK, at=START + 81_000, seat=1, cause="time")
    assert time_used(late.match, 1) == 80_000
    move(table, START + 70_000)
    move(table, START + 71_000)
    assert find_deadline(table.match) == Deadline(1, START + 71_000 + 60_000)


def test_a_clock_keeps_a_second_at_least():
    table = start(2, match_ms=100_000)
    at = START + 40_000
    assert refusal(table, commands.AdjustClock, ORGANISER, at, seat=1, add_ms=-59_001, why=WHY) == "clock/too-little"
    table.when(commands.AdjustClock, ORGANISER, at=at, seat=1, add_ms=-59_000, why=WHY)
    assert find_deadline(table.match) == Deadline(1, at + 1_000)


@pytest.mark.parametrize("add_ms", [0, 999, -999, MAX_ADJUSTMENT_MS + 1, -MAX_ADJUSTMENT_MS - 1])
def test_an_adjustment_has_bounds(add_ms):
    table = start(2, match_ms=100_000)
    assert refusal(table, commands.AdjustClock, ORGANISER, seat=1, add_ms=add_ms, why=WHY) == "clock/range"


def test_an_adjustment_has_bounds_and_needs_a_clock():
    table = start(3, match_ms=100_000)
    table.when(commands.Withdraw, BEN)
    assert refusal(table, commands.AdjustClock, ORGANISER, seat=2, add_ms=9000, why=WHY) == "seat/not-in-play"
    assert refusal(table, commands.AdjustClock, ORGANISER, seat=4, add_ms=9000, why=WHY) == "seat/unknown"
    free = new_match("zhen", (account(ANN), account(ANN)))
    assert refusal(free, commands.AdjustClock, ORGANISER, seat=1, add_ms=9000, why=WHY) == "clock/none"
    table = start(2, match_ms=100_000)
    for _ in range(12):
        table.when(commands.AdjustClock, ORGANISER, at=START, seat=1, add_ms=MAX_ADJUSTMENT_MS, why=WHY)
    assert (
        refusal(table, commands.AdjustClock, ORGANISER, START, seat=1, add_ms=MAX_ADJUSTMENT_MS, why=WHY)
        == "clock/too-much"
    )


# --------------------------------------------------------------------------------------------------- second execution


def played_with_a_pause() -> Table:
    table = start(2, match_ms=100_000)
    move(table, START + 30_000)
    paused(table, START + 40_000)
    table.when(commands.AdjustClock, ORGANISER, at=START + 50_000, seat=2, add_ms=-20_000, why=WHY)
    table.when(commands.ResumeMatch, ORGANISER, at=START + 1_040_000)
    move(table, START + 1_050_000)
    move(table, START + 1_060_000)
    table.when(commands.Withdraw, CLOCK, at=START + 1_060_000 + 60_000, seat=2, cause="time")
    assert isinstance(parse_event(table.entries[-1]).data, MatchEnded)
    return table


def test_pauses_are_verified():
    table = played_with_a_pause()
    assert isinstance(verify_match(STREAM, table.entries), MatchVerified)
    assert fold(Match(STREAM), table.entries).play == table.match.play


def test_a_withdrawal_before_its_time_a_move_during_a_pause_and_a_pause_by_a_player_are_refuted():
    events = parsed(played_with_a_pause())
    left, resumed = first(events, SeatWithdrawn), first(events, MatchResumed)
    early = [event._replace(at=event.at - 1) if n >= left else event for n, event in enumerate(events)]
    refuted_at(chained(early), left + 1, "time is not over")
    swapped = [*events[:resumed], events[resumed + 1], events[resumed], *events[resumed + 2 :]]
    refuted_at(chained(swapped), resumed + 1, "paused")
    forged = [event._replace(by=str(ANN)) if isinstance(event.data, MatchPaused) else event for event in events]
    assert isinstance(verify_match(STREAM, chained(forged)), MatchRefuted)
