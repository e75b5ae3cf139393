"""What a step did, from the states before and after it, in the order of CR14."""

from collections.abc import Iterator
from types import MappingProxyType

from plyscribe.domain.contest import OUT
from plyscribe.domain.effects import (
    LEFT,
    ROLLED,
    Effect,
    EffectKind,
    Ended,
    Moved,
    Rolled,
    Step,
    Withdrew,
    list_end_kinds,
)
from plyscribe.domain.rulesets.crystals_v1.resolution import find_target, find_way_back, list_shots
from plyscribe.domain.rulesets.crystals_v1.state import (
    ATTACKER,
    BASE,
    CHOOSE,
    CLASSES,
    DEFENCE,
    DEPLOY,
    FIRST,
    LEVELS,
    MOVE,
    ROLL,
    SPAWN,
    XP,
    State,
    Table,
    name_class,
)
from plyscribe.domain.rulesets.crystals_v1.track import HOME

END_CLAUSES = MappingProxyType({"crystals": "CR8", "experience": "CR19", "ply-limit": "CR20", "withdrawal": "CR21"})

ATTACKERS = ("rider", "archer")
ORDINALS = ("first", "second", "third")
MINE = "mine"
"""The word for what kills, where no character does."""

EFFECT_KINDS = (
    EffectKind("chose", ("CR5",), ("seat", "piece"), pieces=ATTACKERS),
    EffectKind("placed", ("CR5", "CR6", "CR14"), ("seat", "piece", "target"), pieces=CLASSES),
    EffectKind(ROLLED, ("CR5", "CR7", "CR12"), ("seat", "amount", "word"), words=("first", "turn", "defence")),
    EffectKind("out", ("CR5",), ("owner",)),
    EffectKind("tied", ("CR5",), ("owner",)),
    EffectKind("idle", ("CR7",), ("owner",)),
    EffectKind("moved", ("CR7",), ("seat", "piece", "source", "target"), pieces=CLASSES),
    EffectKind("came-home", ("CR8",), ("seat", "piece", "source"), pieces=CLASSES),
    EffectKind("scored", ("CR8",), ("seat", "amount", "word"), words=ORDINALS),
    EffectKind("teleported", ("CR9",), ("owner", "piece", "source", "target"), pieces=CLASSES),
    EffectKind("attacked", ("CR11",), ("seat", "owner", "piece", "target", "word"), pieces=CLASSES, words=CLASSES),
    EffectKind(
        "attacked-from-afar",
        ("CR16",),
        ("seat", "owner", "piece", "target", "word"),
        pieces=CLASSES,
        words=ATTACKERS,
    ),
    EffectKind(
        "killed",
        ("CR11", "CR13"),
        ("seat", "owner", "piece", "source", "word"),
        pieces=CLASSES,
        words=(*CLASSES, MINE),
    ),
    EffectKind(
        "killed-from-afar",
        ("CR16",),
        ("seat", "owner", "piece", "source", "word"),
        pieces=CLASSES,
        words=ATTACKERS,
    ),
    EffectKind("saved", ("CR12",), ("owner", "piece", "target"), pieces=CLASSES),
    EffectKind("thrown-back", ("CR12",), ("owner", "piece", "source", "target"), pieces=CLASSES),
    EffectKind("returned", ("CR13",), ("seat", "owner", "piece", "source"), pieces=CLASSES),
    EffectKind("earned", ("CR11", "CR12", "CR13", "CR16"), ("owner", "amount")),
    EffectKind("extra-turn", ("CR15", "CR17"), ("owner", "word"), words=("six", "scout")),
    EffectKind("mined", ("CR18",), ("seat", "target")),
    EffectKind("learned", ("CR19",), ("seat", "piece", "amount"), pieces=CLASSES),
    EffectKind("levelled", ("CR3",), ("owner", "piece", "amount"), pieces=CLASSES),
    EffectKind("taken-off", ("CR21",), ("owner", "piece", "source"), pieces=CLASSES),
    EffectKind("cleared", ("CR21",), ("owner", "source")),
    EffectKind("called-off", ("CR20", "CR21"), ("seat", "owner", "target")),
    EffectKind("lost", ("CR19", "CR20", "CR21"), ("owner", "amount")),
    EffectKind("turn-began", ("CR5", "CR14"), ("owner", "word"), words=("first", "next", "extra")),
    *list_end_kinds(END_CLAUSES, leaving="CR21"),
)


def list_happenings(before: State, step: Step, after: State) -> list[Effect]:
    """The effects of the step, without those of an end of the match."""
    match step:
        case Moved(slot):
            effects = list(_list_of_move(before, slot, after))
        case Rolled(values):
            (value,) = values
            effects = list(_list_of_roll(before, value, after))
        case Withdrew(seat):
            effects = list(_list_of_withdrawal(before, seat, after))
        case Ended():
            return []
    if after.over:
        effects += _list_dropped(before, effects, END_CLAUSES[after.over.reason])
    elif _has_new_turn(before, step, after):
        effects.append(_describe_turn(before, after))
    return effects


