"""The rows of ratings: whatever is folded, killed and unrated in between, they are what a fresh fold gives."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from plyscribe.domain.errors import StreamError
from plyscribe.service.database.engine import Database
from plyscribe.service.database.table_sets import BuildLost
from plyscribe.service.ratings.checking import Checked, check_rows
from plyscribe.service.ratings.folding import Folder, FoldTaken, rebuild
from plyscribe.service.ratings.ratings import Ratings
from tests.service.ledgers import Entries, fold_plainly, grow


class Killed(BaseException):
    """Stands for a kill: the process does nothing after it."""


class Mortal:
    """A database whose next transaction that writes is interrupted: by a kill before or after it, or by others."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.reading = database.reading
        self.before: Callable[[], object] = lambda: None
        self.within: Callable[[], object] = lambda: None
        self.after: Callable[[], object] = lambda: None

    @contextmanager
    def writing(self) -> Iterator[sa.Connection]:
        self.before()
        with self._database.writing() as connection:
            yield connection
            self.within()
        self.after()


def kill() -> None:
    raise Killed


@pytest.fixture
def database(any_read_url: str) -> Iterator[Database]:
    database = Database(any_read_url)
    yield database
    database.close()


def ratings_in(database: Database, entries: Entries, is_folded: bool = True) -> Ratings:
    """The ratings of a ledger in this database, up to date unless `is_folded` is False."""
    ratings = Ratings(entries.store, database, by_itself=False)
    if is_folded:
        ratings.folder.catch_up(entries.ruleset)
    return ratings


def check(ratings: Ratings, entries: Entries) -> Checked:
    with ratings.tables.database.reading() as connection:
        return check_rows(entries.store, connection, ratings.tables.live, entries.ruleset)


def require_sound(ratings: Ratings, entries: Entries) -> None:
    """The rows are a fresh fold up to the version that they name, and so are ranks and the number of players."""
    checked = check(ratings, entries)
    assert checked.differences == []
    table = ratings.read_table(entries.ruleset, 100)
    plain = fold_plainly(entries, table.state.version)
    assert {row.player: row.rating for row in table.rows} == plain
    ordinals = [rating.ordinal for rating in plain.values()]
    for row in table.rows:
        assert row.rank == 1 + sum(ordinal > row.rating.ordinal for ordinal in ordinals)
    assert (table.total, table.state.version + table.state.lag) == (len(plain), entries.ledger.version)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_rows_are_a_fresh_fold_whatever_is_killed_and_whoever_folds_too(database, data):
    entries = Entries()
    ratings = ratings_in(database, entries, is_folded=False)
    for number in range(data.draw(st.integers(1, 20))):
        for part in range(data.draw(st.integers(0, 3))):
            grow(data.draw, entries, f"m{number}" if part == 0 else f"m{number}-{part}")
        mortal = Mortal(database)
        most, other = data.draw(st.integers(1, 5)), Folder(entries.store, database, ratings.tables.live, 2)
        folder = Folder(entries.store, mortal, ratings.tables.live, most)
        match data.draw(st.sampled_from(["whole", "killed before", "killed within", "killed after", "overtaken"])):
            case "killed before":
                mortal.before = kill
            case "killed within":
                mortal.within = kill
            case "killed after":
                mortal.after = kill
            case "overtaken":
                mortal.before = lambda other=other: other.step(entries.ruleset)
        with suppress(Killed):
            folder.step(entries.ruleset)
        require_sound(ratings, entries)
    ratings.folder.catch_up(entries.ruleset)
    assert check(ratings, entries).lag == 0
    require_sound(ratings, entries)


@pytest.fixture
def entries() -> Entries:
    """Twelve matches in a row, each between a player and the next one."""
    entries = Entries()
    for number in range(12):
        entries.rate(f"m{number}", f"p{number}", f"p{number + 1}")
    return entries


def test_readers_see_all_of_an_annulment_or_nothing_of_it(database, entries):
    ratings = ratings_in(database, entries)
    folder = Folder(entries.store, database, ratings.tables.live, 3)
    folder.catch_up(entries.ruleset)
    before = ratings.read_table(entries.ruleset, 100)
    entries.unrate("m0")
    entries.rate("new", "p0", "p5")
    seen = []
    while folder.step(entries.ruleset):
        seen.append(ratings.read_table(entries.ruleset, 100))
    assert len(seen) > 4
    assert {table.state.version for table in seen} == {before.state.version, entries.ledger.version}
    assert all(table.rows == before.rows for table in seen if table.state.version == before.state.version)
    require_sound(ratings, entries)


def test_annulments_that_follow_each_other_are_one_pass(database, entries):
    ratings = ratings_in(database, entries)
    for match in ("m3", "m1", "m7"):
        entries.unrate(match)
    steps = 1
    while ratings.folder.step(entries.ruleset):
        steps += 1
    assert steps == 4, "begin, rate again, switch, find no more"
    require_sound(ratings, entries)


