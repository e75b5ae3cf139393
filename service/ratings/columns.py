"""The tables of ratings: what the ledgers amount to, in rows."""

from typing import NamedTuple

import sqlalchemy as sa

from plyscribe.service.database.engine import Database
from plyscribe.service.database.rows import TEXT
from plyscribe.service.database.table_sets import Tables, declare

LAYOUT = 1

BIN = 50_000
"""How many millionths of ordinal a bin spans. Ranks are counted bin by bin, and within one bin player by player."""


class RatingTables(NamedTuple):
    """The tables of one build."""

    ledgers: sa.Table
    """How far each ledger is folded. While `target` is set, the matches since an unrated one are being rated again."""

    matches: sa.Table
    """The matches that were entered, each with the version of its entry."""

    unrated: sa.Table
    """The matches that do not count, each with the version of the entry that says so."""

    steps: sa.Table
    """The ratings of each player before and after each match that counts."""

    ratings: sa.Table
    """The rating of each player: their last step. `place` is minus the ordinal, so that one index has the table."""

    bins: sa.Table
    """How many players have an ordinal in each bin: see `bin_of`."""

    new_steps: sa.Table
    """The steps that will take the place of others when all matches since an unrated one are rated again."""

    influenced: sa.Table
    """The players whose standings will differ, as they will be after the version that is reached."""


def open_tables(database: Database) -> Tables[RatingTables]:
    """The tables of ratings in this database."""
    return Tables(database, "ratings", _TABLES)


def bin_of(place: int) -> int:
    """The bin of a place."""
    return place // BIN


def _define(metadata: sa.MetaData, end: str) -> RatingTables:
    return RatingTables(
        sa.Table(
            f"rating_ledgers{end}",
            metadata,
            sa.Column("ruleset", TEXT, primary_key=True),
            _number("version"),
            sa.Column("head", sa.LargeBinary, nullable=False),
            sa.Column("opening", sa.JSON, nullable=False),
            sa.Column("target", sa.BigInteger),
            sa.Column("target_head", sa.LargeBinary),
            sa.Column("reached", sa.BigInteger),
        ),
        sa.Table(
            f"rated_matches{end}",
            metadata,
            sa.Column("ruleset", TEXT, primary_key=True),
            sa.Column("version", sa.BigInteger, primary_key=True),
            sa.Column("match", TEXT, nullable=False),
            _number("at"),
            sa.Column("players", sa.JSON, nullable=False),
            sa.Column("ranks", sa.JSON, nullable=False),
            sa.Index(f"rated_matches{end}_match", "ruleset", "match", unique=True),
        ),
        sa.Table(
            f"unrated_matches{end}",
            metadata,
            sa.Column("ruleset", TEXT, primary_key=True),
            sa.Column("match", TEXT, primary_key=True),
            _number("version"),
        ),
        _define_steps(
            f"rating_steps{end}", metadata, sa.Index(f"rating_steps{end}_player", "ruleset", "player", "version")
        ),
        sa.Table(
            f"ratings{end}",
            metadata,
            sa.Column("ruleset", TEXT, primary_key=True),
            sa.Column("player", TEXT, primary_key=True),
            *map(_number, ("place", "mu", "sigma", "matches", "last_version", "last_at")),
            sa.Column("last_match", TEXT, nullable=False),
            sa.Index(f"ratings{end}_place", "ruleset", "place", "player"),
        ),
        sa.Table(
            f"rating_bins{end}",
            metadata,
            sa.Column("ruleset", TEXT, primary_key=True),
            sa.Column("bin", sa.BigInteger, primary_key=True),
            _number("players"),
        ),
        _define_steps(f"new_rating_steps{end}", metadata),
        sa.Table(
            f"influenced_players{end}",
            metadata,
            sa.Column("ruleset", TEXT, primary_key=True),
            sa.Column("player", TEXT, primary_key=True),
            *map(_number, ("mu", "sigma", "matches")),
        ),
    )


def _define_steps(name: str, metadata: sa.MetaData, *indexes: sa.Index) -> sa.Table:
    return sa.Table(
        name,
        metadata,
        sa.Column("ruleset", TEXT, primary_key=True),
        sa.Column("version", sa.BigInteger, primary_key=True),
        sa.Column("player", TEXT, primary_key=True),
        sa.Column("match", TEXT, nullable=False),
        *map(_number, ("at", "rank", "seats", "before_mu", "before_sigma", "after_mu", "after_sigma", "matches")),
        *indexes,
    )


def _number(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger, nullable=False)


_TABLES = declare(LAYOUT, _define)
