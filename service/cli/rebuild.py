"""`plyscribe rebuild`."""

from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.progress import Progress, TextColumn

from plyscribe.service.cli.beside import compose_beside
from plyscribe.service.cli.shared_options import DATA

if TYPE_CHECKING:
    from plyscribe.service.lists.projections import Built, Projection
    from plyscribe.service.store.port import EventStore


@click.command()
@DATA
@click.argument("names", nargs=-1)
def rebuild(data: Path, names: tuple[str, ...]) -> None:
    """Rebuild lists from the streams.

    NAMES are the lists to rebuild, such as `matches` or `inboxes`; without any, all are rebuilt. The service keeps
    running and shows the old lists until the new ones are complete. You can interrupt this command and start it again.
    Uses the store in REDIS_URL, or else the one that `serve` runs on the data directory.
    """
    parts = compose_beside(data)
    projections = {projection.name: projection for projection in parts.projections}
    for name in names:
        if name not in projections:
            raise click.BadParameter(f"there is no list {name!r}; the lists are {', '.join(projections)}")
    for name in dict.fromkeys(names or projections):
        _rebuild_one(parts.store, projections[name])


def _rebuild_one(store: "EventStore", projection: "Projection") -> None:
    from plyscribe.service.lists import projections

    with Progress(*Progress.get_default_columns(), TextColumn("{task.fields[streams]} streams")) as bar:
        task = bar.add_task(projection.name, total=None, streams=0)

        def show(at: "Built") -> None:
            bar.update(task, completed=at.done, total=at.total, streams=at.streams)

        projections.rebuild(store, projection, show)
