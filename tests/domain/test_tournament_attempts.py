"""The attempts at games: when they were made, how they ended, whose faults went with them."""

import pytest

from plyscribe.domain.events import SeatWithdrawn
from plyscribe.domain.tournament.attempts import (
    Attempt,
    Faults,
    Incident,
    count_all_faults,
    count_faults,
    list_all_attempts,
)
from plyscribe.domain.tournament.commands import AbortTournament
from plyscribe.domain.tournament.decide import TOURNAMENT
from plyscribe.domain.tournament.events import FAILURES
from plyscribe.domain.tournament.state import MAX_ATTEMPTS, Tournament, find_game
from tests.domain.given_tournament import STREAM, GivenTournament

CRASHED = SeatWithdrawn(2, "resigned", "crashed")


def paired(entrants: int = 4, *boards: tuple[int, ...], **terms) -> GivenTournament:
    tournament = GivenTournament(entrants, **terms)
    tournament.start()
    tournament.pair(boards or [(1, 2), (3, 4)])
    return tournament


def attempts(tournament: GivenTournament) -> list[Attempt]:
    return list(list_all_attempts(tournament.state))


def test_a_game_that_is_played_has_one_attempt_from_its_pairing_on():
    first, second = attempts(paired())
    assert (first.place, first.status, first.match, first.made_at) == ((1, 1, 1, 1), "playing", None, None)
    assert second.place == (1, 2, 1, 1)


def test_an_attempt_tells_when_it_was_made_and_that_its_result_counts():
    tournament = paired()
    tournament.decide(1, 1, 1, 2, made_at=500)
    first, _ = attempts(tournament)
    assert (first.match, first.status, first.made_at, first.incidents) == ("match-1-1-1", "decided", 500, ())
    assert first.closed_at == 1000 + tournament.state.version
    assert first.is_scored


@pytest.mark.parametrize("cause", FAILURES)
def test_what_the_platform_failed_is_its_own_fault_never_scored_and_tried_again(cause):
    tournament = paired()
    tournament.fail(1, 1, cause, made_at=500)
    failed, again, _ = attempts(tournament)
    assert (failed.place, failed.status, failed.made_at) == ((1, 1, 1, 1), "failed", 500)
    assert failed.incidents == (Incident(cause, why="it failed"),)
    assert [failed.incidents[0].find_owner(side) for side in (None, 1, 2)] == ["platform"] * 3
    assert not failed.is_scored
    assert (again.place, again.status) == ((1, 1, 1, 2), "playing")
    tournament.decide(1, 1, 1, 2)
    assert [each.status for each in attempts(tournament)] == ["failed", "decided", "playing"]


def test_a_game_that_failed_too_often_is_given_up():
    tournament = paired()
    for _ in range(MAX_ATTEMPTS):
        assert not find_game(tournament.state, (1, 1, 1)).is_given_up
        tournament.fail(1, 1)
    assert find_game(tournament.state, (1, 1, 1)).is_given_up
    assert [each.status for each in attempts(tournament)] == ["failed"] * MAX_ATTEMPTS + ["playing"]


@pytest.mark.parametrize(
    ("left", "cause"),
    [
        (SeatWithdrawn(2, "time"), "time"),
        (SeatWithdrawn(2, "absent"), "absent"),
        (SeatWithdrawn(2, "disqualified"), "disqualified"),
        (SeatWithdrawn(2, "resigned", "crashed"), "crashed"),
        (SeatWithdrawn(2, "resigned", "illegal"), "illegal"),
    ],
)
def test_who_leaves_a_match_is_at_fault_and_it_is_scored(left, cause):
    tournament = paired()
    tournament.decide(1, 1, 1, 2, left=[left])
    first, _ = attempts(tournament)
    assert first.incidents == (Incident(cause, 2),)
    assert [first.incidents[0].find_owner(side) for side in (None, 1, 2)] == ["entrant", "opponent", "entrant"]
    assert first.is_scored


