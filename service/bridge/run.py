"""One run of a bridge: its settings, what its threads share, and how it ends."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from plyscribe.service.bridge.source import Source


@dataclass(frozen=True, slots=True)
class Settings:
    """How to play. `tries` is the number of answers for each decision; without `rulesets`, the bot plays them all."""

    argv: Sequence[str]
    rulesets: frozenset[str] = frozenset()
    accept: bool = True
    ask_draws: bool = False
    concurrency: int = 1
    move_timeout_s: float = 60.0
    tries: int = 3
    log: Path | None = None
    folder: Path | None = None
    """Where the bot runs; by default where the bridge does."""

    tournament: str | None = None
    """The tournament whose matches it plays alone; by default it plays all."""

    source: Source | None = None
    """What the bot is made of. If this is given, its build is declared in each match."""


class GivenUp(Exception):
    """The bot or the server will not work, so the bridge gives up. It has resigned no match for that."""


class Stopped(Exception):
    """The bridge is ending and this thread has nothing left to finish."""


class Run:
    """What the threads of a bridge share: the settings, the account, whether to end, and what was done so far.

    They call `report` with each line about what happens.
    """

    def __init__(self, settings: Settings, report: Callable[[str], None]) -> None:
        self.settings = settings
        self.report = report
        self.player = ""
        self.ending = threading.Event()
        self.has_answered = False
        self.moves = 0

    def pause(self, seconds: float) -> None:
        """Wait; Stopped if the bridge ends in the meantime."""
        if self.ending.wait(seconds):
            raise Stopped
