"""An event store that can also read imported matches, whose events lie in the stream of their import."""

import threading
from collections import OrderedDict
from collections.abc import Sequence

from plyscribe.domain.chain import StoredEvent
from plyscribe.domain.errors import StreamError, WrongTime
from plyscribe.domain.imported import Copies, is_address, split_address
from plyscribe.service.store.port import Appended, CommandKey, EventStore, Loaded, Stretch

MAX_CACHED_BYTES = 64 * 1024 * 1024
"""How many bytes of imported matches a process keeps in memory."""


class ReadOnly(WrongTime):
    """An imported match cannot be changed."""

    def __init__(self, match: str) -> None:
        super().__init__("match/read-only", f"{match} was imported: you can read it and fork it, but not change it")


class ImportedStore:
    """Wraps an EventStore. The address of an imported match reads its import; a match id reads a stream of our own.

    An import can therefore never be taken for a match of ours, whatever id its bundle has. Safe to share between
    threads.
    """

    def __init__(self, within: EventStore) -> None:
        self.within = within
        self.append_all = within.append_all
        self.condense = within.condense
        self.announce = within.announce
        self.tail = within.tail
        self.feed_end = within.feed_end
        self.streams = within.streams
        self.newest = within.newest
        self.commands = within.commands
        self.find_commands = within.find_commands
        self.seal = within.seal
        self.unseal = within.unseal
        self.move = within.move
        self.adopt = within.adopt
        self.places = within.places
        self.sealed = within.sealed
        self.describe = within.describe
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
        if is_address(stream):
            raise ReadOnly(stream)
        return self.within.append(stream, expected_version, expected_head, events, types, command)

    def load(self, stream: str, after: int = 0, command: CommandKey | None = None, limit: int | None = None) -> Loaded:
        """See EventStore.load."""
        if is_address(stream):
            return Loaded(None, self._read_match(stream)[after:][:limit])
        return self.within.load(stream, after, command, limit)

    def load_all(self, stretches: Sequence[Stretch]) -> list[list[StoredEvent]]:
        """See EventStore.load_all."""
        wanted = [each for each in stretches if not is_address(each.stream)]
        own = iter(self.within.load_all(wanted) if wanted else [])
        return [
            self._read_match(stream)[after:upto] if is_address(stream) else next(own)
            for stream, after, upto in stretches
        ]

    def _read_match(self, address: str) -> list[StoredEvent]:
        """The events of the match at this address; none if the import is of another match."""
        match, stream = split_address(address)
        copies = self._read(stream)
        return copies.events if copies.match == match else []

    def read_copied(self, stream: str) -> list[StoredEvent]:
        """The events of the match of an import; empty until the import has all of them."""
        return self._read(stream).events

    def _read(self, stream: str) -> Copies:
        with self._lock:
            copies, _ = self._copies.get(stream, (Copies(), 0))
            after = copies.version
        entries = self.within.load(stream, after).entries
        with self._lock:
            # Another thread may have read further meanwhile.
            try:
                size = copies.add(entry for entry in entries if entry.version > copies.version)
            except StreamError as error:
                raise error.in_stream(stream) from None
            if copies.version:
                self._keep(stream, copies, size)
            return copies

    def _keep(self, stream: str, copies: Copies, size: int) -> None:
        _, before = self._copies.get(stream, (copies, 0))
        self._copies[stream] = copies, before + size
        self._copies.move_to_end(stream)
        while len(self._copies) > 1 and sum(held for _, held in self._copies.values()) > MAX_CACHED_BYTES:
            self._copies.popitem(last=False)
