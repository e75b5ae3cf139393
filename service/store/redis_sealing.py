"""Sealed streams on a server: each leaves a place of a few bytes in a hash, and is put back in one step."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import islice
from secrets import token_hex
from typing import Any

from plyscribe.domain.chain import StoredEvent
from plyscribe.service.store.cluster import AnyWire, Client
from plyscribe.service.store.port import (
    BUCKETS,
    Moved,
    Remembered,
    Sealing,
    StoreError,
    StoreUnavailable,
    bucket_of,
    require_distinct,
    require_sequence,
)
from plyscribe.service.store.redis_keys import beginnings_key, keys_of, places_key
from plyscribe.service.store.redis_server import WiredScript, ask, ask_all, require_all, run_together, send_all
from plyscribe.service.store.sealed_ids import pack_id, unpack_id

UNSEALED_AT_ONCE = 500
"""How many events and commands of a stream are put back in one step, which takes a few milliseconds."""

UNSEALING_LASTS_MS = 60_000
"""How long the parts of a stream that is being put back stay after the last of them came."""

BEGINNINGS_AT_ONCE = 64
"""How many hashes of places are read in one round trip."""


class RedisSealing:
    """The part of an EventStore that seals streams and puts them back."""

    def __init__(self, client: Client, wire: AnyWire, writes: AnyWire) -> None:
        self._client = client
        self._wire = wire
        self._seal = WiredScript(client, "seal.lua", writes)
        self._unseal = WiredScript(client, "unseal.lua", writes)
        self._move = WiredScript(client, "move.lua", writes)
        self._adopt = WiredScript(client, "adopt.lua", writes)

    def seal(self, sealings: Sequence[Sealing]) -> list[bool]:
        """See EventStore.seal."""
        calls = []
        for stream, version, head, commands, place in sealings:
            keys = keys_of(stream)
            places = keys.streams, keys.places, keys.beginnings
            args = stream, keys.beginning, keys.field, version, head, commands, place
            calls.append((keys.events, keys.commands, *places, *args))
        return [bool(reply) for reply in self._seal.call_all(5, calls)]

    def unseal(
        self, stream: str, place: bytes | None, entries: Sequence[StoredEvent], commands: Sequence[Remembered]
    ) -> bool:
        """See EventStore.unseal."""
        require_sequence(0, entries)
        require_distinct(commands)
        keys = keys_of(stream)
        # The names are new, so another process that puts the same stream back does not meet these parts.
        parts = [f"{{{bucket_of(stream)}}}:unsealing:{token_hex(8)}:{kind}" for kind in ("ev", "cmd")]
        whole = keys.events, keys.commands, keys.streams, keys.places, keys.beginnings
        args = stream, keys.beginning, keys.field, place or b"", len(entries), len(commands)
        try:
            self._write_parts(parts, entries, commands)
            outcome = self._unseal(7, [*whole, *parts, *args])
        except StoreError:
            self._drop_parts(parts)
            raise
        if outcome == 1:
            return True
        self._drop_parts(parts)
        if outcome == 0:
            return False
        raise StoreUnavailable(f"the store took too long to put {stream} back")

    def _write_parts(
        self, parts: Sequence[str], entries: Sequence[StoredEvent], commands: Sequence[Remembered]
    ) -> None:
        # One script for all of a long stream would keep the server from everybody else for too long.
        events, remembered = parts
        lasting = [("PEXPIRE", key, UNSEALING_LASTS_MS) for key in parts]
        writes: list[tuple[Any, ...]] = [
            *(("XADD", events, f"{version}-0", "e", e, "h", h) for version, e, h in entries),
            *(("HSET", remembered, id, digest + b"%d-%d" % (first, last)) for (id, digest), first, last in commands),
        ]
        for start in range(0, len(writes), UNSEALED_AT_ONCE):
            run_together(self._wire, [*writes[start : start + UNSEALED_AT_ONCE], *lasting])

    def _drop_parts(self, parts: Sequence[str]) -> None:
        # They end by themselves too, but a server may be full.
        with suppress(StoreError):
            ask(self._client, "UNLINK", *parts)

    def move(self, moves: Sequence[Moved]) -> list[bool]:
        """See EventStore.move."""
        calls = []
        for stream, old, new in moves:
            keys = keys_of(stream)
            places = [old] if new is None else [old, new]
            calls.append([keys.places, keys.beginnings, keys.beginning, keys.field, *places])
        return [bool(reply) for reply in self._move.call_all(2, calls)]

    def adopt(self, streams: Sequence[tuple[str, bytes]]) -> list[bool]:
        """See EventStore.adopt."""
        calls = []
        for stream, place in streams:
            keys = keys_of(stream)
            calls.append((keys.events, keys.places, keys.beginnings, keys.beginning, keys.field, place))
        return [bool(reply) for reply in self._adopt.call_all(3, calls)]

    def places(self, streams: Sequence[str]) -> list[bytes | None]:
        """See EventStore.places."""
        keys = [keys_of(stream) for stream in streams]
        return require_all(send_all(self._wire, [("HGET", each.places, each.field) for each in keys]))

    def sealed(self, after: str = "", limit: int = 1000) -> list[tuple[str, bytes]]:
        """See EventStore.sealed."""
        return list(islice(self._walk_sealed(after), limit))

    def _walk_sealed(self, after: str) -> Iterator[tuple[str, bytes]]:
        first = bucket_of(after) if after else BUCKETS[0]
        for bucket in BUCKETS[BUCKETS.index(first) :]:
            behind = after if bucket == first else ""
            members = ask(self._client, "SMEMBERS", beginnings_key(bucket))
            beginnings = sorted(member.decode() for member in members)
            beginnings = beginnings[bisect_left(beginnings, pack_id(behind)[0]) :]
            for start in range(0, len(beginnings), BEGINNINGS_AT_ONCE):
                batch = beginnings[start : start + BEGINNINGS_AT_ONCE]
                hashes = ask_all(self._client, [("HGETALL", places_key(bucket, each)) for each in batch])
                for beginning, fields in zip(batch, hashes, strict=True):
                    found = sorted((unpack_id(beginning, field), place) for field, place in fields.items())
                    yield from (each for each in found if each[0] > behind)
