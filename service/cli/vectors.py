"""`plyscribe vectors`: matches as JSON lines that other simulators can be held against."""

import json
import os
from typing import Any

import click

from plyscribe.domain.proofs.vectors import write_vectors
from plyscribe.domain.rulesets import find_ruleset
from plyscribe.service.config import register_rulesets


class _Options(click.ParamType[dict[str, Any]]):
    name = "json"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> dict[str, Any]:
        try:
            options = json.loads(value) if isinstance(value, str) else value
        except ValueError as error:
            self.fail(f"{value!r} is no JSON: {error}", param, ctx)
        return options if isinstance(options, dict) else self.fail(f"{value!r} is no JSON object", param, ctx)


@click.command()
@click.argument("ruleset")
@click.option("--version", type=click.IntRange(1), help="The newest without it.")
@click.option("--matches", type=click.IntRange(1, 1_000_000), default=3, show_default=True)
@click.option("--seed", type=click.IntRange(0, 2**53 - 1), default=0, show_default=True)
@click.option("--seats", type=click.IntRange(1), help="As few as the game allows without it.")
@click.option("--options", type=_Options(), default=dict, help="A JSON object; the defaults without it.")
def vectors(
    ruleset: str, version: int | None, matches: int, seed: int, seats: int | None, options: dict[str, Any]
) -> None:
    """Write random matches as JSON lines by which simulators of the game can be checked.

    Each line holds a position, its legal moves, what was done and the next position. The same arguments give the same
    bytes. docs/vectors.md tells the fields.
    """
    register_rulesets(os.environ.get("PLYSCRIBE_RULESETS", ""))
    found = find_ruleset(ruleset, version)
    for line in write_vectors(found, seats or found.min_seats, options, matches, seed):
        click.echo(line, nl=False)
