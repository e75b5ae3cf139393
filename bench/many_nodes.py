"""`python -m bench.many_nodes`: what a move costs with more servers behind it and more web processes in front.

Costs are CPU times of all processes together: the store's nodes and the web processes. They should stay the same,
however many there are.
"""

import os
import secrets
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import count
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from uuid import uuid4

import click
import psutil
from rich import box
from rich.console import Console
from rich.table import Table

from bench.load import prepare, send_all
from bench.matches import long_moves
from bench.measuring import Rounds, Sample, take_rounds
from bench.rig import ROOT, cpu_s, free_port, stop, wait_until_answered
from plyscribe.domain.chain import first_link, link_all
from plyscribe.service.client import Client
from plyscribe.service.processes.embedded import start_server
from plyscribe.service.processes.trial_cluster import TrialCluster
from plyscribe.service.store.port import CommandKey
from plyscribe.service.store.redis import connect

STREAMS = 48
APPENDS = 30
"""To each stream in a round."""

MOVES = 40
CONNECTIONS = 8
SHARDS = (1, 2, 3)
WEBS = (1, 2, 4)
REST_S = 0.5
MOVE = b'{"at":1767225600000,"data":{"move":"d4","seat":1},"type":"move-made","version":1}'


@click.command()
@click.option("--rounds", type=click.IntRange(3), default=9, show_default=True, help="Measurements of each.")
def main(rounds: int) -> None:
    """Measure and print the tables."""
    with TemporaryDirectory(prefix="plyscribe-bench-") as directory, ExitStack() as stack:
        folder = Path(directory)
        server = stack.enter_context(start_server(folder / "server"))
        clusters = {number: stack.enter_context(TrialCluster(folder / f"of-{number}", number)) for number in SHARDS}
        nodes = {number: _list_nodes(each) for number, each in clusters.items()}
        runs = {"one server": _appender(server.url, [psutil.Process(server.process.pid)])}
        runs |= {f"a cluster of {number}": _appender(clusters[number].url, nodes[number]) for number in SHARDS}
        _print("An append, without the API", "one server", take_rounds(runs, rounds))
        largest = SHARDS[-1]
        with _serve(clusters[largest], folder, max(WEBS)) as webs:
            runs = {f"{number} web processes": _mover(webs[:number], nodes[largest]) for number in WEBS}
            _print(
                f"A move over HTTP, on a cluster of {largest}", f"{WEBS[0]} web processes", take_rounds(runs, rounds)
            )
            Console().print(_measure_idle(webs, nodes[largest]))


def _list_nodes(cluster: TrialCluster) -> list[psutil.Process]:
    return [psutil.Process(pid) for pid in cluster.node_pids()]


def _appender(url: str, servers: Sequence[psutil.Process]) -> Callable[[], Sample]:
    """Appends of one move each to many streams, one after the other, by one process."""
    store, numbers = connect(url), count()

    def append() -> Sample:
        streams = [f"match-{next(numbers)}" for _ in range(STREAMS)]
        chains = {stream: link_all(first_link(stream), 1, [MOVE] * APPENDS) for stream in streams}
        started = time.process_time() + cpu_s(servers)
        for version in range(APPENDS):
            for stream, chain in chains.items():
                head = chain[version - 1].h if version else b""
                store.append(
                    stream, version, head, [chain[version]], ["move-made"], CommandKey(uuid4().bytes, bytes(8))
                )
        return Sample(STREAMS * APPENDS, time.process_time() + cpu_s(servers) - started)

    return append


class _Web:
    """A web process."""

    def __init__(self, env: dict[str, str]) -> None:
        self.port = free_port()
        argv = [sys.executable, "-m", "plyscribe", "web", "--port", str(self.port)]
        self.process = psutil.Popen(
            argv, cwd=ROOT, env={**os.environ, **env}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )

    def all_processes(self) -> list[psutil.Process]:
        return [self.process, *self.process.children(recursive=True)]


@contextmanager
def _serve(cluster: TrialCluster, folder: Path, number: int) -> Iterator[list[_Web]]:
    env = {
        "REDIS_URL": cluster.url,
        "RQ_REDIS_URL": cluster.queues_url,
        "PLYSCRIBE_SERVER_KEY": secrets.token_hex(32),
        "PLYSCRIBE_READ_URL": f"sqlite:///{folder / 'read.db'}",
        "PLYSCRIBE_SIGN_UP": "open",
        "PLYSCRIBE_ALLOWANCES_FOR": "none",
    }
    webs = [_Web(env) for _ in range(number)]
    try:
        for web in webs:
            wait_until_answered(web.process, web.port)
        yield webs
    finally:
        for web in webs:
            stop(web.process)


def _mover(webs: Sequence[_Web], nodes: Sequence[psutil.Process]) -> Callable[[], Sample]:
    """Moves of matches that are played at the same time, each by way of one of the web processes."""
    moves = long_moves(MOVES)
    with Client(f"http://127.0.0.1:{webs[0].port}") as anyone:
        account = anyone.sign_up(f"Bench {uuid4().hex[:8]}", "bot")

    def play() -> Sample:
        with Client(f"http://127.0.0.1:{webs[0].port}", account["token"]) as client:
            seats = [{"player": account["player"]}] * 2
            matches = [client.create_match("pathagon", seats)["match"] for _ in range(CONNECTIONS)]
        processes = [*nodes, *(each for web in webs for each in web.all_processes())]
        started = cpu_s(processes)
        for place, match in enumerate(matches):
            path, token = f"/v1/matches/{match}/moves", account["token"]
            send_all(webs[place % len(webs)].port, [[_post(path, token, move) for move in moves]])
        return Sample(CONNECTIONS * len(moves), cpu_s(processes) - started)

    return play


def _post(path: str, token: str, move: str) -> bytes:
    headers = {"Authorization": f"Bearer {token}", "Idempotency_Key": str(uuid4())}
    return prepare("POST", path, b'{"move":"%s"}' % move.encode(), **headers)


def _measure_idle(webs: Sequence[_Web], nodes: Sequence[psutil.Process]) -> str:
    """What a web process takes while others make moves that nobody follows by way of it."""
    busy, idle = _mover(webs[:1], nodes), webs[-1].all_processes()
    taken = []
    for makes_moves in (False, True) * 5:
        started, begun = cpu_s(idle), time.monotonic()
        if makes_moves:
            busy()
        else:
            time.sleep(REST_S)
        taken.append((makes_moves, 1e6 * (cpu_s(idle) - started) / (time.monotonic() - begun)))
    said = [median(us for moved, us in taken if moved is is_so) for is_so in (False, True)]
    return f"A web process that nobody asks: {said[0]:.0f} µs a second at rest, {said[1]:.0f} while others make moves"


def _print(title: str, base: str, rounds: Rounds) -> None:
    table = Table(title=title, box=box.SIMPLE)
    for name in ("", "µs", f"times {base} (all rounds)"):
        table.add_column(name, justify="left" if not name else "right")
    for name in rounds[0]:
        ratios = [taken[name].us / taken[base].us for taken in rounds]
        us = median(taken[name].us for taken in rounds)
        table.add_row(name, f"{us:,.0f}", f"{median(ratios):.2f} ({min(ratios):.2f}–{max(ratios):.2f})")
    Console(width=110).print(table)


if __name__ == "__main__":
    main()
