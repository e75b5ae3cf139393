"""`python -m bench.day`: what a service needs for a day of many matches, and what waits at the busiest hour.

First it plays some matches over HTTP on a service of its own, until they are verified, scored and sealed, and takes the
CPU time, memory and disk of each part. From that it computes how many of each part a day needs, and simulates a minute
of the busiest hour as a network of queues: a move goes to one of the API processes, then to the server that has its
match.
"""

import os
import random
import secrets
import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from statistics import quantiles
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import click
import psutil
import simpy
from redis import Redis
from rich import box
from rich.console import Console
from rich.table import Table

from bench.load import prepare, send_all
from bench.matches import long_moves
from bench.rig import cpu_s, free_port
from plyscribe.service.client import Client
from plyscribe.service.processes.serving import ARCHIVE, READ_DATABASE, ServeOptions, Service
from plyscribe.service.store.redis_keys import keys_of

DAY_S, MONTH_DAYS = 86_400, 30
CONNECTIONS = 8
REST_S = 40
"""How long the measured matches rest before they are sealed: longer than it takes to play them all."""

IDLE_S = 20
"""How long the idle service is measured. What it takes then is not the matches' cost."""

FULL = 0.6
"""How busy a part may be at the busiest hour. Beyond that, waiting grows faster than the load."""

SIMULATED_S = 60.0
GB = 1e9

PARTS = {
    "web": "API process",
    "store": "shard of the store",
    "relay": "relay",
    "verify": "verify worker",
    "seal": "seal worker",
}

NODE_CORES, NODE_USD = 2, 63.0
"""A general purpose machine of one cloud (DigitalOcean, 2 dedicated processors, 8 GiB), a month, at its list price."""

MEMORY_GB, MEMORY_USD = 16.0, 84.0
"""A machine with more memory there (2 dedicated processors, 16 GiB)."""

VOLUME_USD, OBJECTS_USD = 0.10, 0.02
"""A GB of a volume and of the object store there, a month."""


class Costs(NamedTuple):
    """What a match takes: seconds of CPU time by part, and bytes."""

    cpu_s: Mapping[str, float]
    memory: float
    database: float
    archive: float


class Day(NamedTuple):
    """The day: matches, their moves, the busiest hour as a multiple of the mean, and how long a match is in memory."""

    matches: int
    moves: int
    peak: float
    kept_s: float

    @property
    def moves_a_second(self) -> float:
        """At the busiest hour."""
        return self.peak * self.matches * self.moves / DAY_S


