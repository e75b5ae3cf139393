"""Tables that follow from streams: created when they are missing, and built anew beside the ones that are read.

The name of a table ends in the layout of its columns. So a release never reads tables that another one laid out
otherwise: it finds its own missing, and builds them. That is simpler than to change tables step by step, and a rebuild
is needed anyway whenever the rows of old streams change.
"""

import re
import threading
from collections.abc import Callable, Sequence
from secrets import token_hex
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

import sqlalchemy as sa
from sqlalchemy.sql import quoted_name

from plyscribe.service.database.engine import Database
from plyscribe.service.store.port import FeedEntry, StoreError

T = TypeVar("T", bound=Sequence[sa.Table])

Define = Callable[[sa.MetaData, str], T]
"""Declares the tables of a set, with this at the end of each of their names."""

Enter = Callable[[sa.Connection], object]
"""Writes rows that were made before, within a transaction."""


def enter_nothing(connection: sa.Connection) -> None:
    """Stands in for what enters rows where there are none."""


_METADATA = sa.MetaData()

BUILDS = sa.Table(
    "builds_1",
    _METADATA,
    sa.Column("name", sa.String, primary_key=True),
    sa.Column("layout", sa.Integer, nullable=False),
    sa.Column("build", sa.String),
    sa.Column("build_ms", sa.BigInteger),
)
"""The sets of tables: the layout of the last finished build, and a build in progress with its last sign of life."""


_BUILD_OF = sa.select(BUILDS.c.build).where(BUILDS.c.name == sa.bindparam("name")).with_for_update(read=True)


class BuildLost(StoreError):
    """Another build of the same tables has begun. This one had no effect."""

    code = "database/build-lost"


class BuildState(NamedTuple):
    """Whether the tables of this layout are built, and when a build in progress last gave a sign of life."""

    is_built: bool
    build_ms: int | None


class Sink(Protocol):
    """Tables that follow from the feed."""

    def collect(self, entries: Sequence[FeedEntry]) -> Enter:
        """Read what follows from these entries, and return what enters it within a transaction.

        A stream that cannot be read is logged and left out. StoreUnavailable.
        """
        ...

    def announce(self) -> None:
        """Tell of what was entered, now that it is stored. StoreUnavailable."""
        ...


class Forgetful(Protocol):
    """What no longer follows from the feed once entries of it were missed."""

    def forget(self, connection: sa.Connection) -> None:
        """Note within a transaction that entries were missed."""
        ...


class Declared(NamedTuple, Generic[T]):
    """The tables of a set with this layout: those that are read, and those that a build fills."""

    layout: int
    live: T
    building: T


def declare(layout: int, define: Define[T]) -> Declared[T]:
    """Declare the tables of a set. It takes milliseconds, so do it once, when the module is imported."""
    return Declared(layout, define(sa.MetaData(), f"_{layout}"), define(sa.MetaData(), f"_{layout}_new"))


def declare_nothing(layout: int) -> Declared[Any]:
    """A set without tables: only whether it is built is noted."""
    return Declared(layout, (), ())


