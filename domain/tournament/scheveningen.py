"""The Scheveningen system: in each cycle, every member of one team meets every member of the other once.

Round r of a cycle shifts the second team by some places: its `shift`. With n members, n rounds have all shifts.
Seats are balanced for each player over the rounds, and for each team in each round:

n odd
    Everybody has one seat once more than the other, and each team has seat 1 on one board more in every other round.
n divisible by 4
    Everybody has both seats equally often, and so has each team in every round.
other even n
    Everybody has both seats equally often, and so has each team in all rounds but two. In these two a team has seat 1
    on one board more than half, and then on one board less. No table of shifts is even in all rounds: the sum over all
    boards on which the first team has seat 1 of the differences of places would be n / 2 and 0 (modulo n).

The next cycle exchanges all seats.
"""

from typing import NamedTuple

from plyscribe.domain.tournament.history import describe_costs
from plyscribe.domain.tournament.schedule import ENGINE, Pairing
from plyscribe.domain.tournament.state import Tournament
from plyscribe.domain.tournament.teams import list_teams


class Turn(NamedTuple):
    """A round of a cycle: member i of the first team meets member i + shift of the second.

    `firsts` are the members of the first team, counted from 0, who have seat 1.
    """

    shift: int
    firsts: frozenset[int]


def list_turns(members: int) -> list[Turn]:
    """The rounds of a cycle for teams with so many members."""
    return _list_odd(members) if members % 2 else _list_even(members)


def _list_odd(n: int) -> list[Turn]:
    turns = []
    for shift in range(n):
        firsts = {i for i in range(n) if (shift - i) % n % 2 == 0}
        # Each player is exchanged at most once: members r and 2r in each odd round r.
        turns.append(Turn(shift, frozenset(firsts - {shift} if shift % 2 else firsts)))
    return turns


def _list_even(n: int) -> list[Turn]:
    """Rounds come in pairs: whoever has seat 1 in one of them has seat 2 in the other.

    The boards of two rounds form rings of players. If the shifts differ by 2, or by 4 where n / 2 is odd, there are two
    rings, of the members with odd and with even places. One ring begins with seat 1 and the other with seat 2.
    """
    half = n // 2
    rest = {0, half} if half % 2 else set[int]()
    turns = []
    for parity in (0, 1):
        shifts = [shift for shift in range(parity, n, 2) if shift not in rest]
        for place, shift in enumerate(shifts):
            turns.append(Turn(shift, frozenset(i for i in range(n) if i % 2 == place % 2)))
    for place, shift in enumerate(sorted(rest)):
        # Here the rings are of two members each, and their number is odd.
        turns.append(Turn(shift, frozenset(i for i in range(n) if i % half % 2 == place)))
    return turns


def pair_scheveningen(state: Tournament) -> Pairing | None:
    """The next round; None after the last, or when a team has nobody left.

    An entrant whose opponent has left or sits out has a bye.
    """
    sides = [[each for each in team.members if each in state.starters] for team in list_teams(state)]
    sides = [side for side in sides if side]
    in_play = {each.number for each in state.entrants if each.is_in}
    if len(sides) < 2 or not all(in_play.intersection(side) for side in sides):
        return None
    cycle, number = divmod(len(state.rounds), len(sides[0]))
    if cycle == state.terms.format["cycles"]:
        return None
    turn = list_turns(len(sides[0]))[number]
    present = set(state.list_present(len(state.rounds) + 1))
    boards, byes = [], []
    for place, one in enumerate(sides[0]):
        other = sides[1][(place + turn.shift) % len(sides[1])]
        board = (one, other) if (place in turn.firsts) != (cycle % 2 == 1) else (other, one)
        there = [each for each in board if each in present]
        if len(there) == 2:
            boards.append(board)
        byes += there if len(there) == 1 else []
    byes.sort()
    costs = {**describe_costs(state, boards, byes), "cycle": cycle + 1}
    return Pairing(tuple(boards), tuple(byes), costs, ENGINE)
