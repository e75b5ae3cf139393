"""The relay and the verify job, step by step, over a real store."""

import threading
import time
from collections.abc import Callable, Iterator
from types import SimpleNamespace

import pytest
from redis import Redis
from redis.exceptions import ConnectionError as StoreIsAway

from plyscribe.domain.chain import StoredEvent
from plyscribe.domain.commands import Actor, CreateMatch, Withdraw
from plyscribe.domain.events import Account, MatchRefuted
from plyscribe.domain.replay import replay
from plyscribe.domain.verification import Execution
from plyscribe.service import composition
from plyscribe.service.composition import Parts, compose
from plyscribe.service.processes.embedded import start_server
from plyscribe.service.queues import import_queue, verify_queue
from plyscribe.service.store.feed import FeedGroup
from plyscribe.service.store.port import StoreError
from plyscribe.service.store.redis import RedisStore, connect_client
from plyscribe.service.streams.ids import command_of, stream_id
from plyscribe.workers import check_import as check_module
from plyscribe.workers import duties as duties_module
from plyscribe.workers import verify_match as verify_module
from plyscribe.workers.check_import import check_import
from plyscribe.workers.duties import verification as verification_module
from plyscribe.workers.duties.projecting import Projector
from plyscribe.workers.duties.scan import Scan
from plyscribe.workers.duties.verification import PENDING, Verifications
from plyscribe.workers.relay import Relay, open_relay
from plyscribe.workers.verify_match import verify_all
from tests.service.conftest import CONFIG
from tests.service.test_imports_api import Elsewhere
from tests.service.test_typed_imports_api import SOUND

pytestmark = pytest.mark.server

ANN = Actor("player", "player-" + "a" * 26)


class Rig:
    """A store, a relay and a queue; `finish` plays a match to its end."""

    def __init__(self, redis: Redis) -> None:
        self.redis = redis
        self.parts: Parts = compose(CONFIG, RedisStore(self.redis))
        self.queue, self.imports = verify_queue(self.redis), import_queue(self.redis)
        self.duty = self.new_duty()
        self.scan = Scan(self.parts.store, [self.duty]).scan
        self.relay = self.new_relay()

    def new_duty(self) -> Verifications:
        return Verifications(self.parts, self.redis, self.queue, self.imports, self.parts.matches)

    def new_relay(self) -> Relay:
        return Relay(FeedGroup(self.redis), [Scan(self.parts.store, [self.duty]), self.duty])

    def finish(self) -> str:
        asked = command_of("test", "POST", "/", None, b"")
        match = stream_id("match", asked)
        seats = (Account(ANN.id), Account(ANN.id))
        create = CreateMatch(actor=ANN, id="00", ruleset="zhen", seats=seats)
        self.parts.matches.execute(match, lambda _: create, asked, new=True)
        leave = Withdraw(actor=ANN, id="01", seat=1)
        self.parts.matches.execute(match, lambda _: leave, command_of("test", "POST", "/w", None, b""))
        return match

    def status(self, match: str) -> str:
        return self.parts.matches.read(match).life.status

    def pending(self) -> list[str]:
        return [member.decode() for member in self.redis.zrange(PENDING, 0, -1)]

    def jobs(self) -> list[str]:
        return self.queue.job_ids


@pytest.fixture(scope="module")
def redis(tmp_path_factory) -> Iterator[Redis]:
    with start_server(tmp_path_factory.mktemp("store")) as server, connect_client(server.url, 60.0) as client:
        yield client


@pytest.fixture
def rig(redis: Redis) -> Rig:
    redis.flushall()
    return Rig(redis)


def test_a_finished_match_is_noted_and_enqueued_once(rig):
    match = rig.finish()
    rig.relay.step(block_ms=0)
    rig.relay.step(block_ms=0)
    assert rig.jobs() == [f"verify_{match}_4"]
    assert rig.pending() == [match]


def test_a_match_under_way_is_not_enqueued(rig):
    asked = command_of("test", "POST", "/", None, b"")
    create = CreateMatch(actor=ANN, ruleset="zhen", seats=(None, None))
    rig.parts.matches.execute(stream_id("match", asked), lambda _: create, asked, new=True)
    rig.relay.step(block_ms=0)
    assert rig.jobs() == []


