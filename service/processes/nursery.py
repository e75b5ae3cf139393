"""A process that has imported what others need, and forks them: they start at once, and share memory.

The nursery does nothing else. So it has a single thread, and may fork at any time. It runs as a program of its own,

    python -m plyscribe.service.processes.nursery MODULE...

which reads requests from standard input and writes to standard output what became of them, each a line of JSON. Or a
process that has imported most of it anyway forks a nursery: see Nursery.branch_off.
"""

import atexit
import gc
import json
import logging
import os
import runpy
import select
import signal
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import IO, Any, NamedTuple, NoReturn

from setproctitle import setproctitle

from plyscribe.service.games import list_entry_points
from plyscribe.service.metrics import DIRECTORY_VARIABLE, share_numbers
from plyscribe.service.processes.children import Process, die_with, python_command, spawn, tied_to_parent
from plyscribe.service.processes.private_files import open_at_end

FORKS_WITHIN_S = 120.0
"""How long the nursery may take to import everything and to fork. After that a process is started without it."""

POLL_S = 0.02
NAME = "plyscribe.service.processes.nursery"

logger = logging.getLogger(__name__)


class Program(NamedTuple):
    """A module of ours to run as `python -m` does, with its arguments."""

    module: str
    arguments: Sequence[str] = ()

    @property
    def argv(self) -> list[str]:
        """The command that runs it in an interpreter of its own."""
        return python_command(self.module, *self.arguments)


