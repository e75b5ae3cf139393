"""What commands share that work on the store of a service which runs."""

import os
from pathlib import Path

import click

from plyscribe.domain.commands import Actor
from plyscribe.service.composition import Parts, compose_process
from plyscribe.service.processes.serving import settings_beside

OPERATOR = Actor("system", "operator")
DATA = click.option(
    "--data",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path(".data"),
    envvar="PLYSCRIBE_DATA",
    show_default=True,
    help="Where matches, keys and logs are kept.",
)


def compose_beside(data: Path) -> Parts:
    """The parts over the store that the environment names, else over the one that runs on the data directory."""
    return compose_process(settings_beside(data, os.environ))
