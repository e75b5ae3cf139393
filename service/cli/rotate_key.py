"""`plyscribe rotate-key`."""

import os
from pathlib import Path

import click

from plyscribe.service.cli.shared_options import DATA


@click.command("rotate-key")
@DATA
def rotate_server_key(data: Path) -> None:
    """Replace the server key, while no service runs.

    New dice and invitations use the new key. The older keys are kept for matches and invitations that began under
    them. You can interrupt this command at any time.
    """
    from plyscribe.service.processes.serving import rotate_key

    key = rotate_key(data, os.environ)
    older = ", ".join(each.id for each in key.older)
    click.echo(f"new key {key.id}; older keys kept: {older}. Back up {data / 'server.key'}")
