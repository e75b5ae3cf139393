"""Who has a part in which tournament, and which tournaments take entrants: what the list of tournaments is searched by.

These tables stand beside those of the list, which the release before this one reads as well.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa

from plyscribe.domain.events import Account
from plyscribe.domain.tournament.state import Tournament
from plyscribe.service.database.engine import Database, insert_newer
from plyscribe.service.database.rows import TEXT, replace_rows
from plyscribe.service.database.table_sets import Enter, Tables, declare
from plyscribe.service.lists.paging import Condition, Span
from plyscribe.service.lists.projections import build_rows
from plyscribe.service.streams.handler import Handler

LAYOUT = 1
"""Grows whenever a release makes other rows of the same streams. The tables are then built anew."""

PARTS = ("organised", "arbiter", "entered", "invited", "asked")
"""The parts that an account can have in a tournament; all of them let it read a private one."""


class PeopleTables(NamedTuple):
    """The tables of the projection."""

    versions: sa.Table
    people: sa.Table
    entering: sa.Table
    """The public tournaments that take entrants."""


class PeopleRow(NamedTuple):
    """What is kept of a tournament."""

    tournament: str
    version: int
    created_at: int
    people: Sequence[tuple[str, str]]
    """Each account with one of PARTS."""

    is_entering: bool


def _define_tables(metadata: sa.MetaData, suffix: str) -> PeopleTables:
    """Declare the tables of the projection."""
    versions = sa.Table(
        f"tournament_people_versions{suffix}",
        metadata,
        sa.Column("id", TEXT, primary_key=True),
        sa.Column("version", sa.BigInteger, nullable=False),
    )
    people = sa.Table(
        f"tournament_people{suffix}",
        metadata,
        sa.Column("tournament", TEXT, primary_key=True),
        sa.Column("player", TEXT, primary_key=True),
        sa.Column("part", TEXT, primary_key=True),
        sa.Column("created_at", sa.BigInteger, nullable=False),
    )
    sa.Index(None, people.c.player, people.c.part, people.c.created_at, people.c.tournament)
    entering = sa.Table(
        f"tournament_entering{suffix}",
        metadata,
        sa.Column("tournament", TEXT, primary_key=True),
        sa.Column("created_at", sa.BigInteger, nullable=False),
    )
    sa.Index(None, entering.c.created_at, entering.c.tournament)
    return PeopleTables(versions, people, entering)


_TABLES = declare(LAYOUT, _define_tables)


class TournamentPeople:
    """A projection of who has a part in which tournament."""

    name = "tournament-people"
    kinds = ("tournament",)

    def __init__(self, database: Database, tournaments: Handler[Tournament]) -> None:
        self.table = Tables(database, "tournament_people", _TABLES)
        self._tournaments = tournaments

    def collect(self, streams: Mapping[str, int | None]) -> Enter:
        """See Projection.collect."""
        rows = build_rows(streams, self._tournaments.read_since, build_row)
        return lambda connection: self._enter(connection, rows)

    def _enter(self, connection: sa.Connection, rows: Sequence[PeopleRow]) -> None:
        for tables in self.table.targets(connection):
            versions = [{"id": row.tournament, "version": row.version} for row in rows]
            new = insert_newer(connection, tables.versions, versions)
            entered = [row for row in rows if row.tournament in new]
            people = [each for row in entered for each in _list_people(row)]
            replace_rows(connection, tables.people, sorted(new), people)
            entering = [
                {"tournament": row.tournament, "created_at": row.created_at} for row in entered if row.is_entering
            ]
            replace_rows(connection, tables.entering, sorted(new), entering)

    def find_mine(self, account: str, parts: Sequence[str]) -> Condition:
        """The tournaments in which the account has one of these parts."""
        people = self.table.live.people
        mine = people.c.player == account
        spans = [Span(people.c.created_at, people.c.tournament, sa.and_(mine, people.c.part == part)) for part in parts]
        test = sa.select(people.c.tournament).where(mine, people.c.part.in_(parts))
        return Condition(spans, test)

    def find_entering(self) -> Condition:
        """The public tournaments that take entrants."""
        entering = self.table.live.entering
        span = Span(entering.c.created_at, entering.c.tournament, sa.true())
        return Condition([span], sa.select(entering.c.tournament))


def _list_people(row: PeopleRow) -> Iterator[dict[str, Any]]:
    for player, part in row.people:
        yield {"tournament": row.tournament, "player": player, "part": part, "created_at": row.created_at}


def build_row(state: Tournament) -> PeopleRow | None:
    """What is kept of a tournament; None if it does not exist."""
    if state.created is None:
        return None
    has_room = len(state.entrants) < state.terms.max_entrants
    is_entering = state.takes_entrants and has_room and not state.terms.private
    people = list(dict.fromkeys(_find_people(state)))
    return PeopleRow(state.stream, state.version, max(0, state.created_at), people, is_entering)


def _find_people(state: Tournament) -> Iterator[tuple[str, str]]:
    yield state.organiser, "organised"
    for arbiter in state.arbiters:
        yield arbiter, "arbiter"
    for entrant in state.entrants:
        if isinstance(entrant.occupant, Account):
            yield entrant.occupant.player, "entered"
    if state.takes_entrants:
        for invitation in state.invitations:
            yield invitation.player, "invited"
        for request in state.requests:
            yield request.player, "asked"
