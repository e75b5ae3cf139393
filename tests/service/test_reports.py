"""Reports: made once for all who ask, kept, bounded in number, and never in a thread of the server."""

import threading
from collections import Counter
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import fakeredis
import pytest
from redis import ConnectionError as ConnectionLost
from rq.job import Job
from rq.serializers import JSONSerializer

from plyscribe.service.errors import ReportBusy, ReportFailed
from plyscribe.service.reports import desk as desks
from plyscribe.service.reports import queued
from plyscribe.service.reports.desk import Desk
from plyscribe.service.reports.direct import DirectReports
from plyscribe.service.reports.queued import QueuedReports
from plyscribe.service.reports.subjects import annulment_of, pairing_of, verification_of
from plyscribe.service.store.port import StoreUnavailable
from plyscribe.service.web.api import awaiting
from plyscribe.workers import make_report
from plyscribe.workers.worker import Worker
from tests.service.test_bundle_api import Played
from tests.service.test_tournaments_api import TournamentOverHttp

MATCH = "match-" + "a" * 26
SUBJECT, OTHER = verification_of(MATCH, 7), verification_of(MATCH, 8)


class CountingMaker:
    """Stands in for the one that makes reports: counts them, and fails when told to."""

    def __init__(self) -> None:
        self.made: Counter = Counter()
        self.fails = False

    def make(self, subject):
        self.made[subject] += 1
        if self.fails:
            raise RuntimeError("no report today")
        return {"on": subject.stream, "numbers": subject.numbers}


class Direct:
    """Reports of one process."""

    def __init__(self, maker) -> None:
        self.makers = DirectReports(maker)

    def work(self) -> None:
        """The work was done at once."""


class Queued:
    """Reports by way of a queue, seen from two processes, with a worker that works when told to."""

    def __init__(self) -> None:
        self.redis = fakeredis.FakeRedis(server=fakeredis.FakeServer())
        self.makers, self.neighbour = QueuedReports(self.redis), QueuedReports(self.redis)
        self.queue = self.makers._queue

    def work(self) -> None:
        Worker([self.queue], connection=self.redis, serializer=JSONSerializer).work(burst=True)

    def job(self, subject=SUBJECT) -> Job:
        return Job.fetch(f"report_{subject.name}", self.redis, JSONSerializer)


@pytest.fixture
def maker() -> CountingMaker:
    return CountingMaker()


@pytest.fixture
def by_queue(maker, monkeypatch) -> Queued:
    monkeypatch.setattr(make_report, "process_parts", lambda: SimpleNamespace(maker=maker))
    return Queued()


@pytest.fixture(params=["direct", "queued"])
def house(request, maker):
    return Direct(maker) if request.param == "direct" else request.getfixturevalue("by_queue")


# ------------------------------------------------------------------------------------------------------- the contract


def test_a_report_is_made_and_can_be_read(house, maker):
    house.makers.begin(SUBJECT)
    house.work()
    assert house.makers.look([SUBJECT]) == {SUBJECT: {"on": MATCH, "numbers": [7]}}


def test_a_report_is_made_once_for_all_who_ask(house, maker):
    for _ in range(3):
        house.makers.begin(SUBJECT)
    house.work()
    house.makers.begin(SUBJECT)
    house.work()
    assert maker.made == {SUBJECT: 1}


def test_each_subject_has_a_report_of_its_own(house, maker):
    for subject in (SUBJECT, OTHER, pairing_of("tournament-" + "a" * 26, 7), annulment_of(MATCH, 7, 1)):
        house.makers.begin(subject)
    house.work()
    assert set(maker.made.values()) == {1}
    assert len(maker.made) == 4
    assert house.makers.look([SUBJECT, OTHER])[OTHER]["numbers"] == [8]


def test_a_report_that_nobody_asked_for_is_not_there(house):
    assert not any(house.makers.look([SUBJECT]).values())


def test_a_report_that_failed_is_told_so_and_made_again_by_the_next_request(house, maker):
    maker.fails = True
    house.makers.begin(SUBJECT)
    house.work()
    assert house.makers.look([SUBJECT]) == {SUBJECT: None}
    maker.fails = False
    house.makers.begin(SUBJECT)
    house.work()
    assert house.makers.look([SUBJECT])[SUBJECT] is not None


# --------------------------------------------------------------------------------------------------------- the queue


def test_processes_that_ask_for_the_same_report_share_its_job(by_queue, maker):
    by_queue.makers.begin(SUBJECT)
    by_queue.neighbour.begin(SUBJECT)
    by_queue.work()
    assert maker.made == {SUBJECT: 1}
    assert by_queue.makers.look([SUBJECT]) == by_queue.neighbour.look([SUBJECT]) != {}


def test_two_processes_that_ask_at_the_same_moment_share_the_job(by_queue, maker):
    # Both have seen that there is no job.
    by_queue.makers._enqueue(SUBJECT)
    by_queue.neighbour._enqueue(SUBJECT)
    assert by_queue.queue.get_job_ids() == [f"report_{SUBJECT.name}"]


