"""Checks the hash chains of stored streams, on their stored bytes and with bounded memory."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from plyscribe.domain.chain import StoredEvent, check_chain, first_link
from plyscribe.domain.errors import BrokenChain
from plyscribe.service.store.port import BUCKETS, EventStore, StoreError, StoreUnavailable, Stretch, bucket_of

TOGETHER = 64
"""Streams that are loaded in one round trip, SHORT events of each."""

SHORT = 256
PAGE = 1000


class Place(NamedTuple):
    """How far the chain of a stream was checked: up to this version, whose hash is `head`."""

    stream: str
    version: int
    head: bytes


class Damage(NamedTuple):
    """A stream whose stored events are not those that were recorded, from this version on."""

    stream: str
    version: int
    why: str


class Progress(NamedTuple):
    """What was checked so far: buckets out of `total`, streams and events."""

    done: int
    total: int
    streams: int
    events: int


def start_of(stream: str) -> Place:
    """The place before the first event of a stream."""
    return Place(stream, 0, first_link(stream))


def check_part(store: EventStore, place: Place, limit: int = PAGE) -> tuple[Place, Damage | None, bool]:
    """Check at most `limit` events after a place.

    Returns the place after the intact ones, the damage after it if there is any, and whether the stream ends there.
    StoreUnavailable.
    """
    stream, version, _ = place
    [found] = _read([stream], lambda _: [store.load(stream, version, limit=limit).entries])
    return _check(place, found, limit)


def check_streams(store: EventStore, streams: Sequence[str]) -> Iterator[tuple[int, Damage | None]]:
    """For each of a few streams the number of intact events, and its damage if there is any. StoreUnavailable."""
    found = _read(streams, lambda some: store.load_all([Stretch(stream, 0, SHORT) for stream in some]))
    for stream, entries in zip(streams, found, strict=True):
        place, damage, ended = _check(start_of(stream), entries, SHORT)
        while not (damage or ended):
            place, damage, ended = check_part(store, place)
        yield place.version, damage


def check_store(store: EventStore, report: Callable[[Progress], object] = lambda _: None) -> Iterator[Damage]:
    """Check every stream and report the progress. Yields the damaged ones. StoreUnavailable."""
    checked = events = 0
    after = ""
    while page := store.streams(after, TOGETHER):
        after = page[-1]
        for count, damage in check_streams(store, page):
            checked, events = checked + 1, events + count
            if damage:
                yield damage
        report(Progress(BUCKETS.index(bucket_of(after)), len(BUCKETS), checked, events))
    report(Progress(len(BUCKETS), len(BUCKETS), checked, events))


_Found = Sequence[StoredEvent] | Exception
"""Events, or why they cannot be read."""


def _read(streams: Sequence[str], load: Callable[[Sequence[str]], Sequence[Sequence[StoredEvent]]]) -> list[_Found]:
    """The events of each stream: all at once, or one by one where that fails."""
    try:
        return [*load(streams)]
    except StoreUnavailable:
        raise
    except (StoreError, ValueError, IndexError, TypeError) as error:
        # Another program has put a value of another type there, or an entry of another form.
        return [error] if len(streams) == 1 else [found for stream in streams for found in _read([stream], load)]


def _check(place: Place, found: _Found, limit: int) -> tuple[Place, Damage | None, bool]:
    stream, version, head = place
    if isinstance(found, Exception):
        return place, Damage(stream, version + 1, f"the entries cannot be read: {found}"), True
    if not found and version == 0:
        return place, Damage(stream, 1, "its events are missing"), True
    try:
        head = check_chain(head, version, found)
    except BrokenChain as error:
        broken: int = error.details["version"]
        intact = found[: broken - version - 1]
        return Place(stream, broken - 1, intact[-1].h if intact else head), Damage(stream, broken, str(error)), True
    return Place(stream, version + len(found), head), None, len(found) < limit
