"""Events to bytes and back, for every kind of stream.

Each event has one canonical form: its envelope as canonical JSON. These bytes are stored and hashed, and never written
again, so reading an old event cannot change them.

A field that was added to an event type later has a default. An old event without the field is read as if it had the
default: `_build` is the only place where that happens. Any other difference is refused as UnknownEventShape. A field
made by `unless_default` is not recorded while it has its default, so an event that does without it is the same in every
release.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from types import NoneType
from typing import Any, NamedTuple, NoReturn, get_args, get_origin, get_type_hints, is_typeddict

from plyscribe.domain.chain import StoredEvent, canonical_json, parse_json
from plyscribe.domain.clocks import BONUSES
from plyscribe.domain.errors import NotCanonical, UnknownEventShape, UnknownEventType
from plyscribe.domain.events import EVENT_TYPES, OMITTED, EventData, Limits, MoveMade

Parser = Callable[[Any], Any]
"""Turns a JSON value into a field's value; ValueError when it has the wrong form."""


class Event(NamedTuple):
    """The envelope: `version` gives the order, `at` is UTC milliseconds, `cause` is the command's id in hex."""

    version: int
    at: int
    by: str
    cause: str
    data: EventData


# Nearly all events are moves and rolls. These patterns match them without a JSON parser: with plain text, and numbers
# without a sign or leading zeros, a match is always canonical.
_TEXT, _COUNT = r"[ !#-\[\]-~]*", r"(?:0|[1-9][0-9]{0,14})"
_PLAIN, _NUMBER = f"({_TEXT})", f"({_COUNT})"
_match_move = re.compile(
    rf'\{{"at":{_NUMBER},"by":"{_PLAIN}","cause":"{_PLAIN}","data":\{{(?:"lag_ms":([1-9][0-9]{{0,14}}),)?"move":"{_PLAIN}",'
    rf'"seat":{_NUMBER}(?:,"spent_ms":{_NUMBER})?\}},"type":"move-made","version":{_NUMBER}\}}'
).fullmatch

ROLL = re.compile(
    rf'\{{"at":{_NUMBER},"by":"{_TEXT}","cause":"{_TEXT}","data":\{{"count":{_COUNT},"purpose":"{_TEXT}",'
    rf'"seat":(?:null|{_COUNT}),"sides":{_COUNT},"values":\[({_COUNT}(?:,{_COUNT})*)\]\}},'
    rf'"type":"dice-rolled","version":{_NUMBER}\}}'
)
"""A stored roll, with the groups at, values and version."""


ReadMove = tuple[StoredEvent, re.Match[str]]
"""A stored move, matched with the groups at, by, cause, lag_ms, move, seat, spent_ms and version.

The groups of what it does not record are None.
"""
ReadStep = tuple[StoredEvent, re.Match[str]]
"""A ReadMove, or a stored roll matched with the groups of ROLL."""


def read_move(stored: StoredEvent) -> re.Match[str] | None:
    """The groups of a stored move (see ReadMove); None for other events and for moves that need a JSON parser."""
    return _match_move(stored.e.decode("latin-1"))


def read_moves(entries: Sequence[StoredEvent], place: int) -> Iterator[ReadMove]:
    """The moves from `place` on, up to the first event that read_move cannot read."""
    for number in range(place, len(entries)):
        stored = entries[number]
        found = _match_move(stored.e.decode("latin-1"))
        if not found:
            return
        yield stored, found


def read_steps(entries: Sequence[StoredEvent], place: int) -> Iterator[ReadStep]:
    """The moves and rolls from `place` on, up to the first event that neither pattern matches."""
    match_roll = ROLL.fullmatch
    for number in range(place, len(entries)):
        stored = entries[number]
        text = stored.e.decode("latin-1")
        found = _match_move(text) or match_roll(text)
        if not found:
            return
        yield stored, found


def format_event(event: Event) -> bytes:
    """The canonical bytes of an event, to be stored and hashed; inverse of parse_event for events of today's shape."""
    version, at, by, cause, data = event
    if type(data) is MoveMade:
        lag = f'"lag_ms":{data.lag_ms},' if data.lag_ms else ""
        spent = "" if data.spent_ms is None else f',"spent_ms":{data.spent_ms}'
        text = (
            f'{{"at":{at},"by":"{by}","cause":"{cause}","data":{{{lag}"move":"{data.move}","seat":{data.seat}{spent}}},'
            f'"type":"move-made","version":{version}}}'
        )
        if _match_move(text):
            return text.encode()
    return canonical_json(
        {"version": version, "type": data.type, "at": at, "by": by, "cause": cause, "data": dump_data(data)}
    )


