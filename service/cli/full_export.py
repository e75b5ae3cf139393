"""The full export: all streams of a store in one NDJSON file, from which a store is filled again byte for byte.

    {"archive":1,"server":"…"}                               the head line
    {"stream":"match-…"}                                     for each stream: its id,
    {…,"hash":"…"}                                           its events as stored, with their hashes,
    {"count":…,"head":"…"}                                   the number of events, and the hash of the last one
    {"events":…,"sha256":"…","streams":…}                    the end line: SHA-256 of all bytes before it

An interrupted export continues after its last complete stream. Sealed streams come first, in the order of their packs,
so that each block is read once; the others stand in the order of the store. Each is as it was when it was read. Events
that are stored after that are not in the file.
"""

import logging
import os
import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import sha256
from itertools import groupby, islice
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from plyscribe.domain.bundle.bundle import format_event_line, parse_event_line
from plyscribe.domain.chain import StoredEvent, canonical_json, check_chain, first_link, parse_json
from plyscribe.domain.codec import parse_envelope
from plyscribe.domain.errors import BrokenChain, BundleError, NotCanonical, StreamError
from plyscribe.domain.imported import LONGEST_RECORD, is_left_of
from plyscribe.service.archive.walking import walk_streams
from plyscribe.service.config import SERVER
from plyscribe.service.store.port import Append, CommandKey, EventStore, Stored
from plyscribe.service.streams.handler import PAGE
from plyscribe.service.streams.ids import COMMAND_ID_BYTES, DIGEST_BYTES, STREAM_ID, job_command

FORMAT = 1
BEGINNING = b'{"archive":'
"""The first bytes of every full export, and of no other file of ours."""

LEDGER_ID = re.compile(r"ratings-[a-z0-9_-]{1,32}")
TOGETHER = 256
"""Appends in one round trip."""

log = logging.getLogger(__name__)


class ExportError(Exception):
    """The file is not a sound full export. The message names the first line at fault."""

    def __init__(self, line: int | None, why: str) -> None:
        place = "the export" if line is None else f"line {line} of the export"
        super().__init__(f"{place}: {why}")


class Differs(Exception):
    """The store holds a stream of the same id with other events. It was not changed."""


class Written(NamedTuple):
    """How far an export or import is: all streams and events, and those that were new."""

    streams: int = 0
    events: int = 0
    new_streams: int = 0
    new_events: int = 0


class Stream(NamedTuple):
    """A stream with all its events."""

    id: str
    entries: Sequence[StoredEvent]


class Located(NamedTuple):
    """A stream of an export, and where its lines are in the file."""

    stream: Stream
    offset: int
    length: int


Progress = Callable[[Written], object]


# ------------------------------------------------------------------------------------------------------------- export


def export_store(store: EventStore, path: Path, report: Progress = lambda _: None) -> Written:
    """Write all streams to the file, or continue a file after its last complete stream.

    A stream with an event that cannot be written as one line was tampered with: it is logged and left out. Raises
    ExportError if the file is something else or already complete. After StoreUnavailable call this again to continue.
    """
    # The file holds private matches and the hashes of tokens.
    with open(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "r+b") as file:
        seen = _Seen()
        written, digest = _resume(file, seen)
        for stream in (stream for chunk in walk_streams(store) for stream in chunk.streams):
            # A stream that is sealed or moved meanwhile comes again.
            lines = _format_stream(stream, _read_all(store, stream)) if seen.add(stream) else []
            if lines:
                digest.update(block := b"".join(lines))
                file.write(block)
                events = written.events + len(lines) - 2
                written = Written(written.streams + 1, events, written.new_streams + 1, written.new_events)
            report(written)
        end = {"streams": written.streams, "events": written.events, "sha256": digest.hexdigest()}
        file.write(canonical_json(end) + b"\n")
    return written


class _Seen:
    """The streams that are in the file, in a database that is on disk as far as it is large, and then is gone."""

    def __init__(self) -> None:
        self._rows = sqlite3.connect("", isolation_level=None)
        self._rows.execute("CREATE TABLE seen (stream TEXT PRIMARY KEY) WITHOUT ROWID")
        self._rows.execute("BEGIN")

    def add(self, stream: str) -> bool:
        """Whether the stream was not there yet; it is now."""
        return self._rows.execute("INSERT OR IGNORE INTO seen VALUES (?)", (stream,)).rowcount == 1


def _read_all(store: EventStore, stream: str) -> Iterator[StoredEvent]:
    after = 0
    while entries := store.load(stream, after, limit=PAGE).entries:
        yield from entries
        after = entries[-1].version
        if len(entries) < PAGE:
            break


