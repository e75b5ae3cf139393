"""Asks a bot about tricky positions, without a server, and finds where it breaks the protocol or the rules."""

import time
from base64 import b32encode
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from itertools import islice
from statistics import median
from typing import IO

from plyscribe.domain.errors import MoveError
from plyscribe.domain.proofs.tricky import TrickyPosition, find_tricky_positions
from plyscribe.domain.ruleset import AnyRuleset
from plyscribe.service.bridge.bot_process import BotProcess
from plyscribe.service.bridge.protocol import (
    ANSWERED,
    DRAW,
    MOST_LEGAL,
    MOVE,
    NO_ANSWER,
    STRAY,
    UNASKED,
    Fault,
    Question,
    fault_of_refusal,
    format_question,
    shorten,
)

LINGERS = "lingers"
SLOW = "slow"

PASSABLE = (SLOW,)
"""Findings that are reported but do not fail a bot."""

SLOW_SHARE = 0.5
"""An answer that takes more than this share of the time limit is reported as slow."""

INCOMPLETE_EVERY = 5
FEW_LEGAL = 4
"""Every fifth question lists only this many legal moves, like one for a position with more than MOST_LEGAL."""

DRAW_EVERY = 3
"""Every third question is followed by one about a draw, if the bot is to be asked about draws."""

GIVEN_UP_AFTER = 3
"""The check gives up on a ruleset after this many processes in a row that died or did not answer."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A fault, the question that led to it (None: after the last one), and why that question was asked."""

    kind: str
    why: str
    reason: str | None = None
    question: Question | None = None


@dataclass(slots=True)
class Checked:
    """How a bot did in the positions of one ruleset. The times leave out the first answer of each process."""

    ruleset: str
    version: int
    positions: int
    asked: int = 0
    moves: int = 0
    resigned: int = 0
    draws: int = 0
    """Questions about a draw that the bot answered."""

    times_s: list[float] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)

    @property
    def faults(self) -> list[Finding]:
        """The findings that fail the bot."""
        return [finding for finding in self.findings if finding.kind not in PASSABLE]

    @property
    def is_sound(self) -> bool:
        """Whether the bot was asked about every position and had no fault."""
        return not self.faults and self.asked == self.positions

    @property
    def median_s(self) -> float | None:
        """The median time of an answer; None without any."""
        return median(self.times_s) if self.times_s else None

    @property
    def slowest_s(self) -> float | None:
        """The longest time of an answer; None without any."""
        return max(self.times_s, default=None)


