"""Streams, or parts of them, as columns, and back, byte for byte.

An event is a line of JSON in which nearly everything can be foretold. What cannot is kept in columns: when it happened,
who caused it, and what it says. The rest of its envelope follows: versions count from 1, and the cause is the id of the
command that the event was stored with. Hashes follow from the bytes. A stream that does not fit this form is kept as it
is. docs/archive-format.md describes the columns for other readers.
"""

import re
import sys
from array import array
from collections.abc import Sequence
from hashlib import sha256
from itertools import accumulate, chain, pairwise
from struct import Struct
from typing import NamedTuple

from plyscribe.domain.chain import StoredEvent, first_link, link_all
from plyscribe.service.archive.errors import PackDamaged
from plyscribe.service.store.port import CommandKey, Remembered

_ENVELOPE = re.compile(
    rb'\{"at":(0|[1-9][0-9]{0,15}),"by":"([^"\\\n]*)","cause":"([0-9a-f]{32})",(.*),"version":([1-9][0-9]{0,9})\}\n'
)
_MOVE = re.compile(
    rb'"data":\{(?:"lag_ms":[0-9]+,)?"move":"([ !#-\[\]-~]*)","seat":[0-9]+(?:,"spent_ms":[0-9]+)?\},"type":"move-made"'
)
_AROUND = len(b'{"at":,"by":"","cause":"",,"version":}\n')
_HEX = 32
_ID, _DIGEST = 16, 8
DERIVED = 1 << 31
"""Marks a command whose digest is not written, because derive_digest finds it."""

_RAW = Struct("<I")
_COMMAND = Struct("<16s8sQQ")


class Part(NamedTuple):
    """What is known of a part of a stream: the hash before its first event, and when it was copied (UTC ms)."""

    before: bytes
    copied_ms: int


class Kept(NamedTuple):
    """All that the store has of a stream, or of a part of it."""

    stream: str
    events: Sequence[StoredEvent]
    commands: Sequence[Remembered]
    part: Part | None = None
    """None: it is the whole stream."""

    @property
    def head(self) -> bytes:
        """The hash of its last event."""
        return self.events[-1].h

    @property
    def after(self) -> int:
        """The version before its first event."""
        return self.events[0].version - 1


class Columns(NamedTuple):
    """The columns of a stream. In one that is kept as it is, only `said` and `digests` have anything."""

    times: bytes
    """Milliseconds from each event to the next, the first from 0: eight bytes each, little-endian, signed."""

    actors: bytes
    """`by` of each event, separated by line feeds."""

    said: bytes
    """What stands between `cause` and `version` in each event, separated by line feeds."""

    runs: bytes
    """The number of events of each command, four bytes each, little-endian. With DERIVED: its digest follows."""

    ids: bytes
    """The id of each command, 16 bytes."""

    digests: bytes
    """The digest of each command's request, 8 bytes, except of those whose digest follows from their first event."""


def split_stream(kept: Kept) -> tuple[Columns, bool]:
    """The columns of a stream, and whether it is kept as it is."""
    columns = _split(kept)
    if columns is not None:
        return columns, False
    said = b"".join(_RAW.pack(len(event.e)) + event.e for event in kept.events)
    return Columns(b"", b"", said, b"", b"", b"".join(_pack_command(each) for each in kept.commands)), True


def _split(kept: Kept) -> Columns | None:
    text = b"\n".join(event.e for event in kept.events) + b"\n"
    found = _ENVELOPE.findall(text)
    if len(found) != len(kept.events):
        return None
    at, by, causes, said, versions = zip(*found, strict=True)
    # Together they cover the whole text, so each of them is a whole line.
    if sum(map(len, chain(at, by, said, versions))) + len(found) * (_AROUND + _HEX) != len(text):
        return None
    start = kept.after + 1
    if list(map(int, versions)) != list(range(start, start + len(found))):
        return None
    runs = [last - first + 1 for _, first, last in kept.commands]
    firsts = [start, *(last + 1 for *_, last in kept.commands)]
    if [first for _, first, _ in kept.commands] != firsts[:-1] or firsts[-1] != start + len(found) or min(runs) < 1:
        return None
    digests = [
        None if derive_digest(said[first - start]) == key.digest else key.digest for key, first, _ in kept.commands
    ]
    named = [id.hex().encode() for (id, _), *_ in kept.commands]
    if causes != tuple(chain.from_iterable([cause] * run for cause, run in zip(named, runs, strict=True))):
        return None
    times = list(map(int, at))
    return Columns(
        _little(array("q", [times[0], *(after - before for before, after in pairwise(times))])),
        b"\n".join(by),
        b"\n".join(said),
        _little(array("I", [run | DERIVED * (digest is None) for run, digest in zip(runs, digests, strict=True)])),
        b"".join(id for (id, _), *_ in kept.commands),
        b"".join(digest for digest in digests if digest is not None),
    )


