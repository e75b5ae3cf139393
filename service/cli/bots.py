"""`plyscribe bot run` and `plyscribe bot check`: bots in any language, with one line of JSON for each decision."""

import json
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from types import FrameType
from typing import IO, TYPE_CHECKING, Any

import click
from rich.console import Console
from rich.progress import Progress, TextColumn
from rich.table import Table

from plyscribe.domain.ruleset import AnyRuleset
from plyscribe.domain.rulesets import find_ruleset, list_newest
from plyscribe.service.cli.shared_options import JSON, RETRY_FOR_S
from plyscribe.service.config import register_rulesets

if TYPE_CHECKING:
    from plyscribe.service.bridge.bot_check import BotCheck, Checked, Finding
    from plyscribe.service.bridge.source import Source

SHOWN_FINDINGS = 30

COMMAND = click.argument("command", nargs=-1, required=True, metavar="-- BOT [ARGS]…", type=click.UNPROCESSED)
RULESET = click.option("--ruleset", "rulesets", multiple=True, help="Only this ruleset; may be given several times.")
LOG = click.option(
    "--log", type=click.Path(dir_okay=False, path_type=Path), help="Append what the bot writes to stderr to this file."
)
BUILD = click.option(
    "--build",
    "builds",
    multiple=True,
    type=click.Path(exists=True, path_type=Path),
    help="A file or folder of the bot; may be given several times. Its digest is declared in each match.",
)
ENDS_OPTIONS = {"allow_interspersed_args": False}
"""All arguments after the bot's name belong to the bot, with or without --."""


@click.group()
def bot() -> None:
    """Play with a bot in any language, or check one.

    For each decision the bot reads one line of JSON and writes one. docs/bots.md describes the lines.
    """


@bot.command(context_settings=ENDS_OPTIONS)
@click.option("--url", default="http://127.0.0.1:8420", show_default=True, help="The server.")
@click.option(
    "--token",
    envvar="PLYSCRIBE_TOKEN",
    help="The account's token. Other users can see it in the process list.",
)
@click.option(
    "--token-file", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="Read the token from this file."
)
@RULESET
@click.option("--accept/--no-accept", default=True, show_default=True, help="Take seats that are offered.")
@click.option("--ask-draws", is_flag=True, help="Ask the bot about draws. By default they are declined.")
@click.option(
    "--concurrency",
    type=click.IntRange(1, 64),
    default=1,
    show_default=True,
    help="Processes of the bot. Each makes one decision at a time, and a match stays with its process.",
)
@click.option(
    "--move-timeout", type=click.FloatRange(0.1), default=60.0, show_default=True, help="Seconds for one answer."
)
@click.option(
    "--tries",
    type=click.IntRange(1, 100),
    default=3,
    show_default=True,
    help="Tries for one decision, then it resigns.",
)
@LOG
@BUILD
@click.option("--build-version", help="What the bot calls its version.")
@click.option("--build-option", "build_options", multiple=True, metavar="NAME=VALUE", help="An option to be told.")
@click.option("--pin", metavar="SHA256", help="Play with the build alone that has this digest.")
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
    builds: tuple[Path, ...],
    build_version: str | None,
    build_options: tuple[str, ...],
    pin: str | None,
    command: tuple[str, ...],
) -> None:
    """Play an account's matches with a bot.

    Ctrl-C or SIGTERM stops it: it finishes the decisions it has begun and exits with 0. You can kill it and start it
    again at any time. It then finds the decisions that are due, and makes no move twice. Exits with 1 if the bot cannot
    be started, never answers or keeps crashing; it resigns no match for that.

    With --build, the digest of these files is declared in each match, with what else is told of the build.
    """
    import httpx

    from plyscribe.service.bridge.bot_process import NoSuchProgram, find_program
    from plyscribe.service.bridge.play import Bridge
    from plyscribe.service.bridge.run import GivenUp, Settings
    from plyscribe.service.client import Client, Problem

    given = token if token_file is None else token_file.read_text().strip()
    if not given:
        raise click.UsageError("give --token-file or --token")
    source = _parse_source(command, builds, build_version, build_options, pin)
    settings = Settings(
        command, frozenset(rulesets), accept, ask_draws, concurrency, move_timeout, tries, log, source=source
    )
    bridge = Bridge(lambda: Client(url, given, retry_for_s=RETRY_FOR_S), settings, _print_line)

    def stop(signum: int, frame: FrameType | None) -> None:
        if bridge.is_stopped:
            raise KeyboardInterrupt
        _print_line("stopping once the present decisions are made; press Ctrl-C again to stop at once")
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


