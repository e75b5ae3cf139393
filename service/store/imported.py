"""An event store that can also read imported matches, whose events lie in the stream of their import."""

import threading
from collections import OrderedDict
from collections.abc import Sequence

from plyscribe.domain.chain import StoredEvent
from plyscribe.domain.errors import WrongTime
from plyscribe.domain.imported import Copies, import_of
from plyscribe.service.store.port import Appended, CommandKey, EventStore, Loaded, Stale, Stored, Stretch

MAX_CACHED_BYTES = 64 * 1024 * 1024
"""How many bytes of imported matches a process keeps in memory."""

MAX_KNOWN = 100_000
"""How many matches with a stream of their own a process remembers, to ask the store about each only once."""


class ReadOnly(WrongTime):
    """An imported match cannot be changed."""

    def __init__(self, match: str) -> None:
        super().__init__("match/read-only", f"{match} was imported: you can read it and fork it, but not change it")


class ImportedStore:
    """Wraps an EventStore. A match that has no stream is read from its import.

    A match that has a stream is read from that, even if it was imported too. Safe to share between threads.
    """

    def __init__(self, within: EventStore) -> None:
        self.within = within
        self.append_all = within.append_all
        self.tail = within.tail
        self.feed_end = within.feed_end
        self.streams = within.streams
        self.newest = within.newest
        self.describe = within.describe
        self._own: set[str] = set()
        self._copies: OrderedDict[str, tuple[Copies, int]] = OrderedDict()
        self._lock = threading.Lock()

    def append(
        self,
        stream: str,
        expected_version: int,
        expected_head: bytes,
        events: Sequence[StoredEvent],
        types: Sequence[str],
        command: CommandKey,
    ) -> Appended:
        """See EventStore.append; ReadOnly if the match was imported."""
        appended = self.within.append(stream, expected_version, expected_head, events, types, command)
        if isinstance(appended, Stored):
            self._note_own(stream)
        elif isinstance(appended, Stale) and appended.have == 0 and self.is_imported(stream):
            raise ReadOnly(stream)
        return appended

    def load(self, stream: str, after: int = 0, command: CommandKey | None = None, limit: int | None = None) -> Loaded:
        """See EventStore.load."""
        loaded = self.within.load(stream, after, command, limit)
        if loaded.command is not None:
            return loaded
        return Loaded(None, self._or_copied(Stretch(stream, after), loaded.entries)[:limit])

    def load_all(self, stretches: Sequence[Stretch]) -> list[list[StoredEvent]]:
        """See EventStore.load_all."""
        loaded = self.within.load_all(stretches)
        return [self._or_copied(*each) for each in zip(stretches, loaded, strict=True)]

    def is_imported(self, stream: str) -> bool:
        """Whether the match is read from its import. Needs no request if this process has read the match before."""
        if stream in self._own:
            return False
        with self._lock:
            known = self._copies.get(stream)
        if known is not None:
            return bool(known[0].events)
        return not self._is_begun(stream) and bool(self.read_copied(stream))

    def _is_begun(self, stream: str) -> bool:
        """Ask the store whether the match has a stream of its own."""
        if self.within.newest([stream])[0] is None:
            return False
        self._note_own(stream)
        return True

    def read_copied(self, match: str) -> list[StoredEvent]:
        """The events of the match from its import; empty until the import has all of them."""
        with self._lock:
            copies, _ = self._copies.get(match, (Copies(), 0))
            after = copies.version
        entries = self.within.load(import_of(match), after).entries
        with self._lock:
            # Another thread may have read further meanwhile.
            size = copies.add(entry for entry in entries if entry.version > copies.version)
            if copies.version:
                self._keep(match, copies, size)
            return copies.events

    def _or_copied(self, wanted: Stretch, entries: list[StoredEvent]) -> list[StoredEvent]:
        stream, after, upto = wanted
        if entries:
            self._note_own(stream)
            return entries
        if stream in self._own or not stream.startswith("match-"):
            return entries
        copied = self.read_copied(stream)
        if copied and after and self._is_begun(stream):
            # Its own stream began after the import was read, and is not as long yet.
            return []
        return copied[after:upto]

    def _note_own(self, stream: str) -> None:
        if stream not in self._own:
            with self._lock:
                if len(self._own) >= MAX_KNOWN:
                    self._own.clear()
                self._own.add(stream)
                self._copies.pop(stream, None)

    def _keep(self, match: str, copies: Copies, size: int) -> None:
        _, before = self._copies.get(match, (copies, 0))
        self._copies[match] = copies, before + size
        self._copies.move_to_end(match)
        while len(self._copies) > 1 and sum(held for _, held in self._copies.values()) > MAX_CACHED_BYTES:
            self._copies.popitem(last=False)
