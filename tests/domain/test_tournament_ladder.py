"""Ladders: rungs, challenges and their refusals, who climbs, deadlines, and the end."""

import pytest

from plyscribe.domain.errors import Unknown, WrongPerson, WrongTime, WrongValue
from plyscribe.domain.tournament import commands
from plyscribe.domain.tournament.due_dates import DAY_MS, find_next_due
from plyscribe.domain.tournament.events import ChallengeMade
from plyscribe.domain.tournament.ladder import find_end, is_over, list_within_reach
from plyscribe.domain.tournament.standings import rank_entrants
from tests.domain.given import ANN, BEN
from tests.domain.given_tournament import BOT, SYSTEM, GivenTournament, refusal

WHY = {"why": "the season is over"}


def given_ladder(entrants: int = 5, **format) -> GivenTournament:
    return GivenTournament(entrants, format={"kind": "ladder", **format}, is_open=True).begun()


def challenge(tournament: GivenTournament, challenger: int, challenged: int) -> None:
    tournament.when(commands.ChallengeEntrant, entrant=challenger, opponent=challenged)


def play(tournament: GivenTournament, challenger: int, challenged: int, winner: int | None) -> None:
    """A challenge and its result; without a winner it is level."""
    challenge(tournament, challenger, challenged)
    round = tournament.state.rounds[-1]
    ranks = [1 if winner in (None, each) else 2 for each in round.boards[0]]
    tournament.decide(round.number, 1, *ranks)


def rungs(tournament: GivenTournament) -> list[int]:
    return list(tournament.state.rungs)


def refuse(tournament: GivenTournament, challenger: int, challenged: int):
    return refusal(tournament, commands.ChallengeEntrant, entrant=challenger, opponent=challenged)


def test_the_rungs_follow_the_seeds_at_the_start():
    tournament = GivenTournament(3, format={"kind": "ladder"})
    tournament.when(commands.SeedEntrant, entrant=3, seed=1)
    tournament.start()
    assert rungs(tournament) == [3, 1, 2]


@pytest.mark.parametrize(("winner", "after"), [(4, [1, 4, 2, 3, 5]), (2, [1, 2, 3, 4, 5]), (None, [1, 2, 3, 4, 5])])
def test_a_challenger_who_wins_takes_the_rung_those_between_move_down_and_else_everybody_stays(winner, after):
    tournament = given_ladder()
    play(tournament, 4, 2, winner=winner)
    assert rungs(tournament) == after


def test_a_challenge_is_a_round_with_its_own_deadline():
    tournament = given_ladder(days=5)
    [made, paired] = tournament.when(commands.ChallengeEntrant, entrant=4, opponent=2)
    assert made == ChallengeMade(1, 4, 2)
    assert sorted(paired.boards[0]) == [2, 4]
    assert paired.costs["rungs"] == {"from": 4, "to": 2}
    assert find_next_due(tournament.state) == paired.deadline
    assert 0 <= paired.deadline - tournament.clock_ms - 5 * DAY_MS < 1000


def test_an_entrant_challenges_for_itself_alone():
    tournament = GivenTournament(2, format={"kind": "ladder"}, is_open=True)
    tournament.enter_account(ANN)
    tournament.start()
    assert refusal(tournament, commands.ChallengeEntrant, ANN, entrant=2, opponent=1) == (
        WrongPerson,
        "entrant/not-yours",
    )
    assert refusal(tournament, commands.ChallengeEntrant, BEN, opponent=1) == (WrongPerson, "challenge/not-entered")
    assert tournament.when(commands.ChallengeEntrant, ANN, opponent=2)[0] == ChallengeMade(1, 3, 2)
    assert tournament.state.acts == ()


def test_nobody_reaches_further_up_than_the_terms_allow_nor_downwards_themselves_or_who_is_not_there():
    tournament = given_ladder(reach=2)
    assert list_within_reach(tournament.state, 5) == [3, 4]
    assert refuse(tournament, 5, 2) == (WrongTime, "challenge/reach")
    assert refuse(tournament, 2, 4) == (WrongTime, "challenge/reach")
    assert refuse(tournament, 2, 2) == (WrongValue, "challenge/self")
    assert refuse(tournament, 1, 2) == (WrongTime, "challenge/top")
    tournament.leave(2)
    assert refuse(tournament, 4, 9) == (Unknown, "entrant/unknown")
    assert refuse(tournament, 4, 2) == (WrongTime, "entrant/out")


def test_everybody_plays_one_challenge_at_a_time():
    tournament = given_ladder()
    challenge(tournament, 4, 2)
    assert refuse(tournament, 3, 2) == (WrongTime, "challenge/busy")
    assert refuse(tournament, 5, 4) == (WrongTime, "challenge/busy")
    challenge(tournament, 3, 1)
    assert [round.number for round in tournament.state.open_rounds] == [1, 2]


