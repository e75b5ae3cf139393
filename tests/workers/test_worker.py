"""Our rq worker over a real store."""

import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from datetime import timedelta
from types import SimpleNamespace

import pytest
from redis import Redis
from redis.exceptions import AuthenticationError
from rq import SimpleWorker
from rq.exceptions import StopRequested
from rq.serializers import JSONSerializer

from plyscribe.service.queues import Verification, enqueue_verifications, verify_queue
from plyscribe.service.store.port import StoreUnavailable
from plyscribe.workers import worker as worker_module
from plyscribe.workers.worker import Worker, work


@pytest.fixture
def connection(server) -> Iterator[Redis]:
    with Redis.from_url(server.url) as redis:
        redis.flushall()
        yield redis


def worker_of(connection: Redis) -> Worker:
    return Worker([verify_queue(connection)], connection=connection, serializer=JSONSerializer)


def test_a_worker_stops_even_if_the_exception_of_the_signal_was_swallowed(connection, signals):
    queue = verify_queue(connection)
    enqueue_verifications(queue, [Verification("m1", 1)])
    worker = worker_of(connection)
    with suppress(StopRequested):  # as a log handler does while it writes a record
        worker.request_stop(signal.SIGTERM, None)
    worker.work(burst=True, logging_level="WARNING")
    assert queue.count == 1
    assert not Worker.all(connection=connection)


def said_during(connection: Redis, monkeypatch, jobs: int) -> int:
    """Counts the heartbeats of a worker, apart from what it writes with each job."""
    queue, said = verify_queue(connection), []
    enqueue_verifications(queue, [Verification("m1", version) for version in range(jobs)], at_once=1)
    real = SimpleWorker.heartbeat

    def heartbeat(self, timeout=None, pipeline=None):
        said.extend([] if pipeline is not None else [timeout])
        real(self, timeout, pipeline)

    with monkeypatch.context() as patch:
        patch.setattr(SimpleWorker, "heartbeat", heartbeat)
        worker_of(connection).work(burst=True, logging_level="CRITICAL")
    assert queue.count == 0
    return len(said)


def test_a_busy_worker_sends_a_heartbeat_now_and_then(connection, signals, monkeypatch):
    assert said_during(connection, monkeypatch, 5) == 0
    monkeypatch.setattr(worker_module, "HEARD_AGAIN", timedelta(0))
    assert said_during(connection, monkeypatch, 5) >= 5


@pytest.fixture
def started(monkeypatch) -> list[list[str]]:
    """The commands that a worker becomes after its last job, which is its first."""
    started: list[list[str]] = []
    monkeypatch.setattr(worker_module, "MAX_JOBS", 1)
    monkeypatch.setattr(os, "execv", lambda path, argv: started.append([path, *argv]))
    return started


def test_a_worker_that_has_had_its_jobs_starts_afresh_and_not_from_the_working_directory(connection, signals, started):
    queue = verify_queue(connection)
    enqueue_verifications(queue, [Verification("m1", 1)])
    work(queue, connection)
    assert started == [[sys.executable, sys.executable, "-P", "-m", "plyscribe.workers", "verify"]]


def test_a_signal_to_a_worker_that_is_leaving_interrupts_nothing(connection, signals, started, monkeypatch):
    queue, finished = verify_queue(connection), []
    enqueue_verifications(queue, [Verification("m1", 1)])

    def unsubscribe(self):
        os.kill(os.getpid(), signal.SIGTERM)
        SimpleWorker.unsubscribe(self)

    monkeypatch.setattr(Worker, "unsubscribe", unsubscribe)
    work(queue, connection, lambda: finished.append(True))
    assert finished
    assert not started  # it was asked to stop
    assert not Worker.all(connection=connection)


def fail_at_first_for_the_store(times: int) -> None:
    TRIES.append(times)
    if len(TRIES) <= times:
        raise ExceptionGroup("some matches of this job failed", [StoreUnavailable("the store does not answer")])


TRIES: list[int] = []


def test_a_job_that_fails_because_the_store_is_away_is_tried_again(connection, signals, caplog, monkeypatch):
    TRIES.clear()
    queue, paused = verify_queue(connection), []
    # Only for this module: a thread that an earlier test has left behind sleeps too.
    monkeypatch.setattr(worker_module, "time", SimpleNamespace(perf_counter=time.perf_counter, sleep=paused.append))
    job = queue.enqueue("tests.workers.test_worker.fail_at_first_for_the_store", 5)
    worker_of(connection).work(burst=True, logging_level="WARNING")
    assert len(TRIES) == 6
    assert job.get_status() == "finished"
    assert len(queue.failed_job_registry) == 0
    assert paused == [0.5, 1.0, 2.0, 4.0, 4.0]
    records = [record for record in caplog.records if "the job failed and is tried again" in record.getMessage()]
    # One line each, without a traceback.
    assert [(record.levelname, record.exc_info) for record in records] == [("WARNING", None)] * 5


def test_what_rq_reports_of_a_server_in_trouble_is_one_line(connection, signals, caplog):
    worker = worker_of(connection)
    try:
        raise AuthenticationError("invalid username-password pair", status_code="WRONGPASS")
    except AuthenticationError as error:
        worker.log.error(
            "Worker %s: could not connect to Redis instance: %s retrying", worker.name, error, exc_info=True
        )
    [record] = [record for record in caplog.records if "the store refuses the password" in record.getMessage()]
    assert record.exc_info is None
