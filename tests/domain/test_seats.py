"""What rulesets for several seats share: who is next, and how seats rank."""

import pytest

from plyscribe.domain.errors import RollError
from plyscribe.domain.ruleset import Decision, Roll, next_in_play, rank_seats, require_roll


def test_the_next_seat_is_the_next_in_play_wrapping_round() -> None:
    assert next_in_play(1, 3, []) == 2
    assert next_in_play(3, 3, []) == 1
    assert next_in_play(1, 4, [2, 3]) == 4
    assert next_in_play(3, 4, [4, 1]) == 2
    assert next_in_play(2, 3, [1, 3]) == 2


def test_who_left_ranks_below_all_others_and_who_left_last_first() -> None:
    assert rank_seats([0, 9, 0, 9], [4, 2]) == (1, 3, 1, 4)
    assert rank_seats([(1, 2), (1, 3)], []) == (2, 1)


def test_a_roll_must_be_awaited_and_its_dice_must_be_able_to_show_it() -> None:
    roll = Roll(6, 2, "round", 1)
    assert require_roll(roll, (1, 6), 0) is roll
    for values in ((1,), (1, 2, 3), (0, 1), (1, 7), (True, 1), ()):
        with pytest.raises(RollError, match=r"2 dice with 6 sides are rolled|a die with 6 sides cannot show"):
            require_roll(roll, values, 0)
    with pytest.raises(RollError, match="no roll is due at move 4"):
        require_roll(Decision(1), (1, 1), 3)
