"""Writing a record in its canonical layout."""

import re
from collections.abc import Iterator
from typing import Any

from plyscribe.domain.chain import canonical_json, parse_json
from plyscribe.domain.errors import NotCanonical
from plyscribe.domain.events import DiceRolled, MoveMade, SeatWithdrawn
from plyscribe.domain.names import is_printable
from plyscribe.domain.record.values import Record, Step, format_outcome

MEDIA_TYPE = "text/vnd.plyscribe.record"
SUFFIX = ".plyrec"

RESERVED = {"ruleset", "option", "seat", "about", "result"}
"""The headers with a fixed meaning. The names of the ruleset's options are reserved, too."""

WIDTH = 80
_SHORT_NAME = re.compile(r"[a-z][a-z0-9_]*")
_BARE_KEY = re.compile(r'[^\s\[\]"]+')
_BARE_VALUE = re.compile(r'(?!")[^\[\]\n]+')
_BARE_MOVE = re.compile(r'(?!;|[0-9]+\.)[^\s{}()\[\]"]+(?: (?!;|[0-9]+\.)[^\s{}()\[\]"]+)*')


def format_record(record: Record) -> str:
    """The text of a record; inverse of parse_record.

    One header a line, then the moves with their numbers, in lines of at most 80 characters if possible.
    """
    headers = "".join(f"[{header}]\n" for header in _list_headers(record))
    moves = "".join(f"{line}\n" for line in _wrap(_list_items(record)))
    return f"{headers}\n{moves}" if moves else headers


def _list_headers(record: Record) -> Iterator[str]:
    yield f"ruleset {_quote_value(f'{record.ruleset} {record.ruleset_version}')}"
    for name, option in record.options.items():
        yield f"option {_quote_key(name)} {_quote_value(_spell_option(option))}"
    for seat, name in enumerate(record.seats, 1):
        yield f"seat {seat} {_quote_value(name)}"
    for name, text in sorted(record.about.items()):
        is_short = _SHORT_NAME.fullmatch(name) and name not in RESERVED and name not in record.options
        yield f"{name if is_short else f'about {_quote_key(name)}'} {_quote_value(text)}"
    yield f"result {format_outcome(record.outcome)}"


def _spell_option(option: Any) -> str:
    """The option as JSON; a text that does not look like JSON stays as it is."""
    return canonical_json(option).decode() if type(option) is not str or is_json(option) else option


def is_json(text: str) -> bool:
    """Whether the text of an option is JSON, so that it stands for the JSON value."""
    try:
        parse_json(text.encode(errors="surrogatepass"))
    except NotCanonical:
        return False
    return True


def _quote_key(key: str) -> str:
    return key if is_printable(key) and _BARE_KEY.fullmatch(key) else _quote(key)


def _quote_value(value: str) -> str:
    is_bare = _BARE_VALUE.fullmatch(value) and value == " ".join(value.split()) and is_printable(value)
    return value if is_bare else _quote(value)


def _quote(text: str) -> str:
    escaped = _escape(text, specials='\\"')
    return f'"{escaped}"'


def _escape(text: str, specials: str) -> str:
    return "".join(
        f"\\{character}" if character in specials else character if is_printable(character) else _number(character)
        for character in text
    )


def _number(character: str) -> str:
    return f"\\u{{{ord(character):x}}}"


def _list_items(record: Record) -> Iterator[str]:
    """The items of the body; a line may break between any two."""
    remarks: dict[int, list[str]] = {}
    for comment in record.comments:
        remarks.setdefault(comment.after, []).extend(_split_comment(comment.text))
    yield from remarks.get(0, ())
    ply = 0
    for count, step in enumerate(record.steps, 1):
        ply += isinstance(step, MoveMade)
        yield f"{ply}. {_quote_move(step.move)}" if isinstance(step, MoveMade) else _describe(step)
        yield from remarks.get(count, ())


def _describe(step: Step) -> str:
    match step:
        case DiceRolled(values=values):
            return f"({' '.join(map(str, values))})"
        case SeatWithdrawn(seat, cause):
            return f"({seat} {cause})"
    return "(draw)"


def _quote_move(move: str) -> str:
    return move if is_printable(move) and _BARE_MOVE.fullmatch(move) else _quote(move)


def _split_comment(text: str) -> list[str]:
    # The reader turns any white space into one space, so further spaces are escaped.
    kept = re.sub(r"^ | $|(?<= ) ", lambda found: _number(found[0]), _escape(text, specials="\\}"))
    return f"{{{kept}}}".split(" ")


def _wrap(items: Iterator[str]) -> Iterator[str]:
    line = ""
    for item in items:
        if line and len(line) + 1 + len(item) > WIDTH:
            yield line
            line = ""
        line = f"{line} {item}" if line else item
    if line:
        yield line
