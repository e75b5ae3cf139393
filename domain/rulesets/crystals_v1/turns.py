"""Before and after a move: attackers, first spawns, the contest, and the start and end of a turn (CR5, CR6, CR14)."""

from plyscribe.domain.contest import Best, enter_roll, find_winner, leave_contest, next_to_roll
from plyscribe.domain.ruleset import next_in_play
from plyscribe.domain.rulesets.crystals_v1.state import BASE, CHOOSE, DEPLOY, FIRST, RESPAWN, ROLL, SPAWN, Table

LOWEST: Best = min


def choose_attacker(table: Table, attacker: int) -> None:
    """CR5: the acting seat chooses its attacker."""
    table.attackers[table.seat - 1] = attacker
    pass_on_opening(table)


def deploy(table: Table, slot: int) -> None:
    """CR5: the acting seat's first character enters on its START."""
    put_on_start(table, slot)
    pass_on_opening(table)


def pass_on_opening(table: Table) -> None:
    """Go on to the next seat in play. After the last seat, the first one deploys, or the contest begins."""
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
    """CR5: enter a roll of the contest."""
    assert table.contest is not None
    table.contest = enter_roll(table.contest, value, LOWEST)
    await_contest(table)


def drop_out(table: Table, seat: int) -> None:
    """CR21: a seat that leaves is out of the contest, even one that has not begun."""
    if table.contest is not None:
        table.contest = leave_contest(table.contest, seat, LOWEST)


def await_contest(table: Table) -> None:
    """Wait for the next roll of the contest, or begin the turn of its winner."""
    assert table.contest is not None
    winner = find_winner(table.contest)
    if winner is None:
        table.actor = next_to_roll(table.contest)
    else:
        table.contest = None
        begin_turn(table, winner)


def begin_turn(table: Table, seat: int) -> None:
    """CR6: begin a turn, with a spawn if one is possible, otherwise with the roll."""
    table.seat = table.actor = seat
    table.roll = 0
    table.extra = False
    table.phase = SPAWN if can_spawn(table) else ROLL


def spawn(table: Table, slot: int) -> None:
    """CR6: a character enters the track, and the roll follows."""
    put_on_start(table, slot)
    table.phase = ROLL


def finish_move(table: Table) -> None:
    """CR14: finish the move, with a last spawn if one is possible."""
    if table.seat not in table.left and can_spawn(table):
        table.phase, table.actor = RESPAWN, table.seat
    else:
        finish_turn(table)


def respawn(table: Table, slot: int) -> None:
    """CR14: a character enters the track, and the turn ends."""
    put_on_start(table, slot)
    finish_turn(table)


def finish_turn(table: Table) -> None:
    """CR14, CR15: begin the turn of the same seat if an extra turn is due, otherwise of the next seat."""
    if table.extra and table.seat not in table.left:
        begin_turn(table, table.seat)
    else:
        begin_turn(table, next_in_play(table.seat, len(table.crystals), table.left))


def can_spawn(table: Table) -> bool:
    """Whether the seat on turn has an empty START and a character in its base (CR6)."""
    seat, at = table.seat, table.at
    return table.track.starts[seat - 1] not in at and BASE in at[4 * seat - 4 : 4 * seat]


def put_on_start(table: Table, slot: int) -> None:
    """Put the character in this slot of the seat on turn on its START."""
    table.at[4 * table.seat - 4 + slot] = table.track.starts[table.seat - 1]
