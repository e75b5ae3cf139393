"""Restoring: streams that the store lacks, or the ends of them, come back from their copies in the archive.

What the store has is never changed. If it has a stream with other events than the copy, the stream is named.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from itertools import groupby, islice
from typing import NamedTuple

from plyscribe.domain.chain import StoredEvent
from plyscribe.domain.codec import find_type
from plyscribe.domain.imported import LONGEST_RECORD, is_left_of
from plyscribe.service.archive.copies import (
    Segment,
    follow_copy,
    read_event,
    read_progress,
    read_segment,
    walk_copies,
)
from plyscribe.service.archive.copying import find_cause
from plyscribe.service.archive.errors import PackDamaged
from plyscribe.service.archive.storage import Archive
from plyscribe.service.store.port import (
    STREAMS_AT_ONCE,
    Append,
    CommandKey,
    EventStore,
    Remembered,
    Stored,
    StoreUnavailable,
)

WHOLE_BYTES = 8 * 1024 * 1024
"""How much of a stream that the store lacks comes back in one step. Nearly all streams are shorter."""

APPENDS_AT_ONCE = 256

THREADS = 8
"""Streams that are restored at the same time: most of the time goes by until the store has them on its disk."""

FIRST_KINDS = ("ratings",)
"""Kinds that are restored before all others: a worker looks in the ledger whether a match was scored."""


class Restored(NamedTuple):
    """What became of the copies of streams."""

    copied_ms: int | None
    """What was stored before this time (UTC milliseconds) was copied; None: no pass over the streams was complete."""

    streams: Counter[str]
    """How many streams there are copies of, by kind."""

    restored: Counter[str]
    """How many of them the store lacked, or had less of, by kind."""

    events: int = 0
    """How many events were restored."""

    faults: tuple[str, ...] = ()
    """What is wrong, and was passed over."""


class Forked(Exception):
    """The store has a stream with other events than its copy."""


def restore_copies(
    store: EventStore, copies: Archive, report: Callable[[Restored], object] = lambda _: None
) -> Restored:
    """Restore what the store lacks of the streams that are copied, and report after every few of them.

    Idempotent; if it dies, run it again. StoreUnavailable, ArchiveUnavailable.
    """
    names = sorted(pack.name for pack in copies.list_packs())
    so_far, faults = Restored(read_progress(copies).copied_ms, Counter(), Counter()), dict[str, None]()
    with ThreadPoolExecutor(THREADS) as pool:
        for is_first in (True, False):
            walk = walk_copies(copies, names, lambda _, error: faults.setdefault(str(error)))
            chosen = (each for each in walk if (_kind_of(each[0]) in FIRST_KINDS) is is_first)
            while some := list(islice(chosen, STREAMS_AT_ONCE)):
                for done in pool.map(lambda each: _try_to_restore(store, copies, *each), some):
                    so_far.streams[_kind_of(done.stream)] += 1
                    if done.events:
                        so_far.restored[_kind_of(done.stream)] += 1
                    so_far = so_far._replace(events=so_far.events + done.events)
                    faults.update(dict.fromkeys(f"{done.stream}: {why}" for why in done.faults))
                report(so_far)
    return so_far._replace(faults=tuple(faults))


def _kind_of(stream: str) -> str:
    return stream.partition("-")[0]


class _Done(NamedTuple):
    stream: str
    events: int
    faults: Sequence[str]


def _try_to_restore(store: EventStore, copies: Archive, stream: str, segments: Sequence[Segment]) -> _Done:
    """Restore what the store lacks of a stream, and say how many events that were, and what is wrong with the copy."""
    chain = follow_copy(segments)
    end = chain[-1] if chain else None
    faults = []
    if any(end is None or (each.upto > end.upto and each.copied_ms >= end.copied_ms) for each in segments):
        faults.append(f"its copy goes to event {end.upto if end else 0} only, because a pack is missing")
    try:
        return _Done(stream, _restore(store, copies, stream, chain) if chain else 0, faults)
    except (PackDamaged, Forked) as error:
        return _Done(stream, 0, [*faults, str(error)])


def _restore(store: EventStore, copies: Archive, stream: str, chain: Sequence[Segment]) -> int:
    """Store the events of the copy that the store lacks, and return their number. PackDamaged, Forked."""
    [newest] = store.newest([stream])
    if newest is not None and _has_all(store, copies, stream, newest, chain):
        return 0
    have = newest.version if newest is not None else 0
    rest = _read_after(copies, chain, have)
    head = newest.h if newest is not None else _put_back(store, stream, rest)
    for part in rest:
        head = _append(store, stream, head, *part)
    return chain[-1].upto - have


def _has_all(store: EventStore, copies: Archive, stream: str, newest: StoredEvent, chain: Sequence[Segment]) -> bool:
    """Whether the store has the whole copy of this stream, or what took its place; Forked if they differ."""
    end = chain[-1]
    if newest.version >= end.upto:
        if store.load(stream, end.upto - 1, limit=1).entries[0].h == end.head:
            return True
    elif newest.h == read_event(copies, chain, newest.version).h:
        return False
    ours = store.load(stream, limit=LONGEST_RECORD).entries
    theirs = read_segment(copies, chain[0]).events[:LONGEST_RECORD]
    if is_left_of(ours, theirs) or is_left_of(theirs, ours):
        return True
    raise Forked("the store has other events than the copy in the archive; it stays as it is")


_Part = tuple[Sequence[StoredEvent], Sequence[Remembered]]


def _read_after(copies: Archive, chain: Sequence[Segment], after: int) -> Iterator[_Part]:
    """The events of a copy after a version, with their commands."""
    for segment in chain:
        if segment.upto > after:
            kept = read_segment(copies, segment)
            yield kept.events[max(0, after - segment.after) :], [each for each in kept.commands if each.first > after]


def _put_back(store: EventStore, stream: str, parts: Iterator[_Part]) -> bytes:
    """Put back the first WHOLE_BYTES of a stream in one step, so that nobody finds less of it; return the hash there.

    It leaves no entry in the feed: what happened long ago is not news.
    """
    events, commands, size = list[StoredEvent](), list[Remembered](), 0
    for some, theirs in parts:
        events += some
        commands += theirs
        size += sum(len(event.e) for event in some)
        if size >= WHOLE_BYTES:
            break
    if not store.unseal(stream, None, events, commands):
        raise StoreUnavailable(f"{stream} came into the store meanwhile: try again")
    return events[-1].h


def _append(
    store: EventStore, stream: str, head: bytes, events: Sequence[StoredEvent], commands: Sequence[Remembered]
) -> bytes:
    """Append events as they were stored, and return the hash of the last one."""
    keys = {version: key for key, first, last in commands for version in range(first, last + 1)}
    appends = []
    for key, group in groupby(events, lambda event: keys.get(event.version) or _make_key(stream, event)):
        some = list(group)
        appends.append(Append(stream, some[0].version - 1, head, some, list(map(find_type, some)), key))
        head = some[-1].h
    for place in range(0, len(appends), APPENDS_AT_ONCE):
        for outcome in store.append_all(appends[place : place + APPENDS_AT_ONCE]):
            if not isinstance(outcome, Stored):
                raise Forked("it was changed while it was restored")
    return head


def _make_key(stream: str, event: StoredEvent) -> CommandKey:
    """The key of a command that was not remembered: the one that the event names, or one that nobody sends."""
    id = find_cause(event) or sha256(f"{stream} {event.version}".encode()).digest()[:16]
    # Zeros are the digest of jobs, which have no request.
    return CommandKey(id, bytes(8))
