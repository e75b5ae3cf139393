"""The contest for who plays first: each seat rolls one die, and those that tie for best roll again until one is left.

A contest has an entry for each seat: its roll in this round, None if it has not rolled yet, or "out" if it lost a round
or left. A round is evaluated as soon as everyone in it has rolled.
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
    """The seat whose roll is due. The contest must not be won yet."""
    return contest.index(None) + 1


def find_winner(contest: Contest) -> int | None:
    """The only seat left in the contest; None while there are several."""
    remaining = [seat for seat, roll in enumerate(contest, 1) if roll != OUT]
    return remaining[0] if len(remaining) == 1 else None


def enter_roll(contest: Contest, value: int, best: Best) -> Contest:
    """The contest after the seat whose roll is due rolled `value`.

    >>> enter_roll((5, 2, None), 5, max)
    (None, 'out', None)
    """
    return _evaluate(_replace(contest, next_to_roll(contest), value), best)


def leave_contest(contest: Contest, seat: int, best: Best) -> Contest:
    """The contest after `seat` left the match. If only its roll was missing, the round is evaluated.

    >>> leave_contest((5, 2, None), 3, max)
    (None, 'out', 'out')
    """
    return _evaluate(_replace(contest, seat, OUT), best)


def _replace(contest: Contest, seat: int, roll: int | str) -> Contest:
    return (*contest[: seat - 1], roll, *contest[seat:])


def _evaluate(contest: Contest, best: Best) -> Contest:
    """The contest with only the best rollers left, if all have rolled; otherwise unchanged."""
    rolls = [roll for roll in contest if isinstance(roll, int)]
    if None in contest or not rolls:
        return contest
    winning = best(rolls)
    return tuple(None if roll == winning else OUT for roll in contest)
