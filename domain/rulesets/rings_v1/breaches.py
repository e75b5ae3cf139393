"""Why a well-formed move is illegal: a rule that it breaks, and how."""

from plyscribe.domain.ruleset import Decision, Over, Roll
from plyscribe.domain.rulesets.rings_v1.board import (
    BORDERS,
    FIRST_RUNS,
    HAS,
    KIND_NAMES,
    NAMES,
    NEXT,
    RUNNER,
    RUNS,
    SEAT,
    SLOTS,
    TOP,
    WARRIOR,
)
from plyscribe.domain.rulesets.rings_v1.fighting import can_follow, list_alliances, list_backers, needs_second
from plyscribe.domain.rulesets.rings_v1.moves import (
    Accept,
    Attach,
    Decline,
    Drop,
    Move,
    Propose,
    Recruit,
    Settle,
    Spin,
    Swap,
    Walk,
)
from plyscribe.domain.rulesets.rings_v1.moving import (
    GROUND,
    RUNNERS_FROM_ROUND,
    list_approaches,
    list_ends,
    recruitable,
    takes,
    ways_from,
)
from plyscribe.domain.rulesets.rings_v1.payments import droppable, move_payments, recruit_payments, turn_payments
from plyscribe.domain.rulesets.rings_v1.ringwork import can_swap
from plyscribe.domain.rulesets.rings_v1.state import State

Breach = tuple[str, str]
"""The rule, and how it is broken."""

_ROLLS = {"terrain": "RI3", "round": "RI5", "alliance": "RI17"}


def find_breach(state: State, move: Move) -> Breach | None:
    """A rule that the move breaks, and how; None when the move is legal."""
    match state.turn:
        case Over():
            return "RI24", "the match is over"
        case Roll(purpose=purpose):
            return _ROLLS[purpose], "the dice must be rolled first"
        case Decision(seat):
            return _find_breach(state, seat, move)


def _find_breach(state: State, seat: int, move: Move) -> Breach | None:
    if isinstance(move, Settle) or not state.round:
        return _breach_of_settling(state, move)
    if isinstance(move, (Accept, Decline)) or state.alliance:
        return _breach_of_answer(state, seat, move)
    if state.engaged:
        return _breach_of_second(state, seat, move)
    match move:
        case Drop(die):
            return None if die in droppable(state, seat) else ("RI7", f"seat {seat} has no {die} left")
        case Recruit(pay, kind):
            unpaid = _breach_of_payment(seat, pay, recruit_payments(state, seat))
            return unpaid or _breach_of_recruit(state, seat, kind)
        case Walk(pay):
            unpaid = _breach_of_payment(seat, pay, move_payments(state, seat))
            return unpaid or _breach_of_walk(state, seat, move)
        case Propose(pay):
            unpaid = _breach_of_payment(seat, pay, move_payments(state, seat))
            return unpaid or _breach_of_proposal(state, seat, move)
        case Spin(pay) | Attach(pay) | Swap(pay):
            unpaid = _breach_of_payment(seat, pay, turn_payments(state, seat))
            return unpaid or _breach_of_turning(state, move)


def _breach_of_settling(state: State, move: Move) -> Breach | None:
    if not isinstance(move, Settle):
        return "RI4", "the STARTs must be attached first"
    if state.round:
        return "RI4", "the STARTs are already attached"
    return _breach_of_attaching(state, move.field, "RI4")


def _breach_of_attaching(state: State, field: int, clause: str) -> Breach | None:
    if field >= SLOTS:
        return clause, f"a START must be attached to a field of ring a, not to {NAMES[field]}"
    return (clause, f"{NAMES[field]} already has a START") if field in state.starts else None


def _breach_of_answer(state: State, seat: int, move: Move) -> Breach | None:
    if state.alliance is None:
        return "RI17", "no proposal is open"
    at = state.alliance.at
    match move:
        case Decline():
            return None
        case Accept(source):
            if source in list_backers(state, seat, at):
                return None
            return "RI17", f"no warrior of seat {seat} is on {NAMES[source]}, next to {NAMES[at]}"
    return "RI17", f"seat {seat} must answer the proposal first"


