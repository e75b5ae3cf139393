"""Does what matches want of the account, one thing after another, with one process of the bot.

The worker reads from the match itself what is due, so nothing is lost or done twice, whenever the bridge ends. A move
carries the version that the bot was asked about and a key that follows from match, ply and seat, so even several
bridges make at most one move there.
"""

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import asdict, replace
from secrets import token_hex
from typing import Any

import httpx

from plyscribe.domain.events import Build
from plyscribe.service.bridge.keeper import Keeper, format_place
from plyscribe.service.bridge.protocol import (
    ANSWERED,
    DRAW,
    MOST_LEGAL,
    MOVE,
    RESIGNED_FOR,
    Answer,
    Fault,
    Question,
    fault_of_refusal,
    format_error,
    format_question,
)
from plyscribe.service.bridge.run import GivenUp, Run, Stopped
from plyscribe.service.client import Client, Match, Problem, Seat
from plyscribe.service.clock import now_ms

POLL_S = 0.05
RETRY_PAUSE_S = 5.0
UNTOLD = ("entropy", "builds")
"""What a question does not say of a seat."""

PASSING = (429, 500, 502, 503, 504)


class Worker:
    """Looks at the matches that it is handed; calls `release` with those in which the account has no more to do."""

    def __init__(self, run: Run, client: Client, release: Callable[[str], object]) -> None:
        self._run = run
        self._client = client
        self._release = release
        self._due: dict[str, None] = {}
        self._has_due = threading.Condition()
        self._troubles: set[tuple[str, str]] = set()
        self._draws: set[str] = set()
        self._told: dict[tuple[str, int], Build] = {}
        """The builds that were declared last, by match and seat."""

    def look_at(self, match: str) -> None:
        """Put the match on the list, unless it is there. May be called from any thread."""
        with self._has_due:
            self._due[match] = None
            self._has_due.notify()

    def work(self) -> None:
        """Look at the matches on the list, in order, until the bridge ends."""
        with closing(self._client), closing(Keeper(self._run)) as self._keeper:
            while True:
                self._look(self._next())

    def _next(self) -> str:
        while not self._run.ending.is_set():
            with self._has_due:
                if self._due or self._has_due.wait(POLL_S):
                    match = next(iter(self._due))
                    del self._due[match]
                    return match
        raise Stopped

    # -------------------------------------------------------------------------------------------------- what is due

    def _look(self, match: str) -> None:
        """Do what the match wants of the account now. An error is reported, and the next look tries again."""
        try:
            state = self._client.match(match)
            seats = [seat for seat in state["seats"] if seat.get("player") == self._run.player]
            if not self._is_ours(state):
                self._release(match)
            elif state["status"] == "open":
                self._sit_down(state, seats)
            elif state["draw_offered_by"] is not None and self._answer_draw(state, seats):
                self.look_at(match)
            elif state["turn"] and state["turn"].get("decision") in [seat["seat"] for seat in seats]:
                self._decide(state, state["turn"]["decision"])
        except (Problem, httpx.HTTPError) as error:
            if isinstance(error, Problem) and error.status == 401:
                raise
            self._report_trouble(match, str(error))

    def _is_ours(self, state: Match) -> bool:
        """Whether the account plays in the match. A recorded match is played by its recorder."""
        rulesets = self._run.settings.rulesets
        wanted = not rulesets or state["ruleset"] in rulesets
        if self._run.settings.tournament is not None:
            wanted = wanted and state.get("tournament") == self._run.settings.tournament
        return wanted and state["recorder"] is None and state["status"] in ("open", "playing")

    def _report_trouble(self, match: str, text: str) -> None:
        """Report a problem once, because a match that cannot go on is looked at again and again."""
        if (match, text) not in self._troubles:
            self._troubles.add((match, text))
            self._run.report(f"{match}: {text}")

    def _sit_down(self, state: Match, seats: Sequence[Seat]) -> None:
        match = state["match"]
        for seat in seats:
            if not seat["seated"]:
                if not self._run.settings.accept:
                    continue
                self._client.take_seat(match, seat["seat"])
                self._run.report(f"{match}: took seat {seat['seat']} in {state['ruleset']}")
            if seat["entropy"] is None and state["dice"] is not None and state["dice"]["mode"] == "server":
                with suppress(Problem):  # a fork with its parent's dice takes none
                    self._client.add_entropy(match, token_hex(16), seat["seat"])

    def _answer_draw(self, state: Match, seats: Sequence[Seat]) -> bool:
        """Answer a draw offer: decline, unless the bot is to be asked and agrees. Returns whether there was one.

        The server refuses an answer for a seat that is out of play or has answered in an earlier run. That is fine.
        """
        match, offered_by = state["match"], state["draw_offered_by"]
        asked = {f"{match}/{state['ply']}/{seat['seat']}/draw/{offered_by}": seat["seat"] for seat in seats}
        due = {id: seat for id, seat in asked.items() if seat != offered_by and id not in self._draws}
        for id, seat in due.items():
            question = _ask(state, seat, id=id, ask=DRAW, draw_offered_by=offered_by)
            agrees = self._run.settings.ask_draws and self._agrees(question)
            with suppress(Problem):
                self._client.draw(match, "agree" if agrees else "decline", seat)
                self._run.report(f"{format_place(question)}: {'agreed to' if agrees else 'declined'} a draw")
            self._draws.add(id)
        return bool(due)

    def _agrees(self, question: Question) -> bool:
        try:
            answer = self._keeper.ask(format_question(question), question)
        except Fault as fault:
            self._run.report(f"{format_place(question)}: {fault}; declining the draw")
            return False
        return answer.draw is True

    # --------------------------------------------------------------------------------------------------- decisions

    def _decide(self, state: Match, seat: int) -> None:
        """Ask the bot until its answer is accepted or it has no tries left."""
        if self._declare(state["match"], seat, state["seats"][seat - 1].get("builds", ())):
            # The match has a new version.
            self.look_at(state["match"])
            return
        question = self._put(state, seat)
        if question is None:
            return
        line, began = format_question(question), time.monotonic()
        for left in reversed(range(self._run.settings.tries)):
            try:
                self._play(question, state["version"], self._keeper.ask(line, question))
                return
            except Fault as fault:
                self._run.report(f"{format_place(question)}: {fault}; tries left: {left}")
                if not left:
                    self._resign_after(question, fault)
                    return
                has_answered = fault.kind in ANSWERED
                line = format_error(question.id, fault, left) if has_answered else _put_again(question, began)

    def _declare(self, match: str, seat: int, declared: Sequence[Mapping[str, Any]]) -> bool:
        """Declare the build that runs, unless it was declared last. Returns whether the match has a new event.

        GivenUp if the account may not play with it. Whatever else the server refuses is reported, and play goes on.
        """
        build = self._keeper.build
        if build is None or self._told.get((match, seat)) == build:
            return False
        self._told[match, seat] = build
        if declared and declared[-1] == asdict(build):
            return False
        try:
            self._client.declare_build(match, asdict(build), seat)
        except Problem as problem:
            if problem.code == "build/pinned":
                raise GivenUp(f"{problem.document['detail']}; no match was resigned for that") from None
            self._report_trouble(match, f"the build is not declared: {problem}")
            return False
        return True

    def _put(self, state: Match, seat: int) -> Question | None:
        """The question for a decision; None if the match has moved on since."""
        page = self._client.first_legal_moves(state["match"], MOST_LEGAL)
        if page["version"] != state["version"]:
            self.look_at(state["match"])
            return None
        deadline = state["clock"]["deadline"] if state["clock"] else None
        return replace(
            _ask(state, seat, id=f"{state['match']}/{state['ply']}/{seat}", ask=MOVE),
            legal=page["moves"],
            legal_complete=page["next"] is None,
            deadline_ms=max(0, deadline["at"] - now_ms()) if deadline else None,
        )

    def _resign_after(self, question: Question, fault: Fault) -> None:
        if fault.kind not in ANSWERED and not self._run.has_answered:
            raise GivenUp(f"the bot has not answered a single question ({fault}); no match was resigned for that")
        self._run.report(f"{format_place(question)}: no move after {self._run.settings.tries} tries, resigning")
        named = RESIGNED_FOR[fault.kind]
        self._client.withdraw(question.match, question.seat, fault=named, key=f"{question.id}/resign")

    def _play(self, question: Question, version: int, answer: Answer) -> None:
        """Carry out an answer; Fault if the server does not accept the move."""
        if answer.resign:
            self._client.withdraw(question.match, question.seat, key=f"{question.id}/resign")
            self._run.report(f"{format_place(question)}: resigned")
        elif answer.move is not None:
            # It may have been started again since it was asked, from other files.
            self._declare(question.match, question.seat, ())
            self._move(question, version, answer.move)
        self._keeper.note_right_answer()

    def _move(self, question: Question, version: int, move: str) -> None:
        while True:
            try:
                self._client.move(question.match, move, seat=question.seat, version=version, key=question.id)
                self._run.moves += 1
                return
            except Problem as problem:
                if problem.status == 412:
                    state = self._client.match(question.match)
                    if not _is_still(question, state):
                        self._run.report(
                            f"{format_place(question)}: the position has changed, so {move!r} is not played"
                        )
                        self.look_at(question.match)
                        return
                    version = state["version"]
                elif problem.code == "key/reused":
                    self._run.report(f"{format_place(question)}: another run has already made a move here")
                    return
                elif problem.status == 422:
                    raise _refuse(problem) from None
                elif problem.status in PASSING:
                    self._wait_to_send(question, move, problem)
                else:
                    raise
            except httpx.TransportError as error:
                self._wait_to_send(question, move, error)

    def _wait_to_send(self, question: Question, move: str, error: Exception) -> None:
        # The bot's move is not lost while the server is unavailable.
        self._run.report(f"{format_place(question)}: cannot send {move!r}: {error}; trying again")
        self._run.pause(RETRY_PAUSE_S)


