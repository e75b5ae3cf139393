"""Why each board of a round was paired, from the events."""

from fractions import Fraction

import pytest

from plyscribe.domain.tournament.commands import CorrectGame, PairByHand
from plyscribe.domain.tournament.explaining import Reason
from plyscribe.domain.tournament.reasons import explain_rounds, find_due_seat
from plyscribe.service.tournaments.pairing import pair_next
from tests.domain.given_tournament import ORGANISER, GivenTournament, by_number

WHITE, BLACK = 0, 1


def explain(tournament: GivenTournament, round: int) -> tuple[dict, dict]:
    """The reasons of a round by their words: for each board, by its entrants, and for each bye."""
    explanation, paired = explain_rounds(tournament.state)[round], tournament.state.rounds[round - 1]
    boards = {tuple(sorted(board)): list(why) for board, why in zip(paired.boards, explanation.boards, strict=True)}
    return boards, {entrant: list(why) for entrant, why in zip(paired.byes, explanation.byes, strict=True)}


def test_a_swiss_tells_score_groups_places_in_them_who_came_down_and_why_one_has_a_bye():
    boards, _ = explain(GivenTournament(4).play(pair_next, by_number, most=2), 2)
    group, ranks = boards[1, 2][:2]
    assert group == Reason("score-group", (1, 2), {"points": Fraction(2)})
    assert ranks == Reason("ranks", (1, 2), {"ranks": [1, 2], "of": 2})
    boards, _ = explain(GivenTournament(6).play(pair_next, by_number, most=2), 2)
    assert Reason("floated", (3, 4), {"points": [Fraction(2), Fraction(0)]}) in boards[3, 4]
    _, byes = explain(GivenTournament(5).play(pair_next, by_number, most=1), 1)
    assert byes == {5: [Reason("bye-lowest", (5,), {"points": Fraction(0), "byes": 0})]}


@pytest.mark.parametrize(
    ("sides", "due"),
    [
        ([], None),
        ([WHITE], (BLACK, "strong")),
        ([WHITE, BLACK], (WHITE, "mild")),
        ([BLACK, WHITE, WHITE], (BLACK, "absolute")),
        ([WHITE, BLACK, BLACK], (WHITE, "absolute")),
        ([WHITE, WHITE, BLACK, WHITE, WHITE, BLACK], (BLACK, "absolute")),
        ([WHITE, WHITE, WHITE, BLACK, BLACK], (WHITE, "absolute")),
    ],
)
def test_the_seat_that_is_due_follows_fides_rules_of_colours(sides, due):
    assert find_due_seat(sides) == due


def test_a_corrected_result_leaves_the_reasons_of_later_rounds_as_they_were():
    swiss = GivenTournament(4).play(pair_next, by_number, most=2)
    before = explain(swiss, 2)
    board = swiss.state.rounds[0].boards[0]
    ranks = (1, 2) if board[0] > board[1] else (2, 1)
    swiss.when(CorrectGame, round=1, board=1, game=1, ranks=ranks, why="entered the wrong way round")
    assert explain(swiss, 2) == before


def test_a_round_robin_tells_the_place_in_the_circle_and_who_is_missing():
    robin = GivenTournament(5, format={"kind": "round-robin"}).play(pair_next, by_number)
    boards, byes = explain(robin, 2)
    assert boards[1, 3] == [Reason("circle", (3, 1), {"cycle": 1, "turn": 2, "place": 2, "places": 3})]
    assert byes[2] == [Reason("circle-empty", (2,), {"cycle": 1, "turn": 2})]
    robin = GivenTournament(4, format={"kind": "round-robin"})
    robin.sit_out(4, 1)
    robin.play(pair_next, by_number, most=1)
    _, byes = explain(robin, 1)
    assert byes == {1: [Reason("opponent-missing", (1, 4), {"cycle": 1, "turn": 1})]}


def test_a_knockout_tells_slots_and_winners_and_a_gauntlet_the_challenger():
    cup = GivenTournament(8, format={"kind": "knockout"}).play(pair_next, by_number)
    boards, _ = explain(cup, 2)
    first = next(place for place, board in enumerate(cup.state.rounds[0].boards, 1) if 1 in board)
    bracket = next(each for each in boards[1, 4] if each.word == "bracket")
    assert (sorted(bracket.values["slots"]), bracket.values["block"]) == ([1, 3], 4)
    assert Reason("won-board", (1,), {"round": 1, "board": first}) in boards[1, 4]
    assert explain(cup, 3)[0][1, 2][0].word == "last-two"
    gauntlet = GivenTournament(4, format={"kind": "gauntlet"}).play(pair_next, by_number)
    boards, _ = explain(gauntlet, 3)
    assert boards[1, 4][0] == Reason("gauntlet", (1, 4), {"cycle": 1, "place": 3, "places": 3})


def test_pods_tell_points_meetings_and_seats():
    pods = GivenTournament(3, seats=3).play(pair_next, by_number, most=2)
    boards, _ = explain(pods, 2)
    words = {each.word: each.values for each in boards[1, 2, 3]}
    assert sorted(words["points"]["points"]) == [0, 2, 4]
    assert words["meetings"] == {"number": 3}
    assert words["seats-had"] == {"times": [0, 0, 0]}


def test_a_round_paired_by_hand_tells_who_did_it_and_why():
    swiss = GivenTournament(4).begun()
    swiss.when(PairByHand, round=1, boards=((1, 2), (3, 4)), byes=(), why="a request of the teachers")
    boards, _ = explain(swiss, 1)
    assert boards[1, 2] == [Reason("by-hand", (), {"by": ORGANISER.id, "why": "a request of the teachers"})]
