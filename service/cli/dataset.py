"""The command that makes a dataset from a service's store, or from files."""

import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import orjson
from rich.console import Console
from rich.progress import Progress, TextColumn, TimeElapsedColumn

from plyscribe.domain.errors import BundleError
from plyscribe.domain.rulesets import find_ruleset
from plyscribe.service.cli.beside import compose_beside
from plyscribe.service.cli.dataset_files import list_candidates_in
from plyscribe.service.cli.extra import explain_missing
from plyscribe.service.cli.full_export import ExportError
from plyscribe.service.cli.shared_options import DATA, JSON
from plyscribe.service.config import register_rulesets
from plyscribe.service.datasets.making import Order, can_make, make_dataset

if TYPE_CHECKING:
    from plyscribe.service.datasets.making import Candidate

FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


class _Time(click.ParamType[int]):
    name = "time"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """A time in UTC milliseconds from a date, or a time of day too, as in ISO 8601."""
        if isinstance(value, int):
            return value
        try:
            found = datetime.fromisoformat(value)
        except ValueError:
            self.fail(f"{value!r} is no time: write one such as 2026-11-01 or 2026-11-01T12:00:00Z", param, ctx)
        at = found if found.tzinfo else found.replace(tzinfo=UTC)
        return (at - datetime(1970, 1, 1, tzinfo=UTC)) // _MILLISECOND


_MILLISECOND = datetime.resolution * 1000


@click.command()
@DATA
@click.option(
    "--to",
    type=click.Path(path_type=Path),
    help="Folder to write, which must be new or empty.  [default: RULESET-dataset]",
)
@click.option(
    "--until", type=_Time(), metavar="TIME", help="Take matches that ended before this time (UTC).  [default: now]"
)
@click.option("--licence", metavar="TEXT", envvar="PLYSCRIBE_DATASET_LICENCE", help="What readers may do with it.")
@JSON
@click.argument("ruleset")
@click.argument("files", nargs=-1, type=FILE)
def dataset(
    data: Path,
    to: Path | None,
    until: int | None,
    licence: str | None,
    as_json: bool,
    ruleset: str,
    files: tuple[Path, ...],
) -> None:
    """Write the finished public matches of a ruleset as Parquet.

    The matches come from the store in REDIS_URL, or else from the one that `serve` runs on the data directory. With
    FILES, they come from these full exports (`plyscribe export --all`) and bundles, and no service is needed.

    The folder gets matches.parquet, plies.parquet, openings.parquet and a datasheet. Private, unfinished, annulled and
    refuted matches are left out. With the same --until, the same matches lead to the same rows.
    """
    if not can_make():
        click.echo(f"error: {explain_missing('datasets', '`plyscribe dataset` needs', 'pyarrow')}", err=True)
        sys.exit(2)
    if files:
        register_rulesets(os.environ.get("PLYSCRIBE_RULESETS", ""))
    left_out = Counter[str]()
    order = Order(ruleset, time.time_ns() // 1_000_000 if until is None else until, licence)
    # Without files the service says which rulesets there are.
    candidates = list_candidates_in(files, order, left_out) if files else _list_in_store(data, order)
    find_ruleset(ruleset)
    folder = to or Path(f"{ruleset}-dataset")
    if folder.is_file() or (folder.is_dir() and any(folder.iterdir())):
        raise click.UsageError(f"{folder} is there already: choose another folder with --to")
    try:
        folder.absolute().parent.mkdir(parents=True, exist_ok=True)
        # Written beside its place, so that a folder with a dataset has all of it.
        with tempfile.TemporaryDirectory(dir=folder.absolute().parent, prefix=f".{folder.name}-") as draft:
            whole = Path(draft) / "dataset"
            whole.mkdir()
            with _show_progress() as show:
                made = make_dataset(candidates, order, whole, show)
            whole.replace(folder)
    except (ExportError, BundleError, OSError) as error:
        sys.exit(f"error: {error}")
    left_out.update(made.left_out)
    if as_json:
        click.echo(orjson.dumps({**made.sheet, "left_out": dict(left_out)}, option=orjson.OPT_INDENT_2).decode())
        return
    _print(folder, made.sheet, left_out)


def _list_in_store(data: Path, order: Order) -> "Iterator[Candidate]":
    from plyscribe.service.datasets.listed_matches import list_candidates

    parts = compose_beside(data)
    lag = parts.lists.lag()
    if not lag.complete:
        click.echo(
            "warning: the list of matches is being built, so the dataset may lack some: run this again", err=True
        )
    return list_candidates(parts.lists.matches, parts.matches, order)


def _print(folder: Path, sheet: dict[str, Any], left_out: Counter[str]) -> None:
    click.echo(f"{sheet['title']}: {sheet['matches']['count']} matches that ended before {sheet['until']}")
    for table in sheet["tables"].values():
        click.echo(f"{folder / table['file']}: {table['rows']} rows, {table['bytes']} bytes")
    click.echo(f"{folder / 'datasheet.md'}: what is in it, and its digests")
    if left_out:
        click.echo(f"left out: {', '.join(f'{count} {why}' for why, count in sorted(left_out.items()))}")
    if sheet["licence"] is None:
        click.echo("no licence is stated: with --licence you say what readers may do with it")


@contextmanager
def _show_progress() -> Iterator[Callable[[int], None]]:
    columns = TextColumn("reading"), TextColumn("{task.completed:.0f} matches"), TimeElapsedColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("reading", total=None)

        def show(matches: int) -> None:
            progress.update(task, completed=matches)

        yield show
