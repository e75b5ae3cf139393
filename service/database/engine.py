"""The read database: SQLite in a file, or PostgreSQL for processes on several machines.

All that it holds follows from the streams and can be built again. So it is written without waiting for the disk: after
a loss of power it may be some transactions back, but each of them also says how far it has followed the streams.
"""

import logging
import os
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import (
    ArgumentError,
    DataError,
    DBAPIError,
    DisconnectionError,
    IntegrityError,
    NoSuchModuleError,
    SQLAlchemyError,
)
from sqlalchemy.pool import StaticPool

from plyscribe.service.config import ConfigError
from plyscribe.service.store.port import StoreError

IN_MEMORY = "sqlite://"
"""The address of a database that is gone when its process ends."""

WAIT_S = 5.0
"""How long a transaction waits for another one that writes, and how long a server may take to let us in."""

POOL = 8
"""Connections to a PostgreSQL server that a process keeps, and how many more it may open for a while."""

FILE_POOL = {"pool_size": 8, "max_overflow": 56}
"""Connections to a file that a process keeps, and how many more it may open for a while: as many as it has threads."""

PRAGMAS = (
    "journal_mode=WAL",
    "synchronous=NORMAL",
    "wal_autocheckpoint=8000",  # pages: the disk is waited for once in 32 MB
    f"busy_timeout={int(WAIT_S * 1000)}",
    "temp_store=MEMORY",
)
DRIVERS = ("sqlite", "postgresql+psycopg")

_WRITES = "plyscribe_writes"

log = logging.getLogger(__name__)


class DatabaseError(StoreError):
    """The read database cannot do what it was asked to do."""

    code = "database/error"


class DatabaseUnavailable(DatabaseError):
    """The read database is away, locked or full. Moves are accepted nevertheless, and the lists catch up later."""

    code = "database/unavailable"


class DatabaseDamaged(DatabaseUnavailable):
    """The file of the read database is damaged. The relay puts it aside and builds another."""

    code = "database/damaged"


class DatabaseRefused(DatabaseError):
    """The read database refuses a value or a row, and would refuse it again."""

    code = "database/refused"


def require_address(address: str) -> sa.URL:
    """The address of a database that we support, parsed; DatabaseError says what is wrong with it."""
    try:
        url = sa.make_url(address)
    except (ArgumentError, ValueError):
        # Its message may hold a password.
        raise DatabaseError("the address is no URL: write sqlite:////path/read.db or postgresql+psycopg://…") from None
    if url.drivername not in DRIVERS:
        supported = " or ".join(f"{each}://…" for each in DRIVERS)
        raise DatabaseError(f"{url.drivername} is not supported: write {supported}")
    return url


def open_database(address: str) -> "Database":
    """The database at this address, in memory without one; ConfigError if it cannot be used. Does not connect."""
    try:
        return Database(address or IN_MEMORY)
    except DatabaseError as error:
        raise ConfigError(f"PLYSCRIBE_READ_URL cannot be used: {error}") from None


