"""`plyscribe tournament`: run one from a file to its final table, steer one, or check its pairings offline."""

import json
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from plyscribe.domain.bundle.export import ExportError, parse_export
from plyscribe.domain.chain import StoredEvent
from plyscribe.domain.errors import DomainError
from plyscribe.domain.tournament.decide import TOURNAMENT
from plyscribe.domain.tournament.state import Tournament
from plyscribe.service.cli.cup_file import Entrant, Program, read_file
from plyscribe.service.cli.organiser import COMMANDS, TournamentError, read_admin_token
from plyscribe.service.cli.programs import Bridges, Player, enter_player, open_players
from plyscribe.service.cli.shared_options import DATA
from plyscribe.service.client import Client
from plyscribe.service.client.answers import Tournament as TournamentAnswer
from plyscribe.service.streams.ids import is_stream_id

POLL_S = 0.5
HERE = "the service of this data directory"
Json = dict[str, Any]


@click.group()
def tournament() -> None:
    """Run tournaments, steer them and check their pairings."""


for steering in COMMANDS:
    tournament.add_command(steering)


@tournament.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--url", help="A running service; by default one is started for the tournament.")
@click.option(
    "--token", envvar="PLYSCRIBE_TOKEN", help="A token with the scope organise; the default is the administrator's."
)
@click.option(
    "--port",
    type=click.IntRange(1, 65535),
    default=8420,
    show_default=True,
    help="Port of the service that is started.",
)
@click.option("--again", is_flag=True, help="Run a new tournament, even if this file was run before.")
@click.option("--json", "as_json", is_flag=True, help="Print the final table as JSON.")
@DATA
def run(file: Path, url: str | None, token: str | None, port: int, again: bool, as_json: bool, data: Path) -> None:
    """Run the tournament in a TOML file and show its final table.

    If it was interrupted, run the same file again to continue it. If it is over, its table is shown again.
    """
    import httpx

    from plyscribe.service.client import Problem
    from plyscribe.service.processes.foreground import ForegroundService
    from plyscribe.service.processes.serving import ServeError, ServeOptions

    console = Console(stderr=as_json)
    try:
        terms, entrants = read_file(file)
        key = sha256(file.read_bytes()).hexdigest()[:32] + (f"-{time.time_ns()}" if again else "")
        if url is not None:
            cup = Cup(url, url.rstrip("/"), token or read_admin_token(data), terms, entrants, key, data)
            play(cup, console, threading.Event(), as_json)
            return
        options = ServeOptions(data, port=port)
        with ForegroundService(options) as service:
            console.print(f"Plyscribe serves at {options.url}")
            cup = Cup(options.url, HERE, token or read_admin_token(data), terms, entrants, key, data)
            service.watch_while(lambda stop: play(cup, console, stop, as_json))
    except (TournamentError, ServeError, Problem, httpx.TransportError) as error:
        sys.exit(f"error: {error}")


@tournament.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--id", "stream", help="Id of the tournament; the default is the name of the file up to its first dot.")
def check(file: Path, stream: str | None) -> None:
    """Check the pairings of a tournament offline.

    Pairs all rounds again from the exported events (NDJSON). Exits with 0 if all come out the same, 1 if a round comes
    out differently, 2 if the file cannot be read.
    """
    from plyscribe.service.tournaments.pairing_check import check_pairing

    # The chain of hashes begins with the id of the tournament.
    stream = stream or file.name.partition(".")[0]
    try:
        if not is_stream_id("tournament", stream):
            raise TournamentError(f"{stream!r} is not the id of a tournament: name it with --id")
        entries = parse_export(stream, file.read_bytes())
        state = _fold(stream, entries)
        checks = [(round.number, check_pairing(stream, entries, round.number).agrees) for round in state.rounds]
    except (DomainError, ExportError, TournamentError, OSError) as error:
        click.echo(f"error: {file} does not hold the events of a tournament: {error}", err=True)
        sys.exit(2)
    for number, agrees in checks:
        click.echo(f"round {number}: {'the same pairing again' if agrees else 'NOT the same pairing again'}")
    if not checks:
        click.echo("no round is paired yet")
    sys.exit(0 if all(agrees for _, agrees in checks) else 1)


def _fold(stream: str, entries: Sequence[StoredEvent]) -> Tournament:
    """The tournament after these events; ExportError names the line of an event that cannot be read or does not fit."""
    state = Tournament(stream)
    for entry in entries:
        try:
            state = TOURNAMENT.fold(state, [entry])
        except (DomainError, LookupError, TypeError, ValueError) as error:
            # Whatever the hashes say, the content of the events may be made up.
            raise ExportError(entry.version, str(error)) from None
    return state


