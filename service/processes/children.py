"""One child process: it ends when its parent does, and can be started again when it dies."""

import ctypes
import os
import resource
import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from plyscribe.service.config import FILES
from plyscribe.service.processes.private_files import open_at_end

MAX_STARTS = 8
WITHIN_S = 30.0
"""A child that was started MAX_STARTS times within this time is not started again: the fault is permanent."""

STOP_WITHIN_S = 10.0

PAUSE_FIRST = 75
"""Exit code of a process that cannot start as long as a server that it needs is as it is (EX_TEMPFAIL)."""

LONGEST_PAUSE_S = 30.0


# This runs as a program of its own, because code between fork and exec may deadlock in a process with threads. The
# signal is SIGKILL, because SIGTERM may be refused (by a store whose disk is full) or delayed (by a running script);
# everything acknowledged is on disk by then. The parent may die before prctl is called, hence the check after it.
_LAUNCH = """\
import os, sys
if sys.platform == "linux":
    import ctypes
    ctypes.CDLL(None).prctl(1, 9, 0, 0, 0)  # PR_SET_PDEATHSIG, SIGKILL
if os.getppid() == int(sys.argv[1]):
    os.execv(sys.argv[2], sys.argv[2:])
"""


def die_with(parent: int) -> None:
    """Have the kernel kill this process when its parent dies (on Linux only), and end at once if it is dead already."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL, 0, 0, 0)  # PR_SET_PDEATHSIG
    if os.getppid() != parent:
        os._exit(1)


class CrashLoop(Exception):
    """A child dies every time it is started."""


def tied_to_parent(argv: Sequence[str]) -> list[str]:
    """The command that runs `argv` as a child that the kernel kills when its parent dies (on Linux only).

    The parent is the thread that starts the child: when that thread ends, so does the child. `argv[0]` is a path.
    """
    return [sys.executable, "-I", "-S", "-c", _LAUNCH, str(os.getpid()), *argv]


def python_command(module: str, *arguments: str) -> list[str]:
    """The command that runs a module of ours with this Python, as `python -m` does.

    Unlike `python -m`, it does not look for modules in the working directory (-P): a folder there that is named like a
    package of ours does no harm. PYTHONPATH counts as usual.
    """
    return [sys.executable, "-P", "-m", module, *arguments]


class Process(Protocol):
    """What we need of a process, whoever started it. See subprocess.Popen, which is one."""

    pid: int
    returncode: Any

    def poll(self) -> int | None: ...  # noqa: D102
    def wait(self, timeout: float | None = None) -> int: ...  # noqa: D102
    def terminate(self) -> None: ...  # noqa: D102
    def kill(self) -> None: ...  # noqa: D102


Launch = Callable[[Mapping[str, str], Path], Process]
"""Starts a process with these settings beside our own environment, and with its output at the end of a file."""


def spawn(argv: Sequence[str], env: Mapping[str, str], log: Path) -> Process:
    """Start a command as a child of ours, from the main thread: see Launch and tied_to_parent."""
    with open_at_end(log) as out:
        return subprocess.Popen(
            tied_to_parent(argv),
            env={**os.environ, **env},
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
            # Ctrl-C in a terminal goes to the whole process group. We stop the children ourselves, in order.
            start_new_session=True,
        )


class Starts:
    """Counts the recent starts of a process, so that one that cannot run is not restarted for ever."""

    def __init__(self, name: str, log: Path) -> None:
        self._name = name
        self._log = log
        self._times: deque[float] = deque(maxlen=MAX_STARTS)

    def note(self) -> None:
        """Count a start; CrashLoop if there were MAX_STARTS within WITHIN_S."""
        self._times.append(time.monotonic())
        if len(self._times) == MAX_STARTS and self._times[-1] - self._times[0] < WITHIN_S:
            raise CrashLoop(f"{self._name} dies every time it is started; {self._log} says why")


class Child:
    """A child process with what starts it, its settings and the log file for its output."""

    def __init__(self, name: str, launch: Launch, env: Mapping[str, str], log: Path) -> None:
        self.name = name
        self.env = env
        self.process: Process | None = None
        self._launch = launch
        self.log = log
        self._starts = Starts(name, log)
        self._pause_s = 1.0
        self._start_at: float | None = None

    def is_due(self) -> bool:
        """Whether the process has ended and may be started again now.

        It may at once, except after PAUSE_FIRST: then after a pause, which doubles each time up to LONGEST_PAUSE_S.
        """
        if self.process is None or self.process.poll() is None:
            return False
        if self.process.returncode != PAUSE_FIRST:
            self._pause_s = 1.0
            return True
        if self._start_at is None:
            self._start_at = time.monotonic() + self._pause_s
            self._pause_s = min(2 * self._pause_s, LONGEST_PAUSE_S)
        return time.monotonic() >= self._start_at

    def start(self) -> None:
        """Start the process, from the main thread; CrashLoop: see Starts.note. A start after a pause does not count."""
        if self._start_at is None:
            self._starts.note()
        self._start_at = None
        self.process = self._launch(self.env, self.log)

    def is_dead(self) -> bool:
        """Whether the process was started and has ended."""
        return self.process is not None and self.process.poll() is not None

    def stop(self) -> None:
        """Stop the process with SIGTERM, and kill it if that takes longer than STOP_WITHIN_S."""
        stop_all([self])

    def kill(self) -> None:
        """Kill the process."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()


def stop_all(children: Sequence[Child], within_s: float = STOP_WITHIN_S) -> None:
    """Stop these processes at the same time with SIGTERM, and kill those that take longer than `within_s`."""
    running = [child.process for child in children if child.process is not None and child.process.poll() is None]
    for process in running:
        process.terminate()
    deadline = time.monotonic() + within_s
    for process in running:
        try:
            process.wait(max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def raise_file_limit() -> None:
    """Raise the limit of open files, usually 1,024, to FILES or the hard limit: every connection takes a file."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = FILES if most == resource.RLIM_INFINITY else min(FILES, most)
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))
