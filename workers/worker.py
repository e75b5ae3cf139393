"""One rq worker on one queue: counts its jobs, and puts their ids into its log records."""

import logging
import os
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from types import FrameType
from typing import Any

from redis import Redis
from redis.client import Pipeline
from redis.exceptions import RedisError
from rq import Queue, SimpleWorker
from rq.exceptions import InvalidJobOperation, StopRequested
from rq.job import Job
from rq.serializers import JSONSerializer
from rq.utils import now
from rq.worker import WorkerStatus

from plyscribe.service import metrics
from plyscribe.service.logs import begin_ids
from plyscribe.service.processes.children import python_command
from plyscribe.service.store.port import StoreUnavailable
from plyscribe.workers.outages import LONGEST_PAUSE_S, Pauses, end_at_signals, explain, wait_for

MAX_JOBS = 10_000
"""A worker restarts after this many jobs, so that leaks do not add up."""

HEARD_EVERY_S = 60
"""How often an idle worker sends a heartbeat. Without one for twice as long, the worker is forgotten."""

HEARD_AGAIN = timedelta(seconds=10)
"""The shortest time between two heartbeats of a busy worker."""

LONGEST_JOB_PAUSE_S = 4.0
"""The longest pause after a job that failed because of the store. Other jobs may need another node of it."""

STOPPING = threading.Event()
"""Set once this process is asked to stop, for jobs that would keep it from that."""

log = logging.getLogger(__name__)


class _OneLine(logging.LoggerAdapter[logging.Logger]):
    """Logs what rq reports of a server in trouble as one line, in our words and without a traceback."""

    def error(self, msg: object, *args: object, **more: Any) -> None:
        """Log an error. rq calls this while it handles the exception."""
        error = sys.exc_info()[1]
        if isinstance(error, RedisError):
            log.warning("the queues' server is in trouble, trying again soon: %s", explain(error))
        else:
            super().error(msg, *args, **more)


def _is_trouble_of_store(error: BaseException | None) -> bool:
    """Whether the error is StoreUnavailable, or a group of nothing else."""
    if isinstance(error, BaseExceptionGroup):
        return all(map(_is_trouble_of_store, error.exceptions))
    return isinstance(error, StoreUnavailable)


class Worker(SimpleWorker):
    """A worker that knows afterwards whether it was asked to stop or had executed its number of jobs."""

    is_asked_to_stop = False
    _is_leaving = False
    max_connection_wait_time = LONGEST_PAUSE_S

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        # Nobody has asked this one yet. A process has one worker, except in tests.
        STOPPING.clear()
        self._pauses = Pauses(LONGEST_JOB_PAUSE_S)
        self._again_in_s = 0.0
        self.log = _OneLine(self.log)  # type: ignore[assignment]

    def request_stop(self, signum: int, frame: FrameType | None) -> None:
        """Stop after the current job, or at once when idle. A worker that is ending already is not interrupted."""
        self.is_asked_to_stop = True
        STOPPING.set()
        if not self._is_leaving:
            super().request_stop(signum, frame)  # type: ignore[no-untyped-call]

    def teardown(self) -> None:
        """Leave the queues. From here on the exception of a signal would have nobody to catch it."""
        self._is_leaving = True
        super().teardown()  # type: ignore[no-untyped-call]

    def procline(self, message: str) -> None:
        """Keep the name of the process, which says what it does. rq would put its own there."""

    def heartbeat(self, timeout: int | None = None, pipeline: Pipeline | None = None) -> None:
        """Send a heartbeat; stop instead if the worker is idle and was asked to stop.

        The exception that the signal raises may get lost: logging catches it if a record is being written just then.
        """
        if self.is_asked_to_stop and self.get_state() != WorkerStatus.BUSY:
            raise StopRequested
        # rq sends three around every job, and the server writes each to disk.
        said = self.last_heartbeat
        if pipeline is not None or said is None or now() - said > HEARD_AGAIN:
            super().heartbeat(timeout, pipeline)

    def set_state(self, state: str, pipeline: Pipeline | None = None) -> None:
        """Set the worker's state; costs nothing when it is in that state already."""
        if pipeline is not None or state != self.get_state():
            super().set_state(state, pipeline)

    def handle_execution_ended(self, job: Job, queue: Queue, heartbeat_ttl: int) -> None:
        """Note when the job ended. rq would write a heartbeat of it too, just before it writes how it ended."""
        job.ended_at = now()

    def perform_job(self, job: Job, queue: Queue) -> bool:
        """Execute the job and return whether it succeeded. A failure is logged with the job's id.

        A job that failed because of the store goes back on the queue, and the worker pauses.
        """
        started = time.perf_counter()
        begin_ids(job=job.id)
        self._again_in_s = 0.0
        done = super().perform_job(job, queue)
        outcome = "done" if done else "failed"
        metrics.note_job(str(job.func_name).rpartition(".")[2], outcome, time.perf_counter() - started)
        log.debug("job %s", outcome)
        if done:
            self._pauses.reset()
        elif self._again_in_s:
            # The relay finds jobs that were lost, but only after half a minute.
            with suppress(RedisError, InvalidJobOperation):
                job.requeue()
            time.sleep(self._again_in_s)
        return done

    def handle_exception(self, job: Job, *exc_info: Any) -> None:
        """Log the failure; rq keeps it with the job too."""
        extra = {"code": getattr(exc_info[1], "code", "server/error"), "arguments": job.args}
        if _is_trouble_of_store(exc_info[1]):
            pause_s = self._pauses.next_s()
            log.warning("the job failed and is tried again in %.1f s: %s", pause_s, exc_info[1], extra=extra)
            self._again_in_s = pause_s
            return
        log.error("the job failed", exc_info=exc_info[1], extra=extra)


def work(queue: Queue, connection: Redis, finish: Callable[[], object] = lambda: None) -> None:
    """Execute the queue's jobs until SIGTERM or SIGINT; then finish the current job and leave the others on the queue.

    While the server of the queue is in trouble, waits for it. Each try is one line in the log. At the end `finish` is
    called, for what jobs have begun and not ended.
    """
    wait_for("the queues' server", connection.ping)
    worker = Worker([queue], connection=connection, serializer=JSONSerializer, worker_ttl=HEARD_EVERY_S)
    try:
        worker.work(max_jobs=MAX_JOBS, logging_level="WARNING")
    except RedisError as error:
        log.warning("the queues' server is in trouble: %s", explain(error))
    except StopRequested:
        pass  # the signal came while rq handled another exception
    finish()
    end_at_signals()
    if not worker.is_asked_to_stop:
        wait_for("the queues' server", connection.ping)
        # The process id stays, so that a supervisor sees no exit.
        command = python_command("plyscribe.workers", queue.name)
        os.execv(command[0], command)
