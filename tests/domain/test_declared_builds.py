"""Builds: what accounts say of the programs that play for them, in matches and in tournaments."""

from dataclasses import replace

import pytest

from plyscribe.domain.commands import Actor, DeclareBuild, MakeMove, TakeSeat, Withdraw
from plyscribe.domain.declared_builds import MAX_BUILDS, check_build
from plyscribe.domain.errors import Unknown, WrongPerson, WrongTime, WrongValue
from plyscribe.domain.events import Build, BuildDeclared, MatchVerified
from plyscribe.domain.record import format_record, parse_record, record_of
from plyscribe.domain.tournament.commands import EnterBuild, EnterResult
from plyscribe.domain.tournament.entrant_builds import PlayedBuild, list_played, require_pin
from plyscribe.domain.tournament.events import BuildEntered, SeatBuild
from plyscribe.domain.verification import verify_match
from tests.domain.given import ANN, BEN, CAT, ORGANISER, Table, account, new_match, recorded
from tests.domain.given_tournament import SYSTEM, GivenTournament, refusal
from tests.domain.test_match import refusal as refusal_in_match

BUILD = Build("ab" * 32, "mybot", "1.2", {"level": 3})
OTHER = replace(BUILD, digest="cd" * 32, version=None)


def playing() -> Table:
    """A match between Ann and Ben."""
    table = new_match(seats=(account(ANN), None), dice=None)
    table.when(TakeSeat, BEN, seat=2)
    return table


# ------------------------------------------------------------------------------------------------------ in a match


def test_an_account_declares_the_builds_that_play_for_its_seat_one_after_another():
    table = playing()
    assert table.when(DeclareBuild, ANN, build=BUILD) == [BuildDeclared(1, BUILD)]
    assert [seat.builds for seat in table.match.life.seats] == [(BUILD,), ()]
    refusal_in_match(WrongTime, "build/declared", table, DeclareBuild, ANN, build=BUILD)
    table.when(MakeMove, ANN, move="a1")
    before = table.match.play
    table.when(DeclareBuild, ANN, build=OTHER)
    assert table.match.life.seats[0].builds == (BUILD, OTHER)
    assert table.match.play == before


def test_nobody_declares_for_another_seat():
    table = playing()
    refusal_in_match(WrongPerson, "seat/not-yours", table, DeclareBuild, ANN, build=BUILD, seat=2)
    refusal_in_match(WrongPerson, "seat/not-yours", table, DeclareBuild, CAT, build=BUILD)
    refusal_in_match(WrongPerson, "seat/not-yours", table, DeclareBuild, ORGANISER, build=BUILD, seat=1)
    refusal_in_match(WrongPerson, "seat/not-yours", recorded(), DeclareBuild, ANN, build=BUILD, seat=1)


def test_a_build_is_declared_while_the_match_is_played():
    table = new_match(seats=(account(ANN), None), dice=None)
    refusal_in_match(WrongPerson, "seat/not-yours", table, DeclareBuild, BEN, build=BUILD)
    table = playing()
    table.when(Withdraw, ANN)
    refusal_in_match(WrongTime, "match/over", table, DeclareBuild, BEN, build=BUILD)


def test_a_seat_declares_so_many_builds_and_no_more():
    table = playing()
    for number in range(MAX_BUILDS):
        table.when(DeclareBuild, ANN, build=replace(BUILD, options={"number": number}))
    refusal_in_match(WrongTime, "build/many", table, DeclareBuild, ANN, build=OTHER)
    assert table.when(DeclareBuild, BEN, build=OTHER)


def test_the_second_execution_confirms_a_match_with_builds():
    table = playing()
    table.when(DeclareBuild, ANN, build=BUILD)
    table.play("a1")
    table.when(DeclareBuild, BEN, build=OTHER)
    table.play("b2", "c3", "d4")
    table.when(Withdraw, ANN)
    assert isinstance(verify_match(table.match.stream, table.entries), MatchVerified)


