"""The archive: all streams of a store as one file of NDJSON, and stores filled from it again, byte for byte.

    {"archive":1,"server":"…"}                               the head line
    {"stream":"match-…"}                                     of each stream: its id,
    {…,"hash":"…"}                                           its events as stored, their hashes added,
    {"count":…,"head":"…"}                                   how many they are, and the hash of the last one
    {"events":…,"sha256":"…","streams":…}                    the end line: SHA-256 of all bytes before it

A file that broke off goes on after its last whole stream. Streams stand in the order of the store, each as it was when
it was read: what happens meanwhile to one that is written already is not in the file.
"""

import logging
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import sha256
from itertools import groupby, islice
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from plyscribe.domain.bundle.bundle import format_event_line, parse_event_line
from plyscribe.domain.chain import StoredEvent, canonical_json, check_chain, first_link, parse_json
from plyscribe.domain.codec import parse_envelope
from plyscribe.domain.errors import BrokenChain, BundleError, NotCanonical, StreamError
from plyscribe.service.config import SERVER
from plyscribe.service.store.port import Append, CommandKey, EventStore, Stored
from plyscribe.service.streams.handler import PAGE
from plyscribe.service.streams.ids import COMMAND_ID_BYTES, DIGEST_BYTES, STREAM_ID, job_command

FORMAT = 1
BEGINNING = b'{"archive":'
"""How every archive begins, and no other file of ours."""

LEDGER_ID = re.compile(r"ratings-[a-z0-9_-]{1,32}")
TOGETHER = 256
"""Appends that share a round trip."""

log = logging.getLogger(__name__)


class ArchiveError(Exception):
    """A file that is no archive: the message names the first line at fault."""

    def __init__(self, line: int | None, why: str) -> None:
        place = "the archive" if line is None else f"line {line} of the archive"
        super().__init__(f"{place}: {why}")


class Differs(Exception):
    """A stream of the store is another one than that to be restored; it was left as it is."""


class Written(NamedTuple):
    """How far an export or import is: streams and events, and those of them that were not there before."""

    streams: int = 0
    events: int = 0
    new_streams: int = 0
    new_events: int = 0


class Stream(NamedTuple):
    """A stream with all its events."""

    id: str
    entries: Sequence[StoredEvent]


Progress = Callable[[Written], object]


# ------------------------------------------------------------------------------------------------------------- export


def export_archive(store: EventStore, path: Path, report: Progress = lambda _: None) -> Written:
    """Write all streams to the file, going on after the last whole one where it has some, and end it.

    A stream whose bytes have no place in a line, for they were tampered with, is told in the log and left out.
    ArchiveError where the file is something else, or complete already. StoreUnavailable: begin again at will.
    """
    # It holds private matches, and what tokens hash to.
    with open(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "r+b") as file:
        after, written, digest = _go_on(file)
        for stream in _list_streams(store, after):
            lines = _format_stream(stream, _read_all(store, stream))
            if lines:
                digest.update(block := b"".join(lines))
                file.write(block)
                events = written.events + len(lines) - 2
                written = Written(written.streams + 1, events, written.new_streams + 1, written.new_events)
            report(written)
        end = {"streams": written.streams, "events": written.events, "sha256": digest.hexdigest()}
        file.write(canonical_json(end) + b"\n")
    return written


def _list_streams(store: EventStore, after: str) -> Iterator[str]:
    while page := store.streams(after):
        yield from page
        after = page[-1]


def _read_all(store: EventStore, stream: str) -> Iterator[StoredEvent]:
    after = 0
    while entries := store.load(stream, after, limit=PAGE).entries:
        yield from entries
        after = entries[-1].version


def _format_stream(stream: str, entries: Iterable[StoredEvent]) -> list[bytes]:
    lines, head = [canonical_json({"stream": stream}) + b"\n"], b""
    for entry in entries:
        if not (entry.e[:1] == b"{" and entry.e[-1:] == b"}" and b"\n" not in entry.e):
            log.error("%s is left out of the archive: event %d is no object on one line", stream, entry.version)
            return []
        lines.append(format_event_line(entry) + b"\n")
        head = entry.h
    return [*lines, canonical_json({"count": len(lines) - 1, "head": head.hex()}) + b"\n"]


def _go_on(file: BinaryIO) -> tuple[str, Written, Any]:
    """The last whole stream of the file, what there is up to it, and the digest of that; the rest is cut off."""
    begun = canonical_json({"archive": FORMAT, "server": SERVER}) + b"\n"
    digest, place, after, written = sha256(), 0, "", Written()
    for block in _read_blocks(file):
        if block.is_end:
            raise ArchiveError(block.line, "it is complete: export to another file")
        digest.update(block.raw)
        place += len(block.raw)
        if block.stream:
            after, events = block.stream, written.events + len(block.lines) - 1
            written = written._replace(streams=written.streams + 1, events=events)
    file.seek(place)
    file.truncate()
    if not place:
        digest.update(begun)
        file.write(begun)
    return after, written, digest


# ------------------------------------------------------------------------------------------------------------- import


