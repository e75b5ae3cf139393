"""How far the tables have followed the feed, noted in the same transaction as the rows themselves.

So every entry of the feed counts exactly once, whatever dies in between: a second relay that comes with the same
entries finds the place moved on, and its whole transaction has no effect.
"""

from collections.abc import Mapping

import sqlalchemy as sa

from plyscribe.service.database.engine import Database
from plyscribe.service.store.port import Piece, Place, StoreError

_METADATA = sa.MetaData()

PLACES = sa.Table(
    "places_1",
    _METADATA,
    sa.Column("bucket", sa.String, primary_key=True),
    sa.Column("id", sa.String, nullable=False),
    sa.Column("passed", sa.BigInteger, nullable=False),
)

_STEP = (
    sa.update(PLACES)
    .where(PLACES.c.bucket == sa.bindparam("of"), PLACES.c.id == sa.bindparam("old"))
    .values(id=sa.bindparam("new"), passed=sa.bindparam("count"))
)

ORIGIN = sa.Table("origin_1", _METADATA, sa.Column("store", sa.String, primary_key=True))
"""The store whose feed is followed."""


class PlaceTaken(StoreError):
    """Another process has followed the feed from here. The transaction has no effect."""

    code = "database/place-taken"


class Places:
    """The place in each bucket's feed up to which the tables hold all that follows from it."""

    def __init__(self, database: Database) -> None:
        self.database = database
        database.prepare(_METADATA.create_all)

    def read(self, store: str) -> dict[str, Place]:
        """The places by bucket in the feed of this store; without the buckets that have none."""
        with self.database.reading() as connection:
            if connection.scalar(sa.select(ORIGIN.c.store)) != store:
                return {}
            return {row.bucket: Place(row.id, row.passed) for row in connection.execute(sa.select(PLACES))}

    def move(self, connection: sa.Connection, pieces: Mapping[str, Piece]) -> None:
        """Move on by these pieces, in the transaction that enters their rows; PlaceTaken if another process has."""
        if not pieces:
            return
        values = [
            {"of": bucket, "old": before.id, "new": after.id, "count": after.passed}
            # In the same order in all processes, so that none waits for another that waits for it.
            for bucket, (before, after, _) in sorted(pieces.items())
        ]
        if connection.execute(_STEP, values).rowcount != len(values):
            raise PlaceTaken("another process has entered these rows")

    def begin(self, connection: sa.Connection, store: str, places: Mapping[str, Place]) -> None:
        """Begin at these places, in place of any others. What came before them has to be built from the streams."""
        connection.execute(sa.delete(PLACES))
        connection.execute(sa.delete(ORIGIN))
        connection.execute(sa.insert(ORIGIN).values(store=store))
        rows = [{"bucket": bucket, "id": place.id, "passed": place.passed} for bucket, place in places.items()]
        connection.execute(sa.insert(PLACES), rows)
