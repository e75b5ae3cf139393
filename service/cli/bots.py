"""`plyscribe bot run` and `plyscribe bot check`: bots in any language, which speak a line of JSON a decision."""

import json
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from types import FrameType
from typing import IO, Any

import click
import httpx
from rich.console import Console
from rich.progress import Progress, TextColumn
from rich.table import Table

from plyscribe.domain.ruleset import AnyRuleset
from plyscribe.domain.rulesets import find_ruleset, list_newest
from plyscribe.service.bridge.bot_process import NoSuchProgram, find_program
from plyscribe.service.bridge.check import BotCheck, Checked, Finding
from plyscribe.service.bridge.play import Bridge
from plyscribe.service.bridge.run import GivenUp, Settings
from plyscribe.service.client import Client, Problem
from plyscribe.service.config import register_rulesets

RETRY_FOR_S = 10.0
SHOWN_FINDINGS = 30

COMMAND = click.argument("command", nargs=-1, required=True, metavar="-- BOT [ARGS]…", type=click.UNPROCESSED)
RULESET = click.option("--ruleset", "rulesets", multiple=True, help="Only this one; may be given several times.")
LOG = click.option(
    "--log", type=click.Path(dir_okay=False, path_type=Path), help="Where what the bot writes to stderr is appended."
)
ENDS_OPTIONS = {"allow_interspersed_args": False}
"""What follows the bot's name is the bot's own, with or without --."""


@click.group()
def bot() -> None:
    """Bots in any language: they read a line of JSON a decision and write one. docs/bots.md tells the lines."""


@bot.command(context_settings=ENDS_OPTIONS)
@click.option("--url", default="http://127.0.0.1:8420", show_default=True, help="The server.")
@click.option("--token", envvar="PLYSCRIBE_TOKEN", help="The account's token; others may see it among the processes.")
@click.option("--token-file", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="Read it from here.")
@RULESET
@click.option("--accept/--no-accept", default=True, show_default=True, help="Take the seats that are offered.")
@click.option("--ask-draws", is_flag=True, help="Ask the bot about draws; without it they are declined.")
@click.option(
    "--concurrency",
    type=click.IntRange(1, 64),
    default=1,
    show_default=True,
    help="Processes of the bot; each decides one thing at a time, a match stays with its own.",
)
@click.option("--move-timeout", type=click.FloatRange(0.1), default=60.0, show_default=True, help="Seconds an answer.")
@click.option("--tries", type=click.IntRange(1, 100), default=3, show_default=True, help="A decision; then it resigns.")
@LOG
@COMMAND
def run(
    url: str,
    token: str | None,
    token_file: Path | None,
    rulesets: tuple[str, ...],
    accept: bool,
    ask_draws: bool,
    concurrency: int,
    move_timeout: float,
    tries: int,
    log: Path | None,
    command: tuple[str, ...],
) -> None:
    """Play an account's matches with a bot, until Ctrl-C or SIGTERM: then decisions in hand are made, and it exits 0.

    May be killed and started again at any time: it finds what is due, and no move is made twice. Exits with 1 where
    the bot is of no use: it cannot be started, never answers, or dies again and again. Nothing is resigned for that.
    """
    given = token if token_file is None else token_file.read_text().strip()
    if not given:
        raise click.UsageError("give a --token-file, or a --token")
    settings = Settings(command, frozenset(rulesets), accept, ask_draws, concurrency, move_timeout, tries, log)
    bridge = Bridge(lambda: Client(url, given, retry_for_s=RETRY_FOR_S), settings, _print_line)

    def stop(signum: int, frame: FrameType | None) -> None:
        if bridge.is_stopped:
            raise KeyboardInterrupt
        _print_line("stopping once the decisions in hand are made; once more to stop at once")
        bridge.stop()

    for signum in (signal.SIGINT, signal.SIGTERM):
        signal.signal(signum, stop)
    try:
        find_program(command[0])
        bridge.run()
    except (GivenUp, NoSuchProgram, Problem, httpx.HTTPError, OSError) as error:
        sys.exit(f"error: {error}")
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)
    _print_line(f"stopped after {bridge.moves} moves")


def _print_line(text: str) -> None:
    shown = "".join(each if each.isprintable() else "?" for each in text)
    click.echo(f"bridge: {shown}", err=True)


