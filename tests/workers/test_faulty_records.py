"""The relay drops the texts of faulty records in time, whatever it forgot, and whatever dies in between."""

from collections.abc import Iterator

import pytest
from redis import Redis

from plyscribe.domain.commands import Actor
from plyscribe.domain.imported import KEPT_MS, Import
from plyscribe.service.composition import compose
from plyscribe.service.matches import records as records_module
from plyscribe.service.processes.embedded import start_server
from plyscribe.service.store.feed import FeedGroup
from plyscribe.service.store.port import StoreUnavailable
from plyscribe.service.store.redis import RedisStore, connect_client
from plyscribe.service.streams.ids import command_of
from plyscribe.workers.check_import import check_import
from plyscribe.workers.duties import faulty_records as duty_module
from plyscribe.workers.duties.faulty_records import DUE, FaultyRecords
from plyscribe.workers.duties.scan import Scan
from plyscribe.workers.relay import Relay
from tests.service.conftest import CONFIG

pytestmark = pytest.mark.server

ANN = Actor("player", "player-" + "a" * 26)
HEAD = "[ruleset zhen]\n[seat 1 Ada]\n[seat 2 Bea]\n\n"
SOUND, FAULTY = HEAD + "1. +5 2. +3\n", HEAD + "1. +5 2. +3\n3. +5\n"


class Rig:
    """A store with the imports of text records, and a relay with this one duty."""

    def __init__(self, redis: Redis) -> None:
        self.redis = redis
        self.parts = compose(CONFIG, RedisStore(redis))
        self.start()

    def start(self) -> None:
        self.duty = FaultyRecords(self.parts, self.redis)
        self.scan = Scan(self.parts.store, [self.duty]).scan
        self.relay = Relay(FeedGroup(self.redis), [self.duty])

    def send(self, text: str) -> str:
        asked = command_of("test", "POST", "/imports", None, text.encode())
        stream = self.parts.records.receive(ANN, text.encode(), False, asked).state.stream
        check_import(self.parts, stream)
        return stream

    def read(self, stream: str) -> Import:
        return self.parts.imports.read(stream)

    def due(self) -> list[str]:
        return [member.decode() for member in self.redis.zrange(DUE, 0, -1)]


@pytest.fixture(scope="module")
def redis(tmp_path_factory) -> Iterator[Redis]:
    with start_server(tmp_path_factory.mktemp("store")) as server, connect_client(server.url, 60.0) as client:
        yield client


@pytest.fixture
def rig(redis: Redis) -> Rig:
    redis.flushall()
    return Rig(redis)


@pytest.fixture
def pass_time(monkeypatch):
    now = duty_module.now_ms()

    def pass_by(ms: int) -> None:
        for module in (duty_module, records_module):
            monkeypatch.setattr(module, "now_ms", lambda: now + ms)

    return pass_by


def test_a_faulty_text_is_dropped_when_its_week_is_over(rig, pass_time):
    faulty, sound = rig.send(FAULTY), rig.send(SOUND)
    rig.relay.step(block_ms=0)
    assert rig.due() == [faulty]
    rig.duty.drop_due()
    assert rig.read(faulty).status == "faulty"
    pass_time(KEPT_MS + 60_000)
    rig.duty.drop_due()
    assert (rig.read(faulty).status, rig.read(sound).status) == ("dropped", "entered")
    assert rig.due() == []
    rig.relay.step(block_ms=0)
    assert rig.due() == []


def test_a_relay_that_lost_everything_finds_the_faulty_texts(rig, pass_time):
    faulty, kept, sound = rig.send(FAULTY), rig.send(FAULTY + " "), rig.send(SOUND)
    rig.parts.records.keep_prefix(rig.read(kept))
    rig.relay.step(block_ms=0)
    rig.redis.delete(DUE)
    rig.start()
    rig.scan()
    assert sorted(rig.due()) == sorted([faulty, kept])
    pass_time(KEPT_MS + 60_000)
    rig.duty.drop_due()
    assert (rig.read(faulty).status, rig.read(kept).status, rig.read(sound).status) == ("dropped", "kept", "entered")
    assert rig.read(kept).dropped is not None
    rig.scan()
    assert rig.due() == []


def test_a_drop_that_failed_is_done_again(rig, pass_time, monkeypatch):
    faulty = rig.send(FAULTY)
    rig.relay.step(block_ms=0)
    pass_time(KEPT_MS + 60_000)

    def fail(*_: object) -> bool:
        raise StoreUnavailable("gone")

    with monkeypatch.context() as broken:
        broken.setattr(rig.parts.records._store, "condense", fail)
        with pytest.raises(StoreUnavailable):
            rig.duty.drop_due()
    assert rig.due() == [faulty]
    rig.duty.drop_due()
    assert (rig.read(faulty).status, rig.due()) == ("dropped", [])


def test_a_full_store_gets_memory_back_from_dropped_texts(rig, pass_time):
    text = FAULTY + "; " + "x" * 100_000
    streams = [rig.send(text + str(number)) for number in range(20)]
    rig.relay.step(block_ms=0)
    pass_time(KEPT_MS + 60_000)
    before = rig.redis.info("memory")["used_memory"]
    rig.redis.config_set("maxmemory", before // 2)
    try:
        for stream in streams:
            rig.parts.records.drop_text(stream)
    finally:
        rig.redis.config_set("maxmemory", 0)
    assert {rig.read(stream).status for stream in streams} == {"dropped"}
    assert before - rig.redis.info("memory")["used_memory"] > 20 * 90_000


def test_a_process_that_knew_the_text_reads_what_is_left(rig, pass_time):
    faulty = rig.send(FAULTY)
    other = compose(CONFIG, RedisStore(rig.redis))
    assert other.imports.read(faulty).status == "faulty"
    pass_time(KEPT_MS + 60_000)
    rig.parts.records.drop_text(faulty)
    assert other.imports.read(faulty).status == "dropped"