class Database:
    """The read database of a process; safe to share between threads. Connects when it is first used."""

    def __init__(self, address: str = IN_MEMORY) -> None:
        """DatabaseError if the address cannot be used."""
        self.url = require_address(address)
        self._lock = threading.RLock()
        self._prepare: list[Callable[[sa.Connection], object]] = []
        self._prepared = 0
        self._trouble = ""
        """Why the last attempt to connect failed."""

        self._probing = threading.Lock()
        self._preparing = threading.Lock()
        try:
            self._engine = _make_engine(self.url)
        except (ImportError, NoSuchModuleError):
            raise DatabaseError("PostgreSQL needs a driver: pip install 'plyscribe[postgres]'") from None
        self.is_sqlite = self._engine.dialect.name == "sqlite"
        self._serial = self.is_sqlite and self.path is None

    @property
    def path(self) -> Path | None:
        """The file of an SQLite database; None if it is in memory or on a server."""
        named = self.url.database
        return Path(named) if self.is_sqlite and named and named != ":memory:" else None

    def prepare(self, make: Callable[[sa.Connection], object]) -> None:
        """Call this in a transaction before the database is next used, and again if the file is replaced.

        It creates what is missing; another process may do the same at the same time.
        """
        self._prepare.append(make)

    @contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """A transaction that sees the database as of one moment. Raises the errors above."""
        with self._begin(writes=False) as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[sa.Connection]:
        """A transaction that is stored as a whole, or not at all after an exception. Raises the errors above."""
        with self._begin(writes=True) as connection:
            yield connection

    @contextmanager
    def _begin(self, writes: bool) -> Iterator[sa.Connection]:
        if self._prepared < len(self._prepare):
            self._prepare_all()
        with _translated(self._prepare_again), self._alone(), self._connect() as connection:
            connection.execution_options(**{_WRITES: writes})
            if not (writes or self.is_sqlite):
                # Otherwise each statement would see what was stored before it began.
                connection.execution_options(isolation_level="REPEATABLE READ")
            with connection.begin():
                yield connection

    @contextmanager
    def _connect(self) -> Iterator[sa.Connection]:
        """A connection. While none can be had, one thread at a time tries, and the others are refused at once.

        Otherwise all threads of a process would wait for a database that nobody needs in order to play.
        """
        probes = bool(self._trouble)
        if probes and not self._probing.acquire(blocking=False):
            raise DatabaseUnavailable(self._trouble)
        try:
            with _translated():
                connection = self._engine.connect()
            self._trouble = ""
        except DatabaseUnavailable as error:
            self._trouble = str(error)
            raise
        finally:
            if probes:
                self._probing.release()
        with connection:
            yield connection

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """A database in memory has one connection, which threads use in turn."""
        if not self._serial:
            yield
            return
        with self._lock:
            yield

    def _prepare_all(self) -> None:
        if not self._preparing.acquire(timeout=0.0 if self._trouble else WAIT_S):
            raise DatabaseUnavailable(self._trouble or "the tables are being made")
        try:
            todo = len(self._prepare)
            with _translated(), self._alone(), self._connect() as connection:
                connection.execution_options(**{_WRITES: True})
                with connection.begin():
                    if not self.is_sqlite:
                        # Otherwise two processes that create the same table at the same time fail.
                        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(ADVISORY_LOCK)))
                    for make in self._prepare[self._prepared : todo]:
                        make(connection)
            self._prepared = todo
        finally:
            self._preparing.release()

    def _prepare_again(self) -> None:
        self._prepared = 0

    def ask(self) -> str:
        """Name and version of the engine, if it answers."""
        with self.reading() as connection:
            version = ".".join(map(str, connection.dialect.server_version_info or ()))
        return f"{self._engine.dialect.name} {version}"

    def put_aside(self) -> Path | None:
        """Rename the damaged file of an SQLite database, so that the next use makes a new one; return the new name."""
        if self.path is None:
            return None
        with self._lock:
            self._engine.dispose()
            aside = self.path.with_suffix(".damaged")
            for suffix in ("", "-wal", "-shm"):
                file = Path(f"{self.path}{suffix}")
                if file.exists():
                    file.replace(f"{aside}{suffix}")
            self._prepared = 0
        return aside

    def close(self) -> None:
        """Close all connections. New ones are opened when the database is used again."""
        self._engine.dispose()


ADVISORY_LOCK = int.from_bytes(b"ply-read", "big")
"""The number of the lock under which processes create tables on a PostgreSQL server."""


def _make_engine(url: sa.URL) -> sa.Engine:
    if url.get_backend_name() == "postgresql":
        return sa.create_engine(
            url,
            pool_size=POOL,
            max_overflow=POOL,
            pool_timeout=WAIT_S,
            pool_pre_ping=True,
            connect_args={
                "connect_timeout": max(2, int(WAIT_S)),  # the least that the driver takes
                "application_name": "plyscribe",
                # A server whose machine is gone says nothing any more.
                "tcp_user_timeout": int(WAIT_S * 1000),
                "keepalives_idle": max(1, int(WAIT_S)),
                "options": f"-c lock_timeout={int(WAIT_S * 1000)}",
            },
        )
    path = Path(url.database) if url.database and url.database != ":memory:" else None
    more: dict[str, Any] = {"poolclass": StaticPool} if path is None else {"pool_timeout": WAIT_S, **FILE_POOL}
    engine = sa.create_engine(url, connect_args={"check_same_thread": False, "timeout": WAIT_S}, **more)
    sa.event.listen(engine, "connect", _set_up)
    if path is not None:
        _follow_file(engine, path)
    sa.event.listen(engine, "begin", _begin_transaction)
    return engine


def _follow_file(engine: sa.Engine, path: Path) -> None:
    """Connect to the file that has this name now, also when another has taken its place."""

    def note(_: object, record: Any) -> None:
        record.info["file"] = _identify(path)

    def require_same(_: object, record: Any, __: object) -> None:
        if record.info["file"] != _identify(path):
            raise DisconnectionError

    sa.event.listen(engine, "do_connect", lambda *_: _make_file(path))
    sa.event.listen(engine, "connect", note)
    sa.event.listen(engine, "checkout", require_same)


def _identify(path: Path) -> int | None:
    try:
        return os.stat(path).st_ino
    except OSError:
        return None


def _make_file(path: Path) -> None:
    """Make the file, if need be, so that nobody else can read it: it names the players of private matches."""
    with suppress(OSError):
        os.close(os.open(path, os.O_RDONLY | os.O_CREAT | os.O_CLOEXEC, 0o600))


