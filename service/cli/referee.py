"""`plyscribe referee`: somebody's own simulator of a game, held against our rules."""

import json
import os
import shlex
import sys
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click
from rich.console import Console
from rich.progress import Progress, TextColumn

from plyscribe.domain.errors import DomainError
from plyscribe.domain.proofs.shrinking import MOST_RUNS
from plyscribe.domain.proofs.tricky import fits, list_settings
from plyscribe.domain.ruleset import AnyRuleset
from plyscribe.domain.rulesets import find_ruleset
from plyscribe.service.cli.shared_options import JSON, RETRY_FOR_S, RULESET_OPTIONS, TOKEN
from plyscribe.service.config import ConfigError, register_rulesets

if TYPE_CHECKING:
    from plyscribe.domain.proofs.trials import Walk
    from plyscribe.service.referee.findings import Told
    from plyscribe.service.referee.judging import Finding, Referee, Setting, Smallest
    from plyscribe.service.referee.recorded import Recorded
    from plyscribe.service.referee.simulator import Simulator

AGREES, DIFFERS, CANNOT = 0, 1, 2
"""The exit codes."""

MATCHES = 100
RECORD_FILE, VECTOR_FILE = "difference.plyrec", "difference.jsonl"

KINDS = {
    "turn": "another turn",
    "legal": "other legal moves",
    "view": "another view",
    "refused": "a legal step is refused",
}
"""The kinds of difference for people."""

Named = tuple[str, "Walk"]


class CannotJudge(Exception):
    """Nothing can be compared; the message says why, and what to do."""


class Asked(NamedTuple):
    """What the simulator is held against."""

    records: tuple[Path, ...]
    url: str | None
    token: str | None
    matches: int | None
    seed: int
    most_steps: int
    seats: int | None
    options: dict[str, Any] | None
    withdrawals: bool


@click.command()
@click.argument("ruleset")
@click.option("--against", required=True, metavar="COMMAND", help="The simulator: a program with its arguments.")
@click.option("--version", type=click.IntRange(1), help="Version of the ruleset; the default is the newest.")
@click.option(
    "--records",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Take the matches in this file instead of random ones; may be given several times.",
)
@click.option("--url", help="Take the recorded matches of this server instead, the oldest first.")
@TOKEN
@click.option(
    "--matches",
    type=click.IntRange(1, 1_000_000),
    help=f"At most so many matches; the default is {MATCHES} random ones, or all recorded ones.",
)
@click.option("--seed", type=click.IntRange(0, 2**53 - 1), default=0, show_default=True, help="Seed of random matches.")
@click.option(
    "--steps", type=click.IntRange(1, 100_000), default=400, show_default=True, help="Most steps of a random match."
)
@click.option("--seats", type=click.IntRange(1), help="Seats in random matches; the default is each number in turn.")
@RULESET_OPTIONS(
    "--options", default=None, help="Options of random matches, as a JSON object; the default is many in turn."
)
@click.option("--withdrawals/--no-withdrawals", default=True, show_default=True, help="Let seats leave random matches.")
@click.option("--timeout", type=click.FloatRange(0.01), default=5.0, show_default=True, help="Seconds for one answer.")
@click.option(
    "--most-legal",
    type=click.IntRange(1, 100_000),
    default=2_000,
    show_default=True,
    help="Do not compare longer lists of legal moves.",
)
@click.option(
    "--shrink-runs",
    type=click.IntRange(0, 1_000_000),
    default=MOST_RUNS,
    show_default=True,
    help="Matches to try while shrinking.",
)
@click.option(
    "--save",
    type=click.Path(file_okay=False, path_type=Path),
    help=f"Write the smallest match to this folder, as {RECORD_FILE} and as {VECTOR_FILE}.",
)
@JSON
def referee(
    ruleset: str,
    against: str,
    version: int | None,
    records: tuple[Path, ...],
    url: str | None,
    token: str | None,
    matches: int | None,
    seed: int,
    steps: int,
    seats: int | None,
    options: dict[str, Any] | None,
    withdrawals: bool,
    timeout: float,
    most_legal: int,
    shrink_runs: int,
    save: Path | None,
    as_json: bool,
) -> None:
    """Hold your own simulator of a game against our rules.

    The simulator reads one line of JSON for each position and writes one: docs/referee.md describes them. Both play the
    same matches, random or recorded, until they differ. That match is then shrunk to the smallest one that shows the
    difference, and printed as a record, as a vector and with the clauses concerned. Exits with 0 if both agree, 1 if
    they differ, 2 if the simulator cannot be run or read.
    """
    from plyscribe.service.bridge.bot_process import NoSuchProgram
    from plyscribe.service.referee.judging import Referee
    from plyscribe.service.referee.recorded import NotReadable
    from plyscribe.service.referee.simulator import Simulator

    recorded = bool(records) or url is not None
    if recorded and (seats is not None or options is not None):
        raise click.UsageError("--seats and --options are for random matches: recorded ones have their own")
    asked = Asked(records, url, token, matches, seed, steps, seats, options, withdrawals)
    refusals: tuple[type[Exception], ...] = (
        CannotJudge,
        NoSuchProgram,
        NotReadable,
        ConfigError,
        DomainError,
        OSError,
        *_list_refusals(url),
    )
    try:
        argv = _parse_command(against)
        register_rulesets(os.environ.get("PLYSCRIBE_RULESETS", ""))
        found = find_ruleset(ruleset, version)
        with Simulator(argv, timeout) as simulator:
            judging = Referee(found, simulator, most_legal)
            walks = _list_recorded(found, asked) if recorded else _draw(found, asked)
            result = _hold(judging, simulator, walks, asked, shrink_runs)
            report = _Report(found, against, judging, simulator, result)
            if save is not None and report.told is not None:
                _save(save, report.told)
            click.echo(json.dumps(report.dump()) if as_json else report.format())
            sys.exit(report.exit_code)
    except refusals as error:
        click.echo(f"error: {error}", err=True)
        sys.exit(CANNOT)


