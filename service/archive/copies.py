"""Copies of streams that are not sealed: packs of parts, which make up each stream as it was when it was last copied.

A part begins after the version at which an earlier part ends, with the hash that the stream has there. A part that
begins with the first event begins the copy of its stream anew. The order in which parts were copied decides, so a copy
follows a stream that was cut short or lost its end.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from heapq import merge
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

import orjson

from plyscribe.domain.chain import StoredEvent, first_link
from plyscribe.service.archive.errors import PackDamaged
from plyscribe.service.archive.packs import Slot
from plyscribe.service.archive.storage import Archive
from plyscribe.service.archive.stream_columns import Kept
from plyscribe.service.store.port import bucket_of


class Progress(NamedTuple):
    """How far the copies are. Times are UTC milliseconds; None: there is no such pass."""

    begun_ms: int | None = None
    """When the pass began that is under way."""

    after: str = ""
    """The last stream that this pass has come to."""

    copied_ms: int | None = None
    """When the last complete pass began: what was stored before is copied."""


class Segment(NamedTuple):
    """A part of a stream in a pack of copies: its events after one version, up to another with the hash `head`."""

    stream: str
    after: int
    upto: int
    before: bytes
    head: bytes
    copied_ms: int
    pack: str
    slot: Slot


def read_progress(copies: Archive) -> Progress:
    """How far the copies are. ArchiveUnavailable."""
    return parse_progress(copies.read_progress())


def parse_progress(note: bytes | None) -> Progress:
    """How far copies are by this note; nowhere if it cannot be read."""
    try:
        return Progress(**orjson.loads(note)) if note else Progress()
    except (ValueError, TypeError):
        # Then everything is looked at once more.
        return Progress()


def note_progress(copies: Archive, progress: Progress) -> None:
    """Note how far the copies are. ArchiveUnavailable."""
    copies.note_progress(orjson.dumps(progress._asdict()) + b"\n")


def walk_copies(
    copies: Archive, names: Iterable[str], note_damage: Callable[[str, PackDamaged], object], after: str = ""
) -> Iterator[tuple[str, list[Segment]]]:
    """The streams in these packs after the id `after`, sorted by bucket and id, each with its segments.

    Holds one block of each pack in memory. What is damaged is noted, with its pack, and left out. ArchiveUnavailable.
    """
    rest = merge(*(_list_segments(copies, name, note_damage, after) for name in names), key=_order)
    for stream, segments in groupby(rest, attrgetter("stream")):
        yield stream, list(segments)


def order_of(stream: str) -> tuple[str, str]:
    """What streams are sorted by, in the store and in packs of copies."""
    return bucket_of(stream), stream


def _order(segment: Segment) -> tuple[str, str]:
    return order_of(segment.stream)


def _list_segments(
    copies: Archive, name: str, note_damage: Callable[[str, PackDamaged], object], after: str
) -> Iterator[Segment]:
    start = order_of(after) if after else ("", "")
    try:
        table = copies.read_table(name)
    except PackDamaged as error:
        note_damage(name, error)
        return
    for number, described in enumerate(table):
        if (described.label, described.last) <= start:
            continue
        try:
            block = copies.open_block(name, number)
        except PackDamaged as error:
            note_damage(name, error)
            continue
        for slot, (stream, part) in enumerate(zip(block.streams, block.parts, strict=True)):
            if part is not None and order_of(stream) > start:
                first, last = block.after[slot], block.after[slot] + block.events[slot]
                place = Slot(number, slot)
                yield Segment(stream, first, last, part.before, block.heads[slot], part.copied_ms, name, place)


def follow_copy(segments: Iterable[Segment]) -> list[Segment]:
    """The segments that make up the newest copy of a stream, one after the other; none without a first one."""
    chain: list[Segment] = []
    for segment in sort_segments(segments):
        if segment.after == 0 and segment.before == first_link(segment.stream):
            chain = [segment]
        elif place := find_end(chain, segment):
            chain = [*chain[:place], segment]
    return chain


def sort_segments(segments: Iterable[Segment]) -> list[Segment]:
    """These segments in the order in which they were copied."""
    return sorted(segments, key=attrgetter("copied_ms", "after"))


def find_end(chain: Sequence[Segment], segment: Segment) -> int:
    """How many segments of a chain there are up to the one that this segment follows; 0 if it follows none."""
    for place in range(len(chain), 0, -1):
        if (chain[place - 1].upto, chain[place - 1].head) == (segment.after, segment.before):
            return place
    return 0


def read_segment(copies: Archive, segment: Segment) -> Kept:
    """What a segment has. ArchiveUnavailable, PackDamaged."""
    return copies.open_block(segment.pack, segment.slot.block).read(segment.slot.number)


def read_event(copies: Archive, chain: Sequence[Segment], version: int) -> StoredEvent:
    """An event of a copy. ArchiveUnavailable, PackDamaged."""
    [segment] = [each for each in chain if each.after < version <= each.upto]
    return read_segment(copies, segment).events[version - segment.after - 1]
