"""The second execution of what built-in bots played: many moves of one command, read quickly and never too lightly."""

from random import Random
from typing import Any

import pytest

from plyscribe.domain import quick_verification, verification
from plyscribe.domain.bots import build_bot
from plyscribe.domain.codec import Event
from plyscribe.domain.commands import MakeMove, PlayOn, Withdraw
from plyscribe.domain.decide import play as deciding
from plyscribe.domain.events import MatchEnded, MatchRefuted, MatchVerified, MoveMade, SeatWithdrawn
from plyscribe.domain.verification import verify_match
from tests.domain.given import ANN, BEN, ORGANISER, STREAM, SYSTEM, Table, account, new_match
from tests.domain.test_verification import chained, parsed, verdict_or_error
from tests.domain.test_verification import refuted_at as refuted_at_entries

BOT = build_bot("random", 7)
OTHER = build_bot("greedy", 8)


def draw_moves(table: Table, count: int, draw: Random) -> tuple[str, ...]:
    """Legal moves from here on, up to the end, in a match without dice."""
    play, moves = table.match.play, []
    state, ruleset = play.state, play.ruleset
    while len(moves) < count and table.status == "playing" and hasattr(ruleset.turn(state), "seat"):
        move = ruleset.sample_move(state, draw.randrange)
        moves.append(ruleset.format_move(state, move))
        state = ruleset.apply_move(state, move)
    return tuple(moves)


def play_on(table: Table, *counts: int, seed: int = 0, **fields: Any) -> Table:
    """The match after commands of bots that make so many moves each."""
    draw = Random(seed)
    for count in counts:
        if moves := draw_moves(table, count, draw):
            table.when(PlayOn, SYSTEM, moves=moves, **fields)
    return table


def of_bots(ruleset: str = "zhen", **more: Any) -> Table:
    return new_match(ruleset, (BOT, OTHER), **more)


def against_ann() -> Table:
    """A bot and Ann, who answers it three times."""
    table, draw = new_match("zhen", (BOT, account(ANN))), Random(0)
    for _ in range(3):
        table.when(MakeMove, SYSTEM, move=draw_moves(table, 1, draw)[0])
        table.when(MakeMove, ANN, move=draw_moves(table, 1, draw)[0])
    return table


def moves_in(events: list[Event]) -> list[int]:
    return [n for n, event in enumerate(events) if isinstance(event.data, MoveMade)]


def refuted_at(events: list[Event], version: int, why: str) -> None:
    refuted_at_entries(chained(events), version, why)


@pytest.mark.parametrize("make", [lambda: of_bots("pathagon"), of_bots, lambda: of_bots("toy")])
def test_the_moves_of_a_command_need_no_careful_reading(make, monkeypatch):
    table = make()
    while table.status == "playing":
        if table.match.life.created.dice:
            table.when(PlayOn, SYSTEM, moves=("push",))
        else:
            play_on(table, 200)
    monkeypatch.setattr(verification, "_verify", None)
    assert isinstance(verify_match(STREAM, table.entries), MatchVerified)


def test_most_moves_of_a_command_are_not_decided_one_by_one(monkeypatch):
    table = play_on(of_bots("pathagon"), 512)
    decided = []
    real = quick_verification.draft_decision
    monkeypatch.setattr(quick_verification, "draft_decision", lambda *given: decided.append(given) or real(*given))
    assert isinstance(verify_match(STREAM, table.entries), MatchVerified)
    assert len(decided) < 10 < len(moves_in(parsed(table)))


def test_a_move_of_the_other_seat_or_an_illegal_one_amid_a_command_is_found():
    events = parsed(play_on(of_bots(), 12))
    for n in moves_in(events):
        made = events[n].data
        for wrong, why in ((MoveMade(3 - made.seat, made.move), "turn"), (MoveMade(made.seat, "+99"), "+99")):
            refuted_at([*events[:n], events[n]._replace(data=wrong), *events[n + 1 :]], n + 1, why)


def test_a_move_that_bots_make_for_a_person_is_found():
    events = parsed(against_ann())
    place = moves_in(events)[3]
    assert events[place].by == str(ANN)
    for cause in (events[place].cause, events[place - 1].cause):
        forged = events[place]._replace(by=str(SYSTEM), cause=cause, at=events[place - 1].at)
        verdict = verify_match(STREAM, chained([*events[:place], forged, *events[place + 1 :]]))
        assert isinstance(verdict, MatchRefuted)


def test_a_move_of_a_person_amid_a_command_of_bots_is_found():
    events = parsed(play_on(of_bots(), 12))
    for n in moves_in(events)[1:]:
        for by in (str(ANN), str(BEN), str(ORGANISER), "system:another"):
            forged = [*events[:n], events[n]._replace(by=by), *events[n + 1 :]]
            assert isinstance(verify_match(STREAM, chained(forged)), MatchRefuted), (n, by)