@pytest.mark.parametrize(
    "change",
    [
        *({"digest": digest} for digest in ("AB" * 32, "ab")),
        *({"command": command} for command in ("", "/home/ann/mybot", "x" * 49)),
        *({"version": version} for version in ("", "1\n2")),
        *({"options": {"level": level}} for level in (None, 1.5, 2**53, [1])),
        *({"options": {"text": text}} for text in ("\x00", "x" * 201)),
        {"options": {"a b": 1}},
        {"options": {f"o{number}": 1 for number in range(33)}},
        {"options": {f"o{number}": "x" * 200 for number in range(6)}},
    ],
)
def test_a_build_has_a_digest_and_short_printable_texts(change):
    check_build(BUILD)
    check_build(replace(BUILD, options={"deep": True, "book": "", "level": -3}))
    with pytest.raises(WrongValue) as refused:
        check_build(replace(BUILD, **change))
    assert refused.value.code == "build/invalid"


def test_a_text_record_names_the_last_build_of_each_seat():
    table = playing()
    table.when(DeclareBuild, ANN, build=OTHER)
    table.when(DeclareBuild, ANN, build=BUILD)
    record = record_of(table.match, table.entries, {})
    assert record.about == {"build_1": f"mybot 1.2, sha256 {'ab' * 32}, after 1 other"}
    assert parse_record(format_record(record)) == record


# ------------------------------------------------------------------------------------------------- in a tournament


@pytest.fixture
def cup() -> GivenTournament:
    tournament = GivenTournament(1, is_open=True)
    tournament.enter_account(ANN)
    tournament.enter_account(BEN)
    return tournament


def test_an_account_enters_the_build_that_plays_for_it_and_again_only_to_pin_it(cup):
    assert cup.when(EnterBuild, ANN, entrant=2, build=BUILD) == [BuildEntered(2, BUILD, False)]
    cup.when(EnterBuild, ANN, entrant=2, build=OTHER)
    assert cup.state.entrants[1].builds == (BUILD, OTHER)
    assert not cup.state.entrants[1].is_pinned
    cup.when(EnterBuild, ANN, entrant=2, build=BUILD)
    assert refusal(cup, EnterBuild, ANN, entrant=2, build=BUILD) == (WrongTime, "build/declared")
    cup.when(EnterBuild, ANN, entrant=2, build=BUILD, pinned=True)
    assert cup.state.entrants[1].is_pinned


def test_nobody_enters_a_build_for_somebody_else(cup):
    for actor in (BEN, ORGANISER, Actor("arbiter", CAT.id)):
        assert refusal(cup, EnterBuild, actor, entrant=2, build=BUILD) == (WrongPerson, "entrant/not-yours")
    assert refusal(cup, EnterBuild, entrant=1, build=BUILD) == (WrongPerson, "entrant/not-yours")
    assert refusal(cup, EnterBuild, ANN, entrant=9, build=BUILD) == (Unknown, "entrant/unknown")


def test_a_pinned_build_stays_once_the_tournament_has_started(cup):
    cup.when(EnterBuild, ANN, entrant=2, build=OTHER, pinned=True)
    cup.when(EnterBuild, ANN, entrant=2, build=BUILD, pinned=True)
    cup.start()
    assert refusal(cup, EnterBuild, ANN, entrant=2, build=OTHER) == (WrongTime, "build/pinned")
    require_pin(cup.state, ANN.id, replace(BUILD, options={}))
    require_pin(cup.state, BEN.id, OTHER)
    with pytest.raises(WrongTime, match=f"entrant 2 plays .* {'ab' * 32}; this is mybot, sha256 {'cd' * 32}"):
        require_pin(cup.state, ANN.id, OTHER)


def test_the_tournament_says_which_builds_played_in_how_many_games(cup):
    cup.start()
    for number, builds in enumerate(((BUILD,), (BUILD, OTHER, BUILD), ()), 1):
        cup.pair([[2, 3]], [1])
        given = tuple(SeatBuild(1, build) for build in builds)
        place = {"round": number, "board": 1, "game": 1, "match": f"match-{number}"}
        cup.when(EnterResult, SYSTEM, **place, ranks=(1, 2), reason="played", made_at=0, builds=given)
    played = list_played(cup.state)
    assert played[2].builds == (PlayedBuild(BUILD, 2, (1, 1, 1)), PlayedBuild(OTHER, 1, (2, 1, 1)))
    assert (played[2].undeclared, played[3].undeclared, played[3].builds) == (1, 3, ())
    assert 1 not in played, "a bot of the server has the build of the server"


def test_no_program_plays_at_a_table():
    hall = GivenTournament(at_table=True, is_open=True)
    hall.enter_account(ANN)
    assert refusal(hall, EnterBuild, ANN, entrant=1, build=BUILD) == (WrongValue, "entrant/at-table")
