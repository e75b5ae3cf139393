"""What the arbiter's desk knows of each board, what can be decided there, and what the next round waits for."""

import pytest

from plyscribe.domain.commands import AbortMatch, Actor, MakeMove, PauseMatch, Withdraw
from plyscribe.domain.errors import Refusal
from plyscribe.domain.match import Match
from plyscribe.domain.tournament import commands
from plyscribe.domain.tournament.arbiters_desk import (
    GRACE_MS,
    QUIET_MS,
    GameOnDesk,
    describe_desk,
    find_next_round,
    list_rulings,
)
from plyscribe.domain.tournament.state import find_game
from tests.domain.given import ANN, BEN, RECORDER, STREAM, hot_seat, recorded
from tests.domain.given_tournament import GivenTournament
from tests.domain.test_clock import START, start

AT_TABLE = {"at_table": True, "rounds_begin": "call"}


def hall(**terms) -> GivenTournament:
    """Two boards of a first round, at tables."""
    tournament = GivenTournament(**{**AT_TABLE, **terms})
    for name in ("Ida", "Kim", "Lou", "Max"):
        tournament.enter_guest(name)
    tournament.start()
    tournament.when(commands.CallRound, round=1)
    tournament.pair([(1, 2), (3, 4)])
    return tournament


def look(tournament: GivenTournament, match: Match | None, now_ms: int) -> GameOnDesk:
    """The first board of the first round, with this match."""
    game = tournament.state.rounds[0].games[0][0]
    return describe_desk(tournament.state, [game], {(1, 1, 1): match} if match else {}, now_ms)[1, 1, 1]


def test_a_match_that_is_played_tells_its_moves_and_who_is_to_move_and_is_due_when_it_stands_still():
    table = recorded()
    table.when(MakeMove, RECORDER, move="hold", at=5_000)
    seen = look(hall(), table.match, 6_000)
    assert (seen.state, seen.is_due, seen.ply, seen.last_move, seen.changed_at) == ("playing", False, 1, "hold", 5_000)
    assert (seen.on_turn, seen.missing) == (2, ())
    assert look(hall(), table.match, 5_000 + QUIET_MS).state == "playing"
    seen = look(hall(), table.match, 5_001 + QUIET_MS)
    assert (seen.state, seen.is_due) == ("quiet", True)


def test_clocks_tell_whose_time_is_over():
    table = start(2, match_ms=60_000)
    table.when(MakeMove, ANN, move="hold", at=START + 10_000)
    online = GivenTournament(2).play(lambda _: None, lambda _: ())
    online.pair([(1, 2)])
    seen = look(online, table.match, START + 20_000)
    assert (seen.state, seen.on_turn, seen.deadline, seen.left_ms) == ("playing", 2, START + 70_000, (50_000, 60_000))
    assert seen.missing == (2,)
    seen = look(online, table.match, START + 70_001)
    assert (seen.state, seen.is_due) == ("overdue", True)


def test_a_pause_stops_the_clock_and_says_why():
    table = start(2, match_ms=60_000)
    table.when(PauseMatch, Actor("organiser", RECORDER.id), why="the lights went out", at=START + 10_000)
    seen = look(hall(), table.match, START + 90_000)
    assert (seen.state, seen.is_due, seen.paused, seen.deadline) == ("paused", False, "the lights went out", None)
    assert seen.left_ms == (50_000, 60_000)


def test_a_match_that_ended_waits_to_be_checked_and_one_that_was_aborted_starts_again():
    table = hot_seat("zhen")
    table.when(AbortMatch, ANN, cause="a fault")
    assert look(hall(), table.match, table.match.at).state == "failed"
    over = start(2, match_ms=60_000)
    over.when(Withdraw, BEN, seat=2, cause="resigned", at=START + 1)
    assert look(hall(), over.match, over.match.at).state == "checking"


def test_a_game_without_a_match_is_about_to_begin_and_one_without_a_move_missed_after_a_while():
    assert look(hall(), None, 0) == look(hall(), Match(STREAM), 0) == GameOnDesk("waiting", False)
    match = recorded().match
    seen = look(hall(), match, match.at + GRACE_MS)
    assert (seen.state, seen.is_due, seen.missing) == ("not-begun", False, (1, 2))
    assert look(hall(), match, match.at + GRACE_MS + 2).is_due


