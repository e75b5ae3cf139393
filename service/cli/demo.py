"""`plyscribe demo`: bots play all games over the HTTP API while one watches, and a table tells how it went.

The demo leans on what the service promises: its matches and moves carry keys that follow from the demo's number, so
that a second run, or a run after a crash, finds the matches of the first and goes on where they stood.
"""

import json
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from plyscribe.domain.bots import Bot, make_bot
from plyscribe.domain.ruleset import Decision, Over, Turn
from plyscribe.domain.rulesets import find_ruleset
from plyscribe.service.cli.tournament import play, read_admin_token
from plyscribe.service.client import Client, Event, Match, RatingsRow
from plyscribe.service.processes.serving import write_once

KEY = "demo-4"
"""What all idempotency keys of the demo begin with; a changed plan takes a new number."""

PLAYERS = ("random", "greedy")
CUP: dict[str, Any] = {"name": "Demo cup", "ruleset": "zhen", "format": {"kind": "round-robin", "cycles": 2}}
CUP_ENTRANTS: list[dict[str, Any]] = [
    {"bot": "greedy", "label": "Greta"},
    {"bot": "mcts", "playouts": 20, "label": "Monty"},
    {"bot": "random", "label": "Randy"},
    {"bot": "random", "label": "Roma"},
]
POLL_S = 0.2
MICRO = 1_000_000
SCORED_WITHIN_S = 120.0


class DemoError(Exception):
    """The demo did not show what it should."""


@dataclass(frozen=True, slots=True)
class DemoMatch:
    """A match of the demo: its number, ruleset and options, and the bots on its seats.

    The first two play over HTTP, each from an account of its own; the server plays for the others. A match of two with
    the usual options is rated.
    """

    number: int
    ruleset: str
    bots: tuple[str, ...]
    options: dict[str, Any]

    @property
    def key(self) -> str:
        """What all idempotency keys of the match begin with."""
        return f"{KEY}-{self.number}"


def plan(matches: int) -> list[DemoMatch]:
    """The demo's matches: all games in turn, the greedy bot on either side."""
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
    """The tokens of the demo's bots by name, opened on the first run and kept in a 0600 file."""
    path = write_once(data / "demo.tokens", lambda: json.dumps(_open_accounts(url)))
    tokens: dict[str, str] = json.loads(path.read_text(encoding="ascii"))
    return tokens


def _open_accounts(url: str) -> dict[str, str]:
    with Client(url) as client:
        return {name: client.sign_up(f"{name} bot", "bot", ["play"])["token"] for name in PLAYERS}


def play_match(url: str, tokens: dict[str, str], planned: DemoMatch, stop: threading.Event) -> str:
    """The id of the match, played to its end move by move over HTTP; "" where `stop` came first."""
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
        # So that nobody can have picked the dice, not even the server.
        second.take_seat(match, 2, entropy=f"salt of the second {planned.number}", key=f"{planned.key}-seat")
        first.add_entropy(match, f"salt of the first {planned.number}", 1, key=f"{planned.key}-salt")
    else:
        second.take_seat(match, 2, key=f"{planned.key}-seat")
    return match


class _Board:
    """A match as its events tell it, followed with the rules of our own."""

    def __init__(self, client: Client, match: str) -> None:
        known = client.match(match)
        self._ruleset = find_ruleset(known["ruleset"], known["ruleset_version"])
        self._state = self._ruleset.initial_state(known["options"], len(known["seats"]))
        self.version = self.ply = 0
        self.follow(client.events(match))

    @property
    def turn(self) -> Turn:
        """What the match waits for."""
        return self._ruleset.turn(self._state)

    def follow(self, events: Iterable[Event]) -> None:
        """Go on by the events that follow."""
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
        """What the bot plays here."""
        return self._ruleset.format_move(self._state, bot.choose_move(self._ruleset, self._state))


def _play_on(clients: Sequence[Client], planned: DemoMatch, match: str) -> Iterator[int]:
    """Play from wherever the match stands; yields the ply after each move of ours."""
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
    """The next events of the match, once there are some: the server's bots move by themselves."""
    events = client.follow(match, after)
    return list(islice(events, 1))


def run_demo(url: str, data: Path, number: int, threads: int, console: Console, stop: threading.Event) -> None:
    """Play the demo's matches, wait until they are verified and scored, print what came of it."""
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
            ratings = {ruleset: list(client.ratings(ruleset)) for ruleset in sorted({each.ruleset for each in planned})}
    _show(console, url, planned, found)
    _show_ratings(console, ratings)
    play(url, read_admin_token(data), CUP, CUP_ENTRANTS, f"{KEY}-cup", console, stop)
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


def _show(console: Console, url: str, planned: Sequence[DemoMatch], found: Sequence[Match]) -> None:
    table = Table(title="Matches", title_justify="left")
    for name in ("no.", "ruleset", "seats", "outcome", "plies", "verified"):
        table.add_column(name, justify="right" if name in ("no.", "plies") else "left")
    for each, match in zip(planned, found, strict=True):
        verdict = "yes" if match["status"] == "scored" else match["status"]
        seats, outcome = " – ".join(each.bots), _format_outcome(each, match)
        table.add_row(str(each.number), each.ruleset, seats, outcome, str(match["ply"]), verdict)
    console.print(table)
    console.print("To step through them:")
    for each, match in zip(planned, found, strict=True):
        # Whole lines, so that they can be copied from a narrow terminal too.
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
    console.print("And more to look at:")
    for path in ("/docs", "/v1/matches", "/metrics"):
        console.print(f"     {url}{path}", soft_wrap=True, highlight=False)
    console.print(f"[bold]Open {url}/ in a browser[/bold]: watch, play, record.", soft_wrap=True, highlight=False)


def _format_outcome(planned: DemoMatch, match: Match) -> str:
    outcome = match["outcome"]
    if outcome is None:
        return match["status"]
    if outcome["ranks"].count(1) > 1:
        return f"draw ({outcome['reason']})"
    return f"{planned.bots[outcome['ranks'].index(1)]} ({outcome['reason']})"
