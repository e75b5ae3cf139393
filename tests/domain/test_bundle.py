"""A bundle has one spelling, and whatever is changed in one is found."""

import gzip
import json
from collections.abc import Callable, Iterator
from functools import lru_cache
from hashlib import sha256

import pytest

from plyscribe.domain.bundle import bundle
from plyscribe.domain.bundle.bundle import (
    Bundle,
    Head,
    describe_head,
    format_bundle,
    format_event_line,
    parse_bundle,
    parse_event_line,
)
from plyscribe.domain.chain import StoredEvent, canonical_json, first_link, link_all
from plyscribe.domain.errors import BundleError, NotCanonical
from tests.domain.given import STREAM, Table
from tests.domain.matches import aborted, bundle_of, every_match, resealed
from tests.domain.toy import TOY_V1


@every_match
def test_reading_is_the_inverse_of_writing(make: Callable[[], Table]) -> None:
    table = make()
    raw = bundle_of(table)
    assert parse_bundle(raw) == Bundle(describe_head(STREAM, table.match.life.created), tuple(table.entries))
    assert b"".join(format_bundle(*parse_bundle(raw))) == raw


def test_the_head_line_names_the_match_and_how_its_ruleset_behaves_if_it_is_known() -> None:
    head = bundle_of(aborted()).split(b"\n")[0]
    assert head == (
        f'{{"behaviour":"{TOY_V1.behaviour}","bundle":1,"match":"{STREAM}","ruleset":"toy","ruleset_version":1}}'.encode()
    )
    created = aborted().match.life.created
    unknown = type(created)(**{name: getattr(created, name) for name in created.__slots__} | {"ruleset_version": 9})
    assert describe_head(STREAM, unknown) == Head(STREAM, "toy", 9, None)


def test_the_end_line_counts_names_the_last_hash_and_covers_all_before() -> None:
    table = aborted()
    raw = bundle_of(table)
    body, end = raw[: raw[:-1].rindex(b"\n") + 1], raw[raw[:-1].rindex(b"\n") + 1 :]
    told = {"count": len(table.entries), "head": table.match.head.hex(), "sha256": sha256(body).hexdigest()}
    assert end == canonical_json(told) + b"\n"


def test_an_event_line_is_the_stored_text_with_its_hash_at_the_end() -> None:
    stored = StoredEvent(7, b'{"a":"b"}', bytes(32))
    assert format_event_line(stored) == b'{"a":"b","hash":"' + b"0" * 64 + b'"}'
    assert parse_event_line(format_event_line(stored), 8) == stored


def test_a_match_without_events_and_events_that_were_stored_wrongly_are_carried_as_they_are() -> None:
    head = Head(STREAM, "toy", 1, None)
    assert parse_bundle(b"".join(format_bundle(head, ()))) == Bundle(head, ())
    entries = aborted().entries
    entries[1] = entries[1]._replace(e=b'{"x": 1}', h=bytes(32))
    head = Head(STREAM, "toy", 1, None)
    assert parse_bundle(b"".join(format_bundle(head, entries))) == Bundle(head, tuple(entries))


@pytest.mark.parametrize("e", [b"", b"{", b"[]", b'{"a":1]', b'{"a":\n1}'])
def test_bytes_that_have_no_place_in_a_line_are_not_mended(e: bytes) -> None:
    with pytest.raises(NotCanonical, match="event 1 is not an object"):
        list(format_bundle(Head(STREAM, "toy", 1, None), link_all(first_link(STREAM), 1, [e])))


def places_of(raw: bytes) -> Iterator[int]:
    """The places of all line feeds, and of all bytes of the head, the end, and the first event of each form."""
    seen, start = set[str](), 0
    for line in raw.splitlines(keepends=True):
        event = json.loads(line)
        form = f"{event['type']} with {sorted(event['data'])}" if "type" in event else f"line at {start}"
        yield from range(start if form not in seen else start + len(line) - 1, start + len(line))
        seen.add(form)
        start += len(line)


def changed_bytes(raw: bytes) -> Iterator[tuple[int, bytes]]:
    """These places with their bits flipped, other bytes there or before, without theirs, and swapped with the next."""
    for place in places_of(raw):
        byte = raw[place]
        others = {byte ^ 1 << bit for bit in range(8)} | set(b' "0\n\r\t\0') - {byte}
        for other in others:
            yield place, raw[:place] + bytes([other]) + raw[place + 1 :]
        for more in {byte, *b" 0\n"}:
            yield place, raw[:place] + bytes([more]) + raw[place:]
        yield place, raw[:place] + raw[place + 1 :]
        if raw[place + 1 : place + 2] not in (b"", raw[place : place + 1]):
            yield place, raw[:place] + raw[place + 1 : place + 2] + raw[place : place + 1] + raw[place + 2 :]


