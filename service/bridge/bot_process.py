"""A running bot: a process that is asked one question at a time."""

import os
import select
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, TypeVar

from plyscribe.service.bridge.protocol import (
    DIED,
    MAX_LINE_BYTES,
    NO_ANSWER,
    NOT_JSON,
    STRAY,
    TOO_LONG,
    UNASKED,
    Answer,
    Fault,
    parse_answer,
    shorten,
)
from plyscribe.service.processes.children import tied_to_parent

MAX_STRAY = 100
"""The most lines after a question that may answer nothing."""

END_WITHIN_S = 3.0
KILL_WITHIN_S = 2.0
CHUNK = 65_536

Parsed = TypeVar("Parsed")


class NoSuchProgram(Exception):
    """The program given as a bot cannot be started."""


class BotProcess:
    """A running bot. On Linux it ends with the thread or the process that started it, elsewhere when its input ends.

    It has a process group of its own, so the terminal's Ctrl-C does not reach it and it can finish its decision.
    A line that it writes has at most `longest_line` bytes.
    """

    def __init__(
        self,
        argv: Sequence[str],
        errors: IO[bytes] | None = None,
        folder: Path | None = None,
        longest_line: int = MAX_LINE_BYTES,
    ) -> None:
        self._process = subprocess.Popen(
            tied_to_parent([find_program(argv[0]), *argv[1:]]),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            bufsize=0,
            cwd=folder,
            # The bot does not need the token, so it does not get it.
            env={name: value for name, value in os.environ.items() if name != "PLYSCRIBE_TOKEN"},
            process_group=0,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._stdin, self._stdout = self._process.stdin, self._process.stdout
        for pipe in (self._stdin, self._stdout):
            os.set_blocking(pipe.fileno(), False)
        self._unsent, self._unread = b"", b""
        self._has_ended = False
        self._longest_line = longest_line

    def ask(self, line: bytes, id: str, ask: str, timeout_s: float, on_stray: Callable[[Fault], None]) -> Answer:
        """The answer to the question in this line; Fault if there is none.

        `on_stray` is called with every line that answers nothing. The line is ignored unless `on_stray` raises.
        """
        return self.exchange(line, lambda answer: parse_answer(answer, id, ask), timeout_s, on_stray)

    def exchange(
        self, line: bytes, parse: Callable[[bytes], Parsed], timeout_s: float, on_stray: Callable[[Fault], None]
    ) -> Parsed:
        """What `parse` makes of the answer to this line; Fault if there is no answer.

        `parse` raises a Fault for a line that is none. `on_stray` is called as by `ask`.
        """
        deadline = time.monotonic() + timeout_s
        self._pump(0.0)
        for stray in self._take_lines():
            on_stray(Fault(UNASKED, f"a line without a question: {shorten(stray)}"))
        self._unsent += line
        for _ in range(MAX_STRAY):
            try:
                return parse(self._receive(deadline, timeout_s))
            except Fault as fault:
                if fault.kind not in STRAY:
                    raise
                on_stray(fault)
        raise Fault(NOT_JSON, f"more than {MAX_STRAY} lines, and none of them an answer")

    def _receive(self, deadline: float, timeout_s: float) -> bytes:
        """The next line, without its line feed; Fault if none comes in time."""
        while b"\n" not in self._unread:
            if len(self._unread) > self._longest_line:
                raise Fault(TOO_LONG, f"a line of more than {self._longest_line} bytes: {shorten(self._unread)}")
            if self._has_ended:
                raise Fault(DIED, self._format_death())
            left_s = deadline - time.monotonic()
            if left_s <= 0:
                why = "it has not read the question either" if self._unsent else "it has read the question"
                raise Fault(NO_ANSWER, f"no answer within {timeout_s:g} s ({why})")
            self._pump(left_s)
        line, _, self._unread = self._unread.partition(b"\n")
        return line

    def _take_lines(self) -> list[bytes]:
        *lines, self._unread = self._unread.split(b"\n")
        return lines

    def _pump(self, wait_s: float) -> None:
        """Wait until the bot can be written to or read from, then write and read."""
        poll = select.poll()
        poll.register(self._stdout, select.POLLIN)
        if self._unsent:
            poll.register(self._stdin, select.POLLOUT)
        for descriptor, _ in poll.poll(wait_s * 1000):
            if descriptor == self._stdout.fileno():
                self._read()
            else:
                self._write()

    def _write(self) -> None:
        try:
            self._unsent = self._unsent[os.write(self._stdin.fileno(), self._unsent) :]
        except BlockingIOError:
            return
        except BrokenPipeError:
            # If the bot died, the end of its output will show it.
            self._unsent = b""

    def _read(self) -> None:
        with suppress(BlockingIOError):
            data = os.read(self._stdout.fileno(), CHUNK)
            self._unread += data
            self._has_ended = not data

    def _format_death(self) -> str:
        with suppress(subprocess.TimeoutExpired):
            code = self._process.wait(KILL_WITHIN_S)
            return f"killed by {signal.Signals(-code).name}" if code < 0 else f"exited with code {code}"
        return "closed its output"

    def stop(self) -> tuple[bool, list[bytes]]:
        """End the bot. Returns whether it exited by itself when its input ended, and the lines nobody asked for."""
        self._stdin.close()
        deadline = time.monotonic() + END_WITHIN_S
        self._unsent = b""
        while not self._has_ended and len(self._unread) <= self._longest_line and time.monotonic() < deadline:
            self._pump(deadline - time.monotonic())
        lines = self._take_lines()
        self._stdout.close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(max(0.0, deadline - time.monotonic()))
            self._signal(signal.SIGKILL)  # for processes that the bot may have started
            return True, lines
        self.kill()
        return False, lines

    def kill(self) -> None:
        """Kill the bot and everything that it started: SIGTERM first, SIGKILL soon after."""
        self._signal(signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(KILL_WITHIN_S)
        self._signal(signal.SIGKILL)
        self._process.wait()
        self._stdin.close()
        self._stdout.close()

    def _signal(self, signum: int) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signum)


def find_program(name: str) -> str:
    """The path of a program; NoSuchProgram if it cannot be executed."""
    found = shutil.which(name)
    if found is None:
        raise NoSuchProgram(f"{name} is not an executable program: give its path, and make it executable")
    return found
