"""`plyscribe explore`: what was played from a position, and a search for steps, at a server."""

import sys
from typing import Any

import click
import httpx
import orjson
from rich import box
from rich.console import Console
from rich.table import Table

from plyscribe.service.cli.organiser import URL
from plyscribe.service.cli.shared_options import JSON, RETRY_FOR_S, TOKEN
from plyscribe.service.client import Client, Problem

SHOWN = 20


@click.command()
@URL
@TOKEN
@click.argument("ruleset")
@click.argument("moves", default="")
@click.option("--match", help="Begin in this match, at --ply, in place of the start of a game.")
@click.option("--ply", type=click.IntRange(0), help="The number of moves made in the match.")
@click.option("--search", "query", help="Search the steps of all matches; see docs/explorer.md.")
@click.option("--seats", type=click.IntRange(1), help="Only matches with so many seats.")
@click.option("--options", help="Only matches with these options: default, a preset or a JSON object.")
@click.option("--since", metavar="YYYY-MM", help="Only matches that ended in this month or later.")
@click.option("--min-rating", type=click.IntRange(0), help="Only matches of players rated so on average, or higher.")
@click.option("--max-rating", type=click.IntRange(0), help="Only matches of players rated so on average, or lower.")
@click.option("--limit", type=click.IntRange(1, 200), default=SHOWN, show_default=True, help="The most lines to show.")
@JSON
def explore(
    url: str,
    token: str | None,
    ruleset: str,
    moves: str,
    match: str | None,
    ply: int | None,
    query: str | None,
    limit: int,
    as_json: bool,
    **filters: Any,
) -> None:
    """Show what was played from a position, or find steps.

    MOVES are the steps to the position, with semicolons: `d4;c3`. A roll is written `[6,2]`.
    """
    ratings = {name: filters.pop(name) for name in ("min_rating", "max_rating")}
    try:
        with Client(url, token, retry_for_s=RETRY_FOR_S) as client:
            if query is not None:
                if any(each is not None for each in (*ratings.values(), match, ply)) or moves:
                    raise click.UsageError("--search looks at all matches, whatever their ratings: leave those out")
                _search(client, ruleset, query, limit, as_json, filters)
            else:
                _explore(
                    client,
                    ruleset,
                    as_json,
                    {"moves": moves, "match": match, "ply": ply, "limit": limit, **filters, **ratings},
                )
    except (Problem, httpx.HTTPError) as error:
        sys.exit(f"error: {error}")


def _explore(client: Client, ruleset: str, as_json: bool, asked: dict[str, Any]) -> None:
    found = client.explore(ruleset, **asked)
    if as_json:
        click.echo(orjson.dumps(found, option=orjson.OPT_INDENT_2))
        return
    seats = len(found["moves"][0]["won"]) if found["moves"] else 0
    table = Table(
        "move", "matches", *(f"seat {seat} %" for seat in range(1, seats + 1)), "draw %", "rating", box=box.SIMPLE
    )
    for move in found["moves"]:
        shares = [100 * number / move["matches"] for number in (*move["won"], move["drawn"])]
        rating = "" if move["rating"] is None else f"{move['rating']:.1f}"
        table.add_row(move["move"], str(move["matches"]), *(f"{share:.0f}" for share in shares), rating)
    looked_at = "" if found["looked_at"] is None else f" among the latest {found['looked_at']} through this position"
    click.echo(f"{found['matches']} matches{looked_at}, position {found['position']}")
    if found["moves"]:
        Console().print(table)
    for each in found["latest"]:
        click.echo(f"{each['match']} ply {each['ply']} {each['move'] or ''}".rstrip())


def _search(client: Client, ruleset: str, query: str, limit: int, as_json: bool, filters: dict[str, Any]) -> None:
    shown = 0
    for found in client.search_steps(ruleset, query, **filters):
        if as_json:
            click.echo(orjson.dumps(found))
        else:
            moves = "move" if len(found["plies"]) == 1 else "moves"
            click.echo(f"{found['match']} after {moves} {', '.join(map(str, found['plies']))}")
        shown += 1
        if shown == limit:
            break
    if not shown and not as_json:
        click.echo("no match found")