@every_match
def test_every_changed_added_dropped_or_swapped_byte_is_found_where_it_stands(
    make: Callable[[], Table], monkeypatch: pytest.MonkeyPatch
) -> None:
    # Only for speed: all lines but one or two are the same as before.
    for name in ("parse_head", "parse_event_line"):
        monkeypatch.setattr(bundle, name, lru_cache(maxsize=200)(getattr(bundle, name)))
    raw = bundle_of(make())
    last = raw.count(b"\n")
    for place, changed in changed_bytes(raw):
        with pytest.raises(BundleError) as caught:
            parse_bundle(changed)
        line = raw.count(b"\n", 0, place) + 1
        # What the head line said, only the lines after it tell; a line feed out of place may make one line more.
        behind = {2, last} if line == 1 else {line + 1} if b"\n" in raw[place : place + 2] else set()
        assert caught.value.line in {line, *behind}


def rearranged(lines: list[bytes]) -> Iterator[list[bytes]]:
    for place, line in enumerate(lines):
        yield lines[:place] + lines[place + 1 :]
        yield [*lines[:place], line, *lines[place:]]
        yield [*lines[:place], b"\n", *lines[place:]]
        yield [*lines[:place], b"{}\n", *lines[place:]]
        for other in range(place + 1, len(lines)):
            swapped = list(lines)
            swapped[place], swapped[other] = lines[other], line
            yield swapped
    yield from ([*lines, b"\n"], [*lines, b"{}\n"], [], lines[:1], lines[-1:])


@every_match
def test_every_dropped_doubled_added_or_swapped_line_is_found(make: Callable[[], Table]) -> None:
    lines = bundle_of(make()).splitlines(keepends=True)
    for others in rearranged(lines):
        with pytest.raises(BundleError):
            parse_bundle(b"".join(others))


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        (b"{", b"{ ", "not canonical"),
        (b'"bundle":1,"match":', b'"match":', "not the head line"),
        (b'"bundle":1', b'"bundle":2', "format 2 is unknown here"),
        (b'"bundle":1', b'"bundle":true', "not canonical"),
        (b'"bundle":1', b'"bundle":1,"more":1', "not the head line"),
        (b"match-a", b"match-A", "names no match"),
        (b'"toy"', b'["toy"]', "names no ruleset"),
        (b'"ruleset_version":1', b'"ruleset_version":true', "names no ruleset"),
        (b'"behaviour":"', b'"behaviour":"0', "not a SHA-256"),
        (b'"toy"', b'"t\\u006fy"', "not canonical"),
        (b'"toy"', b"1.5", "not an integer"),
    ],
)
def test_a_head_line_has_one_spelling_even_with_an_end_line_of_its_own(old: bytes, new: bytes, why: str) -> None:
    lines = bundle_of(aborted()).splitlines(keepends=True)
    assert old in lines[0]
    with pytest.raises(BundleError, match=why) as caught:
        parse_bundle(resealed([lines[0].replace(old, new, 1), *lines[1:]]))
    assert caught.value.line == 1


def test_a_bundle_that_a_program_packed_or_changed_says_so() -> None:
    raw = bundle_of(aborted())
    changed = {
        b"\xef\xbb\xbf" + raw: "byte order mark",
        raw.replace(b"\n", b"\r\n"): "CR LF",
        gzip.compress(raw): "gzip",
        b"\x1f\x8b\x08\xff\r\n": "gzip",
    }
    for each, why in changed.items():
        with pytest.raises(BundleError, match=why):
            parse_bundle(each)


def test_a_bundle_that_broke_off_says_so() -> None:
    raw = bundle_of(aborted())
    with pytest.raises(BundleError, match="does not end with a line feed"):
        parse_bundle(raw[:-20])
    with pytest.raises(BundleError, match="the end line is missing"):
        parse_bundle(raw[: raw[:-1].rindex(b"\n") + 1])
    with pytest.raises(BundleError, match="line 1 of the bundle: it is empty"):
        parse_bundle(b"")
