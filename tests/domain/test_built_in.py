"""Built-in bots at the table: seated from the start, played by the system, never late, and verified like anybody."""

from typing import Any

import pytest

from plyscribe.domain import commands
from plyscribe.domain.bots import build_bot, choose_move
from plyscribe.domain.chain import StoredEvent, first_link, link_all
from plyscribe.domain.codec import format_event, parse_event
from plyscribe.domain.deadlines import find_deadline
from plyscribe.domain.decide.play import MAX_MOVES_A_COMMAND
from plyscribe.domain.errors import IllegalMove, WrongPerson, WrongTime, WrongValue
from plyscribe.domain.events import BuiltIn, DrawDeclined, MatchRefuted, MatchVerified, MoveMade
from plyscribe.domain.record import format_record
from plyscribe.domain.record.matches import record_of
from plyscribe.domain.replay import replay
from plyscribe.domain.ruleset import Decision
from plyscribe.domain.verification import verify_match
from plyscribe.domain.waiting import Wait, find_bot_due, list_waits
from tests.domain.given import ANN, BEN, CAT, RECORDER, STREAM, SYSTEM, Table, account, new_match, refused

RANDOM = build_bot("random", 7)
GREEDY = build_bot("greedy", 8)


def moves_of(table: Table, count: int) -> tuple[str, ...]:
    """What the bots on turn would play, one after another: without dice, in a match of bots alone."""
    play, seats, moves = table.match.play, table.match.life.seats, []
    state, ruleset = play.state, play.ruleset
    for ply in range(play.ply, play.ply + count):
        turn = ruleset.turn(state)
        if not isinstance(turn, Decision):
            break
        move = choose_move(seats[turn.seat - 1].occupant, ruleset, state, turn.seat, ply)
        moves.append(ruleset.format_move(state, move))
        state = ruleset.apply_move(state, move)
    return tuple(moves)


def all_bots(ruleset: str = "zhen", **more: Any) -> Table:
    return new_match(ruleset, (RANDOM, GREEDY), **more)


def played_out(ruleset: str = "zhen", **more: Any) -> Table:
    table = all_bots(ruleset, **more)
    while table.status == "playing":
        table.when(commands.PlayOn, SYSTEM, moves=moves_of(table, 5))
    return table


def test_a_match_of_bots_alone_starts_with_its_creation_and_repeats_itself_by_its_seeds():
    table = all_bots()
    assert [entry.version for entry in table.entries] == [1, 2]
    assert table.status == "playing"
    assert find_bot_due(table.match) == (1, "move")
    table = all_bots()
    assert moves_of(table, 20) == moves_of(table, 20)
    other = new_match("zhen", (build_bot("random", 9), GREEDY))
    assert moves_of(other, 20) != moves_of(table, 20)


def test_a_bot_is_seated_and_adds_no_entropy_a_person_is_waited_for():
    table = new_match("toy", (account(ANN), RANDOM, None), options={"dice": 1})
    assert [seat.seated for seat in table.match.life.seats] == [True, True, False]
    table.when(commands.TakeSeat, BEN, seat=3, entropy="b")
    assert list_waits(table.match) == [Wait(ANN.id, "entropy")]
    table.when(commands.AddEntropy, ANN, entropy="a")
    assert table.status == "playing"


def test_the_creator_may_open_the_seat_of_a_bot_and_nobody_else_takes_it():
    table = new_match("zhen", (RANDOM, None))
    assert refused(table, commands.TakeSeat, BEN, seat=1).code == "seat/taken"
    assert isinstance(refused(table, commands.LeaveSeat, BEN, seat=1), WrongPerson)
    table.when(commands.LeaveSeat, ANN, seat=1)
    table.when(commands.TakeSeat, BEN, seat=1)


def test_a_seat_of_a_bot_is_played_by_the_system_alone_which_holds_none_of_a_person():
    table = new_match("zhen", (RANDOM, account(ANN)))
    [move] = moves_of(table, 1)
    for actor in (ANN, BEN):
        assert refused(table, commands.MakeMove, actor, move=move).code in ("seat/not-yours", "move/not-your-turn")
    assert table.when(commands.MakeMove, SYSTEM, move=move) == [MoveMade(1, move)]
    assert refused(table, commands.MakeMove, SYSTEM, move="+1").code == "move/not-your-turn"
    assert refused(table, commands.PlayOn, SYSTEM, moves=("+1",)).code == "move/not-your-turn"
    table = new_match("zhen", (account(ANN), account(ANN)), start="call")
    table.when(commands.StartMatch, ANN)
    for actor in (SYSTEM, ANN):
        assert refused(table, commands.PlayOn, actor, moves=("+1",)).code == "seat/not-yours"
    assert refused(table, commands.OfferDraw, SYSTEM, seat=1).code == "seat/not-yours"


