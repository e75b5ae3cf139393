"""The read database on each engine, and what it says when it cannot be used."""

import signal
import sqlite3
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from itertools import permutations

import pytest
import sqlalchemy as sa

from plyscribe.service.database import engine as engine_module
from plyscribe.service.database.engine import (
    Database,
    DatabaseDamaged,
    DatabaseError,
    DatabaseUnavailable,
    insert_newer,
)
from tests.database.given import book, count_one, make_shelf, prepare_count, read, read_count, write
from tests.postgres import PostgresServer

SECRET = "hunter2"


@pytest.fixture
def file(tmp_path):
    return tmp_path / "read.db"


@pytest.fixture
def on_file(file):
    with closing(Database(f"sqlite:///{file}")) as database:
        yield database


@pytest.fixture
def own_postgres(postgres):
    """A server for one test, which may stop it."""
    server = PostgresServer()
    yield server
    server.remove()


# --------------------------------------------------------------------------------------------------------- transactions


def test_a_transaction_that_fails_has_no_effect(database):
    shelf = make_shelf(database)
    write(shelf, book("a"))

    def fail() -> None:
        with database.writing() as connection:
            insert_newer(connection, shelf.live.books, [book("b"), book("a", 2)])
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert read(shelf) == {"a": (1, "a title")}
    if database.path is None:
        assert database.put_aside() is None


def test_a_reader_sees_the_database_as_of_one_moment(read_url):
    shelf, writer = make_shelf(Database(read_url)), make_shelf(Database(read_url))
    write(shelf, book("a"))
    with shelf.database.reading() as connection:
        before = connection.execute(sa.select(shelf.live.books)).all()
        write(writer, book("a", 2), book("b"))
        assert connection.execute(sa.select(shelf.live.books)).all() == before
    assert read(shelf).keys() == {"a", "b"}


def test_no_writer_undoes_what_another_wrote(database):
    prepare_count(database)

    def count(_: int) -> None:
        with database.writing() as connection:
            count_one(connection)

    with ThreadPoolExecutor(6) as threads:
        list(threads.map(count, range(60)))
    assert read_count(database) == 60


def test_processes_may_create_the_same_tables_at_the_same_time(read_url):
    databases = [Database(read_url) for _ in range(6)]

    def create(database: Database) -> None:
        write(make_shelf(database), book(f"book {id(database)}"))

    with ThreadPoolExecutor(6) as threads:
        list(threads.map(create, databases))
    assert len(read(make_shelf(databases[0]))) == 6


# --------------------------------------------------------------------------------------------------- the newest version


def test_entering_tells_which_rows_were_new_however_many(database):
    shelf = make_shelf(database)
    with database.writing() as connection:
        assert insert_newer(connection, shelf.live.books, [book("a", 1), book("b", 5)]) == {"a", "b"}
        assert insert_newer(connection, shelf.live.books, [book("a", 2), book("b", 5), book("c")]) == {"a", "c"}
        assert insert_newer(connection, shelf.live.books, []) == set()
    write(shelf, *(book(f"book {number}") for number in range(5000)))
    assert len(read(shelf)) == 5003


@pytest.mark.parametrize("versions", list(permutations(range(1, 5))), ids=str)
def test_the_newest_version_wins_in_any_order(database, versions):
    shelf = make_shelf(database)
    for version in versions:
        write(shelf, book("a", version, f"title {version}"), book("b", version, f"title {version}"))
    assert read(shelf) == dict.fromkeys("ab", (4, "title 4"))


# ---------------------------------------------------------------------------------------------------- SQLite's troubles


def test_a_locked_file_is_unavailable(on_file, file, monkeypatch):
    monkeypatch.setattr(engine_module, "PRAGMAS", ("busy_timeout=20",))
    shelf = make_shelf(on_file)
    write(shelf, book("a"))
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(DatabaseUnavailable, match="locked"):
            write(shelf, book("b"))
        assert read(shelf).keys() == {"a"}
    write(shelf, book("b"))
    assert read(shelf).keys() == {"a", "b"}


def test_a_file_that_cannot_be_written_or_found_is_unavailable_and_what_is_there_can_be_read(
    on_file, file, tmp_path, monkeypatch
):
    shelf = make_shelf(on_file)
    write(shelf, book("a"))
    with pytest.raises(DatabaseUnavailable, match="readonly"):
        write(make_shelf(Database(f"sqlite:///file:{file}?mode=ro&uri=true")), book("b"))
    on_file.close()
    monkeypatch.setattr(engine_module, "PRAGMAS", ("max_page_count=1",))
    with pytest.raises(DatabaseUnavailable, match="full"):
        write(shelf, book("b", title="x" * 100_000))
    assert read(shelf) == {"a": (1, "a title")}
    with pytest.raises(DatabaseUnavailable, match="unable to open"):
        Database(f"sqlite:///{tmp_path}/nowhere/read.db").ask()


@pytest.mark.parametrize("is_overwritten", [True, False], ids=["pages overwritten", "no database"])
def test_a_damaged_file_is_put_aside_and_an_empty_one_made(on_file, file, is_overwritten):
    shelf = make_shelf(on_file)
    write(shelf, *(book(f"book {number}", title="x" * 500) for number in range(500)))
    on_file.close()
    content = file.read_bytes()
    damaged = content[:4096] + bytes(len(content) - 4096) if is_overwritten else b"this is no database" * 1000
    file.write_bytes(damaged)
    with pytest.raises(DatabaseDamaged, match="damaged"):
        read(shelf)
    aside = on_file.put_aside()
    assert aside is not None
    assert aside.read_bytes() == damaged
    assert read(shelf) == {}
    write(shelf, book("b"))
    assert read(shelf).keys() == {"b"}


