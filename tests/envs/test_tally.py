"""What many games come to."""

import pytest

from plyscribe.domain.ruleset import Over
from plyscribe.envs.playing import Game
from plyscribe.envs.tally import Tally


def game(*ranks: int, players: tuple[int, ...] = ()) -> Game:
    return Game(0, players, Over("points", ranks), 10, 2, None)


def test_a_score_is_the_share_of_opponents_beaten_and_ties_count_half():
    tally = Tally(3, 0)
    tally.add(game(1, 2, 2))
    tally.add(game(2, 1, 3))
    assert [score.mean for score in tally.score_seats()] == [0.75, 0.625, 0.125]
    assert (tally.games, tally.plies, tally.rolls, tally.reasons) == (2, 20, 4, {"points": 2})


def test_a_bot_is_scored_wherever_it_sat_and_once_a_game():
    tally = Tally(4, 2)
    tally.add(game(1, 2, 3, 4, players=(0, 1, 0, 1)))
    ahead, behind = tally.score_players()
    assert ahead.mean == pytest.approx(2 / 3)
    assert behind.mean == pytest.approx(1 / 3)
    assert ahead.games == 1


def test_a_bot_that_always_wins_is_not_certain_to():
    tally = Tally(2, 0)
    for _ in range(20):
        tally.add(game(1, 2))
    first, second = tally.score_seats()
    assert (first.mean, first.high, second.low) == pytest.approx((1, 1, 0))
    assert first.low == pytest.approx(0.839, abs=0.001)


def test_a_game_that_was_cut_off_has_no_scores():
    tally = Tally(2, 0)
    tally.add(Game(0, (), None, 10, 0, None))
    assert (tally.games, tally.cut_off, tally.score_seats()) == (1, 1, [None, None])