def test_only_matches_that_are_influenced_are_rated_again(database, monkeypatch):
    entries = Entries()
    for number in range(6):
        entries.rate(f"m{number}", "ann", "ben")
        entries.rate(f"n{number}", "cat", "dan")
    ratings = ratings_in(database, entries)
    entries.unrate("m2")
    ratings.folder.step(entries.ruleset)
    ratings.folder.step(entries.ruleset)
    with database.reading() as connection:
        steps = ratings.tables.live.new_steps
        asked = sa.select(steps.c.match).where(steps.c.ruleset == entries.ruleset)
        assert set(connection.scalars(asked)) == {"m3", "m4", "m5"}


def test_a_ledger_that_was_cut_off_or_goes_on_otherwise_is_found_and_folded_afresh(database, entries):
    ratings = ratings_in(database, entries)
    before = ratings.read_table(entries.ruleset, 100).state
    del entries.store._events[entries.ledger.stream][6:]
    ratings.folder.catch_up(entries.ruleset)
    assert ratings.read_table(entries.ruleset, 100).state == before._replace(version=6, lag=0)
    assert check(ratings, entries).differences == []
    one, other = Entries("zhen"), Entries("zhen")
    for number in range(12):
        one.rate(f"m{number}", "ann", "ben")
        other.rate(f"n{number}", "ben", "ann")
    ratings, restored = ratings_in(database, one), ratings_in(database, other, is_folded=False)
    assert (ratings.list_behind(), restored.list_behind()) == ([], ["zhen"])
    restored.folder.catch_up("zhen")
    require_sound(restored, other)
    assert restored.list_behind() == []


def test_a_damaged_ledger_leaves_the_rows_as_they_were(database, entries):
    ratings = ratings_in(database, entries)
    before = ratings.read_table(entries.ruleset, 100)
    entries.rate("m12", "p0", "p1")
    stored = entries.store._events[entries.ledger.stream]
    stored[-1] = stored[-1]._replace(e=stored[-1].e.replace(b"m12", b"m99"))
    with pytest.raises(StreamError, match=entries.ledger.stream):
        ratings.folder.catch_up(entries.ruleset)
    after = ratings.read_table(entries.ruleset, 100)
    assert (after.rows, after.state.lag) == (before.rows, 1)


def test_a_rebuild_is_read_once_it_is_whole_and_has_what_came_in_meanwhile(database, entries):
    ratings = ratings_in(database, entries)
    seen = []

    def come_in(ruleset: str, version: int) -> None:
        if not seen:
            entries.rate("late", "p0", "p9")
        seen.append(ratings.read_table(entries.ruleset, 100).state.version)

    with database.writing() as connection:
        connection.execute(sa.update(ratings.tables.live.ratings).values(mu=1))
    rebuild(entries.store, ratings.tables, [entries.ruleset], come_in)
    assert set(seen) == {13}
    assert ratings.read_table(entries.ruleset, 100).state.version == 14
    require_sound(ratings, entries)


def test_of_two_rebuilds_the_later_one_counts(database, entries):
    ratings = ratings_in(database, entries)
    for number in range(300):
        entries.rate(f"n{number}", "ann", "ben")
    begun = []

    def begin_another(ruleset: str, version: int) -> None:
        if not begun:
            begun.append(version)
            rebuild(entries.store, ratings.tables, [entries.ruleset])

    with pytest.raises((BuildLost, FoldTaken)):
        rebuild(entries.store, ratings.tables, [entries.ruleset], begin_another)
    require_sound(ratings, entries)


TAMPERING = {
    "steps": {"after_mu": 1},
    "ratings": {"matches": 77},
    "bins": {"players": 77},
    "matches": {"at": 77},
    "unrated": {"version": 1},
    "ledgers": {"head": b"other"},
}


@pytest.mark.parametrize("table", TAMPERING)
def test_a_check_finds_every_kind_of_row_that_is_wrong_or_missing(database, entries, table):
    ratings = ratings_in(database, entries)
    entries.unrate("m4")
    ratings.folder.catch_up(entries.ruleset)
    assert check(ratings, entries).wrong == 0
    rows = getattr(ratings.tables.live, table)
    with database.writing() as connection:
        connection.execute(sa.update(rows).values(TAMPERING[table]))
    assert check(ratings, entries).wrong
    with database.writing() as connection:
        connection.execute(sa.delete(rows))
    if table != "ledgers":
        assert check(ratings, entries).wrong


def test_players_are_ranked_page_by_page_however_many_share_a_place(database):
    entries = Entries()
    for number in range(30):
        entries.rate(f"m{number}", f"a{number}", f"b{number}")
    entries.rate("again", "a3", "a4")
    ratings = ratings_in(database, entries)
    whole = ratings.read_table(entries.ruleset, 100).rows
    for limit in (1, 7, 29):
        seen, after, has_more = [], None, True
        while has_more:
            page = ratings.read_table(entries.ruleset, limit, after)
            seen += page.rows
            after, has_more = (page.rows[-1].rating.ordinal, page.rows[-1].player), page.has_more
        assert seen == whole
    require_sound(ratings, entries)
