"""Canonical bytes and the hash chain, which reveals every change to a recorded event.

An event is stored as its canonical JSON (RFC 8785, the JSON Canonicalization Scheme), and exactly these bytes are
hashed. Each hash covers the hash before it, so the last one vouches for the whole stream.
"""

import json
from collections.abc import Callable, Iterable
from hashlib import sha256
from math import isfinite
from reprlib import repr as shorten
from typing import Any, NamedTuple

from plyscribe.domain.errors import BrokenChain, NotCanonical

MAX_INTEGER = 2**53 - 1
"""The greatest integer that every JSON reader represents exactly."""

MAX_DIGITS = 400
"""The most characters of a number in a request."""


class StoredEvent(NamedTuple):
    """An entry of a stream: its version, its canonical bytes and the 32 bytes of its hash."""

    version: int
    e: bytes
    h: bytes


# Values that contain themselves end in a RecursionError. To look for them would take a seventh of the time.
_encode = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"), check_circular=False).encode


def canonical_json(value: object) -> bytes:
    """The canonical JSON of `value` in UTF-8.

    Raises NotCanonical for floats, integers beyond ±(2^53-1), lone surrogates, and object keys that are not ASCII.
    (Python sorts ASCII keys in the order of RFC 8785, 3.2.3.)
    """
    _require_canonical(value)
    try:
        return _encode(value).encode()
    except UnicodeEncodeError:
        raise NotCanonical("the text contains a lone surrogate") from None


def plain_json(value: object) -> bytes:
    """The canonical JSON of a value that has one. Nothing is checked, which is half of the work of `canonical_json`.

    Only for what is never stored as an event, and is proved to be canonical elsewhere, as the view of a state is. Of
    any other value it gives some JSON, or raises TypeError or ValueError.
    """
    return _encode(value).encode()


_ALWAYS_CANONICAL = {str, bool, type(None)}


def _require_canonical(value: object) -> None:
    # The JSON encoder would accept these values, and write some differently from other writers of RFC 8785.
    kind = type(value)
    if kind in _ALWAYS_CANONICAL:
        return
    if kind is int:
        if not -MAX_INTEGER <= value <= MAX_INTEGER:  # type: ignore[operator]
            raise NotCanonical(f"the integer {value} is beyond ±(2^53-1)")
    elif isinstance(value, dict):
        for key, item in value.items():
            if type(key) is not str or not key.isascii():
                raise NotCanonical(f"the object key {key!r} is not ASCII text")
            if type(item) not in _ALWAYS_CANONICAL:
                _require_canonical(item)
    elif isinstance(value, list | tuple):
        for item in value:
            if type(item) not in _ALWAYS_CANONICAL:
                _require_canonical(item)
    else:
        raise NotCanonical(f"a {kind.__name__} has no canonical JSON form")


def parse_json(raw: bytes) -> Any:
    """The value of a JSON text that means the same to every JSON reader.

    Raises NotCanonical for bytes that are not JSON in UTF-8, and for floats, integers beyond ±(2^53-1), duplicate
    keys, lone surrogates, and nesting too deep for the parser.
    """
    return _parse(raw, _decode)


def parse_request(raw: bytes) -> Any:
    """As parse_json, but takes every number: an int if it is whole and within that bound, else a float.

    To JSON Schema 3.0 is an integer. Only what is stored must have one form.
    """
    return _parse(raw, _decode_request)


def _parse(raw: bytes, decode: Callable[[str], Any]) -> Any:
    try:
        value = decode(raw.decode())
        if b"\\u" in raw:
            # Only an escape can produce a lone surrogate: UTF-8 cannot encode one.
            json.dumps(value, ensure_ascii=False).encode()
    except UnicodeDecodeError as error:
        raise NotCanonical(_find_packing(raw) or f"byte {error.start} is not UTF-8") from None
    except UnicodeEncodeError:
        raise NotCanonical("the text contains a lone surrogate") from None
    except json.JSONDecodeError as error:
        why = f"not JSON: {error.msg} at line {error.lineno} column {error.colno}"
        raise NotCanonical(_find_packing(raw) or why) from None
    except RecursionError:
        raise NotCanonical("nested too deeply") from None
    return value


def find_wrapping(raw: bytes) -> str | None:
    """What another program did to a file of ours: gzip, a byte order mark or CR LF, in words; None if nothing."""
    changed = "its lines end with CR LF: some program has changed them; get the file again, or turn CR LF into LF"
    return _find_packing(raw) or (changed if raw.partition(b"\n")[0].endswith(b"\r") else None)


def _find_packing(raw: bytes) -> str | None:
    if raw.startswith(b"\x1f\x8b"):
        return "it is packed with gzip: unpack it first"
    if raw.startswith(b"\xef\xbb\xbf"):
        return "it begins with a byte order mark (BOM): save it as UTF-8 without one"
    return None


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for key, value in pairs:
        if key in result:
            raise NotCanonical(f"the key {shorten(key)} is duplicated")
        result[key] = value
    return result


def _refuse_number(text: str) -> None:
    raise NotCanonical(f"the number {text[:40]} is not an integer")


def _parse_number(text: str) -> int | float:
    number = float(text[: MAX_DIGITS + 1])
    if len(text) > MAX_DIGITS or not isfinite(number):
        raise NotCanonical(f"the number {text[:40]} is too long or too large")
    return int(number) if number.is_integer() and abs(number) <= MAX_INTEGER else number


def _parse_integer(text: str) -> int:
    # 17 characters are enough for every integer within the bound, so longer ones are not even converted.
    if len(text) > 17 or abs(int(text)) > MAX_INTEGER:
        raise NotCanonical(f"the integer {text[:40]} is beyond ±(2^53-1)")
    return int(text)


_decode = json.JSONDecoder(
    object_pairs_hook=_distinct,
    parse_float=_refuse_number,
    parse_int=_parse_integer,
    parse_constant=_refuse_number,
).decode


_decode_request = json.JSONDecoder(
    object_pairs_hook=_distinct,
    parse_float=_parse_number,
    parse_int=_parse_number,
    parse_constant=_refuse_number,
).decode


def first_link(stream: str) -> bytes:
    """The hash before version 1 of a stream: SHA-256 of the stream's id in UTF-8.

    The address of an imported match, `<id of the match>~<import>`, stands for the id of the match.
    """
    return sha256(stream.partition("~")[0].encode()).digest()


def next_link(previous: bytes, e: bytes) -> bytes:
    """The hash of an event: SHA-256 of the hash before it and the event's canonical bytes."""
    return sha256(previous + e).digest()


def link_all(previous: bytes, start: int, encoded: Iterable[bytes]) -> list[StoredEvent]:
    """The canonical events as stored events after the hash `previous`, numbered from `start`."""
    stored = []
    for version, e in enumerate(encoded, start):
        previous = next_link(previous, e)
        stored.append(StoredEvent(version, e, previous))
    return stored


def check_chain(previous: bytes, after: int, events: Iterable[StoredEvent]) -> bytes:
    """The hash of the last event (`previous` if there are no events); BrokenChain at the first that does not follow."""
    for version, e, h in events:
        after += 1
        previous = sha256(previous + e).digest()
        if version != after or h != previous:
            raise BrokenChain(after)
    return previous
