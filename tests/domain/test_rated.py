"""Rated matches and points: who may play for ratings, and what a finished match is worth."""

from typing import Any

import pytest

from plyscribe.domain.commands import AnnulMatch, CreateMatch, LeaveSeat, RecordVerdict, ScoreMatch, TakeSeat, Withdraw
from plyscribe.domain.decide.ends import points_of
from plyscribe.domain.decide.opening import is_ratable
from plyscribe.domain.errors import Refusal, WrongPerson, WrongValue
from plyscribe.domain.events import Guest, MatchScored, MatchVerified
from plyscribe.domain.rulesets import find_ruleset
from tests.domain.given import ANN, BEN, CAT, ORGANISER, RECORDER, SYSTEM, Table, account, new_match, refused

VERIFIED = MatchVerified(3, "00")


def refused_creation(**fields: Any) -> Refusal:
    return refused(Table(), CreateMatch, ANN, **{"ruleset": "pathagon", "seats": (None, None), "rated": True, **fields})


def rated_and_ended() -> Table:
    table = new_match(seats=(account(ANN), None), rated=True)
    table.when(TakeSeat, BEN, seat=2)
    table.play("a1", "b2")
    table.when(Withdraw, ANN)
    return table


def test_a_rated_match_may_be_open_to_anyone_or_invite():
    for seats in ((None, None), (account(ANN), None), (account(ANN), account(BEN))):
        assert new_match(seats=seats, rated=True).match.life.created.rated


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"seats": (Guest("Ada"), Guest("Bea")), "recorder": ANN.id}, "rated/recorded"),
        ({"private": True}, "rated/private"),
        ({"seats": (account(ANN), account(ANN))}, "rated/seats"),
        ({"seats": (account(BEN), account(BEN))}, "rated/seats"),
        *(({"options": options}, "rated/options") for options in ({"size": 6}, {"size": 5, "pieces": 9})),
        ({"options": {"ply_limit": None}}, "rated/options"),
    ],
)
def test_a_rated_match_is_open_among_different_accounts_with_options_that_are_rated(fields, code):
    error = refused_creation(**fields)
    assert (type(error), error.code) == (WrongValue, code)
    assert ("the defaults, small" in str(error)) is (code == "rated/options")


def test_nobody_takes_a_second_seat_of_a_rated_match():
    table = new_match(seats=(account(ANN), None), rated=True)
    error = refused(table, TakeSeat, ANN, seat=2)
    assert isinstance(error, WrongPerson)
    assert error.code == "rated/second-seat"
    table.when(LeaveSeat, ANN, seat=1)
    table.when(TakeSeat, ANN, seat=2)


@pytest.mark.parametrize("options", [{}, {"size": 7}, {"size": 5}, {"size": 5, "pieces": 10, "ply_limit": 400}])
def test_rated_are_the_defaults_and_the_presets_of_the_ruleset(options):
    assert new_match(rated=True, options=options).match.life.created.rated


def test_a_ruleset_without_presets_rates_its_defaults():
    zhen = find_ruleset("zhen")
    assert is_ratable(zhen, zhen.parse_options({}))
    assert not is_ratable(zhen, zhen.parse_options({"tiles": 5}))


@pytest.mark.parametrize(
    ("ranks", "points"),
    [
        ((1, 2), (2, 0)),
        ((2, 1), (0, 2)),
        ((1, 1), (1, 1)),
        ((1, 2, 2), (4, 1, 1)),
        ((1, 1, 3), (3, 3, 0)),
        ((2, 1, 4, 3), (4, 6, 0, 2)),
        ((1, 1, 1, 1, 1, 1), (5, 5, 5, 5, 5, 5)),
    ],
)
def test_a_seat_gets_two_points_for_each_seat_it_beat_and_one_for_each_it_tied(ranks, points):
    assert points_of(ranks) == points


def test_a_rated_match_is_scored_with_its_place_in_the_ledger():
    table = rated_and_ended()
    table.when(RecordVerdict, SYSTEM, verdict=VERIFIED)
    assert refused(table, ScoreMatch, SYSTEM, ledger=None).code == "rated/ledger"
    assert table.when(ScoreMatch, SYSTEM, ledger=7) == [MatchScored((0, 2), 7)]
    assert table.match.life.score == MatchScored((0, 2), 7)


def test_a_match_that_is_not_rated_has_no_place_in_the_ledger():
    table = new_match(seats=(account(ANN), account(ANN)))
    table.when(Withdraw, ANN, seat=1)
    table.when(RecordVerdict, SYSTEM, verdict=VERIFIED)
    assert refused(table, ScoreMatch, SYSTEM, ledger=7).code == "rated/ledger"
    assert table.when(ScoreMatch, SYSTEM, ledger=None) == [MatchScored((0, 2), None)]


def test_only_a_verified_match_may_ever_have_been_rated():
    table = rated_and_ended()
    assert not table.match.life.may_be_rated
    table.when(RecordVerdict, SYSTEM, verdict=VERIFIED)
    assert table.match.life.may_be_rated
    table.when(AnnulMatch, ORGANISER, why="cheat")
    assert table.match.life.may_be_rated
    assert table.match.life.annulment.why == "cheat"


def test_the_players_of_a_match_are_its_accounts_in_the_order_of_seats():
    table = new_match("toy", (None, Guest("Ada"), account(CAT)), RECORDER, recorder=RECORDER.id, start="call")
    table.when(TakeSeat, BEN, seat=1)
    assert table.match.life.players == (BEN.id, CAT.id)
