"""The port of tables: rows derived from streams, kept in ordered lists. A build replaces the whole table.

A row is in one list for each of its terms, at the same place in each. A build fills an empty table beside the one that
is read. Until the build ends, new rows are entered in both.
"""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from plyscribe.service.store.port import StoreError

SEPARATOR = "\t"
"""Separates the parts of a row in the store. No part except the data may contain it."""

END = b"\xff"
"""Sorts after all rows: UTF-8 text never contains this byte."""


class BuildLost(StoreError):
    """Another build of the same table has begun. This one had no effect."""

    code = "store/build-lost"


class Row(NamedTuple):
    """What a table keeps of a stream at a version: a place, terms, and data that the table does not interpret."""

    id: str
    version: int
    place: str
    terms: tuple[str, ...]
    data: bytes

    @property
    def at(self) -> bytes:
        """The position of the row in its lists. Rows with the same place are ordered by id."""
        return f"{self.place}{SEPARATOR}{self.id}".encode()


class Span(NamedTuple):
    """The rows from `low` up to, but not including, `high` in the list of a term."""

    term: str
    low: bytes = b""
    high: bytes = END


class Found(NamedTuple):
    """A row as read from a list."""

    at: bytes
    data: bytes


class TableState(NamedTuple):
    """The layout of the last finished build (0: none yet), and when a build in progress last gave a sign of life."""

    layout: int
    build_ms: int | None


class Table(Protocol):
    """Rows by id. Of all versions of a row that are entered, the newest is kept."""

    def put(self, rows: Sequence[Row]) -> None:
        """Enter rows in the lists of their terms and remove them from others; ignore versions older than the table's.

        Each row is entered atomically. Raises the errors of the store.
        """
        ...

    def read(self, spans: Sequence[Span], limit: int, newest_first: bool = False) -> list[Found]:
        """The first `limit` rows of all spans together, ordered by place, as of one moment."""
        ...

    def count(self, spans: Sequence[Span]) -> list[int]:
        """The number of rows in each span, at a cost that hardly depends on that number."""
        ...

    def begin(self, now_ms: int) -> str:
        """Begin a build and return its id. A build in progress is lost."""
        ...

    def renew(self, build: str, now_ms: int) -> None:
        """Give a sign of life; BuildLost if another build has begun."""
        ...

    def finish(self, build: str, layout: int) -> None:
        """Make the new table the one that is read and drop the old one; BuildLost if another build has begun."""
        ...

    def state(self) -> TableState:
        """The state of the table's builds."""
        ...
