"""`plyscribe rebuild`."""

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.progress import Progress, TextColumn

from plyscribe.service.cli.beside import compose_beside
from plyscribe.service.cli.shared_options import DATA

if TYPE_CHECKING:
    from plyscribe.service.archive.storage import Archive
    from plyscribe.service.composition import Parts
    from plyscribe.service.lists.projections import Built, Projection
    from plyscribe.service.store.port import EventStore

RATINGS = "ratings"


@click.command()
@DATA
@click.option("--from-archive", is_flag=True, help="First restore what the store lacks.")
@click.argument("names", nargs=-1)
def rebuild(data: Path, from_archive: bool, names: tuple[str, ...]) -> None:
    """Rebuild lists from the streams.

    NAMES are the lists to rebuild, such as `matches`, `inboxes` or `ratings`; without any, all are rebuilt. The service
    keeps running and shows the old lists until the new ones are complete. You can interrupt this command and start it
    again. With --from-archive, the archive is read first: accounts, tournaments, ledgers and imports come back from
    their copies, and matches that the store lacks are sealed again where they are found. What the store has stays. The
    exit code is 1 if a pack is damaged, or if the store has other events than a copy. Uses the store in REDIS_URL, or
    else the one that `serve` runs on the data directory.
    """
    parts = compose_beside(data)
    projections = {projection.name: projection for projection in parts.projections}
    lists = [*projections, RATINGS]
    for name in names:
        if name not in lists:
            raise click.BadParameter(f"there is no list {name!r}; the lists are {', '.join(lists)}")
    damaged = _recover(parts) if from_archive else ()
    for name in dict.fromkeys(names or lists):
        if name == RATINGS:
            _rebuild_ratings(parts)
        else:
            _rebuild_one(parts.store, projections[name])
    sys.exit(bool(damaged))


def _recover(parts: "Parts") -> "tuple[str, ...]":
    from plyscribe.service.archive.recovery import Recovered, recover_places

    if parts.archive is None:
        raise click.UsageError("there is no archive: set PLYSCRIBE_ARCHIVE")
    faults = _restore(parts.store, parts.archive.copies)
    with Progress(*Progress.get_default_columns(), TextColumn("{task.fields[streams]} streams")) as bar:
        task = bar.add_task("archive", total=None, streams=0)

        def show(at: Recovered, packs: int) -> None:
            bar.update(task, completed=at.packs, total=packs, streams=at.streams)

        done = recover_places(parts.store, parts.archive, show)
    click.echo(f"matches: {done.adopted} of {done.streams} sealed ones found again, {done.moved} moved")
    for why in (*faults, *done.damaged):
        click.echo(f"wrong  {why}")
    return *faults, *done.damaged


def _restore(store: "EventStore", copies: "Archive") -> "tuple[str, ...]":
    from plyscribe.service.archive.restoring import Restored, restore_copies

    with Progress(*Progress.get_default_columns(), TextColumn("{task.fields[streams]} streams")) as bar:
        task = bar.add_task("copies", total=None, streams=0)

        def show(at: Restored) -> None:
            bar.update(task, streams=at.streams.total())

        done = restore_copies(store, copies, show)
    for kind, count in sorted(done.streams.items()):
        click.echo(f"{kind}: {done.restored[kind]} of {count} restored")
    if done.copied_ms is None:
        click.echo("the copies are not complete: no pass over all streams had ended")
    else:
        until = time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(done.copied_ms / 1000))
        click.echo(f"the copies have everything stored before {until}, and perhaps some of what came later")
    return done.faults


def _rebuild_one(store: "EventStore", projection: "Projection") -> None:
    from plyscribe.service.lists import projections

    with Progress(*Progress.get_default_columns(), TextColumn("{task.fields[streams]} streams")) as bar:
        task = bar.add_task(projection.name, total=None, streams=0)

        def show(at: "Built") -> None:
            bar.update(task, completed=at.done, total=at.total, streams=at.streams)

        projections.rebuild(store, projection, show)


def _rebuild_ratings(parts: "Parts") -> None:
    from plyscribe.service.ratings.folding import rebuild

    versions: dict[str, int] = {}
    rulesets = parts.ratings.list_rulesets()
    with Progress(*Progress.get_default_columns(), TextColumn("{task.fields[entries]} entries")) as bar:
        total = sum(parts.ratings.list_newest(rulesets))
        task = bar.add_task(RATINGS, total=total, entries=0)

        def show(ruleset: str, version: int) -> None:
            versions[ruleset] = version
            folded = sum(versions.values())
            bar.update(task, completed=folded, total=max(total, folded), entries=folded)

        rebuild(parts.store, parts.ratings.tables, rulesets, show)
        bar.update(task, completed=1, total=1)
