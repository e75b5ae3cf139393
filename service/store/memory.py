"""The in-memory twin of the event store: the same answers, but gone when the process ends."""

import threading
from bisect import bisect_right, insort
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from heapq import nsmallest
from itertools import islice
from operator import itemgetter

from plyscribe.domain.chain import StoredEvent
from plyscribe.service.store.port import (
    BUCKETS,
    Append,
    Appended,
    BadPosition,
    CommandKey,
    FeedEntry,
    Forked,
    Loaded,
    Moved,
    Remembered,
    Reused,
    Sealed,
    Sealing,
    Seen,
    Stale,
    Stored,
    Stretch,
    Tail,
    bucket_of,
    require_distinct,
    require_sequence,
)

MAX_STALE_ENTRIES = 256


class MemoryStore:
    """An EventStore in memory; safe to share between threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._grown = threading.Condition(self._lock)
        self._events: defaultdict[str, list[StoredEvent]] = defaultdict(list)
        self._commands: dict[str, dict[bytes, Remembered]] = {}
        self._feed: list[FeedEntry] = []
        self._streams: list[tuple[str, bytes]] = []
        self._places: dict[str, bytes] = {}

    def append(
        self,
        stream: str,
        expected_version: int,
        expected_head: bytes,
        events: Sequence[StoredEvent],
        types: Sequence[str],
        command: CommandKey,
    ) -> Appended:
        """See EventStore.append."""
        require_sequence(expected_version, events)
        with self._lock:
            known = self._find(stream, command)
            if known is not None:
                return known
            if stream in self._places:
                return Sealed(self._places[stream])
            entries = self._events[stream]
            have = len(entries)
            if have != expected_version:
                return Stale(have, entries[expected_version : expected_version + MAX_STALE_ENTRIES])
            if (entries[-1].h if entries else b"") != expected_head:
                return Forked(have)
            if not entries:
                insort(self._streams, _place(stream))
            entries.extend(events)
            stored = Stored(have + 1, len(entries))
            self._commands.setdefault(stream, {})[command.id] = Remembered(command, stored.first, stored.last)
            self._feed.append(FeedEntry(stream, stored.first, stored.last, tuple(types)))
            self._grown.notify_all()
            return stored

    def append_all(self, appends: Sequence[Append]) -> list[Appended]:
        """See EventStore.append_all."""
        return [self.append(*each) for each in appends]

    def condense(self, stream: str, version: int, head: bytes, entry: StoredEvent, type: str) -> bool:
        """See EventStore.condense."""
        require_sequence(0, [entry])
        with self._lock:
            entries = self._events.get(stream, [])
            if not entries or (len(entries), entries[-1].h) != (version, head):
                return False
            self._events[stream] = [entry]
            self._feed.append(FeedEntry(stream, 1, 1, (type,)))
            self._grown.notify_all()
            return True

    def announce(self, entries: Sequence[FeedEntry]) -> None:
        """See EventStore.announce."""
        with self._lock:
            self._feed += entries
            self._grown.notify_all()

    def load(self, stream: str, after: int = 0, command: CommandKey | None = None, limit: int | None = None) -> Loaded:
        """See EventStore.load."""
        with self._lock:
            known = self._find(stream, command) if command else None
            entries = self._events[stream][after:] if stream in self._events else []
            return Loaded(known, entries[:limit], self._places.get(stream))

    def load_all(self, stretches: Sequence[Stretch]) -> list[list[StoredEvent]]:
        """See EventStore.load_all."""
        with self._lock:
            return [list(self._events.get(stream, ()))[after:upto] for stream, after, upto in stretches]

    def tail(self, position: str = "", limit: int = 256, block_ms: int = 0, buckets: Collection[str] = BUCKETS) -> Tail:
        """See EventStore.tail. A position is the number of entries before it."""
        if position and not (position.isascii() and position.isdecimal()):
            raise BadPosition(f"{position!r} is not a position in the feed")
        start = int(position or 0)
        with self._lock:
            self._grown.wait_for(lambda: any(self._find_entries(start, buckets)), block_ms / 1000)
            found = list(islice(self._find_entries(start, buckets), limit))
        return Tail(str(found[-1][0]) if found else position, [entry for _, entry in found])

    def _find_entries(self, start: int, buckets: Collection[str]) -> Iterator[tuple[int, FeedEntry]]:
        """Each entry of these buckets after a position, with the position after it."""
        for number in range(start, len(self._feed)):
            if bucket_of(self._feed[number].stream) in buckets:
                yield number + 1, self._feed[number]

    def feed_end(self, buckets: Collection[str] = BUCKETS) -> str:
        """See EventStore.feed_end."""
        with self._lock:
            return str(len(self._feed))

    def streams(self, after: str = "", limit: int = 1000) -> list[str]:
        """See EventStore.streams."""
        with self._lock:
            start = bisect_right(self._streams, _place(after)) if after else 0
            return [id.decode() for _, id in self._streams[start : start + limit]]

    def newest(self, streams: Sequence[str]) -> list[StoredEvent | None]:
        """See EventStore.newest."""
        with self._lock:
            found = [self._events.get(stream) for stream in streams]
            return [entries[-1] if entries else None for entries in found]

    def commands(self, streams: Sequence[str]) -> list[list[Remembered]]:
        """See EventStore.commands."""
        with self._lock:
            found = [self._commands.get(stream, {}).values() for stream in streams]
            return [sorted(commands, key=itemgetter(1, 2, 0)) for commands in found]

    def find_commands(self, stream: str, ids: Sequence[bytes]) -> list[Remembered]:
        """See EventStore.find_commands."""
        with self._lock:
            known = self._commands.get(stream, {})
            return sorted({known[id] for id in ids if id in known}, key=itemgetter(1, 2, 0))

    def seal(self, sealings: Sequence[Sealing]) -> list[bool]:
        """See EventStore.seal."""
        with self._lock:
            return [self._seal(*sealing) for sealing in sealings]

    def _seal(self, stream: str, version: int, head: bytes, commands: int, place: bytes) -> bool:
        entries = self._events.get(stream, [])
        if not entries or (len(entries), entries[-1].h, len(self._commands[stream])) != (version, head, commands):
            return False
        del self._events[stream], self._commands[stream]
        self._streams.remove(_place(stream))
        self._places[stream] = place
        return True

    def unseal(
        self, stream: str, place: bytes | None, entries: Sequence[StoredEvent], commands: Sequence[Remembered]
    ) -> bool:
        """See EventStore.unseal."""
        require_sequence(0, entries)
        require_distinct(commands)
        with self._lock:
            if self._places.get(stream) != place or self._events.get(stream):
                return False
            self._places.pop(stream, None)
            self._events[stream] = list(entries)
            self._commands[stream] = {each.command.id: each for each in commands}
            insort(self._streams, _place(stream))
            return True

    def move(self, moves: Sequence[Moved]) -> list[bool]:
        """See EventStore.move."""
        with self._lock:
            return [self._move(*moved) for moved in moves]

    def _move(self, stream: str, old: bytes, new: bytes | None) -> bool:
        if self._places.get(stream) != old:
            return False
        if new is None:
            del self._places[stream]
        else:
            self._places[stream] = new
        return True

    def adopt(self, streams: Sequence[tuple[str, bytes]]) -> list[bool]:
        """See EventStore.adopt."""
        with self._lock:
            return [self._take(*each) for each in streams]

    def _take(self, stream: str, place: bytes) -> bool:
        if self._events.get(stream) or stream in self._places:
            return False
        self._places[stream] = place
        return True

    def places(self, streams: Sequence[str]) -> list[bytes | None]:
        """See EventStore.places."""
        with self._lock:
            return [self._places.get(stream) for stream in streams]

    def sealed(self, after: str = "", limit: int = 1000) -> list[tuple[str, bytes]]:
        """See EventStore.sealed."""
        with self._lock:
            streams = [stream for stream in self._places if not after or _place(stream) > _place(after)]
            return [(stream, self._places[stream]) for stream in nsmallest(limit, streams, key=_place)]

    def describe(self) -> dict[str, str]:
        """See EventStore.describe."""
        return {"store": "memory", "durability": "unknown"}

    def _find(self, stream: str, command: CommandKey) -> Seen | Reused | None:
        known = self._commands.get(stream, {}).get(command.id)
        if known is None:
            return None
        return Seen(known.first, known.last) if known.command.digest == command.digest else Reused()


def _place(stream: str) -> tuple[str, bytes]:
    return bucket_of(stream), stream.encode()