def _parse_command(against: str) -> list[str]:
    try:
        argv = shlex.split(against)
    except ValueError as error:
        raise CannotJudge(f"--against {against!r} is no command: {error}") from None
    if not argv:
        raise CannotJudge("--against names no program")
    return argv


def _list_refusals(url: str | None) -> tuple[type[Exception], ...]:
    """The errors of a server that was asked."""
    if url is None:
        return ()
    import httpx

    from plyscribe.service.client import Problem

    return Problem, httpx.HTTPError, httpx.InvalidURL


# ------------------------------------------------------------------------------------------------------------- matches


def _draw(ruleset: AnyRuleset, asked: Asked) -> Iterator[Named]:
    from plyscribe.service.referee.judging import draw_walks

    settings = _choose_settings(ruleset, asked)
    matches, leaving = asked.matches or MATCHES, asked.withdrawals
    return draw_walks(ruleset, settings, matches, asked.seed, asked.most_steps, leaving=leaving)


def _choose_settings(ruleset: AnyRuleset, asked: Asked) -> "list[Setting]":
    """The options and seats as asked for; the defaults, the presets and each option at its bounds if nothing was."""
    options = ruleset.parse_options(asked.options or {})
    if asked.seats is not None:
        ruleset.initial_state(options, asked.seats)
    if asked.options is None:
        settings = list(list_settings(ruleset))
        return [each for each in settings if asked.seats in (None, each[1])]
    if asked.seats is not None:
        return [(options, asked.seats)]
    counts = range(ruleset.min_seats, ruleset.max_seats + 1)
    fitting = [(options, seats) for seats in counts if fits(ruleset, options, seats)]
    if not fitting:
        raise CannotJudge(f"no number of seats from {counts[0]} to {counts[-1]} fits the options: change --options")
    return fitting


def _list_recorded(ruleset: AnyRuleset, asked: Asked) -> Iterator[Named]:
    from plyscribe.domain.proofs.trials import walk

    others = taken = 0
    for name, trial, why in islice(_read(ruleset, asked), asked.matches):
        if why is not None:
            click.echo(f"{name} is left out, since it cannot be read: {why}", err=True)
        elif trial is None or (walked := walk(ruleset, trial)) is None:
            others += 1
        else:
            taken += 1
            yield name, walked
    if others:
        counted = f"{_count_things(others, 'match', 'matches')} {'is' if others == 1 else 'are'}"
        click.echo(f"{counted} not of {ruleset.id} version {ruleset.version}: left out", err=True)
    if not taken:
        raise CannotJudge(f"there is no match of {ruleset.id} version {ruleset.version}: give others, or --version")