def test_a_report_that_is_being_made_is_neither_there_nor_begun_again(by_queue):
    by_queue.makers.begin(SUBJECT)
    assert by_queue.makers.look([SUBJECT]) == {}
    by_queue.makers.begin(SUBJECT)
    assert len(by_queue.queue) == 1


def test_only_so_many_reports_wait_to_be_made(by_queue, monkeypatch):
    monkeypatch.setattr(queued, "MAX_DUE", 2)
    for version in (1, 2):
        by_queue.makers.begin(verification_of(MATCH, version))
    with pytest.raises(ReportBusy, match="try again later"):
        by_queue.makers.begin(SUBJECT)
    by_queue.makers.begin(verification_of(MATCH, 1))
    by_queue.work()
    by_queue.makers.begin(SUBJECT)


def test_a_report_is_kept_for_a_while_only(by_queue):
    by_queue.makers.begin(SUBJECT)
    by_queue.work()
    assert 0 < by_queue.redis.ttl(by_queue.job().key) <= queued.KEPT_S


def test_a_report_that_is_too_large_to_keep_fails(by_queue, monkeypatch):
    monkeypatch.setattr(make_report, "MAX_BYTES", 10)
    by_queue.makers.begin(SUBJECT)
    by_queue.work()
    assert by_queue.makers.look([SUBJECT]) == {SUBJECT: None}


def test_a_job_whose_worker_was_killed_does_not_stay_in_flight(by_queue, maker):
    by_queue.makers.begin(SUBJECT)
    job = by_queue.job()
    by_queue.queue.remove(job)
    job.prepare_for_execution("worker", by_queue.redis.pipeline())
    job.set_status("started")
    job.started_at = datetime.now(UTC) - timedelta(seconds=queued.TIMEOUT_S)
    job.save()
    by_queue.makers.begin(SUBJECT)
    assert len(by_queue.queue) == 0
    job.started_at -= timedelta(seconds=queued.LOST_AFTER_S + 1)
    job.save()
    by_queue.makers.begin(SUBJECT)
    by_queue.work()
    assert maker.made == {SUBJECT: 1}


def test_a_job_that_got_lost_between_queue_and_worker_is_begun_again(by_queue, maker):
    by_queue.makers.begin(SUBJECT)
    job = by_queue.job()
    by_queue.queue.remove(job)
    by_queue.makers.begin(SUBJECT)
    assert len(by_queue.queue) == 0
    job.enqueued_at -= timedelta(seconds=queued.LOST_AFTER_S + 1)
    job.save()
    by_queue.makers.begin(SUBJECT)
    by_queue.work()
    assert maker.made == {SUBJECT: 1}


def test_addresses_of_imports_name_jobs_too(by_queue, maker):
    subject = verification_of(f"{MATCH}~{'b' * 26}", 7)
    by_queue.makers.begin(subject)
    by_queue.work()
    assert by_queue.makers.look([subject]) == {subject: {"on": subject.stream, "numbers": [7]}}


# ---------------------------------------------------------------------------------------------------------- the desk


class SlowMakers:
    """Makers whose reports are made when the test says so."""

    def __init__(self) -> None:
        self.begun: list = []
        self.made: dict = {}
        self.trouble: Exception | None = None

    def begin(self, subject):
        if self.trouble is not None:
            raise self.trouble
        self.begun.append(subject)

    def look(self, subjects):
        return {subject: self.made[subject] for subject in subjects if subject in self.made}


class Waiting:
    """A request that waits at the desk."""

    def __init__(self, desk: Desk, subject=SUBJECT, **how) -> None:
        self.heard = threading.Event()
        self.awaited = desk.wait_for(subject, **how)
        self.awaited.start(lambda _: None, self.heard.set)

    def read(self):
        assert self.heard.wait(60)
        return self.awaited.read()


@pytest.fixture
def makers() -> SlowMakers:
    return SlowMakers()


@pytest.fixture
def desk(makers) -> Desk:
    return Desk(makers, max_threads=1)


def test_all_who_wait_for_a_report_hear_of_it(desk, makers):
    first, second, other = Waiting(desk), Waiting(desk), Waiting(desk, OTHER)
    makers.made[SUBJECT] = {"a": 1}
    assert first.read() == second.read() == {"a": 1}
    assert not other.heard.is_set()
    makers.made[OTHER] = {"b": 2}
    assert other.read() == {"b": 2}


def test_one_thread_looks_after_all_who_wait(desk, makers):
    before = set(threading.enumerate())
    waiting = [Waiting(desk, verification_of(MATCH, version)) for version in range(50)]
    assert [thread.name for thread in set(threading.enumerate()) - before] == ["reports"]
    for each in waiting:
        makers.made[each.awaited.subject] = {}
    assert [each.read() for each in waiting] == [{}] * 50


def test_who_gives_up_reads_that_the_report_is_still_being_made(desk, makers):
    waiting = Waiting(desk)
    waiting.awaited.stop()
    waiting.awaited.stop()
    with pytest.raises(ReportBusy, match="ask again later"):
        waiting.awaited.read()
    assert desk._places == 0
    assert desk._awaited == {}


