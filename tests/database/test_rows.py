"""Statements on rows, on each engine."""

from collections.abc import Iterator

import pytest
import sqlalchemy as sa

from plyscribe.service.database.engine import Database
from plyscribe.service.database.rows import AT_ONCE, TEXT, Change, add_counts, list_beginning, replace_rows

METADATA = sa.MetaData()
FRUIT = sa.Table(
    "fruit",
    METADATA,
    sa.Column("owner", TEXT, primary_key=True),
    sa.Column("name", TEXT, primary_key=True),
    sa.Column("weight", sa.Integer),
)
sa.Index(None, FRUIT.c.name)
COUNTS = sa.Table("counts", METADATA, sa.Column("name", TEXT, primary_key=True), sa.Column("number", sa.BigInteger))


@pytest.fixture
def connection(any_read_url: str) -> Iterator[sa.Connection]:
    database = Database(any_read_url)
    database.prepare(METADATA.create_all)
    with database.writing() as connection:
        yield connection
    database.close()


def fruit(owner: str, name: str, weight: int | None = None) -> dict[str, str | int | None]:
    return {"owner": owner, "name": name, "weight": weight}


def read(connection: sa.Connection) -> set[tuple[str, str, int | None]]:
    return {tuple(row) for row in connection.execute(sa.select(FRUIT))}


def test_rows_take_the_place_of_their_owners_rows_and_of_no_others(connection):
    replace_rows(connection, FRUIT, ["ann", "ben"], [fruit("ann", "fig"), fruit("ann", "plum"), fruit("ben", "fig", 3)])
    replace_rows(connection, FRUIT, ["ann"], [fruit("ann", "pear")])
    assert read(connection) == {("ann", "pear", None), ("ben", "fig", 3)}
    replace_rows(connection, FRUIT, ["ann", "ben"], [])
    assert read(connection) == set()


def test_only_what_differs_is_written(connection):
    def replace(*rows: dict[str, str | int | None]) -> Change:
        return replace_rows(connection, FRUIT, ["ann"], rows)

    fig, plum, pear, lime = fruit("ann", "fig", 2), *(fruit("ann", name) for name in ("plum", "pear", "lime"))
    replace(fruit("ann", "fig", 1), plum, pear)
    assert replace(fig, plum) == Change([pear], [])
    assert read(connection) == {("ann", "fig", 2), ("ann", "plum", None)}
    assert replace(fig, plum, lime) == Change([], [lime])
    assert replace(fig, plum) == Change([lime], [])
    assert replace(fig, plum) == Change([], [])


def test_many_owners_are_replaced_at_once(connection):
    owners = [f"{number}" for number in range(2 * AT_ONCE + 1)]
    for name in ("fig", "pear"):
        replace_rows(connection, FRUIT, owners, [fruit(owner, name) for owner in owners])
    assert read(connection) == {(owner, "pear", None) for owner in owners}


def test_counts_are_added_up(connection):
    add_counts(connection, COUNTS, {"fig": 2, "plum": 1, "pear": 0})
    add_counts(connection, COUNTS, {"plum": -1, "fig": 40})
    add_counts(connection, COUNTS, {})
    assert dict(connection.execute(sa.select(COUNTS)).all()) == {"fig": 42, "plum": 0}


@pytest.mark.parametrize(
    ("beginning", "found"),
    [
        ("", ["Z", "a", "an", "ann", "anna"]),
        ("an", ["an", "ann", "anna", "ann\U0010fffe", "anß"]),
        ("ann\U0010fffe", ["ann\U0010fffe"]),
        ("x", []),
    ],
)
def test_values_with_a_beginning_are_listed_once_in_the_order_of_their_characters(connection, beginning, found):
    names = ["anß", "ann", "Z", "anna", "a", "an", "ann\U0010fffe", "zoë", "é"]
    replace_rows(connection, FRUIT, ["x", "y"], [fruit(owner, name) for owner in ("x", "y") for name in names])
    assert list_beginning(connection, FRUIT.c.name, beginning, 5) == found