def test_a_score_strikes_the_match(rig):
    match = rig.finish()
    rig.relay.step(block_ms=0)
    assert verify_all(rig.parts, [(match, 4)]) == ["scored"]
    rig.relay.step(block_ms=0)
    assert rig.pending() == []


def test_entries_that_a_relay_did_not_acknowledge_before_it_died_come_again(rig, monkeypatch):
    match = rig.finish()
    monkeypatch.setattr(rig.duty, "take", lambda entries: (_ for _ in ()).throw(SystemExit))
    with pytest.raises(SystemExit):
        rig.relay.step(block_ms=0)
    assert rig.jobs() == []
    Relay(FeedGroup(rig.redis), [rig.new_duty()]).step(block_ms=0)
    assert rig.jobs() == [f"verify_{match}_4"]


def run_until(relay: Relay, done: Callable[[], object]) -> None:
    """Run the relay as its process does, until `done`."""
    thread = threading.Thread(target=relay.run)
    thread.start()
    try:
        deadline = time.monotonic() + 30
        while not done():
            assert time.monotonic() < deadline
            time.sleep(0.02)
    finally:
        relay.stop()
        thread.join()


@pytest.mark.parametrize("step", ["note", "enqueue", "acknowledge"])
def test_a_step_that_failed_is_done_again(rig, monkeypatch, step):
    failures = []

    def failing_once(work):
        def fail_then_work(*args: object, **more: object) -> object:
            if not failures:
                failures.append(step)
                raise StoreIsAway("once")
            return work(*args, **more)

        return fail_then_work

    group = FeedGroup(rig.redis)
    relay = Relay(group, [rig.duty])
    if step == "note":
        monkeypatch.setattr(rig.duty._agenda, "note", failing_once(rig.duty._agenda.note))
    elif step == "enqueue":
        enqueue = failing_once(verification_module.enqueue_verifications)
        monkeypatch.setattr(verification_module, "enqueue_verifications", enqueue)
    else:
        monkeypatch.setattr(group, "ack", failing_once(group.ack))
    match = rig.finish()
    run_until(relay, lambda: failures and rig.jobs() and FeedGroup(rig.redis).lag() == 0)
    assert rig.pending() == [match]
    assert set(rig.jobs()) == {f"verify_{match}_4"}


def test_what_happens_at_the_same_time_is_one_batch(rig, monkeypatch):
    taken = []
    relay = Relay(FeedGroup(rig.redis), [SimpleNamespace(take=taken.append, chores=())])
    first = rig.finish()
    real = FeedGroup.read

    def read(self, count, block_ms=0):
        batch = real(self, count, block_ms)
        if block_ms:
            rig.finish()
        return batch

    monkeypatch.setattr(FeedGroup, "read", read)
    relay.step(block_ms=100)
    [entries] = taken
    assert len({entry.stream for entry in entries}) == 2
    assert entries[0].stream == first
    assert FeedGroup(rig.redis).lag() == 0


def test_jobs_are_sent_before_the_lists_are_made(rig, monkeypatch):
    sent = []
    monkeypatch.setattr(Projector, "take", lambda *_: sent.append(rig.jobs()))
    match = rig.finish()
    open_relay(rig.parts, rig.redis, rig.redis).step(block_ms=0)
    assert sent == [[f"verify_{match}_4"]]


def test_a_stream_without_events_holds_up_nothing_else(rig, caplog):
    lost, match = rig.finish(), rig.finish()
    rig.redis.delete(*rig.redis.keys(f"*:ev:{lost}"), *rig.redis.keys("*:feed"))
    relay = rig.new_relay()
    relay.step(block_ms=0)
    assert rig.jobs() == [f"verify_{match}_4"]
    assert f"{lost} is listed in the store but has no events" in caplog.text