def test_one_command_plays_several_moves_with_the_rolls_between_them():
    table = new_match("toy", (RANDOM, RANDOM), options={"dice": 1})
    events = table.when(commands.PlayOn, SYSTEM, moves=("hold", "hold", "push"))
    assert [event.type for event in events[:3]] == ["move-made", "move-made", "dice-rolled"]
    assert "move-made" in [event.type for event in events[3:]]
    assert len({parse_event(entry).cause for entry in table.entries[-len(events) :]}) == 1


def test_of_several_moves_all_are_stored_or_none_and_none_follows_the_end():
    table = all_bots()
    good = moves_of(table, 2)
    with pytest.raises(IllegalMove):
        table.when(commands.PlayOn, SYSTEM, moves=(*good, good[-1].replace("+", "1-")))
    assert table.match.play.ply == 0
    assert refused(table, commands.PlayOn, SYSTEM, moves=()).code == "move/how-many"
    assert refused(table, commands.PlayOn, SYSTEM, moves=good * MAX_MOVES_A_COMMAND).code == "move/how-many"
    table = all_bots(options={"ply_limit": 2})
    moves = moves_of(table, 2)
    assert isinstance(refused(table, commands.PlayOn, SYSTEM, moves=(*moves, "+1")), WrongTime)
    table.when(commands.PlayOn, SYSTEM, moves=moves)
    assert table.status == "ended"
    assert find_bot_due(table.match) is None


def test_a_build_that_is_not_here_plays_nothing():
    play = all_bots().match.play
    with pytest.raises(WrongValue, match="random has the versions 1 to 1, not 99"):
        choose_move(BuiltIn("random", 99, 7, None), play.ruleset, play.state, 1, 0)


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"seats": (BuiltIn("clever", 1, 0, None), None)}, "bot/unknown"),
        *(({"seats": (BuiltIn("random", version, 0, None), None)}, "bot/version") for version in (0, 99)),
        ({"seats": (BuiltIn("random", 1, 0, 5), None)}, "bot/playouts"),
        *(({"seats": (BuiltIn("mcts", 1, 0, playouts), None)}, "bot/playouts") for playouts in (None, 10**9)),
        ({"seats": (RANDOM, None), "rated": True}, "rated/seats"),
        ({"seats": (RANDOM, None), "recorder": RECORDER.id}, "bot/recorded"),
    ],
)
def test_only_bots_that_there_are_are_seated_and_none_in_rated_or_recorded_matches(fields: dict[str, Any], code: str):
    assert refused(Table(), commands.CreateMatch, RECORDER, ruleset="zhen", **fields).code == code


def test_a_bot_that_is_offered_a_draw_owes_the_answer_first():
    table = new_match("zhen", (RANDOM, account(ANN)))
    table.when(commands.OfferDraw, ANN)
    assert find_bot_due(table.match) == (1, "draw")
    assert table.when(commands.AnswerDraw, SYSTEM, seat=1, accept=False) == [DrawDeclined(1)]
    assert find_bot_due(table.match) == (1, "move")


def test_a_bot_is_never_late_and_a_person_may_be():
    table = new_match("zhen", (RANDOM, account(ANN)), limits={"move_ms": 1000})
    assert find_deadline(table.match) is None
    assert refused(table, commands.Withdraw, SYSTEM, seat=1, cause="time", at=10**12).code == "withdrawal/time"
    table.when(commands.PlayOn, SYSTEM, moves=moves_of(table, 1))
    assert find_deadline(table.match).seat == 2


def test_the_record_names_the_bot():
    table = played_out()
    record = record_of(replay(STREAM, table.entries), table.entries, {})
    assert record.seats == ("random bot", "greedy bot")
    assert "[seat 2 greedy bot]" in format_record(record)


@pytest.mark.parametrize("ruleset", ["zhen", "toy"])
def test_a_match_of_bots_is_verified_and_each_changed_move_refuted(ruleset: str):
    table = played_out(ruleset)
    assert isinstance(verify_match(STREAM, table.entries), MatchVerified)
    moves = [entry for entry in table.entries if b'"move-made"' in entry.e]
    for entry in moves[:: max(1, len(moves) // 10)]:
        for field, value in (("by", str(CAT)), ("at", 1)):
            verdict = verify_match(STREAM, forge(table.entries, entry.version, **{field: value}))
            assert isinstance(verdict, MatchRefuted), (entry.version, field)


def forge(entries: list[StoredEvent], version: int, **envelope: Any) -> list[StoredEvent]:
    """The events with the envelope of one of them changed, and all hashes after it made right again."""
    events = [parse_event(entry) for entry in entries]
    events[version - 1] = events[version - 1]._replace(**envelope)
    return link_all(first_link(STREAM), 1, map(format_event, events))
