"""The legal moves, listed."""

from collections.abc import Iterator, Sequence

from plyscribe.domain.ruleset import Decision
from plyscribe.domain.rulesets.rings_v1.board import KINDS_AMONG, WARRIOR
from plyscribe.domain.rulesets.rings_v1.fighting import can_follow, list_alliances, list_backers, needs_second
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
    format_move,
    walk,
)
from plyscribe.domain.rulesets.rings_v1.moving import list_approaches, list_ends, recruitable
from plyscribe.domain.rulesets.rings_v1.payments import droppable, move_payments, recruit_payments, turn_payments
from plyscribe.domain.rulesets.rings_v1.ringwork import can_swap, free_slots
from plyscribe.domain.rulesets.rings_v1.state import State, list_own


def list_moves(state: State, prefix: str) -> Iterator[Move]:
    """The legal moves whose notation starts with the prefix: recruits, unit moves, rings, and drops, in this order."""
    if not isinstance(state.turn, Decision):
        return iter(())
    moves = _list_decision(state, state.turn.seat, prefix)
    return (move for move in moves if format_move(move).startswith(prefix)) if prefix else moves


def _list_decision(state: State, seat: int, prefix: str) -> Iterator[Move]:
    if not state.round:
        yield from map(Settle, free_slots(state))
    elif state.alliance:
        yield from map(Accept, list_backers(state, seat, state.alliance.at))
        yield Decline()
    elif state.engaged:
        yield from list_seconds(state, seat)
    else:
        yield from _list_uses(state, seat, prefix)
        yield from map(Drop, droppable(state, seat))


def has_use(state: State, seat: int) -> bool:
    """Whether the seat on turn has a legal move other than a drop (RI7)."""
    recruit, _, turn = state.dice[seat - 1]
    # A ring can always be turned, and an R always pays for a recruit. Most seats with dice have one or the other.
    return (
        turn > 0 or (recruit > 0 and bool(recruitable(state, seat))) or any(True for _ in _list_uses(state, seat, ""))
    )


def _list_uses(state: State, seat: int, prefix: str) -> Iterator[Move]:
    """All uses except drops, without those whose payment does not match the prefix."""
    for pay in _starting_alike(recruit_payments(state, seat), prefix):
        yield from (Recruit(pay, kind) for kind in recruitable(state, seat))
    if payments := _starting_alike(move_payments(state, seat), prefix):
        for source in list_own(state, seat):
            yield from _list_walks(state, seat, source, payments)
            for ally, at in list_alliances(state, seat, source):
                yield from (Propose(pay, ally, source, at) for pay in payments)
    if _starting_alike(turn_payments(state, seat), prefix):
        yield from SPINS
        yield from (ATTACHES[field] for field in free_slots(state))
        yield from (swap for swap in SWAPS if can_swap(state, swap.one, swap.two))


def _starting_alike(payments: Sequence[str], prefix: str) -> Sequence[str]:
    if not prefix:
        return payments
    return [pay for pay in payments if f"{pay} ".startswith(prefix) or prefix.startswith(f"{pay} ")]


def _list_walks(state: State, seat: int, source: int, payments: Sequence[str]) -> Iterator[Move]:
    for kind in KINDS_AMONG[state.units[source]]:
        for target in list_ends(state, seat, kind, source):
            is_pair = needs_second(state, seat, kind, target)
            for pay in payments:
                if not is_pair or can_follow(state, seat, source, target, pay):
                    yield walk(pay, kind, source, target)


def list_seconds(state: State, seat: int) -> Iterator[Move]:
    """The moves of a second warrior after the first of a pair (RI16)."""
    assert state.engaged is not None
    at, payments = state.engaged.at, move_payments(state, seat)
    return (walk(pay, WARRIOR, source, at) for source in list_approaches(state, seat, at) for pay in payments)