def _read(ruleset: AnyRuleset, asked: Asked) -> "Iterator[Recorded]":
    from plyscribe.service.cli.full_export import BEGINNING, ExportError, locate_streams
    from plyscribe.service.referee.recorded import NotReadable, read_events, read_exported, read_recorded

    for path in asked.records:
        with path.open("rb") as file:
            is_store = file.read(len(BEGINNING)) == BEGINNING
        if not is_store:
            yield from read_recorded(ruleset, str(path), path.read_bytes())
            continue
        try:
            for stream, _, _ in locate_streams(path):
                if stream.id.startswith("match-"):
                    yield read_events(ruleset, stream.id, stream.entries)
        except ExportError as error:
            raise NotReadable(f"{path}: {error}") from None
    if asked.url is not None:
        from plyscribe.service.client import Client

        with Client(asked.url, asked.token, retry_for_s=RETRY_FOR_S) as client:
            yield from read_exported(ruleset, client.export_matches(ruleset=ruleset.id), asked.url)


# ------------------------------------------------------------------------------------------------------------- judging


class Result(NamedTuple):
    """The first difference, as it was found in the match of this name and after shrinking; None if there is none.

    The counts are those before the shrinking.
    """

    matches: int
    plies: int
    compared: dict[str, int]
    name: str | None = None
    first: "Finding | None" = None
    smallest: "Smallest | None" = None


def _hold(judging: "Referee", simulator: "Simulator", walks: Iterator[Named], asked: Asked, shrink_runs: int) -> Result:
    console = Console(stderr=True)
    columns = [*Progress.get_default_columns(), TextColumn("{task.fields[plies]} plies")]
    with Progress(*columns, console=console, disable=not console.is_terminal, transient=True) as bar:
        task = bar.add_task("comparing", total=asked.matches, plies=0)
        for name, walked in walks:
            finding = judging.judge(walked)
            bar.update(task, completed=judging.matches, plies=judging.plies)
            if finding:
                if not simulator.answered:
                    raise CannotJudge(_explain_silence(finding, simulator))
                result = _count(judging)
                bar.update(task, description="shrinking", total=None)
                smallest = judging.shrink(finding, shrink_runs)
                return result._replace(name=name, first=finding, smallest=smallest)
    if not judging.compared.total():
        raise CannotJudge(_explain_nothing(judging))
    return _count(judging)


def _count(judging: "Referee") -> Result:
    return Result(judging.matches, judging.plies, dict(judging.compared))


def _explain_silence(finding: "Finding", simulator: "Simulator") -> str:
    errors = "".join(f"\n  {line}" for line in simulator.list_errors())
    shown = f". Its stderr, at its end:{errors}" if errors else ", and nothing on stderr"
    return f"the simulator did not answer its first question: {finding.difference.theirs}{shown}"


def _explain_nothing(judging: "Referee") -> str:
    why = "the simulator said no turn, no legal moves and no view, so nothing was compared"
    left = "; ".join(f"{count} matches are unsupported: {reason}" for reason, count in judging.unsupported.items())
    return f"{why}{f' ({left})' if left else ''}: docs/referee.md says what it can answer"


# -------------------------------------------------------------------------------------------------------------- output


def _save(folder: Path, told: "Told") -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / RECORD_FILE).write_text(told.record, encoding="utf-8", newline="\n")
    (folder / VECTOR_FILE).write_bytes(told.vector)


