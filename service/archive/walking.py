"""All streams of a store, the sealed ones in the order in which they are packed, so that each block is read once."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from plyscribe.service.archive.packs import PackPlace, Slot
from plyscribe.service.archive.sealed_store import SealedStore
from plyscribe.service.archive.storage import Archive
from plyscribe.service.store.port import BUCKETS, STREAMS_AT_ONCE, EventStore, bucket_of


class Chunk(NamedTuple):
    """Some streams, and how far the walk is: it has been to `done` of `total` buckets and packs."""

    streams: Sequence[str]
    done: int
    total: int


def walk_streams(store: EventStore, kinds: Sequence[str] | None = None) -> Iterator[Chunk]:
    """All streams of these kinds (None: of all), a few at a time.

    One that is sealed, moved or unsealed meanwhile may come twice, but is not missed. Raises the errors of the store
    and of the archive.
    """
    archive = store.archive if isinstance(store, SealedStore) else None
    unsealed = store.within.streams if isinstance(store, SealedStore) else store.streams
    names, seen, after = _list_new(archive, set()), set[str](), ""
    total = len(BUCKETS) + len(names)
    for done, name in enumerate(names):
        yield from _cut(_list_streams(store, archive, name), kinds, done, total)
    # What was unsealed meanwhile is here.
    while page := unsealed(after):
        after = page[-1]
        yield from _cut([page], kinds, len(names) + BUCKETS.index(bucket_of(after)), total)
    # What was sealed or moved meanwhile is in new packs.
    seen.update(names)
    while new := _list_new(archive, seen):
        seen.update(new)
        for name in new:
            yield from _cut(_list_streams(store, archive, name), kinds, total, total)


def _list_new(archive: Archive | None, known: Collection[str]) -> list[str]:
    """The packs that are not known yet."""
    return [] if archive is None else sorted(pack.name for pack in archive.list_packs() if pack.name not in known)


def _cut(pages: Iterable[Sequence[str]], kinds: Sequence[str] | None, done: int, total: int) -> Iterator[Chunk]:
    for page in pages:
        streams = [stream for stream in page if kinds is None or stream.partition("-")[0] in kinds]
        for start in range(0, len(streams), STREAMS_AT_ONCE):
            yield Chunk(streams[start : start + STREAMS_AT_ONCE], done, total)


def _list_streams(store: EventStore, archive: Archive | None, name: str) -> Iterator[list[str]]:
    """The streams of each block of a pack that the store has there."""
    for number in range(len(archive.read_table(name)) if archive else 0):
        assert archive is not None
        streams = archive.open_block(name, number).streams
        places = store.places(streams)
        yield [
            stream
            for slot, (stream, place) in enumerate(zip(streams, places, strict=True))
            if place == PackPlace(name, Slot(number, slot)).format()
        ]
