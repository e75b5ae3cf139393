"""Whose turn it is: the contest, passed turns, and the end of a match."""

from plyscribe.domain.contest import Contest, find_winner, next_to_roll
from plyscribe.domain.ruleset import Over, next_in_play, rank_seats
from plyscribe.domain.rulesets.portals_v1.actions import can_act
from plyscribe.domain.rulesets.portals_v1.state import FIRST_ROLLS, State, finish, in_play


def find_standing(state: State) -> tuple[int, ...]:
    """The ranks if the match ended now: by the first condition, then by fewer pawns on the board (PO12)."""
    if isinstance(state.turn, Over):
        return state.turn.ranks
    scores = [(state.centered >> seat & 1, state.pool[seat]) for seat in range(1, state.setup.seats + 1)]
    return rank_seats(scores, state.left)


def follow_contest(state: State, contest: Contest) -> State:
    """The state with this contest: the next roll is due, or the winner's turn begins (PO3)."""
    winner = find_winner(contest)
    if winner is None:
        return state._replace(contest=contest, turn=FIRST_ROLLS[next_to_roll(contest)])
    return begin_turn(state._replace(contest=None), winner)


def begin_turn(state: State, seat: int) -> State:
    """The state at the start of the seat's turn, or of the next seat that can act; over if no seat can (PO9)."""
    turns = state.setup.turns
    if can_act(state, seat):
        return state if state.turn is turns[seat] else state._replace(turn=turns[seat])
    for other in _others_from(state, seat):
        if can_act(state, other):
            # With dice, every seat rolls, whatever it can do (PO20).
            return state._replace(turn=turns[seat if state.setup.dice else other])
    return end_by_standing(state, "stalemate")


def end_if_stalled(state: State) -> State:
    """The state; over if no seat in play can act (PO9)."""
    return state if any(can_act(state, seat) for seat in in_play(state)) else end_by_standing(state, "stalemate")


def end_by_standing(state: State, reason: str) -> State:
    """The end of the match, ranked by the present standing."""
    return finish(state, Over(reason, find_standing(state)))


def find_next(state: State, seat: int) -> int:
    """The next seat in play."""
    return next_in_play(seat, state.setup.seats, state.left) if state.left else seat % state.setup.seats + 1


def _others_from(state: State, seat: int) -> list[int]:
    seats = in_play(state)
    return [other for other in seats if other > seat] + [other for other in seats if other < seat]
