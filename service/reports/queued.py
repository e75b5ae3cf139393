"""Reports that workers make: jobs on the queue `report`, whose results rq keeps for a while."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

from redis import Redis
from redis.exceptions import RedisError
from rq.exceptions import DuplicateJobError
from rq.job import Job, JobStatus
from rq.serializers import JSONSerializer

from plyscribe.service.errors import ReportBusy
from plyscribe.service.queues import FAILURE_TTL_S, REPORT_JOB, report_queue
from plyscribe.service.reports.subjects import BULKY, Json, Subject
from plyscribe.service.store.redis_errors import translate

MAX_DUE = 32
"""Reports that may wait on the queue. About as many more can slip in when several processes ask at once."""

KEPT_S = 600
"""How long a report is kept. A stream that was damaged or mended by hand is seen after that time at the latest."""

BULKY_KEPT_S = 60
"""How long a bulky report is kept: a record, a picture. People read it once, and browsers keep it."""

MAX_BYTES = 16 * 1024 * 1024
"""The size of a report. One that is larger fails."""

TIMEOUT_S = 120
"""How long a report may take. After that a job that is still begun has lost its worker."""

LOST_AFTER_S = 10
"""A job that is to wait, but has not been on the queue for this long, was lost when a worker took it and died."""


class QueuedReports:
    """Makers by way of the queue. Use it from one thread."""

    def __init__(self, connection: Redis) -> None:
        self._connection = connection
        self._queue = report_queue(connection)

    def begin(self, subject: Subject) -> None:
        """See Makers.begin."""
        try:
            [job] = self._fetch([subject])
            if job is not None:
                if not self._is_over(job):
                    return
                job.delete()
                # Where rq keeps a job between queue and worker.
                self._queue.intermediate_queue.remove(job.id)
            if len(self._queue) >= MAX_DUE:
                raise ReportBusy(f"{MAX_DUE} reports wait to be made already: try again later")
            self._enqueue(subject)
        except RedisError as error:
            raise translate(error) from error

    def _enqueue(self, subject: Subject) -> None:
        try:
            self._queue.enqueue_call(
                REPORT_JOB,
                args=tuple(subject),
                job_id=_job_id(subject),
                unique=True,
                timeout=TIMEOUT_S,
                result_ttl=BULKY_KEPT_S if subject.kind in BULKY else KEPT_S,
                failure_ttl=FAILURE_TTL_S,
                description=subject.name,
            )
        except DuplicateJobError:
            # Another process was faster.
            return

    def _is_over(self, job: Job) -> bool:
        """Whether nothing more can be expected of this job: it failed, or was lost, or its result is gone."""
        match job.get_status(refresh=False):
            case JobStatus.FINISHED:
                return job.return_value() is None
            case JobStatus.QUEUED:
                return _is_older(job.enqueued_at, LOST_AFTER_S) and job.id not in self._queue.get_job_ids()
            case JobStatus.STARTED:
                return _is_older(job.started_at, TIMEOUT_S + LOST_AFTER_S)
        return True

    def look(self, subjects: Sequence[Subject]) -> Mapping[Subject, Json | None]:
        """See Makers.look."""
        made: dict[Subject, Json | None] = {}
        try:
            for subject, job in zip(subjects, self._fetch(subjects), strict=True):
                status = None if job is None else job.get_status(refresh=False)
                if job is not None and status == JobStatus.FINISHED:
                    made[subject] = job.return_value()
                elif status not in (JobStatus.QUEUED, JobStatus.STARTED):
                    made[subject] = None
        except RedisError as error:
            raise translate(error) from error
        return made

    def _fetch(self, subjects: Sequence[Subject]) -> list[Job | None]:
        return Job.fetch_many([_job_id(each) for each in subjects], self._connection, JSONSerializer)


def _job_id(subject: Subject) -> str:
    return f"report_{subject.name}"


def _is_older(since: datetime | None, seconds: float) -> bool:
    return since is None or datetime.now(UTC) - since.replace(tzinfo=UTC) > timedelta(seconds=seconds)
