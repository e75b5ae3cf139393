"""`python -m bench.growth [size …]`: what a service costs when it has this many matches, and prints a table.

Short rated matches are played by the rules, appended, verified and scored as workers do it, and entered in the lists by
a relay; each size in a process and a store of its own. What should not grow with the number of matches is compared with
the first size.
"""

import json
import logging
import os
import random
import re
import secrets
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import click
import psutil
from redis import Redis
from rich import box
from rich.console import Console
from rich.table import Table

from bench.load import prepare, send_all
from bench.matches import store_form, stream_name
from bench.rig import ROOT, Rig, Web, cpu_s
from plyscribe.domain.codec import Event
from plyscribe.domain.commands import Actor, Command, CreateMatch, MakeMove, TakeSeat, Withdraw
from plyscribe.domain.decide import decide
from plyscribe.domain.events import Account
from plyscribe.domain.match import Match, evolve
from plyscribe.service.clock import now_ms
from plyscribe.service.composition import Parts
from plyscribe.service.store.feed import FeedGroup
from plyscribe.service.store.port import Append, CommandKey
from plyscribe.service.store.redis import connect_server
from plyscribe.workers.relay import open_relay
from plyscribe.workers.verify_match import verify_all

SIZES = (1000, 10_000)
MATCHES_A_PLAYER = 20
AT_ONCE = 500
"""Matches that are appended, or verified, at a time."""

REQUESTS = 200
TIMES = 5
RULESET = "zhen"
HOUR_MS = 3_600_000


class Figure(NamedTuple):
    """What is measured, in which unit, and whether it should stay the same however many matches there are."""

    name: str
    unit: str
    stays: bool = True


FIGURES = (
    Figure("appended", "matches/s"),
    Figure("verified and scored", "matches/s"),
    Figure("relay and store, an entry of the feed", "µs CPU"),
    Figure("the feed alone, an entry", "µs CPU"),
    Figure("store, streams and commands of a match", "bytes"),
    Figure("store, everything else of a match", "bytes"),
    Figure("read database, a match", "bytes"),
    Figure("list of matches, newest 50", "µs CPU"),
    Figure("list of a player's matches", "µs CPU"),
    Figure("ratings, best 50", "µs CPU"),
    Figure("rating of a player", "µs CPU"),
    Figure("web process, from its start to its first rating", "s"),
    Figure("web process after that", "MB"),
)


@click.command()
@click.argument("sizes", nargs=-1, type=click.IntRange(10))
@click.option("--one", is_flag=True, hidden=True, help="Measure one size here, and print JSON.")
def main(sizes: tuple[int, ...], one: bool) -> None:
    """Measure a service with each of these numbers of matches, by default 1,000 and 10,000."""
    if one:
        # The relay warns that nobody watched the matches, because they were played before it began.
        logging.disable(logging.WARNING)
        sys.stdout.write(json.dumps(measure(sizes[0])))
        return
    sizes = sizes or SIZES
    measured = [_measure_elsewhere(size) for size in sizes]
    table = Table("what", *(f"{size:,} matches" for size in sizes), "ratio", box=box.SIMPLE)
    for figure in FIGURES:
        values = [each[figure.name] for each in measured]
        ratios = " · ".join(f"{value / values[0]:.2f}" for value in values[1:] if values[0])
        table.add_row(figure.name, *(f"{value:,.4g} {figure.unit}" for value in values), ratios)
    console = Console()
    (console if console.is_terminal else Console(width=140)).print(table)


def _measure_elsewhere(size: int) -> dict[str, float]:
    argv = [sys.executable, "-m", "bench.growth", "--one", str(size)]
    with Console(stderr=True).status(f"{size:,} matches"):
        done = subprocess.run(argv, cwd=ROOT, check=True, stdout=subprocess.PIPE)
    measured: dict[str, float] = json.loads(done.stdout)
    return measured


