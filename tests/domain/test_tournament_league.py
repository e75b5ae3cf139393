"""Leagues: rounds begin at dates, games are decided by deadlines, and organisers give more time."""

import pytest

from plyscribe.domain.errors import Unknown, WrongPerson, WrongTime, WrongValue
from plyscribe.domain.tournament.commands import (
    EndTournament,
    ExtendDeadline,
    PairRound,
    PassDeadline,
    PauseTournament,
    ResumeTournament,
)
from plyscribe.domain.tournament.due_dates import DAY_MS, find_next_begin, find_next_due, list_due
from plyscribe.domain.tournament.events import DeadlineExtended, GameForfeited
from plyscribe.domain.tournament.schedule import pair_round_robin
from plyscribe.domain.tournament.standings import rank_entrants
from tests.domain.given import ANN
from tests.domain.given_tournament import SYSTEM, GivenTournament, by_number, refusal

WEEK_MS = 7 * DAY_MS
FIRST = {"round": 1, "board": 1}
WHY = {"why": "a holiday"}


def given_league(entrants: int = 4, **format) -> GivenTournament:
    """A league that has started, its first round paired if it has begun."""
    tournament = GivenTournament(entrants, format={"kind": "league", **format}, is_open=True).begun()
    if "begins_at" not in format:
        pair(tournament)
    return tournament


def pair(tournament: GivenTournament) -> None:
    pairing = pair_round_robin(tournament.state)
    assert pairing is not None
    tournament.pair(pairing.boards, pairing.byes, pairing.costs)


def refuse_pairing(tournament: GivenTournament) -> str:
    pairing = pair_round_robin(tournament.state)
    number = len(tournament.state.rounds) + 1
    fields = {"round": number, "boards": pairing.boards, "byes": pairing.byes, "costs": {}, "engine": "x"}
    return refusal(tournament, PairRound, SYSTEM, **fields)[1]


def pass_deadline(tournament: GivenTournament, round: int, board: int, *entrants: int):
    return tournament.when(PassDeadline, SYSTEM, round=round, board=board, game=1, entrants=entrants)


def test_the_first_round_begins_at_the_date_of_the_terms():
    begin = 10 * DAY_MS
    tournament = given_league(begins_at=begin)
    assert refuse_pairing(tournament) == "tournament/round"
    tournament.wait(begin)
    pair(tournament)
    assert tournament.state.rounds[0].ends_at == begin + WEEK_MS


def test_the_next_round_waits_for_its_date_and_for_the_round_before():
    tournament = given_league()
    tournament.decide_all(by_number)
    assert refuse_pairing(tournament) == "tournament/round"
    tournament.wait(WEEK_MS)
    pair(tournament)
    first, second = tournament.state.rounds
    assert second.ends_at == first.ends_at + WEEK_MS
    tournament.wait(WEEK_MS)
    assert not tournament.state.may_pair(3)


def test_a_round_that_begins_late_has_its_full_time_and_an_early_one_begins_at_once():
    tournament = given_league()
    tournament.decide_all(by_number)
    tournament.wait(9 * DAY_MS)
    pair(tournament)
    assert tournament.state.rounds[1].ends_at - tournament.clock_ms >= WEEK_MS
    tournament = given_league(next_round="early")
    tournament.decide_all(by_number)
    assert find_next_begin(tournament.state) is None
    pair(tournament)


def test_rounds_overlap_where_the_terms_say_so():
    tournament = given_league(next_round="date")
    tournament.when(ExtendDeadline, round=1, days=30, **WHY)
    tournament.wait(WEEK_MS)
    pair(tournament)
    assert [round.number for round in tournament.state.open_rounds] == [1, 2]
    tournament.decide(2, 1, 1, 2)
    tournament.decide(1, 1, 1, 2)
    assert [due.game.round for due in list_due(tournament.state)] == [1, 2]
    assert refusal(tournament, EndTournament, SYSTEM, reason="played") == (WrongTime, "tournament/round")


def test_who_does_not_play_by_the_deadline_loses_by_forfeit_without_an_act():
    tournament = given_league()
    loser = tournament.state.rounds[0].boards[0][1]
    place = {**FIRST, "game": 1, "entrants": (loser,)}
    assert refusal(tournament, PassDeadline, SYSTEM, **place) == (WrongTime, "tournament/round")
    tournament.wait(WEEK_MS)
    assert refusal(tournament, PassDeadline, ANN, **place) == (WrongPerson, "tournament/not-yours")
    [event] = pass_deadline(tournament, 1, 1, loser)
    assert event == GameForfeited(1, 1, 1, (loser,), "it was not played by its deadline")
    assert tournament.state.acts == ()
    assert rank_entrants(tournament.state)[0].entrant == tournament.state.rounds[0].boards[0][0]


