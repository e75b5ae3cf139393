"""What is entered at the table, and how organisers and arbiters correct it; penalties."""

from fractions import Fraction

import pytest

from plyscribe.domain.commands import Actor
from plyscribe.domain.errors import Unknown, WrongPerson, WrongTime, WrongValue
from plyscribe.domain.events import Account
from plyscribe.domain.tournament import commands, events
from plyscribe.domain.tournament.attempts import count_all_faults, list_all_attempts
from plyscribe.domain.tournament.points import total_points
from plyscribe.domain.tournament.standings import rank_entrants
from plyscribe.domain.tournament.state import find_game
from tests.domain.given import ANN
from tests.domain.given_tournament import SYSTEM, GivenTournament, refusal

TABLE = Actor("table", "1-1-0")
GAME = {"round": 1, "board": 1, "game": 1}
WHY = {"why": "they mixed up the names"}


def club(entrants=4, **terms):
    """A tournament at the table whose first round is paired in the order of entry."""
    tournament = GivenTournament(at_table=True, **terms)
    for number in range(1, entrants + 1):
        tournament.enter_guest(f"Guest {number}")
    tournament.start()
    tournament.pair([(each, each + 1) for each in range(1, entrants, 2)])
    return tournament


def game(tournament, place=(1, 1, 1)):
    found = find_game(tournament.state, place)
    assert found is not None
    return found


def online() -> GivenTournament:
    """Two entrants whose match is played on the server."""
    return GivenTournament(2).begun([(1, 2)])


def test_the_table_reports_a_result_once_which_counts_like_a_played_game():
    tournament = club()
    assert refusal(tournament, commands.ReportResult, ANN, **GAME, ranks=(1, 2)) == (
        WrongPerson,
        "tournament/not-yours",
    )
    assert tournament.when(commands.ReportResult, TABLE, **GAME, ranks=(2, 1)) == [
        events.GameReported(1, 1, 1, (2, 1), ())
    ]
    reported = game(tournament)
    assert (reported.ranks, reported.reason, reported.was_played) == ((2, 1), "reported", True)
    assert total_points(tournament.state) == {1: 0, 2: 2, 3: 0, 4: 0}
    assert tournament.state.acts == ()
    assert refusal(tournament, commands.ReportResult, TABLE, **GAME, ranks=(1, 2)) == (WrongTime, "tournament/decided")


def test_a_walkover_is_reported_by_who_did_not_come():
    tournament = club()
    reported = tournament.when(commands.ReportResult, TABLE, **GAME, forfeited=(2,))
    assert reported == [events.GameReported(1, 1, 1, (1, 2), (2,))]
    assert (game(tournament).forfeited, game(tournament).was_played) == ((2,), False)
    assert total_points(tournament.state)[1] == 2


@pytest.mark.parametrize(
    ("result", "code"),
    [
        ({}, "tournament/result"),
        ({"ranks": (1, 2), "forfeited": (2,)}, "tournament/result"),
        ({"ranks": (1, 3)}, "tournament/ranks"),
        ({"forfeited": (3,)}, "tournament/forfeit"),
    ],
)
def test_a_result_is_ranks_or_a_forfeit_that_fit_the_board(result, code):
    assert refusal(club(), commands.ReportResult, TABLE, **GAME, **result) == (WrongValue, code)


def test_a_game_online_is_not_reported_and_when_it_is_corrected_keeps_how_it_ended():
    tournament = online()
    assert refusal(tournament, commands.ReportResult, **GAME, ranks=(1, 2)) == (WrongTime, "tournament/not-at-table")
    tournament.decide(1, 1, 1, 2)
    tournament.when(commands.CorrectGame, **GAME, ranks=(2, 1), **WHY)
    assert (game(tournament).reason, game(tournament).match) == ("played", "match-1-1-1")