class BotCheck:
    """Checks one bot, ruleset after ruleset; with `ask_draws` also about draws."""

    def __init__(
        self, argv: Sequence[str], timeout_s: float, errors: IO[bytes] | None = None, ask_draws: bool = False
    ) -> None:
        self._argv = argv
        self._timeout_s = timeout_s
        self._ask_draws = ask_draws
        self._errors = errors
        self._bot: BotProcess | None = None

    def check(self, ruleset: AnyRuleset, wanted: int, report: Callable[[Checked], None] = lambda _: None) -> Checked:
        """How the bot does in this many positions of the ruleset; calls `report` after each with the result so far."""
        positions = find_tricky_positions(ruleset, wanted)
        checked, in_vain = Checked(ruleset.id, ruleset.version, len(positions)), 0
        for number, position in enumerate(positions):
            question = put_question(ruleset, position, number, self._timeout_s)
            asked = [question, *self._put_draw(question, number)]
            for each in asked:
                findings = list(self._ask(ruleset, position, each, checked))
                checked.findings += [Finding(f.kind, f.why, position.reason, each) for f in findings]
            checked.asked += 1
            report(checked)
            in_vain = 0 if self._bot is not None else in_vain + 1
            if in_vain == GIVEN_UP_AFTER:
                break
        self._end(checked)
        return checked

    def _put_draw(self, question: Question, number: int) -> Iterator[Question]:
        """If it is time for one, a question to the same seat about a draw that another seat in play offers."""
        others = {seat["seat"] for seat in question.seats} - {question.seat, *question.view["left"]}
        if self._ask_draws and number % DRAW_EVERY == DRAW_EVERY - 1 and others:
            by = min(others)
            id = f"{question.id}/draw/{by}"
            yield replace(
                question, id=id, ask=DRAW, legal=[], legal_complete=True, deadline_ms=None, draw_offered_by=by
            )

    def _ask(
        self, ruleset: AnyRuleset, position: TrickyPosition, question: Question, checked: Checked
    ) -> Iterator[Fault]:
        """Ask the bot, and yield what is wrong with its answer."""
        is_fresh = self._bot is None
        bot = self._bot = self._bot or BotProcess(self._argv, self._errors)
        strays: list[Fault] = []
        began = time.monotonic()
        try:
            answer = bot.ask(format_question(question), question.id, question.ask, self._timeout_s, strays.append)
            took_s = time.monotonic() - began
            checked.resigned += answer.resign
            if answer.move is not None:
                require_legal(ruleset, position, answer.move)
            checked.moves += answer.move is not None
            checked.draws += answer.draw is not None
        except Fault as fault:
            if fault.kind not in ANSWERED:
                bot.kill()
                self._bot = None
            yield from strays
            # Stray lines explain a missing answer, so it is not reported as well.
            if not (strays and fault.kind in (NO_ANSWER, *STRAY)):
                yield fault
            return
        yield from strays
        if not is_fresh:
            checked.times_s.append(took_s)
            if took_s > SLOW_SHARE * self._timeout_s:
                yield Fault(SLOW, f"took {took_s:.2f} s of {self._timeout_s:g} s to answer")

    def _end(self, checked: Checked) -> None:
        if self._bot is not None:
            has_ended, lines = self._bot.stop()
            self._bot = None
            strays = [f"a line without a question: {shorten(line)}" for line in lines]
            checked.findings += [Finding(UNASKED, why) for why in strays]
            if not has_ended:
                checked.findings.append(Finding(LINGERS, "does not exit when its input ends"))

    def kill(self) -> None:
        """Kill the bot, whatever it is doing."""
        if self._bot is not None:
            self._bot.kill()


def require_legal(ruleset: AnyRuleset, position: TrickyPosition, move: str) -> None:
    """Fault unless a server would accept the move."""
    try:
        ruleset.parse_move(position.state, move)
    except MoveError as error:
        raise fault_of_refusal(error.code, str(error)) from None


def put_question(ruleset: AnyRuleset, position: TrickyPosition, number: int, timeout_s: float) -> Question:
    """The question about a position, as a match would ask it; every second one has a deadline."""
    most = FEW_LEGAL if number % INCOMPLETE_EVERY == INCOMPLETE_EVERY - 1 else MOST_LEGAL
    match = f"match-{_spell(f'{ruleset.id}/{ruleset.version}/{number}')}"
    ply, state = len(position.moves), position.state
    moves = [ruleset.format_move(state, move) for move in islice(ruleset.legal_moves(state), most + 1)]
    seats = range(1, position.seats + 1)
    return Question(
        id=f"{match}/{ply}/{position.seat}",
        ask=MOVE,
        match=match,
        ruleset=ruleset.id,
        ruleset_version=ruleset.version,
        options=position.options,
        seats=[{"seat": seat, "player": f"player-{_spell(f'{match}/{seat}')}", "seated": True} for seat in seats],
        seat=position.seat,
        ply=ply,
        view=ruleset.view(state),
        moves=position.moves,
        legal=moves[:most],
        legal_complete=len(moves) <= most,
        deadline_ms=round(1000 * timeout_s) if number % 2 else None,
    )


def _spell(text: str) -> str:
    return b32encode(sha256(text.encode()).digest()).decode().lower()[:26]
