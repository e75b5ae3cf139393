"""One rq worker on one queue, whose jobs are counted and whose records carry their ids."""

import logging
import os
import time
from datetime import timedelta
from types import FrameType
from typing import Any

from redis import Redis
from redis.client import Pipeline
from redis.exceptions import ConnectionError as StoreIsAway
from rq import Queue, SimpleWorker
from rq.exceptions import StopRequested
from rq.job import Job
from rq.serializers import JSONSerializer
from rq.utils import now
from rq.worker import WorkerStatus

from plyscribe.service import metrics
from plyscribe.service.logs import begin_ids
from plyscribe.service.processes.children import python_command

MAX_JOBS = 10_000
"""Jobs that a worker executes before it starts afresh, so that nothing it leaks adds up."""

ANSWERS_WITHIN_S = 30.0
HEARD_EVERY_S = 60
"""How often an idle worker says that it lives; twice as long after the last word of it, it is forgotten."""

HEARD_AGAIN = timedelta(seconds=10)
"""How soon one that has work says so again."""

log = logging.getLogger(__name__)


class Worker(SimpleWorker):
    """A worker that tells afterwards whether it was asked to stop or has had its number of jobs."""

    told_to_stop = False

    def request_stop(self, signum: int, frame: FrameType | None) -> None:
        """Stop after the job in hand; at once where there is none."""
        self.told_to_stop = True
        super().request_stop(signum, frame)  # type: ignore[no-untyped-call]

    def heartbeat(self, timeout: int | None = None, pipeline: Pipeline | None = None) -> None:
        """Say that the worker lives; an idle one that was told to stop stops instead.

        The signal's own exception ends in the log when it meets the writing of a record.
        """
        if self.told_to_stop and self.get_state() != WorkerStatus.BUSY:
            raise StopRequested
        # rq says so three times around every job, and the server writes each of them to disk.
        said = self.last_heartbeat
        if pipeline is not None or said is None or now() - said > HEARD_AGAIN:
            super().heartbeat(timeout, pipeline)

    def set_state(self, state: str, pipeline: Pipeline | None = None) -> None:
        """Set the worker's state, unless it is in that state."""
        if pipeline is not None or state != self.get_state():
            super().set_state(state, pipeline)

    def perform_job(self, job: Job, queue: Queue) -> bool:
        """Whether the job was done; what went wrong in it is logged under its id."""
        started = time.perf_counter()
        begin_ids(job=job.id)
        done = super().perform_job(job, queue)
        outcome = "done" if done else "failed"
        metrics.note_job(str(job.func_name).rpartition(".")[2], outcome, time.perf_counter() - started)
        log.debug("job %s", outcome)
        return done

    def handle_exception(self, job: Job, *exc_info: Any) -> None:
        """Log what the job died of; rq keeps it with the job too."""
        told = {"code": getattr(exc_info[1], "code", "server/error"), "arguments": job.args}
        log.error("the job failed", exc_info=exc_info[1], extra=told)


def work(queue: Queue, connection: Redis) -> None:
    """Execute the queue's jobs until SIGTERM or SIGINT: the job in hand is finished, the others stay on the queue.

    A server that does not answer yet is waited for; ConnectionError where it does not within half a minute.
    """
    _wait_for(connection)
    worker = Worker([queue], connection=connection, serializer=JSONSerializer, worker_ttl=HEARD_EVERY_S)
    worker.work(max_jobs=MAX_JOBS, logging_level="WARNING")
    if not worker.told_to_stop:
        # The same process, so that whoever supervises it sees no death.
        command = python_command("plyscribe.workers", queue.name)
        os.execv(command[0], command)


def _wait_for(connection: Redis) -> None:
    until = time.monotonic() + ANSWERS_WITHIN_S
    while True:
        try:
            connection.ping()
            return
        except StoreIsAway:
            if time.monotonic() >= until:
                raise
            time.sleep(0.2)