def _breach_of_second(state: State, seat: int, move: Move) -> Breach | None:
    assert state.engaged is not None
    at = state.engaged.at
    match move:
        case Walk(pay, kind, source, target) if kind == WARRIOR and target == at:
            if source in list_approaches(state, seat, at):
                return _breach_of_payment(seat, pay, move_payments(state, seat))
            return "RI16", f"no warrior on {NAMES[source]} can reach {NAMES[at]}"
    return "RI16", f"a second warrior must enter {NAMES[at]} now"


def _breach_of_payment(seat: int, pay: str, payments: tuple[str, ...]) -> Breach | None:
    if pay in payments:
        return None
    return "RI8", f"seat {seat} cannot pay for this with {pay}; it can pay with {' or '.join(payments) or 'nothing'}"


def _breach_of_recruit(state: State, seat: int, kind: int) -> Breach | None:
    if kind in recruitable(state, seat):
        return None
    if state.supply[seat - 1] & HAS[kind]:
        return "RI9", f"runners can be recruited from round {RUNNERS_FROM_ROUND} on"
    return "RI9", f"no {KIND_NAMES[kind]} is left in supply"


def _breach_of_walk(state: State, seat: int, move: Walk) -> Breach | None:
    kind, source, target = move.kind, move.source, move.target
    units = state.units[source]
    if units >> SEAT != seat or not units & HAS[kind]:
        return "RI10", f"no {KIND_NAMES[kind]} of seat {seat} is on {NAMES[source]}"
    if target not in list_ends(state, seat, kind, source):
        return _explain_end(state, seat, kind, source, target)
    if needs_second(state, seat, kind, target) and not can_follow(state, seat, source, target, move.pay):
        return "RI16", f"no second warrior can enter {NAMES[target]} in the next use"
    return None


def _explain_end(state: State, seat: int, kind: int, source: int, target: int) -> Breach:
    """The rule that keeps a unit's move from ending there, and how."""
    if target > TOP:
        return "RI10", "units cannot enter a START"
    if source == target:
        return "RI10", "a move must end on another field"
    if not _is_within(state, kind, source, target):
        return "RI10", f"{NAMES[target]} is too far for a {KIND_NAMES[kind]}"
    clause = {RUNNER: "RI11", WARRIOR: "RI12"}.get(kind, "RI13")
    if state.terrain[target] not in GROUND[kind]:
        return clause, f"a {KIND_NAMES[kind]} cannot enter the terrain of {NAMES[target]}"
    there = state.units[target]
    if there >> SEAT not in (0, seat):
        return clause, f"enemies of a {KIND_NAMES[kind]} are on the way to {NAMES[target]} or on it"
    if not takes(there, seat, target):
        return "RI14", f"{NAMES[target]} is full"
    return clause, f"there is no way to {NAMES[target]}"


def _is_within(state: State, kind: int, source: int, target: int) -> bool:
    ways = ways_from(state, source)
    if kind == RUNNER:
        return target in (RUNS[source] if source <= TOP else FIRST_RUNS[ways[0]])
    return target in ways or (kind == WARRIOR and any(target in NEXT[way] for way in ways))


def _breach_of_proposal(state: State, seat: int, move: Propose) -> Breach | None:
    if (move.ally, move.at) in list_alliances(state, seat, move.source) and state.units[move.source] >> SEAT == seat:
        return None
    if state.declined:
        return "RI17", "a proposal was declined in this turn"
    return "RI17", (
        f"the proposal needs a third seat's blocker on {NAMES[move.at]}, next to warriors of seat {seat} "
        f"on {NAMES[move.source]} and of seat {move.ally}"
    )


def _breach_of_turning(state: State, move: Spin | Attach | Swap) -> Breach | None:
    match move:
        case Spin():
            return None
        case Attach(_, field):
            return _breach_of_attaching(state, field, "RI20")
        case Swap(_, one, two):
            if (one, two) not in BORDERS:
                return "RI21", f"{NAMES[one]} and {NAMES[two]} are not adjacent ring fields"
            if state.terrain[one] == state.terrain[two]:
                return "RI21", f"{NAMES[one]} and {NAMES[two]} have the same terrain"
            if can_swap(state, one, two):
                return None
            return "RI21", "a unit would end up on terrain that it cannot enter"