def test_a_game_that_failed_too_often_comes_first_and_a_decided_one_needs_nobody():
    tournament = GivenTournament(2).begun([(1, 2)])
    tournament.give_up(1, 1)
    assert (look(tournament, None, 0).state, look(tournament, None, 0).is_due) == ("given-up", True)
    tournament.adjudicate(1, 1, 1, 2)
    assert (look(tournament, None, 0).state, look(tournament, None, 0).is_due) == ("decided", False)
    tournament.annul(1, 1)
    assert look(tournament, None, 0).state == "annulled"


# ------------------------------------------------------------------------------------------------------------- rulings

COMMANDS = {
    "results": (commands.ReportResult, {"ranks": (2, 1)}),
    "adjudications": (commands.AdjudicateGame, {"ranks": (2, 1), "why": "seen"}),
    "forfeits": (commands.ForfeitGame, {"entrants": (1,), "why": "seen"}),
    "corrections": (commands.CorrectGame, {"ranks": (1, 1), "why": "seen"}),
    "annulments": (commands.AnnulGame, {"why": "seen"}),
    "replays": (commands.ReplayGame, {"why": "seen"}),
    "retries": (commands.RetryGame, {"why": "seen"}),
}


def undecided(_: GivenTournament) -> None:
    """As it is paired."""


def decided(tournament: GivenTournament) -> None:
    tournament.report(1, 1, 1, 2)


def annulled(tournament: GivenTournament) -> None:
    decided(tournament)
    tournament.annul(1, 1)


def given_up(tournament: GivenTournament) -> None:
    tournament.give_up(1, 1)


def paired_since(tournament: GivenTournament) -> None:
    decided(tournament)
    tournament.report(1, 2, 1, 2)
    tournament.when(commands.CallRound, round=2)
    tournament.pair([(1, 3), (2, 4)])


@pytest.mark.parametrize("prepare", [undecided, decided, annulled, given_up, paired_since])
@pytest.mark.parametrize("terms", [{}, {"at_table": False}])
def test_an_organiser_is_offered_exactly_what_would_be_accepted(prepare, terms):
    accepted = set()
    for path, (command, fields) in COMMANDS.items():
        tournament = hall(**terms) if terms == {} else _online()
        _prepare(prepare, tournament)
        offered = list_rulings(tournament.state, find_game(tournament.state, (1, 1, 1)))
        try:
            tournament.when(command, round=1, board=1, game=1, **fields)
            accepted.add(path)
        except Refusal:
            pass
    assert set(offered) == accepted


def _online() -> GivenTournament:
    tournament = GivenTournament(4, rounds_begin="call").begun()
    tournament.when(commands.CallRound, round=1)
    tournament.pair([(1, 2), (3, 4)])
    return tournament


def _prepare(prepare, tournament: GivenTournament) -> None:
    if not tournament.state.terms.at_table:
        tournament.report = tournament.decide
    prepare(tournament)


# ---------------------------------------------------------------------------------------------------------- next round


def test_the_next_round_waits_for_results_then_for_its_call():
    tournament = hall()
    assert find_next_round(tournament.state)[:5] == (2, (1, 2), None, False, True)
    tournament.report(1, 2, 1, 2)
    assert find_next_round(tournament.state).boards == (1,)
    tournament.report(1, 1, 1, 2)
    assert find_next_round(tournament.state)[:5] == (2, (), None, True, True)
    tournament.when(commands.PauseTournament, why="dinner")
    assert find_next_round(tournament.state).paused == "dinner"
    tournament.when(commands.CallRound, round=2)
    assert find_next_round(tournament.state)[3:5] == (False, False)


def test_before_the_start_there_is_no_next_round_and_after_the_last_the_tournament_ends():
    assert find_next_round(GivenTournament(2).state) is None
    tournament = hall(format={"kind": "swiss", "rounds": 1})
    assert find_next_round(tournament.state).is_end
    assert not find_next_round(hall().state).is_end
