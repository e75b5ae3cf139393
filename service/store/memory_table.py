"""The in-memory twin of tables: the same answers, but gone when the process ends."""

import threading
from bisect import bisect_left, insort
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from secrets import token_hex

from plyscribe.service.store.rows import BuildLost, Found, Row, Span, TableState


@dataclass
class _Rows:
    rows: dict[str, Row] = field(default_factory=dict)
    lists: defaultdict[str, list[tuple[bytes, str]]] = field(default_factory=lambda: defaultdict(list))

    def put(self, row: Row) -> None:
        old = self.rows.get(row.id)
        if old is not None and old.version >= row.version:
            return
        if old is not None:
            for term in old.terms:
                self.lists[term].remove((old.at, old.id))
        for term in row.terms:
            insort(self.lists[term], (row.at, row.id))
        self.rows[row.id] = row

    def find(self, span: Span) -> list[tuple[bytes, str]]:
        places = self.lists.get(span.term, [])
        return places[bisect_left(places, (span.low,)) : bisect_left(places, (span.high,))]


class MemoryTable:
    """A Table in memory; safe to share between threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._live = _Rows()
        self._built = _Rows()
        self._build: str | None = None
        self._build_ms = 0
        self._layout = 0

    def put(self, rows: Sequence[Row]) -> None:
        """See Table.put."""
        with self._lock:
            for row in rows:
                self._live.put(row)
                if self._build is not None:
                    self._built.put(row)

    def read(self, spans: Sequence[Span], limit: int, newest_first: bool = False) -> list[Found]:
        """See Table.read."""
        with self._lock:
            places = sorted((place for span in spans for place in self._live.find(span)), reverse=newest_first)
            return [Found(at, self._live.rows[id].data) for at, id in places[:limit]]

    def count(self, spans: Sequence[Span]) -> list[int]:
        """See Table.count."""
        with self._lock:
            return [len(self._live.find(span)) for span in spans]

    def begin(self, now_ms: int) -> str:
        """See Table.begin."""
        with self._lock:
            self._built, self._build, self._build_ms = _Rows(), token_hex(8), now_ms
            return self._build

    def renew(self, build: str, now_ms: int) -> None:
        """See Table.renew."""
        with self._lock:
            self._require(build)
            self._build_ms = now_ms

    def finish(self, build: str, layout: int) -> None:
        """See Table.finish."""
        with self._lock:
            self._require(build)
            self._live, self._layout, self._build = self._built, layout, None

    def state(self) -> TableState:
        """See Table.state."""
        with self._lock:
            return TableState(self._layout, self._build_ms if self._build else None)

    def _require(self, build: str) -> None:
        if self._build != build:
            raise BuildLost("another build of this table has begun")
