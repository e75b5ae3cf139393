"""RI15..RI18: a unit enters a field with enemies, alone, in a pair or with an ally."""

from collections.abc import Iterator

from plyscribe.domain.rulesets.rings_v1.board import (
    BLOCKER,
    BLOCKERS,
    RUNNER,
    SEAT,
    SLOTS,
    TOP,
    WARRIOR,
    WARRIORS,
    count,
    start_of,
)
from plyscribe.domain.rulesets.rings_v1.moving import list_approaches, neighbours, takes, ways_from
from plyscribe.domain.rulesets.rings_v1.payments import can_move_twice
from plyscribe.domain.rulesets.rings_v1.state import Engaged, Forces, State


def needs_second(state: State, seat: int, kind: int, target: int) -> bool:
    """Whether the move attacks a blocker, which takes two warriors (RI16)."""
    there = state.units[target]
    return kind == WARRIOR and there >> SEAT != seat and there & BLOCKERS != 0


def can_follow(state: State, seat: int, source: int, at: int, pay: str) -> bool:
    """Whether, after the warrior from `source` moved for this payment, a second can follow in the next use (RI16)."""
    if state.uses < 2 or not can_move_twice(state, seat, pay):
        return False
    approaches = list_approaches(state, seat, at)
    return approaches != [source] or count(state.units[source], WARRIOR) > 1


def move_unit(state: State, seat: int, kind: int, source: int, target: int) -> State:
    """The state after a legal move and its fight or push. The payment is made elsewhere."""
    forces = Forces(state)
    enemy, engaged = forces.owner(target), None
    forces.take(source, kind)
    if enemy in (0, seat):
        forces.put(target, seat, kind)
    elif kind == BLOCKER:
        _push(forces, source, target)
        forces.put(target, seat, kind)
    elif not forces.has(target, BLOCKER):
        _enter(forces, seat, target)
    elif state.engaged:
        _finish_pair(forces, seat, source, target)
    else:
        engaged = Engaged(target, source)
    return forces.settle(engaged=engaged)


def _enter(forces: Forces, seat: int, target: int) -> None:
    """RI15: a warrior fights the units there that are not blockers."""
    if forces.has(target, WARRIOR):
        forces.remove(target, WARRIOR)
        forces.lose(seat, WARRIOR)
        return
    while forces.has(target, RUNNER):
        forces.remove(target, RUNNER)
    forces.put(target, seat, WARRIOR)


def _finish_pair(forces: Forces, seat: int, source: int, target: int) -> None:
    """RI16: the second warrior has arrived; one of the two is removed, and so is a blocker."""
    forces.lose(seat, WARRIOR)
    forces.remove(target, BLOCKER)
    if forces.has(target, BLOCKER):
        forces.put(source, seat, WARRIOR)
    else:
        _enter(forces, seat, target)


def _push(forces: Forces, source: int, target: int) -> None:
    """RI18: runners make room for the blocker from `source`, which has already left that field."""
    owner = forces.owner(target)
    outwards = range(target - SLOTS, -1, -SLOTS) if target < TOP else range(source, -1, -SLOTS)
    while forces.has(target, RUNNER):
        forces.take(target, RUNNER)
        fitting = (field for field in outwards if takes(forces.units[field], owner, field))
        forces.put(next(fitting, start_of(owner)), owner, RUNNER)


# ---- alliances (RI17)


def list_backers(state: State, ally: int, at: int) -> list[int]:
    """The adjacent fields with warriors of the ally, in order."""
    units = state.units
    return [field for field in neighbours(state, ally, at) if units[field] >> SEAT == ally and units[field] & WARRIORS]


def list_alliances(state: State, seat: int, source: int) -> Iterator[tuple[int, int]]:
    """The allies to whom the seat can propose an attack from there, and the field to attack; payment is not checked."""
    units = state.units
    if not units[source] & WARRIORS or state.declined or state.engaged:
        return
    for at in ways_from(state, source):
        enemy = units[at] >> SEAT
        if enemy != seat and units[at] & BLOCKERS:
            # With two seats in play, there is no ally.
            for ally in state.in_play:
                if ally not in (seat, enemy) and list_backers(state, ally, at):
                    yield ally, at


def decide_alliance(state: State, value: int) -> State:
    """The state after an attack by two seats, which a die decides."""
    alliance = state.alliance
    assert alliance is not None
    assert alliance.backer is not None
    forces = Forces(state)
    forces.remove(alliance.at, BLOCKER)
    if value <= 3:
        forces.remove(alliance.source, WARRIOR)
    else:
        forces.remove(alliance.backer, WARRIOR)
        if not forces.owner(alliance.at):
            forces.take(alliance.source, WARRIOR)
            forces.put(alliance.at, alliance.seat, WARRIOR)
    return forces.settle(alliance=None)


def attacked_seat(state: State) -> int:
    """The seat whose blocker a pair or an alliance attacks; 0 if there is no such attack."""
    attack = state.engaged or state.alliance
    return state.units[attack.at] >> SEAT if attack else 0
