"""`plyscribe demo`: bots play all games over the HTTP API, and tables show the results.

The demo relies on what the service promises. Its matches and moves carry idempotency keys made from the demo's number,
so a second run, or a run after a crash, finds the matches of the first and continues them.
"""

import json
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from plyscribe.domain.bots import Bot, make_bot
from plyscribe.domain.ruleset import Decision, Over, Turn
from plyscribe.domain.rulesets import find_ruleset
from plyscribe.service.cli.cup_file import Entrant, ServerBot
from plyscribe.service.cli.organiser import read_admin_token
from plyscribe.service.cli.shared_options import CLUSTER, DATA, HOST, PORT, REDIS_URL
from plyscribe.service.cli.tournament import HERE, Cup, play
from plyscribe.service.client import Client, Event, Match, Problem, RatingsRow

KEY = "demo-4"
"""The beginning of all idempotency keys of the demo. Give it a new number when the plan changes."""

PLAYERS = ("random", "greedy")
TOURNAMENT: dict[str, Any] = {"name": "Demo cup", "ruleset": "zhen", "format": {"kind": "round-robin", "cycles": 2}}
ENTRANTS: list[Entrant] = [
    ServerBot({"name": "greedy"}, "Greta", {}),
    ServerBot({"name": "mcts", "playouts": 20}, "Monty", {}),
    ServerBot({"name": "random"}, "Randy", {}),
    ServerBot({"name": "random"}, "Roma", {}),
]
POLL_S = 0.2
MICRO = 1_000_000
SCORED_WITHIN_S = 120.0


class DemoError(Exception):
    """The demo failed: not all matches were scored in time."""


@click.command()
@DATA
@HOST
@PORT
@REDIS_URL
@CLUSTER
@click.option("--matches", type=click.IntRange(1, 10_000), default=12, show_default=True, help="Matches to play.")
@click.option("--threads", type=click.IntRange(1, 64), default=4, show_default=True, help="Matches at the same time.")
@click.option("--once", is_flag=True, help="Stop after the tables instead of serving on.")
def demo(
    data: Path, host: str, port: int, redis_url: str | None, cluster: int | None, matches: int, threads: int, once: bool
) -> None:
    """Let bots play over HTTP, then verify and rate the matches."""
    from plyscribe.service.processes.foreground import ForegroundService
    from plyscribe.service.processes.serving import ServeOptions

    console = Console()
    options = ServeOptions(data, host, port, redis_url=redis_url, cluster=cluster)
    with ForegroundService(options) as service:
        console.print(f"Plyscribe serves at {options.url}")
        try:
            service.watch_while(lambda stop: run_demo(options.url, data, matches, threads, console, stop))
        except DemoError as error:
            sys.exit(f"error: {error}")
        if not once and not service.is_stopped:
            console.print(f"Still serving at {options.url}. Ctrl-C stops.")
            service.watch_until_stopped()


@dataclass(frozen=True, slots=True)
class DemoMatch:
    """A match of the demo: its number, ruleset and options, and the bots in its seats.

    The first two bots play over HTTP, each from its own account; the server plays for the others. A match with the
    default options is rated.
    """

    number: int
    ruleset: str
    bots: tuple[str, ...]
    options: dict[str, Any]

    @property
    def key(self) -> str:
        """The beginning of all idempotency keys of the match."""
        return f"{KEY}-{self.number}"


def plan(matches: int) -> list[DemoMatch]:
    """The demo's matches: all games in turn, with the greedy bot in alternating seats."""
    kinds: Sequence[tuple[str, int, dict[str, Any]]] = (
        ("pathagon", 2, {}),
        ("zhen", 2, {}),
        ("portals", 2, {"radius": 3, "pool": 4}),
        ("rings", 3, {"target": 8}),
        ("crystals", 2, {}),
        ("pathagon", 2, {"size": 5}),
        ("zhen", 2, {"tiles": 6, "cubes": 6}),
    )
    planned = []
    for number in range(1, matches + 1):
        ruleset, seats, options = kinds[(number - 1) % len(kinds)]
        bots = (PLAYERS if number % 2 else PLAYERS[::-1]) + PLAYERS[: seats - 2]
        planned.append(DemoMatch(number, ruleset, bots, dict(options)))
    return planned