def test_to_resign_by_choice_is_told_and_is_nobodys_fault():
    tournament = paired()
    tournament.decide(1, 1, 1, 2, left=[SeatWithdrawn(2, "resigned")])
    first, _ = attempts(tournament)
    assert first.incidents == (Incident("resigned", 2),)
    assert first.incidents[0].find_owner(2) is None
    assert count_faults(tournament.state)[2] == Faults()


def test_faults_are_counted_for_each_entrant_by_whose_they_were():
    tournament = paired()
    tournament.fail(1, 1)
    tournament.decide(1, 1, 1, 2, left=[CRASHED])
    tournament.decide(1, 2, 1, 2)
    assert count_faults(tournament.state) == {1: Faults(0, 1, 1), 2: Faults(1, 0, 1), 3: Faults(), 4: Faults()}
    assert count_all_faults(tournament.state) == {"entrant": 1, "platform": 1}


def test_in_a_pod_several_may_leave():
    tournament = paired(3, (3, 1, 2), ruleset="toy", seats=3, format={"kind": "swiss", "rounds": 1})
    tournament.decide(1, 1, 3, 1, 2, left=[SeatWithdrawn(1, "time"), CRASHED])
    [only] = attempts(tournament)
    assert only.incidents == (Incident("time", 3), Incident("crashed", 1))
    assert count_faults(tournament.state) == {1: Faults(1, 1, 0), 2: Faults(0, 2, 0), 3: Faults(1, 1, 0)}


def test_a_fault_stands_when_its_game_is_annulled_and_scores_nothing():
    tournament = paired()
    tournament.decide(1, 1, 1, 2, left=[CRASHED])
    tournament.annul(1, 1)
    first, _ = attempts(tournament)
    assert (first.status, first.is_scored) == ("decided", False)
    assert count_faults(tournament.state)[2] == Faults(1, 0, 0)


def test_what_was_played_when_the_tournament_was_called_off_is_dropped():
    tournament = paired()
    tournament.when(AbortTournament, cause="rain")
    assert [each.status for each in attempts(tournament)] == ["dropped", "dropped"]


def test_the_log_comes_out_of_the_stored_events_alone():
    tournament = paired()
    tournament.fail(1, 2)
    tournament.decide(1, 1, 1, 2, left=[CRASHED], made_at=500)
    again = TOURNAMENT.fold(Tournament(STREAM), tournament.entries)
    assert list(list_all_attempts(again)) == attempts(tournament)


# ----------------------------------------------------------------------------------------------------------- rulings


def test_a_game_that_is_tried_again_keeps_its_failed_attempts_and_has_one_more():
    tournament = paired()
    tournament.give_up(1, 1)
    tournament.retry(1, 1)
    *failed, again = [each for each in attempts(tournament) if each.game.board == 1]
    assert ([each.status for each in failed], again.status, again.number) == (["failed"] * 5, "playing", 6)


def test_an_adjudication_is_the_last_attempt_and_nobodys_fault():
    tournament = paired()
    tournament.fail(1, 1)
    tournament.adjudicate(1, 1, 2, 1)
    failed, ruled, _ = attempts(tournament)
    assert (failed.status, ruled.status, ruled.number, ruled.incidents) == ("failed", "adjudicated", 2, ())
    assert (ruled.is_scored, ruled.has_match, ruled.made_at) == (True, True, None)
    assert ruled.closed_at == 1000 + tournament.state.version


def test_a_forfeit_is_the_fault_of_those_who_lose_by_it():
    tournament = paired()
    tournament.forfeit(1, 1, 2)
    ruled, _ = attempts(tournament)
    assert (ruled.status, ruled.incidents) == ("forfeited", (Incident("forfeited", 2, "never came"),))
    assert [ruled.incidents[0].find_owner(side) for side in (None, 1, 2)] == ["entrant", "opponent", "entrant"]
    assert count_faults(tournament.state)[2] == Faults(entrant=1)


def test_a_ruling_on_a_game_that_was_given_up_has_no_match():
    tournament = paired()
    tournament.give_up(1, 1)
    tournament.forfeit(1, 1, 2)
    ruled = attempts(tournament)[5]
    assert (ruled.number, ruled.status, ruled.has_match) == (6, "forfeited", False)
    assert ruled.is_scored
