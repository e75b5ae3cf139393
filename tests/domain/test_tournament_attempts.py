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
from plyscribe.domain.tournament.events import FAILURES
from plyscribe.domain.tournament.state import MAX_ATTEMPTS, find_game
from tests.domain.given_tournament import GivenTournament

CRASHED = SeatWithdrawn(2, "resigned", "crashed")


def paired(entrants: int = 4, *boards: tuple[int, ...], **terms) -> GivenTournament:
    return GivenTournament(entrants, **terms).begun(boards or [(1, 2), (3, 4)])


def attempts(tournament: GivenTournament) -> list[Attempt]:
    return list(list_all_attempts(tournament.state))


def test_a_game_that_is_played_has_one_attempt_from_its_pairing_on_which_tells_when_it_was_made():
    tournament = paired()
    first, second = attempts(tournament)
    assert (first.place, first.status, first.match, first.made_at) == ((1, 1, 1, 1), "playing", None, None)
    assert second.place == (1, 2, 1, 1)
    tournament.decide(1, 1, 1, 2, made_at=500)
    first, _ = attempts(tournament)
    assert (first.match, first.status, first.made_at, first.incidents) == ("match-1-1-1", "decided", 500, ())
    assert (first.closed_at, first.is_scored) == (1000 + tournament.state.version, True)
    tournament.when(AbortTournament, cause="rain")
    assert [each.status for each in attempts(tournament)] == ["decided", "dropped"]


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


def test_a_game_that_failed_too_often_is_given_up_and_tried_again_keeps_its_failed_attempts():
    tournament = paired()
    for _ in range(MAX_ATTEMPTS):
        assert not find_game(tournament.state, (1, 1, 1)).is_given_up
        tournament.fail(1, 1)
    assert find_game(tournament.state, (1, 1, 1)).is_given_up
    assert [each.status for each in attempts(tournament)] == ["failed"] * MAX_ATTEMPTS + ["playing"]
    tournament.retry(1, 1)
    again = attempts(tournament)[MAX_ATTEMPTS]
    assert (again.game.board, again.status, again.number) == (1, "playing", 6)
    tournament.give_up(1, 1)
    tournament.forfeit(1, 1, 2)
    ruled = attempts(tournament)[2 * MAX_ATTEMPTS]
    assert (ruled.number, ruled.status, ruled.has_match, ruled.is_scored) == (11, "forfeited", False, True)


@pytest.mark.parametrize(
    ("cause", "fault"),
    [("time", None), ("absent", None), ("disqualified", None), ("resigned", "crashed"), ("resigned", "illegal")],
)
def test_who_leaves_a_match_is_at_fault_and_it_is_scored(cause, fault):
    tournament = paired()
    tournament.decide(1, 1, 1, 2, left=[SeatWithdrawn(2, cause, fault)])
    first, _ = attempts(tournament)
    assert first.incidents == (Incident(fault or cause, 2),)
    assert [first.incidents[0].find_owner(side) for side in (None, 1, 2)] == ["entrant", "opponent", "entrant"]
    assert first.is_scored


def test_to_resign_by_choice_is_told_and_is_nobodys_fault():
    tournament = paired()
    tournament.decide(1, 1, 1, 2, left=[SeatWithdrawn(2, "resigned")])
    first, _ = attempts(tournament)
    assert first.incidents == (Incident("resigned", 2),)
    assert first.incidents[0].find_owner(2) is None
    assert count_faults(tournament.state)[2] == Faults()


def test_faults_are_counted_for_each_entrant_by_whose_they_were_and_stand_when_the_game_is_annulled():
    tournament = paired()
    tournament.fail(1, 1)
    tournament.decide(1, 1, 1, 2, left=[CRASHED])
    tournament.decide(1, 2, 1, 2)
    for _ in range(2):
        assert count_faults(tournament.state) == {1: Faults(0, 1, 1), 2: Faults(1, 0, 1), 3: Faults(), 4: Faults()}
        assert count_all_faults(tournament.state) == {"entrant": 1, "platform": 1}
        if attempts(tournament)[1].is_scored:
            tournament.annul(1, 1)
    assert (attempts(tournament)[1].status, attempts(tournament)[1].is_scored) == ("decided", False)


def test_in_a_pod_several_may_leave():
    tournament = paired(3, (3, 1, 2), ruleset="toy", seats=3, format={"kind": "swiss", "rounds": 1})
    tournament.decide(1, 1, 3, 1, 2, left=[SeatWithdrawn(1, "time"), CRASHED])
    [only] = attempts(tournament)
    assert only.incidents == (Incident("time", 3), Incident("crashed", 1))
    assert count_faults(tournament.state) == {1: Faults(1, 1, 0), 2: Faults(0, 2, 0), 3: Faults(1, 1, 0)}


# ----------------------------------------------------------------------------------------------------------- rulings


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