def sign_up_bots(url: str, data: Path) -> dict[str, str]:
    """The tokens of the demo's bots by name. The first run opens the accounts and keeps the tokens in a 0600 file."""
    from plyscribe.service.processes.serving import write_once

    path = write_once(data / "demo.tokens", lambda: json.dumps(_open_accounts(url)))
    tokens: dict[str, str] = json.loads(path.read_text(encoding="ascii"))
    return tokens


def _open_accounts(url: str) -> dict[str, str]:
    with Client(url) as client:
        return {name: _open_account(client, f"Demo {name}") for name in PLAYERS}


def _open_account(client: Client, name: str, number: int = 1) -> str:
    """The token of a new bot, whose name gets a number if it is taken: an earlier demo may have lost its tokens."""
    try:
        return client.sign_up(name if number == 1 else f"{name} {number}", "bot", ["play"])["token"]
    except Problem as problem:
        if problem.code != "player/name-taken":
            raise
        return _open_account(client, name, number + 1)


def play_match(url: str, tokens: dict[str, str], planned: DemoMatch, stop: threading.Event) -> str:
    """Play a match to its end over HTTP and return its id, or "" if `stop` was set before that."""
    if stop.is_set():
        return ""
    clients = [Client(url, tokens[name]) for name in planned.bots[:2]]
    try:
        match = _open_match(clients, planned)
        for _ in _play_on(clients, planned, match):
            if stop.is_set():
                return ""
        return match
    finally:
        for client in clients:
            client.close()


def _open_match(clients: Sequence[Client], planned: DemoMatch) -> str:
    first, second = clients
    built_in = [{"bot": name, "seed": planned.number} for name in planned.bots[2:]]
    seats = [{"player": first.me()["player"]}, None, *built_in]
    about = {"event": f"demo match {planned.number}"}
    created = first.create_match(
        planned.ruleset,
        seats,
        options=planned.options,
        rated=not planned.options,
        about=about,
        key=f"{planned.key}-new",
    )
    match: str = created["match"]
    if find_ruleset(planned.ruleset).has_chance(first.match(match)["options"]):
        # With the entropy of the seats nobody can have picked the dice, not even the server.
        second.take_seat(match, 2, entropy=f"salt of the second {planned.number}", key=f"{planned.key}-seat")
        first.add_entropy(match, f"salt of the first {planned.number}", 1, key=f"{planned.key}-salt")
    else:
        second.take_seat(match, 2, key=f"{planned.key}-seat")
    return match


class _Board:
    """A match rebuilt from its events, with our own copy of the rules."""

    def __init__(self, client: Client, match: str) -> None:
        known = client.match(match)
        self._ruleset = find_ruleset(known["ruleset"], known["ruleset_version"])
        self._state = self._ruleset.initial_state(known["options"], len(known["seats"]))
        self.version = self.ply = 0
        self.follow(client.events(match))

    @property
    def turn(self) -> Turn:
        """What the match is waiting for."""
        return self._ruleset.turn(self._state)

    def follow(self, events: Iterable[Event]) -> None:
        """Apply the next events."""
        for event in events:
            self.version = event["version"]
            match event["type"]:
                case "move-made":
                    move = self._ruleset.parse_move(self._state, event["data"]["move"])
                    self._state = self._ruleset.apply_move(self._state, move)
                    self.ply += 1
                case "dice-rolled":
                    self._state = self._ruleset.apply_roll(self._state, tuple(event["data"]["values"]))

    def choose(self, bot: Bot) -> str:
        """The move that the bot chooses here, as text."""
        return self._ruleset.format_move(self._state, bot.choose_move(self._ruleset, self._state))


def _play_on(clients: Sequence[Client], planned: DemoMatch, match: str) -> Iterator[int]:
    """Play the match on from its present state; yields the ply after each of our moves."""
    bots = [make_bot(name, seed=1000 * planned.number + seat) for seat, name in enumerate(planned.bots, 1)]
    board = _Board(clients[0], match)
    while not isinstance(turn := board.turn, Over):
        if not isinstance(turn, Decision) or turn.seat > len(clients):
            board.follow(_wait_for_news(clients[0], match, board.version))
            continue
        seat = turn.seat
        key = f"{planned.key}-{board.ply + 1}"
        board.follow(clients[seat - 1].move(match, board.choose(bots[seat - 1]), seat=seat, key=key)["events"])
        yield board.ply


def _wait_for_news(client: Client, match: str, after: int) -> list[Event]:
    """The next event of the match, once there is one: the server's bots move by themselves."""
    events = client.follow(match, after)
    return list(islice(events, 1))


