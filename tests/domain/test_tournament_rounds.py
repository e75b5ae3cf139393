"""The course of the rounds: pausing, calling, pairing by hand, taking a round back, and the codes of tables."""

import pytest

from plyscribe.domain.errors import Unknown, WrongPerson, WrongTime, WrongValue
from plyscribe.domain.tournament import events
from plyscribe.domain.tournament.commands import (
    CallRound,
    PairByHand,
    PairRound,
    PauseTournament,
    ResumeTournament,
    RevokeTableCodes,
    TakeBackRound,
)
from tests.domain.given import ANN
from tests.domain.given_tournament import ORGANISER, SYSTEM, GivenTournament, refusal

PAIRED = {"boards": ((1, 2), (3, 4)), "byes": (), "costs": {}, "engine": "x"}
HAND = {"boards": ((1, 2), (3, 4)), "byes": (), "why": "they came together"}


def started(entrants=4, **terms):
    return GivenTournament(entrants, **terms).begun()


def test_nothing_is_paired_while_the_tournament_is_paused():
    tournament = started()
    assert tournament.when(PauseTournament, why="dinner") == [events.TournamentPaused("dinner")]
    assert refusal(tournament, PairRound, SYSTEM, round=1, **PAIRED) == (WrongTime, "tournament/round")
    assert refusal(tournament, PauseTournament, why="dinner") == (WrongTime, "tournament/paused")
    assert tournament.when(ResumeTournament) == [events.TournamentResumed()]
    assert refusal(tournament, ResumeTournament) == (WrongTime, "tournament/not-paused")
    tournament.pair([(1, 2), (3, 4)])
    assert [act.what for act in tournament.state.acts] == ["tournament-paused", "tournament-resumed"]


@pytest.mark.parametrize("command", [PauseTournament, ResumeTournament, CallRound, PairByHand, TakeBackRound])
def test_only_organisers_and_arbiters_steer(command):
    fields = {
        PauseTournament: {"why": "x"},
        CallRound: {"round": 1},
        PairByHand: {"round": 1, **HAND},
        TakeBackRound: {"round": 1, "why": "x"},
    }
    refused = refusal(started(), command, ANN, **fields.get(command, {}))
    assert refused == (WrongPerson, "tournament/not-yours")


def test_a_round_that_is_to_be_called_is_paired_once_it_is_called():
    tournament = started(rounds_begin="call")
    assert refusal(tournament, PairRound, SYSTEM, round=1, **PAIRED) == (WrongTime, "tournament/round")
    assert refusal(tournament, CallRound, round=2) == (WrongTime, "tournament/round")
    assert tournament.when(CallRound, round=1) == [events.RoundCalled(1)]
    assert refusal(tournament, CallRound, round=1) == (WrongTime, "tournament/called")
    tournament.pair([(1, 2), (3, 4)])
    assert refusal(tournament, CallRound, round=2) == (WrongTime, "tournament/round")
    tournament.decide_all(lambda game: (1, 2))
    tournament.when(CallRound, round=2)


def test_rounds_begin_by_themselves_or_are_called():
    assert refusal(started(), CallRound, round=1) == (WrongTime, "tournament/not-called")
    with pytest.raises(WrongValue, match="rounds_begin"):
        GivenTournament(rounds_begin="never")


def test_a_round_is_paired_by_hand_and_says_why():
    tournament = started(rounds_begin="call")
    [paired] = tournament.when(PairByHand, round=1, **HAND)
    assert (paired.boards, paired.engine, paired.costs["why"]) == (HAND["boards"], "by hand", HAND["why"])
    assert paired.costs["meetings"] == 0
    act = tournament.state.acts[-1]
    assert (act.what, act.by, act.why, act.round) == ("round-paired", ORGANISER.id, HAND["why"], 1)


@pytest.mark.parametrize(
    ("boards", "byes"),
    [
        (((1, 2),), ()),
        (((1, 2), (3, 1)), (4,)),
        (((1, 2, 3),), (4,)),
        (((1, 2), (3, 9)), (4,)),
        (((1, 2), (3, 4)), (4,)),
    ],
)
def test_everybody_present_has_one_place(boards, byes):
    refused = refusal(started(), PairByHand, round=1, boards=boards, byes=byes, why="x")
    assert refused == (WrongValue, "tournament/pairing")


def test_only_the_next_round_is_paired_by_hand():
    tournament = started()
    assert refusal(tournament, PairByHand, round=2, **HAND) == (WrongTime, "tournament/round")
    tournament.when(PairByHand, round=1, **HAND)
    assert refusal(tournament, PairByHand, round=2, **HAND) == (WrongTime, "tournament/round")


@pytest.mark.parametrize("kind", ["knockout", "gauntlet"])
def test_a_plan_made_at_the_start_is_not_changed_by_hand(kind):
    refused = refusal(started(format={"kind": kind}), PairByHand, round=1, **HAND)
    assert refused == (WrongTime, "tournament/by-hand")


def test_a_round_without_a_result_is_taken_back_and_paired_anew():
    tournament = started(rounds_begin="call")
    tournament.when(CallRound, round=1)
    tournament.pair([(1, 2), (3, 4)])
    taken = tournament.when(TakeBackRound, round=1, why="Ann is not here")
    assert taken == [events.RoundTakenBack(1, "Ann is not here")]
    assert (tournament.state.rounds, tournament.state.called) == ((), 0)
    assert refusal(tournament, PairRound, SYSTEM, round=1, **PAIRED) == (WrongTime, "tournament/round")
    tournament.leave(4)
    tournament.when(PairByHand, round=1, boards=((1, 2),), byes=(3,), why="Ann is not here")
    assert [game.pairing for game in tournament.state.games()] == [1]
    assert [act.what for act in tournament.state.acts][-3:] == ["round-taken-back", "entrant-withdrawn", "round-paired"]


def test_a_round_with_a_result_stays():
    tournament = started()
    assert refusal(tournament, TakeBackRound, round=0, why="x") == (WrongTime, "tournament/round")
    tournament.pair([(1, 2), (3, 4)])
    assert refusal(tournament, TakeBackRound, round=2, why="x") == (WrongTime, "tournament/round")
    tournament.decide(1, 1, 1, 2)
    assert refusal(tournament, TakeBackRound, round=1, why="x") == (WrongTime, "tournament/round-begun")


def test_the_codes_of_a_table_or_of_all_are_revoked():
    tournament = started()
    tournament.pair([(1, 2), (3, 4)])
    revoked = tournament.when(RevokeTableCodes, round=1, board=2, why="a lost phone")
    assert revoked == [events.TableCodesRevoked(1, 2, "a lost phone")]
    tournament.when(RevokeTableCodes, round=1, board=2, why="again")
    tournament.when(RevokeTableCodes, why="all were photographed")
    assert tournament.state.codes_revoked == {(1, 2): 2, None: 1}
    assert refusal(tournament, RevokeTableCodes, round=1, board=3, why="x") == (Unknown, "tournament/no-game")
    assert refusal(tournament, RevokeTableCodes, round=1, why="x") == (WrongValue, "tournament/board")