class Cup(NamedTuple):
    """A tournament to run: where, from what, and under which key it is one and the same."""

    url: str
    place: str
    """Names the service, whatever its address is now."""

    token: str
    terms: Json
    entrants: list[Entrant]
    key: str
    data: Path


def play(cup: Cup, console: Console, stop: threading.Event, as_json: bool = False) -> None:
    """Create, enter, start and follow the tournament over HTTP, then show its table; returns early on `stop`.

    Its programs play as long as that takes.
    """
    with Client(cup.url, cup.token) as client, ExitStack() as stack:
        programs = [each for each in cup.entrants if isinstance(each, Program)]
        players = open_players(programs, cup.url, cup.place, client, cup.data, stack)
        made = client.create_tournament(cup.terms, key=f"{cup.key}-new")
        stream = made["tournament"]
        _enter_all(client, stream, cup, players)
        client.start_tournament(stream, key=f"{cup.key}-start")
        console.print(f"{cup.url}/tournaments/{stream}", soft_wrap=True, highlight=False)
        for player in players:
            console.print(f"{player.program.name}: {player.id}, {player.build}", soft_wrap=True, highlight=False)
        bridges = Bridges(players, stream, lambda line: _report(console, line))
        try:
            _follow(client, stream, console, stop, bridges.check)
        finally:
            bridges.stop()
        if not stop.is_set():
            table, state = client.standings(stream), client.tournament(stream)
            click.echo(json.dumps(table) if as_json else client.table(stream))
            if table["sprt"] is not None:
                console.print(format_verdict(table["sprt"]), soft_wrap=True, highlight=False)
            if any(state["faults"].values()):
                console.print(format_faults(state), soft_wrap=True, highlight=False)
            if state["given_up"]:
                advice = "see plyscribe tournament retry, adjudicate and forfeit"
                raise TournamentError(
                    f"the tournament cannot end: games that failed too often: {state['given_up']}; {advice}"
                )


def format_verdict(sprt: Mapping[str, Any]) -> str:
    """A line with the result of the sequential test of a tournament that has ended."""
    taken = "undecided" if sprt["taken"] is None else f"{sprt['taken']} is accepted"
    return f"sequential test: log-likelihood ratio {sprt['llr']} of {sprt['lower']}..{sprt['upper']}: {taken}"


def _enter_all(client: Client, stream: str, cup: Cup, players: Sequence[Player]) -> None:
    """Enter all in their order, each only once, however often this is done."""
    is_open, left = client.tournament(stream)["is_open"], list(players)
    for number, entrant in enumerate(cup.entrants, 1):
        key = f"{cup.key}-{number}"
        if isinstance(entrant, Program):
            enter_player(left.pop(0), client, stream, is_open, key)
        else:
            client.enter(stream, entrant.terms, entrant.label, **entrant.of_team, key=key)


def _report(console: Console, line: str) -> None:
    shown = "".join(each if each.isprintable() else "?" for each in line)
    console.print(shown, markup=False, soft_wrap=True, highlight=False)


def format_faults(state: TournamentAnswer) -> str:
    """A line with the number of faults by owner, and the address of the list."""
    faults, where = state["faults"], f"/v1/tournaments/{state['tournament']}/attempts?faults=true"
    return (
        f"faults: {faults['entrant']} of entrants, scored; {faults['platform']} of the platform, played again: {where}"
    )


def _follow(
    client: Client, stream: str, console: Console, stop: threading.Event, check: Callable[[], None] = lambda: None
) -> None:
    """Show how far the tournament is until it is over, or can go no further. `check` may raise."""
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, TextColumn("{task.fields[pace]}"), TimeElapsedColumn(), console=console) as progress:
        task = progress.add_task("games", total=None, pace="")
        began, first = time.monotonic(), None
        while not stop.is_set():
            check()
            state = client.tournament(stream)
            first = state["decided"] if first is None else first
            pace = (state["decided"] - first) / max(0.001, time.monotonic() - began)
            left = (state["games"] - state["decided"]) / pace if pace else 0.0
            shown = f"round {state['rounds']}, {pace:.1f} games/s, {left:.0f} s left for paired games"
            progress.update(task, completed=state["decided"], total=state["games"] or None, pace=shown)
            # A game that is given up leaves its round undecided, so no other round follows.
            if state["status"] in ("ended", "aborted") or 0 < state["given_up"] == state["games"] - state["decided"]:
                return
            time.sleep(POLL_S)
