"""Sealing: settled matches go from the store's memory into packs.

A pack is written, read back and compared before the first of its streams leaves the store. Each stream leaves by
itself, and only if it still is what was packed. So whatever dies, stream or pack is whole: a stream that did not leave
is packed again another time, and the copy in the first pack is dropped when that pack is repacked.
"""

import logging
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from plyscribe.domain.chain import StoredEvent, check_chain, first_link
from plyscribe.domain.codec import find_type
from plyscribe.domain.errors import BrokenChain
from plyscribe.domain.events import MatchAborted, MatchAnnulled, MatchCreated, MatchRefuted, MatchScored
from plyscribe.service.archive.errors import PackDamaged
from plyscribe.service.archive.packs import (
    Dictionary,
    Labelled,
    Pack,
    PackPlace,
    build_pack,
    sort_streams,
    train_dictionary,
)
from plyscribe.service.archive.storage import Archive
from plyscribe.service.archive.stream_columns import Kept, split_stream
from plyscribe.service.store.port import EventStore, Sealing, Stretch

MOST_STREAMS = 4096
"""Streams of one pack."""

MOST_BYTES = 64 * 1024 * 1024
"""Bytes of the events of one pack, unless it has a single stream."""

LOADED_AT_ONCE = 256
"""Streams that are loaded in one round trip."""

SAMPLES = 256
"""Streams of one label from which a dictionary is trained."""

DICTIONARY_BYTES = 16 * 1024

SETTLED = frozenset({MatchScored.type, MatchAborted.type, MatchAnnulled.type, MatchRefuted.type})
"""Events after which a match is settled. What a match still says after that, such as what its dice were, changes
nothing about that.
"""

FEW = 8
"""In this many of the newest events, a settled match has one of SETTLED."""

_RULESET = re.compile(rb'"ruleset":"([a-z0-9_-]{1,32})","ruleset_version":([0-9]{1,6})[,}]')

log = logging.getLogger(__name__)


class Outcome(NamedTuple):
    """What became of streams that were to be sealed."""

    sealed: int = 0
    events: int = 0
    moved_on: int = 0
    """They have changed meanwhile."""

    unfit: int = 0
    """They are not settled, or cannot be read as what was recorded."""

    pack: str | None = None


def seal_streams(store: EventStore, archive: Archive, streams: Sequence[str]) -> Outcome:
    """Seal those of these matches that are settled: at most MOST_STREAMS and about MOST_BYTES of them, in one pack.

    Idempotent. StoreUnavailable, ArchiveUnavailable; PackDamaged if what was written is not what is read: then nothing
    has left the store.
    """
    unfit = 0
    chosen, size = list[Kept](), 0
    for start in range(0, len(streams), LOADED_AT_ONCE):
        for kept in load_kept(store, streams[start : start + LOADED_AT_ONCE]):
            if not is_settled(kept.events) or not is_sound(kept):
                unfit += 1
                continue
            chosen.append(kept)
            size += sum(len(event.e) for event in kept.events)
        if size >= MOST_BYTES or len(chosen) >= MOST_STREAMS:
            break
    if not chosen:
        return Outcome(unfit=unfit)
    pack = write_pack(archive, chosen)
    sealings = [
        Sealing(each.stream, len(each.events), each.head, len(each.commands), place_in(pack, each.stream))
        for each in chosen
    ]
    done = store.seal(sealings)
    events = sum(len(each.events) for each, is_done in zip(chosen, done, strict=True) if is_done)
    return Outcome(sum(done), events, len(done) - sum(done), unfit, pack.name)


def load_kept(store: EventStore, streams: Sequence[str]) -> list[Kept]:
    """All that the store has of these streams, without those that have nothing."""
    events = store.load_all([Stretch(stream) for stream in streams])
    commands = store.commands(streams)
    return [Kept(*each) for each in zip(streams, events, commands, strict=True) if each[1]]


def is_settled(events: Sequence[StoredEvent]) -> bool:
    """Whether a match has come to its last status, by the types of its newest events."""
    return any(find_type(event) in SETTLED for event in events[-FEW:])


def is_sound(kept: Kept) -> bool:
    """Whether the events of a stream are chained as they were recorded. A damaged stream stays where it is."""
    try:
        check_chain(first_link(kept.stream), 0, kept.events)
    except BrokenChain as error:
        log.warning("%s is not sealed: %s", kept.stream, error)
        return False
    return True


def find_obstacle(store: EventStore, stream: str) -> str:
    """Why a match that is not sealed cannot be sealed now."""
    kept = load_kept(store, [stream])
    if not kept:
        return "there is no such match here"
    if not is_settled(kept[0].events):
        return "it is not settled: it is not over, or waits to be verified and scored"
    return "it changed meanwhile: try again" if is_sound(kept[0]) else "its hash chain is broken"


def write_pack(archive: Archive, streams: Iterable[Kept]) -> Pack:
    """Keep these streams in a new pack, read it back, and compare it with them; PackDamaged if it differs."""
    labelled = [Labelled(find_label(each.events), each) for each in streams]
    return put_pack(archive, labelled, find_dictionaries(archive, labelled))


def put_pack(archive: Archive, streams: Sequence[Labelled], dictionaries: Mapping[str, Dictionary]) -> Pack:
    """Build a pack, keep it, read it back, and compare it with what was to be kept; PackDamaged if it differs."""
    pack = build_pack(streams, dictionaries)
    archive.put(pack)
    expected = iter(sort_streams(streams))
    for _, block in archive.open_blocks(pack.name):
        for number, stream in enumerate(block.streams):
            kept = next(expected).kept
            if block.read(number) != kept._replace(events=list(kept.events), commands=list(kept.commands)):
                raise PackDamaged(f"pack {pack.name}: {stream} was written otherwise")
    if missing := list(expected):
        raise PackDamaged(f"pack {pack.name} lacks {len(missing)} streams")
    return pack


def place_in(pack: Pack, stream: str) -> bytes:
    """The place of a stream of this pack."""
    return PackPlace(pack.name, pack.slots[stream]).format()


def find_label(events: Sequence[StoredEvent]) -> str:
    """What a stream is kept together with: its ruleset and its version, or its kind if it has none."""
    first = events[0].e
    found = _RULESET.search(first) if f'"type":"{MatchCreated.type}"'.encode() in first else None
    return "other" if found is None else f"{found[1].decode()}-v{found[2].decode()}"


def find_dictionaries(archive: Archive, streams: Sequence[Labelled]) -> dict[str, Dictionary]:
    """The dictionary of each label. Where there is none yet, one is trained and kept, once there are streams enough."""
    known = archive.newest_dictionaries()
    samples: dict[str, list[bytes]] = {}
    for label, kept in streams:
        if label not in known and len(theirs := samples.setdefault(label, [])) < SAMPLES:
            theirs.append(split_stream(kept)[0].said)
    for label, theirs in samples.items():
        if len(theirs) == SAMPLES and (trained := train_dictionary(theirs, DICTIONARY_BYTES)):
            archive.put_dictionary(label, trained)
            known[label] = trained
    return known
