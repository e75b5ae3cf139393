"""Reading a record: any layout is accepted, but every step is played and must be legal."""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, product
from reprlib import repr as shorten
from typing import NamedTuple

from plyscribe.domain.decide.play import MAX_MOVE_LENGTH
from plyscribe.domain.errors import BadNotation, DomainError, IllegalMove, RecordError
from plyscribe.domain.phrases import say
from plyscribe.domain.record.headers import NUMBER, QUOTED, Fault, Headers, at, unescape, unquote
from plyscribe.domain.record.values import Comment, Line, Record, Step, describe_turn, format_outcome
from plyscribe.domain.ruleset import Decision

WORDS_OF_A_MOVE = 8
"""The most words that are tried as one move. All words without a number between them are tried together, too."""

WORDS_OF_A_GUESS = 4
"""The most words that are tried as one move in other letters."""

MOST_SKIPPED = 4
"""The most judgements and plain numbers between two moves."""

WORDS_SHOWN = 3
"""The number of words that a refusal quotes."""

MOST_STEPS = 500
"""The most steps that `read_steps` reads."""


class PlacedStep(NamedTuple):
    """A step, with the line and the column at which it stands in a text."""

    step: Step
    line: int
    column: int


class PlacedFault(NamedTuple):
    """What is wrong in a text, and where."""

    why: DomainError | str
    line: int
    column: int


class ReadSteps(NamedTuple):
    """The steps of a text up to its first fault; None if it has none."""

    steps: list[PlacedStep]
    fault: PlacedFault | None


_TOKEN = re.compile(
    rf"""
      (?P<space>\s+)
    | (?P<header>\[)
    | \{{(?P<comment>[^\\}}]*+(?:(?>\\u\{{[^{{}}]*+\}}|\\.)[^\\}}]*+)*+)\}}
    | \((?P<step>[^()]*)\)
    | (?P<quoted>{QUOTED})
    | (?P<number>[0-9]+)(?:\.+|\))
    | ;(?P<remark>[^\n]*)
    | (?P<word>[^\s{{}}()\[\]"]+)
    """,
    re.VERBOSE | re.DOTALL,
)
_GLYPH = re.compile(r"\$[0-9]{1,3}|[!?]{1,2}")
"""A judgement on the move before it, as PGN has them. It is ignored."""

_RESULT = re.compile(r"([0-9]{1,9}(?:-[0-9]{1,9})*)(?:\s+(\S+))?")

_UNREADABLE = {
    "{": "this comment does not end with }",
    "(": "this ( is never closed",
    '"': "this quote is not closed on its line",
}


def parse_record(text: str, to_store: bool = False) -> Record:
    """The record in a text, played from its first step to its last; inverse of format_record.

    Any white space counts as one space. Move numbers, options, the ruleset version and the result may be left out.
    RecordError if the text cannot be read, breaks a rule or contradicts itself, or if it is `to_store` and no match of
    a server can have its names and notes.
    """
    text = text.removeprefix("\ufeff")
    reader = _Reader(text, to_store)
    try:
        return reader.read()
    except Fault as fault:
        ply, prefix = reader.so_far()
        line, column = find_line(text, fault.place)
        clause = fault.why.details.get("clause") if isinstance(fault.why, DomainError) else None
        raise RecordError(str(fault), line, column, ply, clause, prefix) from None


def read_steps(line: Line, text: str) -> ReadSteps:
    """The steps in a text without headers, which go on from where the line stands; the line takes them.

    Reading ends at the first place that is wrong. Everything before it is good.
    """
    reader = _StepReader(line, text)
    try:
        reader.read_all()
    except Fault as fault:
        return ReadSteps(reader.placed, PlacedFault(fault.why, *find_line(text, fault.place)))
    return ReadSteps(reader.placed, None)


def find_line(text: str, place: int) -> tuple[int, int]:
    """The line and the column of a place, a number of characters from the start of the text; both count from 1."""
    return text.count("\n", 0, place) + 1, place - text.rfind("\n", 0, place)


