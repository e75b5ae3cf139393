"""Layouts of deploy/topology.toml as plain processes on loopback, with the servers and the proxy that they need."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import count
from pathlib import Path

from deploy.topology import Kit, fill_layout
from plyscribe.service.processes.embedded import find_binary
from tests.deploy.kit import DEPLOY, prepare_caddy
from tests.system.programs import run_to_success
from tests.system.running import ROOT, WITHIN_S, free_port, is_ready, wait_for

PLACES = {"host": "127.0.0.1", "names": "", "key": "", "sign_up": "open", "metrics": "open"}

TAIL = 12
"""Lines of a log: the first and the last process can be read together in a report of a failure."""

OURS = ("PLYSCRIBE_", "REDIS_", "RQ_", "PROMETHEUS_", "AWS_")


class Machine:
    """Where processes run: a folder for what they write, and a server key. What runs is stopped by `stop`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        kept = {name: value for name, value in os.environ.items() if not name.startswith(OURS)}
        programs = f"{Path(sys.executable).parent}{os.pathsep}{kept['PATH']}"
        self._outside = {**kept, "PATH": programs, "PYTHONPATH": str(ROOT)}
        self._key = folder / "server.key"
        self.run("plyscribe", "make-key", "--file", str(self._key))
        self._runs = count(1)

    def fill(self, layout: str, **places: str) -> Kit:
        """The layout, with a folder for what its processes count."""
        (run := self.folder / f"run-{next(self._runs)}").mkdir()
        return fill_layout(layout, {**PLACES, "key_file": str(self._key), "run": str(run), **places})

    def run(self, *argv: str, env: Mapping[str, str] | None = None) -> None:
        run_to_success(*argv, cwd=self.folder, env={**self._outside, **(env or {})})

    def start(self, name: str, argv: tuple[str, ...], env: Mapping[str, str]) -> None:
        """Start a process under a name of ours. What it prints is in a log of that name."""
        with (self.folder / f"{name}.log").open("wb") as log:
            self.processes[name] = subprocess.Popen(
                argv, env={**self._outside, **env}, stdout=log, stderr=log, cwd=self.folder
            )

    def kill(self, name: str) -> None:
        """Kill a process. `stop` does not speak of it any more."""
        child = self.processes.pop(name)
        child.kill()
        child.wait()

    def stop(self) -> dict[str, int]:
        """How each process ended, after it was told to stop."""
        for child in self.processes.values():
            child.terminate()
        try:
            return {name: child.wait(WITHIN_S) for name, child in self.processes.items()}
        finally:
            for child in self.processes.values():
                child.kill()

    def print_logs(self) -> None:
        """Print which processes have ended, and the last that each has printed."""
        print({name: child.poll() for name, child in self.processes.items() if child.poll() is not None})
        for path in sorted(self.folder.glob("*.log")):
            print(f"---- {path.name}", *path.read_text().splitlines()[-TAIL:], sep="\n")


@contextmanager
def machine(folder: Path) -> Iterator[Machine]:
    here = Machine(folder)
    try:
        yield here
    except BaseException:
        here.print_logs()
        raise
    finally:
        here.stop()


@contextmanager
def stored(folder: Path) -> Iterator[str]:
    """The address of a store, started as its unit starts it."""
    unit = (DEPLOY / "systemd" / "plyscribe-store.service").read_text(encoding="utf-8")
    [command] = re.findall(r"(?m)^ExecStart=(.*)$", unit)
    folders = {"/var/lib/plyscribe-store": folder / "store", "/run/plyscribe-store": folder / "socket"}
    files = {"/usr/bin/valkey-server": find_binary().path, "/etc/plyscribe/store.conf": DEPLOY / "store.conf"}
    for place, here in {**files, **folders}.items():
        assert place in command
        command = command.replace(place, str(here))
    for made in folders.values():
        made.mkdir()
    with (folder / "store.log").open("wb") as log:
        server = subprocess.Popen(command.split(), stdout=log, stderr=log)
    try:
        yield f"unix://{folder / 'socket' / 'store.sock'}"
    finally:
        server.terminate()
        server.wait(WITHIN_S)


def start_proxy(here: Machine, *ports: int) -> str:
    """The address of Caddy, with the kit's file, in front of the API at these ports."""
    url = f"http://127.0.0.1:{free_port()}"
    here.start("caddy", *prepare_caddy(url, ports, here.folder))
    wait_for(lambda: is_ready(url), WITHIN_S, "the proxy")
    return url
