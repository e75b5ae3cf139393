"""Matches that are played on a real table in a tournament, and who records them.

Whoever holds the code of the table records the whole match, and whoever holds the code of a seat records what that seat
does. The arbiters of the tournament record, too.
"""

from typing import NamedTuple

from plyscribe.domain.commands import Actor
from plyscribe.domain.match import Lifecycle

WHOLE_TABLE = 0
"""In place of a seat: the whole table."""


class TablePlace(NamedTuple):
    """A seat of a board in a round, or the whole table."""

    round: int
    board: int
    seat: int = WHOLE_TABLE

    @property
    def actor(self) -> Actor:
        """Whoever holds the code of this place."""
        return Actor("table", "-".join(map(str, self)))


def list_actors(round: int, board: int, seats: int) -> list[Actor]:
    """Those who may hold a code of a board: for the whole table, and for each seat."""
    return [TablePlace(round, board, seat).actor for seat in range(WHOLE_TABLE, seats + 1)]


def find_table(life: Lifecycle) -> TablePlace | None:
    """The table of the tournament at which the match is recorded; None for other matches."""
    tournament, recorder = life.created.tournament, life.created.recorder
    if tournament is None or recorder is None or recorder != tournament.get("id"):
        return None
    # A match that was restored from another server may say anything of its tournament.
    round, board = tournament.get("round"), tournament.get("board")
    return TablePlace(round, board) if isinstance(round, int) and isinstance(board, int) else None


def find_seat(actor: Actor, life: Lifecycle) -> int | None:
    """The seat at the match's table whose code the actor holds, WHOLE_TABLE for the table's own; None without one."""
    table = find_table(life) if actor.role == "table" else None
    if table is None:
        return None
    places = (table._replace(seat=seat) for seat in range(WHOLE_TABLE, len(life.seats) + 1))
    return next((place.seat for place in places if place.actor == actor), None)