def test_a_move_after_the_end_and_a_command_cut_before_it_are_found():
    events = parsed(play_on(of_bots(options={"ply_limit": 6}), 12))
    end = next(n for n, event in enumerate(events) if isinstance(event.data, MatchEnded))
    late = events[end - 1]._replace(data=MoveMade(1, "+1"))
    refuted_at([*events, late], end + 2, "turn")
    refuted_at([*events[:end], late, *events[end:]], end + 1, "turn")
    refuted_at(events[:-1], len(events), "match-ended")


def test_a_command_with_a_move_cut_out_is_found():
    events = parsed(play_on(of_bots("pathagon"), 512))
    for n in moves_in(events)[:: len(events) // 10]:
        assert isinstance(verify_match(STREAM, chained([*events[:n], *events[n + 1 :]])), MatchRefuted), n


@pytest.mark.parametrize("at", [5000, 5001])
def test_two_commands_that_were_merged_are_found_unless_one_could_have_made_all_moves(at, monkeypatch):
    table = play_on(of_bots(options={"ply_limit": 12}), 6, at=5000)
    play_on(table, 6, seed=1, at=at)
    events = parsed(table)
    one, two = (events[moves_in(events)[n]].cause for n in (0, -1))
    merged = [event._replace(cause=one) if event.cause == two else event for event in events]
    if at == 5000:
        assert isinstance(verify_match(STREAM, chained(merged)), MatchVerified)
        monkeypatch.setattr(deciding, "MAX_MOVES_A_COMMAND", 11)
        monkeypatch.setattr(quick_verification, "MAX_MOVES_A_COMMAND", 11)
        refuted_at(merged, moves_in(events)[0] + 1, "1 to 11 moves")
    else:
        refuted_at(merged, moves_in(events)[6] + 1, "expected move-made")


def test_a_move_under_the_cause_of_another_command_of_the_system_is_found():
    table = new_match("toy", (BOT, OTHER, account(ANN)), options={"dice": 0}, limits={"move_ms": 1000})
    table.when(PlayOn, SYSTEM, moves=("hold", "hold"))
    table.when(Withdraw, SYSTEM, at=100_000, seat=3, cause="time")
    assert table.status == "playing"
    table.when(PlayOn, SYSTEM, at=100_000, moves=("hold",))
    events = parsed(table)
    withdrawn = next(n for n, event in enumerate(events) if isinstance(event.data, SeatWithdrawn))
    events[-1] = events[-1]._replace(cause=events[withdrawn].cause)
    refuted_at(events, len(events), "does not follow")


def played(seed: int) -> Table:
    """A match of bots, or of a bot and a person, in commands of many lengths."""
    draw = Random(seed)
    table = new_match(
        draw.choice(["zhen", "pathagon"]), (BOT, draw.choice([OTHER, account(ANN)])), options={"ply_limit": 14}
    )
    for _ in range(draw.randrange(1, 8)):
        turn = table.match.turn
        if table.status == "playing":
            person = table.match.life.seats[turn.seat - 1].occupant == account(ANN)
            if person:
                table.when(MakeMove, ANN, move=draw_moves(table, 1, draw)[0])
            else:
                alone = table.match.life.seats[1].occupant == OTHER
                play_on(table, draw.randrange(1, 9) if alone else 1, seed=seed, at=draw.choice([None, 7000]))
    return table


def forge(events: list[Event], draw: Random) -> list[Event]:
    """The events with one or two of them changed, dropped, doubled, or given the envelope of the one before."""
    for _ in range(draw.randrange(1, 3)):
        n = draw.randrange(1, len(events))
        event, other, before = events[n], draw.choice(events), events[n - 1]
        seat, move = getattr(event.data, "seat", 1), getattr(event.data, "move", "+1")
        changed = {
            "by": event._replace(by=draw.choice([str(ANN), str(SYSTEM), "system:another", "nobody"])),
            "cause": event._replace(cause=other.cause),
            "joined": event._replace(cause=before.cause, at=before.at, by=before.by),
            "split": event._replace(cause="ab" * 16),
            "at": event._replace(at=event.at + 1),
            "data": event._replace(data=other.data),
            "seat": event._replace(data=MoveMade(draw.randrange(4), move)),
            "move": event._replace(data=MoveMade(seat, draw.choice(["+1", "d4", "x" * 300]))),
        }
        kind = draw.choice([*changed, "drop", "double", "none"])
        middle = {"drop": [], "double": [event, event], "none": [event]}.get(kind) or [changed.get(kind, event)]
        events = [*events[:n], *([] if kind == "drop" else middle), *events[n + 1 :]]
        if len(events) < 2:
            break
    return events


def test_the_quick_way_never_confirms_what_the_careful_one_does_not(monkeypatch):
    for seed in range(600):
        monkeypatch.setattr(deciding, "MAX_MOVES_A_COMMAND", 8)
        monkeypatch.setattr(quick_verification, "MAX_MOVES_A_COMMAND", 8)
        entries = chained(forge(parsed(played(seed)), Random(seed)))
        quick = verdict_or_error(entries)
        with monkeypatch.context() as patch:
            patch.setattr(verification, "confirm_match", lambda *_: None)
            assert verdict_or_error(entries) == quick, seed
