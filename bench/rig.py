"""The store and the processes that the bench measures."""

import gc
import os
import secrets
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Self

import psutil

from bench.load import HOST, LoadError, prepare, say_all, send_all
from bench.measuring import Row, Sample
from plyscribe.service.composition import GARBAGE_THRESHOLDS, Parts
from plyscribe.service.metrics import DIRECTORY_VARIABLE
from plyscribe.service.processes.embedded import EmbeddedServer, start_server
from plyscribe.service.processes.serving import READ_DATABASE

READY_WITHIN_S = 30.0
ROOT = Path(__file__).parents[1]


class Rig:
    """An embedded store, started at first use, and processes over it; all end with the `with` block."""

    def __init__(self) -> None:
        self._exit = ExitStack()
        self._store: EmbeddedServer | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._exit.close()

    @property
    def store(self) -> EmbeddedServer:
        """The one store of this run."""
        if self._store is None:
            directory = Path(self._exit.enter_context(TemporaryDirectory(prefix="plyscribe-bench-")))
            self._store = self._exit.enter_context(start_server(directory / "store"))
            os.environ |= {
                "REDIS_URL": self._store.url,
                "PLYSCRIBE_SERVER_KEY": secrets.token_hex(32),
                "PLYSCRIBE_READ_URL": f"sqlite:///{directory / READ_DATABASE}",
                DIRECTORY_VARIABLE: str(directory / "metrics"),
            }
        return self._store

    @property
    def read_database(self) -> Path:
        """The file of the read database."""
        return self.store.directory.parent / READ_DATABASE

    @property
    def parts(self) -> Parts:
        """The parts of a worker process over the store."""
        from plyscribe.workers.parts import process_parts

        assert self.store is not None
        return process_parts()

    def serve(self, *command: str, port: int | None = None) -> "Web":
        """Start a web process, `python -m` with this module and arguments and `--port`, and wait until it answers.

        It listens on a free port, or on this one.
        """
        web = Web(command, psutil.Process(self.store.process.pid), port or free_port())
        self._exit.callback(web.stop)
        web.wait_until_ready()
        return web

    def end_with(self, process: subprocess.Popen[str]) -> None:
        """Wait for the end of a process that ends with its input, after the block."""
        self._exit.callback(process.communicate)

    def start_worker(self, kind: str) -> psutil.Popen:
        """A worker process as `plyscribe serve` starts it, relay or verify for example. It ends with the block."""
        assert self.store is not None
        # As under serve, the verify workers have a hash seed of their own.
        env = {**os.environ, **({"PYTHONHASHSEED": "1"} if kind == "verify" else {})}
        worker = psutil.Popen(
            [sys.executable, "-m", "plyscribe.workers", kind], cwd=ROOT, env=env, stderr=subprocess.DEVNULL
        )
        self._exit.callback(stop, worker)
        return worker


Subject = Callable[[Rig, int], list[Row]]
"""What measures a subject, in so many rounds."""


def measure_alone(subject: Subject, rounds: int) -> list[Row]:
    """Measure a subject over a store that nothing else has used; to be called in a process of its own."""
    # All candidates collect garbage with the same thresholds as our processes.
    gc.set_threshold(*GARBAGE_THRESHOLDS)
    with Rig() as rig:
        return subject(rig, rounds)


def wait_until_answered(process: psutil.Popen, port: int) -> None:
    """Return once the API of this process answers."""
    deadline = time.monotonic() + READY_WITHIN_S
    while time.monotonic() < deadline and process.is_running():
        with suppress(OSError, LoadError):
            send_all(port, [[prepare("GET", "/healthz")]])
            return
        time.sleep(0.05)
    raise LoadError(f"{' '.join(process.args)} did not become ready")


def stop(process: psutil.Popen) -> None:
    """End a process, unless it has ended."""
    if process.poll() is None:
        process.terminate()
    try:
        process.wait(10)
    except psutil.TimeoutExpired:
        process.kill()
        process.wait()


class Web:
    """A web process with its workers, and the store behind it."""

    def __init__(self, command: Sequence[str], store: psutil.Process, port: int) -> None:
        self.port = port
        self._store = store
        argv = [sys.executable, "-m", *command, "--port", str(self.port)]
        self._process = psutil.Popen(argv, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def wait_until_ready(self) -> None:
        """Return once the API answers, and this process listens."""
        wait_until_answered(self._process, self.port)
        while not any(each.status == psutil.CONN_LISTEN for each in self._process.net_connections("tcp")):
            time.sleep(0.05)

    def run(self, scripts: Sequence[Sequence[bytes]]) -> Sample:
        """The CPU time of web and store for these requests, with a connection for each script."""
        start = self.cpu_s()
        units = send_all(self.port, scripts)
        return Sample(units, self.cpu_s() - start)

    def run_lines(self, token: str, scripts: Sequence[Sequence[str]]) -> Sample:
        """The CPU time of web and store for these lines over one standing connection."""
        start = self.cpu_s()
        units = say_all(self.port, token, scripts)
        return Sample(units, self.cpu_s() - start)

    def cpu_s(self) -> float:
        """The CPU time of web and store since they started."""
        return cpu_s([self._store, self._process, *self._process.children(recursive=True)])

    def memory_mb(self) -> float:
        """The unshared memory of the web process and its workers."""
        processes = [self._process, *self._process.children(recursive=True)]
        return float(sum(each.memory_full_info().uss for each in processes)) / 1e6

    def stop(self) -> None:
        """End the processes."""
        stop(self._process)


def cpu_s(processes: Sequence[psutil.Process]) -> float:
    """The CPU time of these processes since they started."""
    return sum(map(_cpu_s, processes))


def _cpu_s(process: psutil.Process) -> float:
    if sys.platform == "linux":
        # The CPU clock of another process (clock_getcpuclockid(3)) counts nanoseconds, /proc hundredths of a second.
        return time.clock_gettime((~process.pid << 3) | 2)
    times = process.cpu_times()
    return float(times.user + times.system)


def free_port() -> int:
    """A port that is free now."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
        return port
