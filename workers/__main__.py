"""`python -m workers verify|relay`: one worker process."""

import logging
import os
import sys
from types import FrameType

import click
from redis import Redis
from rq import SimpleWorker
from rq.serializers import JSONSerializer

from service.config import ConfigError, read_config
from service.queues import VERIFY, verify_queue
from service.store.feed import FeedGroup
from service.store.redis import connect_client
from workers.duties.verification import Verifications
from workers.process import process_parts
from workers.relay import Relay, run_relay

MAX_JOBS = 10_000
"""Jobs that a worker executes before it starts afresh, so that nothing it leaks adds up."""


@click.group()
def main() -> None:
    """Run one worker process on the store that REDIS_URL names."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(levelname)s %(message)s")
    logging.getLogger("rq").setLevel(logging.WARNING)


class _Worker(SimpleWorker):
    """A worker that tells afterwards whether it was asked to stop or has had its number of jobs."""

    told_to_stop = False

    def request_stop(self, signum: int, frame: FrameType | None) -> None:
        self.told_to_stop = True
        super().request_stop(signum, frame)  # type: ignore[no-untyped-call]


@main.command()
def verify() -> None:
    """Execute finished matches a second time."""
    process_parts()
    connection = Redis.from_url(read_config().rq_redis_url)
    worker = _Worker([verify_queue(connection)], connection=connection, serializer=JSONSerializer)
    worker.work(max_jobs=MAX_JOBS, logging_level="WARNING")
    if not worker.told_to_stop:
        # The same process, so that whoever supervises it sees no death.
        os.execv(sys.executable, [sys.executable, "-m", "workers", VERIFY])


@main.command()
def relay() -> None:
    """Follow the store's feed: enqueue what is due, sweep for what fell through."""
    config = read_config()
    queues = Redis.from_url(config.rq_redis_url)
    store = connect_client(config.redis_url)
    parts = process_parts()
    duties = [Verifications(parts, store, verify_queue(queues))]
    run_relay(Relay(FeedGroup(store), duties))


if __name__ == "__main__":
    try:
        main(prog_name="python -m workers")
    except ConfigError as error:
        sys.exit(f"error: {error}")