def test_an_arbiter_who_reports_a_result_is_listed():
    tournament = club()
    ann = tournament.name_arbiter(ANN)
    tournament.when(commands.ReportResult, ann, **GAME, ranks=(1, 1))
    assert [(act.what, act.by) for act in tournament.state.acts][1:] == [("game-reported", ANN.id)]


def test_a_wrong_result_is_corrected_before_and_after_the_next_pairing():
    tournament = club()
    tournament.report(1, 1, 1, 2)
    tournament.report(1, 2, 1, 2)
    tournament.pair([(1, 3), (2, 4)])
    corrected = tournament.when(commands.CorrectGame, **GAME, ranks=(2, 1), **WHY)
    assert corrected == [events.GameCorrected(1, 1, 1, (2, 1), (), WHY["why"])]
    assert (game(tournament).ranks, game(tournament).entered) == ((2, 1), (1, 2))
    assert total_points(tournament.state) == {1: 0, 2: 2, 3: 2, 4: 0}
    assert [round.boards for round in tournament.state.rounds] == [((1, 2), (3, 4)), ((1, 3), (2, 4))]
    tournament.when(commands.CorrectGame, **GAME, ranks=(1, 1), why="a draw, in truth")
    assert game(tournament).entered == (1, 2)
    assert [act.what for act in tournament.state.acts] == ["game-corrected"] * 2


def test_a_correction_says_something_new_of_a_decided_game():
    tournament = club()
    refused = refusal(tournament, commands.CorrectGame, **GAME, ranks=(2, 1), **WHY)
    assert refused == (WrongTime, "tournament/not-decided")
    tournament.report(1, 1, 1, 2)
    refused = refusal(tournament, commands.CorrectGame, **GAME, ranks=(1, 2), **WHY)
    assert refused == (WrongTime, "tournament/same-result")
    assert refusal(tournament, commands.CorrectGame, ANN, **GAME, ranks=(2, 1), **WHY)[0] == WrongPerson
    assert refusal(tournament, commands.CorrectGame, **GAME, ranks=(2, 1), why="")[0] == WrongValue


def test_a_correction_turns_a_game_into_a_forfeit_and_back_and_makes_an_annulled_one_count_again():
    tournament = club()
    tournament.report(1, 1, 1, 2)
    tournament.when(commands.CorrectGame, **GAME, forfeited=(1,), **WHY)
    assert total_points(tournament.state)[2] == 2
    assert not game(tournament).was_played
    tournament.when(commands.CorrectGame, **GAME, ranks=(1, 2), **WHY)
    assert game(tournament).was_played
    tournament.when(commands.AnnulGame, **GAME, **WHY)
    tournament.when(commands.CorrectGame, **GAME, ranks=(1, 2), why="it was right")
    assert game(tournament).counts


@pytest.mark.parametrize(("make", "reason", "played"), [(club, "reported", True), (online, "adjudicated", False)])
def test_a_walkover_that_was_played_after_all_counts_as_played_at_a_table_alone(make, reason, played):
    tournament = make()
    tournament.forfeit(1, 1, 1)
    tournament.when(commands.CorrectGame, **GAME, ranks=(1, 2), **WHY)
    assert (game(tournament).reason, game(tournament).was_played) == (reason, played)


def test_the_last_game_is_corrected_after_the_end():
    tournament = club(2, format={"kind": "swiss", "rounds": 1})
    tournament.report(1, 1, 1, 2)
    tournament.when(commands.EndTournament, SYSTEM, reason="played")
    tournament.when(commands.CorrectGame, **GAME, ranks=(2, 1), **WHY)
    assert [each.entrant for each in rank_entrants(tournament.state)] == [2, 1]


