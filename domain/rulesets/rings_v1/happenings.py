"""What a step did, as effects: what a seat chose, what that caused, and then what followed of turns and rounds.

Units are compared before and after; only the order of turns is followed once more, as in `turns`.
"""

from collections.abc import Iterator, Sequence
from types import MappingProxyType

from plyscribe.domain.effects import (
    LEFT,
    ROLLED,
    Effect,
    EffectKind,
    Moved,
    Rolled,
    Step,
    Withdrew,
    list_end_kinds,
)
from plyscribe.domain.ruleset import Decision, Over, Roll
from plyscribe.domain.rulesets.rings_v1.board import (
    BLOCKER,
    BLOCKERS,
    KIND_NAMES,
    KINDS,
    KINDS_AMONG,
    NAMES,
    RINGS,
    RUNNER,
    SEAT,
    SLOTS,
    TOP,
    WARRIOR,
    WARRIORS,
    count,
    start_of,
)
from plyscribe.domain.rulesets.rings_v1.fighting import attacked_seat
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
from plyscribe.domain.rulesets.rings_v1.payments import NO_DICE, spend
from plyscribe.domain.rulesets.rings_v1.state import COUNTDOWN, Dice, State
from plyscribe.domain.rulesets.rings_v1.turns import value_top

END_CLAUSES = MappingProxyType(
    {"points": "RI22", "countdown": "RI23", "ply-limit": "RI24", "withdrawal": "RI25", "exhausted": "RI26"}
)

POINTS_WIN = ("points", "countdown")

DICE = ("recruit", "move", "turn")
PAYMENTS = {"R": ("recruit", 1), "M": ("move", 1), "T": ("turn", 1), "TT": ("turn", 2)}
TERRAIN = {"L": "light", "M": "medium", "H": "heavy"}
UNITS = tuple(KINDS)
SUPPLY, ALONE, FIRST, SECOND, ATTACK, ALLIANCE = "supply", "alone", "first", "second", "attack", "alliance"

EFFECT_KINDS = (
    EffectKind(ROLLED, ("RI3", "RI5", "RI17"), ("amount", "word"), ("seat",), words=("terrain", *DICE, ALLIANCE)),
    EffectKind("laid", ("RI3",), ("target", "word"), words=tuple(TERRAIN.values())),
    EffectKind("attached", ("RI4",), ("seat", "target")),
    EffectKind("round-began", ("RI5",), ("amount",)),
    EffectKind("pass-began", ("RI6",), ("amount",)),
    EffectKind("turn-began", ("RI6",), ("owner",)),
    EffectKind("turn-ended", ("RI6", "RI25"), ("owner",)),
    EffectKind("dropped", ("RI7",), ("seat", "word"), words=DICE),
    # A turn die never expires: a ring can always be turned.
    EffectKind("expired", ("RI7",), ("owner", "amount", "word"), words=DICE[:2]),
    EffectKind("paid", ("RI8",), ("seat", "amount", "word"), words=DICE),
    EffectKind("recruited", ("RI9",), ("seat", "piece", "source", "target"), pieces=UNITS),
    EffectKind("moved", ("RI10", "RI17"), ("seat", "piece", "source", "target"), pieces=UNITS),
    EffectKind("pushed", ("RI18",), ("seat", "owner", "piece", "source", "target"), pieces=("runner",)),
    EffectKind(
        "attacked",
        ("RI15", "RI16"),
        ("seat", "owner", "piece", "source", "target", "word"),
        pieces=("warrior",),
        words=(ALONE, FIRST, SECOND),
    ),
    EffectKind(
        "killed",
        ("RI15", "RI16", "RI17"),
        ("seat", "owner", "piece", "source", "word"),
        pieces=UNITS,
        words=(SUPPLY, "out"),
    ),
    EffectKind("occupied", ("RI15", "RI16", "RI25"), ("seat", "piece", "target"), pieces=("warrior",)),
    EffectKind("returned", ("RI16",), ("seat", "piece", "source", "target"), pieces=("warrior",)),
    EffectKind("proposed", ("RI17",), ("seat", "owner", "source", "target", "amount", "word"), words=DICE),
    EffectKind("accepted", ("RI17",), ("seat", "owner", "source", "target")),
    EffectKind("declined", ("RI17",), ("seat", "owner")),
    EffectKind("voided", ("RI25",), ("target", "word"), words=(ATTACK, ALLIANCE)),
    EffectKind("turned", ("RI19",), ("seat", "target", "word"), words=("clockwise", "counterclockwise")),
    EffectKind("carried", ("RI19",), ("seat", "owner", "piece", "source", "target", "amount"), pieces=UNITS),
    EffectKind("reattached", ("RI20",), ("seat", "source", "target")),
    EffectKind("swapped", ("RI21",), ("seat", "source", "target", "word"), words=tuple(TERRAIN.values())),
    EffectKind("scored", ("RI22", "RI23"), ("owner", "piece", "target", "amount"), pieces=UNITS),
    *list_end_kinds(END_CLAUSES, leaving="RI25"),
)


