"""The vitals of store and queues over a real store. Reading them changes nothing."""

import time
from collections.abc import Iterator
from shutil import rmtree

import pytest
from rq.registry import FailedJobRegistry
from rq.serializers import JSONSerializer

from plyscribe.service.archive.packs import Pack
from plyscribe.service.archive.storage import Archive
from plyscribe.service.composition import Parts, compose
from plyscribe.service.config import Config, parse_key
from plyscribe.service.health.gauges import read_gauges
from plyscribe.service.health.readiness import watch_readiness
from plyscribe.service.health.vitals import Vitals, open_vitals
from plyscribe.service.processes.embedded import EmbeddedServer
from plyscribe.service.queues import QUEUES, WATCHED, Verification, enqueue_verifications, verify_queue
from plyscribe.service.store.feed import FeedGroup
from plyscribe.service.store.memory import MemoryStore
from plyscribe.service.store.port import UnsupportedServer
from plyscribe.service.store.redis import RedisStore, connect_client
from plyscribe.workers.duties import verification as verification_module
from plyscribe.workers.duties.deadlines import WATCH_EVERY_S, Deadlines
from plyscribe.workers.relay import Relay
from plyscribe.workers.worker import Worker
from tests.service.conftest import CONFIG
from tests.store.conftest import REAL, binary_of
from tests.workers.given import put_forward
from tests.workers.test_relay import Rig

KEY = parse_key("5a" * 32)


@pytest.fixture
def url(server: EmbeddedServer) -> str:
    return server.url


@pytest.fixture(autouse=True)
def patient(monkeypatch) -> None:
    """Look at the store for as long as a busy machine takes."""
    monkeypatch.setattr("plyscribe.service.health.readiness.PATIENCE_S", 30.0)


def read(parts: Parts) -> dict[str, float]:
    return {reading.name: reading.value for reading in read_gauges(parts, watch_readiness(parts))}


@pytest.fixture
def vitals(url, redis) -> Iterator[Vitals]:
    with open_vitals(Config(url, url, KEY)) as vitals:
        yield vitals


def test_a_finished_match_is_seen_from_the_feed_to_the_queue(vitals, redis, monkeypatch):
    assert vitals.feed() == (0, 0.0, None)
    assert vitals.queues() == [(name, 0, 0.0, 0, 0) for name in QUEUES]
    assert vitals.unsettled() == (0, 0.0, 0)
    assert redis.keys() == []
    rig = Rig(redis)
    rig.finish()
    time.sleep(0.01)
    feed = vitals.feed()
    assert (feed.entries, feed.silent_s) == (2, None)
    assert feed.oldest_s >= 0.01
    rig.relay.step(block_ms=0)
    assert vitals.feed()[:2] == (0, 0.0)
    [queue, *_], unsettled = vitals.queues(), vitals.unsettled()
    assert (queue.length, unsettled.matches) == (1, 1)
    time.sleep(0.01)
    assert vitals.queues()[0].oldest_s > queue.oldest_s
    put_forward(monkeypatch, verification_module, 60_000)
    rig.duty.sweep()
    assert vitals.unsettled().oldest_s > unsettled.oldest_s, "a sweep changes nothing of it"


@pytest.mark.parametrize("engine", REAL)
def test_a_relay_without_news_gives_signs_of_life_on_every_server(engine, tmp_path):
    with EmbeddedServer(tmp_path / "store", binary_of(engine)) as server, connect_client(server.url, 60.0) as redis:
        parts = compose(CONFIG, RedisStore(redis))
        relay, vitals = Relay(FeedGroup(redis), [Deadlines(parts, redis, parts.matches)]), Vitals(redis, redis)
        assert vitals.feed().silent_s is None
        relay.step(block_ms=0)
        first = redis.get(WATCHED)
        time.sleep(WATCH_EVERY_S)
        relay.step(block_ms=0)
        assert int(redis.get(WATCHED)) > int(first)
        assert vitals.feed().silent_s is not None


def test_failed_jobs_and_living_workers_are_counted(vitals, redis, url):
    queue = verify_queue(redis)
    enqueue_verifications(queue, [Verification("match-x", 1)])
    with connect_client(url, None) as connection:
        worker = Worker([queue], connection=connection, serializer=JSONSerializer)
        worker.work(burst=True, logging_level="ERROR")
        worker.register_birth()
    assert FailedJobRegistry(queue=queue).get_job_ids() == ["verify_match-x_1"]
    assert vitals.queues() == [("verify", 0, 0.0, 1, 1), *((name, 0, 0.0, 0, 0) for name in QUEUES if name != "verify")]
    redis.delete(worker.key)
    assert vitals.queues()[0].workers == 0, "it gives no signs of life"


def test_the_gauges_are_the_vitals(url, redis):
    Rig(redis).finish()
    readings = read(compose(Config(url, url, KEY), RedisStore(redis), redis))
    assert (readings["store_up"], readings["queues_up"], readings["store_takes_writes"]) == (1, 1, 1)
    assert readings["feed_lag_entries"] == FeedGroup(redis).lag() == 2
    assert readings["queue_jobs"] == 0
    assert readings["store_memory_bytes"] > 0
    assert readings["store_memory_limit_bytes"] == 0


def test_a_store_that_is_away_or_takes_no_writes_and_queues_that_are_away_are_numbers_too(url, redis):
    nowhere = "unix:///nowhere/store.sock"
    assert read(compose(Config(nowhere, nowhere, KEY), MemoryStore())) == {"store_up": 0}
    readings = read(compose(Config(url, nowhere, KEY), RedisStore(redis), redis))
    assert (readings["store_up"], readings["queues_up"], readings["feed_lag_entries"]) == (1, 0, 0)
    assert "queue_jobs" not in readings
    redis.config_set("min-replicas-to-write", 1)
    try:
        readings = read(compose(Config(url, url, KEY), RedisStore(redis), redis))
    finally:
        redis.config_set("min-replicas-to-write", 0)
    assert (readings["store_up"], readings["store_takes_writes"]) == (1, 0)
    redis.config_set("maxmemory-policy", "allkeys-lru")
    try:
        with pytest.raises(UnsupportedServer):
            watch_readiness(compose(Config(url, url, KEY), RedisStore(redis), redis)).read()
    finally:
        redis.config_set("maxmemory-policy", "noeviction")


def test_the_size_of_the_archive_is_a_number_and_whether_it_answers(url, redis, tmp_path):
    config = Config(url, url, KEY, archive=(tmp_path / "archive").as_uri())

    def read_anew() -> dict[str, float]:
        return read(compose(config, RedisStore(redis), redis))

    Archive(config.archive).put(Pack("ab" * 16, b"twelve bytes", {}, ()))
    readings = read_anew()
    assert (readings["archive_up"], readings["archive_packs"], readings["archive_bytes"]) == (1, 1, 12)
    assert (readings["archive_copies_packs"], "archive_copied_seconds" in readings) == (0, False)
    Archive(config.archive).copies.note_progress(b'{"begun_ms":null,"after":"","copied_ms":1}')
    assert read_anew()["archive_copied_seconds"] > 10**9
    rmtree(tmp_path / "archive")
    (tmp_path / "archive").write_bytes(b"no folder")
    readings = read_anew()
    assert (readings["archive_up"], "archive_packs" in readings, readings["store_up"]) == (0, False, 1)
