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


def test_a_report_is_made_once_for_all_who_ask(house, maker):
    assert not any(house.makers.look([SUBJECT]).values())
    for _ in range(3):
        house.makers.begin(SUBJECT)
    house.work()
    assert house.makers.look([SUBJECT]) == {SUBJECT: {"on": MATCH, "numbers": [7]}}
    house.makers.begin(SUBJECT)
    house.work()
    assert maker.made == {SUBJECT: 1}


def test_a_report_that_failed_is_told_so_and_made_again_by_the_next_request(house, maker):
    maker.fails = True
    house.makers.begin(SUBJECT)
    house.work()
    assert house.makers.look([SUBJECT]) == {SUBJECT: None}
    maker.fails = False
    house.makers.begin(SUBJECT)
    house.work()
    assert house.makers.look([SUBJECT])[SUBJECT] is not None


def test_processes_that_ask_for_the_same_report_share_its_job_even_at_the_same_moment(by_queue, maker):
    # Both have seen that there is no job.
    by_queue.makers._enqueue(SUBJECT)
    by_queue.neighbour._enqueue(SUBJECT)
    assert by_queue.queue.get_job_ids() == [f"report_{SUBJECT.name}"]
    assert by_queue.makers.look([SUBJECT]) == {}
    by_queue.makers.begin(SUBJECT)
    by_queue.neighbour.begin(SUBJECT)
    by_queue.work()
    assert maker.made == {SUBJECT: 1}
    assert by_queue.makers.look([SUBJECT]) == by_queue.neighbour.look([SUBJECT]) != {}


def test_only_so_many_reports_wait_to_be_made(by_queue, monkeypatch):
    monkeypatch.setattr(queued, "MAX_DUE", 2)
    for version in (1, 2):
        by_queue.makers.begin(verification_of(MATCH, version))
    with pytest.raises(ReportBusy, match="try again later"):
        by_queue.makers.begin(SUBJECT)
    by_queue.makers.begin(verification_of(MATCH, 1))
    by_queue.work()
    by_queue.makers.begin(SUBJECT)


def test_a_report_is_kept_for_a_while_only_unless_it_is_too_large(by_queue, monkeypatch):
    by_queue.makers.begin(SUBJECT)
    by_queue.work()
    assert 0 < by_queue.redis.ttl(by_queue.job().key) <= queued.KEPT_S
    monkeypatch.setattr(make_report, "MAX_BYTES", 10)
    by_queue.makers.begin(OTHER)
    by_queue.work()
    assert by_queue.makers.look([OTHER]) == {OTHER: None}


@pytest.mark.parametrize("lost", ["with its worker", "before a worker had it"])
def test_a_job_that_got_lost_is_begun_again(by_queue, maker, lost):
    by_queue.makers.begin(SUBJECT)
    job, field = by_queue.job(), "enqueued_at"
    by_queue.queue.remove(job)
    if lost == "with its worker":
        job.prepare_for_execution("worker", by_queue.redis.pipeline())
        job.set_status("started")
        job.started_at, field = datetime.now(UTC) - timedelta(seconds=queued.TIMEOUT_S), "started_at"
        job.save()
    by_queue.makers.begin(SUBJECT)
    assert len(by_queue.queue) == 0
    setattr(job, field, getattr(job, field) - timedelta(seconds=queued.LOST_AFTER_S + 1))
    job.save()
    by_queue.makers.begin(SUBJECT)
    by_queue.work()
    assert maker.made == {SUBJECT: 1}


def test_each_subject_has_a_report_of_its_own(house, maker):
    of_an_import = verification_of(f"{MATCH}~{'b' * 26}", 7)
    subjects = (SUBJECT, OTHER, pairing_of("tournament-" + "a" * 26, 7), annulment_of(MATCH, 7, 1), of_an_import)
    for subject in subjects:
        house.makers.begin(subject)
    house.work()
    assert maker.made == dict.fromkeys(subjects, 1)
    assert house.makers.look([SUBJECT, OTHER])[OTHER]["numbers"] == [8]
    assert house.makers.look([of_an_import])[of_an_import]["on"] == of_an_import.stream


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


def test_one_thread_looks_after_all_who_wait_for_a_report(desk, makers):
    before = set(threading.enumerate())
    other, *waiting = [Waiting(desk, OTHER), *(Waiting(desk) for _ in range(50))]
    assert [thread.name for thread in set(threading.enumerate()) - before] == ["reports"]
    makers.made[SUBJECT] = {"a": 1}
    assert [each.read() for each in waiting] == [{"a": 1}] * 50
    assert not other.heard.is_set()
    makers.made[OTHER] = {"b": 2}
    assert other.read() == {"b": 2}


def test_who_gives_up_reads_that_the_report_is_still_being_made_and_holds_no_place(desk, makers):
    waiting = Waiting(desk)
    waiting.awaited.stop()
    waiting.awaited.stop()
    with pytest.raises(ReportBusy, match="ask again later"):
        waiting.awaited.read()
    assert (desk._places, desk._awaited) == (0, {})
    left_before = desk.wait_for(SUBJECT)
    left_before.stop()
    left_before.start(lambda _: None, lambda: None)
    assert (desk._places, desk._awaited) == (0, {})


def test_only_so_many_requests_wait_and_fewer_where_each_takes_a_thread(makers, desk, monkeypatch):
    monkeypatch.setattr(desks, "MAX_AWAITED", 2)
    first, _ = Waiting(desk), Waiting(desk)
    with pytest.raises(ReportBusy):
        desk.wait_for(SUBJECT)
    first.awaited.stop()
    desk.wait_for(SUBJECT)
    threaded = Desk(makers, max_threads=1)
    Waiting(threaded, in_thread=True)
    with pytest.raises(ReportBusy):
        threaded.wait_for(SUBJECT, in_thread=True)


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


@pytest.mark.parametrize(
    ("trouble", "told"),
    [
        (ReportBusy("enough"), ReportBusy),
        (StoreUnavailable("no queues"), StoreUnavailable),
        (ZeroDivisionError(), ReportFailed),
    ],
    ids=["busy", "away", "a fault of ours"],
)
def test_trouble_and_a_failed_report_are_told_to_those_who_wait_and_trouble_does_not_last(desk, makers, trouble, told):
    makers.trouble = trouble
    with pytest.raises(told):
        Waiting(desk).read()
    makers.trouble = None
    makers.made |= {SUBJECT: {}, OTHER: None}
    assert Waiting(desk).read() == {}
    with pytest.raises(ReportFailed):
        Waiting(desk, OTHER).read()


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
