"""Statements that SQLite and PostgreSQL spell differently, and rows that belong to others as a set."""

from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

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
    this = [table.c[name] == sa.bindparam(f"of_{name}") for name in key]
    if change.gone:
        connection.execute(sa.delete(table).where(*this), [_name_key(row, key) for row in change.gone])
    if change.come:
        connection.execute(sa.insert(table), change.come)
    if other := [at for at, row in wanted.items() if at in known and known[at] != row]:
        # Only these columns, so that the indexes of others stay as they are.
        places = {place for at in other for place, value in enumerate(wanted[at]) if value != known[at][place]}
        columns = [names[place] for place in sorted(places)]
        new = [dict(zip(names, wanted[at], strict=True)) for at in other]
        values = [{**_name_key(row, key), **{name: row[name] for name in columns}} for row in new]
        connection.execute(sa.update(table).where(*this).values({name: sa.bindparam(name) for name in columns}), values)
    return change


def _read_rows(connection: sa.Connection, table: sa.Table, owners: Sequence[str]) -> list[tuple[Any, ...]]:
    [owner, *_] = table.primary_key.columns
    return list(map(tuple, connection.execute(sa.select(table).where(owner.in_(owners)))))


def _name_key(row: Mapping[Any, Any], key: Sequence[str]) -> dict[str, Any]:
    return {f"of_{name}": row[name] for name in key}


def put_rows(connection: sa.Connection, table: sa.Table, rows: Sequence[Mapping[str, Any]] | sa.Select[Any]) -> None:
    """Enter rows, or those that a query with a condition selects, in place of those with the same primary key."""
    insert = (sqlite if connection.dialect.name == "sqlite" else postgresql).insert(table)
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
        insert = (sqlite if connection.dialect.name == "sqlite" else postgresql).insert(table)
        added = {number.name: number + insert.excluded[number.name]}
        connection.execute(insert.on_conflict_do_update(index_elements=[key], set_=added), rows)


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
