"""`plyscribe verify`: bundles are checked offline, against the receipts that players kept."""

import sys
from pathlib import Path

import click
from rich.console import Console

from plyscribe.domain.bundle.report import FAULT, OK
from plyscribe.service.cli.shared_options import JSON
from plyscribe.service.cli.verifying import CannotVerify, find_exit_code, print_reports, verify_bundles

FILE = click.Path(path_type=Path)
STYLES = {OK: "green", FAULT: "red"}


@click.command()
@click.argument("bundles", nargs=-1, required=True, type=FILE)
@click.option("--receipt", "receipts", multiple=True, type=FILE, help="Answers to moves, as JSON, one a line.")
@JSON
def verify(bundles: tuple[Path, ...], receipts: tuple[Path, ...], as_json: bool) -> None:
    """Check bundles of matches offline.

    Checks bytes, hashes, rules, dice and outcome. `-` reads a bundle from standard input. With the receipts that
    players kept it also finds out whether a match was rewritten as a whole. Exits with 0 if everything is right, 1 if
    something is wrong, 2 if something could not be read or checked.
    """
    try:
        reports = verify_bundles(bundles, receipts)
    except CannotVerify as error:
        # Exit code 1 would say that something is wrong with a match.
        click.echo(f"error: {error}", err=True)
        sys.exit(2)
    console = Console(highlight=False)

    def show(result: str, rest: str) -> None:
        console.print(result, style=STYLES.get(result.strip(), "yellow"), end="")
        console.print(rest, markup=False, soft_wrap=True)

    print_reports(reports, as_json, show)
    sys.exit(find_exit_code(reports))
