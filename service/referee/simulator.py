"""A running simulator: started when it is first asked, and ended with everything that it started."""

import os
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from threading import Thread
from typing import NoReturn

from plyscribe.domain.proofs.trials import Trial
from plyscribe.domain.ruleset import AnyRuleset
from plyscribe.service.bridge.bot_process import BotProcess
from plyscribe.service.bridge.protocol import Fault
from plyscribe.service.referee.simulator_lines import MAX_LINE_BYTES, Said, format_start, format_step, parse_said

SHOWN_ERRORS = 20
"""The last lines of stderr that are kept."""

LONGEST_ERROR = 500
DRAINED_WITHIN_S = 1.0


class Simulator:
    """A simulator that is asked about one position after another. A process that failed is replaced at the next start.

    Close it, or use it as a context manager: whatever it does, no process of it is left.
    """

    def __init__(self, argv: Sequence[str], timeout_s: float) -> None:
        self._argv = argv
        self._timeout_s = timeout_s
        self._process: BotProcess | None = None
        self._errors: deque[str] = deque(maxlen=SHOWN_ERRORS)
        self._reader = Thread()
        self._asked = 0
        self.answered = 0
        """Answers that could be read."""

    def __enter__(self) -> "Simulator":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def start(self, ruleset: AnyRuleset, trial: Trial, *, asks_legal: bool) -> Said:
        """What it says of the first position of a match; Fault if that cannot be read, NoSuchProgram."""
        return self._ask(format_start(self._next_id(), ruleset, trial, asks_legal=asks_legal))

    def step(self, step: str, *, asks_legal: bool) -> Said:
        """What it says of the position after a step; Fault if that cannot be read."""
        return self._ask(format_step(self._next_id(), step, asks_legal=asks_legal))

    def _next_id(self) -> str:
        self._asked += 1
        return str(self._asked)

    def _ask(self, line: bytes) -> Said:
        process = self._process = self._process or self._launch()
        id = str(self._asked)
        try:
            said = process.exchange(line, lambda answer: parse_said(answer, id), self._timeout_s, _refuse_stray)
        except Fault:
            # Nobody knows in which position it is now.
            self._kill()
            raise
        self.answered += 1
        return said

    def _launch(self) -> BotProcess:
        self._errors.clear()
        reading, writing = os.pipe()
        try:
            with os.fdopen(writing, "wb") as errors:
                process = BotProcess(self._argv, errors, longest_line=MAX_LINE_BYTES)
        except BaseException:
            os.close(reading)
            raise
        self._reader = Thread(target=self._read_errors, args=(reading,), daemon=True)
        self._reader.start()
        return process

    def _read_errors(self, reading: int) -> None:
        with os.fdopen(reading, "rb") as errors:
            while line := errors.readline(LONGEST_ERROR):
                shown = line.decode(errors="replace").rstrip("\n")
                self._errors.append("".join(each if each.isprintable() else " " for each in shown))

    def list_errors(self) -> list[str]:
        """The last lines that it wrote to stderr."""
        if self._process is None and self._reader.ident is not None:
            self._reader.join(DRAINED_WITHIN_S)
        return list(self._errors)

    def _kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process = None

    def close(self) -> None:
        """End the process: its input ends, and if it does not exit by itself within seconds, it is killed."""
        process, self._process = self._process, None
        if process is not None:
            with suppress(OSError):
                process.stop()


def _refuse_stray(fault: Fault) -> NoReturn:
    raise fault
