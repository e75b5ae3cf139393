"""`python -m plyscribe.workers verify|play|relay|check`: runs one worker process."""

import os
import sys

import click
from redis import Redis

from plyscribe.service import metrics
from plyscribe.service.config import ConfigError, read_config, register_rulesets
from plyscribe.service.logs import begin_logs
from plyscribe.service.queues import CHECK, play_queue, queue_of, verify_queue
from plyscribe.service.store.feed import FeedGroup
from plyscribe.service.store.redis import connect_client
from plyscribe.workers.parts import process_parts
from plyscribe.workers.relay import Relay, make_duties, run_relay
from plyscribe.workers.worker import work


@click.group()
@click.pass_context
def main(context: click.Context) -> None:
    """Run one worker process on the store that REDIS_URL names."""
    kind = context.invoked_subcommand or "workers"
    begin_logs(kind)
    metrics.begin(kind)


@main.command()
def verify() -> None:
    """Verify and score finished matches, and check imports."""
    process_parts()
    connection = Redis.from_url(read_config().rq_redis_url)
    work(verify_queue(connection), connection)


@main.command()
def play() -> None:
    """Make the moves of built-in bots, and advance tournaments."""
    process_parts()
    connection = Redis.from_url(read_config().rq_redis_url)
    work(play_queue(connection), connection)


@main.command()
def relay() -> None:
    """Follow the store's feed: enqueue what is due, and sweep for what was lost."""
    config = read_config()
    queues = Redis.from_url(config.rq_redis_url)
    store = connect_client(config.redis_url)
    parts = process_parts()
    run_relay(Relay(FeedGroup(store), make_duties(parts, store, queues)))


@main.command()
def check() -> None:
    """Replay matches for `plyscribe rules check`, which starts and stops this process."""
    register_rulesets(os.environ.get("PLYSCRIBE_RULESETS", ""))
    connection = Redis.from_url(os.environ["RQ_REDIS_URL"])
    work(queue_of(CHECK, connection), connection)


if __name__ == "__main__":
    try:
        main(prog_name="python -m plyscribe.workers")
    except ConfigError as error:
        sys.exit(f"error: {error}")