_TYPE = re.compile(rb'"type":"([a-z-]+)","version":[0-9]+\}\Z')


def find_type(stored: StoredEvent) -> str:
    """The type of a stored event, read from the end of its bytes without parsing them; "" where they end otherwise."""
    found = _TYPE.search(stored.e)
    return found[1].decode() if found else ""


_AT = re.compile(rb'\{"at":(-?[0-9]+),')


def find_time(stored: StoredEvent) -> int:
    """When a stored event that can be parsed was recorded (UTC milliseconds). Canonical bytes begin with it."""
    found = _AT.match(stored.e)
    return int(found[1] if found else parse_json(stored.e)["at"])


def parse_event(stored: StoredEvent, types: Mapping[str, type] = EVENT_TYPES) -> Event:
    """The event, with its data as one of `types` and in today's shape.

    Raises NotCanonical, UnknownEventType or UnknownEventShape when it cannot be read.
    """
    found = read_move(stored) if types is EVENT_TYPES else None
    if found:
        at, by, cause, lag, move, seat, spent, version = found.groups()
        if int(version) == stored.version:
            timed = None if spent is None else int(spent), int(lag or 0)
            return Event(stored.version, int(at), by, cause, MoveMade(int(seat), move, *timed))
    raw = parse_json(stored.e)
    if not isinstance(raw, dict):
        raise NotCanonical(f"event {stored.version} is not a JSON object")
    return Event(*parse_envelope(raw, stored.version), parse_data(types, raw))


def is_canonical(stored: StoredEvent) -> bool:
    """Whether the stored bytes are canonical JSON, in today's shape or an older one; NotCanonical as in parse_json.

    Do not compare them with format_event instead, since it gives an old event today's shape.
    """
    return read_move(stored) is not None or canonical_json(parse_json(stored.e)) == stored.e


def parse_envelope(raw: dict[str, Any], version: int) -> tuple[int, int, str, str]:
    """Version, at, by and cause of an envelope; UnknownEventShape unless it has exactly an envelope's fields."""
    if raw.keys() != _ENVELOPE.keys() or any(type(raw[key]) is not kind for key, kind in _ENVELOPE.items()):
        expected = ", ".join(f"{key} ({kind.__name__})" for key, kind in _ENVELOPE.items())
        raise UnknownEventShape(str(raw.get("type")), version, f"an envelope has exactly {expected}")
    if raw["version"] != version:
        raise UnknownEventShape(raw["type"], version, f"its envelope says version {raw['version']}")
    return raw["version"], raw["at"], raw["by"], raw["cause"]


_ENVELOPE = {"version": int, "type": str, "at": int, "by": str, "cause": str, "data": dict}


def parse_data(types: Mapping[str, type], raw: dict[str, Any]) -> Any:
    """The data of an envelope as the dataclass that `types` has for its type word."""
    kind = types.get(raw["type"])
    if kind is None:
        raise UnknownEventType(raw["type"], raw["version"])
    try:
        return _build(_shape_of(kind), raw["data"])
    except ValueError as error:
        raise UnknownEventShape(raw["type"], raw["version"], str(error)) from None


class _Shape(NamedTuple):
    """How a dataclass is recorded: as an object with its fields, and with its `mode` if it has one."""

    kind: type
    mode: str | None
    parsers: dict[str, Parser]
    """The parser of each field."""

    names: frozenset[str]
    """The names in today's object."""

    needed: frozenset[str]
    """The names that older objects have too: all except fields with a default."""

    omitted: dict[str, Any]
    """The fields that are not recorded while they have these defaults."""

    def fits(self, value: Any) -> bool:
        """Whether the value is an object with these names, today's or an older one, and with this mode."""
        if type(value) is not dict or (value.keys() != self.names and not self.needed <= value.keys() <= self.names):
            return False
        return self.mode is None or value["mode"] == self.mode


