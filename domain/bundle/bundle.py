"""The bundle: a match in one file, to be carried away, checked and imported.

A bundle is NDJSON. Each line ends in a line feed and has exactly one spelling, so a match has exactly one bundle.

    {"behaviour":…,"bundle":1,"match":…,"ruleset":…,"ruleset_version":…}    the head line, canonical JSON
    {…,"hash":"…"}                                                          version 1 as stored, with its hash
    …                                                                       line n + 1 holds version n
    {"count":…,"head":"…","sha256":"…"}     events, hash of the last one, SHA-256 of all bytes before this line
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from reprlib import repr as shorten
from typing import Any, NamedTuple

from plyscribe.domain.chain import StoredEvent, canonical_json, check_chain, find_wrapping, first_link, parse_json
from plyscribe.domain.errors import BrokenChain, BundleError, NotCanonical, UnknownRuleset
from plyscribe.domain.events import MatchCreated
from plyscribe.domain.rulesets import find_ruleset

FORMAT = 1
"""The version of the format, `bundle` in the head line."""

_MATCH = re.compile(r"match-[a-z2-7]{26}")
_DIGEST = re.compile(r"[0-9a-f]{64}")
_EVENT_LINE = re.compile(rb'(\{.*),"hash":"([0-9a-f]{64})"\}', re.DOTALL)


class Head(NamedTuple):
    """The head line. `behaviour` is the digest of the ruleset version on the server that wrote the bundle."""

    match: str
    ruleset: str
    ruleset_version: int
    behaviour: str | None


class Bundle(NamedTuple):
    """A parsed bundle: well-formed, but with unchecked events."""

    head: Head
    entries: tuple[StoredEvent, ...]


def describe_head(match: str, created: MatchCreated) -> Head:
    """The head of a match's bundle. `behaviour` is None if the ruleset is unknown here or has no proofs."""
    try:
        behaviour = find_ruleset(created.ruleset, created.ruleset_version).behaviour
    except UnknownRuleset:
        behaviour = None
    return Head(match, created.ruleset, created.ruleset_version, behaviour)


def format_bundle(head: Head, entries: Iterable[StoredEvent]) -> Iterator[bytes]:
    """The lines of the bundle of a match, each with its line feed; inverse of parse_bundle.

    `entries` are all events of the match. NotCanonical if the bytes of an event do not fit a line: an export never
    repairs what is stored.
    """
    line = _format_head(head)
    digest, count, last = sha256(line), 0, None
    yield line
    for entry in entries:
        if not (entry.e[:1] == b"{" and entry.e[-1:] == b"}" and b"\n" not in entry.e):
            raise NotCanonical(f"event {entry.version} is not an object on one line")
        line = format_event_line(entry) + b"\n"
        digest.update(line)
        count, last = count + 1, entry.h
        yield line
    yield _format_end(count, last, digest.hexdigest())


def format_event_line(stored: StoredEvent) -> bytes:
    """A stored event as it goes out: its stored bytes with the hash added. Nothing is serialised again."""
    return stored.e[:-1] + b',"hash":"' + stored.h.hex().encode() + b'"}'


def _format_head(head: Head) -> bytes:
    return canonical_json({"bundle": FORMAT, **head._asdict()}) + b"\n"


def _format_end(count: int, last: bytes | None, digest: str) -> bytes:
    return canonical_json({"count": count, "head": last.hex() if last else None, "sha256": digest}) + b"\n"


def parse_bundle(raw: bytes) -> Bundle:
    """The bundle in these bytes; BundleError with the first faulty line unless format_bundle writes the same bytes.

    The events themselves are not checked: check_bundle does that.
    """
    if why := find_wrapping(raw):
        raise BundleError(1, why)
    *lines, rest = raw.split(b"\n")
    if rest:
        raise BundleError(len(lines) + 1, "it does not end with a line feed")
    if len(lines) < 2:
        raise BundleError(len(lines) + 1, "the end line is missing" if lines else "it is empty")
    head = parse_head(lines[0])
    entries = tuple(parse_event_line(line, number) for number, line in enumerate(lines[1:-1], 2))
    digest = sha256(raw[: len(raw) - len(lines[-1]) - 1]).hexdigest()
    if lines[-1] + b"\n" != _format_end(len(entries), entries[-1].h if entries else None, digest):
        raise _find_fault(head, entries, digest, lines)
    return Bundle(head, entries)


def parse_head(raw: bytes) -> Head:
    """The head in the first line of a bundle, without its line feed; BundleError unless it is spelled canonically."""
    parsed = _parse_line(raw, 1)
    if not isinstance(parsed, dict) or parsed.keys() != {"bundle", *Head._fields}:
        raise BundleError(1, "this is not the head line of a bundle")
    if parsed["bundle"] != FORMAT:
        raise BundleError(1, f"format {shorten(parsed['bundle'])} is unknown here, {FORMAT} is the newest")
    head = Head(**{name: parsed[name] for name in Head._fields})
    _require_head(head)
    if _format_head(head) != raw + b"\n":
        raise BundleError(1, "the head line is not canonical JSON")
    return head


def _require_head(head: Head) -> None:
    if not (isinstance(head.match, str) and _MATCH.fullmatch(head.match)):
        raise BundleError(1, "the head line names no match")
    if not (isinstance(head.ruleset, str) and type(head.ruleset_version) is int):
        raise BundleError(1, "the head line names no ruleset and version")
    if head.behaviour is not None and not (isinstance(head.behaviour, str) and _DIGEST.fullmatch(head.behaviour)):
        raise BundleError(1, "the behaviour in the head line is not a SHA-256 in hex")


def parse_event_line(raw: bytes, line: int) -> StoredEvent:
    """The event on this line of a bundle, without its line feed; the line number gives its version.

    BundleError unless the line ends in a hash. The content of the event is not checked.
    """
    found = _EVENT_LINE.fullmatch(raw)
    if not found:
        raise BundleError(line, "this is not an event with its hash")
    return StoredEvent(line - 1, found[1] + b"}", bytes.fromhex(found[2].decode()))


def _parse_line(raw: bytes, line: int) -> Any:
    try:
        return parse_json(raw)
    except NotCanonical as error:
        raise BundleError(line, str(error)) from None


def _find_fault(head: Head, entries: Sequence[StoredEvent], digest: str, lines: Sequence[bytes]) -> BundleError:
    """The fault behind a wrong end line: the event at which the chain breaks, or else the end line itself."""
    try:
        check_chain(first_link(head.match), 0, entries)
    except BrokenChain as error:
        version = error.details["version"]
        return BundleError(version + 1, f"the hash of event {version} does not follow from the lines before it")
    last = len(lines)
    match _parse_line(lines[-1], last):
        case {"count": int(count), "head": _, "sha256": str(claimed)} as end if len(end) == 3:
            if count != len(entries):
                return BundleError(last, f"the end line counts {count} events, but there are {len(entries)}")
            if claimed != digest:
                return BundleError(last, f"the SHA-256 of all lines before is {digest}, not {claimed[:80]}")
            return BundleError(last, "the end line is not canonical, or does not name the hash of the last event")
    return BundleError(last, "the end line is missing")
