"""The list of tournaments, the newest first."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import orjson
import sqlalchemy as sa

from plyscribe.domain.tournament.state import Tournament
from plyscribe.service.database.engine import Database, insert_newer
from plyscribe.service.database.rows import TEXT, replace_rows
from plyscribe.service.database.table_sets import Enter, Tables, declare
from plyscribe.service.lists.paging import Condition, Json, Listing, Page, Span, parse_place, read_page
from plyscribe.service.lists.projections import build_rows
from plyscribe.service.streams.handler import Handler

LAYOUT = 1
"""Grows whenever a release makes other rows of the same streams. The list is then built anew."""


PRIVATE = "private"
"""In place of the status of a private tournament, so that no list finds it by its status."""


class TournamentTables(NamedTuple):
    """The tables of the list."""

    tournaments: sa.Table
    invitations: sa.Table
    """The accounts that have not answered yet, of tournaments that they can still enter."""


class TournamentRow(NamedTuple):
    """What the list keeps of a tournament."""

    values: dict[str, Any]
    invited: Sequence[str]


def _define_tables(metadata: sa.MetaData, suffix: str) -> TournamentTables:
    """Declare the tables of the list."""
    tournaments = sa.Table(
        f"tournaments{suffix}",
        metadata,
        sa.Column("id", TEXT, primary_key=True),
        sa.Column("version", sa.BigInteger, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("ruleset", TEXT, nullable=False),
        sa.Column("status", TEXT, nullable=False),
        sa.Column("data", sa.LargeBinary, nullable=False),
    )
    place = tournaments.c.created_at, tournaments.c.id
    sa.Index(None, *place)
    sa.Index(None, tournaments.c.ruleset, *place)
    sa.Index(None, tournaments.c.status, *place)
    invitations = sa.Table(
        f"tournament_invitations{suffix}",
        metadata,
        sa.Column("tournament", TEXT, primary_key=True),
        sa.Column("player", TEXT, primary_key=True),
        sa.Column("created_at", sa.BigInteger, nullable=False),
    )
    sa.Index(None, invitations.c.player, invitations.c.created_at, invitations.c.tournament)
    return TournamentTables(tournaments, invitations)


_TABLES = declare(LAYOUT, _define_tables)


class TournamentList:
    """A projection of all tournaments, filtered by ruleset and status."""

    name = "tournaments"
    kinds = ("tournament",)

    def __init__(self, database: Database, tournaments: Handler[Tournament]) -> None:
        self.table = Tables(database, self.name, _TABLES)
        self._database = database
        self._tournaments = tournaments

    def collect(self, streams: Mapping[str, int | None]) -> Enter:
        """See Projection.collect."""
        rows = build_rows(streams, self._tournaments.read_since, build_row)
        return lambda connection: self._enter(connection, rows)

    def _enter(self, connection: sa.Connection, rows: Sequence[TournamentRow]) -> None:
        for tables in self.table.targets(connection):
            entered = insert_newer(connection, tables.tournaments, [row.values for row in rows])
            invited = [each for row in rows if row.values["id"] in entered for each in _list_invitations(row)]
            replace_rows(connection, tables.invitations, sorted(entered), invited)

    def read(
        self,
        ruleset: str | None,
        status: str | None,
        limit: int,
        cursor: str | None,
        invited: str | None = None,
        conditions: Sequence[Condition] = (),
    ) -> Page:
        """A page of the tournaments of this ruleset and status that invite this account and meet these conditions.

        Private tournaments are listed only with `invited` or a condition, which must find none that the reader may not
        see. BadRequest if the cursor is not of this list.
        """
        place = parse_place(self.name, cursor, by_number=True)
        tournaments, invitations = self.table.live
        columns = {"ruleset": ruleset, "status": status}
        tests = [tournaments.c[name] == value for name, value in columns.items() if value is not None]
        if invited is not None:
            spans: Sequence[Span] = [
                Span(invitations.c.created_at, invitations.c.tournament, invitations.c.player == invited)
            ]
        elif conditions:
            spans, conditions = conditions[0].spans, conditions[1:]
        else:
            spans = [Span(tournaments.c.created_at, tournaments.c.id, tests.pop(0) if tests else sa.true())]
            tests.append(tournaments.c.status != PRIVATE)
        tests += [tournaments.c.id.in_(each.ids) for each in conditions]
        keep = sa.and_(*tests) if tests else None
        with self._database.reading() as connection:
            return read_page(connection, Listing(self.name, spans, tournaments, keep, descending=True), limit, place)


def _list_invitations(row: TournamentRow) -> Iterator[dict[str, Any]]:
    for player in row.invited:
        yield {"tournament": row.values["id"], "player": player, "created_at": row.values["created_at"]}


def build_row(state: Tournament) -> TournamentRow | None:
    """The row of a tournament; None if it does not exist."""
    if state.created is None:
        return None
    values = {
        "id": state.stream,
        "version": state.version,
        "created_at": max(0, state.created_at),
        "ruleset": state.created.ruleset,
        "status": PRIVATE if state.created.private else state.status,
        "data": orjson.dumps(describe_row(state)),
    }
    return TournamentRow(values, [each.player for each in state.invitations if state.takes_entrants])


def describe_row(state: Tournament) -> Json:
    """The tournament as a row of the list."""
    terms = state.terms
    return {
        "tournament": state.stream,
        "version": state.version,
        "name": terms.name,
        "status": state.status,
        "ruleset": terms.ruleset,
        "ruleset_version": terms.ruleset_version,
        "seats": terms.seats,
        "format": terms.format,
        "entrants": len(state.entrants),
        "rounds": len(state.rounds),
        "organiser": state.organiser,
        "created_at": state.created_at,
    }
