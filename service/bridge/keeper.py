"""Keeps a bot running: restarts it after a failure, with growing pauses, until restarts no longer help."""

from typing import IO

from plyscribe.service.bridge.bot_process import BotProcess
from plyscribe.service.bridge.protocol import ANSWERED, Answer, Fault, Question
from plyscribe.service.bridge.run import GivenUp, Run

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
        self._start()

    def _start(self) -> BotProcess:
        self._bot = BotProcess(self._run.settings.argv, self._log)
        return self._bot

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