def list_happenings(before: State, step: Step, after: State) -> Iterator[Effect]:
    """The effects of the step, without those of an end of the match."""
    match step:
        case Moved(move):
            assert isinstance(before.turn, Decision)
            return _list_move(before, before.turn.seat, move, after)
        case Rolled(values):
            assert isinstance(before.turn, Roll)
            return _list_roll(before, before.turn, values, after)
        case Withdrew(seat):
            return _list_withdrawal(before, seat, after)
    return iter(())


def _list_move(before: State, seat: int, move: Move, after: State) -> Iterator[Effect]:
    match move:
        case Settle(field):
            yield Effect("attached", "RI4", True, seat, target=NAMES[field])
            if after.round:
                yield _begin_round(after)
        case Propose(pay, ally, source, at):
            die, number = PAYMENTS[pay]
            yield Effect("proposed", "RI17", True, seat, ally, None, NAMES[source], NAMES[at], number, die)
        case Accept(source):
            alliance = before.alliance
            assert alliance is not None
            yield Effect("accepted", "RI17", True, seat, alliance.seat, None, NAMES[source], NAMES[alliance.at])
            yield _pay(alliance.seat, alliance.pay)
        case Decline():
            assert before.alliance is not None
            proposer = before.alliance.seat
            yield Effect("declined", "RI17", True, seat, proposer)
            yield from _list_following(before, after, proposer, before.uses, before.dice)
        case Drop(die):
            yield Effect("dropped", "RI7", True, seat, word=PAYMENTS[die][0])
            yield from _list_following(before, after, seat, before.uses - 1, _spend(before, seat, die))
        case Recruit(pay) | Walk(pay) | Spin(pay) | Attach(pay) | Swap(pay):
            effects = [*_list_use(before, seat, move, after)]
            yield from (effect for effect in effects if effect.chosen)
            yield _pay(seat, pay)
            yield from (effect for effect in effects if not effect.chosen)
            yield from _list_following(before, after, seat, before.uses - 1, _spend(before, seat, pay))


def _pay(seat: int, pay: str) -> Effect:
    die, number = PAYMENTS[pay]
    return Effect("paid", "RI8", False, seat, amount=number, word=die)


def _spend(before: State, seat: int, pay: str) -> tuple[Dice, ...]:
    """The dice of all seats after the payment."""
    return (*before.dice[: seat - 1], spend(before.dice[seat - 1], pay), *before.dice[seat:])


# ---- uses


def _list_use(before: State, seat: int, use: Recruit | Walk | Spin | Attach | Swap, after: State) -> Iterator[Effect]:
    match use:
        case Recruit(_, kind):
            yield Effect("recruited", "RI9", True, seat, None, KIND_NAMES[kind], SUPPLY, NAMES[start_of(seat)])
        case Walk(_, kind, source, target):
            yield from _list_walk(before, seat, kind, source, target, after)
        case Spin(_, ring, step):
            word = "clockwise" if step > 0 else "counterclockwise"
            yield Effect("turned", "RI19", True, seat, target=RINGS[ring], word=word)
            yield from _list_carried(before, seat, ring, step)
        case Attach(_, field):
            left = before.starts[seat - 1]
            assert left is not None
            yield Effect("reattached", "RI20", True, seat, source=NAMES[left], target=NAMES[field])
        case Swap(_, one, two):
            for source, target in ((one, two), (two, one)):
                word = TERRAIN[before.terrain[source]]
                yield Effect("swapped", "RI21", True, seat, source=NAMES[source], target=NAMES[target], word=word)


