"""A random legal move, without listing all."""

from collections.abc import Sequence
from typing import TypeVar

from plyscribe.domain.ruleset import Decision, RandBelow
from plyscribe.domain.rulesets.rings_v1.board import KINDS_AMONG
from plyscribe.domain.rulesets.rings_v1.fighting import can_follow, list_alliances, list_backers, needs_second
from plyscribe.domain.rulesets.rings_v1.legal import list_seconds
from plyscribe.domain.rulesets.rings_v1.moves import (
    ATTACHES,
    SPINS,
    SWAPS,
    Accept,
    Decline,
    Drop,
    Move,
    Propose,
    Recruit,
    Settle,
    walk,
)
from plyscribe.domain.rulesets.rings_v1.moving import list_ends, recruitable
from plyscribe.domain.rulesets.rings_v1.payments import spell_dice
from plyscribe.domain.rulesets.rings_v1.ringwork import can_swap, free_slots
from plyscribe.domain.rulesets.rings_v1.state import State, list_own

TRIES = 8
DROP_ODDS = 16
ALLIANCE_ODDS = 4

Thing = TypeVar("Thing")


def draw_move(state: State, randbelow: RandBelow) -> Move:
    """A legal move: see RingsV1.sample_move."""
    assert isinstance(state.turn, Decision)
    seat = state.turn.seat
    if not state.round:
        return Settle(_draw(free_slots(state), randbelow))
    if state.alliance:
        backers = list_backers(state, seat, state.alliance.at)
        return Accept(_draw(backers, randbelow)) if randbelow(2) else Decline()
    if state.engaged:
        return _draw(list(list_seconds(state, seat)), randbelow)
    dice = spell_dice(state.dice[seat - 1])
    own = list_own(state, seat)
    for _ in range(TRIES):
        if move := _draw_use(state, seat, own, dice[randbelow(len(dice))], randbelow):
            return move
    return Drop(_draw(dice, randbelow))


def _draw(things: Sequence[Thing], randbelow: RandBelow) -> Thing:
    return things[randbelow(len(things))]


def _draw_use(state: State, seat: int, own: list[int], die: str, randbelow: RandBelow) -> Move | None:
    """A random use of the die; None if it is not legal."""
    if not randbelow(DROP_ODDS):
        return Drop(die)
    if die == "T":
        if state.dice[seat - 1][2] < 2 or randbelow(2):
            return _draw_turn(state, randbelow)
        die = "TT"
    if not own or (die == "R" and state.supply[seat - 1]):
        kinds = recruitable(state, seat)
        return Recruit(die, _draw(kinds, randbelow)) if kinds else None
    return _draw_walk(state, seat, own[randbelow(len(own))], die, randbelow)


def _draw_walk(state: State, seat: int, source: int, pay: str, randbelow: RandBelow) -> Move | None:
    """A random move or proposal of a unit on this field."""
    if not randbelow(ALLIANCE_ODDS) and (alliances := list(list_alliances(state, seat, source))):
        return Propose(pay, *_draw([(ally, source, at) for ally, at in alliances], randbelow))
    kinds = KINDS_AMONG[state.units[source]]
    kind = kinds[randbelow(len(kinds))]
    ends = list_ends(state, seat, kind, source)
    if not ends:
        return None
    target = ends[randbelow(len(ends))]
    if needs_second(state, seat, kind, target) and not can_follow(state, seat, source, target, pay):
        return None
    return walk(pay, kind, source, target)


def _draw_turn(state: State, randbelow: RandBelow) -> Move | None:
    """A random action on a ring, the START or terrain."""
    action = randbelow(3)
    if action == 0:
        return _draw(SPINS, randbelow)
    if action == 1:
        attach = _draw(ATTACHES, randbelow)
        return None if attach.field in state.starts else attach
    swap = _draw(SWAPS, randbelow)
    return swap if can_swap(state, swap.one, swap.two) else None
