"""The list of players, in the order of their names."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import orjson
import sqlalchemy as sa

from plyscribe.domain.player import Player
from plyscribe.service.database.engine import Database, insert_newer
from plyscribe.service.database.rows import LAST, TEXT
from plyscribe.service.database.table_sets import Enter, Tables, declare
from plyscribe.service.lists.paging import Json, Listing, Page, Span, parse_place, read_page
from plyscribe.service.lists.projections import build_rows
from plyscribe.service.lists.words import fold_for_search
from plyscribe.service.streams.handler import Handler

LAYOUT = 1
"""Grows whenever a release makes other rows of the same streams. The list is then built anew."""


class PlayerTables(NamedTuple):
    """The tables of the list."""

    players: sa.Table


def _define_tables(metadata: sa.MetaData, suffix: str) -> PlayerTables:
    """Declare the tables of the list."""
    players = sa.Table(
        f"players{suffix}",
        metadata,
        sa.Column("id", TEXT, primary_key=True),
        sa.Column("version", sa.BigInteger, nullable=False),
        sa.Column("name", TEXT, nullable=False),
        sa.Column("kind", TEXT, nullable=False),
        sa.Column("data", sa.LargeBinary, nullable=False),
    )
    sa.Index(None, players.c.name, players.c.id)
    sa.Index(None, players.c.kind, players.c.name, players.c.id)
    return PlayerTables(players)


_TABLES = declare(LAYOUT, _define_tables)


class PlayerList:
    """A projection of all accounts, in the order of their names as `fold_for_search` writes them."""

    name = "players"
    kinds = ("player",)

    def __init__(self, database: Database, players: Handler[Player]) -> None:
        self.table = Tables(database, self.name, _TABLES)
        self._database = database
        self._players = players

    def collect(self, streams: Mapping[str, int | None]) -> Enter:
        """See Projection.collect."""
        rows = build_rows(streams, self._players.read_since, build_row)
        return lambda connection: self._enter(connection, rows)

    def _enter(self, connection: sa.Connection, rows: list[dict[str, Any]]) -> None:
        for tables in self.table.targets(connection):
            insert_newer(connection, tables.players, rows)

    def read(self, name: str, kind: str | None, limit: int, cursor: str | None) -> Page:
        """A page of the players whose names begin with `name`; BadRequest if the cursor is not one of this list."""
        place = parse_place(self.name, cursor, by_number=False)
        [players] = self.table.live
        low = fold_for_search(name)
        where = [players.c.name >= low, players.c.name < low + LAST]
        of_kind = [] if kind is None else [players.c.kind == kind]
        spans = [Span(players.c.name, players.c.id, sa.and_(*of_kind, *where))]
        with self._database.reading() as connection:
            return read_page(connection, Listing(self.name, spans, players, None, descending=False), limit, place)


def build_row(player: Player) -> dict[str, Any] | None:
    """The row of an account; None if it does not exist."""
    if player.version == 0:
        return None
    return {
        "id": player.stream,
        "version": player.version,
        "name": fold_for_search(player.name),
        "kind": player.kind,
        "data": orjson.dumps(describe_player(player)),
    }


def describe_player(player: Player) -> Json:
    """The public fields of an account."""
    return {
        "player": player.stream,
        "name": player.name,
        "kind": player.kind,
        "registered_at": player.registered_at,
    }
