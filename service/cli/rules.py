"""`plyscribe rules`: matches replayed under another version of their rules; proofs written; a version released."""

import json
import os
import signal
import sys
from collections.abc import Mapping
from pathlib import Path
from threading import Event
from types import FrameType
from typing import TYPE_CHECKING, Any, NoReturn

import click
from rich.console import Console
from rich.progress import Progress, TextColumn

from plyscribe.domain.errors import DomainError
from plyscribe.domain.proofs.cases import DIGEST
from plyscribe.domain.ruleset import AnyRuleset
from plyscribe.domain.rulesets import RULESETS, find_ruleset
from plyscribe.service.cli.shared_options import DATA
from plyscribe.service.config import ConfigError, register_rulesets
from plyscribe.service.store.port import StoreError

if TYPE_CHECKING:
    from plyscribe.service.processes.checkers import Asked, Summary

AFTER_RELEASE = """\
{named} is released, with the digest {digest}. Now:
  1. run the tests
  2. say so in CHANGELOG.md
  3. commit these files together
From now on a change of its behaviour needs a new version."""

TROUBLE = 2
"""The exit code if the check cannot be made, the same as for wrong arguments."""


@click.group()
def rules() -> None:
    """Check matches under their rules; prove or release rules."""


@rules.command()
@click.argument("ruleset")
@click.option("--version", type=click.IntRange(1), help="A registered version; the default is the newest.")
@click.option(
    "--candidate", metavar="MODULE:NAME", help="A ruleset that is not registered; the current directory is searched."
)
@click.option(
    "--bundles",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Replay the bundles in this folder instead of the matches in the store.",
)
@click.option("--workers", type=click.IntRange(1, 64), default=2, show_default=True, help="Processes that replay.")
@click.option(
    "--shrink/--no-shrink",
    "shrinks",
    default=True,
    show_default=True,
    help="For each kind of difference, find the smallest match that shows it.",
)
@click.option("--json", "as_json", is_flag=True, help="Print a line of JSON for each reported match and the counts.")
@DATA
def check(
    ruleset: str,
    version: int | None,
    candidate: str | None,
    bundles: Path | None,
    workers: int,
    shrinks: bool,
    as_json: bool,
    data: Path,
) -> None:
    """Replay all recorded matches under a version of their rules.

    For each match that would go differently it reports the first event that this version would not produce. Exits with
    1 if any match differs, 2 if the check cannot be made. In a checkout of Plyscribe it refuses a released version
    whose behaviour has changed. Changes nothing. Reads the store in REDIS_URL, or else the one that `serve` runs on the
    data directory.
    """
    from plyscribe.service.processes.checkers import DIFFERS, Asked, CheckError, Summary

    if version is not None and candidate is not None:
        raise click.UsageError("give --version or --candidate, not both")
    stop = Event()

    def interrupt(signum: int, frame: FrameType | None) -> NoReturn:
        # Another signal could interrupt `set`, and both would wait for each other.
        for each in (signal.SIGINT, signal.SIGTERM):
            signal.signal(each, signal.SIG_IGN)
        stop.set()
        raise KeyboardInterrupt

    for signum in (signal.SIGINT, signal.SIGTERM):
        signal.signal(signum, interrupt)
    summary = Summary()
    try:
        register_rulesets(os.environ.get("PLYSCRIBE_RULESETS", ""))
        asked = Asked(ruleset, version, candidate)
        found = asked.find_candidate()
        _require_frozen(found)
        _check(asked, bundles, data, workers, summary, stop, shrinks=shrinks, as_json=as_json)
    except (CheckError, ConfigError, StoreError, DomainError) as error:
        click.echo(f"error: {error}", err=True)
        sys.exit(TROUBLE)
    except KeyboardInterrupt:
        click.echo(f"stopped after {summary.replayed.total()} matches", err=True)
        sys.exit(128 + signal.SIGINT)
    click.echo(json.dumps(summary.dump(found)) if as_json else _format_summary(summary, found))
    sys.exit(summary.findings[DIFFERS] > 0)