class _Reader:
    """A text that is being read, with the headers and steps so far."""

    def __init__(self, text: str, to_store: bool = False) -> None:
        self._text = text
        self._to_store = to_store
        self._headers = Headers()
        self._begun: tuple[Record, Line] | None = None
        self._words: list[tuple[int, str]] = []
        self._skipped = 0
        self._comments: list[Comment] = []

    def read_all(self) -> int:
        """Read the text to its end, which is returned; Fault at the first place that is wrong."""
        place = 0
        while place < len(self._text):
            place = self._read_token(place)
        self._read_words()
        return place

    def read(self) -> Record:
        """The record; Fault at the first place that is wrong."""
        place = self.read_all()
        line = self._begin(place)
        if self._headers.result:
            place, claimed = self._headers.result
            if why := _contradict(claimed, line):
                raise Fault(place, why)
        return self._record()

    def so_far(self) -> tuple[int, Record | None]:
        """The number of moves so far, and their record; None before the headers are complete."""
        return (self._begun[1].ply, self._record()) if self._begun else (0, None)

    def _record(self) -> Record:
        assert self._begun is not None
        head, line = self._begun
        return replace(head, steps=tuple(line.steps), comments=tuple(self._comments), outcome=line.outcome)

    def _begin(self, place: int) -> Line:
        """The line to add steps to. The first call ends the headers at this place."""
        if self._begun is None:
            begun = self._headers.begin(place)
            if self._to_store:
                self._headers.require_storable()
            self._begun = begun
        return self._begun[1]

    def _read_token(self, place: int) -> int:
        """Read the token at this place; returns the place after it."""
        found = _TOKEN.match(self._text, place)
        if found is None:
            self._read_words()
            character = self._text[place]
            raise Fault(place, _UNREADABLE.get(character, f"this {character} closes nothing"))
        kind, text = found.lastgroup, found[found.lastgroup or 0]
        if kind == "word":
            self._words.append((place, text))
        elif kind != "space":
            self._read_words()
        match kind:
            case "header" if self._begun:
                raise Fault(place, "headers come before the moves, and a text holds one record")
            case "header":
                return self._headers.add(self._text, place)
            case "comment":
                self._add_comment(unescape(place, " ".join(text.split())))
            case "remark":
                self._add_comment(" ".join(text.split()))
            case "step":
                self._read_step(place, text)
            case "quoted":
                self._read_move(place, unquote(place, text))
            case "number":
                self._check_number(place, text)
        return found.end()

    def _add_comment(self, text: str) -> None:
        self._comments.append(Comment(len(self._begun[1].steps) if self._begun else 0, text))

    def _check_number(self, place: int, number: str) -> None:
        due = self._begin(place).ply + 1
        if not NUMBER.fullmatch(number) or int(number) != due:
            raise Fault(place, f"this is called move {number[:9]}, but move {due} is due")

    def _read_step(self, place: int, text: str) -> None:
        line = self._begin(place)
        label, colon, rest = text.lower().rpartition(":")
        words = rest.replace(",", " ").split()
        with at(place):
            if words and all(map(NUMBER.fullmatch, words)):
                line.roll(tuple(map(int, words)), *self._read_label(place, label, bool(colon)))
                return
            if words == ["draw"] and not colon:
                line.agree_draw()
                return
            if words[:1] == ["seat"]:
                del words[0]
            if len(words) == 2 and NUMBER.fullmatch(words[0]) and not colon:
                line.withdraw(int(words[0]), words[1])
                return
        raise Fault(place, "parentheses hold dice (3 5), a withdrawal (2 resigned) or an agreed (draw)")

    def _read_label(self, place: int, label: str, is_given: bool) -> tuple[str | None, int | None]:
        """The purpose and the seat before the dice."""
        words, seat = label.split(), None
        if words and NUMBER.fullmatch(words[-1]):
            seat = int(words.pop())
            if words[-1:] == ["seat"]:
                words.pop()
        if len(words) > 1 or (is_given and not words and seat is None):
            raise Fault(place, "before the colon goes what the dice are for, the seat, or both: (push 2: 3 5)")
        return words[0] if words else None, seat

    def _read_words(self) -> None:
        """Read the collected words as moves, each as long as possible."""
        words, self._words = self._words, []
        start = 0
        while start < len(words):
            place = words[start][0]
            line = self._begin(place)
            # A move has at least one character a word, so no more words fit.
            ahead = [word for _, word in words[start : start + MAX_MOVE_LENGTH]]
            if self._can_skip(line, ahead):
                self._skipped += 1
                start += 1
                continue
            with at(place):
                line.expect_decision()
                count, text = _find_move(line, ahead)
            self._read_move(place, text)
            start += count

    def _can_skip(self, line: Line, words: Sequence[str]) -> bool:
        """Whether the first word is a judgement or a move number, and not the beginning of a move."""
        is_no_move = words[0] == str(line.ply + 1) or _GLYPH.fullmatch(words[0])
        return bool(is_no_move) and self._skipped < MOST_SKIPPED and not _begins_move(line, words)

    def _read_move(self, place: int, text: str) -> None:
        line = self._begin(place)
        with at(place):
            if len(text) > MAX_MOVE_LENGTH:
                raise BadNotation(f"{text[:20]}…", line.ply, say("at most {most} characters", most=MAX_MOVE_LENGTH))
            line.move(text)
        self._skipped = 0