def run_demo(url: str, data: Path, number: int, threads: int, console: Console, stop: threading.Event) -> None:
    """Play the demo's matches, wait until they are verified and scored, and print the tables."""
    planned = plan(number)
    tokens = sign_up_bots(url, data)
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console) as progress:
        playing = progress.add_task("playing over HTTP", total=number)
        with ThreadPoolExecutor(threads) as pool:
            played: list[Future[str]] = [pool.submit(play_match, url, tokens, each, stop) for each in planned]
            for each in played:
                each.add_done_callback(lambda one: progress.advance(playing, int(not _is_stopped(one))))
            matches = [one.result() for one in played]
        if stop.is_set():
            return
        deadline = time.monotonic() + SCORED_WITHIN_S
        with Client(url) as client:
            found = [
                _wait_for_score(client, match, deadline, stop)
                for match in progress.track(matches, description="verifying, scoring")
            ]
            rulesets = sorted({each.ruleset for each in planned})
            ratings = {ruleset: _wait_for_ratings(client, ruleset, deadline, stop) for ruleset in rulesets}
    _show(console, url, planned, found)
    _show_ratings(console, ratings)
    play(Cup(url, HERE, read_admin_token(data), TOURNAMENT, ENTRANTS, f"{KEY}-cup", data), console, stop)
    _show_addresses(console, url)
    if missing := sum(match["status"] != "scored" for match in found):
        raise DemoError(f"{missing} of {len(found)} matches were not scored; the logs are in {data / 'log'}")


def _is_stopped(played: Future[str]) -> bool:
    return played.exception() is not None or not played.result()


def _wait_for_score(client: Client, match: str, deadline: float, stop: threading.Event) -> Match:
    while True:
        found = client.match(match)
        if found["status"] not in ("ended", "verified") or stop.is_set() or time.monotonic() > deadline:
            return found
        time.sleep(POLL_S)


def _wait_for_ratings(client: Client, ruleset: str, deadline: float, stop: threading.Event) -> list[RatingsRow]:
    while client.ratings_lag(ruleset) and not stop.is_set() and time.monotonic() < deadline:
        time.sleep(POLL_S)
    return list(client.ratings(ruleset))


def _show(console: Console, url: str, planned: Sequence[DemoMatch], found: Sequence[Match]) -> None:
    table = Table(title="Matches", title_justify="left")
    for name in ("no.", "ruleset", "seats", "outcome", "plies", "verified"):
        table.add_column(name, justify="right" if name in ("no.", "plies") else "left")
    for each, match in zip(planned, found, strict=True):
        verdict = "yes" if match["status"] == "scored" else match["status"]
        seats, outcome = " – ".join(each.bots), _format_outcome(each, match)
        table.add_row(str(each.number), each.ruleset, seats, outcome, str(match["ply"]), verdict)
    console.print(table)
    console.print("Step through the matches:")
    for each, match in zip(planned, found, strict=True):
        # Lines are not wrapped, so addresses can be copied from a narrow terminal too.
        console.print(f"{each.number:>3}  {url}/matches/{match['match']}", soft_wrap=True, highlight=False)


def _show_ratings(console: Console, ratings: Mapping[str, Sequence[RatingsRow]]) -> None:
    table = Table(title="Ratings", title_justify="left")
    for name in ("ruleset", "player", "rating", "±", "matches"):
        table.add_column(name, justify="left" if name in ("ruleset", "player") else "right")
    for ruleset, standings in ratings.items():
        for each in standings:
            rating, uncertainty = each["rating_micro"] / MICRO, each["uncertainty_micro"] / MICRO
            table.add_row(ruleset, each["name"], f"{rating:.1f}", f"{uncertainty:.1f}", str(each["matches"]))
    console.print(table)


def _show_addresses(console: Console, url: str) -> None:
    console.print("More to look at:")
    for path in ("/docs", "/v1/matches", "/metrics"):
        console.print(f"     {url}{path}", soft_wrap=True, highlight=False)
    console.print(f"[bold]Open {url}/ in a browser[/bold] to watch, play and record.", soft_wrap=True, highlight=False)


def _format_outcome(planned: DemoMatch, match: Match) -> str:
    outcome = match["outcome"]
    if outcome is None:
        return match["status"]
    if outcome["ranks"].count(1) > 1:
        return f"draw ({outcome['reason']})"
    return f"{planned.bots[outcome['ranks'].index(1)]} ({outcome['reason']})"
