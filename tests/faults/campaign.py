"""The campaign: a whole service behind two bad networks, players, a tournament, and somebody who kills processes."""

import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from plyscribe.service.client import Client
from plyscribe.service.composition import compose_process
from plyscribe.service.processes.embedded import EmbeddedServer, start_server
from plyscribe.service.streams.chains import check_store
from tests.faults.checker import Verdict, check_match, check_settled
from tests.faults.derived import find_differences
from tests.faults.players import Writer
from tests.faults.proxy import Proxy
from tests.system.running import NAMES, PROGRAM, descendants, environment, free_port, is_ready, serving, wait_for
from tests.system.test_tournaments import announce

VICTIMS = ("store", "web", "verify", "tournament", "relay", "seal", "rebuild", "group")
"""Who is killed. `rebuild` is the command, which is started again and again."""

WRITERS = 6
KILL_EVERY_S = 2.0
FAULT_EVERY_S = 4.0
SETTLED_WITHIN_S = 300.0
ENTRANTS = 10

Say = Callable[["Counts"], object]


@dataclass(frozen=True)
class Plan:
    """How long, and how much at least. It ends when enough was killed and moved, or when the time is over."""

    seconds: float
    kills: int
    moves: int
    seed: int
    read_url: str = ""
    """The read database; without one, the file that `serve` uses."""


@dataclass
class Counts:
    kills: Counter[str] = field(default_factory=Counter)
    gave_up: int = 0
    """How often `serve` ended by itself and was started again, as a supervisor would."""

    moves: int = 0
    seconds: float = 0.0
    phase: str = "playing"


@dataclass
class Result:
    counts: Counts
    verdict: Verdict
    faults: dict[str, dict[str, int]]
    matches: int
    finished: int
    races: int
    repeats: int
    longest_s: float
    longest_unready_s: float
    damaged: list[str]
    underived: list[str]
    """Rows of the read database that are not those of a fresh one."""

    sealed: int
    """Matches that are in the archive at the end."""

    is_table_same: bool

    @property
    def is_clean(self) -> bool:
        return bool(
            self.verdict.is_clean and not self.damaged and not self.underived and self.sealed and self.is_table_same
        )


class Group:
    """A store of its own, a bad network before it, `serve` over that, and a bad network before the API."""

    def __init__(self, data: Path, plan: Plan) -> None:
        self.data = data
        seed = plan.seed
        self._rebuilding: subprocess.Popen[bytes] | None = None
        self.store: EmbeddedServer = start_server(data / "store")
        web, network = free_port(), free_port()
        self._far = Proxy(network, str(self.store.socket), FAULT_EVERY_S, seed)
        self._near = Proxy(free_port(), web, FAULT_EVERY_S, seed + 1)
        self._argv = [*PROGRAM, "serve", "--data", str(data), "--port", str(web)]
        key = (data / "server.key").read_text().strip()
        self._read = {"PLYSCRIBE_READ_URL": plan.read_url or f"sqlite:///{data}/read.db"}
        # Matches are sealed while everything dies, and what is asked of them afterwards comes from the packs.
        sealing = {"PLYSCRIBE_ARCHIVE": (data / "archive").as_uri(), "PLYSCRIBE_SEAL_AFTER": "0"}
        keyed = {"PLYSCRIBE_SERVER_KEY": key, **self._read, **sealing}
        self._env = environment(REDIS_URL=f"redis://127.0.0.1:{network}", **keyed)
        self.url, self.direct = f"http://127.0.0.1:{self._near.port}", f"http://127.0.0.1:{web}"
        self.process = self._serve()

    def _serve(self) -> subprocess.Popen[bytes]:
        with (self.data / "serve.out").open("ab") as out:
            return subprocess.Popen(self._argv, env=self._env, stdout=out, stderr=out, cwd=self.data)

    def wait_until_ready(self) -> None:
        def ready() -> bool:
            self.revive()
            return is_ready(self.direct)

        wait_for(ready, within_s=120.0, why="the service")

    def kill(self, victim: str) -> None:
        """Send SIGKILL, and start again what nobody else starts."""
        if victim == "group":
            self.process.kill()
            self.process.wait()
        if victim in ("store", "group"):
            self.store.process.kill()
            self.store.process.wait()
            self.store.stop()
            # It compares its files with the witness now, and would refuse.
            self.store = start_server(self.data / "store")
        if victim == "group":
            self.process = self._serve()
        if victim == "rebuild":
            self._rebuild()
        elif victim not in ("store", "group"):
            for pid, line in descendants(self.process.pid).items():
                if NAMES[victim] in line:
                    with suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)

    def _rebuild(self) -> None:
        """Kill the rebuild that is under way, and begin another."""
        self._end_rebuild()
        argv = [*PROGRAM, "rebuild", "--data", str(self.data)]
        with (self.data / "rebuild.out").open("ab") as out:
            self._rebuilding = subprocess.Popen(argv, env=self._env, stdout=out, stderr=out, cwd=self.data)

    def _end_rebuild(self) -> None:
        if self._rebuilding is not None:
            self._rebuilding.kill()
            self._rebuilding.wait()

    def settings(self) -> dict[str, str]:
        """The settings of a process that reaches the store without the bad network."""
        return {**self._env, "REDIS_URL": self.store.url}

    def revive(self) -> bool:
        """Start `serve` again if it has ended by itself; returns whether it had."""
        if self.process.poll() is None:
            return False
        self.process = self._serve()
        return True

    @property
    def faults(self) -> dict[str, dict[str, int]]:
        return {"clients to web": self._near.counts, "service to store": self._far.counts}

    def stop(self) -> None:
        self._end_rebuild()
        if self.process.poll() is None:
            self.process.terminate()
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(40)
        self.process.kill()
        self.process.wait()
        self._near.stop()
        self._far.stop()
        self.store.stop()


