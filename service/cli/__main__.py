"""The command line."""

import json
import os
import sys
from pathlib import Path

import click
from rich.console import Console
from rich.progress import Progress, TextColumn

from plyscribe.domain.errors import DomainError, Unknown
from plyscribe.domain.player import KINDS, MAX_TOKEN_LIFE_MS, SCOPES, IssueToken
from plyscribe.service import metrics
from plyscribe.service.access.accounts import Given
from plyscribe.service.cli.beside import DATA, OPERATOR, compose_beside
from plyscribe.service.cli.bots import bot
from plyscribe.service.cli.record import record
from plyscribe.service.cli.replay import replay
from plyscribe.service.cli.rules import rules
from plyscribe.service.cli.tournament import tournament
from plyscribe.service.cli.transfer import export, import_files
from plyscribe.service.cli.vectors import vectors
from plyscribe.service.cli.verify import verify
from plyscribe.service.composition import compose, compose_process
from plyscribe.service.config import SERVER, Config, ConfigError, parse_key
from plyscribe.service.lists.projections import Built, Projection
from plyscribe.service.lists.projections import rebuild as rebuild_projection
from plyscribe.service.logs import begin_logs
from plyscribe.service.processes.foreground import ForegroundService
from plyscribe.service.processes.serving import LOOPBACK, ServeError, ServeOptions, rotate_key
from plyscribe.service.store.memory import MemoryStore
from plyscribe.service.store.port import EventStore, StoreError
from plyscribe.service.streams.ids import is_stream_id
from plyscribe.service.web.api.http import LARGER_BODIES, MAX_BODY_BYTES
from plyscribe.service.web.api.openapi import format_openapi

DAY_MS = 24 * 3600 * 1000

HOST = click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
PORT = click.option("--port", type=click.IntRange(1, 65535), default=8420, show_default=True, help="Port to listen on.")
REDIS_URL = click.option("--redis-url", envvar="REDIS_URL", help="A store that runs already; without it, our own.")


@click.group()
@click.version_option(SERVER.split()[1], prog_name="plyscribe")
def cli() -> None:
    """Record matches of board games move by move, verify them, and give back any position."""


@cli.command()
@DATA
@HOST
@PORT
@REDIS_URL
@click.option("--verify-workers", type=click.IntRange(1, 64), default=1, show_default=True)
@click.option("--play-workers", type=click.IntRange(1, 64), default=1, show_default=True, help="For built-in bots.")
def serve(data: Path, host: str, port: int, redis_url: str | None, verify_workers: int, play_workers: int) -> None:
    """Run everything: store, API, workers and relay, until Ctrl-C."""
    options = ServeOptions(data, host, port, verify_workers, play_workers, redis_url)
    with ForegroundService(options) as service:
        click.echo(f"Plyscribe serves at {options.url}")
        if host not in LOOPBACK:
            click.echo("Sign-up is by the administrator alone, for others can reach this address.")
        click.echo(f"data, logs and the administrator's token are in {data.resolve()}; Ctrl-C stops")
        service.watch_until_stopped()


@cli.command()
@DATA
@HOST
@PORT
@REDIS_URL
@click.option("--matches", type=click.IntRange(1, 10_000), default=12, show_default=True)
@click.option("--threads", type=click.IntRange(1, 64), default=4, show_default=True, help="Matches at the same time.")
@click.option("--once", is_flag=True, help="End after the table instead of serving on.")
def demo(data: Path, host: str, port: int, redis_url: str | None, matches: int, threads: int, once: bool) -> None:
    """Play bot matches over HTTP, verify them, and show what came of it."""
    from plyscribe.service.cli.demo import DemoError, run_demo

    console = Console()
    options = ServeOptions(data, host, port, redis_url=redis_url)
    with ForegroundService(options) as service:
        console.print(f"Plyscribe serves at {options.url}")
        try:
            service.watch_while(lambda stop: run_demo(options.url, data, matches, threads, console, stop))
        except DemoError as error:
            sys.exit(f"error: {error}")
        if not once and not service.is_stopped:
            console.print(f"Still serving at {options.url}. Ctrl-C stops.")
            service.watch_until_stopped()


@cli.command()
@HOST
@PORT
def web(host: str, port: int) -> None:
    """Run the API alone, over the store that REDIS_URL names."""
    from plyscribe.service.web.app import create_app
    from plyscribe.service.web.server import serve_application

    begin_logs("web")
    metrics.begin("web")
    parts = compose_process()
    parts.store.describe()
    try:
        serve_application(create_app(parts), host, port, parts.live, MAX_BODY_BYTES, LARGER_BODIES)
    except OSError as error:
        raise ServeError(f"cannot listen on {host} port {port}: {error.strerror}") from None


@cli.command("add-player")
@DATA
@click.argument("name")
@click.option("--kind", type=click.Choice(KINDS), default="person", show_default=True)
@click.option("--scope", "scopes", type=click.Choice(SCOPES), multiple=True, default=("play", "record"))
def add_player(data: Path, name: str, kind: str, scopes: tuple[str, ...]) -> None:
    """Open an account and print its token.

    Works on the store that REDIS_URL names, else on the one that `serve` runs on the data directory.
    """
    player, token = compose_beside(data).accounts.sign_up(OPERATOR, name, kind, scopes)
    click.echo(f"{player.stream} {token}")


