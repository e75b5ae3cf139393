"""`plyscribe accept-loss`."""

import sys
from pathlib import Path

import click

from plyscribe.service.cli.shared_options import DATA


@click.command("accept-loss")
@DATA
@click.option("--yes", is_flag=True, help="Do not ask.")
def accept_lost(data: Path, yes: bool) -> None:
    """Let a store start although some of its data is missing.

    Use this only if there is no backup. `serve` refuses to start if files of the store lack what was safely on disk.
    This command says what is missing, and lets the next `serve` start without it. It removes nothing else.
    """
    from plyscribe.service.processes.embedded import accept_what_is_lost, find_what_is_lost

    losses = find_what_is_lost(data / "store")
    if losses is None:
        click.echo("there is nothing to accept; nothing was changed")
        return
    for loss in losses:
        click.echo(f"missing: {loss}")
    if losses:
        click.echo("Acknowledged moves are among what is missing. The receipts of their players prove it.")
    else:
        click.echo("The files have all that was on disk. Continue only if `serve` says that appends are missing.")
    if not yes and not click.confirm("Continue without it?"):
        sys.exit("nothing was changed")
    accept_what_is_lost(data / "store")
    click.echo("accepted: the next `plyscribe serve` starts, and says how many appends are missing")
