"""The whole service as a user starts it: real processes, a real store, a real port."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any

import httpx

from plyscribe.service.client import Client, Problem
from plyscribe.service.client.answers import NewPlayer
from tests.store.own_servers import free_port as free_port
from tests.system.programs import KEY, PROGRAM, ROOT, WITHIN_S, descendants, environment, runs

NAMES = {
    "store": b"valkey-server",
    "web": b"plyscribe web",
    "verify": b"workers verify",
    "import": b"workers import",
    "play": b"workers play",
    "tournament": b"workers tournament",
    "report": b"workers report",
    "webhook": b"workers webhook",
    "seal": b"workers seal",
    "dataset": b"workers dataset",
    "relay": b"workers relay",
}


def wait_for(what: Callable[[], object], within_s: float = WITHIN_S, why: str = "it") -> object:
    """What the callable returns once that is true; AssertionError if it takes too long."""
    deadline = time.monotonic() + within_s
    while time.monotonic() < deadline:
        with suppress(httpx.TransportError):
            if found := what():
                return found
        time.sleep(0.05)
    raise AssertionError(f"{why} did not come about within {within_s:.0f} s")


def is_ready(url: str) -> bool:
    return httpx.get(f"{url}/readyz", timeout=2.0).is_success


def read_readiness(url: str) -> dict[str, Any]:
    """What the process says about its store: at first perhaps that the store has not answered yet."""
    return dict(httpx.get(f"{url}/readyz", timeout=WITHIN_S).json())


def count_followers(url: str) -> int:
    """How many streams and waiting pages are open; needs open metrics."""
    text = httpx.get(f"{url}/metrics", timeout=WITHIN_S).raise_for_status().text
    return sum(int(float(line.split()[1])) for line in text.splitlines() if line.startswith("plyscribe_followers{"))


def crash(process: "subprocess.Popen[Any]") -> None:
    """Kill a process, and wait until all that it had started has ended. What waits for the disk ends only then."""
    below = descendants(process.pid)
    process.kill()
    process.wait()
    wait_for(lambda: not any(map(runs, below)), why="the end of all processes")


class Serving:
    """`plyscribe serve` in a process of its own."""

    def __init__(
        self, data: Path, port: int, program: Sequence[str] = PROGRAM, options: Sequence[str] = (), **env: str
    ) -> None:
        self.url = f"http://127.0.0.1:{port}"
        self.data = data
        self.port = port
        self.output = data.with_suffix(".out")
        argv = [*program, "serve", "--data", str(data), "--port", str(port), *options]
        with self.output.open("ab") as out:
            self.process = subprocess.Popen(argv, env=environment(**env), stdout=out, stderr=out, cwd=data.parent)

    @property
    def admin_token(self) -> str:
        return (self.data / "admin.token").read_text(encoding="ascii").strip()

    def wait_until_ready(self) -> None:
        wait_for(lambda: self.process.poll() is not None or is_ready(self.url), WITHIN_S, "the service")
        assert self.process.poll() is None, self.output.read_text()

    def pids(self, name: str) -> list[int]:
        return [pid for pid, line in descendants(self.process.pid).items() if NAMES[name] in line]

    def kill(self, name: str) -> None:
        for pid in self.pids(name):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def stop(self) -> None:
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(WITHIN_S)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()


@contextmanager
def serving(
    data: Path, port: int | None = None, program: Sequence[str] = PROGRAM, options: Sequence[str] = (), **env: str
) -> Iterator[Serving]:
    service = Serving(data, port or free_port(), program, options, **env)
    try:
        service.wait_until_ready()
        yield service
    finally:
        service.stop()


@contextmanager
def process(*argv: str, **env: str) -> Iterator[subprocess.Popen[bytes]]:
    """One of our processes, over the store that `env` names; with a read database of its own, unless it names one."""
    settings = {"PLYSCRIBE_SERVER_KEY": KEY, "PLYSCRIBE_READ_URL": "sqlite://", **env}
    child = subprocess.Popen([sys.executable, *argv], env=environment(**settings), cwd=ROOT)
    try:
        yield child
    finally:
        if child.poll() is None:
            child.terminate()
            child.wait(WITHIN_S)


@contextmanager
def web(redis_url: str, **env: str) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """A process of the API over this store, and its address."""
    port = free_port()
    with process("-m", "plyscribe", "web", "--port", str(port), REDIS_URL=redis_url, **env) as server:
        url = f"http://127.0.0.1:{port}"
        wait_for(lambda: is_ready(url), why="the API")
        yield server, url


def open_account(anyone: Client, name: str, kind: str = "person") -> NewPlayer:
    """A new account of this name, with a number behind it if another test at the same service has taken it."""
    for number in count(1):
        try:
            return anyone.sign_up(name if number == 1 else f"{name} {number}", kind)
        except Problem as problem:
            if problem.code != "player/name-taken":
                raise
    raise AssertionError


class Pair:
    """Two accounts and matches between them."""

    def __init__(self, url: str, accounts: Sequence[NewPlayer] = ()) -> None:
        if not accounts:
            with Client(url) as anyone:
                accounts = [open_account(anyone, name) for name in ("Ann", "Ben")]
        self.accounts = accounts
        self.ids = [account["player"] for account in accounts]
        self.clients = [Client(url, account["token"]) for account in accounts]

    def open_match(self, ruleset: str, key: str | None = None, **more: object) -> str:
        """A match in progress; if it has dice, both seats have salted them."""
        ann, ben = self.clients
        created = ann.create_match(ruleset, [{"player": self.ids[0]}, None], key=key, **more)
        salt = {"entropy": "ben"} if created["events"][0]["data"]["dice"] else {}
        ben.take_seat(created["match"], 2, key=key, **salt)
        if salt:
            ann.add_entropy(created["match"], "ann", key=key)
        return created["match"]

    def move(self, match: str) -> bool:
        """Make the first legal move; False if the match is over."""
        ann = self.clients[0]
        if seat := ann.match(match)["turn"].get("decision"):
            self.clients[seat - 1].move(match, ann.legal_moves(match)[0])
        return bool(seat)

    def play_out(self, match: str) -> None:
        while self.move(match):
            pass

    def close(self) -> None:
        for client in self.clients:
            client.close()


@contextmanager
def pair(url: str, accounts: Sequence[NewPlayer] = ()) -> Iterator[Pair]:
    """Two new accounts at this service, or these."""
    both = Pair(url, accounts)
    try:
        yield both
    finally:
        both.close()


def status_of(client: Client, match: str) -> str:
    return client.match(match)["status"]


def wait_until_scored(client: Client, *matches: str) -> None:
    for match in matches:
        wait_for(lambda match=match: status_of(client, match) == "scored", why=f"the score of {match}")