def _parse_source(
    command: Sequence[str], builds: Sequence[Path], version: str | None, options: Sequence[str], pin: str | None
) -> "Source | None":
    from plyscribe.service.bridge.source import Source

    if not builds:
        if version is not None or options or pin is not None:
            raise click.UsageError("name the files of the bot with --build")
        return None
    if bad := next((each for each in options if not each.partition("=")[1]), None):
        raise click.BadParameter(f"{bad!r} is not NAME=VALUE", param_hint="--build-option")
    told = {name: value for name, _, value in (each.partition("=") for each in options)}
    name = Path(command[0] if "/" in command[0] else builds[0]).name
    return Source(builds, name, version, told, pin)


@bot.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
def digest(files: tuple[Path, ...]) -> None:
    """Print the digest of a bot's files and folders, as its build has it."""
    from plyscribe.service.bridge.source import SourceError, digest_files

    try:
        click.echo(digest_files(files))
    except SourceError as error:
        sys.exit(f"error: {error}")


def _print_line(text: str) -> None:
    shown = "".join(each if each.isprintable() else "?" for each in text)
    click.echo(f"bridge: {shown}", err=True)


@bot.command(context_settings=ENDS_OPTIONS)
@RULESET
@click.option(
    "--positions", type=click.IntRange(1, 10_000), default=50, show_default=True, help="Positions of each ruleset."
)
@click.option("--timeout", type=click.FloatRange(0.01), default=5.0, show_default=True, help="Seconds for one answer.")
@click.option("--ask-draws", is_flag=True, help="Ask about draws too, as `bot run --ask-draws` does.")
@JSON
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
    """Ask a bot about tricky positions and report its faults.

    Needs no server. The positions are the same every time. Exits with 1 if there is any fault. --json prints the
    questions too.
    """
    from plyscribe.service.bridge.bot_check import BotCheck
    from plyscribe.service.bridge.bot_process import NoSuchProgram

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


def _check(checking: "BotCheck", asked: Sequence[AnyRuleset], positions: int, console: Console) -> list["Checked"]:
    columns = [*Progress.get_default_columns(), TextColumn("{task.fields[faults]} faults")]
    found: list[Checked] = []
    with Progress(*columns, console=console, disable=not console.is_terminal, transient=True) as bar:
        for ruleset in asked:
            task = bar.add_task(ruleset.id, total=positions, faults=0)

            def show(at: "Checked", task: Any = task) -> None:
                bar.update(task, completed=at.asked, total=at.positions, faults=len(at.faults))

            found.append(checking.check(ruleset, positions, show))
    return found


def _dump(checked: "Checked") -> dict[str, Any]:
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


def _print(console: Console, checked: Sequence["Checked"]) -> None:
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
        console.print(f"and {len(findings) - SHOWN_FINDINGS} more; --json prints all, with the questions")
    for each in checked:
        if each.asked < each.positions:
            console.print(f"{each.ruleset}: {each.positions - each.asked} positions were not asked")


def _format_time(seconds: float | None) -> str:
    return "" if seconds is None else f"{1000 * seconds:.0f} ms"


def _format_finding(checked: "Checked", finding: "Finding") -> str:
    question = finding.question
    place = f"{finding.reason}, ply {question.ply}, seat {question.seat}" if question else "at the end"
    return f"{checked.ruleset}: {finding.kind}: {finding.why} ({place})"
