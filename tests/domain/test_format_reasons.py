"""Why the boards of pyramids, groups, leagues and ladders were paired."""

from plyscribe.domain.tournament.commands import ChallengeEntrant
from plyscribe.domain.tournament.explaining import Reason
from plyscribe.domain.tournament.reasons import explain_rounds
from plyscribe.service.tournaments.pairing import pair_next
from tests.domain.given_tournament import GivenTournament, by_number


def play(entrants: int, rounds: int, **format: object) -> GivenTournament:
    return GivenTournament(entrants, format=format).play(pair_next, by_number, rounds)


def test_a_pyramid_tells_the_places_of_both_or_who_is_missing():
    tournament = play(4, 3, kind="pyramid")
    [first, second] = explain_rounds(tournament.state)[3].boards
    assert first == (Reason("pyramid", (1, 4), {"place": 4, "before": 1, "time": 1}),)
    assert second == (Reason("pyramid", (2, 3), {"place": 3, "before": 2, "time": 1}),)
    tournament = GivenTournament(4, format={"kind": "pyramid"}).begun()
    tournament.leave(2)
    tournament.play(pair_next, by_number, 4)
    found = explain_rounds(tournament.state)
    assert found[1].byes == ((Reason("opponent-missing", (1, 2), {"turn": 1}),),)
    assert found[3].byes == ((Reason("opponent-missing", (3, 2), {"turn": 3}),),)


def test_groups_tell_the_group_and_then_the_places_in_the_bracket():
    tournament = play(6, 5, kind="groups", groups=2)
    found = explain_rounds(tournament.state)
    [board, _] = found[1].boards
    assert board == (Reason("group", tournament.state.rounds[0].boards[0], {"group": "A", "cycle": 1, "turn": 1}),)
    assert [reason.word for [reason] in found[1].byes] == ["group-empty", "group-empty"]
    [reason] = found[4].boards[0]
    assert (reason.word, reason.values["block"]) == ("group-bracket", 2)
    assert sorted(reason.values["groups"]) == ["A", "B"]


def test_a_league_is_explained_like_a_round_robin_and_a_challenge_by_who_challenged_whom():
    tournament = play(4, 1, kind="league", next_round="early")
    assert explain_rounds(tournament.state)[1].boards[0][0].word == "circle"
    tournament = GivenTournament(4, format={"kind": "ladder"}).begun()
    tournament.when(ChallengeEntrant, entrant=4, opponent=2)
    assert explain_rounds(tournament.state)[1].boards == ((Reason("challenge", (4, 2), {"low": 4, "high": 2}),),)
