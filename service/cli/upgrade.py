"""`plyscribe upgrade`."""

import json
import os
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from plyscribe import __version__
from plyscribe.service.cli.shared_options import DATA, JSON

if TYPE_CHECKING:
    from plyscribe.service.store.presence import Process


@click.command()
@DATA
@JSON
@click.option("--finish", is_flag=True, help="Let processes store what only this release and later ones can read.")
def upgrade(data: Path, as_json: bool, finish: bool) -> None:
    """Show or finish the upgrade of a store to this release.

    Prints the layout of the store's data and the processes at work on it. Two releases may work on one store: until you
    finish the upgrade, the newer one stores only what the older one reads, and refuses the rest. Finish it when all
    processes are of the newer release. After that the older release does not start on this store any more. The exit
    code is 1 if processes of the older release are still at work: then nothing is changed. Uses the store in REDIS_URL,
    or else the one that `serve` runs on the data directory.
    """
    from plyscribe.service.config import read_config
    from plyscribe.service.processes.serving import settings_beside
    from plyscribe.service.store.layouts import LAYOUT_KEY, NEWEST_LAYOUT, parse_layout
    from plyscribe.service.store.presence import finish_upgrade, list_present
    from plyscribe.service.store.redis import connect_client
    from plyscribe.service.store.redis_server import ask
    from plyscribe.service.store.requirements import require_store

    with connect_client(read_config(settings_beside(data, os.environ)).redis_url) as client:
        require_store(client)
        against = finish_upgrade(client) if finish else []
        layout, present = parse_layout(ask(client, "GET", LAYOUT_KEY)), list_present(client)
    older = against or [each for each in present if each.newest < NEWEST_LAYOUT]
    if as_json:
        processes = [each._asdict() for each in present]
        said = {"release": __version__, "layout": layout, "newest_layout": NEWEST_LAYOUT, "processes": processes}
        click.echo(json.dumps(said, indent=2))
    else:
        click.echo(f"Plyscribe {__version__}. The data has layout {layout}; the newest is {NEWEST_LAYOUT}.")
        _print_processes(present)
        click.echo(_advise(layout == NEWEST_LAYOUT, older))
    sys.exit(bool(against))


def _print_processes(present: "Sequence[Process]") -> None:
    for (release, kind, host), number in sorted(Counter((p.release, p.kind, p.host) for p in present).items()):
        click.echo(f"  {release:8}  {kind:12} {number:3}  on {host}")
    if not present:
        click.echo("  no process is at work")


def _advise(is_finished: bool, older: "Sequence[Process]") -> str:
    if is_finished:
        return "Nothing is left to do."
    if older:
        releases = ", ".join(sorted({each.release for each in older}))
        return (
            f"Processes of {releases} are at work, so the upgrade cannot be finished yet: stop them, or start this "
            f"release in their place. One that was killed counts for half a minute."
        )
    return "All processes can read it: `plyscribe upgrade --finish` lets them store it."
