"""Organisers: what they decide in matches of others, and that nobody judges a match they sit in."""

import json

import pytest

from plyscribe.domain.commands import AbortMatch, Actor, AnnulMatch, StartMatch, TakeSeat, Withdraw
from plyscribe.domain.decide.choices import list_choices
from plyscribe.domain.errors import WrongPerson, WrongValue
from plyscribe.domain.events import WITHDRAWAL_CAUSES, MatchAborted, MatchStarted, MatchVerified, SeatWithdrawn
from plyscribe.domain.verification import verify_match
from tests.domain.given import ANN, BEN, ORGANISER, STREAM, Table, account, new_match, refused, store_again, two_players

JUDGE_ANN = Actor("organiser", ANN.id)


def ended() -> Table:
    table = two_players()
    table.when(Withdraw, ANN)
    return table


def require_own_seat_refusal(table: Table, command: type, **fields: object) -> None:
    error = refused(table, command, JUDGE_ANN, **fields)
    assert isinstance(error, WrongPerson)
    assert error.code == "match/own-seat"


@pytest.mark.parametrize("cause", WITHDRAWAL_CAUSES)
def test_an_organiser_withdraws_a_seat_for_any_cause_and_says_why(cause):
    table = two_players()
    assert table.when(Withdraw, ORGANISER, seat=2, cause=cause, why="two phones")[0] == SeatWithdrawn(
        2, cause, why="two phones"
    )
    assert isinstance(verify_match(STREAM, table.entries), MatchVerified)


@pytest.mark.parametrize("why", [None, "", "x" * 201, "a\nb"])
def test_an_organiser_gives_a_reason_that_people_can_read(why):
    error = refused(two_players(), Withdraw, ORGANISER, seat=2, cause="absent", why=why)
    assert isinstance(error, WrongValue)
    assert error.code == "withdrawal/why"


def test_an_organiser_starts_a_match():
    table = new_match(seats=(account(ANN), None), start="call")
    table.when(TakeSeat, BEN, seat=2)
    assert table.when(StartMatch, ORGANISER)[0] == MatchStarted()


def test_nobody_annuls_a_match_that_they_played():
    table = ended()
    require_own_seat_refusal(table, AnnulMatch, why="I lost")
    assert "annul" not in {choice.command for choice in list_choices(table.match, JUDGE_ANN)}
    table.when(AnnulMatch, ORGANISER, why="both seats were one person")


def test_nobody_takes_another_seat_out_of_a_match_that_they_play_or_may():
    for cause in WITHDRAWAL_CAUSES:
        require_own_seat_refusal(two_players(), Withdraw, seat=2, cause=cause, why="two phones")
    require_own_seat_refusal(two_players(), Withdraw, seat=1, cause="time", why="slow")
    table = new_match(seats=(account(BEN), account(ANN)), creator=BEN)
    require_own_seat_refusal(table, AbortMatch)


def test_an_organiser_who_plays_resigns_and_aborts_as_a_player():
    table = two_players()
    table.when(Withdraw, JUDGE_ANN)
    assert json.loads(table.entries[-2].e)["by"] == str(ANN)
    assert isinstance(verify_match(STREAM, table.entries), MatchVerified)
    table = two_players()
    table.play("a1")
    require_own_seat_refusal(table, AbortMatch)
    early = two_players()
    assert early.when(AbortMatch, JUDGE_ANN) == [MatchAborted("called off")]
    assert early.match.life.abort.by == str(ANN)


def test_older_matches_in_which_organisers_judged_themselves_or_gave_no_reason_are_still_verified():
    table = ended()
    table.when(AnnulMatch, ORGANISER, why="I lost")
    raws = [json.loads(entry.e) for entry in table.entries]
    raws[-1]["by"] = str(JUDGE_ANN)
    assert isinstance(verify_match(STREAM, store_again(raws)), MatchVerified)
    table = new_match(seats=(account(ANN), account(BEN)), tournament={"id": "tournament-" + "t" * 26})
    table.when(Withdraw, ORGANISER, seat=2, cause="absent", why="left the tournament")
    raws = [json.loads(entry.e) for entry in table.entries]
    withdrawn = next(place for place, raw in enumerate(raws) if raw["type"] == "seat-withdrawn")
    for raw in raws[withdrawn:]:
        raw["by"] = str(JUDGE_ANN)
        raw["data"].pop("why", None)
    assert isinstance(verify_match(STREAM, store_again(raws)), MatchVerified)
