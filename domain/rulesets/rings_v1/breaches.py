"""Why a well-formed move is illegal: a rule that it breaks, and how."""

from plyscribe.domain.phrases import Phrase, say
from plyscribe.domain.ruleset import MATCH_OVER, Decision, Over, Roll
from plyscribe.domain.rulesets.rings_v1.board import (
    BLOCKER,
    BORDERS,
    CAPACITY,
    FIRST_RUNS,
    HAS,
    HEAVY,
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
from plyscribe.domain.rulesets.rings_v1.happenings import END_CLAUSES
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
from plyscribe.domain.rulesets.rings_v1.payments import (
    droppable,
    move_costs,
    move_payments,
    recruit_costs,
    recruit_payments,
    turn_payments,
)
from plyscribe.domain.rulesets.rings_v1.ringwork import can_swap
from plyscribe.domain.rulesets.rings_v1.state import State

Breach = tuple[str, Phrase]
"""The rule, and how it is broken."""

_ROLLS = {"terrain": "RI3", "round": "RI5", "alliance": "RI17"}
_STEPS = {RUNNER: 3, WARRIOR: 2, BLOCKER: 1}
ALLIES_FROM_SEATS = 3


def find_breach(state: State, move: Move) -> Breach | None:
    """A rule that the move breaks, and how; None when the move is legal."""
    match state.turn:
        case Over(reason):
            return END_CLAUSES.get(reason, "RI24"), MATCH_OVER
        case Roll(purpose=purpose):
            return _ROLLS[purpose], say("the dice are rolled first. Move after the roll.")
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
            if die in droppable(state, seat):
                return None
            return "RI7", say("{seat} has no {die} to drop. Drop a die that is left.", seat=seat, die=die)
        case Recruit(pay, kind):
            unpaid = _breach_of_payment(seat, pay, recruit_costs(state, seat), recruit_payments(state, seat))
            return unpaid or _breach_of_recruit(state, seat, kind)
        case Walk(pay):
            return _breach_of_moving_pay(state, seat, pay) or _breach_of_walk(state, seat, move)
        case Propose(pay):
            return _breach_of_moving_pay(state, seat, pay) or _breach_of_proposal(state, seat, move)
        case Spin(pay) | Attach(pay) | Swap(pay):
            unpaid = _breach_of_payment(seat, pay, ("T",), turn_payments(state, seat))
            return unpaid or _breach_of_turning(state, move)


def _breach_of_settling(state: State, move: Move) -> Breach | None:
    if not isinstance(move, Settle):
        return "RI4", say("the STARTs are attached first. Choose a field for yours, as in start a3.")
    if state.round:
        return "RI4", say("the STARTs are attached already. Move yours with a turn die, as in T start a3.")
    return _breach_of_attaching(state, move.field, "RI4")


def _breach_of_attaching(state: State, field: int, clause: str) -> Breach | None:
    if field >= SLOTS:
        return clause, say("{to} is not in ring a. Attach the START to a field of that ring.", to=NAMES[field])
    if field in state.starts:
        return clause, say("{to} has a START already. Attach yours to another field of ring a.", to=NAMES[field])
    return None


def _breach_of_answer(state: State, seat: int, move: Move) -> Breach | None:
    if state.alliance is None:
        return "RI17", say("nobody has proposed an alliance, so there is nothing to answer. Choose another move.")
    at = state.alliance.at
    match move:
        case Decline():
            return None
        case Accept(source):
            if source in list_backers(state, seat, at):
                return None
            return "RI17", say(
                "{seat} has no warrior on {field} that is next to {to}. Name the field of one that is, or decline.",
                seat=seat,
                field=NAMES[source],
                to=NAMES[at],
            )
    return "RI17", say(
        "{seat} is asked for an alliance. Accept it with a warrior next to {to}, or decline.", seat=seat, to=NAMES[at]
    )


def _breach_of_second(state: State, seat: int, move: Move) -> Breach | None:
    assert state.engaged is not None
    at = state.engaged.at
    match move:
        case Walk(pay, kind, source, target) if kind == WARRIOR and target == at:
            if source in list_approaches(state, seat, at):
                return _breach_of_moving_pay(state, seat, pay)
            return "RI16", say(
                "{seat} has no warrior on {field} that can reach {to}. Choose one that can.",
                seat=seat,
                field=NAMES[source],
                to=NAMES[at],
            )
    return "RI16", say("the attack on {to} needs a second warrior now. Move one there.", to=NAMES[at])


def _breach_of_moving_pay(state: State, seat: int, pay: str) -> Breach | None:
    return _breach_of_payment(seat, pay, move_costs(state, seat), move_payments(state, seat))


def _breach_of_payment(seat: int, pay: str, costs: tuple[str, ...], payments: tuple[str, ...]) -> Breach | None:
    """`costs` are the payments that the rules allow, `payments` those of them for which the seat has the dice."""
    if pay in payments:
        return None
    if payments:
        return "RI8", say(
            "this costs {costs}. Pay with the dice that {seat} has for it: {payments}.",
            costs=_say_payments(costs),
            seat=seat,
            payments=_say_payments(payments),
        )
    return "RI8", say(
        "this costs {costs}, and {seat} has no dice for it. Use the other dice for something else.",
        costs=_say_payments(costs),
        seat=seat,
    )


def _say_payments(payments: tuple[str, ...]) -> Phrase | str:
    match payments:
        case (first, second):
            return say("{first} or {second}", first=first, second=second)
        case (first, second, third):
            return say("{first}, {second} or {third}", first=first, second=second, third=third)
    return payments[0]


def _breach_of_recruit(state: State, seat: int, kind: int) -> Breach | None:
    if kind in recruitable(state, seat):
        return None
    if state.supply[seat - 1] & HAS[kind]:
        first = RUNNERS_FROM_ROUND
        return "RI9", say("runners are recruited from round {first} on. Recruit a warrior or blocker.", first=first)
    return "RI9", say("{seat} has no {piece} left in supply. Recruit another unit.", seat=seat, piece=KIND_NAMES[kind])


def _breach_of_walk(state: State, seat: int, move: Walk) -> Breach | None:
    kind, source, target = move.kind, move.source, move.target
    units = state.units[source]
    if units >> SEAT != seat or not units & HAS[kind]:
        return "RI10", say(
            "{seat} has no {piece} on {field}. Start from a field where one stands.",
            seat=seat,
            piece=KIND_NAMES[kind],
            field=NAMES[source],
        )
    if target not in list_ends(state, seat, kind, source):
        return _explain_end(state, seat, kind, source, target)
    if needs_second(state, seat, kind, target) and not can_follow(state, seat, source, target, move.pay):
        return "RI16", say(
            "a blocker falls to two warriors only, and no second one can enter {to} in the next use. "
            "Attack when two warriors, two uses and the dice for both are at hand.",
            to=NAMES[target],
        )
    return None


def _explain_end(state: State, seat: int, kind: int, source: int, target: int) -> Breach:
    """The rule that keeps a unit's move from ending there, and how."""
    if target > TOP:
        return "RI10", say("no unit moves to a START. Choose a field of a ring, or top.")
    if source == target:
        return "RI10", say(
            "a move does not end on {field}, where it begins. Choose another field.", field=NAMES[source]
        )
    if not _is_within(state, kind, source, target):
        return "RI10", say(
            "{to} is too far from {field} for a {piece}. Choose a field at a distance of at most {steps}.",
            to=NAMES[target],
            field=NAMES[source],
            piece=KIND_NAMES[kind],
            steps=_STEPS[kind],
        )
    there = state.units[target]
    has_enemies = there >> SEAT not in (0, seat)
    if kind == RUNNER and has_enemies:
        return "RI11", say(
            "enemies stand on {to}, and a runner does not attack. End its move on a field without enemies.",
            to=NAMES[target],
        )
    if kind == WARRIOR and state.terrain[target] == HEAVY:
        return "RI12", say("{to} is heavy terrain. Move the warrior to light or medium terrain.", to=NAMES[target])
    if kind == BLOCKER and state.terrain[target] not in GROUND[BLOCKER]:
        return "RI13", say("{to} is not light terrain. Move the blocker to light terrain.", to=NAMES[target])
    if kind == BLOCKER and has_enemies:
        return "RI13", say(
            "enemy warriors or blockers stand on {to}. Move the blocker where at most runners stand.", to=NAMES[target]
        )
    if not has_enemies and not takes(there, seat, target):
        return "RI14", say(
            "{to} is full: it has room for {most}. Choose another field.", to=NAMES[target], most=CAPACITY[target]
        )
    return "RI12", say(
        "heavy terrain or enemies are in the way of the warrior to {to}. Choose a field with a free way.",
        to=NAMES[target],
    )


def _is_within(state: State, kind: int, source: int, target: int) -> bool:
    ways = ways_from(state, source)
    if kind == RUNNER:
        return target in (RUNS[source] if source <= TOP else FIRST_RUNS[ways[0]])
    return target in ways or (kind == WARRIOR and any(target in NEXT[way] for way in ways))


def _breach_of_proposal(state: State, seat: int, move: Propose) -> Breach | None:
    if (move.ally, move.at) in list_alliances(state, seat, move.source) and state.units[move.source] >> SEAT == seat:
        return None
    if len(state.in_play) < ALLIES_FROM_SEATS:
        return "RI17", say("an alliance takes three seats in play. Attack with two warriors of your own.")
    if state.declined:
        return "RI17", say("an alliance was declined in this turn. Propose one in a later turn.")
    return "RI17", say(
        "the blocker of a third seat must be on {to}, next to warriors of {seat} on {field} and of {other}. "
        "Name an attack for which this is so.",
        to=NAMES[move.at],
        seat=seat,
        field=NAMES[move.source],
        other=move.ally,
    )


def _breach_of_turning(state: State, move: Spin | Attach | Swap) -> Breach | None:
    match move:
        case Spin():
            return None
        case Attach(_pay, field):
            return _breach_of_attaching(state, field, "RI20")
        case Swap(_pay, one, two):
            named = {"one": NAMES[one], "two": NAMES[two]}
            if (one, two) not in BORDERS:
                return "RI21", say("{one} and {two} are no neighbours in the rings. Choose two that are.", **named)
            if state.terrain[one] == state.terrain[two]:
                return "RI21", say("{one} and {two} have the same terrain. Choose two fields that differ.", **named)
            if can_swap(state, one, two):
                return None
            return "RI21", say(
                "a unit on {one} or {two} would stand on terrain that it cannot enter. Choose other fields.", **named
            )