def _ask(state: Match, seat: int, *, id: str, ask: str, draw_offered_by: int | None = None) -> Question:
    """A question about the match as it stands, without the fields that only a question for a move has."""
    return Question(
        id=id,
        ask=ask,
        match=state["match"],
        ruleset=state["ruleset"],
        ruleset_version=state["ruleset_version"],
        options=state["options"],
        seats=[{name: value for name, value in each.items() if name not in UNTOLD} for each in state["seats"]],
        seat=seat,
        ply=state["ply"],
        view=state["view"] or {},
        moves=state["moves"],
        legal=[],
        legal_complete=ask == DRAW,
        deadline_ms=None,
        draw_offered_by=draw_offered_by,
    )


def _put_again(question: Question, began: float) -> bytes:
    """The line that repeats a question, with what is left of its deadline since `began` (monotonic clock)."""
    if question.deadline_ms is not None:
        passed_ms = round(1000 * (time.monotonic() - began))
        question = replace(question, deadline_ms=max(0, question.deadline_ms - passed_ms))
    return format_question(question)


def _is_still(question: Question, state: Match) -> bool:
    """Whether the match is in the position of the question, whatever else has happened in it."""
    now = (state["status"], state["turn"], state["ply"], state["view"])
    return now == ("playing", {"decision": question.seat}, question.ply, question.view)


def _refuse(problem: Problem) -> Fault:
    rule = {name: problem.document.get(name) for name in ("clause", "ply", "legal")}
    error = {"code": problem.code, **rule, "message": problem.document["detail"], "legal": rule["legal"] or []}
    return fault_of_refusal(problem.code, problem.document["detail"], error)
