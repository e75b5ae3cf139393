"""Teams: who plays for which, their matches, their table."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pytest

from plyscribe.domain.commands import Actor
from plyscribe.domain.errors import WrongPerson, WrongTime, WrongValue
from plyscribe.domain.tournament.commands import (
    AssignEntrant,
    GivePenalty,
    LiftPenalty,
    PairByHand,
    RegisterEntrant,
    StartTournament,
)
from plyscribe.domain.tournament.explaining import Reason
from plyscribe.domain.tournament.reasons import explain_rounds
from plyscribe.domain.tournament.scheveningen import list_turns
from plyscribe.domain.tournament.state import Game
from plyscribe.domain.tournament.team_standings import dump_team_matches, list_team_table, rank_teams
from plyscribe.domain.tournament.teams import list_teams
from plyscribe.service.tournaments.pairing import pair_next
from tests.domain.given_tournament import BOT, GivenTournament, by_chance, by_number, refusal
from tests.domain.test_names import ZALGO

LEAGUE = {"kind": "team-round-robin", "boards": 2}
SWISS = {"kind": "team-swiss", "boards": 2, "rounds": 4}
SCHEVENINGEN = {"kind": "scheveningen"}


def enter_teams(*names: str, size: int, format: dict[str, Any], **terms: Any) -> GivenTournament:
    """A tournament with teams of this size; the members of a team enter one after the other."""
    tournament = GivenTournament(at_table=True, format=format, **terms)
    for name in names:
        for number in range(1, size + 1):
            tournament.enter_guest(f"{name} {number}", team=name)
    return tournament


def level(game: Game) -> tuple[int, ...]:
    return 1, 1


def scores(tournament: GivenTournament) -> dict[str, tuple[Fraction, Fraction]]:
    return {each.team.name: (each.match_points, each.board_points) for each in rank_teams(tournament.state)}


# ---- who plays for which team


def test_the_organiser_assigns_entrants_to_teams_and_places():
    teams = GivenTournament(3, format=LEAGUE)
    teams.when(AssignEntrant, entrant=1, team="Red Kites")
    teams.when(AssignEntrant, entrant=2, team="red  kites", place=1)
    teams.when(AssignEntrant, entrant=3, team="Blues")
    assert [(each.name, each.members) for each in list_teams(teams.state)] == [("Red Kites", (2, 1)), ("Blues", (3,))]
    player = Actor("player", "player-" + "p" * 26)
    assert refusal(teams, AssignEntrant, player, entrant=1, team="Blues") == (WrongPerson, "tournament/not-yours")
    teams.when(AssignEntrant, entrant=3)
    assert teams.state.entrants[2].team is None
    assert refusal(teams, AssignEntrant, entrant=3) == (WrongTime, "entrant/assigned")
    assert refusal(teams, AssignEntrant, entrant=3, place=1) == (WrongValue, "entrant/place")


def test_a_team_has_a_printable_name_and_a_format_of_teams():
    for name in ("", " Reds", "Re\nds", "R" * 101, ZALGO):
        refused = refusal(GivenTournament(1, format=LEAGUE), AssignEntrant, entrant=1, team=name)
        assert refused == (WrongValue, "entrant/team")
    assert refusal(GivenTournament(1), AssignEntrant, entrant=1, team="Reds") == (WrongValue, "tournament/no-teams")
    assert refusal(GivenTournament(), RegisterEntrant, occupant=BOT, team="Reds") == (WrongValue, "tournament/no-teams")
    teams = enter_teams("Reds", "Blues", size=1, format=SCHEVENINGEN)
    assert refusal(teams, AssignEntrant, entrant=1, team="Greens") == (WrongValue, "entrant/team"), "a third team"


def test_a_tournament_of_teams_does_not_start_with_an_entrant_without_a_team():
    teams = enter_teams("Reds", "Blues", size=2, format=LEAGUE)
    teams.enter_guest("Ida")
    assert refusal(teams, StartTournament) == (WrongTime, "tournament/no-team")


@pytest.mark.parametrize(
    ("format", "sizes"),
    [(LEAGUE, {"Reds": 2}), (LEAGUE, {"Reds": 2, "Blues": 1}), (SCHEVENINGEN, {"Reds": 2, "Blues": 3})],
)
def test_a_tournament_does_not_start_with_teams_of_the_wrong_size(format, sizes):
    teams = GivenTournament(at_table=True, format=format)
    for name, size in sizes.items():
        for number in range(size):
            teams.enter_guest(f"{name} {number}", team=name)
    assert refusal(teams, StartTournament) == (WrongTime, "tournament/teams")


def test_teams_are_fixed_once_the_tournament_has_started_and_paired_by_nobody_by_hand():
    teams = enter_teams("Reds", "Blues", size=2, format=LEAGUE)
    teams.start()
    assert refusal(teams, AssignEntrant, entrant=1, team="Blues") == (WrongTime, "tournament/status")
    boards = {"boards": ((1, 3), (2, 4)), "byes": (), "why": "as they like"}
    assert refusal(teams, PairByHand, round=1, **boards) == (WrongTime, "tournament/by-hand")


def test_a_team_is_seeded_by_the_ratings_of_those_who_play():
    teams = GivenTournament(at_table=True, format=LEAGUE)
    for name, ratings in (("Reds", (1500, 1500, 2000)), ("Blues", (1600, 1500, None))):
        for place, rating in enumerate(ratings, 1):
            teams.enter_guest(f"{name} {place}", team=name, place=place, rating=rating)
    assert [each.name for each in list_teams(teams.state)] == ["Blues", "Reds"]


# ---- Scheveningen


@pytest.mark.parametrize("members", range(1, 25))
def test_each_member_meets_each_of_the_other_team_with_seats_as_even_as_can_be(members):
    turns = list_turns(members)
    assert sorted(each.shift for each in turns) == list(range(members))
    first, second = [0] * members, [0] * members
    for turn in turns:
        for place in range(members):
            if place in turn.firsts:
                first[place] += 1
            else:
                second[(place + turn.shift) % members] += 1
    unevenness = [abs(2 * len(each.firsts) - members) for each in turns]
    assert {abs(2 * each - members) for each in first + second} == {members % 2}
    if members % 2:
        assert set(unevenness) == {1}
        assert abs(2 * sum(first) - members**2) == 1
    else:
        assert sorted(unevenness, reverse=True)[:3] == ([2, 2, 0] if members % 4 else [0, 0, 0])[:members]
        assert 2 * sum(first) == members**2


def test_a_scheveningen_ends_when_all_have_met_and_a_second_cycle_exchanges_the_seats():
    teams = enter_teams("Reds", "Blues", size=3, format={**SCHEVENINGEN, "cycles": 2}).play(pair_next, by_chance(1))
    boards = [board for round in teams.state.rounds for board in round.boards]
    assert len(teams.state.rounds) == 6
    assert sorted(boards) == sorted(
        (*((a, b) for a in (1, 2, 3) for b in (4, 5, 6)), *((b, a) for a in (1, 2, 3) for b in (4, 5, 6)))
    )


def test_an_opponent_who_is_missing_in_a_scheveningen_leaves_a_bye():
    teams = enter_teams("Reds", "Blues", size=2, format=SCHEVENINGEN)
    teams.sit_out(3, 1)
    teams.play(pair_next, level, most=1)
    assert teams.state.rounds[0].byes == (1,)
    assert explain_rounds(teams.state)[1].byes == ((Reason("opponent-missing", (1, 3), {"cycle": 1, "turn": 1}),),)
    assert scores(teams) == {"Reds": (2, 3), "Blues": (0, 1)}


def test_a_scheveningen_ends_when_a_team_has_left():
    teams = enter_teams("Reds", "Blues", size=2, format=SCHEVENINGEN)
    teams.start()
    teams.leave(1)
    teams.leave(2)
    assert pair_next(teams.state) is None


# ---- matches of teams


def test_teams_meet_in_board_order_with_alternating_seats():
    teams = enter_teams("Reds", "Blues", size=4, format={"kind": "team-round-robin", "boards": 4})
    teams.play(pair_next, by_number)
    [round] = teams.state.rounds
    assert [set(board) for board in round.boards] == [{1, 5}, {2, 6}, {3, 7}, {4, 8}]
    assert [board[0] in (1, 2, 3, 4) for board in round.boards] in ([True, False] * 2, [False, True] * 2)


def test_a_match_is_worth_two_points_a_level_one_each_one_and_nothing_before_all_games_are_decided():
    teams = enter_teams("Reds", "Blues", "Greens", size=2, format=LEAGUE)
    teams.play(pair_next, lambda game: by_number(game) if 1 in game.entrants else (1, 1))
    assert scores(teams) == {"Reds": (2 + 2 + 2, 3 + 3 + 4), "Blues": (1 + 2, 2 + 1 + 4), "Greens": (1 + 2, 2 + 1 + 4)}
    [first] = [each for each in rank_teams(teams.state) if each.team.name == "Reds"]
    assert (first.rank, first.won, first.level, first.lost, first.byes) == (1, 2, 0, 0, 1)
    teams = enter_teams("Reds", "Blues", size=2, format=LEAGUE)
    teams.play(pair_next, level, most=0)
    teams.pair(*pair_next(teams.state))
    teams.decide(1, 1, 1, 2)
    [match] = dump_team_matches(teams.state, teams.state.rounds[0], list_teams(teams.state))
    assert (match["points"], match["ranks"], match["boards"]) == (["2", "0"], None, [1, 2])


def test_whoever_is_behind_moves_up_for_an_absent_member_or_one_without_an_opponent_has_a_bye():
    teams = enter_teams("Reds", "Blues", size=3, format=LEAGUE)
    teams.sit_out(1, 1)
    teams.play(pair_next, level)
    assert {frozenset(board) for board in teams.state.rounds[0].boards} == {frozenset({2, 4}), frozenset({3, 5})}
    explained = explain_rounds(teams.state)[1].boards[0]
    assert Reason("moved-up", (2,), {"place": 2, "position": 1}) in explained
    teams = enter_teams("Reds", "Blues", size=2, format=LEAGUE)
    teams.sit_out(4, 1)
    teams.play(pair_next, level)
    assert teams.state.rounds[0].byes == (2,)
    assert scores(teams) == {"Reds": (2, 3), "Blues": (0, 1)}
    assert explain_rounds(teams.state)[1].byes == ((Reason("team-short", (2,)),),)


def test_a_team_without_an_opponent_and_one_whose_members_all_sit_out():
    teams = enter_teams("Reds", "Blues", "Greens", size=3, format=LEAGUE)
    teams.play(pair_next, level, most=1)
    [with_bye] = [each for each in rank_teams(teams.state) if each.byes]
    assert (with_bye.match_points, with_bye.board_points) == (2, 4)
    assert len(teams.state.rounds[0].byes) == 2, "the reserve has none"
    teams = enter_teams("Reds", "Blues", size=2, format=LEAGUE)
    teams.sit_out(1, 1)
    teams.sit_out(2, 1)
    teams.play(pair_next, level)
    assert scores(teams) == {"Blues": (2, 4), "Reds": (0, 0)}
    assert rank_teams(teams.state)[1].matches == 0


def test_a_penalty_costs_the_team_board_points_and_a_match_of_annulled_games_counts_for_nobody():
    teams = enter_teams("Reds", "Blues", size=2, format=LEAGUE)
    teams.play(pair_next, level)
    teams.when(GivePenalty, entrant=1, points=1, why="a phone rang")
    assert scores(teams) == {"Blues": (1, 2), "Reds": (1, 1)}
    teams.when(LiftPenalty, penalty=1, why="it was another one")
    for board in (1, 2):
        teams.annul(1, board)
    assert scores(teams) == {"Reds": (0, 0), "Blues": (0, 0)}
    assert dump_team_matches(teams.state, teams.state.rounds[0], list_teams(teams.state))[0]["ranks"] is None


@pytest.mark.parametrize(("first", "winner"), [("match-points", "Reds"), ("board-points", "Blues")])
def test_the_terms_say_which_points_come_first(first, winner):
    def rank(game: Game) -> Sequence[int]:
        """The Reds beat the Blues narrowly, the Blues beat the Greens clearly, all else is level."""
        is_won = set(game.entrants) == {1, 4} or min(game.entrants) in (4, 5, 6)
        return by_number(game) if is_won else (1, 1)

    format = {"kind": "team-round-robin", "boards": 3, "first": first}
    teams = enter_teams("Reds", "Blues", "Greens", size=3, format=format).play(pair_next, rank)
    assert scores(teams) == {"Reds": (5, 13), "Blues": (4, 14), "Greens": (3, 9)}
    assert rank_teams(teams.state)[0].team.name == winner


def test_a_swiss_of_teams_pairs_teams_with_equal_match_points_that_have_not_met():
    names = [f"Team {letter}" for letter in "ABCDEF"]
    teams = enter_teams(*names, size=3, format=SWISS).play(pair_next, by_number)
    met = [
        frozenset(match["names"])
        for round in teams.state.rounds
        for match in dump_team_matches(teams.state, round, list_teams(teams.state))
    ]
    assert len(met) == len(set(met)) == 12
    words = {each.word for why in explain_rounds(teams.state)[2].boards for each in why}
    assert words == {"team-match", "team-points"}
    assert teams.state.rounds[1].engine.startswith("dutch")


def test_the_table_of_teams_has_a_line_for_each():
    teams = enter_teams("Reds", "Blues", size=2, format=LEAGUE).play(pair_next, by_number)
    head, first, second = list_team_table(teams.state)
    assert head[:5] == ["rank", "team", "name", "match points", "board points"]
    assert (first[:5], second[:5]) == (["1", "1", "Reds", "2", "4"], ["2", "2", "Blues", "0", "0"])
