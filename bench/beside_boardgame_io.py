"""Moves beside boardgame.io, which keeps its matches in memory: CPU of the servers, and moves a second.

Its players are clients of its own, a websocket each, who move when they are told of the other's move. Ours are
requests, each sent when the one before was answered. Their figures include that both players are told, ours that the
move is on disk.
"""

import shutil
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

import psutil

from bench.load import HOST, prepare, send_all
from bench.matches import long_moves
from bench.measuring import Claim, Row, Sample, compare, take_rounds, times_as_fast, times_the_cost
from bench.rig import ROOT, Rig, Web, cpu_s, free_port, stop, wait_until_answered
from plyscribe.domain.commands import Actor
from plyscribe.service.client import Client

SOURCES = Path(__file__).parent / "boardgame_io"
INSTALLED = ROOT / "build" / "boardgame_io"
MOVES = 60
CPU_AT = 8
"""At how many matches CPU is measured."""

ONE, TWO = "plyscribe, one web process", "plyscribe, two web processes"
THEIRS = "boardgame.io"
SHARED = ("plyscribe", "web", "--share-port")

TARGETS = {1: (ONE, 1.0), 8: (ONE, 1.0), 64: (TWO, 1.5)}
"""For so many matches at the same time: who is to make how many times their moves a second."""


def measure_subject(rig: Rig, rounds: int) -> list[Row]:
    """Measure 60 moves in each of so many matches. Without npm there is nothing to compare with."""
    if shutil.which("npm") is None:
        return [Row("moves beside boardgame.io: not measured, npm is missing", "")]
    _install()
    web = rig.serve(*SHARED)
    players = Players(rig, web.port)
    with _serve_boardgame_io() as theirs:
        rows = _compare_cpu(rounds, web, players, theirs)
        for matches in (1, 8):
            rows += _compare_pace(rounds, players, theirs, matches)
        # Later, because the kernel would give it connections of those that are measured alone.
        rig.serve(*SHARED, port=web.port)
        return rows + _compare_pace(rounds, players, theirs, 64)


class Players:
    """One account that makes the moves of both seats."""

    def __init__(self, rig: Rig, port: int) -> None:
        self._port = port
        self._player, self._token = rig.parts.accounts.sign_up(Actor("system", "bench"), "Beside", "bot", ("play",))
        self._moves = long_moves(MOVES)

    def prepare(self, matches: int) -> Sequence[Sequence[bytes]]:
        """The requests of new matches."""
        with Client(f"http://{HOST}:{self._port}", self._token) as client:
            seats = [{"player": self._player.stream}] * 2
            opened = [client.create_match("pathagon", seats)["match"] for _ in range(matches)]
        return [[self._post(match, move) for move in self._moves] for match in opened]

    def _post(self, match: str, move: str) -> bytes:
        headers = {"Authorization": f"Bearer {self._token}", "Idempotency_Key": str(uuid4())}
        return prepare("POST", f"/v1/matches/{match}/moves", b'{"move":"%s"}' % move.encode(), **headers)

    def play(self, matches: int) -> Sample:
        """How long they take."""
        scripts = self.prepare(matches)
        start = time.perf_counter()
        moves = send_all(self._port, scripts)
        return Sample(moves, time.perf_counter() - start)


class BoardgameIo:
    """Their server, and players who come and go."""

    def __init__(self, process: psutil.Popen, port: int) -> None:
        self._process, self._port = process, port

    def play(self, matches: int) -> tuple[Sample, Sample]:
        """CPU of the server, and how long they take."""
        argv = ["node", "players.js", str(self._port), str(matches), str(MOVES)]
        pipe = subprocess.PIPE
        with subprocess.Popen(argv, cwd=INSTALLED, stdin=pipe, stdout=pipe, text=True) as players:
            assert players.stdin is not None
            assert players.stdout is not None
            assert players.stdout.readline() == "ready\n"
            start = cpu_s([self._process])
            players.stdin.write("go\n")
            players.stdin.flush()
            elapsed_ms = float(players.stdout.readline())
            cpu = cpu_s([self._process]) - start
        return Sample(matches * MOVES, cpu), Sample(matches * MOVES, elapsed_ms / 1000)


def _compare_cpu(rounds: int, web: Web, players: Players, theirs: BoardgameIo) -> list[Row]:
    runs = {ONE: lambda: web.run(players.prepare(CPU_AT)), THEIRS: lambda: theirs.play(CPU_AT)[0]}
    claim = Claim(f"CPU of the servers, {CPU_AT} matches at a time", "move", ONE, THEIRS, times_the_cost(0.9))
    return compare(take_rounds(runs, rounds), [claim])


def _compare_pace(rounds: int, players: Players, theirs: BoardgameIo, matches: int) -> list[Row]:
    ours, times = TARGETS[matches]
    runs = {ours: lambda: players.play(matches), THEIRS: lambda: theirs.play(matches)[1]}
    claim = Claim(f"time between moves, {_count(matches)}, {ours}", "move", ours, THEIRS, times_as_fast(times))
    return compare(take_rounds(runs, rounds), [claim])


def _count(matches: int) -> str:
    return "one match" if matches == 1 else f"{matches} matches at a time"


def _install() -> None:
    INSTALLED.mkdir(parents=True, exist_ok=True)
    for file in SOURCES.iterdir():
        shutil.copy(file, INSTALLED)
    if not (INSTALLED / "node_modules" / "boardgame.io").exists():
        subprocess.run(["npm", "install", "--silent", "--no-package-lock", "--no-audit"], cwd=INSTALLED, check=True)


@contextmanager
def _serve_boardgame_io() -> Iterator[BoardgameIo]:
    port = free_port()
    process = psutil.Popen(["node", "server.js", str(port)], cwd=INSTALLED, stderr=subprocess.DEVNULL)
    try:
        wait_until_answered(process, port)
        yield BoardgameIo(process, port)
    finally:
        stop(process)
