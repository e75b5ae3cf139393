"""Scoring over a real store: once despite retries, kills and races, first in the ledger, and never if annulled."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from redis import Redis
from rq.registry import FailedJobRegistry
from rq.serializers import JSONSerializer

from plyscribe.domain.codec import parse_event
from plyscribe.domain.commands import (
    AbortMatch,
    Actor,
    AnnulMatch,
    Command,
    CreateMatch,
    ScoreMatch,
    TakeSeat,
    Withdraw,
)
from plyscribe.domain.errors import UnknownRuleset
from plyscribe.domain.events import Account, MatchScored
from plyscribe.domain.ledger import LEDGER, ledger_of
from plyscribe.domain.match import Match
from plyscribe.service.composition import Parts, compose
from plyscribe.service.errors import Contended
from plyscribe.service.processes.embedded import start_server
from plyscribe.service.queues import MATCHES_A_JOB
from plyscribe.service.store.feed import FeedGroup
from plyscribe.service.store.port import FeedEntry, bucket_of
from plyscribe.service.store.redis import RedisStore, connect_client
from plyscribe.service.streams.ids import command_of, stream_id
from plyscribe.workers import score_match as score_module
from plyscribe.workers import verify_match as verify_module
from plyscribe.workers.batch import do_all
from plyscribe.workers.duties import verification as verification_module
from plyscribe.workers.score_match import score_all, settle
from plyscribe.workers.verify_match import verify_all
from plyscribe.workers.worker import Worker
from tests.service.conftest import CONFIG
from tests.workers.test_relay import Rig, refute

pytestmark = pytest.mark.server

ANN, BEN = (Actor("player", f"player-{name * 26}") for name in "ab")
ORGANISER = Actor("organiser", "player-" + "o" * 26)
END = 5
"""The version of the end of a rated match."""


class Killed(BaseException):
    """Stands for a kill: the process does nothing after it."""


class Hall(Rig):
    """A rig whose matches are rated: Ann and Ben sit down, and Ann resigns."""

    def send(self, match: str, command: type[Command], actor: Actor, **fields: object) -> str:
        asked = command_of(str(actor), "POST", f"/{command.__name__}", None, b"")
        order = command(actor=actor, id=asked.id.hex(), **fields)
        return self.parts.matches.execute(match, lambda _: order, asked, new=command is CreateMatch).state.life.status

    def open(self, rated: bool = True) -> str:
        match = stream_id("match", command_of("test", "POST", "/", None, b""))
        seats = (Account(ANN.id), Account(BEN.id))
        # As in an earlier release, so that it counts without moves and has few events.
        self.send(match, CreateMatch, ANN, ruleset="zhen", seats=seats, rated=rated, counts_from=None)
        return match

    def end(self, rated: bool = True) -> str:
        match = self.open(rated)
        self.send(match, TakeSeat, BEN, seat=2)
        assert self.send(match, Withdraw, ANN) == "ended"
        return match

    def annul(self, match: str) -> None:
        self.send(match, AnnulMatch, ORGANISER, why="cheat")

    def new_process(self) -> Parts:
        return compose(CONFIG, RedisStore(self.redis))

    def types(self, match: str) -> list[str]:
        return [parse_event(entry).data.type for entry in self.parts.store.load(match).entries]

    def ledger(self) -> list[str]:
        entries = self.parts.store.load(ledger_of("zhen")).entries
        return [LEDGER.parse(entry).data.type for entry in entries]

    def rated(self) -> list[str]:
        """The players in the table, as a fresh process sees it."""
        return [row.player for row in self.new_process().ratings.read_table("zhen", 100).rows]

    def follow(self) -> None:
        """Relay the whole feed."""
        while FeedGroup(self.redis).lag():
            self.relay.step(block_ms=0)

    def do_jobs(self) -> None:
        """Let a worker do all jobs on the queue."""
        worker = Worker([self.queue], connection=self.redis, serializer=JSONSerializer)
        worker.work(burst=True, logging_level="WARNING")

    def sweep_after_a_while(self, monkeypatch: pytest.MonkeyPatch, graces: int = 10) -> None:
        """Lose what is on the queue, and sweep after this many times the grace of a job."""
        later = verification_module.now_ms() + graces * verification_module.GRACE_MS
        with monkeypatch.context() as patch:
            patch.setattr(verification_module, "now_ms", lambda: later)
            self.queue.empty()
            self.duty.sweep()


@pytest.fixture(scope="module")
def redis(tmp_path_factory) -> Iterator[Redis]:
    with start_server(tmp_path_factory.mktemp("store")) as server, connect_client(server.url, 60.0) as client:
        yield client


@pytest.fixture
def hall(redis: Redis, monkeypatch: pytest.MonkeyPatch) -> Hall:
    redis.flushall()
    hall = Hall(redis)
    for module in (verify_module, score_module):
        monkeypatch.setattr(module, "process_parts", lambda: hall.parts)
    return hall


def killed_at(parts: Parts, monkeypatch: pytest.MonkeyPatch, method: str, before: bool) -> None:
    """Let the process die at its next append of this kind, just before or just after it."""
    owner, name = (parts.ledgers, method) if method == "rate" else (parts.matches, "execute_all")
    work: Callable[..., object] = getattr(owner, name)

    def die(given: Any) -> object:
        if method == "score" and not any(isinstance(order.command, ScoreMatch) for order in given):
            return work(given)
        if not before:
            work(given)
        raise Killed

    monkeypatch.setattr(owner, name, die)


def record_verdict(parts: Parts, match: str) -> Match:
    """The match as a worker leaves it when it dies right after the verdict."""
    entries = parts.matches.read_events(match, 0)
    return do_all(parts.matches, [match], lambda _: [verify_module.record_verdict(parts, match, END, entries)])[0]


def test_a_match_is_verified_and_scored_by_one_job(hall):
    match = hall.end(rated=False)
    hall.follow()
    hall.do_jobs()
    assert hall.types(match)[-2:] == ["match-verified", "match-scored"]
    assert hall.parts.matches.read(match).life.score == MatchScored((0, 2), None)
    assert hall.ledger() == []


def test_a_rated_match_is_scored_with_its_place_in_the_ledger(hall):
    first, second = hall.end(), hall.end()
    for match in (first, second):
        assert verify_all(hall.parts, [(match, END)]) == ["scored"]
    scores = [hall.parts.matches.read(match).life.score for match in (first, second)]
    assert scores == [MatchScored((0, 2), 2), MatchScored((0, 2), 3)]
    assert hall.rated() == [BEN.id, ANN.id]


def test_matches_that_ended_together_share_jobs(hall):
    matches = [hall.end() for _ in range(MATCHES_A_JOB + 4)]
    hall.duty.take([FeedEntry(match, END, END, ("seat-withdrawn", "match-ended")) for match in matches])
    assert len(hall.jobs()) == 2
    hall.do_jobs()
    assert {hall.status(match) for match in matches} == {"scored"}
    assert hall.ledger().count("match-rated") == len(matches)
    hall.follow()
    assert hall.pending() == []


def test_a_match_that_fails_holds_up_no_other_in_its_job(hall, monkeypatch):
    bad, good = hall.end(), hall.end()
    execute_again = verify_module.execute_again

    def fail_on_one(stream: str, entries: list[object]) -> object:
        if stream == bad:
            raise UnknownRuleset("zhen", 9)
        return execute_again(stream, entries)

    monkeypatch.setattr(verify_module, "execute_again", fail_on_one)
    hall.follow()
    hall.do_jobs()
    assert (hall.status(bad), hall.status(good)) == ("ended", "scored")
    assert len(FailedJobRegistry(queue=hall.queue)) == 1
    hall.follow()
    assert hall.pending() == [bad]


def test_a_stream_that_cannot_be_read_does_not_hold_up_others_in_its_job_for_long(hall, monkeypatch):
    bad, good = hall.end(), hall.end()
    events = f"{{{bucket_of(bad)}}}:ev:{bad}"
    hall.redis.delete(events)
    hall.redis.set(events, "no stream")
    hall.follow()
    hall.do_jobs()
    assert hall.status(good) == "ended", "the two were read together"
    hall.sweep_after_a_while(monkeypatch)
    hall.do_jobs()
    assert hall.status(good) == "scored"


@pytest.mark.parametrize("before", [True, False], ids=["before", "after"])
@pytest.mark.parametrize("method", ["rate", "score"])
def test_a_worker_killed_around_the_ledger_and_the_score_leaves_them_to_the_sweep(hall, monkeypatch, method, before):
    match = hall.end()
    hall.follow()
    doomed = hall.new_process()
    killed_at(doomed, monkeypatch, method, before)
    with pytest.raises(Killed):
        verify_all(doomed, [(match, END)])
    hall.follow()
    hall.sweep_after_a_while(monkeypatch)
    hall.do_jobs()
    assert hall.status(match) == "scored"
    assert hall.types(match).count("match-scored") == 1
    assert hall.ledger() == ["ratings-opened", "match-rated"]
    hall.follow()
    assert hall.pending() == []


def test_workers_that_race_enter_and_score_each_match_once(hall):
    matches = [hall.end() for _ in range(6)]
    barrier = threading.Barrier(4)

    def work(_: int) -> None:
        parts = hall.new_process()
        barrier.wait()
        for match in matches:
            assert verify_all(parts, [(match, END)]) == ["scored"]

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    assert hall.ledger() == ["ratings-opened", *["match-rated"] * 6]
    for match in matches:
        assert hall.types(match)[-2:] == ["match-verified", "match-scored"]


def test_a_ledger_that_others_write_to_all_the_time_is_tried_again(hall, monkeypatch):
    match = hall.end()
    execute, refused = hall.parts.ledgers._ledgers.execute, []

    def come_too_late(stream: str, *more: object) -> object:
        if len(refused) < 3:
            refused.append(stream)
            raise Contended(stream)
        return execute(stream, *more)

    monkeypatch.setattr(hall.parts.ledgers._ledgers, "execute", come_too_late)
    assert verify_all(hall.parts, [(match, END)]) == ["scored"]
    assert refused == [ledger_of("zhen")] * 3


def test_the_ratings_of_a_new_process_are_those_of_the_old_one(hall):
    for match in [hall.end() for _ in range(5)]:
        verify_all(hall.parts, [(match, END)])
        followed = hall.parts.ratings.read_table("zhen", 100)
    assert hall.new_process().ratings.read_table("zhen", 100) == followed


@pytest.mark.parametrize("before", [True, False], ids=["before", "after"])
def test_a_match_annulled_while_its_score_is_written_ends_unrated(hall, monkeypatch, before):
    match = hall.end()
    rate = hall.parts.ledgers.rate

    def annulled_meanwhile(state: object) -> int:
        if before:
            hall.annul(match)
            return rate(state)
        place = rate(state)
        hall.annul(match)
        return place

    monkeypatch.setattr(hall.parts.ledgers, "rate", annulled_meanwhile)
    assert verify_all(hall.parts, [(match, END)]) == ["annulled"]
    assert "match-scored" not in hall.types(match)
    assert hall.ledger() == ["ratings-opened", "match-rated", "match-unrated"]
    assert hall.rated() == []


def test_a_worker_that_comes_late_rates_no_match_that_was_annulled_and_unrated(hall):
    match = hall.end()
    verified = record_verdict(hall.parts, match)
    hall.annul(match)
    assert score_all(hall.new_process(), [match]) == ["annulled"]
    assert do_all(hall.parts.matches, [verified], lambda late: [settle(hall.parts, *late)]) == ["annulled"]
    assert hall.ledger() == ["ratings-opened", "match-unrated"]
    assert hall.rated() == []


@pytest.mark.parametrize("scored", [True, False])
def test_an_interrupted_annulment_is_completed(hall, monkeypatch, scored):
    match = hall.end()
    if scored:
        verify_all(hall.parts, [(match, END)])
    else:
        record_verdict(hall.parts, match)
    hall.annul(match)
    hall.follow()
    assert [id.partition("_")[0] for id in hall.jobs()] == ["score"]
    hall.sweep_after_a_while(monkeypatch)
    hall.do_jobs()
    assert hall.ledger()[-1] == "match-unrated"
    assert hall.rated() == []
    hall.sweep_after_a_while(monkeypatch, graces=100)
    assert hall.pending() == []


def test_a_scan_completes_annulments_that_neither_feed_nor_queue_hold(hall, monkeypatch):
    match = hall.end()
    verify_all(hall.parts, [(match, END)])
    hall.annul(match)
    hall.redis.delete(*hall.redis.keys("*:feed"))
    hall.scan()
    assert hall.pending() == [match]
    hall.sweep_after_a_while(monkeypatch)
    hall.do_jobs()
    assert hall.ledger().count("match-unrated") == 1


def test_a_match_is_unrated_once_however_often_it_is_asked_for(hall):
    match = hall.end()
    verify_all(hall.parts, [(match, END)])
    hall.annul(match)
    for parts in (hall.parts, hall.parts, hall.new_process()):
        assert score_all(parts, [match]) == ["annulled"]
    assert hall.ledger() == ["ratings-opened", "match-rated", "match-unrated"]


def test_an_annulled_match_without_a_verdict_never_enters_the_ledger(hall):
    match = hall.end()
    hall.annul(match)
    assert score_all(hall.parts, [match]) == ["annulled"]
    assert hall.ledger() == []


def test_a_refuted_match_is_not_scored(hall, monkeypatch):
    match = hall.end()
    monkeypatch.setattr(verify_module, "execute_again", refute)
    assert verify_all(hall.parts, [(match, END)]) == ["refuted"]
    hall.follow()
    assert (hall.pending(), hall.ledger()) == ([], [])


def test_an_aborted_match_is_not_scored(hall):
    match = hall.open()
    hall.send(match, AbortMatch, ANN)
    assert verify_all(hall.parts, [(match, END)]) == ["aborted"]
    hall.follow()
    hall.scan()
    assert (hall.pending(), hall.jobs(), hall.ledger()) == ([], [], [])


def test_matches_that_were_verified_before_scores_existed_are_scored(hall, monkeypatch):
    match = hall.end(rated=False)
    record_verdict(hall.parts, match)
    hall.redis.delete(*hall.redis.keys("*:feed"))
    hall.scan()
    assert hall.pending() == [match]
    hall.sweep_after_a_while(monkeypatch)
    assert [id.partition("_")[0] for id in hall.jobs()] == ["score"]
    hall.do_jobs()
    assert hall.status(match) == "scored"


def test_a_stream_that_cannot_be_read_makes_a_scan_miss_no_other_match(hall, caplog):
    spoilt, match = hall.end(), hall.end()
    [key] = hall.redis.keys(f"*:ev:{spoilt}")
    hall.redis.delete(key)
    hall.redis.set(key, "no stream")
    hall.scan()
    assert hall.pending() == [match]
    assert f"{spoilt} cannot be read" in caplog.text