def import_archive(store: EventStore, path: Path, report: Progress = lambda _: None) -> Written:
    """Fill the store with all streams of the file, each byte for byte; what is there already stays, and is gone on.

    Nothing is written unless the whole file is sound and no stream of the store differs: ArchiveError, Differs. May be
    interrupted and begun again at will. StoreUnavailable.
    """
    with path.open("rb") as file:
        for stream in _read_archive(file):
            _find_missing(store, stream)
    written = Written()
    # Ledgers come first: whoever scores a match finds out there whether that was done before.
    for part in (True, False):
        written = _write_part(store, path, written, report, ledgers=part)
    return written


def _write_part(store: EventStore, path: Path, written: Written, report: Progress, ledgers: bool) -> Written:
    with path.open("rb") as file:
        for stream in _read_archive(file):
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


def check_archive(path: Path, report: Progress = lambda _: None) -> Written:
    """How much a sound archive holds; ArchiveError where it is none."""
    written = Written()
    with path.open("rb") as file:
        for stream in _read_archive(file):
            written = written._replace(streams=written.streams + 1, events=written.events + len(stream.entries))
            report(written)
    return written


def restore_stream(store: EventStore, stream: str, entries: Sequence[StoredEvent]) -> int:
    """How many of the chained events had to be stored, so that the stream is there with all of them.

    One that goes on further is left as it is, and so is one that differs: Differs. A match comes all at once, so that
    no worker finds it half there. Elsewhere what was stored together is stored together again, under the same command:
    a ledger has no match twice.
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
    """The events that the store lacks; Differs where it has others."""
    have = list(islice(_read_all(store, stream.id), len(stream.entries)))
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
    # Jobs have no request to digest. Who sends a request again whose answer got lost before is told of a used key.
    return CommandKey(bytes.fromhex(cause), bytes(DIGEST_BYTES))


# ------------------------------------------------------------------------------------------------------------ reading


class _Block(NamedTuple):
    """The lines of an archive that belong together: its head, a stream, or its end."""

    line: int
    raw: bytes
    stream: str = ""
    lines: tuple[bytes, ...] = ()
    """Those of its events and the one behind them."""

    is_end: bool = False


def _read_blocks(file: BinaryIO) -> Iterator[_Block]:
    """The blocks of a file as far as they are whole; ArchiveError where it is no archive."""
    is_ended, block = False, list[bytes]()
    for number, line in enumerate(file, 1):
        if is_ended:
            raise ArchiveError(number, "the archive should have ended before")
        if not line.endswith(b"\n"):
            return
        if number == 1:
            _require_head(line)
            yield _Block(1, line)
        elif not block and line.startswith(b'{"events":'):
            is_ended = True
            yield _Block(number, line, is_end=True)
        elif not block and not line.startswith(b'{"stream":'):
            raise ArchiveError(number, "a stream, or the end line, should begin here")
        else:
            block.append(line)
            if line.startswith(b'{"count":'):
                first = number - len(block) + 1
                yield _Block(first, b"".join(block), _parse_stream_line(block[0], first), tuple(block[1:]))
                block = []


def _read_archive(file: BinaryIO) -> Iterator[Stream]:
    """The streams of a whole archive, each checked; ArchiveError at the first fault, at the end line at the latest."""
    digest, streams, events, is_whole = sha256(), 0, 0, False
    for block in _read_blocks(file):
        if block.is_end:
            end = {"streams": streams, "events": events, "sha256": digest.hexdigest()}
            if canonical_json(end) + b"\n" != block.raw:
                raise ArchiveError(block.line, "the end line does not fit the lines before it")
            is_whole = True
        elif block.stream:
            stream = _parse_stream(block)
            streams, events = streams + 1, events + len(stream.entries)
            yield stream
        digest.update(block.raw)
    if not is_whole:
        raise ArchiveError(None, "the end line is missing: the export broke off, and can be gone on with")


def _require_head(line: bytes) -> None:
    try:
        head = parse_json(line)
    except NotCanonical as error:
        raise ArchiveError(1, str(error)) from None
    if not (isinstance(head, dict) and head.get("archive") == FORMAT):
        raise ArchiveError(1, f"this is no archive of format {FORMAT}")


def _parse_stream_line(line: bytes, number: int) -> str:
    found = re.fullmatch(rb'\{"stream":"([a-z0-9_-]{1,64})"\}\n', line)
    id = found[1].decode() if found else ""
    if not (STREAM_ID.fullmatch(id) or LEDGER_ID.fullmatch(id)):
        raise ArchiveError(number, "this names no stream")
    return id


def _parse_stream(block: _Block) -> Stream:
    first, *lines, last = block.line, *block.lines
    entries = []
    for version, line in enumerate(lines, 1):
        try:
            entry = parse_event_line(line[:-1], version + 1)
            raw = parse_json(entry.e)
            if canonical_json(raw) != entry.e:
                raise ArchiveError(first + version, "this event is not canonical JSON")
            parse_envelope(raw, version)
        except BundleError as error:
            raise ArchiveError(first + version, error.why) from None
        except (StreamError, AttributeError) as error:
            raise ArchiveError(first + version, str(error)) from None
        entries.append(entry)
    try:
        head = check_chain(first_link(block.stream), 0, entries)
    except BrokenChain as error:
        raise ArchiveError(first + error.details["version"], str(error)) from None
    if not entries or canonical_json({"count": len(entries), "head": head.hex()}) + b"\n" != last:
        raise ArchiveError(first + len(block.lines), f"the count and head of {block.stream} are others")
    return Stream(block.stream, entries)