@bot.command(context_settings=ENDS_OPTIONS)
@RULESET
@click.option(
    "--positions", type=click.IntRange(1, 10_000), default=50, show_default=True, help="So many of each ruleset."
)
@click.option("--timeout", type=click.FloatRange(0.01), default=5.0, show_default=True, help="Seconds an answer.")
@click.option("--ask-draws", is_flag=True, help="Ask about draws too, as a bot is by run --ask-draws.")
@click.option("--json", "as_json", is_flag=True, help="Tell it to programs, with the questions.")
@LOG
@COMMAND
def check(
    rulesets: tuple[str, ...],
    positions: int,
    timeout: float,
    ask_draws: bool,
    as_json: bool,
    log: Path | None,
    command: tuple[str, ...],
) -> None:
    """Ask a bot about tricky positions, without any server, and tell what it does wrong; exits with 1 if anything.

    The positions of all rulesets, or of those named, are the same ones every time.
    """
    register_rulesets(os.environ.get("PLYSCRIBE_RULESETS", ""))
    asked = [find_ruleset(each) for each in rulesets] or list_newest()
    with ExitStack() as stack:
        errors: IO[bytes] | None = stack.enter_context(log.open("ab")) if log else None
        checking = BotCheck(command, timeout, errors, ask_draws)
        stack.callback(checking.kill)
        try:
            checked = _check(checking, asked, positions, Console(stderr=True))
        except (NoSuchProgram, OSError) as error:
            sys.exit(f"error: {error}")
    if as_json:
        click.echo(json.dumps([_dump(each) for each in checked], indent=2))
    else:
        _print(Console(highlight=False), checked)
    sys.exit(not all(each.is_sound for each in checked))


def _check(checking: BotCheck, asked: Sequence[AnyRuleset], positions: int, console: Console) -> list[Checked]:
    columns = [*Progress.get_default_columns(), TextColumn("{task.fields[faults]} faults")]
    found = []
    with Progress(*columns, console=console, disable=not console.is_terminal, transient=True) as bar:
        for ruleset in asked:
            task = bar.add_task(ruleset.id, total=positions, faults=0)

            def show(at: Checked, task: Any = task) -> None:
                bar.update(task, completed=at.asked, total=at.positions, faults=len(at.faults))

            found.append(checking.check(ruleset, positions, show))
    return found


def _dump(checked: Checked) -> dict[str, Any]:
    return {
        "ruleset": checked.ruleset,
        "version": checked.version,
        "sound": checked.is_sound,
        "positions": checked.positions,
        "asked": checked.asked,
        "moves": checked.moves,
        "resigned": checked.resigned,
        "draws": checked.draws,
        "median_s": checked.median_s,
        "slowest_s": checked.slowest_s,
        "findings": [asdict(finding) for finding in checked.findings],
    }


def _print(console: Console, checked: Sequence[Checked]) -> None:
    table = Table()
    table.add_column("ruleset", no_wrap=True)
    for name in ("positions", "moves", "resigned", "faults", "median", "slowest"):
        table.add_column(name, justify="right")
    for each in checked:
        counts = (each.asked, each.moves, each.resigned, len(each.faults))
        style = None if each.is_sound else "red"
        times = (each.median_s, each.slowest_s)
        table.add_row(f"{each.ruleset} {each.version}", *map(str, counts), *map(_format_time, times), style=style)
    console.print(table)
    findings = [(each, finding) for each in checked for finding in each.findings]
    for each, finding in findings[:SHOWN_FINDINGS]:
        console.print(_format_finding(each, finding), markup=False, soft_wrap=True)
    if len(findings) > SHOWN_FINDINGS:
        console.print(f"and {len(findings) - SHOWN_FINDINGS} more; --json has all of them, with the questions")
    for each in checked:
        if each.asked < each.positions:
            console.print(f"{each.ruleset}: {each.positions - each.asked} positions were not asked any more")


def _format_time(seconds: float | None) -> str:
    return "" if seconds is None else f"{1000 * seconds:.0f} ms"


def _format_finding(checked: Checked, finding: Finding) -> str:
    question = finding.question
    place = f"{finding.reason}, ply {question.ply}, seat {question.seat}" if question else "at the end"
    return f"{checked.ruleset}: {finding.kind}: {finding.why} ({place})"