class _StepReader(_Reader):
    """A text of steps that go on from a position."""

    def __init__(self, line: Line, text: str) -> None:
        super().__init__(text)
        self._line = line
        self.placed: list[PlacedStep] = []

    def _begin(self, place: int) -> Line:
        return self._line

    def _read_token(self, place: int) -> int:
        if self._text[place] == "[":
            self._read_words()
            raise Fault(place, "headers stand in a whole record: type only the steps here")
        return super()._read_token(place)

    def _read_step(self, place: int, text: str) -> None:
        super()._read_step(place, text)
        self._note(place)

    def _read_move(self, place: int, text: str) -> None:
        super()._read_move(place, text)
        self._note(place)

    def _note(self, place: int) -> None:
        if len(self.placed) >= MOST_STEPS:
            raise Fault(place, f"a text holds at most {MOST_STEPS} steps: record these, and then the others")
        self.placed.append(PlacedStep(self._line.steps[-1], *find_line(self._text, place)))


def _find_move(line: Line, words: Sequence[str]) -> tuple[int, str]:
    """How many of the words make the next move, and its text: the longest legal move, or else what is to be refused.

    If nothing can be read as it stands, capitals and small letters count as the same, and `!` and `?` behind a move as
    nothing.
    """
    readable = 0
    for count in chain((len(words),), range(min(WORDS_OF_A_MOVE, len(words)), 0, -1)):
        text = " ".join(words[:count])
        if len(text) > MAX_MOVE_LENGTH:
            continue
        try:
            line.ruleset.parse_move(line.state, text)
        except IllegalMove:
            readable = readable or count
        except BadNotation:
            continue
        else:
            return count, text
    if not readable and (meant := _guess_move(line, words)):
        return meant
    count = readable or min(WORDS_SHOWN, len(words))
    return count, " ".join(words[:count])


def _begins_move(line: Line, words: Sequence[str]) -> bool:
    """Whether a move is due and some of the words, from the first on, are readable as one, legal or not."""
    if not isinstance(line.turn, Decision):
        return False
    for count in range(1, min(WORDS_OF_A_MOVE, len(words)) + 1):
        try:
            line.ruleset.parse_move(line.state, " ".join(words[:count]))
        except BadNotation:
            continue
        except IllegalMove:
            pass
        return True
    return False


def _guess_move(line: Line, words: Sequence[str]) -> tuple[int, str] | None:
    """The longest legal move that the words may mean; BadNotation if they may mean several."""
    for count in range(min(WORDS_OF_A_GUESS, len(words)), 0, -1):
        *first, last = words[:count]
        last = last.rstrip("!?")
        spellings = [*({word.lower(), word.upper()} for word in first), {last, last.lower(), last.upper()}]
        meant = {found for each in product(*spellings) if (found := _spell(line, " ".join(each)))}
        if len(meant) > 1:
            text, choice = " ".join(words[:count]), " or ".join(sorted(meant))
            raise BadNotation(text, line.ply, say("it may mean {choice}: write one of them", choice=choice))
        if meant:
            return count, meant.pop()
    return None


def _spell(line: Line, text: str) -> str:
    """The legal move of this text as the rules spell it; empty if it is none."""
    if len(text) > MAX_MOVE_LENGTH:
        return ""
    try:
        return line.ruleset.format_move(line.state, line.ruleset.parse_move(line.state, text))
    except (IllegalMove, BadNotation):
        return ""


def _contradict(claimed: str, line: Line) -> str | None:
    """Why the claimed result is wrong; None if it is what the moves lead to."""
    outcome, said = line.outcome, _RESULT.fullmatch(claimed)
    if claimed == "*":
        return f"the result says * (unfinished), but {describe_turn(outcome)}" if outcome else None
    if said is None:
        return "a result is like `1-2 blocked` (ranks by seat, and the reason), or * for an unfinished match"
    if outcome is None:
        return f"the result says {shorten(claimed)}, but the match is not over: {describe_turn(line.turn)}"
    ranks, reason = said.groups()
    if ranks != "-".join(map(str, outcome.ranks)) or reason not in (None, outcome.reason):
        return f"the result says {shorten(claimed)}, but the moves lead to {format_outcome(outcome)}"
    return None