def _list_walk(before: State, seat: int, kind: int, source: int, target: int, after: State) -> Iterator[Effect]:
    there = before.units[target]
    enemy, piece, come, go = there >> SEAT, KIND_NAMES[kind], NAMES[source], NAMES[target]
    if enemy in (0, seat) or kind == BLOCKER:
        yield Effect("moved", "RI10", True, seat, None, piece, come, go)
        if enemy not in (0, seat):
            yield from _list_pushed(before, seat, enemy, target, after)
    elif not there & BLOCKERS:
        yield Effect("attacked", "RI15", True, seat, enemy, piece, come, go, None, ALONE)
        yield from _list_entering(before, seat, target, there, "RI15")
    elif not before.engaged:
        yield Effect("attacked", "RI16", True, seat, enemy, piece, come, go, None, FIRST)
    else:
        yield Effect("attacked", "RI16", True, seat, enemy, piece, come, go, None, SECOND)
        yield _kill(before, "RI16", seat, enemy, BLOCKER, target)
        yield _kill(before, "RI16", seat, seat, WARRIOR, target)
        if (there - BLOCKER) & BLOCKERS:
            yield Effect("returned", "RI16", False, seat, None, piece, go, come)
        else:
            yield from _list_entering(before, seat, target, there, "RI16")


def _list_entering(before: State, seat: int, at: int, there: int, clause: str) -> Iterator[Effect]:
    """What becomes of a warrior, and of the units there that are not blockers (RI15)."""
    enemy = there >> SEAT
    if there & WARRIORS:
        yield _kill(before, clause, seat, enemy, WARRIOR, at)
        yield _kill(before, clause, seat, seat, WARRIOR, at)
        return
    for _ in range(count(there, RUNNER)):
        yield _kill(before, clause, seat, enemy, RUNNER, at)
    yield Effect("occupied", clause, False, seat, None, "warrior", None, NAMES[at])


def _kill(before: State, clause: str, seat: int, owner: int, kind: int, field: int) -> Effect:
    word = before.setup.casualties
    return Effect("killed", clause, False, seat, owner, KIND_NAMES[kind], NAMES[field], None, None, word)


def _list_pushed(before: State, seat: int, owner: int, source: int, after: State) -> Iterator[Effect]:
    """The runners that a blocker pushed, those that stayed further in first."""
    for field in (*range(TOP - 1, -1, -1), start_of(owner)):
        old, new = before.units[field], after.units[field]
        if old != new and new >> SEAT == owner:
            # If anybody else stood there, it was the blocker.
            for _ in range(count(new, RUNNER) - count(old, RUNNER)):
                yield Effect("pushed", "RI18", False, seat, owner, "runner", NAMES[source], NAMES[field])


def _list_carried(before: State, seat: int, ring: int, step: int) -> Iterator[Effect]:
    first = SLOTS * ring
    for slot, units in enumerate(before.units[first : first + SLOTS]):
        if units:
            come, go = NAMES[first + slot], NAMES[first + (slot + step) % SLOTS]
            for kind in KINDS_AMONG[units]:
                piece, number = KIND_NAMES[kind], count(units, kind)
                yield Effect("carried", "RI19", False, seat, units >> SEAT, piece, come, go, number)


# ---- rolls


