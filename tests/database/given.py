"""What the tests of the read database write: a set of two tables, and numbers that are counted."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa

from plyscribe.service.database.engine import Database, insert_newer
from plyscribe.service.database.table_sets import Tables, declare


class Shelf(NamedTuple):
    """Two tables that are built together."""

    books: sa.Table
    authors: sa.Table


def define_shelf(metadata: sa.MetaData, suffix: str) -> Shelf:
    books = sa.Table(
        f"books{suffix}",
        metadata,
        sa.Column("name", sa.String, primary_key=True),
        sa.Column("version", sa.BigInteger, nullable=False),
        sa.Column("title", sa.String, nullable=False),
        sa.Index(None, "title", "name"),
    )
    authors = sa.Table(
        f"authors{suffix}",
        metadata,
        sa.Column("name", sa.String, primary_key=True),
        sa.Column("version", sa.BigInteger, nullable=False),
        sa.Index(None, "version"),
    )
    return Shelf(books, authors)


def make_shelf(database: Database, layout: int = 1) -> Tables[Shelf]:
    return Tables(database, "shelf", declare(layout, define_shelf))


def book(name: str, version: int = 1, title: str = "a title") -> dict[str, Any]:
    return {"name": name, "version": version, "title": title}


def write(shelf: Tables[Shelf], *books: dict[str, Any]) -> None:
    """Enter books as a writer does that knows nothing of builds."""
    with shelf.database.writing() as connection:
        enter(shelf, connection, books)


def enter(shelf: Tables[Shelf], connection: sa.Connection, books: Sequence[dict[str, Any]]) -> None:
    for target in shelf.targets(connection):
        insert_newer(connection, target.books, books)


def read(shelf: Tables[Shelf]) -> dict[str, tuple[int, str]]:
    """The version and title of each book that readers see."""
    with shelf.database.reading() as connection:
        rows = connection.execute(sa.select(shelf.live.books))
        return {row.name: (row.version, row.title) for row in rows}


COUNTS = sa.Table("counts", sa.MetaData(), sa.Column("name", sa.String, primary_key=True), sa.Column("n", sa.Integer))


def prepare_count(database: Database) -> None:
    database.prepare(COUNTS.metadata.create_all)
    with database.writing() as connection:
        if connection.scalar(sa.select(COUNTS.c.n)) is None:
            connection.execute(sa.insert(COUNTS).values(name="all", n=0))


def count_one(connection: sa.Connection) -> None:
    connection.execute(sa.update(COUNTS).values(n=COUNTS.c.n + 1))


def read_count(database: Database) -> int:
    with database.reading() as connection:
        return int(connection.scalar(sa.select(COUNTS.c.n)) or 0)
