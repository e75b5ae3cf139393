"""Settled matches in a store, and all that a store has to show of its streams."""

from collections.abc import Iterable
from typing import Any

from plyscribe.domain.chain import link_all
from plyscribe.service.archive.stream_columns import Kept
from plyscribe.service.store.port import Append, CommandKey, EventStore, Remembered, Stored, Stretch
from tests.archive.given import make_match

ABORTED = b'{"at":%d,"by":"system:test","cause":"%b","data":{"cause":"a test"},"type":"match-aborted","version":%d}'


def make_settled(number: int, ruleset: str = "zhen") -> Kept:
    """A match that was aborted at last."""
    kept = make_match(number, ruleset)
    version, id = len(kept.events) + 1, number.to_bytes(16, "big")
    last = link_all(kept.head, version, [ABORTED % (1_800_000_000_000, id.hex().encode(), version)])
    known = Remembered(CommandKey(id, bytes(8)), version, version)
    return kept._replace(events=[*kept.events, *last], commands=[*kept.commands, known])


def fill(store: EventStore, streams: Iterable[Kept]) -> list[str]:
    """Append these streams, each command by itself, and return their ids."""
    ids = []
    for stream, events, commands, _ in streams:
        head = b""
        for key, first, last in commands:
            some = events[first - 1 : last]
            stored = store.append_all([Append(stream, first - 1, head, some, ["x"], key)])
            assert stored == [Stored(first, last)]
            head = some[-1].h
        ids.append(stream)
    return ids


def picture(store: EventStore) -> dict[str, Any]:
    """Everything that can be read of the streams of a store."""
    streams = store.streams()
    commands = store.commands(streams)
    for stream, known in zip(streams, commands, strict=True):
        for each in known:
            assert store.load(stream, 1, each.command).command is not None
    return {
        "streams": {
            stream: (store.load(stream).entries, list(known)) for stream, known in zip(streams, commands, strict=True)
        },
        "newest": store.newest(streams),
        "all": store.load_all([Stretch(stream, 2, 9) for stream in streams]),
        "pages": [store.load(stream, 3, limit=2) for stream in streams],
    }
