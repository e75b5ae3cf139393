"""The rq queues: what is put on them and how. Jobs are named by dotted path, carry ids, and may run twice."""

from collections.abc import Sequence
from typing import NamedTuple

from redis import Redis
from rq import Queue
from rq.queue import EnqueueData
from rq.serializers import JSONSerializer

VERIFY = "verify"
QUEUES = (VERIFY,)
"""The names of all queues."""

WAITING = {"verification": "relay:waiting"}
"""Sorted sets on the store, by what their matches wait for: since when each does, in UTC milliseconds."""

JOB_TIMEOUT_S = 300
RESULT_TTL_S = 60
FAILURE_TTL_S = 7 * 24 * 3600


class Verification(NamedTuple):
    """A finished match that waits for its second execution: its stream and the version of its end."""

    stream: str
    version: int

    @property
    def job_id(self) -> str:
        """The same for the same end of the same match."""
        return f"verify_{self.stream}_{self.version}"


def verify_queue(connection: Redis) -> Queue:
    """The queue of matches to verify. A worker serves this one alone: with two, a death at dequeue loses the job."""
    return queue_of(VERIFY, connection)


def queue_of(name: str, connection: Redis) -> Queue:
    """The queue of this name, as all our processes read and write it."""
    return Queue(name, connection=connection, serializer=JSONSerializer)


def enqueue_verifications(queue: Queue, due: Sequence[Verification]) -> None:
    """Put matches on the queue. One that stands on it already is executed twice, which costs time and nothing else."""
    queue.enqueue_many([_job(each) for each in dict.fromkeys(due)])


def _job(each: Verification) -> EnqueueData:
    return Queue.prepare_data(
        "workers.verify_match.verify_match",
        args=(each.stream, each.version),
        job_id=each.job_id,
        timeout=JOB_TIMEOUT_S,
        result_ttl=RESULT_TTL_S,
        failure_ttl=FAILURE_TTL_S,
        description=f"verify {each.stream}",
    )
