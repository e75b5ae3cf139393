"""What comes before and after a move: attackers, first spawns, the contest, the bounds of a turn (CR5, CR6, CR14)."""

from plyscribe.domain.contest import Best, enter_roll, find_winner, leave_contest, next_to_roll
from plyscribe.domain.ruleset import next_in_play
from plyscribe.domain.rulesets.crystals_v1.state import BASE, CHOOSE, DEPLOY, FIRST, RESPAWN, ROLL, SPAWN, Table

LOWEST: Best = min


def choose_attacker(table: Table, attacker: int) -> None:
    """CR5: the acting seat chooses its attacker."""
    table.attackers[table.seat - 1] = attacker
    pass_on_opening(table)


def deploy(table: Table, slot: int) -> None:
    """CR5: the acting seat's first character goes to its START."""
    put_on_start(table, slot)
    pass_on_opening(table)


def pass_on_opening(table: Table) -> None:
    """The next seat in play chooses or deploys; after the last one the first deploys, or the contest begins."""
    seats = [seat for seat in range(1, len(table.crystals) + 1) if seat not in table.left]
    later = [seat for seat in seats if seat > table.seat]
    if later:
        table.seat = table.actor = later[0]
    elif table.phase == CHOOSE:
        table.phase = DEPLOY
        table.seat = table.actor = seats[0]
    else:
        table.phase, table.seat = FIRST, 0
        await_contest(table)


def contend(table: Table, value: int) -> None:
    """CR5: a roll in the contest."""
    assert table.contest is not None
    table.contest = enter_roll(table.contest, value, LOWEST)
    await_contest(table)


def drop_out(table: Table, seat: int) -> None:
    """CR21: who leaves is out of the contest, now or when it begins."""
    if table.contest is not None:
        table.contest = leave_contest(table.contest, seat, LOWEST)


def await_contest(table: Table) -> None:
    """The next roll of the contest, or the turn of the seat that is alone in it."""
    assert table.contest is not None
    winner = find_winner(table.contest)
    if winner is None:
        table.actor = next_to_roll(table.contest)
    else:
        table.contest = None
        begin_turn(table, winner)


def begin_turn(table: Table, seat: int) -> None:
    """CR6: a turn begins with a spawn if one is possible, else with the roll."""
    table.seat = table.actor = seat
    table.roll = 0
    table.extra = False
    table.phase = SPAWN if can_spawn(table) else ROLL


def spawn(table: Table, slot: int) -> None:
    """CR6: a character enters the track; the roll follows."""
    put_on_start(table, slot)
    table.phase = ROLL


def finish_move(table: Table) -> None:
    """CR14: the last spawn of the turn if one is possible."""
    if table.seat not in table.left and can_spawn(table):
        table.phase, table.actor = RESPAWN, table.seat
    else:
        finish_turn(table)


def respawn(table: Table, slot: int) -> None:
    """CR14: a character enters the track at the end of the turn."""
    put_on_start(table, slot)
    finish_turn(table)


def finish_turn(table: Table) -> None:
    """CR14, CR15: the same seat again if an extra turn is due, else the next one."""
    if table.extra and table.seat not in table.left:
        begin_turn(table, table.seat)
    else:
        begin_turn(table, next_in_play(table.seat, len(table.crystals), table.left))


def can_spawn(table: Table) -> bool:
    """Whether the START of the seat on turn is empty and its base is not (CR6)."""
    seat, at = table.seat, table.at
    return table.track.starts[seat - 1] not in at and BASE in at[4 * seat - 4 : 4 * seat]


def put_on_start(table: Table, slot: int) -> None:
    """The character in that slot of the seat on turn stands on its START."""
    table.at[4 * table.seat - 4 + slot] = table.track.starts[table.seat - 1]
