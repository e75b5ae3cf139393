"""Reading a record: tolerant in layout, strict in meaning, for all that is read is played."""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from reprlib import repr as shorten

from plyscribe.domain.decide.play import MAX_MOVE_LENGTH
from plyscribe.domain.errors import BadNotation, DomainError, IllegalMove, RecordError
from plyscribe.domain.record.headers import NUMBER, QUOTED, Fault, Headers, at, unescape, unquote
from plyscribe.domain.record.values import Comment, Line, Record, describe_turn, format_outcome

WORDS_OF_A_MOVE = 8
"""Of words with no number between them so many are tried as one move, and all of them together."""

WORDS_SHOWN = 3
"""So many of the words that are no move are shown."""

_TOKEN = re.compile(
    rf"""
      (?P<space>\s+)
    | (?P<header>\[)
    | \{{(?P<comment>[^\\}}]*+(?:(?>\\u\{{[^{{}}]*+\}}|\\.)[^\\}}]*+)*+)\}}
    | \((?P<told>[^()]*)\)
    | (?P<quoted>{QUOTED})
    | (?P<number>[0-9]+)\.+
    | (?P<word>[^\s{{}}()\[\]"]+)
    """,
    re.VERBOSE | re.DOTALL,
)
_RESULT = re.compile(r"([0-9]{1,9}(?:-[0-9]{1,9})*)(?:\s+(\S+))?")

_UNREADABLE = {
    "{": "this comment has no } at its end",
    "(": "this ( has no ) at its end",
    '"': "this text has no quote at its end in its line",
}


def parse_record(text: str) -> Record:
    """The record that a text tells, played from its first step to its last: inverse of format_record.

    Line breaks and spaces count as one space, move numbers may be left out, options and the version of the ruleset too,
    for their defaults; so may the result. RecordError where it cannot be read, breaks a rule, or contradicts itself.
    """
    text = text.removeprefix("\ufeff")
    reader = _Reader(text)
    try:
        return reader.read()
    except Fault as fault:
        ply, prefix = reader.so_far()
        line, column = text.count("\n", 0, fault.place) + 1, fault.place - text.rfind("\n", 0, fault.place)
        clause = fault.why.details.get("clause") if isinstance(fault.why, DomainError) else None
        raise RecordError(str(fault), line, column, ply, clause, prefix) from None


class _Reader:
    """A text on its way to a record: what was read so far."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._headers = Headers()
        self._begun: tuple[Record, Line] | None = None
        self._words: list[tuple[int, str]] = []
        self._comments: list[Comment] = []

    def read(self) -> Record:
        """The record; Fault at the first place where something is wrong."""
        place = 0
        while place < len(self._text):
            place = self._read_token(place)
        self._read_words()
        line = self._begin(place)
        if self._headers.result:
            place, told = self._headers.result
            if why := _contradict(told, line):
                raise Fault(place, why)
        return self._record()

    def so_far(self) -> tuple[int, Record | None]:
        """The moves made so far and the record of them, None before it has begun."""
        return (self._begun[1].ply, self._record()) if self._begun else (0, None)

    def _record(self) -> Record:
        assert self._begun is not None
        head, line = self._begun
        return replace(head, steps=tuple(line.steps), comments=tuple(self._comments), outcome=line.outcome)

    def _begin(self, place: int) -> Line:
        """The line that the moves follow; before its first step the headers end at this place."""
        if self._begun is None:
            self._begun = self._headers.begin(place)
        return self._begun[1]

    def _read_token(self, place: int) -> int:
        """Read what stands at this place; the place after it."""
        found = _TOKEN.match(self._text, place)
        if found is None:
            self._read_words()
            character = self._text[place]
            raise Fault(place, _UNREADABLE.get(character, f"nothing is open that this {character} could close"))
        kind, told = found.lastgroup, found[found.lastgroup or 0]
        if kind == "word":
            self._words.append((place, told))
        elif kind != "space":
            self._read_words()
        match kind:
            case "header" if self._begun:
                raise Fault(place, "headers stand before the moves, and a text holds one record")
            case "header":
                return self._headers.add(self._text, place)
            case "comment":
                steps = len(self._begun[1].steps) if self._begun else 0
                self._comments.append(Comment(steps, unescape(place, " ".join(told.split()))))
            case "told":
                self._read_told(place, told)
            case "quoted":
                self._read_move(place, unquote(place, told))
            case "number":
                self._check_number(place, told)
        return found.end()

    def _check_number(self, place: int, told: str) -> None:
        due = self._begin(place).ply + 1
        if not NUMBER.fullmatch(told) or int(told) != due:
            raise Fault(place, f"this is called move {told[:9]}, but move {due} is due")

    def _read_told(self, place: int, told: str) -> None:
        line = self._begin(place)
        label, colon, rest = told.lower().rpartition(":")
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
        raise Fault(place, "in parentheses stand dice (3 5), a withdrawal (2 resigned) or an agreed (draw)")

    def _read_label(self, place: int, label: str, is_given: bool) -> tuple[str | None, int | None]:
        """The purpose and the seat that stand before the dice."""
        words, seat = label.split(), None
        if words and NUMBER.fullmatch(words[-1]):
            seat = int(words.pop())
            if words[-1:] == ["seat"]:
                words.pop()
        if len(words) > 1 or (is_given and not words and seat is None):
            raise Fault(place, "before the colon stands what the dice are for, the seat, or both: (push 2: 3 5)")
        return words[0] if words else None, seat

    def _read_words(self) -> None:
        """Read the words that stand together as moves, each as long as it can be."""
        words, self._words = self._words, []
        start = 0
        while start < len(words):
            place = words[start][0]
            line = self._begin(place)
            with at(place):
                line.expect_decision()
            # No more than these fit into one move.
            ahead = [word for _, word in words[start : start + MAX_MOVE_LENGTH]]
            count = _count_words(line, ahead)
            self._read_move(place, " ".join(ahead[:count]))
            start += count

    def _read_move(self, place: int, text: str) -> None:
        line = self._begin(place)
        with at(place):
            if len(text) > MAX_MOVE_LENGTH:
                raise BadNotation(f"{text[:20]}…", line.ply, f"at most {MAX_MOVE_LENGTH} characters")
            line.move(text)


def _count_words(line: Line, words: Sequence[str]) -> int:
    """How many of the words make a move: the most with which it is legal, else with which it can be read.

    Where they make none at all, some that show it.
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
            return count
    return readable or min(WORDS_SHOWN, len(words))


def _contradict(told: str, line: Line) -> str | None:
    """What is wrong with a result, None when it is the one that the moves amount to."""
    outcome, said = line.outcome, _RESULT.fullmatch(told)
    if told == "*":
        return f"the result says * (unfinished), but {describe_turn(outcome)}" if outcome else None
    if said is None:
        return "a result reads 1-2 blocked (ranks by seat, and the reason), or * for an unfinished match"
    if outcome is None:
        return f"the result says {shorten(told)}, but the match is not over: {describe_turn(line.turn)}"
    ranks, reason = said.groups()
    if ranks != "-".join(map(str, outcome.ranks)) or reason not in (None, outcome.reason):
        return f"the result says {shorten(told)}, but by the moves it is {format_outcome(outcome)}"
    return None
