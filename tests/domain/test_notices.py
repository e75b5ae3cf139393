"""What players are told of their matches."""

import pytest

from plyscribe.domain import commands
from plyscribe.domain.events import RecordedDice
from plyscribe.domain.match import Match
from plyscribe.domain.notices import NOTICE_TYPES, Notifier
from tests.domain.given import (
    ANN,
    BEN,
    CAT,
    ORGANISER,
    RECORDER,
    STREAM,
    Table,
    account,
    hot_seat,
    new_match,
    recorded,
    two_players,
)

NAMES = {actor.id: name for actor, name in ((ANN, "Ann"), (BEN, "Ben"), (CAT, "Cat"), (RECORDER, "recorder"))}
Told = list[tuple[str, str, dict]]


def told_by(table: Table, command, actor, **fields) -> Told:
    """Who is told what by a command: name, type, and what is said about it."""
    before = table.match
    table.when(command, actor, **fields)
    return told(before, table.match)


def told(before: Match, after: Match) -> Told:
    notices = Notifier(before).advance(after)
    assert {notice.type for notice in notices} <= set(NOTICE_TYPES)
    assert len({(notice.player, notice.name) for notice in notices}) == len(notices)
    return [(NAMES[notice.player], notice.type, notice.about) for notice in notices]


def short(found: Told) -> list[tuple[str, str]]:
    return [(name, type) for name, type, _ in found]


def test_an_invitation_is_told_to_who_is_invited_alone_and_so_is_that_it_is_taken_back():
    table = new_match(seats=(account(ANN), account(BEN)))
    assert told(Match(STREAM), table.match) == [("Ben", "seat-offered", {"seat": 2})]
    assert told_by(table, commands.LeaveSeat, ANN, seat=2) == [("Ben", "seat-lost", {"seat": 2})]


def test_the_start_is_told_to_all_and_the_first_decision_to_whose_it_is():
    table = new_match(seats=(account(ANN), account(BEN)))
    assert told_by(table, commands.TakeSeat, BEN, seat=2) == [
        ("Ann", "match-started", {"seats": [1], "ruleset": "pathagon", "ruleset_version": 1}),
        ("Ben", "match-started", {"seats": [2], "ruleset": "pathagon", "ruleset_version": 1}),
        ("Ann", "your-decision", {"seat": 1, "ply": 0, "deadline": None}),
    ]


@pytest.mark.parametrize("limits", [None, {"move_ms": 60_000}])
def test_a_move_tells_whose_decision_is_next_and_its_deadline(limits):
    about = {"seat": 2, "ply": 1, "deadline": 65_000 if limits else None}
    table = two_players(limits=limits)
    assert told(table.match, table.match) == []
    assert told_by(table, commands.MakeMove, ANN, at=5000, move="d4") == [("Ben", "your-decision", about)]


def test_who_plays_all_seats_is_told_of_each_decision_once():
    assert told_by(hot_seat(), commands.MakeMove, ANN, move="d4") == [
        ("Ann", "your-decision", {"seat": 2, "ply": 1, "deadline": None})
    ]


def test_salt_that_is_missing_is_asked_for():
    table = new_match("toy", (account(ANN), None))
    assert told(Match(STREAM), table.match) == [("Ann", "entropy-due", {"seat": 1})]
    assert told_by(table, commands.TakeSeat, BEN, seat=2) == [("Ben", "entropy-due", {"seat": 2})]
    assert told_by(table, commands.AddEntropy, BEN, entropy="pepper") == []


def test_a_start_by_call_is_asked_of_the_creator_once_all_sit():
    table = new_match(seats=(account(ANN), None), start="call")
    assert told_by(table, commands.TakeSeat, BEN, seat=2) == [("Ann", "start-due", {})]
    assert short(told_by(table, commands.StartMatch, ANN)) == [
        ("Ann", "match-started"),
        ("Ben", "match-started"),
        ("Ann", "your-decision"),
    ]


def test_an_offer_of_a_draw_is_told_to_the_others_and_its_decline_to_who_offered_unless_a_move_closed_it():
    table = two_players()
    assert told_by(table, commands.OfferDraw, BEN) == [("Ann", "draw-offered", {"seat": 1, "offered_by": 2})]
    assert told_by(table, commands.AnswerDraw, ANN, accept=False) == [("Ben", "draw-declined", {"seat": 2})]
    table.play("d4", "d5")
    table.when(commands.OfferDraw, BEN)
    assert short(told_by(table, commands.MakeMove, ANN, move="a1")) == [("Ben", "your-decision")]


def test_the_end_is_told_to_all_with_the_ranks_and_so_is_an_annulment():
    table = two_players()
    assert told_by(table, commands.Withdraw, ANN) == [
        ("Ann", "match-ended", {"seats": [1], "reason": "withdrawal", "ranks": [2, 1]}),
        ("Ben", "match-ended", {"seats": [2], "reason": "withdrawal", "ranks": [2, 1]}),
    ]
    annulled = short(told_by(table, commands.AnnulMatch, ORGANISER, why="a mistake"))
    assert annulled == [("Ann", "match-annulled"), ("Ben", "match-annulled")]


def test_an_abort_is_told_to_those_who_sit_and_those_who_are_invited():
    table = new_match(seats=(account(ANN), account(BEN)))
    assert told_by(table, commands.AbortMatch, ANN, cause="off") == [
        ("Ann", "match-aborted", {"seats": [1]}),
        ("Ben", "match-aborted", {"seats": [2]}),
    ]


def test_a_recorder_is_told_nothing_and_guests_cannot_be():
    table = recorded(dice=RecordedDice())
    assert told(Match(STREAM), table.match) == []


def test_a_player_in_a_recorded_match_is_told_as_elsewhere_and_of_what_is_taken_back():
    table = new_match(seats=(account(BEN), account(CAT)), creator=RECORDER, recorder=RECORDER.id)
    table.when(commands.TakeSeat, BEN, seat=1)
    both = [("Ben", "match-started"), ("Cat", "match-started")]
    assert short(told_by(table, commands.TakeSeat, CAT, seat=2)) == [*both, ("Ben", "your-decision")]
    assert short(told_by(table, commands.MakeMove, RECORDER, move="d4")) == [("Cat", "your-decision")]
    first = [("Ben", "your-decision", {"seat": 1, "ply": 0, "deadline": None})]
    assert told_by(table, commands.TakeBack, RECORDER, ply=0) == first
    over = short(told_by(table, commands.Withdraw, RECORDER, seat=2, cause="absent"))
    assert over == [("Ben", "match-ended"), ("Cat", "match-ended")]
    resumed = short(told_by(table, commands.TakeBack, RECORDER, steps=1))
    assert resumed == [("Ben", "match-resumed"), ("Cat", "match-resumed"), ("Ben", "your-decision")]


@pytest.mark.parametrize("version", [1, 3])
def test_a_match_that_cannot_be_read_tells_nothing(version):
    damaged = two_players().match._replace(lifecycle=None, play=None, version=version)
    assert Notifier(Match(STREAM)).advance(damaged) == []