@cli.command("issue-token")
@DATA
@click.argument("player")
@click.option("--scope", "scopes", type=click.Choice(SCOPES), multiple=True, default=("play", "record"))
@click.option("--label", help="What the token is for.")
@click.option("--expires-in-days", type=click.IntRange(1, MAX_TOKEN_LIFE_MS // DAY_MS), help="For good without it.")
@click.option("--keep-others", is_flag=True, help="Let the other tokens of the account be; without it they end.")
def issue_token(
    data: Path, player: str, scopes: tuple[str, ...], label: str | None, expires_in_days: int | None, keep_others: bool
) -> None:
    """Issue a token for an account whose own is lost, and print it.

    Works on the store that REDIS_URL names, else on the one that `serve` runs on the data directory.
    """
    if not is_stream_id("player", player):
        raise Unknown("player/unknown", f"{player} is no account: they read player-<26 characters>")
    lives_ms = None if expires_in_days is None else expires_in_days * DAY_MS

    def make(given: Given) -> IssueToken:
        return IssueToken(**given, scopes=scopes, label=label, lives_ms=lives_ms, revoke_others=not keep_others)

    account, token = compose_beside(data).accounts.issue(player, OPERATOR, make)
    click.echo(f"{account.stream} {token}")


@cli.command("rotate-key")
@DATA
def rotate_server_key(data: Path) -> None:
    """Have new dice and invitations under a new server key, while no service runs on the data directory.

    The older keys stay beside it, for matches under way and invitations that are out. May be killed at any moment.
    """
    key = rotate_key(data, os.environ)
    older = ", ".join(each.id for each in key.older)
    click.echo(f"new key {key.id}; kept for what was begun under them: {older}. Back up {data / 'server.key'}")


@cli.command()
@DATA
@click.argument("names", nargs=-1)
def rebuild(data: Path, names: tuple[str, ...]) -> None:
    """Build lists again from the streams: those named (matches, players), or all.

    The service goes on meanwhile, and shows what it has until the new lists are complete. Works on the store that
    REDIS_URL names, else on the one that `serve` runs on the data directory. May be stopped and begun anew at will.
    """
    parts = compose_beside(data)
    projections = {projection.name: projection for projection in parts.lists.projections}
    for name in names:
        if name not in projections:
            raise click.BadParameter(f"there is no list {name!r}; there are {', '.join(projections)}")
    for name in dict.fromkeys(names or projections):
        _rebuild_one(parts.store, projections[name])


def _rebuild_one(store: EventStore, projection: Projection) -> None:
    with Progress(*Progress.get_default_columns(), TextColumn("{task.fields[streams]} streams")) as bar:
        task = bar.add_task(projection.name, total=None, streams=0)

        def show(at: Built) -> None:
            bar.update(task, completed=at.done, total=at.total, streams=at.streams)

        rebuild_projection(store, projection, show)


@cli.command()
@DATA
@HOST
@PORT
@click.option("--json", "as_json", is_flag=True, help="Tell it to programs.")
def doctor(data: Path, host: str, port: int, as_json: bool) -> None:
    """Say what is set and what is wrong, changing nothing; exit 1 if anything is wrong.

    Looks at the store that REDIS_URL names, else at the one that `serve` runs on the data directory.
    """
    from plyscribe.service.health.doctor import Finding, examine

    console, findings = Console(highlight=False), list[Finding]()
    for finding in examine(data, host, port):
        findings.append(finding)
        if not as_json:
            _print_finding(console, *finding)
    if as_json:
        click.echo(json.dumps([finding._asdict() for finding in findings], indent=2))
    sys.exit(any(finding.state == "wrong" for finding in findings))


def _print_finding(console: Console, topic: str, state: str, text: str, remedy: str) -> None:
    mark = {"ok": "[green]ok   [/]", "note": "[yellow]note [/]", "wrong": "[red]wrong[/]"}[state]
    console.print(f"{mark}  {topic:10}  ", end="")
    console.print(f"{text}: {remedy}" if remedy else text, markup=False, soft_wrap=True)


@cli.command()
def openapi() -> None:
    """Print openapi.yaml as the code has it."""
    from plyscribe.service.web.app import create_app

    # The contract needs no store that lasts.
    parts = compose(Config("", "", parse_key("00" * 32)), MemoryStore())
    click.echo(format_openapi(create_app(parts)), nl=False)


cli.add_command(bot)
cli.add_command(export)
cli.add_command(import_files)
cli.add_command(record)
cli.add_command(replay)
cli.add_command(rules)
cli.add_command(vectors)
cli.add_command(verify)
cli.add_command(tournament)


def main() -> None:
    """The console script: errors that a person can mend are told in a line."""
    try:
        cli()
    except (ConfigError, ServeError, StoreError, DomainError) as error:
        sys.exit(f"error: {error}")


if __name__ == "__main__":
    main()
