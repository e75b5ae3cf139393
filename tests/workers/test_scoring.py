"""Scoring over a real store: once despite retries, kills and races, first in the ledger, and never if annulled."""

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from redis import Redis
from rq.registry import FailedJobRegistry
from rq.serializers import JSONSerializer

from plyscribe.domain.commands import AbortMatch, AnnulMatch, CreateMatch, ScoreMatch, TakeSeat, Withdraw
from plyscribe.domain.errors import UnknownRuleset
from plyscribe.domain.events import Account, MatchScored
from plyscribe.domain.ledger import LEDGER, ledger_of
from plyscribe.domain.match import Match
from plyscribe.service.composition import Parts, compose
from plyscribe.service.errors import Contended
from plyscribe.service.queues import MATCHES_A_JOB
from plyscribe.service.store.port import FeedEntry
from plyscribe.service.store.redis import RedisStore
from plyscribe.workers import score_match as score_module
from plyscribe.workers import verify_match as verify_module
from plyscribe.workers.batch import do_all
from plyscribe.workers.duties import verification as verification_module
from plyscribe.workers.score_match import score_all, settle
from plyscribe.workers.verify_match import verify_all
from plyscribe.workers.worker import Worker
from tests.workers.given import ANN, BEN, ORGANISER, Killed, put_forward
from tests.workers.test_relay import Rig, refute

END = 5
"""The version of the end of a rated match."""


class Hall(Rig):
    """A rig whose matches are rated: Ann and Ben sit down, and Ann resigns."""

    def new_parts(self) -> Parts:
        # Without a client, a process knows of no unsettled matches, and waits for none.
        return compose(self.config, RedisStore(self.redis))

    def seat(self, rated: bool = True) -> str:
        seats = (Account(ANN.id), Account(BEN.id))
        # As in an earlier release, so that it counts without moves and has few events.
        return self.open(CreateMatch, ruleset="zhen", seats=seats, rated=rated, counts_from=None)

    def end(self, rated: bool = True) -> str:
        match = self.seat(rated)
        self.do(match, TakeSeat, BEN, seat=2)
        self.do(match, Withdraw)
        return match

    def annul(self, match: str) -> None:
        self.do(match, AnnulMatch, ORGANISER, why="cheat")

    def verify(self, *matches: str, parts: Parts | None = None) -> list[str]:
        return verify_all(parts or self.parts, [(match, END) for match in matches])

    def ledger(self) -> list[str]:
        entries = self.parts.store.load(ledger_of("zhen")).entries
        return [LEDGER.parse(entry).data.type for entry in entries]

    def rated(self) -> list[str]:
        """The players in the table, as a fresh process sees it."""
        return [row.player for row in self.new_parts().ratings.read_table("zhen", 100).rows]

    def do_jobs(self) -> None:
        """Let a worker do all jobs on the queue."""
        worker = Worker([self.queue], connection=self.redis, serializer=JSONSerializer)
        worker.work(burst=True, logging_level="WARNING")

    def sweep_after_a_while(self, monkeypatch: pytest.MonkeyPatch, graces: int = 10) -> None:
        """Lose what is on the queue, and sweep after this many times the grace of a job."""
        with monkeypatch.context() as patch:
            put_forward(patch, verification_module, graces * verification_module.GRACE_MS)
            self.queue.empty()
            self.duty.sweep()


@pytest.fixture
def hall(redis: Redis, monkeypatch: pytest.MonkeyPatch) -> Hall:
    hall = Hall(redis)
    for module in (verify_module, score_module):
        monkeypatch.setattr(module, "process_parts", lambda: hall.parts)
    return hall


def killed_at(parts: Parts, monkeypatch: pytest.MonkeyPatch, method: str, before: bool) -> None:
    """Let the process die at its next append of this kind, just before or just after it."""
    owner, name = (parts.ledgers, method) if method == "rate" else (parts.matches, "execute_all")
    work = getattr(owner, name)

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
    assert hall.read(match).life.score == MatchScored((0, 2), None)
    assert hall.ledger() == []


def test_a_rated_match_is_scored_with_its_place_in_the_ledger(hall):
    matches = [hall.end() for _ in range(2)]
    for match in matches:
        assert hall.verify(match) == ["scored"]
    assert [hall.read(match).life.score for match in matches] == [MatchScored((0, 2), 2), MatchScored((0, 2), 3)]
    assert hall.rated() == [BEN.id, ANN.id]
    assert hall.new_parts().ratings.read_table("zhen", 100) == hall.parts.ratings.read_table("zhen", 100)


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
    hall.spoil(bad)
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
    doomed = hall.new_parts()
    killed_at(doomed, monkeypatch, method, before)
    with pytest.raises(Killed):
        hall.verify(match, parts=doomed)
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
        parts = hall.new_parts()
        barrier.wait()
        for match in matches:
            assert hall.verify(match, parts=parts) == ["scored"]

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
    assert hall.verify(match) == ["scored"]
    assert refused == [ledger_of("zhen")] * 3


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
    assert hall.verify(match) == ["annulled"]
    assert "match-scored" not in hall.types(match)
    assert hall.ledger() == ["ratings-opened", "match-rated", "match-unrated"]
    assert hall.rated() == []


def test_a_worker_that_comes_late_rates_no_match_that_was_annulled_and_unrated(hall):
    match = hall.end()
    verified = record_verdict(hall.parts, match)
    hall.annul(match)
    assert score_all(hall.new_parts(), [match]) == ["annulled"]
    assert do_all(hall.parts.matches, [verified], lambda late: [settle(hall.parts, *late)]) == ["annulled"]
    assert hall.ledger() == ["ratings-opened", "match-unrated"]
    assert hall.rated() == []


@pytest.mark.parametrize("scored", [True, False])
def test_an_interrupted_annulment_is_completed(hall, monkeypatch, scored):
    match = hall.end()
    if scored:
        hall.verify(match)
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


@pytest.mark.parametrize("annulled", [True, False])
def test_a_scan_finds_annulments_and_verdicts_without_scores_that_neither_feed_nor_queue_hold(
    hall, monkeypatch, annulled
):
    match = hall.end(rated=annulled)
    if annulled:
        hall.verify(match)
        hall.annul(match)
    else:
        record_verdict(hall.parts, match)
    hall.lose_feed()
    hall.scan()
    assert hall.pending() == [match]
    hall.sweep_after_a_while(monkeypatch)
    assert [id.partition("_")[0] for id in hall.jobs()] == ["score"]
    hall.do_jobs()
    assert hall.ledger().count("match-unrated") == annulled
    assert hall.status(match) == ("annulled" if annulled else "scored")


def test_a_match_is_unrated_once_however_often_it_is_asked_for(hall):
    match = hall.end()
    hall.verify(match)
    hall.annul(match)
    for parts in (hall.parts, hall.parts, hall.new_parts()):
        assert score_all(parts, [match]) == ["annulled"]
    assert hall.ledger() == ["ratings-opened", "match-rated", "match-unrated"]


def test_matches_without_a_score_never_enter_the_ledger(hall, monkeypatch):
    aborted, refuted = hall.seat(), hall.end()
    hall.do(aborted, AbortMatch)
    monkeypatch.setattr(verify_module, "execute_again", refute)
    assert [*hall.verify(aborted), *hall.verify(refuted)] == ["aborted", "refuted"]
    hall.follow()
    hall.scan()
    assert (hall.pending(), hall.jobs()) == ([], [])
    annulled = hall.end()
    hall.annul(annulled)
    assert score_all(hall.parts, [annulled]) == ["annulled"]
    assert hall.ledger() == []
