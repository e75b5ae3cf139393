"""Sets of tables that are built beside those that are read, with writers and readers meanwhile, on each engine."""

import os
import signal
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa

from plyscribe.service.database.engine import Database, DatabaseUnavailable
from plyscribe.service.database.table_sets import BuildLost
from tests.database.given import book, enter, make_shelf, read, write

ROOT = Path(__file__).parents[2]


@pytest.fixture
def shelf(database):
    return make_shelf(database)


def fill(shelf, build, *books):
    """Enter books as a build does."""
    with shelf.database.writing() as connection:
        shelf.renew(connection, build, now_ms=2)
        enter(shelf, connection, books)


def names_of_tables(database):
    with database.reading() as connection:
        return {name for name in sa.inspect(connection).get_table_names() if name.startswith(("books", "authors"))}


def test_what_a_build_enters_is_read_when_it_ends_and_the_old_rows_until_then(shelf):
    write(shelf, book("old"))
    assert shelf.state() == (False, None)
    build = shelf.begin(now_ms=1)
    assert shelf.state() == (False, 1)
    assert read(shelf) == {"old": (1, "a title")}
    fill(shelf, build, book("new"))
    assert shelf.state() == (False, 2), "it shows its last sign of life"
    shelf.finish(build)
    assert read(shelf) == {"new": (1, "a title")}
    assert shelf.state() == (True, None)
    with pytest.raises(BuildLost):
        shelf.finish(build)
    assert names_of_tables(shelf.database) == {"books_1", "authors_1"}
    other = make_shelf(shelf.database, layout=2)
    assert read(other) == {}, "each layout has separate tables"
    assert not other.state().is_built


def test_what_is_written_during_a_build_is_read_before_and_after_its_end(shelf):
    build = shelf.begin(now_ms=1)
    write(shelf, book("a", 2))
    fill(shelf, build, book("a", 1), book("b", 1))
    write(shelf, book("b", 2))
    assert read(shelf) == dict.fromkeys("ab", (2, "a title"))
    shelf.finish(build)
    assert read(shelf) == dict.fromkeys("ab", (2, "a title"))


def test_a_second_build_ends_the_first(shelf):
    first = shelf.begin(now_ms=1)
    fill(shelf, first, book("lost"))
    second = shelf.begin(now_ms=2)
    with pytest.raises(BuildLost):
        fill(shelf, first, book("lost"))
    with pytest.raises(BuildLost):
        shelf.finish(first)
    fill(shelf, second, book("a"))
    shelf.finish(second)
    assert read(shelf).keys() == {"a"}


@pytest.mark.parametrize("is_finished", [True, False])
def test_tables_that_were_forgotten_can_be_read_and_are_not_built(shelf, is_finished):
    write(shelf, book("a"))
    build = shelf.begin(now_ms=1)
    if is_finished:
        shelf.finish(build)
        write(shelf, book("a"))
    with shelf.database.writing() as connection:
        shelf.forget(connection)
    assert shelf.state() == (False, None)
    assert read(shelf).keys() == {"a"}
    for step in (lambda: fill(shelf, build, book("b")), lambda: shelf.finish(build)):
        with pytest.raises(BuildLost):
            step()


def test_no_row_is_lost_while_tables_are_built_again_and_again(read_url):
    writer, builder = make_shelf(Database(read_url)), make_shelf(Database(read_url))
    streams: dict[str, int] = {}
    over = threading.Event()
    troubles: list[BaseException] = []

    def keep_writing() -> None:
        try:
            for number in range(1, 1_000_000):
                if over.is_set():
                    return
                name = f"book {number % 40}"
                # The stream is the truth, from which a build reads too.
                streams[name] = number
                write(writer, book(name, number))
        except BaseException as error:
            troubles.append(error)

    thread = threading.Thread(target=keep_writing)
    thread.start()
    for _ in range(8):
        build = builder.begin(now_ms=1)
        for name, version in list(streams.items()):
            fill(builder, build, book(name, version))
        builder.finish(build)
    over.set()
    thread.join()
    assert not troubles
    assert {name: version for name, (version, _) in read(builder).items()} == streams


KILLED = """
import sys
from plyscribe.service.database.engine import Database
from tests.database.given import book, make_shelf
from tests.database.test_tables import fill
shelf = make_shelf(Database(sys.argv[1]))
build = shelf.begin(now_ms=1)
fill(shelf, build, book("half"))
with shelf.database.writing() as connection:
    shelf.renew(connection, build, now_ms=3)
    print("ready", flush=True)
    sys.stdin.read()
"""


def test_a_build_that_was_killed_is_replaced_by_the_next(read_url):
    shelf = make_shelf(Database(read_url))
    write(shelf, book("old"))
    argv = [sys.executable, "-c", KILLED, read_url]
    with subprocess.Popen(argv, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        os.kill(process.pid, signal.SIGKILL)
    assert shelf.state() == (False, 2)
    assert read(shelf).keys() == {"old", "half"}
    write(shelf, book("meanwhile"))
    build = shelf.begin(now_ms=4)
    fill(shelf, build, book("old"), book("meanwhile"))
    shelf.finish(build)
    assert read(shelf).keys() == {"old", "meanwhile"}


def test_a_build_that_cannot_end_leaves_the_old_tables(shelf):
    write(shelf, book("old"))
    build = shelf.begin(now_ms=1)
    with shelf.database.writing() as connection:
        connection.execute(sa.DDL("DROP TABLE authors_1_new"))
    with pytest.raises(DatabaseUnavailable):
        shelf.finish(build)
    assert read(shelf).keys() == {"old"}


def test_queries_of_the_tables_are_served_by_their_indexes_after_builds(tmp_path):
    with closing(Database(f"sqlite:///{tmp_path}/read.db")) as database:
        shelf = make_shelf(database)
        shelf.finish(shelf.begin(now_ms=1))
        query = sa.select(shelf.live.books.c.name).where(shelf.live.books.c.title == "a")
        with database.reading() as connection:
            plan = connection.exec_driver_sql(
                f"EXPLAIN QUERY PLAN {query.compile(compile_kwargs={'literal_binds': True})}"
            )
            assert "USING COVERING INDEX" in str(plan.all())