def _format_stream(stream: str, entries: Iterable[StoredEvent]) -> list[bytes]:
    lines, head = [canonical_json({"stream": stream}) + b"\n"], b""
    for entry in entries:
        if not (entry.e[:1] == b"{" and entry.e[-1:] == b"}" and b"\n" not in entry.e):
            log.error("%s is left out of the export: event %d is not an object on one line", stream, entry.version)
            return []
        lines.append(format_event_line(entry) + b"\n")
        head = entry.h
    return [*lines, canonical_json({"count": len(lines) - 1, "head": head.hex()}) + b"\n"]


def _resume(file: BinaryIO, seen: _Seen) -> tuple[Written, Any]:
    """The counts up to the last complete stream of the file, and their digest. The rest is cut off."""
    begun = canonical_json({"archive": FORMAT, "server": SERVER}) + b"\n"
    digest, place, written = sha256(), 0, Written()
    for block in _read_blocks(file):
        if block.is_end:
            raise ExportError(block.line, "it is complete already: export to another file")
        digest.update(block.raw)
        place += len(block.raw)
        if block.stream:
            seen.add(block.stream)
            events = written.events + len(block.lines) - 1
            written = written._replace(streams=written.streams + 1, events=events)
    file.seek(place)
    file.truncate()
    if not place:
        digest.update(begun)
        file.write(begun)
    return written, digest


# ------------------------------------------------------------------------------------------------------------- import


def import_store(store: EventStore, path: Path, report: Progress = lambda _: None) -> Written:
    """Fill the store with all streams of the file, byte for byte. Events that it has already stay as they are.

    Nothing is written unless the whole file is sound (ExportError) and no stream of the store differs (Differs). After
    an interruption or StoreUnavailable call this again to continue.
    """
    with path.open("rb") as file:
        for stream in _read_export(file):
            _find_missing(store, stream)
    written = Written()
    # Ledgers come first, because a worker looks there whether a match has been scored.
    for part in (True, False):
        written = _write_part(store, path, written, report, ledgers=part)
    return written


def _write_part(store: EventStore, path: Path, written: Written, report: Progress, ledgers: bool) -> Written:
    with path.open("rb") as file:
        for stream in _read_export(file):
            if stream.id.startswith("ratings-") != ledgers:
                continue
            missing = restore_stream(store, stream.id, stream.entries)
            written = Written(
                written.streams + 1,
                written.events + len(stream.entries),
                written.new_streams + (missing == len(stream.entries)),
                written.new_events + missing,
            )
            report(written)
    return written


def check_export(path: Path, report: Progress = lambda _: None) -> Written:
    """The number of streams and events in the export; ExportError unless it is sound."""
    written = Written()
    with path.open("rb") as file:
        for stream in _read_export(file):
            written = written._replace(streams=written.streams + 1, events=written.events + len(stream.entries))
            report(written)
    return written


def locate_streams(path: Path) -> Iterator[Located]:
    """The streams of a complete export, each checked, with their places. ExportError at the first fault."""
    with path.open("rb") as file:
        yield from _locate(file)


def read_located(path: Path, offset: int, length: int) -> Sequence[StoredEvent]:
    """The events of a stream whose lines are there, as `locate_streams` said. ExportError if the file has changed."""
    with path.open("rb") as file:
        file.seek(offset)
        first, *lines = file.read(length).splitlines(keepends=True)
    block = _Block(1, b"", _parse_stream_line(first, 1), tuple(lines))
    return _parse_stream(block).entries


def restore_stream(store: EventStore, stream: str, entries: Sequence[StoredEvent]) -> int:
    """Store the events that the stream lacks, and return their number. The events must form a chain.

    A stream that is longer already is not changed. Raises Differs if the store has other events. A match is stored in
    one append, so that no worker finds half of it. In other streams, events that were stored together are stored
    together again, under the same command, so that no ledger counts a match twice.
    """
    missing = _find_missing(store, Stream(stream, entries))
    head = entries[-len(missing) - 1].h if len(missing) < len(entries) else b""
    appends = []
    at_once = stream.startswith(("match-", "import-"))
    for cause, group in groupby(map(_read_envelope, missing), key=lambda event: "" if at_once else event.cause):
        events = list(group)
        stored, types = [event.stored for event in events], [event.type for event in events]
        appends.append(Append(stream, stored[0].version - 1, head, stored, types, _command_of(stream, cause, stored)))
        head = stored[-1].h
    for place in range(0, len(appends), TOGETHER):
        for append, outcome in zip(
            appends[place : place + TOGETHER], store.append_all(appends[place : place + TOGETHER]), strict=True
        ):
            if not isinstance(outcome, Stored):
                raise Differs(f"{stream} changed while it was restored, at version {append.expected_version + 1}")
    return len(missing)


def _find_missing(store: EventStore, stream: Stream) -> Sequence[StoredEvent]:
    """The events that the store lacks; Differs if it has other ones.

    If the text of a record was dropped either here or there, nothing is missing.
    """
    have = list(islice(_read_all(store, stream.id), max(len(stream.entries), LONGEST_RECORD)))
    if is_left_of(have, stream.entries) or is_left_of(stream.entries, have):
        return ()
    del have[len(stream.entries) :]
    for ours, theirs in zip(have, stream.entries, strict=False):
        if ours != theirs:
            raise Differs(f"{stream.id} is in the store and differs from event {theirs.version} on: nothing is written")
    return stream.entries[len(have) :]