def _has_new_turn(before: State, step: Step, after: State) -> bool:
    if after.phase not in (SPAWN, ROLL):
        return False
    # The spawn before the roll, and a seat that leaves in the turn of another one, go on with the same turn.
    return isinstance(step, Rolled) or before.phase not in (SPAWN, ROLL) or before.seat != after.seat


def _describe_turn(before: State, after: State) -> Effect:
    if before.phase == FIRST:
        return Effect("turn-began", "CR5", owner=after.seat, word="first")
    return Effect("turn-began", "CR14", owner=after.seat, word="extra" if before.seat == after.seat else "next")


def _list_dropped(before: State, effects: list[Effect], clause: str) -> Iterator[Effect]:
    """The attack and the experience that were pending when the match ended."""
    last = effects[-1]
    if last.kind in ("attacked", "attacked-from-afar"):
        yield last._replace(kind="called-off", clause=clause, piece=None, word=None)
    earned = [effect.owner for effect in effects if effect.kind == "earned"]
    given = [effect.seat for effect in effects if effect.kind == "learned"]
    for seat, points in enumerate(before.due, 1):
        if due := points + earned.count(seat) - given.count(seat):
            yield Effect("lost", clause, owner=seat, amount=due)


def _list_of_move(before: State, slot: int, after: State) -> Iterator[Effect]:
    phase, seat = before.phase, before.actor
    if phase == CHOOSE:
        yield Effect("chose", "CR5", True, seat, piece=CLASSES[slot])
        return
    me = 4 * seat - 4 + slot
    if phase == MOVE:
        yield from _list_of_run(before, me, after)
    elif phase == XP:
        yield from _list_of_learning(before, me, after)
    else:
        clause = {DEPLOY: "CR5", SPAWN: "CR6"}.get(phase, "CR14")
        yield Effect("placed", clause, True, seat, piece=name_class(before, me), target=str(after.at[me]))


def _list_of_learning(before: State, me: int, after: State) -> Iterator[Effect]:
    """CR19 and CR3: a class gets a point, and may reach a level."""
    seat, name, had, has = me // 4 + 1, name_class(before, me), before.experience[me], after.experience[me]
    yield Effect("learned", "CR19", True, seat, piece=name, amount=has)
    if LEVELS[has] > LEVELS[had]:
        yield Effect("levelled", "CR3", owner=seat, piece=name, amount=LEVELS[has])


def _list_of_run(before: State, me: int, after: State) -> Iterator[Effect]:
    """CR7 to CR11: a character comes home, attacks, or arrives on a field."""
    seat, name, source = before.seat, name_class(before, me), before.at[me]
    first, _ = before.setup.track.ways[seat - 1][source][before.roll]
    if first == HOME:
        yield Effect("came-home", "CR8", True, seat, piece=name, source=str(source))
        yield Effect("scored", "CR8", seat=seat, amount=1, word=ORDINALS[before.crystals[seat - 1]])
        yield from _list_of_ability(before, me, after)
        return
    yield Effect("moved", "CR7", True, seat, piece=name, source=str(source), target=str(first))
    field = find_target(before, me, before.roll)
    if field != first:
        yield Effect("teleported", "CR9", owner=seat, piece=name, source=str(first), target=str(field))
    if field in before.at:
        target = before.at.index(field)
        # A character that is not covered dies at once.
        if after.at[target] != BASE:
            yield _describe_attack("attacked", "CR11", before, me, target)
            return
        yield from _list_of_kill("killed", "CR11", before, me, target)
    yield from _list_of_arrival(before, me, field, after)


def _describe_attack(kind: str, clause: str, before: State, me: int, target: int) -> Effect:
    return Effect(
        kind,
        clause,
        seat=me // 4 + 1,
        owner=target // 4 + 1,
        piece=name_class(before, target),
        target=str(before.at[target]),
        word=name_class(before, me),
    )


def _list_of_kill(kind: str, clause: str, before: State, me: int, target: int) -> Iterator[Effect]:
    """CR11: a character kills another one, and its seat earns a point."""
    seat, owner, field = me // 4 + 1, target // 4 + 1, str(before.at[target])
    killer, name = name_class(before, me), name_class(before, target)
    yield Effect(kind, clause, seat=seat, owner=owner, piece=name, source=field, word=killer)
    yield Effect("earned", clause, owner=seat, amount=1)


def _list_of_arrival(before: State, me: int, field: int, after: State, *, shoots: bool = True) -> Iterator[Effect]:
    """CR13 to CR18: a character arrives on a free field, takes up any mine there, and uses its ability."""
    seat, name = me // 4 + 1, name_class(before, me)
    for owner, mines in enumerate(before.mines, 1):
        if mines >> field & 1:
            yield Effect("returned", "CR13", seat=seat, owner=owner, piece=name, source=str(field))
            if owner != seat:
                yield Effect("killed", "CR13", seat=owner, owner=seat, piece=name, source=str(field), word=MINE)
            yield Effect("earned", "CR13", owner=owner, amount=1)
            if owner != seat:
                return
    if me & 3 == ATTACKER and shoots:
        yield from _list_of_shots(before, me, field, after)
    else:
        yield from _list_of_ability(before, me, after)


