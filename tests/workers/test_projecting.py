"""The projector: what follows from the feed is entered exactly once, whatever happens in between."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import sqlalchemy as sa
from redis import Redis

from plyscribe.service.database.engine import Database, DatabaseUnavailable
from plyscribe.service.database.table_sets import Enter, Tables, declare
from plyscribe.service.live.match_changes import Changes
from plyscribe.service.store.feed import FeedGroup
from plyscribe.service.store.leases import Leases
from plyscribe.service.store.port import BUCKETS, FeedEntry, StoreUnavailable
from plyscribe.service.store.redis import RedisStore
from plyscribe.service.store.redis_keys import feed_key
from plyscribe.workers.duties.projecting import Projector
from plyscribe.workers.duties.trimming import Trimming
from plyscribe.workers.relay import Relay
from tests.store.given import append

STREAMS = tuple(f"match-{letter * 26}" for letter in "abcdefghij")


class Counts:
    """A sink that counts entries, so it notices each that is entered twice."""

    def __init__(self, database: Database) -> None:
        self.tables: Tables[Any] = Tables(database, "counts", declare(1, _define))
        self.refused = ""
        self.announced = 0

    def collect(self, entries: Sequence[FeedEntry]) -> Enter:
        counts = Counter(entry.stream for entry in entries)

        def enter(connection: sa.Connection) -> None:
            for [table] in self.tables.targets(connection):
                for stream, number in counts.items():
                    # A row without a number breaks a rule of the table.
                    value = None if stream == self.refused else table.c.number + number
                    if connection.scalar(sa.select(table.c.number).where(table.c.stream == stream)) is None:
                        connection.execute(sa.insert(table).values(stream=stream, number=0))
                    connection.execute(sa.update(table).where(table.c.stream == stream).values(number=value))

        return enter

    def announce(self) -> None:
        self.announced += 1

    def read(self) -> dict[str, int]:
        [table] = self.tables.live
        with self.tables.database.reading() as connection:
            return {row.stream: row.number for row in connection.execute(sa.select(table))}


def _define(metadata: sa.MetaData, suffix: str) -> list[sa.Table]:
    columns = sa.Column("stream", sa.String, primary_key=True), sa.Column("number", sa.Integer, nullable=False)
    return [sa.Table(f"counts{suffix}", metadata, *columns)]


class OneRelay:
    """A relay with a connection of its own to both servers."""

    def __init__(self, url: str, client: Redis, *others: Any, leases: Leases | None = None) -> None:
        self.database = Database(url)
        self.sink = Counts(self.database)
        self.feed = FeedGroup(client)
        self.projector = Projector(self.feed, self.database, [self.sink], [self.sink.tables])
        self.relay = Relay(self.feed, [self.projector, *others], leases)
        self.projector.chores[0]._every_s = 0.0

    def step(self, times: int = 1) -> None:
        for _ in range(times):
            self.relay.step(block_ms=0)


class Rig:
    def __init__(self, redis: Redis, url: str) -> None:
        self.redis, self.url = redis, url
        self.store = RedisStore(redis)
        self.expected: Counter[str] = Counter()
        self.one = OneRelay(url, redis)

    def append(self, times: int = 10) -> None:
        for number in range(times):
            stream = STREAMS[number % len(STREAMS)]
            append(self.store, stream)
            self.expected[stream] += 1

    def skip_feed(self) -> FeedGroup:
        """Acknowledge everything, as a relay of another database does."""
        group = FeedGroup(self.redis)
        while group.read(1000):
            group.ack()
        return group

    def is_built(self) -> bool:
        return self.one.sink.tables.state().is_built

    def build(self) -> None:
        self.one.step()
        self.one.sink.tables.finish(self.one.sink.tables.begin(1))


@pytest.fixture
def rig(redis: Redis, read_url: str) -> Rig:
    rig = Rig(redis, read_url)
    rig.build()
    return rig


def test_entries_that_come_again_are_not_entered_again(rig):
    failed: list[bool] = []

    def fail_once(_: object) -> None:
        if not failed:
            failed.append(True)
            raise StoreUnavailable("away")

    relay = OneRelay(rig.url, rig.redis, SimpleNamespace(take=fail_once, chores=()))
    relay.step()
    rig.append()
    with pytest.raises(StoreUnavailable):
        relay.step()
    assert relay.sink.read() == rig.expected
    relay.feed.read_again()
    relay.step(2)
    assert relay.sink.read() == rig.expected
    assert relay.feed.lag() == 0


def test_two_relays_enter_each_entry_once(rig):
    other = OneRelay(rig.url, rig.redis)
    other.step()
    for number in range(12):
        rig.append(5)
        (rig.one, other)[number % 2].step()
        if number % 3 == 0:
            rig.one.step()
            other.step()
    rig.one.step(3)
    other.step(3)
    assert rig.one.sink.read() == rig.expected


def test_relays_that_share_the_buckets_enter_each_entry_once(rig, monkeypatch):
    monkeypatch.setattr("plyscribe.service.store.leases.RENEW_S", 0.0)
    relays = [OneRelay(rig.url, rig.redis, leases=Leases(rig.redis)) for _ in range(2)]
    for number in range(8):
        rig.append(10)
        for relay in relays:
            relay.step()
        if number == 3:
            # One leaves, the other takes over what it had, and it comes back.
            relays[0].relay._leases.leave()
            rig.append(10)
            relays[1].step(3)
            assert rig.one.sink.read() == rig.expected
    for relay in relays:
        relay.step(3)
    assert rig.one.sink.read() == rig.expected
    assert sorted(len(relay.feed.buckets) for relay in relays) == [32, 32]


def refuse(*_: object, **__: object) -> Any:
    raise DatabaseUnavailable("no route to the read database")


def test_a_relay_catches_up_with_what_the_one_before_it_left(rig, monkeypatch):
    monkeypatch.setattr("plyscribe.service.store.leases.RENEW_S", 0.0)
    first, second = (OneRelay(rig.url, rig.redis, leases=Leases(rig.redis)) for _ in range(2))
    for _ in range(3):
        first.step()
        second.step()
    rig.append(20)
    with monkeypatch.context() as broken:
        broken.setattr(first.database, "_begin", refuse)
        first.step()
        second.step()
    first.relay._leases.leave()
    second.step(3)
    assert rig.one.sink.read() == rig.expected


def test_other_duties_go_on_while_the_database_is_away_and_it_catches_up(rig, monkeypatch, caplog):
    taken: list[FeedEntry] = []
    relay = OneRelay(rig.url, rig.redis, SimpleNamespace(take=taken.extend, chores=()))
    relay.step()
    with monkeypatch.context() as away:
        away.setattr(Database, "_begin", refuse)
        for _ in range(3):
            rig.append(3)
            relay.step()
        assert len(taken) == 9
    assert caplog.text.count("no route") == 1, "trouble is logged once"
    rig.append(4)
    relay.step(3)
    assert relay.sink.read() == rig.expected
    assert len(taken) == 13


def test_nothing_is_announced_before_it_is_stored(rig, monkeypatch):
    rig.append()
    before = rig.one.sink.announced
    with monkeypatch.context() as broken:
        broken.setattr(rig.one.projector._store, "move", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            rig.one.step()
    assert (rig.one.sink.announced, rig.one.sink.read()) == (before, {})


def test_only_the_stream_that_the_database_refuses_is_left_out(rig, caplog):
    rig.one.sink.refused = STREAMS[3]
    rig.append(20)
    rig.one.step()
    del rig.expected[STREAMS[3]]
    assert rig.one.sink.read() == rig.expected
    assert f"{STREAMS[3]} cannot be entered" in caplog.text
    rig.one.sink.refused = ""
    rig.append(1)
    rig.one.step()
    assert rig.one.sink.read() == rig.expected


@pytest.mark.parametrize("trouble", ["missed entries", "another store", ""])
def test_tables_that_missed_entries_or_follow_another_store_are_built_anew_and_no_others(rig, trouble):
    assert rig.is_built()
    rig.append(30)
    if trouble == "missed entries":
        rig.skip_feed().trim(0)
    else:
        rig.one.step()
    if trouble == "another store":
        rig.redis.flushall()
    again = OneRelay(rig.url, rig.redis)
    again.step(2)
    assert rig.is_built() is not bool(trouble)
    assert trouble or again.sink.read() == rig.expected


def test_changes_of_matches_that_were_missed_are_a_gap(rig, monkeypatch):
    monkeypatch.setattr("plyscribe.service.live.match_changes.FRESH_S", 0.0)

    def follow() -> Changes:
        """Another relay, which notes changes and does nothing else."""
        feed, changes = FeedGroup(rig.redis), Changes(Database(rig.url))
        projector = Projector(feed, changes._database, [changes], [changes])
        projector.chores[0]._every_s = 0.0
        for _ in range(2):
            Relay(feed, [projector]).step(block_ms=0)
        return changes

    follow()
    rig.append(1)
    changes = follow()
    noted = changes.numbers()
    assert [(change.match, change.last) for change in changes.read(0, 1000)] == [(STREAMS[0], 1)]
    rig.append(1)
    rig.skip_feed().trim(0)
    newest, floor = follow().numbers()
    assert newest == floor > noted.newest
    assert changes.read(0, 1000) == []


def test_the_feed_keeps_what_the_database_lacks(rig, monkeypatch):
    rig.append(40)
    rig.one.step()
    monkeypatch.setattr("plyscribe.workers.duties.trimming.KEEP_FEED", 0)
    places = dict(rig.one.projector.places)
    rig.append(40)
    group = rig.skip_feed()
    Trimming(group, SimpleNamespace(places=places)).trim()
    assert rig.one.feed.list_gaps(places) == []
    rig.one.step(2)
    assert rig.one.sink.read() == rig.expected
    monkeypatch.setattr("plyscribe.workers.duties.trimming.MOST_FEED", 0)
    Trimming(group, SimpleNamespace(places=places)).trim()
    assert sum(rig.redis.xlen(feed_key(bucket)) for bucket in BUCKETS) == 0
    assert rig.one.feed.list_gaps(places)


def test_a_damaged_file_is_put_aside_and_another_one_is_begun(rig, caplog):
    if not rig.one.database.is_sqlite:
        pytest.skip("files are damaged, not servers")
    rig.append()
    rig.one.step()
    rig.one.database.close()
    path = Path(rig.one.database.url.database)
    path.write_bytes(b"this is not a database" * 1000)
    for suffix in ("-wal", "-shm"):
        Path(f"{path}{suffix}").unlink(missing_ok=True)
    rig.append(3)
    rig.one.step(4)
    assert "is damaged" in caplog.text
    assert path.with_suffix(".damaged").exists()
    assert not rig.is_built()
    before = sum(rig.one.sink.read().values())
    rig.append(3)
    rig.one.step(2)
    assert sum(rig.one.sink.read().values()) == before + 3


def test_the_backlog_is_what_is_not_entered(rig):
    rig.append(4)
    assert rig.one.feed.backlog_after(dict(rig.one.projector.places)).entries == 4
    rig.one.step()
    assert rig.one.feed.backlog_after(rig.one.projector.places) == (0, None)