def test_two_meet_again_only_after_the_cooldown():
    tournament = given_ladder(cooldown_days=3)
    play(tournament, 4, 2, winner=2)
    assert refuse(tournament, 4, 2) == (WrongTime, "challenge/cooldown")
    tournament.wait(3 * DAY_MS)
    challenge(tournament, 4, 2)


def test_only_a_ladder_that_is_not_paused_takes_challenges():
    tournament = given_ladder()
    tournament.when(commands.PauseTournament, why="a holiday")
    assert refuse(tournament, 2, 1) == (WrongTime, "challenge/paused")
    tournament = GivenTournament(3, format={"kind": "round-robin"}).begun()
    assert refuse(tournament, 2, 1) == (WrongTime, "challenge/no-ladder")
    assert refusal(tournament, commands.CloseTournament, **WHY) == (WrongTime, "challenge/no-ladder")


def test_who_enters_later_or_returns_begins_at_the_bottom():
    tournament = given_ladder(3)
    tournament.enter()
    tournament.leave(1)
    assert rungs(tournament) == [2, 3, 4]
    tournament.when(commands.ReturnEntrant, entrant=1, why="back again")
    assert rungs(tournament) == [2, 3, 4, 1]


def test_a_correction_an_annulment_or_a_replay_moves_everybody_to_where_they_should_be():
    tournament = given_ladder()
    play(tournament, 4, 2, winner=4)
    play(tournament, 5, 3, winner=5)
    assert rungs(tournament) == [1, 4, 2, 5, 3]
    board = tournament.state.rounds[0].boards[0]
    ranks = tuple(1 if each == 2 else 2 for each in board)
    tournament.when(commands.CorrectGame, round=1, board=1, game=1, ranks=ranks, why="entered the wrong way round")
    assert rungs(tournament) == [1, 2, 5, 3, 4]
    tournament = given_ladder()
    play(tournament, 4, 2, winner=4)
    tournament.when(commands.ReplayGame, round=1, board=1, game=1, why="wrong clocks")
    assert rungs(tournament) == [1, 2, 3, 4, 5]
    tournament.decide(1, 1, *[1 if each == 4 else 2 for each in tournament.state.rounds[0].boards[0]])
    tournament.when(commands.AnnulGame, round=1, board=1, game=1, why="wrong clocks")
    assert rungs(tournament) == [1, 2, 3, 4, 5]


def test_a_challenge_that_is_not_played_is_decided_at_its_deadline():
    tournament = given_ladder(overdue="challenged")
    challenge(tournament, 4, 2)
    tournament.wait(7 * DAY_MS)
    tournament.when(commands.PassDeadline, SYSTEM, round=1, board=1, game=1, entrants=(2,))
    assert rungs(tournament) == [1, 4, 2, 3, 5]


def test_the_table_is_in_the_order_of_the_rungs():
    tournament = given_ladder(4)
    play(tournament, 3, 1, winner=3)
    tournament.leave(2)
    ranked = [(each.rank, each.entrant) for each in rank_entrants(tournament.state)]
    assert ranked == [(1, 3), (2, 1), (3, 4), (4, 2)]


def test_a_ladder_that_is_closed_or_whose_weeks_are_over_takes_no_challenge():
    tournament = given_ladder()
    challenge(tournament, 4, 2)
    assert refusal(tournament, commands.CloseTournament, ANN, **WHY) == (WrongPerson, "tournament/not-yours")
    tournament.when(commands.CloseTournament, **WHY)
    assert is_over(tournament.state, tournament.clock_ms)
    assert refuse(tournament, 5, 3) == (WrongTime, "challenge/over")
    assert refusal(tournament, commands.RegisterEntrant, occupant=BOT) == (WrongTime, "challenge/over")
    assert refusal(tournament, commands.CloseTournament, **WHY) == (WrongTime, "challenge/over")
    assert not tournament.state.takes_entrants
    [act] = tournament.state.acts
    assert (act.what, act.why) == ("tournament-closed", "the season is over")
    tournament = given_ladder(weeks=2)
    end = find_end(tournament.state)
    assert end == tournament.state.started_at + 14 * DAY_MS
    tournament.wait(14 * DAY_MS)
    assert refuse(tournament, 4, 2) == (WrongTime, "challenge/over")


def test_a_ladder_has_no_rounds_to_sit_out_to_pair_or_to_take_back():
    tournament = given_ladder()
    challenge(tournament, 4, 2)
    assert refusal(tournament, commands.AnnounceAbsence, entrant=1, round=2) == (WrongTime, "entrant/absence")
    assert refusal(tournament, commands.TakeBackRound, round=1, why="no") == (WrongTime, "challenge/final")
    fields = {"round": 2, "boards": ((1, 3),), "byes": (), "why": "for once"}
    assert refusal(tournament, commands.PairByHand, **fields) == (WrongTime, "tournament/by-hand")
    assert not tournament.state.may_pair(2)
