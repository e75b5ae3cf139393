"""`plyscribe rules check`: what was recorded, under another version of its rules."""

import json
import os
import signal
import sys
from collections.abc import Mapping
from pathlib import Path
from threading import Event
from types import FrameType
from typing import Any, NoReturn

import click
from rich.console import Console
from rich.progress import Progress, TextColumn

from plyscribe.domain.errors import DomainError
from plyscribe.domain.ruleset import AnyRuleset
from plyscribe.service.cli.beside import DATA
from plyscribe.service.composition import compose_process
from plyscribe.service.config import ConfigError, register_rulesets
from plyscribe.service.processes.checkers import (
    DIFFERS,
    UNREAD,
    UNSOUND,
    Asked,
    CheckError,
    Checkers,
    Summary,
    list_bundles,
    list_streams,
)
from plyscribe.service.processes.serving import settings_beside
from plyscribe.service.store.port import StoreError

TROUBLE = 2
"""The exit code where the check cannot be made, as where it is asked for wrongly."""


@click.group()
def rules() -> None:
    """Hold versions of rulesets against what was recorded."""


@rules.command()
@click.argument("ruleset")
@click.option("--version", type=click.IntRange(1), help="A registered version; the newest without it.")
@click.option(
    "--candidate", metavar="MODULE:NAME", help="A ruleset that is not registered, from the directory at hand."
)
@click.option(
    "--bundles",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Replay the bundles in this folder instead of the matches in the store.",
)
@click.option("--workers", type=click.IntRange(1, 64), default=2, show_default=True, help="Processes that replay.")
@click.option(
    "--json", "as_json", is_flag=True, help="A line of JSON for each match that is told of, and for the counts."
)
@DATA
def check(
    ruleset: str,
    version: int | None,
    candidate: str | None,
    bundles: Path | None,
    workers: int,
    as_json: bool,
    data: Path,
) -> None:
    """Replay all recorded matches of a ruleset under a version of it, and tell where they would go otherwise.

    Of each match that differs the first event is told that this version would not have led to. Exit code 1 if any
    differs, 2 if the check cannot be made. Changes nothing. Reads the store that REDIS_URL names, else the one that
    `serve` runs on the data directory.
    """
    if version is not None and candidate is not None:
        raise click.UsageError("name a --version or a --candidate, not both")
    stop = Event()

    def interrupt(signum: int, frame: FrameType | None) -> NoReturn:
        stop.set()
        raise KeyboardInterrupt

    for signum in (signal.SIGINT, signal.SIGTERM):
        signal.signal(signum, interrupt)
    summary = Summary()
    try:
        register_rulesets(os.environ.get("PLYSCRIBE_RULESETS", ""))
        asked = Asked(ruleset, version, candidate)
        found = asked.find_candidate()
        _check(asked, bundles, data, workers, summary, as_json, stop)
    except (CheckError, ConfigError, StoreError, DomainError) as error:
        click.echo(f"error: {error}", err=True)
        sys.exit(TROUBLE)
    except KeyboardInterrupt:
        click.echo(f"stopped after {summary.replayed.total()} matches", err=True)
        sys.exit(128 + signal.SIGINT)
    click.echo(json.dumps(summary.dump(found)) if as_json else _format_summary(summary, found))
    sys.exit(summary.findings[DIFFERS] > 0)


def _check(
    asked: Asked, bundles: Path | None, data: Path, workers: int, summary: Summary, as_json: bool, stop: Event
) -> None:
    environ = {} if bundles else settings_beside(data, os.environ)
    parts = list_bundles(bundles) if bundles else list_streams(compose_process(environ).store)
    console = Console(highlight=False, stderr=as_json)
    columns = [*Progress.get_default_columns(), TextColumn("{task.fields[replayed]} matches")]
    with (
        Progress(*columns, console=console, disable=not console.is_terminal, transient=True) as bar,
        Checkers(workers, environ, stop.is_set) as checkers,
    ):
        task = bar.add_task(asked.ruleset, total=1.0, replayed=0)
        for checked in checkers.check(asked, parts):
            summary.add(checked)
            bar.update(task, completed=checked.done, replayed=summary.replayed.total())
            for told in checked.findings:
                if as_json:
                    click.echo(json.dumps(told))
                else:
                    bar.console.print(_format_difference(told), markup=False, soft_wrap=True)


def _format_difference(told: Mapping[str, Any]) -> str:
    if told["outcome"] == UNREAD:
        return f"{told['match']} cannot be read: {told['why']}"
    found = told["difference"]
    fails = "does not replay under its own version" if told["outcome"] == UNSOUND else "differs"
    return (
        f"{told['match']}, version {told['ruleset_version']}, {fails}: "
        f"{found['kind']} at event {found['version']}, ply {found['ply']}\n"
        f"  recorded: {found['expected']}\n"
        f"  now:      {found['came']}"
    )


def _format_summary(summary: Summary, candidate: AnyRuleset) -> str:
    told = summary.dump(candidate)
    versions = ", ".join(f"version {version}: {count}" for version, count in told["versions"].items()) or "none there"
    lines = [
        f"{told['replayed']} matches replayed under {candidate.id} version {candidate.version} ({versions})",
        f"{told[DIFFERS]} would go otherwise",
    ]
    if told[UNSOUND]:
        lines.append(f"{told[UNSOUND]} do not replay under their own version either, which says nothing of this one")
    if told[UNREAD]:
        lines.append(f"{told[UNREAD]} cannot be read")
    return "\n".join(lines)
