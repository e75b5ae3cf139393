"""A duty's agenda: streams that wait for something are noted, swept for, and struck once nothing is left to do."""

from collections.abc import Iterable, Mapping
from typing import cast

from plyscribe.service.store.cluster import Client

SWEEP_EVERY_S = 2.0
SWEEP_AT_ONCE = 256


class Agenda:
    """Streams that wait for a duty, each with the time (UTC milliseconds) at which the duty looks at it again.

    A duty notes a stream before it enqueues a job for it and before the relay acknowledges the feed entry. It strikes
    the stream when nothing is left to do. Whatever dies in between, the next sweep finds the stream here. The agenda
    may be lost: every duty notes its streams again when the relay scans the store, at every start and every hour.
    """

    def __init__(self, connection: Client, key: str) -> None:
        self._redis = connection
        self._key = key

    def note(self, streams: Iterable[str], at_ms: int) -> None:
        """Look at these streams at this time, whatever was noted for them before."""
        self._add(dict.fromkeys(streams, at_ms))

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

    def strike(self, streams: Iterable[str]) -> None:
        """Forget these streams."""
        struck = list(streams)
        if struck:
            self._redis.zrem(self._key, *struck)

    def _add(self, at_ms: dict[str, int], keep: bool = False) -> None:
        if at_ms:
            self._redis.zadd(self._key, at_ms, nx=keep)
