"""A seat leaves the match (CR21)."""

from plyscribe.domain.ruleset import Over
from plyscribe.domain.rulesets.crystals_v1.resolution import give_experience, resume
from plyscribe.domain.rulesets.crystals_v1.state import BASE, CHOOSE, DEPLOY, FIRST, Table
from plyscribe.domain.rulesets.crystals_v1.turns import await_contest, drop_out, pass_on_opening


def leave(table: Table, seat: int) -> None:
    """Take the seat out of the match, with all its pending decisions and rolls; the last seat in play wins."""
    attacked_on = table.at[table.attack[1]] if table.attack else BASE
    table.left += (seat,)
    table.at[4 * seat - 4 : 4 * seat] = [BASE] * 4
    table.mines[seat - 1] = 0
    table.due[seat - 1] = 0
    drop_out(table, seat)
    if len(table.left) == len(table.crystals) - 1:
        table.end(Over("withdrawal", table.rank()))
    elif table.phase == FIRST:
        await_contest(table)
    elif table.phase in (CHOOSE, DEPLOY):
        if table.seat == seat:
            pass_on_opening(table)
    elif table.seat == seat:
        table.attack = None
        give_experience(table)
    elif table.actor == seat and table.attack is not None:
        me, _, ranged = table.attack
        resume(table, me, attacked_on, ranged=ranged, saved=False)
    elif table.actor == seat:
        give_experience(table)
