"""An event store that counts and times its appends."""

import time
from collections.abc import Sequence

from plyscribe.domain.chain import StoredEvent
from plyscribe.service import metrics
from plyscribe.service.store.port import (
    Append,
    Appended,
    CommandKey,
    EventStore,
    Forked,
    Loaded,
    Reused,
    Sealed,
    Seen,
    Stale,
    Stored,
    StoreUnavailable,
)

OUTCOMES: dict[type, str] = {
    Stored: "stored",
    Seen: "seen",
    Reused: "reused",
    Stale: "stale",
    Forked: "forked",
    Sealed: "sealed",
}


class MeteredStore:
    """Wraps an EventStore."""

    def __init__(self, within: EventStore) -> None:
        self.within = within
        self.condense = within.condense
        self.load_all = within.load_all
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
        started = time.perf_counter()
        try:
            appended = self.within.append(stream, expected_version, expected_head, events, types, command)
        except StoreUnavailable:
            metrics.note_append(stream, "unavailable", time.perf_counter() - started)
            raise
        metrics.note_append(stream, OUTCOMES[type(appended)], time.perf_counter() - started)
        return appended

    def append_all(self, appends: Sequence[Append]) -> list[Appended]:
        """See EventStore.append_all. Each append counts with the time of all: they are answered together."""
        started = time.perf_counter()
        try:
            appended = self.within.append_all(appends)
        except StoreUnavailable:
            for each in appends:
                metrics.note_append(each.stream, "unavailable", time.perf_counter() - started)
            raise
        seconds = time.perf_counter() - started
        for each, outcome in zip(appends, appended, strict=True):
            metrics.note_append(each.stream, OUTCOMES[type(outcome)], seconds)
        return appended

    def load(self, stream: str, after: int = 0, command: CommandKey | None = None, limit: int | None = None) -> Loaded:
        """See EventStore.load. A command that is found here counts as an append: it will not be appended again."""
        started = time.perf_counter()
        loaded = self.within.load(stream, after, command, limit)
        if loaded.command is not None:
            metrics.note_append(stream, OUTCOMES[type(loaded.command)], time.perf_counter() - started)
        return loaded
