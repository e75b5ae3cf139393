"""Datasets that a worker makes: one job for each ruleset, on the queue `dataset`."""

import time

from redis import Redis
from redis.exceptions import RedisError
from rq.exceptions import DuplicateJobError, NoSuchJobError
from rq.job import Job, JobStatus
from rq.serializers import JSONSerializer

from plyscribe.service.datasets.keeping import FAILED, MAKING, WAITING, Making
from plyscribe.service.queues import DATASET_JOB, dataset_queue
from plyscribe.service.store.redis_errors import translate

TIMEOUT_S = 24 * 3600
"""How long a dataset may take."""

BEAT_S = 5.0
"""How often a job says that it is at work."""

LOST_AFTER_S = 120.0
"""A job that says nothing for so long has lost its worker."""

FORGOTTEN_AFTER_S = 600
"""How long a job that failed keeps the next one from being begun."""

MATCHES, BEAT = "matches", "beat"
"""What a job says of itself."""


class QueuedMakers:
    """Makers by way of the queue; safe to share between threads."""

    def __init__(self, connection: Redis) -> None:
        self._connection = connection
        self._queue = dataset_queue(connection)

    def begin(self, ruleset: str, until_ms: int) -> None:
        """See Makers.begin."""
        try:
            job = self._fetch(ruleset)
            if job is not None:
                if self._describe(job) is not None:
                    return
                job.delete()
                # Where rq keeps a job between queue and worker.
                self._queue.intermediate_queue.remove(job.id)
            self._queue.enqueue_call(
                DATASET_JOB,
                args=(ruleset, until_ms),
                job_id=_job_id(ruleset),
                unique=True,
                timeout=TIMEOUT_S,
                # What is made is on the shelf.
                result_ttl=0,
                failure_ttl=FORGOTTEN_AFTER_S,
                description=ruleset,
            )
        except DuplicateJobError:
            # Another process was faster.
            return
        except RedisError as error:
            raise translate(error) from error

    def look(self, ruleset: str) -> Making | None:
        """See Makers.look."""
        try:
            job = self._fetch(ruleset)
            return None if job is None else self._describe(job)
        except RedisError as error:
            raise translate(error) from error

    def _fetch(self, ruleset: str) -> Job | None:
        try:
            return Job.fetch(_job_id(ruleset), self._connection, JSONSerializer)
        except NoSuchJobError:
            return None

    def _describe(self, job: Job) -> Making | None:
        match job.get_status(refresh=False):
            case JobStatus.QUEUED:
                is_there = job.id in self._queue.get_job_ids() or not _is_silent(job)
                return Making(WAITING) if is_there else None
            case JobStatus.STARTED:
                return None if _is_silent(job) else Making(MAKING, job.meta.get(MATCHES, 0))
            case JobStatus.FAILED:
                return Making(FAILED)
        return None


class Beat:
    """What a job says of itself while it is at work."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._next_s = 0.0

    def say(self, matches: int) -> None:
        """Note how many matches are in the dataset, unless that was noted some seconds ago."""
        if time.monotonic() >= self._next_s:
            self._next_s = time.monotonic() + BEAT_S
            self._job.meta |= {MATCHES: matches, BEAT: time.time()}
            self._job.save_meta()  # type: ignore[no-untyped-call]


def _job_id(ruleset: str) -> str:
    return f"dataset_{ruleset}"


def _is_silent(job: Job) -> bool:
    begun = job.started_at or job.enqueued_at
    last_s: float = max(job.meta.get(BEAT, 0.0), begun.timestamp() if begun else 0.0)
    return time.time() - last_s > LOST_AFTER_S