class Tables(Generic[T]):
    """A set of tables that is built and replaced as a whole.

    A build fills empty tables beside those that are read. Until it ends, whatever is written is written to both.
    """

    def __init__(self, database: Database, name: str, declared: Declared[T]) -> None:
        self.database = database
        self.name = name
        self.layout, self.live, self._building = declared
        database.prepare(self._create)

    def targets(self, connection: sa.Connection) -> list[T]:
        """The tables to write to, within a transaction that writes: those that are read, and those being built.

        Until the transaction ends, no build begins or ends.
        """
        row = connection.execute(_BUILD_OF, {"name": self.name}).first()
        return [self.live, self._building] if row is not None and row.build is not None else [self.live]

    def begin(self, now_ms: int) -> str:
        """Begin a build and return its id. A build in progress is lost."""
        build = token_hex(8)
        with self.database.writing() as connection:
            self._lock(connection)
            self._drop(connection, self._building)
            _create_all(connection, self._building)
            self._note(connection, build=build, build_ms=now_ms)
        return build

    def renew(self, connection: sa.Connection, build: str, now_ms: int) -> None:
        """Give a sign of life, within a transaction; BuildLost if another build has begun."""
        self._require(connection, build)
        self._note(connection, build_ms=now_ms)

    def finish(self, build: str) -> None:
        """Make the new tables the ones that are read and drop the old ones; BuildLost if another build has begun."""
        with self.database.writing() as connection:
            self._require(connection, build)
            self._drop(connection, self.live)
            for old, new in zip(self.live, self._building, strict=True):
                connection.exec_driver_sql(f"ALTER TABLE {new.name} RENAME TO {old.name}")
            self._drop_other_layouts(connection)
            self._note(connection, layout=self.layout, build=None, build_ms=None)

    def forget(self, connection: sa.Connection) -> None:
        """Make the tables count as not built, so that they are built again. Until then they are read as they are."""
        self._note(connection, layout=0, build=None, build_ms=None)

    def state(self) -> BuildState:
        """How far the builds are."""
        with self.database.reading() as connection:
            row = connection.execute(sa.select(BUILDS).where(BUILDS.c.name == self.name)).one()
        return BuildState(row.layout == self.layout, row.build_ms if row.build is not None else None)

    def is_built(self, connection: sa.Connection) -> bool:
        """Whether the tables are built, as a transaction sees them."""
        return bool(connection.scalar(sa.select(BUILDS.c.layout).where(BUILDS.c.name == self.name)) == self.layout)

    def _create(self, connection: sa.Connection) -> None:
        _METADATA.create_all(connection)
        if connection.execute(sa.select(BUILDS.c.layout).where(BUILDS.c.name == self.name)).first() is None:
            connection.execute(sa.insert(BUILDS).values(name=self.name, layout=0))
        inspector = sa.inspect(connection)
        if not all(inspector.has_table(table.name) for table in self.live):
            # A set is built as a whole.
            self._drop(connection, self.live)
            _create_all(connection, self.live)
            self._note(connection, layout=0)

    def _drop(self, connection: sa.Connection, tables: T) -> None:
        for table in tables:
            connection.exec_driver_sql(f"DROP TABLE IF EXISTS {table.name}")

    def _drop_other_layouts(self, connection: sa.Connection) -> None:
        ours = {table.name for table in (*self.live, *self._building)}
        bases = "|".join(re.escape(table.name.removesuffix(f"_{self.layout}")) for table in self.live)
        for name in sa.inspect(connection).get_table_names():
            if name not in ours and re.fullmatch(rf"({bases})_[0-9]+(_new)?", name):
                connection.exec_driver_sql(f"DROP TABLE {name}")

    def _note(self, connection: sa.Connection, **values: object) -> None:
        connection.execute(sa.update(BUILDS).where(BUILDS.c.name == self.name).values(**values))

    def _lock(self, connection: sa.Connection) -> str | None:
        """The build in progress; nobody else can begin or end one before this transaction is over.

        Whoever changes tables does this first, so that no two wait for each other.
        """
        build: str | None = connection.scalar(
            sa.select(BUILDS.c.build).where(BUILDS.c.name == self.name).with_for_update()
        )
        return build

    def _require(self, connection: sa.Connection, build: str) -> None:
        if self._lock(connection) != build:
            raise BuildLost("another build of these tables has begun")


_NAMING = threading.Lock()


def _create_all(connection: sa.Connection, tables: Sequence[sa.Table]) -> None:
    """Create tables with their indexes. The indexes get names of their own, because they outlive a renaming."""
    token = token_hex(4)
    # All databases of a process share what is declared, and with it these names.
    with _NAMING:
        for table in tables:
            indexes = sorted(table.indexes, key=lambda index: [column.name for column in index.columns])
            for number, index in enumerate(indexes):
                index.name = quoted_name(f"ix_{token}_{table.name[:30]}_{number}", quote=None)
            table.create(connection)
