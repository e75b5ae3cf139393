"""`plyscribe vectors`: random matches as JSON lines, to test other simulators with."""

import os
from typing import Any

import click

from plyscribe.domain.proofs.vectors import write_vectors
from plyscribe.domain.rulesets import find_ruleset
from plyscribe.service.cli.shared_options import RULESET_OPTIONS
from plyscribe.service.config import register_rulesets


@click.command()
@click.argument("ruleset")
@click.option("--version", type=click.IntRange(1), help="Version of the ruleset; the default is the newest.")
@click.option("--matches", type=click.IntRange(1, 1_000_000), default=3, show_default=True, help="Matches to write.")
@click.option("--seed", type=click.IntRange(0, 2**53 - 1), default=0, show_default=True, help="Seed of moves and dice.")
@click.option("--seats", type=click.IntRange(1), help="Seats in each match; the default is the fewest that can play.")
@RULESET_OPTIONS("--options", help="Options of the ruleset, as a JSON object.")
def vectors(
    ruleset: str, version: int | None, matches: int, seed: int, seats: int | None, options: dict[str, Any]
) -> None:
    """Write random matches to test other simulators with.

    Each line is a JSON object with a position, its legal moves, the step taken and the next position. The same
    arguments give the same bytes. docs/vectors.md describes the fields.
    """
    register_rulesets(os.environ.get("PLYSCRIBE_RULESETS", ""))
    found = find_ruleset(ruleset, version)
    for line in write_vectors(found, seats or found.min_seats, options, matches, seed):
        click.echo(line, nl=False)
