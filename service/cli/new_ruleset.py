"""`plyscribe new-ruleset`: a package with a small game that passes its tests, to make a game of your own of."""

import os
import sys
from pathlib import Path

import click

from plyscribe.service.config import register_rulesets
from plyscribe.service.kit.game_package import CannotMake, list_files, make_package

NEXT = """\
Next:
  cd {folder}
  pip install -e '.[test]'
  pytest
  plyscribe serve
README.md says what to replace, in which order."""


@click.command()
@click.argument("name")
@click.option(
    "--into",
    type=click.Path(path_type=Path),
    default=Path(),
    help="The folder that the package's folder goes in; the default is the current directory.",
)
def new_ruleset(name: str, into: Path) -> None:
    """Make a package with a small game, to make yours of.

    NAME is the id of the new ruleset, the name of its Python package and of the folder: 2 to 24 letters a-z. The
    package has rules, a rulebook, a board, sentences, lessons, German translations and tests that pass. Nothing that is
    there is overwritten. docs/kit.md leads through the rest.
    """
    register_rulesets(os.environ.get("PLYSCRIBE_RULESETS", ""))
    try:
        folder = make_package(name, into)
    except CannotMake as error:
        click.echo(f"error: {error}", err=True)
        sys.exit(2)
    for path in list_files(folder):
        click.echo(folder / path)
    click.echo(NEXT.format(folder=folder))