class _Report:
    """The result for people and for programs."""

    def __init__(
        self, ruleset: AnyRuleset, against: str, judging: "Referee", simulator: "Simulator", result: Result
    ) -> None:
        from plyscribe.service.referee.findings import describe_finding

        self._ruleset, self._against, self._result = ruleset, against, result
        self._unsupported = dict(judging.unsupported)
        self._errors = simulator.list_errors() if result.first else []
        self._finding = result.smallest.finding if result.smallest else None
        self.told = describe_finding(ruleset, self._finding) if self._finding else None

    @property
    def exit_code(self) -> int:
        if self._finding is None:
            return AGREES
        return CANNOT if self._finding.is_fault else DIFFERS

    def dump(self) -> dict[str, Any]:
        """JSON-ready."""
        result, finding, told = self._result, self._finding, self.told
        dumped: dict[str, Any] = {
            "ruleset": self._ruleset.id,
            "version": self._ruleset.version,
            "behaviour": self._ruleset.behaviour,
            "result": ("agrees", "differs", "cannot-run")[self.exit_code],
            "matches": result.matches,
            "plies": result.plies,
            "compared": result.compared,
            "unsupported": self._unsupported,
            "difference": None,
        }
        if finding and told and result.first and result.smallest:
            _, differs, _ = finding
            dumped["difference"] = {
                "match": result.name,
                "kind": differs.kind,
                "about": sorted(differs.about),
                "ours": differs.ours,
                "theirs": differs.theirs,
                "lacks": differs.lacks,
                "adds": differs.adds,
                "steps": finding.steps,
                "steps_before": result.first.steps,
                "runs": result.smallest.runs,
                "done": result.smallest.is_done,
                "steady": result.smallest.is_steady,
                "clauses": told.clauses,
                "used": told.used,
                "record": told.record,
                "vector": told.vector.decode().splitlines(),
                "stderr": self._errors,
            }
        return dumped

    def format(self) -> str:
        """Lines for people."""
        named = f"{self._ruleset.id} version {self._ruleset.version}"
        if self._finding is None or self.told is None:
            return "\n".join([f"{self._against} agrees with {named}", *self._format_counts()])
        return "\n".join(self._format_finding(named))

    def _format_counts(self) -> Iterator[str]:
        result = self._result
        compared = ", ".join(f"{number:,} × {kind}" for kind, number in result.compared.items() if number) or "nothing"
        matches = _count_things(result.matches, "match", "matches")
        yield f"{matches} with {_count_things(result.plies, 'step')} compared: {compared}"
        for why, count in self._unsupported.items():
            yield f"it left {_count_things(count, 'match', 'matches')} as unsupported: {why}"

    def _format_finding(self, named: str) -> Iterator[str]:
        finding, told = self._finding, self.told
        assert finding is not None
        assert told is not None
        differs, ruleset = finding.difference, self._ruleset
        after = f"after {_count_things(finding.steps, 'step')}"
        if finding.is_fault:
            yield f"{self._against} fails in a match of {named}, {after}"
            yield f"  {differs.theirs}"
        else:
            yield f"{self._against} differs from {named}"
            yield f"{KINDS[differs.kind]}, {after}"
            yield f"  ours:   {differs.ours}"
            yield f"  theirs: {differs.theirs}"
        if told.clauses:
            yield from _format_clauses("clauses", told.clauses)
        if others := {clause: title for clause, title in told.used.items() if clause not in told.clauses}:
            yield from _format_clauses("also used in this match", others)
        yield from ("", *self._format_counts(), self._format_shrinking())
        if self._errors:
            yield from ("", "the simulator's stderr, at its end:", *(f"  {line}" for line in self._errors))
        yield from ("", "position:", "", ruleset.render_text(finding.walk.states[-1]).rstrip("\n"))
        yield from ("", "record:", "", told.record.rstrip("\n"), "", "vector:", "", told.vector.decode().rstrip("\n"))

    def _format_shrinking(self) -> str:
        first, smallest = self._result.first, self._result.smallest
        assert first is not None
        assert smallest is not None
        found = f"found in {self._result.name} after {_count_things(first.steps, 'step')}"
        if not smallest.is_steady:
            return f"{found}; it did not show again there: the simulator does not always answer the same"
        if not smallest.runs:
            return found
        end = "no smaller match was found" if smallest.is_done else "then the runs were used up: see --shrink-runs"
        return f"{found}, shrunk in {smallest.runs:,} runs; {end}"


def _count_things(number: int, one: str, many: str = "") -> str:
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"


def _format_clauses(what: str, clauses: dict[str, str]) -> Sequence[str]:
    return [f"{what}:", *(f"  {clause} · {title}".removesuffix(" · ") for clause, title in clauses.items())]
