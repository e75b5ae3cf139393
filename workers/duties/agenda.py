"""A duty's agenda: streams that wait for something are noted, swept for, and struck once nothing is left to do."""

from collections.abc import Iterable, Mapping
from typing import Any, cast

from plyscribe.service.store.cluster import Client
from plyscribe.service.store.redis_server import ask_all

SWEEP_EVERY_S = 2.0
SWEEP_AT_ONCE = 256

Asked = tuple[Any, ...]
"""A command to the server, with its arguments."""


class Agenda:
    """Streams that wait for a duty, each with the time (UTC milliseconds) at which the duty looks at it again.

    A duty notes a stream before it enqueues a job for it and before the relay acknowledges the feed entry. It strikes
    the stream when nothing is left to do. Whatever dies in between, the next sweep finds the stream here. The agenda
    may be lost: every duty notes its streams again when the relay scans the store, at every start and every hour.
    """

    def __init__(self, connection: Client, key: str) -> None:
        self._redis = connection
        self._key = key

    def note(self, streams: Iterable[str], at_ms: int, beside: Iterable[Asked] = ()) -> None:
        """Look at these streams at this time, whatever was noted for them before.

        The commands `beside` go before that in the same round trip: each write by itself costs the server a sync.
        """
        noted = [part for stream in streams for part in (at_ms, stream)]
        ask_all(self._redis, [*beside, *([("ZADD", self._key, *noted)] if noted else [])])

    def note_new(self, streams: Iterable[str], at_ms: int) -> None:
        """Look at these streams at this time. A stream that is noted already keeps its time."""
        self._add(dict.fromkeys(streams, at_ms), keep=True)

    def list_due(self, now_ms: int, limit: int = SWEEP_AT_ONCE) -> list[str]:
        """The streams whose time has come, the earliest first, at most `limit`."""
        members = cast(list[bytes], self._redis.zrangebyscore(self._key, 0, now_ms, 0, limit))
        return [member.decode() for member in members]

    def reschedule(self, next_ms: Mapping[str, int | None]) -> None:
        """Look at each stream again at its next time; strike the streams that have none."""
        self._add({stream: at_ms for stream, at_ms in next_ms.items() if at_ms is not None})
        self.strike([stream for stream, at_ms in next_ms.items() if at_ms is None])

    def strike(self, streams: Iterable[str], beside: Iterable[Asked] = ()) -> None:
        """Forget these streams. The commands `beside` go after that in the same round trip."""
        struck = list(streams)
        ask_all(self._redis, [*([("ZREM", self._key, *struck)] if struck else []), *beside])

    def _add(self, at_ms: dict[str, int], keep: bool = False) -> None:
        if at_ms:
            self._redis.zadd(self._key, at_ms, nx=keep)
