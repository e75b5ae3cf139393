"""Tables on a Redis or Valkey server.

All keys of a table share a hash tag, and every script names all keys that it may touch, so a table lies on one node of
a cluster. A table has no other keys. If you delete them, a build restores everything.
"""

from collections.abc import Sequence
from secrets import token_hex
from typing import Any

from redis import Redis

from plyscribe.service.store.redis import Script, ask
from plyscribe.service.store.rows import SEPARATOR, BuildLost, Found, Row, Span, TableState
from plyscribe.service.store.wire import Wire

ROWS_A_CALL = 64
"""The most rows that one call of the script enters. This bounds how long the call blocks the server."""


class RedisTable:
    """A Table on a server; safe to share between threads. The client must not retry."""

    def __init__(self, client: Redis, name: str) -> None:
        self._client = client
        halves = [f"{half}:{part}" for half in "ab" for part in ("rows", "marks", "lists")]
        self._keys = [f"{{{name}}}:{key}" for key in ("meta", *halves)]
        wire = Wire(client)
        self._put = Script(client, "put_rows.lua", wire.send)
        self._read = Script(client, "read_rows.lua", wire.send)
        self._count = Script(client, "count_rows.lua", wire.send)
        self._build = Script(client, "build_rows.lua", wire.send)

    def put(self, rows: Sequence[Row]) -> None:
        """See Table.put."""
        for start in range(0, len(rows), ROWS_A_CALL):
            args: list[Any] = []
            for row in rows[start : start + ROWS_A_CALL]:
                mark = SEPARATOR.join((str(row.version), row.place, *row.terms))
                args += (row.id, row.version, mark, row.data)
            self._put(len(self._keys), [*self._keys, *args])

    def read(self, spans: Sequence[Span], limit: int, newest_first: bool = False) -> list[Found]:
        """See Table.read."""
        bounds = [bound for span in spans for bound in _format_bounds(span)]
        args = [*self._keys, limit, "down" if newest_first else "up", *bounds]
        reply = self._read(len(self._keys), args)
        # A row without data was deleted from outside.
        return [Found(at, data) for at, data in zip(reply[::2], reply[1::2], strict=True) if data is not None]

    def count(self, spans: Sequence[Span]) -> list[int]:
        """See Table.count."""
        bounds = [bound for span in spans for bound in _format_bounds(span)]
        counts: list[int] = self._count(len(self._keys), [*self._keys, *bounds])
        return counts

    def begin(self, now_ms: int) -> str:
        """See Table.begin."""
        build = token_hex(8)
        self._step("begin", build, now_ms)
        return build

    def renew(self, build: str, now_ms: int) -> None:
        """See Table.renew."""
        self._step("renew", build, now_ms)

    def finish(self, build: str, layout: int) -> None:
        """See Table.finish."""
        self._step("finish", build, layout)

    def state(self) -> TableState:
        """See Table.state."""
        layout, build_ms = ask(self._client, "HMGET", self._keys[0], "layout", "build_ms")
        return TableState(int(layout or 0), None if build_ms is None else int(build_ms))

    def _step(self, step: str, build: str, value: int) -> None:
        if not self._build(len(self._keys), [*self._keys, step, build, value]):
            raise BuildLost("another build of this table has begun")


def _format_bounds(span: Span) -> tuple[bytes, bytes]:
    """The span in the notation of ZRANGEBYLEX."""
    term = f"{span.term}{SEPARATOR}".encode()
    return b"[" + term + span.low, b"(" + term + span.high