class Nursery:
    """A nursery, which starts when it is first needed, and again when it has died. Not thread-safe."""

    def __init__(self, modules: Sequence[str], env: Mapping[str, str], log: Path) -> None:
        """`modules` are imported before the first process is forked, with this in their environment."""
        self._modules = modules
        self._env = env
        self._log = log
        self._process: subprocess.Popen[bytes] | _Branch | None = None
        self._unread = b""
        self._codes: dict[int, int] = {}
        self._forked: dict[int, int] = {}
        self._asked = 0

    def open(self) -> None:
        """Start it, unless it runs, and do not wait for it. Call this from the main thread: see tied_to_parent."""
        if self._process is not None and self._process.poll() is None:
            return
        if self._process is not None:
            logger.error("a nursery died, and with it all processes that it had forked; %s may say why", self._log)
            self.close()
        with open_at_end(self._log) as out:
            self._process = subprocess.Popen(
                tied_to_parent(python_command(NAME, *self._modules)),
                env={**os.environ, **self._env},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=out,
                start_new_session=True,
            )
        self._begin()

    def branch_off(self) -> None:
        """Start it as a fork of this process, which spares another interpreter and shares memory.

        This process imports the modules first. It must have a single thread, and hold nothing but files that may be
        closed in the fork.
        """
        _import_all(self._modules)
        # What waits here would be written by the fork as well.
        sys.stdout.flush()
        sys.stderr.flush()
        asked, ask = os.pipe()
        told, tell = os.pipe()
        out = os.open(self._log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        parent = os.getpid()
        if not (pid := os.fork()):
            die_with(parent)
            os.setsid()
            for source, target in ((asked, 0), (tell, 1), (out, 2)):
                os.dup2(source, target)
            _close_files()
            _run_branch(self._env)
        for end in (asked, tell, out):
            os.close(end)
        self._process = _Branch(pid, os.fdopen(ask, "wb"), os.fdopen(told, "rb"))
        self._begin()

    def _begin(self) -> None:
        assert self._process is not None
        assert self._process.stdout is not None
        os.set_blocking(self._process.stdout.fileno(), False)
        self._unread, self._codes, self._forked = b"", {}, {}

    def start(self, program: Program, env: Mapping[str, str], log: Path) -> Process:
        """A new process that runs the program, with its output in this file. Call this from the main thread.

        If the nursery cannot fork it, it is started in an interpreter of its own. OSError if the file cannot be used.
        """
        open_at_end(log).close()
        return self._fork(program, env, log) or spawn(program.argv, env, log)

    def _fork(self, program: Program, env: Mapping[str, str], log: Path) -> "Forked | None":
        self.open()
        process = self._process
        assert process is not None
        assert process.stdin is not None
        self._asked += 1
        request = {"id": self._asked, "program": program, "env": {**os.environ, **env}, "log": str(log)}
        with suppress(OSError):
            process.stdin.write(json.dumps(request).encode() + b"\n")
            process.stdin.flush()
            deadline = time.monotonic() + FORKS_WITHIN_S
            while time.monotonic() < deadline and self._listen():
                if (pid := self._forked.pop(self._asked, None)) is not None:
                    return Forked(pid, self)
                time.sleep(POLL_S)
        logger.warning("%s could not be forked, and is started by itself; %s may say why", program, self._log)
        self.close()
        return None

    def code_of(self, forked: "Forked") -> int | None:
        """The exit code of a process that has ended, as subprocess gives it; None while it runs."""
        is_here = self._listen()
        if forked.pid in self._codes:
            return self._codes.pop(forked.pid)
        # The kernel kills those that a nursery has forked when it dies.
        return None if is_here and forked.nursery_pid == self.pid else -signal.SIGKILL

    @property
    def pid(self) -> int | None:
        """The process id; None before it is started and after it was ended."""
        return self._process.pid if self._process is not None else None

    def close(self) -> None:
        """End the nursery. Processes that it has forked and that still run are killed."""
        if self._process is None:
            return
        for pipe in (self._process.stdin, self._process.stdout):
            with suppress(OSError):
                pipe.close()  # type: ignore[union-attr]
        self._process.kill()
        self._process.wait()
        self._process = None

    def _listen(self) -> bool:
        """Take in what the nursery has written; return whether it still runs."""
        process = self._process
        if process is None or process.stdout is None or process.stdout.closed:
            return False
        while chunk := _read(process.stdout.fileno()):
            self._unread += chunk
        *lines, self._unread = self._unread.split(b"\n")
        for line in lines:
            told = json.loads(line)
            if "code" in told:
                self._codes[told["pid"]] = told["code"]
            else:
                self._forked[told["id"]] = told["pid"]
        return process.poll() is None


class _Branch:
    """A nursery that this process has forked, with as much of subprocess.Popen as is needed of it."""

    def __init__(self, pid: int, stdin: IO[bytes], stdout: IO[bytes]) -> None:
        self.pid, self.stdin, self.stdout = pid, stdin, stdout
        self._code: int | None = None

    def poll(self) -> int | None:
        """The exit code; None while it runs."""
        return self._look(os.WNOHANG)

    def wait(self) -> int | None:
        """Wait for the end, and return the exit code."""
        return self._look(0)

    def kill(self) -> None:
        """Send SIGKILL."""
        if self.poll() is None:
            os.kill(self.pid, signal.SIGKILL)

    def _look(self, options: int) -> int | None:
        if self._code is None:
            ended, status = os.waitpid(self.pid, options)
            self._code = os.waitstatus_to_exitcode(status) if ended else None
        return self._code


def _read(pipe: int) -> bytes:
    try:
        return os.read(pipe, 65_536)
    except BlockingIOError:
        return b""


class Forked:
    """A process that a nursery has forked; see Process."""

    def __init__(self, pid: int, nursery: Nursery) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self.nursery_pid = nursery.pid
        self._nursery = nursery

    def poll(self) -> int | None:
        """The exit code; None while the process runs."""
        if self.returncode is None:
            self.returncode = self._nursery.code_of(self)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the end, and return the exit code; subprocess.TimeoutExpired."""
        deadline = None if timeout is None else time.monotonic() + timeout
        while (code := self.poll()) is None:
            if deadline is not None and time.monotonic() >= deadline:
                raise subprocess.TimeoutExpired(f"process {self.pid}", timeout or 0.0)
            time.sleep(POLL_S)
        return code

    def terminate(self) -> None:
        """Send SIGTERM."""
        self._send(signal.SIGTERM)

    def kill(self) -> None:
        """Send SIGKILL."""
        self._send(signal.SIGKILL)

    def _send(self, number: signal.Signals) -> None:
        # Its id is not given to another process before the nursery has noted its end.
        if self.poll() is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)


# --------------------------------------------------------------------------------------------------- the program itself


def main(modules: Sequence[str]) -> None:
    """Import the modules, and fork on request, until there are no more."""
    # Its first call looks at the environment, so it must come before that is replaced.
    setproctitle(" ".join(Program(NAME).argv))
    _import_all(modules)
    if request := _serve():
        _become(request)


def _run_branch(env: Mapping[str, str]) -> NoReturn:
    """Fork on request, as the fork of another process, until there are no more."""
    code = 1
    try:
        setproctitle(" ".join(Program(NAME).argv))
        os.environ.update(env)
        if DIRECTORY_VARIABLE in env:
            share_numbers()
        if request := _serve():
            _become(request)
        code = 0
    except Exception:
        traceback.print_exc()
    os._exit(code)


def _close_files() -> None:
    """Close all but standard input and output: a lock of the parent, and pipes for whose end others wait."""
    for each in map(int, os.listdir("/dev/fd")):
        if each > 2:
            # One of them was for the list.
            with suppress(OSError):
                os.close(each)


def _import_all(modules: Sequence[str]) -> None:
    # Hardly anything that an import makes is garbage, and to look for it would take a sixth of the time.
    gc.disable()
    for module in modules:
        import_module(module)
    # Each process that is forked needs them, and to look for them reads what is written about every package.
    list_entry_points()
    # Memory that is never looked at again stays shared.
    gc.freeze()
    gc.enable()


def _serve() -> dict[str, Any] | None:
    """Fork for each request. Returns the request in the new process, and None in the nursery when there are no more."""
    woken, wake = os.pipe()
    for end in (woken, wake):
        os.set_blocking(end, False)
    signal.set_wakeup_fd(wake)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    unread, nursery = b"", os.getpid()
    while True:
        ready, _, _ = select.select([0, woken], [], [])
        if woken in ready:
            _read(woken)
            for pid, code in _list_ended():
                _report({"pid": pid, "code": code})
        if 0 not in ready:
            continue
        chunk = os.read(0, 65_536)
        if not chunk:
            return None
        *lines, unread = (unread + chunk).split(b"\n")
        for line in lines:
            request: dict[str, Any] = json.loads(line)
            if pid := os.fork():
                _report({"id": request["id"], "pid": pid})
                continue
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            os.close(woken)
            os.close(wake)
            die_with(nursery)
            return request


def _list_ended() -> Iterator[tuple[int, int]]:
    with suppress(ChildProcessError):
        while (ended := os.waitpid(-1, os.WNOHANG))[0]:
            yield ended[0], os.waitstatus_to_exitcode(ended[1])


def _report(what: dict[str, int]) -> None:
    os.write(1, json.dumps(what).encode() + b"\n")


def _become(request: dict[str, Any]) -> NoReturn:
    """Run the program that was asked for, as if it had been started by itself, and end with it."""
    program = Program(*request["program"])
    os.setsid()
    with open(os.devnull, "rb") as nothing, open_at_end(Path(request["log"])) as out:
        for source, target in ((nothing, 0), (out, 1), (out, 2)):
            os.dup2(source.fileno(), target)
    os.environ.clear()
    os.environ.update(request["env"])
    sys.argv = [program.module, *program.arguments]
    setproctitle(" ".join(program.argv))
    code = 1
    try:
        runpy.run_module(program.module, run_name="__main__", alter_sys=True)
        code = 0
    except SystemExit as told:
        code = _code_of(told)
    except BaseException:
        traceback.print_exc()
    _leave(code)


def _code_of(told: SystemExit) -> int:
    """The exit code that Python would give; what is no code is printed."""
    if told.code is None or isinstance(told.code, int):
        return told.code or 0
    sys.stderr.write(f"{told.code}\n")
    return 1


def _leave(code: int) -> NoReturn:
    """End as Python does, but free nothing: to free what processes share would copy it for each of them first."""
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    main(sys.argv[1:])
