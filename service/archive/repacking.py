"""Repacking: streams of old packs go into new ones, so that packs are large, and hold nothing that nobody needs.

A pack that was emptied is kept for a while, because a store that is restored from a backup may still name it. Nothing
is in it that is not elsewhere.
"""

import logging
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from plyscribe.service.archive.packs import PackPlace, Slot
from plyscribe.service.archive.sealing import MOST_BYTES, MOST_STREAMS, place_in, write_pack
from plyscribe.service.archive.storage import Archive
from plyscribe.service.archive.stream_columns import Kept
from plyscribe.service.store.port import EventStore, Moved

SMALL_BYTES = 1024 * 1024
"""A pack with fewer bytes is small."""

SMALL_PACKS = 32
"""So many small packs are merged into one."""

KEPT_EMPTY_MS = 30 * 24 * 3_600_000
"""How long an emptied pack is kept."""

log = logging.getLogger(__name__)


class Repacked(NamedTuple):
    """How many packs there were, how many of their streams were moved, and the new packs."""

    packs: int
    streams: int
    new: Sequence[str]

    @property
    def pack(self) -> str | None:
        """The last of the new packs; None: no stream was left."""
        return self.new[-1] if self.new else None


def merge_small(store: EventStore, archive: Archive) -> Repacked | None:
    """Merge small packs into one, if there are enough of them; None if there are not."""
    emptied = archive.list_emptied()
    small = [pack.name for pack in archive.list_packs() if pack.size < SMALL_BYTES and pack.name not in emptied]
    return repack(store, archive, sorted(small)[:SMALL_PACKS]) if len(small) >= SMALL_PACKS else None


def repack(
    store: EventStore, archive: Archive, names: Sequence[str], without: Callable[[str], bool] = lambda _: False
) -> Repacked:
    """Move the streams of these packs into few new packs, except those that are left out or are elsewhere by now.

    The packs are noted as emptied. Idempotent; if it dies, each stream is in its old pack or in the new one.
    StoreUnavailable, ArchiveUnavailable, PackDamaged.
    """
    moved, new = 0, list[str]()
    for part in _gather(_list_kept(store, archive, names, without)):
        pack = write_pack(archive, [kept for kept, _ in part])
        done = store.move([Moved(kept.stream, place, place_in(pack, kept.stream)) for kept, place in part])
        moved += sum(done)
        new.append(pack.name)
    for name in names:
        # The same streams make the same pack again.
        if name not in new:
            archive.note_emptied(name)
    return Repacked(len(names), moved, new)


def drop_emptied(store: EventStore, archive: Archive, now_ms: int, kept_ms: int = KEPT_EMPTY_MS) -> list[str]:
    """Remove the packs that were emptied that long ago, and that no stream of the store is in; return their names."""
    dropped = []
    for name, emptied_ms in archive.list_emptied().items():
        if emptied_ms > now_ms - kept_ms:
            continue
        if any(True for _ in _list_kept(store, archive, [name], lambda _: False)):
            # A store that was restored from a backup names it again.
            archive.note_used(name)
            continue
        archive.delete_pack(name)
        dropped.append(name)
    return dropped


def _list_kept(
    store: EventStore, archive: Archive, names: Sequence[str], without: Callable[[str], bool]
) -> Iterator[tuple[Kept, bytes]]:
    """The streams that the store has in these packs, with their places."""
    for name in names:
        for number, (_, block) in enumerate(archive.open_blocks(name)):
            places = [PackPlace(name, Slot(number, slot)).format() for slot in range(len(block.streams))]
            current = store.places(block.streams)
            for slot, (stream, place) in enumerate(zip(block.streams, places, strict=True)):
                if current[slot] == place and not without(stream):
                    yield block.read(slot), place


def _gather(streams: Iterator[tuple[Kept, bytes]]) -> Iterator[list[tuple[Kept, bytes]]]:
    """The streams in parts that fit into a pack each."""
    part, size = list[tuple[Kept, bytes]](), 0
    for kept, place in streams:
        part.append((kept, place))
        size += sum(len(event.e) for event in kept.events)
        if size >= MOST_BYTES or len(part) >= MOST_STREAMS:
            yield part
            part, size = [], 0
    if part:
        yield part