def test_a_game_of_the_last_round_is_played_once_more():
    tournament = online()
    assert refusal(tournament, commands.ReplayGame, **GAME, **WHY) == (WrongTime, "tournament/not-decided")
    tournament.decide(1, 1, 1, 2)
    assert tournament.when(commands.ReplayGame, **GAME, **WHY) == [events.GameReplayed(1, 1, 1, WHY["why"])]
    again = game(tournament)
    assert (again.ranks, again.match, again.replays) == (None, None, 1)
    assert [(each.status, each.match) for each in list_all_attempts(tournament.state)] == [
        ("failed", "match-1-1-1"),
        ("playing", None),
    ]
    assert count_all_faults(tournament.state) == {"entrant": 0, "platform": 0}
    tournament.decide(1, 1, 2, 1)
    tournament.pair([(2, 1)])
    assert refusal(tournament, commands.ReplayGame, **GAME, **WHY) == (WrongTime, "tournament/replay")


def test_games_played_once_more_do_not_use_up_the_attempts():
    tournament = online()
    for _ in range(6):
        tournament.decide(1, 1, 1, 2)
        tournament.when(commands.ReplayGame, **GAME, **WHY)
    assert not game(tournament).is_given_up


def test_a_penalty_takes_points_and_is_lifted():
    tournament = club()
    tournament.report(1, 1, 1, 2)
    given = tournament.when(commands.GivePenalty, entrant=1, points=1, why="a phone rang")
    assert given == [events.PenaltyGiven(1, 1, 1, "a phone rang")]
    assert total_points(tournament.state)[1] == 1
    assert total_points(tournament.state, 0)[1] == 0
    assert tournament.when(commands.LiftPenalty, penalty=1, why="not theirs") == [events.PenaltyLifted(1, "not theirs")]
    assert total_points(tournament.state)[1] == 2
    assert refusal(tournament, commands.LiftPenalty, penalty=1, why="x") == (WrongTime, "tournament/lifted")
    assert refusal(tournament, commands.LiftPenalty, penalty=2, why="x") == (Unknown, "tournament/no-penalty")
    assert [act.what for act in tournament.state.acts] == ["penalty-given", "penalty-lifted"]


def test_a_warning_takes_nothing_and_a_penalty_is_within_bounds():
    tournament = club()
    tournament.when(commands.GivePenalty, entrant=2, why="talking")
    assert total_points(tournament.state)[2] == Fraction(0)
    assert tournament.state.penalties[0].why == "talking"
    for points in (-1, 1001):
        refused = refusal(tournament, commands.GivePenalty, entrant=1, points=points, why="x")
        assert refused == (WrongValue, "tournament/penalty")


def test_who_plays_gives_no_penalties():
    tournament = GivenTournament(1, is_open=True)
    ann = tournament.name_arbiter(ANN)
    tournament.when(commands.RegisterEntrant, ann, occupant=Account(ANN.id))
    tournament.start()
    assert refusal(tournament, commands.GivePenalty, ann, entrant=1, points=1, why="x") == (
        WrongPerson,
        "tournament/own-game",
    )
    assert refusal(tournament, commands.GivePenalty, ANN, entrant=1, why="x") == (WrongPerson, "tournament/not-yours")
    assert refusal(tournament, commands.GivePenalty, entrant=7, why="x") == (Unknown, "entrant/unknown")


def test_a_table_calls_an_arbiter_once_until_one_answers_or_rules():
    tournament = club()
    tournament.report(1, 1, 1, 2)
    assert tournament.when(commands.CallArbiter, TABLE, **GAME, **WHY) == [events.ArbiterCalled(1, 1, 1, WHY["why"])]
    assert tournament.state.rounds[0].games[0][0].call == WHY["why"]
    assert refusal(tournament, commands.CallArbiter, TABLE, **GAME, **WHY) == (WrongTime, "call/open")
    assert tournament.when(commands.AnswerCall, **GAME, **WHY) == [events.ArbiterCallAnswered(1, 1, 1, WHY["why"])]
    assert refusal(tournament, commands.AnswerCall, **GAME, **WHY) == (WrongTime, "call/none")
    tournament.when(commands.CallArbiter, TABLE, **GAME, **WHY)
    tournament.when(commands.CorrectGame, **GAME, ranks=(2, 1), **WHY)
    assert tournament.state.rounds[0].games[0][0].call is None
