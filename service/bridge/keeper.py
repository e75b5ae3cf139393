"""Keeps a bot running: restarts it after a failure, with growing pauses, until restarts no longer help."""

from typing import IO

from plyscribe.domain.errors import WrongValue
from plyscribe.domain.events import Build
from plyscribe.service.bridge.bot_process import BotProcess
from plyscribe.service.bridge.protocol import ANSWERED, Answer, Fault, Question
from plyscribe.service.bridge.run import GivenUp, Run
from plyscribe.service.bridge.source import Source, SourceError

MAX_RESTARTS = 5
"""The keeper gives up a bot after this many restarts without a right answer in between."""

FIRST_PAUSE_S = 0.5
SHOWN_STRAY = 3


class Keeper:
    """Keeps the bot of one thread running."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._log: IO[bytes] | None = run.settings.log.open("ab") if run.settings.log else None
        self._restarts = 0
        self._bot: BotProcess | None = None
        self.build: Build | None = None
        """The build that runs, as it was found when it was started; None if it is not measured."""

        self._start()

    def _start(self) -> BotProcess:
        settings = self._run.settings
        if settings.source is not None:
            self.build = self._measure(settings.source)
        self._bot = BotProcess(settings.argv, self._log, settings.folder)
        return self._bot

    def _measure(self, source: Source) -> Build:
        """The build on the disk; GivenUp if it cannot be read, or is not the one that is pinned."""
        try:
            build = source.measure()
        except (SourceError, WrongValue) as error:
            raise GivenUp(f"the build of the bot cannot be told: {error}") from None
        if source.pinned not in (None, build.digest):
            why = f"the build with the SHA-256 {source.pinned} is pinned, and the files have {build.digest}"
            raise GivenUp(f"{why}: put the pinned build back; no match was resigned for that")
        if self.build is not None and build != self.build:
            self._run.report(f"the build has changed: {build}")
        return build

    def ask(self, line: bytes, question: Question) -> Answer:
        """The bot's answer to the question in this line; Fault if it gives none.

        GivenUp after too many restarts that did not help; Stopped if the bridge ends before the bot is asked.
        """
        strays = 0

        def report_stray(fault: Fault) -> None:
            nonlocal strays
            strays += 1
            if strays <= SHOWN_STRAY:
                more = "; more lines like this are not reported" if strays == SHOWN_STRAY else ""
                self._run.report(f"{format_place(question)}: {fault}; ignored{more}")

        bot = self._bot or self._start_again()
        try:
            return bot.ask(line, question.id, question.ask, self._run.settings.move_timeout_s, report_stray)
        except Fault as fault:
            if fault.kind not in ANSWERED:
                self._drop(bot, fault)
            raise

    def _drop(self, bot: BotProcess, fault: Fault) -> None:
        bot.kill()
        self._bot = None
        self._restarts += 1
        if self._restarts > MAX_RESTARTS:
            why = f"the bot was restarted {MAX_RESTARTS} times in a row and gave no right answer"
            raise GivenUp(f"{why}: {fault}")

    def _start_again(self) -> BotProcess:
        pause_s = FIRST_PAUSE_S * 2 ** (self._restarts - 1)
        self._run.report(f"restarting the bot in {pause_s:g} s")
        self._run.pause(pause_s)
        return self._start()

    def note_right_answer(self) -> None:
        """Forget earlier failures, because the bot works."""
        self._run.has_answered = True
        self._restarts = 0

    def close(self) -> None:
        """Stop the bot."""
        if self._bot is not None:
            self._bot.stop()
        if self._log is not None:
            self._log.close()


def format_place(question: Question) -> str:
    """The match, ply and seat of a question."""
    return f"{question.match} ply {question.ply} seat {question.seat}"
