"""When a rated match counts, and what leaving it means before and after."""

import json
from dataclasses import replace

import pytest

from plyscribe.domain import commands
from plyscribe.domain.codec import Event
from plyscribe.domain.counting import PLAY, counts
from plyscribe.domain.deadlines import find_deadline
from plyscribe.domain.decide import decide
from plyscribe.domain.decide.choices import Choice, list_choices
from plyscribe.domain.errors import Refusal
from plyscribe.domain.events import MatchAborted, MatchEnded, MatchRefuted, MatchScored, MatchVerified, SeatWithdrawn
from plyscribe.domain.match import Match, evolve, fold
from plyscribe.domain.verification import verify_match
from tests.domain.given import (
    ANN,
    BEN,
    CLOCK,
    ORGANISER,
    STREAM,
    SYSTEM,
    Table,
    account,
    new_match,
    refusal,
    store_again,
)


def rated(ruleset: str = "pathagon", players: tuple[commands.Actor, ...] = (ANN, BEN), **more: object) -> Table:
    """A rated match that has just started."""
    table = new_match(ruleset, (account(players[0]), *(None for _ in players[1:])), rated=True, **more)
    for seat, player in enumerate(players[1:], 2):
        table.when(commands.TakeSeat, player, seat=seat)
    if table.status == "open":
        for player in players:
            table.when(commands.AddEntropy, player, entropy="salt")
    assert table.status == "playing"
    return table


def in_the_older_way(table: Table) -> Table:
    """The same match as an earlier release created it, without `counts_from`."""
    raws = [json.loads(entry.e) for entry in table.entries]
    raws[0]["data"]["counts_from"] = None
    older = Table()
    older.entries = store_again(raws)
    older.match = fold(Match(STREAM), older.entries)
    return older


def is_confirmed(table: Table) -> bool:
    return isinstance(verify_match(STREAM, table.entries), MatchVerified)


def test_only_a_rated_match_says_that_it_counts_from_play():
    assert rated().match.life.created.counts_from == PLAY
    assert new_match().match.life.created.counts_from is None
    assert counts(new_match().match) is None


def test_a_rated_match_without_dice_counts_once_every_seat_has_moved():
    table = rated()
    assert counts(table.match) is False
    table.play("a1")
    assert counts(table.match) is False
    table.play("b2")
    assert counts(table.match) is True


def test_a_rated_match_counts_as_soon_as_a_die_has_fallen():
    table = rated("rings")
    assert table.match.play.rolls > 0
    assert table.match.play.ply == 0
    assert counts(table.match) is True
    assert refusal(table, commands.AbortMatch, BEN) == "match/counts"


def test_a_seat_that_has_moved_may_abort_or_leave_until_the_match_counts_which_aborts_it():
    table = rated()
    table.play("a1")
    assert table.when(commands.Withdraw, ANN, why="a call")[0] == MatchAborted("resigned", 1, "a call")
    assert table.status == "aborted"
    assert counts(table.match) is False
    assert is_confirmed(table)
    table = rated()
    table.play("a1")
    assert table.when(commands.AbortMatch, ANN, cause="time")[0] == MatchAborted("time", 1)
    assert is_confirmed(table)


def test_running_out_of_time_before_the_match_counts_aborts_it():
    table = rated(limits={"move_ms": 1000})
    deadline = find_deadline(table.match)
    assert refusal(table, commands.Withdraw, CLOCK, seat=1, cause="time", at=deadline.at - 1) == "withdrawal/time"
    assert table.when(commands.Withdraw, CLOCK, seat=1, cause="time", at=deadline.at)[0] == MatchAborted("time", 1)
    assert is_confirmed(table)


def test_an_abort_for_time_that_was_not_over_is_refuted():
    table = rated(limits={"move_ms": 1000})
    table.when(commands.Withdraw, CLOCK, seat=1, cause="time", at=find_deadline(table.match).at)
    raws = [json.loads(entry.e) for entry in table.entries]
    raws[-1]["at"] = raws[-2]["at"] + 10
    forged = store_again(raws)
    assert isinstance(verify_match(STREAM, forged), MatchRefuted)


def test_an_organiser_who_withdraws_a_seat_before_the_match_counts_aborts_it():
    table = rated()
    said = table.when(commands.Withdraw, ORGANISER, seat=2, cause="disqualified", why="two phones")
    assert said[0] == MatchAborted("disqualified", 2, "two phones")
    assert table.match.life.abort.by == str(ORGANISER)
    assert is_confirmed(table)


def test_once_the_match_counts_a_seat_can_only_withdraw_and_an_organiser_abort_it():
    table = rated()
    assert Choice("abort") in list_choices(table.match, BEN)
    assert refusal(table, commands.OfferDraw, ANN) == "draw/too-early"
    assert "offer-draw" not in {choice.command for choice in list_choices(table.match, ANN)}
    table.play("a1", "b2")
    assert Choice("abort") not in list_choices(table.match, BEN)
    assert Choice("withdraw", (2,), ("resigned",)) in list_choices(table.match, BEN)
    for player in (ANN, BEN):
        assert refusal(table, commands.AbortMatch, player) == "match/counts"
    table.when(commands.OfferDraw, ANN)
    assert table.when(commands.Withdraw, BEN)[0] == SeatWithdrawn(2, "resigned")
    assert table.match.life.outcome.ranks == (1, 2)
    assert is_confirmed(table)
    table = rated()
    table.play("a1", "b2")
    assert table.when(commands.AbortMatch, ORGANISER, cause="the wrong players")[0] == MatchAborted("the wrong players")
    assert is_confirmed(table)


def test_an_older_rated_match_keeps_its_rule():
    table = in_the_older_way(rated())
    assert counts(table.match) is True
    assert table.when(commands.Withdraw, ANN)[0] == SeatWithdrawn(1, "resigned")
    assert is_confirmed(table)
    table.when(commands.RecordVerdict, SYSTEM, verdict=MatchVerified(table.match.version, "00"))
    table.when(commands.ScoreMatch, SYSTEM, ledger=4)
    assert is_confirmed(table)


def test_in_an_older_rated_match_a_seat_aborts_before_its_own_first_move_alone():
    table = in_the_older_way(rated())
    table.play("a1")
    assert refusal(table, commands.AbortMatch, ANN) == "match/under-way"
    assert table.when(commands.AbortMatch, BEN)[0] == MatchAborted("called off")
    assert is_confirmed(table)


def test_a_match_that_ended_before_it_counted_is_scored_but_not_rated():
    match = rated().match
    for data in (MatchEnded("blocked", (1, 2)), MatchVerified(match.version + 1, "00")):
        match = evolve(match, Event(match.version + 1, 2000, str(SYSTEM), "00", data))
    assert counts(match) is False
    score = commands.ScoreMatch(actor=SYSTEM, ledger=None)
    assert [event.data for event in decide(score, match)] == [MatchScored((2, 0), None)]
    with pytest.raises(Refusal, match="a match that counts is scored with its place in the ledger"):
        decide(replace(score, ledger=3), match)


def test_a_match_that_tells_another_beginning_than_the_rule_is_refuted():
    raws = [json.loads(entry.e) for entry in rated().entries]
    raws[0]["data"]["counts_from"] = "ply 7"
    verdict = verify_match(STREAM, store_again(raws))
    assert verdict.version == 1
