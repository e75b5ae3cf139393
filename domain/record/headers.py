"""Reading the headers of a record, up to a match that can begin."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from reprlib import repr as shorten
from typing import Any, NamedTuple

from plyscribe.domain.chain import parse_json
from plyscribe.domain.decide.opening import ABOUT_KEY, MAX_ABOUT, MAX_ABOUT_LENGTH
from plyscribe.domain.errors import DomainError, OptionError
from plyscribe.domain.names import describe_names, is_name, is_printable
from plyscribe.domain.record.formatting import RESERVED, is_json
from plyscribe.domain.record.remarks import TIME_CONTROL
from plyscribe.domain.record.values import UNKNOWN_NAME, Line, Record
from plyscribe.domain.ruleset import AnyRuleset
from plyscribe.domain.rulesets import find_ruleset

KEYED = ("option", "seat", "about")
"""The headers with a key, as in [seat 1 Ada]."""

QUOTED = r'"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"'
NUMBER = re.compile(r"[0-9]{1,9}")

_HEADER = re.compile(
    rf"""
    \[ [^\S\n]*+
    (?: (?P<keyed>option|seat|about) [^\S\n]++ (?P<key>{QUOTED}|[^\s\[\]"]++) | (?P<name>[^\s\[\]"]++) )
    [^\S\n]*+ (?P<value>{QUOTED}[^\S\n]*+|(?!")[^\[\]\n]*+) \]
    """,
    re.VERBOSE | re.IGNORECASE,
)
_ESCAPE = re.compile(r"\\(?:u\{([0-9a-fA-F]{1,6})\}|(.))", re.DOTALL)


_RUN_TOGETHER = re.compile(r"seat([0-9]+)")


class Fault(Exception):
    """A fault in the text at `place`, a number of characters from the start."""

    def __init__(self, place: int, why: DomainError | str) -> None:
        super().__init__(str(why))
        self.place = place
        self.why = why


@contextmanager
def at(place: int) -> Iterator[None]:
    """Turn every DomainError in the block into a Fault at this place."""
    try:
        yield
    except DomainError as error:
        raise Fault(place, error) from None


class _Header(NamedTuple):
    place: int
    value: str
    is_short: bool


class Headers:
    """The headers read so far, by name and key."""

    def __init__(self) -> None:
        self._headers: dict[tuple[str, str], _Header] = {}

    def add(self, text: str, place: int) -> int:
        """Read the header at this place of the text; returns the place after it."""
        found = _HEADER.match(text, place)
        if found is None:
            raise Fault(place, "a header is [name value] on one line, and a value with brackets is quoted")
        keyed, key, name, value = found.group("keyed", "key", "name", "value")
        name, key = (keyed or name).lower(), unquote(place, key or "")
        if not keyed and name in KEYED:
            raise Fault(place, f"this header needs a key and a value: [{name} … …]")
        if is_short := name not in RESERVED:
            name, key = "about", name
        if (name, key) in self._headers:
            raise Fault(place, f"this header was given before: {shorten(f'{name} {key}'.strip())}")
        self._headers[name, key] = _Header(place, unquote(place, value.strip()), is_short)
        return found.end()

    @property
    def result(self) -> tuple[int, str] | None:
        """The place and the value of the result header, if there is one."""
        header = self._headers.get(("result", ""))
        return header and header[:2]

    def begin(self, end: int) -> tuple[Record, Line]:
        """The record and the line before the first step; `end` is the place where the headers end."""
        ruleset = self._find_ruleset(end)
        options = self._read_options(ruleset)
        seats, about = self._read_seats(end), self._read_about(options)
        try:
            line = Line(ruleset, options, len(seats))
        except DomainError as error:
            raise self._find_run_together() or Fault(self._headers["seat", "1"].place, error) from None
        return Record(ruleset.id, ruleset.version, options, seats, about), line

    def require_storable(self) -> None:
        """Fault at the first name or note that no match of a server can have. The format itself takes any text."""
        room = MAX_ABOUT + (("about", TIME_CONTROL) in self._headers)
        for (name, key), header in self._headers.items():
            why = ""
            if name == "seat" and header.value and (not is_name(header.value) or header.value != header.value.strip()):
                why = f"a name must have {describe_names()}, and no space at either end"
            if name == "about":
                room -= 1
                why = _describe_fault(key, header.value)
            if room < 0:
                why = f"a match has at most {MAX_ABOUT} headers like this one, besides its time control"
            if why:
                raise Fault(header.place, why)

    def _find_ruleset(self, end: int) -> AnyRuleset:
        header = self._headers.get(("ruleset", ""))
        if header is None:
            raise Fault(end, "no header names the ruleset, as in [ruleset zhen]")
        id, _, version = header.value.partition(" ")
        if version and not NUMBER.fullmatch(version):
            raise Fault(header.place, f"the version of a ruleset is a number, not {shorten(version)}")
        with at(header.place):
            return find_ruleset(id.lower(), int(version) if version else None)

    def _read_options(self, ruleset: AnyRuleset) -> dict[str, Any]:
        headers = self._list_keyed("option")
        try:
            return ruleset.parse_options({key: _read_option(header.value) for key, header in headers.items()})
        except OptionError as error:
            raise Fault(headers.get(error.name, self._headers["ruleset", ""]).place, error) from None

    def _read_seats(self, end: int) -> tuple[str, ...]:
        headers = self._list_keyed("seat")
        if not headers:
            raise self._find_run_together() or Fault(end, "no header names a seat, as in [seat 1 Ada]")
        numbers = dict.fromkeys(str(number) for number in range(1, len(headers) + 1))
        for key, header in headers.items():
            if key not in numbers:
                why = f"the {len(headers)} seats are 1..{len(headers)}, and there is no seat {shorten(key)}"
                raise self._find_run_together() or Fault(header.place, why)
        return tuple(headers[number].value or UNKNOWN_NAME for number in numbers)

    def _find_run_together(self) -> Fault | None:
        """The fault of the first note with a name like `seat1`. If a seat is missing, the note was meant to be it."""
        for (name, key), note in self._headers.items():
            if name == "about" and note.is_short and (meant := _RUN_TOGETHER.fullmatch(key)):
                return Fault(note.place, f"this header has no space before its number: [seat {meant[1]} …]")
        return None

    def _read_about(self, options: dict[str, Any]) -> dict[str, str]:
        headers = self._list_keyed("about")
        for key, header in headers.items():
            if header.is_short and key in options:
                raise Fault(header.place, f"{key} is an option of this ruleset: write [option {key} …]")
        return {key: header.value for key, header in headers.items()}

    def _list_keyed(self, name: str) -> dict[str, _Header]:
        return {key: header for (kind, key), header in self._headers.items() if kind == name}


def _describe_fault(key: str, text: str) -> str:
    """Why a match cannot have this note; empty if it can."""
    if not re.fullmatch(ABOUT_KEY, key):
        return f"{shorten(key)} is no key: a key has 1 to 32 of a-z, 0-9 and _, the first one a letter"
    if not (1 <= len(text) <= MAX_ABOUT_LENGTH and is_printable(text)):
        return f"{key} must have 1 to {MAX_ABOUT_LENGTH} printable characters"
    return ""


def unquote(place: int, text: str) -> str:
    """The text without quotes and escapes; text without quotes gets single spaces between its words."""
    return unescape(place, text[1:-1]) if text.startswith('"') else " ".join(text.split())


def unescape(place: int, text: str) -> str:
    """The text with its escapes replaced; Fault at `place` if one of them stands for no character."""
    try:
        return _ESCAPE.sub(_read_escape, text)
    except ValueError:
        raise Fault(place, "\\u needs the number of a character in hex, as in \\u{7d}") from None


def _read_escape(found: re.Match[str]) -> str:
    number, character = found.groups()
    if character == "u":
        raise ValueError
    return chr(int(number, 16)) if number else character


def _read_option(text: str) -> Any:
    return parse_json(text.encode()) if is_json(text) else text
