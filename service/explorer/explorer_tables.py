"""The tables of the explorer: each counted match, the positions of its opening, its moves counted, and its terms.

A match has one row, at most OPENING rows of positions, as many of counts, and at most MOST_TERMS of terms, however long
it is.
"""

from typing import NamedTuple

import sqlalchemy as sa

from plyscribe.domain.positions import KEY_LENGTH
from plyscribe.service.database.engine import Database
from plyscribe.service.database.rows import CLUSTERED, TEXT
from plyscribe.service.database.table_sets import Tables, declare

LAYOUT = 1
"""Grows whenever a release makes other rows of the same streams. The tables are then built anew."""

OPENING = 30
"""How many moves of each match are counted. Later positions seldom occur twice."""

MOST_TERMS = 200
"""The terms by which a match is found. No ruleset of ours has as many."""

KEY = sa.String(KEY_LENGTH).with_variant(sa.String(KEY_LENGTH, collation="C"), "postgresql")


class ExplorerTables(NamedTuple):
    """The tables of one build."""

    matches: sa.Table
    """Each match that counts, or that no longer does, with what each step did."""

    plies: sa.Table
    """Which matches came through a position, and what was played there, in the order in which they ended."""

    moves: sa.Table
    """How many matches played a move in a position: by seats, options, the month of their end, and who won."""

    terms: sa.Table
    """The matches in which something happened at least once, in the order in which they ended."""


def open_explorer_tables(database: Database) -> Tables[ExplorerTables]:
    """The tables of the explorer in this database."""
    return Tables(database, "explorer", _TABLES)


def _define(metadata: sa.MetaData, end: str) -> ExplorerTables:
    return ExplorerTables(
        sa.Table(
            f"explorer_matches{end}",
            metadata,
            sa.Column("id", TEXT, primary_key=True),
            sa.Column("version", sa.BigInteger, nullable=False),
            sa.Column("counts", sa.Boolean, nullable=False),
            sa.Column("rules", TEXT, nullable=False),
            sa.Column("seats", sa.Integer, nullable=False),
            sa.Column("options", TEXT, nullable=False),
            sa.Column("at", sa.BigInteger, nullable=False),
            sa.Column("month", sa.Integer, nullable=False),
            sa.Column("winners", TEXT, nullable=False),
            sa.Column("opening", sa.LargeBinary, nullable=False),
            sa.Column("terms", sa.LargeBinary, nullable=False),
            sa.Column("effects", sa.Integer, nullable=False),
            sa.Column("steps", sa.LargeBinary, nullable=False),
        ),
        sa.Table(
            f"explorer_plies{end}",
            metadata,
            sa.Column("key", KEY, primary_key=True),
            sa.Column("at", sa.BigInteger, primary_key=True),
            sa.Column("match", TEXT, primary_key=True),
            sa.Column("ply", sa.Integer, primary_key=True),
            sa.Column("move", TEXT, nullable=False),
            **CLUSTERED,
        ),
        sa.Table(
            f"explorer_moves{end}",
            metadata,
            sa.Column("key", KEY, primary_key=True),
            sa.Column("move", TEXT, primary_key=True),
            sa.Column("seats", sa.Integer, primary_key=True),
            sa.Column("options", TEXT, primary_key=True),
            sa.Column("month", sa.Integer, primary_key=True),
            sa.Column("winners", TEXT, primary_key=True),
            sa.Column("matches", sa.BigInteger, nullable=False),
            **CLUSTERED,
        ),
        sa.Table(
            f"explorer_terms{end}",
            metadata,
            sa.Column("term", TEXT, primary_key=True),
            sa.Column("at", sa.BigInteger, primary_key=True),
            sa.Column("match", TEXT, primary_key=True),
            **CLUSTERED,
        ),
    )


_TABLES = declare(LAYOUT, _define)
