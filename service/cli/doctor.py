"""`plyscribe doctor`."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console

from plyscribe.service.cli.shared_options import DATA, HOST, JSON, PORT

if TYPE_CHECKING:
    from plyscribe.service.health.doctor import Finding


@click.command()
@DATA
@HOST
@PORT
@JSON
def doctor(data: Path, host: str, port: int, as_json: bool) -> None:
    """Check the setup and report problems.

    Changes nothing. Exits with 1 if anything is wrong. Looks at the store in REDIS_URL, or else at the one that `serve`
    runs on the data directory.
    """
    from plyscribe.service.health.doctor import examine

    console, findings = Console(highlight=False), list["Finding"]()
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
