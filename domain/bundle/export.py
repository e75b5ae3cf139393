"""The NDJSON export of a stream's events: a line for each event, from version 1 on, and an end line.

A bundle has a head line before its events; an export has none, so the version of an event is the number of its line.
"""

from collections.abc import Sequence
from hashlib import sha256

from plyscribe.domain.bundle.bundle import parse_event_line
from plyscribe.domain.chain import StoredEvent, canonical_json, check_chain, find_wrapping, first_link
from plyscribe.domain.errors import BrokenChain, BundleError


class ExportError(Exception):
    """The bytes are not a whole export. `line` (from 1) is the first line at fault; `why` says what is wrong there."""

    def __init__(self, line: int, why: str) -> None:
        super().__init__(f"line {line}: {why}")
        self.line = line
        self.why = why


def format_end_line(count: int, head: str | None, digest: str) -> bytes:
    """The end line: the number of events, the hash of the last one, and the SHA-256 of all bytes before this line."""
    return canonical_json({"count": count, "head": head, "sha256": digest}) + b"\n"


def parse_export(stream: str, raw: bytes) -> tuple[StoredEvent, ...]:
    """All events of the export of this stream; ExportError unless their hashes follow and the end line fits.

    What the events say is not checked.
    """
    if why := find_wrapping(raw):
        raise ExportError(1, why)
    *lines, rest = raw.split(b"\n")
    if rest or not lines:
        raise ExportError(len(lines) + 1, "the export does not end here: there is no whole end line")
    if lines[0].startswith(b'{"bundle":'):
        raise ExportError(1, "this is a bundle of a match, not an export of events")
    entries = tuple(_parse_line(line, number) for number, line in enumerate(lines[:-1], 1))
    _require_chain(stream, entries)
    end, head = lines[-1] + b"\n", entries[-1].h.hex() if entries else None
    if end != format_end_line(len(entries), head, sha256(raw[: -len(end)]).hexdigest()):
        raise ExportError(len(lines), "the end line is missing, or does not fit the lines before it")
    return entries


def _parse_line(raw: bytes, number: int) -> StoredEvent:
    try:
        return parse_event_line(raw, number + 1)
    except BundleError as error:
        raise ExportError(number, error.why) from None


def _require_chain(stream: str, entries: Sequence[StoredEvent]) -> None:
    try:
        check_chain(first_link(stream), 0, entries)
    except BrokenChain as error:
        version = error.details["version"]
        why = "its hash does not follow from the lines before it"
        if version == 1:
            why = f"this is not the first event of {stream}"
        raise ExportError(version, why) from None