def _set_up(connection: Any, _: object) -> None:
    # Python's module would begin transactions late, and not before it creates a table.
    connection.isolation_level = None
    for pragma in PRAGMAS:
        connection.execute(f"PRAGMA {pragma}")


def _begin_transaction(connection: sa.Connection) -> None:
    # A transaction that reads first and then writes may fail at once if another one writes.
    writes = connection.get_execution_options().get(_WRITES)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


@contextmanager
def _translated(when_lacking: Callable[[], object] = lambda: None) -> Iterator[None]:
    """Raises our errors in place of the library's; calls `when_lacking` if a table is not there."""
    try:
        yield
    except DBAPIError as error:
        if _is_lacking(error):
            when_lacking()
        raise _translate(error) from error
    except SQLAlchemyError as error:
        raise DatabaseUnavailable(f"the read database cannot be used: {error}") from error


UNDEFINED_TABLE = "42P01"
"""PostgreSQL's code for a table that is not there."""

DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def _is_lacking(error: DBAPIError) -> bool:
    """Whether a table is not there: somebody put another database in the place of the one that was prepared."""
    return getattr(error.orig, "sqlstate", "") == UNDEFINED_TABLE or "no such table" in str(error.orig)


def _translate(error: DBAPIError) -> DatabaseError:
    """Our error for one of a driver. The statement and its values stay out of the message."""
    why = str(error.orig).strip().partition("\n")[0]
    code = getattr(error.orig, "sqlite_errorcode", 0) & 0xFF
    if code in DAMAGED:
        return DatabaseDamaged(f"the file of the read database is damaged: {why}")
    if isinstance(error, DataError | IntegrityError):
        return DatabaseRefused(f"the read database refuses a row: {why}")
    return DatabaseUnavailable(f"the read database does not answer: {why}")


# Statements that are executed again and again are made once and kept: to make one takes about as long as to execute it.
def insert_into(dialect: str, table: sa.Table) -> sqlite.Insert | postgresql.Insert:
    """An insertion that can say what to do about a conflict, for a connection with a dialect of this name."""
    return sqlite.insert(table) if dialect == "sqlite" else postgresql.insert(table)


def insert_missing(connection: sa.Connection, table: sa.Table, rows: Sequence[dict[str, Any]]) -> int:
    """Enter rows unless the table has one with the same unique values; return how many were entered."""
    if not rows:
        return 0
    return connection.execute(_put_missing(connection.dialect.name, table), rows).rowcount


def pick_missing(connection: sa.Connection, table: sa.Table, rows: Sequence[dict[str, Any]]) -> set[tuple[Any, ...]]:
    """The same, slower; return the primary keys of those entered."""
    if not rows:
        return set()
    put = _put_missing(connection.dialect.name, table).returning(*table.primary_key.columns)
    return {tuple(row) for row in connection.execute(put, rows)}


@cache
def _put_missing(dialect: str, table: sa.Table) -> sqlite.Insert | postgresql.Insert:
    return insert_into(dialect, table).on_conflict_do_nothing().execution_options(preserve_rowcount=True)


def add_up(connection: sa.Connection, table: sa.Table, rows: Sequence[dict[str, Any]], greatest: str, sum: str) -> None:
    """Enter rows; where the table has one with the same key, keep the greater value and the sum of these columns."""
    connection.execute(_put_sums(connection.dialect.name, table, greatest, sum), rows)


@cache
def _put_sums(dialect: str, table: sa.Table, greatest: str, sum: str) -> sqlite.Insert | postgresql.Insert:
    [key] = table.primary_key.columns
    insert = insert_into(dialect, table)
    old, new = table.c[greatest], insert.excluded[greatest]
    values = {greatest: sa.case((old < new, new), else_=old), sum: table.c[sum] + insert.excluded[sum]}
    return insert.on_conflict_do_update(index_elements=[key], set_=values)


def insert_newer(
    connection: sa.Connection, table: sa.Table, rows: Sequence[dict[str, Any]], version: str = "version"
) -> set[Any]:
    """Enter rows in place of those with the same key, unless the table's are as new; return the keys of those entered.

    The table's first column is its key.
    """
    if not rows:
        return set()
    return set(connection.scalars(_put_newer(connection.dialect.name, table, version), rows))


@cache
def _put_newer(dialect: str, table: sa.Table, version: str) -> sa.Executable:
    [key, *_] = table.primary_key.columns
    insert = insert_into(dialect, table)
    new = {column.name: insert.excluded[column.name] for column in table.columns if column is not key}
    older = table.c[version] < insert.excluded[version]
    return insert.on_conflict_do_update(index_elements=[key], set_=new, where=older).returning(key)
