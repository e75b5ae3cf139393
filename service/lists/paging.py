"""Pages of a list. A cursor is a place in the list, so new rows make no other row appear twice or not at all."""

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as BadBase64
from collections.abc import Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa

from plyscribe.service.errors import BadRequest

MAX_SCANNED = 1000
"""Rows that one request looks at, however few pass its filter."""

_PLACE = re.compile(r"[^\t\0]+\t(match|player|import|tournament)-[a-z2-7]{26}")

_NUMBER = re.compile(r"[0-9]{1,18}")
_NOT_OURS = "this list did not issue the cursor: use `next` as it is"

Json = dict[str, Any]


class Page(NamedTuple):
    """Some rows in order, and the cursor of the next page; None on the last page.

    A page with a cursor may have fewer rows than asked for, even none, if few of the rows looked at passed the filter.
    """

    rows: list[bytes]
    cursor: str | None
    cursors: Sequence[str] = ()
    """The cursor of what follows each row."""


class Span(NamedTuple):
    """Rows that lie side by side in an index, in the order of their keys and then of their ids."""

    key: sa.Column[Any]
    id: sa.Column[str]
    where: sa.ColumnElement[bool]
    """What the index finds. It holds no other condition, so that nothing else can be searched."""


class Condition(NamedTuple):
    """Rows that another table finds: where they lie, and the ids of all of them."""

    spans: Sequence[Span]
    ids: sa.Select[tuple[str]]


class Listing(NamedTuple):
    """What to list: the name in its cursors, and spans that hold all its rows. They may have rows in common."""

    name: str
    spans: Sequence[Span]
    table: sa.Table
    """The rows: `id`, and `data`, which is shown."""

    keep: sa.ColumnElement[bool] | None
    """Which rows are shown; None: all of the spans."""

    descending: bool


class Place(NamedTuple):
    """The place of a row in a list."""

    key: Any
    id: str


def read_page(connection: sa.Connection, listing: Listing, limit: int, last: Place | None) -> Page:
    """The first `limit` rows of the listing after this place; looks at MAX_SCANNED rows at most."""
    size, looked_at = limit + 1, 0
    found: list[sa.Row[Any]] = []
    while True:
        chunk = connection.execute(_select_chunk(listing, last, size)).all()
        found += [row for row in chunk if row.data is not None]
        if len(found) > limit:
            return _cut(listing, found[:limit], Place(found[limit - 1].key, found[limit - 1].id))
        if len(chunk) < size:
            return _cut(listing, found, None)
        last = Place(chunk[-1].key, chunk[-1].id)
        looked_at += size
        if looked_at >= MAX_SCANNED:
            return _cut(listing, found, last)
        size = min(size * 4, MAX_SCANNED - looked_at)


def _cut(listing: Listing, found: Sequence[sa.Row[Any]], last: Place | None) -> Page:
    cursors = [_format_place(listing, Place(row.key, row.id)) for row in found]
    return Page([row.data for row in found], None if last is None else _format_place(listing, last), cursors)


def _format_place(listing: Listing, place: Place) -> str:
    return format_cursor(listing.name, f"{place.key}\t{place.id}".encode())


def _select_chunk(listing: Listing, last: Place | None, size: int) -> sa.Select[Any]:
    """The next rows in order, with `data` if they are to be shown.

    What is shown is decided beside the rows and not by a WHERE, so that the number of rows looked at is the limit.
    """
    spans = [_select_places(span, last, size, listing.descending) for span in listing.spans]
    # The columns are named by hand: SQLAlchemy takes a tenth of a page's time to find out what they are.
    each: list[sa.Select[Any]] = [sa.select(sa.literal_column("*")).select_from(span.subquery()) for span in spans]
    places = (spans[0] if len(spans) == 1 else sa.union(*each)).subquery("places")
    key: sa.ColumnClause[Any] = sa.literal_column("places.key")
    id: sa.ColumnClause[str] = sa.literal_column("places.id")
    data = listing.table.c.data
    shown = data if listing.keep is None else sa.case((listing.keep, data))
    rows = places.outerjoin(listing.table, listing.table.c.id == id)
    order = [column.desc() if listing.descending else column.asc() for column in (key, id)]
    chunk = sa.select(key.label("key"), id.label("id"), shown.label("data")).select_from(rows)
    return chunk.order_by(*order).limit(size)


def _select_places(span: Span, last: Place | None, size: int, descending: bool) -> sa.Select[Any]:
    order = [column.desc() if descending else column.asc() for column in (span.key, span.id)]
    places = sa.select(span.key.label("key"), span.id.label("id")).where(span.where).order_by(*order).limit(size)
    if last is None:
        return places
    here, there = sa.tuple_(span.key, span.id), sa.tuple_(sa.literal(last.key), sa.literal(last.id))
    return places.where(here < there if descending else here > there)


def format_cursor(name: str, at: bytes) -> str:
    """The cursor for the place of a row in the list of that name."""
    return urlsafe_b64encode(name.encode() + b"\t" + at).decode().rstrip("=")


def parse_cursor(name: str, cursor: str) -> bytes:
    """The place that a cursor names, inverse of format_cursor; BadRequest if it is not a cursor of that list."""
    try:
        decoded = urlsafe_b64decode(cursor.encode("ascii") + b"=" * (-len(cursor) % 4))
        at = decoded.partition(b"\t")[2]
        is_place = _PLACE.fullmatch(at.decode()) is not None
    except (UnicodeError, BadBase64):
        at, is_place = b"", False
    if not is_place or format_cursor(name, at) != cursor:
        raise BadRequest(_NOT_OURS, "cursor/invalid")
    return at


def parse_place(name: str, cursor: str | None, by_number: bool) -> Place | None:
    """The place that a cursor names in a list ordered by numbers or by text, None without one; as parse_cursor."""
    if cursor is None:
        return None
    key, _, id = parse_cursor(name, cursor).decode().partition("\t")
    if not by_number:
        return Place(key, id)
    if not _NUMBER.fullmatch(key):
        raise BadRequest(_NOT_OURS, "cursor/invalid")
    return Place(int(key), id)