TREE = click.option(
    "--tree",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=Path(),
    help="The checkout of Plyscribe or of a package; the default is the current directory.",
)


@rules.command(name="prove")
@click.argument("ruleset")
@click.option("--version", type=click.IntRange(1), help="A registered version; the default is the newest.")
@TREE
def prove_ruleset(ruleset: str, version: int | None, tree: Path) -> None:
    """Write the proofs of a ruleset anew: perft counts, playthroughs, card and digest.

    Reads cases.json in tests/proofs/<id>_v<version> of a package, or in tests/domain/proofs/<id>_v<version> of
    Plyscribe, and writes the other files beside it. Puts the digest into the class of a draft. Refuses to prove a
    released version anew if its behaviour changed. Exits with 2 if nothing could be proved.
    """
    from plyscribe.service.kit.proof_files import PLACES, Unproved, find_proofs, write_digest, write_proofs

    try:
        register_rulesets(os.environ.get("PLYSCRIBE_RULESETS", ""))
        found, root = find_ruleset(ruleset, version), find_proofs(tree)
        if root is None:
            places = " or ".join(PLACES)
            raise Unproved(f"{tree.resolve()} has no folder {places}: name the tree with --tree, or make the folder")
        for path in write_proofs(found, root):
            click.echo(path)
    except (ConfigError, DomainError, Unproved) as error:
        click.echo(f"error: {error}", err=True)
        sys.exit(TROUBLE)
    digest = (root / f"{found.id}_v{found.version}" / DIGEST).read_text(encoding="utf-8").split()[0]
    if digest == found.behaviour:
        return
    if source := write_digest(found, digest, tree):
        click.echo(f"{source}: the digest of its behaviour is new")
    else:
        click.echo(f'write into the class of {found.id} version {found.version}: behaviour = "{digest}"')


@rules.command()
@click.argument("ruleset")
@click.option("--version", type=click.IntRange(1), help="A registered version; the default is the newest.")
@click.option("--dry-run", is_flag=True, help="Make the checks and write nothing.")
@TREE
def release(ruleset: str, version: int | None, dry_run: bool, tree: Path) -> None:
    """Release a draft of a ruleset: freeze its behaviour for ever.

    Checks first that the proofs are complete and current, that vectors can be written, that the rules have a page, that
    a test names each clause, and that no released version behaves differently. Then marks the version as released, in
    its class and beside its proofs. Exits with 1 if a check fails, 2 if the checks cannot be made. Can be repeated.
    """
    from plyscribe.service.cli.releasing import CannotRelease, check_release
    from plyscribe.service.cli.releasing import release as write_marks

    try:
        register_rulesets(os.environ.get("PLYSCRIBE_RULESETS", ""))
        found = find_ruleset(ruleset, version)
        checks = check_release(found, [each for each in RULESETS if each is not found], tree)
        for check, faults in checks:
            click.echo(f"{check}: {'ok' if not faults else ''}".rstrip())
            for fault in faults:
                click.echo(f"  {fault}")
        named = f"{found.id} version {found.version}"
        if any(faults for _, faults in checks):
            click.echo(f"{named} is not released: mend this first", err=True)
            sys.exit(1)
        if dry_run:
            click.echo(f"{named} {'is released' if found.released else 'can be released'}; nothing was written")
            return
        changed = write_marks(found, tree)
    except (CannotRelease, ConfigError, DomainError, OSError) as error:
        click.echo(f"error: {error}", err=True)
        sys.exit(TROUBLE)
    if not changed:
        click.echo(f"{named} is released already")
        return
    for path in changed:
        click.echo(f"wrote {path}")
    click.echo(AFTER_RELEASE.format(named=named, digest=found.behaviour))


