"""Copying: what is not sealed, such as accounts, tournaments and ledgers, is copied into the archive as it grows.

The store keeps these streams. A pass compares the newest event of each with the end of its copy, and packs what came
since. It goes over the streams in the order in which packs of copies have them, so it holds little in memory and asks
the store for no notes. Whatever dies, what was packed is a sound copy, and the next pass goes on.
"""

import logging
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from plyscribe.domain.chain import StoredEvent, check_chain, first_link
from plyscribe.domain.errors import BrokenChain
from plyscribe.service.archive.copies import (
    Progress,
    Segment,
    find_end,
    follow_copy,
    note_progress,
    order_of,
    read_event,
    read_progress,
    read_segment,
    sort_segments,
    walk_copies,
)
from plyscribe.service.archive.errors import PackDamaged
from plyscribe.service.archive.packs import BLOCK_BYTES, Labelled
from plyscribe.service.archive.repacking import KEPT_EMPTY_MS, SMALL_BYTES, SMALL_PACKS
from plyscribe.service.archive.sealing import MOST_STREAMS, put_pack
from plyscribe.service.archive.storage import Archive
from plyscribe.service.archive.stream_columns import Kept, Part
from plyscribe.service.store.port import EventStore, Remembered, bucket_of

SEALED_KIND = "match"
"""The kind of stream that is sealed, and so is not copied."""

EVENTS_AT_ONCE = 128
"""Events that are loaded in one round trip. Those of imports may have 240 KiB each."""

PACK_BYTES = 8 * 1024 * 1024
"""A pack of copies is written once it has events of so many bytes."""

_CAUSE = re.compile(rb'\{"at":[0-9]+,"by":"(?:[^"\\]|\\.)*","cause":"([0-9a-f]{32})"')

log = logging.getLogger(__name__)


class Copied(NamedTuple):
    """How many streams were looked at and copied, with how many events, and whether the pass is complete."""

    looked_at: int = 0
    streams: int = 0
    events: int = 0
    is_complete: bool = False


def copy_streams(
    store: EventStore,
    copies: Archive,
    now_ms: Callable[[], int],
    is_enough: Callable[[], bool] = lambda: False,
    begins_anew: bool = False,
) -> Copied:
    """Go on with the pass over all streams that are not sealed, or begin one, until its end or until it is enough.

    With `begins_anew`, a pass that is under way does not count. Idempotent; may run several times at once.
    StoreUnavailable, ArchiveUnavailable; PackDamaged if what was written is not what is read.
    """
    progress = read_progress(copies)
    if progress.begun_ms is None or begins_anew:
        progress = progress._replace(begun_ms=now_ms(), after="")
    assert progress.begun_ms is not None
    emptied = copies.list_emptied()
    names = [pack.name for pack in copies.list_packs() if pack.name not in emptied]
    known = _Known(walk_copies(copies, names, _log_damage, progress.after))
    writer, done = _Writer(copies), Copied()
    while page := store.streams(progress.after):
        others = [stream for stream in page if not stream.startswith(f"{SEALED_KIND}-")]
        for stream, newest in zip(others, store.newest(others) if others else (), strict=True):
            before = writer.events
            if newest is not None:
                for part in _read_new(store, copies, stream, newest, known.find(stream), now_ms()):
                    writer.add(part)
            grown = writer.events - before
            done = Copied(done.looked_at + 1, done.streams + (grown > 0), done.events + grown)
        progress = progress._replace(after=page[-1])
        if is_enough():
            writer.flush()
            note_progress(copies, progress)
            return done
    writer.flush()
    note_progress(copies, Progress(copied_ms=progress.begun_ms))
    return done._replace(is_complete=True)


class _Known:
    """The copies of streams that are asked for in order."""

    def __init__(self, walk: Iterator[tuple[str, list[Segment]]]) -> None:
        self._walk = walk
        self._next = next(walk, None)

    def find(self, stream: str) -> list[Segment]:
        """The segments of the newest copy of this stream."""
        while self._next is not None and order_of(self._next[0]) < order_of(stream):
            self._next = next(self._walk, None)
        return follow_copy(self._next[1]) if self._next is not None and self._next[0] == stream else []


class _Writer:
    """Gathers parts of streams until they make a pack."""

    def __init__(self, copies: Archive) -> None:
        self._copies = copies
        self._parts: list[Kept] = []
        self._bytes = 0
        self.events = 0
        self.packs: list[str] = []

    def add(self, part: Kept) -> None:
        """Take a part; write a pack if there is enough for one."""
        self._parts.append(part)
        self._bytes += _measure(part.events)
        self.events += len(part.events)
        if self._bytes >= PACK_BYTES or len(self._parts) == MOST_STREAMS:
            self.flush()

    def flush(self) -> None:
        """Write what was gathered."""
        if self._parts:
            labelled = [Labelled(bucket_of(part.stream), part) for part in self._parts]
            self.packs.append(put_pack(self._copies, labelled, {}).name)
            self._parts, self._bytes = [], 0


def _measure(events: Sequence[StoredEvent]) -> int:
    return sum(len(event.e) for event in events)


def _log_damage(_: str, error: PackDamaged) -> None:
    log.warning("copies are missing and are made again: %s", error)


