"""The port of tables: rows derived from streams, kept in ordered lists, replaced as a whole by a build.

A row stands in one list for each of its terms, at its place, which is the same in all of them. A build fills an empty
table beside the one that is read; until it ends, every row is entered in both.
"""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from plyscribe.service.store.port import StoreError

SEPARATOR = "\t"
"""What stands between the parts of a row in the store; no part but the data may hold it."""

END = b"\xff"
"""After all rows: no UTF-8 text holds this byte."""


class BuildLost(StoreError):
    """Another build of the same table began meanwhile; this one came to nothing, and did no harm."""

    code = "store/build-lost"


class Row(NamedTuple):
    """What a stream amounts to at a version: its place and terms, and its data, which the table does not look into."""

    id: str
    version: int
    place: str
    terms: tuple[str, ...]
    data: bytes

    @property
    def at(self) -> bytes:
        """Where the row stands in its lists: rows of one place are ordered by their ids."""
        return f"{self.place}{SEPARATOR}{self.id}".encode()


class Span(NamedTuple):
    """What stands from `low` up to but without `high` in the list of a term."""

    term: str
    low: bytes = b""
    high: bytes = END


class Found(NamedTuple):
    """A row as a list shows it."""

    at: bytes
    data: bytes


class TableState(NamedTuple):
    """The layout of the last build that ended, 0 before the first, and the last sign of one that is under way."""

    layout: int
    build_ms: int | None


class Table(Protocol):
    """Rows by id; of all versions of a row that are ever entered, the newest stays."""

    def put(self, rows: Sequence[Row]) -> None:
        """Enter rows in the lists of their terms, and nowhere else; older versions than the table has are ignored.

        Each row is entered in one atomic step. Errors as of the store.
        """
        ...

    def read(self, spans: Sequence[Span], limit: int, newest_first: bool = False) -> list[Found]:
        """The first `limit` rows of all spans together, ordered by place, as they are at one moment."""
        ...

    def count(self, spans: Sequence[Span]) -> list[int]:
        """How many rows each span has, at a cost that hardly depends on it."""
        ...

    def begin(self, now_ms: int) -> str:
        """The id of a new build, which makes any other one that is under way lose."""
        ...

    def renew(self, build: str, now_ms: int) -> None:
        """Give a sign that the build goes on; BuildLost where it does not."""
        ...

    def finish(self, build: str, layout: int) -> None:
        """Let what was built be what is read, and drop what was there before; BuildLost where another build began."""
        ...

    def state(self) -> TableState:
        """How the table was built."""
        ...