def _require_frozen(ruleset: AnyRuleset) -> None:
    """CheckError if this is a checkout and the released version does not behave as its proofs on file say."""
    from plyscribe.service.cli.releasing import check_proofs, is_checkout
    from plyscribe.service.processes.checkers import CheckError

    if ruleset.released and is_checkout(Path()) and (faults := list(check_proofs(ruleset, Path()))):
        raise CheckError(f"a released version never changes, but {'; '.join(faults)}")


def _check(
    asked: "Asked",
    bundles: Path | None,
    data: Path,
    workers: int,
    summary: "Summary",
    stop: Event,
    *,
    shrinks: bool,
    as_json: bool,
) -> None:
    from plyscribe.service.composition import compose_process
    from plyscribe.service.processes.checkers import DIFFERS, Checkers, list_bundles, list_streams
    from plyscribe.service.processes.serving import settings_beside
    from plyscribe.service.store.requirements import require_store_at

    environ = {} if bundles else settings_beside(data, os.environ)
    if not bundles:
        require_store_at(environ["REDIS_URL"])
    parts = list_bundles(bundles) if bundles else list_streams(compose_process(environ).store)
    console = Console(highlight=False, stderr=as_json)
    columns = [*Progress.get_default_columns(), TextColumn("{task.fields[replayed]} matches")]
    with (
        Progress(*columns, console=console, disable=not console.is_terminal, transient=True) as bar,
        Checkers(workers, environ, stop.is_set) as checkers,
    ):
        task = bar.add_task(asked.ruleset, total=1.0, replayed=0)
        firsts: dict[str, Mapping[str, Any]] = {}
        for checked in checkers.check(asked, parts):
            summary.add(checked)
            bar.update(task, completed=checked.done, replayed=summary.replayed.total())
            for reported in checked.findings:
                if as_json:
                    click.echo(json.dumps(reported))
                else:
                    bar.console.print(_format_difference(reported), markup=False, soft_wrap=True)
                if reported["outcome"] == DIFFERS:
                    firsts.setdefault(reported["difference"]["kind"], reported)
        if shrinks:
            bar.update(task, description="shrinking", total=None)
            summary.smallest += checkers.shrink(asked, list(firsts.values()))


def _format_difference(reported: Mapping[str, Any]) -> str:
    from plyscribe.service.processes.checkers import UNREAD, UNSOUND

    if reported["outcome"] == UNREAD:
        return f"{reported['match']} cannot be read: {reported['why']}"
    found = reported["difference"]
    fails = "does not replay under its own version" if reported["outcome"] == UNSOUND else "differs"
    return (
        f"{reported['match']}, version {reported['ruleset_version']}, {fails}: "
        f"{found['kind']} at event {found['version']}, ply {found['ply']}\n"
        f"  recorded: {found['expected']}\n"
        f"  now:      {found['came']}"
    )


def _format_summary(summary: "Summary", candidate: AnyRuleset) -> str:
    from plyscribe.service.processes.checkers import DIFFERS, UNREAD, UNSOUND

    counts = summary.dump(candidate)
    versions = ", ".join(f"version {version}: {count}" for version, count in counts["versions"].items()) or "none found"
    lines = [
        f"{counts['replayed']} matches replayed under {candidate.id} version {candidate.version} ({versions})",
        f"{counts[DIFFERS]} would go differently",
    ]
    if counts[UNSOUND]:
        lines.append(f"{counts[UNSOUND]} do not replay under their own version either: they say nothing about this one")
    if counts[UNREAD]:
        lines.append(f"{counts[UNREAD]} cannot be read")
    return "\n".join([*lines, *map(_format_smallest, summary.smallest)])


def _format_smallest(smallest: Mapping[str, Any]) -> str:
    found = smallest["difference"]
    return (
        f"\nThe smallest match with such a difference ({found['kind']}), from {smallest['match']}, where it came after "
        f"{smallest['steps_before']} steps:\n  recorded: {found['expected']}\n  now:      {found['came']}\n\n"
        f"{smallest['record']}"
    ).rstrip("\n")