def test_a_client_that_leaves_before_the_wait_begins_holds_no_place(desk):
    awaited = desk.wait_for(SUBJECT)
    awaited.stop()
    awaited.start(lambda _: None, lambda: None)
    assert (desk._places, desk._awaited) == (0, {})


def test_only_so_many_requests_wait(desk, makers, monkeypatch):
    monkeypatch.setattr(desks, "MAX_AWAITED", 2)
    first, _ = Waiting(desk), Waiting(desk)
    with pytest.raises(ReportBusy):
        desk.wait_for(SUBJECT)
    first.awaited.stop()
    desk.wait_for(SUBJECT)


def test_fewer_requests_wait_where_each_takes_a_thread(desk):
    Waiting(desk, in_thread=True)
    with pytest.raises(ReportBusy):
        desk.wait_for(SUBJECT, in_thread=True)


def test_a_failed_report_is_told_to_those_who_wait(desk, makers):
    waiting = Waiting(desk)
    makers.made[SUBJECT] = None
    with pytest.raises(ReportFailed):
        waiting.read()


def test_a_report_that_is_still_awaited_is_begun_again_in_case_it_got_lost(desk, makers, monkeypatch):
    monkeypatch.setattr(desks, "REMIND_S", 0)
    waiting = Waiting(desk)
    monkeypatch.setattr(makers, "begin", lambda subject: makers.made.update({subject: {}}))
    assert waiting.read() == {}


def test_each_request_has_the_report_begun(desk, makers):
    first, other = Waiting(desk), Waiting(desk, OTHER)
    makers.made[OTHER] = {}
    other.read()
    again = len(makers.begun)
    second, last = Waiting(desk), Waiting(desk, OTHER)
    last.read()
    assert SUBJECT in makers.begun[again:]
    assert not first.heard.is_set()
    assert not second.heard.is_set()


@pytest.mark.parametrize("trouble", [ReportBusy("enough"), StoreUnavailable("no queues")], ids=["busy", "away"])
def test_trouble_is_told_to_those_who_wait_and_does_not_last(desk, makers, trouble):
    makers.trouble = trouble
    with pytest.raises(type(trouble)):
        Waiting(desk).read()
    makers.trouble = None
    makers.made[SUBJECT] = {}
    assert Waiting(desk).read() == {}


def test_a_fault_of_ours_does_not_end_the_thread(desk, makers):
    makers.trouble = ZeroDivisionError()
    with pytest.raises(ReportFailed):
        Waiting(desk).read()
    makers.trouble = None
    makers.made[SUBJECT] = {}
    assert Waiting(desk).read() == {}


def test_a_process_that_stops_lets_all_go(desk):
    waiting = Waiting(desk)
    desk.close()
    with pytest.raises(ReportBusy, match="stopping"):
        waiting.read()
    with pytest.raises(ReportBusy, match="stopping"):
        Waiting(desk).read()


def test_a_queue_server_that_is_away_is_trouble_of_the_store(by_queue, monkeypatch):
    def fail(*_, **__):
        raise ConnectionLost("gone")

    monkeypatch.setattr(by_queue.redis, "pipeline", fail)
    with pytest.raises(StoreUnavailable):
        by_queue.makers.begin(SUBJECT)
    with pytest.raises(StoreUnavailable):
        by_queue.makers.look([SUBJECT])


# ----------------------------------------------------------------------------------------------------------- the API


def test_what_a_worker_makes_is_what_the_thread_that_answers_would_make(api, parts, monkeypatch):
    cup = TournamentOverHttp(api, parts)
    cup.bots(3)
    cup.start()
    cup.advance()
    ruled = {"round": 1, "board": 1, "game": 1, "ranks": [1, 2], "why": "late"}
    assert api.post(f"{cup.path}/adjudications", cup.token, ruled).status_code == 200
    match = Played(api, parts).path
    paths = [f"{match}/verification", f"{match}/record", f"{cup.path}/annulments?round=1&board=1&game=1"]
    here = [api.get(path).data for path in paths]
    monkeypatch.setattr(awaiting, "SHORT", 0)
    made: list[str] = []
    make = parts.maker.make
    monkeypatch.setattr(parts.maker, "make", lambda subject: made.append(subject.kind) or make(subject))
    assert [api.get(path).data for _ in range(2) for path in paths] == here * 2
    assert made == ["verification", "record", "game"]


def test_a_report_that_is_asked_for_while_others_are_looked_after_does_not_count_as_failed(maker):
    direct, seen = DirectReports(maker), []

    class Makers:
        """Lets somebody ask for another report just before it looks."""

        def begin(self, subject):
            direct.begin(subject)
            if not seen:
                seen.append(desk.wait_for(OTHER))
                seen[0].start(print, ended.set)

        def look(self, subjects):
            return {subject: direct.look([subject]).get(subject) for subject in subjects}

    desk, ended = Desk(Makers(), 10), threading.Event()
    first = desk.wait_for(SUBJECT)
    first.wait()
    assert ended.wait(30)
    assert [each.read()["numbers"] for each in (first, *seen)] == [[7], [8]]
