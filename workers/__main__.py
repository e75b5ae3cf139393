"""`python -P -m plyscribe.workers KIND` runs a worker on the queue of that name, or the relay."""

import atexit
import gc
import os
import sys
from collections.abc import Callable
from contextlib import suppress

import click
from redis import Redis
from redis.backoff import ExponentialBackoff
from redis.retry import Retry

from plyscribe import __version__
from plyscribe.service import metrics
from plyscribe.service.config import Config, ConfigError, read_metrics_address, register_rulesets
from plyscribe.service.logs import begin_logs
from plyscribe.service.processes.children import PAUSE_FIRST
from plyscribe.service.queues import CHECK, DATASET, IMPORT, PLAY, REPORT, SEAL, TOURNAMENT, VERIFY, WEBHOOK, queue_of
from plyscribe.service.store.addresses import open_client, parse_address, require_for_queues
from plyscribe.service.store.port import StoreError, StoreUnavailable
from plyscribe.service.store.presence import Attendance, describe_process
from plyscribe.service.store.redis import connect_client, connect_queues
from plyscribe.service.store.requirements import require_queues_at, require_store_at
from plyscribe.workers.deliver_webhooks import bound_lookups, finish_deliveries
from plyscribe.workers.outages import wait_for
from plyscribe.workers.parts import process_parts
from plyscribe.workers.relay import open_relay, run_relay
from plyscribe.workers.worker import work

QUEUES_WITHIN_S = 2.0
"""How long the relay waits for the queues' server. It is short, because lists, inboxes and deadlines wait meanwhile."""

REPORT_NICE = 10
"""How far the report worker steps back behind all others: anybody can ask for reports, and nobody plays by them."""

SEAL_NICE = 15
"""How far the worker that seals steps back: nobody waits for it."""

DATASET_NICE = 15
"""How far the worker that makes datasets steps back: whoever waits for one waits for minutes."""


@click.group()
@click.pass_context
def main(context: click.Context) -> None:
    """Run one worker process on the store that REDIS_URL names."""
    kind = context.invoked_subcommand or "workers"
    begin_logs(kind)
    metrics.begin(kind)


def _serve_metrics() -> None:
    host, port = read_metrics_address()
    if port:
        try:
            metrics.serve_metrics(host, port)
        except OSError as error:
            where = f"{host} port {port}"
            raise ConfigError(f"PLYSCRIBE_METRICS_PORT: cannot listen on {where}: {error.strerror}") from None


@main.command(VERIFY)
def verify() -> None:
    """Verify and score finished matches."""
    _serve(VERIFY)


@main.command(IMPORT)
def check_imports() -> None:
    """Check imports."""
    _serve(IMPORT)


@main.command(PLAY)
def play() -> None:
    """Make the moves of built-in bots, except in tournaments."""
    _serve(PLAY)


@main.command(TOURNAMENT)
def run_tournaments() -> None:
    """Advance tournaments, and make the moves of built-in bots in them."""
    _serve(TOURNAMENT)


@main.command(REPORT)
def report() -> None:
    """Make reports that somebody asked for, whenever the processor has nothing better to do."""
    os.nice(REPORT_NICE)
    _serve(REPORT)


@main.command(WEBHOOK)
def post_to_webhooks() -> None:
    """Post messages to webhooks."""
    bound_lookups()
    _serve(WEBHOOK, finish_deliveries)


@main.command(SEAL)
def seal() -> None:
    """Put settled matches, and copies of all else, into the archive, when the processor has nothing better to do."""
    os.nice(SEAL_NICE)
    _serve(SEAL)


@main.command(DATASET)
def make_datasets() -> None:
    """Make datasets that somebody asked for, when the processor has nothing better to do."""
    os.nice(DATASET_NICE)
    _serve(DATASET)


@main.command()
def relay() -> None:
    """Follow the store's feed: enqueue what is due, and sweep for what was lost."""
    config = _begin_parts("relay")
    with suppress(StoreUnavailable):
        # Most of the relay's duties need no queue, so it does not wait for that server.
        require_queues_at(config.rq_redis_url)
    queues = connect_queues(config.rq_redis_url, QUEUES_WITHIN_S)
    store = connect_client(config.redis_url)
    run_relay(open_relay(process_parts(), store, queues))


def _serve(queue: str, finish: Callable[[], object] = lambda: None) -> None:
    """Work on this queue, once the store and the queues' server answer; UnsupportedServer if one is unfit."""
    config = _begin_parts(queue)
    wait_for("the queues' server", lambda: require_queues_at(config.rq_redis_url))
    connection = _connect_worker(config.rq_redis_url)
    work(queue_of(queue, connection), connection, finish)


def _connect_worker(url: str) -> Redis:
    """A client for rq, which waits for jobs without limit and relies on commands being sent again."""
    address = parse_address(url)
    require_for_queues(address)
    client = open_client(address, retry=Retry(ExponentialBackoff(cap=1.0, base=0.1), 3))
    assert isinstance(client, Redis)  # it is no cluster
    return client


def _begin_parts(kind: str) -> Config:
    """The settings of this process, once its store answers; UnsupportedServer if the store cannot be ours."""
    config = process_parts().config
    _serve_metrics()
    wait_for("the store", lambda: require_store_at(config.redis_url, mark=True))
    Attendance(config.redis_url, describe_process(kind, __version__)).begin()
    return config


@main.command()
def check() -> None:
    """Replay matches for `plyscribe rules check`, which starts and stops this process."""
    register_rulesets(os.environ.get("PLYSCRIBE_RULESETS", ""))
    connection = _connect_worker(os.environ["RQ_REDIS_URL"])
    work(queue_of(CHECK, connection), connection)


if __name__ == "__main__":
    # As in plyscribe/__main__.py.
    atexit.register(gc.freeze)
    try:
        main(prog_name="python -P -m plyscribe.workers")
    except ConfigError as error:
        sys.exit(f"error: {error}")
    except StoreError as error:
        click.echo(f"error: {error}", err=True)
        sys.exit(PAUSE_FIRST)
