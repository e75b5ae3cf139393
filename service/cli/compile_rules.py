"""`plyscribe compile`: a compiled build of the rules for games that are played on this machine."""

import click

from plyscribe.envs.compiled import find_build
from plyscribe.envs.compiling import compile_rules, remove_builds


@click.command("compile")
@click.option("--remove", is_flag=True, help="Remove all compiled rules instead, also those of other versions.")
@click.option("--check", is_flag=True, help="Only say whether these rules are compiled; exit with 1 if not.")
def compile_them(remove: bool, check: bool) -> None:
    """Compile the rules, so that games are played faster here.

    `plyscribe selfplay` and plyscribe.envs.selfplay use them. The games stay the same: the command plays some with and
    without the compiled rules and compares them. It takes some minutes, and needs a C compiler and
    pip install "plyscribe[compile]". docs/fast-play.md
    """
    if remove:
        click.echo(f"Compiled rules removed: {remove_builds()}.")
    elif check:
        build = find_build()
        click.echo(f"Compiled: {build}" if build else "Not compiled: the rules run as pure Python.")
        raise SystemExit(0 if build else 1)
    else:
        compile_rules(click.echo)
