"""`plyscribe selfplay`: games by the thousand, random ones or those of bots, and what they come to."""

import json
import os
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import IO, Any

import click
from rich import box
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from plyscribe.domain.ruleset import AnyRuleset
from plyscribe.domain.rulesets import find_ruleset
from plyscribe.envs.compiled import find_build
from plyscribe.envs.playing import Game
from plyscribe.envs.selfplay import (
    MOST_STEPS,
    MOST_WORKERS,
    SelfPlayError,
    count_processors,
    parse_player,
    play_bots,
    play_random,
)
from plyscribe.envs.tally import Score, Tally
from plyscribe.service.cli.shared_options import JSON, RULESET_OPTIONS
from plyscribe.service.config import register_rulesets

MOST_GAMES = 10**9
INTERRUPTED = 130
"""The exit status after Ctrl-C, as shells have it."""


@click.command()
@click.argument("ruleset")
@click.option("--version", type=click.IntRange(1), help="Version of the ruleset; the default is the newest.")
@click.option("--games", type=click.IntRange(1, MOST_GAMES), default=1000, show_default=True, help="Games to play.")
@click.option("--first", type=click.IntRange(0, 2**52), default=0, show_default=True, help="Number of the first game.")
@click.option("--seats", type=click.IntRange(1), help="Seats in each game; the default is the fewest that can play.")
@RULESET_OPTIONS("--options", help="Options of the ruleset, as a JSON object.")
@click.option("--seed", type=click.IntRange(0, 2**53 - 1), default=0, show_default=True, help="Seed of moves and dice.")
@click.option(
    "--bot", "bots", multiple=True, help="A bot, such as greedy or mcts:400; once for each. Without bots: random moves."
)
@click.option("--rotate/--no-rotate", default=True, show_default=True, help="Bots sit one seat further in each game.")
@click.option(
    "--workers", type=click.IntRange(0, MOST_WORKERS), help="Worker processes; the default is one for each processor."
)
@click.option(
    "--compiled/--no-compiled", default=True, show_default=True, help="Use the rules that `plyscribe compile` made."
)
@click.option(
    "--most-steps",
    type=click.IntRange(1, 10**6),
    default=MOST_STEPS,
    show_default=True,
    help="Cut games off after this many moves and rolls.",
)
@click.option("--out", type=click.File("w", lazy=False), help="Write each game to this file, a line of JSON; - prints.")
@click.option("--steps", is_flag=True, help="Write the moves and rolls of each game too.")
@JSON
def selfplay(
    ruleset: str,
    version: int | None,
    games: int,
    first: int,
    seats: int | None,
    options: dict[str, Any],
    seed: int,
    bots: tuple[str, ...],
    rotate: bool,
    workers: int | None,
    compiled: bool,
    most_steps: int,
    out: IO[str] | None,
    steps: bool,
    as_json: bool,
) -> None:
    """Play many games at random or with bots, fast.

    The same arguments give the same games, whatever the number of workers. docs/fast-play.md says what to do with them.
    """
    register_rulesets(os.environ.get("PLYSCRIBE_RULESETS", ""))
    rules = find_ruleset(ruleset, version)
    names = [str(parse_player(text)) for text in bots]
    shared: dict[str, Any] = {
        "seats": max(rules.min_seats, len(bots)) if seats is None else seats,
        "options": options,
        "version": version,
        "seed": seed,
        "first": first,
        "steps": steps and out is not None,
        "most_steps": most_steps,
        "workers": count_processors() if workers is None else workers,
        "compiled": compiled,
    }
    try:
        if bots:
            played = play_bots(ruleset, games, bots, rotate=rotate, **shared)
        else:
            played = play_random(ruleset, games, **shared)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    tally, begun, status = Tally(shared["seats"], len(bots)), time.monotonic(), 0
    try:
        with closing(played):
            for game in _show_progress(played, games):
                tally.add(game)
                if out:
                    out.write(_format_game(game, names))
    except SelfPlayError as error:
        click.echo(f"error: {error}", err=True)
        status = 1
    except KeyboardInterrupt:
        click.echo(f"Stopped. Go on with --first {first + tally.games} --games {games - tally.games}.", err=True)
        status = INTERRUPTED
    about = _describe(rules, shared, names, tally, time.monotonic() - begun)
    to_stderr = out is not None and out.name == "<stdout>"
    if as_json:
        click.echo(json.dumps(about), err=to_stderr)
    else:
        _print_summary(about, Console(stderr=to_stderr, highlight=False))
    sys.exit(status)


