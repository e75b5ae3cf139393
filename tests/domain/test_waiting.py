"""Whom a match waits for."""

from plyscribe.domain import commands
from plyscribe.domain.chain import StoredEvent
from plyscribe.domain.events import Guest, RecordedDice
from plyscribe.domain.match import Match, fold
from plyscribe.domain.waiting import WAITED_FOR, Wait, find_confirm_by, list_waits
from tests.domain.given import ANN, BEN, CAT, RECORDER, Table, account, hot_seat, new_match, recorded, two_players


def waits(table: Table) -> list[Wait]:
    found = list_waits(table.match)
    assert {what for _, what in found} <= set(WAITED_FOR)
    return found


def test_an_invitation_waits_for_its_answer_and_a_seat_that_is_open_to_anyone_for_nobody():
    table = new_match(seats=(account(ANN), account(BEN)))
    assert waits(table) == [Wait(BEN.id, "seat")]
    table.when(commands.LeaveSeat, BEN, seat=2)
    assert waits(table) == []


def test_whoever_sits_owes_the_server_dice_their_salt():
    table = new_match("toy", (account(ANN), None))
    assert waits(table) == [Wait(ANN.id, "entropy")]
    table.when(commands.AddEntropy, ANN, entropy="salt")
    assert waits(table) == []


def test_a_start_by_call_waits_for_the_creator_not_for_salt():
    table = new_match("toy", (account(ANN), None), start="call")
    assert waits(table) == []
    table.when(commands.TakeSeat, BEN, seat=2)
    assert waits(table) == [Wait(ANN.id, "start")]


def test_a_decision_waits_for_the_seat_on_turn_and_after_the_end_nobody_is_waited_for():
    table = two_players()
    assert waits(table) == [Wait(ANN.id, "move")]
    table.play("d4")
    assert waits(table) == [Wait(BEN.id, "move")]
    table.when(commands.Withdraw, ANN)
    assert waits(table) == []
    assert waits(hot_seat()) == [Wait(ANN.id, "move")], "one player on all seats is named once"


def test_the_recorder_owes_what_its_guests_owe_also_where_an_account_sits():
    assert waits(recorded("pathagon")) == [Wait(RECORDER.id, "move")]
    table = new_match("pathagon", (account(ANN), Guest("Bea")), RECORDER, recorder=RECORDER.id, start="call")
    table.when(commands.TakeSeat, ANN, seat=1)
    table.when(commands.StartMatch, RECORDER)
    assert waits(table) == [Wait(ANN.id, "move"), Wait(RECORDER.id, "move")]


def test_recorded_dice_wait_for_the_recorder():
    table = recorded("toy", dice=RecordedDice())
    assert waits(table) == [Wait(RECORDER.id, "roll")]
    table.when(commands.RecordRoll, RECORDER, values=(3, 4))
    assert waits(table) == [Wait(RECORDER.id, "roll")]


def test_an_offered_draw_waits_for_all_that_have_not_answered():
    table = new_match("toy", (account(ANN), None, None), start="call", options={"dice": 0})
    for seat, player in ((2, BEN), (3, CAT)):
        table.when(commands.TakeSeat, player, seat=seat)
    table.when(commands.StartMatch, ANN)
    table.when(commands.OfferDraw, ANN)
    assert waits(table) == [Wait(ANN.id, "move"), Wait(BEN.id, "draw"), Wait(CAT.id, "draw")]
    table.when(commands.AnswerDraw, BEN, accept=True)
    assert waits(table) == [Wait(ANN.id, "move"), Wait(CAT.id, "draw")]


def test_a_record_waits_for_its_recorder_until_it_is_confirmed_or_time_is_over():
    table = recorded("pathagon")
    assert find_confirm_by(table.match, 5000) is None
    table.when(commands.Withdraw, RECORDER, at=9000, seat=1, cause="absent")
    assert waits(table) == [Wait(RECORDER.id, "confirmation")]
    assert find_confirm_by(table.match, 5000) == 14_000
    table.when(commands.ConfirmRecord, RECORDER)
    assert waits(table) == []
    assert find_confirm_by(table.match, 5000) is None


def test_a_match_that_is_not_there_or_damaged_waits_for_nobody():
    match = hot_seat().match
    damaged = fold(match, [StoredEvent(match.version + 1, b"{}", b"")])
    assert list_waits(damaged) == list_waits(Match("match-none")) == []
