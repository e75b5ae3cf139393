"""What the store tests start with: chained events, commands, appends that must succeed."""

import time
from collections.abc import Callable, Sequence
from hashlib import sha256

from plyscribe.domain.chain import StoredEvent, first_link, link_all
from plyscribe.service.store.port import CommandKey, EventStore, FeedEntry, Sealed, Stale, Stored

ALL_BYTES = bytes(range(256))


def events_after(stream: str, before: Sequence[StoredEvent], count: int, label: str = "") -> list[StoredEvent]:
    """Chained events that follow `before`, with every byte value in them."""
    previous = before[-1].h if before else first_link(stream)
    start = len(before) + 1
    return link_all(previous, start, [f"{label}{start + i}".encode() + ALL_BYTES for i in range(count)])


def command(name: str, request: str = "") -> CommandKey:
    return CommandKey(sha256(name.encode()).digest()[:16], sha256(request.encode()).digest()[:8])


def append(store: EventStore, stream: str, count: int = 1, name: str = "") -> list[StoredEvent]:
    """Append `count` events of type `made` to a stream."""
    before = store.load(stream).entries
    events = events_after(stream, before, count)
    head = before[-1].h if before else b""
    answer = store.append(stream, len(before), head, events, ["made"] * count, command(name or f"at {len(before)}"))
    assert answer == Stored(len(before) + 1, len(before) + count)
    return events


def write_until_stored(
    store: EventStore,
    stream: str,
    name: str,
    count: int = 1,
    put_back: Callable[[bytes], object] = lambda place: None,
) -> Stored:
    """Do as a handler does: append, catch up if stale, put the stream back if it is sealed, append again."""
    known: list[StoredEvent] = []
    while True:
        events = events_after(stream, known, count, f"{name} ")
        head = known[-1].h if known else b""
        match store.append(stream, len(known), head, events, ["made"] * count, command(name)):
            case Stored() as stored:
                return stored
            case Stale(_, missed):
                known += missed
            case Sealed(place):
                put_back(place)
            case unexpected:
                raise AssertionError(unexpected)


def tail_all(store: EventStore, limit: int, position: str = "") -> list[FeedEntry]:
    """All feed entries after a position, read page by page."""
    entries = []
    while (page := store.tail(position, limit)).entries:
        entries += page.entries
        position = page.position
    return entries


def eventually(check: Callable[[], bool]) -> None:
    """Return once the check is true; fail if that takes a minute."""
    deadline = time.monotonic() + 60
    while not check():
        assert time.monotonic() < deadline, "it did not come to pass"
        time.sleep(0.01)
