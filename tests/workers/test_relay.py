"""The relay and the verify job, step by step, over a real store."""

import threading
from collections.abc import Callable
from types import SimpleNamespace

import pytest
from redis import Redis
from redis.exceptions import ConnectionError as StoreIsAway

from plyscribe.domain.chain import StoredEvent
from plyscribe.domain.commands import CreateMatch, Withdraw
from plyscribe.domain.events import MatchRefuted
from plyscribe.domain.replay import replay
from plyscribe.domain.verification import Execution
from plyscribe.service.config import Config
from plyscribe.service.queues import import_queue, verify_queue
from plyscribe.service.store.feed import FeedGroup
from plyscribe.service.store.port import StoreError
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
from tests.store.given import eventually
from tests.workers.given import ANN, ME, Killed, Workplace, kill, new_key, put_forward


class Rig(Workplace):
    """A store, a relay and a queue; `finish` plays a match to its end."""

    def __init__(self, redis: Redis, config: Config = CONFIG) -> None:
        super().__init__(redis, config)
        self.queue, self.imports = verify_queue(redis), import_queue(redis)
        self.restart()

    def restart(self) -> None:
        """Start another relay, as after a crash."""
        self.duty = self.new_duty()
        self.scan = Scan(self.parts.store, [self.duty]).scan
        self.relay = Relay(FeedGroup(self.redis), [Scan(self.parts.store, [self.duty]), self.duty])

    def new_duty(self) -> Verifications:
        return Verifications(self.parts, self.redis, self.queue, self.imports, self.parts.matches)

    def finish(self) -> str:
        match = self.open(CreateMatch, ruleset="zhen", seats=(ME, ME))
        self.do(match, Withdraw, seat=1)
        return match

    def pending(self) -> list[str]:
        return self.list_noted(PENDING)

    def jobs(self) -> list[str]:
        return self.queue.job_ids


@pytest.fixture
def rig(redis: Redis) -> Rig:
    return Rig(redis)


def test_a_finished_match_is_noted_and_enqueued_once_until_its_score_strikes_it(rig):
    rig.open(CreateMatch, ruleset="zhen", seats=(None, None))
    match = rig.finish()
    rig.relay.step(block_ms=0)
    rig.relay.step(block_ms=0)
    assert (rig.jobs(), rig.pending()) == ([f"verify_{match}_4"], [match])
    assert verify_all(rig.parts, [(match, 4)]) == ["scored"]
    rig.relay.step(block_ms=0)
    assert rig.pending() == []


def test_entries_that_a_relay_did_not_acknowledge_before_it_died_come_again(rig, monkeypatch):
    match = rig.finish()
    monkeypatch.setattr(rig.duty, "take", kill)
    with pytest.raises(Killed):
        rig.relay.step(block_ms=0)
    assert rig.jobs() == []
    Relay(FeedGroup(rig.redis), [rig.new_duty()]).step(block_ms=0)
    assert rig.jobs() == [f"verify_{match}_4"]


def run_until(relay: Relay, done: Callable[[], object]) -> None:
    """Run the relay as its process does, until `done`."""
    thread = threading.Thread(target=relay.run)
    thread.start()
    try:
        eventually(lambda: bool(done()))
    finally:
        relay.stop()
        thread.join()


@pytest.mark.parametrize("step", ["note", "enqueue", "acknowledge"])
def test_a_step_that_failed_is_done_again(rig, monkeypatch, step):
    group, failures = FeedGroup(rig.redis), []
    relay = Relay(group, [rig.duty])
    owner, name = {
        "note": (rig.duty._agenda, "note"),
        "enqueue": (verification_module, "enqueue_verifications"),
        "acknowledge": (group, "ack"),
    }[step]
    work = getattr(owner, name)

    def fail_once(*args: object, **more: object) -> object:
        if not failures:
            failures.append(step)
            raise StoreIsAway("once")
        return work(*args, **more)

    monkeypatch.setattr(owner, name, fail_once)
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


def test_streams_without_events_or_of_another_kind_hold_up_no_other_match(rig, caplog):
    lost, spoilt, match = rig.finish(), rig.finish(), rig.finish()
    rig.redis.delete(*rig.redis.keys(f"*:ev:{lost}"))
    rig.lose_feed()
    rig.scan()
    rig.spoil(spoilt)
    rig.duty.sweep()
    assert rig.jobs() == [f"verify_{match}_4"]
    assert f"{lost} is listed in the store but has no events" in caplog.text
    assert f"{spoilt} cannot be read" in caplog.text


def test_a_chore_that_fails_holds_up_no_other(rig, monkeypatch, caplog):
    match = rig.finish()
    rig.lose_feed()
    rig.scan()
    monkeypatch.setattr(rig.parts.store, "streams", lambda *_: (_ for _ in ()).throw(StoreError("no")))
    rig.relay.step(block_ms=0)
    assert "the scan of the relay failed" in caplog.text
    assert rig.jobs() == [f"verify_{match}_4"]
    assert f"retrying in {duties_module.RETRY_CHORE_S:.0f} s" in caplog.text