@click.command()
@click.option("--matches", type=click.IntRange(1000), default=1_000_000, show_default=True, help="Matches of the day.")
@click.option("--moves", type=click.IntRange(2, 300), default=60, show_default=True, help="Moves of a match.")
@click.option("--peak", type=click.FloatRange(1), default=2.5, show_default=True, help="Busiest hour: times the mean.")
@click.option("--lasts", type=click.FloatRange(0), default=1.0, show_default=True, help="Hours that a match takes.")
@click.option("--rests", type=click.FloatRange(0), default=24.0, show_default=True, help="Hours until it is sealed.")
@click.option("--sample", type=click.IntRange(8), default=200, show_default=True, help="Matches to measure.")
def main(matches: int, moves: int, peak: float, lasts: float, rests: float, sample: int) -> None:
    """Measure, compute, simulate, and print the tables."""
    console = Console(width=110)
    with console.status("measuring"):
        costs = measure(sample, moves)
    day = Day(matches, moves, peak, (lasts + rests) * 3600)
    needed = {part: count_needed(costs.cpu_s[part], day) for part in PARTS}
    in_memory = day.matches * day.kept_s / DAY_S * costs.memory
    needed["store"] = max(needed["store"], -(-in_memory // (FULL * MEMORY_GB * GB)).__int__())
    _print_parts(console, costs, day, needed)
    _print_sizes(console, costs, day, needed, in_memory)
    with console.status("simulating"):
        rows = list(_simulate_some(costs, day, needed))
    _print_waits(console, day, rows)


def measure(matches: int, moves: int) -> Costs:
    """What a match took, of so many, each of so many moves, from its creation until it is sealed."""
    with TemporaryDirectory(prefix="plyscribe-bench-") as directory:
        data = Path(directory) / "data"
        data.mkdir()
        os.environ |= {"PLYSCRIBE_ALLOWANCES_FOR": "none", "PLYSCRIBE_SEAL_AFTER": str(REST_S)}
        service = Service(ServeOptions(data, port=free_port()))
        service.start()
        try:
            return _measure(service, data, matches, moves)
        finally:
            service.stop()


def _measure(service: Service, data: Path, matches: int, moves: int) -> Costs:
    server = Redis.from_url(f"unix://{data / 'store' / 'store.sock'}")
    with Client(service.options.url) as anyone:
        account = anyone.sign_up(f"Bench {secrets.token_hex(4)}", "bot")
    # Every part does its work once before it counts.
    _wait_until_sealed(server, _play(service, account, CONNECTIONS, moves))
    processes = {name: _tree(pid) for name, pid in service.pids().items()}
    idle = _rates(processes)
    begun, before = time.monotonic(), {name: cpu_s(tree) for name, tree in processes.items()}
    memory, database, archive = _used(server), _size(data / READ_DATABASE), _size(data / ARCHIVE)
    played = _play(service, account, matches, moves)
    memory = _used(server) - memory
    _wait_until_sealed(server, played)
    lasted = time.monotonic() - begun
    taken = {name: cpu_s(tree) - before[name] - lasted * idle[name] for name, tree in processes.items()}
    by_part = {part: sum(s for name, s in taken.items() if name.partition("-")[0] == part) / matches for part in PARTS}
    grown = _size(data / READ_DATABASE) - database, _size(data / ARCHIVE) - archive
    return Costs(by_part, memory / matches, grown[0] / matches, grown[1] / matches)


def _rates(processes: Mapping[str, Sequence[psutil.Process]]) -> dict[str, float]:
    """What each takes of a processor while nobody asks for anything."""
    before = {name: cpu_s(tree) for name, tree in processes.items()}
    time.sleep(IDLE_S)
    return {name: (cpu_s(tree) - before[name]) / IDLE_S for name, tree in processes.items()}


def _play(service: Service, account: Mapping[str, Any], matches: int, moves: int) -> list[str]:
    """Play matches over HTTP until all are scored, each move with a key of its own, and return them."""
    texts = long_moves(moves)
    headers = {"Authorization": f"Bearer {account['token']}"}
    with Client(service.options.url, account["token"]) as client:
        created = list[str]()
        for _ in range(matches):
            limits = {"ply_limit": moves}
            created.append(
                client.create_match("pathagon", [{"player": account["player"]}] * 2, options=limits)["match"]
            )
        scripts = [
            [
                prepare("POST", f"/v1/matches/{match}/moves", b'{"move":"%s"}' % text.encode(), **headers, **_keyed())
                for match in created[start::CONNECTIONS]
                for text in texts
            ]
            for start in range(CONNECTIONS)
        ]
        send_all(service.options.port, scripts)
        while any(client.match(match)["status"] != "scored" for match in created):
            time.sleep(0.1)
        return created


def _keyed() -> dict[str, str]:
    return {"Idempotency_Key": secrets.token_hex(16)}


def _wait_until_sealed(server: Redis, matches: Sequence[str]) -> None:
    """Return once none of these matches is in memory any more."""
    for match in matches:
        while server.exists(keys_of(match)[0]):
            time.sleep(0.1)


def _tree(pid: int) -> list[psutil.Process]:
    process = psutil.Process(pid)
    return [process, *process.children(recursive=True)]


def _used(server: Redis) -> int:
    info: dict[str, Any] = server.info("memory")
    return int(info["used_memory"])


def _size(path: Path) -> int:
    if path.is_file():
        with closing(sqlite3.connect(path)) as database:
            database.execute("pragma wal_checkpoint(truncate)")
        return path.stat().st_size
    return sum(each.stat().st_size for each in path.rglob("*") if each.is_file())


def count_needed(match_s: float, day: Day) -> int:
    """How many of a part are busy for at most FULL of the busiest hour, if a match takes `match_s` of one of them."""
    return max(1, -int(-(day.peak * day.matches * match_s / DAY_S) // FULL))


def _simulate_some(costs: Costs, day: Day, needed: Mapping[str, int]) -> Iterator[tuple[int, int, list[float]]]:
    """With fewer API processes than needed, as many, and one more: how many, shards, and the times of moves."""
    for webs in range(max(1, needed["web"] - 1), needed["web"] + 2):
        yield webs, needed["store"], simulate(costs, day, webs, needed["store"])


def simulate(costs: Costs, day: Day, webs: int, shards: int, seconds: float = SIMULATED_S) -> list[float]:
    """The times in seconds from arrival to answer of the moves of so long at the busiest hour.

    Moves arrive at random. Each takes an API process, and then a server of the store, which both do one at a time. How
    long each takes is exponential: few services vary more.
    """
    environment, chance, times = simpy.Environment(), random.Random(1), list[float]()
    fronts = [simpy.Resource(environment) for _ in range(webs)]
    servers = [simpy.Resource(environment) for _ in range(shards)]
    web_s, store_s = costs.cpu_s["web"] / day.moves, costs.cpu_s["store"] / day.moves

    def move() -> Iterator[simpy.Event]:
        begun = environment.now
        # A balancer sends each request to the process with the fewest in hand.
        front = min(fronts, key=lambda each: each.count + len(each.queue))
        with front.request() as turn:
            yield turn
            yield environment.timeout(chance.expovariate(1 / web_s))
        with chance.choice(servers).request() as turn:
            yield turn
            yield environment.timeout(chance.expovariate(1 / store_s))
        times.append(environment.now - begun)

    def arrive() -> Iterator[simpy.Event]:
        while True:
            yield environment.timeout(chance.expovariate(day.moves_a_second))
            environment.process(move())

    environment.process(arrive())
    environment.run(until=seconds)
    return times


def _print_parts(console: Console, costs: Costs, day: Day, needed: Mapping[str, int]) -> None:
    table = Table(title=f"{day.matches:,} matches of {day.moves} moves a day", box=box.SIMPLE)
    for name in ("", "ms of CPU a match", "matches a day that one carries", "needed", "busy at the busiest hour"):
        table.add_column(name, justify="left" if not name else "right")
    for part, title in PARTS.items():
        match_s = costs.cpu_s[part]
        carried = FULL * DAY_S / (day.peak * match_s)
        busy = day.peak * day.matches * match_s / DAY_S / needed[part]
        table.add_row(title, f"{1000 * match_s:.2f}", f"{carried:,.0f}", str(needed[part]), f"{busy:.0%}")
    console.print(table)


def _print_sizes(console: Console, costs: Costs, day: Day, needed: Mapping[str, int], in_memory: float) -> None:
    workers = sum(needed[part] for part in PARTS if part != "store")
    nodes = max(2, -(-workers // NODE_CORES))
    month = day.matches * MONTH_DAYS
    table = Table(box=box.SIMPLE)
    for name in ("", "a match", "needed", "$ a month"):
        table.add_column(name, justify="left" if not name else "right")
    rows = (
        ("machines for processes", "", f"{nodes} × {NODE_CORES} processors", nodes * NODE_USD),
        (
            "store: primaries and a replica each",
            f"{costs.memory:,.0f} bytes",
            f"{in_memory / GB:.1f} GB, 2 × {needed['store']} × {MEMORY_GB:.0f} GB",
            2 * needed["store"] * MEMORY_USD,
        ),
        ("queues", "", "1 machine", NODE_USD),
        (
            "read database, after a month",
            f"{costs.database:,.0f} bytes",
            f"{month * costs.database / GB:,.0f} GB",
            NODE_USD + month * costs.database / GB * VOLUME_USD,
        ),
        (
            "archive, after a month",
            f"{costs.archive:,.0f} bytes",
            f"{month * costs.archive / GB:,.0f} GB",
            month * costs.archive / GB * OBJECTS_USD,
        ),
    )
    for title, each, whole, usd in rows:
        table.add_row(title, each, whole, f"{usd:,.0f}")
    table.add_row("together", "", "", f"{sum(row[3] for row in rows):,.0f}")
    console.print(table)


def _print_waits(console: Console, day: Day, rows: list[tuple[int, int, list[float]]]) -> None:
    title = f"A minute of the busiest hour, {day.moves_a_second:,.0f} moves a second: ms from arrival to answer"
    table = Table(title=title, box=box.SIMPLE)
    for name in ("API processes", "shards", "median", "99 of 100", "longest"):
        table.add_column(name, justify="right")
    for webs, shards, times in rows:
        cuts = quantiles(times, n=100)
        shown = (f"{1000 * each:,.1f}" for each in (cuts[49], cuts[98], max(times)))
        table.add_row(str(webs), str(shards), *shown)
    console.print(table)


if __name__ == "__main__":
    main()