def join_events(
    stream: str, columns: Columns, events: int, is_raw: bool, after: int = 0, before: bytes | None = None
) -> list[StoredEvent]:
    """The events of a stream after a version, which has the hash `before`; PackDamaged if they do not fit together."""
    try:
        lines = _split_raw(columns.said) if is_raw else _join(columns, after + 1)
    except (ValueError, IndexError, OverflowError) as error:
        raise PackDamaged(f"the columns of {stream} cannot be read: {error}") from None
    if len(lines) != events:
        raise PackDamaged(f"{stream} has {len(lines)} events instead of {events}")
    return link_all(first_link(stream) if before is None else before, after + 1, lines)


def _join(columns: Columns, start: int) -> list[bytes]:
    times = accumulate(_from_little("q", columns.times))
    runs, hexes = _from_little("I", columns.runs), columns.ids.hex().encode()
    causes = chain.from_iterable(
        [hexes[start : start + _HEX]] * (run & ~DERIVED)
        for start, run in zip(range(0, len(hexes), _HEX), runs, strict=True)
    )
    actors, said = columns.actors.split(b"\n"), columns.said.split(b"\n")
    return [
        b'{"at":%d,"by":"%b","cause":"%b",%b,"version":%d}' % (at, by, cause, what, version)
        for version, (at, by, cause, what) in enumerate(zip(times, actors, causes, said, strict=True), start)
    ]


def _split_raw(said: bytes) -> list[bytes]:
    lines, place = [], 0
    while place < len(said):
        [length] = _RAW.unpack_from(said, place)
        place += _RAW.size
        lines.append(said[place : place + length])
        place += length
    if place != len(said):
        raise ValueError("the last event is cut off")
    return lines


def join_commands(columns: Columns, is_raw: bool, after: int = 0) -> list[Remembered]:
    """The commands that were remembered of a stream after a version, in the order of their first events."""
    if is_raw:
        return [_unpack_command(*each) for each in _COMMAND.iter_unpack(columns.digests)]
    said, remembered, first, written = columns.said.split(b"\n"), [], after + 1, 0
    for place, run in enumerate(_from_little("I", columns.runs)):
        if run & DERIVED:
            run, digest = run & ~DERIVED, derive_digest(said[first - 1 - after]) or b""
        else:
            digest = columns.digests[written : written + _DIGEST]
            written += _DIGEST
        id = columns.ids[place * _ID : (place + 1) * _ID]
        remembered.append(Remembered(CommandKey(id, digest), first, first + run - 1))
        first += run
    return remembered


def derive_digest(said: bytes) -> bytes | None:
    """The digest of the shortest request for the move that an event tells of; None for other events.

    Nearly all clients write a request so: `{"move":"d4"}`.
    """
    found = _MOVE.fullmatch(said)
    return found and sha256(b'{"move":"%b"}' % found[1]).digest()[:_DIGEST]


def _pack_command(each: Remembered) -> bytes:
    return _COMMAND.pack(*each.command, each.first, each.last)


def _unpack_command(id: bytes, digest: bytes, first: int, last: int) -> Remembered:
    return Remembered(CommandKey(id, digest), first, last)


def _little(numbers: "array[int]") -> bytes:
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers.tobytes()


def _from_little(kind: str, raw: bytes) -> "array[int]":
    numbers = array(kind, raw)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers


def interleave(raw: bytes, width: int) -> bytes:
    """Numbers of `width` bytes, written as all of their first bytes, then all of their second bytes, and so on."""
    return b"".join(raw[place::width] for place in range(width))


def take_planes(planes: bytes, width: int, first: int, count: int) -> bytes:
    """`count` of the numbers that `interleave` wrote, from number `first` on."""
    total, numbers = len(planes) // width, bytearray(count * width)
    for place in range(width):
        numbers[place::width] = planes[place * total + first : place * total + first + count]
    return bytes(numbers)