def _list_of_shots(before: State, me: int, stand: int, after: State, beyond: int | None = None) -> Iterator[Effect]:
    """CR16: a rider or archer kills enemies from afar, up to the first one that is covered."""
    shots = list_shots(before, me, stand)
    for field in shots if beyond is None else shots[shots.index(beyond) + 1 :]:
        if field not in before.at:
            continue
        target = before.at.index(field)
        if target // 4 == me // 4 or target // 4 + 1 in after.left:
            continue
        if after.at[target] != BASE:
            yield _describe_attack("attacked-from-afar", "CR16", before, me, target)
            return
        yield from _list_of_kill("killed-from-afar", "CR16", before, me, target)


def _list_of_ability(before: State, me: int, after: State) -> Iterator[Effect]:
    """CR17 and CR18: a scout has given an extra turn, or a miner has left a mine."""
    seat = me // 4 + 1
    has_turn_again = after.phase in (SPAWN, ROLL) and after.seat == seat
    if not before.extra and (after.extra or has_turn_again):
        yield Effect("extra-turn", "CR17", owner=seat, word="scout")
    if after.mines[seat - 1] & ~before.mines[seat - 1]:
        yield Effect("mined", "CR18", seat=seat, target=str(before.at[me]))


def _list_of_roll(before: State, value: int, after: State) -> Iterator[Effect]:
    phase, seat = before.phase, before.actor
    if phase == FIRST:
        yield Effect(ROLLED, "CR5", seat=seat, amount=value, word="first")
        yield from _list_of_contest(before, seat, after)
    elif phase == DEFENCE:
        yield Effect(ROLLED, "CR12", seat=seat, amount=value, word="defence")
        yield from _list_of_defence(before, after)
    else:
        yield Effect(ROLLED, "CR7", seat=seat, amount=value, word="turn")
        if value == 6:
            yield Effect("extra-turn", "CR15", owner=seat, word="six")
        if after.phase != MOVE:
            yield Effect("idle", "CR7", owner=seat)


def _list_of_contest(before: State, seat: int, after: State) -> Iterator[Effect]:
    """CR5: what a roll or withdrawal of `seat` meant for those in the contest, until it is won."""
    if before.contest is None or after.contest is None:
        return
    for other, (was, now) in enumerate(zip(before.contest, after.contest, strict=True), 1):
        if now == OUT != was and other not in after.left:
            yield Effect("out", "CR5", owner=other)
        elif now is None and (was is not None or (other == seat and other not in after.left)):
            yield Effect("tied", "CR5", owner=other)


def _list_of_defence(before: State, after: State) -> Iterator[Effect]:
    """CR12: the attacked character is saved or killed, and the move goes on."""
    assert before.attack is not None
    me, target, ranged = before.attack
    field, saved = before.at[target], after.at[target] != BASE
    if saved:
        owner = target // 4 + 1
        yield Effect("saved", "CR12", owner=owner, piece=name_class(before, target), target=str(field))
        yield Effect("earned", "CR12", owner=owner, amount=1)
    elif ranged:
        yield from _list_of_kill("killed-from-afar", "CR16", before, me, target)
    else:
        yield from _list_of_kill("killed", "CR11", before, me, target)
    if ranged:
        yield from _list_of_shots(before, me, before.at[me], after, beyond=field)
    elif saved:
        back, seat, name = find_way_back(Table(before), me, field), me // 4 + 1, name_class(before, me)
        yield Effect("thrown-back", "CR12", owner=seat, piece=name, source=str(field), target=str(back))
        yield from _list_of_arrival(before, me, back, after, shoots=False)
    else:
        yield from _list_of_arrival(before, me, field, after)


def _list_of_withdrawal(before: State, seat: int, after: State) -> Iterator[Effect]:
    """CR21: what a seat takes away, and how the match goes on without it."""
    yield Effect(LEFT, "CR21", owner=seat)
    for me in range(4 * seat - 4, 4 * seat):
        if before.at[me] != BASE:
            yield Effect("taken-off", "CR21", owner=seat, piece=name_class(before, me), source=str(before.at[me]))
    for field in range(1, before.setup.track.fields + 1):
        if before.mines[seat - 1] >> field & 1:
            yield Effect("cleared", "CR21", owner=seat, source=str(field))
    if before.due[seat - 1] and not after.over:
        yield Effect("lost", "CR21", owner=seat, amount=before.due[seat - 1])
    yield from _list_of_contest(before, seat, after)
    if before.attack is None:
        return
    me, target, ranged = before.attack
    attacker, attacked, field = me // 4 + 1, target // 4 + 1, before.at[target]
    if seat in (attacker, attacked):
        yield Effect("called-off", "CR21", seat=attacker, owner=attacked, target=str(field))
    if seat == attacked and not after.over:
        if ranged:
            yield from _list_of_shots(before, me, before.at[me], after, beyond=field)
        else:
            yield from _list_of_arrival(before, me, field, after)
