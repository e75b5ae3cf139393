"""Child processes that end with their parent, and are started again when they die."""

import os
import resource
import subprocess
import sys
import time
from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path

from plyscribe.service.config import FILES

MAX_STARTS = 8
WITHIN_S = 30.0
"""A child that was started this often within this time is not started again: something is wrong for good."""

STOP_WITHIN_S = 10.0


# Executed as a program of its own: code between fork and exec may deadlock in a process with threads. SIGKILL, because
# SIGTERM may be refused (by a store whose disk is full) or wait (behind a script); what was acknowledged is on disk by
# then. The parent may have died before the signal was asked for, hence the last look.
_LAUNCH = """\
import os, sys
if sys.platform == "linux":
    import ctypes
    ctypes.CDLL(None).prctl(1, 9, 0, 0, 0)  # PR_SET_PDEATHSIG, SIGKILL
if os.getppid() == int(sys.argv[1]):
    os.execv(sys.argv[2], sys.argv[2:])
"""


class CrashLoop(Exception):
    """A child dies as often as it is started."""


def tied_to_parent(argv: Sequence[str]) -> list[str]:
    """The command that runs `argv` in a process which the kernel ends when its parent dies (Linux; elsewhere not).

    The parent is the thread that starts it: when that thread ends, so does the child. `argv[0]` is a path.
    """
    return [sys.executable, "-I", "-S", "-c", _LAUNCH, str(os.getpid()), *argv]


def python_command(module: str, *arguments: str) -> list[str]:
    """The command that runs a module of ours with this Python, as `python -m` does.

    Unlike `python -m`, it does not look for modules in the working directory (-P): a folder there that is named like a
    package of ours does no harm. PYTHONPATH counts as usual.
    """
    return [sys.executable, "-P", "-m", module, *arguments]


class Starts:
    """The latest starts of a process, so that one that cannot run is not started for ever."""

    def __init__(self, name: str, log: Path) -> None:
        self._name = name
        self._log = log
        self._times: deque[float] = deque(maxlen=MAX_STARTS)

    def note(self) -> None:
        """Count a start; CrashLoop when there were too many of late."""
        self._times.append(time.monotonic())
        if len(self._times) == MAX_STARTS and self._times[-1] - self._times[0] < WITHIN_S:
            raise CrashLoop(f"{self._name} dies as often as it is started; {self._log} says why")


class Child:
    """One process to keep running; its output goes to a log file."""

    def __init__(self, name: str, argv: Sequence[str], env: Mapping[str, str], log: Path) -> None:
        self.name = name
        self.env = env
        self.process: subprocess.Popen[bytes] | None = None
        self._argv = argv
        self.log = log
        self._starts = Starts(name, log)

    def start(self) -> None:
        """Start the process, from the main thread; CrashLoop when it was started too often of late."""
        self._starts.note()
        with self.log.open("ab") as out:
            self.process = subprocess.Popen(
                tied_to_parent(self._argv),
                env={**os.environ, **self.env},
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                # Ctrl-C in a terminal goes to all of its group: these end in our order, when we say so.
                start_new_session=True,
            )

    def is_dead(self) -> bool:
        """Whether the process was started and has ended."""
        return self.process is not None and self.process.poll() is not None

    def stop(self) -> None:
        """End the process: politely, then for good."""
        stop_all([self])

    def kill(self) -> None:
        """End the process at once."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()


def stop_all(children: Sequence[Child], within_s: float = STOP_WITHIN_S) -> None:
    """End these processes at the same time: politely, then for good."""
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


def allow_files() -> None:
    """Raise the limit of open files, usually 1,024, as far as this process may: every connection is one."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = FILES if most == resource.RLIM_INFINITY else min(FILES, most)
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))