def test_both_may_lose_at_the_deadline():
    tournament = given_league(overdue="both")
    tournament.wait(WEEK_MS)
    pass_deadline(tournament, 1, 1, *tournament.state.rounds[0].boards[0])
    assert {each.points for each in rank_entrants(tournament.state)} == {0}


def test_a_decided_game_is_not_due_and_needs_no_more_time():
    tournament = given_league()
    tournament.decide_all(by_number)
    assert refusal(tournament, ExtendDeadline, round=1, days=1, **WHY) == (WrongTime, "tournament/decided")
    tournament.wait(WEEK_MS)
    assert find_next_due(tournament.state) is None
    place = {**FIRST, "game": 1, "entrants": (1,)}
    assert refusal(tournament, PassDeadline, SYSTEM, **place) == (WrongTime, "tournament/decided")


def test_the_organiser_gives_a_board_more_time_with_who_and_why():
    tournament = given_league()
    assert tournament.when(ExtendDeadline, **FIRST, days=3, **WHY) == [DeadlineExtended(1, 1, 3, "a holiday")]
    [first, second] = tournament.state.rounds[0].deadlines
    assert first - second == 3 * DAY_MS
    [act] = tournament.state.acts
    assert (act.what, act.round, act.board, act.why) == ("deadline-extended", 1, 1, "a holiday")
    assert find_next_due(tournament.state) == second


def test_more_time_for_a_round_is_for_all_its_boards_and_does_not_move_the_next_one():
    tournament = given_league(next_round="date")
    plan = tournament.state.rounds[0].ends_at
    tournament.when(ExtendDeadline, round=1, days=3, **WHY)
    assert set(tournament.state.rounds[0].deadlines) == {plan + 3 * DAY_MS}
    assert find_next_begin(tournament.state) == plan


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({**FIRST, "days": 0}, (WrongValue, "tournament/days")),
        ({**FIRST, "days": 91}, (WrongValue, "tournament/days")),
        ({"round": 2, "days": 1}, (Unknown, "tournament/no-game")),
        ({"round": 1, "board": 9, "days": 1}, (Unknown, "tournament/no-game")),
    ],
)
def test_an_extension_needs_a_board_and_a_number_of_days(fields, expected):
    assert refusal(given_league(), ExtendDeadline, **fields, **WHY) == expected


def test_games_are_due_a_round_later_and_after_extensions_no_more_than_a_year_ahead():
    tournament = given_league()
    [first, second] = tournament.state.rounds[0].deadlines
    assert first == second == tournament.state.rounds[0].ends_at
    assert 0 <= first - tournament.state.started_at - WEEK_MS < 1000
    for _ in range(3):
        tournament.when(ExtendDeadline, **FIRST, days=90, **WHY)
    assert refusal(tournament, ExtendDeadline, **FIRST, days=90, **WHY) == (WrongValue, "tournament/days")


def test_nobody_extends_the_deadline_of_a_board_where_they_sit():
    tournament = GivenTournament(1, format={"kind": "league"}, is_open=True)
    tournament.enter_account(ANN)
    tournament.start()
    arbiter = tournament.name_arbiter(ANN)
    pair(tournament)
    assert refusal(tournament, ExtendDeadline, arbiter, **FIRST, days=1, **WHY) == (WrongPerson, "tournament/own-game")
    assert refusal(tournament, ExtendDeadline, ANN, **FIRST, days=1, **WHY) == (WrongPerson, "tournament/not-yours")


def test_only_a_league_has_deadlines_and_nobody_calls_its_rounds():
    tournament = GivenTournament(2, format={"kind": "round-robin"}).begun([(1, 2)])
    assert refusal(tournament, ExtendDeadline, **FIRST, days=1, **WHY) == (WrongTime, "tournament/no-deadline")
    with pytest.raises(WrongValue, match="begin at their dates"):
        GivenTournament(2, format={"kind": "league"}, rounds_begin="call")


def test_no_time_passes_during_a_pause():
    tournament = given_league()
    before = tournament.state.rounds[0]
    tournament.when(PauseTournament, why="the server moves")
    assert find_next_due(tournament.state) is None
    tournament.wait(WEEK_MS)
    place = {**FIRST, "game": 1, "entrants": (1,)}
    assert refusal(tournament, PassDeadline, SYSTEM, **place) == (WrongTime, "tournament/round")
    tournament.when(ResumeTournament)
    after = tournament.state.rounds[0]
    paused_ms = after.ends_at - before.ends_at
    assert 0 <= paused_ms - WEEK_MS < 1000
    assert after.deadlines == tuple(at + paused_ms for at in before.deadlines)
