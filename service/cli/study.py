"""`plyscribe study`: a report on a ruleset for those who design it, from matches between bots."""

import json
import os
import shlex
import signal
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console
from rich.progress import MofNCompleteColumn, Progress

from plyscribe.domain.bots import MAX_PLAYOUTS
from plyscribe.domain.errors import DomainError
from plyscribe.service.cli.extra import explain_missing
from plyscribe.service.cli.shared_options import RULESET_OPTIONS
from plyscribe.service.config import ConfigError, register_rulesets

if TYPE_CHECKING:
    from plyscribe.service.laboratory.batches import Task
    from plyscribe.service.laboratory.studies import Request

TROUBLE = 2
"""The exit code if the study cannot be made, the same as for wrong arguments."""

LIBRARIES = ("numpy", "scipy", "matplotlib")
NOTES, JSON, PAPER, PLOTS = "notes.jsonl", "study.json", "study.html", "plots"


@click.command()
@click.argument("ruleset")
@click.option("--seats", type=click.IntRange(1), help="Seats in each match; the default is the fewest that can play.")
@RULESET_OPTIONS("--options", help="Options of the ruleset, as a JSON object.")
@click.option("--against", metavar="RULESET", help="Compare with this ruleset or version, such as pathagon:2.")
@RULESET_OPTIONS("--against-options", help="Options of the other one, as a JSON object.")
@click.option(
    "--difference",
    type=click.FloatRange(0.01, 0.4),
    default=0.1,
    show_default=True,
    help="With --against: the smallest shift of a measure to look for, as a share of boards beyond one half.",
)
@click.option(
    "--matches",
    type=click.IntRange(8, 10_000),
    default=200,
    show_default=True,
    help="Matches between bots of each strength; with --against, the most boards.",
)
@click.option(
    "--playouts",
    type=click.IntRange(1, MAX_PLAYOUTS // 2),
    default=20,
    show_default=True,
    help="Playouts of the thinking bot; the strongest has twice as many.",
)
@click.option(
    "--opening",
    type=click.IntRange(0, 1000),
    help="Random moves at the beginning of each match; the default is two for each seat.",
)
@click.option("--seed", type=click.IntRange(0, 2**53 - 1), default=0, show_default=True, help="Seed of bots and dice.")
@click.option("--workers", type=click.IntRange(1, 64), default=1, show_default=True, help="Processes that play.")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder for the report; the default is study-RULESET.",
)
def study(
    ruleset: str,
    seats: int | None,
    options: Mapping[str, Any],
    against: str | None,
    against_options: Mapping[str, Any],
    difference: float,
    matches: int,
    playouts: int,
    opening: int | None,
    seed: int,
    workers: int,
    out: Path | None,
) -> None:
    """Study a ruleset by matches between bots.

    Needs no server, but the extra `study`. RULESET is an id, or an id and a version such as pathagon:1. The folder gets
    study.html, a report with plots in one file, study.json with the same figures, and the plots as SVG. The same
    arguments give the same files. Ctrl-C stops it, and the same command goes on where it stopped. docs/laboratory.md
    says how to read a report.
    """
    _require_libraries()
    from plyscribe.service.laboratory.notebook import StudyError
    from plyscribe.service.laboratory.studies import RANDOM_PLIES, Request
    from plyscribe.service.laboratory.subject import find_subject

    if against_options and against is None:
        against = ruleset
    try:
        register_rulesets(os.environ.get("PLYSCRIBE_RULESETS", ""))
        subject = find_subject(ruleset, seats, options)
        other = None if against is None else find_subject(against, subject.seats, against_options)
        folder = out or Path(f"study-{subject.id}")
        if opening is None:
            opening = RANDOM_PLIES * subject.seats
        _make(Request(subject, matches, playouts, seed, opening, other, difference), folder, workers)
    except (ConfigError, DomainError, StudyError, OSError) as error:
        click.echo(f"error: {error}", err=True)
        sys.exit(TROUBLE)
    except KeyboardInterrupt:
        click.echo("stopped; what is done is kept: run the same command again to go on", err=True)
        sys.exit(128 + signal.SIGINT)


def _require_libraries() -> None:
    from importlib.util import find_spec

    missing = [name for name in LIBRARIES if find_spec(name) is None]
    if missing:
        click.echo(f"error: {explain_missing('study', 'this command needs', missing[0])}", err=True)
        sys.exit(TROUBLE)


def _make(request: "Request", folder: Path, workers: int) -> None:
    from plyscribe.service.laboratory.notebook import Notebook
    from plyscribe.service.laboratory.paper import render_paper
    from plyscribe.service.laboratory.plots import draw_plots
    from plyscribe.service.laboratory.studies import count_matches, make_study

    console = Console(stderr=True, highlight=False)
    columns = (*Progress.get_default_columns(), MofNCompleteColumn())
    with (
        Notebook(folder / NOTES, request.describe()) as notebook,
        Progress(*columns, console=console, disable=not console.is_terminal, transient=True) as bar,
    ):
        shown = bar.add_task(request.subject.id, total=count_matches(request))
        batch = ""

        def show(task: "Task") -> None:
            nonlocal batch
            bar.update(shown, advance=task.matches, description=task.batch.name)
            if not console.is_terminal and batch != task.batch.name:
                batch = task.batch.name
                click.echo(f"playing {batch}", err=True)

        findings = make_study(request, notebook, workers, show)
    plots = draw_plots(findings)
    (folder / PLOTS).mkdir(exist_ok=True)
    for plot in plots:
        (folder / PLOTS / f"{plot.name}.svg").write_text(plot.svg, encoding="utf-8")
    (folder / JSON).write_text(json.dumps(findings, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    (folder / PAPER).write_text(render_paper(findings, plots, format_command(request)), encoding="utf-8")
    for sentence in findings["conclusions"]:
        click.echo(f"- {sentence}")
    click.echo(f"wrote {folder / PAPER}, {folder / JSON} and {len(plots)} plots in {folder / PLOTS}")


def format_command(request: "Request") -> str:
    """The command that makes the same study."""
    subject, other = request.subject, request.against
    words = ["plyscribe", "study", f"{subject.id}:{subject.version}", "--seats", str(subject.seats)]
    if subject.options:
        words += ["--options", json.dumps(dict(subject.options))]
    if other is not None:
        words += ["--against", f"{other.id}:{other.version}", "--difference", str(request.difference)]
        if other.options:
            words += ["--against-options", json.dumps(dict(other.options))]
    words += ["--matches", str(request.matches), "--playouts", str(request.playouts)]
    words += ["--opening", str(request.opening), "--seed", str(request.seed)]
    return shlex.join(words)
