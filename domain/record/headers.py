"""The headers of a record on their way from text to a match that can begin."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from reprlib import repr as shorten
from typing import Any, NamedTuple

from plyscribe.domain.chain import parse_json
from plyscribe.domain.errors import DomainError, OptionError
from plyscribe.domain.record.values import UNKNOWN_NAME, Line, Record
from plyscribe.domain.record.writing import RESERVED, is_json
from plyscribe.domain.ruleset import AnyRuleset
from plyscribe.domain.rulesets import find_ruleset

KEYED = ("option", "seat", "about")
"""The headers that are about one of several things, which they name."""

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


class Fault(Exception):
    """Something is wrong at a place, counted in characters from the beginning."""

    def __init__(self, place: int, why: DomainError | str) -> None:
        super().__init__(str(why))
        self.place = place
        self.why = why


@contextmanager
def at(place: int) -> Iterator[None]:
    """What the domain refuses meanwhile is a Fault at this place."""
    try:
        yield
    except DomainError as error:
        raise Fault(place, error) from None


class _Header(NamedTuple):
    place: int
    value: str
    is_short: bool


class Headers:
    """The headers read so far, each under what it is and what it is about."""

    def __init__(self) -> None:
        self._headers: dict[tuple[str, str], _Header] = {}

    def add(self, text: str, place: int) -> int:
        """Read the header that begins at this place of the text; the place after it."""
        found = _HEADER.match(text, place)
        if found is None:
            raise Fault(place, "a header reads [name value] in one line, in quotes where the value has brackets")
        keyed, key, name, value = found.group("keyed", "key", "name", "value")
        name, key = (keyed or name).lower(), unquote(place, key or "")
        if not keyed and name in KEYED:
            raise Fault(place, f"the {name} of what? It reads [{name} … …]")
        if is_short := name not in RESERVED:
            name, key = "about", name
        if (name, key) in self._headers:
            raise Fault(place, f"this header is here for the second time: {shorten(f'{name} {key}'.strip())}")
        self._headers[name, key] = _Header(place, unquote(place, value.strip()), is_short)
        return found.end()

    @property
    def result(self) -> tuple[int, str] | None:
        """The place and the value of the result, if there is one."""
        header = self._headers.get(("result", ""))
        return header and header[:2]

    def begin(self, end: int) -> tuple[Record, Line]:
        """The match before its first step, as the headers say; `end` is the place where they end."""
        ruleset = self._find_ruleset(end)
        options = self._read_options(ruleset)
        seats, about = self._read_seats(end), self._read_about(options)
        with at(self._headers["seat", "1"].place):
            line = Line(ruleset, options, len(seats))
        return Record(ruleset.id, ruleset.version, options, seats, about), line

    def _find_ruleset(self, end: int) -> AnyRuleset:
        header = self._headers.get(("ruleset", ""))
        if header is None:
            raise Fault(end, "no header names the ruleset, as in [ruleset zhen]")
        id, _, version = header.value.partition(" ")
        if version and not NUMBER.fullmatch(version):
            raise Fault(header.place, f"the version of a ruleset is a number, not {shorten(version)}")
        with at(header.place):
            return find_ruleset(id, int(version) if version else None)

    def _read_options(self, ruleset: AnyRuleset) -> dict[str, Any]:
        told = self._about_each("option")
        try:
            return ruleset.parse_options({key: _read_option(header.value) for key, header in told.items()})
        except OptionError as error:
            raise Fault(told.get(error.name, self._headers["ruleset", ""]).place, error) from None

    def _read_seats(self, end: int) -> tuple[str, ...]:
        told = self._about_each("seat")
        if not told:
            raise Fault(end, "no header names a seat, as in [seat 1 Ada]")
        numbers = dict.fromkeys(str(number) for number in range(1, len(told) + 1))
        for key, header in told.items():
            if key not in numbers:
                why = f"the {len(told)} seats are 1..{len(told)}, and there is no seat {shorten(key)}"
                raise Fault(header.place, why)
        return tuple(told[number].value or UNKNOWN_NAME for number in numbers)

    def _read_about(self, options: dict[str, Any]) -> dict[str, str]:
        told = self._about_each("about")
        for key, header in told.items():
            if header.is_short and key in options:
                raise Fault(header.place, f"{key} is an option of this ruleset: write [option {key} …]")
        return {key: header.value for key, header in told.items()}

    def _about_each(self, name: str) -> dict[str, _Header]:
        return {key: header for (kind, key), header in self._headers.items() if kind == name}


def unquote(place: int, text: str) -> str:
    """The text itself: without its quotes and escapes if it has any, else with its words one space apart."""
    return unescape(place, text[1:-1]) if text.startswith('"') else " ".join(text.split())


def unescape(place: int, text: str) -> str:
    """The text with the characters that its escapes stand for; Fault at `place` where one stands for none."""
    try:
        return _ESCAPE.sub(_read_escape, text)
    except ValueError:
        raise Fault(place, "after \\u stands the number of a character, in hex: \\u{7d}") from None


def _read_escape(found: re.Match[str]) -> str:
    number, character = found.groups()
    if character == "u":
        raise ValueError
    return chr(int(number, 16)) if number else character


def _read_option(text: str) -> Any:
    return parse_json(text.encode()) if is_json(text) else text
