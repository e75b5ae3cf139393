"""An event store whose sealed streams are read from the archive, as if they had never left memory."""

from collections.abc import Callable, Iterator, Sequence
from heapq import merge
from itertools import islice
from typing import TypeVar

from plyscribe.domain.chain import StoredEvent
from plyscribe.service.archive.errors import ArchiveUnavailable, PackDamaged
from plyscribe.service.archive.packs import OpenBlock, parse_place
from plyscribe.service.archive.storage import Archive
from plyscribe.service.archive.stream_columns import Kept
from plyscribe.service.store.port import (
    BUCKETS,
    Append,
    Appended,
    CommandKey,
    EventStore,
    Forked,
    Loaded,
    Remembered,
    Reused,
    Sealed,
    Seen,
    Stale,
    StoreUnavailable,
    Stretch,
    bucket_of,
)

MOST_ENTRIES = 256
"""How many entries a stale append gets, as from the store itself."""

TRIES = 8
"""How often a stream that is sealed, moved or unsealed meanwhile is looked for again."""

T = TypeVar("T")


class SealedStore:
    """Wraps an EventStore. Reads what is sealed from the archive, and unseals it before something is appended.

    Raises the errors of the archive too: PackDamaged names the stream. Safe to share between threads.
    """

    def __init__(self, within: EventStore, archive: Archive | None) -> None:
        """Without an archive, a sealed stream is ArchiveUnavailable."""
        self.within = within
        self.archive = archive
        self.announce = within.announce
        self.tail = within.tail
        self.feed_end = within.feed_end
        self.describe = within.describe
        self.seal = within.seal
        self.unseal = within.unseal
        self.move = within.move
        self.adopt = within.adopt
        self.places = within.places
        self.sealed = within.sealed
        self.unsealed = within.streams

    def append(
        self,
        stream: str,
        expected_version: int,
        expected_head: bytes,
        events: Sequence[StoredEvent],
        types: Sequence[str],
        command: CommandKey,
    ) -> Appended:
        """See EventStore.append. A stream that is sealed is unsealed first, if there is something to append."""
        for _ in range(TRIES):
            appended = self.within.append(stream, expected_version, expected_head, events, types, command)
            if not isinstance(appended, Sealed):
                return appended
            answered = self._refuse(stream, appended.place, expected_version, expected_head, command)
            if answered is not None:
                return answered
            self._unseal(stream, appended.place)
        raise StoreUnavailable(f"{stream} is sealed again and again: try again later")

    def append_all(self, appends: Sequence[Append]) -> list[Appended]:
        """See EventStore.append_all."""
        return [
            self.append(*append) if isinstance(appended, Sealed) else appended
            for append, appended in zip(appends, self.within.append_all(appends), strict=True)
        ]

    def condense(self, stream: str, version: int, head: bytes, entry: StoredEvent, type: str) -> bool:
        """See EventStore.condense."""
        [place] = self.within.places([stream])
        if place is not None:
            self._unseal(stream, place)
        return self.within.condense(stream, version, head, entry, type)

    def load(self, stream: str, after: int = 0, command: CommandKey | None = None, limit: int | None = None) -> Loaded:
        """See EventStore.load."""
        for _ in range(TRIES):
            loaded = self.within.load(stream, after, command, limit)
            if loaded.place is None:
                return loaded
            found = self._read(stream, loaded.place, lambda block, number: _load(block, number, after, command, limit))
            if found is not None:
                return found
        raise StoreUnavailable(f"{stream} is sealed and unsealed again and again: try again later")

    def load_all(self, stretches: Sequence[Stretch]) -> list[list[StoredEvent]]:
        """See EventStore.load_all."""
        found = self.within.load_all(stretches)
        for number, (stream, after, upto) in enumerate(stretches):
            if not found[number]:
                limit = None if upto is None else max(0, upto - after)
                found[number] = self.load(stream, after, limit=limit).entries
        return found

    def commands(self, streams: Sequence[str]) -> list[list[Remembered]]:
        """See EventStore.commands."""
        found = self.within.commands(streams)
        empty = [number for number, commands in enumerate(found) if not commands]
        if empty:
            places = self.within.places([streams[number] for number in empty])
            for number, place in zip(empty, places, strict=True):
                if place is not None:
                    found[number] = list(self._read_kept(streams[number], place).commands)
        return found

    def find_commands(self, stream: str, ids: Sequence[bytes]) -> list[Remembered]:
        """See EventStore.find_commands."""
        found = self.within.find_commands(stream, ids)
        if not found:
            [place] = self.within.places([stream])
            if place is not None:
                found = [each for each in self._read_kept(stream, place).commands if each.command.id in ids]
        return found

    def streams(self, after: str = "", limit: int = 1000) -> list[str]:
        """Ids of all streams after the id `after`, sealed or not, sorted by bucket and id; empty at the end."""
        rest = merge(
            _page(lambda last: self.within.streams(last, limit), after),
            _page(lambda last: [stream for stream, _ in self.within.sealed(last, limit)], after),
            key=lambda stream: (BUCKETS.index(bucket_of(stream)), stream),
        )
        # A stream that is sealed meanwhile is found on both sides.
        return list(islice(dict.fromkeys(islice(rest, 2 * limit)), limit))

    def newest(self, streams: Sequence[str]) -> list[StoredEvent | None]:
        """See EventStore.newest."""
        found = self.within.newest(streams)
        for number, stream in enumerate(streams):
            if found[number] is None:
                found[number] = next(reversed(self.load(stream).entries), None)
        return found

    # -------------------------------------------------------------------------------------------------------- sealed

    def _refuse(
        self, stream: str, place: bytes, expected_version: int, expected_head: bytes, command: CommandKey
    ) -> Appended | None:
        """What an append to a sealed stream gets that changes nothing; None if it is to be stored."""
        kept = self._read_kept(stream, place)
        known = find_command(kept.commands, command)
        if known is not None:
            return known
        have = len(kept.events)
        if have != expected_version:
            return Stale(have, list(kept.events[expected_version : expected_version + MOST_ENTRIES]))
        return None if kept.head == expected_head else Forked(have)

    def _unseal(self, stream: str, place: bytes) -> None:
        kept = self._read_kept(stream, place)
        # If it is not there any more, somebody else has unsealed or moved it.
        self.within.unseal(stream, place, kept.events, kept.commands)

    def _read_kept(self, stream: str, place: bytes) -> Kept:
        found = self._read(stream, place, lambda block, number: block.read(number))
        if found is None:
            # It has left this place since. What was asked for is asked again.
            return Kept(stream, *self._read_again(stream))
        return found

    def _read_again(self, stream: str) -> tuple[list[StoredEvent], list[Remembered]]:
        entries = self.load(stream).entries
        [commands] = self.commands([stream])
        return entries, commands

    def _read(self, stream: str, place: bytes, read: Callable[[OpenBlock, int], T]) -> T | None:
        """What a function reads of a sealed stream; None if the stream is not at this place any more."""
        if self.archive is None:
            why = f"{stream} is sealed, and PLYSCRIBE_ARCHIVE names no archive to read it from"
            raise ArchiveUnavailable(why, stream)
        try:
            pack, (number, slot) = parse_place(place)
            block = self.archive.open_block(pack, number)
            return read(block, block.find(stream, slot))
        except PackDamaged as error:
            # A pack that was repacked is gone, and its streams are elsewhere.
            if self.within.places([stream]) != [place]:
                return None
            raise PackDamaged(f"{stream} cannot be read: {error}") from error
        except ArchiveUnavailable as error:
            raise ArchiveUnavailable(f"{stream} cannot be read: {error}", stream) from error


def find_command(commands: Sequence[Remembered], command: CommandKey) -> Seen | Reused | None:
    """What is remembered of a command."""
    for known, first, last in commands:
        if known.id == command.id:
            return Seen(first, last) if known.digest == command.digest else Reused()
    return None


def _load(block: OpenBlock, number: int, after: int, command: CommandKey | None, limit: int | None) -> Loaded:
    known = None if command is None else find_command(block.read_commands(number), command)
    return Loaded(known, block.read_events(number)[after:][:limit])


def _page(read: Callable[[str], list[str]], after: str) -> Iterator[str]:
    while page := read(after):
        yield from page
        after = page[-1]