def measure(size: int) -> dict[str, float]:
    """All figures for this number of matches, by name."""
    with Rig() as rig:
        client = connect_server(rig.store.url)
        database = rig.read_database
        feed = FeedGroup(client)
        feed.ensure()
        # Whatever stands in an empty store, and in an empty database.
        relay = open_relay(rig.parts, client, Redis.from_url(rig.store.url))
        relay.step(block_ms=0)
        before, before_file = used_bytes(client), _size(database)
        players = [f"player-{stream_name(number)[6:]}" for number in range(max(10, size // MATCHES_A_PLAYER))]
        figures = _fill(rig.parts, players, size)
        figures |= _relay(rig, feed, relay)
        figures |= _weigh(client, size, before)
        rig.parts.database.close()
        figures["read database, a match"] = (_size(database) - before_file) / size
        return figures | _ask(rig, players)


# -------------------------------------------------------------------------------------------------------------- filling


def _fill(parts: Parts, players: Sequence[str], size: int) -> dict[str, float]:
    matches = (_play(number, players, size) for number in range(size))
    appended_s = verified_s = 0.0
    while some := list(islice(matches, AT_ONCE)):
        start = time.perf_counter()
        parts.store.append_all([_append(stream, events) for stream, events in some])
        appended = time.perf_counter()
        statuses = verify_all(parts, [(stream, len(events)) for stream, events in some])
        appended_s, verified_s = appended_s + appended - start, verified_s + time.perf_counter() - appended
        assert set(statuses) <= {"scored", "verified"}, Counter(statuses)
    return {"appended": size / appended_s, "verified and scored": size / verified_s}


def _play(number: int, players: Sequence[str], size: int) -> tuple[str, list[Event]]:
    """A rated match of a few moves between two players, which ended some time ago."""
    rng = random.Random(number)
    ann, ben = (Actor("player", player) for player in rng.sample(players, 2))
    # One after another, all more than an hour ago, so that none of them has to wait for others.
    start_ms = now_ms() - HOUR_MS - (size - number) * 1000
    moves = [f"+{tile}" for tile in rng.sample(range(1, 9), rng.randrange(2, 7))]
    match, events = Match(stream_name(number)), list[Event]()

    def carry_out(command: Command) -> None:
        nonlocal match
        for event in decide(command, match):
            match = evolve(match, event)
            events.append(event)

    def base(actor: Actor) -> dict[str, Any]:
        return {"actor": actor, "at": start_ms + len(events), "id": rng.randbytes(16).hex()}

    seats = Account(ann.id), Account(ben.id)
    carry_out(CreateMatch(**base(ann), ruleset=RULESET, seats=seats, rated=True, server="plyscribe"))
    carry_out(TakeSeat(**base(ben), seat=2))
    for ply, move in enumerate(moves):
        carry_out(MakeMove(**base(ben if ply % 2 else ann), move=move))
    carry_out(Withdraw(**base(rng.choice((ann, ben)))))
    return match.stream, events


def _append(stream: str, events: Sequence[Event]) -> Append:
    command = CommandKey(secrets.token_bytes(16), secrets.token_bytes(8))
    return Append(stream, 0, b"", store_form(stream, events), [event.data.type for event in events], command)


# ------------------------------------------------------------------------------------------------------------ the relay


def _relay(rig: Rig, feed: FeedGroup, relay: Any) -> dict[str, float]:
    """Let the relay take everything, and read the same entries alone."""
    store = psutil.Process(rig.store.process.pid)
    entries = feed.lag()
    start = time.process_time() + cpu_s([store])
    while feed.lag():
        relay.step(block_ms=0)
    relayed = time.process_time() + cpu_s([store])
    position, read = "", 0
    while (tail := rig.parts.store.tail(position)).entries:
        position, read = tail.position, read + len(tail.entries)
    alone = time.process_time() + cpu_s([store])
    return {
        "relay and store, an entry of the feed": (relayed - start) / entries * 1e6,
        "the feed alone, an entry": (alone - relayed) / max(1, read) * 1e6,
    }


# --------------------------------------------------------------------------------------------------------------- memory


def _weigh(client: Redis, size: int, before: int) -> dict[str, float]:
    """What the store holds of a match: its stream and commands, and all the rest, except the feed."""
    kinds: Counter[str] = Counter()
    for keys in _chunks(client.scan_iter(count=1000), 1000):
        with client.pipeline(transaction=False) as pipeline:
            for key in keys:
                pipeline.memory_usage(key, samples=0)
            for key, used in zip(keys, pipeline.execute(), strict=True):
                kinds[_kind_of(key)] += used or 0
    own = kinds["ev"] + kinds["cmd"] + kinds["streams"]
    rest = used_bytes(client) - before - own - kinds["feed"]
    return {
        "store, streams and commands of a match": own / size,
        "store, everything else of a match": rest / size,
    }


def _kind_of(key: bytes) -> str:
    """What a key is for: what its name begins with, after its bucket."""
    return re.sub(rb"^\{[^}]*\}:", b"", key).partition(b":")[0].decode()


def _chunks(keys: Iterator[bytes], size: int) -> Iterator[list[bytes]]:
    while some := list(islice(keys, size)):
        yield some


def used_bytes(client: Redis) -> int:
    """The memory that a server uses."""
    return int(client.info("memory")["used_memory"])


def _size(file: Path) -> int:
    return sum(each.stat().st_size for each in file.parent.glob(f"{file.name}*"))


# -------------------------------------------------------------------------------------------------------------- reading


def _ask(rig: Rig, players: Sequence[str]) -> dict[str, float]:
    """What requests cost a web process that has just been started, and how large it becomes."""
    start = time.perf_counter()
    web = rig.serve("plyscribe", "web")
    send_all(web.port, [[prepare("GET", f"/v1/ratings/{RULESET}")]])
    started_s = time.perf_counter() - start
    some = random.Random(1).choices(players, k=REQUESTS)
    return {
        "web process, from its start to its first rating": started_s,
        "list of matches, newest 50": _cost(web, ["/v1/matches?limit=50"] * REQUESTS),
        "list of a player's matches": _cost(web, [f"/v1/matches?limit=50&player={player}" for player in some]),
        "ratings, best 50": _cost(web, [f"/v1/ratings/{RULESET}?limit=50"] * REQUESTS),
        "rating of a player": _cost(web, [f"/v1/ratings/{RULESET}/{player}" for player in some]),
        "web process after that": web.memory_mb(),
    }


def _cost(web: Web, paths: Sequence[str]) -> float:
    """Microseconds of CPU a request, of the web process and the store: the median of some runs."""
    script = [prepare("GET", path) for path in paths]
    return median(web.run([script]).us for _ in range(TIMES))


if __name__ == "__main__":
    os.environ.setdefault("PLYSCRIBE_ALLOWANCES_FOR", "none")
    main()
