"""Pages of a list. A cursor is a place in the list, so new rows make no other row appear twice or not at all."""

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as BadBase64
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import orjson

from plyscribe.service.errors import BadRequest
from plyscribe.service.store.rows import Found, Span, Table

CHUNK = 100
"""Rows read at a time when rows are filtered."""

MAX_SCANNED = 1000
"""Rows that one request reads at most, however few pass its filter."""

_PLACE = re.compile(rb"[^\t]+\t(match|player|import|tournament)-[a-z2-7]{26}")

Json = dict[str, Any]


class Page(NamedTuple):
    """Some rows in order, and the cursor of the next page; None on the last page.

    A page with a cursor may have fewer rows than asked for, even none, if few of the rows read passed the filter.
    """

    rows: list[bytes]
    cursor: str | None


class Listing(NamedTuple):
    """What to list: the name in its cursors, the spans that hold all its rows, and a filter on them."""

    name: str
    spans: Sequence[Span]
    keep: Callable[[Json], bool] | None
    newest_first: bool


def read_page(table: Table, listing: Listing, limit: int, cursor: str | None) -> Page:
    """The first `limit` rows of the listing after the cursor; BadRequest if the cursor is not one of this list."""
    spans, size = listing.spans, CHUNK if listing.keep else min(CHUNK, limit + 1)
    last = None if cursor is None else parse_cursor(listing.name, cursor)
    found: list[Found] = []
    for _ in range(MAX_SCANNED // CHUNK):
        if last is not None:
            spans = [_behind(span, last, listing.newest_first) for span in spans]
        chunk = table.read(spans, size, listing.newest_first)
        found += [each for each in chunk if listing.keep is None or listing.keep(orjson.loads(each.data))]
        if len(found) > limit:
            return Page([each.data for each in found[:limit]], format_cursor(listing.name, found[limit - 1].at))
        if len(chunk) < size:
            return Page([each.data for each in found], None)
        last = chunk[-1].at
    assert last is not None
    return Page([each.data for each in found], format_cursor(listing.name, last))


def choose_spans(table: Table, alternatives: Sequence[Sequence[Span]]) -> Sequence[Span]:
    """The alternative whose spans hold the fewest rows."""
    if len(alternatives) == 1:
        return alternatives[0]
    counts = iter(table.count([span for spans in alternatives for span in spans]))
    sizes = [sum(next(counts) for _ in spans) for spans in alternatives]
    return alternatives[sizes.index(min(sizes))]


def _behind(span: Span, last: bytes, newest_first: bool) -> Span:
    if newest_first:
        return span._replace(high=min(span.high, last))
    # The smallest bytes greater than those of the last row.
    return span._replace(low=max(span.low, last + b"\0"))


def format_cursor(name: str, at: bytes) -> str:
    """The cursor for the place of a row in the list of that name."""
    return urlsafe_b64encode(name.encode() + b"\t" + at).decode().rstrip("=")


def parse_cursor(name: str, cursor: str) -> bytes:
    """The place that a cursor names, inverse of format_cursor; BadRequest if it is not a cursor of that list."""
    try:
        decoded = urlsafe_b64decode(cursor.encode("ascii") + b"=" * (-len(cursor) % 4))
    except (UnicodeEncodeError, BadBase64):
        decoded = b""
    at = decoded.partition(b"\t")[2]
    if not _PLACE.fullmatch(at) or format_cursor(name, at) != cursor:
        raise BadRequest("this list did not issue the cursor: use `next` as it is", "cursor/invalid")
    return at