def test_processes_follow_a_file_that_another_one_replaces_or_removes(on_file, file):
    shelf = make_shelf(on_file)
    write(shelf, book("a"))
    with closing(Database(f"sqlite:///{file}")) as other:
        seen = make_shelf(other)
        assert read(seen).keys() == {"a"}
        on_file.put_aside()
        write(shelf, book("b"))
        assert read(seen).keys() == {"b"}
        for suffix in ("", "-wal", "-shm"):
            file.with_name(file.name + suffix).unlink(missing_ok=True)
        with suppress(DatabaseUnavailable):
            # Its tables are made when it notices that they are gone.
            read(seen)
        assert read(seen) == {}
        write(seen, book("c"))
        assert read(shelf).keys() == {"c"}


# ------------------------------------------------------------------------------------------------ PostgreSQL's troubles


@pytest.mark.server
def test_a_server_that_dies_within_a_transaction_is_unavailable_until_it_is_back(own_postgres):
    shelf = make_shelf(Database(own_postgres.url()))
    write(shelf, book("a"))

    def stop_within() -> None:
        with shelf.database.writing() as connection:
            insert_newer(connection, shelf.live.books, [book("b")])
            own_postgres.stop(signal.SIGINT)
            insert_newer(connection, shelf.live.books, [book("c")])

    with pytest.raises(DatabaseUnavailable):
        stop_within()
    for ask in (lambda: write(shelf, book("b")), lambda: read(shelf)) * 2:
        with pytest.raises(DatabaseUnavailable):
            ask()
    own_postgres.start()
    write(shelf, book("c"))
    assert read(shelf).keys() == {"a", "c"}


def test_tables_that_are_gone_are_made_again(database):
    shelf = make_shelf(database)
    write(shelf, book("a"))
    with database.writing() as connection:
        for name in ("builds_1", "books_1", "authors_1"):
            connection.execute(sa.DDL(f"DROP TABLE {name}"))
    with pytest.raises(DatabaseUnavailable):
        read(shelf)
    assert read(shelf) == {}
    write(shelf, book("b"))
    assert read(shelf).keys() == {"b"}


@pytest.mark.server
def test_a_lock_that_is_held_for_long_is_unavailable(postgres_url, monkeypatch):
    monkeypatch.setattr(engine_module, "WAIT_S", 0.1)
    shelf, other = make_shelf(Database(postgres_url)), make_shelf(Database(postgres_url))
    write(shelf, book("a"))
    with other.database.writing() as connection:
        insert_newer(connection, other.live.books, [book("a", 2)])
        with pytest.raises(DatabaseUnavailable, match="lock timeout"):
            write(shelf, book("a", 3))
    write(shelf, book("a", 3))
    assert read(shelf) == {"a": (3, "a title")}


@pytest.mark.server
def test_a_wrong_password_and_a_wrong_name_are_named_but_no_password_printed(own_postgres):
    own_postgres.execute("CREATE USER guest PASSWORD 'another'")
    rules = own_postgres.directory / "data" / "pg_hba.conf"
    rules.write_text("host all guest 127.0.0.1/32 scram-sha-256\n" + rules.read_text())
    own_postgres.execute("SELECT pg_reload_conf()")
    url = own_postgres.url().replace("plyscribe@", f"guest:{SECRET}@")
    with pytest.raises(DatabaseUnavailable, match="password authentication failed") as caught:
        Database(url).ask()
    assert SECRET not in str(caught.value)
    with pytest.raises(DatabaseUnavailable, match='database "nowhere" does not exist'):
        Database(own_postgres.url("nowhere")).ask()


# ------------------------------------------------------------------------------------------------------------ addresses


@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("read.db", "the address is no URL"),
        ("mysql://host/name", "mysql is not supported"),
        ("postgresql://host/name", "postgresql is not supported: write .*postgresql\\+psycopg"),
        (f"postgresql+psycopg2://ann:{SECRET}@host/name", "psycopg2 is not supported"),
        (f"postgresql+psycopg://ann:{SECRET}@host:port/name", "the address is no URL"),
        (f"postgresql+psycopg://ann:{SECRET}@host/name", r"pip install 'plyscribe\[postgres\]'"),
    ],
)
def test_an_address_that_cannot_be_used_says_what_to_write_or_install(address, why, monkeypatch):
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(DatabaseError, match=why) as caught:
        Database(address)
    assert SECRET not in str(caught.value)


@pytest.mark.server
def test_a_server_that_hangs_holds_up_few_threads(own_postgres, monkeypatch):
    monkeypatch.setattr(engine_module, "WAIT_S", 2.0)
    with closing(Database(own_postgres.url())) as database:
        shelf = make_shelf(database)
        write(shelf, book("a"))
        database.close()
        own_postgres.pause()
        refused = threading.Semaphore(0)

        def ask() -> None:
            with suppress(DatabaseUnavailable):
                read(shelf)
            refused.release()

        ask()
        threads = [threading.Thread(target=ask, daemon=True) for _ in range(30)]
        for thread in threads:
            thread.start()
        for _ in range(29):
            # One of them waits for the server; it may be any.
            assert refused.acquire(timeout=30)
        own_postgres.resume()
        for thread in threads:
            thread.join(30)
        for _ in range(2):
            with suppress(DatabaseUnavailable):
                read(shelf)
        assert read(shelf).keys() == {"a"}