def start_tournament(url: str, data: Path, tournament: str) -> None:
    with Client(url, _admin(data), retry_for_s=180.0) as olga:
        olga.start_tournament(tournament, key="start")


def read_table(url: str, data: Path, tournament: str) -> dict[str, Any]:
    """The results of a tournament, once it is over: rounds, standings, and the moves of its matches."""
    with Client(url, _admin(data), retry_for_s=180.0) as olga:
        wait_for(lambda: olga.tournament(tournament)["status"] != "playing", within_s=600.0, why="the tournament")
        rounds = olga.rounds(tournament)
        matches = [olga.match(game["match"]) for round in rounds for game in round["games"]]
        played = [(each["match"], each["seats"], each["moves"], each["outcome"]) for each in matches]
        return {"rounds": rounds, "matches": played, "table": olga.table(tournament)}


def _admin(data: Path) -> str:
    return (data / "admin.token").read_text(encoding="ascii").strip()


def run_campaign(folder: Path, plan: Plan, say: Say = lambda _: None) -> Result:
    """Run it in an empty folder. Raises if a player meets what no correct service does."""
    calm, data = folder / "calm", folder / "data"
    counts = Counts(phase="undisturbed tournament")
    say(counts)
    with serving(calm) as service:
        tournament = announce(service, ENTRANTS)
    shutil.copytree(calm, data)
    with serving(calm) as service:
        start_tournament(service.url, calm, tournament)
        undisturbed = read_table(service.url, calm, tournament)
    group = Group(data, plan)
    try:
        group.wait_until_ready()
        start_tournament(group.url, data, tournament)
        return _play(group, plan, counts, say, tournament, undisturbed)
    finally:
        group.stop()


def _play(group: Group, plan: Plan, counts: Counts, say: Say, tournament: str, undisturbed: dict[str, Any]) -> Result:
    enough = threading.Event()
    writers = [Writer(group.url, number, plan.seed, enough) for number in range(WRITERS)]
    watch = Watch(group.direct)
    with ThreadPoolExecutor(WRITERS) as pool:
        playing = [pool.submit(writer.write) for writer in writers]
        try:
            _kill(group, plan, counts, say, writers, lambda: any(each.done() for each in playing))
        finally:
            enough.set()
            counts.phase = "settling"
            say(counts)
            while not all(each.done() for each in playing):
                counts.gave_up += group.revive()
                time.sleep(0.1)
    for each in playing:
        each.result()
    watch.stop()
    group.wait_until_ready()
    counts.moves = sum(writer.diary.moves for writer in writers)
    table = read_table(group.direct, group.data, tournament)
    counts.phase = "checking"
    say(counts)
    verdict = _check(group, writers)
    store = compose_process(group.settings()).store
    damaged = [f"{each.stream}: {each.why}" for each in check_store(store)]
    underived = find_differences(group.settings())
    diaries = [writer.diary for writer in writers]
    for diary in diaries:
        verdict.otherwise += diary.otherwise
    return Result(
        counts,
        verdict,
        group.faults,
        sum(len(diary.matches) for diary in diaries),
        sum(len(diary.finished) for diary in diaries),
        sum(diary.races for diary in diaries),
        sum(diary.repeats for diary in diaries),
        max(diary.longest_s for diary in diaries),
        watch.longest_s,
        damaged,
        underived,
        len(store.sealed(limit=1_000_000)),
        table == undisturbed,
    )


def _kill(
    group: Group, plan: Plan, counts: Counts, say: Say, writers: list[Writer], has_failed: Callable[[], bool]
) -> None:
    rng, started, victims = random.Random(plan.seed), time.monotonic(), list[str]()
    while not has_failed():
        counts.seconds = time.monotonic() - started
        counts.moves = sum(writer.diary.moves for writer in writers)
        say(counts)
        enough = counts.kills.total() >= plan.kills and counts.moves >= plan.moves
        if counts.seconds >= plan.seconds or (enough and plan.kills):
            return
        if not victims:
            # Each once, in any order. Then something is to be played before it goes on.
            group.wait_until_ready()
            victims = rng.sample(VICTIMS, len(VICTIMS))
        time.sleep(2 * KILL_EVERY_S * rng.random())
        counts.gave_up += group.revive()
        victim = victims.pop()
        group.kill(victim)
        counts.kills[victim] += 1


def _check(group: Group, writers: list[Writer]) -> Verdict:
    verdict = Verdict()
    with Client(group.direct, retry_for_s=60.0) as client:
        for writer in writers:
            for match, told in writer.diary.matches.items():
                check_match(match, told, client.events(match), verdict)
            for match in writer.diary.finished:
                # Jobs that were lost are found by the relay's sweep.
                wait_for(
                    lambda match=match: client.match(match)["status"] in ("scored", "refuted"),
                    within_s=SETTLED_WITHIN_S,
                    why=f"the score of {match}",
                )
                check_settled(match, client.events(match), verdict)
    return verdict


class Watch:
    """Looks ten times a second whether the API is ready, and keeps the longest time that it was not."""

    def __init__(self, url: str) -> None:
        self.longest_s = 0.0
        self._url, self._stop = url, threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def _look(self) -> None:
        last = time.monotonic()
        with httpx.Client(base_url=self._url, timeout=2.0) as client:
            while not self._stop.wait(0.1):
                with suppress(httpx.HTTPError):
                    if client.get("/readyz").is_success:
                        self.longest_s = max(self.longest_s, time.monotonic() - last)
                        last = time.monotonic()

    def stop(self) -> None:
        self._stop.set()
        self._thread.join()


if sys.platform != "linux":
    raise SystemExit("the campaign finds processes in /proc: it needs Linux")
