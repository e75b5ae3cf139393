"""How far the tables have followed the feed, noted in the same transaction as the rows themselves.

So every entry of the feed counts exactly once, whatever dies in between: a second relay that comes with the same
entries finds the place moved on, and its whole transaction has no effect.
"""

from collections.abc import Mapping
from typing import NamedTuple

import sqlalchemy as sa

from plyscribe.service.database.engine import Database
from plyscribe.service.store.port import StoreError

_METADATA = sa.MetaData()

PLACES = sa.Table(
    "places_1",
    _METADATA,
    sa.Column("bucket", sa.String, primary_key=True),
    sa.Column("id", sa.String, nullable=False),
    sa.Column("passed", sa.BigInteger, nullable=False),
)


class PlaceTaken(StoreError):
    """Another process has followed the feed from here. The transaction has no effect."""

    code = "database/place-taken"


class Place(NamedTuple):
    """A place in the feed of a bucket."""

    id: str
    """The last entry before it."""

    passed: int
    """How many entries the server has added up to it, as it counts them."""

    @property
    def order(self) -> tuple[int, int]:
        """What places of a bucket are ordered by."""
        ms, _, number = self.id.partition("-")
        return int(ms), int(number)


class Move(NamedTuple):
    """From one place in a bucket to another."""

    before: Place
    after: Place


class Places:
    """The place in each bucket's feed up to which the tables hold all that follows from it."""

    def __init__(self, database: Database) -> None:
        self.database = database
        database.prepare(_METADATA.create_all)

    def read(self) -> dict[str, Place]:
        """The places by bucket; without the buckets that have none yet."""
        with self.database.reading() as connection:
            return {row.bucket: Place(row.id, row.passed) for row in connection.execute(sa.select(PLACES))}

    def move(self, connection: sa.Connection, moves: Mapping[str, Move]) -> None:
        """Move on, within the transaction that enters the rows; PlaceTaken if a place is another one than before."""
        if not moves:
            return
        step = (
            sa.update(PLACES)
            .where(PLACES.c.bucket == sa.bindparam("of"), PLACES.c.id == sa.bindparam("old"))
            .values(id=sa.bindparam("new"), passed=sa.bindparam("count"))
        )
        values = [
            {"of": bucket, "old": before.id, "new": after.id, "count": after.passed}
            for bucket, (before, after) in moves.items()
        ]
        if connection.execute(step, values).rowcount != len(values):
            raise PlaceTaken("another process has entered these rows")

    def begin(self, places: Mapping[str, Place]) -> None:
        """Begin at these places, in place of any others. What came before them has to be built from the streams."""
        with self.database.writing() as connection:
            connection.execute(sa.delete(PLACES).where(PLACES.c.bucket.in_(places)))
            rows = [{"bucket": bucket, "id": place.id, "passed": place.passed} for bucket, place in places.items()]
            if rows:
                connection.execute(sa.insert(PLACES), rows)