def _read_new(
    store: EventStore, copies: Archive, stream: str, newest: StoredEvent, chain: Sequence[Segment], now_ms: int
) -> Iterator[Kept]:
    """The parts of a stream that its copy lacks. A damaged stream is logged, and copied up to the damage."""
    start = _find_start(store, copies, stream, newest, chain)
    if start is None:
        return
    after, before = start
    for events in _read_groups(store, stream, after):
        try:
            check_chain(before, after, events)
        except BrokenChain as error:
            log.warning("%s is not copied from there on: %s", stream, error)
            return
        yield Kept(stream, events, _find_commands(store, stream, events), Part(before, now_ms))
        after, before = events[-1].version, events[-1].h


def _find_start(
    store: EventStore, copies: Archive, stream: str, newest: StoredEvent, chain: Sequence[Segment]
) -> tuple[int, bytes] | None:
    """After which version to copy, and the hash there; None if nothing is to be copied."""
    if chain:
        end = chain[-1]
        if newest.version > end.upto:
            found = store.load(stream, end.upto - 1, limit=1).entries
            if found and found[0].h == end.head:
                return end.upto, end.head
        elif newest.version == end.upto:
            if newest.h == end.head:
                return None
        elif newest.h == read_event(copies, chain, newest.version).h:
            # The store has lost what came then.
            return None
    return 0, first_link(stream)


def _read_groups(store: EventStore, stream: str, after: int) -> Iterator[list[StoredEvent]]:
    """The events after a version, in groups of about the size of a block. A group never ends within a command."""
    group: list[StoredEvent] = []
    size = 0
    while entries := store.load(stream, after, limit=EVENTS_AT_ONCE).entries:
        after = entries[-1].version
        for _, some in groupby(entries, find_cause):
            events = list(some)
            if size >= BLOCK_BYTES and find_cause(group[-1]) != find_cause(events[0]):
                yield group
                group, size = [], 0
            group += events
            size += _measure(events)
    if group:
        yield group


def find_cause(event: StoredEvent) -> bytes:
    """The id of the command that an event was stored with; empty if it does not say."""
    found = _CAUSE.match(event.e)
    return bytes.fromhex(found[1].decode()) if found else b""


def _find_commands(store: EventStore, stream: str, events: Sequence[StoredEvent]) -> list[Remembered]:
    ids = list(dict.fromkeys(filter(None, map(find_cause, events))))
    first, last = events[0].version, events[-1].version
    return [each for each in store.find_commands(stream, ids) if first <= each.first <= each.last <= last]


# ------------------------------------------------------------------------------------------------------------ merging


class Merged(NamedTuple):
    """How many packs of copies became how many."""

    packs: int
    new: Sequence[str]


def merge_small_copies(copies: Archive) -> Merged | None:
    """Merge small packs of copies, if there are enough of them; None if there are not."""
    emptied = copies.list_emptied()
    small = [pack.name for pack in copies.list_packs() if pack.size < SMALL_BYTES and pack.name not in emptied]
    return merge_copies(copies, sorted(small)) if len(small) >= SMALL_PACKS else None


def merge_copies(copies: Archive, names: Sequence[str]) -> Merged:
    """Put the parts of these packs into few new packs, joined where one follows another, and note them as emptied.

    Idempotent; if it dies, parts may be there twice, which does no harm. A damaged pack stays. ArchiveUnavailable.
    """
    writer, damaged = _Writer(copies), set[str]()
    for _, segments in walk_copies(copies, names, lambda name, _: damaged.add(name)):
        for run in _list_runs(segments):
            for part in _join(read_segment(copies, segment) for segment in run):
                writer.add(part)
    writer.flush()
    for name in names:
        if name not in writer.packs and name not in damaged:
            copies.note_emptied(name)
    return Merged(len(names) - len(damaged), writer.packs)


def drop_emptied_copies(copies: Archive, now_ms: int, kept_ms: int = KEPT_EMPTY_MS) -> list[str]:
    """Remove the packs of copies that were emptied that long ago, and return their names. ArchiveUnavailable."""
    dropped = [name for name, emptied_ms in copies.list_emptied().items() if emptied_ms <= now_ms - kept_ms]
    for name in dropped:
        copies.delete_pack(name)
    return dropped


def _list_runs(segments: Sequence[Segment]) -> list[list[Segment]]:
    """The segments of a stream in runs of those that follow one another, without those that nothing needs any more."""
    runs: list[list[Segment]] = []
    for segment in sort_segments(segments):
        for run in runs:
            if place := find_end(run, segment):
                run[place:] = [segment]
                break
        else:
            start = segment.after, segment.before
            runs = [*(run for run in runs if (run[0].after, run[0].before) != start), [segment]]
    return runs


def _join(run: Iterator[Kept]) -> Iterator[Kept]:
    """The parts of a run, joined up to about the size of a block."""
    held: Kept | None = None
    for part in run:
        if held is None or _measure(held.events) + _measure(part.events) > BLOCK_BYTES:
            if held is not None:
                yield held
            held = part
            continue
        assert held.part is not None
        assert part.part is not None
        joined = Part(held.part.before, part.part.copied_ms)
        held = Kept(part.stream, [*held.events, *part.events], [*held.commands, *part.commands], joined)
    if held is not None:
        yield held
