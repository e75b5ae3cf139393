"""One run of a bridge: its settings, what its threads share, and how it ends."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Settings:
    """How to play: `tries` answers a decision; `rulesets` are the only ones to play, none: all."""

    argv: Sequence[str]
    rulesets: frozenset[str] = frozenset()
    accept: bool = True
    ask_draws: bool = False
    concurrency: int = 1
    move_timeout_s: float = 60.0
    tries: int = 3
    log: Path | None = None


class GivenUp(Exception):
    """The bot, or the server, is of no use for good; nothing was resigned for it."""


class Stopped(Exception):
    """The bridge ends, and nothing is in hand."""


class Run:
    """What the threads of a bridge share: how to play, for whom, whether to end, and what was done so far.

    `report` hears, line by line, what happens.
    """

    def __init__(self, settings: Settings, report: Callable[[str], None]) -> None:
        self.settings = settings
        self.report = report
        self.player = ""
        self.ending = threading.Event()
        self.has_answered = False
        self.moves = 0

    def pause(self, seconds: float) -> None:
        """Wait; Stopped where the bridge ends meanwhile."""
        if self.ending.wait(seconds):
            raise Stopped