def test_a_stream_that_cannot_be_read_holds_up_no_other_match(rig, caplog):
    spoilt, match = rig.finish(), rig.finish()
    rig.scan()
    [key] = rig.redis.keys(f"*:ev:{spoilt}")
    rig.redis.delete(key)
    rig.redis.set(key, "no stream")
    rig.duty.sweep()
    assert rig.jobs() == [f"verify_{match}_4"]
    assert f"{spoilt} cannot be read" in caplog.text


def test_a_chore_that_fails_holds_up_no_other(rig, monkeypatch, caplog):
    match = rig.finish()
    rig.redis.delete(*rig.redis.keys("*:feed"))
    relay = rig.new_relay()
    rig.scan()
    monkeypatch.setattr(rig.parts.store, "streams", lambda *_: (_ for _ in ()).throw(StoreError("no")))
    relay.step(block_ms=0)
    assert "the scan of the relay failed" in caplog.text
    assert rig.jobs() == [f"verify_{match}_4"]
    assert f"retrying in {duties_module.RETRY_CHORE_S:.0f} s" in caplog.text


def test_a_match_that_gets_no_verdict_waits_longer_each_time_and_is_logged(rig, monkeypatch, caplog):
    match = rig.finish()
    rig.relay.step(block_ms=0)
    waits, now = [], verification_module.now_ms()
    for _ in range(5):
        now = int(rig.redis.zscore(PENDING, match))
        monkeypatch.setattr(verification_module, "now_ms", lambda now=now: now)
        rig.duty.sweep()
        waits.append(int(rig.redis.zscore(PENDING, match)) - now)
    assert waits == [verification_module.GRACE_MS << n for n in range(1, 6)]
    assert f"{match} is still not settled: enqueued again (sweep 5)" in caplog.text
    verify_all(rig.parts, [(match, 4)])
    rig.relay.step(block_ms=0)
    assert rig.redis.hlen(verification_module.SWEEPS) == 0


def test_a_job_that_was_lost_is_found_by_the_sweep(rig, monkeypatch):
    match = rig.finish()
    rig.relay.step(block_ms=0)
    rig.queue.empty()
    now = verification_module.now_ms()
    rig.duty.sweep()
    assert rig.jobs() == [], "too early: the job may still be at work"
    monkeypatch.setattr(verification_module, "now_ms", lambda: now + verification_module.GRACE_MS + 1000)
    rig.duty.sweep()
    assert rig.jobs() == [f"verify_{match}_4"]


def test_a_sweep_strikes_scored_matches(rig, monkeypatch):
    match = rig.finish()
    rig.relay.step(block_ms=0)
    verify_all(rig.parts, [(match, 4)])
    now = verification_module.now_ms()
    monkeypatch.setattr(verification_module, "now_ms", lambda: now + verification_module.GRACE_MS + 1000)
    rig.queue.empty()
    rig.duty.sweep()
    assert (rig.pending(), rig.jobs()) == ([], [])


def test_a_scan_finds_matches_that_neither_feed_nor_queue_hold(rig):
    match = rig.finish()
    rig.redis.delete(*rig.redis.keys("*:feed"))
    rig.scan()
    assert rig.pending() == [match]
    rig.duty.sweep()
    assert rig.jobs() == [f"verify_{match}_4"]


def test_the_streams_are_listed_once_for_all_trackers(rig, monkeypatch):
    match, streams, asked = rig.finish(), rig.parts.store.streams, []
    rig.redis.delete(*rig.redis.keys("*:feed"))
    monkeypatch.setattr(rig.parts.store, "streams", lambda after: asked.append(after) or streams(after))
    other = Verifications(rig.parts, rig.redis, rig.queue, rig.imports, rig.parts.matches)
    Scan(rig.parts.store, [rig.duty, other]).scan()
    assert rig.pending() == [match]
    assert asked == ["", match]


def test_the_verdict_is_recorded_once_however_often_the_job_runs(rig):
    match = rig.finish()
    for _ in range(3):
        assert verify_all(rig.parts, [(match, 4)]) == ["scored"]
    other_process = compose(CONFIG, RedisStore(rig.redis))
    assert verify_all(other_process, [(match, 4)]) == ["scored"]
    assert rig.parts.matches.read(match).version == 6


