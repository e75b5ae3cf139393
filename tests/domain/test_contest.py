"""The contest for who plays first."""

from plyscribe.domain.contest import enter_roll, find_winner, leave_contest, next_to_roll, open_contest


def test_seats_roll_one_after_another_and_the_best_roll_wins_as_soon_as_the_last_has_rolled() -> None:
    contest = open_contest(3)
    assert next_to_roll(contest) == 1
    contest = enter_roll(contest, 4, max)
    assert (contest, next_to_roll(contest)) == ((4, None, None), 2)
    assert find_winner((4, 7, None)) is None
    assert find_winner(enter_roll((4, 7, None), 6, max)) == 2
    assert find_winner(enter_roll((4, 7, None), 6, min)) == 1


def test_tied_seats_roll_again_among_themselves() -> None:
    contest = enter_roll((7, 3, None), 7, max)
    assert contest == (None, "out", None)
    assert find_winner(contest) is None
    contest = enter_roll(contest, 2, max)
    assert (contest, next_to_roll(contest)) == ((2, "out", None), 3)
    assert find_winner(enter_roll(contest, 3, max)) == 3


def test_who_leaves_is_out_at_once_and_leaves_a_round_to_be_evaluated_or_a_winner() -> None:
    assert leave_contest((4, None, None), 1, max) == ("out", None, None)
    assert leave_contest((4, None, None), 3, max) == (4, None, "out")
    assert find_winner(leave_contest((4, 6, None), 3, max)) == 2
    assert leave_contest((4, 4, None), 3, max) == (None, None, "out")
    assert find_winner(leave_contest((4, "out", None), 1, max)) == 3
    assert find_winner(leave_contest(("out", None, None), 2, max)) == 3