def _show_progress(played: Iterator[Game], games: int) -> Iterator[Game]:
    """The games; a terminal shows how many there are."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield from played
        return
    columns = (TextColumn("games"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        yield from progress.track(played, total=games)


def _format_game(game: Game, names: Sequence[str]) -> str:
    """A line of JSON."""
    outcome = game.outcome
    about: dict[str, Any] = {"game": game.number}
    if game.players:
        about["bots"] = [names[player] for player in game.players]
    about |= {
        "ranks": outcome and outcome.ranks,
        "reason": outcome and outcome.reason,
        "plies": game.plies,
        "rolls": game.rolls,
    }
    if game.steps is not None:
        about["steps"] = game.steps
    return json.dumps(about, separators=(",", ":")) + "\n"


def _describe(
    rules: AnyRuleset, shared: dict[str, Any], names: Sequence[str], tally: Tally, seconds: float
) -> dict[str, Any]:
    return {
        "ruleset": rules.id,
        "version": rules.version,
        "options": rules.parse_options(shared["options"]),
        "seed": shared["seed"],
        "first": shared["first"],
        "games": tally.games,
        "cut_off": tally.cut_off,
        "plies": tally.plies,
        "rolls": tally.rolls,
        "reasons": dict(tally.reasons.most_common()),
        "seats": [_describe_score(score) for score in tally.score_seats()],
        "bots": [
            {"bot": name, "score": _describe_score(score)}
            for name, score in zip(names, tally.score_players(), strict=True)
        ],
        "workers": shared["workers"],
        "compiled": bool(shared["workers"] and shared["compiled"] and find_build()),
        "seconds": round(seconds, 3),
    }


def _describe_score(score: Score | None) -> dict[str, Any] | None:
    if score is None:
        return None
    return {name: round(value, 4) for name, value in score._asdict().items()}


def _print_summary(about: dict[str, Any], console: Console) -> None:
    steps, seconds = about["plies"] + about["rolls"], about["seconds"]
    rate = f", {steps / seconds:,.0f} a second" if seconds else ""
    console.print(f"{about['ruleset']} {about['version']}: {about['games']:,} games, {steps:,} plies and rolls{rate}")
    rules = "compiled rules" if about["compiled"] else "rules in pure Python"
    workers = about["workers"]
    where = f"by {workers} worker{'s' * (workers > 1)}" if workers else "in this process"
    console.print(f"Played {where}, {rules}.")
    if about["cut_off"]:
        console.print(f"{about['cut_off']:,} of them were cut off and have no outcome.")
    ends = ", ".join(f"{reason} {number:,}" for reason, number in about["reasons"].items())
    console.print(f"How they ended: {ends or 'not at all'}.")
    table = Table("who", "score", "95 % interval", "games", box=box.SIMPLE)
    for number, score in enumerate(about["seats"], 1):
        table.add_row(f"seat {number}", *_format_score(score))
    for entry in about["bots"]:
        table.add_row(entry["bot"], *_format_score(entry["score"]))
    console.print(table)


def _format_score(score: dict[str, Any] | None) -> tuple[str, str, str]:
    if score is None:
        return "–", "", "0"
    return f"{score['mean']:.3f}", f"{score['low']:.3f} to {score['high']:.3f}", f"{score['games']:,}"
