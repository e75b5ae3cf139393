"""The contest for who plays first: each seat rolls one die, the best start over among themselves until one is left.

A contest holds, seat by seat, the roll in this round of rolling, None where the seat is still to roll, and "out" for
a seat that lost a round or left. A round is evaluated as soon as nobody in it is still to roll.
"""

from collections.abc import Callable, Iterable

Contest = tuple[int | str | None, ...]

OUT = "out"

Best = Callable[[Iterable[int]], int]
"""Which of the rolls wins a round: `max` or `min`."""


def open_contest(seats: int) -> Contest:
    """The contest before its first roll."""
    return (None,) * seats


def next_to_roll(contest: Contest) -> int:
    """The seat whose roll is awaited. Only for a contest that nobody has won."""
    return contest.index(None) + 1


def find_winner(contest: Contest) -> int | None:
    """The seat that alone is left in the contest, None while there are several."""
    remaining = [seat for seat, roll in enumerate(contest, 1) if roll != OUT]
    return remaining[0] if len(remaining) == 1 else None


def enter_roll(contest: Contest, value: int, best: Best) -> Contest:
    """The contest after the seat whose roll is awaited rolled `value`.

    >>> enter_roll((5, 2, None), 5, max)
    (None, 'out', None)
    """
    return _evaluate(_replace(contest, next_to_roll(contest), value), best)


def leave_contest(contest: Contest, seat: int, best: Best) -> Contest:
    """The contest after `seat` left the match; who was the last to roll leaves a round to be evaluated.

    >>> leave_contest((5, 2, None), 3, max)
    (None, 'out', 'out')
    """
    return _evaluate(_replace(contest, seat, OUT), best)


def _replace(contest: Contest, seat: int, roll: int | str) -> Contest:
    return (*contest[: seat - 1], roll, *contest[seat:])


def _evaluate(contest: Contest, best: Best) -> Contest:
    """The next round of those who rolled best, once all have rolled; all others are out."""
    rolls = [roll for roll in contest if isinstance(roll, int)]
    if None in contest or not rolls:
        return contest
    winning = best(rolls)
    return tuple(None if roll == winning else OUT for roll in contest)
