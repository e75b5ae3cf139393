"""A match has a bound on its events, whatever its ruleset and options allow: at the bound it can only end."""

from random import Random

import pytest

from plyscribe.domain import commands
from plyscribe.domain import match as matches
from plyscribe.domain.decide.choices import list_choices
from plyscribe.domain.errors import Refusal
from plyscribe.domain.events import MatchVerified, RecordedDice
from plyscribe.domain.quick_verification import confirm_match
from plyscribe.domain.ruleset import Decision, Roll
from plyscribe.domain.verification import verify_match
from tests.domain.given import (
    ANN,
    BEN,
    CAT,
    ORGANISER,
    RECORDER,
    STREAM,
    SYSTEM,
    Table,
    account,
    new_match,
    recorded,
    refusal,
    two_players,
)
from tests.domain.test_built_in import GREEDY, RANDOM, all_bots, moves_of
from tests.domain.test_choices import begin, every_ruleset, require_law, states_of, step

BOUND = 12


@pytest.fixture
def bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matches, "MAX_EVENTS", BOUND)


def play_until_full(table: Table) -> Table:
    while not table.match.is_full:
        play = table.match.play
        table.play(play.ruleset.format_move(play.state, next(play.ruleset.legal_moves(play.state))))
    return table


def test_a_full_match_takes_no_move_and_says_what_can_be_done(bounded):
    table = play_until_full(two_players())
    assert table.match.version == BOUND
    turn = table.match.play.turn.seat
    with pytest.raises(Refusal, match="withdraw, agree on a draw or abort it") as full:
        table.play("a1")
    assert full.value.code == "match/too-long"
    assert refusal(table, commands.MakeMove, (BEN, ANN)[turn - 1], move="a1") == "move/not-your-turn"
    offered = {choice.command for actor in (ANN, BEN) for choice in list_choices(table.match, actor)}
    assert offered == {"withdraw", "offer-draw", "abort"}


def test_in_a_full_match_nothing_is_rolled_or_taken_back(monkeypatch):
    table = recorded("toy", options={"dice": 1}, dice=RecordedDice())
    while not isinstance(table.match.play.turn, Decision):
        table.when(commands.RecordRoll, RECORDER, values=(1,) * table.match.play.turn.count)
    table.when(commands.MakeMove, RECORDER, move="push")
    assert isinstance(table.match.play.turn, Roll)
    monkeypatch.setattr(matches, "MAX_EVENTS", table.match.version)
    assert refusal(table, commands.RecordRoll, RECORDER, values=(1,)) == "match/too-long"
    assert refusal(table, commands.TakeBack, RECORDER, steps=1) == "match/too-long"


def test_seats_are_not_taken_and_left_without_end(bounded):
    table = new_match("pathagon", (None, None))
    while not table.match.is_full:
        table.when(commands.TakeSeat, BEN, seat=2)
        table.when(commands.LeaveSeat, BEN, seat=2)
    if table.match.life.seats[1].seated:
        table.when(commands.LeaveSeat, BEN, seat=2)
    assert refusal(table, commands.TakeSeat, BEN, seat=2) == "match/too-long"
    table.when(commands.AbortMatch, ANN)


def test_a_full_match_can_be_drawn_or_left(bounded):
    table = play_until_full(two_players())
    table.when(commands.OfferDraw, ANN)
    table.when(commands.AnswerDraw, BEN, accept=True)
    assert table.status == "ended"
    assert isinstance(verify_match(STREAM, table.entries), MatchVerified)
    table = play_until_full(two_players())
    table.when(commands.Withdraw, BEN)
    assert table.status == "ended"


@pytest.mark.parametrize("actor", [ANN, BEN, ORGANISER])
def test_everybody_seated_and_an_organiser_may_abort_a_full_match(bounded, actor):
    table = two_players()
    table.play("a1", "b1")
    if actor is not ORGANISER:
        assert refusal(table, commands.AbortMatch, actor) == "match/under-way"
    play_until_full(table)
    assert refusal(table, commands.AbortMatch, CAT) == "seat/not-yours"
    table.when(commands.AbortMatch, actor)
    assert table.status == "aborted"
    assert isinstance(verify_match(STREAM, table.entries), MatchVerified)


def test_the_creator_who_does_not_play_may_abort_a_full_match(bounded):
    table = new_match("pathagon", (account(BEN), account(CAT)))
    table.when(commands.TakeSeat, BEN, seat=1)
    table.when(commands.TakeSeat, CAT, seat=2)
    table.play("a1")
    assert refusal(table, commands.AbortMatch, ANN) == "seat/not-yours"
    play_until_full(table)
    table.when(commands.AbortMatch, ANN)


def test_nobody_escapes_a_rated_loss_or_a_tournament_by_filling_the_match(bounded):
    table = play_until_full(two_players(rated=True))
    assert refusal(table, commands.AbortMatch, ANN) == "match/counts"
    seats = (account(ANN), account(BEN))
    table = play_until_full(new_match("pathagon", seats, tournament={"id": "tournament-" + "t" * 26}))
    assert refusal(table, commands.AbortMatch, ANN) == "match/under-way"
    table.when(commands.AbortMatch, ORGANISER)


def test_several_moves_of_bots_stop_at_the_bound(bounded):
    table = all_bots()
    moves = moves_of(table, BOUND - 2)
    assert refusal(table, commands.PlayOn, SYSTEM, moves=(*moves, "+1")) == "match/too-long"
    table.when(commands.PlayOn, SYSTEM, moves=moves)
    assert table.match.version == BOUND
    assert refusal(table, commands.PlayOn, SYSTEM, moves=("+1",)) == "match/too-long"
    table.when(commands.AbortMatch, SYSTEM)


def test_a_longer_match_that_was_recorded_before_is_no_fault(monkeypatch):
    people, bots = two_players(), new_match("zhen", (RANDOM, GREEDY))
    for _ in range(12):
        people.play(
            people.match.play.ruleset.format_move(
                people.match.play.state, next(people.match.play.ruleset.legal_moves(people.match.play.state))
            )
        )
    people.when(commands.OfferDraw, ANN)
    people.when(commands.AnswerDraw, BEN, accept=True)
    bots.when(commands.PlayOn, SYSTEM, moves=moves_of(bots, 12))
    bots.when(commands.AbortMatch, SYSTEM)
    monkeypatch.setattr(matches, "MAX_EVENTS", BOUND)
    for table in (people, bots):
        assert table.match.version > BOUND
        assert isinstance(verify_match(STREAM, table.entries), MatchVerified)
        assert confirm_match(STREAM, table.entries) is not None


@every_ruleset
def test_choices_hold_for_matches_that_fill_up(bounded, ruleset):
    for seed in range(6):
        rng = Random(f"full {ruleset.id} {seed}")
        table, seen = begin(ruleset, rng), 0
        for _ in range(BOUND + 6):
            for match in states_of(table, seen):
                require_law(match, rng)
            seen = len(table.entries)
            step(table, rng)
