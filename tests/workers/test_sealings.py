"""Settled matches are sent to be sealed once they have rested, and the worker that seals tidies the archive."""

from dataclasses import replace
from pathlib import Path

import fakeredis
import pytest
from rq import Queue

from plyscribe.service.archive.repacking import KEPT_EMPTY_MS
from plyscribe.service.clock import now_ms
from plyscribe.service.composition import Parts, compose
from plyscribe.service.queues import seal_queue
from plyscribe.service.store.memory import MemoryStore
from plyscribe.service.store.port import FeedEntry
from plyscribe.workers.copy_streams import copy_due, copy_streams
from plyscribe.workers.duties.copy_passes import CopyPasses
from plyscribe.workers.duties.sealings import AGAIN_MS, GATHER_MS, Sealings
from plyscribe.workers.duties.sending import Sender
from plyscribe.workers.seal_matches import seal_all
from tests.archive.settled import fill, make_settled
from tests.service.conftest import CONFIG

REST_MS = 24 * GATHER_MS


class Rig:
    """The duty over a store in memory, and a clock that is moved by hand."""

    def __init__(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seal_after_s: int | None) -> None:
        config = replace(CONFIG, archive=(tmp_path / "archive").as_uri(), seal_after_s=seal_after_s)
        self.store = MemoryStore()
        self.parts: Parts = compose(config, self.store)
        self.redis = fakeredis.FakeRedis(server=fakeredis.FakeServer())
        self.queue: Queue = seal_queue(self.redis)
        self.duty = Sealings(self.parts, self.redis, self.queue, Sender())
        self.now = 2_000_000_000_000
        for module in ("duties.sealings", "seal_matches"):
            monkeypatch.setattr(f"plyscribe.workers.{module}.now_ms", lambda: self.now)
        self.matches = fill(self.store, [make_settled(number) for number in range(3)])

    def settle(self, *matches: str) -> None:
        self.duty.take([FeedEntry(match, 9, 9, ("match-aborted",)) for match in matches])

    def sent(self) -> list[list[str]]:
        """The matches of each job that was sent since the last look."""
        self.duty.send_due()
        found = [job.args[0] for job in self.queue.jobs]
        self.queue.empty()
        return found


@pytest.fixture
def rig(tmp_path, monkeypatch) -> Rig:
    return Rig(tmp_path, monkeypatch, REST_MS // 1000)


def test_a_settled_match_is_sent_once_it_has_rested_and_waited_for_others(rig):
    rig.settle(rig.matches[0])
    rig.now += GATHER_MS // 2
    rig.settle(rig.matches[1])
    rig.now += REST_MS - GATHER_MS // 2
    assert rig.sent() == []
    rig.now += GATHER_MS // 2
    assert rig.sent() == []
    rig.now += GATHER_MS // 2
    assert rig.sent() == [rig.matches[:2]]


def test_what_was_sent_in_vain_is_sent_again_and_what_is_sealed_is_not(rig):
    rig.settle(*rig.matches)
    rig.now += REST_MS + GATHER_MS
    assert rig.sent() == [sorted(rig.matches)]
    assert rig.sent() == []
    assert seal_all(rig.parts, rig.matches[:1]) == 1
    rig.now += AGAIN_MS + GATHER_MS
    assert rig.sent() == [sorted(rig.matches[1:])]
    seal_all(rig.parts, rig.matches)
    rig.now += AGAIN_MS + GATHER_MS
    assert rig.sent() == []
    assert rig.redis.zcard("relay:sealable") == 0


def test_a_match_that_goes_on_rests_again(rig):
    rig.settle(rig.matches[0])
    rig.now += REST_MS
    rig.settle(rig.matches[0])
    rig.now += GATHER_MS
    assert rig.sent() == []
    rig.now += REST_MS
    assert rig.sent() == [rig.matches[:1]]


def test_the_scan_finds_settled_matches_by_their_newest_event(rig):
    newest = dict(zip(rig.matches, rig.store.newest(rig.matches), strict=True))
    newest[rig.matches[2]] = rig.store.load(rig.matches[2]).entries[3]
    rig.duty.find(newest)
    rig.now += REST_MS + GATHER_MS
    assert rig.sent() == [sorted(rig.matches[:2])]


def test_without_rest_matches_are_sent_at_once(tmp_path, monkeypatch):
    rig = Rig(tmp_path, monkeypatch, 0)
    rig.duty.take([FeedEntry(rig.matches[0], 3, 3, ("move-made",)), FeedEntry("import-a", 3, 3, ("match-scored",))])
    assert rig.sent() == [], "it settles no match"
    rig.settle(*rig.matches)
    assert rig.sent() == [sorted(rig.matches)]


def test_matches_that_shall_rest_for_ever_are_neither_noted_nor_copied(tmp_path, monkeypatch):
    rig = Rig(tmp_path, monkeypatch, None)
    rig.settle(*rig.matches)
    rig.duty.find(dict(zip(rig.matches, rig.store.newest(rig.matches), strict=True)))
    assert rig.duty.chores == CopyPasses(rig.parts, rig.queue, Sender()).chores == ()
    assert rig.redis.zcard("relay:sealable") == 0
    copy_due(rig.parts)
    assert not list(rig.parts.archive.copies.list_packs())


def test_the_worker_merges_small_packs_and_removes_emptied_ones_later(rig, monkeypatch):
    monkeypatch.setattr("plyscribe.service.archive.repacking.SMALL_PACKS", 3)
    # The archive notes the time by a clock of its own.
    rig.now = now_ms()
    for match in rig.matches:
        seal_all(rig.parts, [match])
    archive = rig.parts.archive
    assert len(list(archive.list_packs())) == 4
    assert len(archive.list_emptied()) == 3
    rig.now = max(archive.list_emptied().values()) + KEPT_EMPTY_MS + 1
    assert seal_all(rig.parts, rig.matches) == 0
    assert len(list(archive.list_packs())) == 1
    assert [len(rig.parts.store.load(match).entries) > 9 for match in rig.matches] == [True] * 3


def test_the_job_that_copies_is_sent_once_until_it_is_done(rig):
    duty = CopyPasses(rig.parts, rig.queue, Sender())
    for _ in range(2):
        duty.send()
        [job] = rig.queue.jobs
    assert job.func is copy_streams
    rig.queue.empty()
    duty.send()
    assert len(rig.queue.jobs) == 1
