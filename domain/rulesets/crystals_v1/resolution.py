"""How a move resolves, in the order of CR14: each step calls the next, or waits for a roll or decision of a seat."""

from plyscribe.domain.ruleset import Over
from plyscribe.domain.rulesets.crystals_v1.state import (
    ARCHER,
    ATTACKER,
    BASE,
    DEFENCE,
    ENOUGH_CRYSTALS,
    LEVELS,
    MINER,
    MOST_EXPERIENCE,
    MOST_MINES,
    SCOUT,
    TOWER,
    XP,
    Position,
    Table,
)
from plyscribe.domain.rulesets.crystals_v1.track import HOME
from plyscribe.domain.rulesets.crystals_v1.turns import finish_move

COVER = 4
"""The reach of a tower in fields (CR12)."""


def find_target(position: Position, me: int, roll: int) -> int:
    """The field on which the character's move by `roll` ends, or HOME (CR8, CR9). It must be on the track."""
    at = position.at
    first, onward = position.setup.track.ways[me // 4][at[me]][roll]
    if onward and onward not in at[me & ~3 : (me | 3) + 1]:
        return onward
    return first


def is_blocked(position: Position, me: int, target: int) -> bool:
    """Whether the move would end on a character of its own seat (CR10)."""
    return target != HOME and target in position.at[me & ~3 : (me | 3) + 1]


def list_shots(position: Position, me: int, stand: int) -> list[int]:
    """The fields that a rider or archer on `stand` attacks, nearest first (CR16); none on a START."""
    track = position.setup.track
    if stand in track.starts:
        return []
    step = 1 if position.attackers[me // 4] == ARCHER else -1
    level = LEVELS[position.experience[me]]
    return [(stand + step * distance - 1) % track.fields + 1 for distance in range(1, level + 1)]


def move_character(table: Table, slot: int) -> None:
    """CR7 to CR11: a character of the seat on turn moves by the roll. It comes home, attacks, or arrives on a field."""
    me = 4 * table.seat - 4 + slot
    field = find_target(table, me, table.roll)
    if field == HOME:
        bring_home(table, me)
    elif field not in table.at or not attack(table, me, table.at.index(field), ranged=False):
        arrive(table, me, field)


def bring_home(table: Table, me: int) -> None:
    """CR8: the character returns to its base, and its seat takes a crystal; the third crystal wins."""
    origin, seat = table.at[me], table.seat
    table.at[me] = BASE
    table.crystals[seat - 1] += 1
    if table.crystals[seat - 1] == ENOUGH_CRYSTALS:
        table.end(Over("crystals", table.rank(winner=seat)))
        return
    use_scout_or_miner(table, me, origin, table.mines[seat - 1].bit_count())
    give_experience(table)


def attack(table: Table, me: int, target: int, *, ranged: bool) -> bool:
    """CR11, CR12: attack a character; True if a defence roll is due. One that is not covered is killed at once."""
    if is_covered(table, target):
        table.attack = (me, target, ranged)
        table.phase, table.actor = DEFENCE, target // 4 + 1
        return True
    kill(table, target)
    return False


def is_covered(position: Position, target: int) -> bool:
    """Whether the tower of the character's seat is on the track, not on a START, and near enough (CR12)."""
    track, at = position.setup.track, position.at
    tower = at[target & ~3 | TOWER]
    if tower == BASE or tower in track.starts:
        return False
    gap = abs(tower - at[target])
    return gap <= COVER or gap >= track.fields - COVER


def kill(table: Table, target: int) -> None:
    """CR11: a character returns to its base, and the seat on turn gains one experience."""
    table.at[target] = BASE
    table.due[table.seat - 1] += 1


def defend(table: Table, value: int) -> None:
    """CR12: apply the defence roll of the attacked seat."""
    assert table.attack is not None
    me, target, ranged = table.attack
    field = table.at[target]
    saved = value <= LEVELS[table.experience[target & ~3 | TOWER]]
    if saved:
        table.due[target // 4] += 1
    else:
        kill(table, target)
    resume(table, me, field, ranged=ranged, saved=saved)


def resume(table: Table, me: int, field: int, *, ranged: bool, saved: bool) -> None:
    """Continue the move after its attack on a field (CR12, CR16)."""
    table.attack = None
    if ranged:
        shoot(table, me, beyond=field)
    elif saved:
        arrive(table, me, find_way_back(table, me, field), shoots=False)
    else:
        arrive(table, me, field)


def find_way_back(table: Table, me: int, field: int) -> int:
    """The first field counter-clockwise without a character, not counting the attacker itself (CR12)."""
    field = field - 1 or table.track.fields
    while field in table.at and field != table.at[me]:
        field = field - 1 or table.track.fields
    return field


def arrive(table: Table, me: int, field: int, *, shoots: bool = True) -> None:
    """CR13 to CR18: a character arrives on a free field, takes up any mine there, and uses its ability."""
    origin = table.at[me]
    laid = table.mines[table.seat - 1].bit_count()
    table.at[me] = field
    take_up_mine(table, me, field)
    # No abilities on a START, and none for a character that the mine killed.
    if table.at[me] == BASE or field in table.track.starts:
        give_experience(table)
    elif me & 3 == ATTACKER and shoots:
        shoot(table, me)
    else:
        use_scout_or_miner(table, me, origin, laid)
        give_experience(table)


def take_up_mine(table: Table, me: int, field: int) -> None:
    """CR13: a mine on the field returns to its owner, who gains one experience; it kills an enemy character."""
    for owner, mines in enumerate(table.mines):
        if mines >> field & 1:
            table.mines[owner] ^= 1 << field
            table.due[owner] += 1
            if owner != me // 4:
                table.at[me] = BASE


def shoot(table: Table, me: int, beyond: int | None = None) -> None:
    """CR16: a rider attacks the enemies behind it, an archer those before it, nearest first.

    With `beyond`, only the fields after that one are left.
    """
    shots = list_shots(table, me, table.at[me])
    for field in shots if beyond is None else shots[shots.index(beyond) + 1 :]:
        if field in table.at:
            target = table.at.index(field)
            if target // 4 != me // 4 and attack(table, me, target, ranged=True):
                return
    give_experience(table)


def use_scout_or_miner(table: Table, me: int, origin: int, laid: int) -> None:
    """CR17, CR18: if the roll is at most its level, a scout gets an extra turn, and a miner mines the field it left.

    `laid` is the number of the seat's mines on the track when the move began.
    """
    if table.roll > LEVELS[table.experience[me]]:
        return
    if me & 3 == SCOUT:
        table.extra = True
    elif me & 3 == MINER and laid < MOST_MINES and origin not in table.track.starts and table.at[me] != origin:
        table.mines[me // 4] |= 1 << origin


def give_experience(table: Table) -> None:
    """CR19: wait until the next point is given to a class, seat on turn first; without points, finish the move."""
    due, seat = table.due, table.seat
    if any(due):
        order = [*range(seat, len(due) + 1), *range(1, seat)]
        table.phase, table.actor = XP, next(other for other in order if due[other - 1])
    else:
        finish_move(table)


def take_experience(table: Table, slot: int) -> None:
    """CR19: give a point to a class; a seat wins when all its classes are full."""
    seat = table.actor
    table.experience[4 * seat - 4 + slot] += 1
    table.due[seat - 1] -= 1
    if sum(table.experience[4 * seat - 4 : 4 * seat]) == 4 * MOST_EXPERIENCE:
        table.end(Over("experience", table.rank(winner=seat)))
    else:
        give_experience(table)