class _Event(NamedTuple):
    stored: StoredEvent
    type: str
    cause: str


def _read_envelope(stored: StoredEvent) -> _Event:
    raw = parse_json(stored.e)
    return _Event(stored, raw["type"], raw["cause"])


def _command_of(stream: str, cause: str, stored: Sequence[StoredEvent]) -> CommandKey:
    if len(cause) != 2 * COMMAND_ID_BYTES:
        return job_command("restore", stream, stored[0].version)
    # Zeros are the digest of jobs, which have no request. An export holds no digests of requests, so a client that
    # repeats one from before the export is told that its key was used.
    return CommandKey(bytes.fromhex(cause), bytes(DIGEST_BYTES))


# ------------------------------------------------------------------------------------------------------------ reading


class _Block(NamedTuple):
    """Lines of an export that belong together: the head, a stream, or the end."""

    line: int
    raw: bytes
    stream: str = ""
    lines: tuple[bytes, ...] = ()
    """The lines of its events, and its last line."""

    is_end: bool = False


def _read_blocks(file: BinaryIO) -> Iterator[_Block]:
    """The complete blocks of a file, up to the first incomplete one; ExportError if it is no full export."""
    is_ended, block = False, list[bytes]()
    for number, line in enumerate(file, 1):
        if is_ended:
            raise ExportError(number, "the export ended on the line before")
        if not line.endswith(b"\n"):
            return
        if number == 1:
            _require_head(line)
            yield _Block(1, line)
        elif not block and line.startswith(b'{"events":'):
            is_ended = True
            yield _Block(number, line, is_end=True)
        elif not block and not line.startswith(b'{"stream":'):
            raise ExportError(number, "expected a stream or the end line")
        else:
            block.append(line)
            if line.startswith(b'{"count":'):
                first = number - len(block) + 1
                yield _Block(first, b"".join(block), _parse_stream_line(block[0], first), tuple(block[1:]))
                block = []


def _read_export(file: BinaryIO) -> Iterator[Stream]:
    """The streams of a complete export, each checked. ExportError at the first fault, even if it is the end line."""
    return (located.stream for located in _locate(file))


def _locate(file: BinaryIO) -> Iterator[Located]:
    digest, streams, events, place, is_whole = sha256(), 0, 0, 0, False
    for block in _read_blocks(file):
        if block.is_end:
            end = {"streams": streams, "events": events, "sha256": digest.hexdigest()}
            if canonical_json(end) + b"\n" != block.raw:
                raise ExportError(block.line, "the end line does not match the lines before it")
            is_whole = True
        elif block.stream:
            stream = _parse_stream(block)
            streams, events = streams + 1, events + len(stream.entries)
            yield Located(stream, place, len(block.raw))
        place += len(block.raw)
        digest.update(block.raw)
    if not is_whole:
        raise ExportError(None, "the end line is missing: the export was interrupted, run it again to continue")


def _require_head(line: bytes) -> None:
    try:
        head = parse_json(line)
    except NotCanonical as error:
        raise ExportError(1, str(error)) from None
    if not (isinstance(head, dict) and head.get("archive") == FORMAT):
        raise ExportError(1, f"this is not a full export of format {FORMAT}")


def _parse_stream_line(line: bytes, number: int) -> str:
    found = re.fullmatch(rb'\{"stream":"([a-z0-9_-]{1,64})"\}\n', line)
    id = found[1].decode() if found else ""
    if not (STREAM_ID.fullmatch(id) or LEDGER_ID.fullmatch(id)):
        raise ExportError(number, "expected the id of a stream")
    return id


def _parse_stream(block: _Block) -> Stream:
    first, *lines, last = block.line, *block.lines
    entries = []
    for version, line in enumerate(lines, 1):
        try:
            entry = parse_event_line(line[:-1], version + 1)
            raw = parse_json(entry.e)
            if canonical_json(raw) != entry.e:
                raise ExportError(first + version, "this event is not canonical JSON")
            parse_envelope(raw, version)
        except BundleError as error:
            raise ExportError(first + version, error.why) from None
        except (StreamError, AttributeError) as error:
            raise ExportError(first + version, str(error)) from None
        entries.append(entry)
    try:
        head = check_chain(first_link(block.stream), 0, entries)
    except BrokenChain as error:
        raise ExportError(first + error.details["version"], str(error)) from None
    if not entries or canonical_json({"count": len(entries), "head": head.hex()}) + b"\n" != last:
        raise ExportError(first + len(block.lines), f"the count or head of {block.stream} does not match its events")
    return Stream(block.stream, entries)