def test_a_match_that_gets_no_verdict_waits_longer_each_time_and_is_logged(rig, monkeypatch, caplog):
    match = rig.finish()
    rig.relay.step(block_ms=0)
    waits = []
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


@pytest.mark.parametrize("scored", [False, True])
def test_a_sweep_sends_a_lost_job_again_and_strikes_a_scored_match(rig, monkeypatch, scored):
    match = rig.finish()
    rig.relay.step(block_ms=0)
    rig.queue.empty()
    rig.duty.sweep()
    assert rig.jobs() == [], "too early: the job may still be at work"
    if scored:
        verify_all(rig.parts, [(match, 4)])
    put_forward(monkeypatch, verification_module, verification_module.GRACE_MS + 1000)
    rig.duty.sweep()
    assert (rig.pending(), rig.jobs()) == (([], []) if scored else ([match], [f"verify_{match}_4"]))


def test_a_scan_finds_matches_that_neither_feed_nor_queue_hold_once_for_all_trackers(rig, monkeypatch):
    match, streams, asked = rig.finish(), rig.parts.store.streams, []
    rig.lose_feed()
    monkeypatch.setattr(rig.parts.store, "streams", lambda after: asked.append(after) or streams(after))
    Scan(rig.parts.store, [rig.duty, rig.new_duty()]).scan()
    assert rig.pending() == [match]
    assert asked == ["", match]
    rig.duty.sweep()
    assert rig.jobs() == [f"verify_{match}_4"]


def test_the_verdict_is_recorded_once_however_often_and_by_how_many_workers_the_job_runs(rig, monkeypatch):
    match = rig.finish()
    execute_again, nested = verify_module.execute_again, []

    def interleave(stream: str, entries: list[object]) -> object:
        if not nested:
            nested.append(True)
            assert verify_all(rig.new_parts(), [(match, 4)]) == ["scored"]
        return execute_again(stream, entries)

    monkeypatch.setattr(verify_module, "execute_again", interleave)
    for parts in (rig.parts, rig.parts, rig.new_parts()):
        assert verify_all(parts, [(match, 4)]) == ["scored"]
    assert rig.read(match).version == 6


def refute(stream: str, entries: list[StoredEvent]) -> Execution:
    return Execution(MatchRefuted(3, "because"), replay(stream, entries))


def bring(rig: Rig) -> str:
    """The import of a match of another server."""
    elsewhere = Elsewhere()
    taken = rig.parts.imports.take(ANN, elsewhere.bundle(elsewhere.play())).imported
    assert taken is not None
    return taken.stream


def test_an_import_is_noted_enqueued_and_judged_once(rig):
    stream = bring(rig)
    rig.relay.step(block_ms=0)
    assert (rig.imports.job_ids, rig.jobs()) == ([f"check_{stream}_3"], [])
    assert rig.pending() == [stream]
    for _ in range(2):
        assert check_import(rig.parts, stream) == "verified"
    assert check_import(rig.new_parts(), stream) == "verified"
    rig.relay.step(block_ms=0)
    assert rig.pending() == []
    assert rig.parts.imports.read(stream).version == 4


def test_a_text_record_is_played_once(rig):
    stream = rig.parts.records.receive(ANN, SOUND.encode(), False, new_key()).state.stream
    rig.relay.step(block_ms=0)
    assert (rig.imports.job_ids, rig.jobs()) == ([f"check_{stream}_1"], [])
    for parts in (rig.parts, rig.parts, rig.new_parts()):
        assert check_import(parts, stream) == "entered"
    rig.relay.step(block_ms=0)
    match = stream.replace("import", "match")
    assert rig.pending() == [match]
    assert verify_all(rig.parts, [(match, rig.read(match).version)]) == ["scored"]


def test_two_workers_at_once_judge_an_import_once(rig, monkeypatch):
    stream, nested = bring(rig), []
    check_match = check_module.check_match

    def interleave(match: str, entries: list[StoredEvent]) -> object:
        if not nested:
            nested.append(True)
            assert check_import(rig.new_parts(), stream) == "verified"
        return check_match(match, entries)

    monkeypatch.setattr(check_module, "check_match", interleave)
    assert check_import(rig.parts, stream) == "verified"
    assert rig.parts.imports.read(stream).version == 4


def test_an_import_whose_job_was_lost_is_found_by_scan_and_sweep(rig):
    stream = bring(rig)
    rig.lose_feed()
    rig.scan()
    assert rig.pending() == [stream]
    rig.duty.sweep()
    assert (rig.imports.job_ids, rig.jobs()) == ([f"check_{stream}_3"], [])
