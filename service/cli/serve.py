"""`plyscribe serve` runs everything, `plyscribe web` the API alone."""

import sys
from pathlib import Path

import click

from plyscribe.service.cli.shared_options import CLUSTER, DATA, HOST, PORT, REDIS_URL

WORKERS = click.IntRange(1, 64)


@click.command()
@DATA
@HOST
@PORT
@REDIS_URL
@CLUSTER
@click.option(
    "--web-processes", type=WORKERS, default=1, show_default=True, help="Processes that share the API on the port."
)
@click.option("--verify-workers", type=WORKERS, default=1, show_default=True, help="Workers that verify matches.")
@click.option("--import-workers", type=WORKERS, default=1, show_default=True, help="Workers that check imports.")
@click.option("--play-workers", type=WORKERS, default=1, show_default=True, help="Workers that play for built-in bots.")
@click.option("--tournament-workers", type=WORKERS, default=1, show_default=True, help="Workers that run tournaments.")
@click.option("--report-workers", type=WORKERS, default=1, show_default=True, help="Workers that make reports.")
def serve(
    data: Path, host: str, port: int, redis_url: str | None, cluster: int | None, web_processes: int, **workers: int
) -> None:
    """Run everything: store, API, workers and relay.

    Ctrl-C stops it.
    """
    from plyscribe.service.processes.foreground import ForegroundService
    from plyscribe.service.processes.serving import LOOPBACK, ServeOptions

    counts = {name.removesuffix("_workers"): count for name, count in workers.items()}
    options = ServeOptions(data, host, port, counts, redis_url, cluster, web_processes)
    with ForegroundService(options) as service:
        click.echo(f"Plyscribe serves at {options.url}")
        if host not in LOOPBACK:
            click.echo("Other machines can reach this address, so only the administrator can open accounts.")
        click.echo(f"Data, logs and the administrator's token are in {data.resolve()}. Ctrl-C stops.")
        service.watch_until_stopped()


@click.command()
@HOST
@PORT
@click.option("--share-port", is_flag=True, help="Let other processes of this user listen on the port as well.")
def web(host: str, port: int, share_port: bool) -> None:
    """Run the API alone, on the store in REDIS_URL.

    With --share-port, start it once for each processor: on Linux the kernel
    spreads the connections over the processes.
    """
    from plyscribe.service import metrics
    from plyscribe.service.composition import compose_process
    from plyscribe.service.logs import begin_logs
    from plyscribe.service.processes.serving import ServeError
    from plyscribe.service.web.api.http import LARGER_BODIES, MAX_BODY_BYTES
    from plyscribe.service.web.api.moves_together import MovesTogether
    from plyscribe.service.web.app import create_app
    from plyscribe.service.web.server import serve_application

    begin_logs("web")
    metrics.begin("web")
    parts = compose_process()
    _begin_at(parts.config.redis_url)
    try:
        app = create_app(parts)
        together = MovesTogether(app)
        serve_application(app, host, port, parts.let_go, MAX_BODY_BYTES, LARGER_BODIES, share_port, together)
    except OSError as error:
        raise ServeError(f"cannot listen on {host} port {port}: {error.strerror}") from None


def _begin_at(url: str) -> None:
    """Be at work on the store; end with PAUSE_FIRST and a message if it does not answer or cannot be our store."""
    from plyscribe import __version__
    from plyscribe.service.processes.children import PAUSE_FIRST
    from plyscribe.service.store.port import StoreError
    from plyscribe.service.store.presence import Attendance, describe_process
    from plyscribe.service.store.requirements import require_store_at

    try:
        require_store_at(url, mark=True)
        Attendance(url, describe_process("web", __version__)).begin()
    except StoreError as error:
        click.echo(f"error: {error}", err=True)
        sys.exit(PAUSE_FIRST)
