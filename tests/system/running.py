"""The whole service as a user starts it: real processes, a real store, a real port."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any

import httpx

from plyscribe.service.client import Client, Problem
from plyscribe.service.client.answers import NewPlayer
from tests.store.own_servers import free_port as free_port

ROOT = Path(__file__).parents[2]
WITHIN_S = 240.0
"""The deadline of everything that tests wait for. It ends what hangs, and is much longer than anything takes."""
"""The deadline of everything that tests wait for. It ends what hangs, and is much longer than anything takes."""

KEY = "5a" * 32
PROGRAM = (sys.executable, "-m", "plyscribe")

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


def environment(**more: str) -> dict[str, str]:
    """Our environment without any settings of Plyscribe, except the toy ruleset for all processes.

    Webhooks are off: their worker takes a second to start, and few tests post to any.
    """
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PLYSCRIBE_", "REDIS_", "RQ_"))}
    return {
        **kept,
        "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep),
        "PLYSCRIBE_RULESETS": "tests.domain.toy:TOY_V1",
        "PLYSCRIBE_WEBHOOKS": "off",
        **more,
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


def wait_for_progress(work: Sequence[Future[None]], counts: Callable[[], Sequence[int]], more: int) -> None:
    """Return once each of the counts has grown by more than this, or some of the work has ended before its time."""
    before = counts()

    def has_come() -> bool:
        return any(each.done() for each in work) or all(
            now > had + more for now, had in zip(counts(), before, strict=True)
        )

    wait_for(has_come, why="progress")


def is_ready(url: str) -> bool:
    return httpx.get(f"{url}/readyz", timeout=2.0).is_success


def read_readiness(url: str) -> dict[str, Any]:
    """What the process says about its store: at first perhaps that the store has not answered yet."""
    return dict(httpx.get(f"{url}/readyz", timeout=WITHIN_S).json())


def count_followers(url: str) -> int:
    """How many streams and waiting pages are open; needs open metrics."""
    text = httpx.get(f"{url}/metrics", timeout=WITHIN_S).raise_for_status().text
    return sum(int(float(line.split()[1])) for line in text.splitlines() if line.startswith("plyscribe_followers{"))


def descendants(pid: int) -> dict[int, bytes]:
    """The command lines of all processes below this one, by id."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError):
                parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
    found: dict[int, bytes] = {}
    wave = [pid]
    while wave:
        wave = [child for child, parent in parents.items() if parent in wave]
        for child in wave:
            with suppress(OSError):
                found[child] = Path(f"/proc/{child}/cmdline").read_bytes().replace(b"\0", b" ")
    return found


def runs(pid: int) -> bool:
    """Whether a process has not ended yet."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


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

    def wait_until_ready(self) -> None:
        wait_for(lambda: self.process.poll() is not None or is_ready(self.url), WITHIN_S, "the service")
        assert self.process.poll() is None, self.output.read_text()

    def pids(self, name: str) -> list[int]:
        """The ids of the running processes of this service with that name."""
        return [pid for pid, line in descendants(self.process.pid).items() if NAMES[name] in line]

    def kill(self, name: str) -> None:
        """Send SIGKILL to all processes with that name."""
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

    def play_out(self, match: str, moves: Callable[[str], str]) -> None:
        """Play the match to its end with the moves that `moves` chooses."""
        while turn := self.clients[0].match(match)["turn"].get("decision"):
            self.clients[turn - 1].move(match, moves(match))

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
