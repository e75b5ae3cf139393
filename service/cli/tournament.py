"""`plyscribe tournament`: run one from a file, follow it to its final table, check its pairings offline."""

import json
import sys
import threading
import time
import tomllib
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import click
import httpx
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from plyscribe.domain.bundle.bundle import parse_event_line
from plyscribe.domain.errors import DomainError
from plyscribe.domain.tournament.state import Tournament, fold_tournament
from plyscribe.service.cli.beside import DATA
from plyscribe.service.client import Client, Problem
from plyscribe.service.processes.foreground import ForegroundService
from plyscribe.service.processes.serving import ServeError, ServeOptions
from plyscribe.service.tournaments.tournaments import check_pairing

POLL_S = 0.5
Json = dict[str, Any]


class CupError(Exception):
    """The tournament cannot be run as the file says; the message says why."""


@click.group()
def tournament() -> None:
    """Run tournaments, and check how they were paired."""


@tournament.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--url", help="A service that runs; without it, one is run for the tournament.")
@click.option("--token", envvar="PLYSCRIBE_TOKEN", help="With the scope organise; the administrator's without it.")
@click.option("--port", type=click.IntRange(1, 65535), default=8420, show_default=True, help="Of the service's own.")
@click.option("--again", is_flag=True, help="A new tournament, though this file was run before.")
@click.option("--json", "as_json", is_flag=True, help="The final table as JSON.")
@DATA
def run(file: Path, url: str | None, token: str | None, port: int, again: bool, as_json: bool, data: Path) -> None:
    """Run the tournament that a TOML file describes, and show its final table.

    What was interrupted goes on when the same file is run again; one that is over is shown.
    """
    console = Console(stderr=as_json)
    try:
        terms, entrants = read_file(file)
        key = sha256(file.read_bytes()).hexdigest()[:32] + (f"-{time.time_ns()}" if again else "")
        if url is not None:
            play(url, token or read_admin_token(data), terms, entrants, key, console, threading.Event(), as_json)
            return
        options = ServeOptions(data, port=port)
        with ForegroundService(options) as service:
            console.print(f"Plyscribe serves at {options.url}")
            told = token or read_admin_token(data)
            service.watch_while(lambda stop: play(options.url, told, terms, entrants, key, console, stop, as_json))
    except (CupError, ServeError) as error:
        sys.exit(f"error: {error}")
    except Problem as problem:
        sys.exit(f"error: {problem}")
    except httpx.TransportError as error:
        sys.exit(f"error: {url} does not answer: {error}")


@tournament.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--id", "stream", help="Of the tournament; without it, the name of the file up to its first dot.")
def check(file: Path, stream: str | None) -> None:
    """Work all pairings of a tournament out again from its exported events (NDJSON), offline.

    Exit code 0 when all rounds come out as they were paired, 1 when one does not, 2 when the file cannot be read.
    """
    try:
        *lines, _ = file.read_bytes().splitlines()
        entries = [parse_event_line(line, number) for number, line in enumerate(lines, 1)]
        # The chain of hashes begins with the id.
        state = fold_tournament(Tournament(stream or file.name.partition(".")[0]), entries)
    except (DomainError, ValueError, KeyError) as error:
        click.echo(f"error: {file} holds no events of a tournament: {error}", err=True)
        sys.exit(2)
    wrong = 0
    for round in state.rounds:
        agrees = check_pairing(state.stream, entries, round.number).agrees
        wrong += not agrees
        click.echo(f"round {round.number}: {'as it comes out again' if agrees else 'NOT as it comes out again'}")
    sys.exit(1 if wrong else 0)


def read_file(file: Path) -> tuple[Json, list[Json]]:
    """The terms and the entrants that a file describes; CupError where it cannot be read."""
    try:
        described = tomllib.loads(file.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise CupError(f"{file} is no TOML: {error}") from None
    entrants = described.pop("entrants", [])
    if not isinstance(entrants, list) or not all(isinstance(each, Mapping) and "bot" in each for each in entrants):
        raise CupError(f"{file}: entrants are [[entrants]] with a bot each")
    return described, entrants


def play(
    url: str,
    token: str,
    terms: Json,
    entrants: list[Json],
    key: str,
    console: Console,
    stop: threading.Event,
    as_json: bool = False,
) -> None:
    """Announce, enter, start and follow the tournament over HTTP, and show its table; return early on `stop`."""
    with Client(url, token) as client:
        made = client.create_tournament(terms, key=f"{key}-new")
        stream = made["tournament"]
        for number, entrant in enumerate(entrants, 1):
            more: Json = {name: entrant[name] for name in ("seed", "playouts") if name in entrant}
            bot: Json = {"name": entrant["bot"], **more}
            client.enter(stream, bot, entrant.get("label"), key=f"{key}-{number}")
        client.start_tournament(stream, key=f"{key}-start")
        console.print(f"{url}/tournaments/{stream}", soft_wrap=True, highlight=False)
        _follow(client, stream, console, stop)
        if not stop.is_set():
            table, state = client.standings(stream), client.tournament(stream)
            click.echo(json.dumps(table) if as_json else client.table(stream))
            if any(state["faults"].values()):
                console.print(format_faults(state), soft_wrap=True, highlight=False)
            if state["given_up"]:
                raise CupError(f"games that failed too often: {state['given_up']}; the tournament cannot end")


def format_faults(state: Json) -> str:
    """How many faults there were, and where they are told."""
    told, where = state["faults"], f"/v1/tournaments/{state['tournament']}/attempts?faults=true"
    return f"faults: {told['entrant']} of entrants, scored; {told['platform']} of the platform, played again: {where}"


def _follow(client: Client, stream: str, console: Console, stop: threading.Event) -> None:
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, TextColumn("{task.fields[pace]}"), TimeElapsedColumn(), console=console) as progress:
        task = progress.add_task("games", total=None, pace="")
        began, first = time.monotonic(), None
        while not stop.is_set():
            state = client.tournament(stream)
            first = state["decided"] if first is None else first
            pace = (state["decided"] - first) / max(0.001, time.monotonic() - began)
            left = (state["games"] - state["decided"]) / pace if pace else 0.0
            told = f"round {state['rounds']}, {pace:.1f} games/s, {left:.0f} s left of those paired"
            progress.update(task, completed=state["decided"], total=state["games"] or None, pace=told)
            # A game that is given up leaves its round undecided: no other one follows.
            if state["status"] in ("ended", "aborted") or 0 < state["given_up"] == state["games"] - state["decided"]:
                return
            time.sleep(POLL_S)


def read_admin_token(data: Path) -> str:
    """The token of the administrator of a data directory; CupError where there is none."""
    path = data / "admin.token"
    try:
        return path.read_text(encoding="ascii").strip()
    except OSError:
        raise CupError(f"{path} is not there: give a token of the scope organise with --token") from None
