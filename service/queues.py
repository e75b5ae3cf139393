"""The rq queues: which jobs go on them, and how. Jobs are named by dotted path, carry ids, and may run twice."""

from collections.abc import Sequence
from hashlib import sha256
from typing import Any, NamedTuple, cast

from redis import Redis
from rq import Queue
from rq.job import JobStatus
from rq.queue import EnqueueData
from rq.serializers import JSONSerializer
from rq.worker_registration import WORKERS_BY_QUEUE_KEY

VERIFY = "verify"
IMPORT = "import"
PLAY = "play"
TOURNAMENT = "tournament"
REPORT = "report"
WEBHOOK = "webhook"
SEAL = "seal"
DATASET = "dataset"
QUEUES = (VERIFY, IMPORT, PLAY, TOURNAMENT, REPORT, WEBHOOK, SEAL, DATASET)
"""The names of all queues. A worker serves one of them: with two queues, a crash at dequeue loses the job."""

WATCHED = "relay:deadlines:watched"
"""When (UTC milliseconds of its own clock) a relay last looked at the deadlines, which it does twice a second.

This is the relay's sign of life. What a server knows of a consumer is not: before 7.2 a read without news counts for
nothing.
"""

UNSETTLED = "relay:unsettled"
"""Sorted set on the store: finished matches without a verdict or score yet, by the time they were noted."""

SEALABLE = "relay:sealable"
"""Sorted set on the store: settled matches that are not sealed yet, by the time at which they have rested."""

SWEEPS = "relay:sweeps"
"""Hash on the store: how often each unsettled match was enqueued again."""

REFUTED = "relay:refuted"
"""Sorted set on the store: matches that are refuted now, by the time they were noted."""

DAMAGED = "relay:damaged"
"""Hash on the store: streams whose hash chain is broken, each with the first version at fault."""

SCRUB = "relay:scrub"
"""Hash on the store: how far the present pass over all chains is, and when the last one was complete."""

ALARM_AFTER = 3
"""After this many sweeps, a match that is still not settled is logged as an error."""

CHECK = "check"
"""The queue of `plyscribe rules check`, which has a server of its own."""

CHECK_JOB = "plyscribe.workers.check_matches.check_matches"
SHRINK_JOB = "plyscribe.workers.shrink_matches.shrink_matches"
VERIFY_JOB = "plyscribe.workers.verify_match.verify_matches"
IMPORT_JOB = "plyscribe.workers.check_import.check_imports"
PLAY_JOB = "plyscribe.workers.play_match.play_matches"
ADVANCE_JOB = "plyscribe.workers.advance_tournament.advance_tournaments"
REPORT_JOB = "plyscribe.workers.make_report.make_report"
DELIVER_JOB = "plyscribe.workers.deliver_webhooks.deliver_webhooks"
SEAL_JOB = "plyscribe.workers.seal_matches.seal_matches"
COPY_JOB = "plyscribe.workers.copy_streams.copy_streams"
DATASET_JOB = "plyscribe.workers.make_dataset.make_dataset"
SCORE_JOB = "plyscribe.workers.score_match.score_matches"
MATCHES_A_JOB = 128
"""Matches that are due together share jobs, because what rq does around a job costs as much as a short match."""

JOB_TIMEOUT_S = 300
RESULT_TTL_S = 60
FAILURE_TTL_S = 7 * 24 * 3600


class Verification(NamedTuple):
    """A finished match that waits for its second execution: its stream, and the version at which it ended."""

    stream: str
    version: int


class Scoring(NamedTuple):
    """A match to score, or to keep from counting: its stream, and the version of its verdict or annulment."""

    stream: str
    version: int


class Checking(NamedTuple):
    """An import that waits for its verdict: its stream, and the version at which it was complete."""

    stream: str
    version: int


class Playing(NamedTuple):
    """A match that waits for a built-in bot: its stream and version."""

    stream: str
    version: int


class Advancing(NamedTuple):
    """A tournament that may advance: its stream, and a number that makes this job differ from earlier ones."""

    stream: str
    version: int


class Delivering(NamedTuple):
    """A lane of the outbox to deliver: its text, and a number that makes this job differ from earlier ones."""

    stream: str
    version: int


def verify_queue(connection: Redis) -> Queue:
    """The queue of matches to verify and to score."""
    return queue_of(VERIFY, connection)


def import_queue(connection: Redis) -> Queue:
    """The queue of imports to judge, which may be large."""
    return queue_of(IMPORT, connection)


def play_queue(connection: Redis) -> Queue:
    """The queue of matches in which a built-in bot is due, except those of tournaments."""
    return queue_of(PLAY, connection)


def tournament_queue(connection: Redis) -> Queue:
    """The queue of tournaments to advance, and of their matches in which a built-in bot is due."""
    return queue_of(TOURNAMENT, connection)


