"""`plyscribe doctor`."""

import json
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.progress import BarColumn, TextColumn
from rich.progress import Progress as ProgressBar

from plyscribe.service.cli.shared_options import DATA, HOST, JSON, PORT

if TYPE_CHECKING:
    from plyscribe.service.health.doctor import Finding


@click.command()
@DATA
@HOST
@PORT
@JSON
@click.option("--deep", is_flag=True, help="Also check every stored event against its hash.")
def doctor(data: Path, host: str, port: int, as_json: bool, deep: bool) -> None:
    """Check the setup and report problems.

    Changes nothing. Exits with 1 if anything is wrong. Looks at the store in REDIS_URL, or else at the one that `serve`
    runs on the data directory. With --deep it reads all streams, which takes about a minute for two million events.
    """
    from plyscribe.service.health.doctor import examine

    console, findings = Console(highlight=False), list["Finding"]()

    def show(found: Iterable["Finding"]) -> None:
        for finding in found:
            findings.append(finding)
            if not as_json:
                _print_finding(console, *finding)

    show(examine(data, host, port))
    if deep and not any((finding.topic, finding.state) == ("store", "wrong") for finding in findings):
        _examine_deeply(data, show)
    if as_json:
        click.echo(json.dumps([finding._asdict() for finding in findings], indent=2))
    sys.exit(any(finding.state == "wrong" for finding in findings))


def _examine_deeply(data: Path, show: Callable[[Iterable["Finding"]], None]) -> None:
    """Check the chains of all streams, with a bar on standard error."""
    from plyscribe.service.health.doctor import examine_chains

    columns = TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[streams]:,} streams")
    with ProgressBar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("checking hash chains", total=1, streams=0)
        show(
            examine_chains(
                data,
                lambda now: bar.update(task, completed=now.done, total=now.total, streams=now.streams),
            )
        )


def _print_finding(console: Console, topic: str, state: str, text: str, remedy: str) -> None:
    mark = {"ok": "[green]ok   [/]", "note": "[yellow]note [/]", "wrong": "[red]wrong[/]"}[state]
    console.print(f"{mark}  {topic:10}  ", end="")
    console.print(f"{text}: {remedy}" if remedy else text, markup=False, soft_wrap=True)
