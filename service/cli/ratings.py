"""`plyscribe ratings`: checks that the ratings that are shown are what the ledgers amount to."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.progress import MofNCompleteColumn, Progress

from plyscribe.domain.errors import StreamError
from plyscribe.service.cli.beside import compose_beside
from plyscribe.service.cli.shared_options import DATA, JSON

if TYPE_CHECKING:
    from plyscribe.service.composition import Parts
    from plyscribe.service.ratings.checking import Checked

TROUBLE = 2
"""The exit code if the check cannot be made, the same as for wrong arguments."""


@click.group()
def ratings() -> None:
    """Check the ratings."""


@ratings.command()
@click.argument("rulesets", nargs=-1)
@JSON
@DATA
def check(rulesets: tuple[str, ...], as_json: bool, data: Path) -> None:
    """Compute ratings afresh from their ledgers and compare.

    RULESETS are ids; without any, all are checked. The service keeps running: every rating, step, rank count and
    unrated match is compared at one version of the ledger. Exits with 1 if any of them is wrong, and names the first;
    `plyscribe rebuild ratings` mends them. Exits with 2 if a ledger cannot be read. Changes nothing. Uses the store in
    REDIS_URL, or else the one that `serve` runs on the data directory.
    """
    from plyscribe.service.errors import UnknownModel

    parts = compose_beside(data)
    known = parts.ratings.list_rulesets()
    for ruleset in rulesets:
        if ruleset not in known:
            raise click.BadParameter(f"there is no ruleset {ruleset!r}; the rulesets are {', '.join(known)}")
    try:
        found = [_check(parts, ruleset) for ruleset in dict.fromkeys(rulesets or known)]
    except (StreamError, UnknownModel) as error:
        click.echo(f"error: {error}", err=True)
        sys.exit(TROUBLE)
    if as_json:
        click.echo(json.dumps([checked._asdict() for checked in found], indent=2))
    else:
        _show(found)
    sys.exit(any(checked.wrong for checked in found))


def _check(parts: "Parts", ruleset: str) -> "Checked":
    from plyscribe.service.ratings.checking import check_rows

    tables = parts.ratings.tables
    console = Console(stderr=True)
    with Progress(*Progress.get_default_columns(), MofNCompleteColumn(), console=console, transient=True) as bar:
        task = bar.add_task(ruleset, total=None)
        with tables.database.reading() as connection:
            return check_rows(
                parts.store,
                connection,
                tables.live,
                ruleset,
                lambda done, total: bar.update(task, completed=done, total=total),
            )


def _show(found: "list[Checked]") -> None:
    console = Console(highlight=False)
    for checked in found:
        mark = "[red]wrong[/]" if checked.wrong else "[green]ok   [/]"
        lag = f", entries after it that do not count yet: {checked.lag:,}" if checked.lag else ""
        console.print(f"{mark}  {checked.ruleset:10}  ", end="")
        text = f"version {checked.version:,}, matches: {checked.matches:,}, players: {checked.players:,}{lag}"
        console.print(text, markup=False, soft_wrap=True)
        for difference in checked.differences:
            console.print(f"       {difference}", markup=False, soft_wrap=True)
        if checked.wrong:
            console.print(f"       wrong rows: {checked.wrong:,}; run `plyscribe rebuild ratings`", markup=False)