def report_queue(connection: Redis) -> Queue:
    """The queue of reports that somebody asked for. See verify_queue."""
    return queue_of(REPORT, connection)


def webhook_queue(connection: Redis) -> Queue:
    """The queue of webhooks to post to. See verify_queue."""
    return queue_of(WEBHOOK, connection)


def seal_queue(connection: Redis) -> Queue:
    """The queue of settled matches to seal, and of copies to make. See verify_queue."""
    return queue_of(SEAL, connection)


def dataset_queue(connection: Redis) -> Queue:
    """The queue of datasets to make. See verify_queue."""
    return queue_of(DATASET, connection)


def queue_of(name: str, connection: Redis) -> Queue:
    """The queue of this name, with the serializer that all our processes use."""
    return Queue(name, connection=connection, serializer=JSONSerializer)


def count_workers(queue: Queue) -> int:
    """How many workers serve the queue.

    Without a sign of life the record of a worker expires: after two minutes, or after the time limit of its job.
    """
    workers = cast(set[bytes], queue.connection.smembers(WORKERS_BY_QUEUE_KEY % queue.name))
    return queue.connection.exists(*workers) if workers else 0


def enqueue_verifications(queue: Queue, due: Sequence[Verification], at_once: int = MATCHES_A_JOB) -> None:
    """Put matches on the queue, up to `at_once` in a job.

    A match that is on the queue already is verified twice, which costs time but does no harm.
    """
    _enqueue(queue, VERIFY_JOB, due, at_once)


def enqueue_scorings(queue: Queue, due: Sequence[Scoring], at_once: int = MATCHES_A_JOB) -> None:
    """As enqueue_verifications, for matches to score."""
    _enqueue(queue, SCORE_JOB, due, at_once)


def enqueue_sealings(queue: Queue, matches: Sequence[str]) -> None:
    """Put matches on the queue, all in one job, whose matches become one pack."""
    if matches:
        _send(queue, [_prepare(SEAL_JOB, matches, matches)])


def enqueue_copying(queue: Queue) -> None:
    """Put a job on the queue that copies what is not sealed, unless it is there."""
    names = ("streams",)
    known = queue.fetch_job(_job_id(COPY_JOB, names))
    if known is None or known.get_status() not in (JobStatus.QUEUED, JobStatus.STARTED):
        _send(queue, [_prepare(COPY_JOB, names, names)])


def enqueue_checks(queue: Queue, due: Sequence[Checking]) -> None:
    """As enqueue_verifications, for imports, each in a job of its own because imports may be large."""
    _enqueue(queue, IMPORT_JOB, due, at_once=1)


def enqueue_plays(queue: Queue, jobs: Sequence[Sequence[Playing]]) -> None:
    """Put jobs on the queue, in this order, each with matches in which a bot is due. A match may be there already."""
    _send(queue, [_job(PLAY_JOB, due) for due in jobs])


def enqueue_advances(queue: Queue, due: Sequence[Advancing]) -> None:
    """As enqueue_verifications, for tournaments to advance."""
    _enqueue(queue, ADVANCE_JOB, due, at_once=1)


def enqueue_deliveries(queue: Queue, due: Sequence[Delivering]) -> None:
    """As enqueue_verifications, for lanes of the outbox. A job only begins its deliveries, so one has many."""
    _enqueue(queue, DELIVER_JOB, due, MATCHES_A_JOB)


def _enqueue(queue: Queue, job: str, due: Sequence[tuple[str, int]], at_once: int) -> None:
    each_once = list(dict.fromkeys(due))
    _send(queue, [_job(job, each_once[n : n + at_once]) for n in range(0, len(each_once), at_once)])


def _send(queue: Queue, jobs: Sequence[EnqueueData]) -> None:
    if jobs:
        queue.enqueue_many(list(jobs))


def _job(job: str, due: Sequence[tuple[str, int]]) -> EnqueueData:
    return _prepare(job, due, [f"{stream}_{version}" for stream, version in due])


def _prepare(job: str, due: Sequence[Any], names: Sequence[str]) -> EnqueueData:
    """A job with one argument, whose id follows from these names."""
    return Queue.prepare_data(
        job,
        args=(due,),
        job_id=_job_id(job, names),
        timeout=JOB_TIMEOUT_S,
        result_ttl=RESULT_TTL_S,
        failure_ttl=FAILURE_TTL_S,
        # The names are in the arguments. Once more would be as many bytes again on the server's disk.
        description=f"{names[0]} and {len(names) - 1} more" if len(names) > 1 else names[0],
    )


def _job_id(job: str, names: Sequence[str]) -> str:
    """An id that is the same exactly for the same work."""
    if len(names) > 1:
        names = [names[0], sha256(" ".join(names).encode()).hexdigest()[:16]]
    return "_".join([job.rpartition(".")[2].partition("_")[0], *names])
