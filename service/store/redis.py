"""The event store on a Redis or Valkey server: each append is one script call.

Nothing here sends a write twice. After StoreUnavailable the caller may: the command id makes a repeated append
harmless.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Any

from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

from plyscribe.domain.chain import StoredEvent
from plyscribe.service.store.addresses import open_client, parse_address, require_for_queues
from plyscribe.service.store.cluster import Client, close_client, read_feeds, wire_of
from plyscribe.service.store.port import (
    BUCKETS,
    Append,
    Appended,
    BadPosition,
    CommandKey,
    FeedEntry,
    Forked,
    Loaded,
    Remembered,
    Reused,
    Sealed,
    Seen,
    Stale,
    Stored,
    StoreError,
    Stretch,
    Tail,
    bucket_of,
    require_sequence,
)
from plyscribe.service.store.redis_errors import translate
from plyscribe.service.store.redis_keys import bucket_of_key, feed_key, keys_of
from plyscribe.service.store.redis_sealing import RedisSealing
from plyscribe.service.store.redis_server import (
    WiredScript,
    ask,
    ask_all,
    durability,
    read_engine,
    require_all,
    send_all,
)

TIMEOUT_S = 3.0
"""How long to wait for an answer."""

START = "0-0"
"""An id before every entry."""


def connect(url: str, timeout_s: float = TIMEOUT_S, replicas: int = 0) -> "RedisStore":
    """The store at an address of `addresses`. Connects when it is first used."""
    return RedisStore(connect_client(url, timeout_s), replicas)


def connect_client(url: str, timeout_s: float | None = TIMEOUT_S) -> Client:
    """A client that returns bytes and sends every command only once. With None it waits for answers without limit.

    StoreError if the address cannot be read.
    """
    return open_client(
        parse_address(url),
        # By default redis-py repeats a command whose answer is late. A repeated append would meet its own events.
        retry=Retry(NoBackoff(), 0),
        socket_timeout=timeout_s,
        socket_connect_timeout=timeout_s or TIMEOUT_S,
        decode_responses=False,
    )


def connect_server(url: str, timeout_s: float | None = TIMEOUT_S) -> Redis:
    """As `connect_client`, for what has to be one server, or the primary that Sentinels know; else StoreError."""
    client = connect_client(url, timeout_s)
    if not isinstance(client, Redis):
        raise StoreError("this has to be one server, and the address names a cluster")
    return client


def connect_queues(url: str, timeout_s: float | None = TIMEOUT_S) -> Redis:
    """As `connect_server`, for the job queues: rq does not run on a cluster."""
    require_for_queues(parse_address(url))
    return connect_server(url, timeout_s)


class RedisStore:
    """An EventStore on a Redis or Valkey server; safe to share between threads. The client must not retry.

    A write is answered once this many replicas have it too, and StoreUnavailable if they do not have it in time. Reads
    do not wait for replicas.
    """

    def __init__(self, client: Client, replicas: int = 0) -> None:
        self._client = client
        self._replicas = replicas
        self._wire = wire_of(client)
        writes = self._writes = wire_of(client, replicas) if replicas else self._wire
        self._mark = WiredScript(client, "mark.lua", writes)
        self._append = WiredScript(client, "append.lua", writes)
        self._load = WiredScript(client, "load.lua", self._wire)
        self._condense = WiredScript(client, "condense.lua", writes)
        sealing = RedisSealing(client, self._wire, writes)
        self.seal = sealing.seal
        self.unseal = sealing.unseal
        self.move = sealing.move
        self.adopt = sealing.adopt
        self.places = sealing.places
        self.sealed = sealing.sealed

    def append(
        self,
        stream: str,
        expected_version: int,
        expected_head: bytes,
        events: Sequence[StoredEvent],
        types: Sequence[str],
        command: CommandKey,
    ) -> Appended:
        """See EventStore.append."""
        args = _append_args(stream, expected_version, expected_head, events, types, command)
        appended = _parse_appended(self._append(5, args))
        if isinstance(appended, Seen):
            self._hold(stream)
        return appended

    def append_all(self, appends: Sequence[Append]) -> list[Appended]:
        """See EventStore.append_all."""
        replies = self._append.call_all(5, [_append_args(*each) for each in appends])
        appended = [_parse_appended(reply) for reply in replies]
        for each, outcome in zip(appends, appended, strict=True):
            if isinstance(outcome, Seen):
                self._hold(each.stream)
        return appended

    def _hold(self, stream: str) -> None:
        """Return once the replicas have all that was written to the stream so far; else StoreUnavailable."""
        if self._replicas:
            # A WAIT alone would speak of the last write of its connection, and another connection wrote this.
            self._mark(1, [f"{{{bucket_of(stream)}}}:mark"])

    def condense(self, stream: str, version: int, head: bytes, entry: StoredEvent, type: str) -> bool:
        """See EventStore.condense."""
        require_sequence(0, [entry])
        keys = keys_of(stream)
        return bool(self._condense(2, [keys.events, keys.feed, version, head, stream, entry.e, entry.h, type]))

    def load(self, stream: str, after: int = 0, command: CommandKey | None = None, limit: int | None = None) -> Loaded:
        """See EventStore.load."""
        keys = keys_of(stream)
        if command is None:
            # A script takes twice as long for many entries, and a full server refuses a transaction that only reads.
            # The place is read twice, because a stream may be sealed or put back meanwhile.
            bound = () if limit is None else ("COUNT", limit)
            read, look = ("XRANGE", keys.events, f"{after + 1}-0", "+", *bound), ("HGET", keys.places, keys.field)
            before, found, place = require_all(send_all(self._wire, [look, read, look]))
            if found or before is not None or place is not None:
                return Loaded(None, _parse_entries(found), None if found else before if place is None else place)
            # There is nothing, or it was sealed and put back meanwhile. One step knows; no command has this id.
            command = CommandKey(b"", b"")
        args = [
            keys.events,
            keys.commands,
            keys.places,
            *command,
            after + 1,
            "" if limit is None else limit,
            keys.field,
        ]
        kind, first, last, entries, place = self._load(3, args)
        if kind == b"seen":
            # An answer to the command rests on this.
            self._hold(stream)
        known = {b"none": None, b"seen": Seen(first, last), b"reused": Reused()}[kind]
        return Loaded(known, _parse_entries(entries), place)

    def load_all(self, stretches: Sequence[Stretch]) -> list[list[StoredEvent]]:
        """See EventStore.load_all."""
        requests = [
            ("XRANGE", keys_of(stream).events, f"{after + 1}-0", "+" if upto is None else f"{upto}-0")
            for stream, after, upto in stretches
        ]
        replies = send_all(self._wire, requests)
        return [_parse_entries(reply) for reply in require_all(replies)]

    def tail(self, position: str = "", limit: int = 256, block_ms: int = 0, buckets: Collection[str] = BUCKETS) -> Tail:
        """See EventStore.tail. The client's timeout must be longer than `block_ms`."""
        ids = _parse_position(position)
        entries: list[FeedEntry] = []
        behind: Collection[str] = buckets
        while behind and (room := limit - len(entries)) > 0:
            share = -(-room // len(behind))
            after = {feed_key(bucket): ids.get(bucket, START) for bucket in behind}
            behind = []
            for key, found in self._read_feeds(after, share, block_ms):
                bucket = bucket_of_key(key)
                entries += [parse_feed_entry(fields) for _, fields in found]
                ids[bucket] = found[-1][0].decode()
                if len(found) == share:
                    behind.append(bucket)
            block_ms = 0
        return Tail(_format_position(ids) if entries else position, entries)

    def _read_feeds(self, after: Mapping[str, str], count: int, block_ms: int) -> list[tuple[bytes, list[Any]]]:
        try:
            return read_feeds(self._client, self._wire, after, count, block_ms)
        except RedisError as error:
            raise translate(error) from error

    def feed_end(self, buckets: Collection[str] = BUCKETS) -> str:
        """See EventStore.feed_end."""
        requests = [("XREVRANGE", feed_key(bucket), "+", "-", "COUNT", 1) for bucket in buckets]
        replies = zip(buckets, ask_all(self._client, requests), strict=True)
        ids = {bucket: found[0][0].decode() for bucket, found in replies if found}
        return _format_position(ids) if ids else ""

    def streams(self, after: str = "", limit: int = 1000) -> list[str]:
        """See EventStore.streams."""
        first = bucket_of(after) if after else BUCKETS[0]
        found: list[str] = []
        for bucket in BUCKETS[BUCKETS.index(first) :]:
            start = f"({after}" if after and bucket == first else "-"
            room = limit - len(found)
            members = ask(self._client, "ZRANGEBYLEX", f"{{{bucket}}}:streams", start, "+", "LIMIT", 0, room)
            found += [member.decode() for member in members]
            if len(found) >= limit:
                break
        return found

    def newest(self, streams: Sequence[str]) -> list[StoredEvent | None]:
        """See EventStore.newest."""
        requests = [("XREVRANGE", keys_of(stream).events, "+", "-", "COUNT", 1) for stream in streams]
        return [_stored_event(*found[0]) if found else None for found in ask_all(self._client, requests)]

    def commands(self, streams: Sequence[str]) -> list[list[Remembered]]:
        """See EventStore.commands."""
        requests = [("HGETALL", keys_of(stream).commands) for stream in streams]
        return [_parse_remembered(fields) for fields in ask_all(self._client, requests)]

    def find_commands(self, stream: str, ids: Sequence[bytes]) -> list[Remembered]:
        """See EventStore.find_commands."""
        if not ids:
            return []
        values = require_all(send_all(self._wire, [("HMGET", keys_of(stream).commands, *ids)]))[0]
        return _parse_remembered({id: value for id, value in zip(ids, values, strict=True) if value is not None})

    def announce(self, entries: Sequence[FeedEntry]) -> None:
        """See EventStore.announce."""
        requests = [
            ("XADD", feed_key(bucket_of(stream)), "*", "s", stream, "v", f"{first}-{last}", "t", " ".join(types))
            for stream, first, last, types in entries
        ]
        require_all(send_all(self._wire, requests))

    def describe(self) -> dict[str, str]:
        """See EventStore.describe."""
        engine = read_engine(self._client)
        return {"store": str(engine) if engine else "unknown", "durability": durability(self._client, self._replicas)}

    def close(self) -> None:
        """Close all connections. The store opens new ones when it is used again."""
        self._wire.close()
        if self._writes is not self._wire:
            self._writes.close()
        close_client(self._client)


def parse_feed_entry(fields: dict[bytes, bytes]) -> FeedEntry:
    """The feed entry in fields that a script has written."""
    first, _, last = fields[b"v"].partition(b"-")
    return FeedEntry(fields[b"s"].decode(), int(first), int(last), tuple(fields[b"t"].decode().split(" ")))


def _append_args(
    stream: str,
    expected_version: int,
    expected_head: bytes,
    events: Sequence[StoredEvent],
    types: Sequence[str],
    command: CommandKey,
) -> list[Any]:
    require_sequence(expected_version, events)
    keys = keys_of(stream)
    args: list[Any] = [*keys[:5], *command, expected_version, expected_head, stream, " ".join(types), keys.field]
    for event in events:
        args += event[1:]
    return args


def _parse_appended(reply: Any) -> Appended:
    match reply[0]:
        case b"stored":
            return Stored(reply[1], reply[2])
        case b"seen":
            return Seen(reply[1], reply[2])
        case b"reused":
            return Reused()
        case b"stale":
            return Stale(reply[1], _parse_entries(reply[2]))
        case b"sealed":
            return Sealed(reply[1])
        case _:
            return Forked(reply[1])


def _parse_remembered(fields: Mapping[bytes, bytes]) -> list[Remembered]:
    found = []
    for id, value in fields.items():
        first, _, last = value[8:].partition(b"-")
        found.append(Remembered(CommandKey(id, value[:8]), int(first), int(last)))
    return sorted(found, key=itemgetter(1, 2, 0))


def _parse_entries(replies: Iterable[Any]) -> list[StoredEvent]:
    # Undecoded replies: the fields are a flat list, in the order in which they were written.
    # Calling StoredEvent(..) takes twice as long.
    return [tuple.__new__(StoredEvent, (int(id[:-2]), fields[1], fields[3])) for id, fields in replies]


def _stored_event(id: bytes, fields: dict[bytes, bytes]) -> StoredEvent:
    return StoredEvent(int(id[:-2]), fields[b"e"], fields[b"h"])


_POSITION = re.compile(r"[0-9a-f]{1,12}(\.[0-3][0-9a-f][0-9a-f]{1,12}:[0-9a-f]{1,16})+")


def _format_position(ids: dict[str, str]) -> str:
    """The newest time in hexadecimal; then, for each bucket, how much older its last entry is, and its number.

    The times of recent entries are close together, so 64 buckets take about 600 characters.
    """
    places = {bucket: tuple(map(int, id.split("-"))) for bucket, id in ids.items()}
    newest = max(ms for ms, _ in places.values())
    return ".".join([f"{newest:x}", *(f"{bucket}{newest - ms:x}:{n:x}" for bucket, (ms, n) in sorted(places.items()))])


def _parse_position(position: str) -> dict[str, str]:
    if not position:
        return {}
    if not _POSITION.fullmatch(position):
        raise BadPosition(f"{position[:80]!r} is not a position in the feed")
    newest, *places = position.split(".")
    ids = {}
    for place in places:
        age, _, number = place[2:].partition(":")
        ids[place[:2]] = f"{int(newest, 16) - int(age, 16)}-{int(number, 16)}"
    return ids