def test_two_workers_at_once_record_one_verdict(rig, monkeypatch):
    match = rig.finish()
    execute_again, nested = verify_module.execute_again, []

    def interleave(stream: str, entries: list[object]) -> object:
        if not nested:
            nested.append(True)
            assert verify_all(compose(CONFIG, RedisStore(rig.redis)), [(match, 4)]) == ["scored"]
        return execute_again(stream, entries)

    monkeypatch.setattr(verify_module, "execute_again", interleave)
    assert verify_all(rig.parts, [(match, 4)]) == ["scored"]
    assert rig.parts.matches.read(match).version == 6


def refute(stream: str, entries: list[StoredEvent]) -> Execution:
    return Execution(MatchRefuted(3, "because"), replay(stream, entries))


def test_a_mismatch_is_recorded_as_refuted(rig, monkeypatch):
    match = rig.finish()
    monkeypatch.setattr(verify_module, "execute_again", refute)
    assert verify_all(rig.parts, [(match, 4)]) == ["refuted"]
    assert rig.parts.matches.read(match).life.verdicts == (MatchRefuted(3, "because"),)


def bring(rig: Rig) -> str:
    """The import of a match of another server."""
    elsewhere = Elsewhere()
    bundle = elsewhere.bundle(elsewhere.play())
    taken = rig.parts.imports.take(ANN, bundle).imported
    assert taken is not None
    return taken.stream


def test_an_import_is_noted_enqueued_and_judged_once(rig):
    stream = bring(rig)
    rig.relay.step(block_ms=0)
    assert (rig.imports.job_ids, rig.jobs()) == ([f"check_{stream}_3"], [])
    assert rig.pending() == [stream]
    for _ in range(2):
        assert check_import(rig.parts, stream) == "verified"
    assert check_import(compose(CONFIG, RedisStore(rig.redis)), stream) == "verified"
    rig.relay.step(block_ms=0)
    assert rig.pending() == []
    assert rig.parts.imports.read(stream).version == 4


def test_a_text_record_is_played_once(rig):
    asked = command_of("test", "POST", "/v1/imports", None, b"")
    stream = rig.parts.records.receive(ANN, SOUND.encode(), False, asked).state.stream
    rig.relay.step(block_ms=0)
    assert (rig.imports.job_ids, rig.jobs()) == ([f"check_{stream}_1"], [])
    for _ in range(2):
        assert check_import(rig.parts, stream) == "entered"
    assert check_import(compose(CONFIG, RedisStore(rig.redis)), stream) == "entered"
    rig.relay.step(block_ms=0)
    match = stream.replace("import", "match")
    assert rig.pending() == [match]
    assert verify_all(rig.parts, [(match, rig.parts.matches.read(match).version)]) == ["scored"]


def test_two_workers_at_once_judge_an_import_once(rig, monkeypatch):
    stream, nested = bring(rig), []
    check_match = check_module.check_match

    def interleave(match: str, entries: list[StoredEvent]) -> object:
        if not nested:
            nested.append(True)
            assert check_import(compose(CONFIG, RedisStore(rig.redis)), stream) == "verified"
        return check_match(match, entries)

    monkeypatch.setattr(check_module, "check_match", interleave)
    assert check_import(rig.parts, stream) == "verified"
    assert rig.parts.imports.read(stream).version == 4


def test_an_import_whose_job_was_lost_is_found_by_scan_and_sweep(rig):
    stream = bring(rig)
    rig.redis.delete(*rig.redis.keys("*:feed"))
    rig.scan()
    assert rig.pending() == [stream]
    rig.duty.sweep()
    assert (rig.imports.job_ids, rig.jobs()) == ([f"check_{stream}_3"], [])


def test_parts_are_composed_from_the_environment(monkeypatch):
    monkeypatch.setenv("REDIS_URL", "redis://127.0.0.1:1")
    monkeypatch.setenv("PLYSCRIBE_READ_URL", "sqlite://")
    monkeypatch.setenv("PLYSCRIBE_SERVER_KEY", "00" * 32)
    assert composition.compose_process().config.redis_url == "redis://127.0.0.1:1"
