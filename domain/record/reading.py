"""Reading a record: tolerant in layout, strict in meaning, for all that is read is played."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain
from reprlib import repr as shorten
from typing import Any, NamedTuple, NoReturn

from domain.chain import parse_json
from domain.decide import MAX_MOVE_LENGTH
from domain.errors import BadNotation, DomainError, IllegalMove, OptionError, RecordError
from domain.record.values import UNKNOWN_NAME, Comment, Line, Record, describe_turn, format_outcome
from domain.record.writing import RESERVED, is_json
from domain.ruleset import AnyRuleset
from domain.rulesets import find_ruleset

WORDS_OF_A_MOVE = 8
"""Of words with no number between them so many are tried as one move, and all of them together."""

WORDS_SHOWN = 3
"""So many of the words that are no move are shown."""

KEYED = ("option", "seat", "about")

_QUOTED = r'"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"'
_TOKEN = re.compile(
    rf"""
      (?P<space>\s+)
    | (?P<header>\[)
    | \{{(?P<comment>[^\\}}]*+(?:(?>\\u\{{[^{{}}]*+\}}|\\.)[^\\}}]*+)*+)\}}
    | \((?P<told>[^()]*)\)
    | (?P<quoted>{_QUOTED})
    | (?P<number>[0-9]+)\.+
    | (?P<word>[^\s{{}}()\[\]"]+)
    """,
    re.VERBOSE | re.DOTALL,
)
_HEADER = re.compile(
    rf"""
    \[ [^\S\n]*+
    (?: (?P<keyed>option|seat|about) [^\S\n]++ (?P<key>{_QUOTED}|[^\s\[\]"]++) | (?P<name>[^\s\[\]"]++) )
    [^\S\n]*+ (?P<value>{_QUOTED}[^\S\n]*+|(?!")[^\]\n]*+) \]
    """,
    re.VERBOSE | re.IGNORECASE,
)
_ESCAPE = re.compile(r"\\(?:u\{([0-9a-fA-F]{1,6})\}|(.))", re.DOTALL)
_NUMBER = re.compile(r"[0-9]{1,9}")
_RESULT = re.compile(r"([0-9]{1,9}(?:-[0-9]{1,9})*)(?:\s+(\S+))?")

_UNREADABLE = {
    "[": "a header reads [name value] in one line, its value in quotes if it holds a ]",
    "{": "this comment has no } at its end",
    "(": "this ( has no ) at its end",
    '"': "this text has no quote at its end in its line",
}


def parse_record(text: str) -> Record:
    """The record that a text tells, played from its first step to its last: inverse of format_record.

    Line breaks and spaces count as one space, move numbers may be left out, options and the version of the ruleset too,
    for their defaults; so may the result. RecordError where it cannot be read, breaks a rule, or contradicts itself.
    """
    return _Reader(text.removeprefix("\ufeff")).read()


class _Header(NamedTuple):
    place: int
    value: str
    is_short: bool


class _Reader:
    """A text on its way to a record: what was read so far."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._headers: dict[tuple[str, str], _Header] = {}
        self._head: Record | None = None
        self._line: Line | None = None
        self._words: list[tuple[int, str]] = []
        self._comments: list[Comment] = []

    def read(self) -> Record:
        place = 0
        while place < len(self._text):
            place = self._read_token(place)
        self._read_words()
        line = self._begin(place)
        result = self._headers.get(("result", ""))
        if result and (why := _contradict(result.value, line)):
            self._fail(result.place, why)
        return self._record_so_far(line)

    def _read_token(self, place: int) -> int:
        """Read what stands at this place; the place after it."""
        found = _TOKEN.match(self._text, place)
        if found is None:
            character = self._text[place]
            self._fail(place, _UNREADABLE.get(character, f"nothing is open that this {character} could close"))
        kind, told = found.lastgroup, found[found.lastgroup or 0]
        if kind == "word":
            self._words.append((place, told))
        elif kind != "space":
            self._read_words()
        match kind:
            case "header":
                return self._read_header(place)
            case "comment":
                text = self._unescape(place, " ".join(told.split()))
                self._comments.append(Comment(len(self._line.steps) if self._line else 0, text))
            case "told":
                self._read_told(place, told)
            case "quoted":
                self._read_move(place, self._unquote(place, told))
            case "number":
                self._check_number(place, told)
        return found.end()

    # -------------------------------------------------------------------------------------------------------- headers

    def _read_header(self, place: int) -> int:
        if self._line is not None:
            self._fail(place, "headers stand before the moves, and a text holds one record")
        found = _HEADER.match(self._text, place)
        if found is None:
            self._fail(place, _UNREADABLE["["])
        keyed, key, name, value = found.group("keyed", "key", "name", "value")
        name, key = (keyed or name).lower(), self._unquote(place, key or "")
        if not keyed and name in KEYED:
            self._fail(place, f"the {name} of what? It reads [{name} … …]")
        if is_short := name not in RESERVED:
            name, key = "about", name
        if (name, key) in self._headers:
            self._fail(place, f"this header is here for the second time: {shorten(f'{name} {key}'.strip())}")
        self._headers[name, key] = _Header(place, self._unquote(place, value.strip()), is_short)
        return found.end()

    def _unquote(self, place: int, text: str) -> str:
        return self._unescape(place, text[1:-1]) if text.startswith('"') else " ".join(text.split())

    def _unescape(self, place: int, text: str) -> str:
        try:
            return _ESCAPE.sub(_read_escape, text)
        except ValueError:
            self._fail(place, "after \\u stands the number of a character, in hex: \\u{7d}")

    def _begin(self, place: int) -> Line:
        """The line that the moves follow, as the headers say; `place` is where they end."""
        if self._line is None:
            ruleset = self._find_ruleset(place)
            options = self._read_options(ruleset)
            seats, about = self._read_seats(place), self._read_about(options)
            with self._at(self._headers["seat", "1"].place):
                self._line = Line(ruleset, options, len(seats))
            self._head = Record(ruleset.id, ruleset.version, options, seats, about)
        return self._line

    def _keyed(self, name: str) -> dict[str, _Header]:
        return {key: header for (kind, key), header in self._headers.items() if kind == name}

    def _find_ruleset(self, place: int) -> AnyRuleset:
        header = self._headers.get(("ruleset", ""))
        if header is None:
            self._fail(place, "no header names the ruleset, as in [ruleset zhen]")
        id, _, version = header.value.partition(" ")
        if version and not _NUMBER.fullmatch(version):
            self._fail(header.place, f"the version of a ruleset is a number, not {shorten(version)}")
        with self._at(header.place):
            return find_ruleset(id, int(version) if version else None)

    def _read_options(self, ruleset: AnyRuleset) -> dict[str, Any]:
        told = self._keyed("option")
        try:
            return ruleset.parse_options({key: _read_option(header.value) for key, header in told.items()})
        except OptionError as error:
            self._fail(told.get(error.name, self._headers["ruleset", ""]).place, error)

    def _read_seats(self, place: int) -> tuple[str, ...]:
        told = self._keyed("seat")
        if not told:
            self._fail(place, "no header names a seat, as in [seat 1 Ada]")
        numbers = dict.fromkeys(str(number) for number in range(1, len(told) + 1))
        for key, header in told.items():
            if key not in numbers:
                self._fail(
                    header.place, f"the {len(told)} seats are 1..{len(told)}, and there is no seat {shorten(key)}"
                )
        return tuple(told[number].value or UNKNOWN_NAME for number in numbers)

    def _read_about(self, options: dict[str, Any]) -> dict[str, str]:
        told = self._keyed("about")
        for key, header in told.items():
            if header.is_short and key in options:
                self._fail(header.place, f"{key} is an option of this ruleset: write [option {key} …]")
        return {key: header.value for key, header in told.items()}

    # ---------------------------------------------------------------------------------------------------------- moves

    def _check_number(self, place: int, told: str) -> None:
        due = self._begin(place).ply + 1
        if not _NUMBER.fullmatch(told) or int(told) != due:
            self._fail(place, f"this is called move {told[:9]}, but move {due} is due")

    def _read_told(self, place: int, told: str) -> None:
        line = self._begin(place)
        label, colon, rest = told.lower().rpartition(":")
        words = rest.replace(",", " ").split()
        with self._at(place):
            if words and all(map(_NUMBER.fullmatch, words)):
                line.roll(tuple(map(int, words)), *self._read_label(place, label, bool(colon)))
                return
            if words == ["draw"] and not colon:
                line.agree_draw()
                return
            if words[:1] == ["seat"]:
                del words[0]
            if len(words) == 2 and _NUMBER.fullmatch(words[0]) and not colon:
                line.withdraw(int(words[0]), words[1])
                return
        self._fail(place, "in parentheses stand dice (3 5), a withdrawal (2 resigned) or an agreed (draw)")

    def _read_label(self, place: int, label: str, is_given: bool) -> tuple[str | None, int | None]:
        """The purpose and the seat that stand before the dice."""
        words, seat = label.split(), None
        if words and _NUMBER.fullmatch(words[-1]):
            seat = int(words.pop())
            if words[-1:] == ["seat"]:
                words.pop()
        if len(words) > 1 or (is_given and not words and seat is None):
            self._fail(place, "before the colon stands what the dice are for, the seat, or both: (push 2: 3 5)")
        return words[0] if words else None, seat

    def _read_words(self) -> None:
        """Read the words that stand together as moves, each as long as it can be."""
        words, self._words = self._words, []
        start = 0
        while start < len(words):
            place = words[start][0]
            line = self._begin(place)
            with self._at(place):
                line.expect_decision()
            # No more than these fit into one move.
            ahead = [word for _, word in words[start : start + MAX_MOVE_LENGTH]]
            count = _count_words(line, ahead)
            self._read_move(place, " ".join(ahead[:count]))
            start += count

    def _read_move(self, place: int, text: str) -> None:
        line = self._begin(place)
        with self._at(place):
            if len(text) > MAX_MOVE_LENGTH:
                raise BadNotation(f"{text[:20]}…", line.ply, f"at most {MAX_MOVE_LENGTH} characters")
            line.move(text)

    # ---------------------------------------------------------------------------------------------------------- faults

    def _record_so_far(self, line: Line) -> Record:
        assert self._head is not None  # it begins with the line
        comments = tuple(self._comments)
        return replace(self._head, steps=tuple(line.steps), comments=comments, outcome=line.outcome)

    @contextmanager
    def _at(self, place: int) -> Iterator[None]:
        """What the rules refuse meanwhile is a fault at this place."""
        try:
            yield
        except RecordError:
            raise
        except DomainError as error:
            self._fail(place, error)

    def _fail(self, place: int, why: DomainError | str) -> NoReturn:
        line = self._text.count("\n", 0, place) + 1
        column = place - self._text.rfind("\n", 0, place)
        clause = why.details.get("clause") if isinstance(why, DomainError) else None
        ply, prefix = (self._line.ply, self._record_so_far(self._line)) if self._line else (0, None)
        raise RecordError(str(why), line, column, ply, clause, prefix) from None


def _read_escape(found: re.Match[str]) -> str:
    number, character = found.groups()
    if character == "u":
        raise ValueError
    return chr(int(number, 16)) if number else character


def _read_option(text: str) -> Any:
    return parse_json(text.encode()) if is_json(text) else text


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
