"""Statements that SQLite and PostgreSQL spell differently, and rows that belong to others as a set."""

from collections.abc import Mapping, Sequence
from functools import cache
from operator import itemgetter
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from plyscribe.service.database.engine import insert_into

TEXT = sa.String().with_variant(sa.String(collation="C"), "postgresql")
"""Text that is ordered by its characters' numbers on every server, whatever its language."""

CLUSTERED: dict[str, Any] = {"sqlite_with_rowid": False}
"""Arguments of a table whose rows lie in the order of its key, where the engine can do that."""

AT_ONCE = 500
"""How many keys a statement names."""

LAST = "\U0010ffff"
"""Sorts after every character of a text."""


def of_rows(condition: sa.ColumnElement[bool]) -> dict[str, Any]:
    """The arguments of an index that has only the rows that meet a condition."""
    return {"sqlite_where": condition, "postgresql_where": condition}


class Change(NamedTuple):
    """The rows that were deleted, and those that were inserted. A row that was updated is in neither."""

    gone: list[dict[str, Any]]
    come: list[dict[str, Any]]


def replace_rows(
    connection: sa.Connection, table: sa.Table, owners: Sequence[str], rows: Sequence[Mapping[str, Any]]
) -> Change:
    """Make these the rows of their owners, which the first column of the key names. Writes only what differs."""
    key, names = [column.name for column in table.primary_key.columns], [column.name for column in table.columns]
    read_key, read_all = itemgetter(*map(names.index, key)), itemgetter(*names)
    known = {
        read_key(row): row
        for start in range(0, len(owners), AT_ONCE)
        for row in _read_rows(connection, table, owners[start : start + AT_ONCE])
    }
    wanted = {read_key(row): row for row in map(read_all, rows)}
    change = Change(
        [dict(zip(names, row, strict=True)) for at, row in known.items() if at not in wanted],
        [dict(zip(names, row, strict=True)) for at, row in wanted.items() if at not in known],
    )
    delete_rows(connection, table, change.gone)
    insert_rows(connection, table, change.come)
    if other := [at for at, row in wanted.items() if at in known and known[at] != row]:
        # Only these columns, so that the indexes of others stay as they are.
        places = {place for at in other for place, value in enumerate(wanted[at]) if value != known[at][place]}
        columns = tuple(names[place] for place in sorted(places))
        update_rows(connection, table, [dict(zip(names, wanted[at], strict=True)) for at in other], columns)
    return change


def _read_rows(connection: sa.Connection, table: sa.Table, owners: Sequence[str]) -> list[tuple[Any, ...]]:
    return list(map(tuple, connection.execute(_select_of(table), {"owners": owners})))


@cache
def _select_of(table: sa.Table) -> sa.Select[Any]:
    [owner, *_] = table.primary_key.columns
    return sa.select(table).where(owner.in_(sa.bindparam("owners", expanding=True)))


def insert_rows(connection: sa.Connection, table: sa.Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert these rows, if any."""
    if rows:
        connection.execute(_insert(table), rows)


_insert = cache(sa.insert)


def delete_rows(connection: sa.Connection, table: sa.Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Delete the rows with the primary keys of these rows, if any."""
    if rows:
        connection.execute(_delete(table), _name_keys(table, rows))


@cache
def _delete(table: sa.Table) -> sa.Delete:
    return sa.delete(table).where(*_match_key(table))


def update_rows(
    connection: sa.Connection, table: sa.Table, rows: Sequence[Mapping[str, Any]], columns: tuple[str, ...]
) -> None:
    """Give the rows with the primary keys of these rows their values of these columns."""
    if rows:
        values = [
            {**key, **{name: row[name] for name in columns}}
            for key, row in zip(_name_keys(table, rows), rows, strict=True)
        ]
        connection.execute(_update(table, columns), values)


@cache
def _update(table: sa.Table, columns: tuple[str, ...]) -> sa.Update:
    return sa.update(table).where(*_match_key(table)).values({name: sa.bindparam(name) for name in columns})


def _match_key(table: sa.Table) -> list[sa.ColumnElement[bool]]:
    return [column == sa.bindparam(f"of_{column.name}") for column in table.primary_key.columns]


def _name_keys(table: sa.Table, rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    names = {f"of_{column.name}": column.name for column in table.primary_key.columns}
    return [{of: row[name] for of, name in names.items()} for row in rows]


def put_rows(connection: sa.Connection, table: sa.Table, rows: Sequence[Mapping[str, Any]] | sa.Select[Any]) -> None:
    """Enter rows, or those that a query with a condition selects, in place of those with the same primary key."""
    insert = insert_into(connection.dialect.name, table)
    if isinstance(rows, sa.Select):
        insert = insert.from_select([column.name for column in table.columns], rows)
    key = list(table.primary_key.columns)
    new = {column.name: insert.excluded[column.name] for column in table.columns if not column.primary_key}
    put = insert.on_conflict_do_update(index_elements=key, set_=new)
    if isinstance(rows, sa.Select):
        connection.execute(put)
    elif rows:
        connection.execute(put, rows)


def add_counts(connection: sa.Connection, table: sa.Table, counts: Mapping[str, int]) -> None:
    """Add to the numbers in a table whose two columns are a key and a number."""
    key, number = table.columns
    rows = [{key.name: name, number.name: count} for name, count in sorted(counts.items()) if count]
    if rows:
        connection.execute(put_sums(connection.dialect.name, table, number.name), rows)


@cache
def put_sums(dialect: str, table: sa.Table, number: str) -> sqlite.Insert | postgresql.Insert:
    """The statement that enters rows; where the table has one with the same primary key, it adds up this column."""
    insert = insert_into(dialect, table)
    added = {number: table.c[number] + insert.excluded[number]}
    return insert.on_conflict_do_update(index_elements=list(table.primary_key.columns), set_=added)


def list_beginning(connection: sa.Connection, column: sa.Column[str], beginning: str, most: int) -> list[str]:
    """The different values of an indexed column that begin with a text, in order, at most so many.

    Each of them costs one look into the index, however many rows have it.
    """
    within = column < beginning + LAST
    first = sa.select(sa.func.min(column).label("value"), sa.literal(1).label("place"))
    found = first.where(column >= beginning, within).cte("found", recursive=True)
    following = sa.select(sa.func.min(column)).where(column > found.c.value, within).scalar_subquery()
    found = found.union_all(
        sa.select(following, found.c.place + 1).where(found.c.value.is_not(None), found.c.place < most)
    )
    return list(connection.scalars(sa.select(found.c.value).where(found.c.value.is_not(None))))
