"""The relay drops the texts of faulty records in time, whatever it forgot, and whatever dies in between."""

import pytest
from redis import Redis

from plyscribe.domain.imported import KEPT_MS, Import
from plyscribe.service.matches import records as records_module
from plyscribe.service.store.feed import FeedGroup
from plyscribe.service.store.port import StoreUnavailable
from plyscribe.workers.check_import import check_import
from plyscribe.workers.duties import faulty_records as duty_module
from plyscribe.workers.duties.faulty_records import DUE, FaultyRecords
from plyscribe.workers.duties.scan import Scan
from plyscribe.workers.relay import Relay
from tests.workers.given import ANN, Workplace, new_key, put_forward

HEAD = "[ruleset zhen]\n[seat 1 Ada]\n[seat 2 Bea]\n\n"
SOUND, FAULTY = HEAD + "1. +5 2. +3\n", HEAD + "1. +5 2. +3\n3. +5\n"


class Rig(Workplace):
    """A store with the imports of text records, and a relay with this one duty."""

    def __init__(self, redis: Redis) -> None:
        super().__init__(redis)
        self.restart()

    def restart(self) -> None:
        self.duty = FaultyRecords(self.parts, self.redis)
        self.scan = Scan(self.parts.store, [self.duty]).scan
        self.relay = Relay(FeedGroup(self.redis), [self.duty])

    def send(self, text: str) -> str:
        stream = self.parts.records.receive(ANN, text.encode(), False, new_key()).state.stream
        check_import(self.parts, stream)
        return stream

    def find(self, stream: str) -> Import:
        return self.parts.imports.read(stream)

    def due(self) -> list[str]:
        return self.list_noted(DUE)


@pytest.fixture
def rig(redis: Redis) -> Rig:
    return Rig(redis)


@pytest.fixture
def end_week(monkeypatch):
    """Lets the time pass for which faulty texts are kept."""

    def pass_by() -> None:
        for module in (duty_module, records_module):
            put_forward(monkeypatch, module, KEPT_MS + 60_000)

    return pass_by


def test_a_faulty_text_is_dropped_when_its_week_is_over(rig, end_week):
    faulty, sound, other = rig.send(FAULTY), rig.send(SOUND), rig.new_parts()
    rig.relay.step(block_ms=0)
    assert rig.due() == [faulty]
    rig.duty.drop_due()
    assert rig.find(faulty).status == other.imports.read(faulty).status == "faulty"
    end_week()
    rig.duty.drop_due()
    assert (rig.find(faulty).status, rig.find(sound).status) == ("dropped", "entered")
    assert other.imports.read(faulty).status == "dropped", "a process that knew the text reads what is left"
    assert rig.due() == []
    rig.relay.step(block_ms=0)
    assert rig.due() == []


def test_a_relay_that_lost_everything_finds_the_faulty_texts(rig, end_week):
    faulty, kept, sound = rig.send(FAULTY), rig.send(FAULTY + " "), rig.send(SOUND)
    rig.parts.records.keep_prefix(rig.find(kept))
    rig.relay.step(block_ms=0)
    rig.redis.delete(DUE)
    rig.restart()
    rig.scan()
    assert sorted(rig.due()) == sorted([faulty, kept])
    end_week()
    rig.duty.drop_due()
    assert (rig.find(faulty).status, rig.find(kept).status, rig.find(sound).status) == ("dropped", "kept", "entered")
    assert rig.find(kept).dropped is not None
    rig.scan()
    assert rig.due() == []


def test_a_drop_that_failed_is_done_again(rig, end_week, monkeypatch):
    faulty = rig.send(FAULTY)
    rig.relay.step(block_ms=0)
    end_week()

    def fail(*_: object) -> bool:
        raise StoreUnavailable("gone")

    with monkeypatch.context() as broken:
        broken.setattr(rig.parts.records._store, "condense", fail)
        with pytest.raises(StoreUnavailable):
            rig.duty.drop_due()
    assert rig.due() == [faulty]
    rig.duty.drop_due()
    assert (rig.find(faulty).status, rig.due()) == ("dropped", [])


def test_a_full_store_gets_memory_back_from_dropped_texts(rig, end_week):
    text = FAULTY + "; " + "x" * 100_000
    streams = [rig.send(text + str(number)) for number in range(20)]
    rig.relay.step(block_ms=0)
    end_week()
    before = rig.redis.info("memory")["used_memory"]
    rig.redis.config_set("maxmemory", before // 2)
    try:
        for stream in streams:
            rig.parts.records.drop_text(stream)
    finally:
        rig.redis.config_set("maxmemory", 0)
    assert {rig.find(stream).status for stream in streams} == {"dropped"}
    assert before - rig.redis.info("memory")["used_memory"] > 20 * 90_000