@cache
def _shape_of(kind: Any) -> _Shape:
    hints = get_type_hints(kind)
    parsers = {field.name: _parser_of(hints[field.name]) for field in fields(kind)}
    needed = {field.name for field in fields(kind) if field.default is MISSING}
    mode = getattr(kind, "mode", None)
    tag = {"mode"} if isinstance(mode, str) else set()
    omitted = {field.name: field.default for field in fields(kind) if OMITTED in field.metadata}
    names, least = frozenset(parsers.keys() | tag), frozenset(needed | tag)
    return _Shape(kind, mode if tag else None, parsers, names, least, omitted)


def _build(shape: _Shape, data: dict[str, Any]) -> Any:
    """The dataclass of a recorded object. A field that an older object lacks gets its default."""
    if data.keys() != shape.names:
        faults = {"unknown": data.keys() - shape.names, "missing": shape.needed - data.keys()}
        found = [f"{fault} fields {', '.join(sorted(names))}" for fault, names in faults.items() if names]
        if found:
            raise ValueError("; ".join(found))
    parsers = shape.parsers
    return shape.kind(**{name: parsers[name](value) for name, value in data.items() if name in parsers})


def _refuse(value: object, expected: str) -> NoReturn:
    raise ValueError(f"{value!r} is not {expected}")


def _exactly(kind: type) -> Parser:
    def parse(value: Any) -> Any:
        return value if type(value) is kind else _refuse(value, kind.__name__)

    return parse


def _optional(parse: Parser) -> Parser:
    return lambda value: None if value is None else parse(value)


def _each(parse: Parser) -> Parser:
    return lambda value: tuple(map(parse, value)) if type(value) is list else _refuse(value, "a list")


@cache
def _keyed(kind: Any) -> Parser:
    """The parser of a TypedDict, which always has all of its required keys."""
    parsers = {name: _parser_of(hint) for name, hint in get_type_hints(kind).items()}
    needed = kind.__required_keys__

    def parse(value: Any) -> Any:
        if type(value) is not dict or not needed <= value.keys() <= parsers.keys():
            _refuse(value, f"an object of {', '.join(parsers)}")
        return {name: parsers[name](each) for name, each in value.items()}

    return parse


def _parse_limits(value: Any) -> Any:
    limits = _keyed(Limits)(value)
    for each in (limits, *limits.get("seats", ())):
        if each["move_ms"] is None and each["match_ms"] is None:
            _refuse(value, "limits: both are null")
        if each["match_ms"] is None and each.keys() & {*BONUSES, "phases"}:
            _refuse(value, "limits: nothing grows by the increment")
        if any(len(its.keys() & set(BONUSES)) > 1 for its in (each, *each.get("phases", ()))):
            _refuse(value, "limits: a move has one bonus")
    return limits


def _one_of(*kinds: type) -> Parser:
    """The parser of a union of dataclasses, which their modes or field names tell apart."""

    def parse(value: Any) -> Any:
        for shape in map(_shape_of, kinds):
            if shape.fits(value):
                return _build(shape, value)
        return _refuse(value, f"recorded as {' or '.join(kind.__name__ for kind in kinds)}")

    return parse


def _parser_of(hint: Any) -> Parser:
    """The parser of a field of this type."""
    arguments = get_args(hint)
    if hint is Limits:
        return _parse_limits
    if NoneType in arguments:
        rest = tuple(each for each in arguments if each is not NoneType)
        return _optional(_parser_of(rest[0]) if len(rest) == 1 else _one_of(*rest))
    if get_origin(hint) is list:
        parse_all = _each(_parser_of(arguments[0]))
        return lambda value: list(parse_all(value))
    if get_origin(hint) is tuple:
        return _each(_parser_of(arguments[0]))
    if is_typeddict(hint):
        return _keyed(hint)
    if is_dataclass(hint):
        return _one_of(hint)  # type: ignore[arg-type]
    if get_origin(hint) is dict:
        return _exactly(dict)
    return _one_of(*arguments) if arguments else _exactly(hint)


def dump_data(data: Any) -> dict[str, Any]:
    """The JSON-ready fields of an event's data, an occupant or dice; inverse of parse_data."""
    kind: Any = type(data)
    shape = _shape_of(kind)
    return {
        name: _dump_value(value)
        for name in shape.parsers
        for value in (getattr(data, name),)
        if name not in shape.omitted or value != shape.omitted[name]
    }


def _dump_value(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_dump_value(item) for item in value]
    if is_dataclass(value):
        kind: Any = type(value)
        mode = _shape_of(kind).mode
        return dump_data(value) if mode is None else {"mode": mode, **dump_data(value)}
    return value
