"""The pyramid: each entrant meets all entrants before it, and a late entry meets all who are there.

Entrants stand in the order of their seeds, and late ones behind them in the order of entry. Each meets those before it
from the first to the last, one a round, and begins one round after the entrant before it began. So nobody ever sits on
two boards of a round: in round r of the first cycle, the places that add up to r + 2 meet. With several cycles, each
round is played so many times in a row.
"""

from plyscribe.domain.tournament.history import count_seats, seat_evenly
from plyscribe.domain.tournament.schedule import Pairing, admit
from plyscribe.domain.tournament.state import Tournament


def pair_pyramid(state: Tournament) -> Pairing | None:
    """The next round of the pyramid; None after the last.

    An entrant has a bye when it should meet one who has left or sits out. Those who wait for their turn have nothing.
    """
    order, begins = list_order(state), list_begins(state)
    turn, again = divmod(len(state.rounds), state.terms.format["cycles"])
    if turn + 1 > begins[-1] + len(order) - 2:
        return None
    counts = count_seats(state)
    pairs = [
        seat_evenly((order[turn + 1 - begin], newcomer), counts)
        for place, (newcomer, begin) in enumerate(zip(order, begins, strict=True))
        if 0 <= turn + 1 - begin < place
    ]
    return admit(state, sorted(pairs, key=sorted), {"cycle": again + 1})


def list_order(state: Tournament) -> list[int]:
    """The entrants in the order of the pyramid, its top first."""
    return [*state.starters, *state.late]


def list_begins(state: Tournament) -> list[int]:
    """The round of a single cycle in which each entrant of the order meets the first one; 0 for the first one itself.

    A late entry begins at the next round that is not begun, and after the one before it.
    """
    cycles = state.terms.format["cycles"]
    begins: list[int] = []
    for place, number in enumerate(list_order(state)):
        earliest = 1 + -(-(state.entrants[number - 1].joined - 1) // cycles) if place else 0
        begins.append(max(begins[-1] + 1, earliest) if begins else 0)
    return begins
