"""Child processes that end with their parent, and are started again when they die."""

import ctypes
import os
import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

MAX_STARTS = 8
WITHIN_S = 30.0
"""A child that was started this often within this time is not started again: something is wrong for good."""

STOP_WITHIN_S = 10.0
_PR_SET_PDEATHSIG = 1


class CrashLoop(Exception):
    """A child dies as often as it is started."""


def die_with_parent(signum: int = signal.SIGKILL) -> None:
    """Let the kernel end this process when its parent dies, however that happens (Linux; elsewhere nothing)."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signum, 0, 0, 0)


@dataclass
class Child:
    """One process to keep running; its output goes to a log file."""

    name: str
    argv: Sequence[str]
    env: Mapping[str, str]
    log: Path
    process: subprocess.Popen[bytes] | None = None
    _starts: deque[float] = field(default_factory=lambda: deque(maxlen=MAX_STARTS))

    def start(self) -> None:
        """Start the process; CrashLoop when it was started too often of late."""
        self._starts.append(time.monotonic())
        if len(self._starts) == MAX_STARTS and self._starts[-1] - self._starts[0] < WITHIN_S:
            raise CrashLoop(f"{self.name} dies as often as it is started; {self.log} says why")
        with self.log.open("ab") as out:
            # The signal follows the thread that starts the child: only the main thread may do that.
            self.process = subprocess.Popen(
                self.argv,
                env={**os.environ, **self.env},
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                preexec_fn=die_with_parent,
            )

    def is_dead(self) -> bool:
        """Whether the process was started and has ended."""
        return self.process is not None and self.process.poll() is not None

    def stop(self) -> None:
        """End the process: politely, then for good."""
        if self.process is None or self.process.poll() is not None:
            return
        self.process.terminate()
        try:
            self.process.wait(STOP_WITHIN_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