def _list_roll(before: State, roll: Roll, values: tuple[int, ...], after: State) -> Iterator[Effect]:
    match roll.purpose:
        case "terrain":
            yield Effect(ROLLED, "RI3", amount=values[0], word="terrain")
            first = len(before.terrain)
            for field in range(first, first + SLOTS):
                yield Effect("laid", "RI3", target=NAMES[field], word=TERRAIN[after.terrain[field]])
        case "round":
            for value in values:
                yield Effect(ROLLED, "RI5", seat=roll.seat, amount=value, word=DICE[(value - 1) // 2])
            if after.uses:
                yield from _list_turns(before, after, 0, [*after.dice], [*before.points])
        case _:
            assert roll.seat is not None
            yield Effect(ROLLED, "RI17", seat=roll.seat, amount=values[0], word=ALLIANCE)
            yield from _list_alliance(before, values[0], after)
            yield from _list_following(before, after, roll.seat, before.uses, before.dice)


def _list_alliance(before: State, value: int, after: State) -> Iterator[Effect]:
    alliance = before.alliance
    assert alliance is not None
    assert alliance.backer is not None
    seat, at = alliance.seat, alliance.at
    yield _kill(before, "RI17", seat, before.units[at] >> SEAT, BLOCKER, at)
    if value <= 3:
        yield _kill(before, "RI17", seat, seat, WARRIOR, alliance.source)
    else:
        yield _kill(before, "RI17", seat, alliance.ally, WARRIOR, alliance.backer)
        if after.units[at] >> SEAT == seat:
            yield Effect("moved", "RI17", False, seat, None, "warrior", NAMES[alliance.source], NAMES[at])


# ---- withdrawals (RI25)


def _list_withdrawal(before: State, seat: int, after: State) -> Iterator[Effect]:
    assert not isinstance(before.turn, Over)
    yield Effect(LEFT, "RI25", owner=seat)
    on_turn = before.alliance.seat if before.alliance else before.turn.seat
    if engaged := before.engaged:
        if seat == attacked_seat(before):
            yield Effect("occupied", "RI25", False, on_turn, None, "warrior", None, NAMES[engaged.at])
        elif seat == on_turn:
            yield Effect("voided", "RI25", target=NAMES[engaged.at], word=ATTACK)
    void = None if after.alliance else before.alliance
    if void:
        yield Effect("voided", "RI25", target=NAMES[void.at], word=ALLIANCE)
    if isinstance(after.turn, Over) and after.turn.reason not in POINTS_WIN:
        return
    dice = [NO_DICE if other == seat else held for other, held in enumerate(before.dice, 1)]
    if seat == on_turn:
        yield from _list_skipped(before, after, seat, dice)
    elif on_turn and (before.uses or void) and not after.alliance:
        yield from _list_following(before, after, on_turn, before.uses, dice)


def _list_skipped(before: State, after: State, seat: int, dice: list[Dice]) -> Iterator[Effect]:
    """What follows when the seat on turn has left."""
    is_turn = before.round and not (isinstance(before.turn, Roll) and before.turn.purpose == "round")
    if is_turn:
        if before.uses:
            yield Effect("turn-ended", "RI25", owner=seat)
        yield from _list_turns(before, after, seat, dice, [*before.points])
    elif after.uses:
        yield from _list_turns(before, after, 0, dice, [*before.points])
    elif after.round > before.round:
        yield _begin_round(after)


# ---- turns and rounds (RI6)


def _begin_round(after: State) -> Effect:
    return Effect("round-began", "RI5", amount=after.round)


def _list_following(before: State, after: State, seat: int, uses: int, dice: Sequence[Dice]) -> Iterator[Effect]:
    """What follows when the seat on turn has these uses left, and all seats these dice."""
    is_exhausted = isinstance(after.turn, Over) and after.turn.reason == "exhausted"
    mine = dice[seat - 1]
    if is_exhausted or (uses and mine != NO_DICE and mine == after.dice[seat - 1]):
        return
    held, points = [*dice], [*before.points]
    yield from _end_turn(after, seat, uses, held, points)
    if not _is_won(after, points):
        yield from _list_turns(before, after, seat, held, points)


def _list_turns(before: State, after: State, seat: int, held: list[Dice], points: list[int]) -> Iterator[Effect]:
    """The turns and rounds that follow on that of the seat. `held` and `points` change with them."""
    pass_ = before.pass_
    while True:
        later = _find_next(seat, held)
        if not later and pass_ == 1 and (later := _find_next(0, held)):
            pass_ = 2
            yield Effect("pass-began", "RI6", amount=pass_)
        if not later:
            yield _begin_round(after)
            return
        seat = later
        yield Effect("turn-began", "RI6", owner=seat)
        if held[seat - 1] == after.dice[seat - 1]:
            return
        yield from _end_turn(after, seat, 2, held, points)
        if _is_won(after, points):
            return


def _find_next(seat: int, held: Sequence[Dice]) -> int:
    """The next higher seat with dice; 0 if there is none."""
    return next((other for other in range(seat + 1, len(held) + 1) if held[other - 1] != NO_DICE), 0)


def _end_turn(after: State, seat: int, uses: int, held: list[Dice], points: list[int]) -> Iterator[Effect]:
    if uses:
        for die, number in zip(DICE, held[seat - 1], strict=True):
            if number:
                yield Effect("expired", "RI7", owner=seat, amount=number, word=die)
        held[seat - 1] = NO_DICE
    worth = value_top(after, seat)
    points[seat - 1] += worth
    if uses and not _is_won(after, points):
        yield Effect("turn-ended", "RI6", owner=seat)
    if worth:
        clause = "RI23" if after.setup.scoring == COUNTDOWN else "RI22"
        piece = KIND_NAMES[KINDS_AMONG[after.units[TOP]][0]]
        yield Effect("scored", clause, owner=seat, piece=piece, target=NAMES[TOP], amount=worth)


def _is_won(after: State, points: list[int]) -> bool:
    """Whether these points ended the match."""
    return isinstance(after.turn, Over) and after.turn.reason in POINTS_WIN and points == [*after.points]
